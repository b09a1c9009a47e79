//! The file of a policy.

use std::collections::HashSet;

use serde::{Deserialize, Deserializer};
use volery_channel::hex;

use super::Demand;
use super::demand::check_part;
use crate::page::attestation::contract::Address;
use crate::page::attestation::{Context, Mode, key_id};
use crate::page::claim::Instant;
use crate::page::disclosure::{MessagePart, TlsVersion};
use crate::wire::server;

/// The longest policy, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// A policy that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// It is not JSON, or lacks a key, or has one that is not known.
    #[error("this is not a policy: {0}")]
    Form(String),
    /// A key has a value that means nothing.
    #[error("the policy's `{key}`: {reason}")]
    Value {
        /// The key.
        key: &'static str,
        /// What is wrong with it.
        reason: String,
    },
}

/// What a reader demands (see the [module](super)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Who may sign.
    pub notaries: Vec<Notary>,
    /// How many of them must.
    pub at_least: usize,
    /// One of these must have signed for contracts; none need if there are none.
    pub contract_signers: Vec<Address>,
    /// The server's host.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// The method of each request.
    pub method: String,
    /// The pattern of each request's path.
    pub path: String,
    /// The pattern of each request's query.
    pub query: Option<String>,
    /// Names of further header fields of requests.
    pub fields: Vec<String>,
    /// The status of each response.
    pub status: u16,
    /// The claims.
    pub claims: Vec<Demand>,
    /// The parts that must be shown.
    pub shows: Vec<MessagePart>,
    /// The most seconds since the statement.
    pub max_age: Option<u64>,
    /// The modes.
    pub modes: Vec<Mode>,
    /// The versions of TLS.
    pub tls: Vec<TlsVersion>,
    /// The most requests.
    pub max_rounds: u32,
    /// Whether they may be sent at once.
    pub allow_pipelined: bool,
    /// Whether queries and bodies of requests may say anything, also hidden.
    pub allow_hidden_words: bool,
    /// Whether the server may have named no protocol (ALPN) where the prover chose its port.
    pub allow_no_alpn: bool,
    /// The context.
    pub context: Option<Context>,
}

/// A notary.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Notary {
    /// Its name, which the reader has chosen.
    pub name: String,
    /// Its keys.
    pub keys: Vec<Key>,
}

/// A key of a notary, and of which times it may sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The public key.
    pub key: [u8; 32],
    /// The first moment.
    pub from: Option<Instant>,
    /// The first moment that is too late.
    pub until: Option<Instant>,
}

/// The file, as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    notaries: Vec<Notary>,
    #[serde(default = "one")]
    at_least: usize,
    #[serde(default)]
    contract_signers: Vec<String>,
    host: String,
    #[serde(default = "https")]
    port: u16,
    #[serde(default = "get")]
    method: String,
    path: String,
    query: Option<String>,
    #[serde(default)]
    fields: Vec<String>,
    #[serde(default = "ok")]
    status: u16,
    #[serde(default)]
    claims: Vec<String>,
    #[serde(default)]
    shows: Vec<String>,
    max_age: Option<u64>,
    #[serde(default = "two_party")]
    modes: Vec<ModeName>,
    #[serde(default = "both")]
    tls: Vec<TlsName>,
    #[serde(default = "one_round")]
    max_rounds: u32,
    #[serde(default)]
    allow_pipelined: bool,
    #[serde(default)]
    allow_hidden_words: bool,
    #[serde(default)]
    allow_no_alpn: bool,
    context: Option<String>,
}

fn one() -> usize {
    1
}

fn one_round() -> u32 {
    1
}

fn https() -> u16 {
    443
}

fn ok() -> u16 {
    200
}

fn get() -> String {
    "GET".into()
}

fn two_party() -> Vec<ModeName> {
    vec![ModeName::TwoParty]
}

fn both() -> Vec<TlsName> {
    vec![TlsName::Tls12, TlsName::Tls13]
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ModeName {
    TwoParty,
    Proxy,
}

#[derive(Deserialize)]
enum TlsName {
    #[serde(rename = "1.2")]
    Tls12,
    #[serde(rename = "1.3")]
    Tls13,
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Written {
            key: String,
            id: Option<String>,
            from: Option<String>,
            until: Option<String>,
        }
        let Written { key, id, from, until } = Written::deserialize(deserializer)?;
        let wrong =
            |reason: String| serde::de::Error::custom(format!("key `{}`: {reason}", key.escape_debug()));
        let bytes = hex::decode_array(key.as_bytes())
            .ok_or_else(|| wrong("expected 64 hexadecimal digits".into()))?;
        if let Some(id) = id.filter(|id| *id != key_id(&bytes)) {
            return Err(wrong(format!("its id is {}, not `{}`", key_id(&bytes), id.escape_debug())));
        }
        let moment = |text: Option<String>| {
            text.map(|text| text.parse::<Instant>()).transpose().map_err(|error| wrong(error.to_string()))
        };
        let (from, until) = (moment(from)?, moment(until)?);
        if let (Some(from), Some(until)) = (from, until)
            && from >= until
        {
            return Err(wrong(format!("it ends ({until}) before it begins ({from})")));
        }
        Ok(Self { key: bytes, from, until })
    }
}

