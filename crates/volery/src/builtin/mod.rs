//! Statements with a name: what the command line, and anything else that speaks text, picks from.
//!
//! [`ENTRIES`] lists what there is. Statements about bits are a [`Builtin`]: [`Builtin::new`] makes the
//! public side from a name and named texts, [`Builtin::with_witness`] adds the secret side. Statements over
//! another field are a [`FieldBuiltin`], which becomes an [`OverField`] with the numbers of a file
//! ([`read_numbers`]).
//!
//! A statement joins the list with a line there, a variant of the private `BitStatement` and an arm where
//! it is taken apart; dispatch is static, so a built-in runs as fast as the statement itself.
//!
//! ```
//! use volery::builtin::Builtin;
//! use volery_circuit::{Evaluator, Witness};
//!
//! // FIPS 197, appendix C.1.
//! let public = [
//!     ("plaintext", "00112233445566778899aabbccddeeff"),
//!     ("ciphertext", "69c4e0d86a7b0430d8cdb78070b4c55a"),
//! ];
//! let statement = Builtin::new("aes128-key", &public)?;
//! let witness = b"key = 0x000102030405060708090a0b0c0d0e0f";
//! let witness = Witness::parse(witness, "example", &statement.signature())?;
//! assert_eq!(Evaluator::check(&statement.with_witness(&witness)?), Ok(()));
//! # Ok::<(), volery_circuit::Error>(())
//! ```

mod entries;
mod numbers;
mod values;

use volery_channel::hex;
use volery_circuit::gadgets::bits_to_bytes;
use volery_circuit::statements::{Aes128Key, Mul32, Sha1Preimage, Sha256Preimage};
use volery_circuit::{Error, Evaluator, Input, Polynomials, Signature, Witness, forward_statement};
use volery_field::F2;
use zeroize::Zeroizing;

pub use entries::{ENTRIES, Entry, find};
pub use numbers::{FieldBuiltin, OverField};
use values::Values;
pub use volery_circuit::numbers::{read_numbers, write_numbers};

/// The entry of this name, or what there is instead.
fn known(name: &str) -> Result<&'static Entry, Error> {
    find(name).ok_or_else(|| {
        let names: Vec<&str> = ENTRIES.iter().map(|entry| entry.name).collect();
        Error::Public(format!("there is no built-in statement `{name}`; there are {}", names.join(", ")))
    })
}

/// A built-in statement about bits with its public values and, at the prover, its witness.
#[derive(Debug)]
pub struct Builtin {
    entry: &'static Entry,
    /// Name and public values as they were given.
    text: String,
    /// The public value called [`Entry::computed`], as hex digits.
    claimed: String,
    /// Bytes of the secret value.
    secret_bytes: u32,
    statement: BitStatement,
}

#[derive(Debug)]
enum BitStatement {
    Sha256Preimage(Sha256Preimage),
    Sha1Preimage(Sha1Preimage),
    Aes128Key(Aes128Key),
    Mul32(Mul32),
}

/// The longest message: its bits are counted by a `u32`.
const MOST_BYTES: u64 = u32::MAX as u64 / 8;

/// The digits of a value that is to be computed, as many as the longest one has.
const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Most products of 32-bit factors: a statement keeps them in memory.
const MOST_PRODUCTS: usize = 1 << 20;

impl Builtin {
    /// The public side of the statement `name`, which must be about bits. Values are texts by name: byte
    /// strings as hex digits (optionally after `0x`), first byte first, of exactly the length needed; lengths
    /// as decimal numbers. Of 32-bit numbers eight digits each.
    ///
    /// # Errors
    /// [`Error::Public`] if there is no such statement, it is over another field, or a value is missing,
    /// malformed, or belongs to another statement.
    pub fn new(name: &str, public: &[(&str, &str)]) -> Result<Self, Error> {
        let entry = known(name)?;
        let values = Values::new(entry, public)?;
        let (statement, secret_bytes) = match name {
            "sha256-preimage" => {
                let length = values.number("length", MOST_BYTES)?;
                (BitStatement::Sha256Preimage(Sha256Preimage::new(values.bytes("digest")?, length)?), length)
            }
            "sha1-preimage" => {
                let length = values.number("length", MOST_BYTES)?;
                (BitStatement::Sha1Preimage(Sha1Preimage::new(values.bytes("digest")?, length)?), length)
            }
            "aes128-key" => (
                BitStatement::Aes128Key(Aes128Key::new(
                    values.bytes("plaintext")?,
                    values.bytes("ciphertext")?,
                )),
                16,
            ),
            "mul32" => {
                let products = values.words("products", MOST_PRODUCTS)?;
                let secret_bytes = 8 * products.len() as u64;
                (BitStatement::Mul32(Mul32::new(products)), secret_bytes)
            }
            _ => return Err(Error::Public(format!("{name} is a statement over {}", entry.field))),
        };
        let secret_bytes =
            u32::try_from(secret_bytes).map_err(|_| Error::Public("a secret too long".into()))?;
        let claimed = entry.computed.map(|name| values.digits(name)).unwrap_or_default();
        Ok(Self { entry, text: values.text(), claimed, secret_bytes, statement })
    }

