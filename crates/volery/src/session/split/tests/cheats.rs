//! Parties that cheat: a verifier that deals something else, a prover that joins something else, and a
//! network that changes what coordinators say.

use core::convert::Infallible;
use core::time::Duration;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use rand_chacha::ChaCha20Rng;
use rand_core::{TryCryptoRng, TryRng};
use volery_channel::tags::{
    self, BEGIN, ELEMENTS, FERRET_CHECK, MASKS, SPLIT_DEAL, SPLIT_JOIN, SPLIT_MEET, SPLIT_STATUS,
    SUBFIELD_CHECK, VERDICT,
};
use volery_field::{Authenticated, F2, Gf128, Mac as _, Ring as _, Wiped};
use volery_testing::{Change, Edit, Sent, Tap};
use volery_vole::{Delta, Prg, SessionId};
use zeroize::Zeroizing;

use super::*;

/// Both parts of a lot under `delta`.
fn dealt<Y: Dealt>(
    n: usize,
    seed: u8,
    delta: Y::Mac,
    share: impl Fn(&mut Prg) -> Y::ProverShare,
    key: impl Fn(&Y::ProverShare, Y::Mac) -> Y::Mac,
) -> (ProverLot<Y>, VerifierLot<Y>) {
    let mut prg = Prg::new([seed; 16]);
    let shares: Vec<Y::ProverShare> = (0..n).map(|_| share(&mut prg)).collect();
    let keys = shares.iter().map(|share| key(share, delta)).collect();
    let place = deal::Place::new(SessionId::new([7; 32]), Options::default(), (0, 0), &[9; 32]);
    let ours = ProverLot { place, shares: Wiped::new(shares) };
    (ours, VerifierLot { place, keys: Wiped::new(keys), delta: Zeroizing::new(delta) })
}

fn bit_lots(seed: u8, delta: u128) -> (ProverLot<Bits>, VerifierLot<Bits>) {
    let n = Bits::lot_len(&Options::default()).expect("a length");
    let key = |tag: &Gf128, delta: Gf128| volery_testing::deal::key(*tag, &Delta::from_element(delta));
    dealt(n, seed, Gf128::from_bits(delta | 1), |prg| prg.block(), key)
}

fn field_lots(seed: u8, delta: u8) -> (ProverLot<Field>, VerifierLot<Field>) {
    let n = Field::lot_len(&Options::default()).expect("a length");
    let share = |prg: &mut Prg| {
        let (mut x, mut m) = ([F61::ZERO], [F61x2::ZERO]);
        prg.elements(&mut x);
        prg.elements(&mut m);
        Authenticated { x: x[0], m: m[0] }
    };
    let delta = share(&mut Prg::new([delta; 16])).m;
    dealt(n, seed, delta, share, |share: &Authenticated<F61, F61x2>, delta: F61x2| {
        share.m + delta.scale(share.x)
    })
}

/// What P's worker says of `shard`, and what it sent, if V's worker has that lot.
fn meet<Y, S>(
    system: Y,
    shard: &S,
    ours: ProverLot<Y>,
    theirs: VerifierLot<Y>,
) -> (Result<(), Lost>, Result<(), Lost>, Sent)
where
    Y: Dealt + Copy + Send,
    S: for<'a> Shard<Y::Ring, Y::Prover<'a>> + for<'a> Shard<Y::Ring, Y::Verifier<'a>>,
    for<'p> Y::Prover<'p>: Boundary<Y::Ring, Y::Mac>,
    for<'v> Y::Verifier<'v>: Boundary<Y::Ring, Y::Mac>,
{
    let (p_end, v_end) = memory_pair(&volery_testing::limits());
    std::thread::scope(|scope| {
        let verified = scope.spawn(move || verify_shard(v_end, theirs, system, shard, &mut rng(2)).map(drop));
        let mut tap = Tap::recorder(p_end);
        let proved = prove_shard(&mut tap, ours, system, shard, &mut rng(1)).map(drop);
        let sent = core::mem::take(&mut tap.layer.sent);
        drop(tap);
        (proved, verified.join().expect("no panic"), sent)
    })
}

