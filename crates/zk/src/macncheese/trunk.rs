//! The root's link: correlations from a stock, messages over a channel.
//!
//! ```text
//! P                                              V
//! piece: masked values        ----------->                         no answer
//! piece ...                   ----------->
//! round: masked values, values sent in the open, or counts --->
//!                             <-----------       its challenge (nothing where challenges are hashes)
//! ...
//! last query's tag, counts    ----------->
//! ```
//!
//! Pieces grow up to [`PIECE`], so that a small proof makes few correlations that it does not use. Lengths and order depend on
//! the programs alone, never on which branch holds.

use std::sync::Arc;

use rand_core::CryptoRng;
use volery_channel::{Channel, ChannelExt as _, Tag, tags};
use volery_circuit::Error as StatementError;
use volery_field::{Ring, pack_elements, packed_bytes, unpack_elements};
use volery_vole::Prg;
use volery_vole::supply::{Item, Stock};
use zeroize::{Zeroize, Zeroizing};

use super::half::{Half, Wide, mask};
use super::link::{Ask, Link, Piece, Round, Slots};
use super::tally::{Counters, Tally};
use super::{Multiplier, Settings};
use crate::Error;
use crate::quicksilver::Challenges;

/// Commitments in the longest piece: some 100 microseconds of work, far more than handing it on takes.
const PIECE: usize = 1 << 14;

/// Commitments in the first piece.
const FIRST_PIECE: usize = 1 << 8;

/// The longest piece that branches may ask for: thresholds in thresholds need one as long as the product of their numbers.
const LONGEST: usize = 1 << 20;

/// Correlations taken from the stock and not yet used: a piece must be at hand whole, and the stock's batches end anywhere.
struct Reserve<T: Item> {
    held: Vec<T>,
    next: usize,
}

impl<T: Item> Reserve<T> {
    fn new() -> Self {
        Self { held: Vec::new(), next: 0 }
    }

    /// The next `n`, which stay until [`Reserve::advance`].
    fn get(&mut self, n: usize, stock: &mut Stock<T>, channel: &mut dyn Channel) -> Result<&[T], Error> {
        if self.held.len() - self.next < n {
            // Moved only after as many were used, so that short pieces do not make every one of them move a long rest.
            if self.next >= self.held.len() - self.next {
                self.held.drain(..self.next);
                self.next = 0;
            }
            let had = self.held.len();
            self.held.resize(self.next + n, T::default());
            stock.fill(channel, &mut self.held[had..])?;
        }
        Ok(&self.held[self.next..][..n])
    }

    fn advance(&mut self, n: usize) {
        self.held[self.next..][..n].iter_mut().for_each(Zeroize::zeroize);
        self.next += n;
    }
}

impl<T: Item> Drop for Reserve<T> {
    fn drop(&mut self) {
        self.held.zeroize();
    }
}

/// A round's random commitments: to elements of the MAC field, and to values.
type Drawn<H> = (Vec<Wide<<H as Half>::Mac>>, Vec<<H as Half>::Wire>);

/// What both parties' trunks have.
pub(super) struct Trunk<'a, H: Half> {
    half: H,
    channel: &'a mut dyn Channel,
    stock: &'a mut Stock<H::Wire>,
    challenges: Challenges<'a>,
    counters: Arc<Counters>,
    reserve: Reserve<H::Wire>,
    /// The length of the next piece.
    piece: usize,
    frame: Vec<u8>,
}

impl<'a, H: Half> Trunk<'a, H> {
    pub(super) fn new(
        half: H,
        settings: Settings,
        mut challenges: Challenges<'a>,
        stock: &'a mut Stock<H::Wire>,
        channel: &'a mut dyn Channel,
        counters: Arc<Counters>,
    ) -> Self {
        let multiplier = match settings.multiplier {
            Multiplier::Simple => 0,
            Multiplier::Batched => 1,
            Multiplier::BatchedPowers => 2,
            Multiplier::EmbeddedRho40 => 3,
        };
        let mut parameters = b"mac'n'cheese v1 ".to_vec();
        parameters.extend_from_slice(H::Value::NAME.as_bytes());
        parameters.push(b'/');
        parameters.extend_from_slice(H::Mac::NAME.as_bytes());
        parameters.extend_from_slice(&[0, multiplier]);
        parameters.extend_from_slice(&(settings.interval as u64).to_le_bytes());
        parameters.extend_from_slice(&stock.index().to_le_bytes());
        challenges.absorb(tags::BEGIN, &parameters);
        Self {
            half,
            channel,
            stock,
            challenges,
            counters,
            reserve: Reserve::new(),
            piece: FIRST_PIECE,
            frame: Vec::new(),
        }
    }

