//! The prover over bits: commits to each bit, and opens one combination of relations for each block.

use std::collections::VecDeque;

use volery_channel::{Channel, ChannelExt as _, Latch, Tag, tags};
use volery_circuit::{Backend, Hint, Ops, Peek, Place, Polynomials, Prove, Statement};
use volery_field::{F2, Gf128, gf128::Kernel};
use volery_vole::correlations::Pool;
use zeroize::{Zeroize, Zeroizing};

use super::super::Tally;
use super::super::assertions::Assertions;
use super::super::challenges::{CHUNK, Challenges, Seed};
use super::super::poly::ProverPoly;
use super::super::relations::{Relations, RunningSums, combine_coefficients};
use super::Settings;
use super::claims::{self, Claims};
use super::constants::{Constants, Use};
use super::masks::MaskWriter;
use super::s_box::{self, SBox};
use super::slots::{Accumulator, Slots};
use crate::Error;

/// A wire at P: its tag, with the value in the least significant bit.
#[derive(Clone, Copy, Default)]
pub struct ProverWire(Gf128);

impl Zeroize for ProverWire {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl ProverWire {
    /// A bit that was committed elsewhere under the same delta, given by its tag. The bit is in the tag's
    /// least significant bit.
    #[inline(always)]
    #[must_use]
    pub fn from_tag(tag: Gf128) -> Self {
        Self(tag)
    }

    #[inline(always)]
    fn bit(self) -> u128 {
        self.0.to_bits() & 1
    }

    /// The tag, with the value in its least significant bit.
    #[inline(always)]
    #[must_use]
    pub fn tag(self) -> Gf128 {
        self.0
    }

