//! Peers that do not follow the protocol, and networks that replay it.

use volery::statements::AndChain;
use volery::system::Bits;
use volery::{Error, Prover, Verifier};
use volery_channel::{Channel, Error as ChannelError, Layer, Layered, Tag, tags};

use crate::support::{
    Change, Sender, Tap, between, options, patient, prove, rng, tapped, two_stages, verify,
};

/// Positions of the messages with this tag among those of an honest run.
fn positions(messages: &[(Tag, Vec<u8>)], tag: Tag) -> Vec<usize> {
    messages.iter().enumerate().filter(|(_, (t, _))| *t == tag).map(|(at, _)| at).collect()
}

#[test]
fn points_that_are_none_are_refused() {
    let claim = AndChain::new(10);
    let both = [options(false, 1); 2];
    let honest = tapped(&patient(), both, &[&claim], None);
    // 0xff..: not canonical; zeros: the identity.
    for byte in [0xff, 0] {
        let at = positions(&honest.sent[1], tags::BASE_OT_RECEIVER)[0];
        let outcome = tapped(&patient(), both, &[&claim], Some((Sender::Verifier, at, Change::Fill(byte))));
        let step = tags::BASE_OT_RECEIVER;
        let p = outcome.prover.expect_err("no points");
        assert!(
            matches!(p, Error::Correlations(volery_vole::Error::Malformed { step: s, .. }) if s == step),
            "{p:?}"
        );
        assert!(outcome.verifier.is_err());

        let at = positions(&honest.sent[0], tags::BASE_OT_SENDER)[0];
        let outcome = tapped(&patient(), both, &[&claim], Some((Sender::Prover, at, Change::Fill(byte))));
        let step = tags::BASE_OT_SENDER;
        let v = outcome.verifier.expect_err("no point");
        assert!(
            matches!(v, Error::Correlations(volery_vole::Error::Malformed { step: s, .. }) if s == step),
            "{v:?}"
        );
        assert!(outcome.prover.is_err());
    }
}

/// P stops before a single correlation of the round is used.
#[test]
fn a_verifier_that_lies_in_a_ferret_round_is_caught_before_the_round_is_used() {
    let claim = two_stages();
    for fiat_shamir in [false, true] {
        let both = [options(fiat_shamir, 1); 2];
        let honest = tapped(&patient(), both, &[&claim], None);
        let length =
            |tag| positions(&honest.sent[1], tag).iter().map(|at| honest.sent[1][*at].1.len()).sum::<usize>();
        assert!(length(tags::FERRET_TREES) > 0 && length(tags::FERRET_VERDICT) == 32);
        let masks = |sent: &[(Tag, Vec<u8>)]| -> usize {
            sent.iter().filter(|(tag, _)| *tag == tags::MASKS).map(|(_, payload)| payload.len()).sum()
        };
        let lies = (0..8)
            .map(|i| (tags::FERRET_TREES, i * length(tags::FERRET_TREES) + 3 * i))
            .chain([0, 7, 255].map(|bit| (tags::FERRET_VERDICT, bit)));
        for (tag, bit) in lies {
            let at = positions(&honest.sent[1], tag)[0];
            let outcome =
                tapped(&patient(), both, &[&claim], Some((Sender::Verifier, at, Change::Flip(bit))));
            let p = outcome.prover.expect_err("a lie");
            let step = tags::FERRET_VERDICT;
            let cheat = volery_zk::Error::Correlations(volery_vole::Error::cheat(
                step,
                "the check of the punctured trees",
            ));
            assert_eq!(p, Error::Proof(cheat), "{tag} bit {bit}");
            assert!(masks(&outcome.sent[0]) < masks(&honest.sent[0]), "{tag} bit {bit}");
            let v = outcome.verifier.expect_err("P gave up");
            assert!(v.to_string().contains("a message failed its check"), "{v}");
        }
    }
}

