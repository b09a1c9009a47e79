//! At P: claims in the words in which the server wrote what they are about.
//!
//! [`Assertion::Equals`] and [`Assertion::Contains`] compare bytes, which takes no gates. P means a text or a
//! number, of which JSON has several spellings. It knows which of them was sent, and claims that one.

use crate::page::claim::{Assertion, Class, MAX_TEXT, same_number};
use crate::page::http::json;

/// Rewrites the text of a claim about a JSON string or number in this one's spelling: escapes may differ, and
/// digits of the same value.
pub(crate) fn spell(claim: &mut Assertion, class: Class, written: &[u8]) {
    match (class, claim) {
        (Class::JsonText, Assertion::Equals(text) | Assertion::Contains(text)) => {
            let wanted = core::str::from_utf8(text).ok();
            let spelling = wanted.and_then(|wanted| json::spelling(written, wanted));
            // If the text equals the whole string, its first position is the beginning.
            if let Some(spelling) = spelling.and_then(|place| written.get(place)) {
                *text = spelling.to_vec();
            }
        }
        (Class::Number, Assertion::Equals(text))
            if written.len() <= MAX_TEXT && same_number(text, written) =>
        {
            *text = written.to_vec();
        }
        _ => {}
    }
}
