//! Environment calls, except the one that ends the run, and the bytes that they move.
//!
//! A call that moves bytes goes on in rows of its own, one for each byte. Between them the state has four
//! more components: the kind of movement ([`MODES`]), the address of the next byte, how many are left, and
//! for public bytes their place. Ordinary instructions consume states where these are zero, so nothing else
//! can happen until the last byte was moved.
//!
//! What was not read of the inputs, and the length of the journal, are in cells of their own among the
//! registers ([`SECRET_LEFT`] and the next two).
//!
//! **One of six flags** says what a call is: `S`, `P` reads of the secret and the public input, `J`, `D`
//! writes to the journal and for debugging, `E` a read or write of another file, `U` (what is left to 1)
//! another call. Each is tied to the number and the file; that these are *not* among the known ones is shown
//! by an inverse.
//!
//! **The count** `COUNT` is the smaller one of `LENGTH` and `MOST` (what is left of the input; for the
//! journal the length; 64 KiB for debugging; else 0): both differences are below 2^32, and one of them is
//! zero. `AT_ONCE` is 1 if there is no byte to move. It cannot be 0 then: the movement would have no last
//! byte.
//!
//! A call takes two units of time, since it accesses more cells than an instruction.

use super::load::Part;
use super::*;

/// Cells beside the registers: bytes of the secret input that were not read.
pub(in super::super) const SECRET_LEFT: i64 = 33;
/// Bytes of the public input that were not read.
pub(in super::super) const PUBLIC_LEFT: i64 = 34;
/// Bytes of the journal.
pub(in super::super) const WRITTEN: i64 = 35;

/// The kinds of movement: the number in the state.
const MODES: [i64; 3] = [1, 2, 3];

/// The most bytes of a write for debugging.
const MOST_DEBUG: i64 = 1 << 16;
/// What `a0` takes after calls that are not served: -9 and -38.
const NO_SUCH_FILE: i64 = (1 << 32) - 9;
const NO_SUCH_CALL: i64 = (1 << 32) - 38;

/// What a call finds in registers.
#[derive(Clone, Copy, Default)]
pub(in super::super) struct Called {
    pub(in super::super) number: u32,
    pub(in super::super) arguments: [u32; 3],
}

/// A byte that moves.
#[derive(Clone, Copy, Default)]
pub(in super::super) struct Moved {
    pub(in super::super) cursor: u32,
    pub(in super::super) left: u32,
    pub(in super::super) position: u32,
}

/// A call.
pub(in super::super) struct Call;

columns!(N NT NL FILE FT FL BUFFER BT BL LENGTH LT LL
    POSITION PT PL MOVED OLD OT OL
    S P J D E INVERSE COUNT LOW_LENGTH MOST LOW_MOST AT_ONCE
    STEP MODE CURSOR LEFT PLACE);

impl Shape {
    /// An access to a register whose number the row knows.
    fn cell(&mut self, number: Form, values: [Form; 2], slot: i64, [time, low]: [usize; 2]) {
        self.access((Space::Register, number), values, now(slot), Found { time, low });
    }
}

/// `U`.
fn unknown() -> Form {
    [S, P, J, D, E].into_iter().fold(number(1), |rest, flag| rest - column(flag))
}

impl Table for Call {
    const COLUMNS: usize = COLUMNS;

