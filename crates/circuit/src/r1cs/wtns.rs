//! The values of all wires, and the `.wtns` files that contain them.
//!
//! ```text
//! section 1: field size (4)  prime  number of values (4)        section 2: the values, wire 0 first
//! ```

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

use super::PrimeField;
use super::binary::{Binary, SectionKind};
use super::system::Counts;
use crate::text::counted;
use crate::{Error, Witness};

pub(super) const MAGIC: &str = "wtns";
pub(super) const VERSION: u32 = 2;
pub(super) const HEADER: SectionKind = SectionKind { number: 1, name: "header" };
pub(super) const VALUES: SectionKind = SectionKind { number: 2, name: "values" };

/// The values of all wires of a system, starting with wire 0, which is one. They are wiped on drop and never
/// shown by `Debug`.
#[derive(Clone, Debug)]
pub struct Assignment<F: PrimeField> {
    values: Witness<F>,
}

impl<F: PrimeField> Assignment<F> {
    /// An assignment of these values.
    ///
    /// # Errors
    /// [`Error::Witness`] if the first is not one.
    pub fn new(values: Vec<F>) -> Result<Self, Error> {
        Self::checked(Witness::new(values))
    }

    fn checked(values: Witness<F>) -> Result<Self, Error> {
        match values.values().first() {
            Some(&first) if first == F::ONE => Ok(Self { values }),
            _ => Err(Error::Witness("wire 0, the constant, must have the value 1".into())),
        }
    }

    /// Reads the `.wtns` file at `path`.
    ///
    /// # Errors
    /// [`Error::Binary`] with the place and what is wrong there; [`Error::Io`]; as [`Assignment::new`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let what = path.as_ref().display().to_string();
        let file = File::open(path).map_err(|error| Error::io(&what, &error))?;
        Self::read(file, &what)
    }

    /// As [`Assignment::open`] from any source; `what` names it in errors.
    ///
    /// # Errors
    /// As [`Assignment::open`].
    pub fn read(source: impl Read + Seek, what: &str) -> Result<Self, Error> {
        let mut file = Binary::open(source, what, MAGIC, VERSION)?;
        file.enter(HEADER)?;
        let prime = file.prime()?;
        file.check_field::<F>(prime)?;
        let at = file.position();
        let count = file.u32("the number of values")?;
        file.leave(HEADER)?;
        let (size, needed) = (file.size(VALUES)?, u64::from(count) * F::BYTES as u64);
        if size != needed {
            let reason = format!(
                "{} of {needed} bytes in all; the values section has {size}",
                counted(count, "value")
            );
            return Err(file.error_at(at, reason));
        }
        file.enter(VALUES)?;
        let mut values = Vec::new();
        // Room for all values at once: growing would leave copies of secrets behind.
        if values.try_reserve_exact(count as usize).is_err() {
            return Err(file.error_at(at, format!("there is no memory for {count} values")));
        }
        let mut values = Witness::new(values);
        for _ in 0..count {
            values.extend(&[file.element("a value")?]);
        }
        file.leave(VALUES)?;
        Self::checked(values)
    }

    /// The values by wire.
    #[must_use]
    pub fn values(&self) -> &[F] {
        self.values.values()
    }

    pub(super) fn witness(&self) -> &Witness<F> {
        &self.values
    }

    /// The public values of a system with these wires: outputs, then inputs.
    ///
    /// # Errors
    /// [`Error::Witness`] if there is not one value for each wire.
    pub fn public(&self, counts: &Counts) -> Result<Vec<F>, Error> {
        let (got, needed) = (self.values().len(), counts.wires);
        if got != needed as usize {
            return Err(Error::Witness(format!(
                "{} for a system of {}",
                counted(got as u64, "value"),
                counted(needed, "wire")
            )));
        }
        Ok(self.values().iter().skip(1).take(counts.public()).copied().collect())
    }
}
