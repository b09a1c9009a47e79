//! All requests of `volery web prove`, in order: that of the command line, then those of files
//! ([`Template`]).
//!
//! All requests share one connection, or each has its own ([`Order`]). The program counts requests over all
//! connections in both cases; within a connection rounds are counted from its first request.
//!
//! Sizes are fixed before a connection opens, so a padding field fills up requests whose values are shorter
//! than planned.

use core::ops::Range;

use volery::web::Side;
use volery::web::dialogue::{MAX_ROUNDS, ReceivedResponses};
use volery::web::disclosure::{MessagePart, Part, Selection, TlsVersion};
use volery::web::http::{self, Request};
use volery::web::joint::{RoundSizes, Sizes};
use zeroize::Zeroizing;

use super::parts;
use super::placeholder::Placeholder;
use super::request::Page;
use super::template::Template;
use crate::failure::Failure;

/// The field that pads a request.
const PADDING: &str = "X-Padding: ";
/// Bytes that reading a response takes in addition to its own: the ends of two records.
const ROOM: usize = 64;
/// Bytes that reading the first response takes in TLS 1.3: two session tickets, as servers send them before
/// it.
const TICKETS: usize = 576;
/// The methods after which further requests may be sent without waiting (RFC 9112, section 9.3.2).
const SAFE: [&str; 3] = ["GET", "HEAD", "OPTIONS"];

/// When a request is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// After the previous response, on the same connection.
    InTurn,
    /// At once if possible, on the same connection.
    AtOnce,
    /// On a connection of its own, after the previous connection.
    Apart,
}

/// Something wrong with what is shown, hidden or claimed.
#[derive(Debug)]
pub(super) struct Mistake {
    /// The part that it is about, if it is about one.
    pub(super) part: Option<MessagePart>,
    pub(super) failure: Failure,
}

/// A list of mistakes.
struct Found(Vec<Mistake>);

impl Found {
    fn add(&mut self, part: Option<MessagePart>, checked: Result<(), Failure>) {
        if let Err(failure) = checked
            && !self.0.iter().any(|known| known.failure == failure)
        {
            self.0.push(Mistake { part, failure });
        }
    }
}

/// All requests of a flow, in order.
#[derive(Debug)]
pub(super) struct Script {
    page: Page,
    requests: Vec<Template>,
    order: Order,
    /// The length of each request in bytes.
    sizes: Vec<usize>,
    /// The number of responses, from the first on, that are read before the next request.
    read: usize,
}

impl Script {
    /// Takes the page and its requests, in order.
    pub(super) fn new(page: Page, requests: Vec<Template>, order: Order) -> Result<Self, Failure> {
        let count = requests.len();
        if count > MAX_ROUNDS {
            return Err(Failure::input(format!("{count} requests; at most {MAX_ROUNDS} are possible")));
        }
        let mut script = Self { page, requests, order, sizes: Vec::new(), read: 0 };
        (script.sizes, script.read) = script.measure()?;
        Ok(script)
    }

    /// The length of each request, and the number of responses that are read before the next request.
    fn measure(&self) -> Result<(Vec<usize>, usize), Failure> {
        let Self { page, requests, order, .. } = self;
        let count = requests.len();
        let (mut sizes, mut read) =
            (Vec::new(), if *order == Order::InTurn { count.saturating_sub(1) } else { 0 });
        for (round, request) in requests.iter().enumerate() {
            let failed = |reason: String| match round {
                0 => Failure::input(reason),
                later => Failure::input(format!("request {}: {reason}", later + 1)),
            };
            for place in request.placeholders().map_err(failed)? {
                if place.round >= round {
                    return Err(failed(format!("no response {} comes before it", place.round + 1)));
                }
                read = read.max(place.round + 1);
            }
            if round + 1 < count && !SAFE.contains(&request.method.as_str()) {
                read = read.max(round + 1);
            }
            let whole = request.longest(page, self.is_last(round)).map_err(failed)?;
            check(&whole, self.is_last(round), self.connection(round).len()).map_err(failed)?;
            let padded =
                if request.placeholders().map_err(failed)?.is_empty() { 0 } else { PADDING.len() + 2 };
            sizes.push(whole.len() + padded);
        }
        Ok((sizes, if *order == Order::Apart { 0 } else { read }))
    }

