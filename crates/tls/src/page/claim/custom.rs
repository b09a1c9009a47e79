//! Custom claims of an embedding program, about anything that can be stated about bytes.

use core::fmt;
use std::sync::Arc;

use volery_channel::hex;
use volery_circuit::{Error, Evaluator, Prove as _, Recorded, Recorder, Statement};
use volery_field::F2;
use zeroize::Zeroizing;

use super::{Claim, Class};

/// The longest name of a [`CustomClaim`].
pub const MAX_NAME: usize = 64;
/// The most bytes of its parameters.
pub const MAX_PARAMETERS: usize = 1 << 9;

/// A claim that the programs of both parties know by name. Name and parameters are its identity: two such
/// claims with the same ones must be the same claim. A claim that was read, for example from an attestation,
/// only has these; nothing can be proved with it until a [`Vocabulary`] explains it.
#[derive(Clone)]
pub struct CustomClaim {
    name: String,
    parameters: Vec<u8>,
    claim: Option<Arc<dyn Claim>>,
}

/// The custom claims that a party knows.
pub trait Vocabulary: Send + Sync {
    /// The claim with this name and these parameters, or `None` if there is none. The parameters are the
    /// other party's bytes.
    fn claim(&self, name: &str, parameters: &[u8]) -> Option<Arc<dyn Claim>>;
}

/// Exactly these claims.
impl Vocabulary for Vec<CustomClaim> {
    fn claim(&self, name: &str, parameters: &[u8]) -> Option<Arc<dyn Claim>> {
        let known = self.iter().find(|own| own.name == name && own.parameters == parameters);
        known.and_then(|own| own.claim.clone())
    }
}

impl CustomClaim {
    /// A claim with this name, of 1 to [`MAX_NAME`] visible ASCII characters, and these parameters, at most
    /// [`MAX_PARAMETERS`] bytes.
    ///
    /// # Errors
    /// [`Error::Public`] for any other name, and for too many parameters.
    pub fn new(name: &str, parameters: &[u8], claim: Arc<dyn Claim>) -> Result<Self, Error> {
        let own = Self { claim: Some(claim), ..Self::read(name.as_bytes(), parameters)? };
        Ok(own)
    }

    /// A claim as it was read.
    ///
    /// # Errors
    /// As [`CustomClaim::new`].
    pub(super) fn read(name: &[u8], parameters: &[u8]) -> Result<Self, Error> {
        let proper = (1..=MAX_NAME).contains(&name.len()) && name.iter().all(u8::is_ascii_graphic);
        let name = core::str::from_utf8(name).ok().filter(|_| proper && parameters.len() <= MAX_PARAMETERS);
        let name = name.ok_or_else(|| {
            Error::Public(
                "a claim's name has 1 to 64 visible characters, its parameters at most 512 bytes".into(),
            )
        })?;
        Ok(Self { name: name.into(), parameters: parameters.to_vec(), claim: None })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its parameters.
    #[must_use]
    pub fn parameters(&self) -> &[u8] {
        &self.parameters
    }

    /// Looks up the claim. Returns whether it is known.
    pub(crate) fn explain(&mut self, vocabulary: &dyn Vocabulary) -> bool {
        self.claim = vocabulary.claim(&self.name, &self.parameters);
        self.claim.is_some()
    }

    fn known(&self) -> Result<&dyn Claim, Error> {
        let unknown = || Error::Public(format!("the claim {}, which this party does not know", self.name));
        self.claim.as_deref().ok_or_else(unknown)
    }
}

impl fmt::Debug for CustomClaim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CustomClaim").field("name", &self.name).field("parameters", &self.parameters).finish()
    }
}

impl PartialEq for CustomClaim {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.parameters) == (&other.name, &other.parameters)
    }
}

impl Eq for CustomClaim {}

impl fmt::Display for CustomClaim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "is what \"{}\" claims", self.name)?;
        if !self.parameters.is_empty() {
            f.write_str(" with ")?;
            f.write_str(&hex::encode(&self.parameters))?;
        }
        Ok(())
    }
}

impl Claim for CustomClaim {
    fn assert(&self, recorder: &mut Recorder<F2>, class: Class, bytes: &[Recorded]) -> Result<(), Error> {
        self.known()?.assert(recorder, class, bytes)
    }

    fn witness(&self, bytes: &[u8]) -> Result<Zeroizing<Vec<F2>>, Error> {
        self.known()?.witness(bytes)
    }

    fn reason(&self, bytes: &[u8]) -> Option<String> {
        self.known().ok()?.reason(bytes)
    }
}

/// A [`Statement`] about a hidden string. The first secrets that it asks for are the string's bits, in the
/// order of [`bytes_to_bits`](volery_circuit::gadgets::bytes_to_bits); all further ones are a witness of P's.
///
/// P's statement must hold the string as its witness, as it would if it were proved alone; V's holds none.
/// Its [identity](Statement::identify) is ignored: name and parameters of the [`CustomClaim`]
/// determine the statement.
#[derive(Clone, Debug)]
pub struct StatementClaim<S>(pub S);

impl<S> Claim for StatementClaim<S>
where
    S: Statement<Recorder<F2>> + Statement<Evaluator<F2>> + Send,
{
    fn assert(&self, recorder: &mut Recorder<F2>, _: Class, bytes: &[Recorded]) -> Result<(), Error> {
        let circuit = Recorder::record(&self.0)?;
        let inputs = circuit.input_wires() as usize;
        let Some(more) = inputs.checked_sub(bytes.len()) else {
            let length = bytes.len() / 8;
            return Err(Error::Public(format!(
                "a statement about {inputs} bits on a hidden string of {length} bytes"
            )));
        };
        let mut wires = bytes.to_vec();
        if more > 0 {
            wires.extend(recorder.secret(more, &mut |_| Err(Error::misuse("a recorder runs no hints")))?);
        }
        circuit.run(recorder, wires).map(drop)
    }

    fn witness(&self, bytes: &[u8]) -> Result<Zeroizing<Vec<F2>>, Error> {
        let mut evaluator = Evaluator::tracing();
        self.0.run(&mut evaluator)?;
        let trace = evaluator.into_trace();
        Ok(Zeroizing::new(trace.values().get(8 * bytes.len()..).unwrap_or_default().to_vec()))
    }
}
