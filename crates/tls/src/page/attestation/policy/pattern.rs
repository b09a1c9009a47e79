//! Patterns of paths and queries: `*` is any text without a delimiter, `**` any text.
//!
//! A server may take what stands for a star in a path for a way out of the rest of the pattern:
//! `/accounts/..` and `/accounts/%2e%2e%2fpublic` have the form of `/accounts/*`, and are other documents. So
//! no star stands for such text ([`is_plain`]); the pattern itself may have it.

use crate::page::http::decoded;

/// What may stand for a byte of a text in a pattern, besides the byte itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Byte {
    /// `*` and `**`.
    Inside,
    /// `**`.
    Delimiter,
    /// Nothing.
    Barred,
}

/// Whether a path has a pattern's form; `/` is the delimiter.
pub(super) fn matches_path(pattern: &str, path: &str) -> bool {
    let mut bytes = Vec::with_capacity(path.len());
    for (number, segment) in path.as_bytes().split(|byte| *byte == b'/').enumerate() {
        bytes.extend((number > 0).then_some(Byte::Delimiter));
        let byte = if is_plain(segment) { Byte::Inside } else { Byte::Barred };
        bytes.extend(core::iter::repeat_n(byte, segment.len()));
    }
    matches(pattern, path.as_bytes(), &bytes)
}

/// Whether a query has a pattern's form; `&` is the delimiter, and so is `;`, at which some servers split.
pub(super) fn matches_query(pattern: &str, query: &[u8]) -> bool {
    let bytes = query.iter().map(|byte| if b"&;".contains(byte) { Byte::Delimiter } else { Byte::Inside });
    matches(pattern, query, &bytes.collect::<Vec<_>>())
}

/// Whether no server takes a segment of a path for more than one, for the one it is in or the one above, for
/// the end of the path, or for one with parameters. Servers differ: some decode `%2F` before they look for
/// slashes, some decode twice, some take `\` for a slash, some decode what is not UTF-8, and to some, what
/// follows `;` says as much as a query does.
fn is_plain(segment: &[u8]) -> bool {
    let decoded = decoded(segment);
    let odd = |byte: &u8| byte.is_ascii_control() || b"/\\%?#;".contains(byte);
    ![&b"."[..], b".."].contains(&decoded.trim_ascii())
        && !decoded.iter().any(odd)
        && core::str::from_utf8(&decoded).is_ok()
}

fn matches(pattern: &str, text: &[u8], bytes: &[Byte]) -> bool {
    // For each length of the text's beginning: whether the pattern so far describes it.
    let mut reached = vec![false; text.len().saturating_add(1)];
    reached.iter_mut().take(1).for_each(|first| *first = true);
    let mut rest = pattern.as_bytes();
    while let [first, tail @ ..] = rest {
        let (any, star) = (tail.first() == Some(&b'*'), *first == b'*');
        let mut next = vec![false; reached.len()];
        let mut before = false;
        for (at, slot) in next.iter_mut().enumerate() {
            let here = reached.get(at).copied().unwrap_or_default();
            let last = at.checked_sub(1);
            let takes = match last.and_then(|last| bytes.get(last)) {
                Some(Byte::Inside) => true,
                Some(Byte::Delimiter) => any,
                Some(Byte::Barred) | None => false,
            };
            *slot = if star {
                here || before && takes
            } else {
                last.and_then(|last| text.get(last)) == Some(first)
                    && last.and_then(|last| reached.get(last)) == Some(&true)
            };
            before = *slot;
        }
        reached = next;
        rest = if star && any { tail.get(1..).unwrap_or_default() } else { tail };
    }
    reached.last() == Some(&true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_of_a_path_has_stars() {
        for (pattern, path, fits) in [
            ("/a", "/a", true),
            ("/a", "/ab", false),
            ("/a", "/", false),
            ("/*", "/a", true),
            ("/*", "/", true),
            ("/*", "/a/b", false),
            ("/*/c", "/a/c", true),
            ("/*/c", "/a/b/c", false),
            ("/**", "/a/b", true),
            ("/**/c", "/a/b/c", true),
            ("**", "/", true),
            ("/a*c*", "/abcd", true),
            ("/a*c*", "/abd", false),
            ("/a.c", "/abc", false),
            ("/***/x", "/a/b/x", true),
        ] {
            assert_eq!(matches_path(pattern, path), fits, "{pattern} {path}");
        }
    }

    #[test]
    fn forgery_no_star_stands_for_a_way_to_another_document() {
        for segment in [
            "..",
            ".",
            "%2e%2e",
            ".%2E",
            "..;",
            "..;x=1",
            "..%3b",
            "..%20",
            "..+",
            "..%2fecho",
            "7%2F..%2Fecho",
            "..\\echo",
            "..%5cecho",
            "%252e%252e%252fecho",
            "%c0%ae%c0%ae",
            "%u002e%u002e",
            "7%3Fecho",
            "7%23",
            "7%00",
            "7%0d%0a",
            "7%",
            "7;fields=x",
            "7%3Bv=1",
            "%zz",
        ] {
            for (pattern, path) in [
                ("/accounts/*", format!("/accounts/{segment}")),
                ("/accounts/**", format!("/accounts/{segment}")),
                ("/accounts/**", format!("/accounts/{segment}/echo")),
                ("/accounts/**", format!("/accounts/a/b/{segment}/echo")),
                ("/accounts/*/echo", format!("/accounts/{segment}/echo")),
            ] {
                assert!(!matches_path(pattern, &path), "{pattern} {path}");
                // Who writes it means it.
                assert!(matches_path(&path, &path), "{path}");
            }
        }
        assert!(!matches_path("/accounts/.*", "/accounts/.."));
        assert!(matches_path("/projects/a%2Fb/*", "/projects/a%2Fb/issues"));
        for segment in ["7", "", "a.b", "...", ".well-known", "a%20b", "%C3%A9", "a=b&c", "~a", "a+b"] {
            assert!(matches_path("/accounts/*", &format!("/accounts/{segment}")), "{segment}");
            assert!(matches_path("/**/x", &format!("/accounts/{segment}/x")), "{segment}");
        }
    }

    #[test]
    fn a_star_of_a_query_ends_where_a_parameter_does() {
        for (pattern, query, fits) in [
            ("", "", true),
            ("", "a", false),
            ("id=*", "id=5", true),
            ("id=*", "id=", true),
            ("id=*", "id=5&fields=x", false),
            ("id=*", "id=5;fields=x", false),
            ("id=*", "fields=x&id=5", false),
            ("id=*&v=1", "id=../5&v=1", true),
            ("id=*&**", "id=5&x;y", true),
            ("**", "", true),
        ] {
            assert_eq!(matches_query(pattern, query.as_bytes()), fits, "{pattern} {query}");
        }
        assert!(matches_query("id=*", b"id=\xff\xff") && !matches_query("id=5", b"id=\xff"));
    }
}
