//! `volery demo web`: a website with an account page, to try `volery web prove` on.
//!
//! A client with the right cookie gets the page, or a token; with the token it gets the page, too. The
//! website writes its certificate to a file for `--roots`.

use std::io;
use std::path::Path;

use crate::args::DemoWebArgs;
use crate::failure::Failure;
use crate::web::Site;
use crate::{output, terminal};

/// The cookie that gives access.
pub(super) const COOKIE: &str = "session=demo";
/// The token that gives access.
const TOKEN: &str = "demo-7d1f0c";
/// The page.
const ACCOUNT: &str =
    r#"{"holder": "Ada Lovelace", "account": "4029-7714", "currency": "EUR", "balance": 5120}"#;
/// The same with the last bookings: a response of about 1 KB.
const BOOKINGS: &str = r#"{"holder": "Ada Lovelace", "account": "4029-7714", "currency": "EUR", "balance": 5120, "bookings": [
  {"day": "2026-11-02", "to": "Lovelace Bakery", "amount": -4.20},
  {"day": "2026-11-03", "to": "Difference Engines Ltd", "amount": 2840.00},
  {"day": "2026-11-03", "to": "Rent, November", "amount": -890.00},
  {"day": "2026-11-06", "to": "City Library", "amount": -12.50},
  {"day": "2026-11-09", "to": "Babbage Instruments", "amount": -149.90},
  {"day": "2026-11-11", "to": "Tram, monthly ticket", "amount": -58.00},
  {"day": "2026-11-13", "to": "Greengrocer", "amount": -31.75},
  {"day": "2026-11-16", "to": "Power and Light", "amount": -76.10},
  {"day": "2026-11-18", "to": "Concert Hall", "amount": -42.00},
  {"day": "2026-11-20", "to": "Bernoulli Books", "amount": -27.99},
  {"day": "2026-11-23", "to": "Riding School", "amount": -65.00},
  {"day": "2026-11-24", "to": "Analytical Society, membership", "amount": -120.00}
]}"#;

/// Runs the command until a signal ends the program.
pub(super) fn run(args: &DemoWebArgs) -> Result<(), Failure> {
    let site = Site::new(&args.listen, &["localhost", "127.0.0.1", "::1"])?;
    let in_file = |error: io::Error| Failure::input(format!("{}: {error}", args.root.display()));
    std::fs::write(&args.root, site.root()).map_err(in_file)?;
    let address = site.address()?;
    terminal::message(&format!("listening at {address}"));
    output::result(&introduction(address.port(), &args.root))?;
    site.serve(|request| response(request).into_bytes());
    Ok(())
}

fn introduction(port: u16, root: &Path) -> String {
    let root = root.display();
    format!(
        "A website is running, with an account page for those who have the cookie {COOKIE}. The page:\n\n   {ACCOUNT}\n\n\
         Prove that it has a balance of at least 5000 EUR, and nothing else about it:\n\n   \
         echo 'Cookie: {COOKIE}' | volery web prove https://localhost:{port}/account --roots {root} --headers - \\\n       \
         --reveal response.json:currency --assert 'response.json:balance in 5000..' --out page.attestation\n   \
         volery attestation show page.attestation\n\n\
         With a notary in another process (see `volery help notary serve`):\n\n   \
         volery notary key notary.key\n   \
         volery notary serve --key notary.key --listen 127.0.0.1:7100 --roots {root} --allow-private --port {port}\n   \
         volery web prove ... --notary 127.0.0.1:7100 --notary-key PUBLICKEY\n\nCtrl-C ends it."
    )
}

pub(super) fn response(request: &[u8]) -> String {
    let request = String::from_utf8_lossy(request);
    let mut lines = request.split("\r\n");
    let target =
        lines.next().and_then(|line| line.strip_prefix("GET ")).and_then(|rest| rest.split(' ').next());
    let fields: Vec<_> =
        lines.take_while(|line| !line.is_empty()).filter_map(|line| line.split_once(':')).collect();
    let values = |name: &str| -> Vec<&str> {
        let named = fields.iter().filter(|(other, _)| other.eq_ignore_ascii_case(name));
        named.flat_map(|(_, value)| value.split(';')).map(str::trim).collect()
    };
    let known = values("cookie").contains(&COOKIE);
    let may = known || values("authorization").contains(&format!("Bearer {TOKEN}").as_str());
    let token = format!(r#"{{"token": "{TOKEN}"}}"#);
    let (status, body) = match target.map(|target| target.split('?').next().unwrap_or_default()) {
        Some("/account") if may => ("200 OK", ACCOUNT),
        Some("/bookings") if may => ("200 OK", BOOKINGS),
        Some("/token") if known => ("200 OK", &*token),
        Some("/account" | "/bookings" | "/token") => ("401 Unauthorized", r#"{"error": "no such session"}"#),
        Some(_) => ("404 Not Found", r#"{"error": "no such page"}"#),
        None => ("405 Method Not Allowed", r#"{"error": "no such method"}"#),
    };
    let connection = if values("connection").contains(&"keep-alive") { "keep-alive" } else { "close" };
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: {connection}\r\n\r\n{body}",
        body.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_cookie_s_owner_gets_the_page() {
        let status = |request: &str| response(request.as_bytes()).split("\r\n").next().map(str::to_owned);
        for (request, expected) in [
            ("GET /account?x HTTP/1.1\r\ncookie: a=b; session=demo\r\n\r\n", "HTTP/1.1 200 OK"),
            ("GET /account HTTP/1.1\r\nCookie: session=demos\r\n\r\n", "HTTP/1.1 401 Unauthorized"),
            ("GET /bookings HTTP/1.1\r\nCookie: session=demo\r\n\r\n", "HTTP/1.1 200 OK"),
            ("GET /bookings HTTP/1.1\r\n\r\n", "HTTP/1.1 401 Unauthorized"),
            ("GET /account HTTP/1.1\r\n\r\nCookie: session=demo", "HTTP/1.1 401 Unauthorized"),
            ("GET /token HTTP/1.1\r\ncookie: session=demo\r\n\r\n", "HTTP/1.1 200 OK"),
            ("GET /token HTTP/1.1\r\n\r\n", "HTTP/1.1 401 Unauthorized"),
            ("GET /account HTTP/1.1\r\nAuthorization: Bearer demo-7d1f0c\r\n\r\n", "HTTP/1.1 200 OK"),
            ("GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 404 Not Found"),
            ("POST /account HTTP/1.1\r\n\r\n", "HTTP/1.1 405 Method Not Allowed"),
            ("\u{0}\r\n\r\n", "HTTP/1.1 405 Method Not Allowed"),
        ] {
            assert_eq!(status(request).as_deref(), Some(expected), "{request:?}");
        }
    }
}
