//! Correlation files that are damaged, rolled back, or something else.

use super::super::Error;
use super::*;
use crate::system::Bits;

/// What becomes of P's and of V's side when `harm` was done to its file.
fn after(harm: impl Fn(&mut Vec<u8>)) -> [Result<(), Error>; 2] {
    let desk = Desk::new();
    desk.prover().prove(Bits, &small(), &desk.path("proof")).unwrap();
    let edit = |path: &Path| {
        let mut bytes = std::fs::read(path).unwrap();
        harm(&mut bytes);
        std::fs::write(path, bytes).unwrap();
    };
    edit(&desk.p());
    edit(&desk.v());
    let p = ProverFile::open(&desk.p()).and_then(|mut file| file.prove(Bits, &small(), &desk.path("second")));
    let v =
        VerifierFile::open(&desk.v()).and_then(|mut file| file.verify(Bits, &small(), &desk.path("proof")));
    if let Ok(report) = &p {
        assert_eq!(report.range, 512..1024, "nothing is used again");
    }
    if let Err(Error::Damaged { .. }) = &v {
        let burnt = VerifierFile::open(&desk.v()).is_ok_and(|file| file.info().burnt);
        assert!(!burnt, "damage of V's own file is not the proof's fault");
    }
    [p.map(drop), v.map(drop)]
}

fn damaged_at(result: &Result<(), Error>, expected: &str) -> bool {
    matches!(result, Err(Error::Damaged { part, .. }) if part == expected)
}

#[test]
fn a_damaged_header_or_end_is_refused() {
    for at in [18, 19, 60, 2000, 4095] {
        let both = after(|bytes| bytes[at] ^= 1);
        assert!(both.iter().all(|one| damaged_at(one, "the header")), "{at}: {both:?}");
    }
    let both = after(|bytes| bytes[3] ^= 1);
    assert!(both.iter().all(|one| matches!(one, Err(Error::Format { .. }))));
    let both = after(|bytes| bytes[16] = 9);
    assert!(both.iter().all(|one| matches!(one, Err(Error::Version { version: 9, known: 2, .. }))));
    let changes: [fn(&mut Vec<u8>); 3] =
        [|bytes| bytes.truncate(bytes.len() - 1), |bytes| bytes.push(0), |bytes| bytes.truncate(5000)];
    for change in changes {
        let both = after(change);
        assert!(both.iter().all(|one| damaged_at(one, "its end")), "{both:?}");
    }
    for length in [0, 10, 17, 4095] {
        let both = after(|bytes| bytes.truncate(length));
        assert!(
            both.iter().all(|one| matches!(one, Err(Error::Format { .. } | Error::Damaged { .. }))),
            "{both:?}"
        );
    }
}

#[test]
fn one_damaged_slot_is_mended_and_nothing_is_forgotten() {
    for slot in [4096, 8192] {
        for at in [0, 8, 30, 4095] {
            assert_eq!(after(|bytes| bytes[slot + at] ^= 0x10), [Ok(()), Ok(())]);
        }
        assert_eq!(after(|bytes| bytes[slot..slot + 4096].fill(0)), [Ok(()), Ok(())]);
    }
    let desk = Desk::new();
    desk.prover().prove(Bits, &small(), &desk.path("proof")).unwrap();
    let sound = std::fs::read(desk.p()).unwrap();
    let mut bytes = sound.clone();
    bytes[5000] ^= 1;
    std::fs::write(desk.p(), bytes).unwrap();
    drop(desk.prover());
    assert!(std::fs::read(desk.p()).unwrap() == sound);
}

#[test]
fn two_damaged_slots_are_refused() {
    let both = after(|bytes| {
        bytes[4100] ^= 1;
        bytes[8200] ^= 1;
    });
    assert!(both.iter().all(|one| damaged_at(one, "the state")), "{both:?}");
}

#[test]
fn a_slot_that_is_rolled_back_does_not_bring_correlations_back() {
    let desk = Desk::new();
    let old = std::fs::read(desk.p()).unwrap();
    desk.prover().prove(Bits, &small(), &desk.path("proof")).unwrap();
    let new = std::fs::read(desk.p()).unwrap();
    for slot in [4096, 8192] {
        let mut bytes = new.clone();
        bytes[slot..slot + 4096].copy_from_slice(&old[slot..slot + 4096]);
        std::fs::write(desk.p(), bytes).unwrap();
        assert_eq!(desk.prover().remaining(), 16_384 - 512);
    }
    // Even both: what was used was wiped.
    let mut bytes = new;
    bytes[4096..12_288].copy_from_slice(&old[4096..12_288]);
    std::fs::write(desk.p(), bytes).unwrap();
    let result = desk.prover().prove(Bits, &small(), &desk.path("again"));
    assert!(matches!(&result, Err(Error::Damaged { reason, .. }) if reason.contains("wiped")), "{result:?}");
    assert_eq!(desk.names(), ["P.vole", "V.vole", "proof"]);
}

#[test]
fn a_damaged_key_is_found_before_anything_is_consumed() {
    for at in [12_288, 12_300, 12_310, 16_000] {
        let [p, v] = after(|bytes| bytes[at] ^= 2);
        assert_eq!(p, Ok(()));
        assert!(damaged_at(&v, "the key"), "{v:?}");
    }
}

#[test]
fn a_damaged_correlation_is_never_used() {
    // Chunk 0 is V's turn (wiped at P), chunk 2 is P's.
    let chunk = |i: usize| 16_384 + 4112 * i;
    for at in [0, 1000, 4095, 4096, 4111] {
        let [p, v] = after(|bytes| bytes[chunk(0) + at] ^= 1);
        assert_eq!(p, Ok(()));
        assert!(damaged_at(&v, "correlations 0 to 255"), "{v:?}");
        let [p, v] = after(|bytes| bytes[chunk(2) + at] ^= 1);
        assert!(damaged_at(&p, "correlations 512 to 767"), "{p:?}");
        assert_eq!(v, Ok(()));
    }
    // Chunks that changed places.
    let both = after(|bytes| {
        let (a, b) = bytes.split_at_mut(chunk(3));
        a[chunk(1)..chunk(2)].swap_with_slice(&mut b[..4112]);
    });
    assert!(both.iter().all(|one| matches!(one, Err(Error::Damaged { .. }))), "{both:?}");
}

#[test]
fn what_is_no_file_is_refused() {
    let desk = Desk::new();
    assert!(matches!(ProverFile::open(&desk.path("none")), Err(Error::Io { what: "open", .. })));
    assert!(matches!(ProverFile::open(desk.folder.path()), Err(Error::Io { what: "open", .. })));
    std::fs::write(desk.path("text"), "2 + 2 = 5").unwrap();
    assert!(matches!(ProverFile::open(&desk.path("text")), Err(Error::Format { .. })));
    assert!(matches!(desk.verifier().verify(Bits, &small(), &desk.path("text")), Err(Error::Format { .. })));
    assert!(matches!(
        desk.verifier().verify(Bits, &small(), &desk.p()),
        Err(Error::Format { expected: "proof", .. })
    ));
}
