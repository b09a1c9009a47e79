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

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs `check` on each command, with its name.
    fn each(command: &Command, path: &str, check: &mut dyn FnMut(&Command, &str)) {
        let path = format!("{path} {}", command.get_name());
        check(command, &path);
        command.get_subcommands().for_each(|below| each(below, &path, check));
    }

    /// The texts after the options are laid out by hand, and a terminal of 100 columns breaks longer lines.
    #[test]
    fn no_line_of_a_help_text_is_broken_where_it_was_not_meant_to_be() {
        let mut command = Cli::command();
        command.build();
        let mut texts = 0;
        each(&command, "", &mut |command, path| {
            for text in [command.get_after_help(), command.get_after_long_help()].into_iter().flatten() {
                texts += 1;
                for line in text.to_string().lines() {
                    assert!(line.chars().count() <= 100, "help of{path}: {line}");
                }
            }
        });
        assert!(texts > 5);
    }

    /// A default in words is that of an option, which the command has, or of commands that it names.
    #[test]
    fn defaults_in_words_name_options_that_the_command_has() {
        let mut command = Cli::command();
        command.build();
        let mut named = 0;
        each(&command, "", &mut |command, path| {
            for argument in command.get_arguments() {
                let text = argument.get_help().map(ToString::to_string).unwrap_or_default();
                let Some((_, default)) = text.split_once("[default: ") else { continue };
                let words = default.split(|c: char| !c.is_alphanumeric() && c != '-');
                for name in words.filter_map(|word| word.strip_prefix("--")) {
                    named += 1;
                    let has = command.get_arguments().any(|other| other.get_long() == Some(name));
                    assert!(has || default.contains('`'), "help of{path}: {text}");
                }
            }
        });
        assert!(named > 0);
    }
}
