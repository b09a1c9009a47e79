//! Proofs that are wrong, about something else, damaged or forged.

use super::super::proof::{self, HEADER, reseal};
use super::super::{Error, Report};
use super::*;
use crate::system::Bits;

/// A desk with a proof of [`small`], and its bytes.
fn proved() -> (Desk, Vec<u8>) {
    let desk = Desk::new();
    desk.prover().prove(Bits, &small(), &desk.path("proof")).unwrap();
    let bytes = std::fs::read(desk.path("proof")).unwrap();
    (desk, bytes)
}

/// What V says to other bytes in place of the proof.
fn judge(desk: &Desk, bytes: &[u8]) -> Result<Report, Error> {
    std::fs::write(desk.path("proof"), bytes).unwrap();
    desk.verifier().verify(Bits, &small(), &desk.path("proof"))
}

fn assert_untouched(desk: &Desk) {
    let info = desk.verifier().info();
    assert_eq!((info.remaining, info.burnt), (16_384, false));
}

#[test]
fn any_damage_to_a_proof_is_found_before_a_key_is_used() {
    let (desk, bytes) = proved();
    for i in 0..bytes.len() {
        for flip in [1, 0x80] {
            let mut bytes = bytes.clone();
            bytes[i] ^= flip;
            match judge(&desk, &bytes) {
                Err(Error::Format { .. }) => assert!(i < 16),
                Err(Error::Version { .. }) => assert!((16..18).contains(&i)),
                Err(Error::Damaged { part, .. }) => {
                    assert_eq!(part, if i < HEADER { "the header" } else { "the frames" });
                }
                other => panic!("byte {i}: {other:?}"),
            }
        }
    }
    for length in 0..bytes.len() {
        let result = judge(&desk, &bytes[..length]);
        assert!(matches!(result, Err(Error::Format { .. } | Error::Damaged { .. })), "{length}: {result:?}");
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(matches!(judge(&desk, &longer), Err(Error::Damaged { part, .. }) if part == "its end"));
    assert_untouched(&desk);
    judge(&desk, &bytes).unwrap();
}

#[test]
fn a_forger_who_mends_the_checksums_is_rejected_and_burns_the_file() {
    let (_, bytes) = proved();
    let (header, _) = proof::Header::decode(&bytes[..HEADER]).unwrap();
    let frames = &bytes[HEADER..];
    let mut forged: Vec<Vec<u8>> = (0..frames.len())
        .map(|i| {
            let mut frames = frames.to_vec();
            frames[i] ^= 1 << (i % 8);
            frames
        })
        .collect();
    forged.extend((0..frames.len()).step_by(7).map(|length| frames[..length].to_vec()));
    forged.push([frames, &[0]].concat());
    forged.push([frames, frames].concat());
    for (i, frames) in forged.iter().enumerate() {
        let desk = Desk::new();
        let result = judge(&desk, &reseal(&header, frames));
        assert!(matches!(result, Err(Error::Rejected { .. })), "forgery {i}: {result:?}");
        assert!(desk.verifier().info().burnt, "forgery {i}");
    }
}

#[test]
fn a_header_that_claims_something_else_is_refused_or_rejected() {
    let (desk, bytes) = proved();
    let (header, _) = proof::Header::decode(&bytes[..HEADER]).unwrap();
    let mut others = Vec::new();
    for (what, change) in [
        (
            "the session",
            (|h: &mut proof::Header| h.session = volery_vole::SessionId::new([0; 32])) as fn(&mut _),
        ),
        ("the statement", |h| h.statement[31] ^= 1),
        ("the interval of checks", |h| h.interval += 1),
        ("the number of correlations", |h| h.range.end += 256),
        ("the number of correlations", |h| h.range.end -= 256),
        ("the last correlation", |h| h.range = 16_384..16_896),
        ("the last correlation", |h| h.range = 16_128..16_640),
    ] {
        let mut header = header.clone();
        change(&mut header);
        others.push((what, reseal(&header, &bytes[HEADER..])));
    }
    for (expected, bytes) in others {
        match judge(&desk, &bytes) {
            Err(Error::Mismatch { what, .. }) => assert_eq!(what, expected),
            Err(Error::OtherCorrelations { .. }) => assert_eq!(expected, "the session"),
            Err(Error::OtherStatement { .. }) => assert_eq!(expected, "the statement"),
            other => panic!("{expected}: {other:?}"),
        }
    }
    for (start, end) in [(0, 0), (1, 513), (512, 0), (u64::MAX - 511, u64::MAX)] {
        let bytes = reseal(&proof::Header { range: start..end, ..header.clone() }, &bytes[HEADER..]);
        assert!(matches!(judge(&desk, &bytes), Err(Error::Damaged { .. })));
    }
    assert_untouched(&desk);
    // Other correlations of the same file: only the check can tell.
    let moved = reseal(&proof::Header { range: 512..1024, ..header }, &bytes[HEADER..]);
    assert!(matches!(judge(&desk, &moved), Err(Error::Rejected { .. })));
    assert!(matches!(judge(&desk, &bytes), Err(Error::Burnt { .. })));
}

#[test]
fn a_proof_is_of_one_statement_one_public_input_and_one_pair_only() {
    let desk = Desk::new();
    desk.prover().prove(Bits, &aes_with_key(), &desk.path("proof")).unwrap();
    let mut other = ciphertext();
    other[0] ^= 1;
    let statement = |result| matches!(result, Err(Error::OtherStatement { .. }));
    assert!(statement(desk.verifier().verify(Bits, &aes(other), &desk.path("proof"))));
    assert!(statement(desk.verifier().verify(Bits, &small(), &desk.path("proof"))));
    assert_untouched(&desk);
    let stranger = Desk::made(16_384, 50);
    let result = stranger.verifier().verify(Bits, &aes(ciphertext()), &desk.path("proof"));
    assert!(matches!(result, Err(Error::OtherCorrelations { .. })));
    assert_untouched(&stranger);
    desk.verifier().verify(Bits, &aes(ciphertext()), &desk.path("proof")).unwrap();
}

#[test]
fn a_lie_is_rejected_and_burns_the_file_for_good() {
    let desk = Desk::new();
    let mut wanted = ciphertext();
    wanted[3] ^= 4;
    let lie = Claims { says: aes(wanted), runs: aes_with_key() };
    desk.prover().prove(Bits, &lie, &desk.path("lie")).unwrap();
    desk.prover().prove(Bits, &small(), &desk.path("honest")).unwrap();
    let mut verifier = desk.verifier();
    let result = verifier.verify(Bits, &aes(wanted), &desk.path("lie"));
    let Err(error @ Error::Rejected { .. }) = result else { panic!("{result:?}") };
    assert!(error.is_rejection() && error.to_string().contains("polynomial is wrong"), "{error}");
    assert!(matches!(verifier.verify(Bits, &small(), &desk.path("honest")), Err(Error::Burnt { .. })));
    assert_eq!(verifier.remaining(), 0);
    drop(verifier);
    assert!(matches!(desk.verifier().verify(Bits, &small(), &desk.path("honest")), Err(Error::Burnt { .. })));
    // Key and correlations are gone; nothing but header and state is left.
    let bytes = std::fs::read(desk.v()).unwrap();
    assert!(bytes[12_288..].iter().all(|byte| *byte == 0));
}

#[test]
fn a_prover_that_runs_another_program_under_the_name_is_rejected() {
    let desk = Desk::new();
    // One multiplication less, the same number of chunks.
    let lie = Claims { says: small(), runs: AndChain::new(99) };
    desk.prover().prove(Bits, &lie, &desk.path("lie")).unwrap();
    let result = desk.verifier().verify(Bits, &small(), &desk.path("lie"));
    assert!(matches!(result, Err(Error::Rejected { .. })), "{result:?}");
}

#[test]
fn a_disjunction_of_which_no_branch_holds_is_rejected_and_burns_the_file() {
    use volery_field::F2;
    use volery_zk::disjunction::AnyOf;
    let desk = Desk::made(32_768, 70);
    let any = |branches| AnyOf::<F2, _>::new(branches).unwrap().with_choice(1).unwrap();
    let wrong = || any(vec![aes([9; 16]), aes([8; 16])]);
    let lie = Claims { says: wrong(), runs: any(vec![aes([9; 16]), aes_with_key()]) };
    desk.prover().prove(Bits, &lie, &desk.path("lie")).unwrap();
    let mut verifier = desk.verifier();
    let Err(error @ Error::Rejected { .. }) = verifier.verify(Bits, &wrong(), &desk.path("lie")) else {
        panic!("accepted, or not even rejected")
    };
    assert!(error.to_string().contains("a branch of a disjunction holds"), "{error}");
    assert!(verifier.info().burnt);
}

/// A statement of which nothing is claimed; its prover's runs something else.
#[derive(Debug)]
struct Nothing;

impl<B: volery_circuit::Prove<volery_field::F2> + ?Sized> Statement<B> for Nothing {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"nothing");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        b.secret(1, &mut |_| Ok(vec![volery_field::Ring::ONE])).map(drop)
    }
}

#[test]
fn a_statement_that_claims_nothing_is_refused_by_both_parties_and_costs_neither_anything() {
    let desk = Desk::new();
    let refused = |error: Error| {
        assert_eq!(error, Error::Statement(volery_circuit::Error::nothing_claimed()), "{error}");
    };
    refused(desk.prover().prove(Bits, &Nothing, &desk.path("proof")).unwrap_err());
    desk.prover().prove(Bits, &Claims { says: Nothing, runs: small() }, &desk.path("proof")).unwrap();
    refused(desk.verifier().verify(Bits, &Nothing, &desk.path("proof")).unwrap_err());
    assert_untouched(&desk);
}
