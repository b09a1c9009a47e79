//! The parameters of a request's query, and what servers may take their names for.
//!
//! A query has no standard form. All servers split it at `&` and a parameter at its first `=`, and decode
//! `%XX` and `+`; after that they differ, and some find a parameter where others find none:
//!
//! | in a query | some servers |
//! |---|---|
//! | `a=1;id=2` | split at `;`, too |
//! | `ID=2`, `id[]=2`, `[id]=2`, `+id=2`, `i.d=2` beside `id=1` | have 2, or both, for `id` (or for `i_d`) |
//! | `a[id][]=2` or `a.id.x=2` beside `a[id]=1` | have a list or an object for `a[id]` |
//! | `id%00x=2`, `%2569d=2`, `%u0069d=2`, `%c1%a9d=2` | cut, decode twice, or decode other escapes and other UTF-8 |
//! | `id=1]=2` (also with `%5D`) | take `id=1]` for the name |
//! | the 1,001st parameter | do not look at it |
//!
//! So queries with unclear names have no parameters here, and a claim about a parameter needs a name that no
//! server takes for another's ([`may_be_same`]).

use core::ops::Range;

use super::rules::{bare, decoded};
use super::{Request, slice};

/// The most parameters of a query of which one is named; servers ignore those after the first thousand.
pub(crate) const MAX_PARAMETERS: usize = 256;

/// A parameter of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// Its name, decoded.
    pub(crate) name: String,
    /// The place of its value as it was sent, if it has an equals sign.
    pub(crate) value: Option<Range<usize>>,
}

impl Request {
    /// The parameters of the query. There are none without a query.
    ///
    /// # Errors
    /// Why servers do not agree on what they are.
    pub(crate) fn parameters(&self, plaintext: &[u8]) -> Result<Vec<Parameter>, &'static str> {
        let Some(query) = self.query(plaintext) else { return Ok(Vec::new()) };
        let text = slice(plaintext, &query);
        if text.contains(&b';') {
            return Err("the query has a semicolon, at which some servers split it");
        }
        let (mut start, mut all) = (query.start, Vec::new());
        for parameter in text.split(|byte| *byte == b'&') {
            if all.len() == MAX_PARAMETERS {
                return Err(
                    "the query has more than 256 parameters, and some servers do not read all of so many",
                );
            }
            let end = start.saturating_add(parameter.len());
            let equals = parameter.iter().position(|byte| *byte == b'=').unwrap_or(parameter.len());
            let name = clear(parameter.get(..equals).unwrap_or_default())
                .ok_or("the query has a parameter's name with characters that servers do not decode alike")?;
            if closes(parameter.get(equals.saturating_add(1)..).unwrap_or_default()) {
                return Err("the query has a value with ]= in it, up to which some servers read the name");
            }
            let value = start.saturating_add(equals).saturating_add(1);
            all.push(Parameter { name, value: (value <= end).then_some(value..end) });
            start = end.saturating_add(1);
        }
        Ok(all)
    }
}

/// A name, decoded, if all servers decode it alike: letters and digits of ASCII, blanks and signs, but none
/// of those with a meaning in a target.
fn clear(name: &[u8]) -> Option<String> {
    let decoded = decoded(name);
    let plain = |byte: &u8| (b' '..=b'~').contains(byte) && !b"%&=;#?\\".contains(byte);
    if decoded.iter().all(plain) { String::from_utf8(decoded).ok() } else { None }
}

/// Whether a value has `]=` in it, also with `%5D`.
fn closes(value: &[u8]) -> bool {
    value.windows(2).any(|part| part == b"]=")
        || value.windows(4).any(|part| part.eq_ignore_ascii_case(b"%5d="))
}

/// Whether some server may take two names for the same, or one for a list or an object that the other is a
/// part of: their letters and digits are the same, in any case, or those of one are the other's before one of
/// its brackets or points.
pub(crate) fn may_be_same(a: &str, b: &str) -> bool {
    let (a, b) = (containers(a), containers(b));
    let is_in = |own: Option<&Vec<u8>>, other: &[Vec<u8>]| own.is_some_and(|own| other.contains(own));
    a.last() == b.last() || is_in(a.last(), &b) || is_in(b.last(), &a)
}

