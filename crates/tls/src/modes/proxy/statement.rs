//! The statement that P proves about a connection through V.

use volery_circuit::{Digest, Error as CircuitError, Prove, Statement};
use volery_field::{F2, Gf128};
use zeroize::Zeroizing;

use super::secret::{Secret, blind_root, root, secret_bits};
use crate::page::commitment::CommittedBits;
use crate::page::disclosure::{ConnectionStatement, RedactedPayload, TlsVersion};

/// The statement that there is a secret from which a connection's Finished messages, tags and shown payload
/// follow, and that the claims hold for its hidden payload. It is the master secret of TLS 1.2, or the
/// handshake secret of TLS 1.3. P's copy holds it.
///
/// V has to check claims about the connection's *transcript* itself; [`receive`](super::receive) does.
pub struct ProxyStatement {
    pub(super) statement: ConnectionStatement,
    pub(super) secret: Option<Secret>,
}

impl core::fmt::Debug for ProxyStatement {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ProxyStatement").field("shown", self.shown()).finish_non_exhaustive()
    }
}

impl ProxyStatement {
    /// What V sees of the request and of the response.
    #[must_use]
    pub fn shown(&self) -> &[RedactedPayload; 2] {
        self.statement.shown()
    }

    /// Runs the statement. Returns the wires of the bits to commit to, for
    /// [`ProxyStatement::committed_bits`].
    ///
    /// # Errors
    /// The backend's.
    pub fn claim<B: Prove<F2> + ?Sized>(&self, backend: &mut B) -> Result<Vec<B::Wire>, B::Error> {
        let (version, suite) = (self.statement.version(), self.statement.suite());
        let secret = backend.secret(secret_bits(version, suite), &mut |_| {
            let secret = self.secret.as_ref().map(Secret::bits);
            secret.ok_or_else(|| CircuitError::Witness("there is no secret".into()))
        })?;
        self.statement.claim(backend, &root(version, secret))
    }

    /// A party's shares of the bits to commit to, `None` if there are none. `shares` are its tags or keys of
    /// the wires that [`ProxyStatement::claim`] returned, after V has accepted the proof.
    ///
    /// # Errors
    /// [`Error::Misuse`](crate::Error::Misuse) unless there is one for each bit.
    pub fn committed_bits(
        &self,
        shares: Zeroizing<Vec<Gf128>>,
    ) -> Result<Option<CommittedBits>, crate::Error> {
        self.statement.committed_bits(shares)
    }
}

impl<B: Prove<F2> + ?Sized> Statement<B> for ProxyStatement {
    fn identify(&self, digest: &mut Digest) {
        let name: &[u8] = match self.statement.version() {
            TlsVersion::Tls12 => b"tls 1.2 connection through a proxy v5",
            TlsVersion::Tls13 => b"tls 1.3 connection through a proxy v2",
        };
        digest.bytes("statement", name);
        self.statement.identify(digest);
    }

    fn commitments(&self) -> Option<u64> {
        let (version, suite) = (self.statement.version(), self.statement.suite());
        let root = blind_root(version, suite);
        Some(secret_bits(version, suite) as u64 + self.statement.commitments(&root).ok()?)
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        self.claim(backend).map(drop)
    }
}
