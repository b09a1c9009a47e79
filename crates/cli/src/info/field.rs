//! Statements over a field.

use serde::Serialize;
use volery::{Options, Profile};
use volery_circuit::Counts;

use super::cost::{Cost, Way};
use super::public::PublicCost;
use super::speed::OfField;
use crate::failure::Failure;
use crate::output;
use crate::over::{FieldCounts, FieldFile, MacField};
use crate::session::rehearse;

/// What `--json` prints.
#[derive(Debug, Serialize)]
pub(super) struct FieldInfo {
    statement: String,
    field: &'static str,
    secrets: u64,
    multiplications: u64,
    /// Linear claims.
    linear: u64,
    polynomials: Vec<Claims>,
    /// Matrix products that a challenge folds to one polynomial each.
    matrix_products: u64,
    protocols: Vec<Cost>,
    public_proofs: Vec<PublicCost>,
}

/// Claims about polynomials of one degree.
#[derive(Debug, Serialize)]
struct Claims {
    degree: usize,
    count: u64,
}

/// How long public proofs are. Of a disjunction there are none: a file would have to show the views of one
/// branch.
fn public_proofs(statement: &dyn FieldFile, counts: &Counts) -> Result<Vec<PublicCost>, Failure> {
    if counts.disjunctions > 0 {
        return Ok(Vec::new());
    }
    statement.public_costs()
}

impl FieldInfo {
    pub(super) fn new(statement: &dyn FieldFile) -> Result<Self, Failure> {
        let FieldCounts { counts, mut degrees } = statement.count()?;
        // An inner product is a claim of degree 2; so is a product of matrices, which a challenge folds to
        // one.
        let folded = counts.inner_products.saturating_sub(counts.matrix_entries);
        match folded.saturating_add(counts.matrix_products) {
            0 => {}
            more => *degrees.entry(2).or_default() += more,
        }
        let mut protocols = Vec::new();
        for profile in [Profile::Wan, Profile::Lan] {
            let [small, large] = MacField::ALL.map(|mac| statement.pair(mac).mac);
            protocols.push(cost(statement, profile, MacField::Small)?);
            if small != large {
                protocols.push(cost(statement, profile, MacField::Large)?);
            }
        }
        Ok(Self {
            statement: statement.text(),
            field: statement.pair(MacField::Small).value,
            secrets: counts.inputs,
            multiplications: counts.multiplications,
            linear: counts.linear,
            polynomials: degrees.into_iter().map(|(degree, count)| Claims { degree, count }).collect(),
            matrix_products: counts.matrix_products,
            protocols,
            public_proofs: public_proofs(statement, &counts)?,
        })
    }

    pub(super) fn text(&self) -> String {
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
        lines.push(String::new());
        lines.extend(self.protocols.iter().map(Cost::text));
        lines.extend(self.public_proofs.iter().map(PublicCost::text));
        lines.join("\n")
    }
}

fn cost(statement: &dyn FieldFile, profile: Profile, mac: MacField) -> Result<Cost, Failure> {
    let options = Options { profile, ..Options::default() };
    let stands_hashes = statement.pair(mac).stands_hashes();
    let way = Way { protocol: "quicksilver", options, memory: None, stands_hashes };
    let estimate = rehearse(options, |prover, rng| statement.prove(mac, prover, rng))?;
    Cost::new(&way, &estimate, &OfField { statement, mac })
}
