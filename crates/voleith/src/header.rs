//! The fixed part of a proof, in front of everything that grows with the statement.
//!
//! All numbers are little-endian. A proof has one encoding: nothing in it can be written in two ways, what is
//! not used is zero, and nothing follows its end.
//!
//! | part | bytes |
//! |---|---|
//! | mark | 16 |
//! | version | 2 |
//! | parameters | 1 |
//! | whether a message is bound | 1 |
//! | greatest degree | 4 |
//! | commitments | 8 |
//! | statement's digest | 32 |
//! | salt | 32 |
//! | challenge of columns and relations | 32 |
//! | its counter | 4 |
//! | counter of the key | 4 |
//! | the key: its bits, from the lowest up, then zeros | 16 |
//! | opened nodes, then zeros | 16 each |
//! | commitments to the hidden leaves | 32 for each tree |

use std::io::Read;

use volery_channel::Cursor;
use volery_field::Gf128;

use crate::commitment::Opening;
use crate::generator::Blocks;
use crate::hashes::HASH_BYTES;
use crate::{Error, Parameters};

/// The version of public proofs: 1 is that of proofs from MPC in the head, which have another mark.
pub(crate) const VERSION: u16 = 2;

/// What a proof says about itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    pub(crate) parameters: Parameters,
    pub(crate) bound: bool,
    pub(crate) degree: u32,
    pub(crate) commitments: u64,
    pub(crate) statement: [u8; 32],
    pub(crate) salt: [u8; 32],
}

impl Header {
    /// The first bytes of a proof. The line break detects transports that convert text.
    pub const MARK: [u8; 16] = *b"VOLERY VOLEITH\r\n";

    /// Bytes of a header without challenges and opening.
    pub(crate) const BYTES: usize = 16 + 2 + 1 + 1 + 4 + 8 + 32 + 32;

    /// Reads the header of a proof, so that any file can be described. The bytes are hostile.
    ///
    /// # Errors
    /// [`Error::Malformed`], [`Error::Version`] and [`Error::Io`].
    pub fn read(input: &mut dyn Read) -> Result<Self, Error> {
        let mut bytes = [0; Self::BYTES];
        let known = fill(input, &mut bytes)?;
        let mut cursor = Cursor::new(&bytes[..known]);
        if array(&mut cursor, "the file's mark")? != Self::MARK {
            return Err(Error::malformed("the file's mark", "this is no public proof from VOLE in the head"));
        }
        let version = u16::from_le_bytes(array(&mut cursor, "the version")?);
        if version != VERSION {
            return Err(Error::Version { version, known: VERSION });
        }
        let [code, bound] = array(&mut cursor, "the parameters")?;
        let parameters = Parameters::from_code(code)
            .ok_or_else(|| Error::malformed("the parameters", format!("{code} is the number of none")))?;
        if bound > 1 {
            return Err(Error::malformed("the message's mark", format!("{bound}, not 0 or 1")));
        }
        let degree = u32::from_le_bytes(array(&mut cursor, "the degree")?);
        if degree < 2 {
            return Err(Error::malformed("the degree", format!("{degree}; the least is 2")));
        }
        let commitments = u64::from_le_bytes(array(&mut cursor, "the number of commitments")?);
        let (statement, salt) =
            (array(&mut cursor, "the statement's digest")?, array(&mut cursor, "the salt")?);
        Ok(Self { parameters, bound: bound == 1, degree, commitments, statement, salt })
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(Self::BYTES);
        out.extend_from_slice(&Self::MARK);
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&[self.parameters.code(), u8::from(self.bound)]);
        out.extend_from_slice(&self.degree.to_le_bytes());
        out.extend_from_slice(&self.commitments.to_le_bytes());
        out.extend_from_slice(&self.statement);
        out.extend_from_slice(&self.salt);
        out
    }

    /// The rows of the columns that the statement and its mask take; `None` if no file is so long.
    pub(crate) fn rows(&self) -> Option<u64> {
        self.commitments.checked_add(mask_rows(self.degree.into())?)
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> Parameters {
        self.parameters
    }

    /// The number of secret values and multiplications.
    #[must_use]
    pub fn commitments(&self) -> u64 {
        self.commitments
    }

    /// Whether the proof is about a message, too.
    #[must_use]
    pub fn is_bound(&self) -> bool {
        self.bound
    }

    /// The statement's digest.
    #[must_use]
    pub fn statement(&self) -> &[u8; 32] {
        &self.statement
    }
}

