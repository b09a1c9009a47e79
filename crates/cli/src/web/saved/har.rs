//! A HAR file (HTTP Archive 1.2): what a browser saved of a visit, as JSON.
//!
//! ```text
//! {"log": {"entries": [{"request": {"method", "url", "headers": [{"name", "value"}], "postData": {"text"}},
//!                       "response": {"status", "headers", "content": {"text", "encoding"}}}, ...]}}
//! ```
//!
//! Everything else in it is passed over. A response is there as the browser understood it: not compressed,
//! not in chunks, and with a body only if the browser kept it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer};
use zeroize::Zeroizing;

use super::{MAX_FIELDS, MAX_HAR, SavedField, SavedRequest, SavedResponse, is_method};

/// The most entries of a file.
const MAX_ENTRIES: usize = 1 << 16;

/// Why there is no saved page.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum HarError {
    /// It is too long.
    #[error("the file has more than {MAX_HAR} bytes; save it with fewer entries")]
    Size,
    /// It is not a HAR file. What the JSON parser says could show values, so only the place is said.
    #[error("this is not a HAR file: line {line}, column {column}: {reason}")]
    Format {
        /// The line, from 1.
        line: usize,
        /// The column.
        column: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// There is nothing in it, or too much.
    #[error("the file has {count} entries; 1 to {MAX_ENTRIES} are read")]
    Entries {
        /// The number of entries.
        count: usize,
    },
    /// The entry does not exist.
    #[error("there is no entry {number}; the file has {count}")]
    Entry {
        /// The number that was asked for, from 1.
        number: usize,
        /// The number of entries.
        count: usize,
    },
    /// Something of the entry cannot be used.
    #[error("entry {number}: {reason}")]
    Unusable {
        /// The entry, from 1.
        number: usize,
        /// What is wrong.
        reason: &'static str,
    },
}

/// A string that is wiped.
#[derive(Default)]
struct Text(Zeroizing<String>);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Self(Zeroizing::new(text)))
    }
}

#[derive(Deserialize)]
struct File {
    log: Log,
}

#[derive(Deserialize)]
struct Log {
    entries: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    request: Request,
    response: Option<Response>,
}

#[derive(Deserialize)]
struct Request {
    method: String,
    url: Text,
    #[serde(default)]
    headers: Vec<Field>,
    #[serde(rename = "postData")]
    data: Option<Data>,
}

#[derive(Deserialize)]
struct Response {
    /// 0 if there was none.
    status: i64,
    #[serde(default)]
    headers: Vec<Field>,
    #[serde(default)]
    content: Content,
}

#[derive(Deserialize)]
struct Field {
    name: String,
    value: Text,
}

#[derive(Deserialize)]
struct Data {
    text: Option<Text>,
}

#[derive(Default, Deserialize)]
struct Content {
    size: Option<i64>,
    text: Option<Text>,
    encoding: Option<String>,
}

/// A HAR file.
pub(crate) struct Har {
    entries: Vec<Entry>,
}

/// What names an entry for people: nothing of it is secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Title {
    /// From 1.
    pub(crate) number: usize,
    pub(crate) method: String,
    /// Without its query.
    pub(crate) url: String,
    pub(crate) status: Option<u16>,
}

impl Har {
    /// Reads a file.
    ///
    /// # Errors
    /// [`HarError::Size`], [`HarError::Format`], [`HarError::Entries`].
    pub(crate) fn parse(text: &[u8]) -> Result<Self, HarError> {
        if text.len() > MAX_HAR {
            return Err(HarError::Size);
        }
        // Browsers on Windows put a mark before it.
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let file: File = serde_json::from_slice(text).map_err(|error| HarError::Format {
            line: error.line(),
            column: error.column(),
            reason: match error.classify() {
                serde_json::error::Category::Data => "a member is missing, or is not what it should be",
                serde_json::error::Category::Eof => "it ends too early",
                _ => "it is not JSON",
            },
        })?;
        let count = file.log.entries.len();
        if (1..=MAX_ENTRIES).contains(&count) {
            Ok(Self { entries: file.log.entries })
        } else {
            Err(HarError::Entries { count })
        }
    }

    /// The number of entries.
    pub(crate) fn count(&self) -> usize {
        self.entries.len()
    }