impl Policy {
    /// Reads a policy.
    ///
    /// # Errors
    /// [`PolicyError`].
    pub fn from_json(text: &[u8]) -> Result<Self, PolicyError> {
        if text.len() > MAX_BYTES {
            return Err(PolicyError::Form(format!("it has more than {MAX_BYTES} bytes")));
        }
        let file: File =
            serde_json::from_slice(text).map_err(|error| PolicyError::Form(error.to_string()))?;
        if file.version != 1 {
            return Err(value("version", format!("{} is not known; expected 1", file.version)));
        }
        let policy = Self {
            notaries: file.notaries,
            at_least: file.at_least,
            contract_signers: file
                .contract_signers
                .iter()
                .map(|text| address(text))
                .collect::<Result<_, _>>()?,
            host: file.host,
            port: file.port,
            method: file.method,
            path: file.path,
            query: file.query,
            fields: file.fields,
            status: file.status,
            claims: file.claims.iter().map(|text| text.parse()).collect::<Result<_, _>>()?,
            shows: file.shows.iter().map(|text| shown(text)).collect::<Result<_, _>>()?,
            max_age: file.max_age,
            modes: file.modes.iter().map(mode).collect(),
            tls: file.tls.iter().map(tls).collect(),
            max_rounds: file.max_rounds,
            allow_pipelined: file.allow_pipelined,
            allow_hidden_words: file.allow_hidden_words,
            allow_no_alpn: file.allow_no_alpn,
            context: file.context.map(|text| context(&text)).transpose()?,
        };
        policy.check_values()?;
        Ok(policy)
    }

    /// Checks what could satisfy no attestation, or would satisfy another than was meant.
    fn check_values(&self) -> Result<(), PolicyError> {
        if server::canonical_name(&self.host).as_deref() != Ok(&*self.host) {
            return Err(value(
                "host",
                "it is not a DNS name in lower case or an IP address in its usual form",
            ));
        }
        if !self.path.starts_with(['/', '*']) || self.path.contains(['?', '#', ' ']) {
            return Err(value("path", "it is not a pattern of a path, like /accounts/*"));
        }
        if self.query.as_ref().is_some_and(|query| !query.bytes().all(|byte| byte.is_ascii_graphic())) {
            return Err(value("query", "it has characters that are in no query"));
        }
        if self.modes.is_empty() || self.tls.is_empty() || self.max_rounds == 0 {
            return Err(value("modes, tls, max_rounds", "there must be at least one"));
        }
        if !(1..=self.notaries.len()).contains(&self.at_least) {
            let reason = format!("{} of {} notaries", self.at_least, self.notaries.len());
            return Err(value("at_least", reason));
        }
        let (mut names, mut keys) = (HashSet::new(), HashSet::new());
        for (number, notary) in self.notaries.iter().enumerate() {
            if notary.name.is_empty() || !names.insert(&notary.name) {
                return Err(value("notaries", "each has a name of its own"));
            }
            // A notary may have a key in several spans of time, but no key of another's.
            let own: HashSet<[u8; 32]> = notary.keys.iter().map(|key| key.key).collect();
            if own.is_empty() || own.iter().any(|key| !keys.insert(*key)) {
                return Err(value("notaries", format!("notary {number} has no key, or one of another's")));
            }
        }
        Ok(())
    }
}

fn value(key: &'static str, reason: impl Into<String>) -> PolicyError {
    PolicyError::Value { key, reason: reason.into() }
}

fn shown(text: &str) -> Result<MessagePart, PolicyError> {
    let part: MessagePart =
        text.parse().map_err(|error| value("shows", format!("`{}`: {error}", text.escape_debug())))?;
    check_part(&part).map_err(|reason| value("shows", reason))?;
    Ok(part)
}

fn address(text: &str) -> Result<Address, PolicyError> {
    text.parse().map_err(|error| value("contract_signers", format!("`{}`: {error}", text.escape_debug())))
}

fn context(text: &str) -> Result<Context, PolicyError> {
    let context: Context = text.parse().map_err(|error| value("context", format!("{error}")))?;
    if context.is_empty() { Err(value("context", "it is empty")) } else { Ok(context) }
}

fn mode(name: &ModeName) -> Mode {
    match name {
        ModeName::TwoParty => Mode::TwoParty,
        ModeName::Proxy => Mode::Proxy,
    }
}

fn tls(name: &TlsName) -> TlsVersion {
    match name {
        TlsName::Tls12 => TlsVersion::Tls12,
        TlsName::Tls13 => TlsVersion::Tls13,
    }
}
