//! Options that name a statement and its witness.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::ArgPredicate;
use clap::{Args, ValueEnum};

use crate::failure::Failure;
use crate::fields;
use crate::source::Source;

/// The notation of statements, fields and files; ends the long help of every command that reads them.
pub(super) fn formats() -> String {
    format!("{STATEMENTS}\n\nFIELDS: what numbers are\n{}\n\n{FILES}", fields::help())
}

const STATEMENTS: &str = "\
STATEMENTS
  sha256-preimage --digest HEX --length N      I know N bytes with this SHA-256 digest
  sha1-preimage --digest HEX --length N        the same for SHA-1
  aes128-key --plaintext HEX --ciphertext HEX  I know a key that encrypts this block to that one
  mul32 --products HEX                         I know two 32-bit factors of each product modulo 2^32, 8 digits each
  sis --rows M --columns N --bound B --seed HEX --public FILE
                                               I know N numbers from -B to B (--bound binary: 0 or 1) that a public
                                               M x N matrix, expanded from the seed, takes to the vector in FILE
  matmul --rows M --inner K --columns N --public FILE
                                               I know an M x K and a K x N matrix whose product is in FILE
  inner-product --length N --public FILE       I know two vectors of N numbers with the inner product in FILE
  PATH --public FILE                           a circuit in Bristol Fashion (or the older Bristol format)
  PATH --ring z32|z64 --public FILE            a circuit over the integers modulo 2^32 or 2^64 in the same layout, with
                                               the gates ADD, SUB, MUL, EQ and EQW; for public proofs (--out)
  PATH.r1cs --public public.json               a constraint system as circom writes it (recognised by its first bytes,
                                               not by its name); a prover may leave out --public
  Hex digits stand for bytes, first byte first. A file named like a built-in is written ./NAME.";

const FILES: &str = "\
FILES OF NUMBERS (sis, matmul, inner-product; witnesses of circuits over a ring): decimal, separated by blanks or line ends; # starts a comment
  1 0 -1 1                                        # -1 is the modulus less one; matrices row by row
  The public file holds the vector, the product's entries, or the inner product. The witness file holds the secret
  numbers, one vector or matrix after the other.

PUBLIC FILES may be pipes, and - reads standard input. `volery compute` makes one from a witness file, for every kind of statement.

PUBLIC FILE of a circuit: which inputs are public, and what each output must be
  input 1  = 0x00112233445566778899aabbccddeeff   # inputs not named are secret
  output 0 = 0x69c4e0d86a7b0430d8cdb78070b4c55a   # its value
  output 1 = any                                  # left open on purpose
  Over a ring, values are decimal numbers, one for each wire: input 1 = 5 -7
  For `volery compute` outputs may be left out: those that are not `any` are computed.

PUBLIC FILE of sha256-preimage, sha1-preimage, aes128-key and mul32, in place of their options: a line `name = value` for each

WITNESS FILE of a constraint system: the .wtns that circom's generated code writes
WITNESS FILE of a circuit over a ring: the numbers of all secret inputs, in order
WITNESS FILE of other statements: one line for each secret input, in order or by name
  0x000102030405060708090a0b0c0d0e0f              # hex, or
  message = 0b011000010110001001100011            # bits, by name
  With --any-of a line `branch N` (N from 0, in the order of the command line) stands before the values of each that holds;
  with --repeat, of each repetition, in order.
  Lengths are exact, leading zeros included. Built-ins call their secret `message`, `key` or `factors` and take it as bytes,
  first byte first (factors in pairs, 8 hex digits each); circuits have `input 0`, `input 1`, ... and take integers whose least significant bit is the first wire.";

/// A ring that circuit files may be over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RingArg {
    /// The integers modulo 2^32
    Z32,
    /// The integers modulo 2^64
    Z64,
}

