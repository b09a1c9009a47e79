//! Traced functions as instances of statements: how they are checked, counted, described and proved.

use volery::circuit::choose::AtLeast;
use volery::circuit::{
    CircuitStatement, Counter, Counts, Error as StatementError, Evaluator, Input, Output, Signature,
    Statement as _,
};
use volery::field::{F2, F61, F61x2, Ring};
use volery::system::{Mixed, Provable};
use volery::{Profile, estimate};
use volery_statement::describe::{BitInfo, Described, Description, FieldInfo};
use volery_statement::public::{PublicStatement, about_bits, about_choices, about_ring};
use volery_statement::stored::Storable;
use volery_statement::way::{ProvedBy, RHO, Way};
use volery_statement::{Error, Instance, Refusal, WitnessSource};

use crate::counter::MixedCounter;
use crate::program::{Kind, Program};
use crate::traced::{AboutBits, AboutBoth, AboutField, Domain, Traced};

/// A traced function with its claim.
pub(crate) enum Whole {
    Bits(AboutBits),
    Field(AboutField),
    Both(AboutBoth),
}

impl Whole {
    pub(crate) fn new(traced: Traced) -> Self {
        match traced.domain() {
            Domain::Bits => Self::Bits(AboutBits(traced)),
            Domain::Field => Self::Field(AboutField(traced)),
            Domain::Both => Self::Both(AboutBoth(traced)),
        }
    }

    fn traced(&self) -> &Traced {
        match self {
            Self::Bits(AboutBits(traced))
            | Self::Field(AboutField(traced))
            | Self::Both(AboutBoth(traced)) => traced,
        }
    }

    /// The statement, if it is about bits alone.
    pub(crate) fn about_bits(&self) -> Option<AboutBits> {
        match self {
            Self::Bits(statement) => Some(statement.clone()),
            _ => None,
        }
    }
}

/// The secret arguments and what is returned, as inputs and outputs.
fn signature(program: &Program) -> Signature {
    let width = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
    let inputs = program.arguments.iter().map(|argument| Input {
        name: argument.name.clone(),
        width: width(argument.shape.length),
        public: false,
    });
    let outputs = program.outputs.iter().enumerate().filter_map(|(number, &output)| {
        let shape = program.instructions.get(output as usize)?.shape;
        Some(Output { name: format!("output {number}"), width: width(shape.length) })
    });
    Signature { inputs: inputs.collect(), outputs: outputs.collect() }
}

/// QuickSilver over bits, on each kind of network.
fn over_bits<'a, S>(protocol: &'static str, statement: &'a S) -> Vec<Way<'a>>
where
    &'a S: Provable<volery::system::Bits>,
    S: Sync,
{
    [Profile::Lan, Profile::Wan].map(|profile| Way::over_bits(protocol, profile, statement)).into()
}

/// QuickSilver over bits and F61. MACs of elements are in the quadratic extension alone: as sound as those of
/// bits, and a second field would take as long to compile as all the rest.
fn over_both(profile: Profile, statement: &AboutBoth) -> Way<'_> {
    Way {
        protocol: "quicksilver",
        profile,
        rho: RHO,
        proving: Box::new(ProvedBy { statement: statement.clone(), system: Mixed::<F61, F61x2>::new() }),
        worth: Box::new(move |options, _| {
            // What converted bits cost is in no count, so the proof is rehearsed.
            let estimate = estimate(*options, Mixed::<F61, F61x2>::new(), statement);
            estimate.map_or(0.0, |estimate| estimate.soundness.bits())
        }),
    }
}

impl Instance for Whole {
    fn text(&self) -> String {
        self.traced().program.name.clone()
    }

