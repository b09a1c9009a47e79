//! QuickSilver over any field: circuits (figure 4) and polynomials (figure 5) in one check.
//!
//! A wire with value `x` in `F = F_p` is `(x, m)` at P and `k` at V, `k = m + x * delta` in the MAC field
//! `M = F_{p^r}`. Linear operations are local; a public constant `c` has the tag 0 and the key `c * delta`.
//!
//! **Committing** to `w` takes one random correlation `(u, m, k)` and one element, `d = w - u`. The new key
//! is `k + d * delta`.
//!
//! **Relations.** Everything that must vanish is a polynomial of some degree `d` in committed values. P
//! evaluates it at `m + w X` for every value `w`, with terms of degree `h` times `X^(d-h)`. This gives a
//! polynomial in `X` whose coefficient of `X^d` is zero if the claim is true. V evaluates it at its keys,
//! with terms of degree `h` times `delta^(d-h)`, and obtains that polynomial's value at delta:
//!
//! ```text
//! B = A_0 + A_1 delta + .. + A_{d-1} delta^{d-1}          (+ f(w) delta^d)
//! ```
//!
//! A multiplication `c = a * b` commits to `c` and leaves the relation of degree 2, `A_0 = m_a m_b`,
//! `A_1 = x_a m_b + x_b m_a - m_c`, `B = k_a k_b - k_c delta`. Inner products, rows of R1CS and products of
//! folded matrices are such relations too, without commitments.
//!
//! **Checks** are made in blocks. After all of a block's elements V sends a seed, which both parties expand
//! to coefficients `chi_i` over M. Relations of degree `d < D` are shifted by `X^(D-d)`, where `D` is the
//! greatest degree in the block. P sends the `D` coefficients of the sum, masked by a VOPE of degree `D - 1`
//! ([`volery_vole::subfield::vope`]), and V compares with its value.
//!
//! **Assertions** that a wire is zero: its tag is its key, so P sends a hash of all such tags and V compares.
//!
//! **Seeds that are hashes** also depend on the chain of the correlations (see
//! [`Challenges::FiatShamir`](super::Challenges)):
//!
//! | seed | values it tests | last that fixes them |
//! |---|---|---|
//! | of a block | factors, products and wires of the block's relations: committed to in this block or before | the block's last `Elements`; V's bytes for the batch of the block's mask, which is taken after all of them |
//! | of a folded matrix product | all entries, committed to before | `ElementsOpening` of the block that ends for it; V's bytes as above. The fold's relation is tested by the next block's seed |
//! | of a challenge of the statement | all values committed to before, random scalars among them | the same. What P commits to after it is tested by the relations of the blocks after it |
//!
//! **A challenge of the statement** ends a block. V draws it once it has the block's elements, and sends it
//! after the block's seed. P may go on before it takes it ([`Challenge::take`]). When it does, it first sends
//! the elements that it holds back and opens the blocks that ended before the challenge was asked for, those
//! that it has not opened yet. Values that P commits to in between, and what it opens, may depend on the
//! challenge, as what comes after a challenge always may: it tests none of them.
//!
//! [`Challenge::take`]: volery_circuit::Challenge::take
//!
//! The order of messages is that of Boolean proofs (see [`super`]), but they have tags and a lane of their
//! own. [`soundness`](super::soundness) computes the soundness error.

mod elements;
mod matrix;
mod prover;
mod verifier;

pub use super::fixed::{ProverFixed, VerifierFixed};
pub use super::link::{Alone, Link};
pub use super::poly::{ProverPoly, VerifierPoly};
pub use prover::Prover;
pub use verifier::Verifier;

use super::Tally;
use super::soundness::Checks;

/// The number of multiplications at once: few enough that everything they read and write stays in the
/// first-level cache.
const AT_ONCE: usize = 256;

/// The settings of a proof over a field. Both parties need the same ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The number of commitments and relations in a block. P keeps a relation's coefficients (two elements of
    /// the MAC field for a multiplication) for at most two blocks. On a slow network it waits one round trip
    /// for each block.
    pub interval: usize,
}

impl Settings {
    /// For a fast network.
    pub const LAN: Self = Self { interval: 1 << 17 };

    /// Larger blocks, for fewer waits.
    pub const WAN: Self = Self { interval: 1 << 19 };

    /// The number of correlations that a program with this many secret values and multiplications takes, if
    /// its relations have at most degree 2. `r` is the degree of the MAC field over the values' field.
    #[must_use]
    const fn correlations(&self, secrets: u64, multiplications: u64, r: u64) -> u64 {
        let used = secrets.saturating_add(multiplications);
        let filled = used.saturating_add(multiplications);
        let interval = if self.interval == 0 { 1 } else { self.interval as u64 };
        used.saturating_add((filled / interval + 1).saturating_mul(r))
    }

    /// The number of correlations to announce to a generator for a program that states in advance how many
    /// elements it commits to. It has room for relations of up to degree 4 in one block, because a few more
    /// at once cost less than a few later.
    #[must_use]
    pub const fn expected(&self, commitments: u64, r: u64) -> u64 {
        self.correlations(commitments, 0, r).saturating_add(4 * r)
    }
}

impl Tally {
    /// The counts that the soundness bound depends on, for a proof over a field.
    #[must_use]
    pub fn checks_over_field(&self, settings: Settings) -> Checks {
        let relations = self.multiplications.saturating_add(self.polynomials);
        self.with_unknowns(relations.min(settings.interval.max(1) as u64))
    }
}
