//! What a holder shows is believed, and nothing that it does not have: cheats of holders, and of those who
//! have somebody's presentation.

mod patterns;

use std::sync::LazyLock;

use ed25519_dalek::SigningKey;
use volery_testing::rng;
use zeroize::Zeroizing;

use super::*;
use crate::page::attestation::Mode;
use crate::page::attestation::policy::{Evidence, Policy, Rule};
use crate::page::disclosure::{Draft, Part, Redaction, Selection};
use crate::page::leaf::{LeafOpeningsError, Seed, index};
use crate::wire::prf::Side;

const TIME: u64 = 1_780_000_000;

const BODY: &str = r#"{"id": 7, "active": true, "name": "Ada \u00e9", "balance": 5120.75, "tags": ["x", "x"], "born": "1990-05-17", "note": null}"#;

fn draft(seed: u8, body: &str) -> Draft {
    let request = "GET /account?user=ada HTTP/1.1\r\nHost: bank.example\r\nCookie: secret\r\n\r\n";
    let response = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let payload = [request.as_bytes().to_vec(), response.into_bytes()].map(Zeroizing::new);
    Draft {
        mode: Mode::Proxy,
        leaves: Some(Seed::from_bytes([seed; 32])),
        ..Draft::of("bank.example", payload)
    }
}

fn notary() -> SigningKey {
    SigningKey::from_bytes(&[1; 32])
}

fn public() -> [u8; 32] {
    notary().verifying_key().to_bytes()
}

/// An attestation of a page, which commits to everything, and what opens it.
fn attested(seed: u8, body: &str) -> (Attestation, LeafOpenings) {
    let draft = draft(seed, body);
    let hide = draft.select(&Selection { commit_all: true, ..Selection::default() }).unwrap();
    let statement = draft.expected(&hide, TIME).unwrap();
    (Attestation::sign(statement, &notary()).unwrap(), draft.leaf_openings(&hide).unwrap().unwrap())
}

fn part(name: &str) -> MessagePart {
    name.parse().unwrap()
}

fn reveal(name: &str) -> Reveal {
    Reveal { part: part(name), bytes: None }
}

fn context(text: &str) -> Context {
    text.parse().unwrap()
}

/// A presentation of the page for `reader`.
fn presented(reveals: &[&str], claims: &[(&str, &str)]) -> Result<Presentation, PresentationError> {
    let (attestation, openings) = attested(3, BODY);
    let reveals: Vec<_> = reveals.iter().map(|name| reveal(name)).collect();
    let claims: Vec<_> = claims.iter().map(|(name, claim)| (part(name), claim.parse().unwrap())).collect();
    Presentation::new(&attestation, &openings, &context("reader"), (&reveals, &claims), &mut rng(5))
}

/// Made once: proofs take a while.
fn honest() -> Presentation {
    static HONEST: LazyLock<Presentation> = LazyLock::new(|| {
        let reveals = ["response.json:name", "request.header:cookie", "response.json:tags[1]"];
        let claims = [("response.json:balance", ">= 5000"), ("request.query", "contains ada")];
        presented(&reveals, &claims).unwrap()
    });
    HONEST.clone()
}

/// The holder signs what it has changed.
fn signed_again(mut presentation: Presentation, change: impl FnOnce(&mut Presentation)) -> Presentation {
    change(&mut presentation);
    let holder = Seed::from_bytes([3; 32]).holder();
    presentation.signature = holder.sign(&codec::signed(&presentation)).to_bytes();
    presentation
}

#[test]
fn a_reader_sees_what_the_holder_shows() {
    let presentation = honest();
    let read = Presentation::from_bytes(&presentation.to_bytes()).unwrap();
    assert_eq!(read, presentation);
    assert_eq!(read.check_context(Some(&context("reader"))), Ok(()));
    let shown = read.verify(&public()).unwrap();
    let opened: Vec<_> = shown
        .opened
        .iter()
        .map(|opened| (opened.part.name(), opened.class, String::from_utf8(opened.bytes.clone()).unwrap()))
        .collect();
    let of = |name: &str, class, text: &str| (name.to_owned(), class, text.to_owned());
    assert_eq!(
        opened,
        [
            of("request.header:Cookie", Class::HeaderValue, "secret"),
            of("response.json:name", Class::JsonText, r"Ada \u00e9"),
            of("response.json:tags[1]", Class::JsonText, "x"),
        ]
    );
    let claimed: Vec<_> = shown
        .claimed
        .iter()
        .map(|claimed| (claimed.part.name(), claimed.length, claimed.claim.to_string()))
        .collect();
    let of = |name: &str, length, claim: &str| (name.to_owned(), length, claim.to_owned());
    assert_eq!(
        claimed,
        [
            of("request.query", 8, "contains \"ada\""),
            of("response.json:balance", 7, "is a number of at least 5000"),
        ]
    );
    // Claims of every kind of value of a run.
    let claims = [
        ("response.json:active", "is true"),
        ("response.json:note", "one of null|true"),
        ("response.json:name", "one of Ada \u{e9}|Eve"),
        ("response.json:name", "= Ada \u{e9}"),
        ("response.json:name", "!= Eve"),
        ("response.json:born", "before 2008-01-01"),
        ("response.json:id", "is digits"),
    ];
    let all = presented(&[], &claims).unwrap();
    assert_eq!(all.verify(&public()).unwrap().claimed.len(), claims.len());
}

