//! The corpora are what honest runs make, honest inputs are accepted, and no target panics on changes of
//! them.

use std::path::Path;
use std::time::Duration;

use volery::Channel as _;
use volery::notary::{self, Turn};
use volery::public::{Error, Protocol};
use volery_field::{F2, F61, Z32};
use volery_fuzz::proofs::Chain;
use volery_fuzz::replay::{against, rng};
use volery_fuzz::stacked::{self, Mode};
use volery_fuzz::{
    TARGETS, arithmetic, client, commitment, correlations, dealing, disjunction, driver, garbling, joint,
    proofs, public, seeds, sessions, subfield, voleith, web,
};
use volery_garble::two_party::Garbling;
use volery_tls::commitment::RangeFile;
use volery_tls::fuzz;
use volery_tls::key_exchange::Group;

fn committed(target: &str, name: &str) -> Vec<u8> {
    std::fs::read(driver::corpus(target).join(name)).expect("run `cargo run --example seeds`")
}

#[test]
fn committed_seeds_are_what_honest_runs_make() {
    for seed in seeds::all() {
        let same = committed(seed.target, &seed.name) == seed.bytes;
        assert!(
            same,
            "{}/{}: a format has changed; make new seeds if this is on purpose",
            seed.target, seed.name
        );
    }
}

#[test]
fn every_target_has_a_program_and_a_seed_and_every_program_is_a_target() {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bin");
    for (name, _) in TARGETS {
        let program = std::fs::read_to_string(programs.join(format!("{name}.rs"))).expect(name);
        assert!(program.contains(&format!("volery_fuzz::fuzz_main!(\"{name}\");")), "{name}");
        assert!(!driver::inputs(&driver::corpus(name)).expect(name).is_empty(), "{name}");
    }
    assert_eq!(std::fs::read_dir(programs).expect("the programs").count(), TARGETS.len());
}

#[test]
fn honest_conversations_are_accepted_to_the_end() {
    let cot = |name| committed(name, "two-rounds");
    assert_eq!(against(&cot("cot_prover"), |c| correlations::cot_as_prover(c)), Ok(()));
    assert_eq!(against(&cot("cot_verifier"), |c| correlations::cot_as_verifier(c)), Ok(()));
    // Another one than the seeds were made with.
    let delta = dealing::delta(b"test");
    let prover = committed("quicksilver_prover", "interactive");
    assert_eq!(against(&prover, |c| proofs::as_prover(c, false)), Ok(()));
    for (hashed, name) in [(false, "interactive-true"), (true, "fiat-shamir-true")] {
        let bytes = committed("quicksilver_verifier", name);
        assert_eq!(against(&bytes[1..], |c| proofs::as_verifier(c, hashed, &delta, &Chain::TRUE)), Ok(()));
        let lie = against(&bytes[1..], |c| proofs::as_verifier(c, hashed, &delta, &Chain::FALSE));
        assert!(lie.is_err_and(|error| error.is_rejection()), "{name}");
    }
    assert_eq!(against(&committed("session_prover", "true"), |c| sessions::as_prover(c)), Ok(()));
    let bytes = committed("session_verifier", "true");
    assert_eq!(against(&bytes[1..], |c| sessions::as_verifier(c, &Chain::TRUE)), Ok(()));
    let lie = against(&bytes[1..], |c| sessions::as_verifier(c, &Chain::FALSE));
    assert!(lie.is_err_and(|error| error.is_rejection()));
}

#[test]
fn handshakes_of_tls_1_3_open() {
    for name in ["rfc-8448", "made-up"] {
        assert!(web::opens_tls13(&committed("transcript_tls13", name)), "{name}");
    }
}

#[test]
fn an_honest_relay_is_heard_to_the_end() {
    let answers = committed("relay_prover", "one-answer");
    let heard = against(&answers, |c| client::as_client(c));
    assert_eq!(heard, Ok((b"hello".to_vec(), b"server".to_vec())));
}

#[test]
fn an_honest_notary_is_heard_to_the_end() {
    let mut turns = Vec::new();
    let heard = against(&committed("notary_line", "third-second-first"), |channel| {
        let mut channel = notary::in_line(channel, |turn| turns.push(turn));
        channel.recv(volery_channel::tags::TEST, 20).map(<[u8]>::to_vec)
    });
    assert_eq!(heard, Ok(b"the session".to_vec()));
    assert_eq!(turns[..3], [Turn::Waits(3), Turn::Waits(2), Turn::Waits(1)]);
    assert!(matches!(turns[3..], [Turn::Begins(_)]));
}

