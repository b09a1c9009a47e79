//! "I have a record that this issuer signed, which says that I am over 18, and which is valid today."
//!
//! The public input is the issuer's Ed25519 key, 32 bytes, and the date: `2026-11-26`. The secret input is
//! the signature, 64 bytes, and the record: lines, of which one is `over 18: yes`, and one is `valid until: `
//! with another date.
#![no_std]
#![no_main]

use ed25519_dalek::{Signature, VerifyingKey};
use volery_guest::{debug, public, secret};

volery_guest::entry!(main);

/// What is wrong, if anything is.
fn check(public: &[u8], secret: &[u8]) -> Result<(), &'static str> {
    let (key, today) = public.split_first_chunk().ok_or("the public input has no key")?;
    let (signature, record) = secret.split_first_chunk().ok_or("the secret input has no signature")?;
    let key = VerifyingKey::from_bytes(key).map_err(|_| "the key is not a point")?;
    // Strict: no key or signature passes for more than one record.
    let signed = key.verify_strict(record, &Signature::from_bytes(signature));
    signed.map_err(|_| "the issuer did not sign this record")?;
    let mut lines = record.split(|byte| *byte == b'\n');
    if !lines.clone().any(|line| line == b"over 18: yes") {
        return Err("the record does not say that its holder is over 18");
    }
    let end = lines.find_map(|line| line.strip_prefix(b"valid until: ")).ok_or("the record has no end")?;
    // Dates have the same length, so their order is that of their characters.
    if today.len() != 10 || end.len() != 10 || today > end {
        return Err("the record is not valid today");
    }
    Ok(())
}

fn main() -> u32 {
    match check(&public(), &secret()) {
        Ok(()) => 0,
        Err(why) => {
            debug!("{why}");
            1
        }
    }
}
