//! Provers that do something else than the program says, and change all that follows from it: their rows are
//! those of a run of another program, whose instructions say that they are this program's.

use volery_circuit::Error;
use volery_field::Ring as _;

use super::super::argument::Committed;
use super::super::argument::tests::with_lie;
use super::super::kind::Kind as Rows;
use super::super::tables::{F, PC, T, Table, with_table};
use super::super::trace::Segment as Columns;
use super::accesses::{RANGE, accesses};
use super::lies::{ONE, meddled};
use super::*;
use Operation::*;

/// What turns P away.
pub(super) fn refusal(run: &mut ProgramRun, meddle: impl Fn(&mut Columns) + Send + Sync + 'static) -> String {
    match meddled(run, move |_, segment| meddle(segment)) {
        Err(Error::Unsatisfied { place, .. }) => place,
        result => panic!("{result:?}"),
    }
}

/// A run of the first program, which is proved; then P takes that of the second one for it.
fn liar(truth: &Program, lie: &Program) -> ProgramRun {
    let of = |program: &Program| {
        let inputs = [b"secret", b"public"].map(|input| input.to_vec());
        ProgramRun::of(program.clone(), inputs, ONE, Limits::default()).expect("a run")
    };
    let [mut run, other] = [truth, lie].map(of);
    for honest in [&run, &other] {
        assert_eq!((check_exactly(honest), honest.profile().segments()), (Ok(()), 1));
    }
    assert_ne!(run.claim(), other.claim());
    assert!(matches!(other.claim().end, End::Exit(_)));
    (run.profile, run.claim) = (other.profile, other.claim);
    run.traced = Some((lie.clone(), b"public".to_vec()));
    run
}

/// What turns P away if it changes these rows: kind, place of the instruction, column, value.
fn turns_away(truth: &[u32], lie: &[u32], changes: &[(Rows, u32, usize, u64)]) -> String {
    assert_eq!(truth.len(), lie.len());
    let changes = changes.to_vec();
    refusal(&mut liar(&program(truth), &program(lie)), move |segment| {
        for (kind, place, column, value) in &changes {
            at(segment, *kind, *place)[*column] = F61::new(*value);
        }
    })
}

/// The step of the instruction at a place. A step that was changed to be at another place is there.
fn at(segment: &mut Columns, kind: Rows, place: u32) -> &mut [F61] {
    let columns = with_table!(kind, T => T::COLUMNS);
    let mut rows = segment.tables[kind as usize].chunks_exact_mut(columns);
    rows.find(|row| row[F] != F61::ZERO && row[PC] == F61::new(place.into())).expect("it is a step")
}

/// The first columns of most rows behind [`T`].
const FIELDS: usize = T + 1;

const NOP: u32 = 0x13;

/// Instructions with `exit(a0)` behind them.
fn then_exit(words: &[u32]) -> Vec<u32> {
    [words, &exit()].concat()
}

/// Ways to do nothing in the place of an instruction, the second one, and what turns each away.
fn left_out(truth: &[u32]) {
    let mut lie = truth.to_vec();
    lie[1] = NOP;
    let (kind, place) = (Rows::AddImmediate, TEXT + 4);
    // A step of another instruction.
    assert_eq!(turns_away(truth, &lie, &[]), CODE);
    // No step: its row is one of those that fill up. The one before leads to a place that nobody comes from.
    let filler = [(kind, place, PC, 1), (kind, 1, F, 0)];
    assert_eq!(turns_away(truth, &lie, &filler), TUPLES);
    // The one before leads to the one behind.
    assert_eq!(turns_away(truth, &lie, &[&filler[..], &[(kind, TEXT, F, 2)]].concat()), CODE);
    // The row fills up, and is at the place of the step.
    assert_eq!(turns_away(truth, &lie, &[(kind, place, F, 0)]), "lookups in [Code], 2 tuples");
}

const CODE: &str = "lookups in [Code], 0 tuples";
/// The state that nobody comes from, and the one that nobody leads to.
const TUPLES: &str = "lookups in [], 2 tuples";

