//! The header of a proof, and the hash functions that depend on it.

use core::fmt;

use volery_channel::Cursor;
use volery_circuit::Message;

use super::{Demands, Settings};
use crate::program::Program;
use crate::rings::PublicRing;
use crate::{Error, Parameters, Protocol};

/// The first bytes of a proof. The line break detects transports that convert text.
const MAGIC: [u8; 16] = *b"VOLERY MPCITH\r\n\0";

/// The version of the format, and of all hashes.
pub(super) const VERSION: u16 = 1;

/// The header of a proof.
#[derive(Clone, PartialEq, Eq)]
pub struct Header {
    pub(super) protocol: Protocol,
    pub(super) parameters: Parameters,
    pub(super) bound: bool,
    pub(super) inputs: u64,
    pub(super) multiplications: u64,
    pub(super) outputs: u64,
    pub(super) statement: [u8; 32],
    pub(super) salt: [u8; 32],
}

impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Header")
            .field("protocol", &self.protocol)
            .field("sigma", &self.parameters.sigma())
            .field("bound", &self.bound)
            .field("multiplications", &self.multiplications)
            .finish_non_exhaustive()
    }
}

impl Header {
    /// Bytes of a header.
    pub const BYTES: usize = 16 + 2 + 1 + 1 + 2 + 2 + 3 * 8 + 32 + 32;

    /// The header of a proof of `program` with these settings.
    pub(super) fn new<R: PublicRing>(program: &Program<R>, settings: &Settings<'_>, salt: [u8; 32]) -> Self {
        Self {
            protocol: settings.protocol,
            parameters: settings.parameters,
            bound: settings.message.is_some(),
            inputs: program.inputs(),
            multiplications: program.multiplications(),
            outputs: program.outputs(),
            statement: *program.digest(),
            salt,
        }
    }

    /// Reads the header of a proof. The bytes are hostile. It needs no statement, so that `volery info` can
    /// describe any file.
    ///
    /// # Errors
    /// [`Error::Malformed`] and [`Error::Version`].
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        let mut cursor = Cursor::new(bytes);
        if array(&mut cursor, "the file's mark")? != MAGIC {
            return Err(Error::malformed(0, "the file's mark", "this is no public proof"));
        }
        let version = u16::from_le_bytes(array(&mut cursor, "the version")?);
        if version != VERSION {
            return Err(Error::Version { version, known: VERSION });
        }
        let [code, bound] = array(&mut cursor, "the protocol")?;
        let protocol = Protocol::from_code(code)
            .ok_or_else(|| Error::malformed(18, "the protocol", format!("{code} is the number of none")))?;
        if bound > 1 {
            return Err(Error::malformed(19, "the message's mark", format!("{bound}, not 0 or 1")));
        }
        let sigma = u16::from_le_bytes(array(&mut cursor, "the soundness")?);
        let parameters = Parameters::new(sigma)
            .map_err(|error| Error::malformed(20, "the soundness", error.to_string()))?;
        let repetitions = u16::from_le_bytes(array(&mut cursor, "the repetitions")?);
        let expected = parameters.repetitions();
        if usize::from(repetitions) != expected {
            let reason = format!("{repetitions} repetitions; {sigma} bits of soundness take {expected}");
            return Err(Error::malformed(22, "the repetitions", reason));
        }
        let mut count = || array(&mut cursor, "the counts").map(u64::from_le_bytes);
        let (inputs, multiplications, outputs) = (count()?, count()?, count()?);
        let (statement, salt) =
            (array(&mut cursor, "the statement's digest")?, array(&mut cursor, "the salt")?);
        let bound = bound == 1;
        Ok(Self { protocol, parameters, bound, inputs, multiplications, outputs, statement, salt })
    }

    /// The canonical encoding.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(Self::BYTES);
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&[self.protocol.code(), u8::from(self.bound)]);
        out.extend_from_slice(&self.parameters.sigma().to_le_bytes());
        // At most 219.
        out.extend_from_slice(&(self.parameters.repetitions() as u16).to_le_bytes());
        for count in [self.inputs, self.multiplications, self.outputs] {
            out.extend_from_slice(&count.to_le_bytes());
        }
        out.extend_from_slice(&self.statement);
        out.extend_from_slice(&self.salt);
        out
    }

    /// Checks that this is the header of a proof of `program` that meets these demands, as far as a header
    /// shows.
    pub(crate) fn suits<R: PublicRing>(
        &self,
        program: &Program<R>,
        demands: &Demands<'_>,
    ) -> Result<(), Error> {
        if self.statement != *program.digest() {
            return Err(Error::OtherStatement { proof: self.statement, expected: *program.digest() });
        }
        let counts = [
            ("the number of secrets", self.inputs, program.inputs()),
            ("the number of multiplications", self.multiplications, program.multiplications()),
            ("the number of claims", self.outputs, program.outputs()),
        ];
        if let Some((what, proof, expected)) = counts.into_iter().find(|(_, a, b)| a != b) {
            return Err(Error::mismatch(what, proof, expected));
        }
        let (proof, least) = (self.parameters.sigma(), demands.parameters.sigma());
        if proof < least {
            return Err(Error::Soundness { proof, demanded: least });
        }
        if self.bound != demands.message.is_some() {
            return Err(Error::Message { bound: self.bound });
        }
        Ok(())
    }

    /// The proof's protocol.
    #[must_use]
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// The soundness that it claims.
    #[must_use]
    pub fn parameters(&self) -> Parameters {
        self.parameters
    }

    /// Whether the proof is about a message, too.
    #[must_use]
    pub fn is_bound(&self) -> bool {
        self.bound
    }

    /// The number of multiplications of the statement.
    #[must_use]
    pub fn multiplications(&self) -> u64 {
        self.multiplications
    }

    /// The number of secret elements of the statement.
    #[must_use]
    pub fn inputs(&self) -> u64 {
        self.inputs
    }

    /// The statement's digest.
    #[must_use]
    pub fn statement(&self) -> &[u8; 32] {
        &self.statement
    }

    pub(crate) fn repetitions(&self) -> usize {
        self.parameters.repetitions()
    }

    /// The hash functions of its first message. Each depends on the whole header.
    pub(crate) fn keys(&self) -> Keys {
        let header = self.encode();
        Keys {
            commitment: blake3::derive_key("volery 2026 mpcith commitments v1", &header),
            tape: blake3::derive_key("volery 2026 mpcith tapes v1", &header),
        }
    }

    /// The digest from which the challenges of a file are expanded: a hash of the header, the message if
    /// there is one, and the first message of the protocol.
    pub(crate) fn digest(&self, message: Option<&Message>, first: &[u8]) -> [u8; 32] {
        // The header has one length, and says whether a message follows.
        let mut context = self.encode();
        context.extend_from_slice(message.map_or(&[], |message| message.digest()));
        let key = blake3::derive_key("volery 2026 mpcith fiat-shamir v1", &context);
        *blake3::keyed_hash(&key, first).as_bytes()
    }
}

/// Keys of the keyed hashes of one proof. They are public. They separate proofs from each other, so that
/// attacking many seeds at once gains nothing.
#[derive(Clone, Copy)]
pub(crate) struct Keys {
    pub(super) commitment: [u8; 32],
    pub(super) tape: [u8; 32],
}

fn array<const N: usize>(cursor: &mut Cursor<'_>, part: &'static str) -> Result<[u8; N], Error> {
    cursor.array(part).map_err(|_| Error::malformed(cursor.offset(), part, "the file ends before it"))
}
