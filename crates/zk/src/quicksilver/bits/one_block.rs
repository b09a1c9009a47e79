//! Both parties of a proof in one block, whose seed is known from the start or not there yet. The module
//! above has the messages.

use volery_channel::{ChannelExt as _, tags};
use volery_field::{Gf128, gf128::Kernel};
use zeroize::Zeroizing;

use super::super::Tally;
use super::super::relations::RunningSums;
use super::claims;
use super::prover::Prover;
use super::verifier::{Verifier, not_zero};
use crate::Error;

impl Prover<'_> {
    /// Ends a proof of one block.
    pub(super) fn finish_block(&mut self) -> Result<Tally, Error> {
        self.settle();
        self.masks.finish(&mut self.challenges, self.channel)?;
        let degree = self.tally.degree.max(2);
        let mask = claims::mask(degree, self.pool, self.channel)?;
        self.tally.blocks += 1;
        let tally = self.tally();
        let program = tally.program(self.constants.finish());
        self.challenges.send(self.channel, tags::PROGRAM, &program)?;
        self.spill()?;
        if let Some((products, relations)) = &mut self.sums {
            self.claims.spill(Some(relations), true)?;
            let sums = Zeroizing::new(relations.coefficients(degree, products.sums().into()));
            let masked = sums.iter().zip(mask.iter()).map(|(a, mask)| (*a + *mask).to_bytes());
            let opening: Vec<u8> = masked.flatten().collect();
            self.challenges.send(self.channel, tags::CHECK_OPENING, &opening)?;
            let hash = self.assertions.finish();
            self.challenges.send(self.channel, tags::ASSERTIONS, &hash)?;
        }
        self.channel.flush()?;
        Ok(tally)
    }

    /// Whether the whole proof is one block, with a single check.
    pub(crate) fn is_one_block(&self) -> bool {
        self.one_block
    }

    /// In a proof of one block: claims a disjunction, which has these `counts` of operations, as the relation
    /// that the product of its check values is zero. `coefficients` are the relation's without the top one.
    pub(crate) fn relate_disjunction(
        &mut self,
        branches: usize,
        counts: &[u8],
        coefficients: &[Gf128],
    ) -> Result<(), Error> {
        self.constants.note_disjunction(branches, counts);
        self.tally.degree = self.tally.degree.max(coefficients.len());
        self.relate(coefficients)
    }

    /// Makes room for products in a proof of one block. Call it when a window is settled.
    pub(super) fn spill(&mut self) -> Result<(), Error> {
        if let Some((products, _)) = &mut self.sums {
            products.absorb(&self.slots, self.threads, Kernel::check_prover)?;
        }
        self.slots.clear();
        self.window = 0;
        Ok(())
    }
}

impl Verifier<'_> {
    /// Whether the whole proof is one block, with a single check.
    pub(crate) fn is_one_block(&self) -> bool {
        self.one_block.is_some()
    }

    /// In a proof of one block: takes a claimed disjunction, given its relation's `value` at delta; see the
    /// prover's.
    pub(crate) fn relate_disjunction(
        &mut self,
        branches: usize,
        counts: &[u8],
        degree: usize,
        value: Gf128,
    ) -> Result<(), Error> {
        self.constants.note_disjunction(branches, counts);
        self.tally.degree = self.tally.degree.max(degree);
        self.relate(degree, value)
    }

    /// Ends a proof of one block.
    pub(super) fn finish_block(&mut self, mut polynomials: RunningSums<Gf128>) -> Result<Tally, Error> {
        self.settle();
        self.masks.finish()?;
        let degree = self.tally.degree.max(2);
        let mask = claims::mask_value(degree, self.pool, self.channel)?;
        self.tally.blocks += 1;
        let tally = self.tally();
        self.channel.send(tags::PROGRAM, &tally.program(self.constants.finish()))?;
        let seedless = || volery_circuit::Error::misuse("a proof of one block ends without a seed");
        let mut sums = self.sums.take().ok_or_else(seedless)?;
        sums.absorb(&self.slots, self.threads, Kernel::check_verifier)?;
        self.claims.spill(Some(&mut polynomials), true)?;
        let delta = self.delta.expose();
        let (products, results) = sums.sums();
        let value = polynomials.value(degree, delta, products + results * delta) + *mask;
        let mut opening = vec![0; 16 * degree];
        self.channel.recv_exact(tags::CHECK_OPENING, &mut opening)?;
        self.check_opening(&opening, value, &tally)?;
        let theirs: [u8; 32] = self.channel.recv_array(tags::ASSERTIONS)?;
        if self.assertions.finish() != theirs {
            return Err(not_zero());
        }
        Ok(tally)
    }
}

#[cfg(test)]
mod tests {
    use volery_channel::Rehearsal;
    use volery_circuit::{Ops as _, Prove as _};
    use volery_testing::deal;

    use super::super::{Settings, Verifier};
    use crate::quicksilver::Challenges;
    use crate::quicksilver::challenges::{CHUNK, Seed};

    /// What is absorbed at a time has whole runs of products, whatever the length of other proofs' blocks.
    #[test]
    fn a_proof_in_one_block_has_products_beyond_what_is_absorbed_at_once() {
        let two = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads");
        for threads in [None, Some(&two)] {
            for interval in [1, 100, 1000, 5000, 1 << 17] {
                let delta = deal::bit_delta();
                let (mut keys, mut channel) =
                    (deal::bits(1, Some(delta.duplicate()), 1000), Rehearsal::new());
                let challenges = Challenges::Known(Seed::from([7; 24]));
                let settings = Settings { interval };
                let mut verifier =
                    Verifier::new(settings, challenges, &delta, &mut keys, &mut channel, threads);
                let wires = verifier.secret(2, &mut |_| unreachable!("no witness here")).expect("two bits");
                for product in 0..3 * CHUNK {
                    let result = verifier.mul(&wires[0], &wires[1]).map(drop);
                    assert_eq!(result, Ok(()), "{interval}: product {product}");
                }
            }
        }
    }
}
