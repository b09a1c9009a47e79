//! Runs a target without a fuzzer: on the inputs of a corpus, and on random changes of them.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use std::{fs, io};

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng as _, SeedableRng as _};

use crate::{Target, target};

/// The committed corpus of a target.
#[must_use]
pub fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name)
}

/// The files of a folder, sorted, or one file.
///
/// # Errors
/// The operating system's.
pub fn inputs(path: &Path) -> io::Result<Vec<(PathBuf, Vec<u8>)>> {
    let mut paths = vec![path.to_owned()];
    if path.is_dir() {
        paths = fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
        paths.sort();
    }
    paths.into_iter().map(|path| Ok((path.clone(), fs::read(path)?))).collect()
}

/// Runs `target` on changes of `seeds` until `time` is over; says how often. The changes depend on nothing
/// but `seeds`.
pub fn mutate(target: Target, seeds: &[Vec<u8>], time: Duration) -> u64 {
    let (end, mut rng, mut runs) = (Instant::now() + time, ChaCha20Rng::from_seed([9; 32]), 0);
    while Instant::now() < end {
        let seed = seeds.get(below(&mut rng, seeds.len())).map(Vec::as_slice).unwrap_or_default();
        target(&change(seed, &mut rng));
        runs += 1;
    }
    runs
}

/// A number below `n`, 0 if there is none.
fn below(rng: &mut ChaCha20Rng, n: usize) -> usize {
    // The remainder favours small numbers by nothing that matters here.
    (rng.next_u64() % (n.max(1) as u64)) as usize
}

/// One to four of: a flipped bit, a new byte, a cut, a doubled part, a removed part, an interesting number.
fn change(seed: &[u8], rng: &mut ChaCha20Rng) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=below(rng, 4) {
        let at = below(rng, bytes.len());
        let end = at + below(rng, bytes.len() - at.min(bytes.len()) + 1).min(64);
        match below(rng, 6) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << below(rng, 8),
            1 if !bytes.is_empty() => bytes[at] = rng.next_u32() as u8,
            2 => bytes.truncate(at),
            3 => {
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            4 => drop(bytes.drain(at..end)),
            _ => {
                const NUMBERS: [u32; 6] = [0, 1, 0x7f, 0xff, 0x7fff_ffff, u32::MAX];
                let number = NUMBERS[below(rng, NUMBERS.len())].to_le_bytes();
                bytes.splice(at..end.min(at + 4), number);
            }
        }
    }
    bytes
}

/// Replays the files and folders named on the command line, or the corpus; then runs changes of them for as
/// many seconds as `--seconds N` says.
#[must_use]
pub fn main(name: &str) -> ExitCode {
    match run(name) {
        Ok(report) => {
            println!("{name}: {report}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{name}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(name: &str) -> Result<String, String> {
    let (mut paths, mut seconds) = (Vec::new(), 0);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--seconds" {
            let number = arguments.next().and_then(|number| number.parse().ok());
            seconds = number.ok_or("--seconds needs a number")?;
        } else {
            paths.push(PathBuf::from(argument));
        }
    }
    if paths.is_empty() {
        paths.push(corpus(name));
    }
    let mut seeds = Vec::new();
    for path in paths {
        let files = inputs(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        seeds.extend(files.into_iter().map(|(_, bytes)| bytes));
    }
    seeds.iter().for_each(|bytes| target(name)(bytes));
    let runs = mutate(target(name), &seeds, Duration::from_secs(seconds));
    Ok(format!("{} inputs replayed, {runs} changes of them", seeds.len()))
}
