//! Some of several circuits hold: the same is claimed about each, or each has a claim of its own. Or one of
//! them holds, a number of times; then there is one claim for all times, or one for each.
//!
//! The witness file says which ones hold ([`super::branches`]). The verifier learns how many circuits there
//! are and how many hold, but not which.

use std::time::Duration;

use volery::system::Stacked;
use volery::{Options, Profile};
use volery_circuit::choose::{AtLeast, Numbered};
use volery_circuit::claim::Draft;
use volery_circuit::{
    BristolFile, Claim, Counter, Counts, Digest, Error as StatementError, Evaluator, FileBatch,
    FileStatement, Repeat, Signature, Statement, bristol, forward_statement,
};
use volery_field::{F2, Ring};
use volery_zk::disjunction::cost::{Over, Protocol, Task};
use volery_zk::macncheese;
use volery_zk::soundness::{FieldSize, Mode, Soundness};

use super::branches::{claim_bytes, claims, witnesses};
use super::{Loaded, r1cs, text};
use crate::describe::{BitInfo, Described};
use crate::error::Error;
use crate::instance::Instance;
use crate::named::{Branch, Disjunction, Named, Target};
#[cfg(feature = "public")]
use crate::public::{InTheHeadOnly, PublicStatement};
use crate::refusal::Refusal;
use crate::source::{Shared, WitnessSource};
use crate::spelling::{ANY_OF, OWN_PUBLIC, PUBLIC, REPEAT, option};
#[cfg(feature = "stored")]
use crate::stored::Storable;
use crate::way::{ProvedBy, RHO, Way};
use crate::words::short;

/// Some of these circuits hold.
struct Many {
    circuits: Circuits,
    /// The protocol, if one is named.
    by: Option<Disjunction>,
}

/// The circuits, and how many of them hold.
enum Circuits {
    /// At least this number of them holds.
    AtLeast {
        /// The circuits without witnesses.
        files: Vec<FileStatement>,
        statement: AtLeast<FileStatement>,
    },
    /// One of them at each repetition.
    Batch(FileBatch),
}

/// The statement that `named` names, if it names several circuits.
pub(super) fn load(named: &Named) -> Loaded {
    // Several constraint systems are a statement over their field.
    if named.any_of.first().is_none_or(|first| r1cs::is_system(&first.circuit)) {
        return Ok(None);
    }
    if !matches!(named.target, Target::None) {
        let name = named.text();
        return Err(Error::input(format!("{name}: give one statement, or {ANY_OF}, not both")));
    }
    named.no_values("one of several circuits")?;
    let circuits = match named.repeat {
        Some(repetitions) => Circuits::batch(named, repetitions as usize)?,
        None => Circuits::at_least(named)?,
    };
    Ok(Some(Box::new(Many { circuits, by: named.disjunction })))
}

impl Circuits {
    fn at_least(named: &Named) -> Result<Self, Error> {
        let files = branches(named, Claim::parse)?.into_iter().map(|(file, claim)| {
            let reason = format!("a circuit needs a claim: {PUBLIC} for all, or {OWN_PUBLIC}");
            let missing = || Error::input(format!("{}: {reason}", file.what()));
            let claim = claim.ok_or_else(missing)?;
            Ok(FileStatement::new(file, claim)?)
        });
        let files = files.collect::<Result<Vec<_>, Error>>()?;
        let least = usize::try_from(named.at_least.unwrap_or(1)).map_err(Error::input)?;
        Ok(Self::AtLeast { statement: AtLeast::new(files.clone(), least)?, files })
    }

    fn batch(named: &Named, repetitions: usize) -> Result<Self, Error> {
        let files = alike(named)?;
        let (Some(public), Some(first)) = (&named.public, files.first()) else {
            let reason = format!("{REPEAT} needs {PUBLIC}: what is claimed at each repetition");
            return Err(Error::input(reason));
        };
        let claims = claims(public, first.signature(), repetitions, Claim::parse)?;
        Ok(Self::Batch(FileBatch::new(files, &claims)?))
    }

