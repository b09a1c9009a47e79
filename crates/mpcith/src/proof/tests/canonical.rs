//! Elements have one encoding. Any other is refused, also by a verifier to whom everything else is right:
//! commitments are to what is sent, so that nothing but the encoding is wrong.

use volery_field::{Bn254Scalar, F2, F61};

use super::*;

/// Where a row is changed.
#[derive(Clone, Copy, Debug)]
enum Part {
    InputShare,
    View,
}

/// What the verifier says if `change` is done to a part of player 3 before its row is committed to, and `e`
/// is the challenge.
fn verdict<R: PublicRing>(
    protocol: Protocol,
    e: Trit,
    part: Part,
    change: impl Fn(&mut [u8]),
) -> Result<(), Error> {
    let statement = statement::<R>(11, SMALL);
    let program = Program::<R>::new(&statement).expect("compiles");
    let witness = Program::witness(&statement).expect("holds");
    let (header, mut committed) =
        commit(&program, &witness, settings(protocol, 4), FILE, &mut rng(1)).expect("commits");
    let shape = program.shape();
    let row = &mut committed.rows[2 * shape.row()..3 * shape.row()];
    change(match part {
        Part::InputShare => &mut row[shape.inputs_at()..shape.view_at()],
        Part::View => &mut row[shape.view_at()..],
    });
    let commitment = *blake3::keyed_hash(&header.keys().commitment, row).as_bytes();
    committed.first[3 * shape.outputs + 64..][..32].copy_from_slice(&commitment);
    let challenge = vec![e; header.repetitions()];
    let mut response = Vec::new();
    committed.respond(&challenge, &mut response);
    let first = Some(committed.first()).filter(|_| protocol == Protocol::Zkboo);
    let implied = sigma::check(&program, &header, &challenge, first, &response, None)?;
    if implied == committed.first() { Ok(()) } else { Err(Error::Challenge) }
}

/// `change` is refused for the encoding of element `index`, in an input share as in a view.
fn is_refused<R: PublicRing>(index: usize, change: impl Fn(&mut [u8])) {
    for protocol in PROTOCOLS {
        // Player 3 is opened as the second: its view is sent, and its input share.
        let e = Trit::ALL[1];
        assert_eq!(e.opened()[1], 2);
        assert_eq!(verdict::<R>(protocol, e, Part::View, |_| {}), Ok(()));
        for (part, name) in [(Part::InputShare, "an input share"), (Part::View, "a view")] {
            let expected = format!("{name} is not encoded canonically at element {index}");
            match verdict::<R>(protocol, e, part, &change) {
                Err(Error::Repetition { repetition: 0, reason }) => assert_eq!(reason, expected),
                other => panic!("{} {protocol} {part:?}: {other:?}", R::NAME),
            }
        }
        // Opened as the first, it has an input share only.
        let e = Trit::ALL[2];
        assert_eq!(e.opened()[0], 2);
        let result = verdict::<R>(protocol, e, Part::InputShare, &change);
        let canonically = |reason: &str| reason.contains("an input share is not encoded canonically");
        assert!(
            matches!(&result, Err(Error::Repetition { reason, .. }) if canonically(reason)),
            "{result:?}"
        );
    }
}

/// The last byte of packed bits has some that mean nothing: they must be zero, whatever their hash says.
#[test]
fn padding_that_is_not_zero_is_refused_even_where_everything_else_is_right() {
    let counts = Program::<F2>::new(&statement::<F2>(11, SMALL)).expect("compiles").counts();
    assert!(counts.inputs % 8 == 7 && !counts.multiplications.is_multiple_of(8));
    for protocol in PROTOCOLS {
        for (part, n) in [(Part::InputShare, counts.inputs), (Part::View, counts.multiplications)] {
            for bit in n % 8..8 {
                let set = |packed: &mut [u8]| *packed.last_mut().expect("not empty") |= 1 << bit;
                match verdict::<F2>(protocol, Trit::ALL[1], part, set) {
                    Err(Error::Repetition { reason, .. }) => {
                        assert!(reason.ends_with(&format!("canonically at element {n}")), "{reason}");
                    }
                    other => panic!("{protocol} {part:?} {bit}: {other:?}"),
                }
            }
        }
    }
}

/// `p + more`, in as many bytes as an element; every field here encodes numbers in little-endian order.
fn prime_plus<R: PublicRing>(more: u8) -> Vec<u8> {
    let mut bytes = vec![0; R::BYTES];
    (-R::ONE).encode(&mut bytes).expect("has the length");
    for _ in 0..=more {
        for byte in &mut bytes {
            *byte = byte.wrapping_add(1);
            if *byte != 0 {
                break;
            }
        }
    }
    bytes
}

fn the_prime_and_more_are_refused<R: PublicRing>() {
    let elements = SMALL.inputs as usize;
    for more in [0, 1] {
        let encoding = prime_plus::<R>(more);
        for index in [0, 3, elements - 1] {
            let to = index * R::BYTES..(index + 1) * R::BYTES;
            is_refused::<R>(index, |packed| packed[to.clone()].copy_from_slice(&encoding));
        }
    }
}

#[test]
fn elements_at_or_above_the_prime_are_refused_even_where_everything_else_is_right() {
    the_prime_and_more_are_refused::<F61>();
    the_prime_and_more_are_refused::<Bn254Scalar>();
    #[cfg(feature = "every-field")]
    {
        use volery_field::{Bls12381Scalar, F32, Goldilocks, RistrettoScalar};
        the_prime_and_more_are_refused::<F32>();
        the_prime_and_more_are_refused::<Goldilocks>();
        the_prime_and_more_are_refused::<Bls12381Scalar>();
        the_prime_and_more_are_refused::<RistrettoScalar>();
    }
}
