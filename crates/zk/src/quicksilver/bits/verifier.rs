//! The verifier over bits: holds a key for each bit, and checks one opening for each block.

use std::collections::VecDeque;

use volery_channel::{Channel, ChannelExt as _, Latch, Tag, tags};
use volery_circuit::{Backend, Hint, Ops, Polynomials, Prove, Statement};
use volery_field::{F2, Gf128, gf128::Kernel};
use volery_vole::Delta;
use volery_vole::correlations::Pool;
use zeroize::{Zeroize, Zeroizing};

use super::super::Tally;
use super::super::assertions::Assertions;
use super::super::challenges::{CHUNK, Challenges, Seed};
use super::super::poly::VerifierPoly;
use super::super::relations::{QuadraticSum, RunningSums};
use super::Settings;
use super::claims::{self, Claims};
use super::constants::{Constants, Use};
use super::masks::MaskReader;
use super::s_box::SBox;
use super::slots::{Accumulator, Slots};
use crate::Error;

/// A wire at V: its key, whose least significant bit is zero.
#[derive(Clone, Copy, Default)]
pub struct VerifierWire(Gf128);

impl Zeroize for VerifierWire {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl VerifierWire {
    /// A bit that was committed elsewhere under the same delta, given by its key, whose least significant bit
    /// must be zero.
    #[inline(always)]
    #[must_use]
    pub fn from_key(key: Gf128) -> Self {
        Self(key)
    }

