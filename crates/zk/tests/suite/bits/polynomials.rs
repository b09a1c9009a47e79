//! Polynomials over bits: random ones of degree 1 to 10 against direct evaluation, provers that lie about
//! them, parties that do not agree on them.

use volery_channel::{Channel, Error as ChannelError, tags};
use volery_circuit::polynomials::{MAX_DEGREE, Polynomial, Term};
use volery_circuit::statements::Mul32;
use volery_circuit::{Digest, Error as CircuitError, Evaluator, MatrixShape, Polynomials, Statement};
use volery_field::F2;
use volery_testing::{Change, Tap, between, deal};
use volery_vole::Prg;
use volery_zk::Error;
use volery_zk::quicksilver::Tally;

use crate::bits::honest::{same_messages, sent};
use crate::bits::parties::{Claim, MODES, Mode, Run};
use crate::bits::reference::Lie;
use crate::bits::statements::{Named, Products};

/// For each of these degrees some secret bits and a random polynomial in them, claimed to have the value that
/// it has, or, at one place, the other one; after each, `products` multiplications.
#[derive(Clone, Debug)]
struct Random {
    degrees: Vec<usize>,
    products: u64,
    seed: u8,
    wrong: Option<usize>,
}

impl Random {
    fn of(degrees: &[usize]) -> Self {
        Self { degrees: degrees.to_vec(), products: 0, seed: 7, wrong: None }
    }

    fn false_at(&self, at: usize) -> Self {
        Self { wrong: Some(at), ..self.clone() }
    }

    /// Bits for polynomial number `at` and the polynomial's terms, of its degree and all lower ones.
    fn sample(&self, at: usize) -> (Vec<F2>, Vec<Term<F2>>) {
        let (degree, mut prg) =
            (self.degrees[at], Prg::new([self.seed.wrapping_add((at as u8).wrapping_mul(31)); 16]));
        let mut number = |below: usize| prg.block().to_bits() as usize % below;
        let bits: Vec<F2> = (0..degree + 3).map(|_| F2::new(number(2) == 1)).collect();
        let mut terms = Vec::new();
        for degree in (1..=degree).flat_map(|degree| [degree; 3]) {
            let variables = (0..degree).map(|_| number(bits.len())).collect();
            terms.push(Term { coefficient: F2::ONE, variables });
        }
        (bits, terms)
    }
}

/// The polynomial's value, by the definition.
fn value(terms: &[Term<F2>], bits: &[F2]) -> F2 {
    terms.iter().fold(F2::ZERO, |sum, term| {
        sum + term.variables.iter().fold(term.coefficient, |product, variable| product * bits[*variable])
    })
}

impl<B: Polynomials<F2> + ?Sized> Statement<B> for Random {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("random polynomials", format!("{self:?}").as_bytes());
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        for at in 0..self.degrees.len() {
            let (bits, mut terms) = self.sample(at);
            let claimed = value(&terms, &bits) + F2::new(self.wrong == Some(at));
            terms.push(Term { coefficient: claimed, variables: Vec::new() });
            let wires = b.secret(bits.len(), &mut |_| Ok(bits.clone()))?;
            b.assert_polynomial(&Polynomial::new(terms)?, &wires)?;
            for _ in 0..self.products {
                b.mul(&wires[0], &wires[1])?;
            }
        }
        Ok(())
    }
}

const WRONG: &str = "a product or another polynomial is wrong";
const NOT_ZERO: &str = "a wire that must be zero is not";

fn rejected(reason: &str) -> Result<Tally, Error> {
    Err(Error::Rejected { reason: reason.into() })
}

