//! The worker's side.

use std::net::Shutdown;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rand_core::Rng as _;
use subtle::ConstantTimeEq as _;
use volery_channel::tls::{ServerConfig, Tls, Trust, client_config, raw_key_server_config, raw_public_key};
use volery_channel::transport::Socket;
use volery_channel::{Address, Channel, ChannelExt as _, Framed, Limits, Listener, tags};
use zeroize::Zeroizing;

use super::accept::{Unidentified, accept_all};
use super::invitation::{Invitation, from_hex, to_hex};
use super::{LotOf, MOST_JOB, receive_job, receive_secret};
use crate::session::split::codec::{MOST_LOT, MOST_QUESTION, decode_question, encode_answer, encode_result};
use crate::session::split::combine::{Heartbeat, Shown};
use crate::session::split::workers::MOST_ADDRESS;
use crate::session::split::{Boundary, Dealt, Lost, Lot as _, Proved, ProverLot, Shard, VerifierLot};
use crate::session::split::{prove_shard, verify_shard};
use crate::{Error, os_rng};

/// How often a worker says that it is at work.
const HEARTBEAT: Duration = Duration::from_millis(if cfg!(test) { 50 } else { 1000 });

/// How long a worker that keeps its boundary wires waits for a word of its coordinator's, which says every
/// few seconds that it is there.
const KEPT: Duration = Duration::from_secs(30);

/// How long a worker waits to hear where the other party's is reached.
const MEETING: Duration = Duration::from_secs(600);

/// A worker that has come to its coordinator, and has its lot.
pub struct Worker<L> {
    coordinator: Framed<Tls<Socket>>,
    lot: L,
    job: Zeroizing<Vec<u8>>,
    limits: Limits,
}

/// A worker that has come to its coordinator, and does not know yet what its lot is of: its job says so.
pub struct Arrival {
    coordinator: Framed<Tls<Socket>>,
    lot: Zeroizing<Vec<u8>>,
    job: Zeroizing<Vec<u8>>,
    limits: Limits,
}

/// What ends a worker's work.
#[derive(Default)]
pub(super) struct Cancellation(Mutex<CancelState>);

/// The state of a [`Cancellation`].
#[derive(Default)]
struct CancelState {
    is_cancelled: bool,
    /// The connection that the work waits for.
    socket: Option<UnixStream>,
}

impl Cancellation {
    fn state(&self) -> std::sync::MutexGuard<'_, CancelState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes this connection when the work is to end.
    fn watch(&self, socket: Option<OwnedFd>) {
        let mut state = self.state();
        // Shutting down is the same for every kind of socket.
        state.socket = socket.map(UnixStream::from);
        if state.is_cancelled {
            drop(state);
            self.cancel();
        }
    }

    /// Ends the work: nobody wants what it would bring.
    fn cancel(&self) {
        let mut state = self.state();
        state.is_cancelled = true;
        if let Some(socket) = state.socket.take() {
            // The peer may be gone already.
            let _ = socket.shutdown(Shutdown::Both);
        }
    }

    fn is_cancelled(&self) -> bool {
        self.state().is_cancelled
    }
}

/// The same socket once more, for a [`Cancellation`]. If there is none, the connection ends when its time is
/// over.
fn copy(socket: &Socket) -> Option<OwnedFd> {
    socket.as_fd().try_clone_to_owned().ok()
}

fn connect(
    address: &Address,
    key: &[u8; 32],
    limits: &Limits,
    cancellation: &Cancellation,
) -> Result<Framed<Tls<Socket>>, Error> {
    let host = match address {
        Address::Tcp { host, .. } => host.as_str(),
        Address::Unix(_) => "localhost",
    };
    let socket = Socket::connect(address, limits.connect)?;
    cancellation.watch(copy(&socket));
    let tls = Tls::connect(socket, client_config(&Trust::Key(*key))?, host, limits)?;
    Ok(Framed::new(tls, limits.clone()))
}

