//! V's backend.

use std::collections::VecDeque;

use volery_channel::{Channel, ChannelExt as _, tags};
use volery_circuit::{Backend, Hint, Ops, Prove, Statement};
use volery_field::{F2, Gf128, gf128::Kernel};
use volery_vole::cot::Stock;
use volery_vole::{Delta, pack};
use zeroize::Zeroizing;

use super::assertions::Assertions;
use super::challenges::{CHUNK, Challenges};
use super::masks::MaskReader;
use super::triples::{Accumulator, Triples};
use super::{Settings, Tally};
use crate::Error;

/// A wire at V: its key, whose least significant bit is zero.
#[derive(Clone, Copy)]
pub struct VerifierWire(Gf128);

/// The backend that verifies.
///
/// Make one for each proof, run the statement on it, then [`Verifier::finish`]; or call [`Verifier::verify`]. Only its
/// `Ok` means that the proof holds: until then nothing is known.
pub struct Verifier<'a> {
    channel: &'a mut dyn Channel,
    stock: &'a mut Stock,
    challenges: Challenges<'a>,
    delta: Delta,
    /// What a public one, and a mask of one, add to a key: `delta + 1`.
    one: u128,
    masks: MaskReader,
    triples: Triples,
    /// Multiplications left in the block.
    room: usize,
    interval: usize,
    /// The sums over the block's multiplications so far, where the seed is known to V from the start.
    sums: Option<Accumulator>,
    /// Blocks whose openings have not come, oldest first.
    pending: VecDeque<Block>,
    assertions: Assertions,
    tally: Tally,
    threads: Option<&'a rayon::ThreadPool>,
    failed: Option<Error>,
}

/// What the opening of a block must match.
struct Block {
    /// `sum chi_i B_i + B*`.
    value: Zeroizing<Gf128>,
    tally: Tally,
}

/// Blocks whose openings P may still owe when the next block is complete.
const IN_FLIGHT: usize = 1;

impl<'a> Verifier<'a> {
    /// A verifier over `channel` whose keys under `delta` come from `stock`; both ends must agree on everything else.
    pub fn new(
        settings: Settings,
        mut challenges: Challenges<'a>,
        delta: &Delta,
        stock: &'a mut Stock,
        channel: &'a mut dyn Channel,
        threads: Option<&'a rayon::ThreadPool>,
    ) -> Self {
        // A seed drawn in advance and kept until the block is there lets V add up as it goes; Fiat-Shamir's seed is
        // only known at the end of the block.
        let sums = challenges.draw().map(Accumulator::new);
        let capacity = match (&sums, threads) {
            (None, _) => settings.interval,
            (Some(_), None) => settings.interval.min(CHUNK),
            (Some(_), Some(pool)) => settings.interval.min(CHUNK * 4 * pool.current_num_threads()),
        };
        Self {
            channel,
            stock,
            challenges,
            delta: delta.duplicate(),
            one: delta.expose().to_bits() ^ 1,
            masks: MaskReader::default(),
            triples: Triples::new(capacity),
            room: settings.interval.max(1),
            interval: settings.interval.max(1),
            sums,
            pending: VecDeque::new(),
            assertions: Assertions::new(),
            tally: Tally::default(),
            threads,
            failed: None,
        }
    }

    /// Runs `statement` and verifies P's proof of it; returns what it counted.
    ///
    /// # Errors
    /// [`Error::Rejected`] if the proof is wrong; otherwise what broke the session. Neither means that the statement is
    /// false; only `Ok` means that P has proved it.
    pub fn verify(mut self, statement: &(impl Statement<Self> + ?Sized)) -> Result<Tally, Error> {
        statement.run(&mut self)?;
        self.finish()
    }

    /// Checks everything that was run. P is told by [`super::verdict`].
    ///
    /// # Errors
    /// As [`Verifier::verify`].
    pub fn finish(mut self) -> Result<Tally, Error> {
        self.sound()?;
        self.close()?;
        let shown: [u8; 32] = self.channel.recv_array(tags::ASSERTIONS)?;
        self.challenges.absorb(tags::ASSERTIONS, &shown);
        let zero = self.assertions.finish() == shown;
        while !self.pending.is_empty() {
            self.check_oldest()?;
        }
        if !zero {
            return Err(Error::Rejected { reason: "a wire that must be zero is not".into() });
        }
        Ok(self.tally)
    }

    /// A backend that failed stays failed, whatever its statement does about it.
    fn sound(&self) -> Result<(), Error> {
        self.failed.clone().map_or(Ok(()), Err)
    }

    fn latch<T>(&mut self, result: Result<T, Error>) -> Result<T, Error> {
        if let Err(error) = &result {
            self.failed.get_or_insert_with(|| error.clone());
        }
        result
    }

    /// The key of the next committed bit.
    #[inline(always)]
    fn commit(&mut self) -> Result<VerifierWire, Error> {
        let random = match self.stock.pop() {
            Some(random) => random,
            None => self.restock()?,
        };
        let d = match self.masks.pop() {
            Some(d) => d,
            None => self.next_mask()?,
        };
        Ok(VerifierWire(Gf128::from_bits(random.to_bits() ^ (u128::from(d).wrapping_neg() & self.one))))
    }

