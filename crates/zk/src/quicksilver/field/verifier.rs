//! The verifier over a field: holds a key for each value, and checks one opening for each block.

mod operations;
mod relations;

use std::collections::VecDeque;

use volery_channel::{ChannelExt as _, Latch, Tag, tags};
use volery_circuit::challenge::{OpenArguments, Seeds};
use volery_circuit::{Error as StatementError, Ops as _, PendingChallenge, Statement, Tested};
use volery_field::{Mac, Value};
use volery_vole::correlations::Pool;
use volery_vole::subfield::{FieldDelta, vope};
use zeroize::{Zeroize, Zeroizing};

use super::super::challenges::Challenges;
use super::super::fixed::Powers;
use super::super::relations::{QuadraticSum, Relations};
use super::super::{Tally, assertions::Assertions};
use super::elements::ElementReader;
use super::{Alone, Link, Settings};
use crate::Error;

/// The backend that verifies over `F` with MACs in `M`.
///
/// Make one for each proof, run the statement on it, then call [`Verifier::finish`]; or call
/// [`Verifier::verify`]. Only `Ok` from these means that the proof holds.
pub struct Verifier<'a, F: Value, M: Mac<F>, L: Link = Alone<'a>> {
    pub(in super::super) link: L,
    pool: &'a mut Pool<M>,
    challenges: Challenges<'a>,
    delta: FieldDelta<M>,
    elements: ElementReader<F>,
    relations: Relations<M>,
    /// Room for the keys of some products that are added to others; wiped in the end.
    products: Zeroizing<Vec<M>>,
    /// The seed of the block and the sum of its relations of degree 2, if V knows the seed from the start.
    drawn: Option<([u8; SEED], QuadraticSum<M>)>,
    /// The number of commitments and relations that still fit in the block.
    left: usize,
    interval: usize,
    /// Blocks whose openings have not come, oldest first.
    pending: VecDeque<Block<M>>,
    /// Seeds of challenges that P has asked for, and the number of blocks before each.
    seeds: Seeds<([u8; SEED], u64)>,
    assertions: Assertions,
    tally: Tally,
    powers: Powers<M>,
    arguments: OpenArguments,
    /// A backend that has failed stays failed, even if its statement ignores the error.
    failed: Latch<Error>,
}

/// What the opening of a block must match.
struct Block<M: Zeroize> {
    /// The sum of all relations, and the VOPE.
    value: Zeroizing<M>,
    /// The number of coefficients that P opens.
    degree: usize,
    tally: Tally,
}

/// The number of blocks whose openings P may still owe when the next block is complete.
const IN_FLIGHT: usize = 1;

/// Bytes of a seed.
const SEED: usize = 16;

/// The number of relations of degree 2 that are gathered before they are added up.
const WAITING: usize = 1 << 10;

impl<'a, F: Value, M: Mac<F>, L: Link> Verifier<'a, F, M, L> {
    /// A verifier over `link`, a channel of its own ([`Alone`]) or a part about bits, whose keys under
    /// `delta` come from `pool`. The caller has to make sure that both parties agree on everything else.
    pub fn new(
        settings: Settings,
        challenges: Challenges<'a>,
        delta: &FieldDelta<M>,
        pool: &'a mut Pool<M>,
        link: L,
    ) -> Self {
        let mut verifier = Self {
            link,
            pool,
            challenges,
            delta: delta.duplicate(),
            elements: ElementReader::new(),
            relations: Relations::new(),
            products: Zeroizing::default(),
            drawn: None,
            left: settings.interval.max(1),
            interval: settings.interval.max(1),
            pending: VecDeque::new(),
            seeds: Seeds::default(),
            assertions: Assertions::new(),
            tally: Tally::default(),
            powers: Powers::new(delta.expose()),
            arguments: OpenArguments::default(),
            failed: Latch::new(),
        };
        if verifier.powers.inverse.is_zero() {
            // A relation at 1 / delta would say nothing.
            let reason = "the verifier's key is zero, which almost never happens; start a new session";
            verifier.failed.fail(StatementError::misuse(reason).into());
        }
        verifier.draw();
        verifier
    }

    /// Runs `statement` and verifies P's proof of it. Returns its counts.
    ///
    /// # Errors
    /// [`Error::Rejected`] if the proof is wrong; otherwise any error that ended the session. Neither means
    /// that the statement is false; only `Ok` means that P has proved it.
    pub fn verify(mut self, statement: &(impl Statement<Self> + ?Sized)) -> Result<Tally, Error> {
        statement.run(&mut self)?;
        self.finish()
    }

