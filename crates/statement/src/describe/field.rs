//! Statements over a field.

use serde::Serialize;
use volery::Statement;
use volery_circuit::Counter;

use super::{Described, Description};
use crate::error::Error;
use crate::fields::Served;

/// A statement over a field.
#[derive(Debug, Serialize)]
pub struct FieldInfo {
    /// Its description in results.
    pub statement: String,
    /// The field's name.
    pub field: &'static str,
    /// The number of secret values.
    pub secrets: u64,
    /// The number of multiplications.
    pub multiplications: u64,
    /// The number of linear claims.
    pub linear: u64,
    /// Claims about polynomials, by degree.
    pub polynomials: Vec<Claims>,
    /// Matrix products. A challenge folds each to one polynomial.
    pub matrix_products: u64,
}

/// Claims about polynomials of one degree.
#[derive(Debug, Serialize)]
pub struct Claims {
    /// The degree.
    pub degree: usize,
    /// How many there are.
    pub count: u64,
}

impl FieldInfo {
    /// Describes a statement over `F` that is called `text`.
    ///
    /// # Errors
    /// Those of the statement.
    pub fn of<F: Served>(text: String, statement: &impl Statement<Counter<F>>) -> Result<Described, Error> {
        let counter = Counter::<F>::count(statement)?;
        let (counts, mut degrees) = (counter.total(), counter.degrees().clone());
        // An inner product is a claim of degree 2. So is a product of matrices, after a challenge folds it to
        // one.
        let folded = counts.inner_products.saturating_sub(counts.matrix_entries);
        match folded.saturating_add(counts.matrix_products) {
            0 => {}
            more => *degrees.entry(2).or_default() += more,
        }
        let info = Self {
            statement: text,
            field: F::NAME,
            secrets: counts.inputs,
            multiplications: counts.multiplications,
            linear: counts.linear,
            polynomials: degrees.into_iter().map(|(degree, count)| Claims { degree, count }).collect(),
            matrix_products: counts.matrix_products,
        };
        Ok(Described { description: Description::Field(info), counts })
    }
}