    /// The key.
    #[inline(always)]
    #[must_use]
    pub fn key(self) -> Gf128 {
        self.0
    }
}

impl core::ops::Add for VerifierWire {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

/// The backend that verifies.
///
/// Make one for each proof, run the statement on it, then call [`Verifier::finish`]; or call
/// [`Verifier::verify`]. Only `Ok` from these means that the proof holds.
pub struct Verifier<'a> {
    pub(super) channel: &'a mut dyn Channel,
    pub(super) pool: &'a mut Pool,
    challenges: Challenges<'a>,
    pub(super) delta: Delta,
    /// The value that a public one, or a mask of one, adds to a key: `delta + 1`.
    one: Zeroizing<u128>,
    pub(super) masks: MaskReader,
    pub(super) slots: Slots,
    /// The block's polynomials.
    pub(super) claims: Claims,
    s_box: SBox,
    /// The start of the window of prepared slots: its first slot is the pool's first correlation at hand.
    window: usize,
    /// The number of slots left in the block, including the current window's.
    left: usize,
    interval: usize,
    /// The sums over the block's multiplications so far, if V knows the seed from the start.
    pub(super) sums: Option<Accumulator>,
    /// If the whole proof is one block: the sums over its polynomials so far.
    pub(super) one_block: Option<RunningSums<Gf128>>,
    pub(super) constants: Constants,
    /// The number of seeds that parts with challenges of their own have had, if the proof is one block.
    further: u64,
    /// Blocks whose openings have not come, oldest first.
    pending: VecDeque<Block>,
    pub(super) assertions: Assertions,
    pub(super) tally: Tally,
    pub(super) threads: Option<&'a rayon::ThreadPool>,
    /// A backend that has failed stays failed, even if its statement ignores the error.
    failed: Latch<Error>,
}

/// What the opening of a block must match.
struct Block {
    /// `sum chi_i B_i + B*`.
    value: Zeroizing<Gf128>,
    /// The number of coefficients that P opens.
    degree: usize,
    tally: Tally,
}

/// The number of blocks whose openings P may still owe when the next block is complete.
const IN_FLIGHT: usize = 1;

impl<'a> Verifier<'a> {
    /// A verifier over `channel` whose keys under `delta` come from `pool`. The caller has to make sure that
    /// both parties agree on everything else.
    pub fn new(
        settings: Settings,
        mut challenges: Challenges<'a>,
        delta: &Delta,
        pool: &'a mut Pool,
        channel: &'a mut dyn Channel,
        threads: Option<&'a rayon::ThreadPool>,
    ) -> Self {
        // If V draws a seed in advance and keeps it until the block is complete, it can add up products as
        // they come. A Fiat-Shamir seed is only known at the end of the block.
        let known = challenges.known();
        let sums = challenges.draw().map(Accumulator::new).or_else(|| known.map(Accumulator::new));
        let one_block = known.map(|seed| RunningSums::new(seed, claims::inner_product));
        let interval = if one_block.is_some() { usize::MAX } else { settings.interval.max(1) };
        let piece = threads.map_or(CHUNK, |pool| CHUNK * 4 * pool.current_num_threads());
        let capacity = match (&sums, &one_block) {
            (None, _) => settings.interval,
            (Some(_), None) => settings.interval.min(piece),
            // A block that goes on needs pieces of whole runs.
            (Some(_), Some(_)) => piece,
        };
        Self {
            channel,
            pool,
            challenges,
            delta: delta.duplicate(),
            one: Zeroizing::new(delta.expose().to_bits() ^ 1),
            masks: MaskReader::default(),
            slots: Slots::new(capacity),
            claims: Claims::new(settings, 1),
            s_box: SBox::new(),
            window: 0,
            left: interval,
            interval,
            constants: Constants::new(one_block.is_some()),
            further: 0,
            one_block,
            sums,
            pending: VecDeque::new(),
            assertions: Assertions::new(),
            tally: Tally::default(),
            threads,
            failed: Latch::new(),
        }
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
    pub fn finish(mut self) -> Result<Tally, Error> {
        self.failed.check()?;
        if let Some(polynomials) = self.one_block.take() {
            return self.finish_block(polynomials);
        }
        self.close()?;
        let theirs: [u8; 32] = self.channel.recv_array(tags::ASSERTIONS)?;
        self.challenges.absorb(tags::ASSERTIONS, &theirs);
        let zero = self.assertions.finish() == theirs;
        while !self.pending.is_empty() {
            self.check_oldest()?;
        }
        if !zero {
            return Err(not_zero());
        }
        self.tally.transcript = self.challenges.digest();
        Ok(self.tally())
    }

    /// The counts so far: every slot that is not a secret value is a multiplication.
    pub(super) fn tally(&self) -> Tally {
        Tally { multiplications: self.tally.multiplications - self.tally.secrets, ..self.tally }
    }

    /// Prepares at least one slot. Call it when none is prepared.
    #[cold]
    #[inline(never)]
    fn prepare(&mut self) -> Result<(), Error> {
        self.failed.check()?;
        let result = self.try_prepare();
        self.failed.latch(result)
    }

    fn try_prepare(&mut self) -> Result<(), Error> {
        self.settle();
        if self.left == 0 {
            self.close()?;
        }
        if self.slots.room() == 0 {
            // With a known seed the products are added up; without one there is room for the whole block.
            if let Some(sums) = &mut self.sums {
                sums.absorb(&self.slots, self.threads, Kernel::check_verifier)?;
                self.slots.clear();
            }
        }
        if self.pool.at_hand().is_empty() {
            // P pads the last byte wherever it may have to wait.
            if self.pool.may_wait() {
                self.masks.finish()?;
            }
            self.pool.refill(self.channel)?;
        }
        if self.masks.available() == 0 {
            self.masks.receive(&mut self.challenges, self.channel)?;
        }
        self.window = self.slots.used();
        let n = self.left.min(self.masks.available()).min(CHUNK);
        let correlations = self.pool.at_hand();
        let keys = self.slots.prepare(&correlations[..correlations.len().min(n)]);
        self.masks.apply(keys, *self.one);
        Ok(())
    }

    /// Ends the window: counts what was used of it.
    pub(super) fn settle(&mut self) {
        let used = self.slots.settle(self.window).len();
        self.masks.advance(used);
        self.pool.advance(used);
        self.window += used;
        self.left -= used;
        self.tally.multiplications += used as u64;
    }

    /// The channel, for the part over a field of the same proof.
    pub(in super::super) fn channel(&mut self) -> &mut dyn Channel {
        self.channel
    }

    /// P has sent everything to the last bit, so any remaining bits must be the padding.
    pub(in super::super) fn pause(&mut self) -> Result<(), Error> {
        self.failed.check()?;
        self.settle();
        let result = self.masks.finish();
        self.failed.latch(result)
    }

    /// Counts a disjunction that is claimed to hold.
    pub(crate) fn count_disjunction(&mut self, claims: bool, branches: usize, challenges: u64) {
        self.tally.disjunction(claims, branches, challenges);
    }

    /// A challenge that depends on everything committed so far; see the prover's.
    pub(crate) fn challenge(&mut self) -> Result<Option<Seed>, Error> {
        self.failed.check()?;
        if self.one_block.is_some() {
            self.further += 1;
            return Ok(self.challenges.further(self.further));
        }
        let result = self.try_challenge();
        self.failed.latch(result).map(|seed| Some(seed.into()))
    }

    fn try_challenge(&mut self) -> Result<[u8; 16], Error> {
        self.close()?;
        let drawn = self.challenges.draw();
        if let Some(seed) = drawn {
            // This includes the current block: P opens all of them and goes on.
            self.channel.send(tags::CHALLENGE, &seed)?;
            self.channel.flush()?;
        }
        while !self.pending.is_empty() {
            self.check_oldest()?;
        }
        let seed = match drawn {
            Some(seed) => Some(seed),
            None => self.challenges.hash(self.pool, self.channel)?,
        };
        Ok(seed.ok_or_else(|| volery_circuit::Error::misuse("no challenge"))?)
    }

    /// The keys of the next random correlations. Call it right after a challenge, because nothing else may
    /// hold some of them.
    pub(crate) fn random(&mut self, out: &mut [Gf128]) -> Result<(), Error> {
        self.failed.check()?;
        let result = self.pool.fill(self.channel, out).map_err(Error::from);
        self.failed.latch(result)
    }

    /// Receives a message of a protocol on top.
    pub(crate) fn receive_message(&mut self, tag: Tag, out: &mut [u8]) -> Result<(), Error> {
        self.failed.check()?;
        let result = self.channel.recv_exact(tag, out).map_err(Error::from);
        self.failed.latch(result)?;
        self.challenges.absorb(tag, out);
        Ok(())
    }

    /// V's key.
    pub(crate) fn delta(&self) -> Gf128 {
        self.delta.expose()
    }

    /// Ends this proof after a failure of a protocol on top.
    pub(crate) fn fail<T>(&mut self, error: Error) -> Result<T, Error> {
        self.failed.latch(Err(error))
    }

    /// If challenges are hashes, a digest of all messages of this part.
    pub(in super::super) fn digest(&mut self) -> Result<Option<[u8; 16]>, Error> {
        self.challenges.hash(self.pool, self.channel)
    }

    /// Whether nothing was done and nothing failed.
    pub(in super::super) fn is_unused(&self) -> bool {
        self.tally() == Tally::default() && self.slots.used() == 0 && self.failed.first().is_none()
    }

    /// Ends a block: sends its seed to P and checks the opening of the block before.
    fn close(&mut self) -> Result<(), Error> {
        self.settle();
        self.masks.finish()?;
        let degree = self.claims.degree();
        let mask = claims::mask_value(degree, self.pool, self.channel)?;
        let mut sums = match (self.sums.take(), self.challenges.hash(self.pool, self.channel)?) {
            (Some(sums), None) => sums,
            (None, Some(seed)) => Accumulator::new(seed),
            _ => return Err(volery_circuit::Error::misuse("a block ends without a seed").into()),
        };
        sums.absorb(&self.slots, self.threads, Kernel::check_verifier)?;
        self.slots.clear();
        self.window = 0;
        let value = Zeroizing::new(self.combine(&sums)? + *mask);
        self.tally.blocks += 1;
        self.pending.push_back(Block { value, degree, tally: self.tally() });
        let interactive = self.challenges.are_chosen();
        if interactive {
            self.channel.send(tags::CHALLENGE, &sums.seed().key)?;
            self.channel.flush()?;
        }
        while self.pending.len() > if interactive { IN_FLIGHT } else { 0 } {
            self.check_oldest()?;
        }
        self.sums = self.challenges.draw().map(Accumulator::new);
        self.left = self.interval;
        Ok(())
    }

    /// Combines the block's products, added up in `sums`, with its polynomials: `sum chi_i B_i`, shifted to
    /// the greatest degree.
    fn combine(&mut self, sums: &Accumulator) -> Result<Gf128, Error> {
        let (mut relations, delta, seed) = (self.claims.take(), self.delta.expose(), sums.seed());
        let (products, results) = sums.sums();
        let mut quadratic = QuadraticSum::new(seed, claims::inner_product);
        quadratic.absorb(&mut relations)?;
        quadratic.add(products + results * delta);
        quadratic.finish(&relations, seed, delta)
    }

    /// Adds P's claim that a polynomial vanishes, whose value at delta is `value`.
    fn claim(&mut self, degree: usize, value: Gf128) -> Result<(), Error> {
        self.relate(degree, value)?;
        self.tally.claim(degree);
        Ok(())
    }

    /// Adds a relation to the block, given its value at delta.
    pub(super) fn relate(&mut self, degree: usize, value: Gf128) -> Result<(), Error> {
        if self.claims.is_full() {
            self.failed.check()?;
            let result = match &mut self.one_block {
                Some(sums) => self.claims.spill(Some(sums), false),
                None => self.close(),
            };
            self.failed.latch(result)?;
        }
        self.claims.push(degree, [value]);
        Ok(())
    }

    /// Adds P's claim that `s` is the S-box's output for `x`.
    #[inline(always)]
    fn claim_s_box(&mut self, x: &[VerifierWire; 8], s: &[VerifierWire; 8]) -> Result<(), Error> {
        let delta = self.delta.expose();
        for value in self.s_box.verifier(&x.map(VerifierWire::key), &s.map(VerifierWire::key), delta)? {
            self.claim(2, value)?;
        }
        Ok(())
    }

    /// Takes P's commitment to a secret value.
    #[inline]
    fn commit(&mut self) -> Result<VerifierWire, Error> {
        let one = self.public(F2::ONE).0;
        loop {
            if let Some(wire) = self.slots.secret(one, |key| key) {
                self.tally.secrets += 1;
                return Ok(VerifierWire(wire));
            }
            self.prepare()?;
        }
    }

    /// Receives and checks the opening of the oldest pending block.
    fn check_oldest(&mut self) -> Result<(), Error> {
        let Some(block) = self.pending.pop_front() else { return Ok(()) };
        let mut opening = vec![0; 16 * block.degree + block.tally.bit_bytes()];
        self.channel.recv_exact(tags::CHECK_OPENING, &mut opening)?;
        self.challenges.absorb(tags::CHECK_OPENING, &opening);
        let (coefficients, tally) = opening.split_at(16 * block.degree);
        block.tally.compare(tally)?;
        // Each disjunction has a check of its own.
        self.check_opening(coefficients, *block.value, &Tally { branches: 0, ..block.tally })
    }

    /// Checks that P's coefficients give V's `value` at delta. The `tally` is of what they are about.
    pub(super) fn check_opening(
        &self,
        coefficients: &[u8],
        value: Gf128,
        tally: &Tally,
    ) -> Result<(), Error> {
        let theirs = coefficients.as_chunks().0.iter().rev().fold(Gf128::ZERO, |value, coefficient| {
            value * self.delta.expose() + Gf128::from_bits(u128::from_le_bytes(*coefficient))
        });
        if value == theirs {
            return Ok(());
        }
        let what = match (tally.polynomials, tally.branches) {
            (0, 0) => "a product",
            (_, 0) => "a product or another polynomial",
            (0, _) => "a product or a disjunction",
            _ => "a product, another polynomial or a disjunction",
        };
        Err(Error::Rejected { reason: format!("{what} is wrong") })
    }

    /// The key of a public constant.
    #[inline(always)]
    fn public(&self, c: F2) -> VerifierWire {
        VerifierWire(Gf128::from_bits(u128::from(c.to_u8()).wrapping_neg() & *self.one))
    }
}

pub(super) fn not_zero() -> Error {
    Error::Rejected { reason: "a wire that must be zero is not".into() }
}

impl Backend for Verifier<'_> {
    type Error = Error;
}

impl Ops<F2> for Verifier<'_> {
    type Wire = VerifierWire;

