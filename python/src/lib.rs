//! The part of the Python package that is compiled: `volery._volery`. The Python modules around it give the
//! package its shape; see `docs/guide/python.md`.
//!
//! ```text
//! program   a traced function: instructions on words of bits and vectors of elements
//! record    makes one, and checks each operation
//! run       runs one on any backend; values, what it computes with; gadgets, what it computes
//! traced    one with a claim, as a statement
//! subject   what is proved
//! session   a session with a peer; connection, how it meets the peer; meter, what it takes
//! worker    work without the GIL, which Ctrl-C ends
//! failure   what a call can end with
//! ```
//!
//! Nothing here panics on purpose, and what panics below becomes an error: no panic crosses into Python.

mod connection;
mod failure;
mod gadgets;
mod meter;
mod program;
mod record;
mod run;
mod session;
mod subject;
mod traced;
mod tracer;
mod values;
mod worker;

use pyo3::pymodule;

/// The compiled module.
#[pymodule]
mod _volery {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::session::{Session, connect, listen};
    #[pymodule_export]
    use crate::subject::Statement;
    #[pymodule_export]
    use crate::tracer::{Function, Tracer};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
