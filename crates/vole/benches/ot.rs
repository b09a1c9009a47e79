//! Base OT and SoftSpokenOT: the time of each party alone, its peer's messages replayed.
// A benchmark that cannot run should stop.
#![allow(clippy::unwrap_used)]

use std::collections::VecDeque;
use std::hint::black_box;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rand_chacha::ChaCha12Rng;
use rand_core::SeedableRng;
use volery_channel::{Channel, Error, Stats, Tag};
use volery_vole::softspoken::{FieldBits, Receiver, ReceiverSetup, Sender, SenderSetup};
use volery_vole::{Delta, SessionId, base_ot};

const SESSION: SessionId = SessionId::new([1; 32]);
const INSTANCES: usize = 128;
const CORRELATIONS: usize = 1 << 13;

fn rng() -> ChaCha12Rng {
    ChaCha12Rng::seed_from_u64(1)
}

/// What one party sent, for the other to receive.
#[derive(Default, Clone)]
struct Tape {
    messages: VecDeque<Vec<u8>>,
    current: Vec<u8>,
}

impl Tape {
    fn next(&mut self) -> Result<&[u8], Error> {
        self.current = self.messages.pop_front().ok_or_else(|| Error::misuse("the tape is empty"))?;
        Ok(&self.current)
    }
}

impl Channel for Tape {
    fn send(&mut self, _: Tag, payload: &[u8]) -> Result<(), Error> {
        self.messages.push_back(payload.to_vec());
        Ok(())
    }
    fn recv(&mut self, _: Tag, _: usize) -> Result<&[u8], Error> {
        self.next()
    }
    fn recv_exact(&mut self, _: Tag, out: &mut [u8]) -> Result<(), Error> {
        out.copy_from_slice(self.next()?);
        Ok(())
    }
    fn recv_into(&mut self, _: Tag, _: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        *out = self.next()?.to_vec();
        Ok(())
    }
    fn flush(&mut self) -> Result<(), Error> {
        Ok(())
    }
    fn fail(&mut self, _: &str) {}
    fn stats(&self) -> Stats {
        Stats::default()
    }

    fn binding(&self) -> Option<[u8; 32]> {
        None
    }
}

fn base(c: &mut Criterion) {
    let mut group = c.benchmark_group("base_ot/128");
    let choices: Vec<u8> = (0..INSTANCES).map(|i| (i % 3 % 2) as u8).collect();
    let start = || base_ot::Receiver::start(&choices, &mut rng()).unwrap();
    let (point, points) = (base_ot::Sender::start(&mut rng()).message(), start().message().to_vec());
    group.bench_function("receiver/start", |b| b.iter(start));
    group.bench_function("receiver/finish", |b| {
        b.iter_batched(start, |r| black_box(r.finish(&SESSION, &point).unwrap()), BatchSize::LargeInput);
    });
    group.bench_function("sender/finish", |b| {
        b.iter_batched(
            || base_ot::Sender::start(&mut rng()),
            |s| black_box(s.finish(&SESSION, INSTANCES, &points).unwrap()),
            BatchSize::LargeInput,
        );
    });
}

/// A P and a V after their setups, with P's tree message on the tape.
fn setup(bits: FieldBits) -> (Receiver, Sender) {
    let (p, v) = (
        ReceiverSetup::start(&mut rng()),
        SenderSetup::start(Delta::random(&mut rng()), &mut rng()).unwrap(),
    );
    let (point, mut tape) = (p.message(), Tape::default());
    let p = p.finish(&SESSION, bits, v.message(), &mut tape).unwrap();
    (p, v.finish(&SESSION, bits, &point, &mut tape).unwrap())
}

/// The setup after the first messages: base OT's second half and the trees.
fn setups(c: &mut Criterion) {
    for bits in FieldBits::ALL {
        let mut group = c.benchmark_group("softspoken/setup");
        let start_v = || SenderSetup::start(Delta::random(&mut rng()), &mut rng()).unwrap();
        let (point, points) = (ReceiverSetup::start(&mut rng()).message(), start_v().message().to_vec());
        let mut trees = Tape::default();
        ReceiverSetup::start(&mut rng()).finish(&SESSION, bits, &points, &mut trees).unwrap();
        group.bench_function(BenchmarkId::new("receiver", bits.bits()), |b| {
            b.iter_batched(
                || ReceiverSetup::start(&mut rng()),
                |p| p.finish(&SESSION, bits, &points, &mut Tape::default()).unwrap(),
                BatchSize::LargeInput,
            );
        });
        group.bench_function(BenchmarkId::new("sender", bits.bits()), |b| {
            b.iter_batched(
                || (start_v(), trees.clone()),
                |(v, mut tape)| v.finish(&SESSION, bits, &point, &mut tape).unwrap(),
                BatchSize::LargeInput,
            );
        });
    }
}

fn extensions(c: &mut Criterion) {
    for bits in FieldBits::ALL {
        let mut group = c.benchmark_group("softspoken/extend");
        group.throughput(Throughput::Elements(CORRELATIONS as u64));
        let (mut p, mut v) = setup(bits);
        let (mut out, mut tape) = (Vec::new(), Tape::default());
        group.bench_function(BenchmarkId::new("receiver", bits.bits()), |b| {
            b.iter(|| {
                out.clear();
                p.extend(&mut Tape::default(), CORRELATIONS, &mut out).unwrap();
            });
        });
        let (mut p, _) = setup(bits);
        group.bench_function(BenchmarkId::new("sender", bits.bits()), |b| {
            b.iter_batched(
                || {
                    out.clear();
                    p.extend(&mut tape, CORRELATIONS, &mut out).unwrap();
                    std::mem::take(&mut tape)
                },
                |mut tape| {
                    let mut keys = Vec::with_capacity(CORRELATIONS);
                    v.extend(&mut tape, CORRELATIONS, &mut keys).unwrap();
                    keys
                },
                BatchSize::PerIteration,
            );
        });
    }
}

criterion_group!(benches, base, setups, extensions);
criterion_main!(benches);
