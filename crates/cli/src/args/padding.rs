//! Options about what the run of a program shows besides its end.

use std::path::PathBuf;

use clap::Args;
use volery_statement::{Padding, Source};

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

impl PaddingArgs {
    /// The padding that these options ask for.
    pub(crate) fn padding(&self) -> Padding {
        match (&self.profile_class, self.pad_to) {
            (Some(path), _) => Padding::Class(Source::File(path.clone())),
            (None, Some(steps)) => Padding::To(steps),
            (None, None) if self.uniform => Padding::Uniform,
            (None, None) => Padding::None,
        }
    }

    /// The number of steps that a run is padded to, if one is given.
    pub(crate) fn steps(&self) -> Option<u64> {
        self.pad_to
    }
}