    fn shape() -> Shape {
        let mut shape = Shape::new(COLUMNS);
        shape.decode(Kind::Call, &[]);
        shape.consume(Space::State, [column(PC), column(T)]);
        let moving = [MODE, CURSOR, LEFT, PLACE].map(column);
        let next = [column(PC) + column(STEP) * 4, column(T) + column(F) * 2];
        shape.produce(Space::State, next.into_iter().chain(moving));
        // In filler rows `x0` and the sink.
        let register = |n: i64| column(F) * n;
        let both = |value: usize| [column(value), column(value)];
        shape.cell(register(17), both(N), 1, [NT, NL]);
        shape.cell(register(10), both(FILE), 2, [FT, FL]);
        shape.cell(register(11), both(BUFFER), 3, [BT, BL]);
        shape.cell(register(12), both(LENGTH), 4, [LT, LL]);
        let beside = [(S, SECRET_LEFT), (P, PUBLIC_LEFT), (J, WRITTEN)];
        let cell = beside.into_iter().fold(number(SINK), |sum, (flag, n)| sum + column(flag) * (n - SINK));
        shape.cell(cell, [column(POSITION), column(MOVED)], 5, [PT, PL]);
        let result = column(COUNT) + column(E) * NO_SUCH_FILE + unknown() * NO_SUCH_CALL;
        shape.cell(number(SINK) - column(F) * (SINK - 10), [column(OLD), result], 6, [OT, OL]);
        shape.word(column(LENGTH) - column(COUNT), LOW_LENGTH);
        shape.word(column(MOST) - column(COUNT), LOW_MOST);
        shape
    }

    fn claim<B: Relate<F61>>(b: &mut B, row: &[B::Wire]) -> Result<(), B::Error> {
        bits(b, row, [S, P, J, D, E, AT_ONCE])?;
        let [s, p, j, d, e] = at::<6, 5, B>(b, row, [S, P, J, D, E]);
        let one = int::<6, B>(1);
        let u = one - s - p - j - d - e;
        b.claim(u * u - u)?;
        let [n, file, inverse] = at::<6, 3, B>(b, row, [N, FILE, INVERSE]);
        let (from_read, from_write) = (n - int::<6, B>(63), n - int::<6, B>(64));
        b.claim((s + p) * from_read)?;
        b.claim((j + d) * from_write)?;
        for (flag, known) in [(s, 0), (j, 1), (d, 2), (p, 3)] {
            b.claim(flag * (file - int::<6, B>(known)))?;
        }
        // Zero for files 0 and 3 of reads, where the last term is 0, and for 1 and 2 of writes.
        let known = file * (file - int::<6, B>(3)) + from_read + from_read;
        b.claim(e * from_read * from_write)?;
        b.claim(e * (known * inverse - one))?;
        b.claim(u * (from_read * from_write * (n - int::<6, B>(93)) * inverse - one))?;
        b.claim((s + p + j + d) * inverse)?;
        Self::count(b, row)?;
        Self::next(b, row)
    }

    fn fill(work: &mut Work<'_>, row: &mut Row<'_>) {
        work.head(row, &[]);
        let Called { number, arguments: [file, buffer, length] } = work.called;
        let f = i64::from(work.f);
        let [s, p, j, d] = [(63, 0), (63, 3), (64, 1), (64, 2)].map(|known| known == (number, file));
        let e = !(s || p || j || d) && (number == 63 || number == 64);
        let cells = [(17, N, [NT, NL]), (10, FILE, [FT, FL]), (11, BUFFER, [BT, BL]), (12, LENGTH, [LT, LL])];
        for ((register, value, found), slot) in cells.into_iter().zip(1..) {
            work.cell(row, register * f, (value, None), slot, found);
        }
        let cell = if s {
            SECRET_LEFT
        } else if p {
            PUBLIC_LEFT
        } else if j {
            WRITTEN
        } else {
            SINK
        };
        let position = work.cells.value(cell);
        let most = if s || p {
            position.into()
        } else if j {
            length.into()
        } else if d {
            MOST_DEBUG
        } else {
            0
        };
        let count = most.min(length.into());
        let moved = i64::from(position)
            + if j {
                count
            } else if s || p {
                -count
            } else {
                0
            };
        work.cell(row, cell, (POSITION, Some(moved as u32)), 5, [PT, PL]);
        row.put(MOVED, moved);
        let result = if e {
            NO_SUCH_FILE
        } else if s || p || j || d {
            count
        } else {
            NO_SUCH_CALL
        };
        work.cell(row, SINK - f * (SINK - 10), (OLD, Some(result as u32)), 6, [OT, OL]);
        for (flag, set) in [(S, s), (P, p), (J, j), (D, d), (E, e)] {
            row.put(flag, set);
        }
        let (n, file) = (integer(number.into()), integer(file.into()));
        let read = n - integer(63);
        let product = if e {
            file * (file - integer(3)) + read + read
        } else {
            read * (n - integer(64)) * (n - integer(93))
        };
        row.0[INVERSE] = if s || p || j || d { F61::ZERO } else { product.inverse_or_zero() };
        row.put(COUNT, count);
        row.put_low(LOW_LENGTH, i64::from(length) - count);
        row.put(MOST, most);
        row.put_low(LOW_MOST, most - count);
        let moves = (s || p || j) && count > 0;
        row.put(AT_ONCE, !moves);
        row.put(STEP, work.f && !moves);
        if moves {
            row.put(
                MODE,
                if s {
                    MODES[0]
                } else if p {
                    MODES[1]
                } else {
                    MODES[2]
                },
            );
            row.put(CURSOR, buffer);
            row.put(LEFT, count);
            row.put(PLACE, position);
        }
    }
}

