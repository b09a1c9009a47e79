//! Circuit files of any size as statements.
//!
//! Opening a file reads it once, checks it and hashes it. A small circuit then stays in memory. A large one
//! is read again on every run, gate by gate, so that it only takes memory for its wires: one wire of the
//! backend for each wire of the file. Each run hashes the content again, and a file that has changed is an
//! error before any output is asserted.
//!
//! The content may also be in memory, where there are no files: then a large circuit is read from there.

use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use volery_field::F2;

use super::convert::Import;
use super::{FileGate, FileRing, Header, Reader};
use crate::{Circuit, Claim, Digest, Error, Evaluator, Fold, Prove, Signature, Statement, Witness, files};

/// Circuits of at most this many wires stay in memory. Their gates take 12 bytes each and their schedule 16,
/// at most some 29 MB in all (and 8 for each constant over a ring).
const KEPT_WIRES: u32 = 1 << 20;

/// The number of gates of each kind in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Sums of two wires: `XOR`, `ADD`.
    pub add: u64,
    /// `SUB`.
    pub sub: u64,
    /// Products: `AND`, `MUL`, and every single AND of a `MAND`.
    pub mul: u64,
    /// `INV` or `NOT`.
    pub increment: u64,
    /// `EQW`.
    pub copy: u64,
    /// `EQ`.
    pub constant: u64,
}

impl Tally {
    fn count<R>(&mut self, gate: FileGate<'_, R>) {
        match gate {
            FileGate::Add { .. } => self.add += 1,
            FileGate::Sub { .. } => self.sub += 1,
            FileGate::Mul { .. } => self.mul += 1,
            FileGate::Increment { .. } => self.increment += 1,
            FileGate::Copy { .. } => self.copy += 1,
            FileGate::Constant { .. } => self.constant += 1,
            FileGate::Many { out, .. } => self.mul += out.len() as u64,
        }
    }
}

/// A circuit file over `R` that was read once, checked and hashed.
#[derive(Clone, Debug)]
pub struct BristolFile<R: FileRing = F2> {
    /// Where a large circuit is read again.
    content: Content,
    what: String,
    header: Header,
    signature: Signature,
    tally: Tally,
    hash: [u8; 32],
    /// The whole circuit if it is small. Clones of the file share it.
    circuit: Option<Arc<Circuit<R>>>,
}

/// Where the content of a file is.
#[derive(Clone)]
enum Content {
    File(PathBuf),
    Memory(Arc<dyn AsRef<[u8]> + Send + Sync>),
}

impl Content {
    /// Opens it, and returns it with its length. `what` names it in errors.
    fn open(&self, what: &str) -> Result<(Box<dyn Read + '_>, u64), Error> {
        match self {
            Self::File(path) => {
                let (file, length) = files::open(path, what)?;
                Ok((Box::new(file), length))
            }
            Self::Memory(content) => {
                let content = content.as_ref().as_ref();
                Ok((Box::new(content), content.len() as u64))
            }
        }
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => f.debug_tuple("File").field(path).finish(),
            Self::Memory(content) => write!(f, "Memory({} bytes)", content.as_ref().as_ref().len()),
        }
    }
}