    /// Checks everything that was run. [`super::super::verdict`] tells P the result.
    ///
    /// # Errors
    /// As [`Verifier::verify`].
    pub fn finish(self) -> Result<Tally, Error> {
        self.finish_link().map(|(tally, _)| tally)
    }

    /// As [`Verifier::finish`], and returns the link for the rest of a mixed proof.
    pub(in super::super) fn finish_link(mut self) -> Result<(Tally, L), Error> {
        self.failed.check()?;
        self.arguments.check()?;
        self.seeds.finish()?;
        self.close()?;
        self.check_until(IN_FLIGHT)?;
        let theirs: [u8; 32] = self.link.channel().recv_array(tags::ELEMENTS_ASSERTIONS)?;
        self.challenges.absorb(tags::ELEMENTS_ASSERTIONS, &theirs);
        let zero = self.assertions.finish() == theirs;
        self.check_until(0)?;
        if !zero {
            return Err(Error::Rejected { reason: "a wire that must be zero is not".into() });
        }
        // A P that cheats in a check of the generator knows delta once V has answered.
        self.pool.settle(self.link.channel())?;
        self.tally.transcript = self.challenges.digest();
        Ok((self.tally, self.link))
    }

    /// If V draws a seed in advance and keeps it until the block is complete, it can add up relations as they
    /// come. A Fiat-Shamir seed is only known at the end of the block.
    fn draw(&mut self) {
        self.drawn = self.challenges.draw().map(|seed| (seed, QuadraticSum::new(seed, M::inner_product)));
    }

    fn misuse<T>(&mut self, reason: String) -> Result<T, Error> {
        self.failed.latch(Err(StatementError::misuse(reason).into()))
    }

    /// The number of `wanted` commitments, each with `places - 1` relations, that can be taken without
    /// looking at anything else; none at the end of a block. Anything that must come first (a new block, a
    /// refill, a message) is done here.
    #[inline(always)]
    fn at_once(&mut self, wanted: usize, places: usize) -> Result<usize, Error> {
        if self.left == 0 {
            self.end_block()?;
        }
        if self.left < places {
            return Ok(0);
        }
        while self.pool.at_hand().is_empty() {
            self.refill()?;
        }
        while self.elements.at_hand().is_empty() {
            self.receive()?;
        }
        let n = wanted.min(self.until_absorbed()).min(self.left / places);
        Ok(n.min(self.pool.at_hand().len()).min(self.elements.at_hand().len()))
    }

    /// Appends the keys of the next `n` commitments, as [`Verifier::at_once`] allowed for one place each.
    #[inline(always)]
    fn commit_at_once(&mut self, n: usize, out: &mut Vec<M>) {
        let delta = self.delta.expose();
        let keys = self.pool.at_hand()[..n].iter().zip(self.elements.at_hand());
        out.extend(keys.map(|(key, masked)| *key + delta.scale(*masked)));
        self.pool.advance(n);
        self.elements.advance(n);
        self.left -= n;
    }

    /// The number of relations up to where they are added up. Many at once go only so far, so that
    /// coefficients come in whole blocks.
    #[inline(always)]
    fn until_absorbed(&self) -> usize {
        WAITING - self.relations.waiting() % WAITING
    }

    /// The number of `wanted` relations that can be made at once, at least one. A full block is ended first.
    #[inline(always)]
    fn relations_at_once(&mut self, wanted: usize) -> Result<usize, Error> {
        if self.left == 0 {
            self.end_block()?;
        }
        Ok(wanted.min(self.until_absorbed()).min(self.left))
    }

    /// Adds the relations of as many claimed products as [`Verifier::relations_at_once`] returned.
    fn relate_at_once(&mut self, keys: [&[M]; 3]) -> Result<(), Error> {
        let n = keys[0].len();
        let related = M::relate_verifier(keys, self.delta.expose(), self.relations.places_of_values(n));
        self.failed.latch(related.map_err(|error| StatementError::misuse(error.to_string()).into()))?;
        self.left -= n;
        self.absorb_if_many()?;
        (0..n).for_each(|_| self.tally.claim(2));
        Ok(())
    }

    /// Multiplies some wires, at least one. The products go to the first places of `out`. None of the slices
    /// is empty, and `y` is as long as `x`. Returns how many.
    #[inline(always)]
    fn multiply_some(&mut self, x: &[M], y: &[M], out: &mut [M]) -> Result<usize, Error> {
        let n = self.at_once(x.len().min(out.len()), 2)?;
        if n == 0 {
            out[0] = self.mul(&x[0], &y[0])?;
            return Ok(1);
        }
        self.multiply_at_once(&x[..n], &y[..n], &mut out[..n])?;
        self.absorb_if_many()?;
        self.tally.multiplications += n as u64;
        Ok(n)
    }

