//! What workers get.

use super::*;
use crate::proof::tests::SMALL;

/// Each worker has what its shard needs, and the same boundary comes of it.
#[test]
fn a_worker_proves_its_shard_from_its_job() {
    let all = split(&sweeping(80), [b"secret", b"public"], SMALL, 3);
    let v = SplitRun::new(all.run.without_secret(), 3).expect("shards");
    assert!(all.shards() > 5);
    for n in 0..all.shards() {
        let job = all.job(n).expect("a job");
        let (whole, of) = SplitRun::from_job(&job).expect("a job");
        assert_eq!((of, whole.digest, whole.joins()), (n, all.digest, all.joins()));
        assert_eq!(*whole.job(n).expect("the same"), *job);
        exact::on(|| {
            assert!(boundary(&whole, n).expect("it holds") == boundary(&all, n).expect("it holds"), "{n}");
            assert!(boundary(&whole, (n + 1) % all.shards()).is_err());
        });
        assert!(whole.job((n + 1) % all.shards()).is_err());
        // V's worker gets nothing of that.
        let theirs = v.job(n).expect("a job");
        assert!(theirs.len() < job.len() && job.starts_with(&theirs[..theirs.len() - 1]));
        let (whole, of) = SplitRun::from_job(&theirs).expect("a job");
        assert!((of, whole.digest) == (n, v.digest) && whole.held.is_none());
    }
    assert!(matches!(all.job(all.shards()), Err(Error::Misuse(_))));
}

/// A byte too few or too many, other kinds, and shards that there are not.
#[test]
fn bytes_that_are_no_job_are_refused() {
    let all = split(&sweeping(60), [b"", b""], SMALL, 2);
    let refused = |job: &[u8]| match SplitRun::from_job(job) {
        Err(Error::Public(reason)) => reason,
        other => panic!("{other:?}"),
    };
    for n in [0, 2] {
        let job = all.job(n).expect("a job");
        for length in 0..job.len() {
            refused(&job[..length]);
        }
        assert!(refused(&[&job[..], &[0]].concat()).contains("1 bytes too many"));
        // The version; the shard.
        let changed = |at: usize, byte: u8| {
            let mut job = job.to_vec();
            job[at] = byte;
            SplitRun::from_job(&job).map(|_| ())
        };
        assert!(matches!(changed(0, 0), Err(Error::Public(_))));
        assert!(matches!(changed(15, 77), Err(Error::Misuse(_))));
        // The other kind of shard.
        assert!(matches!(changed(15, 2 - n as u8), Err(Error::Public(_))));
    }
}
