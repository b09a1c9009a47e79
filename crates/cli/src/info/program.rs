//! What `info` says about runs of programs.

use std::collections::BTreeMap;

use serde::Serialize;
use volery::programs::Program;
use volery::programs::proof::ProgramRun;
use volery_circuit::Counts;

use super::{Described, Description};
use crate::output::{bytes, count, counted};
use crate::ran::hex;

/// A program, and what its run shows, as `--json` prints it.
#[derive(Debug, Serialize)]
pub(crate) struct ProgramInfo {
    statement: String,
    /// The digest of the program.
    program: String,
    entry: u32,
    /// Words of text.
    text_words: usize,
    /// Bytes of all segments, the stack aside.
    memory_bytes: u64,
    /// None before a run.
    #[serde(flatten)]
    run: Option<RunInfo>,
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
}

impl ProgramInfo {
    pub(crate) fn new(statement: String, program: &Program, run: Option<&ProgramRun>) -> Self {
        let run = run.map(|run| RunInfo {
            journal_bytes: run.claim().journal.len(),
            segments: run.profile().segments(),
            rows: run.profile().rows_by_kind().filter(|(_, rows)| *rows > 0).collect(),
            touched_words: run.profile().words(),
        });
        Self {
            statement,
            program: hex(&program.digest()),
            entry: program.entry(),
            text_words: program.code().len(),
            memory_bytes: program.segments().iter().map(|segment| u64::from(segment.size)).sum(),
            run,
        }
    }

    pub(crate) fn described(self) -> Described {
        Described::new(self, Counts::default())
    }
}

impl Description for ProgramInfo {
    fn text(&self) -> String {
        let mut lines = vec![self.statement.clone(), String::new()];
        let mut line = |name: &str, value: String| lines.push(format!("{name:<24}{value}"));
        line("entry", format!("{:#010x}", self.entry));
        line("code", counted(self.text_words as u64, "word"));
        line("memory", bytes(self.memory_bytes));
        match &self.run {
            None => line("proof", "depends on the run: give --witness".to_owned()),
            Some(run) => {
                line("journal", bytes(run.journal_bytes as u64));
                line("shows: segments", count(run.segments as u64));
                line("shows: touched words", count(run.touched_words));
                for (kind, rows) in &run.rows {
                    line(&format!("shows: {kind}"), count(*rows));
                }
            }
        }
        lines.join("\n")
    }
}