impl Arrival {
    /// Comes to the coordinator of this invitation, for a lot. `limits` hold for the proof, too.
    ///
    /// # Errors
    /// The connection's; an invitation that was used, or whose time is over, ends it without a word.
    pub fn come(invitation: &Invitation, limits: &Limits) -> Result<Self, Error> {
        // A lot may be longer than what a peer may send, and the other party's workers may take long to come.
        let to_coordinator = Limits {
            max_frame: limits.max_frame.max(MOST_JOB),
            read: limits.read.max(MEETING),
            ..limits.clone()
        };
        let mut coordinator =
            connect(&invitation.address, &invitation.key, &to_coordinator, &Cancellation::default())?;
        coordinator.send(tags::WORKER_TOKEN, &*invitation.token)?;
        let lot = receive_secret(&mut coordinator, tags::WORKER_LOT, MOST_LOT)?;
        let job = receive_job(&mut coordinator)?;
        Ok(Self { coordinator, lot, job, limits: limits.clone() })
    }

    /// What the coordinator says besides the lot.
    #[must_use]
    pub fn job(&self) -> &[u8] {
        &self.job
    }

    /// The worker, whose lot is of this kind.
    ///
    /// # Errors
    /// [`Error::Split`] if the lot is of another kind.
    pub fn with_lot<L: LotOf>(self) -> Result<Worker<L>, Error> {
        let Self { coordinator, lot, job, limits } = self;
        Ok(Worker { coordinator, lot: L::decode(&lot)?, job, limits })
    }
}

impl<L: LotOf> Worker<L> {
    /// [`Arrival::come`], for a lot of this kind.
    ///
    /// # Errors
    /// As of that; [`Error::Split`] if the lot is of another kind.
    pub fn come(invitation: &Invitation, limits: &Limits) -> Result<Self, Error> {
        Arrival::come(invitation, limits)?.with_lot()
    }

    /// What the coordinator says besides the lot.
    #[must_use]
    pub fn job(&self) -> &[u8] {
        &self.job
    }

    /// Runs `work` while the coordinator hears that this worker is there, and then what it brings. Returns
    /// what a person may know of it. If the coordinator is gone, the work ends, too: its connection, which
    /// is watched, is closed.
    fn bring<M: volery_field::Element>(
        (mut coordinator, limits): (Framed<Tls<Socket>>, Limits),
        shown: Shown<M>,
        work: impl FnOnce(&Cancellation) -> Result<Proved<M>, Lost> + Send,
    ) -> Result<(), Error> {
        let cancellation = &Cancellation::default();
        std::thread::scope(|scope| {
            let (sender, result) = channel();
            scope.spawn(move || drop(sender.send(work(cancellation))));
            let result = loop {
                match result.recv_timeout(HEARTBEAT) {
                    Ok(result) => break result,
                    Err(RecvTimeoutError::Timeout) => {
                        let there =
                            coordinator.send(tags::WORKER_ENDED, &[]).and_then(|()| coordinator.flush());
                        if let Err(error) = there {
                            cancellation.cancel();
                            return Err(error.into());
                        }
                    }
                    Err(RecvTimeoutError::Disconnected) => {
                        break Err(Lost::Failed(Error::Split("a worker stopped by itself".into())));
                    }
                }
            };
            let mut result = result;
            let kept = result.as_mut().ok().and_then(Proved::take_many);
            coordinator.send(tags::WORKER_ENDED, &encode_result(&result))?;
            match kept {
                None => coordinator.finish()?,
                Some(kept) => {
                    coordinator.renew(Limits { read: limits.read.min(KEPT), ..limits });
                    answer(&mut coordinator, &kept, shown, HEARTBEAT)?;
                }
            }
            match result {
                Ok(_) => Ok(()),
                Err(Lost::Connection { error, .. } | Lost::Failed(error)) => Err(error),
                Err(error) => Err(Error::Split(error.to_string())),
            }
        })
    }
}

