//! The coordinator's side: hands a lot and a job to each worker that comes for them.

mod attend;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rand_core::Rng as _;
use volery_channel::tls::{raw_key_server_config, raw_public_key};
use volery_channel::{Address, Channel, Limits, Listener, Stats};
use volery_field::Ring;
use zeroize::Zeroizing;

use super::accept::{Unidentified, accept_all};
use super::invitation::Invitation;
use super::work::{Cancellation, pass, read_address, show_pass};
use super::{LotOf, MOST_JOB};
use crate::session::split::codec::{
    MOST_ANSWER, MOST_QUESTION, MOST_RESULT, answer_len, decode_answer, decode_result, encode_question,
};
use crate::session::split::workers::Reporter;
use crate::session::split::{Answered, Ended, Lost, Question, Workers};
use crate::{Error, os_rng};
use attend::serve;

/// What bounds the waits of a [`LotServer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// How long a worker that was launched may take to come; 60 s. One that does not is lost, and its lot
    /// with it.
    pub arrive: Duration,
    /// How long a worker may say nothing; 30 s. At work it says so every few seconds.
    pub silence: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self { arrive: Duration::from_secs(60), silence: Duration::from_secs(30) }
    }
}

/// Starts a worker for a shard, which gets this invitation.
type Launch<'a> = dyn FnMut(usize, &Invitation) -> Result<(), Error> + 'a;
/// What the worker of a shard is told besides its lot.
type Job<'a> = dyn FnMut(usize) -> Result<Zeroizing<Vec<u8>>, Error> + 'a;

/// A coordinator's workers, each a process of its own that comes with an [`Invitation`].
///
/// Workers of shards with more than [`MOST_BROUGHT`](crate::split::MOST_BROUGHT) boundary wires stay until
/// the join, and so all at once. With fewer places than those, workers that wait for a place do not come in
/// [`Times::arrive`], and are lost.
pub struct LotServer<'a, L, M: Copy + Default> {
    shared: Arc<Shared>,
    launch: Box<Launch<'a>>,
    job: Box<Job<'a>>,
    address: Address,
    key: [u8; 32],
    times: Times,
    ended: Receiver<Ended<M>>,
    sender: Sender<Ended<M>>,
    answered: Receiver<Answered<M>>,
    answers: Sender<Answered<M>>,
    /// By shard: what is known of the worker that was started last.
    started: HashMap<usize, Started>,
    accepting: Option<JoinHandle<()>>,
    /// The hosts at which P's workers meet V's; without any, wherever V says.
    meets: Vec<String>,
    lots: core::marker::PhantomData<fn(L)>,
}

/// A wait that ends when something's time is over goes on for this long, so that it is over for certain.
const SLACK: Duration = Duration::from_millis(10);

/// A worker that was launched.
struct Started {
    /// The name of its invitation.
    name: [u8; 32],
    since: Instant,
    /// Where V's worker says that it is reached.
    address: Receiver<String>,
    /// Where P's worker hears that.
    reach: Sender<String>,
    /// Where it is asked about the boundary wires that it keeps. A worker that cannot be asked any more goes.
    ask: Sender<Asked>,
}

/// What a worker is asked.
struct Asked {
    question: Vec<u8>,
    /// The bytes of the answer.
    answer: usize,
}

