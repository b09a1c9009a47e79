//! The header of an `.r1cs` file: its field, its numbers of wires of each sort, and its number of
//! constraints.

use std::io::{Read, Seek};
use std::path::Path;

use super::KnownPrime;
use super::binary::{Binary, SectionKind};
use super::system::Counts;
use crate::text::counted;
use crate::{Error, files};

pub(super) const MAGIC: &str = "r1cs";
pub(super) const VERSION: u32 = 1;
pub(super) const HEADER: SectionKind = SectionKind { number: 1, name: "header" };
pub(super) const CONSTRAINTS: SectionKind = SectionKind { number: 2, name: "constraints" };
pub(super) const LABELS: SectionKind = SectionKind { number: 3, name: "wire-to-label" };
/// The sections of custom gates: their list, and their uses.
const CUSTOM_GATES: [u32; 2] = [4, 5];

/// The bytes of a header without the prime.
pub(super) const HEADER_BYTES: u64 = 32;
/// The least bytes that a constraint takes: three numbers of terms.
pub(super) const CONSTRAINT_BYTES: u64 = 12;
/// Bytes of a wire's label.
pub(super) const LABEL_BYTES: u64 = 8;

/// The content of the header of an `.r1cs` file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The prime of the field.
    pub prime: KnownPrime,
    /// Numbers of wires.
    pub counts: Counts,
    /// The number of constraints.
    pub constraints: u32,
}

impl Header {
    /// Reads and checks the header of the file at `path`, to find out which field it is over.
    ///
    /// # Errors
    /// [`Error::Binary`] with the place; [`Error::Io`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let what = path.as_ref().display().to_string();
        let (file, _) = files::open(path.as_ref(), &what)?;
        Self::read(file, &what)
    }

    /// As [`Header::open`] from any source; `what` names it in errors.
    ///
    /// # Errors
    /// As [`Header::open`].
    pub fn read(source: impl Read + Seek, what: &str) -> Result<Self, Error> {
        let mut file = Binary::open(source, what, MAGIC, VERSION)?;
        Self::take(&mut file)
    }

    /// Reads the header section and checks it against the sizes of the others.
    pub(super) fn take<S: Read + Seek>(file: &mut Binary<'_, S>) -> Result<Self, Error> {
        for kind in CUSTOM_GATES {
            file.refuse(kind, "the circuit has custom gates, which are not supported: only constraints are")?;
        }
        file.enter(HEADER)?;
        let prime = file.prime()?;
        let at = file.position();
        let wires = file.u32("the number of wires")?;
        let outputs = file.u32("the number of public outputs")?;
        let public_inputs = file.u32("the number of public inputs")?;
        let private_inputs = file.u32("the number of private inputs")?;
        // Labels name signals for people. Nothing here depends on their number.
        file.u64("the number of labels")?;
        let constraints = file.u32("the number of constraints")?;
        file.leave(HEADER)?;
        let counts = Counts { wires, outputs, public_inputs, private_inputs };
        counts.check().map_err(|reason| file.error_at(at, reason))?;
        let header = Self { prime, counts, constraints };
        header.check_sizes(file, at)?;
        Ok(header)
    }

    /// Checks that the other sections can hold what the header claims. Its numbers begin at offset `at`.
    fn check_sizes<S: Read + Seek>(&self, file: &Binary<'_, S>, at: u64) -> Result<(), Error> {
        let (got, constraints) = (file.size(CONSTRAINTS)?, self.constraints);
        if u64::from(constraints) * CONSTRAINT_BYTES > got {
            let reason = format!(
                "{} in a constraints section of {}: too small",
                counted(constraints, "constraint"),
                counted(got, "byte")
            );
            return Err(file.error_at(at + 24, reason));
        }
        let (got, wires) = (file.size(LABELS)?, self.counts.wires);
        if u64::from(wires) * LABEL_BYTES != got {
            let reason = format!(
                "{}, but {} (not 8 for each) in the wire-to-label section",
                counted(wires, "wire"),
                counted(got, "byte")
            );
            return Err(file.error_at(at, reason));
        }
        Ok(())
    }
}
