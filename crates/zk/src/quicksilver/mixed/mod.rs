//! QuickSilver over bits and a field in one proof.
//!
//! Both parts run as they do alone, over one channel, with their own keys: bits under a binary delta,
//! elements under a delta of the field. **Conversions** tie them together
//! ([`convert_bits`](volery_circuit::Convert::convert_bits)). Each gives, for a bit `b`, an element `x` that
//! equals it:
//!
//! 1. P commits to `x` and proves `x (x - 1) = 0`, a relation of degree 2.
//! 2. After many conversions P commits to `s` random bits `r_j`, in both parts, and proves those elements to
//!    be bits.
//! 3. V sends a seed, which gives `s` uniformly random sets of conversions. In each part the sum over a set
//!    is linear: the parity `e_j` of its bits, and the integer `S_j = sum of its elements`, which cannot
//!    wrap.
//! 4. P commits to the bits `c_j,l` of `S_j` as elements and proves them bits, and `S_j = sum 2^l c_j,l`.
//! 5. P shows `o_j = e_j + r_j` (mod 2), a random bit; in the binary part `e_j + r_j + o_j = 0` is asserted,
//!    in the field `c_j,0 = r_j` or `c_j,0 = 1 - r_j`, as `o_j` says.
//!
//! If the bit and the element of some conversion differ, the parities differ in each set with probability
//! 1/2, whatever the `r_j` are (they are fixed before the sets): the check passes with probability at most
//! `2^-s`. Everything shown is masked by a bit that V does not know, so there is no statistical loss of
//! privacy. The idea, parities of random sets of bits committed in two ways, comes from daBits (Rotaru, Wood,
//! ePrint 2019/207; Aly et al., 2019/974) and from conversions in zero knowledge (Baum et al., 2021/750).
//! There the sums are opened under masks; here their bits are committed. Elements with committed bits are
//! edaBits (Escudero et al., 2020/338).
//!
//! **Seeds that are hashes.** Each part has its own transcript and chain, and the seeds of its blocks depend
//! on these: they only test values of that part. One seed, which depends on both parts, tests the conversions
//! between them:
//!
//! | seed | values it tests | last that fixes them |
//! |---|---|---|
//! | of a block of bits, of elements | as in a proof by itself | as there |
//! | of the sets (3.) | the bits and elements of all conversions, the `r_j` in both parts | of elements: `ElementsOpening` of the block that ends for it, V's bytes for the field's last batch; of bits: the `Masks` before, V's bytes for the last batch of bits, both in a digest of the Boolean part |
//!
//! The digits `c_j,l` come after that seed. The seed of their block tests that they are bits; their sums and
//! parities are linear.
//!
//! `s` is 64, or 128 if the MAC field has 120 bits or more.

mod conversion;
mod parities;

pub use conversion::{Prover, Tallies, Verifier};

use volery_field::{Mac, Value};

use crate::bound::{FieldSize, Mode, Terms};

/// The number of conversions that wait for one check.
const CONVERSIONS: usize = 1 << 18;

/// The number of sets of a check.
pub(crate) const fn sets<F: Value, M: Mac<F>>() -> usize {
    if M::BITS >= 120 { 128 } else { 64 }
}

/// Adds the terms of `checks` checks of conversions, in a proof with this many [`sets`].
///
/// These terms come in addition to the bounds of both parts ([`soundness`](super::soundness)). Each check, of
/// at most 2^18 conversions, passes with a wrong one with probability at most `2^-s` over the choice of sets.
/// The first check with a wrong one is fixed before its sets are, and it leaves a false relation or assertion
/// if it is not lucky. So the error of one counts, however many there are, as for blocks. If challenges are
/// hashes, P can try choices, which are made from seeds of 128 bits.
pub(crate) fn terms(checks: u64, sets: usize, mode: Mode, terms: &mut Terms) {
    if checks > 0 {
        // Wrong conversions can be made to suit seeds: each seed takes as many bits as there are sets.
        let sets = sets as f64;
        let size = FieldSize { bits: [1.0, sets], ..FieldSize::OVER_BITS };
        let (error, made) = ((-sets).exp2(), size.made_for(CONVERSIONS as f64));
        terms.add("a wrong conversion of a bit to an element passes its check", error + made);
        terms.add("a hash suits a wrong conversion", mode.tries() * (error + made));
    }
}

#[cfg(test)]
mod tests {
    use volery_field::{F61, F61x2, Mac};

    use super::*;
    use crate::quicksilver::soundness::Checks;
    use crate::soundness::Soundness;

    /// Of `2^log_conversions` conversions.
    fn bits<M: Mac<F61>>(log_conversions: u32, mode: Mode) -> f64 {
        let conversions = (1_u64 << log_conversions).div_ceil(CONVERSIONS as u64);
        let mut all = Terms::default();
        terms(conversions, sets::<F61, M>(), mode, &mut all);
        let checks = Checks { conversions, ..Checks::default() };
        let sum = Soundness::mixed::<F61, M>(Checks::default(), checks, mode);
        assert!(all.bits() >= sum.bits());
        all.bits()
    }

    #[test]
    fn conversions_keep_as_many_bits_as_one_check_has_and_as_much_as_hashing_leaves() {
        for log_conversions in [10, 40] {
            assert!((63.9..=64.0).contains(&bits::<F61>(log_conversions, Mode::Interactive)));
            assert!((115.9..=116.0).contains(&bits::<F61x2>(log_conversions, Mode::Interactive)));
        }
        let hashed = bits::<F61x2>(30, Mode::FiatShamir { log2_queries: 64.0 });
        // 2^18 conversions are made for 4,097 seeds.
        assert!((51.9..52.1).contains(&hashed), "{hashed}");
    }
}
