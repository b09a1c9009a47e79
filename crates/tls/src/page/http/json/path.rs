//! Paths to a value: `a.b[3].c`.

use core::fmt;
use core::str::FromStr;

use super::MAX_DEPTH;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Into an object, by key.
    Key(String),
    /// Into an array, by index from 0.
    Index(usize),
    /// Into an array, at every index. A path with such a step is a pattern, and leads to no value by itself.
    Every,
}

/// A path from the whole text to a value: keys separated by dots, indices in brackets, and keys of any
/// characters as JSON strings in brackets: `a.b[3]["x.y"]`. The empty path leads to the whole text's value.
/// In a pattern, `[*]` stands for every index of an array: `a[*].b`.
///
/// It is also read with keys of any characters but blanks, control characters and `.[]"` without quotes, and
/// written with them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Path(Vec<Step>);

/// Text that is not a path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a path, byte {offset}: {reason}; a path looks like a.b[3].c or a[\"x.y\"]")]
pub struct PathError {
    /// The text.
    pub text: String,
    /// The place, in bytes.
    pub offset: usize,
    /// What is wrong.
    pub reason: &'static str,
}

impl Path {
    /// The path of these steps.
    #[must_use]
    pub fn new(steps: Vec<Step>) -> Self {
        Self(steps)
    }

    /// Its steps.
    #[must_use]
    pub(crate) fn steps(&self) -> &[Step] {
        &self.0
    }

    /// Whether it is a pattern of several paths.
    #[must_use]
    pub fn is_pattern(&self) -> bool {
        self.0.contains(&Step::Every)
    }

    /// Whether this path, or a path of this pattern, leads to a value at `other` or to one that contains it.
    pub(crate) fn leads_to(&self, other: &Self) -> bool {
        let is = |(own, step): (&Step, &Step)| match own {
            Step::Every => matches!(step, Step::Index(_)),
            own => own == step,
        };
        self.0.len() <= other.0.len() && self.0.iter().zip(&other.0).all(is)
    }

    /// Whether it is this path, or one of this pattern.
    pub(crate) fn is_of(&self, pattern: &Self) -> bool {
        self.0.len() == pattern.0.len() && pattern.leads_to(self)
    }
}

/// Whether a key is written without quotes. Any other key could be mistaken for the text around a path.
fn is_plain(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_' || c == b'-')
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, step) in self.0.iter().enumerate() {
            match step {
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Every => f.write_str("[*]")?,
                Step::Key(key) if is_plain(key) && i == 0 => f.write_str(key)?,
                Step::Key(key) if is_plain(key) => write!(f, ".{key}")?,
                Step::Key(key) => write!(f, "[{}]", quoted(key))?,
            }
        }
        Ok(())
    }
}

/// A key as a JSON string.
fn quoted(key: &str) -> String {
    let mut text = String::from("\"");
    for c in key.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            // All control characters are below 2^16.
            c if c.is_control() => text.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => text.push(c),
        }
    }
    text.push('"');
    text
}

impl FromStr for Path {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        let (mut steps, mut rest) = (Vec::new(), text);
        let error =
            |rest: &str, reason| PathError { text: text.into(), offset: text.len() - rest.len(), reason };
        while !rest.is_empty() {
            if steps.len() == MAX_DEPTH {
                return Err(error(rest, "more steps than a text can be deep"));
            }
            let (step, after) = if let Some(inner) = rest.strip_prefix('[') {
                bracket(inner).ok_or_else(|| error(rest, "no number and no string in brackets"))?
            } else {
                let key = match (rest.strip_prefix('.'), steps.is_empty()) {
                    (Some(key), false) => key,
                    (None, true) => rest,
                    _ => return Err(error(rest, "a dot must come before each key but the first")),
                };
                let (key, after) = key.split_at(key.find(['.', '[']).unwrap_or(key.len()));
                let odd = |c: char| c.is_control() || c.is_whitespace() || matches!(c, ']' | '"');
                if key.is_empty() || key.contains(odd) {
                    return Err(error(
                        rest,
                        "a key that is empty, or that must be written as a string in brackets",
                    ));
                }
                (Step::Key(key.into()), after)
            };
            steps.push(step);
            rest = after;
        }
        Ok(Self(steps))
    }
}

/// The step in brackets, and the text after them.
fn bracket(inner: &str) -> Option<(Step, &str)> {
    if let Some(key) = super::reader::leading_string(inner) {
        let (key, after) = key;
        return Some((Step::Key(key), after.strip_prefix(']')?));
    }
    let (digits, after) = inner.split_once(']')?;
    if digits == "*" {
        return Some((Step::Every, after));
    }
    let canonical = digits == "0" || !digits.starts_with('0');
    let number = digits.bytes().all(|byte| byte.is_ascii_digit()) && canonical;
    Some((Step::Index(digits.parse().ok().filter(|_| number)?), after))
}
