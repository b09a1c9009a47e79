//! The soundness of a proof, by the bounds of the paper.
//!
//! By QuickSilver, theorems 4.2 and 5.1 and the remarks after them, with coefficients expanded from a 128-bit
//! seed, a proof of a false statement is accepted with probability at most
//!
//! ```text
//! interactive     blocks * (D / K + 1 / p^r)   wrong relations survive one block's check: at most D values of delta satisfy the
//!                                              opened equation of degree D, and coefficients cancel the errors
//!               + T / 2^128                    the errors of a block were made for the seed that comes (below)
//!               + folds * 2 / p^r              a wrong matrix product survives its fold
//!               + max(t / p^r, (t' / p^r)^2)   wrong lookups or a wrong memory suit a challenge of the statement
//!               + 1 / K                        the tag of a wire that is not zero is guessed
//! Fiat-Shamir   + q * ((blocks + folds) * 2 / p^r + max(..) + T / 2^128)
//!                                              each hash computation is one more try at a challenge
//!               + q / 2^127                    the search for delta: the making of correlations answers guesses
//! ```
//!
//! plus the terms of disjunctions ([`crate::disjunction::soundness`]). `K` is one over the probability of
//! delta's most likely value ([`FieldSize`]); over bits `p^r = 2^128` and `K = 2^127`, since delta's lowest
//! bit is fixed. `D` is the greatest degree of a relation; a product has degree 2. Relations of lower degree
//! are shifted to the block's greatest degree by a factor `X^h`. It adds the root zero only, so there
//! are still at most `D` roots, whatever delta is.
//!
//! **Seeds.** Under a seed that P has not tried, coefficients are random, and errors cancel with probability
//! `1 / p^r` however many relations a block has. But a seed has 128 bits, and the coefficients are a public
//! function of it. So P can try some seeds and solve for errors that cancel under all of them: over bits `n`
//! errors for `n / 128` seeds. `T` is the most seeds for which a P that tries fewer than 2^64 can make errors
//! ([`FieldSize`], `made_for`). Only one block counts: P is caught at the first wrong block whose seed is not
//! among those. If challenges are hashes, each hash draws a seed.
//!
//! **Challenges of the statement** ([`volery_circuit::challenge`]): `t` is the greatest degree that one
//! tests, `t'` the greatest that one with two repetitions tests. It is the greatest and not the sum over all
//! challenges, however many segments a run has:
//!
//! *Proof.* Let segment `i` be the values that challenge `i` tests, all of which are fixed when V draws it.
//! Call a segment *wrong* if its claim is false for those values. That does not depend on the challenge, so
//! when V draws challenge `i` it is determined whether `i` is the first wrong segment. Say that the first
//! wrong segment is *lucky* if its challenge is a zero of the polynomial that its values determine. Given
//! everything before it, that has probability at most `e_i = t_i / p^r`, or the square for two repetitions,
//! because the challenge is uniform and independent of all before. The events "`i` is the first wrong
//! segment" exclude each other, so the first wrong segment is lucky with probability at most
//!
//! ```text
//! sum over i of Pr[i is the first wrong segment] * e_i  <=  max e_i
//! ```
//!
//! If a segment is wrong and the first such one is not lucky, a relation or an assertion of that segment is
//! false for the values that P is committed to, and V accepts only if a block's check or the assertions let
//! it pass, which the other terms bound. It does not help P that a later segment is lucky: V accepts only if
//! all checks pass, a failed one ends the session, and a new session has a new delta and new correlations.
//! QED.
//!
//! A challenge is expanded from a seed of 128 bits, like coefficients. P may make the values of a segment, a
//! few for each tuple, for some seeds; those are counted as there (`made_for`).
//!
//! The bound for Fiat-Shamir requires seeds that P cannot compute before its correlations are fixed: each
//! depends on 32 bytes that V draws after that (`challenges`). A hash computed before P knows them is useful
//! with probability `2^-256`.
//!
//! The errors of blocks add up, since a cheating P needs only one to survive. `q` is counted over the life of
//! the correlations. It is not in the bound of an interactive proof. But there, too, a search for delta
//! succeeds with probability `q / 2^127`, and nobody notices it. Making correlations over a field has its own
//! checks, with an error of `(h + 2) / p^r` for each round, from which a cheating P cannot profit unless V
//! cheats too.

use volery_circuit::challenge::most_tested;

use crate::bound::{FieldSize, Mode, Terms};

/// The counts that the bound depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    /// The number of blocks, including the last, partial one.
    pub blocks: u64,
    /// The greatest degree of a relation. Less than 2 counts as 2.
    pub degree: usize,
    /// The number of folded matrix products.
    pub folds: u64,
    /// The number of branches of the largest disjunction; 0 if there is none.
    pub branches: u64,
    /// The number of challenges of the largest single disjunction
    /// ([`crate::disjunction::soundness::challenges`]); 0 if there are only batches.
    pub challenges: u64,
    /// The number of checks of conversions of bits to elements.
    pub conversions: u64,
    /// The most errors that P can choose in one block: over bits one for each AND and eight for each
    /// polynomial, over a field one for each relation.
    pub unknowns: u64,
    /// The greatest degree that a challenge of the statement tests ([`volery_circuit::challenge`]); 0 if
    /// there is none.
    pub tested: u64,
    /// The greatest degree that one with two repetitions tests.
    pub tested_twice: u64,
}

