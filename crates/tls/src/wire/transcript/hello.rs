//! The hellos: the client's offers, and the server's choice.

use rustls_pki_types::DnsName;
use volery_channel::Cursor;

use super::{Error, Suite};
use crate::wire::prf::{Random, Side};

const VERSION: u16 = 0x0303;
/// The cipher suite that is not one: it signals that the client knows secure renegotiation (RFC 5746).
const RENEGOTIATION_SIGNAL: u16 = 0x00ff;

/// Numbers of extensions.
mod extension {
    pub(super) const SERVER_NAME: u16 = 0;
    pub(super) const STATUS_REQUEST: u16 = 5;
    pub(super) const ALPN: u16 = 16;
    pub(super) const EXTENDED_MASTER_SECRET: u16 = 23;
    pub(super) const SUPPORTED_VERSIONS: u16 = 43;
    pub(super) const RENEGOTIATION_INFO: u16 = 0xff01;
}

/// A hello's extensions: each number once, in order.
struct Extensions<'a> {
    side: Side,
    what: &'static str,
    list: Vec<(u16, &'a [u8])>,
}

impl<'a> Extensions<'a> {
    /// Reads the rest of a hello: nothing, or a list that fills it.
    fn read(side: Side, what: &'static str, mut cursor: Cursor<'a>) -> Result<Self, Error> {
        let flaw = Error::in_message(side, what);
        let mut list: Vec<(u16, &[u8])> = Vec::new();
        if !cursor.is_empty() {
            let mut inner = Cursor::new(cursor.vector16("its extensions").map_err(&flaw)?);
            cursor.finish().map_err(&flaw)?;
            while !inner.is_empty() {
                let number = inner.u16("an extension").map_err(&flaw)?;
                list.push((number, inner.vector16("an extension").map_err(&flaw)?));
            }
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

    fn get(&self, number: u16) -> Option<&'a [u8]> {
        self.list.iter().find(|(other, _)| *other == number).map(|(_, contents)| *contents)
    }

    fn has(&self, number: u16) -> bool {
        self.get(number).is_some()
    }

    /// Whether this extension, which has no contents, is present.
    fn flag(&self, number: u16) -> Result<bool, Error> {
        match self.get(number) {
            Some([_, ..]) => Err(self.malformed(format_args!("extension {number} is not empty"))),
            other => Ok(other.is_some()),
        }
    }

    fn malformed(&self, reason: impl core::fmt::Display) -> Error {
        Error::malformed(self.side, self.what, reason)
    }
}

/// The relevant parts of a ClientHello.
pub(super) struct ClientHello<'a> {
    pub(super) random: Random,
    pub(super) sni: Option<String>,
    session: &'a [u8],
    suites: Vec<u16>,
    extensions: Extensions<'a>,
}

impl<'a> ClientHello<'a> {
    pub(super) fn read(body: &'a [u8]) -> Result<Self, Error> {
        const WHAT: &str = "ClientHello";
        let side = Side::Client;
        let flaw = Error::in_message(side, WHAT);
        let malformed = |reason| Error::malformed(side, WHAT, reason);
        let mut cursor = Cursor::new(body);
        let version = cursor.u16("its version").map_err(&flaw)?;
        if version != VERSION {
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

    fn offers(&self, number: u16) -> bool {
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

/// The relevant parts of a ServerHello.
pub(super) struct ServerHello {
    pub(super) random: Random,
    pub(super) suite: Suite,
    pub(super) extended_master_secret: bool,
    /// Whether CertificateStatus may follow the certificates.
    pub(super) status: bool,
    pub(super) alpn: Option<Vec<u8>>,
}

impl ServerHello {
    /// Reads it as the answer to `client`.
    pub(super) fn read(body: &[u8], client: &ClientHello<'_>) -> Result<Self, Error> {
        const WHAT: &str = "ServerHello";
        let side = Side::Server;
        let flaw = Error::in_message(side, WHAT);
        let malformed = |reason| Error::malformed(side, WHAT, reason);
        let mut cursor = Cursor::new(body);
        let version = cursor.u16("its version").map_err(&flaw)?;
        if version != VERSION {
            return Err(Error::Version(version));
        }
        let random = cursor.array("its random").map_err(&flaw)?;
        let session = cursor.vector8("its session id").map_err(&flaw)?;
        let suite = cursor.u16("its cipher suite").map_err(&flaw)?;
        let compression = cursor.u8("its compression method").map_err(&flaw)?;
        let extensions = Extensions::read(side, WHAT, cursor)?;
        // Checked first, because the rest of a TLS 1.3 hello would look wrong, too.
        if let Some(version) = extensions.get(extension::SUPPORTED_VERSIONS) {
            let version = Cursor::new(version).u16("the version it chose").map_err(&flaw)?;
            return Err(Error::Version(version));
        }
        if compression != 0 {
            return Err(malformed("it chooses compression"));
        }
        if session.len() > 32 {
            return Err(malformed("its session id has more than 32 bytes"));
        }
        if !session.is_empty() && session == client.session {
            return Err(Error::Resumed);
        }
        if let Some((number, _)) = extensions.list.iter().find(|(number, _)| !client.offers(*number)) {
            return Err(extensions
                .malformed(format_args!("it has extension {number}, which the client does not offer")));
        }
        if !matches!(extensions.get(extension::RENEGOTIATION_INFO), None | Some([0])) {
            return Err(Error::Renegotiation(side));
        }
        Ok(Self {
            random,
            suite: chosen(suite, client)?,
            extended_master_secret: extensions.flag(extension::EXTENDED_MASTER_SECRET)?,
            status: extensions.flag(extension::STATUS_REQUEST)?,
            alpn: alpn(&extensions)?,
        })
    }
}

fn chosen(suite: u16, client: &ClientHello<'_>) -> Result<Suite, Error> {
    let known = match suite {
        0xc02b => Suite::EcdheEcdsaAes128Gcm,
        0xc02f => Suite::EcdheRsaAes128Gcm,
        _ => return Err(Error::Suite(suite)),
    };
    if client.suites.contains(&suite) {
        Ok(known)
    } else {
        let reason = format_args!("it chooses cipher suite {suite:#06x}, which the client does not offer");
        Err(Error::malformed(Side::Server, "ServerHello", reason))
    }
}

/// The only protocol that the server chose (RFC 7301, section 3.1).
fn alpn(extensions: &Extensions<'_>) -> Result<Option<Vec<u8>>, Error> {
    let Some(contents) = extensions.get(extension::ALPN) else { return Ok(None) };
    let flaw = |flaw| extensions.malformed(format_args!("its protocol for the payload: {flaw}"));
    let mut cursor = Cursor::new(contents);
    let mut list = Cursor::new(cursor.vector16("the list").map_err(flaw)?);
    cursor.finish().map_err(flaw)?;
    let name = list.vector8("the name").map_err(flaw)?;
    list.finish().map_err(flaw)?;
    Ok(Some(name.to_vec()))
}