    /// The numbers of the requests that share a connection with request `round`.
    fn connection(&self, round: usize) -> Range<usize> {
        if self.order == Order::Apart { round..round + 1 } else { 0..self.requests.len() }
    }

    /// Whether request `round` is the last of its connection.
    fn is_last(&self, round: usize) -> bool {
        round + 1 == self.connection(round).end
    }

    /// The connections, as the numbers of their requests.
    pub(super) fn connections(&self) -> Vec<Range<usize>> {
        let starts = if self.order == Order::Apart { self.requests.len() } else { 1 };
        (0..starts).map(|start| self.connection(start)).collect()
    }

    /// The parts that requests take from responses, and the paths that they put values into. They stay secret
    /// unless the user reveals them.
    pub(super) fn taken(&self) -> Result<Vec<MessagePart>, Failure> {
        let mut taken = Vec::new();
        for (round, request) in self.requests.iter().enumerate() {
            let placeholders = request.placeholders().map_err(Failure::Input)?;
            taken.extend(placeholders.iter().map(Placeholder::part));
            if request.puts_into_path().map_err(Failure::Input)? {
                taken.push(MessagePart { side: Side::Client, round, part: Part::Path });
            }
        }
        Ok(taken)
    }

    /// Checks that all parts of the requests that this selection hides can be hidden, before anything is
    /// sent.
    pub(super) fn check(&self, selection: &Selection) -> Result<(), Failure> {
        self.mistakes(selection).into_iter().next().map_or(Ok(()), |mistake| Err(mistake.failure))
    }

    /// Everything that is wrong with this selection, as far as it shows before anything is sent.
    pub(super) fn mistakes(&self, selection: &Selection) -> Vec<Mistake> {
        let mut found = Found(Vec::new());
        for (named, alone) in parts::each(selection) {
            found.add(Some(named.clone()), parts::check_rounds(&alone, self.requests.len()));
            found.add(Some(named), parts::check_names(&alone));
        }
        for (round, request) in self.requests.iter().enumerate() {
            if let Err(failure) = self.check_request(selection, (round, request), &mut found) {
                found.add(None, Err(failure));
            }
        }
        found.0
    }

    /// Looks at a request of which something may be hidden that cannot be.
    fn check_request(
        &self,
        selection: &Selection,
        (round, request): (usize, &Template),
        found: &mut Found,
    ) -> Result<(), Failure> {
        let named = |part| Some(MessagePart { side: Side::Client, round, part });
        let header = |name: &str| named(Part::Header(name.into()));
        for name in request.field_names() {
            found.add(header(name), parts::check_fields(selection, round, core::iter::once(name)));
        }
        for name in request.filled_fields().map_err(Failure::Input)? {
            found.add(header(name), parts::check_filled(selection, round, &[name]));
        }
        if request.puts_into_name().map_err(Failure::Input)? {
            found.add(named(Part::Body), parts::check_body_names(selection, round));
        }
        let last = self.is_last(round);
        let whole = request.longest(&self.page, last).map_err(Failure::Input)?;
        let parsed = Request::parse(&whole, 0).map_err(Failure::input)?;
        if parsed.body.length() > 0 && !http::has_usual_body(&whole, &parsed) {
            found.add(named(Part::Body), parts::check_body(selection, round, &request.method));
        }
        if !last && self.read + 1 < self.requests.len() {
            let query = parsed.query(&whole).is_some_and(|query| !query.is_empty());
            found.add(named(Part::Path), parts::check_target(selection, round, query));
        }
        Ok(())
    }

    /// The page.
    pub(super) fn page(&self) -> &Page {
        &self.page
    }

    /// The sizes for the connection of these requests. `read` bytes can be read of each response that a
    /// request waits for.
    pub(super) fn sizes(
        &self,
        connection: &Range<usize>,
        tls: TlsVersion,
        read: usize,
        proved: usize,
    ) -> Sizes {
        let round = |(round, query): (usize, &usize)| {
            let tickets = if tls == TlsVersion::Tls13 && round == 0 { TICKETS } else { 0 };
            let read = if round < self.read { read + ROOM + tickets } else { 0 };
            RoundSizes { query: *query, read }
        };
        let sizes = self.sizes.iter().enumerate().filter(|(round, _)| connection.contains(round));
        Sizes { tls, rounds: sizes.map(round).collect(), proved }
    }

