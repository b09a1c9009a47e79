//! The struct of EIP-712: its types, its hash, and what `eth_signTypedData_v4` takes.
//!
//! ```text
//! hash of a struct  =  Keccak-256(Keccak-256(its type) | a word of 32 bytes for each member)
//! word              =  an integer, big-endian; Keccak-256 of a text or of bytes;
//!                      Keccak-256 of the words of a list, one after the other
//! ```

use serde_json::{Map, Value as Json, json};
use sha3::{Digest as _, Keccak256};
use volery_channel::hex;

use super::{ContractSignature, NamedClaim, NamedValue, TypedStatement};

/// Types and names of a struct's members, in order.
type Members = [(&'static str, &'static str)];

const DOMAIN: &Members = &[("string", "name"), ("string", "version")];
const ATTESTATION: &Members = &[
    ("bytes32", "file"),
    ("string", "host"),
    ("uint16", "port"),
    ("bool", "alpn"),
    ("uint8", "mode"),
    ("uint8", "tls"),
    ("uint64", "time"),
    ("bytes", "context"),
    ("string", "method"),
    ("string", "path"),
    ("string", "query"),
    ("string[]", "fields"),
    ("bytes", "body"),
    ("uint16", "status"),
    ("Value[]", "values"),
    ("Claim[]", "claims"),
];
const CLAIM: &Members = &[("string", "part"), ("string", "class"), ("string", "claim")];
const VALUE: &Members = &[("string", "part"), ("string", "value")];

/// The domain's name, and the version of this form.
const NAME: &str = "Volery";
const VERSION: &str = "1";

/// The value of a member.
enum Value<'a> {
    Word([u8; 32]),
    Number(u64),
    Flag(bool),
    Text(&'a str),
    Bytes(&'a [u8]),
    List(Vec<Value<'a>>),
    Struct(&'static str, &'static Members, Vec<Value<'a>>),
}

use Value::{Bytes, Flag, List, Number, Struct, Text, Word};

fn keccak(bytes: impl AsRef<[u8]>) -> [u8; 32] {
    Keccak256::digest(bytes).into()
}

/// A struct's type: `Claim(string part,string class,string claim)`.
fn written(name: &str, members: &Members) -> String {
    let members: Vec<_> = members.iter().map(|(of, member)| format!("{of} {member}")).collect();
    format!("{name}({})", members.join(","))
}

/// The same, followed by the types that it has in it, in the order of their names.
fn type_of(name: &str, members: &Members) -> String {
    let own = written(name, members);
    let inner = [("Claim", CLAIM), ("Value", VALUE)].into_iter();
    let inner =
        inner.filter(|(inner, _)| members.iter().any(|(of, _)| of.strip_suffix("[]") == Some(*inner)));
    inner.fold(own, |all, (name, members)| all + &written(name, members))
}

impl Value<'_> {
    /// The word of 32 bytes that is hashed.
    fn word(&self) -> [u8; 32] {
        match self {
            Word(word) => *word,
            Number(number) => {
                let mut word = [0; 32];
                word.iter_mut().rev().zip(number.to_le_bytes()).for_each(|(byte, own)| *byte = own);
                word
            }
            Flag(flag) => Number(u64::from(*flag)).word(),
            Text(text) => keccak(text),
            Bytes(bytes) => keccak(bytes),
            List(values) => keccak(values.iter().flat_map(Value::word).collect::<Vec<_>>()),
            Struct(name, members, values) => {
                let words = values.iter().flat_map(Value::word);
                keccak(keccak(type_of(name, members)).into_iter().chain(words).collect::<Vec<_>>())
            }
        }
    }

    fn json(&self) -> Json {
        match self {
            Word(word) => json!(format!("0x{}", hex::encode(word))),
            Number(number) => json!(number),
            Flag(flag) => json!(flag),
            Text(text) => json!(text),
            Bytes(bytes) => json!(format!("0x{}", hex::encode(bytes))),
            List(values) => values.iter().map(Value::json).collect(),
            Struct(_, members, values) => {
                let members = members.iter().zip(values);
                members
                    .map(|((_, name), value)| ((*name).to_owned(), value.json()))
                    .collect::<Map<_, _>>()
                    .into()
            }
        }
    }
}

fn domain() -> Value<'static> {
    Struct("EIP712Domain", DOMAIN, vec![Text(NAME), Text(VERSION)])
}

fn value(NamedValue { part, value }: &NamedValue) -> Value<'_> {
    Struct("Value", VALUE, vec![Text(part), Text(value)])
}

fn claim(NamedClaim { part, class, claim }: &NamedClaim) -> Value<'_> {
    Struct("Claim", CLAIM, vec![Text(part), Text(class), Text(claim)])
}

/// The members in the order of [`ATTESTATION`].
fn message(typed: &TypedStatement) -> Value<'_> {
    let TypedStatement {
        file,
        host,
        port,
        alpn,
        mode,
        tls,
        time,
        context,
        method,
        path,
        query,
        fields,
        body,
        status,
        values,
        claims,
    } = typed;
    let members = vec![
        Word(*file),
        Text(host),
        Number((*port).into()),
        Flag(*alpn),
        Number((*mode).into()),
        Number((*tls).into()),
        Number(*time),
        Bytes(context),
        Text(method),
        Text(path),
        Text(query),
        List(fields.iter().map(|name| Text(name)).collect()),
        Bytes(body),
        Number((*status).into()),
        List(values.iter().map(value).collect()),
        List(claims.iter().map(claim).collect()),
    ];
    Struct("Attestation", ATTESTATION, members)
}

/// The digest that is signed.
pub(super) fn digest(typed: &TypedStatement) -> [u8; 32] {
    keccak([&[0x19, 0x01][..], &domain().word(), &message(typed).word()].concat())
}

/// What `eth_signTypedData_v4` takes, and besides it `signer`, the address, and `signature`.
pub(in crate::page::attestation) fn typed_data(typed: &TypedStatement, signed: &ContractSignature) -> Json {
    let listed = |members: &Members| {
        members.iter().map(|(of, name)| json!({ "name": name, "type": of })).collect::<Json>()
    };
    json!({
        "types": {
            "EIP712Domain": listed(DOMAIN),
            "Attestation": listed(ATTESTATION),
            "Claim": listed(CLAIM),
            "Value": listed(VALUE),
        },
        "primaryType": "Attestation",
        "domain": domain().json(),
        "message": message(typed).json(),
        "signer": signed.address.to_string(),
        "signature": format!("0x{}", hex::encode(&signed.signature)),
    })
}
