//! The order in which requests and responses went over a connection: what V knows about it, and what it
//! refuses.
//!
//! # The attack
//!
//! HTTP/1.1 has no numbers: the `n`-th response is the `n`-th message among the server's bytes, and its head
//! says where it ends. If a server answers a request without the body that its head announces, all later
//! responses move up:
//!
//! ```text
//! P has V complete       the server gets        the server says             V reads
//! request 1              request 1              head of N bytes, no body    response 1: that head, and N bytes of what comes next
//! request 2 (a file      request 2              head, a file of P's         response 2: from the middle of P's file
//!   that P uploaded)
//! request 3              nothing                nothing                     response 3: the end of P's file
//! ```
//!
//! Servers do that for a method override to HEAD, for methods in lower case, and where an application lets
//! header lines be injected; some send bodies with statuses that have none. P can then have words of its own
//! choice signed as the response to request 3, which the server has never seen.
//!
//! # What V knows, and what it demands
//!
//! For each of the client's encrypted records V has a stamp: the number of whole encrypted records of the
//! server's that it held at that time.
//!
//! * *Proxy.* V takes everything that the server has sent before each of its writes
//!   ([`relay`](crate::proxy::relay)). The stamp of a record's first byte is that of the write which sent it,
//!   and the last byte has a stamp of its own. V wrote the bytes itself, so they are on the way to the
//!   server.
//! * *Two parties.* P shows V the server's records before V takes part in a further request. The stamp is the
//!   number of those shown. V does not see the server. But P can make no record without V, and the server
//!   only takes them in order: if the server misses one, it takes none after it.
//!
//! ```text
//! stamps of request n, of all its records, first bytes and last  =  s        one number, of whole records
//! application data in the server's first s records               =  responses 1 to n-1, exactly
//! ```
//!
//! So a request begins with a new record, and no record holds the end of one response and the start of the
//! next. Response `n` begins in a record of which V had no byte when request `n` was complete, and no byte of
//! response `n` was there when V wrote, or helped to make, the first byte of request `n`. In the attack V
//! only holds the head of response 1, as it parses it, when request 2 begins. N bytes are missing, and only
//! request 2 makes the server send them.
//!
//! # Limits
//!
//! The stamps say what came before. They do not say that what came after came *because* of the request. If a
//! server says more than its head announces, in a record that ends there, the rest is still taken for the
//! next response. With two parties, P decides how much V is shown. As a proxy, V takes what has arrived when
//! P chooses to ask, so a pause of the network is enough. So messages that are known to make servers do that
//! are refused as well (`http::rules`): before the last round there may be no body of a request, no HEAD, no
//! response without a length of its own (204, 304), and none that closes the connection. What cannot be
//! refused is stated: an attestation has its number of rounds, and readers accept one round unless they say
//! otherwise.
//!
//! *Requests that are sent at once* (only with two parties) have no such stamps. They are accepted only if P
//! prepared the connection for them, and the attestation says so:
//! [`Statement::pipelined`](crate::attestation::Statement::pipelined). Then nothing before the last round's
//! target may be hidden, because a method override in a query would be enough.

use super::Refusal;
use super::connection::DataRecord;
use super::payload::application;
use crate::page::http::Exchange;
use crate::wire::transcript::APPLICATION_DATA;

/// How many bytes of each direction had passed when V began to write more of the client's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RelayMark {
    pub(crate) client: usize,
    pub(crate) server: usize,
}

/// The source of V's knowledge of the order.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OrderEvidence<'a> {
    /// V relayed the records: a mark wherever it had more of the server's bytes than before.
    Relayed(&'a [RelayMark]),
    /// V took part in making the client's records, and knows how many of the server's it held at each.
    Held {
        /// The number for each of the client's encrypted records.
        counts: &'a [usize],
        /// Whether P announced that requests are sent at once.
        pipelined: bool,
    },
}

/// The numbers of whole encrypted records of the server's that V held at the first and at the last byte of a
/// record of the client's; `None` if it also held a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    first: Option<usize>,
    last: Option<usize>,
}

