//! S-boxes of AES: their output is committed, and two polynomials say that it is right.

use volery_circuit::gadgets::{bits_to_bytes, bytes_to_bits, substituted};
use volery_circuit::{Digest, Error as CircuitError, Evaluator, Polynomials, Prove, Statement};
use volery_field::F2;
use volery_zk::Error;
use volery_zk::quicksilver::Tally;

use crate::bits::honest::{aes128, same_messages};
use crate::bits::parties::{MODES, Run};
use crate::bits::reference::Lie;

/// S-boxes of secret bytes, of whose outputs nothing is claimed: nothing but the polynomials can show that
/// one is wrong.
struct Substituted(Vec<u8>);

impl<B: Prove<F2> + ?Sized> Statement<B> for Substituted {
    fn identify(&self, digest: &mut Digest) {
        digest.number("substituted bytes", self.0.len() as u64);
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        let bits = backend.secret(8 * self.0.len(), &mut |_| Ok(bytes_to_bits(&self.0)))?;
        for byte in bits.as_chunks().0 {
            // Without a backend's own way there is nothing to try here.
            backend.substitute(byte)?;
        }
        Ok(())
    }
}

/// Pairs of bytes. The second is claimed to be the S-box's output for the first.
struct Claimed(Vec<[u8; 2]>);

impl<B: Prove<F2> + ?Sized> Statement<B> for Claimed {
    fn identify(&self, digest: &mut Digest) {
        digest.number("claimed bytes", self.0.len() as u64);
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        let pairs: Vec<u8> = self.0.iter().flatten().copied().collect();
        let bits = backend.secret(8 * pairs.len(), &mut |_| Ok(bytes_to_bits(&pairs)))?;
        for pair in bits.as_chunks::<8>().0.as_chunks::<2>().0 {
            assert!(backend.assert_substituted(&pair[0], &pair[1])?, "a backend without a way of its own");
        }
        Ok(())
    }
}

/// A byte, and the S-box's output for it without the constant.
fn right(x: u8) -> [u8; 2] {
    let bits: [F2; 8] = bytes_to_bits(&[x]).try_into().expect("eight bits");
    [x, bits_to_bytes(&substituted(&bits).expect("computes")).expect("eight bits")[0]]
}

/// An S-box, then so many polynomials `x (x + 1)` of a bit of its input and `x (x + 1) y^3`, byte by byte.
struct AmongPolynomials(Vec<u8>, usize);

impl<B: Polynomials<F2> + ?Sized> Statement<B> for AmongPolynomials {
    fn identify(&self, digest: &mut Digest) {
        digest.number("substituted bytes", self.0.len() as u64).number("and polynomials", self.1 as u64);
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        let bits = backend.secret(8 * self.0.len(), &mut |_| Ok(bytes_to_bits(&self.0)))?;
        let one = backend.poly_constant(F2::ONE);
        for byte in bits.as_chunks().0 {
            backend.substitute(byte)?;
            for i in 0..self.1 {
                let [x, y] = [backend.poly(&byte[i % 8]), backend.poly(&byte[(i + 1) % 8])];
                let opposite = backend.poly_add(&x, &one);
                let mut p = backend.poly_mul(&x, &opposite)?;
                if i % 2 == 1 {
                    for _ in 0..3 {
                        p = backend.poly_mul(&p, &y)?;
                    }
                }
                backend.assert_poly_zero(&[p])?;
            }
        }
        Ok(())
    }
}

const WRONG: &str = "a product or another polynomial is wrong";

fn assert_rejected(v: Result<Tally, Error>, lie: &dyn core::fmt::Debug) {
    assert_eq!(v, Err(Error::Rejected { reason: WRONG.into() }), "{lie:?}");
}

#[test]
fn the_messages_are_those_of_the_two_polynomials() {
    for interval in [8, 61, 256, 5000] {
        let run = Run::new(interval, MODES[0]);
        same_messages(run, &Substituted((0..=255).collect()));
        same_messages(run, &aes128());
    }
}

/// Blocks end between the two polynomials of an S-box, and have others of a higher degree.
#[test]
fn s_boxes_stand_among_polynomials_wherever_blocks_end() {
    for interval in 1..12 {
        for polynomials in [1, 2, 5, 12] {
            let claim = AmongPolynomials(vec![0, 1, 0x53, 0xfe], polynomials);
            same_messages(Run::new(interval, MODES[0]), &claim);
            for mode in MODES {
                let (p, v) = Run::new(interval, mode).honest(&claim);
                assert!(v.is_ok() && p == v, "{p:?} {v:?}");
                for number in 0..4 {
                    let (_, v) = Run::new(interval, mode).lying(&claim, Lie::SBox(number, 1));
                    assert_rejected(v, &number);
                }
            }
        }
    }
}

