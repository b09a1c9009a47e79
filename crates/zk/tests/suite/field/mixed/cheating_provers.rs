//! Provers that lie about what ties bits to elements.

use volery_channel::{Channel as _, tags};
use volery_circuit::{Convert, Digest, Prove, Statement};
use volery_field::{F2, F61, F61x2, Mac};
use volery_testing::{Tap, between};
use volery_zk::Error;
use volery_zk::quicksilver::mixed::{Tallies, Verifier};

use super::honest::{COUNTS, Ones, Over};
use super::parties::Run;
use super::reference::{Lie, MixedReference};
use crate::field::parties::{not_zero, wrong};

fn runs() -> impl Iterator<Item = Run> {
    [(1 << 17, false), (1 << 17, true), (90, false), (90, true)]
        .into_iter()
        .map(|(interval, fiat_shamir)| Run::new(interval, fiat_shamir))
}

/// A count that is false by what one conversion's element is more than its bit; only the check of the
/// conversion can notice.
fn miscounted(n: usize, conversion: usize, more: i64) -> Over<F61> {
    let mut ones = Ones::of(n);
    ones.ones = ones.ones.checked_add_signed(more).expect("not below zero");
    assert!(conversion < n);
    Over::new(ones)
}

/// The other bit of this conversion, as a difference.
fn change(n: usize, conversion: usize) -> i64 {
    if Ones::of(n).bits[conversion] { -1 } else { 1 }
}

fn either<T: core::fmt::Debug + PartialEq>(result: Result<T, Error>, context: &str) {
    assert!(result == not_zero() || result == wrong(), "{context}: {result:?}");
}

fn answer<M: Mac<F61>>(run: Run, claim: &Over<F61>, lie: Lie) -> Result<Tallies, Error>
where
    Over<F61>: for<'a> Statement<MixedReference<'a, M>> + for<'a> Statement<Verifier<'a, F61, M>>,
{
    run.answer::<M, _>(claim, lie)
}

#[test]
fn an_element_that_is_not_its_bit_is_rejected_wherever_it_stands() {
    for run in runs() {
        for n in COUNTS {
            for conversion in [0, n / 2, n - 1] {
                let claim = miscounted(n, conversion, change(n, conversion));
                let context = format!("{run:?} {conversion} of {n}");
                // The field's part fails in about half of all sets.
                assert_eq!(answer::<F61>(run, &claim, Lie::Other(conversion)), not_zero(), "{context}");
                assert_eq!(answer::<F61x2>(run, &claim, Lie::Other(conversion)), not_zero(), "{context}");
            }
        }
    }
}

/// Parities do not notice two more; that elements are bits is a claim of its own.
#[test]
fn an_element_that_is_no_bit_is_rejected_wherever_it_stands() {
    for run in runs() {
        for n in [2, 7, 61] {
            for conversion in [0, n / 2, n - 1] {
                let v = answer::<F61>(run, &miscounted(n, conversion, 2), Lie::NotABit(conversion));
                assert_eq!(v, wrong(), "{run:?} {conversion} of {n}");
            }
        }
    }
}

/// The lies above are well made: a prover that knows the sets before it commits to its masks is believed.
#[test]
fn who_foresees_the_sets_can_lie_about_any_link_and_who_foresees_others_cannot() {
    fn test<M: Mac<F61>>()
    where
        Over<F61>: for<'a> Statement<MixedReference<'a, M>> + for<'a> Statement<Verifier<'a, F61, M>>,
    {
        let run = Run::new(1 << 17, false);
        for (n, conversion) in [(1, 0), (7, 6), (61, 30)] {
            let claim = miscounted(n, conversion, change(n, conversion));
            // V's second challenge of the field's part, which here it draws alike each time.
            let (_, sent) = between(
                |p| run.lie::<M, _>(&claim, Lie::GoOn, p),
                |v| {
                    let mut tap = Tap::recorder(v);
                    let _ = run.verify::<F61, M, _>(&claim, &mut tap);
                    tap.layer.sent
                },
            );
            let mut seeds = sent.into_iter().filter(|(tag, _)| *tag == tags::ELEMENTS_CHALLENGE);
            let seed: [u8; 16] = seeds.nth(1).expect("the sets").1.try_into().expect("16 bytes");
            let v = answer::<M>(run, &claim, Lie::Foreseen(conversion, seed));
            assert!(v.is_ok(), "{conversion} of {n}: {v:?}");
            let mut other = seed;
            other[7] ^= 0x10;
            assert_eq!(
                answer::<M>(run, &claim, Lie::Foreseen(conversion, other)),
                not_zero(),
                "{conversion} of {n}"
            );
        }
    }
    test::<F61>();
    test::<F61x2>();
}