/// The protocols for one of many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DisjunctionArg {
    /// Fewest seconds: three values a multiplication of the largest circuit
    Robin,
    /// Fewest bytes: one value a multiplication, and more waiting
    Macncheese,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct StatementArgs {
    /// A built-in statement or a circuit file (see the end of --help)
    #[arg(
        value_name = "STATEMENT",
        required = false,
        required_unless_present = "any_of",
        default_value_if("any_of", ArgPredicate::IsPresent, "")
    )]
    pub(crate) name: OsString,
    /// In place of a statement: prove that one of these circuits holds, without saying which; CIRCUIT=FILE
    /// gives a circuit a public file of its own
    #[arg(long, value_name = "CIRCUIT", num_args = 1.., help_heading = "Statement")]
    pub(crate) any_of: Vec<OsString>,
    /// How many different ones hold [default: 1]
    #[arg(long, value_name = "R", requires = "any_of", help_heading = "Statement",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) at_least: Option<u32>,
    /// Prove R times that one of them holds; it need not be the same one. The file of --public has one claim
    /// for all times, or one for each after a line `repetition N` (N from 0)
    #[arg(long, value_name = "R", requires = "any_of", conflicts_with = "at_least", help_heading = "Statement",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeat: Option<u32>,
    /// The protocol for --any-of; both parties need the same [default: the faster one on a network of
    /// --profile]
    #[arg(long, value_enum, value_name = "PROTOCOL", requires = "any_of", help_heading = "Statement")]
    pub(crate) disjunction: Option<DisjunctionArg>,
    /// Public inputs and outputs of a circuit file; public numbers or values of a built-in; - reads standard
    /// input
    #[arg(long, value_name = "FILE", help_heading = "Statement")]
    pub(crate) public: Option<PathBuf>,
    /// The digest (sha256-preimage, sha1-preimage)
    #[arg(long, value_name = "HEX", help_heading = "Statement")]
    pub(crate) digest: Option<String>,
    /// Length of the message in bytes (sha256-preimage, sha1-preimage), or of each vector (inner-product)
    #[arg(long, value_name = "N", help_heading = "Statement")]
    pub(crate) length: Option<String>,
    /// The block before encryption (aes128-key)
    #[arg(long, value_name = "HEX", help_heading = "Statement")]
    pub(crate) plaintext: Option<String>,
    /// The block after it (aes128-key)
    #[arg(long, value_name = "HEX", help_heading = "Statement")]
    pub(crate) ciphertext: Option<String>,
    /// The products, 8 hex digits each (mul32)
    #[arg(long, value_name = "HEX", help_heading = "Statement")]
    pub(crate) products: Option<String>,
    #[arg(long, value_name = "FIELD", help_heading = "Statement",
          help = format!("The field of the numbers: {} (sis, matmul, inner-product)", fields::names()))]
    pub(crate) field: Option<String>,
    /// The ring of a circuit over machine words, for public proofs (--out)
    #[arg(long, value_enum, value_name = "RING", conflicts_with_all = ["any_of", "field"], help_heading = "Statement")]
    pub(crate) ring: Option<RingArg>,
    /// Rows of the matrix or of the product (sis, matmul)
    #[arg(long, value_name = "M", help_heading = "Statement")]
    pub(crate) rows: Option<String>,
    /// Columns of the first matrix, rows of the second (matmul)
    #[arg(long, value_name = "K", help_heading = "Statement")]
    pub(crate) inner: Option<String>,
    /// Columns of the matrix or of the product (sis, matmul)
    #[arg(long, value_name = "N", help_heading = "Statement")]
    pub(crate) columns: Option<String>,
    /// The range of the numbers: B for -B to B, or `binary` for 0 and 1 (sis)
    #[arg(long, value_name = "B", help_heading = "Statement")]
    pub(crate) bound: Option<String>,
    /// The seed that the matrix is expanded from: 64 hex digits (sis)
    #[arg(long, value_name = "HEX", help_heading = "Statement")]
    pub(crate) seed: Option<String>,
}

impl StatementArgs {
    /// The name as text: what a built-in is found by, and what messages say.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        self.name.to_string_lossy()
    }

    /// Where the public side is to be read.
    pub(crate) fn public(&self) -> Option<Source> {
        self.public.as_deref().map(Source::of)
    }

    /// The public values of a built-in statement on this command line, by name.
    pub(crate) fn values(&self) -> Vec<(&'static str, &str)> {
        let all = [
            ("digest", &self.digest),
            ("length", &self.length),
            ("plaintext", &self.plaintext),
            ("ciphertext", &self.ciphertext),
            ("products", &self.products),
            ("rows", &self.rows),
            ("inner", &self.inner),
            ("columns", &self.columns),
            ("bound", &self.bound),
            ("seed", &self.seed),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?))).collect()
    }

    /// Refuses values of built-in statements if the statement is `what`.
    pub(crate) fn no_values(&self, what: &str) -> Result<(), Failure> {
        let field = self.field.as_deref().map(|field| ("field", field));
        match self.values().first().copied().or(field) {
            None => Ok(()),
            Some((name, _)) => {
                Err(Failure::input(format!("--{name} is for built-in statements; {} is {what}", self.text())))
            }
        }
    }
}

#[derive(Debug, Clone, Args)]
pub(crate) struct WitnessArgs {
    /// File of secret values (see the end of --help); - reads standard input, so the values need not touch a
    /// disk
    #[arg(long, value_name = "FILE", help_heading = "Statement")]
    pub(crate) witness: PathBuf,
}

impl WitnessArgs {
    /// Where the witness of `statement` is to be read.
    ///
    /// # Errors
    /// [`Failure::Input`] if its public side is to be read there, too.
    pub(crate) fn source(&self, statement: &StatementArgs) -> Result<Source, Failure> {
        let source = Source::of(&self.witness);
        if source == Source::Standard && statement.public() == Some(Source::Standard) {
            return Err(Failure::input("--witness - and --public -: standard input can be one of them"));
        }
        Ok(source)
    }
}
