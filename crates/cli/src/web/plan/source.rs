//! The request of a plan: from the command line, or from what a browser has saved.
//!
//! A browser's request has fields that the program sets itself, and some that say how the browser wants the
//! page: not compressed, not from a cache, with which priority. Those are left out, and the plan says so.
//! Credentials of a saved request are secret: the plan shows neither them nor anything that contains them.

use std::path::Path;

use volery::web::Side;
use volery::web::disclosure::{MessagePart, Part, Selection, Visibility, visibility};
use volery_channel::hex;
use zeroize::Zeroizing;

use super::super::saved::har::Har;
use super::super::saved::{MAX_COMMAND, MAX_HAR, SavedField, SavedRequest, SavedResponse, curl};
use super::super::template::Template;
use super::super::{first, read};
use super::report::MistakeReport;
use super::tell;
use crate::args::{CipherArg, ModeArg, TlsArg, WebPageArgs, WebPlanArgs};
use crate::failure::Failure;
use crate::new_file;
use volery::web::http::request::Page;

/// Fields that the program sets itself.
const OWN: [&str; 6] =
    ["host", "connection", "accept-encoding", "content-length", "transfer-encoding", "x-padding"];
/// Fields of browsers without which the page is the same, and with which it might not come whole.
const OF_BROWSERS: [&str; 11] = [
    "cache-control",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "keep-alive",
    "pragma",
    "priority",
    "proxy-connection",
    "sec-gpc",
    "te",
    "upgrade-insecure-requests",
];
/// The query of a saved request is no secret to whoever sees the command.
const QUERY: &str = "the command has the address with its query: if a token is in it, keep the command out of histories and \
                     logs, and out of the sight of others on this machine";
/// The most entries of a HAR file that are listed.
const MAX_TITLES: usize = 20;

/// What is asked for.
pub(super) struct Asked {
    pub(super) page: Page,
    pub(super) template: Template,
    /// The response, if it was saved.
    pub(super) saved: Option<SavedResponse>,
    /// Names of header fields that must not be printed.
    pub(super) secrets: Vec<String>,
    /// What the reader of the plan should know about it.
    pub(super) notes: Vec<String>,
    /// Names of the header fields in `--headers`, if the request was saved.
    from_file: Option<Vec<String>>,
    url: Zeroizing<String>,
}

impl Asked {
    /// Reads the request.
    pub(super) fn new(args: &WebPlanArgs) -> Result<Self, Failure> {
        if let Some(url) = &args.url {
            let page = Page::parse(url).map_err(Failure::input)?;
            let (url, template) = (Zeroizing::new(url.clone()), first(&args.page, &page)?);
            let (secrets, notes) = (Vec::new(), again(&args.page.method).into_iter().collect());
            return Ok(Self { page, template, saved: None, secrets, notes, from_file: None, url });
        }
        let (path, request, response) = match (&args.from_har, &args.from_curl) {
            (Some(path), _) => {
                let (request, response) = from_har(path, args.entry)?;
                (path, request, Some(response))
            }
            (None, Some(path)) => {
                let text = read(path, MAX_COMMAND as u64)?;
                let request = curl::parse(&text);
                (path, request.map_err(|error| Failure::input(format!("{}: {error}", path.display())))?, None)
            }
            (None, None) => return Err(Failure::input("there is no address")),
        };
        Self::saved(args, path, request, response)
    }

    fn saved(
        args: &WebPlanArgs,
        path: &Path,
        request: SavedRequest,
        saved: Option<SavedResponse>,
    ) -> Result<Self, Failure> {
        let SavedRequest { method, url, fields, body } = request;
        let page = Page::read(&url)
            .map_err(|reason| Failure::input(format!("{}: the address: {reason}", path.display())))?;
        let host = fields.iter().find(|field| field.is("host")).map(|field| field.value.to_ascii_lowercase());
        if host.is_some_and(|host| host != page.host && host != format!("{}:{}", page.host, page.port)) {
            let reason =
                "its Host is not that of the address, and only the server of the address can be proved";
            return Err(Failure::input(format!("{}: {reason}", path.display())));
        }
        let omitted = |field: &SavedField| args.omit.iter().any(|name| field.is(name));
        let left_out = |field: &&SavedField| OF_BROWSERS.iter().any(|name| field.is(name)) && !omitted(field);
        let left: Vec<_> = fields.iter().filter(left_out).map(|field| field.name.clone()).collect();
        let kept = |field: &SavedField| {
            !OWN.iter().chain(&OF_BROWSERS).any(|name| field.is(name)) && !omitted(field)
        };
        let fields: Vec<_> = fields.into_iter().filter(kept).collect();
        let secrets: Vec<_> =
            fields.iter().map(|field| field.name.clone()).filter(|name| is_secret(name)).collect();
        let mut notes = notes(&method, &left, &secrets, saved.as_ref());
        if page.target.contains('?') {
            notes.push(QUERY.into());
        }
        let lines: Vec<_> =
            fields.iter().map(|field| Zeroizing::new(format!("{}: {}", field.name, &*field.value))).collect();
        write_all(args, &lines, body.as_deref().map(Vec::as_slice))?;
        let names = fields.iter().map(|field| field.name.clone()).collect();
        let target = Zeroizing::new(page.target.clone());
        let template = Template { method, target, fields: lines, body };
        Ok(Self { page, template, saved, secrets, notes, from_file: Some(names), url })
    }

