//! P's secret about a connection, from which everything else follows.

use volery_circuit::gadgets::bytes_to_bits;
use volery_field::F2;
use zeroize::Zeroizing;

use crate::page::disclosure::{Root, Suite, TlsVersion};
use crate::wire::step::MASTER_BITS;

/// The master secret of TLS 1.2, or the handshake secret of TLS 1.3.
#[derive(Clone)]
pub(super) struct Secret {
    version: TlsVersion,
    bytes: Zeroizing<Vec<u8>>,
}

impl core::fmt::Debug for Secret {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Secret").field("version", &self.version).finish_non_exhaustive()
    }
}

/// The number of bits of a connection's secret.
pub(super) const fn secret_bits(version: TlsVersion, suite: Suite) -> usize {
    match version {
        TlsVersion::Tls12 => MASTER_BITS,
        TlsVersion::Tls13 => suite.hash().digest_bits(),
    }
}

/// Where a proof begins that has these wires for the secret.
pub(super) fn root<W>(version: TlsVersion, wires: Vec<W>) -> Root<W> {
    match version {
        TlsVersion::Tls12 => Root::Master(wires),
        TlsVersion::Tls13 => Root::Handshake(wires),
    }
}

/// The root of a party that does not know the secret.
pub(super) fn blind_root(version: TlsVersion, suite: Suite) -> Root<()> {
    root(version, vec![(); secret_bits(version, suite)])
}

impl Secret {
    /// `None` unless there are as many bytes as the version has with this suite.
    pub(super) fn new(version: TlsVersion, suite: Suite, bytes: &[u8]) -> Option<Self> {
        (8 * bytes.len() == secret_bits(version, suite))
            .then(|| Self { version, bytes: Zeroizing::new(bytes.to_vec()) })
    }

    /// Its bits.
    pub(super) fn bits(&self) -> Vec<F2> {
        bytes_to_bits(&self.bytes)
    }

    /// Where the proof begins.
    pub(super) fn root(&self) -> Zeroizing<Root<F2>> {
        Zeroizing::new(root(self.version, self.bits()))
    }
}
