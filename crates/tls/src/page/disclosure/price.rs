//! The memory of V that a session's claims take. It is reserved before there are any circuits.
//!
//! A stranger chooses what is hidden and claimed. V first counts the gates of all that; counting keeps none
//! of them, and stops at the most that a claim and a session may have. The circuit of a claim is made when
//! the claim is proved, and goes before the next one is made. So V takes the memory of the largest one,
//! together with that of the hidden strings' wires, from its [budget](crate::memory), or refuses; what all
//! gates of a session take is time. Custom claims are counted as they build themselves; any other memory
//! that they use meanwhile is not counted.

use volery_circuit::Error as CircuitError;

use super::Refusal;
use super::redaction::{Hidden, Part, RedactedPayload, message_name};
use crate::memory::{Reservation, Shortage};
use crate::page::claim::{self, Assertion, Claim, Class, Size, SplitValues};
use crate::page::commitment::Form;
use crate::page::leaf::{MAX_COMPRESSIONS, Shape};
use crate::wire::prf::Side;

/// The most gates of one claim. They are in memory, also at V. The longest hidden string has some 9 million.
const MAX_CLAIM_GATES: usize = 1 << 24;
/// The most gates of all claims of a session: some seconds of V's time.
const MAX_GATES: usize = 1 << 28;
/// The most bytes of memory that a gate takes. Its circuit keeps it twice, as recorded (12) and as run (16),
/// and also each wire that is claimed to be zero (2 times 4). While the circuit runs, there are its wire and
/// a copy (2 times 16). Making the circuit takes less than running it.
const GATE_BYTES: u64 = 72;
/// The same for a hidden byte: its eight wires in a list of their own (16 each, and 40), a copy that a
/// circuit reads, and one that it continues with.
const BYTE_BYTES: u64 = 3 * 8 * 16 + 40;
/// The most regular expressions of a direction: V has to make their automata.
const MAX_PATTERNS: usize = 16;

/// The claims about a hidden string, its class first.
pub(super) fn claims_of(hidden: &Hidden) -> Vec<(Box<dyn Claim>, String)> {
    let class: Box<dyn Claim> = match &hidden.part {
        Part::Values(values) => Box::new(values.clone()),
        _ => Box::new(hidden.class),
    };
    let mut claims = vec![(class, hidden.class.to_string())];
    for claim in &hidden.claims {
        claims.push((Box::new(claim.clone()), claim.to_string()));
    }
    claims
}

/// Takes memory for all claims about request and response.
///
/// # Errors
/// [`Refusal::Claim`] for more than a session may claim, and for a claim that cannot hold for the length of
/// its string (with [`CircuitError::Contradicted`], which names it); [`Refusal::Memory`].
pub(super) fn reserve(shown: [&RedactedPayload; 2], memory: &mut Reservation) -> Result<(), Refusal> {
    let lack = |lack| Refusal::Memory { ever: matches!(lack, Shortage::Ever { .. }) };
    let constrained = || shown.into_iter().flat_map(RedactedPayload::constrained);
    let bytes: usize = constrained().map(Hidden::length).sum();
    // Checked before counting, because counting also takes memory for a string's bytes.
    memory.grow((bytes as u64).saturating_mul(BYTE_BYTES)).map_err(lack)?;
    for shown in shown {
        let claims = shown.constrained().flat_map(|hidden| &hidden.claims);
        if claims.filter(|claim| matches!(claim, Assertion::Matches(_))).count() > MAX_PATTERNS {
            let reason = "more than 16 regular expressions about a request or response";
            return Err(Refusal::Claim(CircuitError::Public(reason.into())));
        }
    }
    check_leaves(shown)?;
    let sides = [Side::Client, Side::Server].into_iter().zip(shown);
    let mut all = sides.flat_map(|(side, shown)| shown.constrained().map(move |hidden| (side, hidden)));
    let gates = all.try_fold(Gates::default(), |gates, (side, hidden)| count(side, hidden, gates));
    let most = gates.map_err(Refusal::Claim)?.most;
    memory.grow((most as u64).saturating_mul(GATE_BYTES)).map_err(lack)
}

/// The gates of claims.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Gates {
    all: usize,
    /// Those of the largest claim.
    most: usize,
}

/// The size of a claim about a string of this class and length.
///
/// # Errors
/// [`CircuitError::Public`] for more gates than a claim may have; the claim's.
pub(super) fn size_of_claim(claim: &dyn Claim, class: Class, length: usize) -> Result<Size, CircuitError> {
    let size = claim::size(claim, class, length, MAX_CLAIM_GATES)?;
    size.ok_or_else(|| CircuitError::Public("more than 2^24 gates".into()))
}

/// The claim of a run's class that also gives its values, if they are committed to one by one.
fn split(hidden: &Hidden) -> Option<Box<SplitValues<'_>>> {
    match (&hidden.part, Shape::of(&hidden.part, hidden.length())) {
        (Part::Values(values), Shape::Values { .. }) if !hidden.leaves.is_empty() => {
            Some(Box::new(SplitValues(&values.between)))
        }
        _ => None,
    }
}

