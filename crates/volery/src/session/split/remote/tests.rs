//! Workers that come over sockets.

use std::thread::Scope;

use volery_channel::{Address, Limits, memory_pair};
use volery_field::{F2, Gf128};
use volery_testing::rng;

use super::*;
use crate::session::split::tests::chain::Chain;
use crate::session::split::{Outcome, ProverLot, Settings, Sharded, VerifierLot};
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

fn prover_s<'s>(chain: &'s Chain<F2>) -> impl Fn(&Invitation) -> Result<(), Error> + Sync + 's {
    |invitation| {
        let worker = Worker::<ProverLot<Bits>>::come(invitation, &limits())?;
        assert_eq!(worker.job(), b"prove");
        let shard = chain.shard(worker.shard())?;
        worker.prove(Bits, &shard)
    }
}

fn verifier_s<'s>(chain: &'s Chain<F2>) -> impl Fn(&Invitation) -> Result<(), Error> + Sync + 's {
    |invitation| {
        let worker = Worker::<VerifierLot<Bits>>::come(invitation, &limits())?;
        let shard = chain.shard(worker.shard())?;
        worker.verify(Bits, &shard, &loopback(), None)
    }
}

/// Both coordinators with halls.
fn run(chain: &Chain<F2>, p_worker: Come<'_>, v_worker: Come<'_>) -> [Result<Outcome, Error>; 2] {
    run_meeting_at(Vec::new(), chain, p_worker, v_worker)
}

/// As [`run`]; P's workers go to these hosts only.
fn run_meeting_at(
    hosts: Vec<String>,
    chain: &Chain<F2>,
    p_worker: Come<'_>,
    v_worker: Come<'_>,
) -> [Result<Outcome, Error>; 2] {
    let layout = chain.layout().expect("a layout");
    let (ours, theirs) = memory_pair(&Limits::default());
    let (layout, settings) = (&layout, Settings::default());
    fn launcher<'s, 'e: 's>(
        scope: &'s Scope<'s, 'e>,
        worker: Come<'s>,
    ) -> impl FnMut(usize, &Invitation) -> Result<(), Error> + 's {
        move |_, invitation| {
            let invitation: Invitation = invitation.to_text().parse()?;
            scope.spawn(move || drop(worker(&invitation)));
            Ok(())
        }
    }
    std::thread::scope(|scope| {
        let times = Times { arrive: core::time::Duration::from_secs(2), ..Times::default() };
        let verified = scope.spawn(move || {
            std::thread::scope(|scope| {
                let job = |_| Ok(zeroize::Zeroizing::new(b"verify".to_vec()));
                let launch = launcher(scope, v_worker);
                let mut hall = Hall::<VerifierLot<Bits>, Gf128>::open(&loopback(), None, times, launch, job)?;
                let mut rng = rng(2);
                let mut verifier = Verifier::start(theirs, Options::default(), &mut rng)?;
                verifier.verify_split(Bits, layout, settings, &mut hall, &mut rng)
            })
        });
        let proved = std::thread::scope(|scope| {
            let job = |_| Ok(zeroize::Zeroizing::new(b"prove".to_vec()));
            let launch = launcher(scope, p_worker);
            let hall = Hall::<ProverLot<Bits>, Gf128>::open(&loopback(), None, times, launch, job)?;
            let mut hall = hall.meeting_at(hosts);
            let mut rng = rng(1);
            let mut prover = Prover::start(ours, Options::default(), &mut rng)?;
            prover.prove_split(Bits, layout, settings, &mut hall, &mut rng)
        });
        [proved, verified.join().expect("no panic")]
    })
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
    assert!(proved.is_ok() && verified.is_ok());
    let [proved, verified] = run_meeting_at(hosts("127.0.0.2"), &chain, &p_worker, &v_worker);
    assert!(proved.expect_err("refused").to_string().contains("none is to be met there"));
    assert!(verified.is_err());
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
        other.token = zeroize::Zeroizing::new([1; 32]);
        assert!(Worker::<ProverLot<Bits>>::come(&other, &Limits::default()).is_err());
        let other = Invitation { key: [2; 32], ..invitation.clone() };
        assert!(Worker::<ProverLot<Bits>>::come(&other, &Limits::default()).is_err());
        let _silent = volery_channel::connect(&invitation.address, &Limits::default()).expect("connected");
        p_worker(invitation)
    };
    let [proved, verified] = run(&chain, &after_strangers, &verifier_s(&chain));
    assert!(proved.is_ok() && verified.is_ok());
}
