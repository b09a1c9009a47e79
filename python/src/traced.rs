//! A traced function with a claim about what it returns, as a statement.

use std::sync::Arc;

use volery::circuit::convert::{BitOf, Convert, ElementOf};
use volery::circuit::{
    Counter, Counts, Digest, Error, Evaluator, MixedEvaluator, Polynomials, Prove, Statement,
};
use volery::field::{F2, F61};

use crate::program::{Constant, Program};
use crate::run::{Alone, Banks, Secrets, run};

/// "I know secret arguments with which this function's claims hold, and with which it returns these values."
#[derive(Clone)]
pub(crate) struct Traced {
    pub(crate) program: Arc<Program>,
    pub(crate) claimed: Arc<Vec<Constant>>,
    pub(crate) secrets: Option<Arc<Secrets>>,
    commitments: Option<u64>,
}

/// What a statement's values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Domain {
    Bits,
    Field,
    Both,
}

/// The statement about bits.
#[derive(Clone)]
pub(crate) struct AboutBits(pub(crate) Traced);

/// The statement about elements.
#[derive(Clone)]
pub(crate) struct AboutField(pub(crate) Traced);

/// The statement about both.
#[derive(Clone)]
pub(crate) struct AboutBoth(pub(crate) Traced);

impl Traced {
    pub(crate) fn new(program: Arc<Program>, claimed: Vec<Constant>) -> Result<Self, Error> {
        let mut traced = Self { program, claimed: Arc::new(claimed), secrets: None, commitments: None };
        traced.commitments = traced.counts()?.map(|counts| counts.commitments());
        Ok(traced)
    }

    pub(crate) fn domain(&self) -> Domain {
        match self.program.kinds() {
            (_, false) => Domain::Bits,
            (false, true) => Domain::Field,
            (true, true) => Domain::Both,
        }
    }

    pub(crate) fn with_secrets(&self, secrets: Secrets) -> Self {
        Self { secrets: Some(Arc::new(secrets)), ..self.clone() }
    }

    fn identify(&self, digest: &mut Digest) {
        self.program.identify(digest);
        digest.number("claimed outputs", self.claimed.len() as u64);
        self.claimed.iter().for_each(|constant| constant.identify(digest));
    }

    /// What it costs, if it is about bits or about elements.
    pub(crate) fn counts(&self) -> Result<Option<Counts>, Error> {
        Ok(match self.domain() {
            Domain::Bits => Some(Counter::<F2>::count(&AboutBits(self.clone()))?.total()),
            Domain::Field => Some(Counter::<F61>::count(&AboutField(self.clone()))?.total()),
            Domain::Both => None,
        })
    }

    /// Whether the secrets satisfy it.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self.domain() {
            Domain::Bits => Evaluator::<F2>::check(&AboutBits(self.clone())),
            Domain::Field => Evaluator::<F61>::check(&AboutField(self.clone())),
            Domain::Both => MixedEvaluator::<F61>::check(&AboutBoth(self.clone())),
        }
    }
}

impl Traced {
    /// What the function returns for the secrets, whatever is claimed.
    pub(crate) fn compute(&self) -> Result<Vec<Constant>, Error> {
        let (mut bits, mut elements) = match self.domain() {
            Domain::Bits => (Evaluator::<F2>::compute(&AboutBits(self.clone()))?, Vec::new()),
            Domain::Field => (Vec::new(), Evaluator::<F61>::compute(&AboutField(self.clone()))?),
            Domain::Both => MixedEvaluator::<F61>::compute(&AboutBoth(self.clone()))?,
        };
        // Each kind comes in order; claims inside the function, which compare with public values, come first.
        let (mut more_bits, mut more_elements) = (bits.len(), elements.len());
        for constant in self.claimed.iter() {
            match constant {
                Constant::Bits(own) => more_bits = more_bits.saturating_sub(own.len()),
                Constant::Field(own) => more_elements = more_elements.saturating_sub(own.len()),
            }
        }
        let mut rest = (bits.split_off(more_bits).into_iter(), elements.split_off(more_elements).into_iter());
        Ok(self
            .claimed
            .iter()
            .map(|constant| match constant {
                Constant::Bits(own) => Constant::Bits(rest.0.by_ref().take(own.len()).collect()),
                Constant::Field(own) => Constant::Field(rest.1.by_ref().take(own.len()).collect()),
            })
            .collect())
    }
}

impl AboutBits {
    pub(crate) fn has_secrets(&self) -> bool {
        self.0.secrets.is_some()
    }
}

impl<B: Prove<F2>> Statement<B> for AboutBits {
    fn identify(&self, digest: &mut Digest) {
        self.0.identify(digest);
    }

    fn commitments(&self) -> Option<u64> {
        self.0.commitments
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let Traced { program, claimed, secrets, .. } = &self.0;
        run(program, secrets.as_deref(), claimed, Alone::<F2, B::Wire>::new(program), b)
    }
}

impl<B: Polynomials<F61>> Statement<B> for AboutField {
    fn identify(&self, digest: &mut Digest) {
        self.0.identify(digest);
    }

    fn commitments(&self) -> Option<u64> {
        self.0.commitments
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let Traced { program, claimed, secrets, .. } = &self.0;
        run(program, secrets.as_deref(), claimed, Alone::<F61, B::Wire>::new(program), b)
    }
}

impl<B: Convert<F61>> Statement<B> for AboutBoth {
    fn identify(&self, digest: &mut Digest) {
        self.0.identify(digest);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let Traced { program, claimed, secrets, .. } = &self.0;
        let banks = Banks::<BitOf<B>, ElementOf<B, F61>>::new(program.instructions.len());
        run(program, secrets.as_deref(), claimed, banks, b)
    }
}