fn sends(sent: &Sent, tag: Tag) -> bool {
    sent.iter().any(|(sent, _)| *sent == tag)
}

/// Whether anything was sent that depends on a witness: all of it comes after the first masked values.
fn depends(sent: &Sent) -> bool {
    sends(sent, MASKS) || sends(sent, ELEMENTS)
}

/// Whether a check of the making of correlations failed.
fn is_cheat(error: &Error) -> bool {
    use volery_vole::Error::Cheat;
    matches!(
        error,
        Error::Correlations(Cheat { .. }) | Error::Proof(volery_zk::Error::Correlations(Cheat { .. }))
    )
}

/// V tells one worker another delta, or gives it another lot: P's worker finds it before it sends anything
/// that depends on its witness.
#[test]
fn another_delta_or_lot_is_found_before_anything_of_the_witness_is_sent() {
    let found = |(proved, verified, sent): (Result<(), Lost>, Result<(), Lost>, Sent), check: Tag| {
        assert!(matches!(&proved, Err(Lost::Failed(error)) if is_cheat(error)), "{proved:?}");
        assert!(verified.is_err());
        assert!(sends(&sent, check) && !depends(&sent), "{:?}", sent.iter().map(|m| m.0).collect::<Vec<_>>());
    };
    let chain = Chain::<F2>::new(1, 100_000);
    let shard = chain.shard(0).expect("a shard");
    let (ours, theirs) = bit_lots(1, 77);
    let (proved, verified, sent) = meet(Bits, &shard, ours, theirs);
    assert!(proved.is_ok() && verified.is_ok() && depends(&sent), "{proved:?} {verified:?}");
    let (ours, mut theirs) = bit_lots(1, 77);
    *theirs.delta = Gf128::from_bits(79);
    found(meet(Bits, &shard, ours, theirs), FERRET_CHECK);
    found(meet(Bits, &shard, bit_lots(1, 77).0, bit_lots(2, 77).1), FERRET_CHECK);

    let chain = Chain::<F61>::new(1, 40_000);
    let shard = chain.shard(0).expect("a shard");
    let (ours, theirs) = field_lots(1, 77);
    let (proved, verified, sent) = meet(Field::new(), &shard, ours, theirs);
    assert!(proved.is_ok() && verified.is_ok() && depends(&sent), "{proved:?} {verified:?}");
    let (ours, mut theirs) = field_lots(1, 77);
    *theirs.delta += F61x2::ONE;
    found(meet(Field::new(), &shard, ours, theirs), SUBFIELD_CHECK);
    found(meet(Field::new(), &shard, field_lots(1, 77).0, field_lots(2, 77).1), SUBFIELD_CHECK);
}

/// Without a round nothing checks V's worker's part of the lot. P's messages are the same whatever it has.
#[test]
fn without_a_round_p_says_the_same_to_a_verifier_with_another_delta_or_lot() {
    let chain = Chain::<F2>::new(1, 100);
    let shard = chain.shard(0).expect("a shard");
    let (proved, verified, honest) = meet(Bits, &shard, bit_lots(1, 77).0, bit_lots(1, 77).1);
    assert!(proved.is_ok() && verified.is_ok() && depends(&honest));
    let mut other_delta = bit_lots(1, 77).1;
    *other_delta.delta = Gf128::from_bits(79);
    for theirs in [other_delta, bit_lots(2, 77).1] {
        let (proved, verified, sent) = meet(Bits, &shard, bit_lots(1, 77).0, theirs);
        assert!(is_rejection(&proved) && is_rejection(&verified), "{proved:?} {verified:?}");
        assert_eq!(sent, honest);
    }
}

fn is_rejection(result: &Result<(), Lost>) -> bool {
    matches!(result, Err(Lost::Failed(error)) if error.is_rejection())
}

/// What is done to a party's messages to the other coordinator.
type Meddle<'a> = dyn Fn(Tag, &mut Vec<u8>) + Sync + 'a;