/// Checks that the leaves take no more compressions than a session may have. Their memory is that of one.
fn check_leaves(shown: [&RedactedPayload; 2]) -> Result<(), Refusal> {
    let hidden = shown.into_iter().flat_map(|shown| &shown.hidden).filter(|hidden| !hidden.leaves.is_empty());
    let of = |hidden: &Hidden| Shape::of(&hidden.part, hidden.length()).compressions();
    let compressions = hidden.map(of).fold(0, usize::saturating_add);
    if compressions <= MAX_COMPRESSIONS {
        return Ok(());
    }
    let reason = format!(
        "commitments to all hidden parts take {compressions} blocks of SHA-256, and at most {MAX_COMPRESSIONS} are made: reveal more"
    );
    Err(Refusal::Claim(CircuitError::Public(reason)))
}

/// `gates` and those of all claims about a hidden string.
fn count(side: Side, hidden: &Hidden, mut gates: Gates) -> Result<Gates, CircuitError> {
    let number: Option<(Box<dyn Claim>, String)> = match hidden.commit {
        Some(Form::Number) => Some((Box::new(claim::Integer), "is a number".into())),
        Some(Form::Bytes) | None => None,
    };
    let split = split(hidden);
    let own = usize::from(split.is_some());
    let claims = claims_of(hidden).into_iter().skip(own).chain(number);
    let split = split.map(|split| (split as Box<dyn Claim + '_>, hidden.class.to_string()));
    for (claim, text) in
        split.into_iter().chain(claims.map(|(claim, text)| (claim as Box<dyn Claim + '_>, text)))
    {
        let claimed = || format!("{} {} {text}", message_name(side, hidden.round), hidden.part);
        let size = size_of_claim(&*claim, hidden.class, hidden.length()).map_err(|error| match error {
            CircuitError::Contradicted { place, .. } => {
                CircuitError::Contradicted { place, claimed: claimed() }
            }
            CircuitError::Public(reason) => CircuitError::Public(format!("{}: {reason}", claimed())),
            error => error,
        })?;
        gates.most = gates.most.max(size.gates);
        gates.all = gates.all.saturating_add(size.gates);
        if gates.all > MAX_GATES {
            let reason = "all claims of a session take more than 2^28 gates: hide less, or claim less";
            return Err(CircuitError::Public(reason.into()));
        }
    }
    Ok(gates)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use volery_circuit::{Gate, Recorded, Recorder, Step};
    use volery_field::F2;
    use volery_zk::quicksilver::bits::VerifierWire;

    use super::*;
    use crate::memory::Budget;
    use crate::page::claim::{CustomClaim, MAX_CLAIMED};
    use crate::page::disclosure::Values;
    use crate::page::leaf::CHUNK;

    fn hidden(class: Class, length: usize, claims: Vec<Assertion>) -> Hidden {
        let ranges = core::iter::once(0..length).collect();
        Hidden { round: 0, part: Part::Query, class, ranges, claims, commit: None, leaves: Vec::new() }
    }

    fn reserved(hidden: Vec<Hidden>, memory: &mut Reservation) -> Result<(), Refusal> {
        let shown = RedactedPayload { text: Vec::new(), hidden };
        reserve([&RedactedPayload::default(), &shown], memory)
    }

    #[test]
    fn prices_are_not_below_what_is_kept() {
        let wire = size_of::<VerifierWire>();
        let gate = size_of::<Gate>() + size_of::<Step>() + 2 * size_of::<u32>() + 2 * wire;
        assert!(GATE_BYTES >= gate as u64, "{gate}");
        // An allocation has 16 bytes of its own.
        let byte = size_of::<Option<Vec<VerifierWire>>>() + 16 + 3 * 8 * wire;
        assert!(BYTE_BYTES >= byte as u64, "{byte}");
    }

    #[test]
    fn what_is_counted_is_what_is_made() {
        for (class, claims) in [
            (Class::JsonText, vec![Assertion::Contains(b"b".to_vec()), Assertion::Matches(".*b.*".into())]),
            (Class::Number, vec![Assertion::Digits]),
            (Class::Opaque, vec![]),
        ] {
            let commit = (class == Class::Number).then_some(Form::Number);
            let hidden = Hidden { commit, ..hidden(class, 9, claims) };
            let circuit = |claim: Box<dyn Claim>| claim::circuit(&*claim, class, 9).expect("a circuit");
            let mut made: Vec<_> =
                claims_of(&hidden).into_iter().map(|(claim, _)| circuit(claim).gates().len()).collect();
            made.extend(commit.map(|_| claim::integer(9).expect("a circuit").gates().len()));
            let (all, most) = (7 + made.iter().sum::<usize>(), made.into_iter().max().expect("a class"));
            assert_eq!(count(Side::Server, &hidden, Gates { all: 7, most: 0 }), Ok(Gates { all, most }));
            assert_eq!(
                count(Side::Server, &hidden, Gates { all: 7, most: 1 << 20 }).map(|g| g.most),
                Ok(1 << 20)
            );
        }
    }

    #[test]
    fn claims_of_a_session_have_no_more_gates_than_it_may_have() {
        let word = hidden(Class::Word, 5, vec![]);
        let gates = count(Side::Server, &word, Gates::default()).expect("a word").all;
        let with = |before| count(Side::Server, &word, Gates { all: before, most: 0 });
        assert!(gates > 0 && with(MAX_GATES - gates).is_ok());
        let refused = with(MAX_GATES - gates + 1).expect_err("one too many").to_string();
        assert!(refused.contains("2^28"), "{refused}");
    }

    /// Says how often it was written down.
    struct Spy(AtomicUsize, usize);

    impl Claim for Spy {
        fn assert(
            &self,
            recorder: &mut Recorder<F2>,
            _: Class,
            bytes: &[Recorded],
        ) -> Result<(), CircuitError> {
            use volery_circuit::Ops as _;
            self.0.fetch_add(1, Ordering::Relaxed);
            for _ in 0..self.1 {
                recorder.mul(&bytes[0], &bytes[1])?;
            }
            Ok(())
        }
    }

    fn spies(gates: usize) -> (Arc<Spy>, Vec<Hidden>) {
        let spy = Arc::new(Spy(AtomicUsize::new(0), gates));
        let own = CustomClaim::new("spy", &[], Arc::clone(&spy) as Arc<dyn Claim>).expect("a claim");
        (spy, vec![hidden(Class::Opaque, 10, vec![Assertion::Custom(own); 3])])
    }

    #[test]
    fn a_session_takes_the_memory_of_all_strings_and_of_one_claim() {
        let asked = 10 * BYTE_BYTES + 1000 * GATE_BYTES;
        let (_, claims) = spies(1000);
        let budget = Budget::new(asked + 50);
        let mut memory = budget.take(50).expect("tables");
        assert_eq!(reserved(claims.clone(), &mut memory), Ok(()));
        assert_eq!(budget.free(), 0, "to the byte");
        drop(memory);
        // With what it has already it is too much, whoever ends.
        let mut memory = budget.take(51).expect("tables");
        assert_eq!(reserved(claims.clone(), &mut memory), Err(Refusal::Memory { ever: true }));
        drop(memory);
        let other = budget.take(51).expect("another session's");
        assert_eq!(reserved(claims, &mut budget.share()), Err(Refusal::Memory { ever: false }));
        drop(other);
        assert_eq!(budget.free(), asked + 50);
    }

    #[test]
    fn what_there_is_no_memory_for_is_not_written_down() {
        let (spy, claims) = spies(1);
        assert_eq!(reserved(claims, &mut Budget::new(10).share()), Err(Refusal::Memory { ever: true }));
        assert_eq!(spy.0.load(Ordering::Relaxed), 0, "the bytes are too many");
        let (spy, claims) = spies(MAX_CLAIM_GATES + 1);
        let refusal = reserved(claims, &mut Budget::default().share()).expect_err("too many");
        assert!(refusal.to_string().contains("2^24"), "{refusal}");
        assert_eq!(spy.0.load(Ordering::Relaxed), 1, "the first is one gate too many");
    }

    /// P makes V hash for longer than V would.
    #[test]
    fn leaves_take_no_more_hashing_than_a_session_may_have() {
        let committed = |chunks: usize| {
            let hidden = hidden(Class::Opaque, chunks * CHUNK, vec![]);
            Hidden { leaves: vec![[0; 32]; chunks], ..hidden }
        };
        // A chunk takes 17 blocks.
        assert_eq!(reserved(vec![committed(60), committed(60)], &mut Budget::default().share()), Ok(()));
        let refused = reserved(vec![committed(60), committed(61)], &mut Budget::default().share());
        let refused = refused.expect_err("too much").to_string();
        assert!(refused.contains("2057 blocks of SHA-256, and at most 2048"), "{refused}");
    }

    #[test]
    fn the_longest_string_of_json_can_be_hidden() {
        let mut memory = Budget::default().share();
        assert_eq!(reserved(vec![hidden(Class::JsonText, MAX_CLAIMED, vec![])], &mut memory), Ok(()));
    }

    /// As in a list of some hundred things, each with a few values: 16 million gates and more in all.
    #[test]
    fn many_values_of_json_take_the_memory_of_one_run() {
        let values = Values { first: "items[0].id".into(), between: vec![", \"name\": ".into(); 15] };
        let run = Hidden { part: Part::Values(values), ..hidden(Class::Values, 500, vec![]) };
        let gates = count(Side::Server, &run, Gates::default()).expect("a run").all;
        assert!(80 * gates > MAX_CLAIM_GATES, "{gates}");
        let budget = Budget::new(80 * 500 * BYTE_BYTES + gates as u64 * GATE_BYTES);
        assert_eq!(reserved(vec![run; 80], &mut budget.share()), Ok(()));
    }
}