    fn with_witnesses(self, witness: &WitnessSource) -> Result<Self, Error> {
        let [count, needed] = self.counts();
        Ok(match self {
            Self::AtLeast { files, statement } => {
                let signatures: Vec<_> = files.iter().map(FileStatement::signature).collect();
                let known = witnesses(witness, &signatures, needed)?.into_iter();
                let known = known.filter_map(|(number, witness)| {
                    let file = files.get(number)?.clone();
                    Some(file.with_witness(witness).map(|statement| (number, statement)))
                });
                let statement = statement.with_witnesses(known.collect::<Result<Vec<_>, _>>()?)?;
                Self::AtLeast { statement, files }
            }
            Self::Batch(batch) => {
                let known = witnesses(witness, &vec![batch.signature(); count], needed)?;
                Self::Batch(batch.with_witnesses(known)?)
            }
        })
    }

    /// The first circuit's inputs and outputs.
    fn signature(&self) -> Signature {
        match self {
            Self::AtLeast { files, .. } => files.first().map(FileStatement::signature).unwrap_or_default(),
            Self::Batch(batch) => batch.signature(),
        }
    }

    /// How many circuits there are, and how many disjunctions of them.
    fn counts(&self) -> [usize; 2] {
        match self {
            Self::AtLeast { statement, .. } => statement.counts(),
            Self::Batch(batch) => batch.counts(),
        }
    }

    /// What is to be proved, for [`volery_zk::disjunction::cost`].
    fn task(&self) -> Task {
        let [branches, repetitions] = self.counts();
        let (shape, shared) = match self {
            Self::AtLeast { statement, .. } => (statement.shape(), 0),
            Self::Batch(batch) => (batch.shape(), batch.shared()),
        };
        Task { branches, shared, shape, repetitions }
    }

    /// Their description in results.
    fn text(&self) -> String {
        let hash = |file: &BristolFile| short(&file.hash(), 4);
        let [count, number] = self.counts();
        let (what, hashes): (_, Vec<String>) = match self {
            Self::AtLeast { files, .. } => (
                format!("at least {number} of {count}"),
                files.iter().map(|file| hash(file.file())).collect(),
            ),
            Self::Batch(batch) => {
                (format!("{number} times one of {count}"), batch.files().map(hash).collect())
            }
        };
        format!("{what} circuit files with BLAKE3 hashes {}", hashes.join(", "))
    }
}

forward_statement! {
    impl [B: Repeat<F2, Numbered<FileStatement>> + Repeat<F2, bristol::Claimed>] Statement<B> for Many {
        Self { circuits: Circuits::AtLeast { statement, .. }, .. } => statement,
        Self { circuits: Circuits::Batch(batch), .. } => batch,
    }
}

/// The statement as Mac'n'Cheese proves it.
struct ByMacAndCheese<'a>(&'a Many);

impl<B> Statement<B> for ByMacAndCheese<'_>
where
    B: Repeat<F2, Numbered<FileStatement>> + Repeat<F2, bristol::Claimed>,
{
    fn identify(&self, digest: &mut Digest) {
        Statement::<B>::identify(self.0, digest);
    }

    /// Factors of products are not committed to.
    fn commitments(&self) -> Option<u64> {
        let Task { shape, repetitions, .. } = self.0.circuits.task();
        let each = shape.inputs.checked_add(shape.outputs)?.checked_add(shape.multiplications)? as u64;
        each.checked_mul(repetitions as u64)
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        self.0.run(backend)
    }
}

impl Instance for Many {
    fn text(&self) -> String {
        self.circuits.text()
    }

    fn ring(&self) -> &'static str {
        F2::NAME
    }

    fn with_witness(self: Box<Self>, witness: &WitnessSource) -> Result<Box<dyn Instance>, Error> {
        let Self { circuits, by } = *self;
        Ok(Box::new(Self { circuits: circuits.with_witnesses(witness)?, by }))
    }

    fn check(&self) -> Result<(), StatementError> {
        Evaluator::<F2>::check(self)
    }

    fn count(&self) -> Result<Counts, StatementError> {
        Ok(Counter::<F2>::count(self)?.total())
    }

    fn describe(&self) -> Result<Described, Error> {
        let counter = Counter::<F2>::count(self)?;
        Ok(BitInfo::of(self.text(), &self.circuits.signature(), &counter))
    }

    /// Both protocols, on each kind of network.
    fn ways(&self) -> Result<Vec<Way<'_>>, Refusal> {
        let profiles = [Profile::Lan, Profile::Wan].into_iter();
        Ok(profiles.flat_map(|profile| [self.by_robin(profile), self.by_mac_and_cheese(profile)]).collect())
    }

    /// The protocol that is named, or the cheaper one. Both parties compute the same.
    fn ways_for(&self, options: &Options) -> Result<Vec<Way<'_>>, Refusal> {
        Ok(vec![match self.by.unwrap_or_else(|| self.cheaper(options)) {
            Disjunction::Robin => self.by_robin(options.profile),
            Disjunction::Macncheese => self.by_mac_and_cheese(options.profile),
        }])
    }

    #[cfg(feature = "stored")]
    fn stored(&self) -> Result<&dyn Storable, Refusal> {
        match self.by {
            Some(Disjunction::Macncheese) => Err(Refusal::OnlyRobinMakesFiles),
            _ => Ok(self),
        }
    }

    #[cfg(feature = "public")]
    fn public(&self) -> Result<Box<dyn PublicStatement + '_>, Refusal> {
        match self.by {
            Some(Disjunction::Macncheese) => Err(Refusal::OnlyRobinMakesFiles),
            _ => Ok(InTheHeadOnly::boxed(self)),
        }
    }
}