impl Call {
    /// How many bytes move, and what that does to what is left.
    fn count<B: Relate<F61>>(b: &mut B, row: &[B::Wire]) -> Result<(), B::Error> {
        let [s, p, j, d, count] = at::<3, 5, B>(b, row, [S, P, J, D, COUNT]);
        let [length, most, position, moved] = at::<3, 4, B>(b, row, [LENGTH, MOST, POSITION, MOVED]);
        b.claim((s + p) * position + j * length + d.scale(B::embed(integer(MOST_DEBUG))) - most)?;
        b.claim((length - count) * (most - count))?;
        b.claim(position + (j - s - p) * count - moved)
    }

    /// The next state.
    fn next<B: Relate<F61>>(b: &mut B, row: &[B::Wire]) -> Result<(), B::Error> {
        let [s, p, j, at_once, count] = at::<4, 5, B>(b, row, [S, P, J, AT_ONCE, COUNT]);
        let on = int::<4, B>(1) - at_once;
        let moves = s + p + j;
        b.claim(at_once * moves * count)?;
        b.claim(on * (int::<4, B>(1) - moves))?;
        let [f, step, buffer, position] = at::<4, 4, B>(b, row, [F, STEP, BUFFER, POSITION]);
        let [mode, cursor, left, place] = at::<4, 4, B>(b, row, [MODE, CURSOR, LEFT, PLACE]);
        b.claim(f * at_once - step)?;
        let times = |flag: B::Expression<4>, mode: i64| flag.scale(B::embed(integer(mode)));
        b.claim((times(s, MODES[0]) + times(p, MODES[1]) + times(j, MODES[2])) * on - mode)?;
        b.claim(buffer * on - cursor)?;
        b.claim(count * on - left)?;
        b.claim(position * on - place)
    }
}

impl Work<'_> {
    fn cell(
        &mut self,
        row: &mut Row<'_>,
        number: i64,
        (value, new): (usize, Option<u32>),
        slot: i64,
        [time, low]: [usize; 2],
    ) {
        self.touch(row, number, Register::new(slot, [0, value, time, low]), new);
    }
}

/// The columns of a byte that moves. `AFTER` and `PLACED` are the next byte's address and place, zero after
/// the `LAST` byte. After that one the state says that no byte is left, as the next instruction's row has it:
/// so one was left before it.
mod byte {
    use super::*;
    columns!(CURSOR LEFT PLACE LAST AFTER PLACED V VT VL ODD UPPER LOW HALF B OTHER EXTRA W);
    const PART: Part = Part { word: V, odd: ODD, upper: UPPER, low: LOW, half: HALF, byte: B, other: OTHER };
    const FOUND: Found = Found { time: VT, low: VL };

    /// How the place changes, by mode.
    fn forward(mode: i64) -> i64 {
        match mode {
            2 => -1,
            3 => 1,
            _ => 0,
        }
    }