#[test]
fn random_polynomials_of_degree_1_to_10_are_proved_to_have_their_values_and_no_others() {
    for degree in 1..=10 {
        for seed in 0..6 {
            let claim = Random { seed: 40 * seed, products: u64::from(seed), ..Random::of(&[degree; 3]) };
            for (mode, interval) in
                [(MODES[usize::from(seed) % 2], 1), (MODES[0], 20), (MODES[1], 20), (MODES[0], 1000)]
            {
                let run = Run { seed, ..Run::new(interval, mode) };
                let (p, v) = run.honest(&claim);
                let claims = if degree == 1 { (0, 3, 0) } else { (3, 0, degree) };
                let secrets = 3 * (degree as u64 + 3);
                let (polynomials, assertions, degree_claimed) = claims;
                let multiplications = 3 * u64::from(seed);
                let blocks = v.as_ref().map_or(0, |tally| tally.blocks);
                let tally = Tally {
                    secrets,
                    multiplications,
                    assertions,
                    polynomials,
                    degree: degree_claimed,
                    blocks,
                    ..Tally::default()
                };
                assert_eq!((p, v), (Ok(tally), Ok(tally)), "degree {degree}, {run:?}");
                for at in 0..3 {
                    let wrong = claim.false_at(at);
                    let (p, _) = run.honest(&wrong);
                    let expected = Evaluator::<F2>::check(&wrong).expect_err("false");
                    assert_eq!(p, Err(Error::Statement(expected)), "degree {degree}, {run:?}");
                    let (_, v) = run.lying(&wrong, Lie::GoOn);
                    assert_eq!(
                        v,
                        rejected(if degree == 1 { NOT_ZERO } else { WRONG }),
                        "degree {degree}, {run:?}"
                    );
                }
            }
        }
    }
}

/// Degrees of all kinds, in any order, with products between; some blocks have many, some none.
fn mixture() -> Random {
    Random { products: 9, ..Random::of(&[3, 2, 7, 1, 2, 10, 4, 4, 4, 1, 2, 5]) }
}

#[test]
fn the_messages_are_those_of_the_paper() {
    for mode in MODES {
        for interval in [1, 2, 7, 16, 33, 1000] {
            same_messages(Run::new(interval, mode), &mixture());
        }
    }
}

#[test]
fn threads_change_nothing() {
    let claim = Random { products: 3000, ..mixture() };
    for mode in MODES {
        let one = Run::new(9000, mode);
        let first = sent(one, &claim, |p| one.prove(&claim, p));
        for threads in [[4, 2], [1, 8], [8, 1]] {
            let run = Run { threads, ..one };
            assert!(sent(run, &claim, |p| run.prove(&claim, p)) == first, "{threads:?}");
        }
    }
}

/// Lengths of openings: a coefficient for each degree of the block, and the counts.
fn openings(run: Run, claim: &impl Claim) -> Vec<usize> {
    let sent = sent(run, claim, |p| run.prove(claim, p));
    sent.iter().filter(|(tag, _)| *tag == tags::CHECK_OPENING).map(|(_, payload)| payload.len()).collect()
}

#[test]
fn an_opening_is_as_long_as_its_block_s_greatest_degree_and_counts_polynomials_from_the_first_on() {
    let run = Run::new(16, Mode::Interactive);
    assert_eq!(openings(run, &Products::new(40)), [56, 56, 56]);
    // 6 bits and 30 products, then 9 bits and 30 products, then 5 bits and 30 products: blocks of 16, of
    // which the first takes the polynomial of degree 3, the third that of degree 6, the fifth that of
    // degree 2.
    let claim = Random { products: 30, ..Random::of(&[3, 6, 2]) };
    let degrees = [3, 2, 6, 2, 2, 2, 2];
    let claimed = openings(run, &claim);
    assert_eq!(claimed, degrees.map(|degree| 16 * degree + 32));
    // Degree 1 is an assertion: nothing is new.
    assert_eq!(openings(run, &Random::of(&[1, 1, 1, 1])), [56]);
}

#[test]
fn a_block_ends_when_it_is_full_of_coefficients() {
    // Few bits, many polynomials in them: 3 * 100 coefficients a block.
    struct Many(usize);
    impl<B: Polynomials<F2>> Statement<B> for Many {
        fn identify(&self, digest: &mut Digest) {
            digest.number("many", self.0 as u64);
        }

        fn run(&self, b: &mut B) -> Result<(), B::Error> {
            let x = b.secret(1, &mut |_| Ok(vec![F2::ONE]))?;
            for _ in 0..self.0 {
                b.assert_one_of(&x, &[F2::ZERO, F2::ONE])?;
            }
            Ok(())
        }
    }
    for mode in MODES {
        for (count, blocks) in [(149, 1), (150, 1), (151, 2), (300, 2), (301, 3), (1000, 7)] {
            assert_eq!(openings(Run::new(100, mode), &Many(count)), vec![64; blocks], "{count}");
        }
    }
}

