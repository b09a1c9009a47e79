//! How a statement is proved: which MAC field, with what soundness, at what cost.

use rand_core::CryptoRng;
use volery::{Error, Estimate, Options, Profile, Prover, Report};
use volery_circuit::{Counter, Counts};
use volery_field::{F2, Gf128, Ring};
use volery_zk::disjunction::cost::{Network, Over, Protocol, Task};
use volery_zk::disjunction::soundness::{Disjunction, challenges};
use volery_zk::macncheese;
use volery_zk::quicksilver::arithmetic::soundness::FieldSize;
use volery_zk::quicksilver::{self, Program, Tally, arithmetic, soundness};

use super::args::{DisjunctionArg, ProtocolArgs};
use super::connection::Link;
use super::failure::Failure;
use super::many::{Many, Stacked};
use super::over::{FieldStatement, MacField, Pair, Weight};
use super::progress::Progress;
use super::ring;
use super::session::{self, Figures, Wire, Worth};
use super::statement::{BitStatement, Named};

/// A statement and how it is proved.
pub(crate) struct Settled<'a> {
    pub(crate) options: Options,
    how: How<'a>,
}

enum How<'a> {
    Bits(&'a BitStatement),
    Field { statement: &'a dyn FieldStatement, mac: MacField, weight: Weight },
    Many { many: &'a Many, counts: Counts, by: DisjunctionArg },
}

/// What the acceptance of a proof about bits is worth, in bits.
pub(crate) fn bit_soundness(options: &Options, program: Program) -> f64 {
    match options.fiat_shamir {
        false => soundness::statistical_bits(options.settings(), program),
        true => soundness::fiat_shamir_bits(options.settings(), program, 0.0),
    }
}

/// The same for a proof over a field.
pub(crate) fn field_soundness(options: &Options, pair: &Pair, weight: &Weight) -> f64 {
    let (checks, size) = (weight.checks(), pair.size);
    let disjunction = match usize::try_from(weight.branches) {
        Ok(branches) if branches > 0 => Disjunction { branches, challenges: weight.challenges },
        _ if options.fiat_shamir => return checks.fiat_shamir_bits(size, 0.0),
        _ => return checks.interactive_bits(size),
    };
    match options.fiat_shamir {
        false => disjunction.interactive_bits(&checks, size),
        true => disjunction.fiat_shamir_bits(&checks, size, 0.0),
    }
}

/// How Mac'n'Cheese is run for so many branches: in blocks so short that all of them take about the memory of one.
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

/// The same for a proof that some of several statements about bits hold.
pub(crate) fn many_soundness(options: &Options, many: &Many, counts: &Counts, by: DisjunctionArg) -> f64 {
    let [branches, disjunctions] = many.counts();
    if by == DisjunctionArg::Macncheese {
        let Task { shape, .. } = many.task();
        let all = (branches as u64).saturating_mul(disjunctions as u64);
        let each = shape.inputs.saturating_add(shape.outputs).saturating_add(shape.multiplications) as u64;
        let proof = macncheese::soundness::Proof {
            settings: stacked_settings(options, branches),
            commitments: each.saturating_mul(all),
            // What a branch asserts is not counted apart: at most a few for each value.
            assertions: each.saturating_mul(all),
            branches: all,
        };
        return match options.fiat_shamir {
            false => proof.interactive_bits(FieldSize::OVER_BITS),
            true => proof.fiat_shamir_bits(FieldSize::OVER_BITS, 0.0),
        };
    }
    robin_soundness(options.settings(), options.fiat_shamir, many, counts)
}

/// The same for a proof by Robin.
pub(crate) fn robin_soundness(
    settings: quicksilver::Settings,
    hashed: bool,
    many: &Many,
    counts: &Counts,
) -> f64 {
    let [branches, disjunctions] = many.counts();
    let challenges = challenges(counts.multiplications.div_ceil(disjunctions.max(1) as u64));
    let blocks = Program::from(counts).blocks(settings);
    let checks = arithmetic::soundness::Checks { blocks, degree: 2, folds: 0 };
    let disjunction = Disjunction { branches, challenges };
    match hashed {
        false => disjunction.interactive_bits(&checks, FieldSize::OVER_BITS),
        true => disjunction.fiat_shamir_bits(&checks, FieldSize::OVER_BITS, 0.0),
    }
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
        DisjunctionArg::Robin => prover.prove(many, rng),
        DisjunctionArg::Macncheese => {
            prover.prove_stacked(&Stacked(many), stacked_settings(options, many.counts()[0]), rng)
        }
    }
}

fn commitments(counts: &Counts) -> u64 {
    counts.inputs.saturating_add(counts.multiplications)
}

/// What a proof of `tally` about bits is worth.
pub(crate) fn bit_worth(options: &Options, tally: &Tally) -> Worth {
    Worth { fields: [F2::NAME, Gf128::NAME], soundness_bits: bit_soundness(options, tally.into()) }
}

/// Below this, a proof about bits of any size that anybody runs is sound enough without counting its gates first.
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
                self.demand(statement, |program| bit_soundness(&options, program))?;
                How::Bits(statement)
            }
            Named::Field(statement) => {
                let statement: &dyn FieldStatement = &**statement;
                let (mac, weight) = self.mac_field(statement)?;
                How::Field { statement, mac, weight }
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
        bits: impl Fn(Program) -> f64,
    ) -> Result<(), Failure> {
        let rho = self.rho.unwrap_or(ALWAYS_REACHED);
        if rho <= ALWAYS_REACHED {
            return Ok(());
        }
        reached(rho, bits(Program::from(&statement.count()?.total())))
    }

    /// The smallest MAC field that has the soundness that was asked for.
    pub(crate) fn mac_field(&self, statement: &dyn FieldStatement) -> Result<(MacField, Weight), Failure> {
        let options = self.options();
        let weight = statement.weigh(options.settings_over().interval)?;
        let rho = self.rho.unwrap_or(statement.pair(MacField::Small).rho);
        let bits = |mac| field_soundness(&options, &statement.pair(mac), &weight);
        let stands = |mac| !options.fiat_shamir || statement.pair(mac).stands_hashes();
        let mut fields = MacField::ALL.into_iter().filter(|mac| stands(*mac));
        match fields.find(|mac| bits(*mac) >= f64::from(rho)) {
            Some(mac) => Ok((mac, weight)),
            None => reached(rho, bits(MacField::Large)).map(|()| (MacField::Large, weight)),
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
            How::Bits(statement) => prover.prove(*statement, rng),
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
            How::Field { statement, mac, weight } => {
                Progress::new(statement.pair(*mac).value_bits, || Ok(weight.commitments()))
            }
            How::Many { counts, .. } => Progress::new(1, || Ok(commitments(counts))),
        }
    }

    fn field_worth(&self, pair: &Pair, weight: &Weight) -> Worth {
        Worth { fields: [pair.value, pair.mac], soundness_bits: field_soundness(&self.options, pair, weight) }
    }

    fn many_worth(&self, many: &Many, counts: &Counts, by: DisjunctionArg) -> Worth {
        let soundness_bits = many_soundness(&self.options, many, counts, by);
        Worth { fields: [F2::NAME, Gf128::NAME], soundness_bits }
    }

    /// Proves it over `link`.
    pub(crate) fn prove(&self, link: Link, progress: &Progress) -> Result<Figures, Failure> {
        session::prove(link, self.options, progress, |prover, rng| {
            let report = self.prove_by(prover, rng)?;
            let worth = match &self.how {
                How::Bits(_) => bit_worth(&self.options, &report.tally),
                How::Field { statement, mac, weight } => self.field_worth(&statement.pair(*mac), weight),
                How::Many { many, counts, by } => self.many_worth(many, counts, *by),
            };
            Ok((report, worth))
        })
    }

    /// Verifies a proof of it over `link`.
    pub(crate) fn verify(&self, link: Link, progress: &Progress) -> Result<Figures, Failure> {
        session::verify(link, self.options, progress, |verifier, rng| match &self.how {
            How::Bits(statement) => {
                let report = verifier.verify(*statement, rng)?;
                Ok((report, bit_worth(&self.options, &report.tally)))
            }
            How::Field { statement, mac, weight } => {
                let report = statement.verify(*mac, verifier, rng)?;
                Ok((report, self.field_worth(&statement.pair(*mac), weight)))
            }
            How::Many { many, counts, by } => {
                let report = match by {
                    DisjunctionArg::Robin => verifier.verify(*many, rng)?,
                    DisjunctionArg::Macncheese => verifier.verify_stacked(
                        &Stacked(many),
                        stacked_settings(&self.options, many.counts()[0]),
                        rng,
                    )?,
                };
                Ok((report, self.many_worth(many, counts, *by)))
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