    /// The wire's value.
    pub(in super::super) fn value(self) -> F2 {
        F2::new(self.bit() == 1)
    }
}

impl core::ops::Add for ProverWire {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

/// The backend that proves.
///
/// Make one for each proof, run the statement on it, then call [`Prover::finish`]; or call [`Prover::prove`].
pub struct Prover<'a> {
    pub(super) channel: &'a mut dyn Channel,
    pub(super) pool: &'a mut Pool,
    pub(super) challenges: Challenges<'a>,
    pub(super) masks: MaskWriter,
    /// The current block.
    pub(super) slots: Slots,
    /// The current block's polynomials.
    pub(super) claims: Claims,
    s_box: SBox,
    /// The number of S-boxes so far, and of claims that their outputs' bits were in the statement.
    s_boxes: u64,
    s_box_claims: u64,
    /// The start of the window of prepared slots: its first slot is the pool's first correlation at hand.
    pub(super) window: usize,
    /// A block that can be filled next; two alternate.
    spare: Option<Slots>,
    /// Blocks that were sent and whose seeds have not come, oldest first.
    pending: VecDeque<Block>,
    pub(super) assertions: Assertions,
    place: Place,
    pub(super) tally: Tally,
    pub(super) threads: Option<&'a rayon::ThreadPool>,
    /// Whether the whole proof is one block, whose products and polynomials leave when there is no room.
    pub(super) one_block: bool,
    /// What they are added to, if the seed is known.
    pub(super) sums: Option<(Accumulator, RunningSums<Gf128>)>,
    pub(super) constants: Constants,
    /// The number of seeds that parts with challenges of their own have had, if the proof is one block.
    further: u64,
    /// Whether this is a rehearsal: there are no values, and no claim is checked.
    blank: bool,
    failed: Latch<Error>,
}

/// A block that waits for its coefficients.
struct Block {
    slots: Slots,
    relations: Relations<Gf128>,
    /// `A*_0, A*_1, ..`: their number is the block's greatest degree.
    mask: Zeroizing<Vec<Gf128>>,
    tally: Tally,
}

/// Bytes of a seed.
const SEED: usize = 16;

/// The number of blocks whose seeds P may be waiting for while it fills the next one.
const IN_FLIGHT: usize = 1;

impl<'a> Prover<'a> {
    /// A prover over `channel` that takes its correlations from `pool`. The caller has to make sure that
    /// both parties agree on everything else.
    pub fn new(
        settings: Settings,
        challenges: Challenges<'a>,
        pool: &'a mut Pool,
        channel: &'a mut dyn Channel,
        threads: Option<&'a rayon::ThreadPool>,
    ) -> Self {
        let one_block = challenges.is_one_block();
        let sums = challenges.known();
        let sums = sums.map(|seed| (Accumulator::new(seed), RunningSums::new(seed, claims::inner_product)));
        let threads_at_once = threads.map_or(1, |pool| 4 * pool.current_num_threads());
        let capacity = if one_block { CHUNK * threads_at_once } else { settings.interval };
        Self {
            blank: pool.is_blank(),
            one_block,
            sums,
            constants: Constants::new(one_block),
            further: 0,
            channel,
            pool,
            challenges,
            masks: MaskWriter::new(),
            slots: Slots::new(capacity),
            claims: Claims::new(settings, 2),
            s_box: SBox::new(),
            s_boxes: 0,
            s_box_claims: 0,
            window: 0,
            spare: None,
            pending: VecDeque::new(),
            assertions: Assertions::new(),
            place: Place::default(),
            tally: Tally::default(),
            threads,
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
    pub fn finish(mut self) -> Result<Tally, Error> {
        self.try_finish().map_err(Error::at_prover)
    }

    fn try_finish(&mut self) -> Result<Tally, Error> {
        self.failed.check()?;
        if self.one_block {
            return self.finish_block();
        }
        self.close()?;
        let hash = self.assertions.finish();
        self.challenges.send(self.channel, tags::ASSERTIONS, &hash)?;
        while !self.pending.is_empty() {
            self.open_oldest()?;
        }
        self.channel.flush()?;
        self.tally.transcript = self.challenges.digest();
        Ok(self.tally())
    }

    /// A backend that has failed stays failed, even if its statement ignores the error.
    fn latch<T>(&mut self, result: Result<T, Error>) -> Result<T, Error> {
        self.failed.latch(result.map_err(Error::at_prover))
    }

    /// Prepares at least one slot. Call it when none is prepared.
    #[cold]
    #[inline(never)]
    fn prepare(&mut self) -> Result<(), Error> {
        self.failed.check()?;
        let result = self.try_prepare();
        self.latch(result)
    }

    fn try_prepare(&mut self) -> Result<(), Error> {
        self.settle();
        if self.masks.full() {
            self.masks.send(&mut self.challenges, self.channel)?;
            self.channel.flush()?;
        }
        if self.slots.room() == 0 {
            if self.one_block { self.spill()? } else { self.close()? }
        }
        if self.pool.at_hand().is_empty() {
            // V may need the masks that are still here, to the last bit, before it can send what the pool
            // waits for.
            if self.pool.may_wait() {
                self.masks.finish(&mut self.challenges, self.channel)?;
            }
            self.pool.refill(self.channel)?;
        }
        self.window = self.slots.used();
        let correlations = self.pool.at_hand();
        self.slots.prepare(&correlations[..correlations.len().min(CHUNK)]);
        Ok(())
    }

    /// Ends the window: masks and counts what was used of it.
    pub(super) fn settle(&mut self) {
        let results = self.slots.settle(self.window);
        let used = results.len();
        self.masks.extend(&self.pool.at_hand()[..used], results);
        self.pool.advance(used);
        self.window += used;
        self.tally.multiplications += used as u64;
    }

    /// The channel, for the part over a field of the same proof.
    pub(in super::super) fn channel(&mut self) -> &mut dyn Channel {
        self.channel
    }

    /// Whether the next operation may have to wait for V.
    #[inline(always)]
    pub(in super::super) fn at_border(&self) -> bool {
        self.slots.is_exhausted()
    }

    /// Sends everything, to the last bit, since P may have to wait for V elsewhere. V pauses at the same
    /// place.
    pub(in super::super) fn pause(&mut self) -> Result<(), Error> {
        self.failed.check()?;
        self.settle();
        let result = self.masks.finish(&mut self.challenges, self.channel);
        self.latch(result)
    }

    /// Counts a disjunction that is claimed to hold.
    pub(crate) fn count_disjunction(&mut self, claims: bool, branches: usize, challenges: u64) {
        self.tally.disjunction(claims, branches, challenges);
    }

    /// A challenge that depends on everything committed so far: ends the block and opens all. A proof of one
    /// block goes on: its seed depends on everything from the start. There is none while P only commits.
    pub(crate) fn challenge(&mut self) -> Result<Option<Seed>, Error> {
        self.failed.check()?;
        if self.one_block {
            self.further += 1;
            return Ok(self.challenges.further(self.further));
        }
        let result = self.try_challenge();
        self.latch(result).map(|seed| Some(seed.into()))
    }

    fn try_challenge(&mut self) -> Result<[u8; 16], Error> {
        self.close()?;
        while !self.pending.is_empty() {
            self.open_oldest()?;
        }
        self.channel.flush()?;
        self.seed()
    }

    /// The next random correlations. Call it right after a challenge, because nothing else may hold some of
    /// them.
    pub(crate) fn random(&mut self, out: &mut [Gf128]) -> Result<(), Error> {
        self.failed.check()?;
        let result = self.pool.fill(self.channel, out).map_err(Error::from);
        self.latch(result)
    }

    /// Sends a message of a protocol on top.
    pub(crate) fn send_message(&mut self, tag: Tag, payload: &[u8]) -> Result<(), Error> {
        self.failed.check()?;
        let result = self.challenges.send(self.channel, tag, payload);
        self.latch(result)
    }

    /// If challenges are hashes, a digest of all messages of this part.
    pub(in super::super) fn digest(&mut self) -> Result<Option<[u8; 16]>, Error> {
        self.challenges.hash(self.pool, self.channel)
    }

    /// Whether nothing was done and nothing failed.
    pub(in super::super) fn is_unused(&self) -> bool {
        self.tally() == Tally::default() && self.slots.used() == 0 && self.failed.first().is_none()
    }

    /// Ends the current block: sends its last masks and lets it wait for its seed.
    fn close(&mut self) -> Result<(), Error> {
        self.settle();
        self.masks.finish(&mut self.challenges, self.channel)?;
        let mask = claims::mask(self.claims.degree(), self.pool, self.channel)?;
        if self.challenges.are_chosen() {
            // V sends it here, and P reads it when the next block is full.
            self.channel.foresee(tags::CHALLENGE, SEED);
        }
        // This comes before the block joins them, so that its successor can reuse the memory of the one that
        // leaves.
        while self.pending.len() >= IN_FLIGHT {
            self.open_oldest()?;
        }
        let empty = self.spare.take().unwrap_or_else(|| Slots::new(self.slots.capacity()));
        let slots = std::mem::replace(&mut self.slots, empty);
        self.window = 0;
        self.tally.blocks += 1;
        self.pending.push_back(Block { slots, relations: self.claims.take(), mask, tally: self.tally() });
        if let Challenges::FiatShamir(_) = self.challenges {
            // The hash of everything sent so far is this block's seed.
            self.open_oldest()?;
        }
        Ok(self.channel.flush()?)
    }

    /// Gets the seed of the oldest pending block and sends its opening.
    fn open_oldest(&mut self) -> Result<(), Error> {
        let Some(block) = self.pending.pop_front() else { return Ok(()) };
        let seed = self.seed()?;
        let mut sums = Accumulator::new(seed);
        sums.absorb(&block.slots, self.threads, Kernel::check_prover)?;
        let sums = combine_coefficients(&block.relations, seed, claims::inner_product, sums.sums().into())?;
        let sums = Zeroizing::new(sums);
        let mut opening = Vec::with_capacity(16 * sums.len() + Tally::BYTES);
        for (a, mask) in sums.iter().zip(block.mask.iter()) {
            opening.extend_from_slice(&(*a + *mask).to_bits().to_le_bytes());
        }
        opening.extend_from_slice(&block.tally.encode()[..block.tally.bit_bytes()]);
        let mut slots = block.slots;
        slots.clear();
        self.spare = Some(slots);
        self.challenges.send(self.channel, tags::CHECK_OPENING, &opening)
    }

    /// The next seed, from the hash or from V.
    fn seed(&mut self) -> Result<[u8; 16], Error> {
        match self.challenges.hash(self.pool, self.channel)? {
            Some(seed) => Ok(seed),
            None => Ok(self.channel.recv_array(tags::CHALLENGE)?),
        }
    }

    /// Claims that a polynomial vanishes, given its coefficients without the top one.
    fn claim(&mut self, coefficients: &[Gf128]) -> Result<(), Error> {
        self.relate(coefficients)?;
        self.tally.claim(coefficients.len());
        Ok(())
    }

    /// Adds a relation to the block, given its coefficients without the top one.
    pub(super) fn relate(&mut self, coefficients: &[Gf128]) -> Result<(), Error> {
        if self.claims.is_full() {
            self.failed.check()?;
            let result = if self.one_block {
                self.claims.spill(self.sums.as_mut().map(|(_, relations)| relations), false)
            } else {
                self.close()
            };
            self.latch(result)?;
        }
        self.claims.push(coefficients.len(), coefficients.iter().copied());
        Ok(())
    }

    /// Claims that `s` is the S-box's output for `x`.
    #[inline(always)]
    fn claim_s_box(&mut self, x: &[ProverWire; 8], s: &[ProverWire; 8]) -> Result<(), Error> {
        for coefficients in self.s_box.prover(&x.map(ProverWire::tag), &s.map(ProverWire::tag))? {
            self.claim(&coefficients)?;
        }
        self.s_boxes += 1;
        Ok(())
    }

    /// Commits to a secret value.
    #[inline]
    fn commit(&mut self, value: F2) -> Result<ProverWire, Error> {
        let one = Gf128::from(F2::ONE);
        loop {
            if let Some(wire) = self.slots.secret(one, |random| random.with_lsb(value)) {
                self.tally.secrets += 1;
                return Ok(ProverWire(wire));
            }
            self.prepare()?;
        }
    }

    /// The error for a claim that does not hold; in a rehearsal there is none.
    #[cold]
    #[inline(never)]
    pub(crate) fn unsatisfied(&mut self) -> Result<(), Error> {
        if self.blank {
            return Ok(());
        }
        let place = self.place.or("the statement").to_owned();
        // The polynomials of S-boxes do not count as assertions of the statement; claims of their outputs do.
        let polynomials = self.tally.polynomials - 2 * self.s_boxes;
        let assertion = self.tally.assertions + polynomials + self.s_box_claims;
        self.latch(Err(volery_circuit::Error::Unsatisfied { assertion, place }.into()))
    }

    /// The counts so far: every slot that is not a secret value is a multiplication.
    pub(super) fn tally(&self) -> Tally {
        Tally { multiplications: self.tally.multiplications - self.tally.secrets, ..self.tally }
    }
}

impl Backend for Prover<'_> {
    type Error = Error;

    fn enter(&mut self, part: &str) {
        self.place.enter(part);
    }

    fn leave(&mut self) {
        self.place.leave();
    }
}

impl Ops<F2> for Prover<'_> {
    type Wire = ProverWire;

