//! The three moves of figure 6 (commit, challenge, respond) and the verifier's checks, for all repetitions at
//! once.
//!
//! ```text
//! first message of a repetition:   y_1 | y_2 | y_3 | c_1 | c_2 | c_3             output shares, commitments
//! c_i = BLAKE3(key; row)           row: repetition 4, player 1, zeros 11 | seed 16 | input share | view
//! response to e, ZKBoo:            row of player e and row of player e+1, each from its seed on
//! response to e, ZKB++:            c_{e+2} | seed of e | seed of e+1 | player 3's input share, if opened | view of e+1
//! ```
//!
//! Key and tapes depend on the proof's header: protocol, version, parameters, statement and salt.
//! `BLAKE3(tape key; repetition 4, player 1, zeros 11 | seed 16)` turns a seed into a tape; [`TapeStream`]
//! describes how the tape is read from it.

use core::ops::Range;

use rayon::prelude::*;
use zeroize::Zeroize;

use super::header::{Header, Keys};
use crate::challenge::Trit;
use crate::program::{Program, Shape};
use crate::rings::{PublicRing, Recomputation, Simulation, TapeStream, wipe};
use crate::{Error, Protocol};

/// A seed of a player in one repetition.
type Seed = [u8; Shape::SEED];

/// The number of groups of repetitions that are computed side by side: as few as `most` and the number of
/// threads allow.
fn groups(repetitions: usize, most: usize, pool: Option<&rayon::ThreadPool>) -> usize {
    let threads = pool.map_or(1, rayon::ThreadPool::current_num_threads);
    repetitions.div_ceil(most.max(1)).max(threads).min(repetitions.max(1))
}

/// Runs `work` on all groups, in parallel if there is a pool.
fn for_each<T: Send>(
    groups: Vec<T>,
    pool: Option<&rayon::ThreadPool>,
    work: impl Fn(T) -> Result<(), Error> + Send + Sync,
) -> Result<(), Error> {
    match pool {
        None => groups.into_iter().try_for_each(work),
        Some(pool) => pool.install(|| groups.into_par_iter().try_for_each(work)),
    }
}

/// The tape of a player. Its seed is hashed under the proof's key, so that equal seeds of two proofs give
/// unrelated tapes.
pub(super) fn tape(keys: &Keys, repetition: usize, player: u8, seed: &Seed) -> TapeStream {
    let mut input = [0; Shape::LABEL + Shape::SEED];
    label(&mut input, repetition, player, seed);
    let mut hash = blake3::keyed_hash(&keys.tape, &input);
    let tape = TapeStream::new(hash.as_bytes());
    hash.zeroize();
    input.zeroize();
    tape
}

/// Writes the first bytes of a row.
pub(super) fn label(row: &mut [u8], repetition: usize, player: u8, seed: &Seed) {
    // At most 219 repetitions.
    row[..4].copy_from_slice(&(repetition as u32).to_le_bytes());
    row[4] = player + 1;
    row[Shape::LABEL..Shape::LABEL + Shape::SEED].copy_from_slice(seed);
}

/// Everything that the prover holds after the first move; wiped on drop.
pub(crate) struct Committed {
    pub(super) shape: Shape,
    pub(super) protocol: Protocol,
    /// Three rows for each repetition.
    pub(super) rows: Vec<u8>,
    pub(super) first: Vec<u8>,
}

impl Drop for Committed {
    fn drop(&mut self) {
        wipe(&mut self.rows, 0);
    }
}

/// A group of repetitions at the prover.
struct Commitment<'a> {
    start: usize,
    rows: &'a mut [u8],
    first: &'a mut [u8],
    seeds: &'a [Seed],
}