    /// Makes the next piece's random correlations ready, at least `least`: how many they are.
    fn next_piece(&mut self, least: usize) -> Result<usize, Error> {
        if least > LONGEST {
            let reason = format!(
                "thresholds in thresholds need pieces of {least} commitments; {LONGEST} are possible"
            );
            return Err(StatementError::misuse(reason).into());
        }
        let length = self.piece.max(least);
        self.reserve.get(length, self.stock, self.channel)?;
        Ok(length)
    }

    fn end_piece(&mut self, used: usize) {
        self.reserve.advance(used);
        self.piece = (2 * self.piece).min(PIECE);
    }

    /// A round's random correlations, all of them used.
    fn next_round(&mut self, ask: Ask) -> Result<Drawn<H>, Error> {
        let wide = ask.wide.fix.saturating_add(ask.wide.random);
        let narrow = ask.narrow.fix.saturating_add(ask.narrow.random);
        let total = wide.saturating_mul(H::DEGREE).saturating_add(narrow);
        let random = Zeroizing::new(self.reserve.get(total, self.stock, self.channel)?.to_vec());
        self.reserve.advance(total);
        let (first, rest) = random.split_at(wide * H::DEGREE);
        Ok((first.chunks_exact(H::DEGREE).map(H::pack).collect(), rest.to_vec()))
    }

    /// What everything so far was: absorbed before every challenge that is a hash.
    fn absorb_counts(&mut self) {
        let counts = self.counters.read().encode();
        self.challenges.absorb(tags::ASSERTIONS, &counts);
    }

    /// Ends every check that is half way in the making of correlations.
    fn settle_stock(&mut self) -> Result<(), Error> {
        Ok(self.stock.settle(self.channel)?)
    }
}

/// Bytes of a round's message.
fn message_bytes<H: Half>(ask: Ask) -> usize {
    match packed_bytes::<H::Mac>(ask.wide.sent()).saturating_add(H::bytes(ask.narrow.sent())) {
        0 => Tally::BYTES,
        bytes => bytes,
    }
}

fn malformed(step: Tag, reason: impl Into<String>) -> Error {
    Error::Malformed { step, reason: reason.into() }
}

/// The trunk at P.
pub(super) struct ProverTrunk<'a, H: Half> {
    trunk: Trunk<'a, H>,
    /// What nobody writes is uniform.
    dummies: Prg,
    /// The random part of the commitments in the round that is being filled.
    masks: Option<Masks<H>>,
}

struct Masks<H: Half> {
    wide: Zeroizing<Vec<H::Mac>>,
    narrow: Zeroizing<Vec<H::Value>>,
}

impl<'a, H: Half> ProverTrunk<'a, H> {
    pub(super) fn new(trunk: Trunk<'a, H>, rng: &mut dyn CryptoRng) -> Self {
        let mut seed = Zeroizing::new([0; 16]);
        rng.fill_bytes(&mut *seed);
        Self { trunk, dummies: Prg::new(*seed), masks: None }
    }

    /// A generator for a run's own random choices.
    pub(super) fn prg(&mut self) -> Prg {
        Prg::new(self.dummies.block().to_bytes())
    }

    /// Commitments to uniform values.
    fn dummy_wires(&mut self, wires: &mut [H::Wire]) {
        let mut values = Zeroizing::new(vec![H::Value::ZERO; wires.len().min(1 << 10)]);
        for wires in wires.chunks_mut(1 << 10) {
            let values = &mut values[..wires.len()];
            H::uniform(&mut self.dummies, values);
            wires.iter_mut().zip(values).for_each(|(w, x)| *w = H::commit(mask(true), *w, *x));
        }
    }

    /// The last message: the tag of the last query, which is zero.
    pub(super) fn finish(mut self, query: Wide<H::Mac>) -> Result<Tally, Error> {
        let trunk = &mut self.trunk;
        let tally = trunk.counters.read();
        // From the tag of a query that is not zero V, who has its key, would learn the query's value.
        if !query.x.is_zero() {
            let place = "a check at the end of the statement".to_owned();
            return Err(StatementError::Unsatisfied { assertion: tally.assertions, place }.into());
        }
        trunk.settle_stock()?;
        let mut message = Vec::new();
        pack_elements(&[query.m], &mut message);
        message.extend_from_slice(&tally.encode());
        trunk.challenges.send(trunk.channel, tags::ASSERTIONS, &message)?;
        trunk.channel.flush()?;
        Ok(tally)
    }
}

