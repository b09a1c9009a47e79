//! The client's hello, which is the same message in all versions, and the extensions of messages.

use rustls_pki_types::DnsName;
use volery_channel::Cursor;

use super::Error;
use crate::wire::prf::{Random, Side};

/// TLS 1.2, which hellos and records of TLS 1.3 state, too.
pub(super) const LEGACY_VERSION: u16 = 0x0303;
/// The cipher suite that is not one: it signals that the client knows secure renegotiation (RFC 5746).
const RENEGOTIATION_SIGNAL: u16 = 0x00ff;

/// Numbers of extensions.
pub(super) mod extension {
    pub(crate) const SERVER_NAME: u16 = 0;
    pub(crate) const STATUS_REQUEST: u16 = 5;
    pub(crate) const ALPN: u16 = 16;
    pub(crate) const EXTENDED_MASTER_SECRET: u16 = 23;
    pub(crate) const SUPPORTED_VERSIONS: u16 = 43;
    pub(crate) const RENEGOTIATION_INFO: u16 = 0xff01;
}

/// A hello's extensions: each number once, in order.
pub(super) struct Extensions<'a> {
    side: Side,
    what: &'static str,
    list: Vec<(u16, &'a [u8])>,
}

impl<'a> Extensions<'a> {
    /// Reads the rest of a message: nothing, or a list that fills it.
    pub(super) fn read(side: Side, what: &'static str, mut cursor: Cursor<'a>) -> Result<Self, Error> {
        if cursor.is_empty() {
            return Ok(Self { side, what, list: Vec::new() });
        }
        let flaw = Error::in_message(side, what);
        let list = cursor.vector16("its extensions").map_err(&flaw)?;
        cursor.finish().map_err(&flaw)?;
        Self::list(side, what, list)
    }

    /// Reads a list, without its length.
    pub(super) fn list(side: Side, what: &'static str, list: &'a [u8]) -> Result<Self, Error> {
        let flaw = Error::in_message(side, what);
        let (mut cursor, mut list) = (Cursor::new(list), Vec::new());
        while !cursor.is_empty() {
            let number = cursor.u16("an extension").map_err(&flaw)?;
            list.push((number, cursor.vector16("an extension").map_err(&flaw)?));
        }
        let mut numbers: Vec<u16> = list.iter().map(|(number, _)| *number).collect();
        numbers.sort_unstable();
        match numbers.windows(2).find(|pair| pair.first() == pair.last()) {
            Some(pair) => {
                Err(Error::malformed(side, what, format_args!("extension {:?} comes twice", pair.first())))
            }
            None => Ok(Self { side, what, list }),
        }
    }

    pub(super) fn get(&self, number: u16) -> Option<&'a [u8]> {
        self.list.iter().find(|(other, _)| *other == number).map(|(_, contents)| *contents)
    }

    /// The numbers, in order.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u16> {
        self.list.iter().map(|(number, _)| *number)
    }

    pub(super) fn has(&self, number: u16) -> bool {
        self.get(number).is_some()
    }

    /// Whether this extension, which has no contents, is present.
    pub(super) fn flag(&self, number: u16) -> Result<bool, Error> {
        match self.get(number) {
            Some([_, ..]) => Err(self.malformed(format_args!("extension {number} is not empty"))),
            other => Ok(other.is_some()),
        }
    }

    pub(super) fn malformed(&self, reason: impl core::fmt::Display) -> Error {
        Error::malformed(self.side, self.what, reason)
    }
}

/// The relevant parts of a ClientHello.
pub(super) struct ClientHello<'a> {
    pub(super) random: Random,
    pub(super) sni: Option<String>,
    pub(super) session: &'a [u8],
    pub(super) suites: Vec<u16>,
    pub(super) extensions: Extensions<'a>,
}

impl<'a> ClientHello<'a> {
    pub(super) fn read(body: &'a [u8]) -> Result<Self, Error> {
        const WHAT: &str = "ClientHello";
        let side = Side::Client;
        let flaw = Error::in_message(side, WHAT);
        let malformed = |reason| Error::malformed(side, WHAT, reason);
        let mut cursor = Cursor::new(body);
        let version = cursor.u16("its version").map_err(&flaw)?;
        if version != LEGACY_VERSION {
            return Err(malformed("its version is not TLS 1.2"));
        }
        let random = cursor.array("its random").map_err(&flaw)?;
        let session = cursor.vector8("its session id").map_err(&flaw)?;
        let (suites, []) = cursor.vector16("its cipher suites").map_err(&flaw)?.as_chunks::<2>() else {
            return Err(malformed("its cipher suites are an odd number of bytes"));
        };
        let suites = suites.iter().map(|suite| u16::from_be_bytes(*suite)).collect();
        if cursor.vector8("its compression methods").map_err(&flaw)? != [0] {
            return Err(malformed("it offers compression"));
        }
        let extensions = Extensions::read(side, WHAT, cursor)?;
        let sni = extensions.get(extension::SERVER_NAME).map(|contents| host_name(&extensions, contents));
        Ok(Self { random, sni: sni.transpose()?, session, suites, extensions })
    }

    pub(super) fn offers(&self, number: u16) -> bool {
        self.extensions.has(number)
            || number == extension::RENEGOTIATION_INFO && self.suites.contains(&RENEGOTIATION_SIGNAL)
    }
}

/// The only host name of a server name indication (RFC 6066, section 3).
fn host_name(extensions: &Extensions<'_>, contents: &[u8]) -> Result<String, Error> {
    let malformed = |reason| extensions.malformed(format_args!("its server name {reason}"));
    let flaw = |flaw| extensions.malformed(format_args!("its server name: {flaw}"));
    let mut cursor = Cursor::new(contents);
    let mut list = Cursor::new(cursor.vector16("the list").map_err(flaw)?);
    cursor.finish().map_err(flaw)?;
    if list.u8("a kind").map_err(flaw)? != 0 {
        return Err(malformed("is not a host name"));
    }
    let name = list.vector16("the host name").map_err(flaw)?;
    list.finish().map_err(flaw)?;
    let name = DnsName::try_from(name).map_err(|_| malformed("is not one of the domain name system"))?;
    if name.as_ref().ends_with('.') {
        return Err(malformed("ends with a dot"));
    }
    Ok(name.as_ref().to_owned())
}

/// The only protocol that the server chose (RFC 7301, section 3.1).
pub(super) fn alpn(extensions: &Extensions<'_>) -> Result<Option<Vec<u8>>, Error> {
    let Some(contents) = extensions.get(extension::ALPN) else { return Ok(None) };
    let flaw = |flaw| extensions.malformed(format_args!("its protocol for the payload: {flaw}"));
    let mut cursor = Cursor::new(contents);
    let mut list = Cursor::new(cursor.vector16("the list").map_err(flaw)?);
    cursor.finish().map_err(flaw)?;
    let name = list.vector8("the name").map_err(flaw)?;
    list.finish().map_err(flaw)?;
    Ok(Some(name.to_vec()))
}