    /// All entries.
    pub(crate) fn titles(&self) -> impl Iterator<Item = Title> + '_ {
        (1..).zip(&self.entries).map(|(number, Entry { request, response })| {
            let url = request.url.0.split(['?', '#']).next().unwrap_or_default();
            // A name and a password may stand before the host.
            let url = url.split_once('@').map_or(url, |(_, rest)| rest);
            let status = response.as_ref().and_then(|response| u16::try_from(response.status).ok());
            Title {
                number,
                method: request.method.escape_debug().take(16).collect(),
                url: url.escape_debug().take(200).collect(),
                status: status.filter(|status| *status > 0),
            }
        })
    }

    /// An entry's request, and its response if there was one and it was saved whole. `number` counts from 1.
    ///
    /// # Errors
    /// [`HarError::Entry`], [`HarError::Unusable`].
    pub(crate) fn entry(&self, number: usize) -> Result<(SavedRequest, SavedResponse), HarError> {
        let count = self.count();
        let entry = number.checked_sub(1).and_then(|at| self.entries.get(at));
        let entry = entry.ok_or(HarError::Entry { number, count })?;
        let unusable = |reason| HarError::Unusable { number, reason };
        let request = entry.request.read().map_err(unusable)?;
        let response = entry.response.as_ref().ok_or_else(|| unusable("it has no response"))?;
        Ok((request, response.read().map_err(unusable)?))
    }
}

impl Request {
    fn read(&self) -> Result<SavedRequest, &'static str> {
        if !is_method(&self.method) {
            return Err("the request has no method like GET");
        }
        let body = match &self.data {
            None => None,
            Some(Data { text: Some(text) }) => Some(Zeroizing::new(text.0.as_bytes().to_vec())),
            Some(Data { text: None }) => {
                return Err("the request's body was not saved; use --body FILE without --from-har");
            }
        };
        let body = body.filter(|body| !body.is_empty());
        Ok(SavedRequest {
            method: self.method.clone(),
            url: Zeroizing::new(self.url.0.to_string()),
            fields: fields(&self.headers)?,
            body,
        })
    }
}

impl Response {
    fn read(&self) -> Result<SavedResponse, &'static str> {
        let status = u16::try_from(self.status).ok().filter(|status| (200..600).contains(status));
        let status = status.ok_or("the browser got no response (its status is not 200 to 599)")?;
        let Content { size, text, encoding } = &self.content;
        let body = match (text, encoding.as_deref()) {
            (None, _) if size.is_some_and(|size| size > 0) => {
                return Err(
                    "the response's body was not saved; save the file \"with content\", or fetch the page",
                );
            }
            (None, _) => Zeroizing::default(),
            (Some(text), None | Some("")) => Zeroizing::new(text.0.as_bytes().to_vec()),
            (Some(text), Some("base64")) => Zeroizing::new(
                STANDARD.decode(text.0.as_bytes()).map_err(|_| "the response's body is not base64")?,
            ),
            (Some(_), Some(_)) => return Err("the response's body is in an encoding that is not read"),
        };
        Ok(SavedResponse { status, fields: fields(&self.headers)?, body })
    }
}