    /// Multiplies as many wires as [`Verifier::at_once`] returned for two places each. The products go to
    /// `out`, the relations' values to the others.
    #[inline(always)]
    fn multiply_at_once(&mut self, x: &[M], y: &[M], out: &mut [M]) -> Result<(), Error> {
        let n = x.len();
        let random = self.pool.at_hand().get(..n).unwrap_or_default();
        let masked = self.elements.at_hand().get(..n).unwrap_or_default();
        let (delta, values) = (self.delta.expose(), self.relations.places_of_values(n));
        let multiplied = M::multiply_verifier([x, y, random], masked, delta, out, values);
        let multiplied = multiplied.map_err(|error| StatementError::misuse(error.to_string()).into());
        self.failed.latch(multiplied)?;
        self.pool.advance(n);
        self.elements.advance(n);
        self.left -= 2 * n;
        Ok(())
    }

    /// The key of P's next commitment.
    #[inline(always)]
    fn commit(&mut self) -> Result<M, Error> {
        self.room()?;
        let key = loop {
            match self.pool.at_hand().first() {
                Some(key) => break *key,
                None => self.refill()?,
            }
        };
        self.pool.advance(1);
        let masked = loop {
            match self.elements.next() {
                Some(masked) => break masked,
                None => self.receive()?,
            }
        };
        Ok(key + self.delta.expose().scale(masked))
    }

