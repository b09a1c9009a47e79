//! "I know a JSON document with this digest, and a number in it lies in this range."
//!
//! The public input is a JSON object: `sha256` of the document in hexadecimal, the `field` as a JSON Pointer
//! (RFC 6901), the least and the greatest integer, `from` and `to`. The secret input is the document.
//! Everybody can try documents that they guess, so there should be something in it that nobody guesses.
#![no_std]
#![no_main]

use serde_json::Value;
use sha2::{Digest, Sha256};
use volery_guest::{debug, public, secret};

volery_guest::entry!(main);

/// Whether a text is these bytes in hexadecimal, with small letters.
fn is_hex_of(text: &str, bytes: &[u8]) -> bool {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    text.bytes().eq(digits.map(|digit| b"0123456789abcdef"[usize::from(digit)]))
}

/// What is wrong, if anything is.
fn check(claim: &Value, document: &[u8]) -> Result<(), &'static str> {
    let digest = claim["sha256"].as_str().ok_or("the claim has no digest")?;
    let field = claim["field"].as_str().ok_or("the claim names no field")?;
    let (from, to) = (claim["from"].as_i64(), claim["to"].as_i64());
    let range = from.zip(to).ok_or("the claim has no range of integers")?;
    if !is_hex_of(digest, &Sha256::digest(document)) {
        return Err("the document has another digest");
    }
    let document: Value = serde_json::from_slice(document).map_err(|_| "the document is not JSON")?;
    let number =
        document.pointer(field).and_then(Value::as_i64).ok_or("the field is not there, or no integer")?;
    if !(range.0..=range.1).contains(&number) {
        return Err("the number is not in the range");
    }
    Ok(())
}

fn main() -> u32 {
    let Ok(claim) = serde_json::from_slice(&public()) else { return 2 };
    match check(&claim, &secret()) {
        Ok(()) => 0,
        Err(why) => {
            debug!("{why}");
            1
        }
    }
}
