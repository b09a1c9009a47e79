//! How a program's run ended, for people and as JSON.

use serde::{Serialize, Serializer};
#[cfg(feature = "programs")]
use volery::programs::program::{STACK_BYTES, STACK_END};
#[cfg(feature = "programs")]
use volery::programs::{Cause, End, Program};
use volery_channel::hex;

/// How a run ended, and what it made public.
#[derive(Clone, Debug, Serialize)]
pub struct Ran {
    /// What the program exited with; `None` after a trap.
    pub code: Option<u32>,
    /// Where and why it was ended instead.
    pub trap: Option<Trap>,
    /// What it wrote; in JSON in hexadecimal.
    #[serde(serialize_with = "in_hex")]
    pub journal: Vec<u8>,
}

fn in_hex<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&hex::encode(bytes))
}

/// Where and why a program was ended.
#[derive(Clone, Debug, Serialize)]
pub struct Trap {
    /// The address of the instruction.
    pub pc: u32,
    /// The name of the cause.
    pub cause: &'static str,
    /// The function or label, and the distance from it.
    pub place: Option<String>,
    /// The instruction in assembly language, if the program is known.
    pub instruction: Option<String>,
    /// The cause in words.
    pub message: String,
}

/// What to do about a stack that lies nowhere.
#[cfg(feature = "programs")]
const LOST: &str = "; no stack is there: link with volery.ld and its start code";

/// Whether an access by the stack pointer is far from all memory. Right below memory it may be a stack that
/// overflows.
#[cfg(feature = "programs")]
fn is_lost(program: &Program, pc: u32, cause: Cause, value: u32) -> bool {
    let by_stack_pointer = program.instruction(pc).is_some_and(|instruction| instruction.rs1() == 2);
    let starts = program.segments().iter().map(|segment| segment.address);
    let is_below = |start: u32| (start.saturating_sub(FAR)..start).contains(&value);
    let is_outside = matches!(cause, Cause::LoadOutside | Cause::StoreOutside);
    is_outside && by_stack_pointer && !starts.chain([STACK_END - STACK_BYTES]).any(is_below)
}

/// How far below memory a stack that overflows may get in one step.
#[cfg(feature = "programs")]
const FAR: u32 = 1 << 20;

impl Ran {
    /// A run of this program, if it is known.
    #[cfg(feature = "programs")]
    #[must_use]
    pub fn new(program: Option<&Program>, end: End, journal: &[u8]) -> Self {
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
        Self { code, trap, journal: journal.to_vec() }
    }

    /// How it ended, and its journal, on a line each.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let end = match (self.code, &self.trap) {
            (Some(code), _) => format!("the program exited with code {code}"),
            (None, trap) => trap.as_ref().map(Trap::text).unwrap_or_default(),
        };
        if self.journal.is_empty() {
            return vec![end];
        }
        let plain = |text: &&str| text.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\r' | '\t'));
        let journal = match str::from_utf8(&self.journal).ok().filter(plain) {
            Some(text) => format!("journal: \"{}\"", text.escape_debug()),
            None => format!("journal: {}", hex::encode(&self.journal)),
        };
        vec![end, journal]
    }
}

impl Trap {
    /// Where and why, on one line.
    #[must_use]
    pub fn text(&self) -> String {
        let place = self.place.as_ref().map(|place| format!(", {place}")).unwrap_or_default();
        let instruction = self.instruction.as_ref().map(|text| format!(" ({text})")).unwrap_or_default();
        format!("the program was ended at {:#010x}{place}{instruction}: {}", self.pc, self.message)
    }
}
