//! The files of the keys that sign attestations: 64 hexadecimal digits, and `0x` before them if the key is
//! one for contracts. So neither is taken for the other.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde::Serialize;
use volery::os_rng;
use volery::web::attestation::contract::ContractKey;
use volery::web::attestation::{SigningKey, key_id};
use volery_channel::hex;
use zeroize::Zeroizing;

use crate::args::NotaryKeyArgs;
use crate::failure::Failure;
use crate::outcome::{self, Good};
use crate::web::read;
use crate::{new_file, output};

/// A key of either kind.
enum Key {
    Signing(SigningKey),
    Contract(ContractKey),
}

/// A new signing key.
pub(in crate::web) fn fresh() -> Result<SigningKey, Failure> {
    let mut seed = Zeroizing::new([0; 32]);
    rand_core::Rng::fill_bytes(&mut os_rng()?, &mut *seed);
    Ok(SigningKey::from_bytes(&seed))
}

/// What a file of a key for contracts begins with.
const PREFIX: &str = "0x";

/// Runs `volery notary key`, and with `--show` says what is in a file.
pub(crate) fn make(args: &NotaryKeyArgs) -> Result<(), Failure> {
    if args.show {
        return tell(&open_any(&args.file)?, args);
    }
    let mut seed = Zeroizing::new([0; 32]);
    rand_core::Rng::fill_bytes(&mut os_rng()?, &mut *seed);
    let (key, prefix) = if args.contract {
        // Nobody will see 32 random bytes that are no such key.
        (Key::Contract(ContractKey::from_bytes(&seed).map_err(Failure::session)?), PREFIX)
    } else {
        (Key::Signing(SigningKey::from_bytes(&seed)), "")
    };
    let text = Zeroizing::new(format!("{prefix}{}\n", *Zeroizing::new(hex::encode(&*seed))));
    new_file::write_secret(&args.file, text.as_bytes())?;
    tell(&key, args)
}

/// Prints a key's public half, or its address; with `--show` also its id.
fn tell(key: &Key, args: &NotaryKeyArgs) -> Result<(), Failure> {
    let public = match key {
        Key::Signing(key) => key.verifying_key().to_bytes(),
        Key::Contract(key) => {
            let address = key.address().to_string();
            return match args.json {
                true => outcome::json(Good::Done, &ContractKeyReport { address }),
                false => output::result(&format!("address {address}")),
            };
        }
    };
    let (public_key, id) = (hex::encode(&public), key_id(&public));
    if args.json {
        return outcome::json(Good::Done, &KeyReport { public_key, id });
    }
    output::result(&format!("public key {public_key}"))?;
    if args.show { output::result(&format!("id         {id}")) } else { Ok(()) }
}

/// What `--json` prints.
#[derive(Serialize)]
struct KeyReport {
    public_key: String,
    id: String,
}

/// What `--json` prints of a key for contracts.
#[derive(Serialize)]
struct ContractKeyReport {
    address: String,
}

/// Refuses the file of a secret key that others than its owner can read or change. Pipes and the like have no
/// such permissions, and a file that is not there is reported by whoever reads it.
pub(super) fn check_private(path: &Path) -> Result<(), Failure> {
    let Ok(data) = std::fs::metadata(path) else { return Ok(()) };
    let mode = data.permissions().mode() & 0o777;
    if !data.is_file() || mode & 0o077 == 0 {
        return Ok(());
    }
    let path = path.display();
    Err(Failure::input(format!(
        "{path}: its permissions ({mode:04o}) let others than its owner use this key; run `chmod 600 {path}`, and make a new key if somebody may have read it"
    )))
}

/// Reads the key that `volery notary key` wrote.
pub(super) fn open(path: &Path) -> Result<SigningKey, Failure> {
    match open_any(path)? {
        Key::Signing(key) => Ok(key),
        Key::Contract(_) => Err(wrong(path, "this is a key for contracts (--contract-key)")),
    }
}

/// Reads the key that `volery notary key --contract` wrote.
pub(super) fn open_for_contracts(path: &Path) -> Result<ContractKey, Failure> {
    match open_any(path)? {
        Key::Contract(key) => Ok(key),
        Key::Signing(_) => Err(wrong(path, "this is no key for contracts (`volery notary key --contract`)")),
    }
}

fn wrong(path: &Path, reason: &str) -> Failure {
    Failure::input(format!("{}: {reason}", path.display()))
}

fn open_any(path: &Path) -> Result<Key, Failure> {
    check_private(path)?;
    let text = read(path, 1 << 10)?;
    let text = text.trim_ascii();
    let digits = text.strip_prefix(PREFIX.as_bytes());
    let seed = seed(digits.unwrap_or(text))
        .ok_or_else(|| wrong(path, "expected 64 hexadecimal digits (see `volery notary key`)"))?;
    if digits.is_none() {
        return Ok(Key::Signing(SigningKey::from_bytes(&seed)));
    }
    let key = ContractKey::from_bytes(&seed).map_err(|error| wrong(path, &error.to_string()))?;
    Ok(Key::Contract(key))
}

fn seed(digits: &[u8]) -> Option<Zeroizing<[u8; 32]>> {
    let mut seed = Zeroizing::new([0; 32]);
    hex::decode_into(digits, &mut *seed).then_some(seed)
}
