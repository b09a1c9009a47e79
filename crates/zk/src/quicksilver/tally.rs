//! Running counts of a program's operations. The parties compare them at each check.

use volery_circuit::Tested;

use super::soundness::Checks;
use crate::Error;

/// The numbers of operations of a program so far. Both parties must have the same.
#[derive(Clone, Copy, Debug, Default, Eq)]
pub struct Tally {
    /// Secret values; over bits also the eight output bits of each S-box of AES.
    pub secrets: u64,
    /// Multiplications.
    pub multiplications: u64,
    /// Wires claimed to be zero, and disjunctions.
    pub assertions: u64,
    /// Polynomials of degree 2 or more that are claimed to vanish. Over fields this includes inner products
    /// and products of matrices; over bits it includes two for each S-box of AES.
    pub polynomials: u64,
    /// Their greatest degree; 0 if there is none. It is not compared as a count, because the length of an
    /// opening shows a block's degree.
    pub degree: usize,
    /// Blocks that were checked. This count and the ones below are not compared, because they follow from the
    /// others.
    pub blocks: u64,
    /// Matrix products that a challenge folded.
    pub folds: u64,
    /// The branches of the largest disjunction; for Mac'n'Cheese, those of all disjunctions.
    pub branches: u64,
    /// Challenges of the largest single disjunction.
    pub challenges: u64,
    /// Checks of conversions of bits to elements.
    pub conversions: u64,
    /// The greatest degree that a challenge of the statement tests.
    pub tested: u64,
    /// The greatest degree that one with two repetitions tests.
    pub tested_twice: u64,
    /// The most values that one of them tests.
    pub tested_values: u64,
    /// A digest of all that P sent and that a challenge may depend on, if challenges are hashes, once the
    /// proof is finished. In a proof with two parts each part has its own.
    pub transcript: Option<[u8; 32]>,
}

/// Equal in all counts: what was sent differs from proof to proof of one program.
impl PartialEq for Tally {
    fn eq(&self, other: &Self) -> bool {
        self.all_counts() == other.all_counts()
    }
}

impl Tally {
    fn all_counts(&self) -> [u64; 13] {
        let Self {
            secrets,
            multiplications,
            assertions,
            polynomials,
            degree,
            blocks,
            folds,
            branches,
            challenges,
            conversions,
            tested,
            tested_twice,
            tested_values,
            transcript: _,
        } = *self;
        [
            secrets,
            multiplications,
            assertions,
            polynomials,
            degree as u64,
            blocks,
            folds,
            branches,
            challenges,
            conversions,
            tested,
            tested_twice,
            tested_values,
        ]
    }

    /// The length of the encoding.
    pub(crate) const BYTES: usize = 32;

    fn counts(&self) -> [u64; 4] {
        [self.secrets, self.multiplications, self.assertions, self.polynomials]
    }

    /// The number of claims: wires that are zero, polynomials that vanish, disjunctions that hold. A proof
    /// without claims proves nothing.
    #[must_use]
    pub fn claims(&self) -> u64 {
        self.assertions.saturating_add(self.polynomials)
    }

    /// The number of values that were committed to: secret values and results of multiplications.
    #[must_use]
    pub fn commitments(&self) -> u64 {
        self.secrets.saturating_add(self.multiplications)
    }

    /// Counts a claim that a polynomial of `degree`, at least 2, vanishes.
    pub(crate) fn claim(&mut self, degree: usize) {
        self.polynomials += 1;
        self.degree = self.degree.max(degree);
    }

    /// Counts a disjunction of `branches` branches with this many challenges of its own. It is an assertion
    /// if some branch `claims` something.
    pub(crate) fn disjunction(&mut self, claims: bool, branches: usize, challenges: u64) {
        self.assertions += u64::from(claims);
        self.branches = self.branches.max(branches as u64);
        self.challenges = self.challenges.max(challenges);
    }

    /// Counts a challenge of the statement.
    pub(crate) fn challenge(&mut self, Tested { degree, repetitions, values }: Tested) {
        self.tested_values = values.max(self.tested_values);
        let most = if repetitions > 1 { &mut self.tested_twice } else { &mut self.tested };
        *most = degree.max(*most);
    }

    /// The counts that the soundness bound depends on, for blocks in which P can choose this many errors.
    pub(super) fn with_unknowns(&self, unknowns: u64) -> Checks {
        let Self { folds, branches, challenges, conversions, tested, tested_twice, tested_values, .. } =
            *self;
        let degree = self.degree.max(2);
        Checks {
            degree,
            folds,
            branches,
            challenges,
            conversions,
            unknowns,
            tested,
            tested_twice,
            tested_values,
            counted: false,
        }
    }

    pub(crate) fn encode(&self) -> [u8; Self::BYTES] {
        let mut out = [0; Self::BYTES];
        for (out, n) in out.chunks_exact_mut(8).zip(self.counts()) {
            out.copy_from_slice(&n.to_le_bytes());
        }
        out
    }

    /// The part of the encoding that a Boolean proof sends: it includes the count of polynomials if there are
    /// any.
    pub(crate) fn bit_bytes(&self) -> usize {
        if self.polynomials == 0 { Self::BYTES - 8 } else { Self::BYTES }
    }

    /// The counts of a proof in one block and its greatest degree, with the hash of its constants.
    pub(super) fn program(&self, constants: [u8; 32]) -> Vec<u8> {
        let degree = (self.degree.max(2) as u64).to_le_bytes();
        [&self.encode()[..], &degree, &constants].concat()
    }

    /// Compares with the peer's encoding of all counts, or of the first ones.
    pub(crate) fn compare(&self, theirs: &[u8]) -> Result<(), Error> {
        let names = [
            "the number of secret values",
            "the number of multiplications",
            "the number of assertions",
            "the number of polynomials",
        ];
        for ((what, ours), theirs) in names.into_iter().zip(self.counts()).zip(theirs.as_chunks().0) {
            let theirs = u64::from_le_bytes(*theirs);
            if ours != theirs {
                return Err(Error::Diverged { what, ours, theirs });
            }
        }
        Ok(())
    }
}
