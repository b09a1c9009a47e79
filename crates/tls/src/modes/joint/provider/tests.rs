//! The provider's objects by themselves: sessions don't mix, and the first error is the last call.

use std::sync::Arc;

use rustls::crypto::cipher::{
    AeadKey, Iv, OutboundChunks, OutboundPlainMessage, Tls12AeadAlgorithm, Tls13AeadAlgorithm as _,
};
use rustls::crypto::tls12::Prf;
use rustls::crypto::tls13::{Hkdf as _, HkdfExpander, OkmBlock};
use rustls::{ContentType, ProtocolVersion};
use zeroize::Zeroizing;

use super::session::{Entered, HANDLE_BYTES, Handle, is_handle};
use super::*;
use crate::modes::joint::testing::Around;
use crate::modes::joint::{Content, Engine, Error};
use crate::wire::hash::HandshakeHash;
use crate::wire::key_exchange::Group;
use crate::wire::key_schedule::{TrafficSecret, expansion};
use crate::wire::prf::{MasterSeed, Random};
use crate::wire::suite::Suite;

use group::P256_ALONE as P256;

/// Counts its calls, and fails from one of them on.
#[derive(Default)]
struct Counting {
    calls: usize,
    fails_from: Option<usize>,
}

impl Counting {
    fn call<T>(&mut self, value: T) -> Result<T, Error> {
        self.calls += 1;
        match self.fails_from {
            Some(call) if self.calls > call => {
                Err(Error::Parties(crate::Error::Misuse(format!("call {}", self.calls))))
            }
            _ => Ok(value),
        }
    }
}

const SUITE: Suite = Suite::Aes128GcmSha256;

impl Engine for Counting {
    fn protocol(&self) -> (TlsVersion, Suite) {
        (TlsVersion::Tls12, SUITE)
    }
    fn public_key(&mut self, _: Group) -> Result<Vec<u8>, Error> {
        self.call(vec![4; 65])
    }
    fn agree(&mut self, _: Group, _: &[u8]) -> Result<(), Error> {
        self.call(())
    }
    fn master_secret(&mut self, _: &MasterSeed) -> Result<(), Error> {
        self.call(())
    }
    fn key_block(&mut self, _: &Random, _: &Random) -> Result<(), Error> {
        self.call(())
    }
    fn client_finished(&mut self, _: &HandshakeHash) -> Result<[u8; 12], Error> {
        self.call([7; 12])
    }
    fn encrypt(&mut self, _: u8, plaintext: &[u8]) -> Result<Vec<u8>, Error> {
        self.call(vec![0; plaintext.len() + 24])
    }
    fn handshake_secrets(&mut self, _: &HandshakeHash) -> Result<[TrafficSecret; 2], Error> {
        self.call([5, 6].map(|byte| TrafficSecret::from_bytes(SUITE.hash(), &[byte; 32]).unwrap()))
    }
    fn data_keys(&mut self, _: &HandshakeHash) -> Result<(), Error> {
        self.call(())
    }
    fn decrypt(&mut self, payload: &[u8]) -> Result<Content, Error> {
        self.call(Content { content_type: 23, bytes: Zeroizing::new(payload.to_vec()) })
    }
}

/// What rustls's calls come to when a thread has this session.
fn with<T>(engine: &mut Counting, tls: impl FnOnce(&Session) -> T) -> T {
    with_engine(engine, false, tls)
}

fn key_expansion(secret: &[u8]) -> [u8; 40] {
    let mut output = [0xff; 40];
    prf::Derivation.for_secret(&mut output, secret, b"key expansion", &[3; 64]);
    output
}

fn encrypt(key: &Handle, kind: ContentType, payload: &[u8]) -> Vec<u8> {
    let mut long = [0; 32];
    long[..HANDLE_BYTES].copy_from_slice(key);
    let mut encrypter = cipher::GCM.encrypter(AeadKey::from(long), &[0; 4], &[]);
    let payload = OutboundChunks::from(payload);
    let message = OutboundPlainMessage { typ: kind, version: ProtocolVersion::TLSv1_2, payload };
    encrypter.encrypt(message, 0).unwrap().encode()
}

