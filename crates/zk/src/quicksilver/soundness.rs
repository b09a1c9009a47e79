//! The soundness of a proof, by the bounds of the paper.
//!
//! By QuickSilver, theorems 4.2 and 5.1 and the remarks after them, with coefficients expanded from a 128-bit
//! seed, a proof of a false statement is accepted with probability at most
//!
//! ```text
//! interactive     D / K + 1 / p^r                wrong relations survive their block's check: at most D values of delta satisfy the
//!                                                opened equation of degree D, and coefficients cancel the errors
//!               + T / 2^128                      the errors of a block were made for the seed that comes (below)
//!               + 2 / p^r                        a wrong matrix product survives its fold, if there are folds
//!               + max(t / p^r, (t' / p^r)^2)     wrong lookups or a wrong memory suit a challenge of the statement
//!               + 1 / K                          the tag of a wire that is not zero is guessed
//! Fiat-Shamir   + q * (2 / p^r + max(..) + T / 2^128)
//!                                                each hash computation is one more try at a challenge
//!               + q / 2^127                      the search for delta: the making of correlations answers guesses
//! ```
//!
//! plus the terms of disjunctions ([`crate::disjunction::soundness`]). `K` is one over the probability of
//! delta's most likely value ([`FieldSize`]); over bits `p^r = 2^128` and `K = 2^127`, since delta's lowest
//! bit is fixed. Where `p^r` divides the error of coefficients, it stands for one over the probability of the
//! most likely one: that is one bit less for each coordinate ([`FieldSize::of`]). `D` is the greatest degree
//! of a relation; a product has degree 2. Relations of lower degree are shifted to the block's greatest
//! degree by a factor `X^h`. It adds the root zero only, so there are still at most `D` roots, whatever delta
//! is. `t` is the greatest degree that one challenge of the statement ([`volery_circuit::challenge`]) tests,
//! `t'` the greatest that one with two repetitions tests.
//!
//! **It is the greatest error that counts and not the sum**, however many blocks, folds and challenges a
//! proof has.
//!
//! *Proof for challenges by V.* Call each block, fold and challenge of the statement a *test*. Its seed is
//! drawn when all that it tests is fixed. A test is *wrong* if its claim is false for the values that P is
//! committed to. A wrong test is *lucky* if its seed hides this: if the coefficients cancel the errors of the
//! block, if the vectors suit the false product, if the challenge is a zero of the polynomial that the values
//! determine.
//!
//! 1. *The first wrong test of a kind is lucky with the probability of one test.* Whether test `i` is wrong
//!    does not depend on its own seed. So when V draws that seed, it is determined whether `i` is the first
//!    wrong test of its kind. (Tests are in the order in which seeds are drawn. When a program takes a
//!    challenge does not matter.) Given all before, it is lucky with probability at most `e_i`. The events
//!    "`i` is the first wrong test" exclude each other, so the first wrong test is lucky with probability at
//!    most
//!
//!    ```text
//!    sum over i of Pr[i is the first wrong test] * e_i  <=  max e_i
//!    ```
//!
//! 2. *If none of the first wrong tests is lucky, V accepts for at most `D` values of delta.* A wrong fold or
//!    challenge that is not lucky leaves a relation or an assertion that is false. A false relation makes its
//!    block wrong. The first wrong block is not lucky, so its opened equation is a polynomial in delta that
//!    is not zero and has degree at most `D`. V's seeds do not depend on delta. As long as V goes on, P's
//!    messages depend on delta by the making of correlations only. There a wrong guess, or a cheat that tells
//!    P delta, ends the session before V accepts. So given the seeds and P's choices, this polynomial is
//!    determined, and V accepts only if delta is one of its roots. The other blocks can only take roots away.
//!    In the same way a false assertion leaves one value of delta. (V computes some relations at `1 / delta`.
//!    So it accepts nothing if delta is zero.)
//! 3. A later test may be lucky, or another block may open by a guess of delta; both do not help P. V accepts
//!    only if every test passes. A failed one ends the session, and nothing is accepted any more that was
//!    made under its delta. QED.
//!
//! *Proof for hashed challenges.* Each hash that P computes draws the seed of one test, whose values the
//! hashed messages fix. It is lucky with probability at most the greatest `e_i`, so `q` hashes give at most
//! `q` times that. If V computes a seed that P has not computed, 1. holds for it. P sends one proof for its
//! correlations, and a rejected one destroys them, so 2. holds, too. P chooses what it tries, but no hash
//! tries two tests.
//!
//! **Seeds.** Under a seed that P has not tried, coefficients are random, and errors cancel with probability
//! `1 / p^r` however many relations a block has. But a seed has 128 bits, and the coefficients are a public
//! function of it. So P can try some seeds and solve for errors that cancel under all of them: over bits `n`
//! errors for `n / 128` seeds. `T` is the most seeds for which a P that tries fewer than 2^64 can make errors
//! ([`FieldSize`], `made_for`). Only one block counts: P is caught at the first wrong block whose seed is not
//! among those. If challenges are hashes, each hash draws a seed. A challenge of the statement is expanded
//! from a seed of 128 bits, like coefficients. P may make the values that it tests for some seeds; those are
//! counted in the same way.
//!
//! The bound for Fiat-Shamir requires seeds that P cannot compute before its correlations are fixed: each
//! depends on 32 bytes that V draws after that (`challenges`). A hash computed before P knows them is useful
//! with probability `2^-256`.
//!
//! `q` is counted over the life of the correlations. It is not in the bound of an interactive proof. But
//! there, too, a search for delta succeeds with probability `q / 2^127`, and nobody notices it. Making
//! correlations over a field has its own checks, with an error of `(h + 2) / p^r` for each round, from which
//! a cheating P cannot profit unless V cheats too.

