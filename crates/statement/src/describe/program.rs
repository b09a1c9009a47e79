//! Runs of programs.

use std::collections::BTreeMap;

use serde::Serialize;
use volery::programs::Program;
use volery::programs::proof::{Bounds, ProgramRun};
use volery_channel::hex;
use volery_circuit::Counts;

use super::{Described, Description};

/// A program, and what its run shows.
#[derive(Debug, Serialize)]
pub struct ProgramInfo {
    /// Its description in results.
    pub statement: String,
    /// The program; none if it is secret and this party does not have it.
    #[serde(flatten)]
    pub program: Option<FileInfo>,
    /// Words of code that a secret program has at most, and of data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_program_words: Option<[u32; 2]>,
    /// What the run shows; none before it.
    #[serde(flatten)]
    pub run: Option<RunInfo>,
}

/// What its file says of a program.
#[derive(Debug, Serialize)]
pub struct FileInfo {
    /// The digest of the program.
    pub program: String,
    /// The address of its first instruction.
    pub entry: u32,
    /// Words of text.
    pub text_words: usize,
    /// Bytes of all segments, the stack aside.
    pub memory_bytes: u64,
}

/// What a run shows besides how it ends.
#[derive(Debug, Serialize)]
pub struct RunInfo {
    /// The length of what it writes.
    pub journal_bytes: usize,
    /// The number of its segments.
    pub segments: usize,
    /// Rows of all segments by kind, those that fill up among them.
    pub rows: BTreeMap<&'static str, u64>,
    /// Words of memory that segments touch, each counted once in every segment.
    pub touched_words: u64,
    /// Words of memory that are touched for the first time.
    pub new_words: u64,
}

impl ProgramInfo {
    /// Describes a program, or the bounds of a secret one, and its run.
    pub(crate) fn of(
        statement: String,
        program: Option<&Program>,
        bounds: Option<&Bounds>,
        run: Option<&ProgramRun>,
    ) -> Described {
        let run = run.map(|run| RunInfo {
            journal_bytes: run.claim().journal.len(),
            segments: run.profile().segments(),
            rows: run.profile().rows_by_kind().filter(|(_, rows)| *rows > 0).collect(),
            touched_words: run.profile().words(),
            new_words: run.profile().new_words(),
        });
        let program = program.map(|program| FileInfo {
            program: hex::encode(&program.digest()),
            entry: program.entry(),
            text_words: program.code().len(),
            memory_bytes: program.segments().iter().map(|segment| u64::from(segment.size)).sum(),
        });
        let secret_program_words = bounds.map(|bounds| [bounds.words, bounds.data]);
        let info = Self { statement, program, secret_program_words, run };
        Described { description: Description::Program(info), counts: Counts::default() }
    }
}
