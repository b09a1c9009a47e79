//! The part of the Python package that is compiled: `volery._volery`. The Python modules around it give the
//! package its shape; see `docs/guide/python.md`.
//!
//! ```text
//! program   a traced function: instructions on words of bits and vectors of elements
//! record    makes one, and checks each operation
//! run       runs one on any backend; values, what it computes with; gadgets, what it computes
//! traced    one with a claim, as a statement; instance, what can be done with it; counter, what it costs
//! subject   what is proved; named, statements from files and built-in ones; info, what a proof will take
//! session   a session with a peer; connection, how it meets the peer; meter, what it takes
//! public    proofs that anyone can verify; stored, proofs with correlations from files
//! split     statements in shards: a coordinator, whose workers somebody else starts, and a worker
//! web       what a website said, proved to a notary; attestation, for readers and holders of what it signed
//! worker    work without the GIL, which Ctrl-C ends
//! failure   what a call can end with
//! ```
//!
//! Nothing here panics on purpose, and what panics below becomes an error: no panic crosses into Python.

mod attestation;
mod connection;
mod counter;
mod failure;
mod gadgets;
mod info;
mod instance;
mod meter;
mod named;
mod program;
mod public;
mod record;
mod run;
mod session;
mod split;
mod stored;
mod subject;
mod traced;
mod tracer;
mod values;
mod web;
mod worker;

use pyo3::pymodule;

/// Tables and buffers of proofs are large, and are read at random places.
#[global_allocator]
static ALLOCATOR: volery_allocator::HugePages = volery_allocator::HugePages;

/// The compiled module.
#[pymodule]
mod _volery {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::attestation::{open_attestation, present_attestation, prove_range, verify_attestation};
    #[pymodule_export]
    use crate::info::info;
    #[pymodule_export]
    use crate::named::Named;
    #[pymodule_export]
    use crate::public::{prove_public, verify_public};
    #[pymodule_export]
    use crate::session::{Session, connect, listen};
    #[pymodule_export]
    use crate::split::{SplitStatement, run_split, split_worker};
    #[pymodule_export]
    use crate::stored::{prove_stored, stored_info, verify_stored};
    #[pymodule_export]
    use crate::subject::{Statement, any_of};
    #[pymodule_export]
    use crate::tracer::{Function, Tracer};
    #[pymodule_export]
    use crate::web::prove_web;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
