//! Shards with many boundary wires, which stay with their workers.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;

use core::time::Duration;
use volery_circuit::{Digest, Error as StatementError, Evaluator, Prove};
use volery_field::{Element, F2, Ring, Wiped};

use super::combine::{SEED, Shown};
use super::*;

/// More than a worker brings.
const MANY: usize = MOST_BROUGHT + 100;

/// "I know so many numbers": all of them are the boundary of every shard.
#[derive(Clone, Debug)]
pub(in crate::session::split) struct Wide<R> {
    pub(in crate::session::split) shards: usize,
    pub(in crate::session::split) wires: usize,
    /// What is added to the first numbers of the last shard.
    pub(in crate::session::split) wrong: Vec<R>,
}

pub(in crate::session::split) struct Slice<'a, R> {
    whole: &'a Wide<R>,
    n: usize,
}

impl<R: Ring> Wide<R> {
    pub(in crate::session::split) fn new(shards: usize, wires: usize) -> Self {
        Self { shards, wires, wrong: Vec::new() }
    }

    fn values(&self, shard: usize) -> Vec<R> {
        let mut values: Vec<R> = (0..self.wires).map(|i| if i % 3 == 0 { R::ONE } else { R::ZERO }).collect();
        if shard + 1 == self.shards {
            values.iter_mut().zip(&self.wrong).for_each(|(value, wrong)| *value += *wrong);
        }
        values
    }
}

impl<R: Ring> Sharded for Wide<R>
where
    for<'a> Slice<'a, R>: Shard<R, Evaluator<R>>,
{
    type Shard<'a> = Slice<'a, R>;

    fn layout(&self) -> Result<Layout, Error> {
        let info = |n| ShardInfo::of::<R, _>(&Slice { whole: self, n }, self.wires);
        let equal = (1..self.shards).map(|n| Equal { from: (0, 0), to: (n, 0), wires: self.wires });
        Layout::new((0..self.shards).map(info).collect(), equal.collect())
    }

    fn shard(&self, n: usize) -> Result<Slice<'_, R>, StatementError> {
        Ok(Slice { whole: self, n })
    }
}

impl<R: Ring, B: Prove<R> + ?Sized> Shard<R, B> for Slice<'_, R> {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("shard", b"wide").number("shard", self.n as u64);
        digest.number("wires", self.whole.wires as u64);
    }

    fn commitments(&self) -> Option<u64> {
        Some(self.whole.wires as u64)
    }

    fn run(&self, b: &mut B) -> Result<Vec<B::Wire>, B::Error> {
        b.secret(self.whole.wires, &mut |_| Ok(self.whole.values(self.n)))
    }
}

#[test]
fn shards_with_many_equal_wires_are_joined_by_sums_and_others_as_before() {
    for (wires, combined) in [(MOST_BROUGHT, false), (MANY, true)] {
        let wide = Wide::<F2>::new(3, wires);
        assert_eq!(wide.layout().expect("a layout").is_combined(), combined);
        check::<F2, _>(&wide).expect("holds");
        let (proved, verified) = Both::of(&wide).run(Bits);
        let (proved, verified) = (proved.expect("proved"), verified.expect("verified"));
        assert_eq!(proved.soundness_bits, verified.soundness_bits);
        let (proved, verified) = Both::of(&Wide::<F61>::new(3, wires)).run(Field::new());
        assert!(proved.is_ok() && verified.is_ok(), "{verified:?}");
    }
    let hashed = Options { fiat_shamir: true, ..Options::default() };
    let wide = Wide::<F2>::new(2, MANY);
    Both { options: hashed, ..Both::of(&wide) }.run(Bits).1.expect("verified");
}

/// Over bits P finds it by itself, and sends no hash.
#[test]
fn one_wire_of_many_that_differs_is_found() {
    let honest = Wide::<F2>::new(3, MANY);
    let lying = Wide { wrong: vec![F2::ZERO, F2::ONE], ..honest.clone() };
    assert!(check::<F2, _>(&lying).is_err());
    let (proved, verified) = Both::between(&lying, &honest).run(Bits);
    assert!(proved.expect_err("refused").to_string().contains("do not fit together"));
    assert!(verified.is_err_and(|error| !error.is_rejection()));

    let honest = Wide::<F61>::new(3, MANY);
    let lying = Wide { wrong: vec![F61::ZERO, F61::ONE], ..honest.clone() };
    let (proved, verified) = Both::between(&lying, &honest).run(Field::new());
    assert!(is_rejected(&proved) && is_rejected(&verified), "{verified:?}");
}

