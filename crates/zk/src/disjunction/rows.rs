//! The coefficients of a topology matrix's rows.

use volery_field::Element;
use volery_vole::Prg;

/// Coefficients expanded at once; even, so that two elements to a block of the stream come out the same however many are asked for.
pub(super) const CHUNK: usize = 1 << 10;

/// The challenge of a disjunction: `s_k` for multiplication `k`'s left row, `beta s_k` for its right one, `t_j` for assertion `j`.
///
/// One `beta` for all right rows is as good as coefficients of their own but for `1 / |M|`: unless both errors of a multiplication are
/// zero, `l + beta r` is zero for at most one `beta`.
#[derive(Clone, Debug)]
pub struct Rows<M> {
    seeds: [[u8; 16]; 2],
    beta: M,
}

impl<M: Element> Rows<M> {
    /// The coefficients that a public `seed` gives.
    #[must_use]
    pub fn new(seed: [u8; 16]) -> Self {
        let derive = |what: u8| {
            let mut hasher = blake3::Hasher::new_derive_key("volery 2026 disjunction rows v1");
            hasher.update(&seed).update(&[what]);
            let mut out = [0; 16];
            hasher.finalize_xof().fill(&mut out);
            out
        };
        let mut beta = [M::ZERO];
        Prg::new(derive(2)).coefficients(&mut beta);
        Self { seeds: [derive(0), derive(1)], beta: beta[0] }
    }

    /// What right rows weigh beside left ones.
    #[must_use]
    pub fn beta(&self) -> M {
        self.beta
    }

    /// `s_1, s_2, ..`, to be read [`CHUNK`] at a time.
    pub(super) fn products(&self) -> Prg {
        Prg::new(self.seeds[0])
    }

    /// `t_1, t_2, ..`, likewise.
    pub(super) fn assertions(&self) -> Prg {
        Prg::new(self.seeds[1])
    }

    /// The coefficients of so many multiplications and assertions, in memory.
    #[must_use]
    pub fn expand(&self, multiplications: usize, assertions: usize) -> Expanded<M> {
        let first = |mut stream: Prg, n: usize| {
            let mut out = vec![M::ZERO; n];
            out.chunks_mut(CHUNK).for_each(|out| stream.coefficients(out));
            out
        };
        let left = first(self.products(), multiplications);
        let right = left.iter().map(|s| self.beta * *s).collect();
        Expanded { left, right, assertions: first(self.assertions(), assertions) }
    }
}

/// [`Rows`] in memory.
#[derive(Clone, Debug)]
pub struct Expanded<M> {
    /// `s_1, s_2, ..`, of left rows.
    pub left: Vec<M>,
    /// `beta s_1, beta s_2, ..`, of right rows.
    pub right: Vec<M>,
    /// `t_1, t_2, ..`, of assertions.
    pub assertions: Vec<M>,
}
