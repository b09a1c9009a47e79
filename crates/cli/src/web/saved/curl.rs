//! A cURL command, as browsers copy it and people write it.
//!
//! Options that say what is requested are read, those that say how it is shown are passed over, and every
//! other option is an error with its name: a request that was read without one of its options would be
//! another one.

use core::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

use super::shell::{self, ShellError, Word};
use super::{MAX_COMMAND, MAX_FIELDS, SavedField, SavedRequest, is_method};

/// Why this is not a command that is read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CurlError {
    /// It is too long.
    #[error("the command has more than {MAX_COMMAND} bytes")]
    Size,
    /// It is not UTF-8.
    #[error("the command is not UTF-8")]
    Text,
    /// It is not one simple command.
    #[error(transparent)]
    Shell(#[from] ShellError),
    /// It is another program.
    #[error("the command does not begin with `curl`")]
    Program,
    /// An option that is not read.
    #[error("the option {option} of cURL is not read here: {advice}")]
    Option {
        /// The option.
        option: String,
        /// What to do.
        advice: &'static str,
    },
    /// An option without its argument, or with one that makes no sense.
    #[error("the option {option} of cURL: {reason}")]
    Argument {
        /// The option.
        option: String,
        /// What is wrong.
        reason: &'static str,
    },
    /// There is not one address.
    #[error("the command must have one address, and has {count}")]
    Addresses {
        /// The number of addresses.
        count: usize,
    },
    /// There are too many header fields.
    #[error("the command has more than {MAX_FIELDS} header fields")]
    Fields,
}

/// What an option means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Header,
    Method,
    Data(Data),
    Cookie,
    Agent,
    Referer,
    User,
    Bearer,
    Url,
    Head,
    Get,
    /// Nothing for the request; the flag says whether an argument follows.
    Nothing(bool),
}

/// How data is given.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Data {
    /// `@FILE` is a file.
    OrFile,
    Raw,
    Encoded,
    Json,
}

const OPTIONS: &[(&str, &str, Meaning)] = &[
    ("-H", "--header", Meaning::Header),
    ("-X", "--request", Meaning::Method),
    ("-d", "--data", Meaning::Data(Data::OrFile)),
    ("", "--data-ascii", Meaning::Data(Data::OrFile)),
    ("", "--data-binary", Meaning::Data(Data::OrFile)),
    ("", "--data-raw", Meaning::Data(Data::Raw)),
    ("", "--data-urlencode", Meaning::Data(Data::Encoded)),
    ("", "--json", Meaning::Data(Data::Json)),
    ("-b", "--cookie", Meaning::Cookie),
    ("-A", "--user-agent", Meaning::Agent),
    ("-e", "--referer", Meaning::Referer),
    ("-u", "--user", Meaning::User),
    ("", "--oauth2-bearer", Meaning::Bearer),
    ("", "--url", Meaning::Url),
    ("-I", "--head", Meaning::Head),
    ("-G", "--get", Meaning::Get),
    ("", "--basic", Meaning::Nothing(false)),
    ("", "--compressed", Meaning::Nothing(false)),
    ("-f", "--fail", Meaning::Nothing(false)),
    ("-g", "--globoff", Meaning::Nothing(false)),
    ("-i", "--include", Meaning::Nothing(false)),
    ("-N", "--no-buffer", Meaning::Nothing(false)),
    ("-s", "--silent", Meaning::Nothing(false)),
    ("-S", "--show-error", Meaning::Nothing(false)),
    ("-v", "--verbose", Meaning::Nothing(false)),
    ("", "--http1.1", Meaning::Nothing(false)),
    ("", "--http2", Meaning::Nothing(false)),
    ("", "--path-as-is", Meaning::Nothing(false)),
    ("-o", "--output", Meaning::Nothing(true)),
    ("-m", "--max-time", Meaning::Nothing(true)),
    ("", "--connect-timeout", Meaning::Nothing(true)),
];

/// Why some options are not read.
const ADVICE: &[(&str, &str, &str)] = &[
    ("-k", "--insecure", "the server must show a certificate that you trust; --roots adds authorities"),
    ("-L", "--location", "redirections are not followed; use the address where they lead"),
    ("-F", "--form", "save its body to a file, and use --body and --header 'Content-Type: ...'"),
    ("-T", "--upload-file", "use --body FILE and --method"),
    ("-:", "--next", "one request only; add others with --then FILE"),
    ("-x", "--proxy", "the connection goes to the server itself"),
    ("-K", "--config", "write its options into the command"),
    ("-n", "--netrc", "write the Authorization field into the command"),
];