#[test]
fn secrets_are_handles_and_the_key_block_is_derived_once() {
    let mut engine = Counting::default();
    with(&mut engine, |session| {
        let exchange = P256.start().unwrap();
        let mut master = [0xff; 48];
        let label = b"extended master secret";
        prf::Derivation.for_key_exchange(&mut master, exchange, &[4; 65], label, &[1; 32]).unwrap();
        assert_eq!(master[..HANDLE_BYTES], session.handle()[..]);
        assert_eq!(master[HANDLE_BYTES..], [0; 32]);
        for _ in 0..2 {
            let block = key_expansion(&master);
            assert_eq!(block, [&session.handle()[..], session.handle(), &[0; 8]].concat()[..]);
        }
        assert_eq!(session.check(), Ok(()));
    });
    assert_eq!(engine.calls, 4, "point, agreement, master secret, one key block");
}

#[test]
fn keys_from_other_randoms_are_refused() {
    let mut engine = Counting::default();
    with(&mut engine, |session| {
        key_expansion(session.handle());
        let mut output = [0xff; 40];
        prf::Derivation.for_secret(&mut output, session.handle(), b"key expansion", &[4; 64]);
        assert_eq!(output, [0; 40]);
        assert!(matches!(session.check(), Err(Error::Parties(crate::Error::Misuse(_)))));
    });
    assert_eq!(engine.calls, 1);
}

#[test]
fn nothing_is_derived_of_a_secret_of_another_session() {
    let mut other = Counting::default();
    let foreign = with(&mut other, |session| *session.handle());
    for by_key in [false, true] {
        let mut engine = Counting::default();
        with(&mut engine, |session| {
            if by_key {
                assert_eq!(encrypt(&foreign, ContentType::Handshake, &[1; 16])[5..], [0; 40]);
            } else {
                assert_eq!(key_expansion(&foreign), [0; 40]);
            }
            assert!(matches!(session.check(), Err(Error::Parties(crate::Error::Misuse(_)))));
        });
        assert_eq!(engine.calls, 0);
    }
}

#[test]
fn what_is_derived_in_unknown_ways_is_refused() {
    for (label, seed, length) in [
        (&b"exporter"[..], &[0; 64][..], 40),
        (b"key expansion", &[0; 63], 40),
        (b"client finished", &[0; 48], 12),
        (b"client finished", &[0; 32], 11),
        (b"server finished", &[0; 32], 11),
    ] {
        let mut engine = Counting::default();
        with(&mut engine, |session| {
            let mut output = vec![0xff; length];
            prf::Derivation.for_secret(&mut output, session.handle(), label, seed);
            assert_eq!(output, vec![0; length], "{label:?}");
            assert!(session.check().is_err(), "{label:?} {length}");
        });
    }
    let mut engine = Counting::default();
    with(&mut engine, |session| {
        let exchange = P256.start().unwrap();
        let result =
            prf::Derivation.for_key_exchange(&mut [0; 48], exchange, &[4; 65], b"master secret", &[1; 32]);
        assert!(result.is_err());
        assert!(session.check().is_err());
    });
    assert_eq!(engine.calls, 1, "not even the agreement");
}

#[test]
fn the_first_error_is_latched_and_no_call_follows() {
    let mut engine = Counting { fails_from: Some(0), ..Counting::default() };
    with(&mut engine, |session| {
        let first = Error::Parties(crate::Error::Misuse("call 1".into()));
        assert!(P256.start().is_err());
        assert_eq!(session.check(), Err(first.clone()));
        assert_eq!(key_expansion(session.handle()), [0; 40]);
        let mut finished = [0xff; 12];
        prf::Derivation.for_secret(&mut finished, session.handle(), b"client finished", &[1; 32]);
        assert_eq!(finished, [0; 12]);
        assert_eq!(encrypt(session.handle(), ContentType::ApplicationData, b"secret")[5..], [0; 30]);
        assert_eq!(session.check(), Err(first));
    });
    assert_eq!(engine.calls, 1);
}

#[test]
fn an_alert_never_reaches_the_engine_and_is_kept_back() {
    let mut engine = Counting::default();
    with(&mut engine, |session| {
        assert_eq!(encrypt(session.handle(), ContentType::Alert, &[1, 0])[5..], [0; 26]);
        assert_eq!(session.error(), Ok(()));
        assert!(session.check().is_err());
    });
    assert_eq!(engine.calls, 0);
}

