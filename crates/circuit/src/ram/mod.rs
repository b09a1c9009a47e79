//! Memory that is read and written at secret addresses.
//!
//! **The argument** is offline memory checking (Blum, Evans, Gemmell, Kannan, Naor, FOCS 1991; in this
//! setting Franzese, Katz, Lu, Ostrovsky, Wang, Weng, CCS 2021). Every access has a number, its *time*, from
//! 1 on. A cell's state is the tuple (address, value, time of the last access), at first `(a, 0, 0)`. An
//! access consumes the tuple that it finds, which P commits to, and produces a new one with its own time. At
//! the end P commits to the state of every cell. Two things are claimed:
//!
//! 1. *Time moves forward*: an access at time `t` finds a time in `[0, t)`.
//! 2. *Nothing is lost or invented*: the tuples at first and those produced are, as a multiset, those
//!    consumed and those at the end.
//!
//! **Why every access then finds what the last one left.** Take all tuples of one address. The produced ones
//! have different times, so no tuple occurs twice. Go through the accesses to that address in the order of
//! time. The one at `t` consumes a tuple of an earlier time; by (2) it is one that was there at first or was
//! produced, and each of those is consumed once. All but the last of them were consumed by the accesses
//! before, so it is the last. What is left at the end is the state after the last access. An address beyond
//! the memory has no tuple at first, so its earliest access would find nothing: it cannot be claimed. An
//! address is an element of the field, so a negative or huge one is no other cell.
//!
//! **Unset cells** are zero, or with [`Unset::Refused`] must not be read. Tuples then have a fourth
//! component: 0 at first, 1 when produced. A read must find 1. A write finds what P commits to, which is one
//! of the two because every tuple is.
//!
//! **(1) is a range**: `t - 1 - found = low + 2^h high` with both parts below `2^h`, two [`lookups`]. `h` is
//! half the bits of the most accesses `m`, rounded up, so `m < 2^(2 h)`. The claim is modulo the
//! characteristic `p`: alone it would let `found` be negative, or wrap around. But by (2) it is the time of
//! some tuple, from 0 to `m`. So it differs by less than `m + 2^(2 h)` from the integer `t - 1 - low - 2^h
//! high`, and is that integer if `p` is no less. Fields with a smaller `p` are refused for this `m`.
//!
//! **(2) is a product.** A challenge gives `alpha` and `gamma`. A tuple `x` stands for `alpha - (x_0 +
//! gamma_1 x_1 + ..)`, and the products over both multisets must be equal. P commits to running products, one
//! for three tuples: a relation of degree 4. What is there at first is public, and so is its product. If the
//! multisets differ, the difference of the two products is a polynomial in `alpha` and `gamma` that is not
//! zero, since its factors are irreducible and different. Its degree is the number of tuples of a side,
//! accesses and cells: that is what the challenge tests ([`Tested`]). The coefficients are independent;
//! powers of one would multiply the degree by the number of components. Beyond what one challenge may test
//! there are two, each with products of its own.
//!
//! **Cost**: an access commits to a value, a time, a part of a difference, two halves of an inverse and two
//! thirds of a product: 4 2/3 elements, or 5 1/3 under two challenges; a write one more where unset cells are
//! refused. A cell costs 2 1/3 at the end, or 2 2/3, and one more where unset cells are refused. The address
//! and a value to write are the caller's wires.
//!
//! ```
//! use volery_circuit::{Error, Evaluator, Ram, Unset};
//! use volery_field::F61;
//!
//! // On the evaluator wires are values. In a statement they are secrets, and `b` is any `Challenge<F61>`.
//! let mut b = Evaluator::<F61>::new();
//! let mut ram = Ram::new(1 << 10, Unset::Zero, 100)?;
//! let [address, value] = [700, 42].map(F61::new);
//! ram.write(&mut b, &address, &value)?;
//! assert!(ram.read(&mut b, &address)? == value);
//! // Nothing is claimed before this.
//! let words = ram.finish(&mut b)?;
//! assert!(words[700] == value);
//! # Ok::<(), Error>(())
//! ```
//!
//! **At P** the memory is an array, so P's memory accesses depend on secret addresses.
//!
//! [`lookups`]: crate::lookups

