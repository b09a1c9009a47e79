//! A small processor: each step carries out one of its instructions on the registers. Nobody learns which.

use volery_field::Value;

use crate::choose::{Branch, Branches, Picked, Repeat, Shape, Steps};
use crate::elements::encode;
use crate::seeded::Seeded;
use crate::{Digest, Error, Evaluator, Peek, Prove, Statement};

/// The number of registers.
const REGISTERS: usize = 8;

/// An instruction of a [`Processor`]: some multiplications of registers, each added to a register together
/// with a constant. The registers and constants follow from the instruction's number.
#[derive(Clone, Debug)]
pub struct Instruction<F> {
    number: u64,
    operations: Vec<Operation<F>>,
}

/// `registers[to] = registers[x] * registers[y] + registers[to] + constant`.
#[derive(Clone, Copy, Debug)]
struct Operation<F> {
    x: usize,
    y: usize,
    to: usize,
    constant: F,
}

impl<F: Value> Instruction<F> {
    /// Instruction `number`, with this many multiplications.
    #[must_use]
    fn new(number: u64, multiplications: usize) -> Self {
        let mut seeded = Seeded::new("instruction", &number.to_le_bytes());
        let operations = (0..multiplications)
            .map(|_| {
                let [x, y, to] = [(); 3].map(|()| seeded.below(REGISTERS as u64) as usize);
                Operation { x, y, to, constant: seeded.element() }
            })
            .collect();
        Self { number, operations }
    }

    /// Runs the instruction on the registers.
    fn run_on<B: Prove<F>>(&self, b: &mut B, registers: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
        if registers.len() != REGISTERS {
            return Err(
                Error::misuse(format!("{} registers in place of {REGISTERS}", registers.len())).into()
            );
        }
        let mut registers = registers.to_vec();
        for Operation { x, y, to, constant } in &self.operations {
            let product = b.mul(&registers[*x], &registers[*y])?;
            let sum = b.add(&registers[*to], &product);
            registers[*to] = b.add_constant(&sum, *constant);
        }
        Ok(registers)
    }
}

impl<F: Value, B: Prove<F>> Branch<F, B> for Instruction<F> {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("branch", b"instruction v1").number("number", self.number);
        digest.number("multiplications", self.operations.len() as u64);
    }

    fn run(&self, backend: &mut B, shared: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
        self.run_on(backend, shared)
    }
}

/// "I know a program of this many steps, each one of the instructions, that transforms the registers as
/// claimed."
///
/// Either the registers are carried from step to step, and their final values are public; or every step
/// begins with its own public registers and ends with public ones, as a batch of unrelated disjunctions. The
/// program is public, so this is for measurements.
#[derive(Debug)]
pub struct Processor<F> {
    branches: Branches<F, Instruction<F>>,
    steps: usize,
    carried: bool,
    /// The registers at the start of each step that does not continue the one before.
    starts: Vec<F>,
    /// The registers at the end of those steps.
    ends: Vec<F>,
}

impl<F: Value> Processor<F> {
    /// A program of `steps` steps for a processor with this many instructions of this many multiplications.
    ///
    /// # Errors
    /// [`Error::Public`] if there is no instruction, or too many.
    pub fn new(
        instructions: usize,
        multiplications: usize,
        steps: usize,
        carried: bool,
    ) -> Result<Self, Error> {
        let list: Vec<_> = (0..instructions as u64).map(|i| Instruction::new(i, multiplications)).collect();
        let shape = Shape { inputs: 0, multiplications, outputs: REGISTERS };
        let branches = Branches::with_shape(list, REGISTERS, shape)?;
        let starts = Seeded::new("registers", b"").elements(if carried { 1 } else { steps } * REGISTERS);
        let mut processor = Self { branches, steps, carried, starts, ends: Vec::new() };
        let (mut ends, mut registers) = (Vec::new(), processor.starts(0).to_vec());
        for step in 0..steps {
            if !carried {
                registers = processor.starts(step).to_vec();
            }
            let instruction = &processor.branches.list()[processor.picked(step)];
            registers = instruction.run_on(&mut Evaluator::new(), &registers)?;
            if !carried {
                ends.extend_from_slice(&registers);
            }
        }
        processor.ends = if carried { registers } else { ends };
        Ok(processor)
    }