use volery_circuit::challenge::most_tested;

use crate::bound::{FieldSize, Mode, Terms};

/// The counts that the bound depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks {
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
    /// polynomial, over a field one for each relation. Each is a value, or if there are challenges of the
    /// statement an element of the field of MACs.
    pub unknowns: u64,
    /// The greatest degree that a challenge of the statement tests ([`volery_circuit::challenge`]); 0 if
    /// there is none.
    pub tested: u64,
    /// The greatest degree that one with two repetitions tests.
    pub tested_twice: u64,
    /// The most values that one of them tests.
    pub tested_values: u64,
    /// Whether these are the counts of a statement, made without the field of MACs. A challenge that they
    /// have with two repetitions may then have one.
    pub counted: bool,
}

impl Checks {
    /// Adds the terms of a proof with MACs in a field of this `size`, except those of disjunctions.
    pub(crate) fn terms(&self, size: FieldSize, mode: Mode, terms: &mut Terms) {
        let [field, key] = [size.field, size.key].map(f64::exp2);
        terms.add(
            "a wrong multiplication or polynomial passes the check of its block",
            self.degree.max(2) as f64 / key + 1.0 / field,
        );
        // The relations of lookups and memories have coefficients, and so errors, in the field of MACs.
        let [value, mac] = size.bits;
        let wide = if self.tested.max(self.tested_twice) > 0 { mac / value } else { 1.0 };
        let made = size.made_for(self.unknowns as f64 * wide);
        terms.add("errors of a block are made for the seed that comes", made * (1.0 + mode.tries()));
        terms.add("a wrong matrix product passes its fold", if self.folds > 0 { 2.0 / field } else { 0.0 });
        // These elements are made from whole blocks, so all are equally likely.
        let drawn = size.bits[1].min(127.0).exp2();
        let most = most_tested(size.bits[1] as u32, mode.tries() > 0.0);
        let once = self.tested.max(if self.counted { self.tested_twice.min(most) } else { 0 });
        let lucky = (once as f64 / drawn).max((self.tested_twice as f64 / drawn).powi(2));
        if lucky > 0.0 {
            let made = size.made_for(self.tested_values as f64);
            terms.add("wrong lookups or a wrong memory suit a challenge", lucky + made);
            terms.add("a hash suits wrong lookups or a wrong memory", mode.tries() * (lucky + made));
        }
        terms.add("the tag of a wire that is not zero is guessed", 1.0 / key);
        terms.add("a hash suits a wrong relation", mode.tries() * 2.0 / field);
    }
}

