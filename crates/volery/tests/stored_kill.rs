//! Processes that are killed while they prove and verify out of stored correlations, and processes that do it
//! at once.
//!
//! The test binary runs itself again as the process to be killed: [`child`] is a test that does nothing
//! unless it is told to by the environment.

// clippy's exception for tests covers test functions only, not their helpers.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use volery::statements::AndChain;
use volery::stored::{Error, ProverFile, VerifierFile, preprocess};
use volery::system::Bits;
use volery::{Options, Prover, Verifier, os_rng};

/// Correlations of one proof: 128 secrets, the multiplications, 128 for the check.
const RANGE: u64 = 16_384;
const ANDS: u64 = RANGE - 256;

/// Bytes of a proof file's header, and of a frame's.
const HEADER: usize = 174;
const FRAME: usize = 5;

/// Where the correlations begin in a correlation file; a chunk of 256 takes 4112 bytes.
const CHUNKS: usize = 16_384;

fn statement() -> AndChain {
    AndChain::new(ANDS)
}

/// Correlations are stored from sessions whose challenges are hashes.
fn linked() -> Options {
    Options { fiat_shamir: true, ..Options::default() }
}

/// Makes a pair for `proofs` proofs in `folder`.
fn make_pair(folder: &Path, proofs: u64) {
    let (left, right) = volery_channel::memory_pair(&volery::Limits::default());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let session = Prover::start(left, linked(), &mut os_rng().unwrap()).unwrap();
            preprocess::prover(session, proofs * RANGE, &folder.join("P.vole"), &mut |_| {}).unwrap();
        });
        let session = Verifier::start(right, linked(), &mut os_rng().unwrap()).unwrap();
        preprocess::verifier(session, proofs * RANGE, &folder.join("V.vole"), &mut |_| {}).unwrap();
    });
}

/// What a child is told to do, by the environment.
const TASK: &str = "VOLERY_STORED_CHILD";

/// Not a test by itself: the process that others start, kill and run against each other.
#[test]
fn child() {
    let Ok(task) = std::env::var(TASK) else { return };
    let (what, folder) = task.split_once(' ').unwrap();
    let folder = Path::new(folder);
    match what {
        "prove" => prove_on(folder),
        "verify" => verify_on(folder),
        "hold" => {
            let _file = ProverFile::open(&folder.join("P.vole")).unwrap();
            say("held");
            let _ = std::io::stdin().read_line(&mut String::new());
        }
        other => panic!("{other}"),
    }
}

/// One line to the parent, past the test harness's capture.
fn say(line: &str) {
    let mut out = std::io::stderr();
    writeln!(out, "{line}").unwrap();
    out.flush().unwrap();
}

/// Opens with `open` as soon as nobody else has the file.
fn patiently<T>(mut open: impl FnMut() -> Result<T, Error>) -> T {
    loop {
        match open() {
            Err(Error::Locked { .. }) => std::thread::sleep(Duration::from_micros(300)),
            result => return result.unwrap(),
        }
    }
}

/// Proves until no correlations are left, opening the file for each proof.
fn prove_on(folder: &Path) {
    say("ready");
    for i in 0.. {
        let mut file = patiently(|| ProverFile::open(&folder.join("P.vole")));
        let proof = folder.join("proofs").join(format!("{}-{i}", std::process::id()));
        match file.prove(Bits, &statement(), &proof) {
            Ok(_) => {}
            Err(Error::Exhausted { .. }) => return,
            Err(error) => panic!("{error}"),
        }
    }
}

/// Verifies every proof that there is; notes those that were accepted.
fn verify_on(folder: &Path) {
    let mut accepted =
        fs::OpenOptions::new().append(true).create(true).open(folder.join("accepted")).unwrap();
    say("ready");
    let mut file = patiently(|| VerifierFile::open(&folder.join("V.vole")));
    for proof in proofs(folder) {
        match file.verify(Bits, &statement(), &proof) {
            Ok(report) => writeln!(accepted, "{}", report.range.start).unwrap(),
            Err(Error::Used { .. }) => {}
            Err(error) => panic!("{}: {error}", proof.display()),
        }
    }
}

fn spawn(what: &str, folder: &Path) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture", "--test-threads=1"])
        .env(TASK, format!("{what} {}", folder.display()))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert!(["ready\n", "held\n"].contains(&line.as_str()), "{line}");
    child
}

/// Complete proofs, sorted.
fn proofs(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join("proofs")).unwrap().map(|entry| entry.unwrap().path());
    let mut proofs: Vec<_> = entries.filter(|path| path.extension().is_none()).collect();
    proofs.sort();
    proofs
}

/// A number below `bound` that nobody foresees.
fn random(bound: u64) -> u64 {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).unwrap();
    u64::from_le_bytes(bytes) % bound
}

/// Lets a child run for a random time up to `longest` past its start, then kills it. Whether it was still
/// running.
fn kill_some_time(mut child: Child, longest: Duration) -> bool {
    let micros = longest.as_micros().try_into().unwrap();
    let end = Instant::now() + Duration::from_micros(random(micros));
    while Instant::now() < end {
        std::thread::sleep(Duration::from_micros(50));
    }
    child.kill().unwrap();
    child.wait().unwrap().code().is_none()
}