    /// Adds the responses on the connection of these requests to `heard`, for requests on later connections.
    pub(super) fn hear(
        &self,
        connection: &Range<usize>,
        received: &[u8],
        heard: &mut ReceivedResponses,
    ) -> Result<(), Failure> {
        let later = self.requests.get(connection.end..).unwrap_or_default();
        let placeholders = later
            .iter()
            .map(Template::placeholders)
            .collect::<Result<Vec<_>, _>>()
            .map_err(Failure::Input)?;
        if !placeholders.iter().flatten().any(|place| connection.contains(&place.round)) {
            // No request reads it. It only keeps the numbers of later responses.
            return heard.add(b"HTTP/1.1 204 No Content\r\n\r\n", false).map_err(Failure::session);
        }
        let to_head = self.requests.get(connection.start).is_some_and(|request| request.method == "HEAD");
        heard.add(received, to_head).map_err(Failure::session)
    }

    /// The request with this number, padded to its size.
    pub(super) fn request(
        &self,
        round: usize,
        heard: &ReceivedResponses,
    ) -> Result<Zeroizing<Vec<u8>>, String> {
        let (Some(request), Some(size)) = (self.requests.get(round), self.sizes.get(round)) else {
            return Err("there is no such request".into());
        };
        let made = request.with(&self.page, self.is_last(round), &mut |place| place.value(heard))?;
        let made = match size.checked_sub(made.len() + PADDING.len() + 2) {
            Some(padding) if !request.placeholders()?.is_empty() => padded(&made, padding),
            _ => made,
        };
        // With its values a request may be invalid although its template is valid.
        check(&made, self.is_last(round), self.connection(round).len())?;
        Ok(made)
    }
}

/// Checks that the notary will accept this request as one of `count` on a connection, before it is sent.
fn check(request: &[u8], last: bool, count: usize) -> Result<(), String> {
    let parsed = Request::parse(request, 0).map_err(|error| error.to_string())?;
    http::check_request(request, &parsed, last).map_err(|error| error.to_string())?;
    if count > 1 && !http::has_usual_body(request, &parsed) {
        return Err(
            "where there are several requests on a connection, only POST, PUT and PATCH may have a body"
                .into(),
        );
    }
    Ok(())
}

/// Puts the padding field before the empty line that ends the head.
fn padded(request: &[u8], padding: usize) -> Zeroizing<Vec<u8>> {
    let end = request.windows(4).position(|end| end == b"\r\n\r\n").map_or(request.len(), |end| end + 2);
    let (head, rest) = request.split_at(end);
    let field = [PADDING.as_bytes(), &vec![b'x'; padding], b"\r\n"].concat();
    Zeroizing::new([head, &field, rest].concat())
}

#[cfg(test)]
mod tests {
    use volery::web::disclosure::Redaction;

    use super::*;

    fn page() -> Page {
        Page::parse("https://localhost/start").expect("sound")
    }

    fn first(method: &str) -> Template {
        let target = Zeroizing::new("/start".into());
        Template { method: method.into(), target, fields: Vec::new(), body: None }
    }

    fn script(method: &str, then: &[&str]) -> Result<Script, Failure> {
        scripted(method, then, Order::InTurn)
    }

    fn scripted(method: &str, then: &[&str], order: Order) -> Result<Script, Failure> {
        let then = then.iter().map(|text| Template::parse(text.as_bytes(), &[]).map_err(Failure::Input));
        let requests = core::iter::once(Ok(first(method))).chain(then).collect::<Result<Vec<_>, _>>()?;
        Script::new(page(), requests, order)
    }

    fn text(script: &Script, round: usize) -> Result<String, String> {
        let made = script.request(round, &ReceivedResponses::default())?;
        assert_eq!(made.len(), script.sizes[round]);
        Ok(String::from_utf8_lossy(&made).into_owned())
    }

