//! One segment: commits to the columns, claims the relations of every row, and that all of them belong
//! together.

use volery_circuit::{Challenge, Error, Peek};
use volery_field::{F61, Ring as _};
use zeroize::Zeroizing;

use super::argument::{self, Asked, Known, PIECE, Part, Rom};
use super::buffers::{make_room, room_at_p, wiped};
use super::form::{Shape, Space, WIDTH, column, integer, number};
use super::kind::Kind;
use super::log::Log;
use super::profile::Counts;
use super::public::{Public, Tables};
use super::stages::{Stage, Watch};
use super::tables::{ASIDE, SECRET_LEFT, Table, with_table};
use super::trace::{KINDS, REGISTERS, Segment};

/// What one segment leaves to the next.
pub(super) struct Boundary<W> {
    /// The values of all registers.
    pub(super) registers: Vec<W>,
    /// The place of the next instruction.
    pub(super) place: [W; 1],
}

/// Commits to `count` values.
pub(super) fn commit<B: Challenge<F61>>(
    b: &mut B,
    count: usize,
    values: Option<&[F61]>,
    out: &mut Vec<B::Wire>,
) -> Result<(), B::Error> {
    let mut rest = values;
    commit_with(b, count, out, &mut |_, count| {
        let (next, others) = rest.and_then(|rest| rest.split_at_checked(count)).ok_or_else(no_trace)?;
        rest = Some(others);
        Ok(next.to_vec())
    })
}

/// The error for values that P does not have.
pub(super) fn no_trace() -> Error {
    Error::Witness("there is no trace of the run".into())
}

/// The next values that P commits to: as many as it is asked for.
pub(super) type Next<'a, W> = &'a mut dyn FnMut(&dyn Peek<F61, W>, usize) -> Result<Vec<F61>, Error>;

/// Commits to `count` values, a piece at a time.
pub(super) fn commit_with<B: Challenge<F61>>(
    b: &mut B,
    count: usize,
    out: &mut Vec<B::Wire>,
    next: Next<'_, B::Wire>,
) -> Result<(), B::Error> {
    let total = out.len() + count;
    for start in (0..count).step_by(PIECE) {
        let piece = PIECE.min(count - start);
        make_room(out, piece, total);
        out.extend(b.secret(piece, &mut |peek| next(peek, piece))?);
    }
    Ok(())
}

/// Commits to the rows of a kind, and claims their relations.
fn rows<B: Challenge<F61>>(
    b: &mut B,
    kind: Kind,
    count: usize,
    values: Zeroizing<Vec<F61>>,
    watch: Watch<'_>,
) -> Result<Part<B::Wire>, B::Error> {
    b.enter(kind.name());
    let part = with_table!(kind, Rows => {
        let mut wires = room_at_p(count * Rows::COLUMNS, !values.is_empty());
        // A piece at a time, so that a row's wires are at hand when its relations are claimed.
        let at_once = PIECE / 16 / Rows::COLUMNS;
        for start in (0..count).step_by(at_once) {
            let (start, end) = (start * Rows::COLUMNS, count.min(start + at_once) * Rows::COLUMNS);
            watch.begin(Stage::Columns);
            make_room(&mut wires, end - start, count * Rows::COLUMNS);
            commit(b, end - start, values.get(start..end), &mut wires)?;
            watch.begin(Stage::Relations);
            for row in wires[start..end].chunks_exact(Rows::COLUMNS) {
                Rows::claim(b, row)?;
            }
        }
        Part::new(Rows::shape(), wires)
    });
    b.leave();
    Ok(part)
}

/// What a register says: number, value at first, value and time at the end.
fn register_shape() -> Shape {
    let mut shape = Shape::new(4);
    shape.produce(Space::Register, [column(0), column(1), number(0)]);
    shape.consume(Space::Register, [column(0), column(2), column(3)]);
    shape
}

/// What a word says that the segment of this number touches: address, value and segment of the last use at
/// first, value and time at the end.
pub(super) fn word_shape(this: u32) -> Shape {
    let [address, first, since, last, time] = [0, 1, 2, 3, 4].map(column);
    let mut shape = Shape::new(5);
    shape.produce(Space::Memory, [address.clone(), first, number(0)]);
    shape.consume(Space::Memory, [address, last, time]);
    shape.short(number(i64::from(this) - 1) - since);
    shape
}

