//! A constraint system in memory: one vector of terms, in which each combination is a range.

use super::coefficients::Coefficients;
use super::writer::content_hash;
use super::{Header, PrimeField};
use crate::Error;
use crate::text::counted;

/// Numbers of wires by sort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All wires, including the constant one (wire 0).
    pub wires: u32,
    /// Public outputs: the wires from 1 on.
    pub outputs: u32,
    /// Public inputs: the wires after those.
    pub public_inputs: u32,
    /// Private inputs, as the file counts them. Circom also counts those that no constraint uses, which have
    /// no wire; the others are the first wires after the public ones.
    pub private_inputs: u32,
}

impl Counts {
    /// The number of public values: outputs, then inputs.
    #[must_use]
    pub fn public(&self) -> usize {
        self.outputs as usize + self.public_inputs as usize
    }

    /// The number of wires that are committed to: all except the constant and the public ones.
    #[must_use]
    pub fn secret(&self) -> usize {
        (self.wires as usize).saturating_sub(self.first_secret())
    }

    /// The first wire that is committed to.
    pub(super) fn first_secret(&self) -> usize {
        1 + self.public()
    }

    /// Checks that there are enough wires for the constant and all public values. Private inputs need none.
    pub(super) fn check(&self) -> Result<(), String> {
        let Self { wires, outputs, public_inputs, .. } = *self;
        let least = 1 + u64::from(outputs) + u64::from(public_inputs);
        if u64::from(wires) >= least {
            return Ok(());
        }
        Err(format!(
            "{}, but the constant, {} and {} take {least}",
            counted(wires, "wire"),
            counted(outputs, "output"),
            counted(public_inputs, "public input")
        ))
    }
}

/// A rank-one constraint system over `F`, and the hash of its content.
///
/// It takes 12 bytes for each constraint and 8 bytes for each term, and stores each different coefficient
/// once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct R1cs<F> {
    pub(super) header: Header,
    pub(super) hash: [u8; 32],
    pub(super) rows: Rows,
    pub(super) coefficients: Vec<F>,
}

/// All terms in order, and where each combination ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rows {
    /// For each constraint, the ends of its three combinations among the terms.
    pub(super) ends: Vec<[u32; 3]>,
    pub(super) terms: Vec<Term>,
}

/// A wire and the index of its coefficient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) wire: u32,
    pub(super) coefficient: u32,
}

impl Rows {
    /// The three combinations of constraint `index`, which must exist.
    #[inline]
    pub(super) fn constraint(&self, index: usize) -> [&[Term]; 3] {
        let start = if index == 0 { 0 } else { self.ends[index - 1][2] };
        let [a, b, c] = self.ends[index].map(|end| end as usize);
        [&self.terms[start as usize..a], &self.terms[a..b], &self.terms[b..c]]
    }
}

impl<F: PrimeField> R1cs<F> {
    /// The content of the file's header.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The BLAKE3 hash of the header and all constraints. It does not cover wires' labels or the order of the
    /// file's sections, which have no meaning.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        self.hash
    }

    /// The first of `constraints` that these values do not satisfy. Wires without a value count as zero. This
    /// works in the clear, in a time that depends on the values, so it is only for the party that knows them.
    #[must_use]
    pub(super) fn first_violated(&self, constraints: core::ops::Range<usize>, values: &[F]) -> Option<usize> {
        let value = |terms: &[Term]| {
            terms.iter().fold(F::ZERO, |sum, term| {
                let x = values.get(term.wire as usize).copied().unwrap_or_default();
                sum + x * self.coefficients[term.coefficient as usize]
            })
        };
        let end = constraints.end.min(self.rows.ends.len());
        (constraints.start..end).find(|&index| {
            let [a, b, c] = self.rows.constraint(index).map(value);
            a * b != c
        })
    }
}

/// Makes an [`R1cs`] constraint by constraint.
#[derive(Clone, Debug)]
pub struct Builder<F> {
    counts: Counts,
    rows: Rows,
    coefficients: Coefficients<F>,
}

impl<F: PrimeField> Builder<F> {
    /// A system with these wires and no constraints yet.
    ///
    /// # Errors
    /// [`Error::Circuit`] if there are fewer wires than all sorts together.
    pub fn new(counts: Counts) -> Result<Self, Error> {
        counts.check().map_err(Error::circuit)?;
        Ok(Self { counts, rows: Rows::default(), coefficients: Coefficients::new() })
    }

    /// Adds `a * b = c`; each is a sum of wires times coefficients.
    ///
    /// # Errors
    /// [`Error::Circuit`] for a wire that does not exist, or at 2^32 terms or constraints.
    pub fn constraint(&mut self, a: &[(u32, F)], b: &[(u32, F)], c: &[(u32, F)]) -> Result<(), Error> {
        let mut ends = [0; 3];
        for (end, terms) in ends.iter_mut().zip([a, b, c]) {
            for &(wire, coefficient) in terms {
                let coefficient = self.coefficients.index(coefficient);
                self.term(wire, coefficient).map_err(Error::circuit)?;
            }
            *end = self.end();
        }
        self.row(ends).map_err(Error::circuit)
    }

    /// Makes room for this many constraints and terms.
    pub(super) fn reserve(&mut self, constraints: u32, terms: u64) -> Result<(), String> {
        let terms = usize::try_from(terms).unwrap_or(usize::MAX);
        let reserved = self.rows.ends.try_reserve_exact(constraints as usize);
        reserved
            .and_then(|()| self.rows.terms.try_reserve_exact(terms))
            .map_err(|_| format!("there is no memory for {constraints} constraints of {terms} terms"))
    }

    /// As [`Builder::term`], with an encoded coefficient.
    #[inline]
    pub(super) fn encoded_term(&mut self, wire: u32, coefficient: &[u8]) -> Result<(), String> {
        match self.coefficients.index_encoded(coefficient) {
            Some(coefficient) => self.term(wire, coefficient),
            None => Err("a coefficient is not below the prime".into()),
        }
    }

    /// Adds a term to the current combination.
    #[inline]
    fn term(&mut self, wire: u32, coefficient: u32) -> Result<(), String> {
        if wire >= self.counts.wires {
            return Err(format!("wire {wire} of {}", self.counts.wires));
        }
        if self.rows.terms.len() >= u32::MAX as usize {
            return Err("2^32 terms are too many".into());
        }
        self.rows.terms.push(Term { wire, coefficient });
        Ok(())
    }

    /// Where the current combination would end.
    pub(super) fn end(&self) -> u32 {
        // `term` keeps it below 2^32.
        self.rows.terms.len() as u32
    }

    /// Ends a constraint with its three combinations.
    pub(super) fn row(&mut self, ends: [u32; 3]) -> Result<(), String> {
        if self.rows.ends.len() >= u32::MAX as usize {
            return Err("2^32 constraints are too many".into());
        }
        self.rows.ends.push(ends);
        Ok(())
    }

    /// The system.
    #[must_use]
    pub fn finish(self) -> R1cs<F> {
        let mut system = self.finish_with([0; 32]);
        system.hash = content_hash(&system);
        system
    }

    /// The system, if its hash is known.
    pub(super) fn finish_with(mut self, hash: [u8; 32]) -> R1cs<F> {
        self.rows.ends.shrink_to_fit();
        self.rows.terms.shrink_to_fit();
        let constraints = self.rows.ends.len() as u32;
        let header = Header { prime: F::PRIME, counts: self.counts, constraints };
        R1cs { header, hash, rows: self.rows, coefficients: self.coefficients.into_values() }
    }
}
