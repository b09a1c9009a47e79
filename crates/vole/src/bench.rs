//! The stages of a Ferret round, one at a time, for `benches/cot.rs`. They are not part of the interface.

use volery_field::Gf128;

use crate::aes::Aes;
use crate::lpn::LpnCode;
use crate::pprf::{self, TreeKeys};
use crate::{Oracle, Prg, SessionId};

/// A tree of the verifier's or the prover's, expanded again and again.
pub struct Tree {
    keys: TreeKeys,
    number: usize,
    sums: Vec<Gf128>,
    leaves: Vec<Gf128>,
}

impl Tree {
    /// A tree with `2^height` leaves.
    #[must_use]
    pub fn new(height: u32) -> Self {
        let mut sums = vec![Gf128::ZERO; height as usize];
        Prg::new([1; 16]).blocks(&mut sums);
        let oracle = Oracle::new("bench", &SessionId::new([2; 32]));
        Self {
            keys: TreeKeys::new(&oracle, 0, "trees"),
            number: 0,
            sums,
            leaves: vec![Gf128::ZERO; 1 << height],
        }
    }

    /// The key of the next tree.
    fn aes(&mut self) -> Aes {
        self.number += 1;
        self.keys.of(self.number)
    }

    /// The verifier's expansion, including that of the key.
    pub fn full(&mut self) -> Gf128 {
        let delta = Gf128::from_bits(u128::MAX);
        pprf::expand_full(&self.aes(), Gf128::ONE, delta, &mut self.leaves, |_, _| {});
        self.leaves[0]
    }

    /// The prover's expansion, including that of the key.
    pub fn punctured(&mut self) -> Gf128 {
        pprf::expand_punctured(&self.aes(), 1, &self.sums, &mut self.leaves);
        self.leaves[0]
    }
}

/// A table, and rows of the local code over it.
pub struct Rows {
    code: LpnCode,
    table: Vec<Gf128>,
    out: Vec<Gf128>,
    next: u64,
}

impl Rows {
    /// Batches of 1,024 rows over a table of `2^log_k` entries.
    #[must_use]
    pub fn new(log_k: u32) -> Self {
        let mut table = vec![Gf128::ZERO; 1 << log_k];
        Prg::new([1; 16]).blocks(&mut table);
        Self { code: LpnCode::new([2; 16], log_k), table, out: vec![Gf128::ZERO; 1024], next: 0 }
    }

    /// Adds the next 1,024 rows.
    pub fn add(&mut self) -> Gf128 {
        self.code.add_rows(self.next, &self.table, &mut self.out);
        self.next += 1024;
        self.out[0]
    }
}

/// AES in counter mode.
pub fn ctr(prg: &mut Prg, out: &mut [Gf128]) {
    prg.blocks(out);
}