#[test]
fn honest_clients_of_two_parties_are_heard_to_the_end() {
    for (name, group) in [("p256", Group::P256), ("x25519", Group::X25519)] {
        assert_eq!(against(&committed("key_prover", name), |c| joint::key_as_prover(c, group)), Ok(()));
        assert_eq!(against(&committed("key_verifier", name), |c| joint::key_as_verifier(c)), Ok(()));
    }
    assert!(against(&committed("tag_prover", "true"), |c| joint::tag_as_prover(c)).is_ok());
    let blinding = |name| committed(name, "six-powers");
    assert_eq!(against(&blinding("blinding_prover"), |c| joint::blinding_as_prover(c)), Ok(()));
    assert_eq!(against(&blinding("blinding_verifier"), |c| joint::blinding_as_verifier(c)), Ok(()));
    let powers = |name| committed(name, "three-powers");
    assert_eq!(against(&powers("powers_prover"), |c| joint::powers_as_prover(c)), Ok(()));
    assert_eq!(against(&powers("powers_verifier"), |c| joint::powers_as_verifier(c)), Ok(()));
    let record = |name| committed(name, "two-records");
    assert_eq!(against(&record("record_prover"), |c| fuzz::record_prover(c)), Ok(()));
    assert_eq!(against(&record("record_verifier"), |c| fuzz::record_verifier(c, &mut rng(8))), Ok(()));
}

#[test]
fn honest_disjunctions_are_accepted_to_the_end_and_false_ones_never() {
    let delta = dealing::delta(b"test");
    for kind in 0..disjunction::KINDS {
        let bytes = committed("disjunction_prover", &format!("kind-{kind}"));
        assert_eq!(against(&bytes[1..], |c| disjunction::as_prover(c, kind, false)), Ok(()));
        for (hashed, name) in [(false, "interactive"), (true, "fiat-shamir")] {
            let bytes = committed("disjunction_verifier", &format!("{name}-true-{kind}"));
            let run = |lie| against(&bytes[1..], |c| disjunction::as_verifier(c, kind, hashed, &delta, lie));
            assert_eq!(run(false), Ok(()), "{name} {kind}");
            assert!(run(true).is_err_and(|error| error.is_rejection()), "{name} {kind}");
        }
    }
}

#[test]
fn honest_garblings_are_accepted_to_the_end_and_other_functions_never() {
    let delta = dealing::delta(b"test");
    for (garbling, name) in [(Garbling::ThreeHalves, "three-halves"), (Garbling::OneHot, "one-hot")] {
        let bytes = committed("garbling_prover", name);
        assert_eq!(against(&bytes[1..], |c| garbling::as_prover(c, garbling)), Ok(()));
        let bytes = committed("garbling_verifier", &format!("{name}-true"));
        let run = |lie| against(&bytes[1..], |c| garbling::as_verifier(c, garbling, &delta, lie));
        assert_eq!(run(false), Ok(()), "{name}");
        assert!(run(true).is_err_and(|error| error.is_rejection()), "{name}");
    }
}

#[test]
fn honest_commitments_are_accepted_to_the_end_and_those_to_other_bits_never() {
    let prover = committed("commitment_prover", "two-values");
    assert_eq!(against(&prover, |c| commitment::as_prover(c)), Ok(()));
    let bytes = committed("commitment_verifier", "true");
    let run = |lie| against(&bytes[1..], |c| commitment::as_verifier(c, &dealing::delta(&[]), lie));
    assert_eq!(run(false), Ok(()));
    assert!(matches!(run(true), Err(volery_tls::Error::Cheat { .. })));
    assert_eq!(commitment::verified(&committed("range_proof", "10-to-20")), Some(true));
    assert_eq!(commitment::verified(&committed("range_proof", "false")), Some(false));
    let attestation = commitment::attestation();
    let file = RangeFile::from_bytes(&committed("range_file", "10-to-20")).expect("a file");
    assert!(file.verify(&attestation, attestation.claimed_signer()).is_ok());
}

#[test]
fn honest_proofs_from_vole_in_the_head_are_accepted_and_none_of_a_false_statement() {
    for (parameters, kind, mode) in seeds::VOLEITH {
        let (name, about) = (format!("{}{kind}", parameters.name()), voleith::About::of(mode));
        let proof = |claim: &str| committed("voleith_proof", &format!("{name}-{claim}"));
        assert_eq!(voleith::verified(&proof("true")[1..], about, false), Ok(()));
        let result = voleith::verified(&proof("false")[1..], about, true);
        assert!(result.is_err_and(|error| error.is_rejection()), "{name}");
    }
}

