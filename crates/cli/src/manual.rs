//! `volery completions` and `volery man`: scripts for shells and manual pages, made from the description of
//! the command line.

use clap::{Command, CommandFactory as _};

use super::args::{Cli, CompletionsArgs, ManArgs};
use super::failure::Failure;
use super::output;

/// Runs `volery completions`.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<(), Failure> {
    let all = Cli::command();
    // Completions would offer hidden commands, too.
    let visible = all.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    let mut command = Command::new("volery").args(all.get_arguments().cloned()).subcommands(visible);
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "volery", &mut script);
    print(&script)
}

/// Runs `volery man`.
pub(crate) fn page(args: &ManArgs) -> Result<(), Failure> {
    let mut command = Cli::command();
    command.build();
    for name in &args.command {
        let found = command.find_subcommand(name).filter(|command| !command.is_hide_set()).cloned();
        command = found.ok_or_else(|| {
            Failure::input(format!("there is no command `volery {}`", args.command.join(" ")))
        })?;
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page).map_err(Failure::session)?;
    print(&page)
}

/// Prints generated text.
fn print(text: &[u8]) -> Result<(), Failure> {
    output::page(String::from_utf8_lossy(text).trim_end())
}