#[test]
fn every_mask_parity_and_digit_counts() {
    for run in runs() {
        let claim = Over::new(Ones::of(7));
        assert!(answer::<F61>(run, &claim, Lie::GoOn).is_ok());
        for set in 0..64 {
            for lie in [Lie::Mask(set), Lie::Parity(set), Lie::Digit(set, set % 3)] {
                assert_eq!(answer::<F61>(run, &claim, lie), not_zero(), "{run:?} {lie:?}");
            }
            for lie in [Lie::MaskNotABit(set), Lie::Digits(set)] {
                assert_eq!(answer::<F61>(run, &claim, lie), wrong(), "{run:?} {lie:?}");
            }
        }
        for set in [64, 100, 127] {
            for lie in [
                Lie::Mask(set),
                Lie::Parity(set),
                Lie::Digit(set, 0),
                Lie::MaskNotABit(set),
                Lie::Digits(set),
            ] {
                either(answer::<F61x2>(run, &claim, lie), &format!("{run:?} {lie:?}"));
            }
        }
        either(answer::<F61>(run, &claim, Lie::Seed), "other sets");
    }
}

/// `x` as so many bits, which are claimed to be those of `y`.
struct Bits {
    x: u64,
    width: usize,
    y: u64,
}

impl<B: Convert<F61>> Statement<B> for Bits {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"test: bits of a number").number("y", self.y);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let x = Prove::<F61>::secret(b, 1, &mut |_| Ok(vec![F61::new(self.x)]))?;
        let mut bits = b.to_bits(&x, self.width)?;
        for (i, bit) in bits.iter_mut().enumerate() {
            *bit = b.add_constant(bit, F2::new(self.y >> i & 1 == 1));
        }
        Prove::<F2>::assert_zero(b, &bits)
    }
}

#[test]
fn an_element_out_of_range_has_no_bits() {
    let p = (1 << 61) - 1;
    for run in runs() {
        for (x, width) in
            [(0, 1), (1, 1), (255, 8), (1 << 59, 60), ((1 << 60) - 1, 60), (0, 0), (p - 1, 61), (0, 61)]
        {
            let v = run.answer::<F61x2, _>(&Bits { x, width, y: x }, Lie::GoOn);
            assert!(v.is_ok(), "{run:?} {x} {width}: {v:?}");
        }
        for (x, width) in [(2, 1), (256, 8), (1 << 60, 60), (p - 1, 60), (p - 1, 59), (1, 0)] {
            let y = x & ((1 << width) - 1);
            let v = run.answer::<F61x2, _>(&Bits { x, width, y }, Lie::GoOn);
            assert_eq!(v, not_zero(), "{run:?} {x} {width}");
        }
        // In range, and of other bits; then with an element that is another.
        let other = Bits { x: 77, width: 8, y: 76 };
        assert_eq!(run.answer::<F61x2, _>(&other, Lie::GoOn), not_zero(), "{run:?}");
        let v = run.answer::<F61x2, _>(&Bits { x: 77, width: 8, y: 77 }, Lie::Other(3));
        assert_eq!(v, not_zero(), "{run:?}");
    }
}

/// "I know 61 bits of which all that `zeros` has are zero", as an element.
struct Whole {
    zeros: u64,
}

impl<B: Convert<F61>> Statement<B> for Whole {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"test: 61 bits as an element");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let values = (0..61).map(|i| F2::new(self.zeros >> i & 1 == 0)).collect::<Vec<_>>();
        let bits = Prove::<F2>::secret(b, 61, &mut |_| Ok(values.clone()))?;
        b.to_element(&bits).map(drop)
    }
}

/// All ones are the modulus: zero, which has bits of its own.
#[test]
fn the_modulus_is_not_taken_for_the_bits_of_zero() {
    for run in runs() {
        for zeros in [1, 1 << 60, (1 << 61) - 1] {
            let v = run.answer::<F61, _>(&Whole { zeros }, Lie::GoOn);
            assert!(v.is_ok(), "{run:?} {zeros}: {v:?}");
        }
        assert_eq!(run.answer::<F61, _>(&Whole { zeros: 0 }, Lie::GoOn), wrong(), "{run:?}");
    }
}

/// V's challenge for the sets comes when both parts' masks are there, and not before.
#[test]
fn no_sets_are_drawn_before_all_masks_are_there() {
    let run = Run::new(1 << 17, false);
    let claim = Over::<F61>::new(Ones::of(7));
    let (sent, _) = between(
        |p| {
            let mut tap = Tap::recorder(p);
            run.prove::<F61, F61, _>(&claim, &mut tap).expect("accepted");
            tap.layer.sent
        },
        |v| run.verify::<F61, F61, _>(&claim, v),
    );
    // Elements of conversions and masks, in one frame, and bits of both in another.
    let first: Vec<_> = sent.into_iter().take_while(|(tag, _)| *tag != tags::ELEMENTS_OPENING).collect();
    assert!(first.iter().any(|(tag, _)| *tag == tags::MASKS), "{first:?}");
    assert!(first.iter().any(|(tag, _)| *tag == tags::ELEMENTS), "{first:?}");
    for kept in 0..1 << first.len() {
        let all = kept + 1 == 1 << first.len();
        let (p, _) = between(
            |p| {
                for (i, (tag, payload)) in first.iter().enumerate() {
                    if kept >> i & 1 == 1 {
                        p.send(*tag, payload)?;
                    }
                }
                p.recv(tags::ELEMENTS_CHALLENGE, 16).map(drop)
            },
            |v| run.verify::<F61, F61, _>(&claim, v),
        );
        assert_eq!(p.is_ok(), all, "{kept:b}: {p:?}");
    }
}