use std::sync::Arc;

use volery_field::{Element, Value};
use zeroize::{Zeroize, Zeroizing};

use crate::lookups::check_characteristic;
use crate::{Challenge, Error, Expression as _, Lookups, Peek, Table, Tested};

/// What a cell holds that was never written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unset {
    /// Zero.
    Zero,
    /// Nothing: it must not be read.
    Refused,
}

/// The most cells of a memory, and the most accesses.
pub const MOST: usize = 1 << 30;

/// A memory of elements. [`Ram::finish`] claims that every read was right.
pub struct Ram<F: Value, W> {
    size: usize,
    unset: Unset,
    most: usize,
    /// The time of the last access.
    now: u64,
    /// Of each access: the value that it leaves, then the tuple that it finds, address first, without a
    /// component that is public.
    log: Vec<W>,
    times: Lookups<F, W>,
    /// The bits of half a difference of times.
    half: u32,
    /// `2^-half`.
    inverse: F,
    cells: Cells<F>,
}

/// P's memory.
struct Cells<F: Value>(Vec<Cell<F>>);

#[derive(Clone, Copy)]
struct Cell<F> {
    value: F,
    time: u64,
}

impl<F: Value> Drop for Cells<F> {
    fn drop(&mut self) {
        self.0.iter_mut().for_each(|cell| {
            cell.value.zeroize();
            cell.time.zeroize();
        });
    }
}

impl<F: Value> Cells<F> {
    /// What an access at time `now` finds at this address, which it visits. An address beyond the memory has
    /// nothing; no proof will be made of that.
    fn visit(&mut self, size: usize, address: F, now: u64, new: Option<F>) -> Cell<F> {
        if self.0.is_empty() {
            self.0 = vec![Cell { value: F::ZERO, time: 0 }; size];
        }
        let cell = small(address).and_then(|address| self.0.get_mut(address));
        let Some(cell) = cell else { return Cell { value: F::ZERO, time: 0 } };
        let found = *cell;
        *cell = Cell { value: new.unwrap_or(found.value), time: now };
        found
    }
}

/// An element as an index, if it is a small integer.
pub(crate) fn small<F: Element>(x: F) -> Option<usize> {
    let mut bytes = Zeroizing::new([0; 32]);
    x.encode(bytes.get_mut(..F::BYTES)?).ok()?;
    let (low, high) = bytes.split_first_chunk()?;
    let number = u64::from_le_bytes(*low);
    high.iter().all(|byte| *byte == 0).then(|| usize::try_from(number).ok()).flatten()
}

impl<F: Value, W> core::fmt::Debug for Ram<F, W> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Ram").field("size", &self.size).field("accesses", &self.now).finish_non_exhaustive()
    }
}

/// The number of triples whose products are made at once, and of cells whose states are committed to at once.
const AT_ONCE: usize = 1 << 9;

impl<F: Value, W: Clone> Ram<F, W> {
    /// A memory of `size` cells for at most `most` accesses.
    ///
    /// # Errors
    /// [`Error::Public`] if either is zero or more than [`MOST`]; [`Error::Misuse`] for a field that is too
    /// small for them.
    pub fn new(size: usize, unset: Unset, most: usize) -> Result<Self, Error> {
        if size == 0 || size > MOST || most == 0 || most > MOST {
            return Err(Error::Public(format!(
                "a memory of {size} cells for {most} accesses; 1 to {MOST} of each are possible"
            )));
        }
        let half = (usize::BITS - most.leading_zeros()).div_ceil(2);
        // No difference of times is another one as an element, and no two addresses are the same element.
        check_characteristic::<F>((most as u64 + (1 << (2 * half))).max(size as u64))?;
        let times = Lookups::new(Arc::new(Table::range(half)?));
        let (inverse, cells) = (F::from_u64(1 << half).inverse_or_zero(), Cells(Vec::new()));
        Ok(Self { size, unset, most, now: 0, log: Vec::new(), times, half, inverse, cells })
    }

