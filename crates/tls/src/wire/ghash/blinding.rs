//! The random `g` that hides a hash key: its powers in shares, and what a party gives to the circuit.

use rand_core::CryptoRng;
use volery_channel::Channel;
use volery_channel::tags::OLE_CORRECTIONS;
use volery_field::{F2, Gf128};
use volery_vole::ole::{Pending, Receiver, Sender};
use zeroize::Zeroizing;

use super::Powers;
use crate::Error;
use crate::wire::products::{packed, random_factor, receive, unpacked};
use crate::wire::step::BLOCK_BITS;

/// The number of products that powers of a hash key up to `greatest` take: one for each odd power of `g`.
#[must_use]
pub(crate) const fn products(greatest: usize) -> usize {
    greatest.div_ceil(2)
}

/// A party's part of `g`; wiped on drop.
pub(crate) struct Blinding {
    /// P's `x`, V's `y`.
    pub(super) factor: Zeroizing<Gf128>,
    /// Its shares of `g, g^3, g^5, ...`.
    odd: Zeroizing<Vec<Gf128>>,
    /// Its share of 1.
    one: Gf128,
}

impl Blinding {
    /// The number of bits of a party's [`inputs`](Blinding::inputs).
    pub(crate) const BITS: usize = 3 * BLOCK_BITS;

    /// What the party gives to [`Step::BlindedKey`](crate::wire::step::Step::BlindedKey): its factor of `g`,
    /// and its shares of the sum of all odd powers but the last, and of the sum of all. The lowest
    /// coefficient comes first.
    pub(crate) fn inputs(&self) -> Zeroizing<Vec<F2>> {
        let sum = |shares: &[Gf128]| Zeroizing::new(shares.iter().fold(Gf128::ZERO, |sum, x| sum + *x));
        let but_last = self.odd.split_last().map_or(&[][..], |(_, others)| others);
        let elements = [&self.factor, &sum(but_last), &sum(&self.odd)];
        let mut bits = Zeroizing::new(Vec::with_capacity(Self::BITS));
        elements.into_iter().for_each(|element| bits.extend(element_bits(**element)));
        bits
    }

    /// The shares of the powers of `h = d + g` up to `greatest`, for which the products were made, given the
    /// bits of `d`.
    ///
    /// # Errors
    /// [`Error::Misuse`] for another number, or unless there are 128 bits.
    pub(crate) fn powers(&self, d: &[F2], greatest: usize) -> Result<Powers, Error> {
        if d.len() != BLOCK_BITS {
            return Err(Error::Misuse(format!("a hash key of {} bits", d.len())));
        }
        let d = Gf128::from_bits(d.iter().rev().fold(0, |bits, bit| bits << 1 | u128::from(bit.to_u8())));
        Powers::new(&self.odd, self.one, d, greatest)
            .ok_or_else(|| Error::Misuse(format!("{greatest} powers from {} products", self.odd.len())))
    }
}

/// P's part before V's corrections.
pub(crate) struct ProverBlinding {
    x: Zeroizing<Gf128>,
    pending: Pending<Gf128>,
}

impl ProverBlinding {
    /// Draws `x` and sends the corrections of its powers. It does not wait.
    ///
    /// # Errors
    /// [`Error::Products`] if too few [`products`] are prepared; what sending meets.
    pub(crate) fn new(
        channel: &mut dyn Channel,
        products: &mut Sender<Gf128>,
        greatest: usize,
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<Self, Error> {
        let x = random_factor(rng);
        let factors = odd_powers(*x, self::products(greatest));
        Self::with(channel, products, x, &factors)
    }

    /// The same with this `x` and these factors: its odd powers unless P cheats.
    pub(super) fn with(
        channel: &mut dyn Channel,
        products: &mut Sender<Gf128>,
        x: Zeroizing<Gf128>,
        factors: &[Gf128],
    ) -> Result<Self, Error> {
        let pending = products.begin(factors)?;
        channel.send(OLE_CORRECTIONS, &packed(pending.corrections()))?;
        Ok(Self { x, pending })
    }

    /// Receives V's corrections.
    ///
    /// # Errors
    /// [`Error::Malformed`] unless V's message has one element for each product; the channel's.
    pub(crate) fn finish(self, channel: &mut dyn Channel) -> Result<Blinding, Error> {
        let Self { x, pending } = self;
        let corrections = corrections(channel, pending.corrections().len())?;
        Ok(Blinding { factor: x, odd: pending.finish(&corrections)?, one: Gf128::ONE })
    }
}

/// V's part, with P's corrections.
pub(crate) struct VerifierBlinding(Vec<Gf128>);

impl VerifierBlinding {
    /// Receives P's corrections.
    ///
    /// # Errors
    /// [`Error::Malformed`] unless P's message has one element for each product; the channel's.
    pub(crate) fn new(channel: &mut dyn Channel, greatest: usize) -> Result<Self, Error> {
        corrections(channel, products(greatest)).map(Self)
    }

    /// Draws `y` and sends the corrections of its powers. It does not wait.
    ///
    /// # Errors
    /// [`Error::Products`] if too few [`products`] are prepared; what sending meets.
    pub(crate) fn finish(
        self,
        channel: &mut dyn Channel,
        products: &mut Receiver<Gf128>,
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<Blinding, Error> {
        let y = random_factor(rng);
        let factors = odd_powers(*y, self.0.len());
        self.with(channel, products, y, &factors)
    }

    /// The same with this `y` and these factors: its odd powers unless V cheats.
    pub(super) fn with(
        self,
        channel: &mut dyn Channel,
        products: &mut Receiver<Gf128>,
        y: Zeroizing<Gf128>,
        factors: &[Gf128],
    ) -> Result<Blinding, Error> {
        let pending = products.begin(factors)?;
        channel.send(OLE_CORRECTIONS, &packed(pending.corrections()))?;
        Ok(Blinding { factor: y, odd: pending.finish(&self.0)?, one: Gf128::ZERO })
    }
}

/// The bits of an element, that of the lowest coefficient first.
pub(crate) fn element_bits(element: Gf128) -> impl Iterator<Item = F2> {
    (0..BLOCK_BITS).map(move |i| F2::new(element.to_bits() >> i & 1 == 1))
}

fn corrections(channel: &mut dyn Channel, count: usize) -> Result<Vec<Gf128>, Error> {
    let message = receive::<Gf128>(channel, OLE_CORRECTIONS, count)?;
    unpacked(OLE_CORRECTIONS, &message, count)
}

/// `x, x^3, x^5, ...`.
pub(super) fn odd_powers(x: Gf128, count: usize) -> Zeroizing<Vec<Gf128>> {
    let (mut powers, square) = (Zeroizing::new(Vec::with_capacity(count)), x.square());
    let mut power = x;
    for _ in 0..count {
        powers.push(power);
        power *= square;
    }
    powers
}
