//! Runs a traced function on any backend: evaluator, counter, prover, verifier.
//!
//! A value is a vector of wires, or, if some are public constants, a vector of folded ones
//! ([`crate::values`]). An operation on the latter runs in front of [`Fold`], which computes in the clear
//! what constants determine. Which wires are constants depends on the program alone, so both parties make the
//! same calls.

use core::ops::Range;

use volery::circuit::convert::{BitOf, Convert, ElementOf};
use volery::circuit::{Backend, Error, Fold, Folded, Polynomials, Prove};
use volery::field::{F2, F61, Ring};
use zeroize::Zeroizing;

use crate::gadgets::OnElements;
use crate::program::{Constant, Instruction, KEPT, Kind, Op, Program, Room, Shape};
use crate::values::{Bank, Value, constant_of, equals, other_kind};

/// Secret wires come in pieces of this many, so that no backend holds all hints at once.
const PIECE: usize = 1 << 16;

/// The values of secret arguments, in order.
pub(crate) struct Secrets(pub(crate) Vec<SecretValue>);

/// Bits have a byte each.
pub(crate) enum SecretValue {
    Bits(Zeroizing<Vec<u8>>),
    Field(Zeroizing<Vec<F61>>),
}

/// The values of a run.
pub(crate) struct Banks<V, W> {
    bits: Bank<F2, V>,
    elements: Bank<F61, W>,
}

impl<V: Clone, W: Clone> Banks<V, W> {
    pub(crate) fn new(count: usize) -> Self {
        Self { bits: Bank::new(count), elements: Bank::new(count) }
    }

    pub(crate) fn put_constant(&mut self, number: u32, constant: &Constant) {
        match constant {
            Constant::Bits(bits) => self.bits.put(number, Value::constants(bits)),
            Constant::Field(elements) => self.elements.put(number, Value::constants(elements)),
        }
    }
}

impl Banks<F2, F61> {
    /// A result, in an evaluation.
    pub(crate) fn take_constant(&self, number: u32, kind: Kind) -> Option<Constant> {
        fn values<R: Ring>(value: &Value<R, R>) -> Vec<R> {
            let value = value.folded();
            value
                .iter()
                .map(|wire| match wire {
                    Folded::Constant(c) | Folded::Wire(c) => *c,
                })
                .collect()
        }
        Some(match kind {
            Kind::Bits => Constant::Bits(values(self.bits.get(number).ok()?)),
            Kind::Field => Constant::Field(values(self.elements.get(number).ok()?)),
        })
    }
}

/// One instruction over bits and elements, but for secrets and constants.
pub(crate) fn step<B: Convert<F61>>(
    b: &mut B,
    banks: &mut Banks<BitOf<B>, ElementOf<B, F61>>,
    instruction: &Instruction,
    own: u32,
) -> Result<(), B::Error> {
    let Instruction { op, numbers, operands, .. } = instruction;
    match op.room() {
        Room::Bits => banks.bits.apply(b, own, operands, *op),
        Room::Field => banks.elements.apply(b, own, operands, OnElements(*op, *numbers)),
        Room::Any => {
            // A value is in one of the banks.
            let first = operands.first().copied().unwrap_or(own);
            match banks.bits.get(first).is_ok() {
                true => banks.bits.common(b, instruction, own),
                false => banks.elements.common(b, instruction, own),
            }
        }
        Room::Link => link(b, banks, instruction, own),
    }
}

/// From bits to elements, or back.
fn link<B: Convert<F61>>(
    b: &mut B,
    banks: &mut Banks<BitOf<B>, ElementOf<B, F61>>,
    instruction: &Instruction,
    own: u32,
) -> Result<(), B::Error> {
    let Instruction { op, numbers, operands, .. } = instruction;
    let width = usize::try_from(numbers[0]).unwrap_or(0).max(1);
    let operand = operands.first().copied().unwrap_or(own);
    if *op == Op::Elements {
        let bits = banks.bits.get(operand)?.folded();
        let mut elements = Vec::with_capacity(bits.len() / width);
        for bits in bits.chunks(width) {
            let known: Option<Vec<F2>> = bits.iter().map(constant_of).collect();
            elements.push(match known {
                Some(bits) => Folded::Constant(element(&bits)),
                None => {
                    let bits: Vec<_> = bits.iter().map(|bit| Fold::new(b).lower(bit)).collect();
                    Folded::Wire(b.to_element(&bits)?)
                }
            });
        }
        banks.elements.put(own, Value::of(elements));
    } else {
        let elements = banks.elements.get(operand)?.folded();
        let elements: Vec<_> = elements.iter().map(|element| Fold::new(b).lower(element)).collect();
        banks.bits.put(own, Value::Wires(b.to_bits(&elements, width)?));
    }
    Ok(())
}