/// Header fields, without the pseudo-fields of HTTP/2. Some browsers join several values by line ends.
fn fields(saved: &[Field]) -> Result<Vec<SavedField>, &'static str> {
    let mut all = Vec::new();
    for Field { name, value } in saved.iter().filter(|field| !field.name.starts_with(':')) {
        for line in value.0.split('\n') {
            if all.len() >= MAX_FIELDS {
                return Err("a message has too many header fields");
            }
            all.push(SavedField::new(name, line).ok_or("a message has something that is no header field")?);
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn entry(url: &str) -> serde_json::Value {
        json!({
            "startedDateTime": "2026-01-01T00:00:00Z",
            "request": {
                "method": "GET", "url": url, "httpVersion": "http/2.0", "cookies": [],
                "headers": [{"name": ":authority", "value": "a.example"}, {"name": "cookie", "value": "id=s3cr3t"}],
            },
            "response": {
                "status": 200, "statusText": "",
                "headers": [{"name": "content-type", "value": "application/json"}, {"name": "set-cookie", "value": "a=1\nb=2"}],
                "content": {"size": 9, "mimeType": "application/json", "text": "{\"a\": 12}"},
            },
        })
    }

    fn file(entries: &[serde_json::Value]) -> Vec<u8> {
        json!({"log": {"version": "1.2", "entries": entries}}).to_string().into_bytes()
    }

    fn changed(
        change: impl FnOnce(&mut serde_json::Value),
    ) -> Result<(SavedRequest, SavedResponse), HarError> {
        let mut entry = entry("https://a.example/x?t=s3cr3t");
        change(&mut entry);
        Har::parse(&file(&[entry])).and_then(|har| har.entry(1))
    }

    #[test]
    fn entries_are_requests_and_what_the_browser_made_of_their_responses() {
        let (request, response) = changed(|_| ()).expect("sound");
        assert_eq!((request.method.as_str(), request.url.as_str()), ("GET", "https://a.example/x?t=s3cr3t"));
        assert_eq!(request.fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>(), ["cookie"]);
        assert_eq!((response.status, response.body.as_slice()), (200, &b"{\"a\": 12}"[..]));
        assert_eq!(response.fields.iter().filter(|field| field.is("Set-Cookie")).count(), 2);
        let (_, response) = changed(|entry| {
            entry["response"]["content"] = json!({"size": 2, "text": "/wA=", "encoding": "base64"});
        })
        .expect("sound");
        assert_eq!(response.body.as_slice(), [0xff, 0]);
        let (request, _) =
            changed(|entry| entry["request"]["postData"] = json!({"text": "a=1"})).expect("sound");
        assert_eq!(request.body.expect("there").as_slice(), b"a=1");
        let marked = [b"\xef\xbb\xbf", &file(&[entry("https://a/")])[..]].concat();
        assert!(Har::parse(&marked).is_ok());
    }

    #[test]
    fn what_is_missing_is_said_without_showing_anything() {
        type Change = fn(&mut serde_json::Value);
        let changes: [(Change, &str); 10] = [
            (|entry| entry["response"]["content"] = json!({"size": 9}), "with content"),
            (|entry| entry["response"]["content"]["encoding"] = "s3cr3t".into(), "not read"),
            (|entry| entry["response"]["content"]["encoding"] = "base64".into(), "not base64"),
            (|entry| entry["response"]["status"] = 0.into(), "no response"),
            (|entry| entry["response"] = serde_json::Value::Null, "no response"),
            (|entry| entry["request"]["method"] = "s3cr3t".into(), "no method"),
            (|entry| entry["request"]["postData"] = json!({"params": []}), "was not saved"),
            (|entry| entry["request"]["headers"][1]["value"] = "s3cr3t\r".into(), "no header field"),
            (|entry| entry["request"]["headers"][1]["name"] = "a b".into(), "no header field"),
            (|entry| entry["request"]["url"] = 5.into(), "line 1, column"),
        ];
        for (change, expected) in changes {
            let error = changed(change).expect_err(expected).to_string();
            assert!(error.contains(expected) && !error.contains("s3cr3t"), "{expected}: {error}");
        }
        let many = json!({"name": "a", "value": "b\n".repeat(MAX_FIELDS)});
        assert!(changed(|entry| entry["response"]["headers"] = json!([many])).is_err());
        for (text, expected) in [
            ("", "too early"),
            ("[1]", "member"),
            ("x", "not JSON"),
            ("{\"log\":{\"entries\":[]}}", "0 entries"),
        ] {
            let error = Har::parse(text.as_bytes()).err().expect(text).to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
        let har = Har::parse(&file(&[entry("https://a/")])).expect("sound");
        for number in [0, 2] {
            assert_eq!(har.entry(number).expect_err("none"), HarError::Entry { number, count: 1 });
        }
        assert!(matches!(Har::parse("[".repeat(10_000).as_bytes()), Err(HarError::Format { .. })));
    }

    #[test]
    fn titles_have_nothing_secret_and_nothing_for_a_terminal() {
        let urls =
            ["https://a.example/x?t=s3cr3t#s3cr3t", "https://me:s3cr3t@a.example/x", "https://a/\u{1b}[2J"];
        let har = Har::parse(&file(&urls.map(entry))).expect("sound");
        let titles: Vec<_> = har.titles().collect();
        assert_eq!((titles[0].url.as_str(), titles[0].status), ("https://a.example/x", Some(200)));
        assert_eq!((titles[1].url.as_str(), titles[2].number), ("a.example/x", 3));
        assert!(!titles[2].url.contains('\u{1b}'));
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_file_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Har::parse(&bytes);
        }

        #[test]
        fn values_come_back(value in "[!-~][ -~]{0,20}", body in ".{0,40}") {
            let (request, response) = changed(|entry| {
                entry["request"]["headers"][1]["value"] = value.as_str().into();
                entry["response"]["content"] = json!({"text": body});
            })
            .expect("sound");
            prop_assert_eq!(&*request.fields[0].value, value.trim());
            prop_assert_eq!(response.body.as_slice(), body.as_bytes());
        }
    }
}
