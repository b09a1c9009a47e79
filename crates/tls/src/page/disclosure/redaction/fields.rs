//! The header fields that may be hidden, and those that are hidden if P does not name them.
//!
//! Of a *request*, the fields on a list may be hidden: [`CREDENTIALS`] and [`PLAIN`], which by their meaning
//! say who asks, and for which form of the document. All others are shown, because there is no list of the
//! fields by which some server, or something in front of it, takes method, host or path from elsewhere than
//! the request line and `Host` (`X-Original-URL`, `X-HTTP-Method-Override`, `Forwarded`, ...). Even
//! credentials are not on the list if they name the document (`X-Subject-Token` is the token that is asked
//! *about*) or the host (`X-RapidAPI-Host`).
//!
//! The list says what a field is for, not what a server does with it. An honest server's answer depends on
//! who asks, in which language and for which state, and an application may take anything from anywhere: the
//! choice of an account, even a path or a method, from a cookie or from `Referer`. Readers of an attestation
//! trust the server not to do that, as they trust its answers.
//!
//! Of a *response* everything may be hidden except the fields that say how it is to be read ([`STRUCTURE`]).
//! It is the server's, V knows which request it answers, and a hidden value is proved to contain no line end,
//! so it cannot be another field or a body. Without a choice of P's, only those fields and [`PUBLIC`] are
//! shown. Any other field may hold what the server gives P to act with, whatever its name: a token, or a link
//! with a code in it.
//!
//! The lists of a request's fields are a part of the form in which contracts are told a statement
//! ([`TypedStatement::fields`](crate::attestation::contract::TypedStatement)). With other lists that form has
//! another version, or signatures of before would be of other structs.

use crate::wire::prf::Side;

/// Fields that say how a message is to be read, and what it is a part of or an answer to. They are always
/// shown, and are not secret.
const STRUCTURE: [&str; 14] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "content-encoding",
    "content-type",
    "content-range",
    "range",
    "if-range",
    "accept-encoding",
    "expect",
    "te",
    "trailer",
    "upgrade",
];

/// Fields of requests with which others could act as P.
const CREDENTIALS: [&str; 46] = [
    "cookie",
    "authorization",
    "proxy-authorization",
    "api-key",
    "apikey",
    "x-api-key",
    "x-apikey",
    "x-api-secret",
    "x-api-token",
    "x-access-key",
    "x-access-token",
    "x-app-key",
    "x-app-token",
    "x-auth-key",
    "x-auth-token",
    "x-client-secret",
    "x-id-token",
    "x-refresh-token",
    "x-secret-key",
    "x-session-id",
    "x-session-token",
    "x-csrf-token",
    "x-csrftoken",
    "x-xsrf-token",
    "x-token",
    "x-user-token",
    // Fields of well-known services.
    "apca-api-key-id",
    "apca-api-secret-key",
    "cb-access-key",
    "cb-access-passphrase",
    "cb-access-sign",
    "cb-access-timestamp",
    "circle-token",
    "dd-api-key",
    "dd-application-key",
    "deploy-token",
    "job-token",
    "ocp-apim-subscription-key",
    "private-token",
    "x-amz-security-token",
    "x-figma-token",
    "x-goog-api-key",
    "x-mbx-apikey",
    "x-rapidapi-key",
    "x-shopify-access-token",
    "x-vault-token",
];

/// Fields of responses that are the same for everybody who gets the document: what the server is, when it
/// answers, how its answer may be stored.
///
/// `ETag`, `Location`, `Link`, `Content-Disposition`, `Content-Security-Policy` and similar fields are not on
/// it: tags distinguish clients, addresses and names carry tokens and names, policies carry nonces.
/// `Last-Modified`, `Expires`, `Retry-After` and `Content-Language` are not on it either: they show when an
/// account changed, when a login ends, how often somebody asked, which language somebody chose.
const PUBLIC: [&str; 12] = [
    "accept-ranges",
    "age",
    "allow",
    "cache-control",
    "date",
    "pragma",
    "server",
    "strict-transport-security",
    "vary",
    "x-content-type-options",
    "x-frame-options",
    "x-xss-protection",
];

/// Further fields that a request may hide: who asks with what, in which language, from where, and for which
/// state of the document.
const PLAIN: [&str; 14] = [
    "user-agent",
    "accept",
    "accept-charset",
    "accept-language",
    "dnt",
    "from",
    "origin",
    "referer",
    "if-match",
    "if-none-match",
    "if-modified-since",
    "if-unmodified-since",
    "x-request-id",
    // A field without a meaning, which pads a request.
    "x-padding",
];

