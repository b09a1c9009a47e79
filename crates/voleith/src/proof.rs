//! Making and checking proofs: two passes at P, one at V, and the transcript from which both challenges come.
//! (P runs the statement once more, before, for its values alone. If they are few enough to be kept, the
//! first pass is over these values and does not run the statement.)
//!
//! | absorbed, in this order | by P | by V |
//! |---|---|---|
//! | parameters, statement's digest, message | at the start | at the start |
//! | digest of the commitments to all leaves | as computed | from the opening |
//! | of each block of rows: corrections, masks | as made in the first pass | as read |
//! | counts and hash of all constants | of the first pass | of its own run |
//! | **challenge of columns and relations** | | |
//! | that challenge | | |
//! | hash of `u`, digest of all columns' hashes | as computed | the first as read, the second as computed |
//! | relations' combination, hash of zeros | as computed | as read |
//! | **key** | | |
//!
//! Each challenge is the first hash of a counter, under what was absorbed, that has enough zeros
//! ([`Parameters::key_grinding`], [`Parameters::column_grinding`]) and, for the key, an opening. V uses the
//! challenges that the proof begins with, absorbs what it reads, and at the end compares them with those that
//! follow.

use std::io::{Read, Seek, SeekFrom, Write};
use std::sync::Arc;

use rand_core::CryptoRng;
use volery_channel::{Channel as _, tags};
use volery_circuit::{Digest, Message, Statement};
use volery_field::{Gf128, Wiped};
use volery_vole::correlations::{Pool, Source as _};
use volery_vole::{Delta, Oracle, SessionId, Transcript, keyed_hash_rows};
use volery_zk::quicksilver::{Challenges, Seed, Tally, bits};
use zeroize::Zeroizing;

use crate::columns::Trees;
use crate::commitment::{self, Committed, Opening};
use crate::files::{Answers, FirstPass, Player, Recorder, Values};
use crate::generator::{Blocks, Generator, Kept, Part, Zeros};
use crate::hashes::HASH_BYTES;
use crate::header::{Front, Header};
#[cfg(test)]
use crate::tests::Counts;
use crate::{Error, Native, Parameters, Shape};

/// How to make a proof.
#[derive(Clone, Default)]
pub struct Settings {
    /// The parameters.
    pub parameters: Parameters,
    /// A message that the proof is about, too.
    pub message: Option<Message>,
    /// Threads to work on. The proof's bytes do not depend on them.
    pub threads: Option<Arc<rayon::ThreadPool>>,
}

/// What a verifier demands: by default 128 bits, and no message.
#[derive(Clone)]
pub struct Demands {
    /// The least bits of soundness.
    pub sigma: u16,
    /// The message that the proof must be about; `None` if it must be about none.
    pub message: Option<Message>,
    /// Threads to work on.
    pub threads: Option<Arc<rayon::ThreadPool>>,
}

impl Default for Demands {
    fn default() -> Self {
        Self { sigma: 128, message: None, threads: None }
    }
}

/// What was proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proved {
    /// The parameters.
    pub parameters: Parameters,
    /// The counts of the statement's operations.
    pub tally: Tally,
    /// The proof's length in bytes.
    pub bytes: u64,
}

/// The identity of a statement over bits. Proofs contain it.
fn identity<B: volery_circuit::Backend>(statement: &(impl Statement<B> + ?Sized)) -> [u8; 32] {
    let mut digest = Digest::new();
    digest.bytes("public proof from VOLE in the head over", b"F2");
    statement.identify(&mut digest);
    digest.finish()
}

/// The transcript of a proof up to the commitments to leaves.
fn start(header: &Header, message: Option<&Message>, root: &[u8; 32]) -> Transcript {
    let mut transcript = Transcript::new("voleith", &SessionId::new(header.salt));
    transcript.absorb("parameters", header.parameters.name().as_bytes());
    transcript.absorb("statement", &header.statement);
    match message {
        Some(message) => transcript.absorb("message", message.digest()),
        None => transcript.absorb("no message", &[]),
    }
    transcript.absorb("commitments to leaves", root);
    transcript
}

