//! Random branches.

use volery_circuit::{Digest, Error, Evaluator, Prove, Statement};
use volery_field::{F2, F32, F61, Gf256, Ring};

/// A ring with small elements to choose from.
pub(crate) trait Small: Ring {
    fn small(n: u64) -> Self;
}

impl Small for F2 {
    fn small(n: u64) -> Self {
        Self::from_lsb(n)
    }
}

impl Small for F61 {
    fn small(n: u64) -> Self {
        Self::new(n)
    }
}

impl Small for F32 {
    fn small(n: u64) -> Self {
        volery_field::Value::from_u64(n >> 32)
    }
}

impl Small for Gf256 {
    fn small(n: u64) -> Self {
        volery_field::Value::digit(n as u8)
    }
}

/// A random program, which asserts that some of its wires have the values that they have for its witness.
#[derive(Clone, Debug)]
pub(crate) struct Program<R> {
    /// What the operations follow from: `seeds[0]` in the first half, `seeds[1]` in the second.
    pub(crate) seeds: [u64; 2],
    pub(crate) steps: usize,
    pub(crate) inputs: usize,
    pub(crate) claims: Vec<R>,
    pub(crate) witness: Option<Vec<R>>,
}

/// Wires claimed to have a value.
const CLAIMS: usize = 4;

impl<R: Small> Program<R> {
    /// A true one.
    pub(crate) fn new(seeds: [u64; 2], inputs: usize, steps: usize) -> Self {
        let mut random = Random(seeds[0] ^ 99);
        let witness = (0..inputs + 1).map(|_| R::small(random.next())).collect();
        let mut program = Self { seeds, steps, inputs, claims: vec![], witness: Some(witness) };
        program.claims = program.wires(&mut Evaluator::new()).expect("computes");
        program
    }

    /// The same program, its claims those that its witness meets.
    pub(crate) fn with_own_claims(mut self) -> Self {
        self.claims = self.wires(&mut Evaluator::new()).expect("computes");
        self
    }

    /// Products in the half of a program of `steps` steps that follows from `seed`.
    pub(crate) fn products(seed: u64, steps: usize) -> usize {
        let mut random = Random(seed);
        let product = |_: &usize| {
            // The operation is the fourth number of a step, after two operands and a constant.
            let _ = [random.next(), random.next(), random.next()];
            random.below(8) >= 5
        };
        (0..steps / 2).filter(product).count()
    }

    /// Seeds of as many programs' halves as asked for, all with as many products and not none.
    pub(crate) fn alike<const N: usize>(steps: usize) -> [u64; N] {
        let products = |seed: u64| Self::products(seed, steps);
        let wanted = products(1).max(1);
        let mut seeds = (1..).filter(|seed| products(*seed) == wanted);
        core::array::from_fn(|_| seeds.next().expect("one in a few"))
    }

    /// As the verifier has it.
    pub(crate) fn public(&self) -> Self {
        Self { witness: None, ..self.clone() }
    }

    /// The values of the claimed wires, whatever is claimed.
    fn wires<B: Prove<R>>(&self, b: &mut B) -> Result<Vec<B::Wire>, B::Error> {
        let hint = |range: core::ops::Range<usize>| {
            let witness = self.witness.as_ref().ok_or_else(|| Error::Witness("none".into()))?;
            Ok::<_, Error>(witness[range].to_vec())
        };
        let mut pool = b.secret(self.inputs, &mut |_| hint(0..self.inputs))?;
        for half in 0..2 {
            let mut random = Random(self.seeds[half]);
            for _ in 0..self.steps / 2 {
                let (x, y) = (random.below(pool.len()), random.below(pool.len()));
                let c = R::small(random.next());
                let wire = match random.below(8) {
                    0 => b.constant(c),
                    1 => b.add(&pool[x], &pool[y]),
                    2 => b.sub(&pool[x], &pool[y]),
                    3 => b.add_constant(&pool[x], c),
                    4 => b.scale(&pool[x], c),
                    _ => b.mul(&pool[x], &pool[y])?,
                };
                pool.push(wire);
            }
            if half == 0 {
                pool.extend(b.secret(1, &mut |_| hint(self.inputs..self.inputs + 1))?);
            }
        }
        let product = b.mul(&pool[0], &pool[1])?;
        b.assert_dot(&pool[..1], &pool[1..2], &product)?;
        Ok(pool.split_off(pool.len() - CLAIMS))
    }
}

impl<R: Small, B: Prove<R>> Statement<B> for Program<R> {
    fn identify(&self, digest: &mut Digest) {
        for seed in self.seeds {
            digest.number("seed", seed);
        }
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let wires = self.wires(b)?;
        for (wire, claim) in wires.iter().zip(&self.claims) {
            let zero = b.add_constant(wire, -*claim);
            b.assert_zero(&[zero])?;
        }
        Ok(())
    }
}

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}