impl Committed {
    /// Runs all repetitions on `witness`. `seeds` has three for each repetition.
    pub(super) fn new<R: PublicRing>(
        program: &Program<R>,
        witness: &[R],
        header: &Header,
        seeds: &[Seed],
        pool: Option<&rayon::ThreadPool>,
    ) -> Result<Self, Error> {
        let (shape, keys, repetitions) = (program.shape(), header.keys(), header.repetitions());
        if witness.len() as u64 != program.inputs() || seeds.len() != 3 * repetitions {
            return Err(Error::Parameters(format!(
                "{} values for the {} secrets of the statement",
                witness.len(),
                program.inputs()
            )));
        }
        let mut committed = Self {
            shape,
            protocol: header.protocol(),
            rows: zeros(shape.row(), 3 * repetitions)?,
            first: zeros(shape.first(), repetitions)?,
        };
        let each = repetitions.div_ceil(groups(repetitions, R::GROUP, pool));
        let rows = committed.rows.chunks_mut(3 * each * shape.row());
        let first = committed.first.chunks_mut(each * shape.first());
        let groups = rows.zip(first).zip(seeds.chunks(3 * each)).enumerate();
        let groups =
            groups.map(|(i, ((rows, first), seeds))| Commitment { start: i * each, rows, first, seeds });
        for_each(groups.collect(), pool, |group| group.run(program, witness, &keys))?;
        Ok(committed)
    }

    /// The first message.
    pub(crate) fn first(&self) -> &[u8] {
        &self.first
    }

    /// Whether the output shares of the first repetition add up to zero. All repetitions add up to the same.
    pub(super) fn claims_hold<R: PublicRing>(&self) -> bool {
        let n = self.shape.outputs;
        let mut third = vec![0; n];
        let Some((shares, expected)) =
            self.first.get(..3 * n).and_then(|shares| shares.split_at_checked(2 * n))
        else {
            return false;
        };
        R::complement(&shares[..n], &shares[n..], &mut third);
        third == expected
    }

    /// Appends the response to `challenge`, which has one trit for each repetition.
    pub(crate) fn respond(&self, challenge: &[Trit], out: &mut Vec<u8>) {
        let shape = self.shape;
        let rows = self.rows.chunks_exact(3 * shape.row()).zip(self.first.chunks_exact(shape.first()));
        for (e, (rows, first)) in challenge.iter().zip(rows) {
            let row = |player: u8| &rows[usize::from(player) * shape.row()..][..shape.row()];
            let [own, next] = e.opened().map(row);
            match self.protocol {
                Protocol::Zkboo => {
                    out.extend_from_slice(&own[Shape::LABEL..]);
                    out.extend_from_slice(&next[Shape::LABEL..]);
                }
                Protocol::Zkbpp => {
                    let commitment = 3 * shape.outputs + 32 * usize::from(e.closed());
                    out.extend_from_slice(&first[commitment..commitment + 32]);
                    out.extend_from_slice(&own[Shape::LABEL..shape.inputs_at()]);
                    out.extend_from_slice(&next[Shape::LABEL..shape.inputs_at()]);
                    if e.opens_third() {
                        out.extend_from_slice(&row(2)[shape.inputs_at()..shape.view_at()]);
                    }
                    out.extend_from_slice(&next[shape.view_at()..]);
                }
            }
        }
    }
}

impl Commitment<'_> {
    fn run<R: PublicRing>(self, program: &Program<R>, witness: &[R], keys: &Keys) -> Result<(), Error> {
        let shape = program.shape();
        let tapes: Vec<TapeStream> = self
            .rows
            .chunks_exact_mut(shape.row())
            .zip(self.seeds)
            .enumerate()
            .map(|(i, (row, seed))| {
                let (repetition, player) = (self.start + i / 3, (i % 3) as u8);
                label(row, repetition, player, seed);
                tape(keys, repetition, player, seed)
            })
            .collect();
        let (rows, first) = (self.rows, self.first);
        R::simulate(Simulation { program, witness, tapes: &tapes, rows, first });
        let mut commitments = vec![[0; 32]; self.seeds.len()];
        volery_vole::keyed_hash_rows(&keys.commitment, rows, shape.row(), &mut commitments);
        for (first, commitments) in first.chunks_exact_mut(shape.first()).zip(commitments.chunks_exact(3)) {
            first[3 * shape.outputs..].copy_from_slice(commitments.as_flattened());
        }
        Ok(())
    }
}