    /// Takes a byte, `EXTRA`, to memory. For the journal, where `EXTRA` is whether the word is read-only, the
    /// word stays.
    fn shape(mode: i64) -> Shape {
        let mut shape = Shape::new(COLUMNS);
        let state = [PC, T, CURSOR, LEFT, PLACE].map(column);
        let [pc, t, cursor, left, place] = state.clone();
        shape.consume(Space::State, [pc, t, number(mode), cursor, left, place]);
        let [pc, t, _, left, _] = state;
        let on = (number(1) - column(LAST)) * mode;
        let next =
            [pc + column(LAST) * 4, t + column(F), on, column(AFTER), left - column(F), column(PLACED)];
        shape.produce(Space::State, next);
        let address = column(CURSOR) - PART.place();
        shape.part(PART);
        shape.byte(column(B));
        if mode == MODES[2] {
            shape.memory(address + column(EXTRA) * READ_ONLY, [column(V), column(V)], FOUND);
        } else {
            shape.memory(address, [column(V), column(W)], FOUND);
            shape.byte(column(EXTRA));
        }
        shape
    }

    fn claim<B_: Relate<F61>>(b: &mut B_, row: &[B_::Wire], mode: i64) -> Result<(), B_::Error> {
        bits(b, row, [F, LAST])?;
        let [f, last, cursor, place] = at::<4, 4, B_>(b, row, [F, LAST, CURSOR, PLACE]);
        let one = int::<4, B_>(1);
        b.claim(last * (one - f))?;
        // Otherwise a filler row could reach the program's memory.
        b.claim(cursor * (one - f))?;
        let [after, placed] = at::<4, 2, B_>(b, row, [AFTER, PLACED]);
        b.claim((cursor + f) * (one - last) - after)?;
        b.claim((place + f.scale(B_::embed(integer(forward(mode))))) * (one - last) - placed)?;
        let [odd] = at::<3, 1, B_>(b, row, [ODD]);
        PART.claim(b, row, odd)?;
        if mode == MODES[2] {
            bits(b, row, [EXTRA])?;
            let [v, w] = at::<4, 2, B_>(b, row, [V, W]);
            return b.claim(v - w);
        }
        let [v, w, byte, new] = at::<4, 4, B_>(b, row, [V, W, B, EXTRA]);
        let [odd, upper] = at::<4, 2, B_>(b, row, [ODD, UPPER]);
        let odd = one + odd.scale(B_::embed(integer(255)));
        let upper = one + upper.scale(B_::embed(integer(65535)));
        b.claim(v + (new - byte) * odd * upper - w)
    }

    fn fill(work: &mut Work<'_>, row: &mut Row<'_>, mode: i64) {
        work.head(row, &[]);
        let Moved { cursor, left, position } = work.moved;
        let last = work.f && left == 1;
        // Filler rows have the place before the first byte.
        let place = match (work.f, mode) {
            (true, _) => position.into(),
            (false, 2) => work.cells.input + 1,
            (false, 3) => -1,
            (false, _) => 0,
        };
        row.put(CURSOR, cursor);
        row.put(LEFT, left);
        row.put(PLACE, place);
        row.put(LAST, last);
        row.put(AFTER, if last { 0 } else { i64::from(cursor) + i64::from(work.f) });
        row.put(PLACED, if last { 0 } else { place + i64::from(work.f) * forward(mode) });
        let access = work.memory(row, V, FOUND);
        let within = i64::from(cursor & 3);
        PART.put(row, access.old, within, within & 1 == 1);
        let byte = access.new.to_le_bytes()[within as usize];
        let read_only = work.read_only(&access);
        row.put(EXTRA, if mode == MODES[2] { i64::from(read_only) } else { i64::from(byte) });
        row.put(W, access.new);
    }

    macro_rules! moved {
        ($name:ident, $mode:expr, $shape:expr) => {
            impl Table for $name {
                const COLUMNS: usize = COLUMNS;

                fn shape() -> Shape {
                    let mut shape = shape($mode);
                    $shape(&mut shape);
                    shape
                }

                fn claim<B_: Relate<F61>>(b: &mut B_, row: &[B_::Wire]) -> Result<(), B_::Error> {
                    claim(b, row, $mode)
                }

                fn fill(work: &mut Work<'_>, row: &mut Row<'_>) {
                    fill(work, row, $mode);
                }
            }
        };
    }

