//! Forged proofs from files whose correlations P chose while they were made.

use volery_vole::cheats::{self, Deltas};
use volery_vole::correlations::Chain;

use super::super::chunks::{CHUNK, RECORD};
use super::super::header::{CHUNKS, Header};
use super::super::proof::{self, reseal};
use super::super::{Error as Stored, needed};
use super::*;
use crate::forgery::{CORRELATIONS, False, choose, foreseen, messages, rng, wanted};
use crate::system::Bits;
use volery_circuit::Counter;
use volery_field::{F2, Gf128};

/// The tags of P's file, in order.
fn tags(desk: &Desk) -> Vec<Gf128> {
    let bytes = std::fs::read(desk.p()).unwrap();
    let records = bytes[CHUNKS as usize..].chunks_exact(RECORD);
    let tags = records.flat_map(|record| record[..16 * CHUNK as usize].as_chunks::<16>().0);
    tags.map(|bytes| Gf128::from_bits(u128::from_le_bytes(*bytes))).collect()
}

/// What V says to a proof from files that P chose for it, knowing everything but what V draws in the end. P
/// takes the chain from before anything was made for that of the file, for that of the seed, or leaves it
/// out. Where the chain stands still it is right if it does both, and then it is accepted: so nothing but the
/// chain stops it.
#[test]
fn forgery_of_bits_from_files() {
    for (file, seed, stands) in [
        (false, false, false),
        (false, true, false),
        (true, false, false),
        (true, true, false),
        (true, true, true),
    ] {
        let desk = Desk { folder: tempfile::tempdir().unwrap() };
        let (left, right) = memory_pair(&Limits::default());
        let (disk, deltas): (Arc<dyn Disk>, _) = (Arc::new(Os), Deltas::default());
        let (disk, seen, p, v) = (&disk, deltas.clone(), &desk.p(), &desk.v());
        let (header, foreseen) = std::thread::scope(|scope| {
            let start = move || {
                if stands {
                    cheats::stop_chains();
                }
            };
            let prover = scope.spawn(move || {
                start();
                let session = Prover::start(left, linked(), &mut rng(1)).unwrap();
                let mut parts = session.into_parts();
                let (id, settings) = parts.begin().unwrap();
                let before = parts.pool.chain(&mut parts.channel).unwrap();
                let interval = settings.interval as u32;
                let known = Header { role: Role::Prover, session: id, count: 1024, interval, chain: before };
                let range = 0..needed(&False, &known).unwrap();
                let statement = crate::session::digest::<Counter<F2>>(&False);
                let proof = proof::Header { session: id, statement, interval, range };
                // The chain before anything was made, or none at all.
                let chains: &[Chain] = if file { &[before] } else { &[] };
                let mut plan =
                    crate::session::transcript("stored", &id, &statement, interval as usize, 0, chains);
                plan.absorb_number("end", proof.range.end);
                let foreseen = foreseen(plan, seed.then(|| before.as_bytes()));
                choose(seen, 0, wanted(foreseen));
                preprocess::run(disk, parts, Role::Prover, 1024, p, &mut |_| {}).unwrap();
                cheats::honest();
                (proof, foreseen)
            });
            start();
            deltas.watch();
            let session = Verifier::start(right, linked(), &mut rng(2)).unwrap();
            preprocess::run(disk, session.into_parts(), Role::Verifier, 1024, v, &mut |_| {}).unwrap();
            cheats::honest();
            prover.join().unwrap()
        });
        let held = tags(&desk);
        assert_eq!(
            held[..601].iter().map(|tag| tag.to_bits() & 1 == 1).collect::<Vec<_>>(),
            wanted(foreseen)
        );
        let mut frames = Vec::new();
        for (tag, payload) in messages(&held[..CORRELATIONS], foreseen) {
            frames.push(tag.byte());
            frames.extend_from_slice(&(payload.len() as u32).to_le_bytes());
            frames.extend_from_slice(&payload);
        }
        std::fs::write(desk.path("forged"), reseal(&header, &frames)).unwrap();
        let result = desk.verifier().verify(Bits, &False, &desk.path("forged"));
        match stands {
            false => assert!(matches!(result, Err(Stored::Rejected { .. })), "{file} {seed}: {result:?}"),
            true => assert!(result.is_ok(), "no forgery: {result:?}"),
        }
    }
}

#[test]
fn a_proof_under_another_chain_is_rejected() {
    let desk = Desk::new();
    desk.prover().prove(Bits, &small(), &desk.path("proof")).unwrap();
    let mut bytes = std::fs::read(desk.v()).unwrap();
    let header = Header::decode(&bytes[..4096]).unwrap();
    assert_eq!(header.chain, Header::decode(&std::fs::read(desk.p()).unwrap()[..4096]).unwrap().chain);
    bytes[..4096].copy_from_slice(&Header { chain: Chain::from_bytes([1; 32]), ..header }.encode());
    std::fs::write(desk.v(), bytes).unwrap();
    let result = desk.verifier().verify(Bits, &small(), &desk.path("proof"));
    assert!(matches!(result, Err(Stored::Rejected { .. })), "{result:?}");
}

#[test]
fn files_and_proofs_of_the_version_that_was_not_sound_are_refused_and_the_error_says_why() {
    let desk = Desk::new();
    desk.prover().prove(Bits, &small(), &desk.path("proof")).unwrap();
    let old = |path: &Path| {
        let mut bytes = std::fs::read(path).unwrap();
        bytes[16..18].copy_from_slice(&1_u16.to_le_bytes());
        std::fs::write(path, bytes).unwrap();
    };
    old(&desk.path("proof"));
    let refused = |error: Stored| {
        assert!(matches!(error, Stored::Unsound { version: 1, .. }), "{error:?}");
        let text = error.to_string();
        assert!(text.contains("not sound") && text.contains("preprocess a new pair"), "{text}");
    };
    refused(desk.verifier().verify(Bits, &small(), &desk.path("proof")).unwrap_err());
    old(&desk.p());
    old(&desk.v());
    refused(ProverFile::open(&desk.p()).map(drop).unwrap_err());
    refused(VerifierFile::open(&desk.v()).map(drop).unwrap_err());
}

#[test]
fn correlations_are_stored_only_from_sessions_whose_challenges_are_hashes() {
    let desk = Desk { folder: tempfile::tempdir().unwrap() };
    let (left, right) = memory_pair(&Limits::default());
    let (p, v) = std::thread::scope(|scope| {
        let prover = scope.spawn(|| {
            let session = Prover::start(left, Options::default(), &mut rng(1)).unwrap();
            preprocess::prover(session, 512, &desk.p(), &mut |_| {})
        });
        let session = Verifier::start(right, Options::default(), &mut rng(2)).unwrap();
        let v = preprocess::verifier(session, 512, &desk.v(), &mut |_| {});
        (prover.join().unwrap(), v)
    });
    for result in [p, v] {
        assert!(matches!(result, Err(Error::Stored(Stored::Options(_)) | Error::Channel(_))), "{result:?}");
    }
    assert!(desk.names().is_empty());
}
