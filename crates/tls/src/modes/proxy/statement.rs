//! The statement that P proves about a connection through V.

use volery_circuit::gadgets::bytes_to_bits;
use volery_circuit::{Digest, Error as CircuitError, Prove, Statement};
use volery_field::{F2, Gf128};
use zeroize::Zeroizing;

use crate::page::commitment::CommittedBits;
use crate::page::disclosure::{ConnectionStatement, RedactedPayload, Root};
use crate::wire::step::MASTER_BITS;

/// Bytes of a master secret.
pub(crate) const MASTER_BYTES: usize = MASTER_BITS / 8;

/// The statement that there is a master secret from which a connection's Finished messages, tags and shown
/// payload follow, and that the claims hold for its hidden payload. P's copy holds the secret.
///
/// V has to check claims about the connection's *transcript* itself; [`receive`](super::receive) does.
pub struct ProxyStatement {
    pub(super) statement: ConnectionStatement,
    pub(super) master: Option<Zeroizing<[u8; MASTER_BYTES]>>,
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
        let master = backend.secret(MASTER_BITS, &mut |_| {
            let master =
                self.master.as_ref().ok_or_else(|| CircuitError::Witness("there is no secret".into()))?;
            Ok(bytes_to_bits(&master[..]))
        })?;
        self.statement.claim(backend, &Root::Master(master))
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
        digest.bytes("statement", b"tls 1.2 connection through a proxy v4");
        self.statement.identify(digest);
    }

    fn commitments(&self) -> Option<u64> {
        let root = Root::Master(vec![(); MASTER_BITS]);
        Some(MASTER_BITS as u64 + self.statement.commitments(&root).ok()?)
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        self.claim(backend).map(drop)
    }
}
