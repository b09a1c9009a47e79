//! HTTP requests from URLs, header fields and bodies, as a client writes them whose requests are proved.

use zeroize::Zeroizing;

/// Why a page or a request cannot be asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RequestError(String);

/// Fields that this module sets itself.
const OWN: [&str; 6] =
    ["host", "connection", "accept-encoding", "content-length", "transfer-encoding", "x-padding"];

/// A page on a website: host, port and target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// In lower case; an IPv6 address without brackets.
    pub host: String,
    /// 443 if the address names none.
    pub port: u16,
    /// From its slash on, with the query.
    pub target: String,
}

/// The parts of a request that differ between requests.
pub struct RequestParts<'a> {
    /// In capitals.
    pub method: &'a str,
    /// From its slash on, with the query.
    pub target: &'a str,
    /// Header fields, each `Name: value`.
    pub fields: &'a [Zeroizing<String>],
    /// The body, if there is one.
    pub body: Option<&'a [u8]>,
    /// Whether the request asks the server to close the connection.
    pub last: bool,
}

impl Page {
    /// Reads `https://host[:port]/path`.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn parse(url: &str) -> Result<Self, RequestError> {
        Self::read(url).map_err(|reason| RequestError(format!("`{}`: {reason}", url.escape_debug())))
    }

    /// The same of an address with secrets, which the error does not show.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(url: &str) -> Result<Self, &'static str> {
        let wrong = |reason| reason;
        let rest = url.strip_prefix("https://").ok_or_else(|| wrong("expected https://host/path"))?;
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, target) = rest.split_at(end);
        if authority.contains('@') {
            return Err(wrong("an address must not contain a name or a password: use --headers"));
        }
        let (host, port) = match authority.rsplit_once(':') {
            // In an IPv6 address in brackets the last colon separates no port.
            Some((host, port)) if !port.ends_with(']') => {
                let digits = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
                let port = digits.then(|| port.parse().ok()).flatten();
                (host, port.ok_or_else(|| wrong("the port must be a number from 0 to 65535"))?)
            }
            _ => (authority, 443),
        };
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        if host.is_empty() {
            return Err(wrong("there is no host"));
        }
        // The address may be another's, and it is printed as a word of a command.
        if !host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_:".contains(&byte)) {
            return Err(wrong("the host has characters that no host has; write other scripts as xn--..."));
        }
        let target = target.split('#').next().unwrap_or_default();
        if !is_plain(target) {
            return Err(wrong(NOT_PLAIN));
        }
        let slash = if target.starts_with('/') { "" } else { "/" };
        Ok(Self { host: host.to_ascii_lowercase(), port, target: format!("{slash}{target}") })
    }

    /// Makes a request. It asks the server not to compress, and the last one asks it to close the connection.
    ///
    /// # Errors
    /// [`RequestError`] for a method, a target or a field that could be taken for something else. It names no
    /// values, which may be secrets.
    pub fn request(&self, words: &RequestParts<'_>) -> Result<Zeroizing<Vec<u8>>, RequestError> {
        let RequestParts { method, target, fields, body, last } = *words;
        if method.is_empty() || !method.bytes().all(|byte| byte.is_ascii_uppercase()) {
            return Err(RequestError(format!("method {}: expected one like GET", method.escape_debug())));
        }
        if !is_plain(target) {
            return Err(RequestError(format!("the target: {NOT_PLAIN}")));
        }
        let Self { host, port, .. } = self;
        let host = if host.contains(':') { format!("[{host}]") } else { host.clone() };
        let host = if *port == 443 { host } else { format!("{host}:{port}") };
        let connection = if last { "close" } else { "keep-alive" };
        let mut text = Zeroizing::new(format!(
            "{method} {target} HTTP/1.1\r\nHost: {host}\r\nConnection: {connection}\r\nAccept-Encoding: identity\r\n"
        ));
        for field in fields {
            check(field)?;
            text.push_str(field);
            text.push_str("\r\n");
        }
        if let Some(body) = body {
            text.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        text.push_str("\r\n");
        Ok(Zeroizing::new([text.as_bytes(), body.unwrap_or_default()].concat()))
    }
}

