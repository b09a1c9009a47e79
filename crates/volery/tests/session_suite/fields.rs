//! Sessions over fields.

use sha2::Digest as _;
use volery::circuit::gadgets::{self, field as field_gadgets};
use volery::circuit::{Convert, Digest, MatrixShape, Ops, Prove, Statement};
use volery::field::{
    Authenticated, Bn254Scalar, F2, F32, F32x4, F61, F61x2, Gf128, Gf256, Goldilocks, GoldilocksX2, Mac,
    Ring, Value,
};
use volery::statements::{MatrixProduct, MulChain};
use volery::system::{Bits, Mixed, Over, Provable};
use volery::{Error, Options, Prover, Verifier};
use volery_channel::tags;

use crate::support::{Change, Product, Tap, between, options, patient, rng};

/// Two proofs of `claim` in one session, with a Boolean one between them.
fn twice<F: Value, M: Mac<F>>(options: Options, claim: &impl Provable<Over<F, M>>) {
    one_and_another::<F, M>(options, claim, claim);
}

/// Proofs of two claims in one session, with a Boolean one between them.
fn one_and_another<F: Value, M: Mac<F>>(
    options: Options,
    one: &impl Provable<Over<F, M>>,
    another: &impl Provable<Over<F, M>>,
) {
    let bit = Product { result: true, witness: Some([true, true]) };
    let (p, v) = between(
        &patient(),
        |channel| {
            let mut rng = rng(1);
            let mut prover = Prover::start(channel, options, &mut rng)?;
            let first = prover.prove(Over::<F, M>::new(), one, &mut rng)?;
            prover.prove(Bits, &bit, &mut rng)?;
            Ok::<_, Error>([first, prover.prove(Over::<F, M>::new(), another, &mut rng)?])
        },
        |channel| {
            let mut rng = rng(2);
            let mut verifier = Verifier::start(channel, options, &mut rng)?;
            let first = verifier.verify(Over::<F, M>::new(), one, &mut rng)?;
            verifier.verify(Bits, &bit, &mut rng)?;
            Ok::<_, Error>([first, verifier.verify(Over::<F, M>::new(), another, &mut rng)?])
        },
    );
    let (p, v) = (p.expect(F::NAME), v.expect(F::NAME));
    for (p, v) in p.iter().zip(&v) {
        assert_eq!(p.tally, v.tally);
        assert_eq!((p.bytes_sent, p.bytes_received), (v.bytes_received, v.bytes_sent));
    }
}

fn chain<F: Value>(muls: u64) -> MulChain<F> {
    MulChain::new(muls).expect("a size")
}

/// The program's tests go over every field of the table.
#[test]
fn one_circuit_is_proved_over_pairs_of_every_kind() {
    let interactive = options(false, 1);
    twice::<F61, F61>(interactive, &chain(2_500));
    twice::<F32, F32x4>(interactive, &chain(1_500));
    twice::<Gf256, Gf128>(interactive, &chain(300));
    twice::<Bn254Scalar, Bn254Scalar>(interactive, &chain(1_100));
    twice::<Goldilocks, GoldilocksX2>(interactive, &chain(2_500));
}

#[test]
fn fiat_shamir_and_threads_make_no_difference_to_what_holds() {
    let fiat_shamir = options(true, 1);
    // More than a block, and then less: one long proof of each takes seconds.
    one_and_another::<F61, F61x2>(fiat_shamir, &chain(140_000), &chain(3_000));
    twice::<Bn254Scalar, Bn254Scalar>(fiat_shamir, &chain(2_000));
    twice::<Goldilocks, GoldilocksX2>(fiat_shamir, &chain(2_000));
    one_and_another::<F61, F61>(options(false, 3), &chain(140_000), &chain(3_000));
    let shape = MatrixShape { rows: 20, inner: 30, columns: 10 };
    let product = MatrixProduct::<F61>::sample(shape, false, [3; 32]).expect("a shape");
    twice::<F61, F61x2>(fiat_shamir, &product);
    twice::<F61, F61>(options(false, 1), &product);
}

#[test]
fn a_field_too_small_for_hashed_challenges_and_a_second_field_are_refused() {
    let run = |options: Options, second: bool| {
        between(
            &patient(),
            |channel| {
                let mut rng = rng(1);
                let mut prover = Prover::start(channel, options, &mut rng)?;
                prover.prove(Over::<F61, F61>::new(), &chain(10), &mut rng)?;
                if second {
                    prover.prove(Over::<Bn254Scalar, Bn254Scalar>::new(), &chain(10), &mut rng)?;
                }
                Ok::<_, Error>(())
            },
            |channel| {
                let mut rng = rng(2);
                let mut verifier = Verifier::start(channel, options, &mut rng)?;
                verifier.verify(Over::<F61, F61>::new(), &chain(10), &mut rng)?;
                if second {
                    verifier.verify(Over::<Bn254Scalar, Bn254Scalar>::new(), &chain(10), &mut rng)?;
                }
                Ok::<_, Error>(())
            },
        )
    };
    assert!(run(options(false, 1), false).1.is_ok());
    for (options, second) in [(options(true, 1), false), (options(false, 1), true)] {
        let (p, v) = run(options, second);
        assert!(matches!(p, Err(Error::Options(_))), "{p:?}");
        assert!(v.is_err());
    }
}

