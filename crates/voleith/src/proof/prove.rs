//! P's passes.

use std::io::{Seek, SeekFrom, Write};
use std::sync::Arc;

use rand_core::CryptoRng;
use volery_channel::{Channel as _, tags};
use volery_circuit::{Message, Statement};
use volery_field::{Gf128, Wiped};
use volery_vole::Transcript;
use volery_vole::correlations::{Pool, Source as _};
use volery_zk::quicksilver::{Challenges, Tally, bits};
use zeroize::Zeroizing;

use super::{
    Proved, Settings, absorb_answers, all_work, claims_something, degree_of, identity, key_of, no_counter,
    resolve, selected, start, too_long,
};
use crate::columns::Trees;
use crate::commitment::{self, Committed, Opening};
use crate::files::{Answers, FirstPass, Recorder, Values};
use crate::generator::{Blocks, Generator, Kept, Part, Zeros};
use crate::hashes::HASH_BYTES;
use crate::header::{Front, Header};
#[cfg(test)]
use crate::tests::Counts;
use crate::{Error, Native};

/// Proves `statement` and writes the proof to `out` from where it stands. Its hints run two or three times
/// and must give the same values.
///
/// # Errors
/// [`Error::Statement`] if the witness does not satisfy it, if it claims nothing, or if a hint gives other
/// values another time; [`Error::Io`]. What was written then is of no use.
pub fn prove<S>(
    statement: &S,
    settings: &Settings,
    rng: &mut dyn CryptoRng,
    out: &mut (impl Write + Seek),
) -> Result<Proved, Error>
where
    S: for<'a> Statement<bits::Prover<'a>> + ?Sized,
{
    Prover::start(statement, settings, rng)?.prove(statement, out)
}

/// The salt of a proof and the root of its trees: a hash of all that the proof is about, the values included,
/// under 32 bytes of `rng`.
///
/// So if a generator repeats its output, after a virtual machine was rolled back, P repeats a whole proof or
/// makes an unrelated one. It does not open the same trees under two challenges, or mask two witnesses alike.
/// `values` depends on counts and constants, too, since the challenges do and the statement's digest may lack
/// one.
fn fresh(
    statement: &[u8; 32],
    settings: &Settings,
    values: &[u8; 32],
    rng: &mut dyn CryptoRng,
) -> ([u8; 32], Zeroizing<[u8; 16]>) {
    let mut key = Zeroizing::new([0; 32]);
    rng.fill_bytes(&mut *key);
    let mut hasher = blake3::Hasher::new_keyed(&key);
    hasher.update(b"voleith: salt and root").update(&[settings.parameters.code()]).update(statement);
    // Of no message or one, then the values: lengths tell them apart.
    hasher.update(settings.message.as_ref().map_or(&[][..], |message| message.digest())).update(values);
    let (mut salt, mut root) = ([0; 32], Zeroizing::new([0; 16]));
    let mut stream = hasher.finalize_xof();
    stream.fill(&mut salt);
    stream.fill(&mut *root);
    zeroize::Zeroize::zeroize(&mut hasher);
    zeroize::Zeroize::zeroize(&mut stream);
    (salt, root)
}

/// All that P commits to, and the program that does.
struct Known {
    values: Vec<Wiped<u8>>,
    program: Vec<u8>,
    tally: Tally,
}

/// P before its passes.
pub(crate) struct Prover {
    header: Header,
    committed: Committed<Native>,
    trees: Arc<Trees<Native>>,
    message: Option<Message>,
    threads: Option<Arc<rayon::ThreadPool>>,
    /// What the first run gave, if that is all that the first pass needs.
    values: Option<Known>,
    #[cfg(test)]
    pub(crate) cheat: crate::tests::Cheat,
}

impl Prover {
    /// Runs the statement once for its values, and commits to leaves.
    pub(crate) fn start<S>(statement: &S, settings: &Settings, rng: &mut dyn CryptoRng) -> Result<Self, Error>
    where
        S: for<'a> Statement<bits::Prover<'a>> + ?Sized,
    {
        let identity = identity::<bits::Prover<'_>>(statement);
        let (mut pool, mut values) = (Pool::new(Box::new(Zeros)), Values::new());
        let threads = settings.threads.as_deref();
        let prover =
            bits::Prover::new(bits::Settings::LAN, Challenges::Committing, &mut pool, &mut values, threads);
        let tally = resolve(prover.prove(statement), None)?;
        let fresh = fresh(&identity, settings, &values.finish(), rng);
        let mut prover = Self::new(identity, settings, fresh, &tally)?;
        let kept = values.keep(tally.commitments());
        prover.values = kept.map(|(values, program)| Known { values, program, tally });
        Ok(prover)
    }

