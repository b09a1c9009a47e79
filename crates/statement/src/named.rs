//! A statement as somebody names it, on a command line or in a call.

use std::ffi::OsStr;
use std::path::PathBuf;

use volery::builtin::{self, Entry};

use crate::Error;
use crate::source::Source;
use crate::spelling::{ANY_OF, REPEAT, option};

/// A statement as it is named: what is to be proved, and its public side. [`crate::load`] makes an
/// [`Instance`](crate::Instance) of it.
///
/// ```
/// use volery_statement::{Named, Target, load};
///
/// let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
/// let statement = load(&Named {
///     target: Target::Builtin("sha256-preimage".into()),
///     values: vec![("digest".into(), digest.into()), ("length".into(), "3".into())],
///     ..Named::default()
/// })?;
/// assert_eq!(statement.ring(), "F2");
/// # Ok::<(), volery_statement::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Named {
    /// The statement.
    pub target: Target,
    /// Instead of it: circuits or constraint systems, some of which hold.
    pub any_of: Vec<Branch>,
    /// How many different branches hold; one if it is not given.
    pub at_least: Option<u32>,
    /// How often it is proved that one of the branches holds.
    pub repeat: Option<u32>,
    /// The protocol for several circuits; the faster one if it is not given.
    pub disjunction: Option<Disjunction>,
    /// The public file: public inputs and outputs of a circuit, public values of a built-in or a constraint
    /// system, the public input of a program.
    pub public: Option<Source>,
    /// Public values by name: those of a built-in, and of a RISC-V program `exit`, `trap`, `max-steps` and
    /// `secret-program`.
    pub values: Vec<(String, String)>,
    /// The field of a built-in over a field, by one of [`crate::fields::NAMED`].
    pub field: Option<String>,
    /// The ring of a circuit over machine words.
    pub ring: Option<MachineRing>,
}

/// What is to be proved.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Target {
    /// Nothing by itself: there are branches, or a secret program that this party does not have.
    #[default]
    None,
    /// One of [`volery::builtin::ENTRIES`].
    Builtin(String),
    /// A file: a circuit, a constraint system or a program. Its first bytes say which.
    File(Source),
}

impl Target {
    /// What a word on a command line names: a built-in statement, or else a file. An empty one names nothing.
    #[must_use]
    pub fn of(name: &OsStr) -> Self {
        match name.to_str() {
            Some("") => Self::None,
            Some(name) if builtin::find(name).is_some() => Self::Builtin(name.to_owned()),
            _ => Self::File(Source::File(PathBuf::from(name))),
        }
    }
}

/// One of several circuits or constraint systems.
#[derive(Clone, Debug)]
pub struct Branch {
    /// The circuit.
    pub circuit: Source,
    /// A public file of its own.
    pub public: Option<Source>,
}

/// A protocol for one of many circuits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disjunction {
    /// Takes the fewest seconds.
    Robin,
    /// Mac'n'Cheese: sends the fewest bytes.
    Macncheese,
}

/// A ring that circuit files may be over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineRing {
    /// The integers modulo 2^32.
    Z32,
    /// The integers modulo 2^64.
    Z64,
}

/// What the run of a program shows besides its end.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Padding {
    /// Its own counts.
    #[default]
    None,
    /// For all segments the same counts, of each the largest.
    Uniform,
    /// The same, for a run of this many steps.
    To(u64),
    /// What this profile class says, as every run of the class does.
    Class(Source),
}

impl Named {
    /// The name of the statement in messages.
    pub(crate) fn text(&self) -> String {
        match &self.target {
            Target::None => String::new(),
            Target::Builtin(name) => name.clone(),
            Target::File(source) => source.name(),
        }
    }

    /// The built-in statement, if it is one.
    pub(crate) fn builtin(&self) -> Option<&'static Entry> {
        match &self.target {
            Target::Builtin(name) => builtin::find(name),
            _ => None,
        }
    }

    /// The file, if the statement is in one.
    pub(crate) fn file(&self) -> Option<&Source> {
        match &self.target {
            Target::File(source) => Some(source),
            _ => None,
        }
    }

    /// The circuit file. Refuses values of built-ins beside it.
    pub(crate) fn circuit(&self) -> Result<&Source, Error> {
        let Some(file) = self.file().filter(|file| file.exists()) else {
            let names: Vec<&str> = builtin::ENTRIES.iter().map(|entry| entry.name).collect();
            let (name, names) = (self.text(), names.join(", "));
            return Err(Error::input(format!(
                "`{name}` is neither a file nor a built-in statement ({names})"
            )));
        };
        self.no_values("a file")?;
        Ok(file)
    }

    /// The public values, by name.
    pub(crate) fn values(&self) -> Vec<(&str, &str)> {
        self.values.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }

    /// The value of this name.
    pub(crate) fn value(&self, wanted: &str) -> Option<&str> {
        self.values.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
    }

    /// Refuses public values by name if the statement is `what`.
    pub(crate) fn no_values(&self, what: &str) -> Result<(), Error> {
        let field = self.field.as_deref().map(|field| ("field", field));
        match self.values().first().copied().or(field) {
            None => Ok(()),
            Some((name, _)) => {
                let whose = match name {
                    "exit" | "trap" | "max-steps" | "secret-program" => "RISC-V programs",
                    _ => "built-in statements",
                };
                let name = option(name);
                Err(Error::input(format!("{name} is for {whose}; {} is {what}", self.text())))
            }
        }
    }

    /// Refuses a public file where the witness determines all public values.
    pub(crate) fn no_public(&self) -> Result<(), Error> {
        match &self.public {
            Some(_) => {
                let reason = "all public values of this statement follow from the witness";
                Err(Error::input(format!("{}: {reason}", option("public"))))
            }
            None => Ok(()),
        }
    }

    /// Refuses what contradicts itself. (A command line may refuse it before.)
    pub(crate) fn check(&self) -> Result<(), Error> {
        let refused = |reason: String| Err(Error::input(reason));
        let at_least = option("at-least");
        for (given, name) in [
            (self.at_least.is_some(), at_least),
            (self.repeat.is_some(), REPEAT),
            (self.disjunction.is_some(), option("disjunction")),
        ] {
            if given && self.any_of.is_empty() {
                return refused(format!("{name} is for {ANY_OF}"));
            }
        }
        for (number, name) in [(self.at_least, at_least), (self.repeat, REPEAT)] {
            if number == Some(0) {
                return refused(format!("{name}: at least 1"));
            }
        }
        if self.at_least.is_some() && self.repeat.is_some() {
            return refused(format!("give {at_least} or {REPEAT}, not both"));
        }
        let of_others =
            [(self.ring.is_some(), "ring"), (self.value("secret-program").is_some(), "secret-program")];
        for (given, name) in of_others {
            if given && !self.any_of.is_empty() {
                return refused(format!("{} is not for {ANY_OF}", option(name)));
            }
        }
        if self.ring.is_some() && self.field.is_some() {
            return refused(format!("give {} or {}, not both", option("ring"), option("field")));
        }
        if self.value("exit").is_some() && self.value("trap").is_some() {
            return refused(format!("give {} or {}, not both", option("exit"), option("trap")));
        }
        let twice = (1..)
            .zip(&self.values)
            .find(|(rest, (name, _))| self.values.iter().skip(*rest).any(|(other, _)| other == name));
        match twice {
            Some((_, (name, _))) => refused(format!("{} is given twice", option(name))),
            None => Ok(()),
        }
    }
}
