//! The file of the key that signs attestations.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use serde::Serialize;
use volery::os_rng;
use volery::web::attestation::{SigningKey, key_id};
use zeroize::Zeroizing;

use crate::args::NotaryKeyArgs;
use crate::failure::Failure;
use crate::outcome::{self, Good};
use crate::output;
use crate::web::read;

/// Runs `volery notary key`, and with `--show` says what is in a file.
pub(crate) fn make(args: &NotaryKeyArgs) -> Result<(), Failure> {
    if args.show {
        return tell(&open(&args.file)?, args);
    }
    let mut seed = Zeroizing::new([0; 32]);
    rand_core::Rng::fill_bytes(&mut os_rng()?, &mut *seed);
    let failed = |error: std::io::Error| Failure::input(format!("{}: {error}", args.file.display()));
    let mut file =
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(&args.file).map_err(failed)?;
    let text = Zeroizing::new(hex(&*seed) + "\n");
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
    tell(&SigningKey::from_bytes(&seed), args)
}

/// Prints a key's public half; with `--show` also its id.
fn tell(key: &SigningKey, args: &NotaryKeyArgs) -> Result<(), Failure> {
    let public = key.verifying_key().to_bytes();
    let (public_key, id) = (hex(&public), key_id(&public));
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

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
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

/// Reads a key file that `volery notary key` wrote.
pub(super) fn open(path: &Path) -> Result<SigningKey, Failure> {
    check_private(path)?;
    let text = read(path, 1 << 10)?;
    let digits = text.trim_ascii();
    let wrong = || {
        Failure::input(format!(
            "{}: expected 64 hexadecimal digits (see `volery notary key`)",
            path.display()
        ))
    };
    let mut seed = Zeroizing::new([0; 32]);
    if digits.len() != 64 {
        return Err(wrong());
    }
    for (byte, pair) in seed.iter_mut().zip(digits.chunks_exact(2)) {
        let pair = core::str::from_utf8(pair).ok().filter(|pair| pair.bytes().all(|c| c.is_ascii_hexdigit()));
        *byte = pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()).ok_or_else(wrong)?;
    }
    Ok(SigningKey::from_bytes(&seed))
}
