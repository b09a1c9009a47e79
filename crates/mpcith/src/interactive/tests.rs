//! Sessions over memory: honest, mismatched, and with a verifier or prover that breaks the rules.

use volery_field::{F2, F61, Z64};
use volery_testing::{Link, between, rng};

use super::*;
use crate::Parameters;
use crate::program::Shape;
use crate::proof::tests::FalseClaim;
use crate::testing::{SMALL, Size, statement};

fn settings(protocol: Protocol) -> Settings<'static> {
    Settings { protocol, parameters: Parameters::new(40).expect("in range"), ..Settings::default() }
}

/// Runs both parties, the prover with `seed`'s statement.
fn session<R: PublicRing>(
    prover: Settings<'_>,
    verifier: Settings<'_>,
    seed: u64,
) -> (Result<(), Error>, Result<Verified, Error>) {
    between(
        |p| {
            let statement = statement::<R>(seed, SMALL);
            let program = Program::<R>::new(&statement)?;
            prove(p, &program, &Program::witness(&statement)?, prover, &mut rng(1))
        },
        |v| {
            let program = Program::<R>::new(&statement::<R>(5, SMALL)).expect("compiles");
            verify(v, &program, verifier, &mut rng(2))
        },
    )
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

#[test]
fn a_message_is_bound_by_files_only() {
    let bound =
        Settings { message: Some(volery_circuit::Message::new(b"hello")), ..settings(Protocol::Zkbpp) };
    let (proved, verified) = session::<F2>(bound, bound, 5);
    assert!(matches!(proved, Err(Error::Parameters(_))), "{proved:?}");
    assert!(matches!(verified, Err(Error::Parameters(_))), "{verified:?}");
}

/// A verifier that chooses its challenge after it has seen the first message gets no answer.
#[test]
fn a_verifier_that_does_not_keep_to_its_challenge_is_refused() {
    let (proved, answer) = between(
        |p| {
            let statement = statement::<F2>(5, SMALL);
            let program = Program::<F2>::new(&statement).expect("compiles");
            let witness = Program::witness(&statement).expect("holds");
            prove(p, &program, &witness, settings(Protocol::Zkbpp), &mut rng(1))
        },
        |v| {
            let program = Program::<F2>::new(&statement::<F2>(5, SMALL)).expect("compiles");
            let mut message = promise(&[1; 64]).to_vec();
            message.extend_from_slice(&wanted(&program, &settings(Protocol::Zkbpp)));
            v.send(tags::HEAD_PROMISE, &message).expect("sends");
            v.recv(tags::HEAD_FIRST, 1 << 20).expect("comes");
            v.send(tags::HEAD_CHALLENGE, &[2; 64]).expect("sends");
            v.recv(tags::HEAD_RESPONSE, 1 << 20).map(<[u8]>::len)
        },
    );
    assert!(matches!(answer, Err(volery_channel::Error::Peer { .. })), "{answer:?}");
    assert!(matches!(proved, Err(Error::Cheat { party: "verifier", .. })), "{proved:?}");
}

/// What a prover that starts from `seed` sends a verifier whose promise opens to `opening`: header, first
/// message, response.
fn conversation(program: &Program<F2>, witness: &Witness<F2>, opening: [u8; 64], seed: u64) -> [Vec<u8>; 3] {
    let settings = settings(Protocol::Zkboo);
    let verifier = |v: &mut Link| {
        let mut message = promise(&opening).to_vec();
        message.extend_from_slice(&wanted(program, &settings));
        v.send(tags::HEAD_PROMISE, &message).expect("sends");
        let repetitions = settings.parameters.repetitions();
        let first = program.shape().first() * repetitions;
        let mut header = receive(v, tags::HEAD_FIRST, Header::BYTES + first).expect("comes");
        let first = header.split_off(Header::BYTES);
        v.send(tags::HEAD_CHALLENGE, &opening).expect("sends");
        let challenge = challenge::expand(&challenge_of(&opening), repetitions);
        let length = sigma::response_bytes(Protocol::Zkboo, program.shape(), &challenge);
        let response = receive(v, tags::HEAD_RESPONSE, length).expect("comes");
        v.send(tags::VERDICT, &[]).expect("sends");
        v.flush().expect("sends");
        [header, first, response]
    };
    let (proved, said) = between(|p| prove(p, program, witness, settings, &mut rng(seed)), verifier);
    assert_eq!(proved, Ok(()));
    said
}

/// A prover that is restored from a snapshot meets a verifier with another challenge. With one first message
/// for both, two answers would have all three shares of the witness.
#[test]
fn a_generator_that_repeats_does_not_give_the_witness_to_a_verifier_with_two_challenges() {
    let statement = statement::<F2>(3, Size { inputs: 64, gates: 100, claims: 3 });
    let program = Program::<F2>::new(&statement).expect("compiles");
    let witness = Program::witness(&statement).expect("holds");
    let openings = [[1; 64], [2; 64]];
    let [one, two] = openings.map(|opening| conversation(&program, &witness, opening, 77));
    assert_eq!(one, conversation(&program, &witness, openings[0], 77), "nothing else is random");
    assert!(one[0] != two[0] && one[1] != two[1], "salt and first message");

    let row = program.shape().row() - Shape::LABEL;
    let challenges = openings.map(|opening| challenge::expand(&challenge_of(&opening), 69));
    let seeds =
        |response: &[u8]| response.chunks(row).map(|row| row[..Shape::SEED].to_vec()).collect::<Vec<_>>();
    let (seeds_one, seeds_two) = (seeds(&one[2]), seeds(&two[2]));
    assert!(seeds_one.iter().all(|seed| !seeds_two.contains(seed)));

    // The attack itself: the shares of all players, from both answers.
    let bits = |i: usize| (0..8).fold(0, |byte, j| byte | witness.values()[8 * i + j].to_u8() << j);
    let secret: Vec<u8> = (0..8).map(bits).collect();
    let differ = (0..69).filter(|r| challenges[0][*r] != challenges[1][*r]);
    let mut tried = 0;
    for r in differ {
        let mut shares = [const { Vec::new() }; 3];
        for (challenge, response) in challenges.iter().zip([&one[2], &two[2]]) {
            for (side, player) in challenge[r].opened().into_iter().enumerate() {
                let opened = &response[(2 * r + side) * row..][..row];
                shares[usize::from(player)] = opened[Shape::SEED..Shape::SEED + 8].to_vec();
            }
        }
        let sum: Vec<u8> = (0..8).map(|i| shares.iter().fold(0, |sum, share| sum ^ share[i])).collect();
        assert_ne!(sum, secret, "repetition {r}");
        tried += 1;
    }
    assert!(tried > 20, "{tried}");
}

/// A prover that does everything right, with a witness for which the claim is false.
#[test]
fn a_false_claim_is_rejected_and_the_prover_told() {
    for protocol in [Protocol::Zkboo, Protocol::Zkbpp] {
        rejects_a_false_claim::<F2>(protocol);
        rejects_a_false_claim::<Z64>(protocol);
        rejects_a_false_claim::<F61>(protocol);
    }
}

fn rejects_a_false_claim<R: PublicRing>(protocol: Protocol) {
    let false_claim = FalseClaim::<R>::new(settings(protocol));
    let (program, header, committed) = (&false_claim.program, &false_claim.header, &false_claim.committed);
    let (told, verified) = between(
        |p| answer_as(p, header, committed, |_| {}),
        |v| verify(v, program, settings(protocol), &mut rng(2)),
    );
    assert!(verified.as_ref().is_err_and(Error::is_rejection), "{} {protocol}: {verified:?}", R::NAME);
    assert!(matches!(told, Err(volery_channel::Error::Peer { .. })), "{told:?}");
}

/// A prover's side after its first move, with a response that was tampered with.
fn answer_as(
    channel: &mut impl Channel,
    header: &Header,
    committed: &sigma::Committed,
    tamper: impl FnOnce(&mut [u8]),
) -> Result<(), volery_channel::Error> {
    channel.recv(tags::HEAD_PROMISE, PROMISE).expect("comes");
    let mut message = header.encode();
    match header.protocol() {
        Protocol::Zkboo => message.extend_from_slice(committed.first()),
        Protocol::Zkbpp => message.extend(header.digest(None, committed.first())),
    }
    send(channel, tags::HEAD_FIRST, &message).expect("sends");
    let opening: [u8; 64] = channel.recv_array(tags::HEAD_CHALLENGE).expect("comes");
    let challenge = challenge::expand(&challenge_of(&opening), header.repetitions());
    let mut response = Vec::new();
    committed.respond(&challenge, &mut response);
    tamper(&mut response);
    send(channel, tags::HEAD_RESPONSE, &response).expect("sends");
    channel.recv(tags::VERDICT, 0).map(drop)
}

/// A prover that sends a response to another challenge, or a byte changed, is rejected and told so.
#[test]
fn a_prover_that_answers_wrongly_is_rejected_and_told() {
    for protocol in [Protocol::Zkboo, Protocol::Zkbpp] {
        for flipped in [0, 20, 40] {
            let (told, verified) = between(
                |p| {
                    let statement = statement::<F2>(5, SMALL);
                    let program = Program::<F2>::new(&statement).expect("compiles");
                    let witness = Program::witness(&statement).expect("holds");
                    let (header, committed) =
                        commit(&program, &witness, settings(protocol), &[], &mut rng(1)).expect("commits");
                    answer_as(p, &header, &committed, |response| response[flipped] ^= 1)
                },
                |v| {
                    let program = Program::<F2>::new(&statement::<F2>(5, SMALL)).expect("compiles");
                    verify(v, &program, settings(protocol), &mut rng(2))
                },
            );
            assert!(verified.as_ref().is_err_and(Error::is_rejection), "{verified:?}");
            assert!(matches!(told, Err(volery_channel::Error::Peer { .. })), "{told:?}");
        }
    }
}