/// The hash of a counter under a seed, if it has this many zeros; a challenge that costs work.
fn work(seed: &[u8; 32], counter: u32, zeros: u32) -> Option<[u8; 32]> {
    let hash = *blake3::keyed_hash(seed, &counter.to_le_bytes()).as_bytes();
    has_zeros(&hash, zeros).then_some(hash)
}

fn has_zeros(hash: &[u8; 32], zeros: u32) -> bool {
    let word = hash.as_chunks().0.last().map_or(0, |word| u64::from_le_bytes(*word));
    u64::from(word.trailing_zeros()) >= u64::from(zeros)
}

/// The counters for which there is [`work`], and their hashes, which are made several at once.
pub(crate) fn all_work(seed: &[u8; 32], zeros: u32) -> impl Iterator<Item = (u32, [u8; 32])> {
    const AT_ONCE: usize = 64;
    let hashes = |first: u32| {
        let (mut counters, mut hashes) = ([[0; 4]; AT_ONCE], [[0; 32]; AT_ONCE]);
        let numbers = (first..=u32::MAX).zip(&mut counters);
        numbers.for_each(|(counter, bytes)| *bytes = counter.to_le_bytes());
        keyed_hash_rows(seed, counters.as_flattened(), 4, &mut hashes);
        (first..=u32::MAX).zip(hashes)
    };
    (0..=u32::MAX).step_by(AT_ONCE).flat_map(hashes).filter(move |(_, hash)| has_zeros(hash, zeros))
}

/// The bits of the key in its hash.
pub(crate) fn key_of(shape: Shape, hash: &[u8; 32]) -> u128 {
    let low = hash.as_chunks().0.first().map_or(0, |low| u128::from_le_bytes(*low));
    low & ((1 << shape.key_bits()) - 1)
}

/// What the first challenge selects: the hash of the columns, and the coefficients of the relations.
fn selected(challenge: [u8; 32]) -> ([u8; 32], Seed) {
    let oracle = Oracle::new("voleith: columns and relations", &SessionId::new(challenge));
    (oracle.hash(0, &[b"columns"]), Seed::from(oracle.hash::<24>(0, &[b"relations"])))
}

/// Absorbs what comes between the two challenges.
fn absorb_answers(
    transcript: &mut Transcript,
    challenge: &[u8; 32],
    columns: &[u8],
    opening: &[u8],
    assertions: &[u8],
) {
    transcript.absorb("challenge", challenge);
    transcript.absorb("hashes of the columns", columns);
    transcript.absorb("combination of the relations", opening);
    transcript.absorb("hash of the zeros", assertions);
}

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