/// What the ends of a segment say: place at first, place and time at the end, value and time of filler rows'
/// memory. The last instruction of a run that exits is a call.
fn end_shape(exits: bool) -> Shape {
    let [begins, place, time, aside, aside_time] = [0, 1, 2, 3, 4].map(column);
    let mut shape = Shape::new(5);
    shape.produce(Space::State, [begins, number(0)]);
    shape.consume(Space::State, [place.clone(), time]);
    shape.produce(Space::Memory, [number(ASIDE), number(0), number(0)]);
    shape.consume(Space::Memory, [number(ASIDE), aside, aside_time]);
    if exits {
        shape.look_up(Public::Code, [number(Kind::Call as i64), place, number(1)]);
    }
    shape
}

/// The shapes of a segment besides those of its steps: a word, the ends, a register. P commits to all columns
/// but the first one of the ends, and the number and the first value of a register.
pub(super) fn shapes() -> [Shape; 3] {
    [word_shape(1), end_shape(false), register_shape()]
}

/// Commits to the registers' ends.
fn registers<B: Challenge<F61>>(
    b: &mut B,
    start: Boundary<B::Wire>,
    end: Option<&Segment>,
) -> Result<Part<B::Wire>, B::Error> {
    let ends = end.map(|segment| {
        let cells = segment.registers.iter().flat_map(|cell| [cell.value, cell.time]);
        wiped(2 * REGISTERS, cells.map(|n| F61::new(n.into())))
    });
    let mut committed = Vec::with_capacity(2 * REGISTERS);
    commit(b, 2 * REGISTERS, ends.as_ref().map(|ends| &ends[..]), &mut committed)?;
    let mut wires = Vec::with_capacity(4 * REGISTERS);
    for (i, (first, last)) in start.registers.into_iter().zip(committed.chunks_exact(2)).enumerate() {
        wires.push(b.constant(F61::new(i as u64)));
        wires.push(first);
        wires.extend_from_slice(last);
    }
    Ok(Part::new(register_shape(), wires))
}

/// Commits to the words that the segment touches.
fn words<B: Challenge<F61>>(
    b: &mut B,
    this: u32,
    count: usize,
    segment: Option<&Segment>,
) -> Result<Part<B::Wire>, B::Error> {
    let values = segment.map(|segment| {
        let word = |word: &super::trace::Word| {
            let address = super::regions::place(word.address, word.read_only);
            let rest = [word.first, word.since, word.last.value, word.last.time].map(i64::from);
            [address, rest[0], rest[1], rest[2], rest[3]].map(integer)
        };
        wiped(5 * segment.words.len(), segment.words.iter().flat_map(word))
    });
    let values = values.unwrap_or_default();
    let mut wires = room_at_p(5 * count, segment.is_some());
    commit(b, 5 * count, segment.map(|_| &values[..]), &mut wires)?;
    Ok(Part::new(word_shape(this), wires))
}

/// Commits to where the segment ends.
fn ends<B: Challenge<F61>>(
    b: &mut B,
    [start]: [B::Wire; 1],
    segment: Option<&Segment>,
    exits: bool,
) -> Result<Part<B::Wire>, B::Error> {
    let mut wires = vec![start];
    let values = segment.map(|segment| {
        let Segment { place, time, aside, .. } = segment;
        wiped(4, [*place, *time, 0, *aside].map(|n| F61::new(n.into())))
    });
    commit(b, 4, values.as_ref().map(|values| &values[..]), &mut wires)?;
    Ok(Part::new(end_shape(exits), wires))
}

/// The length of the secret input is below 2^32.
fn length<B: Challenge<F61>>(b: &mut B, start: &Boundary<B::Wire>) -> Result<Part<B::Wire>, B::Error> {
    let mut shape = Shape::new(2);
    shape.word(column(0), 1);
    let register = SECRET_LEFT as usize;
    let mut wires = vec![start.registers[register].clone()];
    let of_length = start.registers[register].clone();
    commit_with(b, 1, &mut wires, &mut |peek, _| {
        Ok(vec![F61::new(peek.value(&of_length).to_u64() & 0xffff)])
    })?;
    Ok(Part::new(shape, wires))
}

/// A segment, its number from 1 on.
pub(super) struct Place {
    pub(super) number: u32,
    /// Whether it is the last one of a run that exits.
    pub(super) exits: bool,
}

/// The segments of a run, or of a part of it. P commits to a segment's columns, and only then makes the
/// argument of the segment before, so that nobody waits while a challenge is on its way.
pub(super) struct Segments<'a, B: Challenge<F61>> {
    tables: &'a Tables<'a>,
    /// The rows of a secret program.
    rom: Option<&'a Rom<B::Wire>>,
    watch: Watch<'a>,
    /// The segment whose argument is still to be made.
    open: Option<Asked<B>>,
}

impl<'a, B: Challenge<F61>> Segments<'a, B> {
    /// There are none yet.
    pub(super) fn new(tables: &'a Tables<'a>, rom: Option<&'a Rom<B::Wire>>, watch: Watch<'a>) -> Self {
        Self { tables, rom, watch, open: None }
    }