/// The element with these bits.
fn element(bits: &[F2]) -> F61 {
    let number = bits.iter().rev().fold(0_u64, |number, bit| number << 1 | u64::from(bit.to_bool()));
    F61::new(number)
}

/// What a kind of statement does with an instruction.
pub(crate) trait Runner<B: Backend> {
    fn secret(
        &mut self,
        b: &mut B,
        own: u32,
        shape: Shape,
        value: Option<&SecretValue>,
    ) -> Result<(), B::Error>;

    fn constant(&mut self, own: u32, constant: &Constant);

    fn step(&mut self, b: &mut B, instruction: &Instruction, own: u32) -> Result<(), B::Error>;

    /// Claims that a value is the claimed one.
    fn claim(&mut self, b: &mut B, value: u32, claimed: &Constant) -> Result<(), B::Error>;

    fn free(&mut self, number: u32);
}

/// Runs `program`, and claims that it returns `claimed`.
pub(crate) fn run<B: Backend>(
    program: &Program,
    secrets: Option<&Secrets>,
    claimed: &[Constant],
    mut runner: impl Runner<B>,
    b: &mut B,
) -> Result<(), B::Error> {
    for (own, instruction) in (0_u32..).zip(&program.instructions) {
        let number = usize::try_from(instruction.numbers[0]).unwrap_or(usize::MAX);
        match instruction.op {
            Op::Nothing => {}
            Op::Enter => b.enter(program.parts.get(number).map_or("", String::as_str)),
            Op::Leave => b.leave(),
            Op::Constant => {
                if let Some(constant) = program.constants.get(number) {
                    runner.constant(own, constant);
                }
            }
            Op::Secret => {
                let value = secrets.and_then(|secrets| secrets.0.get(number));
                runner.secret(b, own, instruction.shape, value)?;
            }
            _ => runner.step(b, instruction, own)?,
        }
        // What this was the last to read, and its own result if nobody reads that.
        for &operand in instruction.operands.iter().chain(core::iter::once(&own)) {
            let last = program.last.get(operand as usize).copied().unwrap_or(KEPT);
            if last == own || operand == own && last == 0 {
                runner.free(operand);
            }
        }
    }
    for (number, (&output, claimed)) in program.outputs.iter().zip(claimed).enumerate() {
        b.enter(&format!("output {number}"));
        runner.claim(b, output, claimed)?;
        b.leave();
    }
    Ok(())
}

/// Bits or elements, as a backend runs them.
pub(crate) trait OneKind<B: Prove<Self>>: Ring {
    /// The secret values in this range; none if there are too few, or those of the other kind.
    fn secrets(values: &SecretValue, range: Range<usize>) -> Option<Vec<Self>>;

    /// The values of a constant, if it is of this kind.
    fn constants(constant: &Constant) -> Option<&[Self]>;

    /// One instruction of a program about this kind alone, but for secrets and constants.
    fn step(
        bank: &mut Bank<Self, B::Wire>,
        b: &mut B,
        instruction: &Instruction,
        own: u32,
    ) -> Result<(), B::Error>;
}

impl<B: Prove<Self>> OneKind<B> for F2 {
    fn secrets(values: &SecretValue, range: Range<usize>) -> Option<Vec<Self>> {
        let SecretValue::Bits(bits) = values else { return None };
        Some(bits.get(range)?.iter().map(|byte| Self::from_lsb(u64::from(*byte))).collect())
    }

    fn constants(constant: &Constant) -> Option<&[Self]> {
        match constant {
            Constant::Bits(bits) => Some(bits),
            Constant::Field(_) => None,
        }
    }

    fn step(
        bank: &mut Bank<Self, B::Wire>,
        b: &mut B,
        instruction: &Instruction,
        own: u32,
    ) -> Result<(), B::Error> {
        match instruction.op.room() {
            Room::Any => bank.common(b, instruction, own),
            Room::Bits => bank.apply(b, own, &instruction.operands, instruction.op),
            _ => Err(other_kind().into()),
        }
    }
}

