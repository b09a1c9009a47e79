//! The attacker: two streams, passed on frame by frame, with at most one fault.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng as _, SeedableRng as _};
use volery_channel::tags;

use crate::faults::{End, Fault, Outcome};

/// The receiver of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    ToVerifier,
    ToProver,
}

/// What the attacker does.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Plan {
    pub(crate) fault: Option<(Direction, Fault)>,
    /// The digests of the prover's and of the verifier's statement, to exchange for each other in `Begin`.
    pub(crate) rename: Option<[[u8; 32]; 2]>,
    /// Passes bytes on in small pieces, chosen by this seed.
    pub(crate) pieces: Option<u64>,
}

/// The bytes in one direction.
#[derive(Default)]
pub(crate) struct Trace {
    /// The bytes that the sender sent, with names exchanged.
    pub(crate) sent: Vec<u8>,
    /// The bytes that were passed on.
    pub(crate) delivered: Vec<u8>,
}

impl Trace {
    /// Whether all bytes were passed on unchanged.
    pub(crate) fn is_faithful(&self) -> bool {
        self.sent == self.delivered
    }
}

impl std::fmt::Debug for Trace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let same = self.sent.iter().zip(&self.delivered).take_while(|(a, b)| a == b).count();
        write!(f, "{} sent, {} delivered, {same} equal", self.sent.len(), self.delivered.len())
    }
}

/// Waits for a prover at `listener`, connects it to the verifier at `port`, and passes bytes on until both
/// have gone.
pub(crate) fn start(listener: TcpListener, port: u16, plan: Plan) -> JoinHandle<[Trace; 2]> {
    thread::spawn(move || {
        let (prover, _) = listener.accept().expect("the prover connects");
        let verifier = TcpStream::connect(("127.0.0.1", port)).expect("the verifier listens");
        for stream in [&prover, &verifier] {
            stream.set_nodelay(true).expect("a TCP socket");
        }
        let pump = |from: &TcpStream, to: &TcpStream, direction| {
            let (from, to) = (from.try_clone().expect("a socket"), to.try_clone().expect("a socket"));
            let pump = Pump { plan, direction, trace: Trace::default() };
            thread::spawn(move || pump.run(from, to))
        };
        let there = pump(&prover, &verifier, Direction::ToVerifier);
        let back = pump(&verifier, &prover, Direction::ToProver);
        [there, back].map(|pump| pump.join().expect("a pump"))
    })
}

struct Pump {
    plan: Plan,
    direction: Direction,
    trace: Trace,
}

impl Pump {
    fn run(mut self, mut from: TcpStream, mut to: TcpStream) -> Trace {
        let fault = self.plan.fault.filter(|(direction, _)| *direction == self.direction);
        let mut end = None;
        while let Ok(Some(frame)) = self.next_frame(&mut from) {
            let before = self.trace.sent.len();
            self.trace.sent.extend_from_slice(&frame);
            if end.is_some() {
                continue;
            }
            let outcome = fault
                .map_or_else(|| Outcome::faithful(&frame), |(_, fault)| Outcome::of(&frame, before, &fault));
            if self.deliver(&mut to, &outcome).is_err() {
                // The receiver has closed. The sender's bytes are still read, so that it ends for its own
                // reasons.
                end = Some(End::Silence);
            }
            if outcome.end == Some(End::Cut) {
                // An error means that it is closed already.
                let _ = to.shutdown(Shutdown::Write);
            }
            end = end.or(outcome.end);
        }
        if end != Some(End::Silence) {
            let _ = to.shutdown(Shutdown::Write);
        }
        self.trace
    }

    /// Reads the next frame and exchanges its name; `None` at the end of the stream. A frame that is cut
    /// short counts as one.
    fn next_frame(&self, from: &mut TcpStream) -> io::Result<Option<Vec<u8>>> {
        let mut frame = Vec::new();
        from.take(5).read_to_end(&mut frame)?;
        let Some((&[tag, ref length @ ..], [])) = frame.split_first_chunk::<5>() else {
            return Ok((!frame.is_empty()).then_some(frame));
        };
        from.take(u32::from_le_bytes(*length).into()).read_to_end(&mut frame)?;
        if let (Some(names), Some(digest)) = (self.plan.rename, frame.get_mut(5..37))
            && tag == tags::BEGIN.byte()
            && let Some(own) = names.iter().position(|name| digest == name)
        {
            digest.copy_from_slice(&names[1 - own]);
        }
        Ok(Some(frame))
    }

    fn deliver(&mut self, to: &mut TcpStream, outcome: &Outcome) -> io::Result<()> {
        let (first, second) = outcome.bytes.split_at(outcome.pause.map_or(0, |(at, _)| at));
        self.write(to, first)?;
        if let Some((_, time)) = outcome.pause {
            thread::sleep(time);
        }
        self.write(to, second)
    }

    fn write(&mut self, to: &mut TcpStream, mut bytes: &[u8]) -> io::Result<()> {
        let seed = self.plan.pieces.map(|seed| seed ^ self.trace.sent.len() as u64);
        let mut rng = seed.map(ChaCha20Rng::seed_from_u64);
        while !bytes.is_empty() {
            // Small pieces first, then larger ones, so that long messages do not take for ever.
            let most = rng.as_mut().map_or(bytes.len(), |rng| {
                let bits = rng.next_u32() % 12;
                1 + (rng.next_u32() % (1 << bits)) as usize
            });
            let (piece, rest) = bytes.split_at(most.min(bytes.len()));
            to.write_all(piece)?;
            self.trace.delivered.extend_from_slice(piece);
            if rng.is_some() {
                thread::sleep(Duration::from_micros(50));
            }
            bytes = rest;
        }
        Ok(())
    }
}
