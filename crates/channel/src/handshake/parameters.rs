//! Named values that both parties must agree on.

use std::collections::BTreeMap;

use super::Mismatch;
use crate::cursor::Cursor;
use crate::error::Error;
use crate::tag::Tag;

const MAX_COUNT: usize = 64;
const MAX_NAME: usize = 64;
const MAX_VALUE: usize = 255;

/// The parameters that say most about why two parties differ, most telling first. The others often follow
/// from these.
const TELLING: [&str; 6] = ["tls", "profile", "challenges", "protocol", "field", "mac-field"];

/// Parameters that depend on the statement, like its size, or the interval of a proof for many branches.
/// Between different statements they are not the reason.
const OF_THE_STATEMENT: [&str; 4] = ["bits-interval", "commitments", "interval", "multiplier"];

/// Names and values that both parties must agree on, like a security level or a set of LPN parameters.
///
/// At most 64 pairs. Names have 1 to 64 of the characters `a-z 0-9 . - _`, values 0 to 255 printable ASCII
/// characters. The encoding is canonical: names are in ascending order, none twice.
///
/// ```text
/// count: u8 | count x ( name length: u8 | name | value length: u8 | value )
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parameters(BTreeMap<String, String>);

impl Parameters {
    /// Most bytes of an encoding.
    pub(super) const MAX_LEN: usize = 1 + MAX_COUNT * (2 + MAX_NAME + MAX_VALUE);

    /// No parameters.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a parameter.
    ///
    /// # Errors
    /// [`Error::Misuse`] if the name is taken, or if the name, the value or the number of parameters exceeds
    /// what the format allows.
    pub fn with(mut self, name: &str, value: impl ToString) -> Result<Self, Error> {
        let value = value.to_string();
        if !valid_name(name.as_bytes()) {
            return Err(Error::misuse(format!("`{}` cannot name a parameter", name.escape_debug())));
        }
        if !valid_value(value.as_bytes()) {
            let value = value.escape_debug();
            return Err(Error::misuse(format!("parameter `{name}` cannot have the value `{value}`")));
        }
        if self.0.insert(name.to_owned(), value).is_some() {
            return Err(Error::misuse(format!("parameter `{name}` is given twice")));
        }
        if self.0.len() > MAX_COUNT {
            return Err(Error::misuse(format!("more than {MAX_COUNT} parameters")));
        }
        Ok(self)
    }

    /// The value of a parameter.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// All pairs, names ascending.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Compares with the peer's. If several differ, it names the one that says most about the reason.
    pub(super) fn agree(&self, theirs: &Self) -> Result<(), Mismatch> {
        match self.difference(theirs) {
            None => Ok(()),
            Some(name) => Err(Mismatch::Parameter {
                name: name.to_owned(),
                ours: self.0.get(name).cloned(),
                theirs: theirs.0.get(name).cloned(),
            }),
        }
    }

    /// As [`Parameters::agree`], between parties whose statements differ: parameters that follow from the
    /// statement may differ, too.
    pub(super) fn agree_otherwise(&self, theirs: &Self) -> Result<(), Mismatch> {
        match self.difference(theirs) {
            Some(name) if OF_THE_STATEMENT.contains(&name) => Ok(()),
            _ => self.agree(theirs),
        }
    }

    /// The name of the most telling parameter that differs from the peer's.
    fn difference<'a>(&'a self, theirs: &'a Self) -> Option<&'a str> {
        let names = self.0.keys().chain(theirs.0.keys()).map(String::as_str);
        names.filter(|name| self.0.get(*name) != theirs.0.get(*name)).min_by_key(|name| (rank(name), *name))
    }

    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        // `with` and `decode` bound every length, so each fits in a byte.
        out.push(self.0.len() as u8);
        for text in self.0.iter().flat_map(|(name, value)| [name, value]) {
            out.push(text.len() as u8);
            out.extend_from_slice(text.as_bytes());
        }
    }

    pub(super) fn decode(step: Tag, cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        let count = usize::from(cursor.u8("the number of parameters").map_err(|flaw| flaw.at(step))?);
        if count > MAX_COUNT {
            return Err(Error::malformed(
                step,
                format!("{count} parameters, at most {MAX_COUNT} are allowed"),
            ));
        }
        let mut pairs = BTreeMap::new();
        for _ in 0..count {
            let name = text(step, cursor, "a parameter's name", valid_name)?;
            let value = text(step, cursor, "a parameter's value", valid_value)?;
            if pairs.last_key_value().is_some_and(|(last, _)| *last >= name) {
                return Err(Error::malformed(step, format!("the parameter `{name}` is out of order")));
            }
            pairs.insert(name, value);
        }
        Ok(Self(pairs))
    }
}

/// The place of a parameter among those that differ: the smallest is named.
fn rank(name: &str) -> usize {
    let telling = TELLING.iter().position(|telling| *telling == name);
    telling.unwrap_or(TELLING.len() + usize::from(OF_THE_STATEMENT.contains(&name)))
}

fn text(
    step: Tag,
    cursor: &mut Cursor<'_>,
    what: &'static str,
    valid: fn(&[u8]) -> bool,
) -> Result<String, Error> {
    let bytes = cursor.vector8(what).map_err(|flaw| flaw.at(step))?;
    if !valid(bytes) {
        return Err(Error::malformed(step, format!("\"{}\" is not allowed as {what}", bytes.escape_ascii())));
    }
    Ok(bytes.iter().copied().map(char::from).collect())
}

fn valid_name(name: &[u8]) -> bool {
    (1..=MAX_NAME).contains(&name.len())
        && name.iter().all(|c| matches!(c, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-' | b'_'))
}

fn valid_value(value: &[u8]) -> bool {
    value.len() <= MAX_VALUE && value.iter().all(|c| matches!(c, b' '..=b'~'))
}