/// The lies are well made: who knows delta, and changes nothing else, is believed.
#[test]
fn who_knows_delta_can_lie_about_any_polynomial() {
    let delta = deal::delta().expose();
    for mode in MODES {
        for interval in [1, 16, 1000] {
            // Numbers count polynomials, of which those of degree 1 are none.
            for (at, number) in [(0, 0), (1, 1), (2, 2), (4, 3), (5, 4), (8, 7), (11, 9)] {
                let (run, claim) = (Run::new(interval, mode), mixture().false_at(at));
                let (p, v) = run.lying(&claim, Lie::PolynomialKnowing(number, delta));
                assert!(p.is_ok() && v.is_ok(), "{at}: {p:?} {v:?}");
                let (_, v) = run.lying(&claim, Lie::GoOn);
                assert_eq!(v, rejected(WRONG), "{at}");
            }
        }
    }
}

#[test]
fn one_false_polynomial_among_hundreds_is_noticed_wherever_it_stands() {
    let claim = Random::of(&(0..200).map(|i| 2 + i % 4).collect::<Vec<_>>());
    for (i, at) in [0, 1, 2, 3, 4, 62, 63, 64, 65, 127, 128, 150, 197, 198, 199].into_iter().enumerate() {
        let (_, v) = Run::new([40, 5000][i % 2], MODES[i % 2]).lying(&claim.false_at(at), Lie::GoOn);
        assert_eq!(v, rejected(WRONG), "{at}");
    }
}

#[test]
fn two_false_polynomials_of_one_degree_or_of_two_do_not_cancel() {
    struct Twice(usize, usize);
    impl<B: Polynomials<F2>> Statement<B> for Twice {
        fn identify(&self, digest: &mut Digest) {
            digest.number("twice", (100 * self.0 + self.1) as u64);
        }

        fn run(&self, b: &mut B) -> Result<(), B::Error> {
            for degree in [self.0, self.1] {
                Random::of(&[degree]).false_at(0).run(b)?;
            }
            Ok(())
        }
    }
    for mode in MODES {
        for (a, b) in [(2, 2), (3, 3), (2, 3), (5, 2)] {
            let (_, v) = Run::new(100, mode).lying(&Twice(a, b), Lie::GoOn);
            assert_eq!(v, rejected(WRONG), "{a} {b}");
        }
    }
}

#[test]
fn every_bit_of_every_coefficient_of_an_opening_counts() {
    let claim = Random::of(&[2, 5, 3]);
    for mode in MODES {
        for bit in 0..128 * 5 {
            let (_, v) = Run::new(100, mode).lying(&claim, Lie::Opening { block: 0, bit });
            assert_eq!(v, rejected(WRONG), "bit {bit}");
        }
    }
}

#[test]
fn an_opening_under_another_mask_or_another_seed_is_rejected() {
    let claim = Random { products: 12, ..Random::of(&[4, 4, 4, 4]) };
    for mode in MODES {
        for lie in [Lie::Mask(1), Lie::OldMask(3), Lie::Seed(0), Lie::Seed(2)] {
            // 7 bits and 12 products: a polynomial in each block of 19.
            let (_, v) = Run::new(19, mode).lying(&claim, lie);
            assert_eq!(v, rejected(WRONG), "{lie:?}");
        }
    }
}

#[test]
fn a_wrong_bit_under_a_polynomial_is_rejected() {
    let claim = Random { products: 2, ..Random::of(&[1, 2, 3]) };
    let mut noticed = 0;
    for mode in MODES {
        for commitment in 0..21 {
            // What is sent differs from what is computed with. Bits that no product and no term has are no
            // harm.
            let (_, v) = Run::new(6, mode).lying(&claim, Lie::Correction(commitment));
            assert!(v.as_ref().err().is_none_or(Error::is_rejection), "{v:?}");
            noticed += u32::from(v.is_err());
        }
    }
    assert!(noticed >= 30, "{noticed}");
}

