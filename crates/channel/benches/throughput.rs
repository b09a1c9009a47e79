//! How fast frames go through a channel: both parties in one process, each on its own thread, over loopback
//! TCP, a Unix socket and memory.

// A bench that cannot run has to stop, and criterion's macros make items without docs.
#![allow(clippy::expect_used, missing_docs)]

use std::hint::black_box;
use std::thread;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use volery_channel::transport::Socket;
use volery_channel::{Channel, Framed, Limits, Listener, connect, memory_pair, tags};

const TOTAL: usize = 64 << 20;

fn loopback() -> (Framed<Socket>, Framed<Socket>) {
    let limits = Limits::default();
    let listener = Listener::bind(&"127.0.0.1:0".parse().expect("an address")).expect("a free port");
    let left = connect(&listener.address().expect("bound"), &limits).expect("connected");
    let right = listener.accept(None).expect("accepted").expect("no time-out");
    (left, Framed::new(right, limits))
}

/// Moves [`TOTAL`] bytes one way in frames of `size`, then one empty frame back.
fn one_way(mut left: impl Channel + Send, mut right: impl Channel + Send, size: usize) {
    let frames = TOTAL / size;
    thread::scope(|scope| {
        scope.spawn(move || {
            let payload = vec![7; size];
            (0..frames).for_each(|_| left.send(tags::TEST, &payload).expect("sent"));
            left.recv(tags::TEST, 0).expect("answered");
        });
        let mut out = vec![0; size];
        for _ in 0..frames {
            right.recv_exact(tags::TEST, &mut out).expect("received");
            black_box(&out);
        }
        right.send(tags::TEST, &[]).and_then(|()| right.flush()).expect("sent");
    });
}

/// `rounds` small frames there and back.
fn ping_pong(mut left: impl Channel + Send, mut right: impl Channel + Send, rounds: usize) {
    thread::scope(|scope| {
        scope.spawn(move || {
            for _ in 0..rounds {
                left.send(tags::TEST, &[1; 16]).expect("sent");
                left.recv(tags::TEST, 16).expect("received");
            }
        });
        for _ in 0..rounds {
            right.recv(tags::TEST, 16).expect("received");
            right.send(tags::TEST, &[2; 16]).and_then(|()| right.flush()).expect("sent");
        }
    });
}

fn benches(c: &mut Criterion) {
    let mut group = c.benchmark_group("one way");
    group.sample_size(10).throughput(Throughput::Bytes(TOTAL as u64));
    for size in [64, 4 << 10, 64 << 10, 1 << 20] {
        group.bench_function(BenchmarkId::new("tcp", size), |b| {
            b.iter_batched(loopback, |(l, r)| one_way(l, r, size), criterion::BatchSize::PerIteration);
        });
        group.bench_function(BenchmarkId::new("memory", size), |b| {
            let pair = || memory_pair(&Limits::default());
            b.iter_batched(pair, |(l, r)| one_way(l, r, size), criterion::BatchSize::PerIteration);
        });
    }
    group.finish();
    let mut group = c.benchmark_group("there and back");
    group.sample_size(10).throughput(Throughput::Elements(1000));
    group.bench_function("tcp", |b| {
        b.iter_batched(loopback, |(l, r)| ping_pong(l, r, 1000), criterion::BatchSize::PerIteration);
    });
    group.finish();
}

criterion_group!(throughput, benches);
criterion_main!(throughput);
