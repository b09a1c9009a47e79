//! Outputs whose decoding information was sent ahead, and shares that V returns.

use volery_channel::{Channel, Tag, tags};
use volery_field::F2;
use volery_testing::{Change, Edit, Tap, between, rng};

use super::functions::Toy;
use super::parties::{Party, evaluator, garbler};
use super::scenario::{A, B, sample};
use crate::Error;
use crate::two_party::{Owner, Wire};

/// Values that are public, and shared ones.
type Seen = [Vec<F2>; 2];

/// `a * b`, half public, half shared, both sealed before the inputs come: what the party sees, and its
/// share's wires and masks.
fn products<T: Party>(party: &mut T, channel: &mut dyn Channel) -> Result<(Seen, [Vec<Wire>; 2]), Error> {
    let a = party.input(channel, Owner::Prover, 64)?;
    let b = party.input(channel, Owner::Verifier, 64)?;
    let out = party.call(channel, Toy::And, &[a.wires(), b.wires()].concat())?;
    let public = party.seal(channel, &out[..32], None)?;
    let masks = party.masks(channel, 32)?;
    let shared = party.seal(channel, &out[32..], Some(masks))?;
    party.deliver(channel, Owner::Verifier, b, &sample(B)[..64])?;
    party.deliver(channel, Owner::Prover, a, &sample(A)[..64])?;
    let public = party.public_sealed(channel, public)?;
    let places = [shared.wires().to_vec(), shared.masks().to_vec()];
    Ok(([public, party.shared_sealed(channel, shared)?], places))
}

fn prove(mut channel: impl Channel) -> Result<Seen, Error> {
    let mut p = garbler();
    let ([public, own], [wires, masks]) = products(&mut p, &mut channel)?;
    let other = p.confirm(&mut channel, &wires, &masks)?;
    p.prove(&mut channel, &mut rng(1), |_, _| Ok(()))?;
    Ok([public, own.iter().zip(&other).map(|(own, other)| *own + *other).collect()])
}

fn verify(mut channel: impl Channel) -> Result<Vec<F2>, Error> {
    let mut v = evaluator();
    let ([public, _], [wires, masks]) = products(&mut v, &mut channel)?;
    v.confirm(&mut channel, &wires, &masks)?;
    v.verify(&mut channel, &mut rng(2), |_, _| Ok(()))?;
    Ok(public)
}

fn expected() -> Vec<F2> {
    sample(A).into_iter().zip(sample(B)).take(64).map(|(a, b)| a * b).collect()
}

#[test]
fn sealed_outputs_are_right_and_p_learns_a_value_from_v_s_confirmed_share() {
    let (p, v) = between(|c| prove(c), |c| verify(c));
    let [public, confirmed] = p.expect("honest");
    assert_eq!(v, Ok(public.clone()));
    assert_eq!([public, confirmed].concat(), expected());
}

#[test]
fn a_sealed_output_takes_sixteen_bytes_when_it_is_opened() {
    let (p, v) = between(
        |c| {
            let mut p = garbler();
            let input = p.input(c, Owner::Both, 64)?;
            let sealed = p.seal(c, input.wires(), None)?;
            p.give_public(c, input, &[F2::ONE; 64])?;
            let before = c.stats();
            p.public_sealed(c, sealed)?;
            Ok::<_, Error>((c.stats() - before).bytes_sent)
        },
        |c| {
            let mut v = evaluator();
            let input = v.input(c, Owner::Both, 64)?;
            let sealed = v.seal(c, input.wires(), None)?;
            v.give_public(c, input, &[F2::ONE; 64])?;
            v.public_sealed(c, sealed)
        },
    );
    assert_eq!(v, Ok(vec![F2::ONE; 64]));
    // A frame's header, the program's digest, the key.
    assert_eq!(p, Ok(5 + 32 + 16));
}

fn prover_says(of: Tag, at: usize, change: Change) -> (Result<Seen, Error>, Result<Vec<F2>, Error>) {
    between(move |c| prove(Tap::among(c, of, at, change)), |c| verify(c))
}

#[test]
fn sealed_information_and_keys_that_are_changed_are_noticed_by_v() {
    let cheat = Err(Error::cheat(tags::GARBLED_DECODING, "the decoding of an output"));
    for at in 0..2 {
        assert_eq!(prover_says(tags::GARBLED_SEALED, at, Change::Invert).1, cheat);
        // Behind the program's digest.
        assert_eq!(prover_says(tags::GARBLED_DECODING, at, Change::Flip(8 * 32 + 5)).1, cheat);
    }
}