#[test]
fn counts_of_polynomials_that_differ_are_named() {
    for mode in MODES {
        let lie = Lie::Count { block: 0, what: 3 };
        let (_, v) = Run::new(100, mode).lying(&Random::of(&[2, 3]), lie);
        let expected = Error::Diverged { what: "the number of polynomials", ours: 2, theirs: 3 };
        assert_eq!(v, Err(expected));
    }
}

#[test]
fn parties_that_disagree_about_degrees_or_about_what_is_claimed_do_not_accept() {
    let named = |degrees: &[usize]| {
        // The number of bits must not tell.
        let pad: Vec<usize> = degrees.iter().map(|degree| 12 - degree).collect();
        Named { name: "one name", program: Padded(Random::of(degrees), pad) }
    };
    let cases: [(&[usize], &[usize]); 8] = [
        (&[3], &[4]),
        (&[4], &[3]),
        (&[2], &[3]),
        (&[3, 5], &[5, 5]),
        (&[3, 5], &[4, 5]),
        (&[1], &[2]),
        (&[2], &[1]),
        (&[2, 3], &[3, 2]),
    ];
    for mode in MODES {
        for (ours, theirs) in cases {
            let run = Run::new(1000, mode);
            let (p, v) = between(|p| run.prove(&named(theirs), p), |v| run.verify(&named(ours), v));
            assert!(p.is_err() && v.is_err(), "{ours:?} {theirs:?}: {p:?} {v:?}");
            if ours.iter().max() != theirs.iter().max() {
                let step = tags::CHECK_OPENING;
                let length = |degrees: &[usize]| {
                    let degree = degrees.iter().max().copied().unwrap_or(2).max(2);
                    16 * degree as u32 + if degrees == [1] { 24 } else { 32 }
                };
                let expected = length(ours) as usize;
                let wrong = ChannelError::WrongLength { step, length: length(theirs), expected };
                let too_long = matches!(v, Err(Error::Channel(ChannelError::TooLong { .. })));
                assert!(v == Err(Error::Channel(wrong)) || too_long, "{ours:?} {theirs:?}: {v:?}");
            }
        }
    }
}

/// With as many secret bits after each polynomial.
struct Padded(Random, Vec<usize>);

impl<B: Polynomials<F2>> Statement<B> for Padded {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("padded", format!("{:?}", self.0).as_bytes());
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        self.0.run(b)?;
        let n = self.1.iter().sum();
        b.secret(n, &mut |_| Ok(vec![F2::ZERO; n])).map(drop)
    }
}

/// Several blocks, with and without polynomials, and an assertion.
fn small() -> Random {
    Random { products: 6, ..Random::of(&[3, 1, 2, 4]) }
}

#[test]
fn no_flipped_bit_of_an_opening_or_of_the_assertions_is_accepted() {
    // Masks apart: a bit that occurs in no polynomial may be flipped, since nothing is claimed of it.
    let claim = Random { products: 0, ..Random::of(&[3, 2]) };
    for mode in MODES {
        let run = Run::new(7, mode);
        let messages = sent(run, &claim, |p| run.prove(&claim, p));
        let mut flipped = 0;
        for (at, (tag, payload)) in messages.iter().enumerate().filter(|(_, (tag, _))| *tag != tags::MASKS) {
            // Every third bit, which is one of each place in a byte.
            for bit in (at % 3..8 * payload.len()).step_by(3) {
                let (p, v) = between(
                    |p| run.prove(&claim, &mut Tap::on(p, Some((at, Change::Flip(bit))))),
                    |v| run.verify(&claim, v),
                );
                assert!(p.is_err() && v.is_err(), "{mode:?} {tag} ({at}), bit {bit}: {p:?} {v:?}");
                flipped += 1;
            }
        }
        // Openings of 3 and of 2 coefficients with four counts, and the hash.
        assert!(flipped >= 8 * (48 + 32 + 32 + 32 + 32) / 3, "{flipped}");
    }
}

