//! A machine: each step carries out one of several instructions on a state that goes on to the next.

use volery_circuit::choose::{Branches, Picked};
use volery_circuit::{
    Branch, Choose, Digest, Error, Evaluator, Peek, Polynomials, Prove, Repeat, Statement, Steps,
};

use crate::disjunction::programs::{Random, Small};

/// Wires of the state.
pub(crate) const STATE: usize = 3;

/// An instruction: random operations on the state, and a claim about it that only its own number meets.
#[derive(Clone, Debug)]
pub(crate) struct Instruction {
    /// What the operations of either half follow from.
    pub(crate) seeds: [u64; 2],
    pub(crate) steps: usize,
    /// The code that it claims to be called by.
    pub(crate) code: u64,
    /// Whether it has a secret of its own.
    pub(crate) own: bool,
}

impl Instruction {
    pub(crate) fn numbered(code: u64) -> Self {
        Self { seeds: [code, code + 50], steps: 12 + 5 * (code as usize % 3), code, own: true }
    }

    /// Any operations.
    pub(crate) fn random(code: u64, seed: u64) -> Self {
        let mut random = Random(seed ^ code << 32);
        Self { seeds: [random.next(), random.next()], steps: random.below(40), code, own: true }
    }
}

impl<R: Small, B: Polynomials<R>> Branch<R, B> for Instruction {
    fn identify(&self, digest: &mut Digest) {
        digest.number("code", self.code);
    }

    fn run(&self, b: &mut B, shared: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
        let (code, state) = shared.split_first().expect("the code goes in first");
        // A claim about a polynomial: code - self.code vanishes, times something that need not.
        let factor = b.poly(code);
        let factor = b.poly_add_constant(&factor, -code_of::<R>(self.code));
        let twice = b.poly_mul(&factor, &factor)?;
        b.assert_poly_zero(&[twice])?;
        let mut pool = state.to_vec();
        // A secret of the instruction's own, of which it claims that it is a product; or that product.
        let own = match self.own {
            true => b.secret(1, &mut |peek| Ok(vec![peek.value(&state[0]) * peek.value(&state[1])]))?,
            false => vec![b.mul(&state[0], &state[1])?],
        };
        b.assert_dot(&state[..1], &state[1..2], &own[0])?;
        pool.extend(own);
        for seed in self.seeds {
            let mut random = Random(seed);
            for _ in 0..self.steps / 2 {
                let (x, y) = (random.below(pool.len()), random.below(pool.len()));
                let c = R::small(random.next());
                pool.push(match random.below(6) {
                    0 => b.add_constant(&pool[x], c),
                    1 => b.sub(&pool[x], &pool[y]),
                    2 => b.scale(&pool[x], c),
                    _ => b.mul(&pool[x], &pool[y])?,
                });
            }
        }
        Ok(pool.split_off(pool.len() - STATE))
    }
}

/// "From this state, these steps lead there", with the codes secret or public.
#[derive(Clone, Debug)]
pub(crate) struct Machine<R> {
    pub(crate) branches: Branches<R, Instruction>,
    pub(crate) codes: Vec<usize>,
    pub(crate) public_codes: bool,
    pub(crate) start: Vec<R>,
    pub(crate) end: Vec<R>,
    /// A lie: the state that goes into this step is the start and not what came out before.
    pub(crate) untied: Option<usize>,
}

impl<R: Small> Machine<R> {
    pub(crate) fn new(instructions: Vec<Instruction>, codes: Vec<usize>, public_codes: bool) -> Self {
        let branches = Branches::new(instructions, 1 + STATE).expect("fits");
        let start: Vec<R> = (1..=STATE as u64).map(|n| R::small(n << 35 | 7)).collect();
        let mut machine = Self { branches, codes, public_codes, end: start.clone(), start, untied: None };
        machine.end = machine.outcome();
        machine
    }

    /// The state that the steps end in.
    fn outcome(&self) -> Vec<R> {
        let mut state = self.start.clone();
        for (step, code) in self.codes.iter().enumerate() {
            if self.untied == Some(step) {
                state.clone_from(&self.start);
            }
            let instruction = &self.branches.list()[*code];
            let called = Instruction { code: *code as u64, ..instruction.clone() };
            let shared: Vec<R> = core::iter::once(code_of(*code as u64)).chain(state).collect();
            state = called.run(&mut Evaluator::new(), &shared).expect("runs");
        }
        state
    }

    /// With the end that its own steps lead to.
    pub(crate) fn with_own_end(mut self) -> Self {
        self.end = self.outcome();
        self
    }
}

/// What happens at each step.
struct Run<'x, R, W> {
    machine: &'x Machine<R>,
    start: Vec<W>,
    state: Vec<W>,
}

impl<R: Small, B: Prove<R>> Steps<R, Instruction, B> for Run<'_, R, B::Wire> {
    fn before(&mut self, b: &mut B, step: usize) -> Result<Vec<B::Wire>, B::Error> {
        let code = code_of(self.machine.codes[step] as u64);
        let mut shared = match self.machine.public_codes {
            true => vec![b.constant(code)],
            false => b.secret(1, &mut |_| Ok(vec![code]))?,
        };
        let state = if self.machine.untied == Some(step) { &self.start } else { &self.state };
        shared.extend_from_slice(state);
        Ok(shared)
    }

    fn pick(&mut self, step: usize, _: &dyn Peek<R, B::Wire>) -> Result<Picked<Instruction>, Error> {
        Ok(Picked::new(self.machine.codes[step]))
    }

    fn after(&mut self, _: &mut B, _: usize, outputs: Vec<B::Wire>) -> Result<(), B::Error> {
        self.state = outputs;
        Ok(())
    }
}

impl<R: Small> Machine<R> {
    fn run_with<B: Prove<R>>(
        &self,
        b: &mut B,
        repeat: impl FnOnce(&mut B, &mut Run<'_, R, B::Wire>) -> Result<(), B::Error>,
    ) -> Result<(), B::Error> {
        let start = b.secret(STATE, &mut |_| Ok(self.start.clone()))?;
        let mut run = Run { machine: self, state: start.clone(), start };
        repeat(b, &mut run)?;
        for (wire, end) in run.state.iter().zip(&self.end) {
            let difference = b.add_constant(wire, -*end);
            b.assert_zero(&[difference])?;
        }
        Ok(())
    }
}

/// One disjunction after another, on any backend.
pub(crate) struct ByChoosing<R>(pub(crate) Machine<R>);

impl<R: Small, B: Choose<R, Instruction>> Statement<B> for ByChoosing<R> {
    fn identify(&self, digest: &mut Digest) {
        digest.number("steps", self.0.codes.len() as u64);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let (branches, steps) = (&self.0.branches, self.0.codes.len());
        self.0.run_with(b, |b, run| volery_circuit::choose::repeat_by_choosing(b, branches, steps, run))
    }
}

/// As a batch.
pub(crate) struct ByRepeating<R>(pub(crate) Machine<R>);

impl<R: Small, B: Repeat<R, Instruction>> Statement<B> for ByRepeating<R> {
    fn identify(&self, digest: &mut Digest) {
        digest.number("steps", self.0.codes.len() as u64);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let (branches, steps) = (&self.0.branches, self.0.codes.len());
        self.0.run_with(b, |b, run| b.repeat(branches, steps, run))
    }
}

/// A code as an element: also in F2 and where elements are made of high bits.
fn code_of<R: Small>(code: u64) -> R {
    R::small(code << 40 | code)
}
