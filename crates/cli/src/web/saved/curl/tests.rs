use proptest::prelude::*;

use super::*;

fn shown(request: &SavedRequest) -> String {
    let fields: String =
        request.fields.iter().map(|field| format!("{}: {}\n", field.name, &*field.value)).collect();
    let body = request.body.as_ref().map(|body| String::from_utf8_lossy(body).into_owned());
    format!(
        "{} {}\n{fields}{}",
        request.method,
        &*request.url,
        body.map(|body| format!("\n{body}")).unwrap_or_default()
    )
}

fn read(text: &str) -> Result<String, CurlError> {
    parse(text.as_bytes()).map(|request| shown(&request))
}

#[test]
fn what_browsers_copy_is_read() {
    let chrome = "curl 'https://api.example/v1/account?id=7' \\\n  -H 'accept: application/json' \\\n  -b 'session=a1; theme=dark' \\\n  -H 'user-agent: Mozilla/5.0' \\\n  --data-raw $'{\"name\":\"O\\'Neil \\u0021\"}'\n";
    assert_eq!(
        read(chrome).expect("a command"),
        "POST https://api.example/v1/account?id=7\naccept: application/json\nCookie: session=a1; theme=dark\n\
         user-agent: Mozilla/5.0\nContent-Type: application/x-www-form-urlencoded\n\n{\"name\":\"O'Neil !\"}"
    );
    let firefox = "curl 'https://api.example/a' --compressed -X PUT -H 'User-Agent: M' -H 'Authorization: Bearer t' -H 'Content-Type: application/json' --data-raw '{}'";
    assert_eq!(
        read(firefox).expect("a command"),
        "PUT https://api.example/a\nUser-Agent: M\nAuthorization: Bearer t\nContent-Type: application/json\n\n{}"
    );
}

#[test]
fn options_mean_what_they_mean_to_curl() {
    for (text, expected) in [
        ("curl https://a/", "GET https://a/\n"),
        ("curl -sSXPOST --url https://a/", "POST https://a/\n"),
        ("curl -I https://a/ -o out -m 5", "HEAD https://a/\n"),
        ("curl -u me:pass https://a/", "GET https://a/\nAuthorization: Basic bWU6cGFzcw==\n"),
        ("curl --oauth2-bearer t https://a/", "GET https://a/\nAuthorization: Bearer t\n"),
        ("curl -A x -e y https://a/", "GET https://a/\nUser-Agent: x\nReferer: y\n"),
        (
            "curl -d a=1 -d b=2 https://a/",
            "POST https://a/\nContent-Type: application/x-www-form-urlencoded\n\na=1&b=2",
        ),
        (
            "curl -d a -H 'content-type: text/plain' https://a/",
            "POST https://a/\ncontent-type: text/plain\n\na",
        ),
        ("curl -d a -H 'Content-Type:' https://a/", "POST https://a/\n\na"),
        (
            "curl -G -d a=1 --data-urlencode 'b= &\u{e4}3' https://a/?c",
            "GET https://a/?c&a=1&b=%20%26%C3%A43\n",
        ),
        ("curl -G --data-urlencode =a=b https://a/", "GET https://a/?a%3Db\n"),
        ("curl -G -d a=1 'https://a/x#?y'", "GET https://a/x?a=1\n"),
        (
            "curl --json '{}' https://a/",
            "POST https://a/\nContent-Type: application/json\nAccept: application/json\n\n{}",
        ),
        (
            "curl --data-raw @x https://a/",
            "POST https://a/\nContent-Type: application/x-www-form-urlencoded\n\n@x",
        ),
        ("curl -H 'X-A;' https://a/", "GET https://a/\nX-A: \n"),
        (
            "curl --data-urlencode 'a=\u{ff}%f0' https://a/",
            "POST https://a/\nContent-Type: application/x-www-form-urlencoded\n\na=%C3%BF%25f0",
        ),
    ] {
        assert_eq!(read(text).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn what_is_not_read_is_named_and_arguments_are_not_shown() {
    let secret = "s3cr3t";
    for (text, named) in [
        ("curl -k https://a/", "-k"),
        ("curl --insecure https://a/", "--roots"),
        ("curl -sSL https://a/", "-L"),
        ("curl -F a=s3cr3t https://a/", "-F"),
        ("curl --proxy-user s3cr3t https://a/", "--proxy-user"),
        ("curl --frobnicate=s3cr3t https://a/", "--frobnicate"),
        ("curl -d @s3cr3t https://a/", "--body FILE"),
        ("curl --data-urlencode a@s3cr3t https://a/", "--body FILE"),
        ("curl -b s3cr3t https://a/", "-b"),
        ("curl -H @s3cr3t https://a/", "--headers FILE"),
        ("curl -H s3cr3t https://a/", "Name: value"),
        ("curl -H $'A: s3cr3t\\nB: c' https://a/", "no header field"),
        ("curl -u s3cr3t https://a/", "NAME:PASSWORD"),
        ("curl -X s3cr3t https://a/", "capital letters"),
        ("curl https://a/ -H", "missing"),
        ("curl https://a/s3cr3t https://b/", "has 2"),
        ("curl", "has 0"),
        ("wget https://s3cr3t/", "`curl`"),
        ("curl https://a/?b&s3cr3t", "single quotes"),
        ("curl --next https://a/", "--then"),
        ("curl $'\\xff' https://a/", "UTF-8"),
    ] {
        let error = read(text).expect_err(text).to_string();
        assert!(error.contains(named) && !error.contains(secret), "{text}: {error}");
    }
    assert!(matches!(parse(&[0xff]), Err(CurlError::Text)));
    assert!(matches!(parse(&vec![b' '; MAX_COMMAND + 1]), Err(CurlError::Size)));
    let many = format!("curl https://a/{}", " -H a:b".repeat(MAX_FIELDS + 1));
    assert!(matches!(read(&many), Err(CurlError::Fields)));
}

#[test]
fn a_saved_request_does_not_show_in_debug_output() {
    let request = parse(b"curl -u me:pass https://a/").expect("a command");
    assert_eq!(format!("{request:?}"), "SavedRequest { method: \"GET\", .. }");
}

proptest! {
    #[test]
    fn any_command_is_read_or_refused(words in prop::collection::vec("(-[a-zA-Z]|--[a-z-]{1,12}|[ -~]{0,12})", 0..8)) {
        let quoted: Vec<_> = words.iter().map(|word| format!("'{}'", word.replace('\'', "'\\''"))).collect();
        if let Ok(request) = parse(format!("curl {}", quoted.join(" ")).as_bytes()) {
            prop_assert!(is_method(&request.method));
            prop_assert!(request.fields.iter().all(|field| !field.value.contains('\n')));
        }
    }

    #[test]
    fn fields_and_bodies_come_back(value in "[!-~][ -~]{0,30}", body in "[^\0]{0,40}") {
        let quote = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
        let text = format!("curl https://a/ -H {} --data-raw {}", quote(&format!("X-A: {value}")), quote(&body));
        let request = parse(text.as_bytes()).expect("a command");
        prop_assert_eq!(&*request.fields[0].value, value.trim());
        prop_assert_eq!(request.body.as_deref().map(Vec::as_slice), Some(body.as_bytes()));
    }
}