#[test]
fn a_fiat_shamir_proof_is_one_message_and_good_for_its_statement_and_session_only() {
    let run = Run::new(16, Mode::FiatShamir);
    let messages = sent(run, &small(), |p| run.prove(&small(), p));
    let replayed = |run: Run, name: &'static str| {
        between(
            |p| {
                let _ = messages.iter().try_for_each(|(tag, payload)| p.send(*tag, payload));
                let _ = p.flush();
                p.recv(tags::VERDICT, 1).map(drop)
            },
            |v| match name {
                "" => run.verify(&small(), v),
                _ => run.verify(&Named { name, program: small() }, v),
            },
        )
        .1
    };
    assert!(replayed(run, "").is_ok());
    assert_eq!(replayed(run, "another"), rejected(WRONG));
    assert_eq!(replayed(Run { session: 2, ..run }, ""), rejected(WRONG));
    assert_eq!(replayed(Run { seed: 2, ..run }, ""), rejected(WRONG));
}

/// An expression of degree 0 or 1, or too great.
#[derive(Debug)]
enum Odd {
    Constant(F2),
    Cancelled,
    Degree(usize),
    Matrix(F2),
}

impl<B: Polynomials<F2>> Statement<B> for Odd {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("odd", format!("{self:?}").as_bytes());
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let x = b.secret(4, &mut |_| Ok([1, 0, 1, 1].map(|bit| F2::new(bit == 1)).to_vec()))?;
        match *self {
            Self::Constant(c) => {
                let c = b.poly_constant(c);
                b.assert_poly_zero(&[c])
            }
            Self::Cancelled => {
                // x (x + y) + x + x y is zero for all bits, and of degree 2 in name.
                let [p, q] = [b.poly(&x[0]), b.poly(&x[1])];
                let (sum, product) = (b.poly_add(&p, &q), b.poly_mul(&p, &q)?);
                let square = b.poly_mul(&p, &sum)?;
                let sum = b.poly_add(&square, &product);
                let sum = b.poly_add(&sum, &p);
                let nothing = b.poly_scale(&sum, F2::ZERO);
                let twice = b.poly_add_constant(&sum, F2::ZERO);
                b.assert_poly_zero(&[sum, nothing, twice])
            }
            Self::Degree(degree) => {
                let p = b.poly(&x[0]);
                let mut power = b.poly_constant(F2::ONE);
                for _ in 0..degree {
                    power = b.poly_mul(&power, &p)?;
                }
                let zero = b.poly_add(&power, &p);
                b.assert_poly_zero(&[zero])
            }
            Self::Matrix(last) => {
                let c = [F2::ONE, F2::ONE, F2::ONE, last].map(|c| b.constant(c));
                // (1 0; 1 1) squared is (1 0; 0 1).
                let c = [c[0].clone(), b.constant(F2::ZERO), b.constant(F2::ZERO), c[3].clone()];
                b.assert_matrix_product(MatrixShape::square(2), &x, &x, &c)
            }
        }
    }
}

#[test]
fn constants_powers_and_matrices_over_bits_are_proved_or_refused() {
    let misuse =
        |result: &Result<Tally, Error>| matches!(result, Err(Error::Statement(CircuitError::Misuse(_))));
    for mode in MODES {
        let run = Run::new(100, mode);
        for claim in [Odd::Constant(F2::ZERO), Odd::Cancelled, Odd::Degree(3), Odd::Matrix(F2::ONE)] {
            let (p, v) = run.honest(&claim);
            assert!(p.is_ok() && p == v, "{claim:?}: {p:?} {v:?}");
        }
        let (p, v) = run.honest(&Odd::Degree(MAX_DEGREE));
        assert!(p.is_ok() && p == v, "{p:?} {v:?}");
        let (p, v) = run.honest(&Odd::Degree(MAX_DEGREE + 1));
        assert!(misuse(&p) && v.is_err(), "{p:?} {v:?}");
        let (p, v) = run.honest(&Odd::Constant(F2::ONE));
        assert!(matches!(p, Err(Error::Statement(CircuitError::Unsatisfied { .. }))), "{p:?}");
        assert!(v.is_err());
        let (_, v) = run.lying(&Odd::Constant(F2::ONE), Lie::GoOn);
        assert!(misuse(&v), "{v:?}");
        let (p, _) = run.honest(&Odd::Matrix(F2::ZERO));
        assert!(matches!(p, Err(Error::Statement(CircuitError::Unsatisfied { .. }))), "{p:?}");
        assert_eq!(run.lying(&Odd::Matrix(F2::ZERO), Lie::GoOn).1, rejected(NOT_ZERO));
    }
}

