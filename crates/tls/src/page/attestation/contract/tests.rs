//! Two signatures that say the same, and nothing that says otherwise.

use core::ops::Range;

use ed25519_dalek::Signer as _;

use super::signing::signer;
use super::typed_data::digest;
use super::*;
use crate::page::attestation::{Attestation, AttestedPayload, Context, Error, Mode, SigningKey, Statement};
use crate::page::claim::{Assertion, Class};
use crate::page::disclosure::{Hidden, Part, Suite, TlsVersion};
use crate::testing::hex;

const REQUEST: &[u8] = b"POST /accounts/7?id=5 HTTP/1.1\r\nHost: bank.example:8443\r\nX-Trace: 1\r\n\
                         Authorization: secret\r\nContent-Length: 2\r\n\r\nhi";
const RESPONSE: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 61\r\n\r\n\
                          {\"balance\": 11111, \"currency\": \"EUR\", \"open\": true, \"x\": 123}";

fn key() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

fn contract_key() -> ContractKey {
    ContractKey::from_bytes(&[0x46; 32]).unwrap()
}

fn hidden(part: Part, class: Class, range: &Range<usize>, claims: &[&str]) -> Hidden {
    let claims = claims.iter().map(|claim| claim.parse().unwrap()).collect();
    let ranges = core::iter::once(range.clone()).collect();
    Hidden { round: 0, part, class, ranges, claims, commit: None, leaves: Vec::new() }
}

/// A direction with this text hidden as this part.
fn payload(text: &[u8], what: &[u8], part: Part, class: Class, claims: &[&str]) -> AttestedPayload {
    let start = text.windows(what.len()).position(|bytes| bytes == what).unwrap();
    let range = start..start + what.len();
    let shown = AttestedPayload::revealing(text, &[0..range.start, range.end..text.len()]).unwrap();
    AttestedPayload { hidden: vec![hidden(part, class, &range, claims)], ..shown }
}

fn statement() -> Statement {
    let authorization = Part::Header("Authorization".into());
    Statement {
        mode: Mode::TwoParty,
        tls: TlsVersion::Tls13,
        suite: Suite::Aes128GcmSha256,
        server_name: "bank.example".into(),
        port: 8443,
        alpn: true,
        certificate: [7; 32],
        time: 1_780_000_000,
        rounds: 1,
        pipelined: false,
        context: Context::new(b"nonce\xff").unwrap(),
        holder: None,
        query: payload(REQUEST, b"secret", authorization, Class::HeaderValue, &["length 6..6"]),
        response: payload(
            RESPONSE,
            b"11111",
            Part::Json("balance".into()),
            Class::Number,
            &[">= 5000", "is digits"],
        ),
    }
}

fn signed(statement: Statement) -> Attestation {
    Attestation::sign_for_contracts(statement, &key(), &contract_key()).unwrap()
}

fn believed(attestation: &Attestation) -> Result<(), Error> {
    attestation.verify(&key().verifying_key().to_bytes()).map(|_| ())
}

fn typed() -> TypedStatement {
    TypedStatement::new(&statement(), [0xf1; 32]).unwrap()
}

#[test]
fn a_contract_is_told_what_the_attestation_says() {
    let value = |part: &str, value: &str| NamedValue { part: part.into(), value: value.into() };
    let claim = |part: &str, class: &str, claim: &str| NamedClaim {
        part: part.into(),
        class: class.into(),
        claim: claim.into(),
    };
    let expected = TypedStatement {
        file: [0xf1; 32],
        host: "bank.example".into(),
        port: 8443,
        alpn: true,
        mode: 1,
        tls: 3,
        time: 1_780_000_000,
        context: b"nonce\xff".to_vec(),
        method: "POST".into(),
        path: "/accounts/7".into(),
        query: "id=5".into(),
        fields: vec!["X-Trace".into()],
        body: b"hi".to_vec(),
        status: 200,
        values: vec![
            value("response.json:currency", "\"EUR\""),
            value("response.json:open", "true"),
            value("response.json:x", "123"),
        ],
        claims: vec![
            claim("request.header:Authorization", "header-value", "has from 6 to 6 bytes"),
            claim("response.json:balance", "json-number", "is a number of at least 5000"),
            claim("response.json:balance", "json-number", "is digits only"),
        ],
    };
    assert_eq!(typed(), expected);
    let text: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12 EU";
    let all = AttestedPayload::revealing(text, &[0..text.len()]).unwrap();
    let plain = TypedStatement::new(&Statement { response: all, ..statement() }, [0; 32]).unwrap();
    assert_eq!(plain.values, [value("response.body", "12 EU")]);
}

/// By eth-account 0.14 (Python), from types and message written down by hand: the digest of
/// `encode_typed_data(full_message=...)`, and address and signature of `Account.from_key("0x46...46")`, which
/// is the key of EIP-155's example. Nonces follow from key and digest in both programs.
#[test]
fn the_digest_is_that_of_other_programs() {
    assert_eq!(contract_key().address().to_string(), "0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f");
    assert_eq!(digest(&typed()).to_vec(), hex(DIGEST));
    let signature = sign(&typed(), &contract_key()).unwrap().signature;
    assert_eq!(signature.to_vec(), hex(SIGNATURE));
}

const DIGEST: &str = "8bd7c8ffcf0c0403a1fee93cd36bc59b08ccd0f63a6a980afc36ad438a9829b7";
const SIGNATURE: &str = "bc3cb26828de1be22374c4acedcf08f2e352cc9c47a013f799d137fdd92144fa40dca44a8367f43e8ce2ba76c5674f71b4bedf2190049f7fda1cdd3d44a36d1a1c";

#[test]
fn both_signatures_are_read_and_checked() {
    let signed = signed(statement());
    let read = Attestation::from_bytes(&signed.to_bytes()).unwrap();
    assert_eq!((&read, believed(&read)), (&signed, Ok(())));
    assert_eq!(read.contract_signer(), Some(contract_key().address()));
    let data = read.typed_data().unwrap();
    assert_eq!(data["signer"], contract_key().address().to_string());
    assert_eq!(data["message"]["claims"][1]["claim"], "is a number of at least 5000");
    let alone = Attestation::sign(statement(), &key()).unwrap();
    assert_eq!((alone.contract_signer(), alone.typed_data()), (None, Err(Error::NoContractSignature)));
}

#[test]
fn a_change_of_any_member_has_another_signer() {
    type Change = fn(&mut TypedStatement);
    let changes: [Change; 26] = [
        |t| t.file[31] ^= 1,
        |t| t.host.push('x'),
        |t| t.port += 1,
        |t| t.alpn = false,
        |t| t.mode = 0,
        |t| t.tls = 2,
        |t| t.time += 1,
        |t| t.context.clear(),
        |t| t.method = "GET".into(),
        |t| t.path.push('8'),
        |t| t.query.clear(),
        |t| t.fields.clear(),
        |t| t.fields.push("X-Original-URL".into()),
        |t| t.body.push(b'!'),
        |t| t.status = 404,
        |t| t.values[0].value = "\"USD\"".into(),
        |t| t.values[0].part = "response.json:x".into(),
        |t| t.values.swap(0, 1),
        |t| t.values.truncate(2),
        |t| t.claims[1].claim = "is a number of at least 50000".into(),
        |t| t.claims[1].class = "json-text".into(),
        |t| t.claims[1].part = "response.json:debt".into(),
        |t| t.claims.truncate(2),
        // Texts that move over the border between two members.
        |t| (t.method, t.path) = ("POST/".into(), "accounts/7".into()),
        |t| (t.path, t.query) = ("/accounts/7id=5".into(), String::new()),
        |t| t.fields = vec!["X-".into(), "Trace".into()],
    ];
    let ContractSignature { address, signature } = sign(&typed(), &contract_key()).unwrap();
    assert_eq!(signer(&digest(&typed()), &signature), Some(address));
    for (number, change) in changes.into_iter().enumerate() {
        let mut changed = typed();
        change(&mut changed);
        assert_ne!(signer(&digest(&changed), &signature), Some(address), "change {number}");
    }
}

/// What is in neither values nor claims is bound by the file's hash.
#[test]
fn what_contracts_are_not_told_is_bound_too() {
    type Change = fn(&mut Statement);
    let changes: [Change; 4] = [
        |s| s.certificate[0] ^= 1,
        |s| s.suite = Suite::Aes256GcmSha384,
        |s| s.holder = Some([3; 32]),
        |s| s.response.hidden[0].leaves = vec![[3; 32]],
    ];
    let signed = signed(statement());
    for change in changes {
        let mut forged = signed.clone();
        change(&mut forged.statement);
        let bytes = crate::page::attestation::codec::signed(
            &forged.statement,
            &forged.signer,
            forged.contract_signer().as_ref(),
        );
        // Even V's first key does not make the second signature fit.
        forged.signature = key().sign(&bytes).to_bytes();
        assert_eq!(believed(&forged), Err(Error::ContractSignature { address: contract_key().address() }));
    }
}

#[test]
fn every_changed_byte_of_a_file_with_two_signatures_is_refused() {
    let bytes = signed(statement()).to_bytes();
    let read = |bytes: &[u8]| Attestation::from_bytes(bytes).and_then(|file| believed(&file));
    assert_eq!(read(&bytes), Ok(()));
    for at in bytes.len() - 200..bytes.len() {
        for change in [1, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[at] ^= change;
            assert!(read(&changed).is_err(), "byte {at}");
        }
    }
}

#[test]
fn the_second_signature_cannot_be_taken_away_added_or_exchanged() {
    let (two, one) = (signed(statement()), Attestation::sign(statement(), &key()).unwrap());
    let bytes = two.to_bytes();
    let cut = &bytes[..bytes.len() - SIGNATURE_BYTES];
    assert!(matches!(Attestation::from_bytes(cut), Err(Error::Malformed(_))));
    let added = [&one.to_bytes()[..], &bytes[bytes.len() - SIGNATURE_BYTES..]].concat();
    assert!(matches!(Attestation::from_bytes(&added), Err(Error::Malformed(_))));
    // Without its address the first signature is of other bytes.
    let stripped = Attestation { contract: None, ..two.clone() };
    assert_eq!(believed(&stripped), Err(Error::Signature));
    let grafted = Attestation { contract: two.contract.clone(), ..one.clone() };
    assert_eq!(believed(&grafted), Err(Error::Signature));
    // Of another attestation by the same keys, of another key's, and of a later one that says the same.
    let wrong = Err(Error::ContractSignature { address: contract_key().address() });
    let mut other = statement();
    other.response.hidden[0].claims = vec![">= 6000".parse::<Assertion>().unwrap()];
    for others in [other, Statement { time: 1_780_000_001, ..statement() }] {
        let exchanged = Attestation { contract: signed(others).contract, ..two.clone() };
        assert_eq!(believed(&exchanged), wrong);
    }
    let stranger = ContractKey::from_bytes(&[0x47; 32]).unwrap();
    let theirs = Attestation::sign_for_contracts(statement(), &key(), &stranger).unwrap();
    assert_eq!(theirs.check_contract_signer(&[contract_key().address(), stranger.address()]), Ok(()));
    let found = stranger.address();
    assert_eq!(
        theirs.check_contract_signer(&[contract_key().address()]),
        Err(Error::ContractSigner { found })
    );
    assert_eq!(one.check_contract_signer(&[found]), Err(Error::NoContractSignature));
    assert_eq!(
        believed(&Attestation { contract: theirs.contract, ..two.clone() }),
        Err(Error::Signature),
        "the first signature is of the other address"
    );
    let claimed = sign(&two.typed_statement(two.contract_signer().as_ref()).unwrap(), &stranger).unwrap();
    let claimed = ContractSignature { address: contract_key().address(), ..claimed };
    assert_eq!(believed(&Attestation { contract: Some(claimed), ..two }), wrong);
}

/// A V whose two signatures say different things: P and each reader refuse it.
#[test]
fn forgery_a_second_signature_of_another_text_than_v_checked_is_refused() {
    let honest = signed(statement());
    let address = contract_key().address();
    let mut text = honest.typed_statement(Some(&address)).unwrap();
    text.claims[1].claim = "is a number of at least 50000".into();
    let contract = Some(sign(&text, &contract_key()).unwrap());
    assert_eq!(believed(&Attestation { contract, ..honest }), Err(Error::ContractSignature { address }));
}

/// The group's order is that of SEC 2, section 2.4.1.
#[test]
fn forgery_a_second_encoding_of_a_signature_is_refused() {
    let digest = digest(&typed());
    let ContractSignature { address, signature } = sign(&typed(), &contract_key()).unwrap();
    let order = hex("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141");
    let mut high = signature;
    let mut borrow = 0;
    for (at, own) in order.iter().enumerate().rev() {
        let difference = i16::from(*own) - i16::from(signature[32 + at]) - borrow;
        high[32 + at] = difference.rem_euclid(256) as u8;
        borrow = i16::from(difference < 0);
    }
    high[64] = 27 + 28 - signature[64];
    assert_eq!(signer(&digest, &signature), Some(address));
    assert_eq!(signer(&digest, &high), None);
    for v in [0, 1, 26, 29, 30, 255] {
        let mut other = signature;
        other[64] = v;
        assert_eq!(signer(&digest, &other), None, "{v}");
    }
    for range in [0..32, 32..64] {
        for byte in [0, 0xff] {
            let mut other = signature;
            other[range.clone()].fill(byte);
            assert_eq!(signer(&digest, &other), None);
        }
    }
}

#[test]
fn statements_whose_meaning_p_could_have_made_are_not_signed_for_contracts() {
    let refused = |statement: Statement| {
        matches!(Attestation::sign_for_contracts(statement, &key(), &contract_key()), Err(Error::NoForm(_)))
    };
    let request = |what: &[u8], part, class| Statement {
        query: payload(REQUEST, what, part, class, &[]),
        ..statement()
    };
    assert!(refused(request(b"accounts/7", Part::Path, Class::Path)));
    assert!(refused(request(b"id=5", Part::Query, Class::Query)));
    assert!(refused(request(b"5", Part::Parameter("id".into()), Class::Parameter)));
    assert!(refused(request(b"hi", Part::Body, Class::Opaque)));
    let whole = |text: &[u8]| AttestedPayload::revealing(text, &[0..text.len()]).unwrap();
    let [get, answer] =
        ["GET / HTTP/1.1\r\nHost: bank.example:8443\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"];
    let several = |rounds: u32| Statement {
        rounds,
        query: whole(get.repeat(rounds as usize).as_bytes()),
        response: whole(answer.repeat(rounds as usize).as_bytes()),
        ..statement()
    };
    assert!(!refused(several(1)) && refused(several(2)));
    assert!(refused(Statement { rounds: 2, ..several(1) }), "they are not what V must have seen");
    let mut gap = statement();
    gap.response.revealed.truncate(1);
    assert!(refused(gap), "what is in no range is not read");
    assert!(Attestation::sign(Statement { rounds: 2, ..statement() }, &key()).is_ok());
}

#[test]
fn a_policy_may_demand_who_signs_for_contracts() {
    use crate::page::attestation::policy::{Policy, Rule};
    let key_hex = hex::encode(&key().verifying_key().to_bytes());
    let policy = |more: &str| {
        let text = format!(
            "{{\"version\": 1, \"host\": \"bank.example\", \"port\": 8443, \"method\": \"POST\", \"path\": \"/accounts/*\", \
             \"allow_hidden_words\": true, \"fields\": [\"X-Trace\"], \
             \"notaries\": [{{\"name\": \"one\", \"keys\": [{{\"key\": \"{key_hex}\"}}]}}]{more}}}"
        );
        Policy::from_json(text.as_bytes())
    };
    let (two, one) = (signed(statement()), Attestation::sign(statement(), &key()).unwrap());
    let failed = |more: &str, attestation: &Attestation| {
        let checked = policy(more).unwrap().check(core::slice::from_ref(attestation), 1_780_000_001);
        checked.err().map(|failure| failure.rule)
    };
    let (own, other) = (contract_key().address().to_string(), "0x0101010101010101010101010101010101010101");
    let demand = format!(", \"contract_signers\": [\"{other}\", \"{own}\"]");
    assert_eq!((failed("", &two), failed("", &one)), (None, None));
    assert_eq!((failed(&demand, &two), failed(&demand, &one)), (None, Some(Rule::ContractSigners)));
    let others = format!(", \"contract_signers\": [\"{other}\"]");
    assert_eq!(failed(&others, &two), Some(Rule::ContractSigners));
    assert!(policy(", \"contract_signers\": [\"0x01\"]").is_err());
}

#[test]
fn keys_and_addresses_are_proper() {
    let order = hex("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141");
    for bytes in [[0; 32], [0xff; 32], order.try_into().unwrap()] {
        assert!(matches!(ContractKey::from_bytes(&bytes), Err(Error::ContractKey)));
    }
    let debug = format!("{:?}", contract_key());
    assert!(debug.contains("address") && !debug.contains("4646") && !debug.contains("70, 70"), "{debug}");
    let text = "0x9d8A62f656a8d1615C1294fd71e9CFb3E4855A4F";
    assert_eq!(text.parse::<Address>().map(|address| address.to_string()), Ok(text.to_lowercase()));
    for wrong in [
        "",
        "0x",
        &text[2..],
        &text[..41],
        &format!("{text}0"),
        &format!("0x{}", "0".repeat(40)),
        "0X9d8A62f656a8d1615C1294fd71e9CFb3E4855A4F",
        "0x+d8A62f656a8d1615C1294fd71e9CFb3E4855A4F",
    ] {
        assert_eq!(wrong.parse::<Address>(), Err(NotAnAddress), "{wrong}");
    }
}