impl Checks {
    /// Adds the terms of a proof with MACs in a field of this `size`, except those of disjunctions.
    pub(crate) fn terms(&self, size: FieldSize, mode: Mode, terms: &mut Terms) {
        let [field, key] = [size.field, size.key].map(f64::exp2);
        let [blocks, folds] = [self.blocks, self.folds].map(|n| n as f64);
        terms.add(
            "a wrong multiplication or polynomial passes the check of its block",
            blocks * (self.degree.max(2) as f64 / key + 1.0 / field),
        );
        let made = size.made_for(self.unknowns as f64);
        terms.add("errors of a block are made for the seed that comes", made * (1.0 + mode.tries()));
        terms.add("a wrong matrix product passes its fold", 2.0 * folds / field);
        // These elements are made from whole blocks, so all are equally likely.
        let drawn = size.bits[1].min(127.0).exp2();
        // Where counts say two, this field of MACs may need one.
        let one = self.tested_twice <= most_tested(size.bits[1] as u32, mode.tries() > 0.0);
        let twice = (self.tested_twice as f64 / drawn).powi(if one { 1 } else { 2 });
        let lucky = (self.tested as f64 / drawn).max(twice);
        if lucky > 0.0 {
            // The most components of tuples that P chooses.
            let made = size.made_for(8.0 * self.tested.max(self.tested_twice) as f64);
            terms.add("wrong lookups or a wrong memory suit a challenge", lucky + made);
            terms.add("a hash suits wrong lookups or a wrong memory", mode.tries() * (lucky + made));
        }
        terms.add("the tag of a wire that is not zero is guessed", 1.0 / key);
        terms.add("a hash suits a wrong relation", mode.tries() * (blocks + folds) * 2.0 / field);
    }
}

#[cfg(test)]
mod tests {
    use volery_field::{Bn254Scalar, F32, F32x4, F61, F61x2, Gf128, Gf256, Goldilocks, GoldilocksX2};

    use super::super::bits::{Program, Settings};
    use super::*;
    use crate::soundness::Soundness;

    fn over_bits(program: impl Into<Program>, mode: Mode) -> f64 {
        let checks = program.into().checks(Settings::LAN);
        Soundness::quicksilver(checks, FieldSize::OVER_BITS, mode).bits()
    }

    fn hashed(log2_queries: f64) -> Mode {
        Mode::FiatShamir { log2_queries }
    }

    #[test]
    fn a_trillion_multiplications_keep_a_hundred_bits() {
        for settings in [Settings::LAN, Settings::WAN] {
            let bits = |n: u64| {
                let checks = Program::from(n).checks(settings);
                Soundness::quicksilver(checks, FieldSize::OVER_BITS, Mode::Interactive).bits()
            };
            assert!(bits(1_000_000_000_000) >= 100.0);
            assert!(bits(0) >= 124.9);
        }
    }

    #[test]
    fn a_polynomial_s_degree_is_lost_once_a_block() {
        let of =
            |polynomials, degree| Program { commitments: 1000, polynomials, degree, ..Program::default() };
        let bits = |program: Program| over_bits(program, Mode::Interactive);
        // One block: the degree, 1/2 + 1, and half of 1 + n / 64 seeds for n errors, in units of 2^-127.
        let expected = |degree: f64, errors: f64| 127.0 - (degree + 1.5 + (1.0 + errors / 64.0) / 2.0).log2();
        assert!((bits(of(0, 0)) - expected(2.0, 1000.0)).abs() < 1e-9);
        assert!((bits(of(50, 2)) - expected(2.0, 1400.0)).abs() < 1e-9);
        assert!((bits(of(50, 4)) - expected(4.0, 1400.0)).abs() < 1e-9);
        assert!((bits(of(1, 1024)) - expected(1024.0, 1008.0)).abs() < 1e-9);
        // Full of coefficients 3 * 2^17 at a time: 4 of degree 4 for each commitment of a block are five full
        // blocks, and a rest.
        let many = Program { commitments: 0, polynomials: 4 << 17, degree: 4, ..Program::default() };
        let full = 13.0 * f64::from(1 << 17) / 64.0;
        assert!((bits(many) - (127.0 - (5.5 * 5.0 + full / 2.0_f64).log2())).abs() < 0.3);
        // 2^30 multiplications modulo 2^32: 497 polynomials of degree at most 4 and 561 commitments each.
        let products =
            Program { commitments: 561 << 30, polynomials: 497 << 30, degree: 4, ..Program::default() };
        assert!(bits(products) >= 100.0);
        let hashed = |program: Program| over_bits(program, hashed(64.0));
        assert!(hashed(of(50, 10)) < hashed(1000.into()) + 1e-9);
    }