impl<H: Half> Link<H> for ProverTrunk<'_, H> {
    fn piece(&mut self, dummies: bool, least: usize) -> Result<Arc<Piece<H>>, Error> {
        let trunk = &mut self.trunk;
        let length = trunk.next_piece(least)?;
        let mut wires = trunk.reserve.get(length, trunk.stock, trunk.channel)?.to_vec();
        if dummies {
            self.dummy_wires(&mut wires);
        }
        Ok(Arc::new(Piece { wires }))
    }

    fn settle(&mut self, piece: Arc<Piece<H>>, used: usize) -> Result<(), Error> {
        let trunk = &mut self.trunk;
        let random = trunk.reserve.get(used, trunk.stock, trunk.channel)?;
        // What travels is masked: nothing of it is secret.
        let masked: Vec<H::Value> =
            piece.wires.iter().zip(random).map(|(w, r)| H::value(*w) - H::value(*r)).collect();
        trunk.frame.clear();
        H::put(&masked, &mut trunk.frame);
        trunk.challenges.send(trunk.channel, tags::MASKS, &trunk.frame)?;
        trunk.channel.flush()?;
        trunk.end_piece(used);
        Ok(())
    }

    fn round(&mut self, ask: Ask) -> Result<Box<Round<H>>, Error> {
        let (mut wide, mut narrow) = self.trunk.next_round(ask)?;
        let masks = Masks {
            wide: Zeroizing::new(wide.iter().take(ask.wide.fix).map(|r| r.x).collect()),
            narrow: Zeroizing::new(narrow.iter().take(ask.narrow.fix).map(|r| H::value(*r)).collect()),
        };
        self.masks = Some(masks);
        let mut values = Zeroizing::new(vec![H::Mac::ZERO; ask.wide.fix]);
        self.dummies.elements(&mut values);
        wide.iter_mut().zip(values.iter()).for_each(|(w, x)| w.x = *x);
        self.dummy_wires(&mut narrow[..ask.narrow.fix]);
        let mut sent = vec![H::Mac::ZERO; ask.wide.send];
        self.dummies.elements(&mut sent);
        let mut sent_values = vec![H::Value::ZERO; ask.narrow.send];
        H::uniform(&mut self.dummies, &mut sent_values);
        Ok(Box::new(Round {
            wide: slots(wide, ask.wide.fix, sent),
            narrow: slots(narrow, ask.narrow.fix, sent_values),
        }))
    }

    fn challenge(&mut self, round: Box<Round<H>>) -> Result<[u8; 16], Error> {
        let Some(masks) = self.masks.take() else {
            return Err(StatementError::misuse("a round that was not begun").into());
        };
        let trunk = &mut self.trunk;
        let (wide, narrow) = (&round.wide, &round.narrow);
        let mut elements: Vec<H::Mac> =
            wide.fix.iter().zip(masks.wide.iter()).map(|(w, r)| w.x - *r).collect();
        elements.extend_from_slice(&wide.send);
        let mut values: Vec<H::Value> =
            narrow.fix.iter().zip(masks.narrow.iter()).map(|(w, r)| H::value(*w) - *r).collect();
        values.extend_from_slice(&narrow.send);
        trunk.frame.clear();
        pack_elements(&elements, &mut trunk.frame);
        H::put(&values, &mut trunk.frame);
        if trunk.frame.is_empty() {
            trunk.frame.extend_from_slice(&trunk.counters.read().encode());
        }
        trunk.challenges.send(trunk.channel, tags::CHECK_OPENING, &trunk.frame)?;
        trunk.absorb_counts();
        if let Some(seed) = trunk.challenges.hash() {
            return Ok(seed);
        }
        trunk.channel.flush()?;
        Ok(trunk.channel.recv_array(tags::CHALLENGE)?)
    }
}

fn slots<C: Zeroize, S: Zeroize>(mut commitments: Vec<C>, fix: usize, send: Vec<S>) -> Slots<C, S> {
    let random = commitments.split_off(fix);
    let mut slots = Slots::default();
    slots.fix = commitments;
    slots.random = random;
    slots.send = send;
    slots
}

/// The trunk at V.
pub(super) struct VerifierTrunk<'a, H: Half> {
    trunk: Trunk<'a, H>,
}

impl<'a, H: Half> VerifierTrunk<'a, H> {
    pub(super) fn new(trunk: Trunk<'a, H>) -> Self {
        Self { trunk }
    }

