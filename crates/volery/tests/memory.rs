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
use volery::programs::proof::{ProgramRun, Settings as Cut};
use volery::programs::{Instruction, Kind, Operation, Program, Segment};
use volery::statements::{Aes128Many, AndChain, MulChain};
use volery::system::{Bits, Over, Provable, Stacked, System};
use volery::{
    Estimate, Limits, Options, Profile, Prover, Verifier, estimate, estimate_run, memory_pair, os_rng,
};
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
    compare(what, options, system, statement, estimate(options, system, statement), (percent, together));
}

/// Compares an estimate with what the parties hold.
fn compare<Y: System>(
    what: &str,
    options: Options,
    system: Y,
    statement: &(impl Provable<Y> + Sync),
    said: Result<Estimate, volery::Error>,
    (percent, together): (u64, bool),
) {
    let said = said.expect(what);
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
    check_runs(false);
}

#[test]
#[ignore = "takes half a minute without optimisation"]
fn long_what_parties_hold_is_what_was_estimated_under_every_profile() {
    check_runs(true);
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

/// An instruction of these parts: `rd`, `rs1`, `rs2`, immediate.
fn i(operation: Operation, rd: u8, rs1: u8, rs2: u8, immediate: i32) -> u32 {
    Instruction::new(operation, rd, rs1, rs2, immediate).expect("legal").encode()
}

/// A run of these instructions, with so many words of text behind them and so many writable words.
fn run(words: &[u32], [text, data]: [u32; 2], secret: usize) -> ProgramRun {
    use Operation::{Addi, Ecall};
    let exit = [i(Addi, 17, 0, 0, 93), i(Addi, 10, 0, 0, 0), i(Ecall, 0, 0, 0, 0)];
    let mut bytes: Vec<u8> = words.iter().chain(&exit).flat_map(|word| word.to_le_bytes()).collect();
    bytes.resize(bytes.len() + 4 * text as usize, 0x13);
    let segments = vec![
        Segment { address: 0x1_0000, size: bytes.len() as u32, bytes, kind: Kind::Text },
        Segment { address: 0x200_0000, size: 4 * data, bytes: Vec::new(), kind: Kind::Writable },
    ];
    let program = Program::new(0x1_0000, segments).expect("a program");
    let limits = volery::programs::Limits::default();
    ProgramRun::of(program, [vec![7; secret], Vec::new()], Cut::default(), limits).expect("a run")
}

/// Runs that take much for their segments, their log, one call, and their text. Here large buffers grow by
/// copies, where a process moves pages, and the program is of neither thread.
fn check_runs(long: bool) {
    use Operation::{Addi, Bne, Ecall, Lui, Sw};
    let (data, options) = (i(Lui, 5, 0, 0, 0x200_0000), Options::default());
    let count = |rounds: i32| i(Lui, 6, 0, 0, rounds << 12);
    let steps = [data, count(17), i(Addi, 6, 6, 0, -1), i(Bne, 0, 6, 0, -4)];
    let touch =
        [data, count(16), i(Sw, 0, 5, 6, 0), i(Addi, 5, 5, 0, 4), i(Addi, 6, 6, 0, -1), i(Bne, 0, 6, 0, -12)];
    let read =
        [data, i(Addi, 11, 5, 0, 0), i(Lui, 12, 0, 0, 1 << 17), i(Addi, 17, 0, 0, 63), i(Ecall, 0, 0, 0, 0)];
    let runs = if long {
        let call = ("a call", run(&read, [0, 200_000], 1 << 17), 35);
        vec![("steps", run(&steps, [0, 4], 0), 15), ("words", run(&touch, [0, 200_000], 0), 15), call]
    } else {
        vec![("text", run(&[], [260_000, 4], 0), 35)]
    };
    for (what, run, percent) in runs {
        let system = Over::<F61, F61>::new();
        let said = estimate_run(|channel| channel, options, system, &run.without_secret());
        compare(what, options, system, &run, said, (percent, false));
    }
}
