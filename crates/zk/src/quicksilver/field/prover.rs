//! The prover over a field: commits to each value, and opens one combination of relations for each block.

mod operations;
mod relations;

pub(super) use relations::KERNEL;

use std::collections::VecDeque;

use volery_channel::{ChannelExt as _, Latch, Tag, tags};
use volery_circuit::challenge::{OpenArguments, Seeds};
use volery_circuit::{Error as StatementError, Ops as _, PendingChallenge, Place, Statement, Tested};
use volery_field::{Authenticated, Mac, Value};
use volery_vole::correlations::Pool;
use volery_vole::subfield::vope;
use zeroize::{Zeroize, Zeroizing};

use super::super::challenges::Challenges;
use super::super::relations::{Relations, combine_coefficients};
use super::super::{Tally, assertions::Assertions};
use super::elements::ElementWriter;
use super::{AT_ONCE, Alone, Link, Settings};
use crate::Error;

/// The backend that proves over `F` with MACs in `M`.
///
/// Make one for each proof, run the statement on it, then call [`Prover::finish`]; or call [`Prover::prove`].
pub struct Prover<'a, F: Value, M: Mac<F>, L: Link = Alone<'a>> {
    pub(in super::super) link: L,
    pool: &'a mut Pool<Authenticated<F, M>>,
    challenges: Challenges<'a>,
    elements: ElementWriter<F>,
    relations: Relations<M>,
    /// Room for some products that are added to other wires; wiped in the end.
    products: Zeroizing<Vec<Authenticated<F, M>>>,
    /// Room for a block's relations; two buffers alternate.
    spare: Option<Relations<M>>,
    /// Full frames of elements since the last [`FRAMES`].
    unflushed: usize,
    /// The number of commitments and relations that still fit in the block.
    left: usize,
    interval: usize,
    /// Blocks and challenges whose seeds have not come, oldest first.
    pending: VecDeque<Pending<M>>,
    /// Seeds of challenges that were asked for.
    seeds: Seeds<[u8; SEED]>,
    assertions: Assertions,
    place: Place,
    tally: Tally,
    /// Whether this is a rehearsal: there are no values, and no claim is checked.
    blank: bool,
    arguments: OpenArguments,
    failed: Latch<Error>,
}

/// What waits for a seed.
#[expect(clippy::large_enum_variant, reason = "two or three wait at a time")]
enum Pending<M: Copy + Default + Zeroize> {
    /// A block that was sent.
    Block(Block<M>),
    /// A challenge that was asked for.
    Challenge,
}

/// A block that waits for its coefficients.
struct Block<M: Copy + Default + Zeroize> {
    relations: Relations<M>,
    /// The coefficients of the VOPE.
    mask: Zeroizing<Vec<M>>,
    tally: Tally,
}

/// Full frames that go out together: a call of the system for each took a tenth of P's time, and of many V
/// would get none while it could be at work.
const FRAMES: usize = 4;

/// Bytes of a seed.
const SEED: usize = 16;

/// The number of blocks whose seeds P may be waiting for while it fills the next one.
const IN_FLIGHT: usize = 1;

impl<'a, F: Value, M: Mac<F>, L: Link> Prover<'a, F, M, L> {
    /// A prover over `link`, a channel of its own ([`Alone`]) or a part about bits, that takes its
    /// correlations from `pool`. The caller has to make sure that both parties agree on everything else.
    pub fn new(
        settings: Settings,
        challenges: Challenges<'a>,
        pool: &'a mut Pool<Authenticated<F, M>>,
        link: L,
    ) -> Self {
        Self {
            blank: pool.is_blank(),
            link,
            pool,
            challenges,
            elements: ElementWriter::new(),
            relations: Relations::new(),
            products: Zeroizing::default(),
            spare: None,
            unflushed: 0,
            left: settings.interval.max(1),
            interval: settings.interval.max(1),
            pending: VecDeque::new(),
            seeds: Seeds::default(),
            assertions: Assertions::new(),
            place: Place::default(),
            tally: Tally::default(),
            arguments: OpenArguments::default(),
            failed: Latch::new(),
        }
    }

    /// Runs `statement` and proves it. Returns its counts.
    ///
    /// # Errors
    /// [`Error::Statement`] if the witness does not satisfy it; otherwise any error that ended the session.
    pub fn prove(mut self, statement: &(impl Statement<Self> + ?Sized)) -> Result<Tally, Error> {
        statement.run(&mut self)?;
        self.finish()
    }

    /// Proves everything that was run. [`super::super::verdict`] handles V's answer.
    ///
    /// # Errors
    /// As [`Prover::prove`].
    pub fn finish(self) -> Result<Tally, Error> {
        self.finish_link().map(|(tally, _)| tally)
    }