#[test]
fn a_confirmed_share_that_v_changes_is_noticed_by_p() {
    for bit in [0, 31, 32, 8 * 20] {
        let (p, _) =
            between(|c| prove(c), move |c| verify(Tap::among(c, tags::GARBLED_RETURN, 1, Change::Flip(bit))));
        assert!(matches!(p, Err(Error::Cheat { step: tags::GARBLED_RETURN, .. })), "{p:?}");
    }
}

#[test]
fn what_was_sealed_for_one_use_serves_no_other_and_what_was_not_shared_is_not_confirmed() {
    fn misused(
        step: impl FnOnce(&mut crate::two_party::Garbler<Toy>, &mut dyn Channel) -> Result<Vec<F2>, Error> + Send,
    ) {
        let (p, _) = between(move |c| step(&mut garbler(), c), |_| ());
        assert!(matches!(p, Err(Error::Misuse(_))), "{p:?}");
    }
    misused(|p, c| {
        let input = p.input(c, Owner::Both, 4)?;
        let wires = input.wires().to_vec();
        p.give_public(c, input, &[F2::ONE; 4])?;
        let sealed = p.seal(c, &wires, None)?;
        p.shared_sealed(c, sealed)
    });
    misused(|p, c| {
        let input = p.input(c, Owner::Both, 4)?;
        let wires = input.wires().to_vec();
        p.give_public(c, input, &[F2::ONE; 4])?;
        let masks = p.masks(c, 4)?;
        let sealed = p.seal(c, &wires, Some(masks))?;
        p.public_sealed(c, sealed)
    });
    misused(|p, c| {
        let input = p.input(c, Owner::Both, 4)?;
        let masks = p.masks(c, 3)?;
        p.seal(c, input.wires(), Some(masks)).map(|_| Vec::new())
    });
    misused(|p, c| {
        let input = p.input(c, Owner::Both, 4)?;
        let sealed = p.seal(c, input.wires(), None)?;
        p.public_sealed(c, sealed)
    });
    misused(|p, c| {
        let input = p.input(c, Owner::Both, 4)?;
        let wires = input.wires().to_vec();
        p.give_public(c, input, &[F2::ONE; 4])?;
        let masks = p.masks(c, 4)?;
        p.confirm(c, &wires, masks.wires())
    });
}

/// More outputs than have hashes of their own: `a * b` twice over, public and shared, sealed before the
/// inputs come.
fn many<T: Party>(party: &mut T, channel: &mut dyn Channel) -> Result<(Seen, [Vec<Wire>; 2]), Error> {
    let a = party.input(channel, Owner::Prover, 128)?;
    let b = party.input(channel, Owner::Verifier, 128)?;
    let masks = party.masks(channel, 256)?;
    let mut out = Vec::new();
    for _ in 0..2 {
        for half in [0..64, 64..128] {
            let inputs = [&a.wires()[half.clone()], &b.wires()[half]].concat();
            out.extend(party.call(channel, Toy::And, &inputs)?);
        }
    }
    let public = party.seal(channel, &out, None)?;
    let shared = party.seal(channel, &out, Some(masks))?;
    party.deliver(channel, Owner::Verifier, b, &sample(B))?;
    party.deliver(channel, Owner::Prover, a, &sample(A))?;
    let public = party.public_sealed(channel, public)?;
    let places = [shared.wires().to_vec(), shared.masks().to_vec()];
    Ok(([public, party.shared_sealed(channel, shared)?], places))
}

fn prove_many(mut channel: impl Channel) -> Result<Seen, Error> {
    let mut p = garbler();
    let ([public, own], [wires, masks]) = many(&mut p, &mut channel)?;
    let other = p.confirm(&mut channel, &wires, &masks)?;
    p.prove(&mut channel, &mut rng(1), |_, _| Ok(()))?;
    Ok([public, own.iter().zip(&other).map(|(own, other)| *own + *other).collect()])
}

fn verify_many(mut channel: impl Channel) -> Result<Vec<F2>, Error> {
    let mut v = evaluator();
    let ([public, _], [wires, masks]) = many(&mut v, &mut channel)?;
    v.confirm(&mut channel, &wires, &masks)?;
    v.verify(&mut channel, &mut rng(2), |_, _| Ok(()))?;
    Ok(public)
}