/// Engines whose records rustls must not get: its buffers are for the length it was told.
#[test]
fn a_record_of_another_length_or_number_is_kept_back() {
    type Change = fn(&mut Vec<u8>);
    let cases: [(Change, bool); 4] = [
        (|_| {}, true),
        (|record| record.truncate(record.len() - 1), false),
        (|record| record.push(0), false),
        (|record| record[7] = 1, false),
    ];
    for (change, good) in cases {
        let mut counting = Counting::default();
        let mut engine = Around { made: Box::new(change), ..Around::new(&mut counting) };
        let result = with_engine(&mut engine, false, |session| {
            assert_eq!(encrypt(session.handle(), ContentType::Handshake, &[1; 16])[5..].len(), 40);
            session.check()
        });
        assert_eq!(result.is_ok(), good);
    }
}

#[test]
fn without_a_session_nothing_starts() {
    assert!(P256.start().is_err());
    assert_eq!(key_expansion(b"session \0\0\0\0\0\0\0\0"), [0; 40]);
}

#[test]
fn the_inner_of_two_sessions_of_a_thread_is_the_current_one() {
    let [outer, inner] = &[(); 2].map(|()| Arc::new(Session::new(SUITE, false)));
    let handle = || Session::current().map(|session| *session.handle());
    assert!(handle().is_err());
    let entered = Entered::new(outer);
    {
        let _entered = Entered::new(inner);
        assert_eq!(handle().unwrap(), *inner.handle());
    }
    assert_eq!(handle().unwrap(), *outer.handle());
    drop(entered);
    assert!(handle().is_err());
    assert_ne!(outer.handle(), inner.handle());
}

#[test]
fn an_engine_that_is_gone_is_an_error() {
    let session = Session::new(SUITE, false);
    assert!(session.ask(|engine| engine.public_key(Group::P256)).is_err());
    assert!(session.check().is_err());
}

/// A key exchange that outlives its session, finished when another session has the thread.
#[test]
fn an_object_never_calls_the_engine_of_another_session() {
    let exchange = with(&mut Counting::default(), |_| P256.start().unwrap());
    let mut other = Counting::default();
    let finished = with(&mut other, |session| {
        let finished = exchange.complete(&[4; 65]);
        assert_eq!(session.check(), Ok(()), "it is the other session's error");
        finished
    });
    assert!(finished.is_err());
    assert_eq!(other.calls, 0);
}

/// rustls never does that; if it did, the engine would compute twice at once.
#[test]
fn an_engine_is_not_called_from_within_a_call() {
    let mut counting = Counting::default();
    let before = |_: &mut dyn Engine| {
        let session = Session::current().unwrap();
        assert!(session.ask(|engine| engine.public_key(Group::P256)).is_err());
        Ok(())
    };
    let mut engine = Around { before: Box::new(before), ..Around::new(&mut counting) };
    let (started, latched) =
        with_engine(&mut engine, false, |session| (P256.start().is_ok(), session.check()));
    assert!(started && matches!(latched, Err(Error::Parties(crate::Error::Misuse(_)))));
    drop(engine);
    assert_eq!(counting.calls, 1);
}

/// Taken for a secret that P knows, a handle would protect records under what anybody can compute.
#[test]
fn nothing_is_derived_in_tls_1_3_of_a_secret_of_another_session_or_use() {
    let mut other = Counting::default();
    let foreign = with(&mut other, |session| *session.handle());
    type Derive = fn(&[u8]) -> Box<dyn HkdfExpander>;
    let long = |handle: &[u8]| [handle, b"client's data..."].concat();
    let ways: [(Derive, bool); 3] = [
        (|handle| hkdf::Derivation(LIBRARY_AES_128).extract_from_secret(Some(&[1; 32]), handle), false),
        (|handle| hkdf::Derivation(LIBRARY_AES_128).extract_from_zero_ikm(Some(handle)), true),
        (|handle| hkdf::Derivation(LIBRARY_AES_128).expander_for_okm(&OkmBlock::new(handle)), true),
    ];
    for (derive, is_long) in ways {
        let secret = if is_long { long(&foreign) } else { foreign.to_vec() };
        let mut engine = Counting::default();
        with(&mut engine, |session| {
            let mut key = [0; 16];
            derive(&secret).expand_slice(&[b"any"], &mut key).unwrap();
            assert!(session.check().is_err());
            // No cipher takes what comes out for a key.
            let key = AeadKey::from(<[u8; 32]>::try_from([key, key].concat()).unwrap());
            let mut encrypter = cipher::RecordsTls13(LIBRARY_AES_128).encrypter(key, Iv::copy(&[0; 12]));
            let message = OutboundPlainMessage {
                typ: ContentType::ApplicationData,
                version: ProtocolVersion::TLSv1_2,
                payload: b"a request".as_slice().into(),
            };
            assert!(encrypter.encrypt(message, 0).is_err());
        });
        assert_eq!(engine.calls, 0);
    }
    // The same without any session.
    let mut key = [0; 16];
    hkdf::Derivation(LIBRARY_AES_128)
        .extract_from_secret(None, &foreign)
        .expand_slice(&[b"any"], &mut key)
        .unwrap();
    assert!(is_handle(&key));
}