    moved!(TakeSecret, MODES[0], |_: &mut Shape| ());
    // What is left tells the place, by the length of the input: see `Tables::row`.
    moved!(TakePublic, MODES[1], |shape: &mut Shape| {
        shape.look_up(Public::Input, [PLACE, EXTRA].map(column));
    });
    moved!(PutJournal, MODES[2], |shape: &mut Shape| {
        shape.look_up(Public::Journal, [PLACE, B].map(column));
    });

    #[cfg(test)]
    mod tests {
        use super::super::super::rows::{Alone, Check, Given, n, part};
        use super::*;

        /// The first of `left` bytes at the start of a word.
        fn row<T: Table>(left: u32, cursor: u32, [old, new]: [u32; 2]) -> Vec<F61> {
            let position = if T::shape().lookups.iter().any(|l| l.table == Public::Input) { 10 } else { 0 };
            let moved = Moved { cursor, left, position };
            let given = Given { moved, ..Given::new([0; 7], [0; 3]) };
            given.with_access(cursor, [old, new]).row::<T>()
        }

        /// What all movements have. `B` with another byte of the journal is at another place there.
        fn each<T: Table>(alone: &mut Alone<T>, [w, place]: [i64; 2]) {
            let zero = row::<T>(2, 0, [0, 0]);
            let by = |b: i64, new: i64| [(W, n(w * new)), (PLACE, n(place * b)), (PLACED, n(place * b))];
            let with = |changes: &[(usize, F61)], b: i64, new: i64| [changes, &by(b, new)].concat();
            alone.honest(&row::<T>(2, 8, [0, 0]));
            // The flags: at the address 0, so that no other relation minds.
            let forward = zero[PLACED] - zero[PLACE];
            alone.lie(&zero, &[(F, n(1)), (AFTER, n(1)), (PLACED, forward)]);
            let placed = -zero[PLACED] * n(2);
            alone.lie(&zero, &[(LAST, n(2)), (AFTER, n(-2)), (PLACED, placed)]);
            alone.lie(&zero, &[(F, n(-1)), (LAST, n(1)), (AFTER, n(-1)), (PLACED, -zero[PLACED])]);
            let eight = row::<T>(2, 8, [0, 0]);
            alone.lie(&eight, &[(F, n(-1)), (AFTER, n(-1)), (PLACED, -forward)]);
            // Where the byte is, and which.
            alone.lie(&zero, &[(ODD, n(2))]);
            alone.lie(&zero, &[(UPPER, n(2))]);
            alone.lie(&zero, &with(&[(HALF, n(1)), (B, n(1))], 1, -1));
            alone.lie(&zero, &with(&[(B, n(1))], 1, -1));
            alone.lie(
                &zero,
                &with(&[(LOW, n(-1 << 16)), (UPPER, n(1)), (HALF, n(1)), (B, n(1))], 1, -1 << 16),
            );
            alone.lie(&zero, &[(V, n(1 << 32)), (W, n(1 << 32))]);
        }

        #[test]
        fn each_check_of_a_secret_byte_is_needed() {
            let mut alone = Alone::<TakeSecret>::new();
            each(&mut alone, [1, 0]);
            alone.lie(&row::<TakeSecret>(2, 0, [1, 0]), &[(B, n(-1)), (OTHER, part(1, 8)), (W, n(1))]);
            let second = row::<TakeSecret>(2, 0, [0x100, 0x100]);
            alone.lie(&second, &[(B, n(256)), (OTHER, n(-1)), (W, n(-256))]);
            alone.lie(&second, &[(EXTRA, n(256)), (W, n(256))]);
            alone.done([11, 7], &[]);
        }

        /// The public input says that its byte is one.
        #[test]
        fn each_check_of_a_public_byte_is_needed() {
            let mut alone = Alone::<TakePublic>::new();
            each(&mut alone, [1, 0]);
            alone.lie(&row::<TakePublic>(2, 0, [1, 0]), &[(B, n(-1)), (OTHER, part(1, 8)), (W, n(1))]);
            let second = row::<TakePublic>(2, 0, [0x100, 0x100]);
            alone.lie(&second, &[(B, n(256)), (OTHER, n(-1)), (W, n(-256))]);
            alone.lie(&second, &[(EXTRA, n(1)), (W, n(1))]);
            alone.done([11, 8], &[Check::Lookup(6)]);
        }

