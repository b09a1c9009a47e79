//! The prover over a field: commits to each value, and opens one combination of relations for each block.

use std::collections::VecDeque;

use volery_channel::{ChannelExt as _, Latch, Tag, tags};
use volery_circuit::check_linear;
use volery_circuit::polynomials::{MatrixShape, check_set};
use volery_circuit::{
    Backend, Error as StatementError, Hint, Ops, Peek, Place, Polynomials, Prove, Statement,
};
use volery_field::{Authenticated, Mac, Value};
use volery_vole::correlations::Pool;
use volery_vole::subfield::vope;
use zeroize::{Zeroize, Zeroizing};

use super::super::challenges::Challenges;
use super::super::poly::ProverPoly;
use super::super::relations::{Relations, combine_coefficients};
use super::super::{Tally, assertions::Assertions};
use super::elements::ElementWriter;
use super::{Alone, Link, Settings, matrix};
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
    /// Room for a block's relations; two buffers alternate.
    spare: Option<Relations<M>>,
    /// The number of commitments and relations that still fit in the block.
    left: usize,
    interval: usize,
    /// Blocks that were sent and whose seeds have not come, oldest first.
    pending: VecDeque<Block<M>>,
    assertions: Assertions,
    place: Place,
    tally: Tally,
    /// Whether this is a rehearsal: there are no values, and no claim is checked.
    blank: bool,
    failed: Latch<Error>,
}

/// A block that waits for its coefficients.
struct Block<M: Zeroize> {
    relations: Relations<M>,
    /// The coefficients of the VOPE.
    mask: Zeroizing<Vec<M>>,
    tally: Tally,
}

