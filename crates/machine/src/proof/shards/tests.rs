//! Shards that hold and fit together, and provers who make them so that they do not.
//!
//! A cheating P is one that commits to something else than its run was. Most of these shards hold by
//! themselves, since P has run its segments from a state of its own making: then what turns P away is that
//! boundary wires differ, and each test says which.

mod cheats;
mod honest;
mod jobs;

use std::sync::Mutex;

use volery_circuit::Counter;
use volery_field::Ring as _;

use super::*;
use crate::End;
use crate::instruction::Operation::*;
use crate::proof::Settings;
use crate::proof::argument::exact;
use crate::proof::tests::runs::call;
use crate::proof::tests::{exit, i, run_of};

/// A shard as a statement, which keeps its boundary wires.
struct Alone<'a, W>(SplitRunPart<'a>, Mutex<Vec<W>>);

impl<B: Challenge<F61>> Statement<B> for Alone<'_, B::Wire>
where
    B::Wire: Send,
{
    fn identify(&self, digest: &mut Digest) {
        self.0.identify(digest);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let wires = self.0.claim(b)?;
        // Where arguments look at values, a shard need not claim anything.
        let zero = b.constant(F61::ZERO);
        b.assert_zero(&[zero])?;
        *self.1.lock().expect("no panic") = wires;
        Ok(())
    }
}

fn shard(split: &SplitRun, n: usize) -> SplitRunPart<'_> {
    split.shard(n).expect("a shard")
}

/// The boundary of a shard whose claims hold.
fn boundary(split: &SplitRun, n: usize) -> Result<Vec<F61>, Error> {
    let alone = Alone(shard(split, n), Mutex::default());
    Evaluator::<F61>::check(&alone)?;
    let wires = alone.1.into_inner().expect("no panic");
    assert_eq!(wires.len(), split.boundary(n), "shard {n}");
    Ok(wires)
}

/// What is wrong with a proof.
#[derive(Debug, PartialEq, Eq)]
enum Wrong {
    /// The claims of this shard.
    Shard(usize),
    /// Boundary wires of these two shards.
    Join(usize, usize),
}

/// What turns P away.
fn wrong(split: &SplitRun) -> Vec<Wrong> {
    let all = exact::on(|| Vec::from_iter((0..split.shards()).map(|n| boundary(split, n))));
    let shards = all.iter().enumerate().filter_map(|(n, result)| match result {
        Ok(_) => None,
        Err(Error::Unsatisfied { .. }) => Some(Wrong::Shard(n)),
        Err(error) => panic!("shard {n}: {error}"),
    });
    let differs = |join: &Join| {
        let side = |(shard, first): (usize, usize)| Some(&all[shard].as_ref().ok()?[first..][..join.wires]);
        let (from, to) = (side(join.from), side(join.to));
        from.zip(to).is_some_and(|(from, to)| from != to).then_some(Wrong::Join(join.from.0, join.to.0))
    };
    shards.chain(split.joins().iter().filter_map(differs)).collect()
}

/// Stores to so many words, and then finds what the first one holds: this number.
fn sweeping(words: i32) -> Vec<u32> {
    let all = [
        i(Addi, 5, 2, 0, -2048),
        i(Addi, 6, 0, 0, words),
        i(Sw, 0, 5, 6, 0),
        i(Addi, 5, 5, 0, 4),
        i(Addi, 6, 6, 0, -1),
        i(Bne, 0, 6, 0, -12),
        i(Lw, 10, 2, 0, -2048),
    ];
    [&all[..], &exit()].concat()
}

/// The shards of an honest run.
fn split(words: &[u32], inputs: [&[u8]; 2], settings: Settings, groups: usize) -> SplitRun {
    let split = SplitRun::new(run_of(words, inputs, settings), groups).expect("shards");
    assert_eq!(wrong(&split), []);
    split
}

/// What P holds of a group.
fn group(split: &mut SplitRun, n: usize) -> &mut OfGroup {
    split.held.as_mut().expect("P's").groups.get_mut(&n).expect("a group")
}

/// What P holds of a check.
fn check(split: &mut SplitRun, n: usize) -> &mut OfCheck {
    split.held.as_mut().expect("P's").checks.get_mut(&n).expect("a check")
}