    #[inline(always)]
    fn constant(&mut self, c: F2) -> VerifierWire {
        self.constants.note(Use::Wire, c);
        self.public(c)
    }

    #[inline(always)]
    fn add(&mut self, x: &VerifierWire, y: &VerifierWire) -> VerifierWire {
        VerifierWire(x.0 + y.0)
    }

    #[inline(always)]
    fn sub(&mut self, x: &VerifierWire, y: &VerifierWire) -> VerifierWire {
        VerifierWire(x.0 + y.0)
    }

    #[inline(always)]
    fn add_constant(&mut self, x: &VerifierWire, c: F2) -> VerifierWire {
        self.constants.note(Use::Add, c);
        VerifierWire(x.0 + self.public(c).0)
    }

    #[inline(always)]
    fn scale(&mut self, x: &VerifierWire, c: F2) -> VerifierWire {
        self.constants.note(Use::Scale, c);
        VerifierWire(x.0 * c)
    }

    #[inline(always)]
    fn mul(&mut self, x: &VerifierWire, y: &VerifierWire) -> Result<VerifierWire, Error> {
        loop {
            if let Some(z) = self.slots.product(x.0, y.0, |key| key) {
                return Ok(VerifierWire(z));
            }
            self.prepare()?;
        }
    }

    fn substitute(&mut self, x: &[VerifierWire; 8]) -> Result<Option<[VerifierWire; 8]>, Error> {
        let mut s = [VerifierWire::default(); 8];
        for wire in &mut s {
            *wire = self.commit()?;
        }
        self.claim_s_box(x, &s)?;
        Ok(Some(s))
    }
}

