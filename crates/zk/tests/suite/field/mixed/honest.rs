//! Statements over bits and a field, honestly proved.

use volery_circuit::{Challenge, Convert, Digest, Ops, Prove, Relate, Statement, Tested};
use volery_field::{Bn254Scalar, F2, F61, F61x2, Mac, Value};
use volery_testing::{Tap, between};
use volery_zk::Error;
use volery_zk::quicksilver::mixed::{Prover, Verifier};

use super::parties::Run;
use super::reference::{Lie, MixedReference};

/// Elements to bits, S-boxes and gates on the bits, back to elements, gates on those; again and again.
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
            for bits in bits.chunks_mut(40) {
                let byte = core::array::from_fn(|i| bits[i].clone());
                for (bit, s) in bits[8..].iter_mut().zip(Ops::<F2>::substitute(b, &byte)?.iter().flatten()) {
                    *bit = Ops::<F2>::add(b, bit, s);
                }
            }
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

const INTERVALS: [usize; 3] = [1 << 17, 1 << 10, 50];

#[test]
fn conversions_both_ways_are_accepted_and_counted_alike() {
    for fiat_shamir in [false, true] {
        for interval in INTERVALS {
            for waits in [false, true] {
                let run = Run { waits, ..Run::new(interval, fiat_shamir) };
                let (p, v) = run.honest::<F61, F61x2, _>(&honest(), &honest());
                assert_eq!(p.unwrap(), v.unwrap(), "{run:?}");
            }
        }
    }
    let (p, v) = Run::new(1 << 17, false).honest::<F61, F61, _>(&honest(), &honest());
    let [bits, elements] = v.unwrap();
    assert_eq!(p.unwrap(), [bits, elements]);
    assert!(bits.multiplications > 3000 && elements.secrets > 3000, "{bits:?} {elements:?}");
    assert_eq!(bits.polynomials, 2 * 3 * 30, "two for each S-box");
}

#[test]
fn a_prover_whose_element_is_not_the_bit_is_rejected() {
    for fiat_shamir in [false, true] {
        for round in 0..3 {
            let liar = BackAndForth { lie: Some(round), ..honest() };
            let (p, v) = Run::new(1 << 17, fiat_shamir).honest::<F61, F61x2, _>(&liar, &honest());
            assert!(v.unwrap_err().is_rejection(), "{fiat_shamir} {round}");
            assert!(p.is_err());
        }
    }
}

/// Asks for a challenge, works on bits and converts them, and only then takes it: a square is claimed under
/// it.
struct Between;

impl<B: Convert<F61> + Challenge<F61>> Statement<B> for Between {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"test: bits between asking and taking");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let mut waiting = None;
        for round in 0..3 {
            let [x] = Relate::<F61>::secrets(b, |_| Ok([F61::new(5 + round)]))?;
            let asked = Challenge::<F61>::ask(b, Tested { degree: 1, repetitions: 1, values: 1 })?;
            let bits = b.to_bits(core::slice::from_ref(&x), 40)?;
            let and = Ops::<F2>::mul(b, &bits[0], &bits[2])?;
            let element = b.to_element(&[and])?;
            Prove::<F61>::assert_equal(b, &[element], &[F61::new([1, 0, 1][round as usize])])?;
            for (x, asked) in
                waiting.replace((x, asked)).into_iter().chain((round == 2).then(|| waiting.take()).flatten())
            {
                let drawn = Challenge::<F61>::take(b, 1, asked)?;
                let Some(drawn) = drawn.first().copied() else { continue };
                let masked = b.linear::<3>(drawn, &[B::embed(F61::new(1))], core::slice::from_ref(&x));
                let square = Challenge::<F61>::peek_expression(b, &(masked * masked));
                let square = Challenge::<F61>::one_scalar(b, square)?;
                let square = Challenge::<F61>::scalar::<3>(b, &square);
                Relate::<F61>::claim(b, masked * masked - square)?;
            }
        }
        Ok(())
    }
}

#[test]
fn a_challenge_is_taken_after_bits_and_conversions() {
    for fiat_shamir in [false, true] {
        for interval in [1 << 17, 50, 7] {
            for waits in [false, true] {
                let run = Run { waits, ..Run::new(interval, fiat_shamir) };
                let (p, v) = run.honest::<F61, F61x2, _>(&Between, &Between);
                assert_eq!(p.unwrap(), v.unwrap(), "{run:?}");
            }
        }
    }
}