#[test]
fn honest_public_proofs_are_accepted_and_none_of_a_false_statement() {
    for protocol in [Protocol::Zkbpp, Protocol::Zkboo] {
        let proof = |name| committed("public_proof", &format!("{protocol}-{name}-true"));
        assert_eq!(public::verified::<F2>(&proof("bits")[1..], false, false), Ok(()));
        assert_eq!(public::verified::<F2>(&proof("bound")[1..], true, false), Ok(()));
        assert_eq!(public::verified::<Z32>(&proof("words")[1..], false, false), Ok(()));
        assert_eq!(public::verified::<F61>(&proof("field")[1..], false, false), Ok(()));
        let lie = committed("public_proof", &format!("{protocol}-field-false"));
        let result = public::verified::<F61>(&lie[1..], false, true);
        assert!(result.is_err_and(|error| !matches!(error, Error::Mismatch { .. })), "{protocol}");
        let bytes = committed("head_prover", protocol.name());
        assert_eq!(against(&bytes[1..], |c| public::as_prover(c, protocol)), Ok(()));
        let bytes = committed("head_verifier", &format!("{protocol}-true"));
        assert_eq!(against(&bytes[1..], |c| public::as_verifier(c, protocol, false)), Ok(()));
        let bytes = committed("head_verifier", &format!("{protocol}-false"));
        let result = against(&bytes[1..], |c| public::as_verifier(c, protocol, true));
        assert!(result.is_err_and(|error| error.is_rejection()), "{protocol}");
    }
}

#[test]
fn honest_stacked_proofs_are_accepted_to_the_end_and_false_ones_rejected() {
    let delta = dealing::delta(b"test");
    for mode in Mode::all() {
        let Mode(byte) = mode;
        let bytes = committed("macncheese_prover", &format!("true-{byte:02x}"));
        assert_eq!(against(&bytes[1..], |c| stacked::as_prover(c, mode)), Ok(()), "{byte:02x}");
        let bytes = committed("macncheese_verifier", &format!("true-{byte:02x}"));
        assert_eq!(against(&bytes[1..], |c| stacked::as_verifier(c, mode, &delta)), Ok(()), "{byte:02x}");
        let lie = against(&bytes[1..], |c| stacked::as_verifier(c, Mode(byte | 2), &delta));
        assert!(lie.is_err_and(|error| error.is_rejection()), "{byte:02x}");
    }
}

#[test]
fn honest_conversations_over_fields_are_accepted_to_the_end() {
    assert_eq!(against(&committed("subfield_prover", "three-rounds"), |c| subfield::as_prover(c)), Ok(()));
    assert_eq!(
        against(&committed("subfield_verifier", "three-rounds"), |c| subfield::as_verifier(c)),
        Ok(())
    );
    let delta = dealing::delta(b"test");
    for fields in 0..arithmetic::FIELDS {
        let prover = committed("arithmetic_prover", &format!("fields-{fields}"));
        assert_eq!(against(&prover[1..], |c| arithmetic::as_prover(c, fields, false)), Ok(()), "{fields}");
        for (hashed, name) in [(false, "interactive"), (true, "fiat-shamir")] {
            let bytes = committed("arithmetic_verifier", &format!("{name}-true-{fields}"));
            let verify =
                |lie| against(&bytes[1..], |c| arithmetic::as_verifier(c, fields, hashed, &delta, lie));
            assert_eq!(verify(false), Ok(()), "{name} {fields}");
            assert!(verify(true).is_err_and(|error| error.is_rejection()), "{name} {fields}");
        }
    }
    let prover = committed("mixed_prover", "interactive");
    assert_eq!(against(&prover, |c| arithmetic::as_mixed_prover(c, false)), Ok(()));
    for (hashed, name) in [(false, "interactive"), (true, "fiat-shamir")] {
        let bytes = committed("mixed_verifier", &format!("{name}-true"));
        let verify = |lie| against(&bytes[1..], |c| arithmetic::as_mixed_verifier(c, hashed, &delta, lie));
        assert_eq!(verify(false), Ok(()), "{name}");
        assert!(verify(true).is_err_and(|error| error.is_rejection()), "{name}");
    }
}

#[test]
fn no_target_panics_on_its_corpus_and_changes_of_it() {
    for (name, target) in TARGETS {
        let inputs = driver::inputs(&driver::corpus(name)).expect(name);
        let seeds: Vec<Vec<u8>> = inputs.into_iter().map(|(_, bytes)| bytes).collect();
        seeds.iter().for_each(|bytes| target(bytes));
        let runs = driver::mutate(*target, &seeds, Duration::from_millis(500));
        assert!(runs > 0, "{name}");
    }
}
