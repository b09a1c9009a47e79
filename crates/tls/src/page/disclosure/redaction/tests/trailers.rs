//! Header fields after the body.

use super::*;

/// A response whose fields of this value come before and after the body.
fn response(value: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 200 OK\r\nTrailer: Checksum, State\r\nConnection: close\r\nX-Key: {value}\r\nTransfer-Encoding: chunked\r\n\r\n\
         2\r\n{{}}\r\n0\r\nChecksum: {value}\r\nState: \r\n\r\n"
    )
    .into_bytes()
}

fn trailer(name: &str) -> Part {
    Part::Trailer(name.into())
}

#[test]
fn trailers_are_hidden_unless_they_are_named() {
    let text = response("5f0c");
    let of = |selection: &Selection| seen([REQUEST, &text], selection).map(|[_, server]| server);
    let reveal = |part| vec![named((Side::Server, part))];
    assert_eq!(of(&default()), Ok(response("xxxx")));
    assert_eq!(of(&Selection::default()), Ok(response("xxxx")));
    let shown = |hidden: &str| {
        let text = String::from_utf8(response("5f0c")).unwrap();
        text.replace("X-Key: 5f0c", &format!("X-Key: {hidden}")).into_bytes()
    };
    for responses in [Rest::Hidden, Rest::Revealed] {
        let reveal = reveal(trailer("checksum"));
        assert_eq!(of(&Selection { reveal, responses, ..Selection::default() }), Ok(shown("xxxx")));
        for other in [trailer("X-Key"), trailer("State"), Part::Header("Checksum".into())] {
            let reveal = vec![named((Side::Server, other))];
            assert!(of(&Selection { reveal, responses, ..Selection::default() }).is_err());
        }
    }
    let request = vec![named((Side::Client, trailer("Checksum")))];
    assert!(of(&Selection { reveal: request, ..Selection::default() }).is_err());
}

#[test]
fn v_finds_a_trailer_by_its_name_and_refuses_anything_else() {
    let text = response("5f0c");
    let whole = exchanges([REQUEST, &text], true).unwrap();
    let claim = Assertion::Equals(b"5f0c".to_vec());
    let hide = [Redaction { claims: vec![claim], ..hide(Side::Server, trailer("Checksum")) }];
    let honest = [
        RedactedPayload { text: REQUEST.to_vec(), hidden: Vec::new() },
        find(Side::Server, &text, &whole, &hide).unwrap(),
    ];
    assert_eq!(verdict(&honest), Ok(()));
    let [_, response] = &honest;
    let hidden = response.hidden.first().unwrap();
    assert_eq!((hidden.class, hidden.name()), (Class::HeaderValue, "trailer Checksum".into()));
    let changes: [(&str, Change); 5] = [
        ("a field before the body", |shown| shown[1].hidden[0].part = Part::Header("Checksum".into())),
        ("a field of that value before the body", |shown| {
            shown[1].hidden[0].part = Part::Header("X-Key".into());
        }),
        ("another name", |shown| shown[1].hidden[0].part = Part::Trailer("State".into())),
        ("more than the value", |shown| {
            let range = &mut shown[1].hidden[0].ranges[0];
            range.start -= 2;
            shown[1].text[range.clone()].fill(b'x');
        }),
        ("another class", |shown| {
            shown[1].hidden[0].class = Class::Opaque;
            let range = shown[1].hidden[0].ranges[0].clone();
            shown[1].text[range].fill(Class::Opaque.filler());
        }),
    ];
    for (what, change) in changes {
        let mut shown = honest.clone();
        change(&mut shown);
        assert!(verdict(&shown).is_err(), "{what}");
    }
}