    #[test]
    fn files_say_method_target_fields_and_body() {
        let all = script("GET", &["GET /next", "PUT /a?b\nX: y\n\n{\"c\":\n\n1}\n"]).expect("sound");
        assert_eq!(
            text(&all, 2).expect("made"),
            "PUT /a?b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept-Encoding: identity\r\n\
             X: y\r\nContent-Length: 9\r\n\r\n{\"c\":\n\n1}"
        );
        assert!(text(&all, 0).expect("made").contains("Connection: keep-alive"));
        let next = text(&all, 1).expect("made");
        assert!(
            next.starts_with("GET /next ")
                && next.contains("Connection: keep-alive")
                && next.ends_with("\r\n\r\n")
        );
        for wrong in [
            "",
            "GET",
            "GET page",
            "get /",
            "TRACE /",
            "GET /\nno colon",
            "GET /\nHost: a",
            "GET /?_method=HEAD",
            "GET /\nX-HTTP-Method-Override: HEAD",
            "GET /\nExpect: 100-continue",
        ] {
            assert!(script("GET", &[wrong]).is_err(), "{wrong:?}");
        }
        assert!(script("GET", &["POST /\n\nbody", "GET /"]).is_err(), "a body before the last");
        assert!(script("GET", &["DELETE /\n\nbody"]).is_err(), "a body that not all servers read");
        assert!(script("HEAD", &["GET /"]).is_err() && script("GET", &["HEAD /"]).is_ok());
        assert!(script("GET", &["GET /"; MAX_ROUNDS]).is_err());
    }

    fn reveal(side: Side, round: usize, part: Part) -> MessagePart {
        MessagePart { side, round, part }
    }

    /// The notary would refuse such requests only after they were sent.
    #[test]
    fn what_cannot_be_hidden_is_refused_before_anything_is_sent() {
        let with_body = |method: &str| {
            let body = Some(Zeroizing::new(b"{\"a\":1}".to_vec()));
            Script::new(page(), vec![Template { body, ..first(method) }], Order::InTurn).expect("sound")
        };
        let refused = |script: &Script, selection: &Selection| script.check(selection).is_err();
        let revealing = |reveal: MessagePart| Selection { reveal: vec![reveal], ..Selection::default() };
        let hiding =
            |side, part| Selection { hide: vec![Redaction::new(side, part)], ..Selection::default() };
        for method in ["DELETE", "GET", "OPTIONS"] {
            let script = with_body(method);
            assert!(refused(&script, &Selection::default()), "{method}");
            assert!(refused(&script, &hiding(Side::Client, Part::Json("a".into()))), "{method}");
            assert!(!refused(&script, &revealing(reveal(Side::Client, 0, Part::Body))), "{method}");
        }
        for method in ["POST", "PUT", "PATCH"] {
            assert!(!refused(&with_body(method), &Selection::default()), "{method}");
        }
        // Fields that say how to read a message always show.
        let single = script("GET", &[]).expect("sound");
        for side in [Side::Client, Side::Server] {
            assert!(refused(&single, &hiding(side, Part::Header("Content-Type".into()))));
        }
        assert!(refused(&single, &hiding(Side::Client, Part::Header("X-Original-URL".into()))));
        assert!(!refused(&single, &hiding(Side::Server, Part::Header("X-Original-URL".into()))));
        // So do values that are taken from them, unless the user wants that.
        let taking = script("GET", &["GET /a?b={{response.header:Content-Type|30}}"]).expect("sound");
        let selection = Selection { taken: taking.taken().expect("sound"), ..Selection::default() };
        assert!(refused(&taking, &selection));
        let shown = reveal(Side::Server, 0, Part::Header("content-type".into()));
        assert!(!refused(&taking, &Selection { reveal: vec![shown], ..selection }));
    }

    #[test]
    fn targets_that_would_be_hidden_are_not_sent_at_once() {
        let sent = |then: &[&str], at_once, selection: &Selection| {
            let order = if at_once { Order::AtOnce } else { Order::InTurn };
            scripted("GET", then, order).expect("sound").check(selection).is_ok()
        };
        let none = Selection::default();
        assert!(sent(&["GET /a?b", "GET /"], false, &none) && sent(&["GET /a", "GET /?b"], true, &none));
        assert!(!sent(&["GET /a?b", "GET /"], true, &none));
        let shown = Selection { reveal: vec![reveal(Side::Client, 1, Part::Query)], ..Selection::default() };
        assert!(sent(&["GET /a?b", "GET /"], true, &shown));
        let hidden =
            Selection { hide: vec![Redaction::new(Side::Client, Part::Path)], ..Selection::default() };
        assert!(!sent(&["GET /"], true, &hidden) && sent(&["GET /"], false, &hidden));
    }

