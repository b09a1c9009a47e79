//! Disjunctions over bits: challenges and tokens in GF(2^128).

use volery_channel::tags;
use volery_field::{F2, Gf128, LengthError, gf128::Kernel};
use volery_vole::subfield::vope;
use volery_vole::{pack, pack_bits};
use zeroize::Zeroizing;

use super::base::{self, Base, Key, Shown, Weighed};
use crate::Error;
use crate::quicksilver::{Prover, ProverWire, Verifier, VerifierWire};

fn misuse(error: LengthError) -> Error {
    volery_circuit::Error::misuse(error.to_string()).into()
}

/// Groups of 128 correlations, each of which is one over GF(2^128): what a VOPE of `degree` takes.
fn correlations(
    degree: usize,
    random: impl FnOnce(&mut [Gf128]) -> Result<(), Error>,
) -> Result<Zeroizing<Vec<Gf128>>, Error> {
    let mut drawn = Zeroizing::new(vec![Gf128::ZERO; 128 * vope::packed_correlations(degree)]);
    random(&mut drawn)?;
    Ok(drawn)
}

/// [`Base::keep`] for bits.
fn keep(to: &mut [F2], from: &[F2], mask: u64) {
    let bit = F2::from_lsb(mask);
    to.iter_mut().zip(from).for_each(|(to, from)| *to += *from * bit);
}

impl Base<F2> for Prover<'_> {
    type Mac = Gf128;
    type Half = Gf128;
    type Token = Shown<Gf128>;

    #[inline(always)]
    fn half(wire: &ProverWire) -> Gf128 {
        wire.tag()
    }

    fn keep(to: &mut [F2], from: &[F2], mask: u64) {
        keep(to, from, mask);
    }

    fn combine(x: &[Gf128], c: &[Gf128]) -> Result<Shown<Gf128>, Error> {
        let [tag, _, value, _] = Kernel::detect().weigh_prover(c, x, x).map_err(misuse)?;
        Ok(Shown { tag, value })
    }

    fn combine_pair(x: &[Gf128], y: &[Gf128], c: &[Gf128]) -> Result<[Shown<Gf128>; 2], Error> {
        let [left, right, left_value, right_value] =
            Kernel::detect().weigh_prover(c, x, y).map_err(misuse)?;
        Ok([Shown { tag: left, value: left_value }, Shown { tag: right, value: right_value }])
    }

    fn challenge(&mut self) -> Result<[u8; 16], Error> {
        Self::challenge(self)
    }

    fn vanish(&mut self, tokens: &[Shown<Gf128>], weighed: Weighed) -> Result<(), Error> {
        let Some(coefficients) = base::product(tokens) else { return self.unsatisfied() };
        let mask = base::mask(tokens.len(), |degree| {
            let random = correlations(degree, |random| self.random(random))?;
            let packed = random.as_chunks().0.iter().map(|r| [pack(r), pack_bits(r)]);
            Ok(vope::prover_packed(degree, &Zeroizing::new(Vec::from_iter(packed)))?)
        })?;
        let message = base::message(&coefficients, &Zeroizing::new(mask), weighed)?;
        self.send_message(tags::TOKENS, &message)
    }
}

impl Base<F2> for Verifier<'_> {
    type Mac = Gf128;
    type Half = Gf128;
    type Token = Key<Gf128>;

    #[inline(always)]
    fn half(wire: &VerifierWire) -> Gf128 {
        wire.key()
    }

    fn keep(to: &mut [F2], from: &[F2], mask: u64) {
        keep(to, from, mask);
    }

    fn combine(x: &[Gf128], c: &[Gf128]) -> Result<Key<Gf128>, Error> {
        Kernel::detect().inner_product(c, x).map(Key).map_err(misuse)
    }

    fn combine_pair(x: &[Gf128], y: &[Gf128], c: &[Gf128]) -> Result<[Key<Gf128>; 2], Error> {
        Kernel::detect().weigh_verifier(c, x, y).map(|sums| sums.map(Key)).map_err(misuse)
    }

    fn challenge(&mut self) -> Result<[u8; 16], Error> {
        Self::challenge(self)
    }

    fn vanish(&mut self, tokens: &[Key<Gf128>], weighed: Weighed) -> Result<(), Error> {
        let mask = base::mask(tokens.len(), |degree| {
            let random = correlations(degree, |random| self.random(random))?;
            let packed = random.as_chunks().0.iter().map(pack);
            Ok(vope::verifier_packed(degree, &Zeroizing::new(Vec::from_iter(packed)))?)
        })?;
        let mut message = vec![0; base::message_len::<Gf128>(tokens.len())];
        self.receive_message(tags::TOKENS, &mut message)?;
        base::check(tokens, mask, self.delta(), weighed, &message).or_else(|error| self.fail(error))
    }
}

super::disjunctions!([S] F2, Prover<'_>);
super::disjunctions!([S] F2, Verifier<'_>);
