//! The values of a run: vectors of wires, or of wires and constants, and what is done with them whatever they
//! are.

use volery::circuit::{Error, Fold, Folded, Ops, Prove};
use volery::field::Ring;

use crate::program::{Instruction, Op};

/// A value during a run.
#[derive(Clone)]
pub(crate) enum Value<R, W> {
    /// Not computed yet, or no longer needed.
    None,
    Wires(Vec<W>),
    /// At least one is a constant.
    Folded(Vec<Folded<R, W>>),
}

impl<R: Ring, W: Clone> Value<R, W> {
    pub(crate) fn constants(values: &[R]) -> Self {
        Self::Folded(values.iter().copied().map(Folded::Constant).collect())
    }

    pub(crate) fn of(folded: Vec<Folded<R, W>>) -> Self {
        match folded.iter().all(|wire| wire.wire().is_some()) {
            true => Self::Wires(folded.iter().filter_map(Folded::wire).cloned().collect()),
            false => Self::Folded(folded),
        }
    }

    pub(crate) fn folded(&self) -> Vec<Folded<R, W>> {
        match self {
            Self::None => Vec::new(),
            Self::Wires(wires) => wires.iter().cloned().map(Folded::Wire).collect(),
            Self::Folded(folded) => folded.clone(),
        }
    }

    /// Every `stride`-th wire.
    fn pick(&self, [start, count, stride]: [i64; 3]) -> Self {
        fn picked<T: Clone>(wires: &[T], start: i64, count: i64, stride: i64) -> Vec<T> {
            let place = |i: i64| usize::try_from(start + i * stride).ok();
            (0..count).filter_map(|i| wires.get(place(i)?)).cloned().collect()
        }
        match self {
            Self::None => Self::None,
            Self::Wires(wires) => Self::Wires(picked(wires, start, count, stride)),
            Self::Folded(folded) => Self::of(picked(folded, start, count, stride)),
        }
    }

    fn join(parts: &[&Self]) -> Self {
        let mut all = Vec::new();
        for part in parts {
            match part {
                Self::Wires(wires) => all.extend_from_slice(wires),
                _ => return Self::of(parts.iter().flat_map(|part| part.folded()).collect()),
            }
        }
        Self::Wires(all)
    }
}

/// The values of one kind, by number of instruction.
pub(crate) struct Bank<R, W>(Vec<Value<R, W>>);

impl<R: Ring, W: Clone> Bank<R, W> {
    pub(crate) fn new(count: usize) -> Self {
        Self(vec![Value::None; count])
    }

    pub(crate) fn get(&self, number: u32) -> Result<&Value<R, W>, Error> {
        match self.0.get(number as usize) {
            None | Some(Value::None) => Err(Error::misuse(format!("value {number} is not there"))),
            Some(value) => Ok(value),
        }
    }

    fn operands(&self, numbers: &[u32]) -> Result<Vec<&Value<R, W>>, Error> {
        numbers.iter().map(|&number| self.get(number)).collect()
    }

    pub(crate) fn put(&mut self, number: u32, value: Value<R, W>) {
        if let Some(slot) = self.0.get_mut(number as usize) {
            *slot = value;
        }
    }

    pub(crate) fn free(&mut self, number: u32) {
        self.put(number, Value::None);
    }

    /// Calls `gadget` on the wires of the operands: on the backend itself, or in front of [`Fold`] if there
    /// is a constant among them.
    pub(crate) fn apply<B, G>(
        &mut self,
        b: &mut B,
        own: u32,
        operands: &[u32],
        gadget: G,
    ) -> Result<(), B::Error>
    where
        B: Ops<R, Wire = W>,
        G: Gadget<R, B>,
    {
        let values = self.operands(operands)?;
        // What folds its own constants anyway is compiled once, in front of `Fold`.
        let wires: Option<Vec<&[W]>> = match gadget.folds() {
            true => None,
            false => values.iter().map(|value| wires_of(value)).collect(),
        };
        let value = match wires {
            Some(wires) => Value::Wires(gadget.plain(b, &wires)?),
            None => {
                let folded: Vec<_> = values.iter().map(|value| value.folded()).collect();
                let folded: Vec<_> = folded.iter().map(Vec::as_slice).collect();
                Value::of(gadget.folded(&mut Fold::new(b), &folded)?)
            }
        };
        self.put(own, value);
        Ok(())
    }

    /// The steps that are the same for all kinds.
    pub(crate) fn common<B>(&mut self, b: &mut B, instruction: &Instruction, own: u32) -> Result<(), B::Error>
    where
        B: Prove<R, Wire = W>,
    {
        let Instruction { op, numbers, operands, .. } = instruction;
        match op {
            Op::Pick | Op::Join => {
                let values = self.operands(operands)?;
                let value = match (op, values.as_slice()) {
                    (Op::Pick, [value]) => value.pick(*numbers),
                    (_, values) => Value::join(values),
                };
                self.put(own, value);
            }
            Op::Zero => match self.operands(operands)?.as_slice() {
                [Value::Wires(wires)] => b.assert_zero(wires)?,
                values => {
                    let folded: Vec<_> = values.iter().flat_map(|value| value.folded()).collect();
                    Fold::new(b).assert_zero(&folded)?;
                }
            },
            Op::Equals => {
                if let [value, claimed] = self.operands(operands)?.as_slice() {
                    let claimed: Vec<R> = claimed.folded().iter().filter_map(constant_of).collect();
                    equals(b, value, &claimed)?;
                }
            }
            _ => return Err(other_kind().into()),
        }
        Ok(())
    }
}

/// Claims that `value` is what `claimed` says.
pub(crate) fn equals<R: Ring, B: Prove<R>>(
    b: &mut B,
    value: &Value<R, B::Wire>,
    claimed: &[R],
) -> Result<(), B::Error> {
    match value {
        Value::Wires(wires) => b.assert_equal(wires, claimed),
        other => Fold::new(b).assert_equal(&other.folded(), claimed),
    }
}

fn wires_of<R, W>(value: &Value<R, W>) -> Option<&[W]> {
    match value {
        Value::Wires(wires) => Some(wires),
        _ => None,
    }
}

/// A computation that runs on a backend and in front of [`Fold`].
pub(crate) trait Gadget<R: Ring, B: Ops<R>> {
    /// Whether it only runs in front of [`Fold`].
    fn folds(&self) -> bool {
        false
    }

    fn plain(&self, b: &mut B, operands: &[&[B::Wire]]) -> Result<Vec<B::Wire>, B::Error>;

    fn folded(
        &self,
        b: &mut Fold<'_, B>,
        operands: &[&[Folded<R, B::Wire>]],
    ) -> Result<Vec<Folded<R, B::Wire>>, B::Error>;
}

pub(crate) fn constant_of<R: Copy, W>(wire: &Folded<R, W>) -> Option<R> {
    match wire {
        Folded::Constant(c) => Some(*c),
        Folded::Wire(_) => None,
    }
}

/// A program of one kind has no values of the other.
pub(crate) fn other_kind() -> Error {
    Error::misuse("a value of another kind than the statement's")
}