    /// Claims a segment: from `start`, by rows as in `counts`, to what it returns. The words that it touches
    /// go to the log. [`Segments::close`] makes the last argument.
    pub(super) fn claim(
        &mut self,
        b: &mut B,
        here: (&Counts, Place),
        start: Boundary<B::Wire>,
        segment: Option<Segment>,
        log: &mut Log<B::Wire>,
    ) -> Result<Boundary<B::Wire>, B::Error> {
        b.enter("segment");
        b.begin_argument();
        let Columns { parts, end } = columns(b, here, start, segment, log, self.watch)?;
        self.watch.begin(Stage::Argument);
        let asked = argument::ask(b, parts, Known::default(), self.tables, self.rom)?;
        b.leave();
        self.close(b)?;
        self.open = Some(asked);
        Ok(end)
    }

    /// Makes the argument that is still to be made.
    pub(super) fn close(&mut self, b: &mut B) -> Result<(), B::Error> {
        let Some(asked) = self.open.take() else { return Ok(()) };
        self.watch.begin(Stage::Argument);
        b.enter("segment");
        argument::answer(b, asked, self.tables, self.rom)?;
        b.end_argument();
        b.leave();
        Ok(())
    }
}

/// What a segment consists of, and its end.
struct Columns<W> {
    parts: Vec<Part<W>>,
    end: Boundary<W>,
}

/// Commits to the columns of a segment and claims the relations of its rows.
fn columns<B: Challenge<F61>>(
    b: &mut B,
    (counts, place): (&Counts, Place),
    start: Boundary<B::Wire>,
    mut segment: Option<Segment>,
    log: &mut Log<B::Wire>,
    watch: Watch<'_>,
) -> Result<Columns<B::Wire>, B::Error> {
    let mut parts = Vec::with_capacity(KINDS + 4);
    for kind in Kind::ALL {
        let count = counts.rows[kind as usize] as usize;
        if count > 0 {
            let values = segment.as_mut().map(|segment| core::mem::take(&mut segment.tables[kind as usize]));
            parts.push(rows(b, kind, count, values.unwrap_or_default(), watch)?);
        }
    }
    watch.begin(Stage::Columns);
    let segment = segment.as_ref();
    let words = words(b, place.number, counts.words as usize, segment)?;
    log.note(&words, place.number);
    parts.push(words);
    if place.number == 1 {
        parts.push(length(b, &start)?);
    }
    let ends = ends(b, start.place.clone(), segment, place.exits)?;
    let registers = registers(b, start, segment)?;
    let end = Boundary {
        registers: registers.wires.iter().skip(2).step_by(4).cloned().collect(),
        place: [ends.wires[1].clone()],
    };
    parts.extend([ends, registers]);
    Ok(Columns { parts, end })
}

/// A tuple of the log that both parties know.
pub(super) fn known(address: i64, value: u32) -> [F61; WIDTH] {
    let mut tuple = [F61::ZERO; WIDTH];
    let components = [Space::Log as i64, address, value.into()];
    tuple.iter_mut().zip(components).for_each(|(to, n)| *to = integer(n));
    tuple
}

#[cfg(test)]
mod tests {
    use volery_circuit::Evaluator;

    use super::super::regions::Regions;
    use super::super::subject::Subject;
    use super::*;
    use crate::program::{Kind as SegmentKind, Program, Segment as ProgramSegment};

    /// A count of bytes is the smaller one of two, and could be negative.
    #[test]
    fn a_secret_input_of_2_to_the_32_bytes_or_of_less_than_none_is_refused() {
        let bytes = vec![0x13, 0, 0, 0];
        let text = ProgramSegment { address: 0x1_0000, size: 4, bytes, kind: SegmentKind::Text };
        let program = Program::new(0x1_0000, vec![text]).expect("a program");
        let subject = Subject::Public(program);
        let regions = Regions::of_subject(&subject);
        let tables = Tables { subject: &subject, regions, input: &[], journal: &[] };
        for (secret, is_right) in
            [(0, true), (5, true), (u32::MAX.into(), true), (1 << 32, false), (-1, false), (-1 << 16, false)]
        {
            let mut registers = vec![F61::ZERO; REGISTERS];
            registers[SECRET_LEFT as usize] = integer(secret);
            let start = Boundary { registers, place: [F61::ZERO] };
            let mut b = Evaluator::<F61>::new();
            let part = length(&mut b, &start).expect("a length");
            let result = argument::claim(&mut b, vec![part], Known::default(), &tables, None);
            assert_eq!(result.is_ok(), is_right, "{secret}: {result:?}");
        }
    }
}
