//! Workers that come over sockets.

use std::sync::OnceLock;
use std::thread::Scope;

use volery_channel::{Address, Limits, memory_pair};
use volery_field::{F2, Gf128};
use volery_testing::rng;
use volery_zk::quicksilver;

use super::*;
use crate::session::split::tests::chain::Chain;
use crate::session::split::tests::many::Wide;
use crate::session::split::{Outcome, ProverLot, Settings, Shard, Sharded, VerifierLot, estimate};
use crate::system::Bits;
use crate::{Error, Options, Prover, Verifier};

fn loopback() -> Address {
    "127.0.0.1:0".parse().expect("an address")
}

/// P's or V's worker, as a thread in place of a process.
type Come<'s> = &'s (dyn Fn(&Invitation) -> Result<(), Error> + Sync);

/// A worker waits no longer than this for the other party's.
fn limits() -> Limits {
    Limits { read: core::time::Duration::from_secs(30), ..Limits::default() }
}

fn prover_s<'s, T>(whole: &'s T) -> impl Fn(&Invitation) -> Result<(), Error> + Sync + 's
where
    T: Sharded,
    for<'a, 'p> T::Shard<'a>: Shard<F2, quicksilver::bits::Prover<'p>>,
{
    |invitation| {
        let worker = Worker::<ProverLot<Bits>>::come(invitation, &limits())?;
        assert_eq!(worker.job(), b"prove");
        let shard = whole.shard(worker.shard())?;
        worker.prove(Bits, &shard)
    }
}

fn verifier_s<'s, T>(whole: &'s T) -> impl Fn(&Invitation) -> Result<(), Error> + Sync + 's
where
    T: Sharded,
    for<'a, 'v> T::Shard<'a>: Shard<F2, quicksilver::bits::Verifier<'v>>,
{
    |invitation| {
        let worker = Worker::<VerifierLot<Bits>>::come(invitation, &limits())?;
        let shard = whole.shard(worker.shard())?;
        worker.verify(Bits, &shard, &loopback(), None)
    }
}

/// Both coordinators with halls.
fn run(whole: &impl Sharded, p_worker: Come<'_>, v_worker: Come<'_>) -> [Result<Outcome, Error>; 2] {
    run_meeting_at(Vec::new(), whole, p_worker, v_worker).map(|(outcome, _)| outcome)
}

/// What a coordinator says, and the bytes that went to its workers and came from them.
type Outcomes = (Result<Outcome, Error>, [u64; 2]);

/// As [`run`]; P's workers go to these hosts only.
fn run_meeting_at(
    hosts: Vec<String>,
    whole: &impl Sharded,
    p_worker: Come<'_>,
    v_worker: Come<'_>,
) -> [Outcomes; 2] {
    let times = Times { arrive: core::time::Duration::from_secs(2), ..Times::default() };
    run_within(times, hosts, whole, p_worker, v_worker)
}

/// The same within these times.
fn run_within(
    times: Times,
    hosts: Vec<String>,
    whole: &impl Sharded,
    p_worker: Come<'_>,
    v_worker: Come<'_>,
) -> [Outcomes; 2] {
    let layout = whole.layout().expect("a layout");
    let (ours, theirs) = memory_pair(&Limits::default());
    let (layout, settings) = (&layout, Settings::default());
    /// Has workers struck off that end in an error, as if their processes had died.
    fn launcher<'s, 'e: 's>(
        scope: &'s Scope<'s, 'e>,
        dead_workers: &'s OnceLock<DeadWorkers>,
        worker: Come<'s>,
    ) -> impl FnMut(usize, &Invitation) -> Result<(), Error> + 's {
        move |_, invitation| {
            let invitation: Invitation = invitation.to_text().parse()?;
            scope.spawn(move || {
                if worker(&invitation).is_err() {
                    dead_workers.get().expect("a lot server").add(&invitation);
                }
            });
            Ok(())
        }
    }
    let known = [OnceLock::new(), OnceLock::new()];
    let [p_known, v_known] = &known;
    std::thread::scope(|scope| {
        let verified = scope.spawn(move || {
            std::thread::scope(|scope| {
                let job = |_| Ok(Zeroizing::new(b"verify".to_vec()));
                let launch = launcher(scope, v_known, v_worker);
                let server =
                    LotServer::<VerifierLot<Bits>, Gf128>::open(&loopback(), None, times, launch, job);
                let (mut server, mut rng) = (server.expect("a lot server"), rng(2));
                v_known.set(server.dead_workers()).ok().expect("one lot server");
                let mut verifier = Verifier::start(theirs, Options::default(), &mut rng).expect("set up");
                let outcome = verifier.verify_split(Bits, layout, settings, &mut server, &mut rng);
                (outcome, server.traffic())
            })
        });
        let proved = std::thread::scope(|scope| {
            let job = |_| Ok(Zeroizing::new(b"prove".to_vec()));
            let launch = launcher(scope, p_known, p_worker);
            let server = LotServer::<ProverLot<Bits>, Gf128>::open(&loopback(), None, times, launch, job);
            let (mut server, mut rng) = (server.expect("a lot server").meeting_at(hosts), rng(1));
            p_known.set(server.dead_workers()).ok().expect("one lot server");
            let mut prover = Prover::start(ours, Options::default(), &mut rng).expect("set up");
            let outcome = prover.prove_split(Bits, layout, settings, &mut server, &mut rng);
            (outcome, server.traffic())
        });
        [proved, verified.join().expect("no panic")]
    })
}

