//! What there is to say about statements, by kind: as values, and as JSON with `serde`.

mod bits;
mod field;
#[cfg(feature = "programs")]
mod program;
#[cfg(feature = "public")]
mod ring;

pub use bits::{BitInfo, BitValue, Part};
pub use field::{Claims, FieldInfo};
#[cfg(feature = "programs")]
pub use program::{FileInfo, ProgramInfo, RunInfo};
#[cfg(feature = "public")]
pub use ring::{RingInfo, RingValue};

use serde::Serialize;
use volery_circuit::Counts;

/// The description of a statement, and its counts.
#[derive(Debug)]
pub struct Described {
    /// The description.
    pub description: Description,
    /// The counts.
    pub counts: Counts,
}

/// The description of a statement. As JSON it is an object.
#[derive(Debug, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Description {
    /// Of one about bits.
    Bits(BitInfo),
    /// Of one over a field.
    Field(FieldInfo),
    /// Of a circuit over machine words.
    #[cfg(feature = "public")]
    Ring(RingInfo),
    /// Of a program's run.
    #[cfg(feature = "programs")]
    Program(ProgramInfo),
}
