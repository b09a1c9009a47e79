//! How a statement is proved: which MAC field, with what soundness, at what cost.

use rand_core::CryptoRng;
use volery::{Error, Estimate, Options, Profile, Prover, Report, system};
use volery_circuit::{Counter, Counts};
use volery_zk::disjunction::cost::{Network, Over, Protocol, Task};
use volery_zk::macncheese;
use volery_zk::quicksilver::soundness::Checks;
use volery_zk::quicksilver::{self, Program};
use volery_zk::soundness::{FieldSize, Mode, Soundness};

use super::args::{DisjunctionArg, ProtocolArgs};
use super::connection::Link;
use super::failure::Failure;
use super::many::{Many, Stacked};
use super::over::{FieldStatement, MacField, Pair};
use super::progress::Progress;
use super::ring;
use super::session::{self, Figures, Wire};
use super::statement::{BitStatement, Named};

/// A statement and how it is proved.
pub(crate) struct Settled<'a> {
    pub(crate) options: Options,
    how: How<'a>,
}

enum How<'a> {
    Bits(&'a BitStatement),
    Field { statement: &'a dyn FieldStatement, mac: MacField, counts: Counts },
    Many { many: &'a Many, counts: Counts, by: DisjunctionArg },
}

/// At least what a proof of a statement about bits is worth that was counted, in bits.
pub(crate) fn bit_soundness(counts: &Counts, settings: quicksilver::Settings, fiat_shamir: bool) -> f64 {
    let checks = Program::from(counts).checks(settings).with_disjunctions(counts);
    Soundness::quicksilver(checks, FieldSize::OVER_BITS, Mode::hashed(fiat_shamir)).bits()
}

/// The same for a proof over a field.
fn field_soundness(options: &Options, pair: &Pair, counts: &Counts) -> f64 {
    let checks = Checks::of(counts, options.settings_over().interval);
    Soundness::quicksilver(checks, pair.size, Mode::hashed(options.fiat_shamir)).bits()
}

/// How Mac'n'Cheese is run for so many branches: in blocks so short that all of them take about the memory of
/// one.
pub(crate) fn stacked_settings(options: &Options, branches: usize) -> macncheese::Settings {
    stacked_by(options.profile).for_branches(branches)
}

/// The same for one.
fn stacked_by(profile: Profile) -> macncheese::Settings {
    match profile {
        Profile::Lan => macncheese::Settings::LAN,
        Profile::Wan => macncheese::Settings::WAN,
    }
}

/// What a disjunction of circuits is proved by unless the command line says so; both parties find the same.
fn cheaper(options: &Options, many: &Many) -> DisjunctionArg {
    let network = if options.profile == Profile::Lan { Network::LAN } else { Network::WAN };
    let over = Over::bits(options.settings()).stacked_by(stacked_by(options.profile));
    let task = many.task();
    // Hashes need no answer.
    let network =
        Network { round_trip: if options.fiat_shamir { 0.0 } else { network.round_trip }, ..network };
    let seconds = |protocol| task.cost(protocol, &over).map(|cost| cost.seconds_on(&over, network));
    match [Protocol::Robin, Protocol::MacAndCheese].map(seconds) {
        [Some(robin), Some(stacked)] if stacked < robin => DisjunctionArg::Macncheese,
        _ => DisjunctionArg::Robin,
    }
}

/// At least what a proof is worth that some of several statements about bits hold, in bits.
fn many_soundness(options: &Options, many: &Many, counts: &Counts, by: DisjunctionArg) -> f64 {
    if by == DisjunctionArg::Robin {
        return bit_soundness(counts, options.settings(), options.fiat_shamir);
    }
    let ([branches, disjunctions], Task { shape, .. }) = (many.counts(), many.task());
    let all = (branches as u64).saturating_mul(disjunctions as u64);
    let each = shape.inputs.saturating_add(shape.outputs).saturating_add(shape.multiplications) as u64;
    let proof = macncheese::soundness::Proof {
        settings: stacked_settings(options, branches),
        commitments: each.saturating_mul(all),
        // What a branch asserts is not counted apart: at most a few for each value.
        assertions: each.saturating_mul(all),
        branches: all,
    };
    Soundness::mac_and_cheese(proof, FieldSize::OVER_BITS, Mode::hashed(options.fiat_shamir)).bits()
}

/// Proves that some of several circuits hold.
pub(crate) fn prove_many(
    options: &Options,
    many: &Many,
    by: DisjunctionArg,
    prover: &mut Prover<Wire>,
    rng: &mut dyn CryptoRng,
) -> Result<Report, Error> {
    match by {
        DisjunctionArg::Robin => prover.prove(system::Bits, many, rng),
        DisjunctionArg::Macncheese => prover.prove(
            system::Stacked::new(stacked_settings(options, many.counts()[0])),
            &Stacked(many),
            rng,
        ),
    }
}

/// Below this, a proof about bits of any size that anybody runs is sound enough without counting its gates
/// first.
pub(crate) const ALWAYS_REACHED: u16 = 100;

impl ProtocolArgs {
    /// Finds out how `named` is proved with the soundness that was asked for.
    ///
    /// # Errors
    /// [`Failure::Input`] if no way reaches it.
    pub(crate) fn settle<'a>(&self, named: &'a Named) -> Result<Settled<'a>, Failure> {
        let options = self.options();
        let how = match named {
            Named::Bits(statement) => {
                self.demand(statement, options.settings(), options.fiat_shamir)?;
                How::Bits(statement)
            }
            Named::Field(statement) => {
                let statement: &dyn FieldStatement = &**statement;
                let (mac, counts) = self.mac_field(statement)?;
                How::Field { statement, mac, counts }
            }
            Named::Ring(statement) => return Err(ring::only_in_public(&**statement)),
            Named::Many(many, by) => {
                let counts = Counter::count(&**many)?.total();
                let by = by.unwrap_or_else(|| cheaper(&options, many));
                reached(self.rho.unwrap_or(ALWAYS_REACHED), many_soundness(&options, many, &counts, by))?;
                How::Many { many, counts, by }
            }
        };
        Ok(Settled { options, how })
    }

    /// Refuses a statement about bits if a proof of it has too few `bits` of soundness.
    pub(crate) fn demand(
        &self,
        statement: &BitStatement,
        settings: quicksilver::Settings,
        fiat_shamir: bool,
    ) -> Result<(), Failure> {
        let rho = self.rho.unwrap_or(ALWAYS_REACHED);
        if rho <= ALWAYS_REACHED {
            return Ok(());
        }
        reached(rho, bit_soundness(&statement.count()?.total(), settings, fiat_shamir))
    }

    /// The smallest MAC field that has the soundness that was asked for.
    pub(crate) fn mac_field(&self, statement: &dyn FieldStatement) -> Result<(MacField, Counts), Failure> {
        let options = self.options();
        let counts = statement.count()?.counts;
        let rho = self.rho.unwrap_or(statement.pair(MacField::Small).rho);
        let bits = |mac| field_soundness(&options, &statement.pair(mac), &counts);
        let stands = |mac| !options.fiat_shamir || statement.pair(mac).stands_hashes();
        let mut fields = MacField::ALL.into_iter().filter(|mac| stands(*mac));
        match fields.find(|mac| bits(*mac) >= f64::from(rho)) {
            Some(mac) => Ok((mac, counts)),
            None => reached(rho, bits(MacField::Large)).map(|()| (MacField::Large, counts)),
        }
    }
}

