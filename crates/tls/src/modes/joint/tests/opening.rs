//! V opens nothing for a connection that it took no part in: P would learn V's secrets of one connection and
//! could make up another.

use std::sync::{Arc, Mutex};

use volery_channel::{Tag, tags};

use super::*;
use crate::modes::joint::testing::Change;
use crate::page::disclosure::{Error as Disclosure, Refusal};

/// Whether V sent anything of what opens its part.
fn opens(change: Change) -> (Result<(), Error>, bool) {
    let site = Site::new(KeyAlgorithm::P256, &response("42"));
    let said = Arc::new(Mutex::new(Vec::<Tag>::new()));
    let listen: Change = {
        let said = Arc::clone(&said);
        Box::new(move |tag, _: &mut Vec<u8>| said.lock().unwrap().push(tag))
    };
    let request = "GET / HTTP/1.1\r\nHost: data.example.com\r\nConnection: close\r\n\r\n";
    let run = Run::new(&site, request.as_bytes());
    let (_, proven) = Run { changes: [change, listen], ..run }.go();
    let said = said.lock().unwrap();
    let opened = [tags::KEY_OPENING, tags::GARBLED_OPENING].map(|tag| said.contains(&tag));
    assert_eq!(opened[0], opened[1]);
    (proven.map(drop), opened[0])
}

/// Changes one of the three messages of the transcript: the host, the client's bytes, the server's.
pub(super) fn transcript(
    which: usize,
    mut change: impl FnMut(&mut Vec<u8>) + Send + Sync + 'static,
) -> Change {
    let mut seen = 0;
    Box::new(move |tag, message| {
        if tag == tags::CLIENT_TRANSCRIPT {
            if seen == which {
                change(message);
            }
            seen += 1;
        }
    })
}

#[test]
fn an_honest_connection_is_opened() {
    assert_eq!(opens(Box::new(|_, _| {})), (Ok(()), true));
}

#[test]
fn v_opens_nothing_before_it_has_found_its_own_part_in_the_transcript() {
    let refused = |part| Err(Error::Disclosure(Disclosure::Refused(Refusal::Another(part))));
    // Behind headers of record and message and the version: the client's random, the server's.
    let random: fn(&mut Vec<u8>) = |bytes| bytes[5 + 4 + 2] ^= 1;
    assert_eq!(opens(transcript(1, random)), (refused("master secret's seed"), false));
    assert_eq!(opens(transcript(2, random)), (refused("master secret's seed"), false));
    // Of the client's last record: a byte of the ciphertext, before the tag.
    let ciphertext: fn(&mut Vec<u8>) = |bytes| {
        let place = bytes.len() - 17;
        bytes[place] ^= 1;
    };
    assert_eq!(opens(transcript(1, ciphertext)), (refused("client's records"), false));
    // No connection at all.
    let (result, opened) = opens(transcript(2, |bytes| bytes.truncate(40)));
    assert!(result.is_err() && !opened);
    let (result, opened) = opens(transcript(1, Vec::clear));
    assert!(result.is_err() && !opened);
}