/// A vector that grew would have left a copy of the secret behind.
#[test]
fn what_holds_a_secret_that_comes_does_not_grow() {
    use volery_channel::{Channel as _, tags};

    let (mut ours, mut theirs) = memory_pair(&Limits::default());
    theirs.send(tags::WORKER_LOT, &[7; 100_000]).expect("sent");
    theirs.send(tags::WORKER_LOT, &[7; 100_001]).expect("sent");
    theirs.flush().expect("sent");
    let lot = receive_secret(&mut ours, tags::WORKER_LOT, 100_000).expect("received");
    assert_eq!((lot.len(), lot.capacity()), (100_000, 100_000));
    assert!(receive_secret(&mut ours, tags::WORKER_LOT, 100_000).is_err());
}

/// A job has the room that it takes, which the coordinator says before.
#[test]
fn what_holds_a_job_that_comes_does_not_grow() {
    use volery_channel::{Channel as _, tags};

    let (mut ours, mut theirs) = memory_pair(&Limits::default());
    for length in [0, 1, 100_001] {
        send_job(&mut theirs, &vec![7; length]).expect("sent");
        theirs.flush().expect("sent");
        let job = receive_job(&mut ours).expect("received");
        assert_eq!((job.len(), job.capacity()), (length, length));
    }
    for announced in [MOST_JOB as u64 + 1, u64::MAX] {
        theirs.send(tags::WORKER_LOT, &announced.to_be_bytes()).expect("sent");
        theirs.flush().expect("sent");
        assert!(matches!(receive_job(&mut ours), Err(Error::Split(_))), "{announced}");
    }
    theirs.send(tags::WORKER_LOT, &8_u64.to_be_bytes()).expect("sent");
    theirs.send(tags::WORKER_LOT, &[7; 9]).expect("sent");
    theirs.flush().expect("sent");
    assert!(matches!(receive_job(&mut ours), Err(Error::Channel(_))));
}

/// Whatever started a worker knows that it is dead. Nobody here waits until its time to come is over.
#[test]
fn a_worker_that_is_known_not_to_come_is_replaced_at_once() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let chain = Chain::<F2>::new(2, 100);
    let (p_worker, v_worker) = (prover_s(&chain), verifier_s(&chain));
    let times = Times { arrive: core::time::Duration::from_secs(3600), ..Times::default() };
    for at_p in [true, false] {
        let began = AtomicUsize::new(0);
        let dies = |worker: Come<'_>, invitation: &Invitation| {
            let is_first = began.fetch_add(1, Ordering::Relaxed) == 0;
            if is_first { Err(Error::Split("it is dead".into())) } else { worker(invitation) }
        };
        let p_dies = |invitation: &Invitation| dies(&p_worker, invitation);
        let v_dies = |invitation: &Invitation| dies(&v_worker, invitation);
        let (p, v): (Come<'_>, Come<'_>) = if at_p { (&p_dies, &v_worker) } else { (&p_worker, &v_dies) };
        let [(proved, _), (verified, _)] = run_within(times, Vec::new(), &chain, p, v);
        assert_eq!((proved.expect("proved").lost, verified.expect("verified").lost), (1, 1), "{at_p}");
    }
    // Of a worker that has come, nobody believes that it will not.
    let p_fails = |invitation: &Invitation| {
        p_worker(invitation)?;
        Err(Error::Split("it has done its work".into()))
    };
    let [(proved, _), (verified, _)] = run_within(times, Vec::new(), &chain, &p_fails, &v_worker);
    assert_eq!((proved.expect("proved").lost, verified.expect("verified").lost), (0, 0));
}

#[test]
fn workers_that_come_over_sockets_prove_their_shards() {
    let chain = Chain::<F2>::new(3, 50_000);
    let [proved, verified] = run(&chain, &prover_s(&chain), &verifier_s(&chain));
    assert_eq!(proved.expect("proved").lost, 0);
    assert_eq!(verified.expect("verified").shards.len(), 3);
}

/// V names the host, so it could have P's workers look around in P's network.
#[test]
fn p_s_workers_go_only_where_they_may() {
    let chain = Chain::<F2>::new(2, 100);
    let (p_worker, v_worker) = (prover_s(&chain), verifier_s(&chain));
    let hosts = |host: &str| vec!["v.example.com".to_owned(), host.to_owned()];
    let [proved, verified] = run_meeting_at(hosts("127.0.0.1"), &chain, &p_worker, &v_worker);
    assert!(proved.0.is_ok() && verified.0.is_ok());
    let told = run_meeting_at(hosts("127.0.0.2"), &chain, &p_worker, &v_worker);
    let [proved, verified] = told.map(|(outcome, _)| outcome);
    assert!(proved.expect_err("refused").to_string().contains("none is to be met there"));
    assert!(verified.is_err());
}