    #[inline(always)]
    fn constant(&mut self, c: F2) -> ProverWire {
        self.constants.note(Use::Wire, c);
        ProverWire(Gf128::from(c))
    }

    #[inline(always)]
    fn add(&mut self, x: &ProverWire, y: &ProverWire) -> ProverWire {
        ProverWire(x.0 + y.0)
    }

    #[inline(always)]
    fn sub(&mut self, x: &ProverWire, y: &ProverWire) -> ProverWire {
        ProverWire(x.0 + y.0)
    }

    #[inline(always)]
    fn add_constant(&mut self, x: &ProverWire, c: F2) -> ProverWire {
        self.constants.note(Use::Add, c);
        ProverWire(x.0 + Gf128::from(c))
    }

    #[inline(always)]
    fn scale(&mut self, x: &ProverWire, c: F2) -> ProverWire {
        self.constants.note(Use::Scale, c);
        ProverWire(x.0 * c)
    }

    #[inline(always)]
    fn mul(&mut self, x: &ProverWire, y: &ProverWire) -> Result<ProverWire, Error> {
        loop {
            if let Some(z) = self.slots.product(x.0, y.0, |random| random.with_lsb_product(x.0, y.0)) {
                return Ok(ProverWire(z));
            }
            self.prepare()?;
        }
    }