#[cfg(test)]
mod tests {
    use volery_circuit::Tested;
    use volery_field::{Bn254Scalar, F32, F32x4, F61, F61x2, Gf128, Gf256, Goldilocks, GoldilocksX2};

    use super::super::bits::{Program, Settings};
    use super::super::{Tally, field};
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
    fn a_trillion_multiplications_are_worth_what_one_full_block_is() {
        for (settings, most) in [(Settings::LAN, 2049.0), (Settings::WAN, 4097.0)] {
            let bits = |n: u64| {
                let checks = Program::from(n).checks(settings);
                Soundness::quicksilver(checks, FieldSize::OVER_BITS, Mode::Interactive).bits()
            };
            // D + 1/2 for a block, 1 for a tag, and half the seeds that its errors are made for.
            let expected = 127.0 - (3.5 + most / 2.0_f64).log2();
            for n in [settings.interval as u64, 1_000_000_000, 1_000_000_000_000] {
                assert!((bits(n) - expected).abs() < 1e-9, "{n}: {} {expected}", bits(n));
            }
            assert!((bits(0) - 125.0).abs() < 1e-9);
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
        // Full of coefficients 3 * 2^17 at a time: many blocks, each with 12 * 2^17 errors at most.
        let many = Program { commitments: 0, polynomials: 4 << 17, degree: 4, ..Program::default() };
        assert!((bits(many) - expected(4.0, 12.0 * f64::from(1 << 17))).abs() < 1e-9);
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
            let checks = Checks { degree: 2, unknowns, ..Checks::default() };
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

    /// As many multiplications as a run of 10^9 steps of a processor has commitments, and more.
    #[test]
    fn any_number_of_multiplications_keeps_fifty_seven_bits_over_the_61_bit_field() {
        let size = FieldSize::of::<F61, F61>();
        assert!(size.key > 59.0 && size.field == 60.0, "{size:?}");
        let bits = |checks| Soundness::quicksilver(checks, size, Mode::Interactive).bits();
        let settings = field::Settings::LAN;
        let proof = |multiplications: u64| {
            let blocks = 2 * multiplications / settings.interval as u64 + 1;
            let tally = Tally { multiplications, blocks, folds: 10, ..Tally::default() };
            tally.checks_over_field(settings)
        };
        for n in [1_000_000_000, 27_000_000_000, u64::MAX / 4] {
            assert!((57.4..57.5).contains(&bits(proof(n))), "{n}: {}", bits(proof(n)));
        }
        // 64 bits are worth more, and the digits of an extension's key are nearly the key itself.
        let goldilocks = FieldSize::of::<Goldilocks, Goldilocks>();
        assert_eq!((goldilocks.key, goldilocks.field), (63.0, 63.0));
        let bits_of_goldilocks =
            Soundness::quicksilver(proof(1_000_000_000), goldilocks, Mode::Interactive).bits();
        assert!((60.0..60.5).contains(&bits_of_goldilocks), "{bits_of_goldilocks}");
        assert_eq!(FieldSize::of::<Goldilocks, GoldilocksX2>().key, 126.0);
        assert_eq!(FieldSize::of::<F32, F32x4>().key, 124.0);
        assert_eq!(FieldSize::of::<Gf256, Gf128>().key, 127.0);
        // Degree a thousand.
        assert!((48.0..50.0).contains(&bits(Checks { degree: 1 << 10, ..Checks::default() })));
    }

    /// A run of 10^9 steps in segments of 2^17, each with a challenge that tests the most: 41 bits remain,
    /// where the sum over segments would leave 28.
    #[test]
    fn a_run_is_worth_what_its_worst_segment_is() {
        let most = most_tested(61, false);
        let mut tally = Tally::default();
        for _ in 0..1_000_000_000_u64.div_ceil(1 << 17) {
            tally.challenge(Tested { degree: most, repetitions: 1, values: 4 * most });
            tally.blocks += 28;
        }
        tally.polynomials = 27_000_000_000;
        tally.degree = 4;
        let checks = tally.checks_over_field(field::Settings::LAN);
        let size = FieldSize::of::<F61, F61>();
        let bits = Soundness::quicksilver(checks, size, Mode::Interactive).bits();
        assert!((40.99..41.0).contains(&bits), "{bits}");
    }

    /// Twice as many seeds for relations over the extension of degree 2.
    #[test]
    fn errors_of_relations_with_scalars_are_elements_of_the_field_of_macs() {
        let size = FieldSize::of::<F61, F61x2>();
        let made = |tested| {
            let checks = Checks { degree: 2, unknowns: 1 << 17, tested, ..Checks::default() };
            let terms = Soundness::quicksilver(checks, size, hashed(64.0)).terms();
            let made = terms.iter().find(|term| term.what.contains("made for"));
            made.expect("a term").bits
        };
        let [without, with] = [made(0), made(1)];
        assert!((46.9..47.0).contains(&without) && (without - with - 1.0).abs() < 0.001, "{without} {with}");
    }

    #[test]
    fn a_hash_tries_one_test_however_many_there_are() {
        let size = FieldSize::of::<F61, F61x2>();
        let bits = |folds| {
            let checks = Checks { degree: 2, folds, ..Checks::default() };
            Soundness::quicksilver(checks, size, hashed(64.0)).bits()
        };
        // 2^64 tries at 2 / 2^120, besides the seeds of 128 bits.
        assert!((54.9..55.0).contains(&bits(1)), "{}", bits(1));
        assert!(bits(1) == bits(1 << 20));
    }

    #[test]
    fn the_greatest_challenge_counts_and_leaves_what_its_docs_say() {
        let bits = |size, mode, tested: u64, tested_twice| {
            let tested_values = 4 * tested.max(tested_twice);
            let checks = Checks { degree: 4, tested, tested_twice, tested_values, ..Checks::default() };
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
        // What takes two challenges over 61 bits may take one over 122, and so may one of less.
        for tested_twice in [1 << 21, 1 << 22] {
            let tested_values = 4 << 21;
            let checks =
                Checks { degree: 4, tested_twice, tested_values, counted: true, ..Checks::default() };
            let counted = Soundness::quicksilver(checks, large, Mode::Interactive).bits();
            assert!((counted - interactive(large, 1 << 21)).abs() < 1e-6, "{counted}");
            assert!(bits(large, Mode::Interactive, 0, tested_twice) > 103.0);
        }
        // Rows of a hundred columns are as many more values that P can make for hashes.
        let wide = |tested_values| {
            let checks = Checks { tested: most(122, true), tested_values, ..Checks::default() };
            Soundness::quicksilver(checks, large, hashed(64.0)).bits()
        };
        let [narrow, wide] = [8_u64, 100].map(|columns| wide(columns * most(122, true)));
        assert!(narrow > 40.7 && (39.5..39.7).contains(&wide), "{narrow} {wide}");
        // Of two kinds, the worse one.
        assert!(bits(small, Mode::Interactive, 1 << 20, 1 << 22) == interactive(small, 1 << 20));
    }

    #[test]
    fn terms_add_up_and_each_has_a_name() {
        let checks = Checks {
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