#[test]
fn no_step_is_skipped() {
    left_out(&then_exit(&[i(Addi, 10, 0, 0, 5), i(Addi, 10, 10, 0, 7)]));
}

#[test]
fn no_step_is_done_twice() {
    let add = i(Addi, 10, 10, 0, 5);
    let truth = [&then_exit(&[add, NOP])[..], &[NOP]].concat();
    let lie = then_exit(&[add, add, NOP]);
    let kind = Rows::AddImmediate;
    // All that follows is one place further back.
    let what = refusal(&mut liar(&program(&truth), &program(&lie)), move |segment| {
        for place in 1..4 {
            at(segment, kind, TEXT + 4 * place)[PC] -= F61::new(4);
        }
        segment.place -= 4;
    });
    assert_eq!(what, TUPLES);
    // A copy of the row, with its times, in the place of one that fills up.
    let mut run = run_of(&truth, [b"", b""], ONE);
    assert_eq!(check_exactly(&run), Ok(()));
    let what = refusal(&mut run, move |segment| {
        let copy = at(segment, kind, TEXT).to_vec();
        let table = &mut segment.tables[kind as usize];
        let end = table.len() - copy.len();
        assert!(table[end + F] == F61::ZERO);
        table[end..].copy_from_slice(&copy);
    });
    assert!(what.starts_with("lookups in [], "), "{what}");
}

/// Each pair of programs differs in where one instruction leads. First P leaves the row as it is, then it
/// changes what the program says.
#[test]
fn no_jump_leads_elsewhere() {
    const DISTANCE: usize = FIELDS + 2;
    const NOT: usize = FIELDS + 3;
    const SIGNED_NOT: usize = FIELDS + 4;
    let behind = [i(Addi, 10, 10, 0, 5), i(Addi, 10, 10, 0, 7)];
    let all = |first: &[u32], jump: u32| then_exit(&[first, &[jump], &behind].concat());
    let none: &[u32] = &[];
    let here = [i(Auipc, 9, 0, 0, 0)];
    let minus = |n: u64| (F61::ZERO - F61::new(n)).to_u64();
    for (first, truth, lie, changes, what) in [
        (none, i(Jal, 0, 0, 0, 8), i(Jal, 0, 0, 0, 4), &[(Rows::Jump, FIELDS + 1, 8)][..], TUPLES),
        // Beyond the program.
        (none, i(Jal, 0, 0, 0, 800), i(Jal, 0, 0, 0, 4), &[(Rows::Jump, FIELDS + 1, 800)], TUPLES),
        // Misaligned.
        (none, i(Jal, 0, 0, 0, 6), i(Jal, 0, 0, 0, 4), &[(Rows::Jump, FIELDS + 1, 6)], TUPLES),
        (&here, i(Jalr, 0, 9, 0, 12), i(Jalr, 0, 9, 0, 8), &[(Rows::JumpRegister, FIELDS + 2, 12)], TUPLES),
        (&here, i(Jalr, 0, 9, 0, 10), i(Jalr, 0, 9, 0, 8), &[(Rows::JumpRegister, FIELDS + 2, 10)], TUPLES),
        // Whether the condition holds.
        (none, i(Beq, 0, 0, 0, 8), i(Bne, 0, 0, 0, 8), &[(Rows::BranchEqual, NOT, 0)], "branch_equal"),
        (none, i(Bne, 0, 2, 0, 8), i(Beq, 0, 2, 0, 8), &[(Rows::BranchEqual, NOT, 1)], "branch_equal"),
        (none, i(Bge, 0, 0, 0, 8), i(Blt, 0, 0, 0, 8), &[(Rows::BranchLess, SIGNED_NOT, 1)], "branch_less"),
        // A trap.
        (none, i(Beq, 0, 0, 0, 2), i(Bne, 0, 0, 0, 2), &[(Rows::BranchEqual, NOT, 0)], "branch_equal"),
        // How far: the distance is from the instruction behind.
        (
            none,
            i(Beq, 0, 0, 0, 2),
            i(Beq, 0, 0, 0, 4),
            &[(Rows::BranchEqual, DISTANCE, minus(2)), (Rows::BranchEqual, FIELDS + 12, minus(2))],
            TUPLES,
        ),
    ] {
        let [truth, lie] = [truth, lie].map(|jump| all(first, jump));
        assert_eq!(turns_away(&truth, &lie, &[]), CODE);
        let place = TEXT + 4 * first.len() as u32;
        let changes = Vec::from_iter(changes.iter().map(|(kind, column, to)| (*kind, place, *column, *to)));
        let refused = turns_away(&truth, &lie, &changes);
        assert!(refused == what || refused.ends_with(what), "{refused} for {truth:x?}");
    }
}