    /// The instruction of a step. Any program would do.
    fn picked(&self, step: usize) -> usize {
        (step as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(24) as usize
            % self.branches.list().len()
    }

    fn starts(&self, step: usize) -> &[F] {
        self.starts.chunks_exact(REGISTERS).nth(step).unwrap_or_default()
    }

    /// The claims about the registers after a step, if there are any.
    fn ends(&self, step: usize) -> &[F] {
        let number = if self.carried { (step + 1).checked_sub(self.steps) } else { Some(step) };
        number.and_then(|number| self.ends.chunks_exact(REGISTERS).nth(number)).unwrap_or_default()
    }
}

/// A run of the processor.
struct Running<'x, F, W> {
    processor: &'x Processor<F>,
    registers: Vec<W>,
}

impl<F: Value, B: Prove<F>> Steps<F, Instruction<F>, B> for Running<'_, F, B::Wire> {
    fn before(&mut self, backend: &mut B, step: usize) -> Result<Vec<B::Wire>, B::Error> {
        if step == 0 || !self.processor.carried {
            return Ok(self.processor.starts(step).iter().map(|c| backend.constant(*c)).collect());
        }
        Ok(core::mem::take(&mut self.registers))
    }

    fn pick(&mut self, step: usize, _: &dyn Peek<F, B::Wire>) -> Result<Picked<Instruction<F>>, Error> {
        Ok(Picked::new(self.processor.picked(step)))
    }

    fn after(&mut self, backend: &mut B, step: usize, outputs: Vec<B::Wire>) -> Result<(), B::Error> {
        for (register, end) in outputs.iter().zip(self.processor.ends(step)) {
            let difference = backend.add_constant(register, -*end);
            backend.assert_zero(&[difference])?;
        }
        self.registers = outputs;
        Ok(())
    }
}

impl<F: Value, B: Repeat<F, Instruction<F>>> Statement<B> for Processor<F> {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"benchmark: processor v1").number("steps", self.steps as u64);
        digest.number("carried", self.carried.into()).bytes("starts", &encode(&self.starts));
        digest.bytes("ends", &encode(&self.ends));
        self.branches.identify::<B>(digest);
    }

    fn commitments(&self) -> Option<u64> {
        // Each step commits to a branch and to the branch's topology vector.
        let vector = (REGISTERS + self.branches.shape().multiplications + REGISTERS + 1) as u64;
        self.branches.shape().commitments().checked_add(vector)?.checked_mul(self.steps as u64)
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        let mut running = Running { processor: self, registers: Vec::new() };
        backend.repeat(&self.branches, self.steps, &mut running)
    }
}

#[cfg(test)]
mod tests {
    use volery_field::{F61, Ring as _};

    use super::*;

    use crate::Counter;

    #[test]
    fn programs_do_to_the_registers_what_they_claim() {
        for carried in [false, true] {
            let processor = Processor::<F61>::new(5, 7, 11, carried).expect("small");
            assert_eq!(Evaluator::<F61>::check(&processor), Ok(()));
            let picked: Vec<_> = (0..11).map(|step| processor.picked(step)).collect();
            assert!((0..5).all(|instruction| picked.contains(&instruction)), "{picked:?}");
            let mut wrong = processor;
            let last = wrong.ends.len() - 1;
            wrong.ends[last] += F61::ONE;
            assert!(matches!(Evaluator::<F61>::check(&wrong), Err(Error::Unsatisfied { .. })));
        }
    }

    #[test]
    fn the_shape_that_is_announced_is_the_one_that_is_counted() {
        let processor = Processor::<F61>::new(3, 9, 2, true).expect("small");
        for instruction in processor.branches.list() {
            let shape = Shape::of::<F61>(instruction, REGISTERS).expect("counts");
            assert_eq!(shape, processor.branches.shape());
        }
        let counts = Counter::<F61>::count(&processor).expect("counts").total();
        assert_eq!(counts.multiplications, 18);
    }
}
