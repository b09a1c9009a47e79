//! Linear forms in the columns of a row, and what a row says with them: which tuples it consumes and
//! produces, and which rows of public tables it looks up.

use core::ops::{Add, Mul, Sub};

use volery_circuit::Peek;
use volery_field::{F61, Field as _, Ring as _};

use super::public::Public;

/// The class of an integer.
pub(super) fn integer(n: i64) -> F61 {
    let magnitude = F61::new(n.unsigned_abs());
    if n < 0 { -magnitude } else { magnitude }
}

/// `constant + sum coefficient * column`.
#[derive(Clone, Debug)]
pub(super) struct Form {
    pub(super) constant: F61,
    pub(super) terms: Vec<(usize, F61)>,
}

/// The form that is one column.
pub(super) fn column(index: usize) -> Form {
    Form { constant: F61::ZERO, terms: vec![(index, F61::ONE)] }
}

/// The form that is an integer.
pub(super) fn number(n: i64) -> Form {
    Form { constant: integer(n), terms: Vec::new() }
}

impl Form {
    fn scale(mut self, c: F61) -> Self {
        self.constant *= c;
        self.terms.iter_mut().for_each(|(_, coefficient)| *coefficient *= c);
        self
    }

    /// `2^-bits` times this.
    pub(super) fn shifted_down(self, bits: u32) -> Self {
        self.scale(F61::new(1 << bits).inverse_or_zero())
    }

    /// The column that the form is, if it is one.
    pub(super) fn as_column(&self) -> Option<usize> {
        match self.terms[..] {
            [(index, F61::ONE)] if self.constant == F61::ZERO => Some(index),
            _ => None,
        }
    }

    /// The value in a row.
    pub(super) fn value(&self, row: &[F61]) -> F61 {
        let term = |(index, c): &(usize, F61)| row.get(*index).map_or(F61::ZERO, |x| *x * *c);
        self.terms.iter().map(term).fold(self.constant, |sum, x| sum + x)
    }

    /// The value in a row at P.
    pub(super) fn peek<W>(&self, peek: &dyn Peek<F61, W>, row: &[W]) -> F61 {
        let term = |(index, c): &(usize, F61)| row.get(*index).map_or(F61::ZERO, |x| peek.value(x) * *c);
        self.terms.iter().map(term).fold(self.constant, |sum, x| sum + x)
    }
}

impl Add for Form {
    type Output = Self;
    fn add(mut self, other: Self) -> Self {
        self.constant += other.constant;
        for (index, c) in other.terms {
            match self.terms.iter_mut().find(|(at, _)| *at == index) {
                Some((_, coefficient)) => *coefficient += c,
                None => self.terms.push((index, c)),
            }
        }
        self
    }
}

impl Sub for Form {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + other.scale(-F61::ONE)
    }
}

impl Mul<i64> for Form {
    type Output = Self;
    fn mul(self, n: i64) -> Self {
        self.scale(integer(n))
    }
}

/// The side of the multiset on which a tuple is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Produced, or there at first.
    In,
    /// Consumed, or there at the end.
    Out,
}

/// The kinds of tuples: the first component of each. Tuples of different kinds never match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    /// A register: number, value, time.
    Register = 1,
    /// A word of memory: address, value, time.
    Memory = 2,
    /// The processor: place, time; in an environment call also what is being transferred.
    State = 3,
    /// A word of memory across segments: address, value, segment.
    Log = 4,
}

/// The most components of a tuple and of a row of a public table, the kind among them.
pub(super) const WIDTH: usize = 11;

/// A tuple that each row consumes or produces.
#[derive(Clone, Debug)]
pub(super) struct Tuple {
    pub(super) side: Side,
    pub(super) forms: Vec<Form>,
}

/// A row of a public table that each row looks up.
#[derive(Clone, Debug)]
pub(super) struct Lookup {
    pub(super) table: Public,
    /// Without the table's number.
    pub(super) forms: Vec<Form>,
}

/// What the rows of one table have in common, besides their relations.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) columns: usize,
    pub(super) tuples: Vec<Tuple>,
    pub(super) lookups: Vec<Lookup>,
}

/// Where an access has the time that it finds, and the lower limb of the difference to its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) time: usize,
    pub(super) low: usize,
}

impl Shape {
    pub(super) fn new(columns: usize) -> Self {
        Self { columns, tuples: Vec::new(), lookups: Vec::new() }
    }

    fn tuple(&mut self, side: Side, space: Space, rest: impl IntoIterator<Item = Form>) {
        let forms: Vec<_> = core::iter::once(number(space as i64)).chain(rest).collect();
        debug_assert!(forms.len() <= WIDTH);
        self.tuples.push(Tuple { side, forms });
    }

    pub(super) fn produce(&mut self, space: Space, rest: impl IntoIterator<Item = Form>) {
        self.tuple(Side::In, space, rest);
    }

    pub(super) fn consume(&mut self, space: Space, rest: impl IntoIterator<Item = Form>) {
        self.tuple(Side::Out, space, rest);
    }

    pub(super) fn look_up(&mut self, table: Public, forms: impl IntoIterator<Item = Form>) {
        let forms: Vec<_> = forms.into_iter().collect();
        debug_assert!(forms.len() < WIDTH);
        self.lookups.push(Lookup { table, forms });
    }

    /// The form is an integer below 2^16.
    pub(super) fn short(&mut self, form: Form) {
        self.look_up(Public::Short, [form]);
    }

    /// The form is an integer below 2^8.
    pub(super) fn byte(&mut self, form: Form) {
        self.look_up(Public::Byte, [form]);
    }

    /// The form is an integer below 2^32, whose lower 16 bits are in the column `low`.
    pub(super) fn word(&mut self, form: Form, low: usize) {
        self.short(column(low));
        self.short((form - column(low)).shifted_down(16));
    }

    /// An access to a cell at the time `now`: finds a value and leaves one.
    pub(super) fn access(
        &mut self,
        (space, address): (Space, Form),
        [found, left]: [Form; 2],
        now: Form,
        Found { time, low }: Found,
    ) {
        self.consume(space, [address.clone(), found, column(time)]);
        self.produce(space, [address, left, now.clone()]);
        self.word(now - column(time) - number(1), low);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_what_they_say() {
        let form = (column(1) * 3 - column(0) + number(-5)).shifted_down(1) + column(1);
        // (3 * 7 - 4 - 5) / 2 + 7.
        assert!(form.value(&[4, 7].map(F61::new)) == F61::new(13));
        assert_eq!(form.terms.len(), 2);
        assert!(integer(-1) + F61::ONE == F61::ZERO);
        assert_eq!(column(3).as_column(), Some(3));
        let others = [column(3) * 2, column(3) + number(1), column(3) + column(4), number(3)];
        assert!(others.iter().all(|form| form.as_column().is_none()));
    }
}