/// The start of each encrypted record in a direction's `length` bytes, and the end of the last one. The
/// records are at the end.
fn places(records: &[DataRecord<'_>], length: usize) -> Vec<usize> {
    let mut places = vec![length];
    let mut at = length;
    for record in records.iter().rev() {
        at = at.saturating_sub(record.wire_bytes());
        places.push(at);
    }
    places.reverse();
    places
}

/// The stamps of the client's records that V relayed.
fn relayed(records: [&[DataRecord<'_>]; 2], [client, server]: [usize; 2], marks: &[RelayMark]) -> Vec<Stamp> {
    let [client_records, server_records] = records;
    let server_places = places(server_records, server);
    let at = |byte: usize| {
        let mark = marks.partition_point(|mark| mark.client <= byte).checked_sub(1)?;
        let held = marks.get(mark)?.server;
        server_places.binary_search(&held).ok()
    };
    let ends = places(client_records, client);
    let stamp = |(start, end): (&usize, &usize)| Stamp { first: at(*start), last: at(end.saturating_sub(1)) };
    ends.iter().zip(ends.iter().skip(1)).map(stamp).collect()
}

/// Checks that each request came after the whole response to the one before it and before any of its own, or
/// that requests may be sent at once here. Returns whether they were. `records` are the encrypted ones of
/// both directions, `lengths` the numbers of all bytes of each.
///
/// # Errors
/// [`Refusal::Order`] if not.
pub(super) fn check(
    seen: OrderEvidence<'_>,
    records: [&[DataRecord<'_>]; 2],
    lengths: [usize; 2],
    exchanges: &[Exchange],
) -> Result<bool, Refusal> {
    let [client, server] = records;
    let (stamps, may) = match seen {
        OrderEvidence::Relayed(marks) => (relayed(records, lengths, marks), false),
        OrderEvidence::Held { counts, pipelined } => {
            let stamp = |count: &usize| Stamp { first: Some(*count), last: Some(*count) };
            (counts.iter().map(stamp).collect(), pipelined)
        }
    };
    let mut data_before = vec![0];
    for record in server {
        let data = if record.content_type == APPLICATION_DATA { record.length } else { 0 };
        data_before.push(data_before.last().copied().unwrap_or_default() + data);
    }
    let early = exchanges.iter().position(|exchange| !in_order(client, &stamps, &data_before, exchange));
    match early {
        None => Ok(false),
        Some(round) if may && round > 0 => Ok(true),
        Some(round) => Err(Refusal::Order { round }),
    }
}

/// Whether all of a request's records, of which it begins the first, were sent when V held everything before
/// its response and nothing else. `data_before` are the bytes of application data in the server's first
/// records, starting with none of them.
fn in_order(client: &[DataRecord<'_>], stamps: &[Stamp], data_before: &[usize], exchange: &Exchange) -> bool {
    let (request, response) = (&exchange.request.range, &exchange.response.range);
    let after_all =
        |held: Option<usize>| held.and_then(|held| data_before.get(held)) == Some(&response.start);
    let mut begins = false;
    for (number, start, record) in application(client) {
        if start >= request.end || start + record.length <= request.start {
            continue;
        }
        begins |= start == request.start;
        if !stamps.get(number).is_some_and(|stamp| after_all(stamp.first) && after_all(stamp.last)) {
            return false;
        }
    }
    begins
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::http;
    use crate::wire::suite::Suite;
    use crate::wire::transcript::{HANDSHAKE, NONCE_BYTES, Record, TAG_BYTES};

    /// The bytes of an encrypted record on the wire besides its plaintext.
    const RECORD_OVERHEAD: usize = 5 + NONCE_BYTES + TAG_BYTES;

    const REQUESTS: [&str; 2] = ["GET /a HTTP/1.1\r\nHost: a\r\n\r\n", "GET /b HTTP/1.1\r\nHost: a\r\n\r\n"];
    const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n";

    /// Records of these lengths after Finished.
    fn records(lengths: &[usize]) -> Vec<Record> {
        let record = |(sequence, (content_type, length)): (u64, (u8, usize))| Record {
            sequence,
            content_type,
            explicit_nonce: [0; NONCE_BYTES],
            ciphertext: vec![0; length],
            tag: [0; TAG_BYTES],
        };
        let data = lengths.iter().map(|length| (APPLICATION_DATA, *length));
        (0..).zip(core::iter::once((HANDSHAKE, 16)).chain(data)).map(record).collect()
    }

    /// What is said of two requests and responses that went in records of these lengths.
    fn seen(seen: OrderEvidence<'_>, client: &[usize], server: &[usize]) -> Result<bool, Refusal> {
        let (requests, responses) = (REQUESTS.concat(), format!("{HEAD}1234{HEAD}5678"));
        let exchanges = http::parse(requests.as_bytes(), responses.as_bytes(), true).unwrap();
        let [client, server] = [client, server].map(records);
        let bytes = |records: &[Record]| {
            let each = records.iter().map(|record| record.ciphertext.len() + RECORD_OVERHEAD);
            100 + each.sum::<usize>()
        };
        let data = [&client, &server].map(|records| {
            records.iter().map(|record| DataRecord::tls12(record, Suite::Aes128GcmSha256)).collect::<Vec<_>>()
        });
        check(seen, data.each_ref().map(Vec::as_slice), [bytes(&client), bytes(&server)], &exchanges)
    }

    const FIRST: usize = REQUESTS[0].len();
    const SECOND: usize = REQUESTS[1].len();
    const ANSWER: usize = HEAD.len() + 4;
    /// Where the records after Finished begin.
    const START: usize = 100 + 16 + RECORD_OVERHEAD;

    fn early(round: usize) -> Result<bool, Refusal> {
        Err(Refusal::Order { round })
    }

    /// Of a relayed connection with a record for each request: marks at these bytes.
    fn relayed_with(marks: &[(usize, usize)], server: &[usize]) -> Result<bool, Refusal> {
        let marks: Vec<_> =
            marks.iter().map(|(client, server)| RelayMark { client: *client, server: *server }).collect();
        seen(OrderEvidence::Relayed(&marks), &[FIRST, SECOND], server)
    }

    #[test]
    fn each_request_comes_after_the_response_to_the_one_before_and_before_its_own() {
        let (second, answered) = (START + FIRST + RECORD_OVERHEAD, START + ANSWER + RECORD_OVERHEAD);
        let whole = &[ANSWER, ANSWER];
        assert_eq!(relayed_with(&[(0, 0), (START, START), (second, answered)], whole), Ok(false));
        // A response in several records, and one of no data between the two.
        let parted = &[HEAD.len(), 4, 0, ANSWER];
        for records in [2, 3] {
            let mark = (second, answered + (records - 1) * RECORD_OVERHEAD);
            assert_eq!(relayed_with(&[(0, 0), (START, START), mark], parted), Ok(false));
        }
        // Request 1 when a response was there; request 2 when there was nothing yet, a part of response 1, or
        // of response 2.
        assert_eq!(relayed_with(&[(0, 0), (START, answered)], whole), early(0));
        assert_eq!(relayed_with(&[(0, 0), (START, START)], whole), early(1));
        assert_eq!(relayed_with(&[(0, 0), (START, START), (second, answered - 4)], whole), early(1));
        assert_eq!(relayed_with(&[(0, 0), (START, START), (second, answered + 1)], whole), early(1));
        let after = answered + HEAD.len() + RECORD_OVERHEAD;
        let parted = &[ANSWER, HEAD.len(), 4];
        assert_eq!(relayed_with(&[(0, 0), (START, START), (second, after)], parted), early(1));
    }

    #[test]
    fn nothing_comes_between_the_first_byte_of_a_request_and_its_last() {
        let (second, answered) = (START + FIRST + RECORD_OVERHEAD, START + ANSWER + RECORD_OVERHEAD);
        let last = second + SECOND + RECORD_OVERHEAD - 1;
        let before = [(0, 0), (START, START), (second, answered)];
        for late in [answered + 1, answered + ANSWER + RECORD_OVERHEAD] {
            let marks = [&before[..], &[(last, late)]].concat();
            assert_eq!(relayed_with(&marks, &[ANSWER, ANSWER]), early(1));
        }
        // The first byte was sent before the response to the request before it.
        let marks = [(0, 0), (START, START), (second + 1, answered)];
        assert_eq!(relayed_with(&marks, &[ANSWER, ANSWER]), early(1));
        // A request in two records, of which the second came late.
        let parts = [FIRST, 5, SECOND - 5];
        let marks =
            [(0, 0), (START, START), (second, answered), (second + 5 + RECORD_OVERHEAD, answered + 1)];
        let marks = marks.map(|(client, server)| RelayMark { client, server });
        assert_eq!(seen(OrderEvidence::Relayed(&marks[..3]), &parts, &[ANSWER, ANSWER]), Ok(false));
        assert_eq!(seen(OrderEvidence::Relayed(&marks), &parts, &[ANSWER, ANSWER]), early(1));
    }

    #[test]
    fn no_record_holds_the_end_of_one_and_the_beginning_of_the_next() {
        let held = |counts: &[usize], client: &[usize], server: &[usize]| {
            seen(OrderEvidence::Held { counts, pipelined: false }, client, server)
        };
        assert_eq!(held(&[1, 1, 2], &[FIRST, SECOND], &[ANSWER, ANSWER]), Ok(false));
        for counts in [&[1, 1, 1][..], &[1, 1, 3], &[1, 1], &[1, 1, 9]] {
            assert_eq!(held(counts, &[FIRST, SECOND], &[ANSWER, ANSWER]), early(1));
        }
        assert_eq!(held(&[1, 2, 2], &[FIRST, SECOND], &[ANSWER, ANSWER]), early(0));
        // Responses, then requests, in one record.
        for count in [1, 2] {
            assert_eq!(held(&[1, 1, count], &[FIRST, SECOND], &[2 * ANSWER]), early(1));
            assert_eq!(held(&[1, 1, count], &[FIRST, SECOND], &[ANSWER + 1, ANSWER - 1]), early(1));
            let together = held(&[1, count], &[FIRST + SECOND], &[ANSWER, ANSWER]);
            assert!(matches!(together, Err(Refusal::Order { .. })), "{together:?}");
        }
    }

    #[test]
    fn requests_are_sent_at_once_only_where_that_was_agreed() {
        let held = |pipelined, counts: &[usize]| {
            seen(OrderEvidence::Held { counts, pipelined }, &[FIRST, SECOND], &[ANSWER, ANSWER])
        };
        assert_eq!(held(true, &[1, 1, 1]), Ok(true));
        assert_eq!(held(false, &[1, 1, 1]), early(1));
        assert_eq!(held(true, &[1, 1, 2]), Ok(false));
        assert_eq!(held(true, &[1, 2, 2]), early(0));
    }
}
