//! What the page claims, which this program verifies; and how its proofs ended.
//!
//! The page names each claim before it proves it, since a verifier always names the statement itself. In
//! earnest the two agree on it beforehand.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};
use volery::Options;
use volery_statement::{Instance, Named, Source, Target, load, settle};

use super::http::Refusal;

/// The most claims that are kept. The oldest makes room.
const MAX_CLAIMS: usize = 32;
/// The most bytes that they were sent in, together.
const MAX_BYTES: usize = 128 << 20;
/// The most bytes of claims that are being read and understood at the same time.
const MAX_READING: usize = 128 << 20;
/// The most verdicts that are kept.
const MAX_VERDICTS: usize = 256;
/// How long a request for a verdict waits for it.
const VERDICT_TIME: Duration = Duration::from_secs(5);

/// A claim as the page sends it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sent {
    /// The name of a built-in statement,
    statement: Option<String>,
    #[serde(default)]
    values: BTreeMap<String, String>,
    /// or a circuit or a constraint system, in Base64.
    circuit: Option<String>,
    public: Option<String>,
}

/// A claim that was understood.
pub(super) struct Claim {
    pub(super) statement: Box<dyn Instance>,
    pub(super) text: String,
    bytes: usize,
}

impl Claim {
    fn read(body: &[u8]) -> Result<Self, Refusal> {
        let wrong = |reason: String| Refusal::new("422 Unprocessable Content", reason);
        let Sent { statement, values, circuit, public } =
            serde_json::from_slice(body).map_err(|error| wrong(format!("this is no claim: {error}")))?;
        let target = match (statement, circuit) {
            (Some(name), None) => Target::Builtin(name),
            (None, Some(circuit)) => {
                let file = BASE64_STANDARD.decode(circuit);
                let file = file.map_err(|_| wrong("the circuit is not in Base64".to_owned()))?;
                Target::File(Source::bytes("the circuit", file))
            }
            _ => return Err(wrong("a claim has a statement or a circuit".to_owned())),
        };
        let public = public.map(|text| Source::bytes("the public values", text.into_bytes()));
        let named = Named { target, public, values: values.into_iter().collect(), ..Named::default() };
        let statement = load(&named).and_then(|statement| {
            statement.complete()?;
            settle(&*statement, Options::default(), None)?;
            Ok(statement)
        });
        let spell = |option: &str, _: &str| format!("`{option}`");
        let statement = statement.map_err(|error| wrong(error.message(&spell)))?;
        let text = statement.text();
        Ok(Self { statement, text, bytes: body.len() })
    }
}

/// All claims and verdicts.
#[derive(Default)]
pub(super) struct Claims {
    state: Mutex<State>,
    ended: Condvar,
}

/// A share of [`MAX_READING`], without which no claim is read; free again when it is dropped.
pub(super) struct Share<'a> {
    claims: &'a Claims,
    bytes: usize,
}

impl Share<'_> {
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        let mut state = self.claims.state();
        state.reading = state.reading.saturating_sub(self.bytes);
    }
}

#[derive(Default)]
struct State {
    next: u64,
    /// The bytes of all shares.
    reading: usize,
    claims: VecDeque<(u64, Arc<Claim>)>,
    verdicts: HashMap<String, Value>,
    /// The names of the verdicts, from the oldest on.
    order: VecDeque<String>,
}

impl Claims {
    /// The state. It is consistent between any two statements, so a panic of another holder does no harm.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes room for a claim of this many bytes, before any of them is read.
    pub(super) fn reserve(&self, bytes: usize) -> Result<Share<'_>, Refusal> {
        let mut state = self.state();
        let reading = state.reading.checked_add(bytes).filter(|reading| *reading <= MAX_READING);
        state.reading = reading.ok_or_else(|| {
            let reason = "the demonstration is reading other claims, and has no room for this one: try again";
            Refusal::new("503 Service Unavailable", reason)
        })?;
        Ok(Share { claims: self, bytes })
    }

    /// Keeps a claim. Returns what to tell the page.
    pub(super) fn add(&self, body: &[u8]) -> Result<Value, Refusal> {
        let claim = Arc::new(Claim::read(body)?);
        let mut state = self.state();
        let id = state.next;
        state.next += 1;
        state.claims.push_back((id, Arc::clone(&claim)));
        let bytes = |state: &State| state.claims.iter().map(|(_, claim)| claim.bytes).sum::<usize>();
        while state.claims.len() > MAX_CLAIMS || (state.claims.len() > 1 && bytes(&state) > MAX_BYTES) {
            state.claims.pop_front();
        }
        Ok(json!({ "id": id, "text": claim.text, "ring": claim.statement.ring() }))
    }

    /// The claim with this number.
    pub(super) fn find(&self, id: &str) -> Option<Arc<Claim>> {
        let id: u64 = id.parse().ok()?;
        self.state().claims.iter().find(|(other, _)| *other == id).map(|(_, claim)| Arc::clone(claim))
    }

    /// Keeps a verdict under the name that the page gave its session.
    pub(super) fn conclude(&self, name: String, verdict: Value) {
        let mut state = self.state();
        if state.verdicts.insert(name.clone(), verdict).is_none() {
            state.order.push_back(name);
        }
        while state.order.len() > MAX_VERDICTS {
            if let Some(oldest) = state.order.pop_front() {
                state.verdicts.remove(&oldest);
            }
        }
        drop(state);
        self.ended.notify_all();
    }

    /// The verdict of a session, if there is one soon.
    pub(super) fn verdict(&self, name: &str) -> Option<Value> {
        let missing = |state: &mut State| !state.verdicts.contains_key(name);
        let waited = self.ended.wait_timeout_while(self.state(), VERDICT_TIME, missing);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.verdicts.get(name).cloned()
    }
}