    /// As [`Prover::finish`], and returns the link for the rest of a mixed proof.
    pub(in super::super) fn finish_link(mut self) -> Result<(Tally, L), Error> {
        self.try_finish().map_err(Error::at_prover)?;
        self.tally.transcript = self.challenges.digest();
        Ok((self.tally, self.link))
    }

    fn try_finish(&mut self) -> Result<(), Error> {
        self.failed.check()?;
        self.arguments.check()?;
        self.seeds.finish()?;
        self.close()?;
        let hash = self.assertions.finish();
        self.challenges.send(self.link.channel(), tags::ELEMENTS_ASSERTIONS, &hash)?;
        self.open_all()?;
        self.link.channel().flush()?;
        // V may have answered a check of its generator, and waits for P's reply before it accepts anything.
        Ok(self.pool.settle(self.link.channel())?)
    }

    /// A backend that has failed stays failed, even if its statement ignores the error.
    fn latch<T>(&mut self, result: Result<T, Error>) -> Result<T, Error> {
        self.failed.latch(result.map_err(Error::at_prover))
    }

    /// What a hint gave, or its error.
    fn hinted<T>(&mut self, result: Result<T, StatementError>) -> Result<T, Error> {
        self.latch(result.map_err(Error::from))
    }

    fn misuse<T>(&mut self, reason: String) -> Result<T, Error> {
        self.latch(Err(StatementError::misuse(reason).into()))
    }

    /// The number of `wanted` commitments, each with `places - 1` relations, that can be made by looking only
    /// at the values; none at the end of a block. Anything that must come first (a new block, a refill) is
    /// done here.
    #[inline(always)]
    fn at_once(&mut self, wanted: usize, places: usize) -> Result<usize, Error> {
        if self.left == 0 {
            self.end_block()?;
        }
        while self.pool.at_hand().is_empty() {
            self.refill()?;
        }
        let n = wanted.min(AT_ONCE).min(self.left / places);
        Ok(n.min(self.pool.at_hand().len()).min(self.elements.room()))
    }

    /// Commits to as many of `values` as [`Prover::at_once`] returned for one place each. The wires go to
    /// `out`.
    #[inline(always)]
    fn commit_at_once(
        &mut self,
        values: impl ExactSizeIterator<Item = F>,
        out: &mut Vec<Authenticated<F, M>>,
    ) -> Result<(), Error> {
        let (n, start) = (values.len(), out.len());
        let random = self.pool.at_hand().iter();
        out.extend(values.zip(random).map(|(x, random)| Authenticated { x, m: random.m }));
        let masked = out[start..].iter().zip(self.pool.at_hand()).map(|(wire, random)| wire.x - random.x);
        let full = self.elements.extend(masked);
        self.pool.advance(n);
        self.left -= n;
        if full { self.send() } else { Ok(()) }
    }

    /// Multiplies some wires, at least one. The products go to the first places of `out`. None of the slices
    /// is empty, and `y` is as long as `x`. Returns how many.
    #[inline(always)]
    fn multiply_some(
        &mut self,
        x: &[Authenticated<F, M>],
        y: &[Authenticated<F, M>],
        out: &mut [Authenticated<F, M>],
    ) -> Result<usize, Error> {
        let n = self.at_once(x.len().min(out.len()), 2)?;
        if n == 0 {
            out[0] = self.mul(&x[0], &y[0])?;
            return Ok(1);
        }
        self.multiply_at_once(&x[..n], &y[..n], &mut out[..n])?;
        self.tally.multiplications += n as u64;
        Ok(n)
    }

    /// Multiplies as many wires as [`Prover::at_once`] returned for two places each. The products go to
    /// `out`.
    #[inline(always)]
    fn multiply_at_once(
        &mut self,
        x: &[Authenticated<F, M>],
        y: &[Authenticated<F, M>],
        out: &mut [Authenticated<F, M>],
    ) -> Result<(), Error> {
        let n = x.len();
        let random = self.pool.at_hand().get(..n).unwrap_or_default();
        let (masked, relations) = (self.elements.places(n), self.relations.places(n));
        let multiplied = M::multiply_prover(x, y, random, out, masked, relations);
        self.latch(multiplied.map_err(|error| StatementError::misuse(error.to_string()).into()))?;
        self.pool.advance(n);
        self.left -= 2 * n;
        if self.elements.is_full() { self.send() } else { Ok(()) }
    }

    /// The number of `wanted` relations that fit into the block, at least one. A full block is ended first.
    #[inline(always)]
    fn relations_at_once(&mut self, wanted: usize) -> Result<usize, Error> {
        if self.left == 0 {
            self.end_block()?;
        }
        Ok(wanted.min(AT_ONCE).min(self.left))
    }