impl Many {
    fn by_robin(&self, profile: Profile) -> Way<'_> {
        Way::over_bits("robin", profile, self)
    }

    fn by_mac_and_cheese(&self, profile: Profile) -> Way<'_> {
        let Task { branches, shape, repetitions, .. } = self.circuits.task();
        let each = shape.inputs.saturating_add(shape.outputs).saturating_add(shape.multiplications) as u64;
        let all = (branches as u64).saturating_mul(repetitions as u64);
        let settings = stacked_settings(profile, branches);
        let proof = macncheese::soundness::Proof {
            settings,
            commitments: each.saturating_mul(all),
            // What a branch asserts is not counted apart: at most a few for each value.
            assertions: each.saturating_mul(all),
            branches: all,
        };
        Way {
            protocol: "macncheese",
            profile,
            rho: RHO,
            proving: Box::new(ProvedBy { statement: ByMacAndCheese(self), system: Stacked::new(settings) }),
            worth: Box::new(move |options, _| {
                let mode = Mode::hashed(options.fiat_shamir);
                Soundness::mac_and_cheese(proof, FieldSize::OVER_BITS, mode).bits()
            }),
        }
    }

    /// The protocol that takes less time on a network of the profile.
    fn cheaper(&self, options: &Options) -> Disjunction {
        let over = Over::bits(options.settings(), options.profile).stacked_by(stacked_by(options.profile));
        let task = self.circuits.task();
        let mut network = options.profile.network();
        if options.fiat_shamir {
            // Hashes need no answer.
            network.round_trip = Duration::ZERO;
        }
        let seconds = |protocol| task.cost(protocol, &over).map(|cost| cost.seconds_on(&over, network));
        match [Protocol::Robin, Protocol::MacAndCheese].map(seconds) {
            [Some(robin), Some(stacked)] if stacked < robin => Disjunction::Macncheese,
            _ => Disjunction::Robin,
        }
    }
}

/// The settings of Mac'n'Cheese for this number of branches: blocks are so short that all branches together
/// take about the memory of one.
fn stacked_settings(profile: Profile, branches: usize) -> macncheese::Settings {
    stacked_by(profile).for_branches(branches)
}

/// The settings of Mac'n'Cheese for one branch.
fn stacked_by(profile: Profile) -> macncheese::Settings {
    match profile {
        Profile::Lan => macncheese::Settings::LAN,
        Profile::Wan => macncheese::Settings::WAN,
    }
}

/// The circuits, each with what `parse` makes of its public file: its own, or that of all.
fn branches<T>(
    named: &Named,
    parse: fn(&[u8], &str, &Signature) -> Result<T, StatementError>,
) -> Result<Vec<(BristolFile, Option<T>)>, Error> {
    let files =
        named.any_of.iter().map(|Branch { circuit, public }| Ok((circuit.circuit::<F2>()?, public.as_ref())));
    let files = files.collect::<Result<Vec<_>, Error>>()?;
    let most = files.iter().map(|(file, _)| claim_bytes(file.signature())).max().unwrap_or_default();
    // The shared public file is read once, since it may be a pipe.
    let shared = match &named.public {
        Some(public) if files.iter().any(|(_, own)| own.is_none()) => Some(public.shared(most)?),
        _ => None,
    };
    let parsed = files.into_iter().map(|(file, own)| {
        let own = own.map(|own| own.shared(most)).transpose()?;
        let public = own.as_ref().or(shared.as_ref());
        let parsed =
            public.map(|Shared { name, content }| parse(content, name, file.signature())).transpose()?;
        Ok((file, parsed))
    });
    parsed.collect()
}