    fn new(
        statement: [u8; 32],
        settings: &Settings,
        fresh: ([u8; 32], Zeroizing<[u8; 16]>),
        tally: &Tally,
    ) -> Result<Self, Error> {
        let (parameters, message, (salt, root)) = (settings.parameters, settings.message, fresh);
        let (bound, commitments, degree) = (message.is_some(), tally.commitments(), degree_of(tally)?);
        let header = Header { parameters, bound, degree, commitments, statement, salt };
        let once = Blocks(header.rows().ok_or_else(too_long)?).are_one();
        let shape = parameters.shape();
        let primitive = Native::new(&salt, shape.trees());
        let mut committed = commitment::commit(&primitive, shape, Gf128::from_bytes(*root));
        let seeds = core::mem::take(&mut committed.seeds);
        let trees = Arc::new(Trees::new(primitive, shape, seeds, None, once));
        Ok(Self {
            header,
            committed,
            trees,
            message,
            threads: settings.threads.clone(),
            values: None,
            #[cfg(test)]
            cheat: Default::default(),
        })
    }

    /// Makes P run the statement in its first pass, as it does if there is no room for all values.
    #[cfg(test)]
    pub(crate) fn forget(&mut self) {
        assert!(self.values.take().is_some(), "there is nothing to forget");
    }

    /// For a P that cheats: other streams of one leaf than those that it has committed to.
    #[cfg(test)]
    pub(crate) fn lie(&mut self, t: usize, j: usize) {
        let shape = self.header.parameters.shape();
        let primitive = Native::new(&self.header.salt, shape.trees());
        self.trees = Arc::new(Trees::new(primitive, shape, self.trees.other_seeds(t, j), None, false));
    }

    pub(crate) fn prove<S>(mut self, statement: &S, out: &mut (impl Write + Seek)) -> Result<Proved, Error>
    where
        S: for<'a> Statement<bits::Prover<'a>> + ?Sized,
    {
        let start_of_proof = out.stream_position().map_err(Error::io("write"))?;
        let parameters = self.header.parameters;
        let front = Header::BYTES + Front::bytes(parameters);
        out.write_all(&vec![0; front]).map_err(Error::io("write"))?;
        let mut transcript = start(&self.header, self.message.as_ref(), &self.committed.root);
        let kept = Kept::default();
        let (tally, first) = self.first_pass(statement, &kept, &mut transcript, out)?;
        #[cfg(test)]
        let must_claim = !self.cheat.claims_nothing;
        #[cfg(not(test))]
        let must_claim = true;
        if must_claim {
            claims_something(&tally)?;
        }
        if (tally.commitments(), degree_of(&tally)?) != (self.header.commitments, self.header.degree) {
            let reason = "the statement ran another program when it ran again";
            return Err(volery_circuit::Error::misuse(reason).into());
        }
        #[cfg(test)]
        if let Some(Counts { degree, commitments, .. }) = self.cheat.counts {
            (self.header.degree, self.header.commitments) = (degree, commitments);
        }
        transcript.absorb("program", &first.program);
        let seed = transcript.challenge_seed("columns and relations").into_bytes();
        let zeros = parameters.column_grinding(tally.branches);
        #[cfg(test)]
        let zeros = self.cheat.work_for_the_columns.unwrap_or(zeros);
        let (columns_counter, columns) = all_work(&seed, zeros).next().ok_or_else(no_counter)?;
        #[cfg(test)]
        let columns = self.cheat.challenge.unwrap_or(columns);
        let answers = self.second_pass(statement, kept, columns, &first)?;
        let Answers { opening: combination, assertions, columns: hashes, .. } = &answers;
        absorb_answers(&mut transcript, &columns, hashes, combination, assertions);
        let seed = transcript.challenge_seed("key").into_bytes();
        let (key_counter, key, opening) = self.open(&seed)?;

        let hash_of_u = hashes.get(..HASH_BYTES).unwrap_or_default();
        for part in [&combination[..], assertions, hash_of_u] {
            out.write_all(part).map_err(Error::io("write"))?;
        }
        let end = out.stream_position().map_err(Error::io("write"))?;
        out.seek(SeekFrom::Start(start_of_proof)).map_err(Error::io("write"))?;
        let front = Front { columns, columns_counter, key_counter, key, opening };
        for part in [self.header.encode(), front.encode()] {
            out.write_all(&part).map_err(Error::io("write"))?;
        }
        out.seek(SeekFrom::Start(end)).map_err(Error::io("write"))?;
        out.flush().map_err(Error::io("write"))?;
        Ok(Proved { parameters, tally, bytes: end - start_of_proof })
    }