/// Which range's correlations each file of the folder was made of, found by looking at its masks: with `u`
/// the stored random bits and `w` the committed ones (the same in every proof), a proof begins with `w + u`.
struct Detector {
    /// First masked bits if the proof starts at the key times [`RANGE`], as if every `w` were zero.
    starts: Vec<u64>,
}

impl Detector {
    fn new(folder: &Path) -> Self {
        let bytes = fs::read(folder.join("P.vole")).unwrap();
        let chunks: Vec<_> = bytes[CHUNKS..].chunks(4112).collect();
        let bit = |i: usize| u64::from(chunks[i / 256][i % 256 * 16] & 1);
        let word = |first: usize| (0..64).fold(0, |word, i| word | bit(first + i) << i);
        let starts = (0..chunks.len() * 256 / RANGE as usize).map(|i| word(i * RANGE as usize)).collect();
        Self { starts }
    }

    /// The witness's first 64 bits: a proof of the first range shows them.
    fn witness(&self, first: &[u8]) -> u64 {
        mask(first).unwrap() ^ self.starts[0]
    }

    /// The number of the range that a file's masks come from.
    fn range_of(&self, witness: u64, bytes: &[u8]) -> Option<u64> {
        let u = mask(bytes)? ^ witness;
        let found: Vec<_> = self.starts.iter().enumerate().filter(|(_, start)| **start == u).collect();
        assert_eq!(found.len(), 1, "masks that come from no range, or from none in particular");
        Some(found[0].0 as u64)
    }
}

/// The first 64 masked bits of a file, complete or not.
fn mask(bytes: &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(HEADER + FRAME..)?.first_chunk()?))
}

/// Kills `kills` provers, each at a random moment, on one pair; then as many verifiers. Returns how many
/// files left.
fn round(kills: u64) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join("proofs")).unwrap();
    make_pair(folder, 12 * kills);
    let detector = Detector::new(folder);
    let first = folder.join("proofs").join("first");
    let start = Instant::now();
    ProverFile::open(&folder.join("P.vole")).unwrap().prove(Bits, &statement(), &first).unwrap();
    // However busy the machine: long enough for some proofs, short enough to hit every part of one.
    let longest = 5 * start.elapsed().max(Duration::from_millis(2));
    let witness = detector.witness(&fs::read(&first).unwrap());

    let mut running = 0;
    for _ in 0..kills {
        running += u64::from(kill_some_time(spawn("prove", folder), longest));
    }
    assert!(running > kills / 4, "children were killed at work: {running} of {kills}");

    // Whatever left: complete proofs and parts of one.
    let info = ProverFile::open(&folder.join("P.vole")).unwrap().info();
    let mut seen = BTreeMap::new();
    for entry in fs::read_dir(folder.join("proofs")).unwrap() {
        let path = entry.unwrap().path();
        let Some(range) = detector.range_of(witness, &fs::read(&path).unwrap()) else { continue };
        assert!(
            (range + 1) * RANGE <= info.consumed[0].end,
            "{} left before it was recorded",
            path.display()
        );
        // Killed between the two steps of its renaming, a proof has two names; it is still one file.
        let file = path.metadata().unwrap().ino();
        let before = seen.insert(range, file);
        assert!(before.is_none_or(|before| before == file), "{} uses another's range", path.display());
    }

    for _ in 0..kills {
        kill_some_time(spawn("verify", folder), longest);
    }
    // The last one may finish.
    assert!(spawn("verify", folder).wait().unwrap().success());
    let accepted = fs::read_to_string(folder.join("accepted")).unwrap();
    let unique: BTreeSet<_> = accepted.lines().collect();
    assert_eq!(unique.len(), accepted.lines().count(), "a proof was accepted twice");
    let verifier = VerifierFile::open(&folder.join("V.vole")).unwrap();
    assert!(!verifier.info().burnt);
    // A verifier that was killed loses the proof at hand, or the note of it; all others were accepted.
    let (all, lost) = (proofs(folder).len() as u64, kills);
    assert!(unique.len() as u64 + lost >= all, "{} of {all} accepted", unique.len());
    assert_eq!(verifier.info().count - verifier.remaining(), all * RANGE);
    seen.len()
}

#[test]
fn killed_at_any_moment_no_range_is_used_twice() {
    assert!(round(40) > 1);
}

#[test]
#[ignore = "long: a thousand kills"]
fn long_killed_at_any_moment_no_range_is_used_twice() {
    let left: usize = (0..20).map(|_| round(50)).sum();
    assert!(left > 500, "{left} proofs or parts of one");
}

#[test]
fn provers_that_run_at_once_share_the_file_and_no_range() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join("proofs")).unwrap();
    make_pair(folder, 30);
    let children: Vec<_> = (0..3).map(|_| spawn("prove", folder)).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let mut verifier = VerifierFile::open(&folder.join("V.vole")).unwrap();
    let proofs = proofs(folder);
    assert_eq!(proofs.len(), 30);
    for proof in proofs {
        verifier.verify(Bits, &statement(), &proof).unwrap();
    }
    assert_eq!(verifier.remaining(), 0);
}

#[test]
fn a_file_that_another_process_has_is_refused_until_it_ends() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    make_pair(folder, 1);
    let mut child = spawn("hold", folder);
    let refused = ProverFile::open(&folder.join("P.vole")).map(drop).unwrap_err();
    assert!(matches!(refused, Error::Locked { .. }), "{refused}");
    child.kill().unwrap();
    child.wait().unwrap();
    ProverFile::open(&folder.join("P.vole")).unwrap();
}