/// Zeros for `count` parts of `each` bytes, if they can be allocated.
fn zeros(each: usize, count: usize) -> Result<Vec<u8>, Error> {
    let too_long = || Error::Parameters("the statement is too large for a public proof in memory".into());
    let length = each.checked_mul(count).ok_or_else(too_long)?;
    let mut zeros = Vec::new();
    zeros.try_reserve_exact(length).map_err(|_| too_long())?;
    zeros.resize(length, 0);
    Ok(zeros)
}

/// The ranges of the responses to each challenge, and the length of all of them.
fn layout(protocol: Protocol, shape: Shape, challenge: &[Trit]) -> (Vec<Range<usize>>, usize) {
    let mut end = 0_usize;
    let ranges = challenge.iter().map(|e| {
        let length = match protocol {
            Protocol::Zkboo => (shape.row() - Shape::LABEL).saturating_mul(2),
            Protocol::Zkbpp => {
                let third = if e.opens_third() { shape.inputs } else { 0 };
                (32 + 2 * Shape::SEED).saturating_add(third).saturating_add(shape.view)
            }
        };
        let start = end;
        end = end.saturating_add(length);
        start..end
    });
    let ranges = ranges.collect();
    (ranges, end)
}

/// The length of the response to `challenge`, in bytes.
pub(crate) fn response_bytes(protocol: Protocol, shape: Shape, challenge: &[Trit]) -> usize {
    layout(protocol, shape, challenge).1
}

/// The parts of a response in one repetition.
struct Response<'a> {
    /// The closed player's commitment, if the first message is not available.
    commitment: Option<[u8; 32]>,
    seeds: [Seed; 2],
    /// Player 3's input share, if opened.
    third: Option<&'a [u8]>,
    /// The second opened player's view.
    view: &'a [u8],
    /// The opened rows from their seeds on, if the response contains them in full.
    whole: Option<[&'a [u8]; 2]>,
}

impl<'a> Response<'a> {
    /// Splits bytes of the length that [`layout`] gives.
    fn new(protocol: Protocol, shape: Shape, e: Trit, bytes: &'a [u8]) -> Option<Self> {
        match protocol {
            Protocol::Zkboo => {
                let whole = bytes.split_at_checked(shape.row() - Shape::LABEL)?;
                let whole = [whole.0, whole.1];
                let share = |row: &'a [u8]| row.get(Shape::SEED..Shape::SEED + shape.inputs);
                let third = e.opened().into_iter().zip(whole).find(|(player, _)| *player == 2);
                Some(Self {
                    commitment: None,
                    seeds: [*whole[0].first_chunk()?, *whole[1].first_chunk()?],
                    third: match third {
                        Some((_, row)) => Some(share(row)?),
                        None => None,
                    },
                    view: whole[1].get(Shape::SEED + shape.inputs..)?,
                    whole: Some(whole),
                })
            }
            Protocol::Zkbpp => {
                let (commitment, rest) = bytes.split_first_chunk()?;
                let (own, rest) = rest.split_first_chunk()?;
                let (next, rest) = rest.split_first_chunk()?;
                let (third, view) = rest.split_at_checked(if e.opens_third() { shape.inputs } else { 0 })?;
                Some(Self {
                    commitment: Some(*commitment),
                    seeds: [*own, *next],
                    third: e.opens_third().then_some(third),
                    view,
                    whole: None,
                })
            }
        }
    }
}