    /// Claims as many products `z` of wires as [`Prover::relations_at_once`] returned.
    fn relate_at_once(
        &mut self,
        x: &[Authenticated<F, M>],
        y: &[Authenticated<F, M>],
        z: &[Authenticated<F, M>],
    ) -> Result<(), Error> {
        let related = M::relate_prover(x, y, z, self.relations.places(x.len()));
        let hold = self.latch(related.map_err(|error| StatementError::misuse(error.to_string()).into()))?;
        self.left -= x.len();
        for ((x, y), z) in x.iter().zip(y).zip(z) {
            if !hold {
                // The error names the first claim that is false.
                self.demand_zero(M::embed(x.x * y.x - z.x))?;
            }
            self.tally.claim(2);
        }
        Ok(())
    }

    /// Commits to `x`.
    #[inline(always)]
    fn commit(&mut self, x: F) -> Result<Authenticated<F, M>, Error> {
        self.room()?;
        let random = loop {
            match self.pool.at_hand().first() {
                Some(random) => break *random,
                None => self.refill()?,
            }
        };
        self.pool.advance(1);
        if self.elements.push(x - random.x) {
            self.send()?;
        }
        Ok(Authenticated { x, m: random.m })
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
        let result = self.close();
        self.latch(result)
    }

    #[cold]
    #[inline(never)]
    fn refill(&mut self) -> Result<(), Error> {
        self.failed.check()?;
        let mut result = Ok(());
        if self.pool.may_wait() {
            // V may need all of this before it can send what the pool waits for.
            result = self.send_all();
        }
        let result = result.and_then(|()| Ok(self.pool.refill(self.link.channel())?));
        self.latch(result)
    }

    /// Sends everything held back, also in the other part.
    fn send_all(&mut self) -> Result<(), Error> {
        self.elements.send(&mut self.challenges, self.link.channel())?;
        self.link.pause()
    }

    /// Sends the elements held back. V does not need them at a particular place.
    pub(in super::super) fn send_elements(&mut self) -> Result<(), Error> {
        let result = self.elements.send(&mut self.challenges, self.link.channel());
        self.latch(result)
    }

    #[cold]
    #[inline(never)]
    fn send(&mut self) -> Result<(), Error> {
        let mut result = self.elements.send(&mut self.challenges, self.link.channel());
        self.unflushed += 1;
        if self.unflushed == FRAMES {
            self.unflushed = 0;
            result = result.and_then(|()| Ok(self.link.channel().flush()?));
        }
        self.latch(result)
    }

    /// Ends the current block: sends its last elements and lets it wait for its seed.
    fn close(&mut self) -> Result<(), Error> {
        self.send_all()?;
        let degree = self.relations.degree() - 1;
        let mut random = Zeroizing::new(vec![Authenticated::default(); vope::correlations::<F, M>(degree)]);
        self.pool.fill(self.link.channel(), &mut random)?;
        let mask = Zeroizing::new(vope::prover(degree, &random)?);
        self.left = self.interval;
        if self.challenges.are_chosen() {
            // V sends it here, and P reads it when the next block is full.
            self.link.channel().foresee(tags::ELEMENTS_CHALLENGE, SEED);
        }
        // This comes before the block joins them, so that its successor can reuse the room of the one that
        // leaves.
        while self.pending.iter().filter(|pending| matches!(pending, Pending::Block(_))).count() >= IN_FLIGHT
        {
            self.end_oldest()?;
        }
        let empty = self.spare.take().unwrap_or_else(Relations::new);
        let relations = std::mem::replace(&mut self.relations, empty);
        self.tally.blocks += 1;
        self.pending.push_back(Pending::Block(Block { relations, mask, tally: self.tally }));
        if let Challenges::FiatShamir(_) = self.challenges {
            // The hash of everything sent so far is this block's seed.
            self.end_oldest()?;
        }
        Ok(self.link.channel().flush()?)
    }

    fn open_all(&mut self) -> Result<(), Error> {
        while !self.pending.is_empty() {
            self.end_oldest()?;
        }
        Ok(())
    }

    /// Gets the seed of what has waited longest. A block is opened.
    fn end_oldest(&mut self) -> Result<(), Error> {
        let Some(oldest) = self.pending.pop_front() else { return Ok(()) };
        let seed = self.seed()?;
        match oldest {
            Pending::Block(block) => self.open(block, seed),
            Pending::Challenge => {
                self.seeds.put(seed);
                Ok(())
            }
        }
    }

