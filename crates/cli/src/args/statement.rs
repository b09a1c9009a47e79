//! Options that name a statement and its witness.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use clap::builder::ArgPredicate;
use clap::{Args, ValueEnum};
use volery_statement::{Branch, Disjunction, MachineRing, Named, Source, Target};

use super::fields;
use crate::failure::Failure;
use crate::source;

/// How to write statements, fields and files: the end of the long help of every command that reads them.
pub(super) fn formats() -> String {
    format!("{STATEMENTS}\n\nFIELDS: what numbers are\n{}\n\n{FILES}", fields::help())
}

const STATEMENTS: &str = "\
STATEMENTS
  sha256-preimage --digest HEX --length N
      I know N bytes with this SHA-256 digest
  sha1-preimage --digest HEX --length N
      I know N bytes with this SHA-1 digest
  aes128-key --plaintext HEX --ciphertext HEX
      I know a key that encrypts this block to that one
  mul32 --products HEX
      I know two 32-bit factors of each product modulo 2^32 (8 hex digits each)
  sis --rows M --columns N --bound B --seed HEX --public FILE
      I know N numbers from -B to B (--bound binary: 0 or 1). A public M x N matrix, expanded
      from the seed, maps them to the vector in FILE
  matmul --rows M --inner K --columns N --public FILE
      I know an M x K and a K x N matrix whose product is in FILE
  inner-product --length N --public FILE
      I know two vectors of N numbers whose inner product is in FILE
  PATH --public FILE
      I know the secret inputs of a circuit in Bristol Fashion (or the older Bristol format)
  PATH --ring z32|z64 --public FILE
      the same over the integers modulo 2^32 or 2^64, with the gates ADD, SUB, MUL, EQ and EQW;
      for public proofs only (--out)
  PATH.r1cs --public public.json
      I know a witness of a constraint system of circom. The program knows such a file by its
      first bytes, whatever its name. A prover may leave out --public
  PROGRAM [--public FILE] [--exit CODE | --trap ADDRESS]
      I know a secret input with which this RISC-V program, given the public input in FILE, exits
      with CODE (0), and writes what it writes. The program knows such a file (static ELF for
      RV32IM) by its first bytes. The witness is the secret input, as it is. See `volery run --help`
  [PROGRAM] --secret-program WORDS [--public FILE] [--exit CODE]
      I know such a program of at most WORDS words of code, and a secret input. Only the prover
      names the program
  Hex digits stand for bytes, first byte first. A file named like a built-in is written ./NAME.";

const FILES: &str = "\
PUBLIC FILES
  `volery compute` makes one from a witness file, for every kind of statement but programs, which
  have `volery run`. They may be pipes, and - reads standard input. # starts a comment.
  Of a circuit: which inputs are public, and what each output must be
    input 1  = 0x00112233445566778899aabbccddeeff   # all other inputs are secret
    output 0 = 0x69c4e0d86a7b0430d8cdb78070b4c55a   # its value
    output 1 = any                                  # left open on purpose
  Over a ring, values are decimal numbers, one for each wire: input 1 = 5 -7
  `volery compute` also takes a file without outputs, and computes all that are not `any`.
  Of sha256-preimage, sha1-preimage, aes128-key and mul32: their options, one line `name = value`
  for each. Of sis, matmul and inner-product: numbers. Of a constraint system: public.json.

WITNESS FILES
  One line for each secret input, in order or by name:
    0x000102030405060708090a0b0c0d0e0f              # hex, or
    message = 0b011000010110001001100011            # bits, by name
  Lengths are exact, leading zeros included. Built-ins call their secret `message`, `key` or
  `factors`, and take it as bytes, first byte first (factors in pairs, 8 hex digits each).
  Circuits have `input 0`, `input 1` and so on. They take integers; the least significant bit is
  the first wire.
  With --any-of, a line `branch N` comes before the values of each branch that holds (N from 0, in
  the order of the command line); with --repeat, before those of each repetition, in order.
  Of a constraint system: the .wtns file that circom's generated code writes. Of a circuit over a
  ring: the numbers of all secret inputs, in order.

FILES OF NUMBERS
  Decimal, separated by blanks or line ends: 1 0 -1 1
  -1 is the modulus less one. Matrices go row by row. # starts a comment. The public file has the
  vector, the entries of the product, or the inner product. The witness file has the secret
  numbers, one vector or matrix after the other.";

/// A ring that circuit files may be over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RingArg {
    /// The integers modulo 2^32
    Z32,
    /// The integers modulo 2^64
    Z64,
}

impl From<RingArg> for MachineRing {
    fn from(ring: RingArg) -> Self {
        match ring {
            RingArg::Z32 => Self::Z32,
            RingArg::Z64 => Self::Z64,
        }
    }
}

/// The protocols for one of many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DisjunctionArg {
    /// Takes the fewest seconds. Sends three values for each multiplication of the largest circuit
    Robin,
    /// Sends the fewest bytes: one value for each multiplication. Waits more often
    Macncheese,
}

impl From<DisjunctionArg> for Disjunction {
    fn from(protocol: DisjunctionArg) -> Self {
        match protocol {
            DisjunctionArg::Robin => Self::Robin,
            DisjunctionArg::Macncheese => Self::Macncheese,
        }
    }
}