#[test]
fn a_presentation_of_nothing_shows_its_attestation() {
    let nothing = presented(&[], &[]).unwrap();
    let shown = nothing.verify(&public()).unwrap();
    assert!(shown.opened.is_empty() && shown.claimed.is_empty());
    assert_eq!(shown.statement.server_name, "bank.example");
}

#[test]
fn any_changed_byte_and_any_end_is_refused() {
    let believed =
        |bytes: &[u8]| Presentation::from_bytes(bytes).is_ok_and(|file| file.verify(&public()).is_ok());
    let opening = presented(&["response.json:name", "request.query"], &[]).unwrap();
    // All places of a short file, and samples of a long one.
    for (presentation, step) in [(opening, 1), (honest(), 9973)] {
        let bytes = presentation.to_bytes();
        assert!(believed(&bytes));
        for at in (0..bytes.len()).step_by(step) {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (at % 8);
            assert!(!believed(&changed), "byte {at}");
            assert!(!believed(&bytes[..at]), "{at} bytes");
        }
        assert!(!believed(&[&*bytes, &[0]].concat()));
    }
}

#[test]
fn a_presentation_is_for_the_context_that_the_reader_asked_for() {
    let presentation = honest();
    for wanted in [None, Some(context("other"))] {
        let refused = presentation.check_context(wanted.as_ref());
        assert!(matches!(refused, Err(PresentationError::Context { .. })), "{refused:?}");
    }
    let (attestation, openings) = attested(3, BODY);
    let none = Context::default();
    let for_nobody = Presentation::new(&attestation, &openings, &none, (&[], &[]), &mut rng(5)).unwrap();
    assert_eq!(for_nobody.check_context(None), Ok(()));
    assert!(for_nobody.check_context(Some(&context("reader"))).is_err());
    // A reader moves what it has got to another context, and has not the holder's key.
    let mut moved = presented(&["response.json:name"], &[]).unwrap();
    moved.context = context("other");
    assert_eq!(moved.verify(&public()).map(|_| ()), Err(PresentationError::Holder));
}