/// The reason why a target is not valid.
const NOT_PLAIN: &str = "write blanks, and characters outside ASCII, as %XX";

fn is_plain(target: &str) -> bool {
    target.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Checks that this is one header field that the user may set. Its value may be a secret, so errors show only
/// its name.
fn check(field: &str) -> Result<(), RequestError> {
    let Some((name, value)) = field.split_once(':') else {
        return Err(RequestError("a header field without a colon; expected `Name: value`".into()));
    };
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    let failed =
        |reason: &str| Err(RequestError(format!("header field `{}`: {reason}", name.escape_debug())));
    if name.is_empty() || !name.bytes().all(token) {
        return failed("a name has letters, digits and - only");
    }
    if OWN.iter().any(|own| own.eq_ignore_ascii_case(name)) {
        return failed("the program sets this one itself");
    }
    if name.eq_ignore_ascii_case("if-range") {
        return failed("it cannot be hidden, and its value may identify you; leave it out");
    }
    if !value.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) {
        return failed("its value has characters outside visible ASCII");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(host: &str, port: u16, target: &str) -> Page {
        Page { host: host.into(), port, target: target.into() }
    }

    #[test]
    fn addresses_are_taken_apart() {
        for (url, expected) in [
            ("https://example.com", page("example.com", 443, "/")),
            ("https://Example.com:8443/a/b?c=d#e", page("example.com", 8443, "/a/b?c=d")),
            ("https://example.com?q", page("example.com", 443, "/?q")),
            ("https://[::1]:4433/x", page("::1", 4433, "/x")),
            ("https://[::1]/", page("::1", 443, "/")),
        ] {
            assert_eq!(Page::parse(url), Ok(expected), "{url}");
        }
        for url in [
            "http://example.com/",
            "https://",
            "https:///x",
            "https://a:b@c/",
            "https://a:/",
            "https://a:70000/",
            "https://a:+1/",
            "https://a/ b",
            "https://a/\r\nX: y",
            "https://a/\u{e4}",
            "https://\u{e4}.example/",
            "https://a\u{1b}[2K\rvolery; x/",
            "https://a\nb/",
            "https://a'b/",
            "https://[::1%25eth0]/",
            "https://a b/",
        ] {
            assert!(Page::parse(url).is_err(), "{url:?}");
        }
    }

    #[test]
    fn a_request_says_how_it_is_to_be_answered() {
        let fields = [Zeroizing::new("Cookie: a=b".to_owned())];
        let words =
            RequestParts { method: "POST", target: "/x", fields: &fields, body: Some(b"12"), last: true };
        let request = page("example.com", 8443, "/").request(&words).expect("sound");
        let expected = "POST /x HTTP/1.1\r\nHost: example.com:8443\r\nConnection: close\r\nAccept-Encoding: identity\r\n\
                        Cookie: a=b\r\nContent-Length: 2\r\n\r\n12";
        assert_eq!(request.as_slice(), expected.as_bytes());
        let request =
            page("a", 443, "/").request(&RequestParts { last: false, body: None, ..words }).expect("sound");
        assert!(request.windows(22).any(|field| field == b"Connection: keep-alive"));
    }

    #[test]
    fn fields_cannot_end_the_line_or_take_the_place_of_the_program_s() {
        for field in
            ["a", ": b", "a b: c", "Host: x", "connection: keep-alive", "a: b\r\nc: d", "a: \u{e4}", "a: \0"]
        {
            let fields = [Zeroizing::new(field.to_owned())];
            let words = RequestParts { method: "GET", target: "/", fields: &fields, body: None, last: true };
            assert!(page("a", 443, "/").request(&words).is_err(), "{field:?}");
        }
        for (method, target) in [("get x", "/"), ("GET", "/ x"), ("GET", "/\r\n")] {
            let words = RequestParts { method, target, fields: &[], body: None, last: true };
            assert!(page("a", 443, "/").request(&words).is_err(), "{method} {target:?}");
        }
    }
}
