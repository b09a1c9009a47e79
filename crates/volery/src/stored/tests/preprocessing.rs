//! Making pairs: both or none.

use std::os::unix::fs::PermissionsExt;

use volery_channel::transport::Memory;
use volery_channel::{Channel, Framed, Layer, Layered, Tag, tags};

use super::super::Error as Stored;
use super::*;
use crate::system::Bits;

fn os() -> Arc<dyn Disk> {
    Arc::new(Os)
}

#[test]
fn a_pair_is_private_and_complete() {
    let desk = Desk::made(1000, 30);
    assert_eq!(desk.names(), ["P.vole", "V.vole"]);
    for path in [desk.p(), desk.v()] {
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    let (p, v) = (desk.prover().info(), desk.verifier().info());
    assert_eq!((p.count, p.remaining, v.count, v.remaining), (1024, 1024, 1024, 1024));
    assert_eq!((p.settings, p.burnt), (v.settings, false));
}

#[test]
fn what_one_party_refuses_leaves_neither_with_a_file() {
    for counts in [[512, 1024], [0, 512], [512, u64::MAX]] {
        let desk = Desk { folder: tempfile::tempdir().unwrap() };
        let (p, v) = make(&os(), (&desk.p(), &desk.v()), counts, 40);
        assert!(p.is_err() && v.is_err(), "{counts:?}: {p:?} {v:?}");
        assert!(desk.names().is_empty());
    }
    let desk = Desk { folder: tempfile::tempdir().unwrap() };
    std::fs::write(desk.v(), "mine").unwrap();
    let (p, v) = make(&os(), (&desk.p(), &desk.v()), [512; 2], 40);
    assert!(matches!(v, Err(Error::Stored(Stored::Exists { .. }))), "{v:?}");
    assert!(matches!(p, Err(Error::Channel(volery_channel::Error::Peer { .. }))), "{p:?}");
    assert_eq!(desk.names(), ["V.vole"]);
    assert_eq!(std::fs::read(desk.v()).unwrap(), b"mine");
}

/// What happens to a message before it is sent.
type Tamper<C> = fn(&mut C, Tag, &mut Vec<u8>);

/// Tampers with what is sent.
struct Tampered<C>(Tamper<C>);

impl<C: Channel> Layer<C> for Tampered<C> {
    fn send(&mut self, below: &mut C, tag: Tag, payload: &[u8]) -> Result<(), volery_channel::Error> {
        let mut payload = payload.to_vec();
        (self.0)(below, tag, &mut payload);
        below.send(tag, &payload)
    }
}

/// A pair whose parties' messages are tampered with so: what each makes of it. Neither has a file.
fn tampered([p, v]: [Tamper<Framed<Memory>>; 2]) -> [Result<(), Error>; 2] {
    let desk = Desk { folder: tempfile::tempdir().unwrap() };
    let (left, right) = memory_pair(&Limits::default());
    let results = std::thread::scope(|scope| {
        let prover = scope.spawn(|| {
            let session = Prover::start(
                Layered { channel: left, layer: Tampered(p) },
                linked(),
                &mut ChaCha20Rng::seed_from_u64(1),
            )?;
            preprocess::prover(session, 512, &desk.p(), &mut |_| {})
        });
        let session = Verifier::start(
            Layered { channel: right, layer: Tampered(v) },
            linked(),
            &mut ChaCha20Rng::seed_from_u64(2),
        )
        .unwrap();
        let v = preprocess::verifier(session, 512, &desk.v(), &mut |_| {});
        [prover.join().unwrap().map(drop), v.map(drop)]
    });
    assert!(desk.names().is_empty());
    results
}

#[test]
fn a_party_that_never_says_that_it_has_written_leaves_the_other_without_a_file() {
    let crash: Tamper<Framed<Memory>> = |channel, tag, _| {
        if tag == tags::GOODBYE {
            channel.fail("a crash");
        }
    };
    let [p, v] = tampered([crash, |_, _, _| {}]);
    assert!(p.is_err() && v.is_err(), "{p:?} {v:?}");
}

#[test]
fn parties_with_different_chains_keep_no_files() {
    let another: Tamper<Framed<Memory>> = |_, tag, payload| {
        if tag == tags::BITS_LINK {
            payload[31] ^= 1;
        }
    };
    for result in tampered([|_, _, _| {}, another]) {
        let Err(Error::Channel(volery_channel::Error::Malformed { step: tags::GOODBYE, reason })) = result
        else {
            panic!("{result:?}")
        };
        assert!(reason.contains("chains"), "{reason}");
    }
}

#[test]
fn a_session_that_proved_something_can_still_end_in_a_pair() {
    let desk = Desk { folder: tempfile::tempdir().unwrap() };
    let (left, right) = memory_pair(&Limits::default());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut rng = ChaCha20Rng::seed_from_u64(1);
            let mut session = Prover::start(left, linked(), &mut rng).unwrap();
            session.prove(Bits, &small(), &mut rng).unwrap();
            preprocess::prover(session, 512, &desk.p(), &mut |_| {}).unwrap();
        });
        let mut rng = ChaCha20Rng::seed_from_u64(2);
        let mut session = Verifier::start(right, linked(), &mut rng).unwrap();
        session.verify(Bits, &small(), &mut rng).unwrap();
        let mut heard = Vec::new();
        preprocess::verifier(session, 512, &desk.v(), &mut |made| heard.push(made)).unwrap();
        assert_eq!(heard, [512]);
    });
    desk.prover().prove(Bits, &small(), &desk.path("proof")).unwrap();
    desk.verifier().verify(Bits, &small(), &desk.path("proof")).unwrap();
}
