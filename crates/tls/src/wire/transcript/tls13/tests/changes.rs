//! Changed, cut and arbitrary bytes.

use proptest::prelude::*;

use super::forged::Forged;
use super::*;
use crate::wire::transcript::tls13::forge::secrets as forged_secrets;

/// Both directions of a handshake, with a record of data each, and their reading.
fn fixed() -> ([Vec<u8>; 2], Opened) {
    let forged = Forged::new();
    let bytes = forged.bytes(&[(22, &forged.client(), 3)], &[(22, &forged.server(), 0)]);
    let opened = forged.open().unwrap();
    (bytes, opened)
}

fn open([client, server]: &[Vec<u8>; 2]) -> Result<Opened, Error> {
    Transcript::parse(client, server)?.open(&forged_secrets())
}

/// The handshake's bytes, all of them, each changed in one bit and in all. Of data the lengths alone are
/// read.
#[test]
fn a_changed_byte_of_the_handshake_is_refused_or_has_no_meaning() {
    let (bytes, opened) = fixed();
    for side in 0..2 {
        // The record of data at the end.
        let data = bytes[side].len() - 35;
        for at in 0..bytes[side].len() {
            for change in [1 << (at % 8), 2, 0xff] {
                let mut changed = bytes.clone();
                changed[side][at] ^= change;
                match open(&changed) {
                    // The client's first record states one of two versions.
                    Ok(found) if at < data => assert_eq!((found, side, at), (opened.clone(), 0, 2)),
                    Ok(found) => {
                        assert!(at >= data + 5 && found.handshake == opened.handshake, "{side} {at}")
                    }
                    Err(_) => {}
                }
            }
        }
    }
}

#[test]
fn anything_cut_is_truncated() {
    let (bytes, opened) = fixed();
    for (i, side) in [Side::Client, Side::Server].into_iter().enumerate() {
        let data = bytes[i].len() - 35;
        for end in 0..bytes[i].len() {
            let mut cut = bytes.clone();
            cut[i].truncate(end);
            match open(&cut) {
                // Whole records missing at the end do not show here: it is the closing alert that tells.
                Ok(found) => assert_eq!((end, found.handshake), (data, opened.handshake.clone())),
                Err(Error::Truncated { side: found, .. }) => assert_eq!(found, side, "{end}"),
                Err(other) => panic!("{side:?} {end}: {other}"),
            }
        }
    }
}

#[test]
fn secrets_of_another_connection_open_nothing() {
    let ([client, server], _) = fixed();
    let HandshakeSecrets { client: own, server: other } = forged_secrets();
    let swapped = HandshakeSecrets { client: other, server: own };
    let result = Transcript::parse(&client, &server).unwrap().open(&swapped);
    assert_eq!(result.unwrap_err(), Error::Sealed { side: Side::Server, sequence: 0 });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn bytes_cut_out_or_repeated_never_panic(
        side in 0_usize..2,
        cut in any::<[prop::sample::Index; 2]>(),
        repeat: bool,
    ) {
        let (mut bytes, opened) = fixed();
        let [a, b] = cut.map(|index| index.index(bytes[side].len()));
        let part = bytes[side][a.min(b)..a.max(b)].to_vec();
        if repeat {
            bytes[side].extend(part);
        } else {
            bytes[side].drain(a.min(b)..a.max(b));
        }
        if let Ok(found) = open(&bytes) {
            prop_assert_eq!(found.handshake, opened.handshake);
        }
    }

    #[test]
    fn any_bytes_never_panic(client: Vec<u8>, server: Vec<u8>) {
        prop_assert!(Transcript::parse(&client, &server).is_err());
    }

    #[test]
    fn any_messages_never_panic(messages: Vec<u8>, kind in prop::sample::select(vec![8_u8, 11, 15, 20])) {
        let forged = Forged::new();
        let length = (messages.len() as u32).to_be_bytes();
        let message = [&[kind], &length[1..], &messages].concat();
        for place in 0..3 {
            let mut forged = forged.clone();
            forged.flight[place] = message.clone();
            // Whatever is read is of the right kinds.
            prop_assert!(forged.open().is_err() || kind == [8, 11, 15][place]);
        }
    }
}
