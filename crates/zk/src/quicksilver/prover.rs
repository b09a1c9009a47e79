//! P's backend.

use std::collections::VecDeque;

use volery_channel::{Channel, ChannelExt as _, tags};
use volery_circuit::{Backend, Hint, Ops, Peek, Place, Prove, Statement};
use volery_field::{F2, Gf128, gf128::Kernel};
use volery_vole::cot::Stock;
use volery_vole::{pack, pack_bits};
use zeroize::Zeroizing;

use super::assertions::Assertions;
use super::challenges::Challenges;
use super::masks::MaskWriter;
use super::triples::{Accumulator, Triples};
use super::{Settings, Tally};
use crate::Error;

/// A wire at P: its tag, with the value in the least significant bit.
#[derive(Clone, Copy)]
pub struct ProverWire(Gf128);

impl ProverWire {
    #[inline(always)]
    fn bit(self) -> u128 {
        self.0.to_bits() & 1
    }
}

/// The backend that proves.
///
/// Make one for each proof, run the statement on it, then [`Prover::finish`]; or call [`Prover::prove`].
pub struct Prover<'a> {
    channel: &'a mut dyn Channel,
    stock: &'a mut Stock,
    challenges: Challenges<'a>,
    masks: MaskWriter,
    /// The block that is being filled.
    triples: Triples,
    /// Blocks sent whose seeds have not come, oldest first.
    pending: VecDeque<Block>,
    assertions: Assertions,
    place: Place,
    tally: Tally,
    threads: Option<&'a rayon::ThreadPool>,
    failed: Option<Error>,
}

/// A block that waits for its coefficients.
struct Block {
    triples: Triples,
    /// `(A*_0, A*_1)`.
    mask: Zeroizing<[Gf128; 2]>,
    tally: Tally,
}

/// Blocks whose seeds P may be waiting for while it fills the next.
const IN_FLIGHT: usize = 1;

impl<'a> Prover<'a> {
    /// A prover over `channel` that takes its correlations from `stock`; both ends must agree on everything else.
    pub fn new(
        settings: Settings,
        challenges: Challenges<'a>,
        stock: &'a mut Stock,
        channel: &'a mut dyn Channel,
        threads: Option<&'a rayon::ThreadPool>,
    ) -> Self {
        Self {
            channel,
            stock,
            challenges,
            masks: MaskWriter::new(),
            triples: Triples::new(settings.interval),
            pending: VecDeque::new(),
            assertions: Assertions::new(),
            place: Place::default(),
            tally: Tally::default(),
            threads,
            failed: None,
        }
    }

    /// Runs `statement` and proves it; returns what it counted.
    ///
    /// # Errors
    /// [`Error::Statement`] if the witness does not satisfy it; otherwise what broke the session.
    pub fn prove(mut self, statement: &(impl Statement<Self> + ?Sized)) -> Result<Tally, Error> {
        statement.run(&mut self)?;
        self.finish()
    }