/// Refuses too few bits.
pub(crate) fn reached(rho: u16, bits: f64) -> Result<(), Failure> {
    if bits >= f64::from(rho) {
        return Ok(());
    }
    Err(Failure::input(format!("--rho {rho} is out of reach: this proof has {bits:.1} bits")))
}

impl Settled<'_> {
    /// What it will take.
    pub(crate) fn estimate(&self) -> Result<Estimate, Failure> {
        session::rehearse(self.options, |prover, rng| self.prove_by(prover, rng))
    }

    fn prove_by(&self, prover: &mut Prover<Wire>, rng: &mut dyn CryptoRng) -> Result<Report, Error> {
        match &self.how {
            How::Bits(statement) => prover.prove(system::Bits, *statement, rng),
            How::Field { statement, mac, .. } => statement.prove(*mac, prover, rng),
            How::Many { many, by, .. } => prove_many(&self.options, many, *by, prover, rng),
        }
    }

    /// A bar for it, on a terminal.
    pub(crate) fn progress(&self) -> Result<Progress, Failure> {
        match &self.how {
            How::Bits(statement) => Progress::new(1, || {
                let counts = statement.count()?.total();
                Ok(Program::from(&counts).commitments)
            }),
            How::Field { statement, mac, counts } => {
                Progress::new(statement.pair(*mac).value_bits, || Ok(counts.commitments()))
            }
            How::Many { counts, .. } => Progress::new(1, || Ok(counts.commitments())),
        }
    }

    /// Proves it over `link`.
    pub(crate) fn prove(&self, link: Link, progress: &Progress) -> Result<Figures, Failure> {
        session::prove(link, self.options, progress, |prover, rng| self.prove_by(prover, rng))
    }

    /// Verifies a proof of it over `link`.
    pub(crate) fn verify(&self, link: Link, progress: &Progress) -> Result<Figures, Failure> {
        session::verify(link, self.options, progress, |verifier, rng| match &self.how {
            How::Bits(statement) => verifier.verify(system::Bits, *statement, rng),
            How::Field { statement, mac, .. } => statement.verify(*mac, verifier, rng),
            How::Many { many, by: DisjunctionArg::Robin, .. } => verifier.verify(system::Bits, *many, rng),
            How::Many { many, .. } => {
                let settings = stacked_settings(&self.options, many.counts()[0]);
                verifier.verify(system::Stacked::new(settings), &Stacked(many), rng)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_branches_of_mac_n_cheese_take_about_the_memory_of_one() {
        for profile in [Profile::Lan, Profile::Wan] {
            let options = Options { profile, ..Options::default() };
            // Branches that fill a block, however long it is.
            let memory = |branches| stacked_settings(&options, branches).memory(branches, u64::MAX);
            for (many, one) in memory(48).into_iter().zip(memory(1)) {
                assert!(many <= 2 * one, "{profile:?}: {many} bytes for 48 branches, {one} for one");
            }
        }
    }
}