    /// The command that proves the plan, if the request was saved. Header fields and body are in files.
    pub(super) fn command(&self, args: &WebPlanArgs) -> Option<String> {
        let names = self.from_file.as_ref()?;
        let mut words = vec!["volery".to_owned(), "web".into(), "prove".into(), quoted(&self.url)];
        let mut add = |option: &str, value: &str| words.extend([format!("--{option}"), quoted(value)]);
        if self.template.method != "GET" {
            add("method", &self.template.method);
        }
        let file = |path: &Option<std::path::PathBuf>, usual: &str| {
            path.as_ref().map_or_else(|| usual.to_owned(), |path| path.display().to_string())
        };
        if !names.is_empty() {
            add("headers", &file(&args.write_headers, "page.headers"));
        }
        if self.template.body.is_some() {
            add("body", &file(&args.write_body, "page.body"));
        }
        options(&args.page, &mut add);
        add("out", &file(&args.out, "page.attestation"));
        words.extend(flags(&args.page).map(|flag| format!("--{flag}")));
        Some(words.join(" "))
    }
}

/// The options of a page with their values, for another command line.
fn options(page: &WebPageArgs, add: &mut impl FnMut(&str, &str)) {
    // Destructured, so that none is forgotten.
    let WebPageArgs {
        notary,
        notary_key,
        notary_pin,
        notary_ca,
        notary_token,
        notary_timeout,
        contract_signer,
        mode,
        timeout,
        tls,
        cipher,
        expect,
        then,
        read,
        reveal,
        hide,
        assert,
        commit,
        openings,
        leaves,
        context,
        roots,
        // Those without a value are `flags`.
        no_alpn: _,
        apart: _,
        pipelined: _,
        show_rest: _,
        commit_all: _,
        trust_close: _,
        yes: _,
        // The request was saved.
        method: _,
        header: _,
        headers: _,
        body: _,
    } = page;
    if let (Some(address), Some(key)) = (notary, notary_key) {
        add("notary", &address.to_string());
        add("notary-key", &hex::encode(key));
    }
    if let Some(pin) = notary_pin {
        add("notary-pin", &pin.to_string());
    }
    if let Some(address) = contract_signer {
        add("contract-signer", &address.to_string());
    }
    let files = [
        ("notary-ca", notary_ca),
        ("notary-token", notary_token),
        ("openings", openings),
        ("leaves", leaves),
    ];
    for (option, path) in files {
        if let Some(path) = path {
            add(option, &path.display().to_string());
        }
    }
    if *mode != ModeArg::default() {
        add("mode", mode.name());
    }
    if *tls != TlsArg::default() {
        add("tls", tls.name());
    }
    if *cipher != CipherArg::default() {
        add("cipher", cipher.name());
    }
    if let Some(time) = notary_timeout {
        add("notary-timeout", &time.as_secs_f64().to_string());
    }
    if let Some(timeout) = timeout {
        add("timeout", &timeout.as_secs().to_string());
    }
    if *expect != 2048 {
        add("expect", &expect.to_string());
    }
    if *read != 1024 {
        add("read", &read.to_string());
    }
    let lists = [("reveal", reveal), ("hide", hide), ("assert", assert), ("commit", commit)];
    for (option, values) in lists {
        values.iter().for_each(|value| add(option, value));
    }
    for (option, paths) in [("roots", roots), ("then", then)] {
        paths.iter().for_each(|path| add(option, &path.display().to_string()));
    }
    if let Some(context) = context {
        add("context", &format!("hex:{}", hex::encode(context.as_bytes())));
    }
}

fn flags(page: &WebPageArgs) -> impl Iterator<Item = &'static str> {
    let all = [
        (page.no_alpn, "no-alpn"),
        (page.trust_close, "trust-close"),
        (page.apart, "apart"),
        (page.pipelined, "pipelined"),
        (page.show_rest, "show-rest"),
        (page.commit_all, "commit-all"),
        (page.yes, "yes"),
    ];
    all.into_iter().filter(|(set, _)| *set).map(|(_, flag)| flag)
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Writes the files that the command names, if the user wants them.
fn write_all(args: &WebPlanArgs, lines: &[Zeroizing<String>], body: Option<&[u8]>) -> Result<(), Failure> {
    if let Some(path) = &args.write_headers {
        let mut text = Zeroizing::new(String::with_capacity(lines.iter().map(|line| line.len() + 1).sum()));
        for line in lines {
            text.push_str(line);
            text.push('\n');
        }
        write(path, text.as_bytes())?;
    }
    match (&args.write_body, body) {
        (Some(path), Some(body)) => write(path, body),
        (Some(_), None) => {
            tell("the saved request has no body, so none was written");
            Ok(())
        }
        (None, _) => Ok(()),
    }
}