    /// Compares the last query's key with the tag that P shows.
    pub(super) fn finish(mut self, query: Wide<H::Mac>) -> Result<Tally, Error> {
        let trunk = &mut self.trunk;
        trunk.settle_stock()?;
        let tally = trunk.counters.read();
        let step = tags::ASSERTIONS;
        let tag_bytes = packed_bytes::<H::Mac>(1);
        trunk.frame.resize(tag_bytes + Tally::BYTES, 0);
        trunk.channel.recv_exact(step, &mut trunk.frame)?;
        trunk.challenges.absorb(step, &trunk.frame);
        let (tag, counts) = trunk.frame.split_at(tag_bytes);
        tally.compare(counts)?;
        let tag = unpack_elements::<H::Mac>(tag, 1).map_err(|error| malformed(step, error.to_string()))?;
        if tag.first() != Some(&query.m) {
            return Err(Error::Rejected {
                reason: "a product, an assertion or a disjunction is wrong".into(),
            });
        }
        Ok(tally)
    }

    /// Receives a piece's masked values, as many as came: from `least`, which every use of it takes, to `most`.
    fn receive(&mut self, least: usize, most: usize) -> Result<Vec<H::Value>, Error> {
        let (trunk, step) = (&mut self.trunk, tags::MASKS);
        trunk.channel.recv_into(step, H::bytes(most), &mut trunk.frame)?;
        trunk.challenges.absorb(step, &trunk.frame);
        let count = H::capacity(trunk.frame.len()).min(most);
        if count < least.max(1) || H::bytes(count) != trunk.frame.len() {
            let reason = format!(
                "{} bytes are no number of values from {} to {most}",
                trunk.frame.len(),
                least.max(1)
            );
            return Err(malformed(step, reason));
        }
        H::get(&trunk.frame, count).map_err(|reason| malformed(step, reason))
    }
}