/// These bits are committed to, and there are so many ones among them: counted in the field.
#[derive(Clone, Debug)]
pub(super) struct Ones {
    pub(super) bits: Vec<bool>,
    pub(super) ones: u64,
}

impl Ones {
    /// So many bits, truly counted.
    pub(super) fn of(n: usize) -> Self {
        let bits: Vec<bool> = (0..n).map(|i| i * i % 7 < 3).collect();
        let ones = bits.iter().filter(|bit| **bit).count() as u64;
        Self { bits, ones }
    }
}

/// [`Ones`] over some field.
pub(super) struct Over<F>(pub(super) Ones, core::marker::PhantomData<fn() -> F>);

impl<F> Over<F> {
    pub(super) fn new(ones: Ones) -> Self {
        Self(ones, core::marker::PhantomData)
    }
}

impl<F: Value, B: Convert<F>> Statement<B> for Over<F> {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", format!("test: {:?}", self.0).as_bytes());
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let Ones { bits, ones } = &self.0;
        let wires =
            Prove::<F2>::secret(b, bits.len(), &mut |_| Ok(bits.iter().map(|bit| F2::new(*bit)).collect()))?;
        let elements = b.convert_bits(&wires)?;
        let mut sum = Ops::<F>::constant(b, -F::from_u64(*ones));
        for element in &elements {
            sum = Ops::<F>::add(b, &sum, element);
        }
        Prove::<F>::assert_zero(b, &[sum])?;
        let differences: Vec<_> = wires
            .iter()
            .zip(bits)
            .map(|(wire, bit)| Ops::<F2>::add_constant(b, wire, F2::new(*bit)))
            .collect();
        Prove::<F2>::assert_zero(b, &differences)
    }
}

/// The numbers of bits around those that fill a group of the sets, and a power of two.
pub(super) const COUNTS: [usize; 9] = [1, 2, 5, 6, 7, 8, 15, 16, 61];

fn counts<F: Value, M: Mac<F>>()
where
    Over<F>: for<'a> Statement<Prover<'a, F, M>> + for<'a> Statement<Verifier<'a, F, M>>,
    for<'a> Prover<'a, F, M>: volery_circuit::Backend<Error = Error>,
    for<'a> Verifier<'a, F, M>: volery_circuit::Backend<Error = Error>,
{
    for (n, fiat_shamir) in COUNTS.into_iter().chain([0]).zip([false, true].into_iter().cycle()) {
        let run = Run::new(100, fiat_shamir);
        let claim = Over::<F>::new(Ones::of(n));
        let (p, v) = run.honest::<F, M, _>(&claim, &claim);
        assert_eq!(p.unwrap(), v.unwrap(), "{} {n}", F::NAME);
    }
}

#[test]
fn any_number_of_bits_is_counted_in_every_field_that_mixes() {
    counts::<F61, F61>();
    counts::<F61, F61x2>();
    counts::<Bn254Scalar, Bn254Scalar>();
    #[cfg(feature = "every-field")]
    {
        use volery_field::{F32, F32x4, Goldilocks, GoldilocksX2};
        counts::<F32, F32x4>();
        counts::<Goldilocks, Goldilocks>();
        counts::<Goldilocks, GoldilocksX2>();
    }
}

/// The plain prover is accepted, and the real one sends what it sends.
pub(super) fn says_the_same<M: Mac<F61>, S>(run: Run, claim: &S)
where
    S: for<'a> Statement<Prover<'a, F61, M>>
        + for<'a> Statement<Verifier<'a, F61, M>>
        + for<'a> Statement<MixedReference<'a, M>>
        + Sync,
{
    let record = |real: bool| {
        let (sent, v) = between(
            |p| {
                let mut tap = Tap::recorder(p);
                let result = if real {
                    run.prove::<F61, M, S>(claim, &mut tap)
                } else {
                    run.lie::<M, S>(claim, Lie::GoOn, &mut tap)
                };
                result.map(|_| tap.layer.sent)
            },
            |v| run.verify::<F61, M, S>(claim, v),
        );
        v.unwrap();
        sent.unwrap()
    };
    assert!(record(true) == record(false), "{run:?}");
}

#[test]
fn the_plain_prover_is_accepted_and_the_real_one_says_the_same_byte_for_byte() {
    for fiat_shamir in [false, true] {
        for n in COUNTS {
            let claim = Over::new(Ones::of(n));
            says_the_same::<F61, _>(Run::new(1 << 17, fiat_shamir), &claim);
            says_the_same::<F61x2, _>(Run::new(1 << 17, fiat_shamir), &claim);
        }
    }
}