/// Answers questions about the boundary wires that this worker keeps, until its coordinator hangs up: then
/// nobody wants to know any more. One that says nothing, something else or that it gives up is an error. They
/// are wiped where this ends. While it adds up, it says `every` so often that it is at work.
fn answer<M: volery_field::Element>(
    coordinator: &mut dyn Channel,
    kept: &[M],
    shown: Shown<M>,
    every: Duration,
) -> Result<(), Error> {
    coordinator.flush()?;
    let mut question = Vec::new();
    loop {
        match coordinator.recv_into(tags::WORKER_COMBINE, MOST_QUESTION, &mut question) {
            Err(volery_channel::Error::Closed { mid_frame: false, .. }) => return Ok(()),
            result => result?,
        }
        // Empty: the coordinator is there, and asks nothing yet.
        if !question.is_empty() {
            let mut heartbeat = Heartbeat::new(every);
            let mut between = || {
                if heartbeat.is_due() {
                    coordinator.send(tags::WORKER_COMBINE, &[])?;
                    coordinator.flush()?;
                }
                Ok(())
            };
            let answer = decode_question(&question)?.answer(kept, shown, &mut between)?;
            coordinator.send(tags::WORKER_COMBINE, &encode_answer(&answer))?;
            coordinator.flush()?;
        }
    }
}

/// What P's worker shows V's, so that a stranger does not use the lot up.
pub(super) fn pass(token: &[u8; 16]) -> [u8; 32] {
    blake3::derive_key("volery 2026 split: a worker's pass v1", token)
}

/// A connection to V's worker, which is where V's coordinator says, and which sees this pass.
pub(super) fn show_pass(
    address: &str,
    pass: &[u8; 32],
    limits: &Limits,
    cancellation: &Cancellation,
) -> Result<Framed<Tls<Socket>>, Error> {
    let (address, key) = read_address(address)?;
    let mut peer = connect(&address, &key, limits, cancellation)?;
    peer.send(tags::WORKER_TOKEN, pass)?;
    peer.flush()?;
    Ok(peer)
}

impl<Y: Dealt + Send> Worker<ProverLot<Y>> {
    /// The shard to prove.
    #[must_use]
    pub fn shard(&self) -> usize {
        self.lot.shard()
    }

    /// Proves `shard` to V's worker of the same lot, and brings the coordinator what comes of it.
    ///
    /// # Errors
    /// As [`prove_shard`], and those of the connection to the coordinator.
    pub fn prove<S>(self, system: Y, shard: &S) -> Result<(), Error>
    where
        S: for<'a> Shard<Y::Ring, Y::Prover<'a>> + ?Sized,
        for<'a> Y::Prover<'a>: Boundary<Y::Ring, Y::Mac>,
    {
        let Self { mut coordinator, lot, limits, .. } = self;
        coordinator.send(tags::WORKER_ADDRESS, &[])?;
        let address = coordinator.recv(tags::WORKER_ADDRESS, MOST_ADDRESS)?.to_vec();
        let address = String::from_utf8_lossy(&address).into_owned();
        Self::bring((coordinator, limits.clone()), Y::SHOWN, move |cancellation| {
            let peer = show_pass(&address, &pass(&lot.token()), &limits, cancellation);
            let peer = peer.map_err(|error| Lost::of(error, false))?;
            let mut rng = os_rng().map_err(Lost::Failed)?;
            prove_shard(peer, lot, system, shard, &mut rng)
        })
    }
}

impl<Y: Dealt + Send> Worker<VerifierLot<Y>> {
    /// The shard to verify.
    #[must_use]
    pub fn shard(&self) -> usize {
        self.lot.shard()
    }

    /// Listens at `listen` for P's worker of the same lot, verifies `shard`, and brings the coordinator what
    /// comes of it. P hears that this is reached at `host`, or at the address that it listens at.
    ///
    /// # Errors
    /// As [`verify_shard`], and those of the connection to the coordinator.
    pub fn verify<S>(self, system: Y, shard: &S, listen: &Address, host: Option<&str>) -> Result<(), Error>
    where
        S: for<'a> Shard<Y::Ring, Y::Verifier<'a>> + ?Sized,
        for<'a> Y::Verifier<'a>: Boundary<Y::Ring, Y::Mac>,
    {
        let Self { mut coordinator, lot, limits, .. } = self;
        let mut seed = Zeroizing::new([0; 32]);
        os_rng()?.fill_bytes(&mut *seed);
        let config = raw_key_server_config(&seed)?;
        let listener = Listener::bind(listen)?;
        let address = match (listener.address()?, host) {
            (Address::Tcp { port, .. }, Some(host)) => Address::Tcp { host: host.to_owned(), port },
            (address, _) => address,
        };
        let said = format!("{address} {}", to_hex(&raw_public_key(&seed)?));
        if said.len() > MOST_ADDRESS {
            return Err(Error::Split(format!("the address {address} is too long to be told")));
        }
        coordinator.send(tags::WORKER_ADDRESS, said.as_bytes())?;
        coordinator.flush()?;
        Self::bring((coordinator, limits.clone()), Y::SHOWN, move |cancellation| {
            let peer = welcome(listener, config, pass(&lot.token()), &limits, cancellation)?;
            let mut peer = peer;
            peer.renew(limits);
            let mut rng = os_rng().map_err(Lost::Failed)?;
            verify_shard(peer, lot, system, shard, &mut rng)
        })
    }
}