impl<B: Polynomials<Self>> OneKind<B> for F61 {
    fn secrets(values: &SecretValue, range: Range<usize>) -> Option<Vec<Self>> {
        let SecretValue::Field(elements) = values else { return None };
        Some(elements.get(range)?.to_vec())
    }

    fn constants(constant: &Constant) -> Option<&[Self]> {
        match constant {
            Constant::Field(elements) => Some(elements),
            Constant::Bits(_) => None,
        }
    }

    fn step(
        bank: &mut Bank<Self, B::Wire>,
        b: &mut B,
        instruction: &Instruction,
        own: u32,
    ) -> Result<(), B::Error> {
        let Instruction { op, numbers, operands, .. } = instruction;
        match op.room() {
            Room::Any => bank.common(b, instruction, own),
            Room::Field => bank.apply(b, own, operands, OnElements(*op, *numbers)),
            _ => Err(other_kind().into()),
        }
    }
}

/// Brings in a secret argument of this length.
fn bring_in<R: OneKind<B>, B: Prove<R>>(
    b: &mut B,
    length: usize,
    value: Option<&SecretValue>,
) -> Result<Value<R, B::Wire>, B::Error> {
    let mut wires = Vec::with_capacity(length);
    for start in (0..length).step_by(PIECE) {
        let end = length.min(start + PIECE);
        wires.extend(b.secret(end - start, &mut |_| {
            let value = value.ok_or_else(|| Error::Witness("none was given".into()))?;
            R::secrets(value, start..end).ok_or_else(|| Error::Witness("it has too few values".into()))
        })?);
    }
    Ok(Value::Wires(wires))
}

/// Runs on bits alone, or on elements alone.
pub(crate) struct Alone<R, W>(Bank<R, W>);

impl<R: Ring, W: Clone> Alone<R, W> {
    pub(crate) fn new(program: &Program) -> Self {
        Self(Bank::new(program.instructions.len()))
    }
}

impl<R: OneKind<B>, B: Prove<R>> Runner<B> for Alone<R, B::Wire> {
    fn secret(
        &mut self,
        b: &mut B,
        own: u32,
        shape: Shape,
        value: Option<&SecretValue>,
    ) -> Result<(), B::Error> {
        self.0.put(own, bring_in(b, shape.length, value)?);
        Ok(())
    }

    fn constant(&mut self, own: u32, constant: &Constant) {
        if let Some(values) = R::constants(constant) {
            self.0.put(own, Value::constants(values));
        }
    }

    fn step(&mut self, b: &mut B, instruction: &Instruction, own: u32) -> Result<(), B::Error> {
        R::step(&mut self.0, b, instruction, own)
    }

    fn claim(&mut self, b: &mut B, value: u32, claimed: &Constant) -> Result<(), B::Error> {
        let values = R::constants(claimed).ok_or_else(other_kind)?;
        equals(b, self.0.get(value)?, values)
    }

    fn free(&mut self, number: u32) {
        self.0.free(number);
    }
}

impl<B: Convert<F61>> Runner<B> for Banks<BitOf<B>, ElementOf<B, F61>> {
    fn secret(
        &mut self,
        b: &mut B,
        own: u32,
        shape: Shape,
        value: Option<&SecretValue>,
    ) -> Result<(), B::Error> {
        match shape.kind {
            Kind::Bits => self.bits.put(own, bring_in(b, shape.length, value)?),
            Kind::Field => self.elements.put(own, bring_in(b, shape.length, value)?),
        }
        Ok(())
    }

    fn constant(&mut self, own: u32, constant: &Constant) {
        self.put_constant(own, constant);
    }

    fn step(&mut self, b: &mut B, instruction: &Instruction, own: u32) -> Result<(), B::Error> {
        step(b, self, instruction, own)
    }

    fn claim(&mut self, b: &mut B, value: u32, claimed: &Constant) -> Result<(), B::Error> {
        match claimed {
            Constant::Bits(bits) => equals(b, self.bits.get(value)?, bits),
            Constant::Field(elements) => equals(b, self.elements.get(value)?, elements),
        }
    }

    fn free(&mut self, number: u32) {
        self.bits.free(number);
        self.elements.free(number);
    }
}
