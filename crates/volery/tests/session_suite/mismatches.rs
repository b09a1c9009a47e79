//! Parties that do not want the same.

use volery::statements::{Aes128Key, AndChain};
use volery::system::{Bits, Provable};
use volery::{Error, Options, Profile, Prover, Verifier};
use volery_channel::handshake::{Mismatch, Role};
use volery_channel::{Error as ChannelError, Tag, tags};

use crate::support::{Product, Tap, aes128, between, options, patient, prove, rng, verify};

type Ends = (Error, Error);

fn ends(options: [Options; 2], claims: [&dyn Provable<Bits>; 2]) -> Ends {
    let (p, v) = between(
        &patient(),
        |p| prove(p, options[0], 1, &claims[..1]),
        |v| verify(v, options[1], 2, &claims[1..]),
    );
    (p.expect_err("they differ"), v.expect_err("they differ"))
}

/// One party names the difference and the other is told, or both name it.
fn assert_mismatch(ends: &Ends, is: impl Fn(&Mismatch) -> bool) {
    let names = |error: &Error| match error {
        Error::Channel(ChannelError::Incompatible(mismatch)) => is(mismatch),
        _ => false,
    };
    let told = |error: &Error| matches!(error, Error::Channel(ChannelError::Peer { .. }));
    let (p, v) = ends;
    assert!(names(p) && (names(v) || told(v)) || names(v) && told(p), "{p:?} {v:?}");
}

#[test]
fn another_statement_is_refused() {
    let (one, other) = (AndChain::new(100), AndChain::new(101));
    // Their sizes differ, too.
    assert_mismatch(&ends([options(false, 1); 2], [&one, &other]), |m| {
        matches!(m, Mismatch::Statement { .. })
    });
}

#[test]
fn other_public_inputs_are_refused() {
    let other = Aes128Key::new([0; 16], [1; 16]);
    for fiat_shamir in [false, true] {
        let ends = ends([options(fiat_shamir, 1); 2], [&aes128(), &other]);
        assert_mismatch(&ends, |m| matches!(m, Mismatch::Statement { .. }));
    }
}

#[test]
fn other_settings_are_refused_by_name() {
    let claim = AndChain::new(10);
    let wan = Options { profile: Profile::Wan, ..options(false, 1) };
    for (other, what) in [(options(true, 1), "challenges"), (wan, "profile")] {
        for both in [[options(false, 1), other], [other, options(false, 1)]] {
            let ends = ends(both, [&claim, &claim]);
            assert_mismatch(&ends, |m| matches!(m, Mismatch::Parameter { name, .. } if name == what));
        }
    }
}

#[test]
fn two_of_a_kind_are_refused() {
    let options = options(false, 1);
    let (a, b) = between(
        &patient(),
        |a| Prover::start(a, options, &mut rng(1)).map(drop).expect_err("two provers"),
        |b| Prover::start(b, options, &mut rng(2)).map(drop).expect_err("two provers"),
    );
    assert_mismatch(&(a, b), |m| *m == Mismatch::SameRole(Role::Prover));
    let (a, b) = between(
        &patient(),
        |a| Verifier::start(a, options, &mut rng(1)).map(drop).expect_err("two verifiers"),
        |b| Verifier::start(b, options, &mut rng(2)).map(drop).expect_err("two verifiers"),
    );
    assert_mismatch(&(a, b), |m| *m == Mismatch::SameRole(Role::Verifier));
}

/// Everything that P sends against a V that names another statement, for each witness: the same, and no
/// masks.
#[test]
fn nothing_that_leaves_before_the_peer_named_the_statement_depends_on_the_witness() {
    for fiat_shamir in [false, true] {
        let options = options(fiat_shamir, 1);
        let sent = |witness: [bool; 2]| -> Vec<(Tag, Vec<u8>)> {
            let claim = Product { result: false, witness: Some(witness) };
            let ((p, sent), _) = between(
                &patient(),
                |p| {
                    let mut tap = Tap::recorder(p);
                    (prove(&mut tap, options, 1, &[&claim]), tap.layer.sent)
                },
                |v| verify(v, options, 2, &[&AndChain::new(3)]),
            );
            assert!(p.is_err());
            sent
        };
        let first = sent([false, false]);
        assert!(first.iter().any(|(tag, _)| *tag == tags::BEGIN), "P got as far as naming its statement");
        assert!(first.iter().all(|(tag, _)| *tag != tags::MASKS), "{first:?}");
        for witness in [[false, true], [true, false], [true, true]] {
            assert_eq!(sent(witness), first);
        }
    }
}