/// Waits for P's worker, which shows this pass, until that is cancelled. Others are turned away, and take no
/// more than the time to connect. Nothing is exposed yet.
fn welcome(
    listener: Listener,
    config: Arc<ServerConfig>,
    expected: [u8; 32],
    limits: &Limits,
    cancellation: &Cancellation,
) -> Result<Framed<Tls<Socket>>, Lost> {
    let (end, short) = (Instant::now() + limits.read, Limits { read: limits.connect, ..limits.clone() });
    let (sender, came) = channel();
    let serve = move |socket, _stranger| {
        let copy = copy(&socket);
        let Ok(tls) = Tls::accept(socket, Arc::clone(&config), &short) else { return };
        let mut peer = Framed::new(tls, short.clone());
        if peer.recv_array::<32>(tags::WORKER_TOKEN).is_ok_and(|shown| shown.ct_eq(&expected).into()) {
            // The first one counts.
            drop(sender.send((peer, copy)));
        }
    };
    let closed = Arc::new(AtomicBool::new(false));
    let keeper = std::thread::Builder::new().spawn({
        let closed = Arc::clone(&closed);
        move || accept_all(&listener, &closed, &Unidentified::default(), serve)
    });
    let result = loop {
        let left = end.saturating_duration_since(Instant::now());
        match came.recv_timeout(left.min(HEARTBEAT)) {
            Ok((peer, socket)) => {
                cancellation.watch(socket);
                break Ok(peer);
            }
            Err(_) if keeper.is_ok() && !left.is_zero() && !cancellation.is_cancelled() => {}
            Err(_) => {
                let error = Error::Split("the other party's worker did not come".into());
                break Err(Lost::Connection { error, exposed: false });
            }
        }
    };
    // The keeper sees it when it next looks, and nobody waits for that.
    closed.store(true, Ordering::Relaxed);
    result
}

