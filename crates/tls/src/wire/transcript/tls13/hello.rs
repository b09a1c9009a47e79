//! The hellos: the client's offers for TLS 1.3, and the server's choice.

use volery_channel::Cursor;

use super::super::hello::{ClientHello, Extensions, LEGACY_VERSION};
use super::{VERSION, extension, kind};
use crate::wire::key_exchange::{Group, PublicPoint};
use crate::wire::prf::{Random, Side};
use crate::wire::suite::Suite;
use crate::wire::transcript::{Error, HANDSHAKE};

/// The random of a HelloRetryRequest, which is a ServerHello otherwise: SHA-256 of its name (RFC 8446,
/// section 4.1.3).
const RETRY: Random = [
    0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91, 0xc2,
    0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
];

/// Whether the first record of a server's bytes is a HelloRetryRequest, as soon as its random is there.
pub(crate) fn asks_for_another_hello(server: &[u8]) -> bool {
    // Headers of record and message, and the version.
    const START: usize = 5 + 4 + 2;
    server.first() == Some(&HANDSHAKE)
        && server.get(5) == Some(&kind::SERVER_HELLO)
        && server.get(START..).is_some_and(|rest| rest.starts_with(&RETRY))
}

/// The client's hello, with what TLS 1.3 adds to it.
pub(super) struct Offer<'a> {
    pub(super) hello: ClientHello<'a>,
    /// Its keys for the exchange: groups, each once, and points, not parsed.
    shares: Vec<(u16, &'a [u8])>,
}

impl<'a> Offer<'a> {
    pub(super) fn read(body: &'a [u8]) -> Result<Self, Error> {
        let hello = ClientHello::read(body)?;
        let extensions = &hello.extensions;
        for (number, error) in [
            (extension::COOKIE, Error::HelloRetry),
            (extension::PRE_SHARED_KEY, Error::PreSharedKey),
            (extension::EARLY_DATA, Error::EarlyData(Side::Client)),
            (extension::ENCRYPTED_CLIENT_HELLO, Error::EncryptedClientHello),
            (extension::POST_HANDSHAKE_AUTH, Error::PostHandshakeAuth),
        ] {
            if extensions.has(number) {
                return Err(error);
            }
        }
        if hello.session.len() > 32 {
            return Err(extensions.malformed("its session id has more than 32 bytes"));
        }
        if !versions(extensions)?.contains(&VERSION) {
            return Err(extensions.malformed("it does not offer TLS 1.3"));
        }
        let shares = shares(extensions)?;
        Ok(Self { hello, shares })
    }

    /// The client's point of this group.
    fn share(&self, group: Group) -> Result<PublicPoint, Error> {
        let (side, what) = (Side::Client, "ClientHello");
        let share = self.shares.iter().find(|(number, _)| *number == group.number());
        let (_, bytes) = share.ok_or_else(|| {
            let number = group.number();
            let reason = format_args!("it chooses group {number:#06x}, for which the client sent no key");
            Error::malformed(Side::Server, "ServerHello", reason)
        })?;
        point(side, what, group, bytes)
    }
}

/// The versions that the client offers.
fn versions(extensions: &Extensions<'_>) -> Result<Vec<u16>, Error> {
    let Some(contents) = extensions.get(extension::SUPPORTED_VERSIONS) else { return Ok(Vec::new()) };
    let flaw = |flaw| extensions.malformed(format_args!("its versions: {flaw}"));
    let mut cursor = Cursor::new(contents);
    let list = cursor.vector8("the list").map_err(flaw)?;
    cursor.finish().map_err(flaw)?;
    let (versions, []) = list.as_chunks::<2>() else {
        return Err(extensions.malformed("its versions are an odd number of bytes"));
    };
    Ok(versions.iter().map(|version| u16::from_be_bytes(*version)).collect())
}

/// The keys that the client offers.
fn shares<'a>(extensions: &Extensions<'a>) -> Result<Vec<(u16, &'a [u8])>, Error> {
    let flaw = |flaw| extensions.malformed(format_args!("its keys: {flaw}"));
    let mut cursor = Cursor::new(extensions.get(extension::KEY_SHARE).unwrap_or(&[0, 0]));
    let mut list = Cursor::new(cursor.vector16("the list").map_err(flaw)?);
    cursor.finish().map_err(flaw)?;
    let mut shares: Vec<(u16, &[u8])> = Vec::new();
    while !list.is_empty() {
        let (group, share) = share(&mut list).map_err(flaw)?;
        if shares.iter().any(|(other, _)| *other == group) {
            return Err(extensions.malformed(format_args!("it has two keys of group {group:#06x}")));
        }
        shares.push((group, share));
    }
    Ok(shares)
}