#[test]
fn many_sealed_outputs_are_right_and_take_five_kilobytes() {
    let mut decoding = Vec::new();
    let count = |tag: Tag, message: &mut Vec<u8>| {
        assert_ne!(tag, tags::GARBLED_SEALED);
        if tag == tags::GARBLED_DECODING {
            decoding.push(message.len());
        }
    };
    let (p, v) = between(|c| prove_many(Edit::on(c, count)), |c| verify_many(c));
    let expected: Vec<F2> = sample(A).into_iter().zip(sample(B)).map(|(a, b)| a * b).collect();
    let expected = [&*expected, &*expected].concat();
    assert_eq!(v, Ok(expected.clone()));
    assert_eq!(p, Ok([expected.clone(), expected]));
    // The program's digest, a bit each, and hashes of 128 sums.
    assert_eq!(decoding, [32 + 32 + 128 * 40; 2]);
}

#[test]
fn labels_and_information_of_many_outputs_that_are_changed_are_noticed_by_v() {
    let prover_says = |of: Tag, at: usize, change: Change| {
        between(move |c| prove_many(Tap::among(c, of, at, change)), |c| verify_many(c)).1
    };
    let cheat = Err(Error::cheat(tags::GARBLED_DECODING, "the decoding of an output"));
    for change in [Change::Flip(77), Change::Flip(0), Change::Invert] {
        // V's corrections answered; P's input.
        for at in 0..2 {
            assert_eq!(prover_says(tags::GARBLED_LABELS, at, change), cheat, "{at} {change:?}");
        }
    }
    for at in 0..2 {
        // Behind the program's digest: a colour; the two hashes of a sum, of which V needs one.
        let says = |byte: usize| prover_says(tags::GARBLED_DECODING, at, Change::Flip(8 * byte));
        assert_eq!(says(32), cheat);
        let hashes = [says(32 + 32 + 40), says(32 + 32 + 60)];
        assert_eq!(hashes.iter().filter(|said| **said == cheat).count(), 1);
        assert_eq!(hashes.iter().filter(|said| said.is_ok()).count(), 1);
    }
}

/// Sums are of labels that nobody can choose after the sums are known: other tables or other labels before
/// them give other sums, though the wires that are decoded have nothing to do with those.
#[test]
fn what_decodes_many_outputs_depends_on_all_tables_and_labels_before() {
    let run = |function: Toy, bit: F2| {
        let mut decoding = Vec::new();
        let listen = |tag: Tag, message: &mut Vec<u8>| {
            if tag == tags::GARBLED_DECODING {
                decoding = message.clone();
            }
        };
        let (p, _) = between(
            |c| {
                let mut c = Edit::on(c, listen);
                let mut p = garbler();
                let a = p.input(&mut c, Owner::Prover, 128)?;
                let many = p.input(&mut c, Owner::Both, 200)?;
                p.call(&mut c, function, a.wires())?;
                p.give(&mut c, a, &[bit; 128])?;
                let wires = many.wires().to_vec();
                p.give_public(&mut c, many, &[F2::ONE; 200])?;
                p.public(&mut c, &wires)
            },
            |c| {
                let mut v = evaluator();
                let a = v.input(c, Owner::Prover, 128)?;
                let many = v.input(c, Owner::Both, 200)?;
                v.call(c, Toy::And, a.wires())?;
                v.take(c, a)?;
                let wires = many.wires().to_vec();
                v.give_public(c, many, &[F2::ONE; 200])?;
                v.public(c, &wires)
            },
        );
        assert_eq!(p, Ok(vec![F2::ONE; 200]));
        decoding
    };
    let first = run(Toy::And, F2::ONE);
    assert!(run(Toy::And, F2::ONE) == first);
    // The program and the colours are the same.
    for other in [run(Toy::SwappedAnd, F2::ONE), run(Toy::And, F2::ZERO)] {
        assert_eq!(other[..32 + 25], first[..32 + 25]);
        assert!(other != first);
    }
}

/// A garbler that answers every correction with the same labels does not know the sums before V's input is
/// fixed, and one that chooses them after has others.
#[test]
fn what_decodes_many_outputs_depends_on_v_s_corrections_and_the_answers() {
    let seed = |bit: F2, label: u8| {
        let (_, v) = between(
            |c| {
                c.recv_exact(tags::GARBLED_CORRECTIONS, &mut [0; 1])?;
                c.send(tags::GARBLED_LABELS, &[label; 16 * 8])?;
                Ok::<_, Error>(c.flush()?)
            },
            |mut c| {
                let mut v = evaluator();
                let input = v.input(&mut c, Owner::Verifier, 8)?;
                v.give(&mut c, input, &[bit; 8])?;
                Ok::<_, Error>(v.decoding.probe())
            },
        );
        v.expect("V has labels")
    };
    let first = seed(F2::ZERO, 7);
    assert_eq!(seed(F2::ZERO, 7), first);
    assert_ne!(seed(F2::ONE, 7), first);
    assert_ne!(seed(F2::ZERO, 8), first);
}
