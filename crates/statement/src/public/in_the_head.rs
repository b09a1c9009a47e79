//! Public proofs from VOLE in the head.

use std::io::{BufReader, Read, Seek, Write};
use std::time::Duration;

use volery::public::voleith::{Demands, Parameters, Proved, Rehearsed, Settings, prove, rehearse, verify};
use volery::{Statement, os_rng};
use volery_channel::platform::Instant;
use volery_field::{F2, Ring as _};
use volery_zk::quicksilver::bits;

use super::{Checking, Made, Making, ProofReader, PublicProtocol, shared_threads};
use crate::error::Error;

/// What a proof is written to: a file, or a [`std::io::Cursor`].
pub trait Output: Write + Seek {}

impl<T: Write + Seek> Output for T {}

/// A statement about bits that has such proofs.
pub trait InTheHead {
    /// Makes a proof of the statement, which has its witness.
    ///
    /// # Errors
    /// As [`prove`].
    fn prove(&self, settings: &Settings, out: &mut dyn Output) -> Result<Proved, Error>;

    /// Runs the statement without values, to learn what its proofs take.
    ///
    /// # Errors
    /// As [`rehearse`].
    fn rehearse(&self) -> Result<Rehearsed, Error>;

    /// Verifies a proof of the statement.
    ///
    /// # Errors
    /// As [`verify`].
    fn verify(&self, demands: &Demands, proof: &mut dyn Read) -> Result<Proved, Error>;
}

impl<S> InTheHead for S
where
    S: for<'a> Statement<bits::Prover<'a>> + for<'a> Statement<bits::Verifier<'a>>,
{
    fn prove(&self, settings: &Settings, mut out: &mut dyn Output) -> Result<Proved, Error> {
        Ok(prove(self, settings, &mut os_rng()?, &mut out)?)
    }

    fn rehearse(&self) -> Result<Rehearsed, Error> {
        Ok(rehearse(self, None)?)
    }

    fn verify(&self, demands: &Demands, mut proof: &mut dyn Read) -> Result<Proved, Error> {
        Ok(verify(self, demands, &mut proof)?)
    }
}

/// Makes a proof of the statement.
pub(super) fn make(
    statement: &dyn InTheHead,
    making: &Making,
    small: bool,
    out: &mut dyn Output,
) -> Result<Made, Error> {
    let parameters = Parameters::of(making.sigma, small);
    let settings = Settings { parameters, message: making.message, threads: shared_threads(making.threads)? };
    let start = Instant::now();
    Ok(made(statement.prove(&settings, out)?, start.elapsed()))
}

/// Verifies a proof of the statement.
pub(super) fn check(
    statement: &dyn InTheHead,
    checking: &Checking,
    proof: ProofReader<'_>,
) -> Result<Made, Error> {
    let demands = Demands {
        sigma: checking.sigma,
        message: checking.message,
        threads: shared_threads(checking.threads)?,
    };
    let mut proof = BufReader::with_capacity(1 << 16, proof.reader);
    let start = Instant::now();
    Ok(made(statement.verify(&demands, &mut proof)?, start.elapsed()))
}

fn made(Proved { parameters, tally, bytes }: Proved, time: Duration) -> Made {
    Made {
        protocol: PublicProtocol::Voleith { small: parameters.is_small() },
        ring: F2::NAME,
        soundness_bits: parameters.sigma(),
        repetitions: parameters.shape().trees(),
        secrets: tally.secrets,
        multiplications: tally.multiplications,
        bytes,
        time,
    }
}
