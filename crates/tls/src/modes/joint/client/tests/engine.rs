//! Engines that fail, and callers who are wrong.

use super::*;
use crate::modes::joint::testing::Around;

/// The calls of a connection whose request is two records.
const CALLS: usize = 8;

#[test]
fn after_an_error_of_the_engine_nothing_is_sent_or_asked() {
    let site = Site::new(KeyAlgorithm::P256);
    let hello = |engine: &mut Clear| {
        let server = Local::new(&site.config, Answer::Notify(response("body")));
        let received = Arc::clone(&server.received);
        let result = query(engine, server, &site.target(), &request(256), &[200, 56]);
        let received = received.lock().unwrap().clone();
        (result, received)
    };
    let (result, whole) = hello(&mut Clear::new(1));
    let requests = 2 * record_overhead(TlsVersion::Tls12, Suite::Aes128GcmSha256) + 256;
    assert_eq!(result.unwrap().client, whole);
    for call in 0..=CALLS {
        let mut engine = Clear::failing(call);
        let (result, received) = hello(&mut engine);
        if call == CALLS {
            assert!(result.is_ok(), "there is no such call");
            assert_eq!(engine.asked.len(), CALLS);
            continue;
        }
        assert_eq!(result, Err(Clear::failure()), "call {call}");
        assert_eq!(engine.asked.len(), call + 1);
        // The hello alone; or all up to Finished, if the request's first or second record failed.
        let hello = 5 + usize::from(u16::from_be_bytes([received[3], received[4]]));
        let expected = if call < 6 { hello } else { whole.len() - requests };
        assert_eq!(received.len(), expected, "call {call}");
    }
}

#[test]
fn a_request_that_does_not_fill_its_records_is_refused_before_anything_is_sent() {
    let site = Site::new(KeyAlgorithm::P256);
    let long = request((1 << 14) + 1);
    for (request, lengths) in [
        (&long[..256], &[255][..]),
        (&long[..256], &[257]),
        (&long[..256], &[256, 0]),
        (&long[..256], &[0, 256]),
        (&long[..256], &[]),
        (&[], &[]),
        (&long, &[(1 << 14) + 1]),
        (&long[..256], &[usize::MAX, 1]),
    ] {
        let mut engine = Clear::new(1);
        let server = Local::new(&site.config, Answer::Notify(response("body")));
        let received = Arc::clone(&server.received);
        let result = query(&mut engine, server, &site.target(), request, lengths);
        assert!(matches!(result, Err(Error::Connection(Failure::Misuse(_)))), "{lengths:?}");
        assert!(received.lock().unwrap().is_empty() && engine.asked.is_empty());
    }
}

#[test]
fn a_panic_of_the_engine_is_a_panic_and_no_wait() {
    let site = Site::new(KeyAlgorithm::P256);
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let server = Local::new(&site.config, Answer::Notify(response("body")));
        let mut clear = Clear::new(1);
        let panic = |_: &mut dyn Engine| std::panic::resume_unwind(Box::new("the engine's panic"));
        let mut engine = Around { before: Box::new(panic), ..Around::new(&mut clear) };
        let _ = query(&mut engine, server, &site.target(), &request(256), &[256]);
    }));
    assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"the engine's panic"));
}
