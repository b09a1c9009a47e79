//! Statements over bits and a field.

use std::time::Duration;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use volery_channel::{Channel, Limits, memory_pair};
use volery_circuit::{Convert, Digest, Ops, Prove, Statement};
use volery_field::{F2, F61, F61x2, Mac};
use volery_vole::{SessionId, Transcript};
use volery_zk::Error;
use volery_zk::quicksilver::mixed::Tallies;
use volery_zk::quicksilver::{self, Challenges, arithmetic, mixed, verdict};

use crate::deal;

type Both = (Result<Tallies, Error>, Result<Tallies, Error>);

/// P with `proved`, V with `claimed`.
fn between<M: Mac<F61>, S, T>(fiat_shamir: bool, interval: usize, proved: &S, claimed: &T) -> Both
where
    S: for<'a> Statement<mixed::Prover<'a, F61, M>>,
    T: for<'a> Statement<mixed::Verifier<'a, F61, M>>,
{
    let limits =
        Limits { read: Duration::from_secs(20), write: Duration::from_secs(20), ..Limits::default() };
    let (mut p, mut v) = memory_pair(&limits);
    let bits = quicksilver::Settings { interval };
    let elements = arithmetic::Settings { interval };
    let transcript = |name: &str| Transcript::new(name, &SessionId::new([1; 32]));
    std::thread::scope(|scope| {
        let prover = scope.spawn(move || {
            let (mut a, mut b) = (ChaCha20Rng::seed_from_u64(8), ChaCha20Rng::seed_from_u64(9));
            let challenges = |name: &str, rng| match fiat_shamir {
                true => Challenges::FiatShamir(transcript(name)),
                false => Challenges::Interactive(rng),
            };
            let mut bit_stock = deal::bit_stock(3, None, true);
            let mut stock = deal::prover_stock::<F61, M>(1);
            let result = {
                let bits =
                    quicksilver::Prover::new(bits, challenges("bits", &mut a), &mut bit_stock, &mut p, None);
                let field = arithmetic::Prover::new(elements, challenges("field", &mut b), &mut stock, bits);
                mixed::Prover::new(field, [5; 16].into()).prove(proved)
            };
            let result = result.and_then(|tally| verdict::receive(&mut p).map(|()| tally));
            result.inspect_err(|error| p.fail(&error.to_string()))
        });
        let verifier = scope.spawn(move || {
            let (mut a, mut b) = (ChaCha20Rng::seed_from_u64(1), ChaCha20Rng::seed_from_u64(2));
            let challenges = |name: &str, rng| match fiat_shamir {
                true => Challenges::FiatShamir(transcript(name)),
                false => Challenges::Interactive(rng),
            };
            let (mut stock, delta) = (deal::verifier_stock::<F61, M>(1), deal::delta::<F61, M>());
            let bit_delta = deal::bit_delta();
            let mut bit_stock = deal::bit_stock(3, Some(deal::bit_delta()), true);
            let result = {
                let bits = quicksilver::Verifier::new(
                    bits,
                    challenges("bits", &mut a),
                    &bit_delta,
                    &mut bit_stock,
                    &mut v,
                    None,
                );
                let field = arithmetic::Verifier::new(
                    elements,
                    challenges("field", &mut b),
                    &delta,
                    &mut stock,
                    bits,
                );
                mixed::Verifier::new(field).verify(claimed)
            };
            if result.as_ref().is_err_and(Error::is_rejection) {
                let _ = verdict::send(&mut v, false);
            }
            let result = result.and_then(|tally| verdict::send(&mut v, true).map(|()| tally));
            result.inspect_err(|error| v.fail(&error.to_string()))
        });
        (prover.join().expect("no panic"), verifier.join().expect("no panic"))
    })
}

/// Elements to bits, gates on the bits, back to elements, gates on those; again and again.
struct BackAndForth {
    values: Vec<u64>,
    /// P flips the first bit that it lifts after this round.
    lie: Option<usize>,
}

impl<B: Convert<F61>> Statement<B> for BackAndForth {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"test: back and forth");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let n = self.values.len();
        let mut x =
            Prove::<F61>::secret(b, n, &mut |_| Ok(self.values.iter().map(|v| F61::new(*v)).collect()))?;
        for round in 0..3 {
            let mut bits = b.to_bits(&x, 40)?;
            for i in 1..bits.len() {
                let (low, high) = bits.split_at_mut(i);
                let and = Ops::<F2>::mul(b, &low[i - 1], &high[0])?;
                high[0] = Ops::<F2>::add(b, &and, &high[0]);
            }
            if self.lie == Some(round) {
                bits[0] = Ops::<F2>::add_constant(b, &bits[0], F2::ONE);
            }
            for (x, bits) in x.iter_mut().zip(bits.chunks(40)) {
                let element = b.to_element(&bits[..39])?;
                let square = Ops::<F61>::mul(b, &element, &element)?;
                let square_value = Prove::<F61>::secret(b, 1, &mut |peek| Ok(vec![peek.value(&square)]))?;
                let difference = Ops::<F61>::sub(b, &square, &square_value[0]);
                Prove::<F61>::assert_zero(b, &[difference])?;
                *x = element;
            }
        }
        Ok(())
    }
}

fn honest() -> BackAndForth {
    BackAndForth {
        values: (0..30).map(|i| (i * 0x1234_5678_9abc) >> 8 & 0xff_ffff_ffff).collect(),
        lie: None,
    }
}

#[test]
fn conversions_both_ways_are_accepted_and_counted_alike() {
    for fiat_shamir in [false, true] {
        for interval in [1 << 17, 1 << 10, 50] {
            let (p, v) = between::<F61x2, _, _>(fiat_shamir, interval, &honest(), &honest());
            assert_eq!(p.unwrap(), v.unwrap(), "{fiat_shamir} {interval}");
        }
    }
    let (p, v) = between::<F61, _, _>(false, 1 << 17, &honest(), &honest());
    let [bits, elements] = v.unwrap();
    assert_eq!(p.unwrap(), [bits, elements]);
    assert!(bits.multiplications > 3000 && elements.secrets > 3000, "{bits:?} {elements:?}");
}

#[test]
fn a_prover_whose_element_is_not_the_bit_is_rejected() {
    for fiat_shamir in [false, true] {
        for round in 0..3 {
            let liar = BackAndForth { lie: Some(round), ..honest() };
            let (p, v) = between::<F61x2, _, _>(fiat_shamir, 1 << 17, &liar, &honest());
            assert!(v.unwrap_err().is_rejection(), "{fiat_shamir} {round}");
            assert!(p.is_err());
        }
    }
}
