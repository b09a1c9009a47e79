//! What an attestation would say of a page that was fetched or saved.

use volery::os_rng;
use volery::web::disclosure::{Draft, Error, Listed, PartKind, Refusal, Selection, Suite, TlsVersion};
use volery::web::http;
use volery::web::leaf::Seed;
use volery::web::plain::Agreed;
use zeroize::Zeroizing;

use super::super::saved::SavedResponse;
use super::super::script::Script;
use super::report::MistakeReport;
use crate::args::WebPageArgs;
use crate::failure::Failure;

/// Fields of a saved response that say how it was sent, which is not how it is here.
const OF_SENDING: [&str; 6] =
    ["content-length", "transfer-encoding", "content-encoding", "connection", "keep-alive", "trailer"];
/// About what a handshake takes, in bytes: the client's, the server's.
const HANDSHAKE: [u64; 2] = [700, 4500];
/// The bytes of a record besides its contents.
const RECORD: u64 = 29;

/// The requests of a connection, and the responses to them.
pub(super) struct Answered {
    pub(super) draft: Draft,
    /// What server and client agreed on, if there was a connection.
    pub(super) agreed: Option<Agreed>,
    /// Whether the server left the connection open.
    pub(super) open: bool,
    /// All bytes on the wire, in each direction.
    pub(super) wire: [u64; 2],
}

impl Answered {
    /// The requests, one after the other.
    pub(super) fn request(&self) -> &[u8] {
        let [request, _] = &self.draft.payload;
        request
    }

    /// The responses, one after the other.
    pub(super) fn response(&self) -> &[u8] {
        let [_, response] = &self.draft.payload;
        response
    }

    /// Everything because of which a proof would fail.
    pub(super) fn mistakes(&self, selection: &Selection, parts: &[Listed]) -> Vec<MistakeReport> {
        let found = self.draft.mistakes(selection);
        let still_open = found.contains(&Error::StillOpen);
        let mut all: Vec<_> = parts.iter().filter_map(compressed).collect();
        all.extend(found.into_iter().map(of));
        if self.open && !still_open {
            all.push(MistakeReport::of_words(
                "the server leaves the connection open after its last response although it announces the end; a proof \
                 waits for the end in vain"
                    .into(),
            ));
        }
        all
    }
}

/// The mistake of a response that is compressed.
fn compressed(listed: &Listed) -> Option<MistakeReport> {
    match &listed.kind {
        PartKind::Body { opaque: Some(reason) } if reason.contains("Content-Encoding") => {
            Some(MistakeReport {
                part: Some(listed.part.name()),
                message: format!(
                    "{reason}; the request asks for `Accept-Encoding: identity`, and this server does not care: look for another \
                 address or version of this page, or ask its operator"
                ),
                untrue: false,
            })
        }
        _ => None,
    }
}

/// An error of the draft, with what to do about it.
fn of(error: Error) -> MistakeReport {
    match &error {
        Error::NotTrue(claim) => MistakeReport { part: None, message: format!("not true: {claim}"), untrue: true },
        Error::StillOpen => MistakeReport::of_words(
            "the server neither ends the connection nor says that it will (`Connection: close`) although the request asks for \
             it, so nothing may be shown: with what is opened for a proof, the notary could make requests on it"
                .into(),
        ),
        Error::Refused(Refusal::Part { message, part, reason }) => {
            MistakeReport { part: named(message, part), message: reason.clone(), untrue: false }
        }
        _ => MistakeReport::of_words(error.to_string()),
    }
}

/// A seed of leaves, if everything is committed to.
pub(super) fn leaves(asked: &WebPageArgs) -> Result<Option<Seed>, Failure> {
    Ok(if asked.commit_all { Some(Seed::new(&mut os_rng()?)) } else { None })
}

/// The name on a command line of a part of this message: `response 2`, `json a` is `response2.json:a`.
fn named(message: &str, part: &str) -> Option<String> {
    let message = message.replace(' ', "");
    Some(match part.split_once(' ') {
        Some(("json,", _)) => format!("{message}.json:"),
        // A name with unusual characters is written as a JSON string.
        Some(("query", name)) => {
            let name = serde_json::from_str(name).unwrap_or_else(|_| name.to_owned());
            format!("{message}.query.{name}")
        }
        Some((kind, name)) => format!("{message}.{kind}:{name}"),
        None => format!("{message}.{part}"),
    })
}