/// Reads a command.
///
/// # Errors
/// Those of [`CurlError`]. None shows an argument.
pub(crate) fn parse(text: &[u8]) -> Result<SavedRequest, CurlError> {
    if text.len() > MAX_COMMAND {
        return Err(CurlError::Size);
    }
    let text = core::str::from_utf8(text).map_err(|_| CurlError::Text)?;
    let mut words = shell::words(text)?.into_iter();
    match words.next() {
        Some(word) if word.as_slice() == b"curl" => {}
        _ => return Err(CurlError::Program),
    }
    let mut command = Command::default();
    while let Some(word) = words.next() {
        let word = utf8("an argument", &word)?;
        command.take(&word, &mut words)?;
    }
    command.finish()
}

/// A word as text.
fn utf8(option: &str, word: &Word) -> Result<Zeroizing<String>, CurlError> {
    let text = core::str::from_utf8(word);
    let text = text.map_err(|_| CurlError::Argument { option: option.into(), reason: "it is not UTF-8" });
    text.map(|text| Zeroizing::new(text.to_owned()))
}

/// The options so far.
#[derive(Default)]
struct Command {
    urls: Vec<Zeroizing<String>>,
    method: Option<String>,
    fields: Vec<SavedField>,
    /// Names of fields that cURL is told to leave out.
    without: Vec<String>,
    data: Option<Zeroizing<Vec<u8>>>,
    json: bool,
    head: bool,
    get: bool,
}

impl Command {
    fn take(&mut self, word: &str, rest: &mut impl Iterator<Item = Word>) -> Result<(), CurlError> {
        let Some(short) = word.strip_prefix('-').filter(|name| !name.is_empty()) else {
            self.urls.push(Zeroizing::new(word.to_owned()));
            return Ok(());
        };
        if short.starts_with('-') {
            let (_, _, meaning) =
                OPTIONS.iter().find(|(_, long, _)| *long == word).ok_or_else(|| unknown(word))?;
            return self.option(word, *meaning, None, rest);
        }
        // Several in one word: -sSL, and the last one may have its argument there: -XPOST.
        for (at, letter) in short.char_indices() {
            let name = format!("-{letter}");
            let found = OPTIONS.iter().find(|(short, _, _)| *short == name);
            let (_, _, meaning) = found.ok_or_else(|| unknown(&name))?;
            let own = short.get(at + letter.len_utf8()..).filter(|own| !own.is_empty());
            let takes = !matches!(meaning, Meaning::Head | Meaning::Get | Meaning::Nothing(false));
            self.option(&name, *meaning, own.filter(|_| takes), rest)?;
            if takes {
                break;
            }
        }
        Ok(())
    }

    /// An option; its argument is `own`, or the next word.
    fn option(
        &mut self,
        option: &str,
        meaning: Meaning,
        own: Option<&str>,
        rest: &mut impl Iterator<Item = Word>,
    ) -> Result<(), CurlError> {
        match meaning {
            Meaning::Head => self.head = true,
            Meaning::Get => self.get = true,
            Meaning::Nothing(false) => {}
            _ => {
                let missing = || wrong(option, "its argument is missing");
                let argument = match own {
                    Some(own) => Zeroizing::new(own.to_owned()),
                    None => utf8(option, &rest.next().ok_or_else(missing)?)?,
                };
                self.argument(option, meaning, &argument)?;
            }
        }
        Ok(())
    }

    fn argument(&mut self, option: &str, meaning: Meaning, argument: &str) -> Result<(), CurlError> {
        match meaning {
            Meaning::Header => return self.header(option, argument),
            Meaning::Method if is_method(argument) => self.method = Some(argument.into()),
            Meaning::Method => return Err(wrong(option, "a method has capital letters only, like POST")),
            Meaning::Data(how) => return self.add(option, how, argument),
            Meaning::Cookie if argument.contains('=') => return self.field(option, "Cookie", argument),
            Meaning::Cookie => return Err(wrong(option, "files of cookies are not read: give NAME=VALUE")),
            Meaning::Agent => return self.field(option, "User-Agent", argument),
            Meaning::Referer => return self.field(option, "Referer", argument),
            Meaning::User => {
                if !argument.contains(':') {
                    return Err(wrong(option, "expected NAME:PASSWORD"));
                }
                let value = Zeroizing::new(format!("Basic {}", &*Zeroizing::new(STANDARD.encode(argument))));
                return self.field(option, "Authorization", &value);
            }
            Meaning::Bearer => {
                let value = Zeroizing::new(format!("Bearer {argument}"));
                return self.field(option, "Authorization", &value);
            }
            Meaning::Url => self.urls.push(Zeroizing::new(argument.to_owned())),
            Meaning::Head | Meaning::Get | Meaning::Nothing(_) => {}
        }
        Ok(())
    }

