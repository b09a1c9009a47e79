//! The server's choice.

use volery_channel::Cursor;

use super::super::hello::{ClientHello, Extensions, LEGACY_VERSION, alpn, extension};
use crate::wire::prf::{Random, Side};
use crate::wire::suite::{Signer, Suite};
use crate::wire::transcript::Error;

/// The relevant parts of a ServerHello.
pub(super) struct ServerHello {
    pub(super) random: Random,
    pub(super) suite: Suite,
    pub(super) signer: Signer,
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
        if version != LEGACY_VERSION {
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
        if let Some(number) = extensions.numbers().find(|number| !client.offers(*number)) {
            return Err(extensions
                .malformed(format_args!("it has extension {number}, which the client does not offer")));
        }
        if !matches!(extensions.get(extension::RENEGOTIATION_INFO), None | Some([0])) {
            return Err(Error::Renegotiation(side));
        }
        let (suite, signer) = chosen(suite, client)?;
        Ok(Self {
            random,
            suite,
            signer,
            extended_master_secret: extensions.flag(extension::EXTENDED_MASTER_SECRET)?,
            status: extensions.flag(extension::STATUS_REQUEST)?,
            alpn: alpn(&extensions)?,
        })
    }
}

fn chosen(suite: u16, client: &ClientHello<'_>) -> Result<(Suite, Signer), Error> {
    let known = Suite::from_tls12(suite).ok_or(Error::Suite(suite))?;
    if client.suites.contains(&suite) {
        Ok(known)
    } else {
        let reason = format_args!("it chooses cipher suite {suite:#06x}, which the client does not offer");
        Err(Error::malformed(Side::Server, "ServerHello", reason))
    }
}