    #[cold]
    fn restock(&mut self) -> Result<Gf128, Error> {
        self.sound()?;
        let mut one = [Gf128::ZERO];
        let result = self.stock.fill(self.channel, &mut one);
        self.latch(result.map_err(Error::from))?;
        Ok(one[0])
    }

    #[cold]
    fn next_mask(&mut self) -> Result<u64, Error> {
        self.sound()?;
        let result = self.masks.refill(&mut self.challenges, self.channel);
        self.latch(result)?;
        Ok(self.masks.pop().unwrap_or_default())
    }

    /// Called when there is no room for another triple, or the block is complete.
    #[cold]
    fn drain(&mut self) -> Result<(), Error> {
        if self.room == 0 {
            return self.close();
        }
        // With a seed in hand the triples are added up; without one there is room for the whole block.
        if let Some(sums) = &mut self.sums {
            sums.absorb(&self.triples, self.threads, Kernel::check_verifier);
            self.triples.clear();
        }
        Ok(())
    }

    /// Ends a block: its seed goes to P, and the opening of the block before is checked.
    fn close(&mut self) -> Result<(), Error> {
        let result = self.try_close();
        self.latch(result)
    }

    #[cold]
    fn try_close(&mut self) -> Result<(), Error> {
        self.sound()?;
        self.masks.finish()?;
        let mut random = Zeroizing::new([Gf128::ZERO; 128]);
        self.stock.fill(self.channel, &mut *random)?;
        let mut sums = match self.sums.take() {
            Some(sums) => sums,
            None => Accumulator::new(self.challenges.hash()),
        };
        sums.absorb(&self.triples, self.threads, Kernel::check_verifier);
        self.triples.clear();
        let (products, results) = sums.sums();
        let value = Zeroizing::new(products + results * self.delta.expose() + pack(&*random));
        self.pending.push_back(Block { value, tally: self.tally });
        let interactive = matches!(self.challenges, Challenges::Interactive(_));
        if interactive {
            self.channel.send(tags::CHALLENGE, &sums.seed())?;
            self.channel.flush()?;
        }
        while self.pending.len() > if interactive { IN_FLIGHT } else { 0 } {
            self.check_oldest()?;
        }
        self.sums = self.challenges.draw().map(Accumulator::new);
        self.room = self.interval;
        Ok(())
    }

    /// Receives and checks the opening of the oldest pending block.
    fn check_oldest(&mut self) -> Result<(), Error> {
        let Some(block) = self.pending.pop_front() else { return Ok(()) };
        let opening: [u8; 32 + Tally::BYTES] = self.channel.recv_array(tags::CHECK_OPENING)?;
        self.challenges.absorb(tags::CHECK_OPENING, &opening);
        let element = |i: usize| {
            let bytes: [u8; 16] = core::array::from_fn(|j| opening[16 * i + j]);
            Gf128::from_bits(u128::from_le_bytes(bytes))
        };
        block.tally.compare(&core::array::from_fn(|j| opening[32 + j]))?;
        if *block.value != element(0) + element(1) * self.delta.expose() {
            return Err(Error::Rejected { reason: "a product is wrong".into() });
        }
        Ok(())
    }
}

impl Backend for Verifier<'_> {
    type Error = Error;
}

impl Ops<F2> for Verifier<'_> {
    type Wire = VerifierWire;

    #[inline(always)]
    fn constant(&mut self, c: F2) -> VerifierWire {
        VerifierWire(Gf128::from_bits(u128::from(c.to_u8()).wrapping_neg() & self.one))
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
        VerifierWire(x.0 + self.constant(c).0)
    }

    #[inline(always)]
    fn scale(&mut self, x: &VerifierWire, c: F2) -> VerifierWire {
        VerifierWire(Gf128::from_bits(x.0.to_bits() & u128::from(c.to_u8()).wrapping_neg()))
    }

    #[inline(always)]
    fn mul(&mut self, x: &VerifierWire, y: &VerifierWire) -> Result<VerifierWire, Error> {
        let z = self.commit()?;
        self.tally.multiplications += 1;
        self.room = self.room.saturating_sub(1);
        if self.triples.push(x.0, y.0, z.0) | (self.room == 0) {
            self.drain()?;
        }
        Ok(z)
    }
}

impl Prove<F2> for Verifier<'_> {
    fn secret(&mut self, n: usize, _hint: Hint<'_, F2, VerifierWire>) -> Result<Vec<VerifierWire>, Error> {
        self.tally.secrets += n as u64;
        (0..n).map(|_| self.commit()).collect()
    }

    fn assert_zero(&mut self, x: &[VerifierWire]) -> Result<(), Error> {
        for wire in x {
            self.assertions.push(wire.0);
        }
        self.tally.assertions += x.len() as u64;
        Ok(())
    }
}
