//! What a proof takes, before anybody makes it: its length exactly, and its times on this machine, about.
//!
//! The statement runs as P's does, without values: once as in a pass that only commits, once as in one that
//! answers. Correlations are zeros then. What they take is measured apart, on some thousand rows, and so are
//! the trees and the hashes of grinding. Left out is what values take: finding secrets, and the evaluation of
//! all branches of a disjunction.

use std::sync::Arc;
use std::time::Duration;

use volery_channel::platform::Instant;
use volery_channel::{Channel, Error as Lost, Stats, Tag};
use volery_circuit::Statement;
use volery_field::Gf128;
use volery_vole::Error as VoleError;
use volery_vole::correlations::{Chain, Pool, Source};
use volery_zk::quicksilver::{Challenges, Seed, Tally, bits};

use crate::columns::Trees;
use crate::files::Values;
use crate::generator::{Blocks, Generator, KEPT, Kept, Part};
use crate::proof::{all_work, key_of, resolve, too_long};
use crate::soundness::Size;
use crate::{Error, Header, Native, Parameters, commitment, proof_bytes};

/// A statement that was run without values.
#[derive(Clone, Copy, Debug)]
pub struct Rehearsed {
    tally: Tally,
    committing: Duration,
    answering: Duration,
}

/// What a proof takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Its length.
    pub bytes: u64,
    /// The time to make it on this machine, without the evaluation of the statement on values.
    pub proving: Duration,
    /// The time to verify it.
    pub verifying: Duration,
}

/// Rows for which columns are made to see how long that takes, at most: about a block.
const SAMPLE: u64 = 15 << 11;

/// Correlations of a rehearsal.
struct Blank;

impl Source for Blank {
    fn refill(&mut self, _channel: &mut dyn Channel, out: &mut Vec<Gf128>) -> Result<(), VoleError> {
        out.clear();
        out.resize(1 << 15, Gf128::ZERO);
        Ok(())
    }

    fn may_wait(&self) -> bool {
        true
    }

    fn are_blank(&self) -> bool {
        true
    }

    fn chain(&mut self, _channel: &mut dyn Channel, _taken: u64) -> Result<Chain, VoleError> {
        Err(VoleError::misuse("a rehearsal of a public proof has no chain"))
    }
}

/// A file that keeps nothing and consists of zeros.
struct Nowhere;

impl Channel for Nowhere {
    fn send(&mut self, _tag: Tag, _payload: &[u8]) -> Result<(), Lost> {
        Ok(())
    }

    fn recv(&mut self, tag: Tag, _max: usize) -> Result<&[u8], Lost> {
        Err(Lost::misuse(format!("{tag} in a rehearsal of a public proof")))
    }

    fn recv_exact(&mut self, _tag: Tag, out: &mut [u8]) -> Result<(), Lost> {
        out.fill(0);
        Ok(())
    }

    fn recv_into(&mut self, tag: Tag, _max: usize, _out: &mut Vec<u8>) -> Result<(), Lost> {
        Err(Lost::misuse(format!("{tag} in a rehearsal of a public proof")))
    }

    crate::files::one_way!();
}

/// Runs a statement, which needs no witness, twice.
///
/// # Errors
/// [`Error::Statement`] if it cannot be proved by these proofs.
pub fn rehearse<S>(statement: &S, threads: Option<&rayon::ThreadPool>) -> Result<Rehearsed, Error>
where
    S: for<'a> Statement<bits::Prover<'a>> + ?Sized,
{
    let run = |seed: Option<Seed>| {
        let challenges = seed.map_or(Challenges::Committing, Challenges::Known);
        let start = Instant::now();
        let (mut pool, mut channel) = (Pool::new(Box::new(Blank)), Nowhere);
        let prover = bits::Prover::new(bits::Settings::LAN, challenges, &mut pool, &mut channel, threads);
        let tally = resolve(prover.prove(statement), None)?;
        Ok::<_, Error>((tally, start.elapsed()))
    };
    let (tally, committing) = run(None)?;
    let (_, answering) = run(Some(Seed::from([0; 24])))?;
    Ok(Rehearsed { tally, committing, answering })
}

impl Rehearsed {
    /// What the soundness of its proofs depends on.
    #[must_use]
    pub fn size(&self) -> Size {
        Size::of(&self.tally)
    }