/// What is done to what a party's worker brings.
type Twist<'a> = dyn Fn(&mut Ended<Gf128>) + Sync + 'a;

/// Workers that bring something else.
struct Twisted<'a, W>(W, &'a Twist<'a>);

impl<L, W: Workers<L, Gf128>> Workers<L, Gf128> for Twisted<'_, W> {
    fn start(&mut self, lot: L) -> Result<(), Error> {
        self.0.start(lot)
    }

    fn wait(&mut self, patience: Duration) -> Result<Option<Ended<Gf128>>, Error> {
        let mut ended = self.0.wait(patience)?;
        ended.iter_mut().for_each(self.1);
        Ok(ended)
    }

    fn ask(&mut self, question: &Question) -> Result<(), Error> {
        self.0.ask(question)
    }

    fn answered(&mut self, patience: Duration) -> Result<Option<Answered<Gf128>>, Error> {
        self.0.answered(patience)
    }
}

/// Both coordinators over bits, several statements in one session. P's workers bring what `twists[0]` makes
/// of it, V's `twists[1]`; P says what `edit` makes of it, and one of either's messages is changed.
struct Cheating<'a> {
    chain: &'a Chain<F2>,
    /// The same, as P's workers have it.
    prover: &'a Chain<F2>,
    settings: Settings,
    options: Options,
    statements: usize,
    edit: &'a Meddle<'a>,
    twists: [&'a Twist<'a>; 2],
    /// Whether P's message is changed and not V's, of which step, and how.
    change: Option<(bool, Tag, Change)>,
}

fn same(_: &mut Ended<Gf128>) {}

impl<'a> Cheating<'a> {
    fn with(chain: &'a Chain<F2>) -> Self {
        let settings = Settings { retries: 1 };
        Self {
            chain,
            prover: chain,
            settings,
            options: Options::default(),
            statements: 1,
            edit: &volery_testing::untouched,
            twists: [&same; 2],
            change: None,
        }
    }

    /// What each party says of the last statement that it came to, and how many it accepted.
    fn run(&self) -> [(Result<Outcome, Error>, usize); 2] {
        let limits = Limits { read: Duration::from_secs(2), ..Limits::default() };
        let meeting = Meeting::within(&limits);
        let (ours, theirs) = memory_pair(&limits);
        // By place and not by token, so that workers of different lots meet and have to find it out.
        let join = |shard: usize, attempt: u32, token: [u8; 16], statement: u8| {
            let mut key = [statement; 16];
            key[..4].copy_from_slice(&(shard as u32).to_le_bytes());
            key[4..8].copy_from_slice(&attempt.to_le_bytes());
            let _ = token;
            meeting.join(key)
        };
        let layout = self.chain.layout().expect("a layout");
        let tapped = |end, at_p: bool| match self.change {
            Some((p, tag, change)) if p == at_p => Tap::among(end, tag, 0, change),
            _ => Tap::recorder(end),
        };
        let (layout, join, tapped) = (&layout, &join, &tapped);
        let run_v = move || {
            let mut rng = rng(2);
            let mut verifier = match Verifier::start(tapped(theirs, false), self.options, &mut rng) {
                Ok(verifier) => verifier,
                Err(error) => return (Err(error), 0),
            };
            let mut accepted = 0;
            loop {
                let number = accepted as u8;
                let connect = |lot: &VerifierLot<Bits>| join(lot.shard(), lot.attempt(), lot.token(), number);
                let result = std::thread::scope(|scope| {
                    let threads = VerifierThreads::new(scope, Bits, self.chain, &connect);
                    let mut workers = Twisted(threads, self.twists[1]);
                    verifier.verify_split(Bits, layout, self.settings, &mut workers, &mut rng)
                });
                accepted += usize::from(result.is_ok());
                if result.is_err() || accepted == self.statements {
                    return (result, accepted);
                }
            }
        };
        std::thread::scope(|scope| {
            let verified = scope.spawn(run_v);
            let mut rng = rng(1);
            let end =
                Edit::on(tapped(ours, true), |tag: Tag, payload: &mut Vec<u8>| (self.edit)(tag, payload));
            let proved = match Prover::start(end, self.options, &mut rng) {
                Err(error) => (Err(error), 0),
                Ok(mut prover) => {
                    let mut accepted = 0;
                    loop {
                        let number = accepted as u8;
                        let connect =
                            |lot: &ProverLot<Bits>| join(lot.shard(), lot.attempt(), lot.token(), number);
                        let result = std::thread::scope(|scope| {
                            let threads = ProverThreads::new(scope, Bits, self.prover, &connect);
                            let mut workers = Twisted(threads, self.twists[0]);
                            prover.prove_split(Bits, layout, self.settings, &mut workers, &mut rng)
                        });
                        accepted += usize::from(result.is_ok());
                        if result.is_err() || accepted == self.statements {
                            break (result, accepted);
                        }
                    }
                }
            };
            [proved, verified.join().expect("no panic")]
        })
    }
}