    #[test]
    fn fiat_shamir_loses_what_the_prover_computes() {
        // 2^64 hashes against one block whose errors are made for 353 seeds, and a little.
        let bits = over_bits(22_573, hashed(64.0));
        assert!((64.0 - bits - 356.0_f64.log2()).abs() < 0.1, "{bits}");
        // Seeds of 128 bits bound what hashing is worth over large fields, too, where one error is enough for
        // a seed.
        let size = FieldSize::of::<Bn254Scalar, Bn254Scalar>();
        let bits = |unknowns| {
            let checks = Checks { blocks: 1, degree: 2, unknowns, ..Checks::default() };
            Soundness::quicksilver(checks, size, hashed(64.0)).bits()
        };
        assert!((61.0..63.5).contains(&bits(0)), "{}", bits(0));
        assert!((46.0..47.0).contains(&bits(1 << 17)), "{}", bits(1 << 17));
    }

    #[test]
    fn errors_are_made_for_as_many_seeds_as_a_block_has_room() {
        // 2^17 errors of a bit against 64 bits a seed; one of 254 bits against 190.
        let of = |size: FieldSize, n: u32| size.made_for(f64::from(n)) * 128_f64.exp2();
        assert_eq!(of(FieldSize::OVER_BITS, 1 << 17), 2049.0);
        let large = of(FieldSize::of::<Bn254Scalar, Bn254Scalar>(), 190);
        assert!((254.0..256.0).contains(&large), "{large}");
    }

    #[test]
    fn a_billion_multiplications_keep_forty_bits_over_the_61_bit_field() {
        let size = FieldSize::of::<F61, F61>();
        assert!(size.key > 59.0 && size.field == 60.0, "{size:?}");
        let bits = |checks| Soundness::quicksilver(checks, size, Mode::Interactive).bits();
        let billion = 2 * 1_000_000_000 / (1 << 17) + 1;
        let checks = Checks { blocks: billion, degree: 2, folds: 10, ..Checks::default() };
        assert!(bits(checks) >= 43.0, "{}", bits(checks));
        // 64 bits are worth more, and the digits of an extension's key are nearly the key itself.
        let goldilocks = FieldSize::of::<Goldilocks, Goldilocks>();
        assert_eq!((goldilocks.key, goldilocks.field), (63.0, 63.0));
        assert!(Soundness::quicksilver(checks, goldilocks, Mode::Interactive).bits() >= 45.0);
        assert_eq!(FieldSize::of::<Goldilocks, GoldilocksX2>().key, 126.0);
        assert_eq!(FieldSize::of::<F32, F32x4>().key, 124.0);
        assert_eq!(FieldSize::of::<Gf256, Gf128>().key, 127.0);
        // Degree a thousand in one block.
        assert!(bits(Checks { blocks: 1, degree: 1 << 10, ..Checks::default() }) >= 48.0);
    }

    #[test]
    fn the_greatest_challenge_counts_and_leaves_what_its_docs_say() {
        let bits = |size, mode, tested, tested_twice| {
            let checks = Checks { blocks: 1, degree: 4, tested, tested_twice, ..Checks::default() };
            Soundness::quicksilver(checks, size, mode).bits()
        };
        let (small, large) = (FieldSize::of::<F61, F61>(), FieldSize::of::<F61, F61x2>());
        let most = most_tested;
        let interactive = |size, tested| bits(size, Mode::Interactive, tested, 0);
        assert!((40.99..41.0).contains(&interactive(small, most(61, false))));
        assert!((100.7..101.0).contains(&interactive(large, most(122, false))));
        let twice = |tested| bits(small, Mode::Interactive, 0, tested);
        assert!(twice(1 << 22) > 56.0 && twice(1 << 32) < twice(1 << 22));
        let against = bits(large, hashed(64.0), most(122, true), 0);
        assert!((40.7..41.0).contains(&against), "{against}");
        // What takes two challenges over 61 bits takes one over 122.
        assert!(bits(large, Mode::Interactive, 0, 1 << 21) == interactive(large, 1 << 21));
        // Of two kinds, the worse one.
        assert!(bits(small, Mode::Interactive, 1 << 20, 1 << 22) == interactive(small, 1 << 20));
    }

    #[test]
    fn terms_add_up_and_each_has_a_name() {
        let checks = Checks {
            blocks: 3,
            degree: 5,
            folds: 2,
            branches: 7,
            challenges: 1,
            conversions: 0,
            unknowns: 9,
            ..Checks::default()
        };
        let soundness = Soundness::quicksilver(checks, FieldSize::of::<F61, F61>(), hashed(10.0));
        let terms = soundness.terms();
        let sum: f64 = terms.iter().map(|term| (-term.bits).exp2()).sum();
        assert!((sum.log2() + soundness.bits()).abs() < 1e-9);
        assert!(terms.len() >= 7 && terms.iter().all(|term| !term.what.is_empty()), "{terms:?}");
        assert!(soundness.in_mode(Mode::Interactive).terms().len() < terms.len());
    }
}
