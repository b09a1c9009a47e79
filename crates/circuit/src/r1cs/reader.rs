//! Reads `.r1cs` files into systems, section by section.

use std::io::{Read, Seek};
use std::path::Path;

use super::PrimeField;
use super::binary::Binary;
use super::header::{CONSTRAINT_BYTES, CONSTRAINTS, Header, MAGIC, VERSION};
use super::system::{Builder, R1cs};
use super::writer::content_hasher;
use crate::{Error, files};

impl<F: PrimeField> R1cs<F> {
    /// Opens and checks the file at `path`, which must be over `F` ([`Header::open`] tells).
    ///
    /// # Errors
    /// [`Error::Binary`] with the place and what is wrong there; [`Error::Io`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let what = path.as_ref().display().to_string();
        let (file, _) = files::open(path.as_ref(), &what)?;
        Self::read(file, &what)
    }

    /// As [`R1cs::open`] from any source; `what` names it in errors.
    ///
    /// # Errors
    /// As [`R1cs::open`].
    pub fn read(source: impl Read + Seek, what: &str) -> Result<Self, Error> {
        let mut file = Binary::open(source, what, MAGIC, VERSION)?;
        // The bytes that are hashed are the bytes that are parsed, so a file that changes meanwhile does no
        // harm.
        file.hash_into(content_hasher());
        let header = Header::take(&mut file)?;
        file.check_field::<F>(header.prime)?;
        let mut builder = Builder::new(header.counts)?;
        file.enter(CONSTRAINTS)?;
        // The number of terms that fill the section, whatever the constraints are.
        let terms =
            file.left().saturating_sub(u64::from(header.constraints) * CONSTRAINT_BYTES) / term_bytes::<F>();
        builder.reserve(header.constraints, terms).map_err(|reason| file.error(reason))?;
        for index in 0..header.constraints {
            constraint(&mut file, &mut builder, index)?;
        }
        file.leave(CONSTRAINTS)?;
        let hash = file.hasher().map_or([0; 32], |hasher| *hasher.finalize().as_bytes());
        Ok(builder.finish_with(hash))
    }
}

/// Reads constraint number `index`.
fn constraint<F: PrimeField, S: Read + Seek>(
    file: &mut Binary<'_, S>,
    builder: &mut Builder<F>,
    index: u32,
) -> Result<(), Error> {
    let mut ends = [0; 3];
    for (name, end) in ["A", "B", "C"].into_iter().zip(&mut ends) {
        combination(file, builder).map_err(|error| in_constraint(error, index, name))?;
        *end = builder.end();
    }
    builder.row(ends).map_err(|reason| file.error(reason))
}

fn combination<F: PrimeField, S: Read + Seek>(
    file: &mut Binary<'_, S>,
    builder: &mut Builder<F>,
) -> Result<(), Error> {
    let at = file.position();
    let count = file.u32("a number of terms")?;
    let bytes = u64::from(count) * term_bytes::<F>();
    if bytes > file.left() {
        let left = file.left();
        let reason = format!("{count} terms take {bytes} bytes, but the section has only {left} more");
        return Err(file.error_at(at, reason));
    }
    for _ in 0..count {
        let at = file.position();
        let wire = file.u32("a wire")?;
        let coefficient = file.take(F::BYTES, "a coefficient")?;
        builder.encoded_term(wire, coefficient).map_err(|reason| file.error_at(at, reason))?;
    }
    Ok(())
}

/// The number of bytes of a wire's number and its coefficient.
fn term_bytes<F: PrimeField>() -> u64 {
    4 + F::BYTES as u64
}

/// Adds the place in the system to an error.
#[cold]
fn in_constraint(error: Error, index: u32, name: &str) -> Error {
    match error {
        Error::Binary { what, offset, reason } => Error::Binary {
            what,
            offset,
            reason: format!("constraint {index}, combination {name}: {reason}"),
        },
        other => other,
    }
}