/// P sees in its own tags whether wires differ, and an honest one stops. This one lies to itself, and goes on
/// to the hash.
#[test]
fn a_prover_that_joins_boundary_wires_that_differ_is_rejected() {
    let chain = Chain::<F2>::new(2, 10);
    let lying = Chain { wrong: Some(1), ..chain.clone() };
    let joins = Mutex::new(0);
    let edit = |tag: Tag, _: &mut Vec<u8>| *joins.lock().expect("no panic") += u32::from(tag == SPLIT_JOIN);
    // The lowest bit of a tag is the wire's value.
    let forge = |bits: u128| {
        move |ended: &mut Ended<Gf128>| {
            if let (1, Ok(proved)) = (ended.shard, &mut ended.result) {
                proved.macs[0] += Gf128::from_bits(bits);
            }
        }
    };
    let run = |prover, twist: &Twist<'_>| {
        *joins.lock().expect("no panic") = 0;
        let cheating = Cheating { prover, edit: &edit, twists: [twist, &same], ..Cheating::with(&chain) };
        let [(proved, _), (verified, _)] = cheating.run();
        (proved, verified, *joins.lock().expect("no panic"))
    };
    let (proved, verified, joins) = run(&lying, &same);
    assert!(proved.is_err() && verified.is_err() && joins == 0, "an honest prover stops: {verified:?}");
    for bits in [1, 1 << 127 | 1] {
        let (proved, verified, joins) = run(&lying, &forge(bits));
        assert!(is_rejected(&verified) && is_rejected(&proved) && joins == 1, "{verified:?}");
    }
    // Values that are equal, under another tag.
    let (proved, verified, joins) = run(&chain, &forge(2));
    assert!(is_rejected(&verified) && is_rejected(&proved) && joins == 1, "{verified:?}");
    let (_, verified, joins) = run(&chain, &same);
    assert!(verified.is_ok() && joins == 1);
}

/// P's worker says what it said in another attempt, or what another shard's said, once it has met V's.
#[test]
fn a_worker_that_replays_another_one_s_messages_is_rejected() {
    let chain = Chain { claimed: false, ..Chain::<F2>::new(3, 100) };
    let shard = |n: usize| chain.shard(n).expect("a shard");
    let lots = |seed: u8, place: (u32, u32)| {
        let place = || deal::Place::new(SessionId::new([7; 32]), Options::default(), place, &[9; 32]);
        let (ours, theirs) = bit_lots(seed, 77);
        (ProverLot { place: place(), ..ours }, VerifierLot { place: place(), ..theirs })
    };
    // What a worker says, and how V's ends if shard 1's says that from this message on.
    let said = |n: usize, place: (u32, u32)| {
        let (ours, theirs) = lots(1, place);
        let (proved, verified, sent) = meet(Bits, &shard(n), ours, theirs);
        assert!(proved.is_ok() && verified.is_ok());
        sent
    };
    let verified = |replayed: Sent, first: Tag| {
        let (ours, theirs) = lots(2, (1, 0));
        let (p_end, v_end) = memory_pair(&volery_testing::limits());
        let shard = &shard(1);
        std::thread::scope(|scope| {
            // Whatever V draws, it draws it anew.
            let verified =
                scope.spawn(move || verify_shard(v_end, theirs, Bits, shard, &mut rng(3)).map(drop));
            let (mut left, mut began) = (replayed.into_iter(), false);
            let end = Edit::on(p_end, move |tag: Tag, payload: &mut Vec<u8>| {
                began |= tag == first;
                if let (true, Some((_, before))) = (began, left.find(|(before, _)| *before == tag)) {
                    *payload = before;
                }
            });
            let proved = prove_shard(end, ours, Bits, shard, &mut rng(1)).map(drop);
            assert!(proved.is_err());
            verified.join().expect("no panic")
        })
    };
    for (n, place) in [(0, (0, 0)), (2, (2, 0)), (1, (1, 1))] {
        for first in [MASKS, tags::CHECK_OPENING] {
            let result = verified(said(n, place), first);
            assert!(is_rejection(&result), "{n} {first:?}: {result:?}");
        }
        // And before: V hears that this is about another shard.
        let result = verified(said(n, place), BEGIN);
        assert!(matches!(result, Err(Lost::Failed(_))), "{n}: {result:?}");
    }
}

