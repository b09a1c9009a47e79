//! What can be done with a statement of any kind.

use volery::Options;
use volery_circuit::{Counts, Error as StatementError};

use crate::describe::Described;
use crate::error::Error;
use crate::named::Padding;
#[cfg(feature = "public")]
use crate::public::PublicStatement;
use crate::refusal::Refusal;
use crate::source::{Source, WitnessSource};
use crate::spelling::option;
#[cfg(feature = "stored")]
use crate::stored::Storable;
use crate::way::Way;

/// A statement that was loaded, with its witness once [`Instance::with_witness`] has read it. The defaults
/// refuse what a kind of statement cannot do.
pub trait Instance: Send + Sync {
    /// Its description in results.
    fn text(&self) -> String;

    /// The name of the field or ring of its values.
    fn ring(&self) -> &'static str;

    /// Reads the witness. Of a program's run this runs the program.
    ///
    /// # Errors
    /// As reading and parsing it; [`Error::Input`] if it does not suit the statement.
    fn with_witness(self: Box<Self>, witness: &WitnessSource) -> Result<Box<dyn Instance>, Error>;

    /// Fixes what its proof shows besides the statement.
    ///
    /// # Errors
    /// [`Error::Input`] if only other kinds of statements can be padded; [`Refusal::OtherClass`] if a run
    /// does not fit into its class.
    fn pad(&mut self, padding: &Padding) -> Result<(), Error> {
        match padding {
            Padding::None => Ok(()),
            _ => Err(not_a_run(&self.text())),
        }
    }

    /// The profile class of its run, in JSON, for [`Padding::Class`]: of the run padded to `steps`, if that
    /// is given. It holds all runs that `other` holds, if there is one.
    ///
    /// # Errors
    /// [`Error::Input`] if the statement is no run; as reading `other`, and if that is a class of another
    /// program.
    fn profile_class(&self, _other: Option<&Source>, _steps: Option<u64>) -> Result<String, Error> {
        Err(not_a_run(&self.text()))
    }

    /// Checks that the public values are complete, which a verifier needs.
    ///
    /// # Errors
    /// [`Error::Input`], [`Error::Refused`] with what is missing.
    fn complete(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Checks that its witness satisfies it.
    ///
    /// # Errors
    /// [`StatementError::Unsatisfied`] or [`StatementError::Contradicted`] with the place where it does not.
    fn check(&self) -> Result<(), StatementError>;

    /// Counts its gates, in a run without values.
    ///
    /// # Errors
    /// As reading its file again.
    fn count(&self) -> Result<Counts, StatementError>;

    /// What there is to say about the statement itself.
    ///
    /// # Errors
    /// As [`Instance::count`].
    fn describe(&self) -> Result<Described, Error>;

    /// Bits of soundness that every proof of this kind of statement has, whatever its size, so that nobody
    /// has to count it.
    fn always(&self) -> u16 {
        0
    }

    /// Whether this party knows before a session how much there is to prove.
    fn is_foreseen(&self) -> bool {
        true
    }

    /// All ways to prove it over a session.
    ///
    /// # Errors
    /// Why there is none.
    fn ways(&self) -> Result<Vec<Way<'_>>, Refusal> {
        Err(Refusal::OnlyInPublic { ring: self.ring() })
    }

    /// The ways that suit these options. A session takes the first one that is sound enough
    /// ([`crate::settle`]).
    ///
    /// # Errors
    /// Why there is none.
    fn ways_for(&self, options: &Options) -> Result<Vec<Way<'_>>, Refusal> {
        Ok(self.ways()?.into_iter().filter(|way| way.suits(options)).collect())
    }

    /// The statement, to prove it with stored correlations.
    ///
    /// # Errors
    /// Why that is impossible.
    #[cfg(feature = "stored")]
    fn stored(&self) -> Result<&dyn Storable, Refusal> {
        Err(Refusal::OnlyBitsAreStored { ring: self.ring() })
    }

    /// The statement, to make a public proof of it.
    ///
    /// # Errors
    /// Why that is impossible.
    #[cfg(feature = "public")]
    fn public(&self) -> Result<Box<dyn PublicStatement + '_>, Refusal> {
        Err(Refusal::OneOfMany)
    }
}

fn not_a_run(text: &str) -> Error {
    let [uniform, pad_to] = ["uniform", "pad-to"].map(option);
    Error::input(format!(
        "{uniform}, {pad_to} and profile classes are for RISC-V programs; {text} is another statement"
    ))
}

/// The error of a proof of `statement`. If the witness is wrong, it is the one of [`Instance::check`], which
/// says more about the place.
#[must_use]
pub fn explained(statement: &dyn Instance, error: Error) -> Error {
    if !error.is_rejection() {
        return error;
    }
    statement.check().map_or_else(Error::from, |()| error)
}