/// Instructions that end the run. Those at which a jump does: above.
#[test]
fn no_trap_is_ignored() {
    for trap in [i(Ebreak, 0, 0, 0, 0), u32::MAX, 0] {
        left_out(&then_exit(&[NOP, trap, i(Addi, 10, 0, 0, 7)]));
    }
}

/// P brings in a word at an address that is no multiple of 4. Of less than a word no byte of another word is
/// moved.
#[test]
fn no_misaligned_access_is_made() {
    let all = |access: u32| then_exit(&[&li(8, DATA + 16)[..], &[access, NOP]].concat());
    let place = TEXT + 8;
    for (truth, lie, kind, column) in [
        (i(Lw, 7, 8, 0, 1), i(Lw, 7, 8, 0, 0), Rows::LoadWord, FIELDS + 2),
        (i(Sw, 0, 8, 2, 1), i(Sw, 0, 8, 2, 0), Rows::StoreWord, FIELDS + 2),
    ] {
        let [truth, lie] = [truth, lie].map(|access| program(&all(access)));
        let mut run = liar(&truth, &lie);
        // The first of the live words that are not the file's.
        let (what, told) = with_lie(Committed::Live, 0, || {
            refusal(&mut run, move |segment| {
                at(segment, kind, place)[column] = F61::ONE;
                assert_eq!((segment.words[0].address, &segment.fresh[..]), (DATA + 16, &[DATA + 16][..]));
                segment.words[0].address += 1;
                segment.fresh[0] += 1;
            })
        });
        assert!(told);
        assert_eq!(what, RANGE);
    }
    for (truth, lie, kind, odd) in [
        (i(Lh, 7, 8, 0, 1), i(Lh, 7, 8, 0, 0), Rows::LoadPart, 18),
        (i(Lhu, 7, 8, 0, 1), i(Lhu, 7, 8, 0, 0), Rows::LoadPart, 18),
        (i(Sh, 0, 8, 2, 1), i(Sh, 0, 8, 2, 0), Rows::StorePart, 17),
    ] {
        let changes = [(kind, place, FIELDS + 2, 1), (kind, place, odd, 1)];
        let refused = turns_away(&all(truth), &all(lie), &changes);
        assert!(refused.ends_with(kind.name()), "{refused}");
    }
}

/// P runs a program with more memory, or with memory that may be written.
#[test]
fn no_access_reaches_outside_of_the_memory_or_writes_what_is_read_only() {
    let before = |address: u32| [li(8, address), li(9, 7)].concat();
    let outside = [
        i(Lw, 10, 8, 0, 0),
        i(Lb, 10, 8, 0, 1),
        i(Lhu, 10, 8, 0, 2),
        i(Sw, 0, 8, 9, 0),
        i(Sb, 0, 8, 9, 3),
        i(Sh, 0, 8, 9, 2),
    ];
    let mut programs = Vec::from_iter(outside.map(|access| [before(DATA + 256), vec![access]].concat()));
    let calls = [(63, 0), (63, 3), (64, 1)];
    programs.extend(calls.map(|(number, file)| runs::call(number, file, 252, 6)));
    let writes = outside.iter().skip(3).map(|access| [before(CONSTANTS + 4), vec![*access]].concat());
    programs.extend(writes);
    for words in programs {
        let truth = program(&then_exit(&words));
        let mut segments = truth.segments().to_vec();
        segments[1].kind = Kind::Writable;
        segments[2].size = 512;
        let mut run = liar(&truth, &Program::new(TEXT, segments).expect("a program"));
        refusal(&mut run, |_| ());
    }
}

