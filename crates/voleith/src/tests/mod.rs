//! Proofs of small statements: honest ones, and those of provers and verifiers that change something.

mod cheats;
mod disjunctions;
mod faest;
mod foreseen;
mod forgeries;
mod honest;
mod reference;
mod statements;
mod thresholds;

use std::io::Cursor;

use volery_channel::Tag;
use volery_circuit::Statement;
use volery_testing::rng;
use volery_zk::quicksilver::bits;

use crate::{Demands, Error, Message, Parameters, Proved, Settings, prove, verify};

/// What a P that cheats makes of a message before it goes into file and transcript.
pub(crate) type Edit = fn(Tag, Vec<u8>) -> Vec<u8>;

/// Nothing.
pub(crate) fn honest(_tag: Tag, payload: Vec<u8>) -> Vec<u8> {
    payload
}

/// Counts that a P that cheats writes into the header, and bytes of masks that the file has more.
#[derive(Clone, Copy)]
pub(crate) struct Counts {
    pub(crate) degree: u32,
    pub(crate) commitments: u64,
    pub(crate) masks: usize,
}

/// What a P does that cheats.
pub(crate) struct Cheat {
    pub(crate) first_pass: Edit,
    pub(crate) second_pass: Edit,
    /// The challenge of columns and relations, if it does not come from a hash.
    pub(crate) challenge: Option<[u8; 32]>,
    /// The zeros of the challenge of the columns, if they are others than the parameters demand.
    pub(crate) work_for_the_columns: Option<u32>,
    pub(crate) no_work_for_the_key: bool,
    pub(crate) claims_nothing: bool,
    pub(crate) counts: Option<Counts>,
}

impl Default for Cheat {
    fn default() -> Self {
        Self {
            first_pass: honest,
            second_pass: honest,
            challenge: None,
            work_for_the_columns: None,
            no_work_for_the_key: false,
            claims_nothing: false,
            counts: None,
        }
    }
}

pub(crate) fn settings(parameters: Parameters) -> Settings {
    Settings { parameters, ..Settings::default() }
}

fn message(text: &str) -> Message {
    Message::new(text.as_bytes())
}

/// A verifier that takes any parameters.
fn few() -> Demands {
    Demands { sigma: 80, ..Demands::default() }
}

/// A proof with the randomness of `seed`.
pub(crate) fn proof_of<S>(statement: &S, settings: &Settings, seed: u64) -> (Proved, Vec<u8>)
where
    S: for<'a> Statement<bits::Prover<'a>>,
{
    let mut out = Cursor::new(Vec::new());
    let proved = prove(statement, settings, &mut rng(seed), &mut out).expect("proves");
    (proved, out.into_inner())
}

fn check<S>(statement: &S, proof: &[u8]) -> Result<Proved, Error>
where
    S: for<'a> Statement<bits::Verifier<'a>>,
{
    verify(statement, &few(), &mut &proof[..])
}
