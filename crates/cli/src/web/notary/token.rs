//! The access tokens of provers, and their first message.
//!
//! A prover first sends the mode that it wants and its token, which is empty if it has none. A notary that
//! was given tokens turns away provers without one of them, before it does anything that takes time. It
//! compares hashes of tokens, in constant time.

use std::path::Path;

use subtle::{Choice, ConstantTimeEq as _};
use volery::Channel;
use volery::notary::{Greeting, MAX_TOKEN};
use volery::tls::attestation::Mode;
use zeroize::Zeroizing;

use crate::failure::Failure;
use crate::web::read;

/// The possible lengths of a token.
const LENGTHS: core::ops::RangeInclusive<usize> = 16..=MAX_TOKEN;
/// The most bytes of a file of tokens.
const MAX_FILE: u64 = 1 << 20;

/// A prover's token; empty if it has none.
#[derive(Clone, Default)]
pub(in crate::web) struct Token(Zeroizing<Vec<u8>>);

impl Token {
    /// Reads a token from a file that has nothing else.
    pub(in crate::web) fn open(path: &Path) -> Result<Self, Failure> {
        match &*tokens(path)? {
            [token] => Ok(Self(token.clone())),
            tokens => {
                Err(Failure::input(format!("{}: {} tokens; expected one", path.display(), tokens.len())))
            }
        }
    }

    /// Sends the mode and this token to the notary.
    pub(in crate::web) fn send(&self, mode: Mode, channel: &mut impl Channel) -> Result<(), Failure> {
        Ok(Greeting { mode, token: self.0.clone() }.send(channel)?)
    }
}

/// The tokens that a notary accepts. If there are none, it accepts every prover.
#[derive(Default)]
pub(in crate::web) struct Tokens(Vec<blake3::Hash>);

impl Tokens {
    /// Reads a file of tokens, one on each line.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let tokens = tokens(path)?;
        if tokens.is_empty() {
            return Err(Failure::input(format!("{}: no token", path.display())));
        }
        Ok(Self(tokens.iter().map(|token| blake3::hash(token)).collect()))
    }

    /// Receives a prover's first message, checks its token, and returns the mode that it wants.
    pub(super) fn admit(&self, channel: &mut (impl Channel + ?Sized)) -> Result<Mode, Failure> {
        let Greeting { mode, token } = Greeting::receive(channel)?;
        let token = blake3::hash(&token);
        let known = |known: &blake3::Hash| token.as_bytes().ct_eq(known.as_bytes());
        let found = self.0.iter().map(known).fold(Choice::from(0), |found, one| found | one);
        if !self.0.is_empty() && !bool::from(found) {
            channel.fail("the notary needs a token that it knows (--notary-token)");
            return Err(Failure::session("a prover without a known token"));
        }
        Ok(mode)
    }
}

/// The lines of a file that are not empty, each a token.
fn tokens(path: &Path) -> Result<Vec<Zeroizing<Vec<u8>>>, Failure> {
    let text = read(path, MAX_FILE)?;
    let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    lines
        .map(|line| {
            if LENGTHS.contains(&line.len()) && line.iter().all(u8::is_ascii_graphic) {
                return Ok(Zeroizing::new(line.to_vec()));
            }
            let wrong = "a token is 16 to 256 visible characters of ASCII, on a line of its own";
            Err(Failure::input(format!("{}: {wrong}", path.display())))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use volery::{Limits, memory_pair};

    use super::*;

    fn file(text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("tokens");
        std::fs::write(&path, text).expect("writable");
        (dir, path)
    }

    #[test]
    fn only_those_with_a_known_token_are_admitted() {
        let (_dir, path) = file("first-token-123456\n\n  second-token-12345 \r\n");
        let tokens = Tokens::open(&path).expect("sound");
        let admitted = |token: &str| {
            let (mut prover, mut notary) = memory_pair(&Limits::default());
            Token(Zeroizing::new(token.into())).send(Mode::Proxy, &mut prover).expect("sent");
            let result = tokens.admit(&mut notary);
            let open = Tokens::default();
            let (mut prover, mut notary) = memory_pair(&Limits::default());
            Token(Zeroizing::new(token.into())).send(Mode::TwoParty, &mut prover).expect("sent");
            assert_eq!(open.admit(&mut notary), Ok(Mode::TwoParty), "without tokens everybody is");
            result.is_ok()
        };
        assert!(admitted("first-token-123456") && admitted("second-token-12345"));
        assert!(!admitted("") && !admitted("first-token-12345") && !admitted("first-token-1234567"));
    }

    #[test]
    fn files_are_refused_that_hold_no_tokens() {
        for text in ["", "\n\n", "short", "a token with blanks", "0123456789abcde\u{e4}"] {
            let (_dir, path) = file(text);
            assert!(Tokens::open(&path).is_err() && Token::open(&path).is_err(), "{text}");
        }
        let (_dir, path) = file("first-token-123456\nsecond-token-12345");
        assert!(Token::open(&path).is_err(), "a prover has one");
    }
}
