//! Polynomials over bits that must vanish. A block of a Boolean proof checks them together with its products
//! (figure 5).

use volery_channel::Channel;
use volery_field::{Gf128, LengthError, gf128::Kernel};
use volery_vole::correlations::Pool;
use volery_vole::subfield::vope;
use volery_vole::{pack, pack_bits};
use zeroize::Zeroizing;

use super::super::relations::{Relations, RunningSums};
use super::Settings;
use crate::Error;

/// The claims of the current block. Both parties count what P keeps of them, so that P's memory is bounded
/// and both end the block at the same place.
pub(super) struct Claims {
    relations: Relations<Gf128>,
    /// The number of coefficients of the relations: for each, its degree.
    coefficients: usize,
    /// The block is full with this many coefficients or more.
    most: usize,
    /// The number of entries of a relation of degree 2: P's coefficients, or only V's value.
    entries: usize,
    /// The number of relations of degree 2 in a block in which every commitment is a bit of an S-box.
    usual: usize,
}

impl Claims {
    /// Claims of a party that keeps this many `entries` of a relation of degree 2.
    pub(super) fn new(settings: Settings, entries: usize) -> Self {
        let interval = settings.interval.max(1);
        let (most, usual) = (interval.saturating_mul(Settings::COEFFICIENTS), interval / 4 + 2);
        Self { relations: Relations::new(), coefficients: 0, most, entries, usual }
    }

    /// Whether the block must end before the next claim.
    pub(super) fn is_full(&self) -> bool {
        self.coefficients >= self.most
    }

    /// Adds a relation of `degree`, at least 2: P's coefficients without the top one, or only V's value.
    pub(super) fn push(&mut self, degree: usize, entries: impl IntoIterator<Item = Gf128>) {
        if degree == 2 && self.relations.waiting() == 0 {
            // Room is made first, because vectors that grow leave their old content behind.
            self.relations.reserve_quadratic(self.entries, self.usual);
        }
        self.relations.push(degree, entries);
        self.coefficients = self.coefficients.saturating_add(degree);
    }

    /// The greatest degree of the block's relations, including products: at least 2.
    pub(super) fn degree(&self) -> usize {
        self.relations.degree()
    }

    /// Makes room in a proof of one block: adds the claims to `sums`, or if there is no seed yet, forgets
    /// them. At the end of the proof it takes `all`; before, some may stay.
    pub(super) fn spill(&mut self, sums: Option<&mut RunningSums<Gf128>>, all: bool) -> Result<(), Error> {
        self.coefficients = 0;
        match sums {
            Some(sums) => sums.absorb(&mut self.relations, all),
            None => {
                self.relations.clear();
                Ok(())
            }
        }
    }

    /// Ends the block.
    pub(super) fn take(&mut self) -> Relations<Gf128> {
        self.coefficients = 0;
        std::mem::replace(&mut self.relations, Relations::new())
    }
}

/// The kernel for `sum a_i b_i`.
pub(super) fn inner_product(a: &[Gf128], b: &[Gf128]) -> Result<Gf128, LengthError> {
    Kernel::detect().inner_product(a, b)
}

/// P's mask for the opening of a block with relations up to `degree`: that many coefficients, of a VOPE of
/// one degree less.
pub(super) fn mask(
    degree: usize,
    pool: &mut Pool,
    channel: &mut dyn Channel,
) -> Result<Zeroizing<Vec<Gf128>>, Error> {
    let random = random(degree, pool, channel)?;
    let packed = random.as_chunks().0.iter().map(|random| [pack(random), pack_bits(random)]);
    let packed = Zeroizing::new(Vec::from_iter(packed));
    Ok(Zeroizing::new(vope::prover_packed(degree - 1, &packed)?))
}

/// V's part of the mask: the VOPE's value at delta.
pub(super) fn mask_value(
    degree: usize,
    pool: &mut Pool,
    channel: &mut dyn Channel,
) -> Result<Zeroizing<Gf128>, Error> {
    let random = random(degree, pool, channel)?;
    let packed = Zeroizing::new(Vec::from_iter(random.as_chunks().0.iter().map(pack)));
    Ok(Zeroizing::new(vope::verifier_packed(degree - 1, &packed)?))
}

/// Correlations to be packed, 128 into one over GF(2^128).
fn random(degree: usize, pool: &mut Pool, channel: &mut dyn Channel) -> Result<Zeroizing<Vec<Gf128>>, Error> {
    let mut random = Zeroizing::new(vec![Gf128::ZERO; 128 * vope::packed_correlations(degree - 1)]);
    pool.fill(channel, &mut random)?;
    Ok(random)
}