    /// Counts a commitment or a relation. Ends the block first if it is full.
    #[inline(always)]
    fn room(&mut self) -> Result<(), Error> {
        if self.left == 0 {
            self.end_block()?;
        }
        self.left -= 1;
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn end_block(&mut self) -> Result<(), Error> {
        self.failed.check()?;
        let result = self.close().and_then(|()| self.check_until(IN_FLIGHT));
        self.failed.latch(result)
    }

    #[cold]
    #[inline(never)]
    fn refill(&mut self) -> Result<(), Error> {
        self.failed.check()?;
        let mut result = Ok(());
        if self.pool.may_wait() {
            // P has sent everything that it held back.
            result = self.link.pause();
        }
        let result = result.and_then(|()| Ok(self.pool.refill(self.link.channel())?));
        self.failed.latch(result)
    }

    #[cold]
    #[inline(never)]
    fn receive(&mut self) -> Result<(), Error> {
        self.failed.check()?;
        let result = self.elements.receive(&mut self.challenges, self.link.channel());
        self.failed.latch(result)
    }

    /// Adds a relation of degree 2 with the value `value`.
    #[inline(always)]
    fn quadratic(&mut self, value: M) -> Result<(), Error> {
        self.room()?;
        self.relations.push_value(value);
        self.absorb_if_many()
    }

    /// Adds up the relations if there are enough.
    #[inline(always)]
    fn absorb_if_many(&mut self) -> Result<(), Error> {
        if self.relations.waiting() >= WAITING { self.absorb() } else { Ok(()) }
    }

    #[cold]
    #[inline(never)]
    fn absorb(&mut self) -> Result<(), Error> {
        let Some((_, sum)) = &mut self.drawn else { return Ok(()) };
        let result = sum.absorb(&mut self.relations);
        self.failed.latch(result)
    }

    /// Ends a block and sends its seed to P.
    fn close(&mut self) -> Result<(), Error> {
        self.elements.finish()?;
        self.link.pause()?;
        let mut relations = std::mem::replace(&mut self.relations, Relations::new());
        let degree = relations.degree();
        let mut random = Zeroizing::new(vec![M::ZERO; vope::correlations::<F, M>(degree - 1)]);
        self.pool.fill(self.link.channel(), &mut random)?;
        let (seed, mut sum) = match (self.drawn.take(), self.challenges.hash(self.pool, self.link.channel())?)
        {
            (Some(drawn), None) => drawn,
            (None, Some(seed)) => (seed, QuadraticSum::new(seed, M::inner_product)),
            _ => return Err(StatementError::misuse("a block ends without a seed").into()),
        };
        sum.absorb(&mut relations)?;
        let value = sum.finish(&relations, seed, self.delta.expose())?;
        let value = Zeroizing::new(value + vope::verifier::<F, M>(degree - 1, &random)?);
        self.tally.blocks += 1;
        self.pending.push_back(Block { value, degree, tally: self.tally });
        self.left = self.interval;
        if self.interactive() {
            self.link.channel().send(tags::ELEMENTS_CHALLENGE, &seed)?;
            self.link.channel().flush()?;
        } else {
            // Later seeds are hashes that include the opening.
            self.check_until(0)?;
        }
        self.draw();
        Ok(())
    }

    fn interactive(&self) -> bool {
        self.challenges.are_chosen()
    }

    /// Checks openings until only `most` blocks wait for theirs.
    fn check_until(&mut self, most: usize) -> Result<(), Error> {
        while self.pending.len() > most {
            self.check_oldest()?;
        }
        Ok(())
    }

    /// Receives and checks the opening of the oldest pending block.
    fn check_oldest(&mut self) -> Result<(), Error> {
        let Some(block) = self.pending.pop_front() else { return Ok(()) };
        let mut opening = vec![0; block.degree * M::BYTES + Tally::BYTES];
        self.link.channel().recv_exact(tags::ELEMENTS_OPENING, &mut opening)?;
        self.challenges.absorb(tags::ELEMENTS_OPENING, &opening);
        let (coefficients, tally) = opening.split_at(block.degree * M::BYTES);
        block.tally.compare(tally)?;
        let mut value = M::ZERO;
        for bytes in coefficients.chunks_exact(M::BYTES).rev() {
            let coefficient = M::decode(bytes).map_err(|error| Error::Malformed {
                step: tags::ELEMENTS_OPENING,
                reason: error.to_string(),
            })?;
            value = value * self.delta.expose() + coefficient;
        }
        if *block.value != value {
            return Err(Error::Rejected { reason: "a product or another polynomial is wrong".into() });
        }
        Ok(())
    }

    /// Counts a check of conversions between bits and elements.
    pub(in super::super) fn count_conversions(&mut self) {
        self.tally.conversions += 1;
    }

    /// Counts a disjunction that is claimed to hold.
    pub(crate) fn count_disjunction(&mut self, claims: bool, branches: usize, challenges: u64) {
        self.tally.disjunction(claims, branches, challenges);
    }

    /// A challenge that depends on everything committed so far; see the prover's.
    pub(crate) fn challenge(&mut self) -> Result<[u8; SEED], Error> {
        self.failed.check()?;
        let result = self.try_challenge();
        self.failed.latch(result)
    }

    fn try_challenge(&mut self) -> Result<[u8; SEED], Error> {
        self.close()?;
        let seed = self.draw_challenge()?;
        // This includes the current block: P opens all of them and goes on.
        self.check_until(0)?;
        Ok(seed)
    }

    /// Draws a challenge after all that P has sent, and sends it.
    fn draw_challenge(&mut self) -> Result<[u8; SEED], Error> {
        if let Some(seed) = self.challenges.draw() {
            self.link.channel().send(tags::ELEMENTS_CHALLENGE, &seed)?;
            self.link.channel().flush()?;
            return Ok(seed);
        }
        if let Some(digest) = self.link.digest()? {
            self.challenges.absorb(tags::MASKS, &digest);
        }
        let seed = self.challenges.hash(self.pool, self.link.channel())?;
        seed.ok_or_else(|| StatementError::misuse("no challenge").into())
    }

    /// Draws the challenge that P asks for, and goes on.
    fn ask_for(&mut self, tested: Tested) -> Result<PendingChallenge, Error> {
        self.tally.challenge(tested);
        self.close()?;
        let seed = self.draw_challenge()?;
        self.check_until(IN_FLIGHT)?;
        self.seeds.put((seed, self.tally.blocks));
        Ok(self.seeds.ask())
    }

    /// The seed of a challenge that was asked for. P opens the blocks before it, after all elements so far.
    fn taken(&mut self, pending: &PendingChallenge) -> Result<[u8; SEED], Error> {
        let (seed, before) = self.seeds.take(pending)?;
        self.elements.finish()?;
        self.link.pause()?;
        while self.pending.front().is_some_and(|block| block.tally.blocks <= before) {
            self.check_oldest()?;
        }
        Ok(seed)
    }

    /// The keys of the next random correlations.
    pub(crate) fn random(&mut self, out: &mut [M]) -> Result<(), Error> {
        self.failed.check()?;
        let mut done = self.pool.take(out);
        while done < out.len() {
            // Either party may wait for what the other one holds back.
            self.refill()?;
            done += self.pool.take(&mut out[done..]);
        }
        Ok(())
    }

    /// V's key.
    pub(crate) fn delta(&self) -> M {
        self.delta.expose()
    }

    /// Ends this proof after a failure of a protocol on top.
    pub(crate) fn fail<T>(&mut self, error: Error) -> Result<T, Error> {
        self.failed.latch(Err(error))
    }

    /// Receives a message of a protocol on top.
    pub(crate) fn receive_message(&mut self, tag: Tag, out: &mut [u8]) -> Result<(), Error> {
        self.failed.check()?;
        let result = self.link.channel().recv_exact(tag, out).map_err(Error::from);
        self.failed.latch(result)?;
        self.challenges.absorb(tag, out);
        Ok(())
    }
}