/// The circuits of a batch, whose claims are in one file.
fn alike(named: &Named) -> Result<Vec<BristolFile>, Error> {
    let files = named.any_of.iter().map(|Branch { circuit, public }| match public {
        None => circuit.circuit(),
        Some(_) => {
            let public = option("public");
            let reason = format!("with {REPEAT} claims are in the file of {public} alone");
            Err(Error::input(format!("{}: {reason}", circuit.name())))
        }
    });
    files.collect()
}

/// As [`super::compute`]: the outputs of the circuits that the witness picks.
pub(super) fn compute(named: &Named, witness: &WitnessSource) -> Result<Option<String>, Error> {
    if named.any_of.first().is_none_or(|first| r1cs::is_system(&first.circuit)) {
        return Ok(None);
    }
    named.no_values("one of several circuits")?;
    match named.repeat {
        Some(repetitions) => compute_each(named, witness, repetitions as usize),
        None => compute_one(named, witness),
    }
    .map(Some)
}

/// The one public file for all circuits that the witness picks.
fn compute_one(named: &Named, witness: &WitnessSource) -> Result<String, Error> {
    let drafts = branches(named, Draft::parse)?.into_iter().map(|(file, draft)| {
        let draft = draft.unwrap_or_else(|| Draft::new(file.signature()));
        (file, draft)
    });
    let drafts: Vec<_> = drafts.collect();
    let signatures: Vec<_> =
        drafts.iter().map(|(file, draft)| draft.mark(file.signature().clone())).collect();
    let least = usize::try_from(named.at_least.unwrap_or(1)).map_err(Error::input)?;
    let mut found: Option<String> = None;
    for (number, witness) in witnesses(witness, &signatures, least)? {
        let Some((file, draft)) = drafts.get(number) else { continue };
        let claim = text(&draft.complete(file, witness)?, file.signature())?;
        match &found {
            // Which branches they are is secret, and this message may be printed.
            Some(other) if *other != claim => {
                return Err(Error::input(format!(
                    "the witness's branches have different outputs: run compute for each circuit by itself, and give each its own \
                     public file ({OWN_PUBLIC})"
                )));
            }
            _ => found = Some(claim),
        }
    }
    let missing =
        || Error::input(format!("{}: expected a line `branch N` and values after it", witness.name()));
    found.ok_or_else(missing)
}

/// A public file with a section for each repetition.
fn compute_each(named: &Named, witness: &WitnessSource, repetitions: usize) -> Result<String, Error> {
    let files = alike(named)?;
    let Some(first) = files.first().map(BristolFile::signature) else {
        return Err(Error::input(format!("{ANY_OF}: no circuits")));
    };
    let drafts = match &named.public {
        Some(public) => claims(public, first, repetitions, Draft::parse)?,
        None => vec![Draft::new(first); repetitions],
    };
    let signature = drafts.first().map_or_else(|| first.clone(), |draft| draft.mark(first.clone()));
    let known = witnesses(witness, &vec![signature; files.len()], repetitions)?;
    if known.len() != repetitions {
        let got = known.len();
        return Err(Error::input(format!(
            "{}: witnesses for {got} of {repetitions} repetitions",
            witness.name()
        )));
    }
    let sections =
        known.into_iter().zip(drafts).enumerate().map(|(repetition, ((number, witness), draft))| {
            let file = files.get(number).ok_or_else(|| Error::internal("internal error"))?;
            let claim = text(&draft.complete(file, witness)?, file.signature())?;
            Ok(format!("repetition {repetition}\n{claim}"))
        });
    sections.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_branches_of_mac_n_cheese_take_about_the_memory_of_one() {
        for profile in [Profile::Lan, Profile::Wan] {
            // Branches that fill a block, however long it is.
            let memory = |branches| stacked_settings(profile, branches).memory(branches, u64::MAX);
            for (many, one) in memory(48).into_iter().zip(memory(1)) {
                assert!(many <= 2 * one, "{profile:?}: {many} bytes for 48 branches, {one} for one");
            }
        }
    }
}
