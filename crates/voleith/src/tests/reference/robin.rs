//! A disjunction, as the docs of `volery_zk::disjunction` describe it: its commitments, its coefficients, and
//! the check values of its branches.

use volery_field::Gf128;
use volery_vole::{Oracle, Prg, SessionId};

use super::Op;

/// The multiplications whose factors are committed to together, and whose rows share a factor.
const CHUNK: usize = 1024;

/// A seed of 192 bits: an AES key, and a salt of 64.
#[derive(Clone, Copy)]
pub(in super::super) struct Seed([u8; 16], u64);

impl Seed {
    /// Of the relations, from the challenge.
    pub(in super::super) fn of(challenge: [u8; 32]) -> Self {
        let oracle = Oracle::new("voleith: columns and relations", &SessionId::new(challenge));
        let seed = oracle.hash::<24>(0, &[b"relations"]);
        let (key, salt) = seed.split_first_chunk().expect("16 bytes");
        Self(*key, u64::from_le_bytes(salt.try_into().expect("8 bytes")))
    }

    fn derive(self, label: &str, purpose: &[u8]) -> Self {
        let hash = blake3::derive_key(label, &[&self.0[..], purpose].concat());
        Self(hash[..16].try_into().expect("16 bytes"), self.1)
    }

    /// Of the relations of this degree that are no products.
    pub(super) fn of_degree(self, degree: usize) -> Self {
        self.derive("volery 2026 quicksilver relations v1", &(degree as u64).to_le_bytes())
    }

    /// Of this disjunction, counted from 1.
    pub(in super::super) fn of_disjunction(self, number: u64) -> Self {
        self.derive("volery 2026 quicksilver further challenges v1", &number.to_le_bytes())
    }

    /// The first `n` blocks of its stream.
    pub(super) fn blocks(self, n: usize) -> Vec<Gf128> {
        let Self(key, salt) = self;
        let mut out = vec![Gf128::ZERO; n];
        Prg::salted(key, salt).blocks_at(0, &mut out);
        out
    }

    /// The first `n` blocks of the stream for a purpose of a disjunction.
    pub(in super::super) fn stream(self, purpose: u8, n: usize) -> Vec<Gf128> {
        self.derive("volery 2026 disjunction rows v4", &[purpose]).blocks(n)
    }

    /// The coefficients of `n` rows: a factor for each chunk, one for each 128 rows in a chunk, and a power.
    pub(in super::super) fn rows(self, purpose: u8, n: usize) -> Vec<Gf128> {
        let (across, runs) = (self.stream(purpose | 0x80, n.div_ceil(CHUNK)), self.stream(purpose, 8));
        let mut powers = vec![Gf128::ONE];
        (1..128).for_each(|i| powers.push(powers[i - 1] * Gf128::X));
        (0..n).map(|i| across[i / CHUNK] * runs[i % CHUNK / 128] * powers[i % 128]).collect()
    }
}

/// One of these programs holds.
pub(super) struct AnyOf {
    pub(super) branches: Vec<Vec<Op>>,
    /// The most secrets and multiplications that a branch has.
    inputs: usize,
    ands: usize,
}

fn inputs(branch: &[Op]) -> usize {
    branch.iter().filter(|op| matches!(op, Op::Secret(_))).count()
}

fn ands(branch: &[Op]) -> usize {
    branch.iter().filter(|op| matches!(op, Op::Mul(..))).count()
}

impl AnyOf {
    pub(super) fn new(branches: Vec<Vec<Op>>) -> Self {
        let most = |count: fn(&[Op]) -> usize| branches.iter().map(|branch| count(branch)).max().unwrap_or(0);
        Self { inputs: most(inputs), ands: most(ands), branches }
    }

    /// The lines of [`commitments`](Self::commitments) with both factors and the product of multiplication
    /// `k`.
    fn lines(&self, k: usize) -> [usize; 3] {
        let first = k / CHUNK * CHUNK;
        let together = CHUNK.min(self.ands - first);
        [0, 1, 2].map(|part| self.inputs + 3 * first + part * together + k % CHUNK)
    }

