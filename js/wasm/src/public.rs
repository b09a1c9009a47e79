//! Proofs that anyone can verify, and what needs no peer.

use std::io::Cursor;

use js_sys::{Object, Reflect};
use volery_statement::load;
use volery_statement::public::{Checking, Made, Making, ProofReader, PublicProtocol, prove, verify};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::{claim, error};

/// Checks that a witness satisfies a claim.
#[wasm_bindgen]
pub fn check(claim: &JsValue, witness: &JsValue) -> Result<(), JsValue> {
    let (named, witness) = (claim::named(claim)?, claim::witness(witness)?);
    let known = load(&named).and_then(|statement| statement.with_witness(&witness));
    let checked = known.and_then(|known| Ok(known.check()?));
    checked.map_err(|error| error::of(&error))
}

/// Makes a proof of a claim. `sigma` is its soundness against each hash computation, in bits.
#[wasm_bindgen(js_name = makeProof)]
pub fn make_proof(claim: &JsValue, witness: &JsValue, sigma: u16) -> Result<Vec<u8>, JsValue> {
    let (named, witness) = (claim::named(claim)?, claim::witness(witness)?);
    let mut out = Cursor::new(Vec::new());
    let made = load(&named).and_then(|statement| statement.with_witness(&witness)).and_then(|known| {
        let protocol = PublicProtocol::of(&*known);
        prove(&*known, &Making { protocol, sigma, message: None, threads: 1 }, &mut out)
    });
    made.map(|_| out.into_inner()).map_err(|error| error::of(&error))
}

/// Verifies a proof of a claim, of at least so many bits of soundness. Returns what the proof says of itself.
#[wasm_bindgen(js_name = verifyProof)]
pub fn verify_proof(claim: &JsValue, proof: &[u8], sigma: u16) -> Result<JsValue, JsValue> {
    let named = claim::named(claim)?;
    let made = load(&named).and_then(|statement| {
        statement.complete()?;
        let proof = ProofReader::new(Box::new(Cursor::new(proof)), "the proof")?;
        verify(&*statement, &Checking { sigma, message: None, threads: 1 }, proof)
    });
    let Made { protocol, soundness_bits, time, .. } = made.map_err(|error| error::of(&error))?;
    let out = Object::new();
    Reflect::set(&out, &JsValue::from_str("protocol"), &JsValue::from_str(protocol.name()))?;
    Reflect::set(&out, &JsValue::from_str("soundness"), &JsValue::from_f64(soundness_bits.into()))?;
    Reflect::set(&out, &JsValue::from_str("seconds"), &JsValue::from_f64(time.as_secs_f64()))?;
    Ok(out.into())
}