        /// The journal says that its byte is one.
        #[test]
        fn each_check_of_a_byte_of_the_journal_is_needed() {
            let mut alone = Alone::<PutJournal>::new();
            each(&mut alone, [0, 1]);
            let given =
                Given { moved: Moved { cursor: 0, left: 2, position: 1 }, ..Given::new([0; 7], [0; 3]) };
            let first = given.with_access(0, [1, 1]).row::<PutJournal>();
            alone.lie(&first, &[(B, n(-1)), (OTHER, part(1, 8)), (PLACE, n(-1)), (PLACED, n(-1))]);
            alone.lie(&row::<PutJournal>(2, 0, [0, 0]), &[(PLACE, n(1)), (PLACED, n(1))]);
            alone.done([12, 7], &[Check::Lookup(3)]);
        }
    }
}

/// A byte of the secret input.
pub(in super::super) struct TakeSecret;
/// A byte of the public input.
pub(in super::super) struct TakePublic;
/// A byte of the journal.
pub(in super::super) struct PutJournal;

#[cfg(test)]
mod tests {
    use super::super::rows::{Alone, Check, Given, n};
    use super::*;

    fn row(number: u32, file: u32, length: u32) -> Vec<F61> {
        let called = Called { number, arguments: [file, 0x100, length] };
        Given { called, ..Given::new([0; 7], [0; 3]) }.row::<Call>()
    }

    /// **Six bits, and the bit of a sum**: without any one of these relations, or without all of the flags',
    /// the others leave the same choice. Flags that are not zero ask for different numbers or files, so one
    /// is not zero at most, and that one is the sum's 1. Where no byte is to move, another value of `AT_ONCE`
    /// begins a movement of no bytes, which has no end.
    #[test]
    fn each_check_of_a_call_is_needed() {
        let secret = row(63, 0, 4);
        let mut alone = Alone::<Call>::new();
        for row in [&secret, &row(63, 3, 4), &row(64, 1, 4), &row(64, 2, 4), &row(64, 7, 4), &row(1, 1, 4)] {
            alone.honest(row);
        }
        let inverse = |value: i64| n(value).inverse_or_zero();
        // Another number for what is said of a file.
        let file = row(64, 7, 4);
        alone.lie(&file, &[(N, n(6)), (INVERSE, inverse(42) - inverse(30))]);
        // What is left, and less than could move.
        alone.lie(&secret, &[(MOST, n(1)), (LOW_MOST, n(1))]);
        let less = [(COUNT, n(-1)), (LOW_LENGTH, n(1)), (LOW_MOST, n(1)), (MOVED, n(1)), (LEFT, n(-1))];
        alone.lie(&secret, &less);
        // More than there is room for, and more than there is: ten bytes.
        let more = [(COUNT, n(6)), (LOW_LENGTH, n(0xfffa)), (LOW_MOST, n(-6)), (MOVED, n(-6)), (LEFT, n(6))];
        alone.lie(&secret, &more);
        let long = row(63, 0, 20);
        let more =
            [(COUNT, n(10)), (LOW_LENGTH, n(-10)), (LOW_MOST, n(0xfff6)), (MOVED, n(-10)), (LEFT, n(10))];
        alone.lie(&long, &more);
        // No movement where there is one to make, and one where there is none.
        let ends = [(MODE, n(-1)), (CURSOR, n(-0x100)), (LEFT, n(-4)), (PLACE, n(-10))];
        alone.lie(&secret, &[&[(AT_ONCE, n(1)), (STEP, n(1))][..], &ends].concat());
        let unknown = row(1, 1, 4);
        assert!(unknown[POSITION] == F61::ZERO);
        alone.lie(&unknown, &[(AT_ONCE, n(-1)), (STEP, n(-1)), (CURSOR, n(0x100))]);
        let idle: Vec<_> = (0..7).map(Check::Relation).collect();
        alone.done([27, 16], &idle);
    }
}