    fn substitute(&mut self, x: &[ProverWire; 8]) -> Result<Option<[ProverWire; 8]>, Error> {
        let mut s = [ProverWire::default(); 8];
        for (wire, value) in s.iter_mut().zip(s_box::output(&x.map(ProverWire::value))?) {
            *wire = self.commit(value)?;
        }
        self.claim_s_box(x, &s)?;
        Ok(Some(s))
    }
}

impl Prove<F2> for Prover<'_> {
    fn secret(&mut self, n: usize, hint: Hint<'_, F2, ProverWire>) -> Result<Vec<ProverWire>, Error> {
        let values = if self.blank { Ok(vec![F2::ZERO; n]) } else { hint(&Values).map_err(Error::from) };
        let values = Zeroizing::new(self.latch(values)?);
        if values.len() != n {
            let reason = format!("a hint for {n} values gave {}", values.len());
            return self.latch(Err(volery_circuit::Error::misuse(reason).into()));
        }
        let mut wires = Vec::with_capacity(n);
        for value in values.iter() {
            wires.push(self.commit(*value)?);
        }
        Ok(wires)
    }

    fn assert_zero(&mut self, x: &[ProverWire]) -> Result<(), Error> {
        for wire in x {
            // An honest P stops here, because going on would end in a rejection. The branch only shows that
            // the claim is false.
            if wire.bit() != 0 {
                self.unsatisfied()?;
            }
            self.assertions.push(wire.0);
            self.tally.assertions += 1;
        }
        Ok(())
    }

