//! What a browser saved of a request, which the program reads for `web plan`.
//!
//! The program has no library, so its modules are included here.

#[path = "../../crates/cli/src/web/saved/mod.rs"]
#[allow(dead_code, reason = "the program uses more of it")]
mod requests;

use requests::har::Har;
use requests::{SavedField, curl, is_method};

/// The most entries of a HAR file to look into: each takes as long as its own length.
const ENTRIES: usize = 8;

/// A cURL command. What is read is a request whose fields end where they end.
pub fn curl_command(bytes: &[u8]) {
    match curl::parse(bytes) {
        Ok(request) => {
            assert!(is_method(&request.method));
            check(&request.fields);
        }
        // Errors are for terminals.
        Err(error) => assert!(!error.to_string().chars().any(char::is_control)),
    }
}

/// A HAR file; likewise, of requests and responses.
pub fn har(bytes: &[u8]) {
    let har = match Har::parse(bytes) {
        Ok(har) => har,
        Err(error) => return assert!(!error.to_string().chars().any(char::is_control)),
    };
    assert!(har.entry(0).is_err() && har.entry(har.count() + 1).is_err());
    for title in har.titles().take(ENTRIES) {
        assert!(!title.url.chars().chain(title.method.chars()).any(char::is_control));
    }
    for number in 1..=har.count().min(ENTRIES) {
        let Ok((request, response)) = har.entry(number) else { continue };
        assert!(is_method(&request.method) && (200..600).contains(&response.status));
        check(&request.fields);
        check(&response.fields);
    }
}

fn check(fields: &[SavedField]) {
    for field in fields {
        assert!(!field.name.is_empty() && !field.value.chars().any(char::is_control));
        assert!(!field.name.contains(':'));
    }
}
