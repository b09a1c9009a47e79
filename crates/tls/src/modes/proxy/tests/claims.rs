//! Claims of every kind, true and false.

use super::*;

const ACCOUNT: &str =
    r#"{"balance": -12.50, "rate": 1e3, "owner": "Ada \"L\" \u00c9tude", "iban": "DE02 1203"}"#;

#[test]
fn claims_of_every_kind_are_proved() {
    let request = REQUEST.replace("id=4711", "id=4711;\tx");
    let site = Site::new(HOST, &response(ACCOUNT), End::Notify);
    let digest: [u8; 32] = sha2::Sha256::digest(b"DE02 1203").into();
    let claim = |message: Option<&[u8]>| -> CustomClaim {
        let statement = Sha256Preimage::new(digest, 9).unwrap();
        let statement = match message {
            Some(message) => statement.with_message(message.to_vec().into()).unwrap(),
            None => statement,
        };
        CustomClaim::new("example.com/sha256", &digest, Arc::new(StatementClaim(statement))).unwrap()
    };
    let number = |interval| vec![Assertion::Number(interval)];
    let decimal = |text: &str| text.parse::<crate::page::http::json::Decimal>().unwrap();
    let hidden = vec![
        hide(Side::Client, Part::Header("cookie".into()), vec![Assertion::Contains(b"4711".to_vec())]),
        json("balance", number(Interval::between(decimal("-12.5"), decimal("-12.49")))),
        json("rate", vec![Assertion::Length(3..=3), Assertion::Number(Interval::between(1000, 1000))]),
        json("owner", vec![Assertion::Contains("\"L\" É".into()), Assertion::Matches("Ada .*".into())]),
        json(
            "iban",
            vec![Assertion::Custom(claim(Some(b"DE02 1203"))), Assertion::Matches(r"DE\d{2} \d+".into())],
        ),
    ];
    let mut run = Run::hiding(&site, &request, hidden.clone());
    run.vocabulary = vec![claim(None)];
    let (fetched, proven) = run.go();
    fetched.unwrap();
    let proven = proven.unwrap();
    let shown = String::from_utf8(proven.response.text.clone()).unwrap();
    assert!(
        shown.ends_with(
            r#"{"balance": 111111, "rate": 111, "owner": "xxxxxxxxxxxxxxxxxxxx", "iban": "xxxxxxxxx"}"#
        ),
        "{shown}"
    );
    let said = claims(&proven.statement().unwrap());
    for expected in [
        r#"response json owner: contains "\\\"L\\\" \\u00c9""#,
        "response json balance: is a number from -12.5 to -12.49",
        r#"response json iban: is what "example.com/sha256" claims with "#,
        "request header cookie: contains \"4711\"",
    ] {
        assert!(said.iter().any(|line| line.starts_with(expected)), "{expected} in {said:#?}");
    }
    // A verifier that does not know the claim of others refuses the whole; a prover with another string
    // proves nothing.
    let (_, proven) = Run::hiding(&site, &request, hidden).go();
    let error = proven.unwrap_err();
    assert!(error.to_string().contains("example.com/sha256"), "{error}");
    let other = vec![json("iban", vec![Assertion::Custom(claim(Some(b"DE02 1204")))])];
    let (fetched, _) = Run::hiding(&site, &request, other).go();
    assert!(matches!(fetched.unwrap_err(), Failed::Disclosure(Disclosure::NotTrue(_))));
}

#[test]
fn false_claims_of_every_kind_end_at_p() {
    let site = Site::new(HOST, &response(ACCOUNT), End::Notify);
    for (claim, why) in [
        (json("balance", vec![Assertion::Number(Interval::above(-12))]), "greater than -12"),
        (json("rate", vec![Assertion::Number(Interval::above(1000))]), "greater than 1000"),
        (json("owner", vec![Assertion::Contains(b"u00c9".to_vec())]), "u00c9"),
        (json("iban", vec![Assertion::Matches(r"FR.*".into())]), "FR"),
        (json("iban", vec![Assertion::Digits]), "digits"),
        (json("iban", vec![Assertion::Length(1..=8)]), "it has 9 bytes"),
    ] {
        let (fetched, proven) = Run::hiding(&site, REQUEST, vec![claim]).go();
        let error = fetched.unwrap_err();
        assert!(
            matches!(&error, Failed::Disclosure(Disclosure::NotTrue(text)) if text.contains(why)),
            "{error}"
        );
        proven.unwrap_err();
    }
}

/// A stranger's claims are circuits in V's memory, which all of V's sessions share.
#[test]
fn claims_that_v_has_no_memory_for_are_refused() {
    let site = site();
    let claimed = || vec![json("user.age", vec![Assertion::Number(Interval::between(18, 120))])];
    for (size, held) in [(1000, 0), (1 << 24, (1 << 24) - 1000)] {
        let budget = Budget::new(size);
        let others = budget.take(held).unwrap();
        let (fetched, proven) = Run { budget: budget.clone(), ..Run::hiding(&site, REQUEST, claimed()) }.go();
        let refusal = Refusal::Memory { ever: held == 0 };
        assert_eq!(proven.unwrap_err(), Failed::Disclosure(Disclosure::Refused(refusal.clone())));
        assert!(fetched.unwrap_err().to_string().contains(&refusal.to_string()));
        drop(others);
        assert_eq!(budget.free(), size);
    }
    let budget = Budget::new(1 << 24);
    let (_, proven) = Run { budget: budget.clone(), ..Run::hiding(&site, REQUEST, claimed()) }.go();
    assert!(proven.is_ok());
    assert_eq!(budget.free(), 1 << 24, "what a session had is free again");
}

/// P takes its hidden balance for another one, so nothing stops it before the proof.
#[test]
fn a_claim_about_bytes_that_were_not_sent_is_not_proved() {
    let site = Site::new(HOST, &response(ACCOUNT), End::Notify);
    let rich = vec![Assertion::Number(Interval::above(900))];
    let digits = vec![Assertion::Matches(r"\d+\.\d\d".into())];
    for claims in [rich, digits] {
        let mut run = Run::hiding(&site, REQUEST, vec![json("balance", claims)]);
        run.cheat = |mut fetched| {
            fetched.change_response(|text| {
                let place = text.windows(6).position(|bytes| bytes == b"-12.50").unwrap();
                text[place..place + 6].copy_from_slice(b"999.50");
            });
            fetched
        };
        let (fetched, proven) = run.go();
        assert!(matches!(
            fetched.unwrap_err(),
            Failed::Proof(Zk::Statement(CircuitError::Unsatisfied { .. }))
        ));
        proven.unwrap_err();
    }
}
