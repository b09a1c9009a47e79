//! The reader: one gate at a time, everything checked.

use core::marker::PhantomData;
use std::io::Read;

use volery_field::F2;

use super::lines::{Cursor, Lines};
use super::wires::WireSet;
use super::{FileGate, FileRing, Format, GateKind, Header};
use crate::Error;
use crate::text::counted;

/// The number of input wires that a file may declare beyond its own length in bytes. A few bytes can claim
/// 2^32 inputs, and each costs memory. Inputs that are used also take bytes, so this only limits unused ones.
const UNUSED_INPUTS: u64 = 1 << 20;

/// Reads a circuit over `R` in Bristol Fashion or the older Bristol format, gate by gate.
///
/// Memory does not depend on the file, except for one bit for each wire if the file sets wires out of order.
#[derive(Debug)]
pub(crate) struct Reader<S, R = F2> {
    lines: Lines<S>,
    header: Header,
    input_wires: u32,
    gates_read: u32,
    /// `None` if the file was checked before.
    set: Option<WireSet>,
    /// The wires of a `MAND`.
    many: Vec<u32>,
    ring: PhantomData<R>,
}

/// A fault in a line: which word (0-based) and what is wrong.
type Fault = (usize, String);

/// A gate with its wires. Those of a `MAND` are in [`Reader::many`].
#[derive(Clone, Copy)]
enum Line<R> {
    Add([u32; 3]),
    Sub([u32; 3]),
    Mul([u32; 3]),
    Increment([u32; 2]),
    Copy([u32; 2]),
    Constant(R, u32),
    Many,
}

impl<S: Read, R: FileRing> Reader<S, R> {
    /// Reads the header. `what` names the source in errors. `length` is the source's length in bytes, if
    /// known; it limits what the header may claim.
    ///
    /// # Errors
    /// [`Error::Malformed`], [`Error::Io`].
    pub(crate) fn new(source: S, what: &str, length: Option<u64>) -> Result<Self, Error> {
        let mut reader = Self::trusting(source, what, length)?;
        reader.set = Some(WireSet::below(reader.input_wires));
        Ok(reader)
    }

    /// As [`Reader::new`], for a source that was read before and is known to be unchanged, or whose caller
    /// detects a change. Wires are only checked to be in range.
    pub(super) fn trusting(source: S, what: &str, length: Option<u64>) -> Result<Self, Error> {
        let mut lines = Lines::new(source, what);
        let header = header(&mut lines)?;
        let input_wires = check_header(&header, length).map_err(|reason| lines.error_before(reason))?;
        Ok(Self { lines, header, input_wires, gates_read: 0, set: None, many: Vec::new(), ring: PhantomData })
    }

    /// The content of the file's first lines.
    #[must_use]
    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    /// The number of wires of all inputs together.
    #[must_use]
    pub(crate) fn input_wires(&self) -> u32 {
        self.input_wires
    }

    /// The source of the bytes.
    #[must_use]
    pub(crate) fn source(&self) -> &S {
        self.lines.source()
    }

