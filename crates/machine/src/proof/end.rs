//! How a run ends: claims about the registers after the last step.
//!
//! A trap changes nothing and is no step. Its place is public, and so is the instruction there, hence what it
//! needs to trap is a claim about one or two registers. The value of a trap is public, too: it tells the
//! first operand of an access, since the immediate is public. What can be decided without registers is
//! decided by both parties, and a claim that cannot be true is refused.

use volery_circuit::{Challenge, Error, Expression as _};
use volery_field::{F61, Field as _, Ring as _};

use super::form::integer;
use super::public::Tables;
use super::segment::Boundary;
use super::tables::{PUBLIC_LEFT, SECRET_LEFT, WRITTEN};
use crate::instruction::Operation as O;
use crate::program::{STACK_BYTES, STACK_END};
use crate::{Cause, End, Instruction, Program};

/// The number of the call that ends a run.
pub(super) const EXIT: u32 = 93;

/// Claims that the run ends so.
pub(super) fn claim<B: Challenge<F61>>(
    b: &mut B,
    tables: &Tables<'_>,
    last: &Boundary<B::Wire>,
    end: End,
) -> Result<(), B::Error> {
    b.enter("end");
    let register = |number: usize| last.registers[number].clone();
    let mut wires = vec![register(WRITTEN as usize)];
    let mut values = vec![tables.journal.len() as u64];
    match end {
        // The place is that of a call: the last segment looks it up.
        End::Exit(code) => {
            wires.extend([register(17), register(10)]);
            values.extend([u64::from(EXIT), u64::from(code)]);
        }
        End::Trap { pc, cause, value } => {
            let [place] = last.place.clone();
            wires.push(place);
            values.push(u64::from(pc));
            trap(b, tables.program, last, (pc, cause, value))?;
        }
    }
    let values: Vec<F61> = values.into_iter().map(F61::new).collect();
    b.assert_equal(&wires, &values)?;
    b.leave();
    Ok(())
}

/// The error for a trap that cannot be.
fn impossible(pc: u32, cause: Cause, value: u32) -> Error {
    Error::Public(format!("no trap at {pc:#x} is {cause} with the value {value:#x}"))
}

/// How many bytes an access loads or stores, and whether it stores.
fn access(operation: O) -> Option<(u32, bool)> {
    Some(match operation {
        O::Lb | O::Lbu => (1, false),
        O::Lh | O::Lhu => (2, false),
        O::Lw => (4, false),
        O::Sb => (1, true),
        O::Sh => (2, true),
        O::Sw => (4, true),
        _ => return None,
    })
}

/// Whether an address is in a segment or in the stack.
fn is_inside(program: &Program, address: u32) -> bool {
    let address = u64::from(address);
    let within = |start: u32, bytes: u64| (u64::from(start)..u64::from(start) + bytes).contains(&address);
    let segments = program.segments();
    within(STACK_END - STACK_BYTES, STACK_BYTES.into())
        || segments.iter().any(|segment| within(segment.start(), 4 * u64::from(segment.words())))
}

/// The word of text at a place that holds no instruction.
fn illegal_word(program: &Program, pc: u32) -> Option<u32> {
    let index = pc.wrapping_sub(program.text());
    let is_illegal = pc.is_multiple_of(4) && program.code().get(index as usize / 4)?.is_none();
    super::regions::file_words(program)
        .find(|(address, _)| is_illegal && *address == pc)
        .map(|(_, word)| word)
}

/// Claims what the trap needs of registers. The place is claimed by the caller.
fn trap<B: Challenge<F61>>(
    b: &mut B,
    program: &Program,
    last: &Boundary<B::Wire>,
    (pc, cause, value): (u32, Cause, u32),
) -> Result<(), B::Error> {
    let refuse = || Err(B::Error::from(impossible(pc, cause, value)));
    let index = pc.wrapping_sub(program.text()) as usize / 4;
    let instruction = program.instruction(pc);
    match (cause, instruction) {
        (Cause::FetchOutside, _) => {
            let is_outside = pc.is_multiple_of(4) && index >= program.code().len();
            if is_outside && value == 0 { Ok(()) } else { refuse() }
        }
        (Cause::IllegalInstruction, _) => {
            if illegal_word(program, pc) == Some(value) {
                Ok(())
            } else {
                refuse()
            }
        }
        (Cause::Breakpoint, Some(i)) if i.operation() == O::Ebreak && value == 0 => Ok(()),
        (Cause::MisalignedJump, Some(i)) if !value.is_multiple_of(4) => jump(b, last, i, (pc, value)),
        (Cause::LoadOutside | Cause::StoreOutside | Cause::StoreReadOnly, Some(i))
            if i.operation() == O::Ecall =>
        {
            buffer(b, program, last, (pc, cause, value))
        }
        (_, Some(i)) => {
            let Some((bytes, stores)) = access(i.operation()) else { return refuse() };
            let is_aligned = value.is_multiple_of(bytes);
            let read_only = super::regions::Regions::of(program).is_read_only(value & !3);
            let is_right = match cause {
                Cause::MisalignedLoad => !stores && !is_aligned,
                Cause::MisalignedStore => stores && !is_aligned,
                Cause::LoadOutside => !stores && is_aligned && !is_inside(program, value),
                Cause::StoreOutside => stores && is_aligned && !is_inside(program, value),
                Cause::StoreReadOnly => stores && is_aligned && read_only,
                _ => false,
            };
            if !is_right {
                return refuse();
            }
            // The address, less the immediate.
            let operand = value.wrapping_sub(i.immediate() as u32);
            let register = last.registers[usize::from(i.rs1())].clone();
            b.assert_equal(&[register], &[F61::new(operand.into())])
        }
        _ => refuse(),
    }
}

