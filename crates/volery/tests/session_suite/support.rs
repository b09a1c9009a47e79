//! Two parties on two threads, and a channel that records what its party sends and changes one message.

use std::time::Duration;

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng as _;
use volery::statements::AndChain;
use volery::system::{Bits, Provable};
use volery::{Error, Limits, Options, Profile, Prover, Report, Verifier, Zeroizing};
use volery_channel::{Channel, Error as ChannelError, Framed, Stats, Tag, memory_pair, transport::Memory};
use volery_circuit::{Digest, Prove, Statement};
use volery_field::F2;

pub(crate) type Link = Framed<Memory>;

/// A generator for a party of a test.
pub(crate) fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

/// Options by what they differ in.
pub(crate) fn options(fiat_shamir: bool, threads: usize) -> Options {
    Options { profile: Profile::Lan, fiat_shamir, threads }
}

/// Longer than a busy machine takes for any step of these tests.
pub(crate) fn patient() -> Limits {
    Limits { read: Duration::from_secs(30), write: Duration::from_secs(30), ..Limits::default() }
}

/// Runs both parties; each one's end is closed when it returns.
pub(crate) fn between<P: Send, V: Send>(
    limits: &Limits,
    prover: impl FnOnce(Link) -> P + Send,
    verifier: impl FnOnce(Link) -> V + Send,
) -> (P, V) {
    let (mut p, mut v) = (None, None);
    in_two_threads(
        limits,
        Box::new(|link| p = Some(prover(link))),
        Box::new(|link| v = Some(verifier(link))),
    );
    (p.expect("P is done"), v.expect("V is done"))
}

/// What a party does with its end.
type Party<'a> = Box<dyn FnOnce(Link) + Send + 'a>;

/// Runs both parties. What it does is compiled once, and not for each pair of closures.
fn in_two_threads(limits: &Limits, prover: Party<'_>, verifier: Party<'_>) {
    let (p, v) = memory_pair(limits);
    std::thread::scope(|scope| {
        let prover = scope.spawn(move || prover(p));
        let verifier = scope.spawn(move || verifier(v));
        prover.join().expect("no panic");
        verifier.join().expect("no panic");
    });
}

/// A P that proves `claims` one after another.
pub(crate) fn prove(
    channel: impl Channel,
    options: Options,
    seed: u64,
    claims: &[&dyn Provable<Bits>],
) -> Result<Vec<Report>, Error> {
    let mut rng = rng(seed);
    let mut prover = Prover::start(channel, options, &mut rng)?;
    claims.iter().map(|claim| prover.prove(Bits, *claim, &mut rng)).collect()
}

/// A V that verifies `claims` one after another.
pub(crate) fn verify(
    channel: impl Channel,
    options: Options,
    seed: u64,
    claims: &[&dyn Provable<Bits>],
) -> Result<Vec<Report>, Error> {
    let mut rng = rng(seed);
    let mut verifier = Verifier::start(channel, options, &mut rng)?;
    claims.iter().map(|claim| verifier.verify(Bits, *claim, &mut rng)).collect()
}

/// "I know two bits whose product is this one."
pub(crate) struct Product {
    pub(crate) result: bool,
    pub(crate) witness: Option<[bool; 2]>,
}

impl<B: Prove<F2> + ?Sized> Statement<B> for Product {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"product").number("result", self.result.into());
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        let wires = backend.secret(2, &mut |_| {
            let witness =
                self.witness.ok_or_else(|| volery_circuit::Error::Witness("none was given".into()))?;
            Ok(witness.map(F2::new).to_vec())
        })?;
        let product = backend.mul(&wires[0], &wires[1])?;
        let difference = backend.add_constant(&product, F2::new(self.result));
        backend.assert_zero(&[difference])
    }
}

/// A chain that takes the first stage's correlations and then some of a Ferret round's.
pub(crate) fn two_stages() -> AndChain {
    AndChain::new(160_000)
}