/// What a worker answered, or why it does not.
type Reply<'a> = Result<&'a [u8], String>;
/// Tells a coordinator that.
type Answer = dyn Fn(Reply<'_>) + Send;

/// What a worker gets when it comes.
struct Expected {
    lot: Zeroizing<Vec<u8>>,
    job: Zeroizing<Vec<u8>>,
    address: Sender<String>,
    rendezvous: Rendezvous,
    /// Tells what becomes of the worker, and whether it has brought its proof and kept its boundary wires.
    report: Box<dyn FnOnce(WorkerEnd) -> bool + Send>,
    asked: Receiver<Asked>,
    /// Tells what it answers, or why it does not.
    answer: Box<Answer>,
}

/// Where P's worker is to meet V's: nothing is ever told of that at V.
struct Rendezvous {
    told: Receiver<String>,
    /// What V's worker wants to see.
    pass: [u8; 32],
}

impl Rendezvous {
    /// Waits to be told where V's worker is, or until the session is over or goes on without this worker.
    fn place(&self, shared: &Shared) -> Option<String> {
        loop {
            match self.told.recv_timeout(Duration::from_secs(1)) {
                Ok(address) => return Some(address),
                Err(RecvTimeoutError::Timeout) if !shared.is_closed() => {}
                Err(_) => return None,
            }
        }
    }

    /// Tells V's worker, which is at `place` or where this is yet to be told, that nobody comes: it sees the
    /// pass, and that the connection is closed. Without that it would wait until its time is over.
    fn call_off(&self, place: Option<String>, shared: &Shared) {
        let Some(address) = place.or_else(|| self.place(shared)) else { return };
        // It may have met the worker before that was gone, and then nobody listens there.
        let _ = show_pass(&address, &self.pass, &Limits::default(), &Cancellation::default());
    }
}

/// Strikes off workers of a [`LotServer`] that will not come: whatever started one knows that it is dead.
#[derive(Clone)]
pub struct DeadWorkers(Arc<Shared>);

impl DeadWorkers {
    /// Nobody will come with this invitation, so its worker is lost now, and not when its time to come is
    /// over. Nothing happens if somebody has come with it, or if it is of another lot server.
    pub fn add(&self, invitation: &Invitation) {
        strike_off(&self.0, &name(&invitation.token));
    }
}

/// Strikes off a worker, unless it has come. Its lot has never left, so nothing is exposed.
fn strike_off(shared: &Arc<Shared>, name: &[u8; 32]) {
    let absent = shared.expected().remove(name);
    if let Some(Expected { report, rendezvous, .. }) = absent {
        report(WorkerEnd::Absent);
        let shared = Arc::clone(shared);
        // Without a thread for it, V's worker waits until its time is over.
        let _ = std::thread::Builder::new().spawn(move || rendezvous.call_off(None, &shared));
    }
}

/// How a worker ended.
enum WorkerEnd {
    Result(Zeroizing<Vec<u8>>),
    Gone(String),
    /// It did not come, and its lot has never left.
    Absent,
}

/// What the coordinator and the thread that accepts connections share.
struct Shared {
    /// By the hash of the token, so that looking one up tells nothing about another.
    expected: Mutex<HashMap<[u8; 32], Expected>>,
    closed: AtomicBool,
    /// Bytes that went to workers, and that came from them.
    traffic: [AtomicU64; 2],
}

impl Shared {
    fn expected(&self) -> MutexGuard<'_, HashMap<[u8; 32], Expected>> {
        self.expected.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Counts what has gone over a worker's connection since it had these statistics.
    fn count(&self, before: Stats, channel: &dyn Channel) {
        let now = channel.stats();
        let since = [now.bytes_sent - before.bytes_sent, now.bytes_received - before.bytes_received];
        for (sum, bytes) in self.traffic.iter().zip(since) {
            sum.fetch_add(bytes, Ordering::Relaxed);
        }
    }
}

/// The name of a token.
fn name(token: &[u8; 32]) -> [u8; 32] {
    blake3::derive_key("volery 2026 split: a worker's token v1", token)
}

impl<'a, L: LotOf, M: Ring> LotServer<'a, L, M> {
    /// Listens at `address`. Workers are told `reached_at`, the address as they see it; by default it is the
    /// one that this listens at. `launch` starts a worker for a shard with this invitation, and `job` says
    /// what it is told besides its lot: a statement's description, a witness.
    ///
    /// # Errors
    /// Why it cannot listen there.
    pub fn open(
        address: &Address,
        reached_at: Option<Address>,
        times: Times,
        launch: impl FnMut(usize, &Invitation) -> Result<(), Error> + 'a,
        job: impl FnMut(usize) -> Result<Zeroizing<Vec<u8>>, Error> + 'a,
    ) -> Result<Self, Error> {
        let mut seed = Zeroizing::new([0; 32]);
        os_rng()?.fill_bytes(&mut *seed);
        let (config, key) = (raw_key_server_config(&seed)?, raw_public_key(&seed)?);
        let listener = Listener::bind(address)?;
        let address = match reached_at {
            Some(address) => address,
            None => listener.address()?,
        };
        let shared = Arc::new(Shared {
            expected: Mutex::default(),
            closed: AtomicBool::new(false),
            traffic: [const { AtomicU64::new(0) }; 2],
        });
        // Jobs and results may be longer than what a peer may send. The first message of a connection is a
        // token, and no longer one is read.
        let max_frame = MOST_JOB.max(MOST_RESULT).max(MOST_QUESTION).max(MOST_ANSWER);
        let limits =
            Limits { read: times.silence, connect: Duration::from_secs(10), max_frame, ..Limits::default() };
        let accepting = std::thread::spawn({
            let shared = Arc::clone(&shared);
            let own = Arc::clone(&shared);
            let serve = move |socket, unidentified| serve(socket, &config, &limits, &own, unidentified);
            move || accept_all(&listener, &shared.closed, &Arc::new(()), serve)
        });
        let (sender, ended) = channel();
        let (answers, answered) = channel();
        Ok(Self {
            shared,
            launch: Box::new(launch),
            job: Box::new(job),
            address,
            key,
            times,
            ended,
            sender,
            answered,
            answers,
            started: HashMap::new(),
            accepting: Some(accepting),
            meets: Vec::new(),
            lots: core::marker::PhantomData,
        })
    }

    /// At P: has workers meet V's at these hosts only, names or addresses as V says them. V says where its
    /// workers are, so without this it can have P's workers connect to any port that they reach. (They say
    /// nothing there until the other end has shown the key that V names.)
    #[must_use]
    pub fn meeting_at(mut self, hosts: Vec<String>) -> Self {
        self.meets = hosts;
        self
    }

    /// Bytes that went to workers and that came from them, until they had brought their results, and for
    /// questions and answers.
    #[must_use]
    pub fn traffic(&self) -> [u64; 2] {
        [0, 1].map(|way| self.shared.traffic[way].load(Ordering::Relaxed))
    }

    /// Refuses a place at which P's workers are not to meet V's. An empty one is that of a worker which is
    /// lost before it listens.
    fn may_meet(&self, shard: usize, place: &str) -> Result<(), Error> {
        if self.meets.is_empty() || place.is_empty() {
            return Ok(());
        }
        match read_address(place)?.0 {
            Address::Tcp { host, .. } if self.meets.contains(&host) => Ok(()),
            other => Err(Error::Split(format!(
                "the other party's worker of shard {shard} is said to be at {other}, and none is to be met there: \
                 allow that host if it is theirs"
            ))),
        }
    }

    /// Something that strikes off workers that are known not to come.
    #[must_use]
    pub fn dead_workers(&self) -> DeadWorkers {
        DeadWorkers(Arc::clone(&self.shared))
    }

    /// Strikes off workers that did not come in time.
    fn strike_off(&mut self) {
        for started in self.started.values() {
            if started.since.elapsed() >= self.times.arrive {
                strike_off(&self.shared, &started.name);
            }
        }
    }
}

impl<L: LotOf, M: Ring> Workers<L, M> for LotServer<'_, L, M> {
    fn start(&mut self, lot: L) -> Result<(), Error> {
        let (shard, attempt) = (lot.shard(), lot.attempt());
        let mut token = Zeroizing::new([0; 32]);
        os_rng()?.fill_bytes(&mut *token);
        let name = name(&token);
        let (to_us, address) = channel();
        let (reach, to_worker) = channel();
        let (ask, asked) = channel();
        let reporter = Reporter::new(self.sender.clone(), shard, attempt);
        let report = move |end| {
            let result = match end {
                WorkerEnd::Result(bytes) => {
                    decode_result(&bytes).unwrap_or_else(|error| Err(Lost::Failed(error)))
                }
                WorkerEnd::Gone(reason) => Err(Lost::Gone(reason)),
                WorkerEnd::Absent => {
                    let error = Error::Split(format!("the worker of shard {shard} did not come"));
                    Err(Lost::Connection { error, exposed: false })
                }
            };
            let is_kept = matches!(&result, Ok(proved) if proved.is_kept());
            reporter.report(result);
            is_kept
        };
        let answers = self.answers.clone();
        let answer = move |reply: Reply<'_>| {
            let result =
                reply.map_err(Lost::Gone).and_then(|bytes| decode_answer(bytes).map_err(Lost::Failed));
            // A coordinator that is gone wants nothing.
            let _ = answers.send(Answered { shard, attempt, result });
        };
        let expected = Expected {
            lot: lot.encode(),
            job: (self.job)(shard)?,
            address: to_us,
            rendezvous: Rendezvous { told: to_worker, pass: pass(&lot.token()) },
            report: Box::new(report),
            asked,
            answer: Box::new(answer),
        };
        self.shared.expected().insert(name, expected);
        self.started.insert(shard, Started { name, since: Instant::now(), address, reach, ask });
        let invitation = Invitation { address: self.address.clone(), key: self.key, token };
        (self.launch)(shard, &invitation)
    }

    fn address(&mut self, shard: usize, patience: Duration) -> Result<Option<String>, Error> {
        self.strike_off();
        let Some(started) = self.started.get(&shard) else { return Ok(Some(String::new())) };
        let left = self.times.arrive.saturating_sub(started.since.elapsed());
        match started.address.recv_timeout(patience.min(left + SLACK)) {
            Ok(address) => Ok(Some(address)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            // A worker that did not come, or is gone before it listens, is lost, and that is said elsewhere.
            Err(RecvTimeoutError::Disconnected) => Ok(Some(String::new())),
        }
    }

    fn reach(&mut self, shard: usize, address: &str) -> Result<(), Error> {
        self.may_meet(shard, address)?;
        if let Some(started) = self.started.get(&shard) {
            // A worker that is gone says so elsewhere.
            let _ = started.reach.send(address.to_owned());
        }
        Ok(())
    }

    fn wait(&mut self, patience: Duration) -> Result<Option<Ended<M>>, Error> {
        self.strike_off();
        let left = |started: &Started| self.times.arrive.saturating_sub(started.since.elapsed());
        let left = self.started.values().map(left).filter(|left| !left.is_zero()).min();
        match self.ended.recv_timeout(left.map_or(patience, |left| patience.min(left + SLACK))) {
            Ok(ended) => Ok(Some(ended)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(Error::Split("the lot server has stopped".into())),
        }
    }

    fn ask(&mut self, question: &Question) -> Result<(), Error> {
        let asked = Asked { question: encode_question(question), answer: answer_len::<M>(question) };
        let started = self.started.get(&question.shard());
        match started.map(|started| started.ask.send(asked)) {
            Some(Ok(())) => {}
            // Nobody serves that worker any more.
            _ => {
                let (shard, attempt) = (question.shard(), question.attempt());
                let result = Err(Lost::Gone("it went before it was asked".into()));
                let _ = self.answers.send(Answered { shard, attempt, result });
            }
        }
        Ok(())
    }

    fn answered(&mut self, patience: Duration) -> Result<Option<Answered<M>>, Error> {
        match self.answered.recv_timeout(patience) {
            Ok(answered) => Ok(Some(answered)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(Error::Split("the lot server has stopped".into())),
        }
    }

    fn stop(&mut self) {
        self.shared.closed.store(true, Ordering::Relaxed);
        self.shared.expected().clear();
    }
}

impl<L, M: Copy + Default> Drop for LotServer<'_, L, M> {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::Relaxed);
        self.shared.expected().clear();
        // Nobody is asked any more, so workers that keep their boundary wires end.
        self.started.clear();
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
    }
}