    /// A statement for [`Builtin::compute`]: as [`Builtin::new`], but the value that is to be computed may
    /// be left out. If it is there, only its length matters: `mul32` has as many products as it names, and
    /// one if it names none.
    ///
    /// # Errors
    /// As [`Builtin::new`].
    pub fn to_compute(name: &str, public: &[(&str, &str)]) -> Result<Self, Error> {
        let mut public = public.to_vec();
        let computed =
            known(name)?.computed.filter(|computed| !public.iter().any(|(name, _)| name == computed));
        if let Some(computed) = computed {
            let digits = match name {
                "sha256-preimage" => 64,
                "sha1-preimage" => 40,
                "aes128-key" => 32,
                _ => 8,
            };
            public.push((computed, &ZEROS[..digits]));
        }
        Self::new(name, &public)
    }

    /// The public value called [`Entry::computed`] for which the witness inside it is one, as
    /// [`Builtin::new`] takes it. In the clear.
    ///
    /// ```
    /// use volery::builtin::Builtin;
    /// use volery_circuit::Witness;
    ///
    /// let statement = Builtin::to_compute("sha1-preimage", &[("length", "3")])?;
    /// let witness = Witness::parse(b"0x616263", "example", &statement.signature())?;
    /// let digest = statement.with_witness(&witness)?.compute()?;
    /// assert_eq!(digest, "a9993e364706816aba3e25717850c26c9cd0d89d");
    /// # Ok::<(), volery_circuit::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Witness`] if there is none.
    pub fn compute(&self) -> Result<String, Error> {
        let outputs = Evaluator::<F2>::compute(self)?;
        let mut bytes = bits_to_bytes(&outputs).ok_or_else(|| Error::misuse("outputs of no whole bytes"))?;
        if matches!(self.statement, BitStatement::Mul32(_)) {
            // A product puts its least significant byte out first, and is written with it last.
            bytes.chunks_mut(4).for_each(<[_]>::reverse);
        }
        Ok(hex::encode(&bytes))
    }

    /// Checks that the witness inside it satisfies it. In the clear.
    ///
    /// # Errors
    /// [`Error::Contradicted`] with the first byte, or the first product, of its public value that is another
    /// for this witness; [`Error::Witness`] if there is none.
    pub fn check(&self) -> Result<(), Error> {
        let checked = Evaluator::<F2>::check(self);
        let Err(Error::Unsatisfied { .. }) = checked else { return checked };
        let (digits, unit) = match self.statement {
            BitStatement::Mul32(_) => (8, "number"),
            _ => (2, "byte"),
        };
        let computed = self.compute()?;
        let parts = |text: &str| -> Vec<String> {
            text.as_bytes().chunks(digits).map(|part| String::from_utf8_lossy(part).into_owned()).collect()
        };
        let (claimed, computed) = (parts(&self.claimed), parts(&computed));
        let differs =
            claimed.iter().zip(&computed).enumerate().find(|(_, (claimed, other))| claimed != other);
        let (index, (claimed, _)) = match differs {
            Some(found) => found,
            // It is not the public value that is wrong.
            None => return checked,
        };
        let name = self.entry.computed.unwrap_or_default();
        let place = format!("{name}, {unit} {index}");
        Err(Error::Contradicted { place, claimed: format!("0x{claimed}") })
    }

    /// What the registry says about it.
    #[must_use]
    pub fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// Its name and public values, on one line.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What a witness is read for: one value, a byte string, first byte first; none if it has no bytes.
    #[must_use]
    pub fn signature(&self) -> Signature {
        // `MOST_BYTES` keeps the product within 32 bits.
        let input = Input { name: self.entry.secret.to_owned(), width: 8 * self.secret_bytes, public: false };
        Signature {
            inputs: (self.secret_bytes > 0).then_some(input).into_iter().collect(),
            outputs: Vec::new(),
        }
    }

    /// Adds the witness, as read for [`Builtin::signature`].
    ///
    /// # Errors
    /// [`Error::Witness`] if it has another length.
    pub fn with_witness(mut self, witness: &Witness<F2>) -> Result<Self, Error> {
        let bytes = values::bytes_of(witness.values())?;
        self.statement = match self.statement {
            BitStatement::Sha256Preimage(statement) => {
                BitStatement::Sha256Preimage(statement.with_message(bytes)?)
            }
            BitStatement::Sha1Preimage(statement) => {
                BitStatement::Sha1Preimage(statement.with_message(bytes)?)
            }
            BitStatement::Aes128Key(statement) => BitStatement::Aes128Key(statement.with_key(bytes)?),
            BitStatement::Mul32(statement) => BitStatement::Mul32(statement.with_factors(pairs(&bytes)?)?),
        };
        Ok(self)
    }
}

/// Pairs of 32-bit factors from eight bytes each, as products are written.
fn pairs(bytes: &[u8]) -> Result<Zeroizing<Vec<[u32; 2]>>, Error> {
    let words = values::big_endian(bytes).map(Zeroizing::new);
    let words = words.ok_or_else(|| Error::Witness("factors have 4 bytes each".into()))?;
    let (pairs, rest) = words.as_chunks();
    if !rest.is_empty() {
        return Err(Error::Witness("a product needs two factors".into()));
    }
    Ok(Zeroizing::new(pairs.to_vec()))
}

forward_statement! {
    impl [B: Polynomials<F2>] Statement<B> for Builtin {
        Self { statement: BitStatement::Sha256Preimage(statement), .. } => statement,
        Self { statement: BitStatement::Sha1Preimage(statement), .. } => statement,
        Self { statement: BitStatement::Aes128Key(statement), .. } => statement,
        Self { statement: BitStatement::Mul32(statement), .. } => statement,
    }
}

#[cfg(test)]
mod tests;