/// Whether the page may name a session like this: 16 random bytes in hexadecimal digits, so that no two
/// sessions have the same.
pub(super) fn is_name(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABC: &str = r#"{"statement": "sha256-preimage", "values": {"length": "3",
        "digest": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}}"#;

    #[test]
    fn claims_are_understood_and_the_oldest_make_room() {
        let claims = Claims::default();
        let first = claims.add(ABC.as_bytes()).expect("a claim");
        assert_eq!((&first["id"], &first["ring"]), (&json!(0), &json!("F2")));
        assert!(claims.find("0").is_some_and(|claim| claim.text.contains("sha256-preimage")));
        let majority = BASE64_STANDARD
            .encode("4 7\n3 1 1 1\n1 1\n\n2 1 0 2 3 XOR\n2 1 1 2 4 XOR\n2 1 3 4 5 AND\n2 1 5 2 6 XOR\n");
        let circuit = format!(r#"{{"circuit": "{majority}", "public": "output 0 = 0b1"}}"#);
        assert_eq!(claims.add(circuit.as_bytes()).expect("a claim")["id"], json!(1));
        for _ in 0..MAX_CLAIMS {
            claims.add(ABC.as_bytes()).expect("a claim");
        }
        assert!(claims.find("0").is_none() && claims.find("1").is_none() && claims.find("2").is_some());
        assert!(claims.find("-1").is_none() && claims.find("").is_none());
    }

    #[test]
    fn claims_that_are_read_at_the_same_time_have_so_much_room_and_no_more() {
        let claims = Claims::default();
        let half = MAX_READING / 2;
        let first = claims.reserve(half).expect("room");
        let second = claims.reserve(half).expect("room");
        assert_eq!((first.bytes(), second.bytes()), (half, half));
        for bytes in [1, half, usize::MAX] {
            let refused = claims.reserve(bytes).err().expect("there is no room");
            assert!(refused.answer().status.starts_with("503"), "{bytes}");
        }
        // One without bytes takes none.
        claims.reserve(0).expect("room");
        drop(first);
        let third = claims.reserve(half).expect("room again");
        assert!(claims.reserve(1).is_err());
        drop((second, third));
        assert_eq!(claims.state().reading, 0);
    }

    #[test]
    fn what_is_no_claim_is_refused_with_a_reason() {
        for (body, reason) in [
            ("", "no claim"),
            ("[]", "no claim"),
            (r#"{"statement": "sha256-preimage", "file": "/etc/passwd"}"#, "no claim"),
            ("{}", "a statement or a circuit"),
            (r#"{"statement": "sha256-preimage", "circuit": ""}"#, "a statement or a circuit"),
            (r#"{"statement": "nonsense"}"#, "nonsense"),
            (r#"{"statement": "/etc/passwd"}"#, "/etc/passwd"),
            (r#"{"statement": "sha256-preimage"}"#, "digest"),
            (r#"{"circuit": "***"}"#, "Base64"),
            (r#"{"circuit": "AAAA"}"#, "circuit"),
        ] {
            let error = Claims::default().add(body.as_bytes()).expect_err(body);
            let text = String::from_utf8(error.answer().body.into_owned()).expect("text");
            assert!(error.answer().status.starts_with("422") && text.contains(reason), "{body}: {text}");
        }
    }

    #[test]
    fn verdicts_are_waited_for_and_their_number_is_bounded() {
        let claims = Claims::default();
        std::thread::scope(|scope| {
            let asked = scope.spawn(|| claims.verdict("a"));
            claims.conclude("a".to_owned(), json!({ "result": "accepted" }));
            assert_eq!(asked.join().expect("no panic"), Some(json!({ "result": "accepted" })));
        });
        for number in 0..2 * MAX_VERDICTS {
            claims.conclude(number.to_string(), Value::Null);
        }
        assert_eq!(claims.state().verdicts.len(), MAX_VERDICTS);
        assert!(is_name(&"0f".repeat(16)) && !is_name(&"0F".repeat(16)) && !is_name("0f"));
    }
}
