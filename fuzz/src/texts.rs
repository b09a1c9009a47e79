//! What people write.

use volery::builtin::Builtin;
use volery_channel::Address;
use volery_channel::tls::Fingerprint;

/// A circuit file; a circuit that comes of it is run, written and read again.
pub fn bristol(bytes: &[u8]) {
    volery_circuit::fuzz::bristol(bytes);
}

/// A circuit file over machine words, likewise; a claim about one, and numbers.
pub fn ring_circuit(bytes: &[u8]) {
    volery_circuit::fuzz::ring_circuit(bytes);
}

/// A witness, and the public side of a claim.
pub fn values(bytes: &[u8]) {
    volery_circuit::fuzz::values(bytes);
}

/// Words of a command line: an address, a certificate's fingerprint, a built-in statement (first line its
/// name, then `value=text` lines). What parses prints back to something that parses to the same.
pub fn arguments(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(address) = text.parse::<Address>() {
        assert_eq!(address.to_string().parse(), Ok(address));
    }
    if let Ok(fingerprint) = text.parse::<Fingerprint>() {
        assert_eq!(fingerprint.to_string().parse(), Ok(fingerprint));
    }
    let mut lines = text.lines();
    let name = lines.next().unwrap_or_default();
    let values: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once('=')).collect();
    if let Ok(statement) = Builtin::new(name, &values) {
        assert!(statement.text().starts_with(statement.entry().name));
        let _ = statement.signature();
    }
}