/// Bytes that a call moves, at most.
const MOST: u32 = 0x7fff_f000;

/// Whether a call can read the byte at an address, or write it.
fn is_fine(program: &Program, address: u32, writes: bool) -> bool {
    is_inside(program, address)
        && !(writes && super::regions::Regions::of(program).is_read_only(address & !3))
}

/// Claims that a call moves bytes of a buffer of which `value` is the first address with this fault: the
/// buffer begins there or in the memory right before, and the byte is one of those that would move. Behind
/// the last address comes 0: the fault is there if the buffer begins above.
fn buffer<B: Challenge<F61>>(
    b: &mut B,
    program: &Program,
    last: &Boundary<B::Wire>,
    (pc, cause, value): (u32, Cause, u32),
) -> Result<(), B::Error> {
    let writes = cause != Cause::LoadOutside;
    let is_right = if cause == Cause::StoreReadOnly {
        is_inside(program, value) && !is_fine(program, value, true)
    } else {
        !is_inside(program, value)
    };
    let may_wrap = value == 0 && cause != Cause::StoreReadOnly;
    if !is_right && !may_wrap {
        return Err(impossible(pc, cause, value).into());
    }
    let register = |number: usize| last.registers[number].clone();
    let [number, file, start, length] = [17, 10, 11, 12].map(register);
    b.assert_equal(&[number], &[F61::new(if writes { 63 } else { 64 })])?;
    // How far the byte is from the start, and the start from the first address from which it can be reached.
    let from_start = b.scale(&start, -F61::ONE);
    let mut distance = b.add_constant(&from_start, F61::new(value.into()));
    let mut above = b.add_constant(&start, -F61::new(first_fine(program, value.into(), writes)));
    if may_wrap {
        let wraps = if is_right { wraps(b, &start)? } else { b.constant(F61::ONE) };
        let end = b.scale(&wraps, integer(BEHIND as i64));
        distance = b.add(&distance, &end);
        // Nothing that ends at 0 can be read, so that address is 0 there.
        let first = b.scale(&wraps, -F61::new(first_fine(program, BEHIND, writes)));
        above = b.add(&above, &first);
    }
    word(b, &distance)?;
    word(b, &above)?;
    let mut most = vec![length, b.constant(F61::new(MOST.into()))];
    if writes {
        most.push(left(b, last, &file)?);
    } else {
        b.assert_equal(&[file], &[F61::ONE])?;
    }
    for most in most {
        let rest = b.sub(&most, &distance);
        let rest = b.add_constant(&rest, -F61::ONE);
        word(b, &rest)?;
    }
    Ok(())
}

/// What follows the last address.
const BEHIND: u64 = 1 << 32;

/// Whether a buffer that ends at 0 begins above, a bit: where it is not, the distance decides.
fn wraps<B: Challenge<F61>>(b: &mut B, start: &B::Wire) -> Result<B::Wire, B::Error> {
    let [wraps] = b.secrets(|peek| {
        let wraps = F61::new((!peek.value(start).is_zero()).into());
        Ok(told(wraps, [wraps]))
    })?;
    bit(b, &wraps)?;
    Ok(wraps)
}

/// Claims that a wire is 0 or 1.
fn bit<B: Challenge<F61>>(b: &mut B, x: &B::Wire) -> Result<(), B::Error> {
    let bit = b.expression::<3>(x);
    b.claim(bit * bit - bit)
}

/// The first address of the memory that ends right before `end`; `end` if there is none.
fn first_fine(program: &Program, end: u64, writes: bool) -> u64 {
    let mut first = end;
    // Regions end and begin at words, so whole regions are passed at once.
    let before = |first: u64| u32::try_from(first.checked_sub(1)?).ok();
    while let Some(before) = before(first).filter(|before| is_fine(program, *before, writes)) {
        let stack = (STACK_END - STACK_BYTES, u64::from(STACK_END));
        let segments = program.segments().iter();
        let bounds = segments
            .map(|segment| (segment.start(), u64::from(segment.start()) + 4 * u64::from(segment.words())));
        let within =
            bounds.chain([stack]).find(|(start, end)| (u64::from(*start)..*end).contains(&u64::from(before)));
        first = within.map_or(before, |(start, _)| start).into();
    }
    first
}