    #[test]
    fn what_is_taken_from_a_response_is_hidden_there_and_in_a_path() {
        let taken = |text: &str| {
            let taken = script("GET", &[text]).and_then(|script| script.taken()).expect("sound");
            taken.iter().map(|MessagePart { round, part, .. }| format!("{round} {part}")).collect::<Vec<_>>()
        };
        assert_eq!(taken("GET /a?b={{response.json:a.b|3}}"), ["0 json a.b"]);
        assert_eq!(taken("GET /{{response.json:a[\"?\"]|3}}?b"), ["0 json a[\"?\"]", "1 path"]);
        let both = "GET /\nCookie: a={{response.cookie:a|3}}\nIf-Match: {{response.header:etag|9}}";
        assert_eq!(taken(both), ["0 header Set-Cookie", "0 header etag"]);
        assert!(taken("POST /\n\n{}").is_empty());
    }

    #[test]
    fn responses_are_read_where_something_waits_for_them() {
        let reads = |script: &Script| -> Vec<usize> {
            let [connection] = &*script.connections() else { panic!("only one") };
            script
                .sizes(connection, TlsVersion::Tls12, 100, 7)
                .rounds
                .iter()
                .map(|round| round.read)
                .collect()
        };
        assert_eq!(reads(&script("GET", &["GET /", "GET /"]).expect("sound")), [164, 164, 0]);
        let at_once =
            |method: &str, then: &[&str]| reads(&scripted(method, then, Order::AtOnce).expect("sound"));
        assert_eq!(at_once("GET", &["GET /", "GET /"]), [0, 0, 0]);
        // The next request waits after one that may change something.
        assert_eq!(at_once("POST", &["GET /", "POST /"]), [164, 0, 0]);
        assert_eq!(at_once("GET", &["GET /", "GET /{{response.json:a|3}}"]), [164, 0, 0]);
        assert_eq!(at_once("GET", &["GET /", "GET /{{response2.json:a|3}}"]), [164, 164, 0]);
        assert!(script("GET", &["GET /{{response2.json:a|3}}"]).is_err(), "its own response");
    }