/// What browsers say about themselves.
const BROWSERS: [&str; 2] = ["sec-ch-", "sec-fetch-"];

/// Whether a field is shown or hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// It is always shown.
    AlwaysShown,
    /// It may be hidden, and is unless P shows it: a request's credentials, and each field of a response that
    /// is not known to be the same for everybody.
    Secret,
    /// It may be hidden. A response's is shown by default ([`Rest::Revealed`](super::Rest::Revealed)).
    Hideable,
    /// A request's field that servers may use in unknown ways: it cannot be hidden.
    Unknown,
}

/// Whether a field of this name is shown or hidden, in a request (the client's side) or a response.
#[must_use]
pub fn visibility(side: Side, name: &str) -> Visibility {
    let is_in = |list: &[&str]| list.iter().any(|known| known.eq_ignore_ascii_case(name));
    let of_browsers = || {
        BROWSERS
            .iter()
            .any(|prefix| name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix)))
    };
    match side {
        _ if is_in(&STRUCTURE) => Visibility::AlwaysShown,
        Side::Client if is_in(&CREDENTIALS) => Visibility::Secret,
        Side::Client if is_in(&PLAIN) || of_browsers() => Visibility::Hideable,
        Side::Client => Visibility::Unknown,
        Side::Server if is_in(&PUBLIC) => Visibility::Hideable,
        Side::Server => Visibility::Secret,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_requests_only_known_fields_may_be_hidden() {
        for (name, request, response) in [
            ("HOST", Visibility::AlwaysShown, Visibility::AlwaysShown),
            ("Content-Type", Visibility::AlwaysShown, Visibility::AlwaysShown),
            ("Transfer-Encoding", Visibility::AlwaysShown, Visibility::AlwaysShown),
            ("cookie", Visibility::Secret, Visibility::Secret),
            ("X-API-Key", Visibility::Secret, Visibility::Secret),
            ("PRIVATE-TOKEN", Visibility::Secret, Visibility::Secret),
            ("X-Vault-Token", Visibility::Secret, Visibility::Secret),
            ("DD-API-KEY", Visibility::Secret, Visibility::Secret),
            ("X-RapidAPI-Key", Visibility::Secret, Visibility::Secret),
            ("X-Shopify-Access-Token", Visibility::Secret, Visibility::Secret),
            ("User-Agent", Visibility::Hideable, Visibility::Secret),
            ("Sec-Fetch-Mode", Visibility::Hideable, Visibility::Secret),
            ("X-Original-URL", Visibility::Unknown, Visibility::Secret),
            ("X-HTTP-Method-Override", Visibility::Unknown, Visibility::Secret),
            ("X-Forwarded-Host", Visibility::Unknown, Visibility::Secret),
            ("X-RapidAPI-Host", Visibility::Unknown, Visibility::Secret),
            ("X-Subject-Token", Visibility::Unknown, Visibility::Secret),
            ("X-ConnectionStatement", Visibility::Unknown, Visibility::Secret),
            ("sec", Visibility::Unknown, Visibility::Secret),
            ("Date", Visibility::Unknown, Visibility::Hideable),
            ("SERVER", Visibility::Unknown, Visibility::Hideable),
            ("Last-Modified", Visibility::Unknown, Visibility::Secret),
            ("Expires", Visibility::Unknown, Visibility::Secret),
            ("Retry-After", Visibility::Unknown, Visibility::Secret),
            ("Content-Language", Visibility::Unknown, Visibility::Secret),
        ] {
            assert_eq!(
                (visibility(Side::Client, name), visibility(Side::Server, name)),
                (request, response),
                "{name}"
            );
        }
    }

    /// With other lists, the form for contracts has another version (see the module's documentation).
    #[test]
    fn the_lists_of_requests_are_those_of_the_form_for_contracts() {
        use sha2::Digest as _;
        let all = [&STRUCTURE[..], &CREDENTIALS, &PLAIN, &BROWSERS].concat();
        let hash: [u8; 32] = sha2::Sha256::digest(all.join("\n")).into();
        assert_eq!(hash.to_vec(), crate::testing::hex(LISTS));
    }

    const LISTS: &str = "cfc768c78aed5dd939665732e5f02ef085add01f80249b04db6c0886569e74d7";

    /// Each field has one visibility, whichever list is looked at first.
    #[test]
    fn a_field_is_on_one_list_in_lower_case() {
        for lists in [&[&STRUCTURE[..], &CREDENTIALS, &PLAIN][..], &[&STRUCTURE, &PUBLIC]] {
            let mut names = lists.concat();
            assert!(names.iter().all(|name| *name == name.to_ascii_lowercase()));
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count);
        }
    }
}