/// Reads a proof of `statement` from `input` and checks it. Only `Ok` means that the statement is proved.
///
/// # Errors
/// [`Error::is_rejection`] if the proof is wrong; [`Error::OtherStatement`], [`Error::Mismatch`],
/// [`Error::Message`] or [`Error::Soundness`] if it is another proof than expected; [`Error::Malformed`],
/// [`Error::Version`], [`Error::Io`] if the bytes are none.
pub fn verify<S>(statement: &S, demands: &Demands, input: &mut dyn Read) -> Result<Proved, Error>
where
    S: for<'a> Statement<bits::Verifier<'a>> + ?Sized,
{
    let header = Header::read(input)?;
    suits(&header, identity::<bits::Verifier<'_>>(statement), demands)?;
    let parameters = header.parameters;
    let too_many = || Error::malformed("the number of commitments", "no file has so many");
    let (shape, blocks) = (parameters.shape(), Blocks(header.rows().ok_or_else(too_many)?));
    let front = Front::read(parameters, input)?;
    let primitive = Native::new(&header.salt, shape.trees());
    let hidden = shape.pieces(front.key);
    let trees = commitment::reconstruct(&primitive, shape, &hidden, &front.opening)?;
    let mut transcript = start(&header, demands.message.as_ref(), &trees.root);
    let trees = Arc::new(Trees::new(primitive, shape, trees.seeds, Some(hidden), blocks.are_one()));
    // Everybody knows this key: what must stay secret from P elsewhere is drawn after P has answered.
    let delta = Delta::from_element(Gf128::from_bits(front.key << 1));

    let (columns, relations) = selected(front.columns);
    let (threads, part) = (demands.threads.clone(), Part::Verify(delta.expose().to_bits()));
    let generator = Generator::new(trees, part, blocks, Some(columns), Kept::default(), threads);
    let mut pool = Pool::new(Box::new(generator));
    let mut file = Player::new(input, &mut transcript, shape.trees() - 1, header.commitments);
    let threads = demands.threads.as_deref();
    let mut run = |file: &mut Player<'_>| {
        let challenges = Challenges::Known(relations);
        let verifier = bits::Verifier::new(bits::Settings::LAN, challenges, &delta, &mut pool, file, threads);
        let tally = verifier.verify(statement)?;
        pool.settle(file)?;
        Ok(tally)
    };
    let result = run(&mut file);
    let tally = resolve(result, file.fault.take())?;
    let counts = [
        ("the number of commitments", header.commitments, tally.commitments()),
        ("the greatest degree", header.degree.into(), tally.degree.max(2) as u64),
    ];
    if let Some((what, proof, expected)) = counts.into_iter().find(|(_, proof, expected)| proof != expected) {
        return Err(Error::mismatch(what, proof, expected));
    }
    claims_something(&tally)?;
    if !file.at_end()? {
        return Err(Error::malformed("its end", "something was appended"));
    }
    let Player { program, opening, assertions, columns, .. } = file;

    transcript.absorb("program", &program);
    let seed = transcript.challenge_seed("columns and relations").into_bytes();
    if work(&seed, front.columns_counter, parameters.column_grinding(tally.branches)) != Some(front.columns) {
        return Err(Error::Challenge("columns and relations"));
    }
    absorb_answers(&mut transcript, &front.columns, &columns, &opening, &assertions);
    let seed = transcript.challenge_seed("key").into_bytes();
    let hash = work(&seed, front.key_counter, parameters.key_grinding(header.degree.into()));
    if hash.map(|hash| key_of(shape, &hash)) != Some(front.key) {
        return Err(Error::Challenge("the key"));
    }
    let bytes = crate::proof_bytes(parameters, header.commitments, header.degree).ok_or_else(too_long)?;
    Ok(Proved { parameters, tally, bytes })
}

/// Checks that a proof with this header is the one that the verifier wants.
fn suits(header: &Header, statement: [u8; 32], demands: &Demands) -> Result<(), Error> {
    if header.statement != statement {
        return Err(Error::OtherStatement { proof: header.statement, expected: statement });
    }
    let sigma = header.parameters.sigma();
    if sigma < demands.sigma {
        return Err(Error::Soundness { proof: sigma, demanded: demands.sigma });
    }
    if header.bound != demands.message.is_some() {
        return Err(Error::Message { bound: header.bound });
    }
    Ok(())
}

/// The error of a run, or the one that its channel could only describe.
pub(crate) fn resolve<T>(result: Result<T, volery_zk::Error>, fault: Option<Error>) -> Result<T, Error> {
    use volery_zk::Error as Zk;
    result.map_err(|error| match (fault, error) {
        (Some(fault), _) => fault,
        (None, Zk::Statement(error)) => Error::Statement(error),
        (None, Zk::Rejected { reason }) => Error::Rejected(reason),
        (None, Zk::Malformed { reason, .. }) => Error::malformed("the masks", reason),
        (None, Zk::Correlations(error @ volery_vole::Error::Misuse(_))) => {
            Error::malformed("the corrections", error.to_string())
        }
        (None, error) => Error::Internal(error.to_string()),
    })
}

/// A proof without claims would be accepted from anybody.
fn claims_something(tally: &Tally) -> Result<(), Error> {
    if tally.claims() > 0 {
        return Ok(());
    }
    Err(volery_circuit::Error::nothing_claimed().into())
}

/// The greatest degree of a relation, products included.
fn degree_of(tally: &Tally) -> Result<u32, Error> {
    u32::try_from(tally.degree.max(2))
        .map_err(|_| Error::Parameters("a polynomial has too great a degree".into()))
}

fn no_counter() -> Error {
    Error::Internal("no counter gives a challenge".into())
}

pub(crate) fn too_long() -> Error {
    Error::Parameters("the statement is too long for a file".into())
}