    #[test]
    fn requests_apart_are_each_the_first_and_last_of_a_connection() {
        let then = ["POST /b\n\n{}", "HEAD /{{response.json:a|3}}", "GET /{{response2.json:a|3}}"];
        assert!(script("GET", &then).is_err(), "a body before the last");
        let apart = scripted("DELETE", &then, Order::Apart).expect("sound");
        let connections = apart.connections();
        assert_eq!(connections, [0..1, 1..2, 2..3, 3..4]);
        for (connection, size) in connections.iter().zip(&apart.sizes) {
            let rounds = vec![RoundSizes { query: *size, read: 0 }];
            let tls = TlsVersion::Tls12;
            assert_eq!(apart.sizes(connection, tls, 100, 7), Sizes { tls, rounds, proved: 7 });
        }
        assert!(text(&apart, 0).expect("made").contains("Connection: close"));
        assert!(apart.request(2, &ReceivedResponses::default()).is_err(), "nothing was heard");
        let mut heard = ReceivedResponses::default();
        let response = |body: &str| format!("HTTP/1.1 200 OK\r\n\r\n{body}");
        apart.hear(&(0..1), response("{\"a\":\"xy\"}").as_bytes(), &mut heard).expect("heard");
        let made = apart.request(2, &heard).expect("made");
        assert!(made.starts_with(b"HEAD /xy HTTP/1.1\r\n") && made.len() == apart.sizes[2]);
        apart.hear(&(1..2), response("{\"a\":3}").as_bytes(), &mut heard).expect("heard");
        apart.hear(&(2..3), b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", &mut heard).expect("no body");
        assert!(apart.request(3, &heard).expect("made").starts_with(b"GET /3 HTTP/1.1\r\n"));
        assert!(apart.hear(&(1..2), b"no response", &mut heard).is_err());
        // No request waits for the last response.
        assert!(apart.hear(&(3..4), b"no response", &mut heard).is_ok());
    }

    /// A value from the server may make a valid template invalid.
    #[test]
    fn requests_are_looked_at_with_their_values() {
        let apart = |then: &str| scripted("GET", &[then], Order::Apart).expect("sound");
        let made = |then: &str, value: &str| {
            let (script, mut heard) = (apart(then), ReceivedResponses::default());
            let response = format!("HTTP/1.1 200 OK\r\n\r\n{{\"a\":\"{value}\"}}");
            script.hear(&(0..1), response.as_bytes(), &mut heard).expect("heard");
            script.request(1, &heard).map(|_| ())
        };
        let form = "POST /\nContent-Type: application/x-www-form-urlencoded\n\nn={{response.json:a|40}}";
        for then in ["GET /?n={{response.json:a|40}}", form] {
            assert_eq!(made(then, "x"), Ok(()), "{then}");
            assert!(made(then, "x&_method=HEAD").is_err(), "{then}");
        }
        assert!(made("GET /{{response.json:a|40}}", "b#c").is_err());
    }

    #[test]
    fn values_are_not_put_where_they_would_show() {
        let selection = |revealed: &[Part]| {
            let reveal = revealed.iter().map(|part| reveal(Side::Client, 1, part.clone())).collect();
            Selection { reveal, ..Selection::default() }
        };
        let check = |then: &str, revealed: &[Part]| {
            script("GET", &[then]).and_then(|script| script.check(&selection(revealed))).is_ok()
        };
        let kind = Part::Header("content-type".into());
        let boundary = "POST /\nContent-Type: multipart/form-data; boundary={{response.json:a|9}}\n\nx";
        assert!(!check(boundary, &[]) && check(boundary, &[kind]));
        assert!(check("GET /\nCookie: {{response.json:a|9}}", &[]));
        assert!(!check("GET /\nX-{{response.json:a|9}}: b", &[]));
        let b = || Part::Json("b".into());
        let name = "POST /\n\n{\"a{{response.json:a|9}}\\\"\" : 1, \"b\": 2}";
        assert!(check(name, &[]) && !check(name, &[b()]) && !check(name, &[b(), Part::Path]));
        for value in ["\"{{response.json:a|9}}\"", "{{response.json:a|9}}", "[\"x{{response.json:a|9}}\", 1]"]
        {
            assert!(check(&format!("POST /\n\n{{\"a\": {value}, \"b\": 2}}"), &[b()]), "{value}");
        }
    }

    #[test]
    fn only_what_a_later_request_takes_from_is_kept() {
        let apart = scripted("GET", &["GET /", "GET /{{response2.json:a|3}}"], Order::Apart).expect("sound");
        let mut heard = ReceivedResponses::default();
        apart.hear(&(0..1), b"HTTP/1.1 200 OK\r\n\r\n{\"a\":1}", &mut heard).expect("heard");
        apart.hear(&(1..2), b"HTTP/1.1 200 OK\r\n\r\n{\"a\":2}", &mut heard).expect("heard");
        assert!(!heard.text().windows(7).any(|part| part == b"{\"a\":1}"));
        assert!(apart.request(2, &heard).expect("made").starts_with(b"GET /2 "));
    }

    #[test]
    fn selections_of_requests_that_do_not_exist_are_refused() {
        let script = script("GET", &["GET /"]).expect("sound");
        for round in [1, 2] {
            for side in [Side::Client, Side::Server] {
                let shown =
                    Selection { reveal: vec![reveal(side, round, Part::Body)], ..Selection::default() };
                assert_eq!(script.check(&shown).is_ok(), round == 1);
                let hide = Redaction { round, ..Redaction::new(side, Part::Json("a".into())) };
                let selection = Selection { hide: vec![hide], ..Selection::default() };
                let refused = script.check(&selection).err().map(|refused| refused.to_string());
                assert_eq!(refused.is_some_and(|text| text.contains("there are 2 requests")), round == 2);
            }
        }
    }
}