    /// Sends the opening of a block.
    fn open(&mut self, block: Block<M>, seed: [u8; SEED]) -> Result<(), Error> {
        let sum =
            Zeroizing::new(combine_coefficients(&block.relations, seed, M::inner_product, [M::ZERO; 2])?);
        let mut opening = Vec::with_capacity(sum.len() * M::BYTES + Tally::BYTES);
        for (a, mask) in sum.iter().zip(block.mask.iter()) {
            push(&mut opening, *a + *mask)?;
        }
        opening.extend_from_slice(&block.tally.encode());
        let mut relations = block.relations;
        relations.clear();
        self.spare = Some(relations);
        self.challenges.send(self.link.channel(), tags::ELEMENTS_OPENING, &opening)
    }

    /// The next seed, from the hash or from V.
    fn seed(&mut self) -> Result<[u8; SEED], Error> {
        match self.challenges.hash(self.pool, self.link.channel())? {
            Some(seed) => Ok(seed),
            None => Ok(self.link.channel().recv_array(tags::ELEMENTS_CHALLENGE)?),
        }
    }

    /// Counts a check of conversions between bits and elements.
    pub(in super::super) fn count_conversions(&mut self) {
        self.tally.conversions += 1;
    }

    /// Counts a disjunction that is claimed to hold.
    pub(crate) fn count_disjunction(&mut self, claims: bool, branches: usize, challenges: u64) {
        self.tally.disjunction(claims, branches, challenges);
    }

    /// A challenge that depends on everything committed so far: ends the block and opens all.
    pub(crate) fn challenge(&mut self) -> Result<[u8; SEED], Error> {
        self.failed.check()?;
        let result = self.close().and_then(|()| self.open_all()).and_then(|()| {
            self.link.channel().flush()?;
            self.tie()?;
            self.seed()
        });
        self.latch(result)
    }

    /// Makes the next seed depend on what the other part has sent, too.
    fn tie(&mut self) -> Result<(), Error> {
        if let Some(digest) = self.link.digest()? {
            self.challenges.absorb(tags::MASKS, &digest);
        }
        Ok(())
    }

    /// Asks for a challenge that depends on everything committed so far: ends the block and goes on.
    fn ask_for(&mut self, tested: Tested) -> Result<PendingChallenge, Error> {
        self.tally.challenge(tested);
        self.close()?;
        if self.challenges.are_chosen() {
            self.link.channel().foresee(tags::ELEMENTS_CHALLENGE, SEED);
            self.pending.push_back(Pending::Challenge);
        } else {
            self.tie()?;
            let seed = self.seed()?;
            self.seeds.put(seed);
        }
        Ok(self.seeds.ask())
    }

    /// The seed of a challenge that was asked for. Blocks before it are opened. V reads elements and openings
    /// in order, so elements that are held back go first.
    fn taken(&mut self, pending: &PendingChallenge) -> Result<[u8; SEED], Error> {
        self.seeds.check(pending)?;
        self.send_all()?;
        while !self.seeds.is_known() && !self.pending.is_empty() {
            self.end_oldest()?;
        }
        self.link.channel().flush()?;
        Ok(self.seeds.take(pending)?)
    }

    /// The next random correlations.
    pub(crate) fn random(&mut self, out: &mut [Authenticated<F, M>]) -> Result<(), Error> {
        self.failed.check()?;
        let mut done = self.pool.take(out);
        while done < out.len() {
            // Either party may wait for what the other one holds back.
            self.refill()?;
            done += self.pool.take(&mut out[done..]);
        }
        Ok(())
    }

    /// Sends a message of a protocol on top, after all elements before it.
    pub(crate) fn send_message(&mut self, tag: Tag, payload: &[u8]) -> Result<(), Error> {
        self.failed.check()?;
        let result = self.elements.send(&mut self.challenges, self.link.channel());
        let result = result.and_then(|()| self.challenges.send(self.link.channel(), tag, payload));
        self.latch(result)
    }

    /// An honest P stops at a false claim, because going on would end in a rejection. The branch only shows
    /// that the claim is false.
    #[inline(always)]
    fn demand_zero(&mut self, value: M) -> Result<(), Error> {
        if value.is_zero() { Ok(()) } else { self.unsatisfied() }
    }

    /// The error for a claim that does not hold; in a rehearsal there is none.
    #[cold]
    #[inline(never)]
    pub(crate) fn unsatisfied(&mut self) -> Result<(), Error> {
        if self.blank {
            return Ok(());
        }
        let place = self.place.or("the statement").to_owned();
        let assertion = self.tally.assertions + self.tally.polynomials;
        self.latch(Err(StatementError::Unsatisfied { assertion, place }.into()))
    }
}

/// Appends the encoding of `x`.
pub(super) fn push<E: volery_field::Element>(out: &mut Vec<u8>, x: E) -> Result<(), Error> {
    let start = out.len();
    out.resize(start + E::BYTES, 0);
    x.encode(&mut out[start..]).map_err(|error| StatementError::misuse(error.to_string()).into())
}