    /// The next gate. After the last one it reads and checks the rest of the file and returns `None`.
    ///
    /// # Errors
    /// [`Error::Malformed`] with line, column and reason; [`Error::Io`]. The reader cannot be used after an
    /// error.
    #[inline]
    pub(crate) fn next_gate(&mut self) -> Result<Option<FileGate<'_, R>>, Error> {
        if self.gates_read == self.header.gates {
            return self.finish().map(|()| None);
        }
        let Some(mut cursor) = self.lines.peek()? else { return Err(self.too_few_gates()) };
        let parsed = parse::<R>(&mut cursor, &mut self.many).and_then(|line| {
            check_wires(line, &self.many, self.header.wires, self.set.as_mut()).map(|()| line)
        });
        let line = match parsed {
            Ok(line) => line,
            Err((word, reason)) => {
                let at = cursor.place(word);
                return Err(self.lines.error(at, reason));
            }
        };
        let length = cursor.at + 1;
        self.lines.consume(length);
        self.gates_read += 1;
        Ok(Some(match line {
            Line::Add([x, y, out]) => FileGate::Add { x, y, out },
            Line::Sub([x, y, out]) => FileGate::Sub { x, y, out },
            Line::Mul([x, y, out]) => FileGate::Mul { x, y, out },
            Line::Increment([x, out]) => FileGate::Increment { x, out },
            Line::Copy([x, out]) => FileGate::Copy { x, out },
            Line::Constant(value, out) => FileGate::Constant { value, out },
            Line::Many => {
                let (x, rest) = self.many.split_at(self.many.len() / 3);
                let (y, out) = rest.split_at(x.len());
                FileGate::Many { x, y, out }
            }
        }))
    }

    #[cold]
    fn too_few_gates(&self) -> Error {
        let (promised, got) = (self.header.gates, self.gates_read);
        self.lines
            .error(0, format!("the file ends after {}; its header promises {promised}", counted(got, "gate")))
    }

    /// Checks the text after the last gate.
    fn finish(&mut self) -> Result<(), Error> {
        if let Some(mut cursor) = self.lines.peek()? {
            cursor.at_end();
            let (at, promised) = (cursor.at, self.header.gates);
            return Err(self.lines.error(
                at,
                format!("there is more after the {} that the header promises", counted(promised, "gate")),
            ));
        }
        let Some(set) = &self.set else { return Ok(()) };
        match (self.header.first_output()..self.header.wires).find(|&wire| !set.contains(wire)) {
            None => Ok(()),
            Some(wire) => {
                Err(self.lines.error(0, format!("the file ends, but no gate sets output wire {wire}")))
            }
        }
    }
}

/// Parses one gate line.
#[inline]
fn parse<R: FileRing>(cursor: &mut Cursor<'_>, many: &mut Vec<u32>) -> Result<Line<R>, Fault> {
    let (ins, outs) = match cursor.usual_counts() {
        Some(counts) => counts,
        None => {
            let ins = number(cursor, 0, "the number of input wires")?;
            (ins, number(cursor, 1, "the number of output wires")?)
        }
    };
    match (ins, outs) {
        (2, 1) => {
            let wires = [wire(cursor, 2)?, wire(cursor, 3)?, wire(cursor, 4)?];
            let name = name(cursor, 5)?;
            match R::kind(name) {
                Some(GateKind::Add) => Ok(Line::Add(wires)),
                Some(GateKind::Sub) => Ok(Line::Sub(wires)),
                Some(GateKind::Mul) => Ok(Line::Mul(wires)),
                Some(GateKind::MulMany) => {
                    many.clear();
                    many.extend(wires);
                    Ok(Line::Many)
                }
                _ => Err((5, wrong_name::<R>(name, ins, outs))),
            }
        }
        (1, 1) => {
            let first = wire_or_constant::<R>(cursor)?;
            let out = wire(cursor, 3)?;
            let name = name(cursor, 4)?;
            let from = || u32::try_from(first).map_err(|_| (2, format!("{first} is too large for a wire")));
            match R::kind(name) {
                Some(GateKind::Increment) => Ok(Line::Increment([from()?, out])),
                Some(GateKind::Copy) => Ok(Line::Copy([from()?, out])),
                Some(GateKind::Constant) => match R::from_number(first) {
                    Some(value) => Ok(Line::Constant(value, out)),
                    None => Err((2, format!("EQ takes a constant {}", R::CONSTANTS))),
                },
                _ => Err((4, wrong_name::<R>(name, ins, outs))),
            }
        }
        _ => parse_many(cursor, many, ins, outs),
    }
}

/// The number in the place of the only operand. Constants may be longer than wires' numbers.
#[inline(always)]
fn wire_or_constant<R: FileRing>(cursor: &mut Cursor<'_>) -> Result<u64, Fault> {
    match cursor.number() {
        Some(number) => Ok(number.into()),
        None => long_constant::<R>(cursor).map_err(|reason| (2, reason)),
    }
}

#[cold]
fn long_constant<R: FileRing>(cursor: &mut Cursor<'_>) -> Result<u64, String> {
    let before = *cursor;
    match cursor.long_number() {
        // A shorter number with too many leading zeros is not a constant either.
        Some(number) if number > u32::MAX.into() && R::from_number(number).is_some() => Ok(number),
        _ => Err(before.not_a_number("a wire or a constant")),
    }
}

