//! What the preparation of a connection takes, for people who want to know before they pay it.

use std::time::Duration;

use volery_channel::platform::Instant;
use volery_field::Gf128;
use volery_garble::gates::{GateGarbler, TableSink, ThreeHalves, ZeroWire};
use volery_garble::two_party::Garbling;
use volery_garble::{Error as GarbleError, Function as _};
use volery_vole::Delta;

use super::{Error, MAX_PROVED, MAX_QUERY, MAX_READ, Sizes, settings};
use crate::wire::hash::HashFunction;
use crate::wire::step::{Plain, Step};
use crate::wire::suite::KeySize;

/// Blocks of AES that are garbled to measure the speed of S-boxes: some 1,400 of them.
const TRIAL_BLOCKS: u32 = 10;

/// What is garbled to measure the speed of other gates: 40,660 of them.
const TRIAL_HASH: Step = Step::OuterHash(HashFunction::Sha384);

/// What a connection of some [`Sizes`] takes ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preparation {
    /// AND gates that are garbled, or would be if S-boxes were garbled as their circuits.
    pub ands: u64,
    /// S-boxes of AES that are garbled. The 32 ANDs of each are also counted in `ands`.
    pub s_boxes: u64,
    /// How they are garbled.
    pub garbling: Garbling,
    /// Bytes of their tables, which V keeps until the connection.
    pub tables: u64,
    /// Bytes of the messages in which P sends them.
    pub sent: u64,
    /// Bits that the parties will share.
    pub shared: u64,
    /// The number of bits that the proof of what was garbled commits to; that of the payload comes on top.
    pub commitments: u64,
    /// The number of bits for which correlations are made ahead, those of the payload included.
    pub announced: u64,
    /// The number of products from which powers come: over GF(2^128) with AES-GCM, 2.1 KB of P's each; modulo
    /// Poly1305's prime with ChaCha20-Poly1305, 2.2 KB.
    pub products: u64,
    /// The number of the client's records whose tags take products of their own: with ChaCha20-Poly1305.
    pub tags: u64,
}

impl Sizes {
    /// What a connection of these sizes takes ahead.
    ///
    /// # Errors
    /// [`Error::Limit`] for sizes that nobody prepares.
    pub fn preparation(&self) -> Result<Preparation, Error> {
        self.check([MAX_QUERY, MAX_READ, MAX_PROVED])?;
        if !self.are_sound() {
            return Err(Error::misuse("a connection has 1 to 16 requests, which are read in order"));
        }
        let cost = self.cost()?;
        let garbling = self.settings(settings()).garbling;
        Ok(Preparation {
            ands: cost.prepared.ands,
            s_boxes: cost.prepared.s_boxes,
            garbling,
            tables: cost.table_bytes(garbling),
            sent: garbling.sent_bytes(cost.tables(garbling)),
            shared: cost.prepared.shared as u64,
            commitments: cost.prepared.commitments.saturating_add(self.server_commitments()?),
            announced: cost.proof,
            products: (self.hash_products() + self.tag_products()) as u64,
            tags: if self.tag_products() > 0 { self.records().len() as u64 } else { 0 },
        })
    }
}

impl Preparation {
    /// The time in which this machine garbles all of it, from two short trials: of S-boxes, whose time for
    /// their bytes depends on how they are garbled, and of other gates.
    ///
    /// # Errors
    /// None in practice: a block of AES and a hash can be garbled.
    pub fn garbling(&self) -> Result<Duration, Error> {
        let blocks = (1..=TRIAL_BLOCKS).map(|counter| Plain::Counter { sequence: 1, counter });
        let blocks = Step::Blocks(KeySize::Bits128, blocks.collect());
        let (aes, hash) = (blocks.shape()?, TRIAL_HASH.shape()?);
        let in_s_boxes = self.s_boxes.saturating_mul(aes.ands / aes.s_boxes.max(1));
        let others = self.ands.saturating_sub(in_s_boxes);
        let mut time = Duration::ZERO;
        for (step, count, tried) in [(&blocks, self.s_boxes, aes.s_boxes), (&TRIAL_HASH, others, hash.ands)] {
            if count > 0 {
                let times = count as f64 / tried.max(1) as f64;
                time = time.saturating_add(trial(step, self.garbling)?.mul_f64(times));
            }
        }
        Ok(time)
    }
}

/// The time in which this machine garbles a step.
fn trial(step: &Step, garbling: Garbling) -> Result<Duration, Error> {
    // Nobody evaluates it, so offset and labels are no secrets.
    let offset = Delta::from_element(Gf128::from_bits(1 << 64 | 1));
    let labels = vec![ZeroWire::new(Gf128::from_bits(77)); step.inputs()];
    let mut nowhere = Nowhere;
    let start = Instant::now();
    let garbler = GateGarbler::<ThreeHalves>::new(&offset, [3; 16], 0, &mut nowhere);
    let mut garbler = garbler.with_one_hot(garbling == Garbling::OneHot);
    step.run(&mut garbler, &labels)?;
    garbler.finish()?;
    Ok(start.elapsed())
}

/// Forgets tables.
struct Nowhere;

impl TableSink for Nowhere {
    fn put(&mut self, _: &[u8]) -> Result<(), GarbleError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::suite::Suite;
    use crate::wire::version::TlsVersion;

    #[test]
    fn what_is_known_beforehand_is_what_is_garbled() {
        let short = Sizes::one(256, 256).preparation().unwrap();
        assert_eq!(short.ands, 340_070, "as the module says");
        assert_eq!((short.s_boxes, short.tables), (2_738, 25 * short.ands));
        assert!(short.announced > short.commitments);
        for (suite, s_boxes) in [
            (Suite::Aes128GcmSha256, true),
            (Suite::Aes256GcmSha384, true),
            (Suite::ChaCha20Poly1305Sha256, false),
        ] {
            let prepared = Sizes { suite, ..Sizes::one(256, 256) }.preparation().unwrap();
            assert_eq!(prepared.s_boxes > 0, s_boxes);
            assert!(prepared.garbling().unwrap() > Duration::ZERO);
            // An S-box takes 25 tables, and not 32.
            let saved = if suite == Suite::Aes256GcmSha384 { 7 * prepared.s_boxes } else { 0 };
            assert_eq!(prepared.tables, 25 * (prepared.ands - saved));
        }
        let refused = Sizes::one(MAX_QUERY + 1, 256).preparation();
        assert!(matches!(refused, Err(Error::Limit { .. })), "{refused:?}");
        assert!(Sizes { rounds: Vec::new(), ..Sizes::one(1, 1) }.preparation().is_err());
        let newer = Sizes { tls: TlsVersion::Tls13, ..Sizes::one(256, 256) }.preparation().unwrap();
        assert!(newer.ands > short.ands, "a longer key schedule");
    }
}
