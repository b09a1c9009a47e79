//! What a session's parties allocate, compared with what an estimate says of it.
//!
//! An allocator counts the bytes that each thread holds, and those of all threads, so these tests have a
//! binary of their own. Each party is one thread, except for the branches of Mac'n'Cheese. Allocations are
//! what a program asks for, so the proofs here are long enough to use what they ask for.

#![allow(clippy::expect_used, reason = "in tests, outside the test functions too")]

use std::alloc::{GlobalAlloc, Layout, System as Heap};
use std::cell::Cell;
use std::sync::atomic::{AtomicI64, Ordering};

use volery::field::{F2, F61, F61x2};
use volery::macncheese::{Disjunction, Join, Settings};
use volery::statements::{Aes128Many, AndChain, MulChain};
use volery::system::{Bits, Over, Provable, Stacked, System};
use volery::{Limits, Options, Profile, Prover, Verifier, estimate, memory_pair, os_rng};
use volery_zk::disjunction::AnyOf;

thread_local! {
    /// Bytes that this thread holds, and the most that it has held.
    static HELD: Cell<[i64; 2]> = const { Cell::new([0; 2]) };
}

/// The same of all threads.
static TOTAL: [AtomicI64; 2] = [const { AtomicI64::new(0) }; 2];

struct Counting;

fn count(bytes: i64) {
    // A thread that ends has no account any more.
    let _ = HELD.try_with(|held| {
        let [now, most] = held.get();
        let now = now + bytes;
        held.set([now, most.max(now)]);
    });
    let now = TOTAL[0].fetch_add(bytes, Ordering::Relaxed) + bytes;
    TOTAL[1].fetch_max(now, Ordering::Relaxed);
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: everything is the system's allocator. Counting allocates nothing and does not touch the memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        unsafe { Heap.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: as above.
        unsafe { Heap.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(-(layout.size() as i64));
        // SAFETY: as above.
        unsafe { Heap.dealloc(memory, layout) }
    }
}

/// Runs `party`, and returns the most bytes that its thread has held.
fn most<T>(party: impl FnOnce() -> Result<T, volery::Error>) -> u64 {
    HELD.set([0; 2]);
    party().expect("the session ends well");
    let [_, most] = HELD.get();
    u64::try_from(most).expect("more than nothing")
}

/// The most bytes that P's thread, V's thread, and all threads together hold at once.
fn held<Y: System>(options: Options, system: Y, statement: &(impl Provable<Y> + Sync)) -> [u64; 3] {
    let before = TOTAL[0].load(Ordering::Relaxed);
    TOTAL[1].store(before, Ordering::Relaxed);
    let (ours, theirs) = memory_pair(&Limits::default());
    let [prover, verifier] = std::thread::scope(|scope| {
        let verifier = scope.spawn(move || {
            most(|| {
                let mut rng = os_rng()?;
                Verifier::start(theirs, options, &mut rng)?.verify(system, statement, &mut rng)
            })
        });
        let prover = scope.spawn(move || {
            most(|| {
                let mut rng = os_rng()?;
                let mut prover = Prover::start(ours, options, &mut rng)?.without_evaluation();
                prover.prove(system, statement, &mut rng)
            })
        });
        [prover, verifier].map(|party| party.join().expect("no panic"))
    });
    let all = TOTAL[1].load(Ordering::Relaxed) - before;
    [prover, verifier, u64::try_from(all).expect("more than nothing")]
}

/// Checks that an estimate is within so many percent of what the parties hold; of what both hold together, if
/// their branches have threads of their own.
fn check<Y: System>(
    what: &str,
    options: Options,
    system: Y,
    statement: &(impl Provable<Y> + Sync),
    (percent, together): (u64, bool),
) {
    let said = estimate(options, system, statement).expect(what);
    let [of_p, of_v, of_both] = held(options, system, statement);
    let both = said.memory_prover + said.memory_verifier;
    let pairs = match together {
        true => vec![(of_both, both)],
        false => vec![(of_p, said.memory_prover), (of_v, said.memory_verifier)],
    };
    for (held, said) in pairs {
        let off = held.abs_diff(said) * 100;
        assert!(off <= percent * held, "{what}, {options:?}: {held} bytes are held, {said} were said");
    }
}

fn chain(n: u64) -> MulChain<F61> {
    MulChain::new(n).expect("a chain")
}

/// One test at a time, since all threads are counted together.
#[test]
fn what_parties_hold_is_what_was_estimated() {
    check_long_statements(Profile::Lan, false);
    check_one_of_many();
}

#[test]
#[ignore = "takes half a minute without optimisation"]
fn long_what_parties_hold_is_what_was_estimated_under_every_profile() {
    // V keeps whole blocks if their challenges are hashes.
    check_long_statements(Profile::Lan, true);
    check_long_statements(Profile::Wan, false);
    for profile in [Profile::Lan, Profile::Wan] {
        let options = Options { profile, ..Options::default() };
        check("F61, small MACs", options, Over::<F61, F61>::new(), &chain(131_000), (12, false));
    }
}

const ALONE: (u64, bool) = (10, false);

fn check_long_statements(profile: Profile, fiat_shamir: bool) {
    let options = Options { profile, fiat_shamir, threads: 1 };
    check("550,000 ANDs", options, Bits, &AndChain::new(550_000), ALONE);
    check("F61", options, Over::<F61, F61x2>::new(), &chain(131_000), ALONE);
}

fn check_one_of_many() {
    let options = Options::default();
    check("AES", options, Bits, &Aes128Many::new(300), ALONE);
    // More than Robin keeps operands of at once.
    let any = AnyOf::<F2, _>::new(vec![AndChain::new(300_000), AndChain::new(1000)]).expect("two");
    check("Robin", options, Bits, &any.with_choice(0).expect("there"), ALONE);
    check("Mac'n'Cheese", options, Stacked::new(Settings::LAN), &AndChain::new(200_000), (30, true));
    let settings = Settings::LAN.for_branches(8);
    let chains = (0..8).map(|i| AndChain::new(50_000 + i)).collect();
    let any = Disjunction::new(Join::Tree, chains).expect("several").with_choice(&[0]);
    check("8 branches", options, Stacked::new(settings), &any, (30, true));
}