/// What is left of the input that is file 0 or 3, which `file` is.
fn left<B: Challenge<F61>>(b: &mut B, last: &Boundary<B::Wire>, file: &B::Wire) -> Result<B::Wire, B::Error> {
    let [secret, public] = [SECRET_LEFT, PUBLIC_LEFT].map(|number| last.registers[number as usize].clone());
    let third = F61::new(3).inverse_or_zero();
    let [left] = b.secrets(|peek| {
        let (secret, public) = (peek.value(&secret), peek.value(&public));
        let left = secret + peek.value(file) * third * (public - secret);
        Ok(told(left, [left]))
    })?;
    let three = B::Expression::<3>::constant(B::embed(F61::new(3)));
    let file = b.expression::<3>(file);
    b.claim(file * (file - three))?;
    let [secret, public, chosen] = [&secret, &public, &left].map(|wire| b.expression::<3>(wire));
    b.claim(secret + file.scale(B::embed(third)) * (public - secret) - chosen)?;
    Ok(left)
}

/// Claims that this instruction leads to `value`.
fn jump<B: Challenge<F61>>(
    b: &mut B,
    last: &Boundary<B::Wire>,
    i: Instruction,
    (pc, value): (u32, u32),
) -> Result<(), B::Error> {
    let immediate = i.immediate() as u32;
    let direct = pc.wrapping_add(immediate) == value;
    let (x, y) = (usize::from(i.rs1()), usize::from(i.rs2()));
    let operation = i.operation();
    match operation {
        O::Jal if direct => Ok(()),
        // The lowest bit of the sum is dropped: two values of the operand lead there.
        O::Jalr if value & 1 == 0 => {
            let [first, second] = [0, 1].map(|odd| (value + odd).wrapping_sub(immediate));
            let x = b.expression::<3>(&last.registers[x]);
            let other = |n: u32| B::Expression::<3>::constant(B::embed(F61::new(n.into())));
            b.claim((x - other(first)) * (x - other(second)))
        }
        O::Beq if direct => {
            let difference = b.sub(&last.registers[x], &last.registers[y]);
            b.assert_zero(&[difference])
        }
        O::Bne if direct => {
            let difference = b.sub(&last.registers[x], &last.registers[y]);
            let [inverse] = b.secrets(|peek| Ok([peek.value(&difference).inverse_or_zero()]))?;
            let one = B::Expression::<3>::constant(B::embed(F61::ONE));
            let product = b.expression::<3>(&difference) * b.expression::<3>(&inverse);
            b.claim(product - one)
        }
        O::Blt | O::Bltu | O::Bge | O::Bgeu if direct => {
            let signed = matches!(operation, O::Blt | O::Bge);
            let [x, y] = [x, y].map(|register| last.registers[register].clone());
            let [x, y] = [image(b, &x, signed)?, image(b, &y, signed)?];
            // Less: y - x - 1 has 32 bits. Else x - y has.
            let distance = if matches!(operation, O::Blt | O::Bltu) {
                let distance = b.sub(&y, &x);
                b.add_constant(&distance, -F61::ONE)
            } else {
                b.sub(&x, &y)
            };
            word(b, &distance).map(drop)
        }
        _ => Err(impossible(pc, Cause::MisalignedJump, value).into()),
    }
}

/// Commits to the 32 bits of a wire, and claims that they are its bits. Returns the highest.
fn word<B: Challenge<F61>>(b: &mut B, x: &B::Wire) -> Result<B::Wire, B::Error> {
    let bits = b.secrets::<32>(|peek| {
        let value = peek.value(x);
        Ok(told(value, core::array::from_fn(|i| F61::new(value.to_u64() >> i & 1))))
    })?;
    let places: Vec<_> = (0..32).map(|i| B::embed(integer(1 << i))).collect();
    for one in &bits {
        bit(b, one)?;
    }
    let sum = b.linear::<2>(B::embed(F61::ZERO), &places, &bits);
    b.claim(sum - b.expression::<2>(x))?;
    let [.., highest] = bits;
    Ok(highest)
}

/// What is compared in place of a number: see [`compare`](super::tables).
fn image<B: Challenge<F61>>(b: &mut B, x: &B::Wire, signed: bool) -> Result<B::Wire, B::Error> {
    if !signed {
        return Ok(x.clone());
    }
    let sign = word(b, x)?;
    let down = b.scale(&sign, -integer(1 << 32));
    let image = b.add(x, &down);
    Ok(b.add_constant(&image, integer(1 << 31)))
}

/// What P says that these values are: the truth, except in tests.
#[cfg(not(test))]
#[inline(always)]
fn told<const N: usize>(_all: F61, values: [F61; N]) -> [F61; N] {
    values
}

#[cfg(test)]
use tests::told;

#[cfg(test)]
mod tests;