/// A holder that opens other bytes than the server sent, or as another part.
#[test]
fn an_opening_is_of_the_bytes_of_its_leaf_and_of_no_other() {
    let honest =
        || presented(&["response.json:tags[0]", "response.json:tags[1]", "request.query"], &[]).unwrap();
    let place = |text: &[u8]| honest().opened.iter().position(|leaf| leaf.content == text).unwrap();
    let (first, query) = (place(b"\"x\""), place(b"user=ada"));
    assert!(signed_again(honest(), |_| {}).verify(&public()).is_ok());
    type Change<'a> = &'a dyn Fn(&mut Presentation);
    let changes: [(&str, Change<'_>); 9] = [
        ("content", &|p| p.opened[query].content[0] ^= 1),
        ("content of another length", &|p| p.opened[query].content.truncate(7)),
        ("padding as content", &|p| p.opened[first].content.push(0x80)),
        ("empty content", &|p| p.opened[first].content.clear()),
        ("salt", &|p| p.opened[query].salt[15] ^= 1),
        ("salt of another leaf", &|p| p.opened[first].salt = p.opened[first + 1].salt),
        ("opening of an equal value", &|p| {
            let other = p.opened[first].clone();
            p.opened[first + 1] = OpenedLeaf { index: p.opened[first + 1].index, ..other };
        }),
        ("no such leaf", &|p| p.opened.last_mut().unwrap().index += 100),
        ("the other direction's", &|p| {
            let query = p.opened.remove(query);
            p.opened.push(OpenedLeaf { index: query.index | 1 << 31, ..query });
            p.opened.sort_by_key(|leaf| leaf.index);
            p.opened.dedup_by_key(|leaf| leaf.index);
        }),
    ];
    for (what, change) in changes {
        let cheat = signed_again(honest(), change);
        assert_eq!(cheat.verify(&public()).map(|_| ()), Err(PresentationError::Opening), "{what}");
    }
}

/// A holder that says what it has no proof of.
#[test]
fn a_proof_is_of_its_claim_leaf_context_and_attestation() {
    let honest =
        presented(&[], &[("response.json:balance", ">= 5000"), ("response.json:id", ">= 1")]).unwrap();
    let honest = || honest.clone();
    let other = attested(3, &BODY.replace("5120.75", "5120.76")).0;
    // The same leaves at another time.
    let statement = other_time(honest().attestation());
    let later = Attestation::sign(statement, &notary()).unwrap();
    assert!(signed_again(honest(), |_| {}).verify(&public()).is_ok());
    type Change<'a> = &'a dyn Fn(&mut Presentation);
    let changes: [(&str, Change<'_>); 9] = [
        ("attestation of another time", &|p| p.attestation = later.clone()),
        ("claim", &|p| p.claimed[1].claim = ">= 5001".parse().unwrap()),
        ("weaker claim", &|p| p.claimed[1].claim = ">= 4999".parse().unwrap()),
        ("leaf", &|p| p.claimed[0].index = index(Side::Server, 4)),
        ("length", &|p| p.claimed[1].length -= 1),
        ("class", &|p| p.claimed[0].class = Class::Word),
        ("context", &|p| p.context = context("other")),
        ("attestation", &|p| p.attestation = other.clone()),
        ("proof of another claim", &|p| p.claimed[0].proof = p.claimed[1].proof.clone()),
    ];
    for (what, change) in changes {
        let cheat = signed_again(honest(), change);
        let refused = cheat.verify(&public()).map(|_| ());
        assert!(
            matches!(refused, Err(PresentationError::Proof(_) | PresentationError::Claim(_))),
            "{what}: {refused:?}"
        );
    }
    let impossible: [(&str, Change<'_>); 3] = [
        ("longer than there is room", &|p| p.claimed[1].length = 200),
        ("class of a header", &|p| p.claimed[1].class = Class::HeaderValue),
        ("no such leaf", &|p| p.claimed[1].index += 100),
    ];
    for (what, change) in impossible {
        let cheat = signed_again(honest(), change);
        assert_eq!(cheat.verify(&public()).map(|_| ()), Err(PresentationError::Opening), "{what}");
    }
}

fn other_time(attestation: &Attestation) -> Statement {
    let statement = attestation.verify(&public()).unwrap().clone();
    Statement { time: TIME + 1, ..statement }
}

/// A holder that makes a claim about a value of a run as if it were of another type.
#[test]
fn a_value_is_of_one_type() {
    let (attestation, openings) = attested(3, BODY);
    let statement = attestation.verify(&public()).unwrap();
    let (names, context) = (Names::new(statement).unwrap(), Context::default());
    let proves = |name: &str, class: Option<Class>, claim: &str| {
        let leaf = names.find_one(&part(name)).unwrap();
        let (content, salt) = openings.opening(leaf.index()).unwrap();
        let class = class.unwrap_or(leaf.class_of(content));
        let claim = LeafClaim {
            attestation: attestation.digest(),
            context: &context,
            leaf: leaf.clone(),
            length: content.len(),
            class,
            claim: claim.parse().unwrap(),
        };
        claim.prove((content, &salt), &mut rng(5)).is_ok()
    };
    for (name, own, claim) in [
        ("response.json:balance", Class::Number, "length 1..99"),
        ("response.json:active", Class::Word, "length 1..99"),
        ("response.json:born", Class::JsonText, "length 1..99"),
    ] {
        assert!(proves(name, None, claim), "{name}");
        for class in [Class::Number, Class::Word, Class::JsonText] {
            assert_eq!(proves(name, Some(class), claim), class == own, "{name} as {class:?}");
        }
    }
    assert!(!proves("response.json:balance", None, ">= 6000"));
}

#[test]
fn claims_that_are_too_large_are_refused() {
    let presentation = honest();
    let statement = presentation.attestation().verify(&public()).unwrap();
    let names = Names::new(statement).unwrap();
    let claim = presentation.claim_of(&names, &presentation.claimed[0]).unwrap();
    let gates = claim.count(0, MAX_GATES).unwrap();
    assert_eq!(claim.count(5, 5 + gates), Ok(5 + gates));
    assert!(matches!(claim.count(5, 4 + gates), Err(PresentationError::Claim(_))));
}

#[test]
fn only_the_holder_that_the_notary_signed_makes_presentations() {
    let mut forged = honest();
    let other = SigningKey::from_bytes(&[9; 32]);
    forged.signature = other.sign(&codec::signed(&forged)).to_bytes();
    assert_eq!(forged.verify(&public()).map(|_| ()), Err(PresentationError::Holder));
    // A notary that one does not trust.
    assert!(matches!(honest().verify(&[7; 32]), Err(PresentationError::Attestation(_))));
    // An attestation without leaves has no holder.
    let draft = Draft { leaves: None, ..draft(3, BODY) };
    let hide = draft.select(&Selection::default()).unwrap();
    let statement = draft.expected(&hide, TIME).unwrap();
    let bare = Attestation::sign(statement, &notary()).unwrap();
    let cheat = signed_again(presented(&[], &[]).unwrap(), |p| p.attestation = bare.clone());
    assert_eq!(cheat.verify(&public()).map(|_| ()), Err(PresentationError::Holder));
    let (_, openings) = attested(3, BODY);
    let made = Presentation::new(&bare, &openings, &Context::default(), (&[], &[]), &mut rng(5));
    assert_eq!(made, Err(PresentationError::Openings(LeafOpeningsError::Uncommitted)));
}

/// A key under which anybody signs.
#[test]
fn a_weak_key_of_a_holder_is_refused() {
    let (attestation, _) = attested(3, BODY);
    let mut statement = attestation.verify(&public()).unwrap().clone();
    let mut weak = [0; 32];
    weak[0] = 1;
    statement.holder = Some(weak);
    let attestation = Attestation::sign(statement, &notary()).unwrap();
    let mut cheat = presented(&[], &[]).unwrap();
    cheat.attestation = attestation;
    cheat.signature = [0; 64];
    cheat.signature[0] = 1;
    assert_eq!(cheat.verify(&public()).map(|_| ()), Err(PresentationError::Holder));
}

#[test]
fn leaves_open_their_own_attestation() {
    let (attestation, _) = attested(3, BODY);
    let (_, others) = attested(4, BODY);
    let (_, changed) = attested(3, &BODY.replace("Ada", "Eve"));
    let (_, more) = attested(3, &BODY.replace(r#""id": 7, "#, ""));
    for openings in [others, changed, more] {
        let made = Presentation::new(&attestation, &openings, &Context::default(), (&[], &[]), &mut rng(5));
        assert_eq!(made, Err(PresentationError::Openings(LeafOpeningsError::Another)));
    }
}

#[test]
fn what_cannot_be_shown_or_is_not_true_is_said_at_once() {
    let untrue = presented(&[], &[("response.json:balance", ">= 6000")]);
    let reason = "response json balance is a number of at least 6000";
    assert_eq!(untrue, Err(PresentationError::NotTrue(reason.into())));
    for (claimed, claim) in [("response.json:name", "= Ada"), ("response.json:active", "is false")] {
        assert!(matches!(presented(&[], &[(claimed, claim)]), Err(PresentationError::NotTrue(_))));
    }
    for (reveals, claims) in [
        (&["response.json:nothing"][..], &[][..]),
        (&["request.path"], &[]),
        (&["response.json:tags"], &[]),
        (&["response2.json:id"], &[]),
        (&["response.json:id"], &[("response.json:id", "is digits")]),
    ] {
        assert!(matches!(presented(reveals, claims), Err(PresentationError::Part { .. })), "{reveals:?}");
    }
}

#[test]
fn pieces_of_a_long_part_are_opened_alone() {
    let mut draft = draft(3, &"x".repeat(2500));
    let text = String::from_utf8(draft.payload[1].to_vec()).unwrap();
    draft.payload[1] = Zeroizing::new(text.replace("application/json", "text/plain").into_bytes());
    let hide = draft.select(&Selection { commit_all: true, ..Selection::default() }).unwrap();
    let attestation = Attestation::sign(draft.expected(&hide, TIME).unwrap(), &notary()).unwrap();
    let openings = draft.leaf_openings(&hide).unwrap().unwrap();
    let show = |bytes: Option<Range<usize>>| {
        let reveal = Reveal { part: part("response.body"), bytes };
        let made =
            Presentation::new(&attestation, &openings, &Context::default(), (&[reveal], &[]), &mut rng(5))?;
        let shown = made.verify(&public())?;
        Ok(shown.opened.iter().map(|opened| (opened.range.clone(), opened.bytes.len())).collect::<Vec<_>>())
    };
    assert_eq!(show(None), Ok(vec![(None, 2500)]));
    assert_eq!(show(Some(2100..2101)), Ok(vec![(Some(2048..2500), 452)]));
    assert_eq!(show(Some(1000..1030)), Ok(vec![(Some(0..2048), 2048)]));
    assert!(matches!(show(Some(2500..2600)), Err(PresentationError::Part { .. })));
    let claim = [(part("response.body"), "contains xx".parse().unwrap())];
    let made = Presentation::new(&attestation, &openings, &Context::default(), (&[], &claim), &mut rng(5));
    assert!(matches!(made, Err(PresentationError::Part { .. })));
}

/// Two fields of one name, and parameters that some servers take for one.
#[test]
fn nothing_is_claimed_of_several_fields_or_parameters() {
    let mut draft = draft(3, BODY);
    let text = String::from_utf8(draft.payload[0].to_vec()).unwrap();
    let text = text.replace("Cookie: secret", "Cookie: ab\r\nCookie: c").replace("user=ada", "id=1&ID=2");
    draft.payload[0] = Zeroizing::new(text.into_bytes());
    let hide = vec![part("request.query.id"), part("request.query.ID")];
    let hide = hide.into_iter().map(|part| Redaction::new(part.side, part.part)).collect();
    let hide = draft.select(&Selection { hide, commit_all: true, ..Selection::default() }).unwrap();
    let attestation = Attestation::sign(draft.expected(&hide, TIME).unwrap(), &notary()).unwrap();
    let openings = draft.leaf_openings(&hide).unwrap().unwrap();
    let made = |reveals: &[Reveal], claims: &[(MessagePart, Assertion)]| {
        Presentation::new(&attestation, &openings, &context("reader"), (reveals, claims), &mut rng(5))
    };
    for name in ["request.header:cookie", "request.query.id"] {
        let claim = [(part(name), "contains c".parse().unwrap())];
        assert!(matches!(made(&[], &claim), Err(PresentationError::Part { .. })), "{name}");
    }
    let presentation = made(&[reveal("request.header:cookie"), reveal("request.query.id")], &[]).unwrap();
    let shown = presentation.verify(&public()).unwrap();
    let opened: Vec<_> = shown.opened.iter().map(|opened| &*opened.bytes).collect();
    assert_eq!(opened, [&b"1"[..], b"ab\nc"]);
    let check = |more: &str| {
        let checked = policy(more).check_evidence(&[Evidence::Presentation(&presentation)], TIME);
        checked.map_err(|failure| failure.rule)
    };
    assert!(check(r#", "context": "reader""#).is_ok());
    for name in ["request.header:cookie", "request.query.id"] {
        assert_eq!(
            check(&format!(r#", "context": "reader", "shows": ["{name}"]"#)),
            Err(Rule::Shows),
            "{name}"
        );
    }
    // A holder that proves a claim of both fields as one.
    let (names, own) = (Names::new(shown.statement).unwrap(), context("reader"));
    let leaf = names.find(&part("request.header:cookie"), None).unwrap()[0];
    let (content, salt) = openings.opening(leaf.index()).unwrap();
    let claim = leaf_claim(&attestation, &own, leaf, content, "contains bc".parse().unwrap()).unwrap();
    let proof = claim.prove((content, &salt), &mut rng(5)).unwrap();
    let LeafClaim { length, class, claim, .. } = claim;
    let claimed = ClaimedLeaf { index: leaf.index(), length, class, claim, proof };
    let cheat = signed_again(made(&[], &[]).unwrap(), |p| p.claimed.push(claimed));
    assert_eq!(cheat.verify(&public()).map(|_| ()), Err(PresentationError::Opening));
}

/// A run whose values may be too long is one leaf.
#[test]
fn a_long_run_is_shown_as_a_whole() {
    let body = format!(r#"{{"a": true, "b": "{}", "c": 5}}"#, "x".repeat(300));
    let (attestation, openings) = attested(3, &body);
    let made = |reveals: &[Reveal], claims: &[(MessagePart, Assertion)]| {
        Presentation::new(&attestation, &openings, &Context::default(), (reveals, claims), &mut rng(5))
    };
    let shown = made(&[reveal("response.json:a")], &[]).unwrap();
    let shown = shown.verify(&public()).unwrap();
    assert!(matches!(shown.opened[0].part.part, Part::Values(_)));
    assert!(shown.opened[0].bytes.starts_with(b"true, \"b\": \"xx"));
    assert!(matches!(made(&[reveal("response.json:b")], &[]), Err(PresentationError::Part { .. })));
    let claim = [(part("response.json:a"), "is true".parse().unwrap())];
    assert!(matches!(made(&[], &claim), Err(PresentationError::Part { .. })));
}

#[test]
fn files_in_another_order_or_with_claims_that_nobody_checks_are_refused() {
    let refused = |presentation: Presentation, change: &dyn Fn(&mut Presentation)| {
        let bytes = signed_again(presentation, change).to_bytes();
        matches!(Presentation::from_bytes(&bytes), Err(PresentationError::Malformed(_)))
    };
    assert!(!refused(honest(), &|_| {}));
    assert!(refused(honest(), &|p| p.opened.reverse()));
    assert!(refused(honest(), &|p| p.opened.push(p.opened[0].clone())));
    assert!(refused(honest(), &|p| p.claimed.reverse()));
    assert!(refused(honest(), &|p| p.claimed.push(p.claimed[1].clone())));
    assert!(refused(honest(), &|p| p.claimed[0].index = p.opened[0].index));
    let own = claim::CustomClaim::new("own", &[], std::sync::Arc::new(Assertion::Digits)).unwrap();
    assert!(refused(honest(), &|p| p.claimed[0].claim = Assertion::Custom(own.clone())));
    let mut newer = honest().to_bytes();
    newer[codec::MAGIC.len() + 1] = 9;
    assert_eq!(Presentation::from_bytes(&newer), Err(PresentationError::Version(9)));
}

fn policy(more: &str) -> Policy {
    let key: String = public().iter().map(|byte| format!("{byte:02x}")).collect();
    let text = format!(
        r#"{{"version": 1, "notaries": [{{"name": "one", "keys": [{{"key": "{key}"}}]}}], "host": "bank.example",
            "path": "/account", "modes": ["proxy"], "allow_hidden_words": true{more}}}"#
    );
    Policy::from_json(text.as_bytes()).unwrap()
}

#[test]
fn a_policy_sees_what_a_presentation_shows() {
    let presentation = honest();
    let attestation = presentation.attestation().clone();
    let check = |more: &str| {
        let checked = policy(more).check_evidence(&[Evidence::Presentation(&presentation)], TIME);
        checked.map_err(|failure| failure.rule)
    };
    let named = r#", "context": "reader""#;
    assert_eq!(check(named), Ok(vec!["one".into()]));
    for claim in [
        "response.json:balance >= 1000",
        "response.json:name one of Ada \u{e9}|Bob",
        "request.query contains ada",
    ] {
        let wanted = format!(r#"{named}, "claims": ["{claim}"]"#);
        assert_eq!(check(&wanted), Ok(vec!["one".into()]), "{claim}");
        let without =
            policy(&format!(r#", "claims": ["{claim}"]"#)).check(core::slice::from_ref(&attestation), TIME);
        assert_eq!(without.map_err(|failure| failure.rule), Err(Rule::Claims), "{claim}");
    }
    assert_eq!(check(&format!(r#"{named}, "shows": ["response.json:tags[1]"]"#)), Ok(vec!["one".into()]));
    for (more, rule) in [
        ("", Rule::Context),
        (r#", "context": "other""#, Rule::Context),
        (r#", "context": "reader", "claims": ["response.json:balance >= 5001"]"#, Rule::Claims),
        (r#", "context": "reader", "claims": ["response.json:id >= 1"]"#, Rule::Claims),
        (r#", "context": "reader", "shows": ["response.json:balance"]"#, Rule::Shows),
        (r#", "context": "reader", "shows": ["response.json:id"]"#, Rule::Shows),
        (r#", "context": "reader", "path": "/other""#, Rule::Path),
    ] {
        let more = if rule == Rule::Path { r#", "context": "reader", "status": 404"# } else { more };
        let rule = if rule == Rule::Path { Rule::Status } else { rule };
        assert_eq!(check(more), Err(rule), "{more}");
    }
    let changed = signed_again(presentation.clone(), |p| p.opened[0].salt[0] ^= 1);
    let checked = policy(named).check_evidence(&[Evidence::Presentation(&changed)], TIME);
    assert_eq!(checked.map_err(|failure| failure.rule), Err(Rule::Presentation));
}