/// The address of V's worker and its public key, as V says.
pub(super) fn read_address(text: &str) -> Result<(Address, [u8; 32]), Error> {
    let parts = text.split_once(' ').and_then(|(address, key)| Some((address, from_hex(key)?)));
    let Some((address, key)) = parts else {
        return Err(volery_channel::Error::Closed { step: tags::SPLIT_MEET, mid_frame: false }.into());
    };
    match address.parse()? {
        // A socket file is this machine's: nobody else says which one to open.
        Address::Unix(_) => Err(Error::Split("the other party's worker is at no network address".into())),
        address => Ok((address, key)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// It hears that its coordinator is there, answers what it is asked, and ends when nobody asks any more.
    #[test]
    fn a_worker_that_keeps_its_wires_answers_until_its_coordinator_is_gone() {
        use volery_field::Gf128;

        use crate::session::split::codec::{decode_answer, encode_question};
        use crate::session::split::{Equal, Layout, Question, ShardInfo};

        let info = || ShardInfo { digest: [7; 32], boundary: 3 };
        let equal = vec![Equal { from: (0, 0), to: (1, 0), wires: 3 }];
        let layout = Layout::new(vec![info(), info()], equal).expect("a layout");
        let question = Question::all(&layout, &[1; 2], [5; 24])[0].clone();
        let kept = [Gf128::ONE, Gf128::from_bits(6), Gf128::from_bits(9)];
        let (mut ours, mut theirs) = volery_channel::memory_pair(&Limits::default());
        std::thread::scope(|scope| {
            let worker = scope.spawn(move || answer(&mut theirs, &kept, Some(|mac| *mac), Duration::ZERO));
            ours.send(tags::WORKER_COMBINE, &[]).expect("sent");
            for _ in 0..2 {
                let bytes = encode_question(&question);
                ours.send(tags::WORKER_COMBINE, &bytes).expect("sent");
                ours.flush().expect("sent");
                // It is at work.
                assert!(ours.recv(tags::WORKER_COMBINE, 0).expect("a heartbeat").is_empty());
                let said = ours.recv(tags::WORKER_COMBINE, 1000).expect("an answer").to_vec();
                let said = decode_answer::<Gf128>(&said).expect("an answer");
                let expected = question.answer(&kept, Some(|mac| *mac), &mut || Ok(())).expect("an answer");
                assert!(said.fits(&question) && said.sums[..] == expected.sums[..]);
            }
            drop(ours);
            worker.join().expect("no panic").expect("nobody asks");
        });
    }

    /// A coordinator that says something else, that it gives up, or nothing any more has not hung up.
    #[test]
    fn a_worker_that_keeps_its_wires_says_why_nobody_asks() {
        use volery_channel::Error::{Peer, TimedOut};
        use volery_field::Gf128;

        let said = |say: &dyn Fn(&mut dyn Channel), read: u64| {
            let limits = Limits { read: Duration::from_millis(read), ..Limits::default() };
            let (mut ours, mut theirs) = volery_channel::memory_pair(&limits);
            say(&mut ours);
            answer(&mut theirs, &[Gf128::ONE], None, HEARTBEAT)
        };
        let long = 20_000;
        let other =
            said(&|ours| ours.send(tags::WORKER_ENDED, &[]).and_then(|()| ours.flush()).expect("sent"), long);
        assert!(matches!(other, Err(Error::Channel(_))), "{other:?}");
        let malformed = said(
            &|ours| ours.send(tags::WORKER_COMBINE, &[1]).and_then(|()| ours.flush()).expect("sent"),
            long,
        );
        assert!(matches!(malformed, Err(Error::Split(_))), "{malformed:?}");
        let gives_up = said(&|ours| ours.fail("no more"), long);
        assert!(matches!(gives_up, Err(Error::Channel(Peer { .. }))), "{gives_up:?}");
        let silent = said(&|_| (), 10);
        assert!(matches!(silent, Err(Error::Channel(TimedOut { .. }))), "{silent:?}");
    }

    /// What it may wait for the meeting is not what it waits for a coordinator whose machine is gone.
    #[test]
    fn a_worker_that_keeps_its_wires_does_not_wait_for_a_silent_coordinator_as_long_as_for_the_meeting() {
        use volery_field::{Gf128, Wiped};

        use crate::session::split::{MOST_BROUGHT, Summary};

        let (listener, config, address) = listening();
        let (address, key) = read_address(&address).expect("an address");
        let summary = Summary {
            soundness_bits: 100.0,
            claims: 1,
            commitments: 2,
            correlations: 3,
            bytes_sent: 4,
            bytes_received: 5,
            time: Duration::ZERO,
        };
        let (wires, macs) = (MOST_BROUGHT + 1, Wiped::new(vec![Gf128::ONE; MOST_BROUGHT + 1]));
        let (session, digest) = ([3; 32], [4; 32]);
        let proved = Proved { shard: 0, attempt: 0, session, digest, transcript: None, wires, macs, summary };
        let (sender, is_over) = channel::<()>();
        std::thread::scope(|scope| {
            let coordinator = scope.spawn(move || {
                let socket = loop {
                    if let Some(socket) = listener.accept(Some(Duration::from_secs(1))).expect("accepted") {
                        break socket;
                    }
                };
                let tls = Tls::accept(socket, config, &Limits::default()).expect("met");
                let mut worker = Framed::new(tls, Limits::default());
                assert!(!worker.recv(tags::WORKER_ENDED, 1000).expect("a result").is_empty());
                // It is there, and says nothing.
                is_over.recv_timeout(Duration::from_secs(20)).is_ok()
            });
            let meeting = Limits { read: MEETING, ..Limits::default() };
            let limits = Limits { read: Duration::from_millis(100), ..Limits::default() };
            let ours = connect(&address, &key, &meeting, &Cancellation::default()).expect("connected");
            let brought =
                Worker::<ProverLot<crate::system::Bits>>::bring((ours, limits), None, |_| Ok(proved));
            let _ = sender.send(());
            let silent = matches!(brought, Err(Error::Channel(volery_channel::Error::TimedOut { .. })));
            assert!(silent && coordinator.join().expect("no panic"), "{brought:?}");
        });
    }

    /// Where a worker of V's waits, and its key.
    fn listening() -> (Listener, Arc<ServerConfig>, String) {
        let listener = Listener::bind(&"127.0.0.1:0".parse().expect("an address")).expect("bound");
        let address = listener.address().expect("an address");
        let key = to_hex(&raw_public_key(&[1; 32]).expect("a key"));
        (listener, raw_key_server_config(&[1; 32]).expect("a configuration"), format!("{address} {key}"))
    }

    #[test]
    fn only_who_shows_the_pass_is_welcome_and_the_silent_hold_nobody_up() {
        let (listener, config, address) = listening();
        // Strangers may be silent for longer than P's worker may be late.
        let limits =
            Limits { connect: Duration::from_secs(120), read: Duration::from_secs(20), ..Limits::default() };
        let cancellation = Cancellation::default();
        std::thread::scope(|scope| {
            let welcome = scope.spawn(|| welcome(listener, config, pass(&[7; 16]), &limits, &cancellation));
            let network = read_address(&address).expect("an address").0;
            let _silent = volery_channel::connect(&network, &limits).expect("connected");
            let shows = |token| show_pass(&address, &pass(&[token; 16]), &limits, &Cancellation::default());
            let mut wrong = shows(8).expect("sent");
            // It hears nothing, and the next one is heard.
            assert!(wrong.recv(tags::HELLO, 100).is_err());
            let mut right = shows(7).expect("sent");
            let mut peer = welcome.join().expect("no panic").expect("P's worker");
            peer.send(tags::GOODBYE, &[]).expect("sent");
            peer.flush().expect("sent");
            assert_eq!(right.recv(tags::GOODBYE, 0).expect("from V's worker"), &[] as &[u8]);
        });
    }

    #[test]
    fn a_worker_on_a_leash_that_is_cut_waits_for_nobody() {
        let limits = Limits { read: Duration::from_secs(3600), ..Limits::default() };
        // While it waits.
        let (listener, config, address) = listening();
        let cancellation = Cancellation::default();
        cancellation.cancel();
        let waited = welcome(listener, config, pass(&[7; 16]), &limits, &cancellation);
        assert!(matches!(waited.map(drop), Err(Lost::Connection { exposed: false, .. })));
        assert!(show_pass(&address, &pass(&[7; 16]), &limits, &cancellation).is_err());
        // And at work.
        let (listener, config, address) = listening();
        let (ours, theirs) = (Cancellation::default(), Cancellation::default());
        std::thread::scope(|scope| {
            let welcome = scope.spawn(|| welcome(listener, config, pass(&[7; 16]), &limits, &theirs));
            let mut right = show_pass(&address, &pass(&[7; 16]), &limits, &ours).expect("sent");
            let mut peer = welcome.join().expect("no panic").expect("P's worker");
            let waits = scope.spawn(move || peer.recv(tags::HELLO, 100).map(drop));
            theirs.cancel();
            assert!(waits.join().expect("no panic").is_err());
            assert!(right.recv(tags::HELLO, 100).is_err());
        });
    }

    /// Of an address that V names, only what is on the network is connected to, and nothing else is opened.
    #[test]
    fn an_address_that_v_names_is_on_the_network() {
        let key = to_hex(&[3; 32]);
        assert!(read_address(&format!("127.0.0.1:1 {key}")).is_ok());
        for wrong in ["", "127.0.0.1:1", "127.0.0.1:1 00", &format!("unix:/run/x {key}"), &format!(" {key}")]
        {
            assert!(read_address(wrong).is_err(), "{wrong}");
        }
    }
}