impl<R: FileRing> BristolFile<R> {
    /// Opens and checks the file at `path`, which must be a regular file.
    ///
    /// # Errors
    /// [`Error::Malformed`] with line, column and reason; [`Error::Io`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::open_keeping(path.as_ref(), KEPT_WIRES)
    }

    /// Checks the content of a file that is in memory; `what` names it in errors. A large circuit keeps it
    /// there.
    ///
    /// # Errors
    /// As [`BristolFile::open`].
    pub fn of_bytes(content: Arc<dyn AsRef<[u8]> + Send + Sync>, what: &str) -> Result<Self, Error> {
        Self::keeping(Content::Memory(content), what.to_owned(), KEPT_WIRES)
    }

    /// As [`BristolFile::open`], but never keeps the circuit in memory, however small.
    ///
    /// # Errors
    /// As [`BristolFile::open`].
    #[cfg(test)]
    pub(super) fn open_streaming(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::open_keeping(path.as_ref(), 0)
    }

    /// As [`BristolFile::of_bytes`], but never keeps the circuit in memory, however small.
    ///
    /// # Errors
    /// As [`BristolFile::open`].
    #[cfg(test)]
    pub(super) fn of_bytes_streaming(
        content: Arc<dyn AsRef<[u8]> + Send + Sync>,
        what: &str,
    ) -> Result<Self, Error> {
        Self::keeping(Content::Memory(content), what.to_owned(), 0)
    }

    fn open_keeping(path: &Path, most_wires: u32) -> Result<Self, Error> {
        Self::keeping(Content::File(path.to_owned()), path.display().to_string(), most_wires)
    }

    fn keeping(content: Content, what: String, most_wires: u32) -> Result<Self, Error> {
        let (file, length) = content.open(&what)?;
        let mut reader = Reader::<_, R>::new(Hashing::new(file), &what, Some(length))?;
        let mut import = (reader.header().wires <= most_wires).then(|| Import::new(&reader));
        let mut tally = Tally::default();
        while let Some(gate) = reader.next_gate()? {
            tally.count(gate);
            if let Some(import) = &mut import {
                import.take(gate);
            }
        }
        let circuit = import.map(|import| import.finish(&reader)).transpose()?.map(Arc::new);
        let header = reader.header().clone();
        let signature = header.signature();
        let hash = reader.source().finish();
        drop(reader);
        // Nobody reads again what is kept as a circuit.
        let content = match content {
            Content::Memory(_) if circuit.is_some() => Content::Memory(Arc::new([])),
            content => content,
        };
        Ok(Self { content, what, header, signature, tally, hash, circuit })
    }

    /// The name of the file in errors: its path, unless it was in memory.
    #[must_use]
    pub fn what(&self) -> &str {
        &self.what
    }

    /// The content of its first lines.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Its inputs and outputs, named `input 0`, `output 0` and so on. All inputs are marked secret.
    #[must_use]
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// The number of gates of each kind.
    #[must_use]
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// The BLAKE3 hash of its content.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        self.hash
    }

    /// Runs the file's gates on a backend. `inputs` are the wires of all inputs in order. Returns the output
    /// wires.
    ///
    /// # Errors
    /// [`Error::Changed`] if the file has changed since it was opened; [`Error::Io`]; [`Error::Misuse`] if
    /// `inputs` has the wrong length; the backend's own.
    pub fn compute<B: Prove<R>>(
        &self,
        backend: &mut B,
        inputs: Vec<B::Wire>,
    ) -> Result<Vec<B::Wire>, B::Error> {
        match &self.circuit {
            Some(circuit) => Ok(circuit.compute(backend, inputs)?.outputs),
            None => self.stream(backend, inputs),
        }
    }

    /// The claim that holds for these inputs: it has the public inputs of `inputs` and, for every output, the
    /// value that the circuit computes from them and from `witness`, the secret inputs.
    ///
    /// # Errors
    /// [`Error::Public`] if `inputs` does not fit the file, or the circuit has no output; [`Error::Witness`]
    /// unless there is one value for each secret wire; as [`BristolFile::compute`].
    pub(crate) fn claim(&self, inputs: &Claim<R>, witness: Witness<R>) -> Result<Claim<R>, Error> {
        inputs.suits(&self.signature)?;
        let outputs: u64 = self.signature.outputs.iter().map(|output| u64::from(output.width)).sum();
        // What is claimed plays no part. As many values as that are in the file's numbers of wires.
        let claim = inputs.with_outputs(&vec![R::ZERO; outputs as usize], &self.signature)?;
        let statement = FileStatement { file: self.clone(), claim, witness: None }.with_witness(witness)?;
        inputs.with_outputs(Evaluator::outputs_of(&statement)?.values(), &self.signature)
    }

    fn stream<B: Prove<R>>(&self, backend: &mut B, inputs: Vec<B::Wire>) -> Result<Vec<B::Wire>, B::Error> {
        let changed = || Error::Changed { what: self.what.clone() };
        let (file, length) = self.content.open(&self.what)?;
        let mut reader =
            Reader::<_, R>::trusting(Hashing::new(file), &self.what, Some(length)).map_err(as_changed)?;
        if *reader.header() != self.header {
            return Err(changed().into());
        }
        if inputs.len() != reader.input_wires() as usize {
            let reason =
                format!("{} wires for the {} input wires of a file", inputs.len(), reader.input_wires());
            return Err(Error::misuse(reason).into());
        }
        let mut wires = Wires(inputs);
        wires.0.reserve_exact((self.header.wires as usize).saturating_sub(wires.0.len()));
        while let Some(gate) = reader.next_gate().map_err(as_changed)? {
            // `None` means that the wire is not set yet, which the first reading would have refused.
            wires.apply(backend, gate)?.ok_or_else(changed)?;
        }
        if reader.source().finish() != self.hash {
            return Err(changed().into());
        }
        let first = self.header.first_output() as usize;
        Ok(if first <= wires.0.len() { wires.0.split_off(first) } else { Vec::new() })
    }
}

/// A file that was well-formed when it was opened and is not any more has changed.
fn as_changed(error: Error) -> Error {
    match error {
        Error::Malformed { what, .. } => Error::Changed { what },
        other => other,
    }
}

/// The wires of a run, by the file's numbers. A wire that is not set yet holds the value of some other wire.
struct Wires<W>(Vec<W>);