    /// `Name: value`; `Name;` is one without a value, and `Name:` takes a field of cURL's out.
    fn header(&mut self, option: &str, argument: &str) -> Result<(), CurlError> {
        if argument.starts_with('@') {
            return Err(wrong(option, "files of header fields are not read: use --headers FILE"));
        }
        match argument.split_once(':') {
            Some((name, value)) if value.trim().is_empty() => self.without.push(name.trim().to_owned()),
            Some((name, value)) => return self.field(option, name.trim_end(), value),
            None => {
                let name =
                    argument.strip_suffix(';').ok_or_else(|| wrong(option, "expected `Name: value`"))?;
                return self.field(option, name, "");
            }
        }
        Ok(())
    }

    fn field(&mut self, option: &str, name: &str, value: &str) -> Result<(), CurlError> {
        if self.fields.len() >= MAX_FIELDS {
            return Err(CurlError::Fields);
        }
        let field = SavedField::new(name, value);
        self.fields.push(field.ok_or_else(|| wrong(option, "this is no header field"))?);
        Ok(())
    }

    /// Adds data, as cURL does with `&` between.
    fn add(&mut self, option: &str, how: Data, argument: &str) -> Result<(), CurlError> {
        let file = || wrong(option, "files are not read here: use --body FILE");
        let piece = match how {
            Data::Raw => Zeroizing::new(argument.to_owned()),
            Data::Encoded => encoded(argument).ok_or_else(file)?,
            Data::OrFile | Data::Json if argument.starts_with('@') => return Err(file()),
            Data::OrFile | Data::Json => Zeroizing::new(argument.to_owned()),
        };
        self.json |= how == Data::Json;
        let before = self.data.take();
        let between: &[u8] = if before.is_some() && how != Data::Json { b"&" } else { b"" };
        let before = before.as_ref().map_or(&[][..], |before| before.as_slice());
        self.data = Some(Zeroizing::new([before, between, piece.as_bytes()].concat()));
        Ok(())
    }

    fn finish(mut self) -> Result<SavedRequest, CurlError> {
        let count = self.urls.len();
        let url = self.urls.pop().filter(|_| count == 1).ok_or(CurlError::Addresses { count })?;
        let has = |fields: &[SavedField], name: &str| fields.iter().any(|field| field.is(name));
        let (mut body, mut url) = (self.data.take(), url);
        if self.get {
            if let Some(data) = body.take() {
                let data = utf8("--get", &data)?;
                // A fragment is not sent, and ends the address.
                let before = url.split('#').next().unwrap_or_default();
                let sign = if before.contains('?') { '&' } else { '?' };
                url = Zeroizing::new(format!("{before}{sign}{}", &*data));
            }
        } else if body.is_some() {
            let defaults: &[(&str, &str)] = match self.json {
                true => &[("Content-Type", "application/json"), ("Accept", "application/json")],
                false => &[("Content-Type", "application/x-www-form-urlencoded")],
            };
            for (name, value) in defaults {
                let left_out = self.without.iter().any(|without| without.eq_ignore_ascii_case(name));
                if !has(&self.fields, name) && !left_out {
                    self.field("--data", name, value)?;
                }
            }
        }
        let usual = match (self.head, &body) {
            (true, _) => "HEAD",
            (false, Some(_)) => "POST",
            (false, None) => "GET",
        };
        let method = self.method.unwrap_or_else(|| usual.into());
        Ok(SavedRequest { method, url, fields: self.fields, body })
    }
}

fn wrong(option: &str, reason: &'static str) -> CurlError {
    CurlError::Argument { option: option.into(), reason }
}

/// The error for an option that is not read. Its name is cut, because an argument that is stuck to it may be
/// a secret.
fn unknown(option: &str) -> CurlError {
    let name: String =
        option.chars().take_while(|c| c.is_ascii_alphanumeric() || "-.:".contains(*c)).take(24).collect();
    let known = ADVICE.iter().find(|(short, long, _)| [*short, *long].contains(&name.as_str()));
    let advice = known.map_or("leave it out, if the request is the same without it", |(_, _, advice)| advice);
    CurlError::Option { option: name, advice }
}

/// The argument of `--data-urlencode`: `content`, `=content` or `name=content`. None if it is a file.
fn encoded(argument: &str) -> Option<Zeroizing<String>> {
    let at = argument.find(['=', '@']);
    let (name, content) = match at {
        None => ("", argument),
        Some(at) if argument.as_bytes().get(at) == Some(&b'=') => {
            argument.split_once('=').unwrap_or_default()
        }
        Some(_) => return None,
    };
    // Each byte becomes three at most, so the text is never moved.
    let mut text = Zeroizing::new(String::with_capacity(name.len() + 1 + 3 * content.len()));
    if !name.is_empty() {
        text.push_str(name);
        text.push('=');
    }
    for byte in content.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                text.push(char::from(byte))
            }
            _ => {
                // Writing to a string does not fail.
                let _ = write!(text, "%{byte:02X}");
            }
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests;