/// A load finds what was there before the last store, and all that follows is computed from that. Its row is
/// that of a load of another word, which holds the older value.
#[test]
fn no_load_finds_a_stale_value() {
    let all = |place: i32| {
        let mut words = li(5, DATA).to_vec();
        words.extend([i(Addi, 6, 0, 0, 1), i(Addi, 7, 0, 0, 2), i(Sw, 0, 5, 6, 16), i(Sw, 0, 5, 6, 20)]);
        words.extend([i(Sw, 0, 5, 7, 16), i(Lw, 10, 5, 0, place), i(Add, 10, 10, 6, 0)]);
        program(&then_exit(&words))
    };
    let mut run = liar(&all(16), &all(20));
    assert_eq!(run.claim().end, End::Exit(2));
    let what = refusal(&mut run, move |segment| {
        const IMMEDIATE: usize = FIELDS + 2;
        let before = accesses(segment);
        let of_memory = Vec::from_iter(before.iter().filter(|access| access.is_of_memory()).copied());
        let [load, older, _, newer] = of_memory[..] else { panic!("{of_memory:?}") };
        // Nobody reads the other word.
        load.leave(segment, &before, load.found);
        at(segment, Rows::LoadWord, TEXT + 28)[IMMEDIATE] = F61::new(16);
        // The older store, the load, the newer one.
        load.find(segment, older.left);
        newer.find(segment, load.left);
    });
    assert_eq!(what, RANGE);
}

/// The same with a register.
#[test]
fn no_register_is_read_stale() {
    let all = |register: u8| {
        let words = [i(Addi, 6, 0, 0, 1), i(Addi, 7, 0, 0, 1), i(Addi, 6, 0, 0, 2)];
        program(&then_exit(&[&words[..], &[i(Add, 10, register, 0, 0), i(Add, 10, 10, 7, 0)]].concat()))
    };
    let mut run = liar(&all(6), &all(7));
    assert_eq!(run.claim().end, End::Exit(2));
    let what = refusal(&mut run, move |segment| {
        let before = accesses(segment);
        let of =
            |register: u64| Vec::from_iter(before.iter().filter(|a| a.is_of_register(register)).copied());
        let [read, ..] = of(7)[..] else { panic!("no access") };
        let [older, newer] = of(6)[..] else { panic!("{:?}", of(6)) };
        read.leave(segment, &before, read.found);
        at(segment, Rows::Add, TEXT + 12)[FIELDS + 1] = F61::new(6);
        read.find(segment, older.left);
        newer.find(segment, read.left);
    });
    assert_eq!(what, RANGE);
}

/// A word is twice among those that a segment touches: a store changes one of them, and a load finds the
/// other.
#[test]
fn no_word_is_there_twice() {
    let all = |place: i32| {
        let words = [i(Addi, 6, 0, 0, 1), i(Lw, 7, 5, 0, 0), i(Sw, 0, 5, 6, place), i(Lw, 10, 5, 0, 0)];
        program(&then_exit(&[&li(5, DATA)[..], &words].concat()))
    };
    let mut run = liar(&all(0), &all(4));
    assert_eq!(run.claim().end, End::Exit(0x0403_0201));
    let what = refusal(&mut run, move |segment| {
        let old = u64::from(segment.words[0].first);
        let all = accesses(segment);
        let mut stores = all.iter().filter(|access| access.is_of_memory() && access.kind == Rows::StoreWord);
        let store = stores.next().expect("a store");
        store.find(segment, [old, 0]);
        at(segment, Rows::StoreWord, TEXT + 16)[FIELDS + 2] = F61::ZERO;
        let [address, first] = [segment.words[0].address, segment.words[0].first];
        let word = &mut segment.words[1];
        assert_eq!((address, word.address), (DATA, DATA + 4));
        (word.address, word.first) = (address, first);
    });
    assert!(what.starts_with("lookups in [], "), "{what}");
}