fn mul32(products: &[u32], factors: &[[u32; 2]]) -> Mul32 {
    let claim = Mul32::new(products.to_vec()).with_factors(factors.to_vec().into());
    claim.expect("a pair for each product")
}

#[test]
fn products_modulo_2_32_are_proved_at_561_bits_each_and_others_are_rejected() {
    let factors = [[0x8765_4321, 0xfedc_ba98], [u32::MAX, 3], [0, 77]];
    let products = factors.map(|[x, y]: [u32; 2]| x.wrapping_mul(y));
    for mode in MODES {
        for interval in [300, 1 << 17] {
            let run = Run::new(interval, mode);
            let (p, v) = run.honest(&mul32(&products, &factors));
            let tally = v.expect("accepts");
            assert_eq!(p, Ok(tally));
            assert_eq!((tally.secrets, tally.multiplications), (3 * 561, 0));
            for (number, bit) in [(0, 0), (0, 31), (1, 7), (2, 16)] {
                let mut off = products;
                off[number] ^= 1 << bit;
                let claim = mul32(&off, &factors);
                assert!(matches!(run.honest(&claim).0, Err(Error::Statement(_))), "bit {bit}");
                assert_eq!(run.lying(&claim, Lie::GoOn).1, rejected(NOT_ZERO), "bit {bit}");
            }
            // Factors, carries and results.
            for secret in (64..1683).step_by(131) {
                let (_, v) = run.lying(&mul32(&products, &factors), Lie::Secret(secret));
                assert!(v.is_err_and(|error| error.is_rejection()), "secret {secret}");
            }
        }
    }
}

/// A product is wrong at a place where its run's power of `x` is one, and a polynomial by as much. Random
/// elements for them come from streams of their own, or with one for both they would cancel.
struct OneOfEach {
    /// True products before the wrong one, and vanishing polynomials before the other.
    before: [usize; 2],
}

impl<B: Polynomials<F2> + ?Sized> Statement<B> for OneOfEach {
    fn identify(&self, digest: &mut Digest) {
        digest.number("products", self.before[0] as u64).number("polynomials", self.before[1] as u64);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let x = b.secret(1, &mut |_| Ok(vec![F2::ONE]))?.remove(0);
        for _ in 0..self.before[0] {
            b.mul(&x, &x)?;
        }
        let opposite = b.add_constant(&x, F2::ONE);
        // Zero, where nobody lies.
        let wrong = b.mul(&x, &opposite)?;
        let [x, opposite, wrong] = [&x, &opposite, &wrong].map(|wire| b.poly(wire));
        let zero = b.poly_mul(&x, &opposite)?;
        b.assert_poly_zero(&vec![zero; self.before[1]])?;
        let claimed = b.poly_mul(&x, &wrong)?;
        b.assert_poly_zero(&[claimed])
    }
}

#[test]
fn a_wrong_product_and_a_wrong_polynomial_do_not_cancel() {
    for run_of_slots in 0..3 {
        // The secret takes the first slot.
        let products = (128 * run_of_slots + 127) % 384;
        let claim = OneOfEach { before: [products, (products + 1) / 128] };
        let run = Run::new(1000, Mode::Interactive);
        let (p, v) = run.honest(&claim);
        assert!(p.is_ok() && v.is_ok(), "{p:?} {v:?}");
        let (_, v) = run.lying(&claim, Lie::Product(products as u64));
        assert_eq!(v, Err(Error::Rejected { reason: "a product or another polynomial is wrong".into() }));
    }
}
