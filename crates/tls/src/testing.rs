//! Two parties in two threads with real correlations, and a channel that changes what its party sends.

use std::thread;

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use volery_channel::{Channel, Error as ChannelError, Limits, Stats, Tag, memory_pair, tags};
use volery_field::Gf128;
use volery_vole::cot::{ProverParty, VerifierParty};
use volery_vole::ole::{OleField, Receiver, Sender};
use volery_vole::softspoken::{self, FieldBits};
use volery_vole::supply::{Chain, Correlations, Profile, Stock, Supply};
use volery_vole::{Delta, SessionId};

pub(crate) const SESSION: SessionId = SessionId::new([8; 32]);

/// Changes a message before it leaves.
pub(crate) type Change = fn(Tag, &mut Vec<u8>);

/// Leaves all messages as they are.
pub(crate) fn untouched(_: Tag, _: &mut Vec<u8>) {}

/// A channel whose sent payloads pass through `change`.
pub(crate) struct Tap<C, T = Change> {
    inner: C,
    change: T,
}

impl<C, T> Tap<C, T> {
    pub(crate) fn new(inner: C, change: T) -> Self {
        Self { inner, change }
    }
}

impl<C: Channel, T: FnMut(Tag, &mut Vec<u8>)> Channel for Tap<C, T> {
    fn send(&mut self, tag: Tag, payload: &[u8]) -> Result<(), ChannelError> {
        let mut payload = payload.to_vec();
        (self.change)(tag, &mut payload);
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

/// What `prover` and `verifier` return when they run against each other with `n` products prepared; see
/// [`prepared_parties`].
pub(crate) fn two_parties<F: OleField, A: Send, B: Send>(
    n: usize,
    seed: u64,
    changes: [impl FnMut(Tag, &mut Vec<u8>) + Send; 2],
    prover: impl FnOnce(&mut dyn Channel, &mut Sender<F>, &mut ChaCha20Rng) -> A + Send,
    verifier: impl FnOnce(&mut dyn Channel, &mut Receiver<F>, &mut ChaCha20Rng) -> B + Send,
) -> (A, B) {
    let sender = |channel: &mut dyn Channel, delta, stock: &mut Stock, rng: &mut ChaCha20Rng| {
        let mut products = Sender::new(&SESSION, delta);
        products.prepare(channel, stock, n, rng).unwrap();
        products
    };
    let receiver = |channel: &mut dyn Channel, stock: &mut Stock, rng: &mut ChaCha20Rng| {
        let mut products = Receiver::new(&SESSION);
        products.prepare(channel, stock, n, rng).unwrap();
        products
    };
    prepared_parties(seed, changes, (sender, receiver), prover, verifier)
}

/// What `prover` and `verifier` return when they run against each other with what `prepare` has made at each.
/// `changes` apply to P's and V's messages, those of the preparation excepted. Each party's generator starts
/// from `seed`, so equal draws are equal.
pub(crate) fn prepared_parties<P, V, A: Send, B: Send>(
    seed: u64,
    changes: [impl FnMut(Tag, &mut Vec<u8>) + Send; 2],
    prepare: (
        impl FnOnce(&mut dyn Channel, Delta, &mut Stock, &mut ChaCha20Rng) -> P + Send,
        impl FnOnce(&mut dyn Channel, &mut Stock, &mut ChaCha20Rng) -> V + Send,
    ),
    prover: impl FnOnce(&mut dyn Channel, &mut P, &mut ChaCha20Rng) -> A + Send,
    verifier: impl FnOnce(&mut dyn Channel, &mut V, &mut ChaCha20Rng) -> B + Send,
) -> (A, B) {
    let (p_prepare, v_prepare) = prepare;
    let (mut p, mut v) = memory_pair(&Limits::default());
    let [p_change, v_change] = changes;
    thread::scope(|scope| {
        let p = scope.spawn(move || {
            let rng = &mut ChaCha20Rng::seed_from_u64(101);
            let delta = Delta::random(rng);
            let extension =
                softspoken::Sender::setup(&mut p, &SESSION, FieldBits::Eight, delta.duplicate(), rng)
                    .unwrap();
            let party = VerifierParty::new(SESSION, extension, delta.duplicate(), rng);
            let mut stock = Stock::new(Box::new(Supply::new(party, Profile::Lan.plan(), None)));
            let mut products = p_prepare(&mut p, delta, &mut stock, rng);
            let mut channel = Tap { inner: p, change: p_change };
            let result = prover(&mut channel, &mut products, &mut ChaCha20Rng::seed_from_u64(seed));
            let _ = channel.flush();
            result
        });
        let v = scope.spawn(move || {
            let rng = &mut ChaCha20Rng::seed_from_u64(102);
            let extension = softspoken::Receiver::setup(&mut v, &SESSION, FieldBits::Eight, rng).unwrap();
            let party = ProverParty::new(SESSION, extension, rng);
            let mut stock = Stock::new(Box::new(Supply::new(party, Profile::Lan.plan(), None)));
            let mut products = v_prepare(&mut v, &mut stock, rng);
            let mut channel = Tap { inner: v, change: v_change };
            let result = verifier(&mut channel, &mut products, &mut ChaCha20Rng::seed_from_u64(seed));
            let _ = channel.flush();
            result
        });
        (p.join().unwrap(), v.join().unwrap())
    })
}

/// P's random tags, and V's keys for them with its delta.
pub(crate) fn tags(
    channel: &mut dyn Channel,
    session: SessionId,
    rng: &mut ChaCha20Rng,
) -> Result<Stock, volery_vole::Error> {
    let extension = softspoken::Receiver::setup(channel, &session, FieldBits::Eight, rng)?;
    let party = ProverParty::new(session, extension, rng);
    Ok(Stock::new(Box::new(Supply::new(party, Profile::Lan.plan(), None))))
}

/// V's side of [`tags`].
pub(crate) fn keys(
    channel: &mut dyn Channel,
    session: SessionId,
    rng: &mut ChaCha20Rng,
) -> Result<(Delta, Stock), volery_vole::Error> {
    let delta = Delta::random(rng);
    let extension = softspoken::Sender::setup(channel, &session, FieldBits::Eight, delta.duplicate(), rng)?;
    let party = VerifierParty::new(session, extension, delta.duplicate(), rng);
    Ok((delta, Stock::new(Box::new(Supply::new(party, Profile::Lan.plan(), None)))))
}

/// Correlations from nowhere, for a party whose peer is not honest anyway.
struct Nothing;

impl Correlations for Nothing {
    fn refill(&mut self, _: &mut dyn Channel, out: &mut Vec<Gf128>) -> Result<(), volery_vole::Error> {
        out.resize(1 << 12, Gf128::ONE);
        Ok(())
    }

    fn may_wait(&self) -> bool {
        false
    }

    fn chain(&mut self, _channel: &mut dyn Channel, _taken: u64) -> Result<Chain, volery_vole::Error> {
        Ok(Chain::from_bytes([0xd7; 32]))
    }
}

/// A stock of [`Nothing`].
pub(crate) fn worthless() -> Stock {
    Stock::new(Box::new(Nothing))
}

/// A channel to a peer that has sent these messages whatever it hears, and the peer.
pub(crate) fn scripted(messages: &[(Tag, Vec<u8>)]) -> (impl Channel + use<>, impl Channel + use<>) {
    let (channel, mut peer) = memory_pair(&Limits::default());
    for (tag, payload) in messages {
        peer.send(*tag, payload).unwrap();
    }
    // Any step is surprised by this one, so nobody waits.
    peer.send(tags::TEST, &[]).unwrap();
    peer.flush().unwrap();
    (channel, peer)
}

/// The bytes that `digits` stand for.
pub(crate) fn hex(digits: &str) -> Vec<u8> {
    let digit = |i: usize| u8::from_str_radix(&digits[i..i + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(digit).collect()
}
