//! What is proved, and the secret that proves it.

use std::path::PathBuf;

use clap::Args;

/// What both kinds of files look like; ends the long help of every command that reads them.
pub(super) const FORMATS: &str = "\
STATEMENTS
  sha256-preimage --digest HEX --length N      I know N bytes with this SHA-256 digest
  sha1-preimage --digest HEX --length N        the same for SHA-1
  aes128-key --plaintext HEX --ciphertext HEX  I know a key that encrypts this block to that one
  PATH --public FILE                           a circuit in Bristol Fashion (or the older Bristol format)
  Hex digits stand for bytes, first byte first. A file named like a built-in is written ./NAME.

PUBLIC FILE: which of the circuit's inputs are public, and what every output must be
  input 1  = 0x00112233445566778899aabbccddeeff   # inputs not named are secret
  output 0 = 0x69c4e0d86a7b0430d8cdb78070b4c55a   # its value
  output 1 = any                                  # left open on purpose

WITNESS FILE: one line for each secret input, in order, or all of them by name
  0x000102030405060708090a0b0c0d0e0f              # hex, or
  message = 0b011000010110001001100011            # bits, by name
  Lengths are exact, leading zeros included. Built-ins call their secret `message` or `key` and take it as bytes, first
  byte first; circuits have `input 0`, `input 1`, ... and take integers whose least significant bit is the first wire.";

#[derive(Debug, Clone, Args)]
pub(crate) struct StatementArgs {
    /// A built-in statement or a circuit file (see the end of --help)
    #[arg(value_name = "STATEMENT")]
    pub(crate) name: String,
    /// Public inputs and outputs of a circuit file
    #[arg(long, value_name = "FILE", help_heading = "Statement")]
    pub(crate) public: Option<PathBuf>,
    /// The digest (sha256-preimage, sha1-preimage)
    #[arg(long, value_name = "HEX", help_heading = "Statement")]
    pub(crate) digest: Option<String>,
    /// The message's length in bytes (sha256-preimage, sha1-preimage)
    #[arg(long, value_name = "N", help_heading = "Statement")]
    pub(crate) length: Option<String>,
    /// The block before encryption (aes128-key)
    #[arg(long, value_name = "HEX", help_heading = "Statement")]
    pub(crate) plaintext: Option<String>,
    /// The block after it (aes128-key)
    #[arg(long, value_name = "HEX", help_heading = "Statement")]
    pub(crate) ciphertext: Option<String>,
}

impl StatementArgs {
    /// The public values of a built-in statement that were given, by name.
    pub(crate) fn values(&self) -> Vec<(&'static str, &str)> {
        let all = [
            ("digest", &self.digest),
            ("length", &self.length),
            ("plaintext", &self.plaintext),
            ("ciphertext", &self.ciphertext),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?))).collect()
    }
}

#[derive(Debug, Clone, Args)]
pub(crate) struct WitnessArgs {
    /// The secret values (see the end of --help); - reads standard input, so that they need not touch a disk
    #[arg(long, value_name = "FILE", help_heading = "Statement")]
    pub(crate) witness: PathBuf,
}
