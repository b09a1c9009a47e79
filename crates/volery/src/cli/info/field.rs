//! Statements over a field.

use serde::Serialize;
use volery::{Options, Profile};

use super::predict::Prediction;
use super::public::PublicCost;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::over::{FieldFile, MacField, Weight};
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

/// What one way of proving costs.
#[derive(Debug, Serialize)]
struct Cost {
    protocol: &'static str,
    profile: &'static str,
    mac_field: &'static str,
    correlations: u64,
    bytes_prover: u64,
    bytes_verifier: u64,
    round_trips: u64,
    soundness_bits: f64,
    /// With `--fiat-shamir`, against each hash computation; none where the field is too small for it.
    soundness_bits_fiat_shamir: Option<f64>,
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
            protocols.push(Cost::new(statement, profile, MacField::Small, &weight));
            if small != large {
                protocols.push(Cost::new(statement, profile, MacField::Large, &weight));
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

impl Cost {
    fn new(statement: &dyn FieldFile, profile: Profile, mac: MacField, weight: &Weight) -> Self {
        let (options, pair) = (Options { profile, ..Options::default() }, statement.pair(mac));
        let hashed = Options { fiat_shamir: true, ..options };
        let predicted = Prediction::field(&options, &pair, weight, statement.announced());
        Self {
            protocol: "quicksilver",
            profile: profile.name(),
            mac_field: pair.mac,
            correlations: predicted.correlations,
            bytes_prover: predicted.bytes_prover,
            bytes_verifier: predicted.bytes_verifier,
            round_trips: predicted.round_trips,
            soundness_bits: field_soundness(&options, &pair, weight),
            soundness_bits_fiat_shamir: pair.stands_hashes().then(|| field_soundness(&hashed, &pair, weight)),
        }
    }

    fn text(&self) -> String {
        let hashed = match self.soundness_bits_fiat_shamir {
            Some(bits) => format!("--fiat-shamir: {bits:.0} against each hash computation"),
            None => "too few for --fiat-shamir".to_owned(),
        };
        format!(
            "{} --profile {}, MACs in {}: the prover sends {}, the verifier {}; about {} round trips; soundness {:.0} bits \
             ({hashed})",
            self.protocol,
            self.profile,
            self.mac_field,
            output::bytes(self.bytes_prover),
            output::bytes(self.bytes_verifier),
            self.round_trips,
            self.soundness_bits
        )
    }
}