    fn ring(&self) -> &'static str {
        match self {
            Self::Bits(_) => F2::NAME,
            Self::Field(_) | Self::Both(_) => F61::NAME,
        }
    }

    fn with_witness(self: Box<Self>, _witness: &WitnessSource) -> Result<Box<dyn Instance>, Error> {
        // It comes with its witness, which is no file.
        Ok(self)
    }

    fn check(&self) -> Result<(), StatementError> {
        self.traced().check()
    }

    fn count(&self) -> Result<Counts, StatementError> {
        match self {
            Self::Bits(statement) => Ok(Counter::<F2>::count(statement)?.total()),
            Self::Field(statement) => Ok(Counter::<F61>::count(statement)?.total()),
            Self::Both(statement) => {
                let mut counter = MixedCounter::default();
                statement.run(&mut counter)?;
                Ok(counter.total())
            }
        }
    }

    fn describe(&self) -> Result<Described, Error> {
        match self {
            Self::Bits(statement) => {
                let counter = Counter::<F2>::count(statement)?;
                Ok(BitInfo::of(self.text(), &signature(&self.traced().program), &counter))
            }
            Self::Field(statement) => FieldInfo::of::<F61>(self.text(), statement),
            Self::Both(_) => {
                let counts = self.count()?;
                Ok(Described {
                    description: Description::Field(FieldInfo {
                        statement: self.text(),
                        field: F61::NAME,
                        secrets: counts.inputs,
                        multiplications: counts.multiplications,
                        linear: counts.linear,
                        polynomials: Vec::new(),
                        matrix_products: counts.matrix_products,
                    }),
                    counts,
                })
            }
        }
    }

    fn always(&self) -> u16 {
        match self {
            // That of a proof is compared with it once more.
            Self::Bits(_) | Self::Both(_) => RHO,
            Self::Field(_) => 0,
        }
    }

    fn ways(&self) -> Result<Vec<Way<'_>>, Refusal> {
        Ok(match self {
            Self::Bits(statement) => over_bits("quicksilver", statement),
            Self::Field(statement) => Way::over_field::<F61, _>(statement),
            Self::Both(statement) => {
                [Profile::Lan, Profile::Wan].map(|profile| over_both(profile, statement)).into()
            }
        })
    }

    fn stored(&self) -> Result<&dyn Storable, Refusal> {
        match self {
            Self::Bits(statement) => Ok(statement),
            _ => Err(Refusal::OnlyBitsAreStored { ring: self.ring() }),
        }
    }

    fn public(&self) -> Result<Box<dyn PublicStatement + '_>, Refusal> {
        match self {
            Self::Bits(statement) => Ok(about_bits(statement)),
            Self::Field(statement) => Ok(about_ring::<F61, _>(statement)),
            Self::Both(_) => Err(Refusal::BitsAndElements),
        }
    }
}

/// Some of several traced functions hold.
pub(crate) struct Several {
    pub(crate) statement: AtLeast<CircuitStatement<F2>>,
    pub(crate) texts: Vec<String>,
}

impl Instance for Several {
    fn text(&self) -> String {
        let [count, least] = self.statement.counts();
        let mut texts = self.texts.clone();
        texts.dedup();
        format!("at least {least} of {count}: {}", texts.join(", "))
    }

    fn ring(&self) -> &'static str {
        F2::NAME
    }

    fn with_witness(self: Box<Self>, _witness: &WitnessSource) -> Result<Box<dyn Instance>, Error> {
        Ok(self)
    }

    fn check(&self) -> Result<(), StatementError> {
        Evaluator::<F2>::check(&self.statement)
    }

    fn count(&self) -> Result<Counts, StatementError> {
        Ok(Counter::<F2>::count(&self.statement)?.total())
    }

    fn describe(&self) -> Result<Described, Error> {
        let counter = Counter::<F2>::count(&self.statement)?;
        Ok(BitInfo::of(self.text(), &Signature::default(), &counter))
    }

    fn ways(&self) -> Result<Vec<Way<'_>>, Refusal> {
        Ok(over_bits("robin", &self.statement))
    }

    fn stored(&self) -> Result<&dyn Storable, Refusal> {
        Ok(&self.statement)
    }

    fn public(&self) -> Result<Box<dyn PublicStatement + '_>, Refusal> {
        Ok(about_choices(&self.statement))
    }
}

/// The kind of a traced function's values, as Python calls it.
pub(crate) fn domain(program: &Program) -> &'static str {
    match program.kinds() {
        (true, true) => "both",
        (_, false) => Kind::Bits.name(),
        (false, true) => Kind::Field.name(),
    }
}