impl<H: Half> Link<H> for VerifierTrunk<'_, H> {
    fn piece(&mut self, _dummies: bool, least: usize) -> Result<Arc<Piece<H>>, Error> {
        // Correlations first, as P makes them before it sends. What is kept is as long as what came, since a block may hold many pieces.
        let length = self.trunk.next_piece(least)?;
        let masked = self.receive(least, length)?;
        let trunk = &mut self.trunk;
        let random = trunk.reserve.get(masked.len(), trunk.stock, trunk.channel)?;
        let half = &trunk.half;
        let wires = random.iter().zip(&masked).map(|(w, d)| H::add(*w, half.constant(*d))).collect();
        Ok(Arc::new(Piece { wires }))
    }

    fn settle(&mut self, _piece: Arc<Piece<H>>, used: usize) -> Result<(), Error> {
        // The last piece's message is still in the frame, and was read as if it had values up to its last bit.
        let frame = &self.trunk.frame;
        let bits = (used as u64).saturating_mul(H::BITS.into());
        let beyond = frame.last().is_some_and(|last| bits % 8 != 0 && last >> (bits % 8) != 0);
        if frame.len() != H::bytes(used) || beyond {
            let reason = format!(
                "{} bytes for {used} values: the prover runs another program, or cheats",
                frame.len()
            );
            return Err(malformed(tags::MASKS, reason));
        }
        self.trunk.end_piece(used);
        Ok(())
    }

    fn round(&mut self, ask: Ask) -> Result<Box<Round<H>>, Error> {
        let (mut wide, mut narrow) = self.trunk.next_round(ask)?;
        let (trunk, step) = (&mut self.trunk, tags::CHECK_OPENING);
        trunk.frame.resize(message_bytes::<H>(ask), 0);
        trunk.channel.recv_exact(step, &mut trunk.frame)?;
        trunk.challenges.absorb(step, &trunk.frame);
        trunk.absorb_counts();
        if ask.wide.sent() + ask.narrow.sent() == 0 {
            trunk.counters.read().compare(&trunk.frame)?;
            return Ok(Box::new(Round {
                wide: slots(wide, 0, Vec::new()),
                narrow: slots(narrow, 0, Vec::new()),
            }));
        }
        let (elements, values) = trunk.frame.split_at(packed_bytes::<H::Mac>(ask.wide.sent()));
        let mut elements = unpack_elements::<H::Mac>(elements, ask.wide.sent())
            .map_err(|error| malformed(step, error.to_string()))?;
        let mut values = H::get(values, ask.narrow.sent()).map_err(|reason| malformed(step, reason))?;
        let sent = elements.split_off(ask.wide.fix);
        let sent_values = values.split_off(ask.narrow.fix);
        wide.iter_mut().zip(&elements).for_each(|(w, d)| *w += trunk.half.wide_constant(*d));
        narrow.iter_mut().zip(&values).for_each(|(w, d)| *w = H::add(*w, trunk.half.constant(*d)));
        Ok(Box::new(Round {
            wide: slots(wide, ask.wide.fix, sent),
            narrow: slots(narrow, ask.narrow.fix, sent_values),
        }))
    }

    fn challenge(&mut self, _round: Box<Round<H>>) -> Result<[u8; 16], Error> {
        let trunk = &mut self.trunk;
        if let Some(seed) = trunk.challenges.draw() {
            trunk.channel.send(tags::CHALLENGE, &seed)?;
            trunk.channel.flush()?;
            return Ok(seed);
        }
        let seed = trunk.challenges.hash();
        seed.ok_or_else(|| StatementError::misuse("no challenge").into())
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha20Rng;
    use rand_chacha::rand_core::SeedableRng;
    use volery_channel::{Limits, memory_pair};
    use volery_field::Gf128;
    use volery_vole::supply::Correlations;
    use volery_vole::{Delta, Error as VoleError};

    use super::super::{ProverBits, Settings, VerifierBits};
    use super::*;

    /// Correlations that are all zero.
    struct Zeros;

    impl Correlations for Zeros {
        fn refill(&mut self, _channel: &mut dyn Channel, out: &mut Vec<Gf128>) -> Result<(), VoleError> {
            out.clear();
            out.resize(1000, Gf128::ZERO);
            Ok(())
        }

        fn may_wait(&self) -> bool {
            false
        }
    }

    fn trunk<'a, H: Half<Wire = Gf128>>(
        half: H,
        stock: &'a mut Stock,
        channel: &'a mut dyn Channel,
    ) -> Trunk<'a, H> {
        let challenges = Challenges::Seeded(Prg::new([1; 16]));
        Trunk::new(half, Settings::LAN, challenges, stock, channel, Arc::new(Counters::default()))
    }

    #[test]
    fn pieces_of_a_byte_cost_the_verifier_no_more_than_their_commitments() {
        const PIECES: usize = 4096;
        let (mut p, mut v) = memory_pair(&Limits::default());
        let (mut stock, half) =
            (Stock::new(Box::new(Zeros)), VerifierBits::new(&Delta::from_element(Gf128::ONE)));
        std::thread::scope(|scope| {
            scope.spawn(move || {
                for _ in 0..PIECES {
                    p.send(tags::MASKS, &[0x5a]).expect("sent");
                }
                p.flush().expect("sent");
            });
            let mut trunk = VerifierTrunk::new(trunk(half, &mut stock, &mut v));
            let kept = (0..PIECES).map(|_| {
                let piece = trunk.piece(false, 1).expect("eight bits");
                trunk.settle(piece.clone(), 8).expect("all of them used");
                piece.wires.capacity()
            });
            assert_eq!(kept.sum::<usize>(), 8 * PIECES);
            let reserve = &trunk.trunk.reserve;
            assert!(reserve.held.capacity() <= 4 * PIECE, "{}", reserve.held.capacity());
            assert!(reserve.next < 2 * PIECE, "{}", reserve.next);
        });
    }

    #[test]
    fn a_piece_shorter_than_every_use_of_it_is_malformed() {
        let (mut p, mut v) = memory_pair(&Limits::default());
        let (mut stock, half) =
            (Stock::new(Box::new(Zeros)), VerifierBits::new(&Delta::from_element(Gf128::ONE)));
        p.send(tags::MASKS, &[0x5a]).and_then(|()| p.flush()).expect("sent");
        let result = VerifierTrunk::new(trunk(half, &mut stock, &mut v)).piece(false, 16);
        assert!(matches!(result, Err(Error::Malformed { step: tags::MASKS, .. })));
    }

    #[test]
    fn a_prover_whose_last_query_is_not_zero_says_so_and_sends_nothing() {
        let (mut p, mut v) = memory_pair(&Limits::default());
        let mut stock = Stock::new(Box::new(Zeros));
        let trunk = trunk(ProverBits, &mut stock, &mut p);
        let mut rng = ChaCha20Rng::seed_from_u64(1);
        let result = ProverTrunk::new(trunk, &mut rng).finish(Wide { x: Gf128::ONE, m: Gf128::ONE });
        assert!(matches!(result, Err(Error::Statement(StatementError::Unsatisfied { .. }))), "{result:?}");
        drop(p);
        assert!(v.recv(tags::ASSERTIONS, 1 << 10).is_err());
    }
}