/// A saved response, as the server would send it to this program: not compressed, with its length.
pub(super) fn saved(
    asked: &WebPageArgs,
    script: &Script,
    response: &SavedResponse,
) -> Result<Answered, Failure> {
    let request = script.request(0, &Default::default()).map_err(Failure::Input)?;
    let head = request.starts_with(b"HEAD ");
    let SavedResponse { status, fields, body } = response;
    let mut text = Zeroizing::new(format!("HTTP/1.1 {status} \r\n"));
    for field in fields.iter().filter(|field| !OF_SENDING.iter().any(|name| field.is(name))) {
        text.push_str(&format!("{}: {}\r\n", field.name, &*field.value));
    }
    let bodiless = head || [204, 304].contains(status);
    if !bodiless {
        text.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    text.push_str("Connection: close\r\n\r\n");
    let body = if bodiless { &[][..] } else { body };
    let response = Zeroizing::new([text.as_bytes(), body].concat());
    let parsed = http::Response::parse(&response, 0, head, true);
    parsed.map_err(|error| Failure::input(format!("the saved response: {error}")))?;
    let page = script.page();
    let wire = |payload: &[u8], handshake: u64| {
        let length = payload.len() as u64;
        handshake.saturating_add(length).saturating_add(RECORD.saturating_mul(length.div_ceil(1 << 14) + 1))
    };
    let [client, server] = HANDSHAKE;
    Ok(Answered {
        wire: [wire(&request, client), wire(&response, server)],
        draft: Draft {
            mode: asked.mode.into(),
            // Most servers take the newer one.
            tls: Option::from(asked.tls).unwrap_or(TlsVersion::Tls13),
            suite: Option::from(asked.cipher).unwrap_or(Suite::Aes128GcmSha256),
            host: page.host.clone(),
            port: page.port,
            alpn: true,
            certificate: Vec::new(),
            pipelined: false,
            context: asked.context.clone().unwrap_or_default(),
            leaves: leaves(asked)?,
            closed: true,
            trusts_close: asked.trust_close,
            payload: [request, response],
        },
        agreed: None,
        open: false,
    })
}

#[cfg(test)]
mod tests {
    use volery::web::attestation::Mode;
    use volery::web::disclosure::Rest;

    use super::*;

    /// One that announces the end, and one that does not; neither ends the connection.
    #[test]
    fn a_server_that_leaves_the_connection_open_is_one_mistake() {
        for (field, told) in [("Connection: close\r\n", "waits for the end"), ("", "`Connection: close`")] {
            let request = b"GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n".to_vec();
            let response = format!("HTTP/1.1 200 OK\r\n{field}Content-Length: 2\r\n\r\nok").into_bytes();
            let payload = [request, response].map(Zeroizing::new);
            let (mode, tls) = (Mode::Proxy, TlsVersion::Tls12);
            let draft = Draft { mode, tls, closed: false, ..Draft::of("a.example", payload) };
            let answered = Answered { draft, agreed: None, open: true, wire: [0; 2] };
            let selection = Selection { responses: Rest::Revealed, ..Selection::default() };
            let found = answered.mistakes(&selection, &answered.draft.parts().expect("sound"));
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].message.contains(told) && !found[0].untrue, "{found:?}");
        }
    }

    #[test]
    fn parts_in_errors_are_named_as_on_a_command_line() {
        for (message, part, name) in [
            ("request", "header X-A", "request.header:X-A"),
            ("response 2", "json a[0].b", "response2.json:a[0].b"),
            ("response", "json, all of it", "response.json:"),
            ("request", "query id", "request.query.id"),
            ("request", "query \"a \\\"b\"", "request.query.a \"b"),
            ("response", "trailer Checksum", "response.trailer:Checksum"),
            ("request 3", "query", "request3.query"),
            ("response", "body", "response.body"),
        ] {
            assert_eq!(named(message, part).as_deref(), Some(name));
        }
    }
}
