//! What JavaScript names, as `volery_statement` takes it. `normal.js` has brought it into one form: texts and
//! lists are bytes already.

use js_sys::{Array, Uint8Array};
use volery_statement::{Branch, Disjunction, MachineRing, Named, Source, Target, WitnessSource};
use wasm_bindgen::{JsCast as _, JsValue};

use crate::error::claim as wrong;
use crate::values::{get, list, number, text};

fn source(object: &JsValue, property: &str, name: &str) -> Result<Option<Source>, JsValue> {
    let source = |value: JsValue| {
        let bytes: Uint8Array =
            value.dyn_into().map_err(|_| wrong(&format!("`{property}` must be bytes or a string")))?;
        Ok(Source::bytes(name, bytes.to_vec()))
    };
    get(object, property).map(source).transpose()
}

/// A claim.
pub(crate) fn named(claim: &JsValue) -> Result<Named, JsValue> {
    let target = match (text(claim, "statement")?, source(claim, "circuit", "the circuit")?) {
        (Some(_), Some(_)) => return Err(wrong("a claim has `statement` or `circuit`, not both")),
        (Some(name), None) => Target::Builtin(name),
        (None, Some(circuit)) => Target::File(circuit),
        (None, None) => Target::None,
    };
    let mut any_of = Vec::new();
    for (number, branch) in list(claim, "anyOf")?.iter().enumerate() {
        let circuit = source(branch, "circuit", &format!("circuit {number}"))?;
        let circuit = circuit.ok_or_else(|| wrong("each branch of `anyOf` has a `circuit`"))?;
        let public = source(branch, "public", &format!("the public values of circuit {number}"))?;
        any_of.push(Branch { circuit, public });
    }
    if matches!(target, Target::None) == any_of.is_empty() {
        return Err(wrong("a claim has one of `statement`, `circuit` and `anyOf`"));
    }
    let mut values = Vec::new();
    for pair in list(claim, "values")? {
        let pair = Array::from(&pair);
        let [name, value] = [0, 1].map(|i| pair.get(i).as_string());
        match (name, value) {
            (Some(name), Some(value)) => values.push((name, value)),
            _ => return Err(wrong("public values must be strings or numbers")),
        }
    }
    let disjunction = match text(claim, "disjunction")?.as_deref() {
        None if any_of.is_empty() => None,
        // The other protocol needs a second stack, which WebAssembly does not have.
        None | Some("robin") => (!any_of.is_empty()).then_some(Disjunction::Robin),
        Some(_) => return Err(wrong("`disjunction` can be \"robin\" only: WebAssembly has no coroutines")),
    };
    let ring = match text(claim, "ring")?.as_deref() {
        None => None,
        Some("z32") => Some(MachineRing::Z32),
        Some("z64") => Some(MachineRing::Z64),
        Some(_) => return Err(wrong("`ring` is \"z32\" or \"z64\"")),
    };
    Ok(Named {
        target,
        any_of,
        at_least: number(claim, "atLeast")?,
        repeat: number(claim, "repeat")?,
        disjunction,
        public: source(claim, "public", "the public values")?,
        values,
        field: text(claim, "field")?,
        ring,
    })
}

/// A witness: bytes, or a list of branches with theirs.
pub(crate) fn witness(witness: &JsValue) -> Result<WitnessSource, JsValue> {
    if let Some(bytes) = witness.dyn_ref::<Uint8Array>() {
        return Ok(Source::bytes("the witness", bytes.to_vec()).into());
    }
    let list = witness.dyn_ref::<Array>().ok_or_else(|| wrong("a witness is bytes or a string"))?;
    let mut known = Vec::new();
    for part in list.iter() {
        let branch =
            number(&part, "branch")?.ok_or_else(|| wrong("a witness of `anyOf` names its `branch`"))?;
        let source = source(&part, "witness", &format!("the witness of circuit {branch}"))?;
        known.push((branch as usize, source.ok_or_else(|| wrong("a `branch` has a `witness`"))?));
    }
    Ok(WitnessSource::OfBranches(known))
}