/// P makes wires that differ so that the sums under a seed that it expects are equal: this would help if V
/// did not draw the seed afterwards.
#[test]
fn wires_that_differ_so_that_a_seed_hides_it_are_rejected_under_another() {
    let honest = Wide::<F61>::new(2, MANY);
    let layout = honest.layout().expect("a layout");
    let expected = |shard: usize| Question::all(&layout, &[0; 2], [0; SEED])[shard].clone();
    let coefficient = |wire: usize| {
        let mut only = vec![F61::ZERO; MANY];
        only[wire] = F61::ONE;
        expected(1).answer(&only, None, &mut || Ok(())).expect("an answer").sums[0]
    };
    let lying = Wide { wrong: vec![F61::ZERO - coefficient(1), coefficient(0)], ..honest.clone() };
    let sum = |shard: usize| {
        let values = lying.values(shard);
        expected(shard).answer(&values, None, &mut || Ok(())).expect("an answer").sums[0]
    };
    assert!(sum(0) == sum(1) && lying.values(0) != lying.values(1));
    let (proved, verified) = Both::between(&lying, &honest).run(Over::<F61, F61>::new());
    assert!(is_rejected(&proved) && is_rejected(&verified), "{verified:?}");
}

/// What becomes of an answer to a question.
type Twist<'a, M> = dyn Fn(&Question, &mut Result<Answer<M>, Lost>) + Sync + 'a;

/// Workers that keep their boundary wires, as those that come over sockets do.
struct Keeping<'a, W, M: Copy + Default> {
    workers: W,
    shown: Shown<M>,
    kept: BTreeMap<usize, Wiped<M>>,
    answers: VecDeque<Answered<M>>,
    twist: &'a Twist<'a, M>,
}

impl<'a, W, M: Copy + Default> Keeping<'a, W, M> {
    fn new(workers: W, shown: Shown<M>, twist: &'a Twist<'a, M>) -> Self {
        Self { workers, shown, kept: BTreeMap::new(), answers: VecDeque::new(), twist }
    }
}

impl<L, M: Element, W: Workers<L, M>> Workers<L, M> for Keeping<'_, W, M> {
    fn start(&mut self, lot: L) -> Result<(), Error> {
        self.workers.start(lot)
    }

    fn wait(&mut self, patience: Duration) -> Result<Option<Ended<M>>, Error> {
        let mut ended = self.workers.wait(patience)?;
        if let Some(Ended { shard, result: Ok(proved), .. }) = &mut ended {
            self.kept.insert(*shard, proved.take_many().expect("many"));
        }
        Ok(ended)
    }

    fn ask(&mut self, question: &Question) -> Result<(), Error> {
        let (shard, attempt) = (question.shard(), question.attempt());
        let mut result =
            question.answer(&self.kept[&shard], self.shown, &mut || Ok(())).map_err(Lost::Failed);
        (self.twist)(question, &mut result);
        self.answers.push_back(Answered { shard, attempt, result });
        Ok(())
    }

    fn answered(&mut self, _: Duration) -> Result<Option<Answered<M>>, Error> {
        Ok(self.answers.pop_front())
    }
}

