//! Disjunctions over bits: challenges and check values in GF(2^128).

use volery_channel::tags;
use volery_field::gf128::{Kernel, RUN};
use volery_field::{F2, Gf128, LengthError};
use volery_vole::subfield::vope;
use volery_vole::{pack, pack_bits};
use zeroize::Zeroizing;

use super::base::{self, Base, OperationCounts};
use super::kept::{Kept, PackedBits};
use crate::Error;
use crate::quicksilver::Seed;
use crate::quicksilver::bits::{Prover, ProverWire, Verifier, VerifierWire};
use crate::shares::ElementShare;

fn misuse(error: LengthError) -> Error {
    volery_circuit::Error::misuse(error.to_string()).into()
}

/// Groups of 128 correlations, each packed into one over GF(2^128): as many as a VOPE of `degree` takes.
fn correlations(
    degree: usize,
    random: impl FnOnce(&mut [Gf128]) -> Result<(), Error>,
) -> Result<Zeroizing<Vec<Gf128>>, Error> {
    let mut drawn = Zeroizing::new(vec![Gf128::ZERO; 128 * vope::packed_correlations(degree)]);
    random(&mut drawn)?;
    Ok(drawn)
}

impl Base<F2> for Prover<'_> {
    type Mac = Gf128;
    type Share = Gf128;

    const RUN: usize = RUN;

    #[inline(always)]
    fn share(wire: &ProverWire) -> Gf128 {
        wire.tag()
    }

    fn kept(n: usize) -> Box<dyn Kept<F2>> {
        Box::new(PackedBits::new(n))
    }

    fn combine(x: &[Gf128], c: &[Gf128]) -> Result<ElementShare<Gf128>, Error> {
        let [m, x] = Kernel::detect().weigh_prover(c, x).map_err(misuse)?;
        Ok(ElementShare { x, m })
    }

    fn challenge(&mut self) -> Result<Option<Seed>, Error> {
        Self::challenge(self)
    }

    fn count_disjunction(&mut self, claims: bool, branches: usize, challenges: u64) {
        Self::count_disjunction(self, claims, branches, challenges);
    }

    fn vanish(&mut self, check_values: &[ElementShare<Gf128>], counts: OperationCounts) -> Result<(), Error> {
        let branches = check_values.len();
        let coefficients = match base::product(check_values) {
            Some(coefficients) => coefficients,
            None => self.unsatisfied().map(|()| base::blank(branches))?,
        };
        if self.is_one_block() {
            let shift = base::relation_degree(branches).saturating_sub(coefficients.len());
            let mut shifted = Zeroizing::new(vec![Gf128::ZERO; shift]);
            shifted.extend_from_slice(&coefficients);
            return self.relate_disjunction(branches, &counts.encode(), &shifted);
        }
        let mask = base::mask(check_values.len(), |degree| {
            let random = correlations(degree, |random| self.random(random))?;
            let packed = random.as_chunks().0.iter().map(|r| [pack(r), pack_bits(r)]);
            Ok(vope::prover_packed(degree, &Zeroizing::new(Vec::from_iter(packed)))?)
        })?;
        let message = base::message(&coefficients, &Zeroizing::new(mask), counts)?;
        self.send_message(tags::TOKENS, &message)
    }
}

impl Base<F2> for Verifier<'_> {
    type Mac = Gf128;
    type Share = Gf128;

    const RUN: usize = RUN;

    #[inline(always)]
    fn share(wire: &VerifierWire) -> Gf128 {
        wire.key()
    }

    fn kept(n: usize) -> Box<dyn Kept<F2>> {
        Box::new(PackedBits::new(n))
    }

    fn combine(x: &[Gf128], c: &[Gf128]) -> Result<ElementShare<Gf128>, Error> {
        let m = Kernel::detect().weigh_verifier(c, x).map_err(misuse)?;
        Ok(ElementShare { x: Gf128::ZERO, m })
    }

    fn challenge(&mut self) -> Result<Option<Seed>, Error> {
        Self::challenge(self)
    }

    fn count_disjunction(&mut self, claims: bool, branches: usize, challenges: u64) {
        Self::count_disjunction(self, claims, branches, challenges);
    }

    fn vanish(&mut self, check_values: &[ElementShare<Gf128>], counts: OperationCounts) -> Result<(), Error> {
        if self.is_one_block() {
            let (branches, delta) = (check_values.len(), self.delta());
            let degree = base::relation_degree(branches);
            let value = check_values.iter().fold(Gf128::ONE, |product, check_value| product * check_value.m);
            let value = (branches..degree).fold(value, |value, _| value * delta);
            return self.relate_disjunction(branches, &counts.encode(), degree, value);
        }
        let mask = base::mask(check_values.len(), |degree| {
            let random = correlations(degree, |random| self.random(random))?;
            let packed = random.as_chunks().0.iter().map(pack);
            Ok(vope::verifier_packed(degree, &Zeroizing::new(Vec::from_iter(packed)))?)
        })?;
        let mut message = vec![0; base::message_len::<Gf128>(check_values.len())];
        self.receive_message(tags::TOKENS, &mut message)?;
        base::check(check_values, mask, self.delta(), counts, &message).or_else(|error| self.fail(error))
    }
}

super::disjunctions!([S] F2, Prover<'_>);
super::disjunctions!([S] F2, Verifier<'_>);

#[cfg(test)]
mod tests {
    use volery_channel::Rehearsal;
    use volery_testing::deal;

    use super::*;
    use crate::quicksilver::Challenges;
    use crate::quicksilver::bits::Settings;

    /// Rows of one fold would cancel rows of another one under the same coefficients.
    #[test]
    fn challenges_of_a_proof_in_one_block_differ_and_both_parties_have_the_same() {
        let known = || Challenges::Known(Seed::from([7; 24]));
        let (mut tags, mut keys) = (deal::bits(1, None, 1), deal::bits(1, Some(deal::bit_delta()), 1));
        let (mut p, mut v, delta) = (Rehearsal::new(), Rehearsal::new(), deal::bit_delta());
        let mut prover = Prover::new(Settings::LAN, known(), &mut tags, &mut p, None);
        let mut verifier = Verifier::new(Settings::LAN, known(), &delta, &mut keys, &mut v, None);
        let seeds = [(); 3].map(|()| prover.challenge().expect("known").expect("known"));
        assert_eq!(seeds, [(); 3].map(|()| verifier.challenge().expect("known").expect("known")));
        assert!(seeds[0] != seeds[1] && seeds[1] != seeds[2] && seeds[0] != seeds[2]);
        drop(prover);
        let mut committing = Prover::new(Settings::LAN, Challenges::Committing, &mut tags, &mut p, None);
        assert_eq!(committing.challenge(), Ok(None));
    }
}