/// The letters and digits of the lists and objects that a name is a part of, the outermost first, and of the
/// whole name.
fn containers(name: &str) -> Vec<Vec<u8>> {
    let steps = name.split(['[', ']', '.']).map(|step| bare(step.as_bytes()));
    let mut all: Vec<Vec<u8>> = Vec::new();
    for step in steps.filter(|step| !step.is_empty()) {
        let outer = all.last().map(Vec::as_slice).unwrap_or_default();
        all.push([outer, &step].concat());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(query: &str) -> Result<Vec<(String, Option<String>)>, &'static str> {
        let text = format!("GET /a{query} HTTP/1.1\r\nHost: a\r\n\r\n");
        let request = Request::parse(text.as_bytes(), 0).unwrap();
        let all = request.parameters(text.as_bytes())?;
        Ok(all.into_iter().map(|Parameter { name, value }| (name, value.map(|at| text[at].into()))).collect())
    }

    #[test]
    fn a_query_is_split_at_ampersands_and_first_equals_signs() {
        let own = |name: &str, value: Option<&str>| (name.to_owned(), value.map(str::to_owned));
        assert_eq!(parameters(""), Ok(vec![]));
        assert_eq!(parameters("?"), Ok(vec![own("", None)]));
        let all = [
            own("a", Some("1")),
            own("b c", None),
            own("", Some("")),
            own("d[]", Some("=%26?")),
            own("", None),
        ];
        assert_eq!(parameters("?a=1&%62+c&=&d%5B]==%26?&"), Ok(all.to_vec()));
        assert!(parameters(&format!("?{}", "a&".repeat(255))).is_ok());
        assert!(parameters(&format!("?{}", "a&".repeat(256))).is_err());
    }

    #[test]
    fn names_that_servers_decode_in_several_ways_are_refused() {
        for name in ["%00", "id%00x", "%2569d", "%u0069d", "%zz", "%", "%c3%a9", "%ff", "%0a", "a%26b", "a?b"]
        {
            assert!(parameters(&format!("?{name}=1")).is_err(), "{name}");
            assert!(parameters(&format!("?x=1&{name}")).is_err(), "{name}");
            if !name.contains('?') {
                assert!(parameters(&format!("?x={name}")).is_ok(), "{name} is a value");
            }
        }
        assert!(parameters("?a=1;b=2").is_err());
        for query in ["?id=1]=2", "?x=1&id=]=", "?id=1%5D=2", "?id=1%5d=2"] {
            assert!(parameters(query).is_err(), "{query}");
        }
        for query in ["?a[b]=1", "?a%5Bb%5D=1", "?a=1]", "?a=]&b=2", "?a=[1]&b[]==1"] {
            assert!(parameters(query).is_ok(), "{query}");
        }
    }

    #[test]
    fn names_that_some_server_takes_for_the_same_are_found() {
        for other in [
            "id", "ID", "Id", " id", "id ", "id[]", "[id]", "id[x]", "i.d", "i_d", "i[d]", "i[d", "$id",
            " [id]",
        ] {
            assert!(may_be_same("id", other) && may_be_same(other, "id"), "{other}");
        }
        for other in ["", "ids", "x", "x[id]", "x.id", "_", "id2"] {
            assert!(!may_be_same("id", other) && !may_be_same(other, "id"), "{other}");
        }
        assert!(!may_be_same("user[name]", "user[mail]") && may_be_same("user[name]", "user"));
        for other in ["user[name][]", "user[name][0]", "User.Name.x", "user[name", "user[name].first", "user"]
        {
            assert!(may_be_same("user[name]", other) && may_be_same(other, "user[name]"), "{other}");
        }
        for other in ["user[names]", "user[nam][e2]", "name", "other[name]", "user[first][name]"] {
            assert!(!may_be_same("user[name]", other) && !may_be_same(other, "user[name]"), "{other}");
        }
    }
}
