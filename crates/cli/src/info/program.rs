//! What `info` says about runs of programs.

use std::collections::BTreeMap;

use serde::Serialize;
use volery::programs::Program;
use volery::programs::proof::{Bounds, ProgramRun};
use volery_circuit::Counts;

use super::{Described, Description};
use crate::output::{bytes, count, counted};
use crate::ran::hex;

/// A program, and what its run shows, as `--json` prints it.
#[derive(Debug, Serialize)]
pub(crate) struct ProgramInfo {
    statement: String,
    /// None of a secret program that this party does not have.
    #[serde(flatten)]
    program: Option<FileInfo>,
    /// Words of code that a secret program has at most, and of data.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret_program_words: Option<[u32; 2]>,
    /// None before a run.
    #[serde(flatten)]
    run: Option<RunInfo>,
}

/// What its file says of a program.
#[derive(Debug, Serialize)]
struct FileInfo {
    /// The digest of the program.
    program: String,
    entry: u32,
    /// Words of text.
    text_words: usize,
    /// Bytes of all segments, the stack aside.
    memory_bytes: u64,
}

/// What a run shows besides how it ends.
#[derive(Debug, Serialize)]
struct RunInfo {
    journal_bytes: usize,
    segments: usize,
    /// Rows of all segments by kind, those that fill up among them.
    rows: BTreeMap<&'static str, u64>,
    /// Words of memory that segments touch, each counted once in every segment.
    touched_words: u64,
    /// Words of memory that are touched for the first time.
    new_words: u64,
}

impl ProgramInfo {
    pub(crate) fn new(
        statement: String,
        program: Option<&Program>,
        bounds: Option<&Bounds>,
        run: Option<&ProgramRun>,
    ) -> Self {
        let run = run.map(|run| RunInfo {
            journal_bytes: run.claim().journal.len(),
            segments: run.profile().segments(),
            rows: run.profile().rows_by_kind().filter(|(_, rows)| *rows > 0).collect(),
            touched_words: run.profile().words(),
            new_words: run.profile().new_words(),
        });
        let program = program.map(|program| FileInfo {
            program: hex(&program.digest()),
            entry: program.entry(),
            text_words: program.code().len(),
            memory_bytes: program.segments().iter().map(|segment| u64::from(segment.size)).sum(),
        });
        let secret_program_words = bounds.map(|bounds| [bounds.words, bounds.data]);
        Self { statement, program, secret_program_words, run }
    }

    pub(crate) fn described(self) -> Described {
        Described::new(self, Counts::default())
    }
}

impl Description for ProgramInfo {
    fn text(&self) -> String {
        let mut lines = vec![self.statement.clone(), String::new()];
        // The longest name is that of a kind of rows.
        let mut line = |name: &str, value: String| lines.push(format!("{name:<25}{value}"));
        if let Some(program) = &self.program {
            line("entry", format!("{:#010x}", program.entry));
            line("code", counted(program.text_words as u64, "word"));
            line("memory", bytes(program.memory_bytes));
        }
        if let Some([code, data]) = self.secret_program_words {
            line("shows: most code", counted(code.into(), "word"));
            line("shows: most data", counted(data.into(), "word"));
        }
        match &self.run {
            None => line("proof", "depends on the run: give --witness".to_owned()),
            Some(run) => {
                line("journal", bytes(run.journal_bytes as u64));
                line("shows: segments", count(run.segments as u64));
                line("shows: touched words", count(run.touched_words));
                line("shows: new words", count(run.new_words));
                for (kind, rows) in &run.rows {
                    line(&format!("shows: {kind}"), count(*rows));
                }
            }
        }
        lines.join("\n")
    }
}
