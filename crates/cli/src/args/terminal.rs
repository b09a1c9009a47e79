//! Options for messages on the terminal; all commands have them.

use clap::{Args, ColorChoice};

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Terminal")]
pub(crate) struct TerminalArgs {
    /// Write nothing to standard error except errors and questions
    ///
    /// With port 0 you then do not learn which port was taken.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more on standard error: each connection, and how the statement is proved
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// When to use colours. `auto`: on a terminal, unless the variable NO_COLOR is set
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    pub(crate) color: ColorChoice,
}

/// The choice of colours on a command line that clap has not parsed yet: help and usage errors have colours,
/// too.
pub(crate) fn color<T: AsRef<str>>(words: impl IntoIterator<Item = T>) -> ColorChoice {
    let mut words = words.into_iter();
    let mut choice = ColorChoice::Auto;
    while let Some(word) = words.next() {
        let value = match word.as_ref().strip_prefix("--color") {
            // What follows is no option.
            None if word.as_ref() == "--" => break,
            None => continue,
            Some("") => words.next().map(|value| value.as_ref().to_owned()),
            Some(rest) => rest.strip_prefix('=').map(str::to_owned),
        };
        match value.as_deref() {
            Some("always") => choice = ColorChoice::Always,
            Some("never") => choice = ColorChoice::Never,
            // Anything else is found wrong by the parser.
            _ => choice = ColorChoice::Auto,
        }
    }
    choice
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_choice_of_colours_is_found_wherever_it_stands() {
        for (line, expected) in [
            ("volery info x", ColorChoice::Auto),
            ("volery --color always info x", ColorChoice::Always),
            ("volery info x --color=never", ColorChoice::Never),
            ("volery info --color", ColorChoice::Auto),
            ("volery info --color nonsense", ColorChoice::Auto),
            ("volery info -- --color=never", ColorChoice::Auto),
            ("volery info --colored=never", ColorChoice::Auto),
        ] {
            assert_eq!(color(line.split(' ')), expected, "{line}");
        }
    }
}
