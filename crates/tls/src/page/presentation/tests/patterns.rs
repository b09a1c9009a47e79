//! Names with `[*]`, which stand for every hidden value of a pattern.

use super::*;

/// Those that show need no opening.
#[test]
fn a_pattern_is_every_hidden_value_that_it_names() {
    let body =
        r#"{"items": [{"price": 12, "tags": ["a"]}, {"price": 1.1e1}, {"price": 9}], "rows": [[1], [2, 3]]}"#;
    let draft = draft(4, body);
    let selection = Selection {
        commit_all: true,
        reveal: vec![part("response.json:items[2].price")],
        ..Selection::default()
    };
    let hide = draft.select(&selection).unwrap();
    let attestation = Attestation::sign(draft.expected(&hide, TIME).unwrap(), &notary()).unwrap();
    let openings = draft.leaf_openings(&hide).unwrap().unwrap();
    let present = |reveals: &[&str], claims: &[(&str, &str)]| {
        let reveals: Vec<_> = reveals.iter().map(|name| reveal(name)).collect();
        let claims: Vec<_> =
            claims.iter().map(|(name, claim)| (part(name), claim.parse().unwrap())).collect();
        Presentation::new(&attestation, &openings, &context("reader"), (&reveals, &claims), &mut rng(5))
    };
    let opened = |reveals: &[&str]| {
        let made = present(reveals, &[]).unwrap();
        let shown = made.verify(&public()).unwrap();
        shown.opened.iter().map(|opened| opened.part.name()).collect::<Vec<_>>()
    };
    let items = |name: &str| format!("response.json:items[{name}");
    assert_eq!(opened(&["response.json:items[*].price"]), [items("0].price"), items("1].price")]);
    // With everything inside it, as `web prove --reveal` shows it.
    assert_eq!(
        opened(&["response.json:items[*]"]),
        [items("0].price"), items("0].tags[0]"), items("1].price")]
    );
    for wrong in ["response.json:items[*].none", "response.json:none[*]", "request.json:items[*]"] {
        let refused = present(&[wrong], &[]).unwrap_err();
        assert!(matches!(&refused, PresentationError::Part { .. }), "{refused}");
        assert_eq!(present(&[], &[(wrong, ">= 5")]).unwrap_err(), refused);
    }
    let refused = present(&[], &[("response.json:rows[*]", ">= 1")]).unwrap_err();
    assert!(refused.to_string().contains("an array or an object where rows[0][0]"), "{refused}");
    let untrue = present(&[], &[("response.json:items[*].price", ">= 12")]).unwrap_err();
    assert!(
        matches!(&untrue, PresentationError::NotTrue(claim) if claim.contains("items[1].price")),
        "{untrue}"
    );
    // Each number is claimed in its own digits.
    let made = present(
        &[],
        &[("response.json:items[*].price", "one of 11|12"), ("response.json:items[1].price", "= 11")],
    );
    let made = made.unwrap();
    let shown = made.verify(&public()).unwrap();
    let claimed = shown.claimed.iter().map(|claimed| format!("{} {}", claimed.part.name(), claimed.claim));
    let mut claimed: Vec<_> = claimed.collect();
    claimed.sort();
    assert_eq!(
        claimed,
        [
            items("0].price is one of \"11\", \"12\""),
            items("1].price equals \"1.1e1\""),
            items("1].price is one of \"11\", \"12\""),
        ]
    );
}

/// It is said before the first of them is proved.
#[test]
fn a_pattern_of_more_claims_than_a_presentation_has_is_refused() {
    let body = format!("{{\"a\": [{}]}}", vec!["7"; 65].join(", "));
    let (attestation, openings) = attested(4, &body);
    let claims = [(part("response.json:a[*]"), ">= 1".parse().unwrap())];
    let refused = Presentation::new(&attestation, &openings, &context("reader"), (&[], &claims), &mut rng(5));
    assert!(
        matches!(&refused, Err(PresentationError::Malformed(reason)) if reason.contains("65 claims")),
        "{refused:?}"
    );
}
