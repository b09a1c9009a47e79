//! A P that knows the first challenge before it commits to anything makes a proof of a false disjunction. It
//! passes all of V's checks but one: that the challenge is a hash of what P has committed to.
//!
//! P makes errors that cancel under the coefficients of that challenge. The test computes these as the docs
//! of `volery_zk::disjunction` say, and not by its code.

use volery_field::Gf128;
use volery_vole::cheats::subset;
use volery_vole::{Oracle, Prg, SessionId};

use super::cheats::file_of;
use super::disjunctions::{Bits, Twice};
use super::{Cheat, check, settings};
use crate::{Error, Parameters};

/// A seed of 192 bits: an AES key, and a salt of 64.
#[derive(Clone, Copy)]
struct Seed([u8; 16], u64);

impl Seed {
    /// Of the relations, from the challenge.
    fn of(challenge: [u8; 32]) -> Self {
        let oracle = Oracle::new("voleith: columns and relations", &SessionId::new(challenge));
        let seed = oracle.hash::<24>(0, &[b"relations"]);
        let (key, salt) = seed.split_first_chunk().expect("16 bytes");
        Self(*key, u64::from_le_bytes(salt.try_into().expect("8 bytes")))
    }

    fn derive(self, label: &str, purpose: &[u8]) -> Self {
        let hash = blake3::derive_key(label, &[&self.0[..], purpose].concat());
        Self(hash[..16].try_into().expect("16 bytes"), self.1)
    }

    /// Of this disjunction, counted from 1.
    fn of_disjunction(self, number: u64) -> Self {
        self.derive("volery 2026 quicksilver further challenges v1", &number.to_le_bytes())
    }

    /// The first `n` blocks of the stream for a purpose of a disjunction.
    fn stream(self, purpose: u8, n: usize) -> Vec<Gf128> {
        let Self(key, salt) = self.derive("volery 2026 disjunction rows v4", &[purpose]);
        let mut out = vec![Gf128::ZERO; n];
        Prg::salted(key, salt).blocks_at(0, &mut out);
        out
    }

    /// The coefficients of at most 1024 rows.
    fn rows(self, purpose: u8, n: usize) -> Vec<Gf128> {
        let (across, runs) = (self.stream(purpose | 0x80, 1)[0], self.stream(purpose, 8));
        let mut powers = vec![Gf128::ONE];
        (1..128).for_each(|i| powers.push(powers[i - 1] * Gf128::X));
        (0..n).map(|i| across * runs[i / 128] * powers[i % 128]).collect()
    }
}

/// Which of `coefficients`, with the first one, add up to zero together with `error`.
fn cancelling(coefficients: &[Gf128], error: Gf128) -> Vec<bool> {
    subset(coefficients, error).expect("more coefficients than equations")
}

#[test]
fn whoever_knows_the_challenge_first_is_stopped_by_the_hash_alone() {
    const CLAIMS: usize = 300;
    const ANDS: usize = 200;
    // A zero comes out of each branch, and a one is claimed to.
    let branches = || vec![Bits::of(&[false; CLAIMS], ANDS), Bits::of(&[false; 5], 9)];
    let false_claim = || Twice::new(branches(), None);
    let challenge = [7; 32];
    let [first, second] = [1, 2].map(|number| Seed::of(challenge).of_disjunction(number));

    // The first time: bits other than the claimed ones, of which the first comes out.
    let rows = first.rows(1, CLAIMS);
    let bits = [vec![true], cancelling(&rows[1..], rows[0])].concat();
    let wrong_bits = branches()[0].forged(&bits, Vec::new());
    // The second time only the first bit is wrong, and so is one factor of products whose other one is zero:
    // the left ones and the right ones in turns.
    let beta = second.stream(2, 1)[0];
    let factors = second.rows(0, ANDS).into_iter().enumerate();
    let factors: Vec<_> = factors.map(|(i, row)| if i % 2 == 0 { row } else { row * beta }).collect();
    let errors = cancelling(&factors[2..], second.rows(1, 1)[0]).into_iter().enumerate();
    let errors = errors.map(|(i, wrong)| [wrong && i % 2 == 0, wrong && i % 2 == 1]);
    let errors = [[false; 2]; 2].into_iter().chain(errors).collect();
    let mut bits = [false; CLAIMS];
    bits[0] = true;
    let wrong_factors = branches()[0].forged(&bits, errors);

    let known = false_claim().with_witnesses([wrong_bits, wrong_factors]);
    let cheat = Cheat { challenge: Some(challenge), ..Cheat::default() };
    let file = file_of(&known, &settings(Parameters::Fast80), 1, |prover| prover.cheat = cheat);
    assert_eq!(check(&false_claim(), &file), Err(Error::Challenge("columns and relations")));
}