    fn assert_substituted(&mut self, x: &[ProverWire; 8], s: &[ProverWire; 8]) -> Result<bool, Error> {
        for (claimed, value) in s.iter().zip(s_box::output(&x.map(ProverWire::value))?) {
            if claimed.value() != value {
                self.unsatisfied()?;
            }
            self.s_box_claims += 1;
        }
        self.claim_s_box(x, s)?;
        Ok(true)
    }
}

impl Polynomials<F2> for Prover<'_> {
    type Poly = ProverPoly<Gf128>;

    fn poly(&mut self, x: &ProverWire) -> Self::Poly {
        ProverPoly::wire(x.value().into(), x.0)
    }

    fn poly_constant(&mut self, c: F2) -> Self::Poly {
        self.constants.note(Use::Poly, c);
        ProverPoly::constant(c.into())
    }

    fn poly_add(&mut self, p: &Self::Poly, q: &Self::Poly) -> Self::Poly {
        p.add(q)
    }

    fn poly_scale(&mut self, p: &Self::Poly, c: F2) -> Self::Poly {
        self.constants.note(Use::PolyScale, c);
        p.scale(|p| p * c)
    }

    fn poly_mul(&mut self, p: &Self::Poly, q: &Self::Poly) -> Result<Self::Poly, Error> {
        let product = p.mul(q).map_err(Error::from);
        self.latch(product)
    }

    fn assert_poly_zero(&mut self, p: &[Self::Poly]) -> Result<(), Error> {
        for p in p {
            let Some((value, coefficients)) = p.coefficients().split_last() else { continue };
            if *value != Gf128::ZERO {
                self.unsatisfied()?;
            }
            match coefficients {
                // A public zero.
                [] => {}
                // Nothing to mask, as for a wire that is zero.
                [tag] => {
                    self.assertions.push(*tag);
                    self.tally.assertions += 1;
                }
                _ => self.claim(coefficients)?,
            }
        }
        Ok(())
    }
}

/// The values that hints see at P.
struct Values;

impl Peek<F2, ProverWire> for Values {
    fn value(&self, wire: &ProverWire) -> F2 {
        F2::new(wire.bit() == 1)
    }
}
