//! Memory that is read and written at secret addresses.
//!
//! **The argument** is offline memory checking (Blum, Evans, Gemmell, Kannan, Naor, FOCS 1991; in this
//! setting Franzese, Katz, Lu, Ostrovsky, Wang, Weng, CCS 2021). Every access has a number, its *time*, from
//! 1 on. A cell's state is the tuple (address, value, time of the last access), at first `(a, v_a, 0)`. An
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
//! **What is there at first** may be public ([`Ram::with_public`]) or committed to ([`Ram::with_committed`]),
//! for some cells from the first one on.
//!
//! **Unset cells**, all others, are zero, or with [`Unset::Refused`] must not be read. Tuples then have a
//! further component, *set*: 0 at first in these cells, otherwise 1. A read must find 1. A write finds what P
//! commits to, which is one of the two because every tuple is.
//!
//! **Conditional accesses** ([`Ram::with_conditions`]) take place if a wire `c` is 1. If it is 0 they go to a
//! cell of their own, the *sink*. Tuples then have a further component, *skipped*: 1 for the sink, 0 for the
//! memory's cells and in every other access. A conditional access has `1 - c` there and the address `c a`.
//! With pairs of address and *skipped* as addresses the argument above holds as it is. No other access
//! reaches the sink, and a `c` that is neither 0 nor 1 reaches no cell at all.
//!
//! **(1) is a range**: `t - 1 - found = low + 2^h high` with both parts below `2^h`, two [`lookups`]. `h` is
//! half the bits of the most accesses `m`, rounded up, so `m < 2^(2 h)`. The claim is modulo the
//! characteristic `p`: alone it would let `found` be negative, or wrap around. But by (2) it is the time of
//! some tuple, from 0 to `m`. So it differs by less than `m + 2^(2 h)` from the integer `t - 1 - low - 2^h
//! high`, and is that integer if `p` is no less. Fields with a smaller `p` are refused for this `m`.
//!
//! **(2) is a product.** A challenge gives `alpha` and `gamma`. A tuple `x` stands for `alpha - (x_0 +
//! gamma_1 x_1 + ..)`, and the products over both multisets must be equal. P commits to running products, one
//! for three tuples: a relation of degree 4. The factors of what is public at first have a public product. If
//! the multisets differ, the difference of the two products is a polynomial in `alpha` and `gamma` that is
//! not zero, since its factors are irreducible and different. Its degree is the number of tuples of a side,
//! accesses and cells: that is what the challenge tests ([`Tested`]). The coefficients are independent;
//! powers of one would multiply the degree by the number of components. Beyond what one challenge may test
//! there are two, each with products of its own.
//!
//! **Cost**: an access commits to a value, a time, a part of a difference, two halves of an inverse and two
//! thirds of a product: 4 2/3 elements, or 5 1/3 under two challenges; a write one more where unset cells are
//! refused, and a conditional access one more. A cell costs 2 1/3 at the end, or 2 2/3, and one more where
//! unset cells are refused. What a cell holds at first costs nothing if it is public, two products at either
//! party; if it is committed to it costs 1/3, or 2/3. The address and a value to write are the caller's
//! wires.
//!
//! ```
//! use volery_circuit::{Error, Evaluator, Ram, Unset};
//! use volery_field::F61;
//!
//! // On the evaluator wires are values. In a statement they are secrets, and `b` is any `Challenge<F61>`.
//! let mut b = Evaluator::<F61>::new();
//! let mut ram = Ram::new(1 << 10, Unset::Zero, 100)?.with_public(vec![F61::new(5)])?.with_conditions()?;
//! let [zero, one, address, value] = [0, 1, 700, 42].map(F61::new);
//! ram.write(&mut b, &address, &value)?;
//! assert!(ram.read(&mut b, &address)? == value);
//! // A secret bit decides whether an access takes place.
//! ram.write_if(&mut b, &zero, &address, &one)?;
//! // Nothing is claimed before this.
//! let words = ram.finish(&mut b)?;
//! assert!(words[0] == F61::new(5) && words[700] == value);
//! # Ok::<(), Error>(())
//! ```
//!
//! **At P** the memory is an array, so P's memory accesses depend on secret addresses.
//!
//! [`lookups`]: crate::lookups