/// What goes between a coordinator and its workers is what an estimate says: few boundary wires go as they
/// are, and of many two sums for each side of a run.
#[test]
fn of_many_boundary_wires_only_sums_leave_their_worker() {
    for (wires, most) in [(4000, 3 * 16 * 4000 + 3000), (1 << 18, 3000)] {
        let wide = Wide::<F2>::new(3, wires);
        let told = run_meeting_at(Vec::new(), &wide, &prover_s(&wide), &verifier_s(&wide));
        let estimate = estimate(Options::default(), Bits, &wide, Settings::default()).expect("an estimate");
        let within = [estimate.within_prover, estimate.within_verifier];
        for ((outcome, [sent, received]), within) in told.into_iter().zip(within) {
            let outcome = outcome.expect("accepted");
            assert_eq!((outcome.lost, outcome.soundness_bits), (0, estimate.soundness_bits()));
            assert!(received < most && received + 3000 > most, "{wires}: {received}");
            let error = within as f64 / (sent + received) as f64 - 1.0;
            assert!(error.abs() < 0.02, "{wires}: {within} {sent} {received}");
        }
    }
    let honest = Wide::<F2>::new(3, 1 << 18);
    let lying = Wide { wrong: vec![volery_field::Ring::ONE], ..honest.clone() };
    let [proved, verified] = run(&honest, &prover_s(&lying), &verifier_s(&honest));
    assert!(verified.is_err());
    assert!(proved.expect_err("refused").to_string().contains("do not fit together"));
}

#[test]
fn shards_that_do_not_fit_are_rejected_there_too() {
    let honest = Chain::<F2>::new(3, 100);
    let lying = Chain { wrong: Some(2), ..honest.clone() };
    let [proved, verified] = run(&honest, &prover_s(&lying), &verifier_s(&honest));
    // P finds it by itself, and V hears that it gives up.
    assert!(verified.is_err());
    assert!(proved.expect_err("refused").to_string().contains("do not fit together"));
}

#[test]
fn a_worker_that_never_comes_or_goes_at_once_is_replaced() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let chain = Chain::<F2>::new(2, 100);
    let p_worker = prover_s(&chain);
    // Nobody waits for a worker that will not come until the time is over.
    let v_worker = |invitation: &Invitation| {
        let result = verifier_s(&chain)(invitation);
        if let Err(error) = &result {
            assert!(!error.to_string().contains("did not come"), "{error}");
        }
        result
    };
    for which in 0..4 {
        let began = AtomicUsize::new(0);
        let first = || began.fetch_add(1, Ordering::Relaxed) == 0;
        let absent = |invitation: &Invitation| if first() { Ok(()) } else { v_worker(invitation) };
        let p_absent = |invitation: &Invitation| if first() { Ok(()) } else { p_worker(invitation) };
        let gone = |invitation: &Invitation| match first() {
            true => Worker::<ProverLot<Bits>>::come(invitation, &limits()).map(drop),
            false => p_worker(invitation),
        };
        let v_gone = |invitation: &Invitation| match first() {
            true => Worker::<VerifierLot<Bits>>::come(invitation, &limits()).map(drop),
            false => v_worker(invitation),
        };
        let (p, v): (Come<'_>, Come<'_>) = match which {
            0 => (&p_worker, &absent),
            1 => (&gone, &v_worker),
            2 => (&p_absent, &v_worker),
            _ => (&p_worker, &v_gone),
        };
        let [proved, verified] = run(&chain, p, v);
        assert_eq!((proved.expect("proved").lost, verified.expect("verified").lost), (1, 1), "{which}");
    }
}

#[test]
fn an_invitation_is_good_once() {
    let chain = Chain::<F2>::new(2, 100);
    let p_worker = prover_s(&chain);
    // As a scheduler that starts each task twice.
    let twice = |invitation: &Invitation| {
        let result = p_worker(invitation);
        assert!(Worker::<ProverLot<Bits>>::come(invitation, &limits()).is_err());
        result
    };
    let [proved, verified] = run(&chain, &twice, &verifier_s(&chain));
    assert!(proved.is_ok() && verified.is_ok());
}

#[test]
fn strangers_get_nothing_from_a_hall_and_keep_nobody_from_it() {
    let chain = Chain::<F2>::new(1, 100);
    let p_worker = prover_s(&chain);
    let after_strangers = |invitation: &Invitation| {
        let mut other = invitation.clone();
        other.token = Zeroizing::new([1; 32]);
        assert!(Worker::<ProverLot<Bits>>::come(&other, &Limits::default()).is_err());
        let other = Invitation { key: [2; 32], ..invitation.clone() };
        assert!(Worker::<ProverLot<Bits>>::come(&other, &Limits::default()).is_err());
        let _silent = volery_channel::connect(&invitation.address, &Limits::default()).expect("connected");
        p_worker(invitation)
    };
    let [proved, verified] = run(&chain, &after_strangers, &verifier_s(&chain));
    assert!(proved.is_ok() && verified.is_ok());
}
