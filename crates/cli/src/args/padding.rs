//! Options about what the run of a program shows besides its end.

use std::path::{Path, PathBuf};

use clap::Args;

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct PaddingArgs {
    /// Fill up every segment of the run, so that all show the same counts: of each the largest (RISC-V
    /// programs)
    #[arg(long, help_heading = "Statement")]
    uniform: bool,
    /// The same, and add segments until the run is as long as one of this many steps (RISC-V programs)
    #[arg(long, value_name = "STEPS", help_heading = "Statement")]
    pad_to: Option<u64>,
    /// Fill up the run, so that it shows what this file says, as every run of this class does; `volery info
    /// --write-profile-class` makes one (RISC-V programs)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["uniform", "pad_to"], help_heading = "Statement")]
    profile_class: Option<PathBuf>,
}

/// What the run of a program shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Padding<'a> {
    /// Its own counts.
    None,
    /// For all segments the same counts.
    Uniform,
    /// The same, of a run of so many steps.
    To(u64),
    /// What this file says.
    Class(&'a Path),
    /// What this file says, once it holds the run, padded to so many steps.
    Write(&'a Path, Option<u64>),
}

impl PaddingArgs {
    /// What they say. `write` is the file of a class that is to hold the run.
    pub(crate) fn padding<'a>(&'a self, write: Option<&'a Path>) -> Padding<'a> {
        match (write, &self.profile_class, self.pad_to) {
            (Some(path), ..) => Padding::Write(path, self.pad_to),
            (None, Some(path), _) => Padding::Class(path),
            (None, None, Some(steps)) => Padding::To(steps),
            (None, None, None) if self.uniform => Padding::Uniform,
            (None, None, None) => Padding::None,
        }
    }
}
