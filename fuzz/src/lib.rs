//! Fuzz targets: whatever reads bytes that somebody else wrote, as plain functions.
//!
//! Each must return, whatever the bytes: no panic, no hang, no memory that the input does not pay for. Some
//! claim more: what is accepted encodes back to the same bytes; a false statement is never accepted. A claim
//! that fails is a panic.
//!
//! | module | whose bytes |
//! |---|---|
//! | [`texts`] | circuit files, witnesses, claims, command lines |
//! | [`saved`] | what a browser saved of a request: cURL commands, HAR files |
//! | [`files`] | circom's files: constraint systems, witnesses, public values |
//! | [`machine`] | programs for RISC-V |
//! | [`wire`] | frames and the handshake, at either party; WebSockets |
//! | [`correlations`] | base OT, SoftSpokenOT, Ferret, at either party |
//! | [`subfield`] | base VOLE and rounds over a field, at either party |
//! | [`proofs`] | QuickSilver over bits, at either party, with correlations from nowhere |
//! | [`arithmetic`] | QuickSilver over fields, and over bits and a field; elements in messages |
//! | [`disjunction`] | one of many: single disjunctions over bits and a field, batches |
//! | [`garbling`] | two parties on garbled circuits, at either party |
//! | [`stacked`] | Mac'n'Cheese's disjunctions over bits, at either party |
//! | [`sessions`] | whole sessions, at either party |
//! | [`stored`] | correlation files and proof files |
//! | [`web`] | recorded TLS connections, HTTP, JSON, claims, attestations |
//! | [`client`] | what the parties of a connection to a website tell each other, and a notary |
//! | [`joint`] | the key exchange, tags and records of two parties as the TLS client, at either party |
//! | [`commitment`] | commitments to bits, at either party; openings, range proofs |
//! | [`public`] | public proofs: files, and the interactive form at either party |
//! | [`dealing`] | those correlations |
//! | [`replay`] | a party that reads given bytes as its peer's, and a channel that records |
//! | [`seeds`] | what honest runs send: the corpora that fuzzing starts from |
//! | [`driver`] | runs a target without a fuzzer |

#![forbid(unsafe_code)]

pub mod arithmetic;
pub mod client;
pub mod commitment;
pub mod correlations;
pub mod dealing;
pub mod disjunction;
pub mod driver;
pub mod files;
pub mod garbling;
pub mod joint;
pub mod machine;
pub mod proofs;
pub mod public;
pub mod replay;
pub mod saved;
pub mod seeds;
pub mod sessions;
pub mod stacked;
pub mod stored;
pub mod subfield;
pub mod texts;
pub mod voleith;
pub mod web;
pub mod wire;

/// A target: takes any bytes and returns, or panics if a claim does not hold.
pub type Target = fn(&[u8]);

/// All targets by name, which is also the name of their program and of the folder of their corpus.
pub const TARGETS: &[(&str, Target)] = &[
    ("bristol", texts::bristol),
    ("ring_circuit", texts::ring_circuit),
    ("values", texts::values),
    ("r1cs", files::r1cs),
    ("wtns", files::wtns),
    ("public_json", files::public_json),
    ("elf", machine::elf),
    ("run", machine::run),
    ("profile_class", machine::profile_class),
    ("arguments", texts::arguments),
    ("curl_command", saved::curl_command),
    ("har", saved::har),
    ("frame", wire::frame),
    ("hello", wire::hello),
    ("begin", wire::begin),
    ("stream", wire::stream),
    ("websocket", wire::websocket),
    ("base_ot_sender", correlations::base_ot_sender),
    ("base_ot_receiver", correlations::base_ot_receiver),
    ("softspoken_trees", correlations::softspoken_trees),
    ("softspoken_chunk", correlations::softspoken_chunk),
    ("cot_prover", correlations::cot_prover),
    ("cot_verifier", correlations::cot_verifier),
    ("quicksilver_prover", proofs::quicksilver_prover),
    ("quicksilver_verifier", proofs::quicksilver_verifier),
    ("elements", arithmetic::elements),
    ("subfield_prover", subfield::subfield_prover),
    ("subfield_verifier", subfield::subfield_verifier),
    ("arithmetic_prover", arithmetic::arithmetic_prover),
    ("arithmetic_verifier", arithmetic::arithmetic_verifier),
    ("mixed_prover", arithmetic::mixed_prover),
    ("mixed_verifier", arithmetic::mixed_verifier),
    ("disjunction_prover", disjunction::disjunction_prover),
    ("disjunction_verifier", disjunction::disjunction_verifier),
    ("garbling_prover", garbling::garbling_prover),
    ("garbling_verifier", garbling::garbling_verifier),
    ("macncheese_prover", stacked::macncheese_prover),
    ("macncheese_verifier", stacked::macncheese_verifier),
    ("session_prover", sessions::session_prover),
    ("session_verifier", sessions::session_verifier),
    ("stored", stored::stored),
    ("transcript", web::transcript),
    ("transcript_tls13", web::transcript_tls13),
    ("http", web::http),
    ("json", web::json),
    ("claim", web::claim),
    ("attestation", web::attestation),
    ("policy", web::policy),
    ("leaves", web::leaves),
    ("presentation", web::presentation),
    ("client_step", client::client_step),
    ("client_transcript", client::client_transcript),
    ("relay_request", client::relay_request),
    ("relay_prover", client::relay_prover),
    ("web_claims", client::web_claims),
    ("notary_greeting", client::notary_greeting),
    ("notary_line", client::notary_line),
    ("key_prover", joint::key_prover),
    ("key_verifier", joint::key_verifier),
    ("tag_prover", joint::tag_prover),
    ("blinding_prover", joint::blinding_prover),
    ("blinding_verifier", joint::blinding_verifier),
    ("powers_prover", joint::powers_prover),
    ("powers_verifier", joint::powers_verifier),
    ("record_prover", joint::record_prover),
    ("record_verifier", joint::record_verifier),
    ("commitment_prover", commitment::commitment_prover),
    ("commitment_verifier", commitment::commitment_verifier),
    ("openings", commitment::openings),
    ("range_proof", commitment::range_proof),
    ("range_file", commitment::range_file),
    ("public_proof", public::public_proof),
    ("voleith_proof", voleith::voleith_proof),
    ("head_prover", public::head_prover),
    ("head_verifier", public::head_verifier),
];

/// The target of this name.
///
/// # Panics
/// If there is none.
#[must_use]
pub fn target(name: &str) -> Target {
    let found = TARGETS.iter().find(|(other, _)| *other == name);
    found.unwrap_or_else(|| panic!("there is no fuzz target `{name}`")).1
}

/// The program of a target: libFuzzer's under `--cfg fuzzing`, otherwise one that replays the files it is
/// given.
#[macro_export]
macro_rules! fuzz_main {
    ($name:literal) => {
        #[cfg(fuzzing)]
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| $crate::target($name)(bytes));

        #[cfg(not(fuzzing))]
        fn main() -> std::process::ExitCode {
            $crate::driver::main($name)
        }
    };
}