/// The secrets of the handshake and the keys of data are derived once, from one hash each, with known labels.
#[test]
fn tls_1_3_derives_what_it_should_and_nothing_else() {
    let info = |name: &str, context: &[u8]| {
        let mut info = expansion(name, context, 32);
        info.pop();
        info
    };
    let hash = [9; 32];
    for (wrong, calls) in [
        (("c hs traffic", [8; 32]), 1),
        (("s ap traffic", hash), 1),
        (("e exp master", hash), 1),
        (("finished", hash), 1),
    ] {
        let mut engine = Counting::default();
        with(&mut engine, |session| {
            let handshake =
                hkdf::Derivation(LIBRARY_AES_128).extract_from_secret(Some(&[1; 32]), session.handle());
            assert_eq!(handshake.expand_block(&[&info("c hs traffic", &hash)]).as_ref(), [5; 32]);
            assert_eq!(handshake.expand_block(&[&info("s hs traffic", &hash)]).as_ref(), [6; 32]);
            assert_eq!(session.check(), Ok(()));
            let (name, context) = wrong;
            assert!(is_handle(handshake.expand_block(&[&info(name, &context)]).as_ref()));
            assert!(session.check().is_err(), "{name}");
        });
        assert_eq!(engine.calls, calls);
    }
    let mut engine = Counting::default();
    with(&mut engine, |session| {
        let handshake =
            hkdf::Derivation(LIBRARY_AES_128).extract_from_secret(Some(&[1; 32]), session.handle());
        let salt = handshake.expand_block(&[&info("derived", &hash)]);
        let master = hkdf::Derivation(LIBRARY_AES_128).extract_from_zero_ikm(Some(salt.as_ref()));
        let client = master.expand_block(&[&info("c ap traffic", &hash)]);
        assert_eq!(master.expand_block(&[&info("exp master", &hash)]).as_ref(), [0; 32]);
        let keys = hkdf::Derivation(LIBRARY_AES_128).expander_for_okm(&client);
        let mut key = [0; 16];
        keys.expand_slice(&[&info("key", &[])], &mut key).unwrap();
        assert_eq!((&key, session.check()), (session.handle(), Ok(())));
        // Other keys of data than those that were derived.
        master.expand_block(&[&info("s ap traffic", &[8; 32])]);
        assert!(session.check().is_err());
    });
    assert_eq!(engine.calls, 1);
    let mut engine = Counting::default();
    with(&mut engine, |session| {
        let handshake =
            hkdf::Derivation(LIBRARY_AES_128).extract_from_secret(Some(&[1; 32]), session.handle());
        let mut key = [0; 16];
        handshake.expand_slice(&[&info("key", &[])], &mut key).unwrap();
        assert!(session.check().is_err(), "a key of the handshake secret itself");
    });
}

/// As in TLS 1.2: alerts are kept back, and so is a record that is not as long as it must be.
#[test]
fn records_of_tls_1_3_are_as_long_as_they_must_be_and_no_alerts() {
    for (typ, good) in [(ContentType::ApplicationData, false), (ContentType::Alert, false)] {
        let mut engine = Counting::default();
        with(&mut engine, |session| {
            let key = [&session.handle()[..], &[0; 16]].concat();
            let key = AeadKey::from(<[u8; 32]>::try_from(key).unwrap());
            let mut encrypter = cipher::RecordsTls13(LIBRARY_AES_128).encrypter(key, Iv::copy(&[0; 12]));
            let message = OutboundPlainMessage {
                typ,
                version: ProtocolVersion::TLSv1_2,
                payload: [1, 0].as_slice().into(),
            };
            // The engine of this test makes records of TLS 1.2's length.
            let record = encrypter.encrypt(message, 0).unwrap();
            assert_eq!(record.payload.as_ref(), [0; 2 + 1 + 16]);
            assert_eq!(session.check().is_ok(), good);
        });
    }
}
