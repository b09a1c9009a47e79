//! Statements over a field.

use serde::Serialize;
use volery::{Options, Profile};

use super::cost::{Cost, Way};
use super::public::PublicCost;
use super::speed::OfField;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::over::{FieldFile, MacField, Weight};
use crate::cli::session::rehearse;
use crate::cli::settle::field_soundness;

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

/// How long public proofs are. Of a disjunction there are none: a file would have to show the views of one branch.
fn public_proofs(statement: &dyn FieldFile, weight: &Weight) -> Result<Vec<PublicCost>, Failure> {
    if weight.branches > 0 {
        return Ok(Vec::new());
    }
    statement.public_costs()
}

impl FieldInfo {
    pub(super) fn new(statement: &dyn FieldFile) -> Result<Self, Failure> {
        let mut protocols = Vec::new();
        // Blocks differ between profiles, claims do not.
        let mut weight = Weight::default();
        for profile in [Profile::Wan, Profile::Lan] {
            weight = statement.weigh(Options { profile, ..Options::default() }.settings_over().interval)?;
            let [small, large] = MacField::ALL.map(|mac| statement.pair(mac).mac);
            protocols.push(cost(statement, profile, MacField::Small, &weight)?);
            if small != large {
                protocols.push(cost(statement, profile, MacField::Large, &weight)?);
            }
        }
        let claims = |(degree, count): (&usize, &u64)| Claims { degree: *degree, count: *count };
        Ok(Self {
            statement: statement.text(),
            field: statement.pair(MacField::Small).value,
            secrets: weight.secrets,
            multiplications: weight.multiplications,
            linear: weight.linear,
            polynomials: weight.polynomials.iter().map(claims).collect(),
            matrix_products: weight.folds,
            protocols,
            public_proofs: public_proofs(statement, &weight)?,
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

fn cost(
    statement: &dyn FieldFile,
    profile: Profile,
    mac: MacField,
    weight: &Weight,
) -> Result<Cost, Failure> {
    let (options, pair) = (Options { profile, ..Options::default() }, statement.pair(mac));
    let hashed = Options { fiat_shamir: true, ..options };
    let hashed = pair.stands_hashes().then(|| field_soundness(&hashed, &pair, weight));
    let soundness = (field_soundness(&options, &pair, weight), hashed);
    let way = Way { protocol: "quicksilver", mac_field: pair.mac, options, memory: None, soundness };
    let estimate = rehearse(options, |prover, rng| statement.prove(mac, prover, rng))?;
    Cost::new(&way, &estimate, &OfField { statement, mac })
}