/// Parses a `MAND` of any width but one.
fn parse_many<R: FileRing>(
    cursor: &mut Cursor<'_>,
    many: &mut Vec<u32>,
    ins: u32,
    outs: u32,
) -> Result<Line<R>, Fault> {
    if outs == 0 || outs.checked_mul(2) != Some(ins) {
        return Err((0, format!("no gate has {ins} input and {outs} output wires")));
    }
    many.clear();
    for index in 0..3 * outs as usize {
        // It grows with the line, whatever the counts claim, and the length of a line is bounded.
        many.push(wire(cursor, 2 + index)?);
    }
    let name = name(cursor, 2 + many.len())?;
    match R::kind(name) {
        Some(GateKind::MulMany) => Ok(Line::Many),
        _ => Err((2 + many.len(), wrong_name::<R>(name, ins, outs))),
    }
}

#[inline(always)]
fn number(cursor: &mut Cursor<'_>, word: usize, expected: &str) -> Result<u32, Fault> {
    cursor.number().ok_or_else(|| (word, cursor.not_a_number(expected)))
}

#[inline(always)]
fn wire(cursor: &mut Cursor<'_>, word: usize) -> Result<u32, Fault> {
    number(cursor, word, "a wire")
}

/// The gate's name, which ends the line.
#[inline(always)]
fn name<'a>(cursor: &mut Cursor<'a>, word: usize) -> Result<&'a [u8], Fault> {
    let name = cursor.last_word();
    if cursor.at_end() { Ok(name) } else { Err((word + 1, "the line goes on after the gate's name".into())) }
}

#[cold]
fn wrong_name<R: FileRing>(name: &[u8], ins: u32, outs: u32) -> String {
    if name.is_empty() {
        return "the line ends where the gate's name should be".into();
    }
    let shown: String =
        name.iter().take(16).map(|&b| if b.is_ascii_graphic() { b as char } else { '?' }).collect();
    match R::kind(name) {
        Some(kind) => format!("{shown} has {}, not {ins} and {outs}", kind.needs()),
        None => format!("\"{shown}\" is no gate over {}; there are {}", R::NAME, R::KINDS),
    }
}

#[inline(always)]
fn check_wires<R>(
    line: Line<R>,
    many: &[u32],
    wires: u32,
    mut set: Option<&mut WireSet>,
) -> Result<(), Fault> {
    match line {
        Line::Add([x, y, out]) | Line::Sub([x, y, out]) | Line::Mul([x, y, out]) => {
            reads(x, 2, wires, set.as_deref())?;
            reads(y, 3, wires, set.as_deref())?;
            sets(out, 4, wires, set)
        }
        Line::Increment([x, out]) | Line::Copy([x, out]) => {
            reads(x, 2, wires, set.as_deref())?;
            sets(out, 3, wires, set)
        }
        Line::Constant(_, out) => sets(out, 3, wires, set),
        Line::Many => {
            let (operands, results) = many.split_at(many.len() / 3 * 2);
            for (&wire, word) in operands.iter().zip(2..) {
                reads(wire, word, wires, set.as_deref())?;
            }
            for (&wire, word) in results.iter().zip(2 + operands.len()..) {
                sets(wire, word, wires, set.as_deref_mut())?;
            }
            Ok(())
        }
    }
}

#[inline(always)]
fn reads(wire: u32, word: usize, wires: u32, set: Option<&WireSet>) -> Result<(), Fault> {
    if wire < wires && set.is_none_or(|set| set.contains(wire)) {
        return Ok(());
    }
    Err(bad_wire(wire, word, wires, "is used before it is set"))
}

#[inline(always)]
fn sets(wire: u32, word: usize, wires: u32, set: Option<&mut WireSet>) -> Result<(), Fault> {
    if wire < wires && set.is_none_or(|set| set.insert(wire)) {
        return Ok(());
    }
    Err(bad_wire(wire, word, wires, "is set a second time"))
}