#[test]
fn an_s_box_is_eight_secret_values_and_two_polynomials() {
    for mode in MODES {
        let (p, v) = Run::new(1000, mode).honest(&Substituted(vec![0, 1, 255]));
        let tally = Tally { secrets: 48, polynomials: 6, degree: 2, blocks: 1, ..Tally::default() };
        assert_eq!((p, v), (Ok(tally), Ok(tally)));
        let (p, v) = Run::new(1000, mode).honest(&aes128());
        let tally = Tally {
            secrets: 128 + (200 - 16) * 8,
            polynomials: 400,
            degree: 2,
            blocks: 2,
            ..Tally::default()
        };
        assert_eq!((p, v), (Ok(tally), Ok(tally)));
    }
}

/// Zero, whose output is right only because of the second polynomial, among them.
#[test]
fn an_s_box_with_any_other_output_is_rejected() {
    let bytes: Vec<u8> = [0, 0, 1, 0x53, 0xff].into();
    for mode in MODES {
        for number in 0..bytes.len() as u64 {
            for change in (1 + number as u8 % 3..=255).step_by(3) {
                let lie = Lie::SBox(number, change);
                let (_, v) = Run::new(64, mode).lying(&Substituted(bytes.clone()), lie);
                assert_rejected(v, &lie);
            }
        }
    }
}

/// A claim about bits that the statement has anyway commits to nothing else, and holds for nothing else.
#[test]
fn a_claimed_output_is_two_polynomials_and_rejected_if_a_bit_differs() {
    let claim = Claimed([0, 1, 0x53, 0xff].map(right).into());
    same_messages(Run::new(16, MODES[0]), &claim);
    for mode in MODES {
        let tally = Tally { secrets: 64, polynomials: 8, degree: 2, blocks: 1, ..Tally::default() };
        assert_eq!(Run::new(1000, mode).honest(&claim), (Ok(tally), Ok(tally)));
        for secret in 0..64 {
            let lie = Lie::Secret(secret);
            assert_rejected(Run::new(20, mode).lying(&claim, lie).1, &lie);
        }
    }
}

/// The prover's error is the one of the S-box's circuit: it counts each bit of an output as an assertion.
#[test]
fn a_claimed_output_that_is_wrong_is_found_by_the_prover_itself() {
    let mut pairs = [7, 9].map(right);
    pairs[1][1] ^= 1 << 3;
    let (p, _) = Run::new(1000, MODES[0]).honest(&Claimed(pairs.into()));
    let Err(Error::Statement(CircuitError::Unsatisfied { assertion, .. })) = p else { panic!("{p:?}") };
    assert_eq!(assertion, 8 + 3);
}

#[test]
fn a_wrong_ciphertext_is_rejected_if_the_prover_goes_on() {
    for mode in MODES {
        let (_, v) = Run::new(700, mode).lying(&aes128_of_another_key(), Lie::GoOn);
        assert_rejected(v, &Lie::GoOn);
    }
}

#[test]
fn a_wrong_s_box_anywhere_in_a_cipher_is_rejected() {
    for mode in MODES {
        for number in (0..200 - 16).step_by(7) {
            let lie = Lie::SBox(number, 1 << (number % 8));
            let (_, v) = Run::new(700, mode).lying(&aes128(), lie);
            assert_rejected(v, &lie);
        }
    }
}

#[test]
fn a_tampered_bit_of_an_s_box_s_output_is_rejected() {
    for mode in MODES {
        for commitment in 24..48 {
            let lie = Lie::Correction(commitment);
            let (_, v) = Run::new(100, mode).lying(&Substituted(vec![0, 7, 0x80]), lie);
            assert_rejected(v, &lie);
        }
    }
}

#[test]
fn openings_of_blocks_with_s_boxes_count_in_every_bit() {
    for bit in 0..256 {
        let lie = Lie::Opening { block: 1, bit };
        let (_, v) = Run::new(32, MODES[0]).lying(&Substituted(vec![0, 7, 0x80, 3, 9]), lie);
        assert_rejected(v, &lie);
    }
}

#[test]
fn a_wrong_key_is_found_by_the_prover_itself() {
    let claim = aes128_of_another_key();
    let (p, _) = Run::new(1000, MODES[0]).honest(&claim);
    let expected = Evaluator::<F2>::check(&claim).expect_err("another key");
    assert!(matches!(expected, CircuitError::Unsatisfied { .. }));
    assert_eq!(p, Err(Error::Statement(expected)));
}

fn aes128_of_another_key() -> volery_circuit::statements::Aes128Key {
    let key = zeroize::Zeroizing::new(vec![1; 16]);
    volery_circuit::statements::Aes128Key::new([0; 16], [0; 16]).with_key(key).expect("16 bytes")
}