/// A rejection in a later proof of a session: both know, and the session is over for both.
#[test]
fn a_rejected_proof_is_told_and_ends_the_session() {
    let claim = AndChain::new(3000);
    for fiat_shamir in [false, true] {
        let both = [options(fiat_shamir, 1); 2];
        let honest = tapped(&patient(), both, &[&claim, &claim], None);
        for tag in [tags::CHECK_OPENING, tags::ASSERTIONS] {
            let at = *positions(&honest.sent[0], tag).last().expect("one");
            let (p, v) = between(
                &patient(),
                |p| {
                    let mut rng = rng(1);
                    let tap = Tap::on(p, Some((at, Change::Flip(0))));
                    let mut prover = Prover::start(tap, both[0], &mut rng).expect("starts");
                    prover.prove(Bits, &claim, &mut rng).expect("accepted");
                    let second = prover.prove(Bits, &claim, &mut rng).expect_err("rejected");
                    (second, prover.prove(Bits, &claim, &mut rng).expect_err("over"))
                },
                |v| {
                    let mut rng = rng(2);
                    let mut verifier = Verifier::start(v, both[1], &mut rng).expect("starts");
                    verifier.verify(Bits, &claim, &mut rng).expect("accepts");
                    let second = verifier.verify(Bits, &claim, &mut rng).expect_err("rejects");
                    (second, verifier.verify(Bits, &claim, &mut rng).expect_err("over"))
                },
            );
            // A P that is still sending when V has left may find V's parting words instead of the verdict.
            assert!(p.0.to_string().contains("the proof is rejected"), "{tag}: {p:?}");
            assert!(v.0.is_rejection(), "{tag}: {v:?}");
            assert_eq!((p.1, v.1), (Error::Over, Error::Over));
        }
    }
}

/// A prover that hangs up right after a wrong proof does not hide that it was wrong.
#[test]
fn a_wrong_proof_is_a_rejection_even_if_nobody_waits_for_the_verdict() {
    let claim = AndChain::new(100);
    let honest = tapped(&patient(), [options(true, 1); 2], &[&claim], None);
    let last = *positions(&honest.sent[0], tags::ASSERTIONS).last().expect("one");
    for _ in 0..20 {
        let (_, v) = between(
            &patient(),
            |p| {
                let link = Layered { channel: p, layer: Hangup { after: last } };
                prove(Tap::on(link, Some((last, Change::Flip(9)))), options(true, 1), 1, &[&claim])
            },
            |v| verify(v, options(true, 1), 2, &[&claim]),
        );
        assert!(v.as_ref().expect_err("wrong").is_rejection(), "{v:?}");
    }
}

/// Ends a channel with its party's message number `after`.
struct Hangup {
    after: usize,
}

impl<C: Channel> Layer<C> for Hangup {
    fn send(&mut self, below: &mut C, tag: Tag, payload: &[u8]) -> Result<(), ChannelError> {
        below.send(tag, payload)?;
        if self.after == 0 {
            below.flush()?;
            return Err(ChannelError::misuse("hung up"));
        }
        self.after -= 1;
        Ok(())
    }

    fn fail(&mut self, _below: &mut C, _reason: &str) {}
}

/// All that P sent in one session, sent again to `verifier`.
fn replay(fiat_shamir: bool, verifier_seed: u64) -> Result<(), Error> {
    let (claim, options) = (AndChain::new(500), options(fiat_shamir, 1));
    let recorded = tapped(&patient(), [options; 2], &[&claim], None);
    recorded.verifier.expect("accepts");
    let [messages, _] = recorded.sent;
    let send = |mut p: crate::support::Link| -> Result<(), ChannelError> {
        messages.iter().try_for_each(|(tag, payload)| p.send(*tag, payload))?;
        p.flush()?;
        // Takes in what V says until V leaves.
        for tag in [tags::HELLO, tags::BASE_OT_RECEIVER, tags::BEGIN] {
            p.recv(tag, 1 << 16)?;
        }
        if !fiat_shamir {
            p.recv(tags::CHALLENGE, 16)?;
        }
        p.recv(tags::VERDICT, 1).map(drop)
    };
    between(&patient(), |p| drop(send(p)), |v| verify(v, options, verifier_seed, &[&claim])).1.map(drop)
}

#[test]
fn a_recorded_session_convinces_nobody_a_second_time() {
    for fiat_shamir in [false, true] {
        // `tapped` runs V from seed 2: with all its choices the same, even its nonce, the recording fits.
        assert_eq!(replay(fiat_shamir, 2), Ok(()));
        for seed in 3..6 {
            assert!(replay(fiat_shamir, seed).is_err());
        }
    }
}
