//! The key derivation: rustls names what it derives by label and seed, and the engine has a call for each.

use rustls::Error;
use rustls::crypto::ActiveKeyExchange;
use rustls::crypto::tls12::Prf;
use rustls::version::TLS12;

use super::session::Session;
use crate::wire::prf::{MasterSeed, Random, VERIFY_DATA_BYTES};

/// The contents that rustls sees in the server's Finished and compares with itself.
pub(super) const PLACEHOLDER: [u8; VERIFY_DATA_BYTES] = *b"not verified";

/// TLS 1.2's PRF of the current session's secrets.
pub(super) struct Derivation;

impl Prf for Derivation {
    fn for_key_exchange(
        &self,
        output: &mut [u8; 48],
        exchange: Box<dyn ActiveKeyExchange>,
        server: &[u8],
        label: &[u8],
        seed: &[u8],
    ) -> Result<(), Error> {
        let session = Session::current()?;
        let seed = master_seed(&session, label, seed)
            .ok_or_else(|| session.misuse("the TLS library derives a master secret in an unknown way"))?;
        let secret = exchange.complete_for_tls_version(server, &TLS12)?;
        session.own(secret.secret_bytes())?;
        session.ask(move |engine| engine.master_secret(&seed))?;
        write(&session, output, session.handle())
    }

    fn for_secret(&self, output: &mut [u8], secret: &[u8], label: &[u8], seed: &[u8]) {
        // Errors are latched; the output is then filler.
        output.fill(0);
        if let Ok(session) = Session::current() {
            let _ = derive(&session, output, secret, label, seed);
        }
    }
}

fn derive(
    session: &Session,
    output: &mut [u8],
    secret: &[u8],
    label: &[u8],
    seed: &[u8],
) -> Result<(), Error> {
    session.own(secret)?;
    let unknown = || session.misuse("the TLS library derives something unknown");
    match label {
        b"key expansion" => {
            let [server, client] = randoms(seed).ok_or_else(unknown)?;
            session.key_block(client, server)?;
            write(session, output, &[*session.handle(), *session.handle()].concat())
        }
        b"client finished" => {
            let hash = session.hash_of(seed).ok_or_else(unknown)?;
            let contents = session.ask(move |engine| engine.client_finished(&hash))?;
            write(session, output, &contents)
        }
        b"server finished" => write(session, output, &PLACEHOLDER),
        _ => Err(unknown()),
    }
}

/// Writes to the start of an output and fills the rest with zeros.
fn write(session: &Session, output: &mut [u8], bytes: &[u8]) -> Result<(), Error> {
    output.fill(0);
    match output.split_at_mut_checked(bytes.len()) {
        Some((first, _)) => {
            first.copy_from_slice(bytes);
            Ok(())
        }
        None => Err(session.misuse("the TLS library derives fewer bytes than there must be")),
    }
}

fn master_seed(session: &Session, label: &[u8], seed: &[u8]) -> Option<MasterSeed> {
    match label {
        b"extended master secret" => session.hash_of(seed).map(MasterSeed::SessionHash),
        b"master secret" => {
            let [client, server] = randoms(seed)?;
            Some(MasterSeed::Randoms { client, server })
        }
        _ => None,
    }
}

/// The two randoms of a seed, in its order.
fn randoms(seed: &[u8]) -> Option<[Random; 2]> {
    match seed.as_chunks() {
        (&[first, second], []) => Some([first, second]),
        _ => None,
    }
}