    /// The value of the cell at `address`.
    ///
    /// # Errors [`Error::Misuse`] if there are too many accesses; the backend's. An access that cannot be
    /// claimed (beyond the memory, or of an unset cell if that is refused) fails at the end.
    pub fn read<B: Challenge<F, Wire = W>>(&mut self, b: &mut B, address: &W) -> Result<W, B::Error> {
        let Step { now, mask, size } = self.step(b)?;
        let cells = &mut self.cells;
        let [value, time, low] = b.secrets(|peek| {
            let found = cells.visit(size, peek.value(address), now, None);
            let low = now.wrapping_sub(1).wrapping_sub(found.time) & mask;
            Ok([found.value, F::from_u64(found.time), F::from_u64(low)])
        })?;
        let set = (self.unset == Unset::Refused).then(|| b.constant(F::ONE));
        self.access(b, [value.clone(), address.clone(), value.clone(), time], set, &low)?;
        Ok(value)
    }

    /// Stores `value` at `address`.
    ///
    /// # Errors
    /// As [`Ram::read`].
    pub fn write<B: Challenge<F, Wire = W>>(
        &mut self,
        b: &mut B,
        address: &W,
        value: &W,
    ) -> Result<(), B::Error> {
        let Step { now, mask, size } = self.step(b)?;
        let cells = &mut self.cells;
        let mut set = F::ZERO;
        let [found, time, low] = b.secrets(|peek| {
            let found = cells.visit(size, peek.value(address), now, Some(peek.value(value)));
            let low = now.wrapping_sub(1).wrapping_sub(found.time) & mask;
            set = F::from_u64(u64::from(found.time != 0));
            Ok([found.value, F::from_u64(found.time), F::from_u64(low)])
        })?;
        let set = match self.unset {
            Unset::Zero => None,
            Unset::Refused => {
                let [set] = b.secrets(|_| Ok([set]))?;
                Some(set)
            }
        };
        self.access(b, [value.clone(), address.clone(), found, time], set, &low)
    }

    /// Begins an access.
    fn step<B: Challenge<F, Wire = W>>(&mut self, b: &mut B) -> Result<Step, B::Error> {
        if self.now as usize >= self.most {
            let reason = format!("a memory that was made for {} accesses has more", self.most);
            return Err(Error::misuse(reason).into());
        }
        if self.now == 0 {
            b.begin_argument();
        }
        self.now += 1;
        Ok(Step { now: self.now, mask: (1 << self.half) - 1, size: self.size })
    }

    /// Notes an access, and claims that the time that it found is an earlier one.
    fn access<B: Challenge<F, Wire = W>>(
        &mut self,
        b: &mut B,
        record: [W; 4],
        set: Option<W>,
        low: &W,
    ) -> Result<(), B::Error> {
        let [_, _, _, time] = &record;
        let sum = b.add(time, low);
        let negated = b.scale(&sum, -F::ONE);
        let multiple = b.add_constant(&negated, F::from_u64(self.now - 1));
        let high = b.scale(&multiple, self.inverse);
        self.log.extend(record);
        self.log.extend(set);
        self.times.look_up(b, core::slice::from_ref(low))?;
        self.times.look_up(b, &[high])
    }

    /// The components of a tuple.
    fn columns(&self) -> usize {
        if self.unset == Unset::Refused { 4 } else { 3 }
    }