/// A hash of another session, and of the same session's statement before: also if nothing is claimed to be
/// equal, so that it is over the workers' sessions alone.
#[test]
fn a_join_of_another_session_or_statement_is_rejected() {
    for joined in [true, false] {
        let chain = Chain { joined, ..Chain::<F2>::new(2, 10) };
        let seen = Mutex::new(Vec::new());
        // From the second one on, P joins with the first.
        let edit = |tag: Tag, payload: &mut Vec<u8>| {
            if tag == SPLIT_JOIN {
                let mut seen = seen.lock().expect("no panic");
                seen.push(payload.clone());
                payload.clone_from(&seen[0]);
            }
        };
        let cheating = Cheating { statements: 2, edit: &edit, ..Cheating::with(&chain) };
        let [proved, verified] = cheating.run();
        assert_eq!((proved.1, verified.1), (1, 1));
        assert!(is_rejected(&verified.0) && is_rejected(&proved.0), "{:?}", verified.0);
        let [proved, verified] = Cheating { edit: &edit, ..Cheating::with(&chain) }.run();
        assert!(is_rejected(&verified.0) && is_rejected(&proved.0), "{:?}", verified.0);
    }
}

#[test]
fn a_prover_that_calls_proved_shards_lost_gets_no_more_retries_than_allowed() {
    let chain = Chain::<F2>::new(2, 10);
    for (attempts, accepted) in [(1, true), (2, false)] {
        let twist = |ended: &mut Ended<Gf128>| {
            if ended.shard == 1 && ended.attempt < attempts {
                let error = ChannelError::Closed { step: tags::HELLO, mid_frame: false }.into();
                ended.result = Err(Lost::Connection { error, exposed: false });
            }
        };
        let [_, verified] = Cheating { twists: [&twist, &same], ..Cheating::with(&chain) }.run();
        match verified.0 {
            Ok(outcome) => assert!(accepted && outcome.lost == 1),
            Err(Error::Split(reason)) => {
                assert!(!accepted && reason.contains("2 workers were lost"), "{reason}")
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// P says that a worker is done that V has lost, or the other way round, and does not act on it.
#[test]
fn a_status_that_is_not_so_is_not_accepted() {
    let chain = Chain::<F2>::new(2, 10);
    let lost = |ended: &mut Ended<Gf128>| {
        if (ended.shard, ended.attempt) == (1, 0) {
            ended.result = Err(Lost::Gone("killed".into()));
        }
    };
    for status in [0b11, 0b01, 0b10, 0b00] {
        let accepts = |v_twist: &Twist<'_>| {
            // Of the first wave; the next one has another number of shards.
            let first = AtomicBool::new(true);
            let edit = |tag: Tag, payload: &mut Vec<u8>| {
                if let (SPLIT_STATUS, [1, rest]) = (tag, &mut payload[..])
                    && first.swap(false, Ordering::Relaxed)
                {
                    *rest = status;
                }
            };
            let [_, verified] =
                Cheating { edit: &edit, twists: [&same, v_twist], ..Cheating::with(&chain) }.run();
            verified.0.map(|outcome| outcome.lost).ok()
        };
        assert_eq!(accepts(&same), (status == 0b11).then_some(0), "{status}");
        // The lost one is proved again, whatever P says of it.
        assert_eq!(accepts(&lost), (status & 1 == 1).then_some(1), "{status}");
    }
}

/// What V's worker brings must be what its coordinator asked for.
#[test]
fn a_worker_that_brings_something_else_ends_the_session() {
    let chain = Chain::<F2>::new(2, 10);
    type Change = fn(&mut Ended<Gf128>, &mut Proved<Gf128>);
    let changes: [Change; 8] = [
        |_, proved| proved.digest[0] ^= 1,
        |_, proved| proved.macs.truncate(1),
        |_, proved| proved.macs.truncate(0),
        |_, proved| proved.wires -= 1,
        |_, proved| proved.shard ^= 1,
        |_, proved| proved.attempt += 1,
        |ended, proved| {
            proved.attempt += 1;
            ended.attempt += 1;
        },
        |ended, _| ended.shard += 2,
    ];
    for (n, change) in changes.into_iter().enumerate() {
        let twist = |ended: &mut Ended<Gf128>| {
            let result = core::mem::replace(&mut ended.result, Err(Lost::Gone(String::new())));
            let mut proved = result.expect("proved");
            change(ended, &mut proved);
            ended.result = Ok(proved);
        };
        for twists in [[&twist as &Twist<'_>, &same], [&same, &twist]] {
            let at_v = core::ptr::eq(twists[0], &same as &Twist<'_>);
            let [proved, verified] = Cheating { twists, ..Cheating::with(&chain) }.run();
            let result = if at_v { verified.0 } else { proved.0 };
            let Err(Error::Split(reason)) = result else { panic!("{n}: {result:?}") };
            assert!(
                reason.contains("proved something else") || reason.contains("nobody waits for"),
                "{reason}"
            );
        }
    }
}

/// With hashed challenges the coordinators join what their workers sent and read: it has to be the same.
#[test]
fn a_transcript_that_is_not_the_same_at_both_workers_is_rejected() {
    let chain = Chain::<F2>::new(2, 10);
    let hashed = Options { fiat_shamir: true, ..Options::default() };
    let twist = |change: fn(&mut Option<[u8; 32]>)| {
        move |ended: &mut Ended<Gf128>| {
            if let (1, Ok(proved)) = (ended.shard, &mut ended.result) {
                change(&mut proved.transcript);
            }
        }
    };
    let other = twist(|transcript| transcript.as_mut().expect("hashed")[31] ^= 1);
    for twists in [[&other as &Twist<'_>, &same], [&same, &other]] {
        let cheating = Cheating { options: hashed, twists, ..Cheating::with(&chain) };
        let [proved, verified] = cheating.run();
        assert!(is_rejected(&verified.0) && is_rejected(&proved.0), "{:?}", verified.0);
    }
    // None where there has to be one, and one where there is none.
    let (none, some) =
        (twist(|transcript| *transcript = None), twist(|transcript| *transcript = Some([1; 32])));
    for (options, twist) in [(hashed, &none as &Twist<'_>), (Options::default(), &some)] {
        let cheating = Cheating { options, twists: [&same, twist], ..Cheating::with(&chain) };
        let [_, verified] = cheating.run();
        assert!(matches!(&verified.0, Err(Error::Split(reason)) if reason.contains("other challenges")));
    }
}

/// What V's worker draws: its hello's nonce from one generator, which comes first, and all else from another.
struct Draws {
    hello: Option<ChaCha20Rng>,
    rest: ChaCha20Rng,
}

impl TryRng for Draws {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.rest.try_next_u32()
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.rest.try_next_u64()
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        self.hello.take().as_mut().unwrap_or(&mut self.rest).try_fill_bytes(out)
    }
}

impl TryCryptoRng for Draws {}

/// The masks and the opening of a P that always has the same lot, witness and randomness, with hashed
/// challenges, to a V that draws from these seeds.
fn masks_and_opening(hello: u64, rest: u64) -> [Vec<u8>; 2] {
    let chain = Chain::<F2>::new(1, 100);
    let shard = chain.shard(0).expect("a shard");
    let (mut ours, mut theirs) = bit_lots(1, 77);
    for place in [&mut ours.place, &mut theirs.place] {
        place.options.fiat_shamir = true;
    }
    let (p_end, v_end) = memory_pair(&volery_testing::limits());
    std::thread::scope(|scope| {
        let shard = &shard;
        let verified = scope.spawn(move || {
            let mut draws = Draws { hello: Some(rng(hello)), rest: rng(rest) };
            verify_shard(v_end, theirs, Bits, shard, &mut draws)
        });
        let mut tap = Tap::recorder(p_end);
        let proved = prove_shard(&mut tap, ours, Bits, shard, &mut rng(1)).expect("proved");
        let sent = core::mem::take(&mut tap.layer.sent);
        drop(tap);
        let verified = verified.join().expect("no panic").expect("verified");
        assert!(proved.transcript.is_some() && proved.transcript == verified.transcript);
        [MASKS, tags::CHECK_OPENING].map(|tag| {
            sent.iter().find(|(sent, _)| *sent == tag).map(|(_, payload)| payload.clone()).expect("sent")
        })
    })
}

/// It gets another challenge from a V with another nonce: it cannot have computed it before the two have met.
#[test]
fn hashed_challenges_depend_on_the_session_of_the_workers() {
    let ([masks, opening], [same_masks, other_opening]) = (masks_and_opening(2, 5), masks_and_opening(3, 5));
    assert!(masks == same_masks && opening != other_opening);
    assert_eq!(masks_and_opening(2, 5), [masks, opening]);
}

/// And from one with the same nonce and other bytes of the chain, which V's worker draws when it has its lot.
#[test]
fn hashed_challenges_depend_on_what_v_s_worker_draws_for_its_chain() {
    let ([masks, opening], [same_masks, other_opening]) = (masks_and_opening(2, 5), masks_and_opening(2, 6));
    assert!(masks == same_masks && opening != other_opening);
}

/// One message between the coordinators is changed.
#[test]
fn what_coordinators_say_cannot_be_changed() {
    let chain = Chain::<F2>::new(2, 10);
    let changes = [Change::Flip(0), Change::Flip(8), Change::Flip(9), Change::Invert];
    let one = |change: Change| {
        let run = |of: (bool, Tag)| {
            let (at_p, tag) = of;
            Cheating { change: Some((at_p, tag, change)), ..Cheating::with(&chain) }.run()
        };
        let twice = change == Change::Duplicate;
        // P's: neither accepts, unless nobody reads what is wrong.
        for tag in [BEGIN, SPLIT_STATUS, SPLIT_JOIN] {
            let [proved, verified] = run((true, tag)).map(|(result, _)| result.is_ok());
            let unread = twice && tag == SPLIT_JOIN;
            assert_eq!((proved, verified), (unread, unread), "{tag:?} {change:?}");
        }
        // V's: nor does P. V has accepted before its verdict, and may have when P finds what it said before.
        for tag in [BEGIN, SPLIT_DEAL, SPLIT_STATUS, VERDICT] {
            let [proved, verified] = run((false, tag)).map(|(result, _)| result.is_ok());
            assert_eq!(proved, twice && tag == VERDICT, "{tag:?} {change:?}");
            assert!(!verified || tag == VERDICT || (twice && tag == SPLIT_STATUS), "{tag:?} {change:?}");
        }
        // Where workers are decides nothing: no panic, no hang.
        let _ = run((false, SPLIT_MEET));
    };
    // Most of the time they wait for what does not come.
    std::thread::scope(|scope| {
        for change in changes.into_iter().chain(Change::WHOLE) {
            let one = &one;
            scope.spawn(move || one(change));
        }
    });
}