    /// The program that commits to all that a branch has: its secrets, then for each chunk of multiplications
    /// the left factors, the right ones, and the products.
    pub(super) fn commitments(&self) -> Vec<Op> {
        let mut ops: Vec<_> = (0..self.inputs).map(Op::Secret).collect();
        let mut secrets = self.inputs;
        for first in (0..self.ands).step_by(CHUNK) {
            let end = self.ands.min(first + CHUNK);
            for _ in 0..2 * (end - first) {
                ops.push(Op::Secret(secrets));
                secrets += 1;
            }
            for k in first..end {
                let [left, right, product] = self.lines(k);
                assert_eq!(ops.len(), product);
                ops.push(Op::Mul(left, right));
            }
        }
        ops
    }

    /// The secrets of that program, from those of branch `choice`: beyond its end they are zero.
    pub(super) fn witness(&self, choice: usize, witness: &[bool]) -> Vec<bool> {
        let (mut wires, mut factors) = (Vec::<bool>::new(), Vec::new());
        for op in &self.branches[choice] {
            wires.push(match *op {
                Op::Constant(c) => c,
                Op::Add(a, b) => wires[a] ^ wires[b],
                Op::Secret(i) => witness[i],
                Op::Mul(a, b) => {
                    factors.push([wires[a], wires[b]]);
                    wires[a] && wires[b]
                }
            });
        }
        factors.resize(self.ands, [false; 2]);
        let mut out = witness.to_vec();
        out.resize(self.inputs, false);
        for factors in factors.chunks(CHUNK) {
            (0..2).for_each(|side| out.extend(factors.iter().map(|factors| factors[side])));
        }
        out
    }

    /// What stands among the constants: the number of branches, and all of their secrets, multiplications and
    /// assertions, of which each has one.
    pub(super) fn entry(&self) -> Vec<u8> {
        let sum = |count: fn(&[Op]) -> usize| self.branches.iter().map(|branch| count(branch)).sum();
        let n = self.branches.len();
        let numbers = [n, sum(inputs), sum(ands), n].map(|number| (number as u64).to_le_bytes());
        [&[10][..], numbers.as_flattened()].concat()
    }

    /// The check values on the lines of [`commitments`](Self::commitments): tag and value of each at P, the
    /// key and zero at V.
    pub(super) fn check_values(
        &self,
        challenge: [u8; 32],
        committed: &[[Gf128; 2]],
        constant: impl Fn(bool) -> [Gf128; 2],
    ) -> Vec<[Gf128; 2]> {
        let seed = Seed::of(challenge).of_disjunction(1);
        let (s, beta, t) = (seed.rows(0, self.ands), seed.stream(2, 1)[0], seed.rows(1, 1)[0]);
        let add = |x: [Gf128; 2], y: [Gf128; 2]| [x[0] + y[0], x[1] + y[1]];
        let times = |c: Gf128, x: [Gf128; 2]| [c * x[0], c * x[1]];
        let of_branch = |branch: &Vec<Op>| {
            let factor = |side: usize| (0..self.ands).map(move |k| committed[self.lines(k)[side]]);
            let mut rows: [Vec<_>; 2] = [factor(0).collect(), factor(1).collect()];
            let (mut wires, mut k) = (Vec::<[Gf128; 2]>::new(), 0);
            for op in branch {
                wires.push(match *op {
                    Op::Constant(c) => constant(c),
                    Op::Add(a, b) => add(wires[a], wires[b]),
                    Op::Secret(i) => committed[i],
                    Op::Mul(a, b) => {
                        rows[0][k] = add(rows[0][k], wires[a]);
                        rows[1][k] = add(rows[1][k], wires[b]);
                        k += 1;
                        committed[self.lines(k - 1)[2]]
                    }
                });
            }
            let asserted = times(t, *wires.last().expect("one"));
            (0..self.ands).fold(asserted, |sum, k| {
                let row = add(rows[0][k], times(beta, rows[1][k]));
                add(sum, times(s[k], row))
            })
        };
        self.branches.iter().map(of_branch).collect()
    }
}