/// The number of multiplications at once: few enough that everything they read and write stays in the
/// first-level cache.
const AT_ONCE: usize = 256;

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
            spare: None,
            left: settings.interval.max(1),
            interval: settings.interval.max(1),
            pending: VecDeque::new(),
            assertions: Assertions::new(),
            place: Place::default(),
            tally: Tally::default(),
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
        Ok((self.tally, self.link))
    }

    fn try_finish(&mut self) -> Result<(), Error> {
        self.failed.check()?;
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

    /// Commits to as many of `values` as [`Prover::at_once`] returned; each takes `places` places. The wires
    /// go to `out`.
    #[inline(always)]
    fn commit_at_once(
        &mut self,
        values: impl ExactSizeIterator<Item = F>,
        places: usize,
        out: &mut Vec<Authenticated<F, M>>,
    ) -> Result<(), Error> {
        let (n, start) = (values.len(), out.len());
        let random = self.pool.at_hand().iter();
        out.extend(values.zip(random).map(|(x, random)| Authenticated { x, m: random.m }));
        let masked = out[start..].iter().zip(self.pool.at_hand()).map(|(wire, random)| wire.x - random.x);
        let full = self.elements.extend(masked);
        self.pool.advance(n);
        self.left -= n * places;
        if full { self.send() } else { Ok(()) }
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
        let result = self.elements.send(&mut self.challenges, self.link.channel());
        let result = result.and_then(|()| Ok(self.link.channel().flush()?));
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
        while self.pending.len() >= IN_FLIGHT {
            self.open_oldest()?;
        }
        let empty = self.spare.take().unwrap_or_else(Relations::new);
        let relations = std::mem::replace(&mut self.relations, empty);
        self.tally.blocks += 1;
        self.pending.push_back(Block { relations, mask, tally: self.tally });
        if let Challenges::FiatShamir(_) = self.challenges {
            // The hash of everything sent so far is this block's seed.
            self.open_oldest()?;
        }
        Ok(self.link.channel().flush()?)
    }

    fn open_all(&mut self) -> Result<(), Error> {
        while !self.pending.is_empty() {
            self.open_oldest()?;
        }
        Ok(())
    }

    /// Gets the seed of the oldest pending block and sends its opening.
    fn open_oldest(&mut self) -> Result<(), Error> {
        let Some(block) = self.pending.pop_front() else { return Ok(()) };
        let seed = self.seed()?;
        let sum =
            Zeroizing::new(combine_coefficients(&block.relations, &seed, M::inner_product, [M::ZERO; 2])?);
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
    fn seed(&mut self) -> Result<[u8; 16], Error> {
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
    pub(crate) fn challenge(&mut self) -> Result<[u8; 16], Error> {
        self.failed.check()?;
        let result = self.close().and_then(|()| self.open_all()).and_then(|()| {
            self.link.channel().flush()?;
            if let Some(digest) = self.link.digest()? {
                self.challenges.absorb(tags::MASKS, &digest);
            }
            self.seed()
        });
        self.latch(result)
    }

    /// The next random correlations.
    pub(crate) fn random(&mut self, out: &mut [Authenticated<F, M>]) -> Result<(), Error> {
        self.failed.check()?;
        let result = self.pool.fill(self.link.channel(), out).map_err(Error::from);
        self.latch(result)
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

impl<F: Value, M: Mac<F>, L: Link> Backend for Prover<'_, F, M, L> {
    type Error = Error;

    fn enter(&mut self, part: &str) {
        self.place.enter(part);
    }

    fn leave(&mut self) {
        self.place.leave();
    }
}

impl<F: Value, M: Mac<F>, L: Link> Ops<F> for Prover<'_, F, M, L> {
    type Wire = Authenticated<F, M>;

    #[inline(always)]
    fn constant(&mut self, c: F) -> Self::Wire {
        Authenticated::constant(c)
    }

    #[inline(always)]
    fn add(&mut self, x: &Self::Wire, y: &Self::Wire) -> Self::Wire {
        *x + *y
    }

    #[inline(always)]
    fn sub(&mut self, x: &Self::Wire, y: &Self::Wire) -> Self::Wire {
        *x - *y
    }

    #[inline(always)]
    fn add_constant(&mut self, x: &Self::Wire, c: F) -> Self::Wire {
        Authenticated { x: x.x + c, m: x.m }
    }

    #[inline(always)]
    fn scale(&mut self, x: &Self::Wire, c: F) -> Self::Wire {
        x.scale(c)
    }

    #[inline(always)]
    fn mul(&mut self, x: &Self::Wire, y: &Self::Wire) -> Result<Self::Wire, Error> {
        let z = self.commit(x.x * y.x)?;
        self.room()?;
        self.relations.push_quadratic(x.m * y.m, y.m.scale(x.x) + x.m.scale(y.x) - z.m);
        self.tally.multiplications += 1;
        Ok(z)
    }

    fn mul_many(&mut self, x: &[Self::Wire], y: &[Self::Wire]) -> Result<Vec<Self::Wire>, Error> {
        if x.len() != y.len() {
            return self.misuse(format!("products of {} and {} wires", x.len(), y.len()));
        }
        let mut out = Vec::with_capacity(x.len());
        while out.len() < x.len() {
            let start = out.len();
            let n = self.at_once(x.len() - start, 2)?;
            if n == 0 {
                out.push(self.mul(&x[start], &y[start])?);
                continue;
            }
            let (x, y) = (&x[start..][..n], &y[start..][..n]);
            self.commit_at_once(x.iter().zip(y).map(|(x, y)| x.x * y.x), 2, &mut out)?;
            let linear = |((x, y), z): ((&Self::Wire, &Self::Wire), &Self::Wire)| {
                y.m.scale(x.x) + x.m.scale(y.x) - z.m
            };
            self.relations.extend_quadratic(
                x.iter().zip(y).map(|(x, y)| x.m * y.m),
                x.iter().zip(y).zip(&out[start..]).map(linear),
            );
            self.tally.multiplications += n as u64;
        }
        Ok(out)
    }

    fn add_products(
        &mut self,
        sums: &mut [Self::Wire],
        x: &[Self::Wire],
        y: &[Self::Wire],
    ) -> Result<(), Error> {
        if sums.len() != x.len() {
            return self.misuse(format!("{} products added to {} wires", x.len(), sums.len()));
        }
        let products = self.mul_many(x, y)?;
        sums.iter_mut().zip(&products).for_each(|(sum, product)| *sum = self.add(product, sum));
        Ok(())
    }
}

impl<F: Value, M: Mac<F>, L: Link> Prove<F> for Prover<'_, F, M, L> {
    fn secret(&mut self, n: usize, hint: Hint<'_, F, Self::Wire>) -> Result<Vec<Self::Wire>, Error> {
        let values = if self.blank { Ok(vec![F::ZERO; n]) } else { hint(&Values).map_err(Error::from) };
        let values = Zeroizing::new(self.latch(values)?);
        if values.len() != n {
            return self.misuse(format!("a hint for {n} values gave {}", values.len()));
        }
        self.tally.secrets += n as u64;
        let mut out = Vec::with_capacity(n);
        while out.len() < n {
            let start = out.len();
            let n = self.at_once(n - start, 1)?;
            self.commit_at_once(values[start..][..n].iter().copied(), 1, &mut out)?;
        }
        Ok(out)
    }

    fn assert_zero(&mut self, x: &[Self::Wire]) -> Result<(), Error> {
        for wire in x {
            self.demand_zero(M::embed(wire.x))?;
            let result = self.assertions.push_element(wire.m);
            self.latch(result)?;
            self.tally.assertions += 1;
        }
        Ok(())
    }

    fn assert_dot(&mut self, x: &[Self::Wire], y: &[Self::Wire], z: &Self::Wire) -> Result<(), Error> {
        self.room()?;
        let sums = M::dot_prover(x, y).map_err(|error| StatementError::misuse(error.to_string()).into());
        let [a_0, a_1, value] = self.latch(sums)?;
        self.demand_zero(value - M::embed(z.x))?;
        self.relations.push_quadratic(a_0, a_1 - z.m);
        self.tally.claim(2);
        Ok(())
    }

    fn assert_linear(&mut self, entries: &[F], x: &[Self::Wire], t: &[F]) -> Result<(), Error> {
        let checked = check_linear(entries.len(), x.len(), t.len()).map_err(Error::from);
        self.latch(checked)?;
        // There are many rows, so values and tags are put side by side once, for all of them.
        let values = Zeroizing::new(Vec::from_iter(x.iter().map(|x| x.x)));
        let tags = Zeroizing::new(Vec::from_iter(x.iter().map(|x| x.m)));
        if x.is_empty() {
            return t.iter().try_for_each(|t| self.demand_zero(M::embed(*t)));
        }
        let mut combined = Zeroizing::new([M::ZERO; matrix::ROWS]);
        for (rows, t) in entries.chunks(matrix::ROWS * x.len()).zip(t.chunks(matrix::ROWS)) {
            for (row, t) in rows.chunks_exact(x.len()).zip(t) {
                let value =
                    F::dot(row, &values).map_err(|error| StatementError::misuse(error.to_string()).into());
                let value = self.latch(value)?;
                self.demand_zero(M::embed(value - *t))?;
            }
            let combined = &mut combined[..t.len()];
            let result = M::combine_rows(rows, &tags, combined);
            self.latch(result.map_err(|error| StatementError::misuse(error.to_string()).into()))?;
            for tag in combined {
                let result = self.assertions.push_element(*tag);
                self.latch(result)?;
                self.tally.assertions += 1;
            }
        }
        Ok(())
    }

    fn assert_products(&mut self, x: &[Self::Wire], y: &[Self::Wire], z: &[Self::Wire]) -> Result<(), Error> {
        if x.len() != y.len() || y.len() != z.len() {
            return self.misuse(format!("products of {}, {} and {} wires", x.len(), y.len(), z.len()));
        }
        for ((x, y), z) in x.iter().zip(y).zip(z) {
            self.room()?;
            self.demand_zero(M::embed(x.x * y.x - z.x))?;
            self.relations.push_quadratic(x.m * y.m, y.m.scale(x.x) + x.m.scale(y.x) - z.m);
            self.tally.claim(2);
        }
        Ok(())
    }
}

impl<F: Value, M: Mac<F>, L: Link> Polynomials<F> for Prover<'_, F, M, L> {
    type Poly = ProverPoly<M>;

    fn poly(&mut self, x: &Self::Wire) -> Self::Poly {
        ProverPoly::wire(M::embed(x.x), x.m)
    }

    fn poly_constant(&mut self, c: F) -> Self::Poly {
        ProverPoly::constant(M::embed(c))
    }

    fn poly_add(&mut self, p: &Self::Poly, q: &Self::Poly) -> Self::Poly {
        p.add(q)
    }

    fn poly_scale(&mut self, p: &Self::Poly, c: F) -> Self::Poly {
        p.scale(|p| p.scale(c))
    }

    fn poly_mul(&mut self, p: &Self::Poly, q: &Self::Poly) -> Result<Self::Poly, Error> {
        let product = p.mul(q).map_err(Error::from);
        self.latch(product)
    }

    fn assert_one_of(&mut self, x: &[Self::Wire], set: &[F]) -> Result<(), Error> {
        let checked = check_set(set.len()).map_err(Error::from);
        self.latch(checked)?;
        for x in x {
            let factors = set.iter().map(|element| [x.m, M::embed(x.x - *element)]);
            self.assert_poly_zero(&[ProverPoly::product(factors)])?;
        }
        Ok(())
    }

    fn assert_poly_zero(&mut self, p: &[Self::Poly]) -> Result<(), Error> {
        for p in p {
            let Some((value, coefficients)) = p.coefficients().split_last() else { continue };
            self.demand_zero(*value)?;
            match coefficients {
                // A public zero.
                [] => {}
                // Nothing to mask, as for a wire that is zero.
                [tag] => {
                    let result = self.assertions.push_element(*tag);
                    self.latch(result)?;
                    self.tally.assertions += 1;
                }
                _ => {
                    self.room()?;
                    self.relations.push(coefficients.len(), coefficients.iter().copied());
                    self.tally.claim(coefficients.len());
                }
            }
        }
        Ok(())
    }

    fn assert_matrix_product(
        &mut self,
        shape: MatrixShape,
        a: &[Self::Wire],
        b: &[Self::Wire],
        c: &[Self::Wire],
    ) -> Result<(), Error> {
        let checked = shape.check(a.len(), b.len(), c.len()).map_err(Error::from);
        self.latch(checked)?;
        let seed = self.challenge()?;
        let folded = matrix::fold_prover(shape, a, b, c, seed);
        let folded = self.latch(folded)?;
        self.room()?;
        self.demand_zero(folded.value)?;
        self.relations.push_quadratic(folded.a_0, folded.a_1);
        self.tally.claim(2);
        self.tally.folds += 1;
        Ok(())
    }
}

/// The values that hints see at P.
struct Values;

impl<F: Value, M: Mac<F>> Peek<F, Authenticated<F, M>> for Values {
    fn value(&self, wire: &Authenticated<F, M>) -> F {
        wire.x
    }
}
