//! What `info` says about statements over a field.

use serde::Serialize;
use volery::Statement;
use volery_circuit::Counter;

use super::{Described, Description};
use crate::failure::Failure;
use crate::fields::Served;
use crate::output;

/// A statement over a field, as `--json` prints it.
#[derive(Debug, Serialize)]
pub(crate) struct FieldInfo {
    statement: String,
    field: &'static str,
    secrets: u64,
    multiplications: u64,
    /// Linear claims.
    linear: u64,
    polynomials: Vec<Claims>,
    /// Matrix products. A challenge folds each to one polynomial.
    matrix_products: u64,
}

/// Claims about polynomials of one degree.
#[derive(Debug, Serialize)]
struct Claims {
    degree: usize,
    count: u64,
}

impl FieldInfo {
    /// Describes a statement over `F` that is called `text`.
    pub(crate) fn of<F: Served>(
        text: String,
        statement: &impl Statement<Counter<F>>,
    ) -> Result<Described, Failure> {
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
        Ok(Described::new(info, counts))
    }
}

impl Description for FieldInfo {
    fn text(&self) -> String {
        let mut lines = vec![self.statement.clone(), String::new()];
        let mut line = |name: &str, value: String| lines.push(format!("{name:<16}{value}"));
        line("field", self.field.to_owned());
        line("secret values", output::count(self.secrets));
        line("multiplications", output::count(self.multiplications));
        for Claims { degree, count } in &self.polynomials {
            line("polynomials", format!("{} of degree {degree}", output::count(*count)));
        }
        line("linear claims", output::count(self.linear));
        if self.matrix_products > 0 {
            line("matrix products", format!("{}, each folded to one polynomial", self.matrix_products));
        }
        lines.join("\n")
    }
}