    /// Claims that every access found what the last one left, and returns the values of all cells at the end.
    ///
    /// # Errors
    /// [`Error::Unsatisfied`] if an access was beyond the memory or read an unset cell that is refused; the
    /// backend's.
    pub fn finish<B: Challenge<F, Wire = W>>(self, b: &mut B) -> Result<Vec<W>, B::Error> {
        b.enter("memory");
        let ends = self.ends(b)?;
        let columns = self.columns();
        let Self { size, now, log, times, unset, cells, .. } = self;
        drop(cells);
        times.finish(b)?;
        let tested = Tested::within(now + size as u64, b.most_tested());
        let challenge = b.challenge(columns * tested.repetitions as usize, tested)?;
        for challenge in challenge.chunks_exact(columns) {
            let Some((alpha, gammas)) = challenge.split_first() else { continue };
            let tuples = Tuples::<F, B>::new(*alpha, gammas, &log, &ends, unset);
            tuples.claim(b, size)?;
        }
        if now > 0 {
            b.end_argument();
        }
        b.leave();
        Ok(ends.into_iter().step_by(columns - 1).collect())
    }

    /// Commits to the state of each cell at the end: value, time, and whether it is set, if that matters.
    fn ends<B: Challenge<F, Wire = W>>(&self, b: &mut B) -> Result<Vec<W>, B::Error> {
        let parts = self.columns() - 1;
        let mut ends = Vec::with_capacity(self.size * parts);
        for start in (0..self.size).step_by(AT_ONCE) {
            let n = AT_ONCE.min(self.size - start);
            ends.extend(b.secret(n * parts, &mut |_| {
                let mut values = Vec::with_capacity(n * parts);
                for address in start..start + n {
                    let unvisited = Cell { value: F::ZERO, time: 0 };
                    let Cell { value, time } = self.cells.0.get(address).copied().unwrap_or(unvisited);
                    let set = F::from_u64(u64::from(time != 0));
                    values.extend([value, F::from_u64(time), set].iter().take(parts));
                }
                Ok(values)
            })?);
        }
        Ok(ends)
    }
}

/// An access that begins: its time, the bits of half a difference, and the memory's size.
struct Step {
    now: u64,
    mask: u64,
    size: usize,
}

/// The tuples of a memory under one challenge, as the factors of two products.
struct Tuples<'a, F: Value, B: Challenge<F>> {
    alpha: B::Scalar,
    /// Minus the coefficients of address, value, time, and set.
    coefficients: Zeroizing<Vec<B::Scalar>>,
    /// The same, of value and address, as the log has them.
    produced: [B::Scalar; 2],
    /// What is taken from a produced tuple's factor as public: set.
    set: B::Scalar,
    log: &'a [B::Wire],
    ends: &'a [B::Wire],
    columns: usize,
}

/// The side of the claim that a tuple is on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// Consumed, and there at the end.
    Out,
    /// Produced.
    In,
}

impl<'a, F: Value, B: Challenge<F>> Tuples<'a, F, B> {
    fn new(
        alpha: B::Scalar,
        gammas: &[B::Scalar],
        log: &'a [B::Wire],
        ends: &'a [B::Wire],
        unset: Unset,
    ) -> Self {
        let one = B::embed(F::ONE);
        let coefficients: Vec<_> = core::iter::once(&one).chain(gammas).map(|gamma| -*gamma).collect();
        let coefficient = |i: usize| coefficients.get(i).copied().unwrap_or_default();
        let produced = [coefficient(1), coefficient(0)];
        let set = if unset == Unset::Refused { coefficient(3) } else { B::Scalar::default() };
        let columns = coefficients.len();
        Self { alpha, coefficients: Zeroizing::new(coefficients), produced, set, log, ends, columns }
    }

    fn accesses(&self) -> usize {
        self.log.len() / (self.columns + 1)
    }

