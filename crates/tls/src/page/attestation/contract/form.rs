//! What an attestation says, as far as a contract can use it.

use crate::page::attestation::{Error, Statement, codec};
use crate::page::disclosure::{Found, Hidden, MessagePart, Part, Reading};
use crate::wire::prf::Side;

/// A statement about one request and its response, as a contract gets it. The members have the names and the
/// order of the struct of EIP-712.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedStatement {
    /// SHA-256 of the attestation without its second signature.
    pub file: [u8; 32],
    /// The server's host.
    pub host: String,
    /// The server's port.
    pub port: u16,
    /// Whether the server named HTTP/1.1 as its protocol. If not, with two parties another service of the
    /// host may have answered.
    pub alpn: bool,
    /// How the connection was made: 0 proxy, 1 two parties.
    pub mode: u8,
    /// The version of TLS: 2 for 1.2, 3 for 1.3.
    pub tls: u8,
    /// Seconds since 1970.
    pub time: u64,
    /// The context.
    pub context: Vec<u8>,
    /// The request's method.
    pub method: String,
    /// The path of its target.
    pub path: String,
    /// The query of its target; empty if there is none.
    pub query: String,
    /// Its header fields whose effect on servers is not known: their names, as they were sent.
    pub fields: Vec<String>,
    /// Its body; empty if there is none.
    pub body: Vec<u8>,
    /// The response's status.
    pub status: u16,
    /// The values of the response's JSON body that are shown, in order, as they were sent: strings are in
    /// quotation marks. Of another body that is shown, and is UTF-8, the whole text.
    pub values: Vec<NamedValue>,
    /// The claims about hidden strings, first those of the request.
    pub claims: Vec<NamedClaim>,
}

/// A part that is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedValue {
    /// Its name, as on a command line: `response.json:currency`.
    pub part: String,
    /// Its text.
    pub value: String,
}

/// A claim about a hidden part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedClaim {
    /// The part's name: `response.json:balance`.
    pub part: String,
    /// What is proved of its bytes: `json-number`.
    pub class: String,
    /// The claim in words: `is a number of at least 5000`.
    pub claim: String,
}

/// Why a statement has no such form.
fn none(reason: &'static str) -> Error {
    Error::NoForm(reason)
}

impl TypedStatement {
    /// The form of a statement in an attestation with this hash.
    ///
    /// # Errors
    /// [`Error::NoForm`] if it has none (see the [module](super)).
    pub fn new(statement: &Statement, file: [u8; 32]) -> Result<Self, Error> {
        let Statement { mode, tls, server_name, port, alpn, time, rounds, context, .. } = statement;
        if *rounds != 1 {
            return Err(none("is about several requests; prove them apart"));
        }
        let reading = statement.reading().ok_or(none("has messages that cannot be read again"))?;
        let request = Request::read(&reading)?;
        let claims = [(Side::Client, &statement.query), (Side::Server, &statement.response)];
        let claims =
            claims.iter().flat_map(|(side, part)| part.hidden.iter().flat_map(|one| said(*side, one)));
        Ok(Self {
            file,
            host: server_name.clone(),
            port: *port,
            alpn: *alpn,
            mode: codec::mode_code(*mode),
            tls: codec::tls_code(*tls),
            time: *time,
            context: context.as_bytes().to_vec(),
            method: request.method,
            path: request.path,
            query: request.query,
            fields: reading.unknown_fields(0),
            body: request.body,
            status: request.status,
            values: values(&reading),
            claims: claims.collect(),
        })
    }
}

/// The words of a request that all show, and the answer's status.
struct Request {
    method: String,
    path: String,
    query: String,
    body: Vec<u8>,
    status: u16,
}

impl Request {
    fn read(reading: &Reading) -> Result<Self, Error> {
        let (method, _, status) = reading.outline(0).ok_or(none("has no request"))?;
        let path = reading.path(0).ok_or(none("hides the path"))?;
        // A hidden byte is none of UTF-8.
        let query = reading.query(0).and_then(|query| String::from_utf8(query).ok());
        let query = query.ok_or(none("hides a part of the request's query"))?;
        let body = if reading.has_body(0) { shown(reading, Side::Client) } else { Some(Vec::new()) };
        let body = body.ok_or(none("hides a part of the request's body"))?;
        Ok(Self { method, path, query, body, status })
    }
}

/// A body, if all of it is shown.
fn shown(reading: &Reading, side: Side) -> Option<Vec<u8>> {
    match reading.find(&MessagePart { side, round: 0, part: Part::Body }) {
        Ok(Found::Shown { text, .. }) => Some(text),
        _ => None,
    }
}

fn name(side: Side, part: Part) -> String {
    MessagePart { side, round: 0, part }.name()
}

fn values(reading: &Reading) -> Vec<NamedValue> {
    let values = reading.values(Side::Server, 0).into_iter();
    let values: Vec<_> = values
        .map(|(path, value)| NamedValue { part: name(Side::Server, Part::Json(path)), value })
        .collect();
    if !values.is_empty() {
        return values;
    }
    let text = shown(reading, Side::Server).and_then(|body| String::from_utf8(body).ok());
    text.map(|value| NamedValue { part: name(Side::Server, Part::Body), value }).into_iter().collect()
}

/// What is claimed of a hidden string.
fn said(side: Side, hidden: &Hidden) -> impl Iterator<Item = NamedClaim> {
    hidden.claims.iter().map(move |claim| NamedClaim {
        part: name(side, hidden.part.clone()),
        class: hidden.class.name().into(),
        claim: claim.to_string(),
    })
}
