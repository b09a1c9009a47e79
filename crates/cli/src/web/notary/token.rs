//! The access tokens of provers, and their first message.
//!
//! A prover first sends the way that it wants its connection and its token, which is empty if it has none. A
//! notary that was given tokens turns away provers without one of them, before it does anything that takes
//! time. It compares hashes of tokens, in constant time.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use subtle::{Choice, ConditionallySelectable as _, ConstantTimeEq as _};
use volery::Channel;
use volery::notary::{Greeting, MAX_TOKEN, Way};
use zeroize::Zeroizing;

use crate::failure::Failure;
use crate::serve::{Rates, too_often};
use crate::web::read;

/// The possible lengths of a token.
const LENGTHS: core::ops::RangeInclusive<usize> = 16..=MAX_TOKEN;
/// The most bytes of a file of tokens.
const MAX_FILE: u64 = 1 << 20;

/// Reads a prover's token from a file that has nothing else.
pub(in crate::web) fn open(path: &Path) -> Result<Zeroizing<Vec<u8>>, Failure> {
    match &*tokens(path)? {
        [token] => Ok(token.clone()),
        tokens => Err(Failure::input(format!("{}: {} tokens; expected one", path.display(), tokens.len()))),
    }
}

/// The tokens that a notary accepts. If there are none, it accepts every prover.
#[derive(Default)]
pub(in crate::web) struct Tokens {
    known: Vec<blake3::Hash>,
    /// The sessions of each token, by its number.
    rates: Option<Mutex<Rates<u32>>>,
}

impl Tokens {
    /// Reads a file of tokens, one on each line. Each may begin `rate` sessions a minute.
    pub(super) fn open(path: &Path, rate: Option<u32>) -> Result<Self, Failure> {
        let tokens = tokens(path)?;
        if tokens.is_empty() {
            return Err(Failure::input(format!("{}: no token", path.display())));
        }
        let known = tokens.iter().map(|token| blake3::hash(token)).collect();
        Ok(Self { known, rates: rate.map(|rate| Mutex::new(Rates::new(rate))) })
    }

    /// Receives a prover's first message, checks its token, and returns the way that it wants its connection.
    pub(super) fn admit(&self, channel: &mut (impl Channel + ?Sized)) -> Result<Way, Failure> {
        let Greeting { way, token } = Greeting::receive(channel)?;
        let token = blake3::hash(&token);
        let (mut found, mut number) = (Choice::from(0), 0);
        for (at, known) in (0..).zip(&self.known) {
            let same = token.as_bytes().ct_eq(known.as_bytes());
            found |= same;
            number.conditional_assign(&at, same);
        }
        if !self.known.is_empty() && !bool::from(found) {
            channel.fail("the notary needs a token that it knows (--notary-token)");
            return Err(Failure::session("a prover without a known token"));
        }
        self.count(number).map(|()| way).map_err(|reason| {
            channel.fail(&reason);
            // Which line of the file it is tells the operator whose it is, and nobody else anything.
            Failure::session(format!("token {}: {reason}", number.saturating_add(1)))
        })
    }

    /// Counts a session of this token. The error is why it may not begin now.
    fn count(&self, number: u32) -> Result<(), String> {
        let Some(rates) = &self.rates else { return Ok(()) };
        let mut rates = rates.lock().unwrap_or_else(PoisonError::into_inner);
        let result = rates.visit(number, Instant::now());
        result.map_err(|wait| too_often("this token", rates.rate(), wait))
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

    fn greet(way: Way, token: &str, prover: &mut impl Channel) {
        Greeting { way, token: Zeroizing::new(token.into()) }.send(prover).expect("sent");
    }

    #[test]
    fn only_those_with_a_known_token_are_admitted() {
        let (_dir, path) = file("first-token-123456\n\n  second-token-12345 \r\n");
        let tokens = Tokens::open(&path, None).expect("sound");
        let admitted = |token: &str| {
            let (mut prover, mut notary) = memory_pair(&Limits::default());
            greet(Way::Proxy, token, &mut prover);
            let result = tokens.admit(&mut notary);
            let open = Tokens::default();
            let (mut prover, mut notary) = memory_pair(&Limits::default());
            greet(Way::TwoParty, token, &mut prover);
            assert_eq!(open.admit(&mut notary), Ok(Way::TwoParty), "without tokens everybody is");
            result.is_ok()
        };
        assert!(admitted("first-token-123456") && admitted("second-token-12345"));
        assert!(!admitted("") && !admitted("first-token-12345") && !admitted("first-token-1234567"));
    }

    #[test]
    fn each_token_has_its_own_rate() {
        let (_dir, path) = file("first-token-123456\nsecond-token-12345\n");
        let tokens = Tokens::open(&path, Some(2)).expect("sound");
        let admitted = |token: &str| {
            let (mut prover, mut notary) = memory_pair(&Limits::default());
            greet(Way::Proxy, token, &mut prover);
            tokens.admit(&mut notary).map_err(|failure| failure.to_string())
        };
        for token in ["first-token-123456", "second-token-12345"] {
            assert!(admitted(token).is_ok() && admitted(token).is_ok());
        }
        let reason = admitted("second-token-12345").expect_err("too often");
        let starts = "token 2: this token has begun 2 sessions within a minute, the limit; try again in ";
        assert!(reason.starts_with(starts), "{reason}");
    }

    #[test]
    fn files_are_refused_that_hold_no_tokens() {
        for text in ["", "\n\n", "short", "a token with blanks", "0123456789abcde\u{e4}"] {
            let (_dir, path) = file(text);
            assert!(Tokens::open(&path, None).is_err() && open(&path).is_err(), "{text}");
        }
        let (_dir, path) = file("first-token-123456\nsecond-token-12345");
        assert!(open(&path).is_err(), "a prover has one");
    }
}