/// FIPS 197, appendix C.1.
pub(crate) fn aes128() -> volery::statements::Aes128Key {
    let plaintext = 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff_u128.to_be_bytes();
    let ciphertext = 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a_u128.to_be_bytes();
    volery::statements::Aes128Key::new(plaintext, ciphertext)
        .with_key(Zeroizing::new((0..16).collect()))
        .expect("16 bytes")
}

/// What is done to one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// This bit is flipped, counted modulo the message's bits.
    Flip(usize),
    /// Every byte is replaced by this one.
    Fill(u8),
    /// The last byte is cut off.
    Truncate,
    /// One zero byte is appended.
    Extend,
    /// It is not sent.
    Drop,
    /// It is sent twice.
    Duplicate,
}

/// A channel that records what its party sends and changes message number `at`.
pub(crate) struct Tap<'t, C> {
    pub(crate) inner: C,
    pub(crate) change: Option<(usize, Change)>,
    pub(crate) sent: &'t mut Vec<(Tag, Vec<u8>)>,
}

impl<C: Channel> Channel for Tap<'_, C> {
    fn send(&mut self, tag: Tag, payload: &[u8]) -> Result<(), ChannelError> {
        let number = self.sent.len();
        self.sent.push((tag, payload.to_vec()));
        let Some((_, change)) = self.change.filter(|(at, _)| *at == number) else {
            return self.inner.send(tag, payload);
        };
        let mut payload = payload.to_vec();
        match change {
            Change::Flip(bit) => {
                let bit = bit % (8 * payload.len().max(1));
                if let Some(byte) = payload.get_mut(bit / 8) {
                    *byte ^= 1 << (bit % 8);
                }
            }
            Change::Fill(byte) => payload.fill(byte),
            Change::Truncate => drop(payload.pop()),
            Change::Extend => payload.push(0),
            Change::Drop => return Ok(()),
            Change::Duplicate => self.inner.send(tag, &payload)?,
        }
        self.inner.send(tag, &payload)
    }

    fn recv(&mut self, tag: Tag, max: usize) -> Result<&[u8], ChannelError> {
        self.inner.recv(tag, max)
    }

    fn recv_exact(&mut self, tag: Tag, out: &mut [u8]) -> Result<(), ChannelError> {
        self.inner.recv_exact(tag, out)
    }

    fn recv_into(&mut self, tag: Tag, max: usize, out: &mut Vec<u8>) -> Result<(), ChannelError> {
        self.inner.recv_into(tag, max, out)
    }

    fn flush(&mut self) -> Result<(), ChannelError> {
        self.inner.flush()
    }

    fn fail(&mut self, reason: &str) {
        self.inner.fail(reason);
    }

    fn stats(&self) -> Stats {
        self.inner.stats()
    }

    fn binding(&self) -> Option<[u8; 32]> {
        self.inner.binding()
    }
}

/// How a session went in which one message may have been changed.
pub(crate) struct Outcome {
    pub(crate) prover: Result<Vec<Report>, Error>,
    pub(crate) verifier: Result<Vec<Report>, Error>,
    /// What P and V sent, as they meant it.
    pub(crate) sent: [Vec<(Tag, Vec<u8>)>; 2],
}

/// Who sent a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sender {
    Prover,
    Verifier,
}

/// A session with these seeds in which message `change.1` of `change.0` is changed.
pub(crate) fn tapped(
    limits: &Limits,
    options: [Options; 2],
    claims: &[&dyn Provable<Bits>],
    change: Option<(Sender, usize, Change)>,
) -> Outcome {
    let of = |party| change.filter(|(sender, ..)| *sender == party).map(|(_, at, change)| (at, change));
    let (mut from_p, mut from_v) = (Vec::new(), Vec::new());
    let (prover, verifier) = between(
        limits,
        |p| prove(Tap { inner: p, change: of(Sender::Prover), sent: &mut from_p }, options[0], 1, claims),
        |v| verify(Tap { inner: v, change: of(Sender::Verifier), sent: &mut from_v }, options[1], 2, claims),
    );
    Outcome { prover, verifier, sent: [from_p, from_v] }
}