    /// The public part, the coefficients and the wires of factor `i` of a side.
    fn factor(&self, side: Side, i: usize) -> (B::Scalar, &[B::Scalar], &[B::Wire]) {
        let record = |i: usize| {
            let stride = self.columns + 1;
            self.log.get(i * stride..(i + 1) * stride).unwrap_or_default()
        };
        let times = |coefficient: Option<&B::Scalar>, n: usize| {
            coefficient.copied().unwrap_or_default() * B::embed(F::from_u64(n as u64))
        };
        match (side, i.checked_sub(self.accesses())) {
            (Side::In, _) => {
                let public = self.alpha + self.set + times(self.coefficients.get(2), i + 1);
                (public, &self.produced, record(i))
            }
            (Side::Out, None) => (self.alpha, &self.coefficients, record(i).get(1..).unwrap_or_default()),
            (Side::Out, Some(cell)) => {
                let parts = self.columns - 1;
                let state = self.ends.get(cell * parts..(cell + 1) * parts).unwrap_or_default();
                let public = self.alpha + times(self.coefficients.first(), cell);
                (public, self.coefficients.get(1..).unwrap_or_default(), state)
            }
        }
    }

    #[inline(always)]
    fn expression<const N: usize>(&self, b: &B, side: Side, i: usize) -> B::Expression<N> {
        let (public, coefficients, wires) = self.factor(side, i);
        b.linear::<N>(public, coefficients, wires)
    }

    #[inline(always)]
    fn value(&self, peek: &dyn Peek<F, B::Wire>, side: Side, i: usize) -> B::Scalar {
        let (public, coefficients, wires) = self.factor(side, i);
        let terms = coefficients.iter().zip(wires);
        terms.fold(public, |sum, (c, wire)| sum + *c * B::embed(peek.value(wire)))
    }

    /// Commits to the product of the `n` factors of a side; none if there are no factors.
    fn product(&self, b: &mut B, side: Side, n: usize) -> Result<Option<B::ScalarWire>, B::Error> {
        let mut last: Option<B::ScalarWire> = None;
        let mut running = Zeroizing::new(B::embed(F::ONE));
        for start in (0..n).step_by(3 * AT_ONCE) {
            let end = n.min(start + 3 * AT_ONCE);
            let triples = || (start..end).step_by(3).map(|i| (i, 3.min(end - i)));
            let products = b.scalars((end - start).div_ceil(3), &mut |peek| {
                let mut next = |(i, count)| {
                    for i in i..i + count {
                        *running *= self.value(peek, side, i);
                    }
                    *running
                };
                Ok(triples().map(&mut next).collect())
            })?;
            for ((i, count), product) in triples().zip(products) {
                let mut factors = match &last {
                    Some(last) => b.scalar::<5>(last),
                    None => B::Expression::<5>::constant(B::embed(F::ONE)),
                };
                if count == 3 {
                    // Written out, so that the compiler leaves out what it knows to be zero.
                    factors = factors * self.expression::<5>(b, side, i);
                    factors = factors * self.expression::<5>(b, side, i + 1);
                    factors = factors * self.expression::<5>(b, side, i + 2);
                } else {
                    for i in i..i + count {
                        factors = factors * self.expression::<5>(b, side, i);
                    }
                }
                b.claim(factors - b.scalar::<5>(&product))?;
                last = Some(product);
            }
        }
        Ok(last)
    }

    /// Claims that the products are equal.
    fn claim(&self, b: &mut B, size: usize) -> Result<(), B::Error> {
        let (accesses, address) = (self.accesses(), self.coefficients.first().copied().unwrap_or_default());
        let first = (0..size as u64).fold(B::embed(F::ONE), |product, cell| {
            product * (self.alpha + address * B::embed(F::from_u64(cell)))
        });
        let out = self.product(b, Side::Out, accesses + size)?;
        let produced = match self.product(b, Side::In, accesses)? {
            Some(produced) => b.scalar::<2>(&produced),
            None => B::Expression::<2>::constant(B::embed(F::ONE)),
        };
        match out {
            Some(out) => b.claim(b.scalar::<2>(&out) - produced.scale(first)),
            None => Err(Error::misuse("a memory without cells").into()),
        }
    }
}

#[cfg(test)]
mod tests;