    /// What a proof with these parameters takes.
    ///
    /// # Errors
    /// [`Error::Parameters`] if no file is so long.
    pub fn estimate(
        &self,
        parameters: Parameters,
        threads: Option<&Arc<rayon::ThreadPool>>,
    ) -> Result<Estimate, Error> {
        let Size { commitments, degree, branches } = self.size();
        let degree = degree.max(2);
        let bytes = proof_bytes(parameters, commitments, degree).ok_or_else(too_long)?;
        let (statement, salt) = ([0; 32], [1; 32]);
        let header = Header { parameters, bound: false, degree, commitments, statement, salt };
        let rows = header.rows().ok_or_else(too_long)?;
        let shape = parameters.shape();

        let start = Instant::now();
        let primitive = Native::new(&salt, shape.trees());
        let mut committed = commitment::commit(&primitive, shape, Gf128::ONE);
        let seeds = core::mem::take(&mut committed.seeds);
        let hidden = Some(vec![0; shape.trees()]);
        let trees = Arc::new(Trees::new(primitive, shape, seeds, hidden, Blocks(rows).are_one()));
        let fixed = start.elapsed();
        let start = Instant::now();
        let zeros = parameters.column_grinding(branches);
        let tries = f64::from(zeros).exp2() + tries(parameters, parameters.key_grinding(degree.into()));
        let sample = 1 << 10;
        let found = all_work(&salt, 0).take(sample).fold(0, |sum, (_, hash)| sum ^ hash[0]);
        // Nobody needs them, but the compiler must not know.
        core::hint::black_box(found);
        let grinding = start.elapsed().mul_f64(tries / sample as f64);

        let sample = rows.min(SAMPLE);
        let kept = Kept::default();
        let making = |part, check, kept| {
            let blocks = Blocks(sample);
            let generator = Generator::new(Arc::clone(&trees), part, blocks, check, kept, threads.cloned());
            let (mut pool, mut channel) = (Pool::new(Box::new(generator)), Nowhere);
            let start = Instant::now();
            let mut out = vec![Gf128::ZERO; usize::try_from(sample).unwrap_or(0)];
            pool.fill(&mut channel, &mut out).map_err(|error| Error::Internal(error.to_string()))?;
            Ok::<_, Error>(start.elapsed().as_secs_f64() / sample as f64)
        };
        let check = Some([0; 32]);
        let commit = making(Part::Commit, None, Arc::clone(&kept))?;
        let answer = making(Part::Prove, check, kept)?;
        let verify = making(Part::Verify(1), check, Kept::default())?;
        let (kept, again) = (rows.min(KEPT as u64) as f64, rows.saturating_sub(KEPT as u64) as f64);
        let seconds = rows as f64 * commit + kept * answer + again * verify;
        // For the values, and again to commit to them if they cannot be kept.
        let runs = if Values::has_room(commitments) { 1 } else { 2 };
        let proving = fixed + runs * self.committing + self.answering + grinding;
        Ok(Estimate {
            bytes,
            proving: proving + Duration::from_secs_f64(seconds),
            verifying: fixed + self.answering + Duration::from_secs_f64(rows as f64 * verify),
        })
    }
}

/// The hashes that P tries for a key with this many zeros and an opening, on average.
fn tries(parameters: Parameters, zeros: u32) -> f64 {
    let shape = parameters.shape();
    let hashes = blake3::Hasher::new_derive_key("volery 2026 voleith sample of keys v1");
    let mut stream = hashes.finalize_xof();
    let sample = 200;
    let opened = (0..sample).filter(|_| {
        let mut hash = [0; 32];
        stream.fill(&mut hash);
        commitment::opened(shape, &shape.pieces(key_of(shape, &hash))) <= shape.opened()
    });
    f64::from(zeros).exp2() * f64::from(sample) / opened.count().max(1) as f64
}

#[cfg(test)]
mod tests {
    use volery_circuit::statements::AndChain;

    use super::*;
    use crate::tests::{proof_of, settings};

    #[test]
    fn an_estimate_foretells_the_length_and_says_some_time() {
        for ands in [0, 100, 5000] {
            let chain = AndChain::new(ands);
            let rehearsed = rehearse(&chain, None).expect("runs");
            for parameters in [Parameters::Fast80, Parameters::Fast] {
                let estimate = rehearsed.estimate(parameters, None).expect("fits");
                let (proved, _) = proof_of(&chain, &settings(parameters), 1);
                assert_eq!((estimate.bytes, rehearsed.size()), (proved.bytes, Size::of(&proved.tally)));
                assert!(estimate.proving.min(estimate.verifying) > Duration::ZERO);
            }
        }
    }

    /// Otherwise P would look for a key without end.
    #[test]
    fn most_keys_have_an_opening_or_some_have() {
        for parameters in Parameters::ALL {
            let tries = tries(parameters, 0);
            assert!((1.0..50.0).contains(&tries), "{parameters:?}: {tries}");
        }
    }
}