#[cold]
fn bad_wire(wire: u32, word: usize, wires: u32, otherwise: &str) -> Fault {
    let reason = if wire < wires {
        otherwise.to_owned()
    } else {
        format!("is out of range: the circuit has {}", counted(wires, "wire"))
    };
    (word, format!("wire {wire} {reason}"))
}

/// Reads the header of either format. They differ in the third line: a list of numbers in Bristol Fashion, a
/// gate (or nothing) in the older format, whose second line has three numbers.
fn header(lines: &mut Lines<impl Read>) -> Result<Header, Error> {
    let counts = numbers(lines, "the number of gates")?;
    let &[gates, wires] = counts.as_slice() else {
        let got = counts.len();
        return Err(lines.error_before(format!(
            "the first line has the numbers of gates and of wires, not {}",
            counted(got as u64, "number")
        )));
    };
    let second = numbers(lines, "the inputs")?;
    if let &[first, second, outputs] = second.as_slice()
        && is_gate_or_end(lines)?
    {
        let inputs = if second == 0 { vec![first] } else { vec![first, second] };
        return Ok(Header { format: Format::Old, gates, wires, inputs, outputs: vec![outputs] });
    }
    let inputs = widths(second, lines, "input")?;
    let third = numbers(lines, "the outputs")?;
    let outputs = widths(third, lines, "output")?;
    Ok(Header { format: Format::Fashion, gates, wires, inputs, outputs })
}

/// Consumes the next line and returns all its numbers.
fn numbers(lines: &mut Lines<impl Read>, expected: &str) -> Result<Vec<u32>, Error> {
    let Some(mut cursor) = lines.peek()? else {
        return Err(lines.error(0, format!("the file ends where {expected} should be")));
    };
    let mut numbers = Vec::new();
    while !cursor.at_end() {
        match cursor.number() {
            Some(number) => numbers.push(number),
            None => {
                let (at, reason) = (cursor.at, cursor.not_a_number("a number"));
                return Err(lines.error(at, reason));
            }
        }
    }
    let length = cursor.at + 1;
    lines.consume(length);
    Ok(numbers)
}

/// Whether the next line ends in a name, or the file ends.
fn is_gate_or_end(lines: &mut Lines<impl Read>) -> Result<bool, Error> {
    let Some(mut cursor) = lines.peek()? else { return Ok(true) };
    let mut last: &[u8] = b"";
    while !cursor.at_end() {
        last = cursor.word();
    }
    Ok(last.first().is_some_and(u8::is_ascii_alphabetic))
}

/// Removes the leading count from a line of widths. The line has been consumed already, so errors point after
/// it.
fn widths(mut numbers: Vec<u32>, lines: &Lines<impl Read>, what: &str) -> Result<Vec<u32>, Error> {
    let got = numbers.len().saturating_sub(1);
    match numbers.first() {
        Some(&count) if count as usize == got => {
            numbers.remove(0);
            Ok(numbers)
        }
        count => {
            let count = count.copied().unwrap_or(0);
            Err(lines.error_before(format!("the line promises {count} {what} widths and has {got}")))
        }
    }
}

/// Checks the header's numbers against each other and against the file's length. Returns the number of input
/// wires.
fn check_header(header: &Header, length: Option<u64>) -> Result<u32, String> {
    let Header { wires, inputs, outputs, .. } = header;
    let sum = |list: &[u32]| list.iter().map(|&width| u64::from(width)).sum::<u64>();
    let (wires, input_wires, output_wires) = (u64::from(*wires), sum(inputs), sum(outputs));
    if input_wires > wires || output_wires > wires {
        return Err(format!(
            "{input_wires} input and {output_wires} output wires do not fit in {wires} wires"
        ));
    }
    if let Some(length) = length {
        // A wire that a gate sets takes at least two bytes in the file, for its number.
        if wires - input_wires > length / 2 || input_wires > length.saturating_add(UNUSED_INPUTS) {
            return Err(format!(
                "{wires} wires with {input_wires} inputs are more than {length} bytes can describe"
            ));
        }
    }
    u32::try_from(input_wires).map_err(|_| "the inputs have 2^32 wires".into())
}