/// Writes a new file that only its owner can read. If the same plan has written it before, it stays.
fn write(path: &Path, content: &[u8]) -> Result<(), Failure> {
    let same = path.exists() && read(path, content.len() as u64).is_ok_and(|known| *known == content);
    if same { Ok(()) } else { new_file::write_secret(path, content) }
}

/// What a reader of the plan should know about a saved request.
fn notes(method: &str, left: &[String], secrets: &[String], saved: Option<&SavedResponse>) -> Vec<String> {
    let mut notes = Vec::new();
    if !left.is_empty() {
        notes.push(format!("left out of the saved request: {}", left.join(", ")));
    }
    let Some(response) = saved else {
        notes.extend(again(method));
        return notes;
    };
    notes.push("the server was not called: which TLS it takes, and its certificate, are not known".into());
    if secrets.is_empty() {
        notes.push(
            "the file has no cookie and no other credential; browsers leave them out unless you export \"with sensitive data\"".into(),
        );
    }
    if response.fields.iter().any(|field| field.is("content-encoding")) {
        notes.push(
            "the server compressed this response for the browser; a proof asks it not to, and needs that"
                .into(),
        );
    }
    notes
}

/// What there is to know about a request that may change something.
fn again(method: &str) -> Option<String> {
    let changes = !["GET", "HEAD", "OPTIONS"].contains(&method);
    changes.then(|| format!("the plan has made the {method} request, and a proof makes it again"))
}

fn from_har(path: &Path, number: Option<usize>) -> Result<(SavedRequest, SavedResponse), Failure> {
    let failed = |reason: String| Failure::input(format!("{}: {reason}", path.display()));
    let text = read(path, MAX_HAR as u64)?;
    let har = Har::parse(&text).map_err(|error| failed(error.to_string()))?;
    let number = match number {
        Some(number) => number,
        None if har.count() == 1 => 1,
        None => {
            let line = |title: super::super::saved::har::Title| {
                let status = title.status.map_or_else(|| "no response".into(), |status| status.to_string());
                format!("\n  {:4}  {} {}  {status}", title.number, title.method, title.url)
            };
            let lines: String = har.titles().take(MAX_TITLES).map(line).collect();
            let more = har.count().saturating_sub(MAX_TITLES);
            let more = if more > 0 { format!("\n  and {more} more") } else { String::new() };
            return Err(failed(format!(
                "it has {} requests; choose one with --entry N:{lines}{more}",
                har.count()
            )));
        }
    };
    har.entry(number).map_err(|error| failed(error.to_string()))
}

/// Whether a field of a request is a credential.
fn is_secret(name: &str) -> bool {
    visibility(Side::Client, name) == Visibility::Secret
}

/// A mistake for each secret of a saved request that this selection shows to everybody.
pub(super) fn shown_secrets<'a>(
    selection: &'a Selection,
    secrets: &'a [String],
) -> impl Iterator<Item = MistakeReport> + 'a {
    let named = |part: &MessagePart| match (part.side, &part.part) {
        (Side::Client, Part::Header(name)) => secrets.iter().any(|secret| secret.eq_ignore_ascii_case(name)),
        _ => false,
    };
    selection.reveal.iter().filter(move |part| named(part)).map(|part| MistakeReport {
        part: Some(part.name()),
        message: "it is a credential of the saved request, and --reveal would show it to every reader; leave it hidden"
            .into(),
        untrue: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_a_shell_are_read_back_by_one() {
        for word in ["", "plain-1", "a b", "it's", "$HOME `x` \\", "https://a/?b=1&c"] {
            let back = super::super::super::saved::shell::words(&quoted(word)).expect("a word");
            assert_eq!(back.first().map(|word| word.to_vec()), Some(word.as_bytes().to_vec()), "{word}");
        }
    }

    #[test]
    fn credentials_are_secret_and_what_everybody_sends_is_not() {
        for (name, secret) in [
            ("Cookie", true),
            ("AUTHORIZATION", true),
            ("X-Api-Key", true),
            ("Accept", false),
            ("Host", false),
        ] {
            assert_eq!(is_secret(name), secret, "{name}");
        }
        let reveal =
            |name: &str| MessagePart { side: Side::Client, round: 0, part: Part::Header(name.into()) };
        let selection =
            Selection { reveal: vec![reveal("cookie"), reveal("accept")], ..Selection::default() };
        let found: Vec<_> = shown_secrets(&selection, &["Cookie".into()]).collect();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].part.as_deref(), Some("request.header:cookie"));
    }
}
