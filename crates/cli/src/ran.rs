//! How a program's run ended, for people and as JSON.

use serde::Serialize;
use volery_machine::program::{STACK_BYTES, STACK_END};
use volery_machine::{Cause, End, Program};

/// How a run ended, and what it made public.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Ran {
    /// What the program exited with; `None` after a trap.
    pub(crate) code: Option<u32>,
    pub(crate) trap: Option<Trap>,
    /// In hexadecimal.
    pub(crate) journal: String,
    /// The journal, if it is text.
    #[serde(skip)]
    text: Option<String>,
}

/// Where and why a program was ended.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Trap {
    pc: u32,
    cause: &'static str,
    /// The function or label, and the distance from it.
    place: Option<String>,
    instruction: Option<String>,
    /// In words.
    message: String,
}

/// Bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What to do about a stack that lies nowhere.
const LOST: &str = "; no stack is there: link with volery.ld and its start code";

/// Whether an access by the stack pointer is far from all memory. Right below memory it may be a stack that
/// overflows.
fn is_lost(program: &Program, pc: u32, cause: Cause, value: u32) -> bool {
    let by_stack_pointer = program.instruction(pc).is_some_and(|instruction| instruction.rs1() == 2);
    let starts = program.segments().iter().map(|segment| segment.address);
    let is_below = |start: u32| (start.saturating_sub(FAR)..start).contains(&value);
    let is_outside = matches!(cause, Cause::LoadOutside | Cause::StoreOutside);
    is_outside && by_stack_pointer && !starts.chain([STACK_END - STACK_BYTES]).any(is_below)
}

/// How far below memory a stack that overflows may get in one step.
const FAR: u32 = 1 << 20;

impl Ran {
    /// A run of this program, if it is known.
    pub(crate) fn new(program: Option<&Program>, end: End, journal: &[u8]) -> Self {
        let (code, trap) = match end {
            End::Exit(code) => (Some(code), None),
            End::Trap { pc, cause, value } => {
                let place = program.and_then(|program| program.place(pc)).map(|(name, distance)| {
                    // Names come from the file.
                    let name = name.escape_debug();
                    if distance == 0 { name.to_string() } else { format!("{name} + {distance}") }
                });
                let instruction = program.and_then(|program| program.instruction(pc));
                let instruction = instruction.map(|instruction| instruction.to_string());
                let hint = program.filter(|program| is_lost(program, pc, cause, value)).map_or("", |_| LOST);
                let message = format!("{}{hint}", cause.explain(value));
                (None, Some(Trap { pc, cause: cause.name(), place, instruction, message }))
            }
        };
        let plain = |text: &&str| text.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\r' | '\t'));
        let text = str::from_utf8(journal).ok().filter(plain).map(|text| text.escape_debug().to_string());
        Self { code, trap, journal: hex(journal), text }
    }

    /// How it ended, and its journal, on a line each.
    pub(crate) fn lines(&self) -> Vec<String> {
        let end = match (self.code, &self.trap) {
            (Some(code), _) => format!("the program exited with code {code}"),
            (None, trap) => trap.as_ref().map(Trap::text).unwrap_or_default(),
        };
        let journal = match &self.text {
            _ if self.journal.is_empty() => return vec![end],
            Some(text) => format!("journal: \"{text}\""),
            None => format!("journal: {}", self.journal),
        };
        vec![end, journal]
    }
}

impl Trap {
    /// Where and why, on one line.
    pub(crate) fn text(&self) -> String {
        let place = self.place.as_ref().map(|place| format!(", {place}")).unwrap_or_default();
        let instruction = self.instruction.as_ref().map(|text| format!(" ({text})")).unwrap_or_default();
        format!("the program was ended at {:#010x}{place}{instruction}: {}", self.pc, self.message)
    }
}
