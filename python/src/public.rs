//! Proofs that anyone can verify, as bytes.

use std::io::Cursor;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use volery::public::Message;
use volery_statement::explained;
use volery_statement::public::{Checking, Made, Making, ProofReader, PublicProtocol, prove, verify};

use crate::failure::Failure;
use crate::subject::Statement;
use crate::worker::alone;

/// What Python makes a report of.
fn figures<'py>(py: Python<'py>, made: &Made) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("protocol", made.protocol.name())?;
    dict.set_item("field", made.ring)?;
    dict.set_item("soundness_bits", made.soundness_bits)?;
    dict.set_item("repetitions", made.repetitions)?;
    dict.set_item("secrets", made.secrets)?;
    dict.set_item("multiplications", made.multiplications)?;
    dict.set_item("bytes", made.bytes)?;
    dict.set_item("seconds", made.time.as_secs_f64())?;
    Ok(dict)
}

/// What a proof is about besides its statement.
fn message(bind: Option<&[u8]>) -> Option<Message> {
    bind.map(Message::new)
}

fn within(sigma: u16) -> Result<(), Failure> {
    match sigma {
        1..=128 => Ok(()),
        _ => Err(Failure::Input(format!("sigma: 1 to 128 bits, not {sigma}"))),
    }
}

/// Proves a statement with its witness.
#[pyfunction]
pub(crate) fn prove_public<'py>(
    py: Python<'py>,
    statement: &Statement,
    protocol: Option<&str>,
    settings: (u16, bool, usize),
    bind: Option<&[u8]>,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyDict>)> {
    let (instance, (sigma, small, threads)) = (statement.instance(), settings);
    within(sigma)?;
    let protocol = match protocol {
        None if small => PublicProtocol::Voleith { small },
        None => PublicProtocol::of(&*instance),
        Some("voleith") => PublicProtocol::Voleith { small },
        Some("zkbpp") => PublicProtocol::Zkbpp,
        Some("zkboo") => PublicProtocol::Zkboo,
        Some(other) => {
            let reason = format!("protocol: \"voleith\", \"zkbpp\" or \"zkboo\", not \"{other}\"");
            return Err(Failure::Input(reason).into());
        }
    };
    let making = Making { protocol, sigma, message: message(bind), threads };
    let (proof, made) = alone(py, move || {
        let mut proof = Cursor::new(Vec::new());
        let made = prove(&*instance, &making, &mut proof).map_err(|error| explained(&*instance, error))?;
        Ok((proof.into_inner(), made))
    })?;
    Ok((PyBytes::new(py, &proof), figures(py, &made)?))
}

/// Verifies one.
#[pyfunction]
pub(crate) fn verify_public<'py>(
    py: Python<'py>,
    statement: &Statement,
    proof: Vec<u8>,
    settings: (u16, usize),
    bind: Option<&[u8]>,
) -> PyResult<Bound<'py, PyDict>> {
    let (sigma, threads) = settings;
    within(sigma)?;
    let (instance, checking) = (statement.instance(), Checking { sigma, message: message(bind), threads });
    let made = alone(py, move || {
        instance.complete()?;
        let reader = ProofReader::new(Box::new(Cursor::new(proof)), "the proof")?;
        Ok(verify(&*instance, &checking, reader)?)
    })?;
    figures(py, &made)
}