/// "I know a balance with this hash, and it is above the threshold": SHA-256 and arithmetic on one secret.
struct Balance {
    digest: [u8; 32],
    threshold: u64,
    secret: Option<u64>,
}

impl<B: Convert<F61>> Statement<B> for Balance {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"test: balance");
        digest.bytes("digest", &self.digest);
        digest.number("threshold", self.threshold);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let balance =
            Prove::<F61>::secret(b, 1, &mut |_| Ok(vec![F61::new(self.secret.unwrap_or_default())]))?;
        let bits = b.to_bits(&balance, 48)?;
        let hashed = gadgets::sha256(b, &bits)?;
        let mut wrong = Vec::new();
        for (i, bit) in hashed.iter().enumerate() {
            let expected = F2::new(self.digest[i / 8] >> (i % 8) & 1 == 1);
            wrong.push(Ops::<F2>::add_constant(b, bit, expected));
        }
        Prove::<F2>::assert_zero(b, &wrong)?;
        let above = Ops::<F61>::add_constant(b, &balance[0], -F61::new(self.threshold));
        field_gadgets::assert_in_range::<F61, B>(b, &[above], 48)
    }
}

#[test]
fn a_hash_and_a_comparison_speak_of_the_same_secret() {
    let balance = 1_234_567_890_123_u64;
    let digest = sha2::Sha256::digest(&balance.to_le_bytes()[..6]).into();
    let claim = |threshold, secret| Balance { digest, threshold, secret };
    for fiat_shamir in [false, true] {
        for (threshold, honest) in [(1_234_567_890_123, true), (1_234_567_890_124, false)] {
            let options = options(fiat_shamir, 1);
            let (p, v) = between(
                &patient(),
                |channel| {
                    let mut rng = rng(1);
                    let mut prover = Prover::start(channel, options, &mut rng)?;
                    prover.prove(Mixed::<F61, F61x2>::new(), &claim(threshold, Some(balance)), &mut rng)
                },
                |channel| {
                    let mut rng = rng(2);
                    let mut verifier = Verifier::start(channel, options, &mut rng)?;
                    verifier.verify(Mixed::<F61, F61x2>::new(), &claim(threshold, None), &mut rng)
                },
            );
            assert_eq!((p.is_ok(), v.is_ok()), (honest, honest), "{p:?} {v:?}");
            if let (Ok(p), Ok(v)) = (p, v) {
                assert_eq!((p.tally, p.bits), (v.tally, v.bits));
                assert!(v.bits.multiplications > 20_000);
            }
        }
    }
}

/// A number of secrets that nobody announced.
struct Unannounced(usize);

impl<B: Prove<F61>> Statement<B> for Unannounced {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"test: unannounced").number("secrets", self.0 as u64);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let wires = b.secret(self.0, &mut |_| Ok(vec![F61::ONE; self.0]))?;
        let claim = b.add_constant(&wires[0], -F61::ONE);
        b.assert_zero(&[claim])
    }
}

/// A P that cheats in the check of the round that is being prepared learns V's key from V's answer. A proof
/// that ends before the round begins must not be accepted.
#[test]
fn no_proof_is_accepted_while_a_round_s_check_is_open() {
    let run = |secrets, change| {
        let ((p, sent), v) = between(
            &patient(),
            |inner| {
                let (mut rng, mut tap) = (rng(1), Tap::on(inner, change));
                let proved = Prover::start(&mut tap, options(false, 1), &mut rng).and_then(|mut prover| {
                    prover.prove(Over::<F61, F61>::new(), &Unannounced(secrets), &mut rng)
                });
                (proved, tap.layer.sent)
            },
            |channel| {
                let mut rng = rng(2);
                let mut verifier = Verifier::start(channel, options(false, 1), &mut rng)?;
                verifier.verify(Over::<F61, F61>::new(), &Unannounced(secrets), &mut rng)
            },
        );
        (p.is_ok(), v.is_ok(), sent)
    };
    // Where V has answered: from three quarters of the first stage on.
    for (secrets, answered) in [(2_900, false), (3_200, true), (3_500, true), (4_000, true)] {
        let (p, v, sent) = run(secrets, None);
        assert!(p && v);
        let check = sent.iter().position(|(tag, _)| *tag == tags::SUBFIELD_CHECK).expect("a check");
        // The lowest bit of the sum that P shows, after the seed.
        let (_, v, _) = run(secrets, Some((check, Change::Flip(8 * 16))));
        assert_eq!(v, !answered, "{secrets}");
    }
}

/// The wires of an arithmetic proof are public types: nothing about them shows a value.
#[test]
fn wires_do_not_show_their_values() {
    let wire = Authenticated::<F61, F61>::constant(F61::new(77));
    assert_eq!(format!("{wire:?}"), "Authenticated(..)");
}