/// A group and a key of it, which is not parsed.
fn share<'a>(cursor: &mut Cursor<'a>) -> Result<(u16, &'a [u8]), volery_channel::Flaw> {
    Ok((cursor.u16("a group")?, cursor.vector16("a key")?))
}

fn point(side: Side, what: &'static str, group: Group, bytes: &[u8]) -> Result<PublicPoint, Error> {
    PublicPoint::read(group, bytes)
        .map_err(|reason| Error::malformed(side, what, format_args!("its key is not valid: {reason}")))
}

/// The relevant parts of a ServerHello.
pub(super) struct ServerHello {
    pub(super) random: Random,
    pub(super) suite: Suite,
    pub(super) server_point: PublicPoint,
    pub(super) client_point: PublicPoint,
}

impl ServerHello {
    /// Reads it as the answer to `client`.
    pub(super) fn read(body: &[u8], client: &Offer<'_>) -> Result<Self, Error> {
        const WHAT: &str = "ServerHello";
        let side = Side::Server;
        let flaw = Error::in_message(side, WHAT);
        let malformed = |reason| Error::malformed(side, WHAT, reason);
        let mut cursor = Cursor::new(body);
        let version = cursor.u16("its version").map_err(&flaw)?;
        if version != LEGACY_VERSION {
            return Err(Error::Older(version));
        }
        let random: Random = cursor.array("its random").map_err(&flaw)?;
        let session = cursor.vector8("its session id").map_err(&flaw)?;
        let suite = cursor.u16("its cipher suite").map_err(&flaw)?;
        let compression = cursor.u8("its compression method").map_err(&flaw)?;
        let extensions = Extensions::read(side, WHAT, cursor)?;
        // Checked first, because the rest of another version's hello would look wrong, too.
        chosen_version(&extensions)?;
        if random == RETRY {
            return Err(Error::HelloRetry);
        }
        if session != client.hello.session {
            return Err(malformed("it does not repeat the client's session id"));
        }
        if compression != 0 {
            return Err(malformed("it chooses compression"));
        }
        if extensions.has(extension::PRE_SHARED_KEY) {
            return Err(Error::Resumed);
        }
        let known = [extension::SUPPORTED_VERSIONS, extension::KEY_SHARE];
        if let Some(number) = extensions.numbers().find(|number| !known.contains(number)) {
            return Err(
                extensions.malformed(format_args!("it has extension {number}, which has no place in it"))
            );
        }
        let suite = chosen_suite(suite, client)?;
        let server_point = chosen_share(&extensions)?;
        let client_point = client.share(server_point.group())?;
        Ok(Self { random, suite, server_point, client_point })
    }
}

/// Checks that the server chose TLS 1.3.
fn chosen_version(extensions: &Extensions<'_>) -> Result<(), Error> {
    let Some(contents) = extensions.get(extension::SUPPORTED_VERSIONS) else {
        return Err(Error::Older(LEGACY_VERSION));
    };
    match <[u8; 2]>::try_from(contents).map(u16::from_be_bytes) {
        Ok(VERSION) => Ok(()),
        Ok(other) => Err(Error::Older(other)),
        Err(_) => Err(extensions.malformed("its version is not two bytes")),
    }
}

fn chosen_suite(suite: u16, client: &Offer<'_>) -> Result<Suite, Error> {
    let known = Suite::from_tls13(suite).ok_or(Error::Suite(suite))?;
    if client.hello.suites.contains(&suite) {
        Ok(known)
    } else {
        let reason = format_args!("it chooses cipher suite {suite:#06x}, which the client does not offer");
        Err(Error::malformed(Side::Server, "ServerHello", reason))
    }
}

/// The server's key.
fn chosen_share(extensions: &Extensions<'_>) -> Result<PublicPoint, Error> {
    let contents =
        extensions.get(extension::KEY_SHARE).ok_or_else(|| extensions.malformed("it has no key"))?;
    let flaw = |flaw| extensions.malformed(format_args!("its key: {flaw}"));
    let mut cursor = Cursor::new(contents);
    let (group, bytes) = share(&mut cursor).map_err(flaw)?;
    cursor.finish().map_err(flaw)?;
    point(Side::Server, "ServerHello", Group::from_number(group).ok_or(Error::Group(group))?, bytes)
}