    /// Proves everything that was run. V's answer is the business of [`super::verdict`].
    ///
    /// # Errors
    /// As [`Prover::prove`].
    pub fn finish(mut self) -> Result<Tally, Error> {
        self.sound()?;
        self.close()?;
        let hash = self.assertions.finish();
        self.challenges.send(self.channel, tags::ASSERTIONS, &hash)?;
        while !self.pending.is_empty() {
            self.open_oldest()?;
        }
        self.channel.flush()?;
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

    /// Commits to the least significant bit of `w`.
    #[inline(always)]
    fn commit(&mut self, w: u128) -> Result<ProverWire, Error> {
        let random = match self.stock.pop() {
            Some(random) => random,
            None => self.restock()?,
        };
        let d = (w ^ random.to_bits()) & 1;
        if self.masks.push(d) {
            self.send_masks()?;
        }
        Ok(ProverWire(Gf128::from_bits(random.to_bits() ^ d)))
    }

    #[cold]
    fn restock(&mut self) -> Result<Gf128, Error> {
        self.sound()?;
        // V may need the masks that are still here before it can send what the stock waits for.
        let sent = match self.stock.may_wait() {
            true => self.masks.send(&mut self.challenges, self.channel),
            false => Ok(()),
        };
        let mut one = [Gf128::ZERO];
        let result = sent.and_then(|()| Ok(self.stock.fill(self.channel, &mut one)?));
        self.latch(result)?;
        Ok(one[0])
    }

    #[cold]
    fn send_masks(&mut self) -> Result<(), Error> {
        let result = self.masks.send(&mut self.challenges, self.channel).and_then(|()| Ok(self.channel.flush()?));
        self.latch(result)
    }

    /// Ends the block that is being filled: its last masks leave, and it waits for its seed.
    fn close(&mut self) -> Result<(), Error> {
        let result = self.try_close();
        self.latch(result)
    }

    #[cold]
    fn try_close(&mut self) -> Result<(), Error> {
        self.sound()?;
        self.masks.finish(&mut self.challenges, self.channel)?;
        let mut random = Zeroizing::new([Gf128::ZERO; 128]);
        self.stock.fill(self.channel, &mut *random)?;
        let mask = Zeroizing::new([pack(&*random), pack_bits(&*random)]);
        // A block of at most two is reused; at the start the second is made.
        let empty = Triples::new(self.triples.capacity());
        let triples = std::mem::replace(&mut self.triples, empty);
        self.pending.push_back(Block { triples, mask, tally: self.tally });
        let keep = if let Challenges::FiatShamir(_) = self.challenges { 0 } else { IN_FLIGHT };
        while self.pending.len() > keep {
            self.open_oldest()?;
        }
        Ok(self.channel.flush()?)
    }

    /// Gets the seed of the oldest pending block and sends its opening.
    fn open_oldest(&mut self) -> Result<(), Error> {
        let Some(block) = self.pending.pop_front() else { return Ok(()) };
        let seed = match &mut self.challenges {
            Challenges::Interactive(_) => self.channel.recv_array(tags::CHALLENGE)?,
            hashed => hashed.hash(),
        };
        let mut sums = Accumulator::new(seed);
        sums.absorb(&block.triples, self.threads, Kernel::check_prover);
        let ((a_0, a_1), [mask_0, mask_1]) = (sums.sums(), *block.mask);
        let mut opening = Vec::with_capacity(32 + Tally::BYTES);
        opening.extend_from_slice(&(a_0 + mask_0).to_bits().to_le_bytes());
        opening.extend_from_slice(&(a_1 + mask_1).to_bits().to_le_bytes());
        opening.extend_from_slice(&block.tally.encode());
        self.challenges.send(self.channel, tags::CHECK_OPENING, &opening)
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
        ProverWire(Gf128::from_bits(c.to_u8().into()))
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
        ProverWire(Gf128::from_bits(x.0.to_bits() ^ u128::from(c.to_u8())))
    }

    #[inline(always)]
    fn scale(&mut self, x: &ProverWire, c: F2) -> ProverWire {
        ProverWire(Gf128::from_bits(x.0.to_bits() & u128::from(c.to_u8()).wrapping_neg()))
    }

    #[inline(always)]
    fn mul(&mut self, x: &ProverWire, y: &ProverWire) -> Result<ProverWire, Error> {
        let z = self.commit(x.bit() & y.bit())?;
        self.tally.multiplications += 1;
        if self.triples.push(x.0, y.0, z.0) {
            self.close()?;
        }
        Ok(z)
    }
}

impl Prove<F2> for Prover<'_> {
    fn secret(&mut self, n: usize, hint: Hint<'_, F2, ProverWire>) -> Result<Vec<ProverWire>, Error> {
        let values = hint(&Values).map_err(Error::from);
        let values = Zeroizing::new(self.latch(values)?);
        if values.len() != n {
            let reason = format!("a hint for {n} values gave {}", values.len());
            return self.latch(Err(volery_circuit::Error::misuse(reason).into()));
        }
        self.tally.secrets += n as u64;
        values.iter().map(|value| self.commit(value.to_u8().into())).collect()
    }

    fn assert_zero(&mut self, x: &[ProverWire]) -> Result<(), Error> {
        for wire in x {
            // An honest P stops here: to go on would end in a rejection. The branch shows only that the claim is false.
            if wire.bit() != 0 {
                let place = self.place.or("the statement").to_owned();
                let assertion = self.tally.assertions;
                return self.latch(Err(volery_circuit::Error::Unsatisfied { assertion, place }.into()));
            }
            self.assertions.push(wire.0);
            self.tally.assertions += 1;
        }
        Ok(())
    }
}

/// What hints see at P.
struct Values;

impl Peek<F2, ProverWire> for Values {
    fn value(&self, wire: &ProverWire) -> F2 {
        F2::new(wire.bit() == 1)
    }
}