mod cells;
mod tuples;

use std::sync::Arc;

use volery_field::Value;

use crate::lookups::check_characteristic;
use crate::records::Records;
use crate::{Challenge, Error, Lookups, Table, Tested};
use cells::{Cell, Cells, Contents};
use tuples::{Columns, Tuples, Wires};

pub(crate) use cells::small;

/// What a cell holds that was never written and held nothing at first.
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
    columns: Columns,
    contents: Contents<F, W>,
    most: usize,
    /// The time of the last access.
    now: u64,
    /// See [`Columns::record`].
    log: Records<W>,
    times: Lookups<F, W>,
    /// The bits of half a difference of times.
    half: u32,
    /// `2^-half`.
    inverse: F,
    cells: Cells<F>,
}

impl<F: Value, W> core::fmt::Debug for Ram<F, W> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Ram").field("size", &self.size).field("accesses", &self.now).finish_non_exhaustive()
    }
}

/// The number of cells whose states are committed to at once.
const AT_ONCE: usize = 1 << 9;

/// Where an access goes: a wire that is 1 if it is skipped, if there are such, and the address.
struct Place<W> {
    skipped: Option<W>,
    address: W,
}

impl<F: Value, W: Clone> Ram<F, W> {
    /// A memory of `size` cells for at most `most` accesses. No cell is set.
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
        let columns = Columns::new(unset, false);
        Ok(Self {
            size,
            columns,
            contents: Contents::Public(Vec::new()),
            most,
            now: 0,
            log: Records::new(columns.record()),
            times: Lookups::new(Arc::new(Table::range(half)?)),
            half,
            inverse: F::from_u64(1 << half).inverse_or_zero(),
            cells: Cells(Vec::new()),
        })
    }

    /// With these public values in its first cells.
    ///
    /// # Errors
    /// [`Error::Public`] if there are more of them than cells; [`Error::Misuse`] after the first access.
    pub fn with_public(self, values: Vec<F>) -> Result<Self, Error> {
        self.with(Contents::Public(values))
    }

    /// With the values of these wires in its first cells.
    ///
    /// # Errors
    /// As [`Ram::with_public`].
    pub fn with_committed(self, wires: Vec<W>) -> Result<Self, Error> {
        self.with(Contents::Committed(wires))
    }

    fn with(self, contents: Contents<F, W>) -> Result<Self, Error> {
        self.unused()?;
        contents.check(self.size)?;
        Ok(Self { contents, ..self })
    }

    /// With conditional accesses: [`Ram::read_if`] and [`Ram::write_if`].
    ///
    /// # Errors
    /// [`Error::Misuse`] after the first access.
    pub fn with_conditions(mut self) -> Result<Self, Error> {
        self.unused()?;
        self.columns.skipped = true;
        self.log = Records::new(self.columns.record());
        Ok(self)
    }

    fn unused(&self) -> Result<(), Error> {
        if self.now == 0 {
            return Ok(());
        }
        Err(Error::misuse("a memory is changed after its first access"))
    }

    /// The value of the cell at `address`.
    ///
    /// # Errors
    /// [`Error::Misuse`] if there are too many accesses; the backend's. An access that cannot be claimed
    /// (beyond the memory, or of an unset cell if that is refused) fails at the end.
    pub fn read<B: Challenge<F, Wire = W>>(&mut self, b: &mut B, address: &W) -> Result<W, B::Error> {
        let place = self.always(b, address);
        self.read_at(b, place)
    }

    /// The value of the cell at `address` if `condition` is 1. If it is 0 there is no access, `address` may
    /// be anything, and what is returned has no meaning.
    ///
    /// # Errors
    /// As [`Ram::read`]; [`Error::Misuse`] without [`Ram::with_conditions`]. A condition that is neither 0
    /// nor 1 fails at the end.
    pub fn read_if<B: Challenge<F, Wire = W>>(
        &mut self,
        b: &mut B,
        condition: &W,
        address: &W,
    ) -> Result<W, B::Error> {
        let place = self.sometimes(b, condition, address)?;
        self.read_at(b, place)
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
        let place = self.always(b, address);
        self.write_at(b, place, value)
    }

    /// Stores `value` at `address` if `condition` is 1. If it is 0 there is no access, and `address` may be
    /// anything.
    ///
    /// # Errors
    /// As [`Ram::read_if`].
    pub fn write_if<B: Challenge<F, Wire = W>>(
        &mut self,
        b: &mut B,
        condition: &W,
        address: &W,
        value: &W,
    ) -> Result<(), B::Error> {
        let place = self.sometimes(b, condition, address)?;
        self.write_at(b, place, value)
    }

    /// Has P read the cells at these addresses, which accesses will come to soon: some ten to a hundred.
    ///
    /// It changes nothing but P's time. An access alone waits until its cell has come from memory, which can
    /// take as long as all the rest; cells that are read together come at the same time.
    pub fn touch<B: Challenge<F, Wire = W>>(&self, b: &B, addresses: &[W]) {
        let cells = addresses.iter().filter_map(|address| self.cells.0.get(small(b.peek(address)?)?));
        cells.for_each(|cell| {
            core::hint::black_box(cell.time);
        });
    }

    fn always<B: Challenge<F, Wire = W>>(&self, b: &mut B, address: &W) -> Place<W> {
        let skipped = self.columns.skipped.then(|| b.constant(F::ZERO));
        Place { skipped, address: address.clone() }
    }

    fn sometimes<B: Challenge<F, Wire = W>>(
        &self,
        b: &mut B,
        condition: &W,
        address: &W,
    ) -> Result<Place<W>, B::Error> {
        if !self.columns.skipped {
            return Err(Error::misuse("a conditional access to a memory without conditions").into());
        }
        let address = b.mul(condition, address)?;
        let negated = b.scale(condition, -F::ONE);
        Ok(Place { skipped: Some(b.add_constant(&negated, F::ONE)), address })
    }

    fn read_at<B: Challenge<F, Wire = W>>(&mut self, b: &mut B, place: Place<W>) -> Result<W, B::Error> {
        self.step(b)?;
        let ([found, time, low], _) = self.find(b, &place, None)?;
        let set = self.columns.set.then(|| b.constant(F::ONE));
        self.access(b, found.clone(), place, [found.clone(), time], set, &low)?;
        Ok(found)
    }

    fn write_at<B: Challenge<F, Wire = W>>(
        &mut self,
        b: &mut B,
        place: Place<W>,
        value: &W,
    ) -> Result<(), B::Error> {
        self.step(b)?;
        let ([found, time, low], was_set) = self.find(b, &place, Some(value))?;
        let set = match self.columns.set {
            false => None,
            true => {
                let [set] = b.secrets(|_| Ok([was_set]))?;
                Some(set)
            }
        };
        self.access(b, value.clone(), place, [found, time], set, &low)
    }

    /// Begins an access.
    fn step<B: Challenge<F, Wire = W>>(&mut self, b: &mut B) -> Result<(), B::Error> {
        if self.now as usize >= self.most {
            let reason = format!("a memory that was made for {} accesses has more", self.most);
            return Err(Error::misuse(reason).into());
        }
        if self.now == 0 {
            b.begin_argument();
        }
        self.now += 1;
        Ok(())
    }

    /// Commits to the value and the time that an access finds and to the lower half of the difference of
    /// times. Returns also whether the cell was set, where values exist. A write leaves `new`.
    fn find<B: Challenge<F, Wire = W>>(
        &mut self,
        b: &mut B,
        place: &Place<W>,
        new: Option<&W>,
    ) -> Result<([W; 3], F), B::Error> {
        let Self { size, contents, cells, now, half, .. } = self;
        let mut set = F::ZERO;
        let wires = b.secrets(|peek| {
            cells.fill(*size, contents, peek);
            let cell = match &place.skipped {
                Some(skipped) if peek.value(skipped) == F::ONE => Some(*size),
                _ => small(peek.value(&place.address)).filter(|cell| *cell < *size),
            };
            let found = cells.visit(cell, *now, new.map(|new| peek.value(new)));
            set = is_set(contents.len(), *size, cell, found.time);
            let low = now.wrapping_sub(1).wrapping_sub(found.time) & ((1 << *half) - 1);
            Ok([found.value, F::from_u64(found.time), F::from_u64(low)])
        })?;
        Ok((wires, set))
    }

    /// Notes an access, and claims that the time that it found is an earlier one.
    fn access<B: Challenge<F, Wire = W>>(
        &mut self,
        b: &mut B,
        left: W,
        Place { skipped, address }: Place<W>,
        [found, time]: [W; 2],
        set: Option<W>,
        low: &W,
    ) -> Result<(), B::Error> {
        let sum = b.add(&time, low);
        let negated = b.scale(&sum, -F::ONE);
        let multiple = b.add_constant(&negated, F::from_u64(self.now - 1));
        let high = b.scale(&multiple, self.inverse);
        let record = self.log.next();
        record.extend([left, address]);
        record.extend(skipped);
        record.extend([found, time]);
        record.extend(set);
        self.times.look_up(b, core::slice::from_ref(low))?;
        self.times.look_up(b, &[high])
    }

    /// Claims that every access found what the last one left, and returns the values of all cells at the end.
    ///
    /// # Errors
    /// [`Error::Unsatisfied`] if an access was beyond the memory or read an unset cell that is refused, or a
    /// condition is neither 0 nor 1; the backend's.
    pub fn finish<B: Challenge<F, Wire = W>>(mut self, b: &mut B) -> Result<Vec<W>, B::Error> {
        b.enter("memory");
        let mut ends = self.ends(b)?;
        let Self { size, columns, contents, now, log, times, cells, .. } = self;
        drop(cells);
        times.finish(b)?;
        let values = (contents.committed().len() + log.wires() + ends.len()) as u64;
        let degree = now + (size + usize::from(columns.skipped)) as u64;
        let tested = Tested::within(degree, values, b.most_tested());
        let challenge = b.challenge(columns.count() * tested.repetitions as usize, tested)?;
        let wires = Wires { columns, size, contents: &contents, log: &log, ends: &ends };
        for challenge in challenge.chunks_exact(columns.count()) {
            let Some((alpha, gammas)) = challenge.split_first() else { continue };
            Tuples::<F, B>::new(*alpha, gammas, &wires).claim(b)?;
        }
        if now > 0 {
            b.end_argument();
        }
        b.leave();
        // The values alone, without a second vector.
        (0..size).for_each(|cell| ends.swap(cell, cell * columns.state()));
        ends.truncate(size);
        Ok(ends)
    }

    /// Commits to the state of each cell at the end, the sink's last: see [`Columns::state`].
    fn ends<B: Challenge<F, Wire = W>>(&mut self, b: &mut B) -> Result<Vec<W>, B::Error> {
        let Self { size, columns, contents, cells, .. } = self;
        let (count, parts) = (*size + usize::from(columns.skipped), columns.state());
        let mut ends = Vec::with_capacity(count * parts);
        for start in (0..count).step_by(AT_ONCE) {
            let n = AT_ONCE.min(count - start);
            ends.extend(b.secret(n * parts, &mut |peek| {
                cells.fill(*size, contents, peek);
                let mut values = Vec::with_capacity(n * parts);
                for (number, Cell { value, time }) in cells.0.iter().enumerate().skip(start).take(n) {
                    let set = is_set(contents.len(), *size, Some(number), *time);
                    values.extend([*value, F::from_u64(*time), set].iter().take(parts));
                }
                Ok(values)
            })?);
        }
        Ok(ends)
    }
}

/// Whether a cell with this last access is set, in a memory that holds `held` values at first. The sink is.
fn is_set<F: Value>(held: usize, size: usize, cell: Option<usize>, time: u64) -> F {
    let at_first = cell.is_some_and(|cell| cell < held || cell == size);
    F::from_u64(u64::from(time != 0 || at_first))
}

#[cfg(test)]
mod tests;