#[derive(Debug, Clone, Args)]
pub(crate) struct StatementArgs {
    /// A built-in statement or a circuit file (see the end of --help)
    #[arg(
        value_name = "STATEMENT",
        required = false,
        required_unless_present_any = ["any_of", "secret_program"],
        default_value_ifs([
            ("any_of", ArgPredicate::IsPresent, ""),
            ("secret_program", ArgPredicate::IsPresent, ""),
        ])
    )]
    pub(crate) name: OsString,
    /// Instead of STATEMENT: one of these circuits holds, and nobody learns which. CIRCUIT=FILE gives a
    /// circuit a public file of its own
    #[arg(long, value_name = "CIRCUIT", num_args = 1.., help_heading = "Statement")]
    pub(crate) any_of: Vec<OsString>,
    /// How many different circuits hold [default: 1]
    #[arg(long, value_name = "R", requires = "any_of", help_heading = "Statement",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) at_least: Option<u32>,
    /// Prove R times that one of them holds, not always the same one. The file of --public has one claim for
    /// all repetitions, or a line `repetition N` (N from 0) before the claim of each
    #[arg(long, value_name = "R", requires = "any_of", conflicts_with = "at_least", help_heading = "Statement",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeat: Option<u32>,
    /// The protocol for --any-of; both parties need the same [default: the one that is faster on the network
    /// that `prove` and `verify` choose by --profile]
    #[arg(long, value_enum, value_name = "PROTOCOL", requires = "any_of", help_heading = "Statement")]
    pub(crate) disjunction: Option<DisjunctionArg>,
    /// The public file: public inputs and outputs of a circuit, or public values of a built-in; - reads
    /// standard input
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
    /// What the program exits with [default: 0] (RISC-V programs)
    #[arg(long, value_name = "CODE", conflicts_with = "trap", help_heading = "Statement")]
    pub(crate) exit: Option<String>,
    /// The program does not exit: it is ended at the instruction at this address, in hexadecimal (RISC-V
    /// programs)
    #[arg(long, value_name = "ADDRESS", help_heading = "Statement")]
    pub(crate) trap: Option<String>,
    /// The most steps that a program may take [default: 4294967296]. A verifier, who does not see single
    /// steps, accepts as much work as a run of N steps can take: twice as many rows, and 65536 (RISC-V
    /// programs)
    #[arg(long, value_name = "N", help_heading = "Statement")]
    pub(crate) max_steps: Option<String>,
    /// Only the prover has the program. The verifier knows that it has at most WORDS words of code, and as
    /// many of data, and leaves out STATEMENT (RISC-V programs)
    #[arg(long, value_name = "WORDS", conflicts_with = "any_of", help_heading = "Statement")]
    pub(crate) secret_program: Option<String>,
    /// The seed that the matrix is expanded from: 64 hex digits (sis)
    #[arg(long, value_name = "HEX", help_heading = "Statement")]
    pub(crate) seed: Option<String>,
}

impl StatementArgs {
    /// The statement that they name.
    pub(crate) fn named(&self) -> Named {
        Named {
            target: Target::of(&self.name),
            any_of: self.any_of.iter().map(|branch| parts(branch)).collect(),
            at_least: self.at_least,
            repeat: self.repeat,
            disjunction: self.disjunction.map(Disjunction::from),
            public: self.public.as_deref().map(source::of),
            values: self.values(),
            field: self.field.clone(),
            ring: self.ring.map(MachineRing::from),
        }
    }

    /// The public values on this command line, by name.
    fn values(&self) -> Vec<(String, String)> {
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
            ("exit", &self.exit),
            ("trap", &self.trap),
            ("max-steps", &self.max_steps),
            ("secret-program", &self.secret_program),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.clone()?))).collect()
    }
}

/// The two parts of `PATH=CLAIM`, or `PATH` alone.
fn parts(branch: &OsStr) -> Branch {
    let path = |bytes| Path::new(OsStr::from_bytes(bytes));
    let mut parts = branch.as_bytes().splitn(2, |byte| *byte == b'=').map(path);
    let circuit = parts.next().unwrap_or(Path::new("")).to_owned();
    Branch { circuit: Source::File(circuit), public: parts.next().map(source::of) }
}

#[derive(Debug, Clone, Args)]
pub(crate) struct WitnessArgs {
    /// The file of secret values (see the end of --help); - reads standard input, so that they need not touch
    /// a disk
    #[arg(long, value_name = "FILE", help_heading = "Statement")]
    pub(crate) witness: PathBuf,
}

impl WitnessArgs {
    /// The source of the witness of `statement`.
    ///
    /// # Errors
    /// [`Failure::Input`] if both the witness and the public file are standard input.
    pub(crate) fn source(&self, statement: &StatementArgs) -> Result<Source, Failure> {
        if source::is_standard(&self.witness) && statement.public.as_deref().is_some_and(source::is_standard)
        {
            return Err(Failure::input("--witness - and --public -: standard input can be only one of them"));
        }
        Ok(source::of(&self.witness))
    }
}