    /// Commits to all values: writes and absorbs corrections and masks.
    fn first_pass<S>(
        &mut self,
        statement: &S,
        kept: &Kept,
        transcript: &mut Transcript,
        out: &mut dyn Write,
    ) -> Result<(Tally, FirstPass), Error>
    where
        S: for<'a> Statement<bits::Prover<'a>> + ?Sized,
    {
        let mut generator = self.generator(Part::Commit, None, Arc::clone(kept))?;
        let mut file = Recorder::new(out, transcript);
        #[cfg(test)]
        (file.edit = self.cheat.first_pass);
        if let Some(known) = self.values.take() {
            let tally = self.commit_to(known, &mut generator, &mut file)?;
            return Ok((tally, file.finish()?));
        }
        let mut pool = Pool::new(Box::new(generator));
        let threads = self.threads.as_deref();
        let mut run = |file: &mut Recorder<'_>| {
            let settings = bits::Settings::LAN;
            let prover = bits::Prover::new(settings, Challenges::Committing, &mut pool, file, threads);
            let tally = prover.prove(statement)?;
            #[cfg(test)]
            if let Some(Counts { masks, .. }) = self.cheat.counts {
                file.add_masks(masks);
            }
            pool.settle(file)?;
            Ok(tally)
        };
        let result = run(&mut file);
        let tally = resolve(result, file.fault.take())?;
        Ok((tally, file.finish()?))
    }

    /// The first pass over values that are known.
    fn commit_to(
        &self,
        known: Known,
        generator: &mut Generator<Native>,
        file: &mut Recorder<'_>,
    ) -> Result<Tally, Error> {
        let Known { values, program, tally } = known;
        let values = values.iter().flat_map(|piece| piece.iter().copied());
        let run = |generator: &mut Generator<Native>, file: &mut Recorder<'_>| {
            generator.commit(values, tally.commitments(), file)?;
            #[cfg(test)]
            if let Some(Counts { masks, .. }) = self.cheat.counts {
                file.add_masks(masks);
            }
            file.send(tags::PROGRAM, &program).map_err(volery_vole::Error::from)?;
            generator.settle(file)
        };
        let result = run(generator, file).map_err(volery_zk::Error::from);
        resolve(result, file.fault.take())?;
        Ok(tally)
    }

    /// Answers the challenge, over the same values.
    fn second_pass<S>(
        &self,
        statement: &S,
        kept: Kept,
        challenge: [u8; 32],
        first: &FirstPass,
    ) -> Result<Answers, Error>
    where
        S: for<'a> Statement<bits::Prover<'a>> + ?Sized,
    {
        let (columns, relations) = selected(challenge);
        let generator = self.generator(Part::Prove, Some(columns), kept)?;
        let (mut pool, mut answers) = (Pool::new(Box::new(generator)), Answers::new());
        #[cfg(test)]
        (answers.edit = self.cheat.second_pass);
        let threads = self.threads.as_deref();
        let mut run = || {
            let challenges = Challenges::Known(relations);
            let prover = bits::Prover::new(bits::Settings::LAN, challenges, &mut pool, &mut answers, threads);
            prover.prove(statement)?;
            Ok(pool.settle(&mut answers)?)
        };
        resolve(run(), None)?;
        #[cfg(test)]
        if self.cheat.counts.is_some() {
            return Ok(answers);
        }
        // Answers about two vectors of values would give the witness away.
        if answers.pass() != *first {
            let reason = "the statement gave other values, or ran another program, when it ran a second time";
            return Err(volery_circuit::Error::misuse(reason).into());
        }
        Ok(answers)
    }

    /// The first counter whose key has enough zeros and an opening.
    fn open(&self, seed: &[u8; 32]) -> Result<(u32, u128, Opening<[u8; 32]>), Error> {
        let Header { parameters, degree, .. } = self.header;
        let (shape, zeros) = (parameters.shape(), parameters.key_grinding(degree.into()));
        #[cfg(test)]
        let zeros = if self.cheat.no_work_for_the_key { 0 } else { zeros };
        for (counter, hash) in all_work(seed, zeros) {
            let key = key_of(shape, &hash);
            let hidden = shape.pieces(key);
            if commitment::opened(shape, &hidden) > shape.opened() {
                continue;
            }
            if let Some(opening) = self.committed.open(shape, &hidden) {
                return Ok((counter, key, opening));
            }
        }
        Err(no_counter())
    }

    fn generator(
        &self,
        part: Part,
        challenge: Option<[u8; 32]>,
        kept: Kept,
    ) -> Result<Generator<Native>, Error> {
        let blocks = Blocks(self.header.rows().ok_or_else(too_long)?);
        Ok(Generator::new(Arc::clone(&self.trees), part, blocks, challenge, kept, self.threads.clone()))
    }
}