/// Both coordinators over `system`, whose workers keep their wires; what P's and V's answer is twisted.
fn keeping<Y>(
    system: Y,
    whole: &Wide<Y::Ring>,
    retries: u32,
    twists: [&Twist<'_, Y::Mac>; 2],
) -> [Result<Outcome, Error>; 2]
where
    Y: Dealt + Copy + Send,
    Wide<Y::Ring>: Sharded,
    for<'a, 's> <Wide<Y::Ring> as Sharded>::Shard<'s>:
        Shard<Y::Ring, Y::Prover<'a>> + Shard<Y::Ring, Y::Verifier<'a>>,
    for<'p> Y::Prover<'p>: Boundary<Y::Ring, Y::Mac>,
    for<'v> Y::Verifier<'v>: Boundary<Y::Ring, Y::Mac>,
{
    let (meeting, settings) = (Meeting::new(), Settings { retries });
    let (ours, theirs) = memory_pair(&Limits::default());
    let p_connect = |lot: &ProverLot<Y>| meeting.join(lot.token());
    let v_connect = |lot: &VerifierLot<Y>| meeting.join(lot.token());
    let layout = whole.layout().expect("a layout");
    let [p_twist, v_twist] = twists;
    std::thread::scope(|scope| {
        let (layout, v_connect) = (&layout, &v_connect);
        let verified = scope.spawn(move || {
            std::thread::scope(|scope| {
                let mut rng = rng(2);
                let mut verifier = Verifier::start(theirs, Options::default(), &mut rng)?;
                let threads = VerifierThreads::new(scope, system, whole, v_connect);
                let mut workers = Keeping::new(threads, Y::SHOWN, v_twist);
                verifier.verify_split(system, layout, settings, &mut workers, &mut rng)
            })
        });
        let proved = std::thread::scope(|scope| {
            let mut rng = rng(1);
            let mut prover = Prover::start(ours, Options::default(), &mut rng)?;
            let threads = ProverThreads::new(scope, system, whole, &p_connect);
            let mut workers = Keeping::new(threads, Y::SHOWN, p_twist);
            prover.prove_split(system, layout, settings, &mut workers, &mut rng)
        });
        [proved, verified.join().expect("no panic")]
    })
}

fn as_it_is<M: Copy + Default>(_: &Question, _: &mut Result<Answer<M>, Lost>) {}

#[test]
fn workers_that_keep_their_wires_answer_for_them() {
    for result in keeping(Bits, &Wide::new(3, MANY), 0, [&as_it_is; 2]) {
        assert_eq!(result.expect("accepted").lost, 0);
    }
    for result in keeping(Field::new(), &Wide::new(3, MANY), 0, [&as_it_is; 2]) {
        assert_eq!(result.expect("accepted").lost, 0);
    }
}

/// A worker that goes after its proof and before its answer: its shard is proved again, and then everyone is
/// asked again, under a seed that nobody has seen. Over a field, too: there nothing is exposed any more.
#[test]
fn a_worker_that_is_lost_before_it_answers_is_replaced_and_all_are_asked_under_a_new_seed() {
    fn run<Y>(system: Y)
    where
        Y: Dealt + Copy + Send,
        Wide<Y::Ring>: Sharded,
        for<'a, 's> <Wide<Y::Ring> as Sharded>::Shard<'s>:
            Shard<Y::Ring, Y::Prover<'a>> + Shard<Y::Ring, Y::Verifier<'a>>,
        for<'p> Y::Prover<'p>: Boundary<Y::Ring, Y::Mac>,
        for<'v> Y::Verifier<'v>: Boundary<Y::Ring, Y::Mac>,
    {
        for at_p in [true, false] {
            let (p_asked, v_asked) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
            let note = |asked: &Mutex<Vec<(usize, u32, [u8; SEED])>>, question: &Question| {
                asked.lock().expect("no panic").push((question.shard(), question.attempt(), question.seed));
            };
            let goes = |question: &Question, result: &mut Result<Answer<Y::Mac>, Lost>| {
                if (question.shard(), question.attempt()) == (1, 0) {
                    *result = Err(Lost::Gone("killed".into()));
                }
            };
            let p_twist = |question: &Question, result: &mut Result<Answer<Y::Mac>, Lost>| {
                note(&p_asked, question);
                if at_p {
                    goes(question, result);
                }
            };
            let v_twist = |question: &Question, result: &mut Result<Answer<Y::Mac>, Lost>| {
                note(&v_asked, question);
                if !at_p {
                    goes(question, result);
                }
            };
            let [proved, verified] = keeping(system, &Wide::new(3, MANY), 1, [&p_twist, &v_twist]);
            let (proved, verified) = (proved.expect("proved"), verified.expect("verified"));
            assert_eq!((proved.lost, verified.lost), (1, 1));
            let (p, v) = (p_asked.into_inner().expect("no panic"), v_asked.into_inner().expect("no panic"));
            assert_eq!(p, v);
            let places: Vec<_> = v.iter().map(|(shard, attempt, _)| (*shard, *attempt)).collect();
            assert_eq!(places, [(0, 0), (1, 0), (2, 0), (0, 0), (1, 1), (2, 0)]);
            assert!(
                v[..3].iter().all(|asked| asked.2 == v[0].2) && v[3..].iter().all(|asked| asked.2 == v[3].2)
            );
            assert!(v[0].2 != v[3].2 && v[0].2 != [0; SEED]);
            // It counts as a retry.
            let twists: [&Twist<'_, Y::Mac>; 2] = if at_p { [&goes, &as_it_is] } else { [&as_it_is, &goes] };
            let [proved, verified] = keeping(system, &Wide::new(3, MANY), 0, twists);
            for result in [proved, verified] {
                let error = result.expect_err("too many are lost");
                assert!(error.to_string().contains("1 workers were lost, and 0 may"), "{error}");
            }
        }
    }
    run(Bits);
    run(Field::new());
}

/// What P's worker of shard 0 says: sums of the first seed, which it says are of this one. The worker of
/// shard 1 is lost, so there are two seeds.
fn stale<M: Copy + Default + Send>(
    seen: &Mutex<Vec<Wiped<M>>>,
) -> impl Fn(&Question, &mut Result<Answer<M>, Lost>) + Sync {
    move |question, result| match question.shard() {
        0 => {
            let mut seen = seen.lock().expect("no panic");
            let answer = result.as_mut().expect("an answer");
            seen.push(answer.sums.clone());
            answer.sums.clone_from(&seen[0]);
        }
        1 if question.attempt() == 0 => *result = Err(Lost::Gone("killed".into())),
        _ => {}
    }
}

/// Over bits P finds it by itself. Over a field nothing shows it, and V rejects.
#[test]
fn sums_under_an_earlier_seed_are_not_taken_for_those_under_this_one() {
    let seen = Mutex::default();
    let [proved, verified] = keeping(Bits, &Wide::new(3, MANY), 1, [&stale(&seen), &as_it_is]);
    assert!(proved.expect_err("refused").to_string().contains("do not fit together"));
    assert!(verified.is_err() && seen.into_inner().expect("no panic").len() == 2);
    let seen = Mutex::default();
    let [proved, verified] = keeping(Field::new(), &Wide::new(3, MANY), 1, [&stale(&seen), &as_it_is]);
    assert!(is_rejected(&proved) && is_rejected(&verified), "{verified:?}");
    assert_eq!(seen.into_inner().expect("no panic").len(), 2);
}

/// P's workers answer another question, for another shard, or too little.
#[test]
fn an_answer_to_another_question_is_not_taken() {
    use volery_field::Gf128;

    let wide = Wide::<F2>::new(3, MANY);
    type Change<'a> = &'a (dyn Fn(&Question, &mut Answer<Gf128>) + Sync);
    let changes: [Change<'_>; 6] = [
        &|question, answer| {
            if question.shard() == 2 {
                answer.shard = 1;
            }
        },
        &|_, answer| answer.attempt += 1,
        &|_, answer| answer.seed[0] ^= 1,
        &|_, answer| answer.sums.truncate(1),
        &|_, answer| answer.sums.push(Gf128::ZERO),
        &|_, answer| answer.sums.truncate(0),
    ];
    for (n, change) in changes.into_iter().enumerate() {
        let twist = |question: &Question, result: &mut Result<Answer<Gf128>, Lost>| {
            change(question, result.as_mut().expect("an answer"));
        };
        for at_p in [true, false] {
            let twists: [&Twist<'_, Gf128>; 2] = if at_p { [&twist, &as_it_is] } else { [&as_it_is, &twist] };
            let [proved, verified] = keeping(Bits, &wide, 1, twists);
            let result = if at_p { proved } else { verified };
            let error = result.expect_err("refused");
            assert!(error.to_string().contains("answered something else"), "{n}: {error}");
        }
    }
    // A tag that is another: V rejects it.
    let other = |_: &Question, result: &mut Result<Answer<Gf128>, Lost>| {
        let sums = &mut result.as_mut().expect("an answer").sums;
        sums[0] += Gf128::ONE;
    };
    let one = |question: &Question, result: &mut Result<Answer<Gf128>, Lost>| {
        if question.shard() == 1 {
            other(question, result);
        }
    };
    let [proved, verified] = keeping(Bits, &wide, 0, [&one, &as_it_is]);
    assert!(is_rejected(&proved) && is_rejected(&verified), "{verified:?}");
}