impl Prove<F2> for Verifier<'_> {
    fn secret(&mut self, n: usize, _hint: Hint<'_, F2, VerifierWire>) -> Result<Vec<VerifierWire>, Error> {
        let mut wires = Vec::with_capacity(n);
        for _ in 0..n {
            wires.push(self.commit()?);
        }
        Ok(wires)
    }

    fn assert_zero(&mut self, x: &[VerifierWire]) -> Result<(), Error> {
        for wire in x {
            self.assertions.push(wire.0);
        }
        self.tally.assertions += x.len() as u64;
        Ok(())
    }

    fn assert_substituted(&mut self, x: &[VerifierWire; 8], s: &[VerifierWire; 8]) -> Result<bool, Error> {
        self.claim_s_box(x, s)?;
        Ok(true)
    }
}

impl Polynomials<F2> for Verifier<'_> {
    type Poly = VerifierPoly<Gf128>;

    fn poly(&mut self, x: &VerifierWire) -> Self::Poly {
        VerifierPoly::wire(x.0)
    }

    fn poly_constant(&mut self, c: F2) -> Self::Poly {
        self.constants.note(Use::Poly, c);
        VerifierPoly::constant(c.into())
    }

    fn poly_add(&mut self, p: &Self::Poly, q: &Self::Poly) -> Self::Poly {
        p.add(q, self.delta.expose())
    }

    fn poly_scale(&mut self, p: &Self::Poly, c: F2) -> Self::Poly {
        self.constants.note(Use::PolyScale, c);
        p.scale(|p| p * c)
    }

    fn poly_mul(&mut self, p: &Self::Poly, q: &Self::Poly) -> Result<Self::Poly, Error> {
        let product = p.mul(q).map_err(Error::from);
        self.failed.latch(product)
    }

    fn assert_poly_zero(&mut self, p: &[Self::Poly]) -> Result<(), Error> {
        for p in p {
            match p.degree() {
                0 if p.value() == Gf128::ZERO => {}
                0 => {
                    let reason = "a public constant that is not zero is claimed to be";
                    return self.failed.latch(Err(volery_circuit::Error::misuse(reason).into()));
                }
                1 => {
                    self.assertions.push(p.value());
                    self.tally.assertions += 1;
                }
                degree => self.claim(degree, p.value())?,
            }
        }
        Ok(())
    }
}