/// Checks a response, and returns the first message that it belongs to.
///
/// If `first` is given, it must be that message. Otherwise the result is the message that a correct response
/// implies, and the caller compares its digest.
pub(crate) fn check<R: PublicRing>(
    program: &Program<R>,
    header: &Header,
    challenge: &[Trit],
    first: Option<&[u8]>,
    response: &[u8],
    pool: Option<&rayon::ThreadPool>,
) -> Result<Vec<u8>, Error> {
    let (shape, keys, repetitions) = (program.shape(), header.keys(), challenge.len());
    let (ranges, length) = layout(header.protocol(), shape, challenge);
    if response.len() != length || first.is_some_and(|first| first.len() != shape.first() * repetitions) {
        return Err(Error::Internal("the length of a response was not checked"));
    }
    let mut implied = zeros(shape.first(), repetitions)?;
    let each = repetitions.div_ceil(groups(repetitions, R::GROUP, pool));
    let parts = implied.chunks_mut(each * shape.first()).zip(challenge.chunks(each)).zip(ranges.chunks(each));
    let parts = parts.enumerate().map(|(i, ((implied, challenge), ranges))| {
        let start = i * each;
        let first = first.and_then(|first| first.get(start * shape.first()..)?.get(..implied.len()));
        Check { start, protocol: header.protocol(), challenge, ranges, response, first, implied }
    });
    for_each(parts.collect(), pool, |part| part.run(program, &keys))?;
    Ok(implied)
}

/// A group of repetitions at the verifier.
struct Check<'a> {
    start: usize,
    protocol: Protocol,
    challenge: &'a [Trit],
    ranges: &'a [Range<usize>],
    response: &'a [u8],
    first: Option<&'a [u8]>,
    implied: &'a mut [u8],
}

impl<'a> Check<'a> {
    fn run<R: PublicRing>(self, program: &Program<R>, keys: &Keys) -> Result<(), Error> {
        let shape = program.shape();
        let responses = self.responses::<R>(program)?;
        let mut rows = zeros(shape.row(), 2 * self.challenge.len())?;
        let mut tapes = Vec::with_capacity(2 * self.challenge.len());
        for (i, (rows, (e, response))) in
            rows.chunks_exact_mut(2 * shape.row()).zip(self.challenge.iter().zip(&responses)).enumerate()
        {
            let (own, next) = rows.split_at_mut(shape.row());
            next[shape.view_at()..].copy_from_slice(response.view);
            for ((player, row), seed) in e.opened().into_iter().zip([own, next]).zip(&response.seeds) {
                label(row, self.start + i, player, seed);
                tapes.push(tape(keys, self.start + i, player, seed));
                if let Some(share) = response.third.filter(|_| player == 2) {
                    row[shape.inputs_at()..shape.view_at()].copy_from_slice(share);
                }
            }
        }
        let mut outputs = zeros(shape.outputs, 2 * self.challenge.len())?;
        let challenge = self.challenge;
        R::recompute(Recomputation {
            program,
            challenge,
            tapes: &tapes,
            rows: &mut rows,
            outputs: &mut outputs,
        });
        let mut commitments = vec![[0; 32]; 2 * challenge.len()];
        volery_vole::keyed_hash_rows(&keys.commitment, &rows, shape.row(), &mut commitments);
        for (i, response) in responses.iter().enumerate() {
            let rows = &rows[2 * i * shape.row()..][..2 * shape.row()];
            compare_rows(shape, response, rows)
                .map_err(|reason| Error::repetition(self.start + i, reason))?;
            let outputs = &outputs[2 * i * shape.outputs..][..2 * shape.outputs];
            let commitments = [commitments[2 * i], commitments[2 * i + 1]];
            let implied = &mut self.implied[i * shape.first()..][..shape.first()];
            let closed = imply::<R>(shape, challenge[i], outputs, commitments, implied);
            let Some(first) = self.first.and_then(|first| first.get(i * shape.first()..)) else {
                implied[closed..closed + 32].copy_from_slice(&response.commitment.unwrap_or_default());
                continue;
            };
            let first = &first[..shape.first()];
            implied[closed..closed + 32].copy_from_slice(&first[closed..closed + 32]);
            compare_first(shape, challenge[i], first, implied)
                .map_err(|reason| Error::repetition(self.start + i, reason))?;
        }
        Ok(())
    }