impl<W: Clone> Wires<W> {
    /// Runs one gate. Returns `None` if it reads past all wires set so far.
    #[inline]
    fn apply<R: FileRing, B: Prove<R, Wire = W>>(
        &mut self,
        backend: &mut B,
        gate: FileGate<'_, R>,
    ) -> Result<Option<()>, B::Error> {
        let get = |wire: u32| self.0.get(wire as usize);
        let (wire, out) = match gate {
            FileGate::Add { x, y, out } => match (get(x), get(y)) {
                (Some(x), Some(y)) => (backend.add(x, y), out),
                _ => return Ok(None),
            },
            FileGate::Sub { x, y, out } => match (get(x), get(y)) {
                (Some(x), Some(y)) => (backend.sub(x, y), out),
                _ => return Ok(None),
            },
            FileGate::Mul { x, y, out } => match (get(x), get(y)) {
                (Some(x), Some(y)) => (backend.mul(x, y)?, out),
                _ => return Ok(None),
            },
            FileGate::Increment { x, out } => match get(x) {
                Some(x) => (backend.add_constant(x, R::ONE), out),
                None => return Ok(None),
            },
            FileGate::Copy { x, out } => match get(x) {
                Some(x) => (x.clone(), out),
                None => return Ok(None),
            },
            FileGate::Constant { value, out } => (backend.constant(value), out),
            FileGate::Many { x, y, out } => {
                // One by one, like a circuit in memory, because both must make the same calls.
                for ((&x, &y), &out) in x.iter().zip(y).zip(out) {
                    let Some(()) = self.apply(backend, FileGate::Mul { x, y, out })? else { return Ok(None) };
                }
                return Ok(Some(()));
            }
        };
        self.set(out as usize, wire);
        Ok(Some(()))
    }

    #[inline]
    fn set(&mut self, index: usize, wire: W) {
        match self.0.get_mut(index) {
            Some(slot) => *slot = wire,
            None => {
                // There is usually no gap, because most files set wires in order.
                self.0.resize(index, wire.clone());
                self.0.push(wire);
            }
        }
    }
}

/// A reader that hashes the bytes that pass through it.
struct Hashing<S> {
    source: S,
    hasher: blake3::Hasher,
}

impl<S> Hashing<S> {
    fn new(source: S) -> Self {
        Self { source, hasher: blake3::Hasher::new() }
    }

    fn finish(&self) -> [u8; 32] {
        *self.hasher.finalize().as_bytes()
    }
}

impl<S: Read> Read for Hashing<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        self.hasher.update(&buffer[..count]);
        Ok(count)
    }
}

/// "I know secret inputs with which this file's circuit, on these public inputs, gives these outputs."
#[derive(Clone, Debug)]
pub struct FileStatement<R: FileRing = F2> {
    file: BristolFile<R>,
    claim: Claim<R>,
    witness: Option<Witness<R>>,
}

impl<R: FileRing> FileStatement<R> {
    /// The verifier's statement.
    ///
    /// # Errors
    /// [`Error::Public`] if the claim does not fit the file, or leaves all outputs open.
    pub fn new(file: BristolFile<R>, claim: Claim<R>) -> Result<Self, Error> {
        claim.suits(&file.signature)?;
        if !claim.says_something() {
            return Err(Error::Public("nothing is claimed: say what at least one output must be".into()));
        }
        Ok(Self { file, claim, witness: None })
    }

    /// The prover's statement.
    ///
    /// # Errors
    /// [`Error::Witness`] unless it has one value for each secret wire.
    pub fn with_witness(mut self, witness: Witness<R>) -> Result<Self, Error> {
        self.claim.fits(&witness, &self.file.signature)?;
        self.witness = Some(witness);
        Ok(self)
    }

    /// The inputs (marked public or secret as in the claim) and the outputs, for reading a witness.
    #[must_use]
    pub fn signature(&self) -> Signature {
        self.claim.mark(self.file.signature.clone())
    }

    /// The file.
    #[must_use]
    pub fn file(&self) -> &BristolFile<R> {
        &self.file
    }

    /// In place of the number of an assertion, says which output is not as claimed, if the values are here.
    #[cold]
    fn located<E: From<Error>>(&self, error: E) -> E {
        let outputs = self.witness.as_ref().map(|witness| self.claim.outputs_of(&self.file, witness));
        match outputs {
            Some(Ok(outputs)) => {
                self.claim.contradicted(&self.file.signature, &outputs).map_or(error, E::from)
            }
            _ => error,
        }
    }

    fn run_on<B: Prove<R>>(&self, backend: &mut B) -> Result<(), B::Error> {
        let inputs = self.claim.wires(backend, &self.file.signature, self.witness.as_ref())?;
        let outputs = self.file.compute(backend, inputs)?;
        // Errors of other steps say what they are about.
        let claimed = self.claim.assert(backend, &self.file.signature, &outputs);
        claimed.map_err(|error| self.located(error))
    }
}

impl<R: FileRing, B: Prove<R>> Statement<B> for FileStatement<R> {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", R::STATEMENT).bytes("file", &self.file.hash);
        self.claim.identify(digest);
    }

    fn commitments(&self) -> Option<u64> {
        // Public inputs may fold some of the products away.
        self.file.tally.mul.checked_add(self.claim.secret_width(&self.file.signature))
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        // Folding makes wires larger, so it is only done if there are constants to fold.
        if self.claim.has_public_inputs() || self.file.tally.constant > 0 {
            self.run_on(&mut Fold::new(backend))
        } else {
            self.run_on(backend)
        }
    }
}
