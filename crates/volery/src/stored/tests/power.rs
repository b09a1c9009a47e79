//! The power fails after every single file operation, and what was not synced is lost, kept or torn.

use super::super::Error;
use super::memory_disk::{Fate, Memory};
use super::*;
use crate::system::Bits;

const P: &str = "/P.vole";
const V: &str = "/V.vole";

fn disk(memory: &Memory) -> Arc<dyn Disk> {
    Arc::new(memory.clone())
}

/// A pair of files, safely on the disk.
fn world() -> Memory {
    let desk = Desk::new();
    Memory::with(&[
        (P.as_ref(), std::fs::read(desk.p()).unwrap()),
        (V.as_ref(), std::fs::read(desk.v()).unwrap()),
    ])
}

fn prove(memory: &Memory, out: &str) -> Result<super::super::Report, Error> {
    ProverFile::open_on(disk(memory), P.as_ref())?.prove(Bits, &small(), out.as_ref())
}

fn verify(memory: &Memory, proof: &str) -> Result<super::super::Report, Error> {
    VerifierFile::open_on(disk(memory), V.as_ref())?.verify(Bits, &small(), proof.as_ref())
}

fn fates() -> impl Iterator<Item = Fate> {
    [Fate::Lost, Fate::Kept].into_iter().chain((0..12).map(Fate::Torn))
}

/// Calls `act` on a copy of `start` for every moment at which the power can fail in it, and `judge` with what
/// `act` returned, the world before and the world after the reboot, for every fate.
fn at_every_moment<T>(start: &Memory, act: impl Fn(&Memory) -> T, judge: impl Fn(&T, &Memory, &Memory)) {
    let whole = start.failing_after(usize::MAX);
    act(&whole);
    for moment in 0..=whole.done() {
        let failing = start.failing_after(moment);
        let result = act(&failing);
        for fate in fates() {
            judge(&result, &failing, &failing.rebooted(fate));
        }
    }
    assert!(whole.done() >= 6, "there were operations to stop at");
}

#[test]
fn a_prover_that_stops_anywhere_never_uses_a_correlation_again() {
    // After a first proof, so that both slots hold something to lose.
    let start = world();
    assert_eq!(prove(&start, "/0").unwrap().range, 0..512);
    at_every_moment(
        &start,
        |memory| prove(memory, "/1").is_ok(),
        |finished, before, after| {
            let exposed = before.wrote_beside(P.as_ref());
            let info = ProverFile::open_on(disk(after), P.as_ref()).expect("the file is sound").info();
            let end = info.consumed.last().map_or(0, |range| range.end);
            assert!(end == 512 || end == 1024, "{info:?}");
            assert!(!exposed || end == 1024, "a byte of the proof left before its range was recorded");
            let next = prove(after, "/2").unwrap();
            assert_eq!(next.range, end..end + 512);
            verify(after, "/2").unwrap();
            if *finished || after.has("/1".as_ref()) {
                assert_eq!(verify(after, "/1").unwrap().range, 512..1024);
            }
            verify(after, "/0").unwrap();
        },
    );
}

#[test]
fn a_verifier_that_stops_anywhere_never_takes_up_a_range_again() {
    let start = world();
    prove(&start, "/0").unwrap();
    prove(&start, "/1").unwrap();
    verify(&start, "/0").unwrap();
    at_every_moment(
        &start,
        |memory| verify(memory, "/1").is_ok(),
        |accepted, before, after| {
            let again = verify(after, "/1");
            match &again {
                Ok(_) => assert!(!accepted && !before.was_read(V.as_ref()), "keys were used, and again"),
                Err(Error::Used { range }) => assert_eq!(*range, 512..1024),
                other => panic!("{other:?}"),
            }
            assert!(matches!(verify(after, "/0"), Err(Error::Used { .. })));
            prove(after, "/2").unwrap();
            verify(after, "/2").unwrap();
        },
    );
}

#[test]
fn a_rejection_that_was_told_has_burnt_the_file() {
    let lie = || Claims { says: small(), runs: AndChain::new(99) };
    let start = world();
    ProverFile::open_on(disk(&start), P.as_ref()).unwrap().prove(Bits, &lie(), "/lie".as_ref()).unwrap();
    prove(&start, "/1").unwrap();
    at_every_moment(
        &start,
        |memory| verify(memory, "/lie"),
        |told, before, after| {
            assert!(told.is_err());
            let info = VerifierFile::open_on(disk(after), V.as_ref()).expect("the file is sound").info();
            if matches!(told, Err(Error::Rejected { .. })) {
                assert!(info.burnt);
            }
            if info.burnt {
                assert!(matches!(verify(after, "/1"), Err(Error::Burnt { .. })));
            } else if before.was_read(V.as_ref()) {
                assert!(matches!(verify(after, "/lie"), Err(Error::Used { .. })));
            }
        },
    );
}

#[test]
fn power_that_fails_twice_is_no_better() {
    let start = world();
    let whole = start.failing_after(usize::MAX);
    prove(&whole, "/0").unwrap();
    for first in 0..whole.done() {
        let one = start.failing_after(first);
        assert!(prove(&one, "/0").is_err() || first >= whole.done() - 2);
        for seed in 0..6 {
            let back = one.rebooted(Fate::Torn(seed));
            for second in 0..8 {
                let two = back.failing_after(second);
                let _ = prove(&two, "/1");
                let after = two.rebooted(Fate::Torn(seed ^ 1));
                let end = ProverFile::open_on(disk(&after), P.as_ref()).unwrap().info().consumed;
                let end = end.last().map_or(0, |range| range.end);
                let least = 512 * u64::from(one.wrote_beside(P.as_ref()));
                // `two` knows of files of its own only: those that it wrote after the reboot.
                let least = least + 512 * u64::from(two.wrote_beside(P.as_ref()));
                assert!(end >= least, "{first} {second}: {end} < {least}");
            }
        }
    }
}

#[test]
fn a_pair_that_is_half_written_has_no_name() {
    let start = Memory::with(&[]);
    let whole = start.failing_after(usize::MAX);
    let (p, v) = make(&disk(&whole), (P.as_ref(), V.as_ref()), [4096 + 256; 2], 60);
    assert!(p.is_ok() && v.is_ok());
    for moment in 0..whole.done() {
        let failing = start.failing_after(moment);
        let (p, v) = make(&disk(&failing), (P.as_ref(), V.as_ref()), [4096 + 256; 2], 60);
        for fate in [Fate::Lost, Fate::Kept, Fate::Torn(1)] {
            let after = failing.rebooted(fate);
            for (told, path) in [(p.is_ok(), P), (v.is_ok(), V)] {
                assert!(!told || after.has(path.as_ref()), "a file that was promised is there");
            }
            if after.has(P.as_ref()) {
                assert_eq!(ProverFile::open_on(disk(&after), P.as_ref()).unwrap().remaining(), 4352);
            }
            if after.has(V.as_ref()) {
                assert_eq!(VerifierFile::open_on(disk(&after), V.as_ref()).unwrap().remaining(), 4352);
            }
        }
    }
}