    /// The parts of all responses, after a check that all packed elements are canonical.
    fn responses<R: PublicRing>(&self, program: &Program<R>) -> Result<Vec<Response<'a>>, Error> {
        let shape = program.shape();
        let parts = self.challenge.iter().zip(self.ranges).enumerate();
        let parts = parts.map(|(i, (e, range))| {
            let bytes: Option<&'a [u8]> = self.response.get(range.clone());
            let response = bytes.and_then(|bytes| Response::new(self.protocol, shape, *e, bytes));
            let response = response.ok_or(Error::Internal("the length of a response was not checked"))?;
            let canonical = |what: &str, bytes: &[u8], n: u64| match R::not_canonical(bytes, n as usize) {
                None => Ok(()),
                Some(index) => {
                    let reason = format!("{what} is not encoded canonically at element {index}");
                    Err(Error::repetition(self.start + i, reason))
                }
            };
            canonical("a view", response.view, program.multiplications())?;
            canonical("an input share", response.third.unwrap_or_default(), program.inputs())?;
            Ok(response)
        });
        parts.collect()
    }
}

/// Writes output shares and commitments of the opened players into the first message, and the output share
/// that the closed player must have. Returns the place of the closed player's commitment.
fn imply<R: PublicRing>(
    shape: Shape,
    e: Trit,
    outputs: &[u8],
    commitments: [[u8; 32]; 2],
    implied: &mut [u8],
) -> usize {
    let (shares, hashes) = implied.split_at_mut(3 * shape.outputs);
    let (own, next) = outputs.split_at(shape.outputs);
    for ((player, share), commitment) in e.opened().into_iter().zip([own, next]).zip(commitments) {
        let player = usize::from(player);
        shares[player * shape.outputs..][..shape.outputs].copy_from_slice(share);
        hashes[32 * player..][..32].copy_from_slice(&commitment);
    }
    let closed = usize::from(e.closed());
    R::complement(own, next, &mut shares[closed * shape.outputs..][..shape.outputs]);
    3 * shape.outputs + 32 * closed
}

/// Compares the rows of a response with those computed.
fn compare_rows(shape: Shape, response: &Response<'_>, rows: &[u8]) -> Result<(), String> {
    let Some(given) = response.whole else { return Ok(()) };
    for (which, (given, row)) in
        ["first", "second"].into_iter().zip(given.iter().zip(rows.chunks_exact(shape.row())))
    {
        let computed = &row[Shape::LABEL..];
        if *given == computed {
            continue;
        }
        let at = given.iter().zip(computed).position(|(a, b)| a != b).unwrap_or_default();
        let part = if at < Shape::SEED + shape.inputs { "input share" } else { "view" };
        return Err(format!(
            "the {which} opened player's {part} is not what its tape and the other's view give"
        ));
    }
    Ok(())
}

/// Compares the first message of a repetition with the one that the response implies.
fn compare_first(shape: Shape, e: Trit, given: &[u8], implied: &[u8]) -> Result<(), String> {
    let [own, next] = e.opened();
    let parts = |message: &'_ [u8], player: u8| {
        let player = usize::from(player);
        let share = message[player * shape.outputs..][..shape.outputs].to_vec();
        (share, message[3 * shape.outputs + 32 * player..][..32].to_vec())
    };
    for player in [own, next] {
        let (given, implied) = (parts(given, player), parts(implied, player));
        if given.0 != implied.0 {
            return Err(format!("the output share of player {} is not what its view gives", player + 1));
        }
        if given.1 != implied.1 {
            return Err(format!("the commitment of player {} does not open", player + 1));
        }
    }
    if parts(given, e.closed()).0 != parts(implied, e.closed()).0 {
        return Err("the output shares do not add up to zero: the claim is false".into());
    }
    Ok(())
}