/// The rows that mask the relations' combination.
pub(crate) fn mask_rows(degree: u64) -> Option<u64> {
    degree.checked_mul(2)?.checked_sub(3)?.checked_mul(128)
}

/// The challenges and the opening.
#[derive(Clone, PartialEq)]
pub(crate) struct Front {
    /// Of columns and relations.
    pub(crate) columns: [u8; 32],
    pub(crate) columns_counter: u32,
    pub(crate) key_counter: u32,
    pub(crate) key: u128,
    pub(crate) opening: Opening<[u8; 32]>,
}

impl Front {
    /// Its bytes.
    pub(crate) const fn bytes(parameters: Parameters) -> usize {
        let shape = parameters.shape();
        32 + 4 + 4 + 16 + 16 * shape.opened() + 32 * shape.trees()
    }

    pub(crate) fn read(parameters: Parameters, input: &mut dyn Read) -> Result<Self, Error> {
        let shape = parameters.shape();
        let mut bytes = vec![0; Self::bytes(parameters)];
        let known = fill(input, &mut bytes)?;
        let mut cursor = Cursor::new(&bytes[..known]);
        let columns = array(&mut cursor, "the challenge of the columns")?;
        let columns_counter = u32::from_le_bytes(array(&mut cursor, "its counter")?);
        let key_counter = u32::from_le_bytes(array(&mut cursor, "the key's counter")?);
        let key = u128::from_le_bytes(array(&mut cursor, "the key")?);
        if key >> shape.key_bits() != 0 {
            return Err(Error::malformed("the key", "bits that no tree has are set"));
        }
        let mut nodes = Vec::with_capacity(shape.opened());
        for _ in 0..shape.opened() {
            nodes.push(Gf128::from_bytes(array(&mut cursor, "the opened nodes")?));
        }
        let mut hidden = Vec::with_capacity(shape.trees());
        for _ in 0..shape.trees() {
            hidden.push(array(&mut cursor, "the commitments to hidden leaves")?);
        }
        Ok(Self { columns, columns_counter, key_counter, key, opening: Opening { nodes, hidden } })
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = self.columns.to_vec();
        out.extend_from_slice(&self.columns_counter.to_le_bytes());
        out.extend_from_slice(&self.key_counter.to_le_bytes());
        out.extend_from_slice(&self.key.to_le_bytes());
        out.extend(self.opening.nodes.iter().flat_map(|node| node.to_bytes()));
        out.extend_from_slice(self.opening.hidden.as_flattened());
        out
    }
}

/// Fills `out` as far as there are bytes, and says how far.
fn fill(input: &mut dyn Read, out: &mut [u8]) -> Result<usize, Error> {
    let mut known = 0;
    while known < out.len() {
        match input.read(&mut out[known..]) {
            Ok(0) => break,
            Ok(n) => known += n,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::io("read")(error)),
        }
    }
    Ok(known)
}

fn array<const N: usize>(cursor: &mut Cursor<'_>, part: &'static str) -> Result<[u8; N], Error> {
    cursor.array(part).map_err(|_| Error::malformed(part, "the file ends before it"))
}

/// The length of a proof in bytes, for a statement with this many secret values and multiplications and
/// relations of at most this degree (2 without polynomials); `None` if it is beyond 2^64.
#[must_use]
pub fn proof_bytes(parameters: Parameters, commitments: u64, degree: u32) -> Option<u64> {
    let corrections = parameters.shape().trees() as u64 - 1;
    let degree = u64::from(degree.max(2));
    let rows = commitments.checked_add(mask_rows(degree)?)?;
    let of_tree = Blocks(rows).column_bytes()?;
    let fixed = (Header::BYTES + Front::bytes(parameters) + HASH_BYTES + 32) as u64;
    let grown = of_tree.checked_mul(corrections)?.checked_add(commitments.div_ceil(8))?;
    fixed.checked_add(grown)?.checked_add(degree.checked_mul(16)?)
}
