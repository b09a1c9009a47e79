//! Options in messages.
//!
//! A message may have to name an option: the public file, the bits of soundness. A program's command line
//! writes `--at-least`, a Python function `at_least`. So a message holds its options between two marks
//! ([`Opt`]), and the front end that shows the message says how they are written ([`spelled`]).

use std::fmt;

/// Characters that Unicode leaves to programs, so that they are in no file's name.
const MARKS: [char; 2] = ['\u{fdd0}', '\u{fdd1}'];

/// An option in a message: its name, with dashes, and perhaps a word that stands for a value that somebody
/// has to give.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opt<'a>(pub(crate) &'a str, pub(crate) &'a str);

/// The public file or public values.
pub(crate) const PUBLIC: Opt<'_> = Opt("public", "FILE");
/// The public file of one branch.
pub(crate) const OWN_PUBLIC: Opt<'_> = Opt("own-public", "CIRCUIT=FILE");
/// The branches.
pub(crate) const ANY_OF: Opt<'_> = option("any-of");
/// The number of repetitions.
pub(crate) const REPEAT: Opt<'_> = option("repeat");

/// An option without a value in the message.
pub(crate) const fn option(name: &str) -> Opt<'_> {
    Opt(name, "")
}

impl fmt::Display for Opt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([start, end], Self(name, value)) = (MARKS, self);
        let space = if value.is_empty() { "" } else { " " };
        write!(f, "{start}{name}{space}{value}{end}")
    }
}

/// `message` with its options as `spell` writes them, from a name and the word for a value, which may be
/// empty.
pub(crate) fn spelled(message: &str, spell: &dyn Fn(&str, &str) -> String) -> String {
    let mut pieces = message.split(MARKS[0]);
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (option, rest) = piece.split_once(MARKS[1]).unwrap_or((piece, ""));
        let (name, value) = option.split_once(' ').unwrap_or((option, ""));
        text.push_str(&spell(name, value));
        text.push_str(rest);
    }
    text
}

/// An option as Rust and Python write it, between backquotes.
pub(crate) fn plain(name: &str, _value: &str) -> String {
    match name {
        "own-public" => "a public file of its own".to_owned(),
        name => format!("`{}`", name.replace('-', "_")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_written_as_the_front_end_says() {
        let message = format!("a circuit needs {PUBLIC} for all, or {}", option("at-least"));
        assert_eq!(spelled(&message, &plain), "a circuit needs `public` for all, or `at_least`");
        let dashes = |name: &str, value: &str| format!("--{name} {value}").trim_end().to_owned();
        assert_eq!(spelled(&message, &dashes), "a circuit needs --public FILE for all, or --at-least");
        assert_eq!(spelled("none", &plain), "none");
    }
}
