//! Sessions over memory: honest, mismatched, and with a verifier or prover that breaks the rules.

use volery_channel::{Limits, memory_pair};
use volery_field::{F2, Z64};

use super::*;
use crate::Parameters;
use crate::testing::{SMALL, rng, statement};

fn settings(protocol: Protocol) -> Settings<'static> {
    Settings { protocol, parameters: Parameters::new(40).expect("in range"), threads: None }
}

/// Runs both parties, the prover with `seed`'s statement.
fn session<R: PublicRing>(
    prover: Settings<'_>,
    verifier: Settings<'_>,
    seed: u64,
) -> (Result<(), Error>, Result<Verified, Error>) {
    let (mut left, mut right) = memory_pair(&Limits::default());
    std::thread::scope(|scope| {
        let proving = scope.spawn(move || {
            let statement = statement::<R>(seed, SMALL);
            let program = Program::<R>::new(&statement)?;
            prove(&mut left, &program, &Program::witness(&statement)?, prover, &mut rng(1))
        });
        let program = Program::<R>::new(&statement::<R>(5, SMALL)).expect("compiles");
        let verified = verify(&mut right, &program, verifier, &mut rng(2));
        drop(right);
        (proving.join().expect("no panic"), verified)
    })
}

#[test]
fn honest_parties_agree() {
    for protocol in [Protocol::Zkboo, Protocol::Zkbpp] {
        let (proved, verified) = session::<F2>(settings(protocol), settings(protocol), 5);
        assert_eq!((proved, verified.map(|v| v.protocol)), (Ok(()), Ok(protocol)));
        let (proved, verified) = session::<Z64>(settings(protocol), settings(protocol), 5);
        assert_eq!((proved, verified.map(|v| v.protocol)), (Ok(()), Ok(protocol)));
    }
}

#[test]
fn parties_that_differ_notice_before_anything_is_proved() {
    let other = Settings { parameters: Parameters::default(), ..settings(Protocol::Zkbpp) };
    for (prover, seed, expected) in [
        (settings(Protocol::Zkbpp), 6, "the statement"),
        (settings(Protocol::Zkboo), 5, "the protocol"),
        (other, 5, "the soundness"),
    ] {
        let (proved, verified) = session::<F2>(prover, settings(Protocol::Zkbpp), seed);
        assert!(matches!(proved, Err(Error::Mismatch { what, .. }) if what == expected), "{proved:?}");
        assert!(matches!(verified, Err(Error::Channel(volery_channel::Error::Peer { .. }))), "{verified:?}");
    }
}

/// A verifier that chooses its challenge after it has seen the first message gets no answer.
#[test]
fn a_verifier_that_does_not_keep_to_its_challenge_is_refused() {
    let (mut left, mut right) = memory_pair(&Limits::default());
    std::thread::scope(|scope| {
        let proving = scope.spawn(move || {
            let statement = statement::<F2>(5, SMALL);
            let program = Program::<F2>::new(&statement).expect("compiles");
            let witness = Program::witness(&statement).expect("holds");
            prove(&mut left, &program, &witness, settings(Protocol::Zkbpp), &mut rng(1))
        });
        let program = Program::<F2>::new(&statement::<F2>(5, SMALL)).expect("compiles");
        let mut message = promise(&[1; 64]).to_vec();
        message.extend_from_slice(&wanted(&program, &settings(Protocol::Zkbpp)));
        right.send(tags::HEAD_PROMISE, &message).expect("sends");
        right.recv(tags::HEAD_FIRST, 1 << 20).expect("comes");
        right.send(tags::HEAD_CHALLENGE, &[2; 64]).expect("sends");
        let answer = right.recv(tags::HEAD_RESPONSE, 1 << 20).map(<[u8]>::len);
        assert!(matches!(answer, Err(volery_channel::Error::Peer { .. })), "{answer:?}");
        let proved = proving.join().expect("no panic");
        assert!(matches!(proved, Err(Error::Cheat { party: "verifier", .. })), "{proved:?}");
    });
}

/// A prover that sends a response to another challenge, or a byte changed, is rejected and told so.
#[test]
fn a_prover_that_answers_wrongly_is_rejected_and_told() {
    for protocol in [Protocol::Zkboo, Protocol::Zkbpp] {
        for flipped in [0, 20, 40] {
            let (mut left, mut right) = memory_pair(&Limits::default());
            std::thread::scope(|scope| {
                let proving = scope.spawn(move || {
                    let statement = statement::<F2>(5, SMALL);
                    let program = Program::<F2>::new(&statement).expect("compiles");
                    let witness = Program::witness(&statement).expect("holds");
                    left.recv(tags::HEAD_PROMISE, PROMISE).expect("comes");
                    let (header, committed) =
                        commit(&program, &witness, settings(protocol), &mut rng(1)).expect("commits");
                    let mut message = header.encode();
                    match protocol {
                        Protocol::Zkboo => message.extend_from_slice(committed.first()),
                        Protocol::Zkbpp => message.extend(header.keys().digest(committed.first())),
                    }
                    send(&mut left, tags::HEAD_FIRST, &message).expect("sends");
                    let opening: [u8; 64] = left.recv_array(tags::HEAD_CHALLENGE).expect("comes");
                    let challenge = challenge::expand(&challenge_of(&opening), header.repetitions());
                    let mut response = Vec::new();
                    committed.respond(&challenge, &mut response);
                    response[flipped] ^= 1;
                    send(&mut left, tags::HEAD_RESPONSE, &response).expect("sends");
                    left.recv(tags::VERDICT, 0).map(drop)
                });
                let program = Program::<F2>::new(&statement::<F2>(5, SMALL)).expect("compiles");
                let verified = verify(&mut right, &program, settings(protocol), &mut rng(2));
                assert!(verified.as_ref().is_err_and(Error::is_rejection), "{verified:?}");
                let told = proving.join().expect("no panic");
                assert!(matches!(told, Err(volery_channel::Error::Peer { .. })), "{told:?}");
            });
        }
    }
}
