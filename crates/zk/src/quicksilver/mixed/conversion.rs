//! The backends of both parties, and the check of the bits that they converted to elements.

use volery_channel::tags;
use volery_circuit::convert::check_field;
use volery_circuit::{Backend, Convert, Ops, Prove, Statement};
use volery_field::{Authenticated, Coordinates, F2, Mac, Ring, Value};
use volery_vole::Prg;
use zeroize::{Zeroize, Zeroizing};

use super::{CONVERSIONS, parities, sets};
use crate::Error;
use crate::quicksilver::{Tally, bits, field};

/// The Boolean wire of a party.
type Bit<P> = <P as Ops<F2>>::Wire;

/// The backend that proves over bits and `F`.
pub struct Prover<'a, F: Value, M: Mac<F>> {
    field: field::Prover<'a, F, M, bits::Prover<'a>>,
    /// Conversions that were not checked yet.
    conversions: Conversions<Bit<bits::Prover<'a>>, Authenticated<F, M>>,
    random: Prg,
}

/// The backend that verifies over bits and `F`. Only the `Ok` of [`Verifier::finish`] means that the proof
/// holds.
pub struct Verifier<'a, F: Value, M: Mac<F>> {
    field: field::Verifier<'a, F, M, bits::Verifier<'a>>,
    conversions: Conversions<Bit<bits::Verifier<'a>>, M>,
}

/// Bits and the elements that must equal them, which wait for their check; wiped on drop.
struct Conversions<B: Zeroize, E: Zeroize> {
    bits: Vec<B>,
    elements: Vec<E>,
}

impl<B: Zeroize, E: Zeroize> Conversions<B, E> {
    fn new() -> Self {
        Self { bits: Vec::new(), elements: Vec::new() }
    }
}

impl<B: Zeroize, E: Zeroize> Drop for Conversions<B, E> {
    fn drop(&mut self) {
        self.bits.zeroize();
        self.elements.zeroize();
    }
}

/// The counts of both parts: bits, then elements.
pub type Tallies = [Tally; 2];

impl<'a, F: Value, M: Mac<F>> Prover<'a, F, M> {
    /// A prover of both kinds of claims. `seed` must be fresh and secret; it makes the bits that mask what
    /// the check of conversions shows.
    pub fn new(field: field::Prover<'a, F, M, bits::Prover<'a>>, seed: Zeroizing<[u8; 16]>) -> Self {
        Self { field, conversions: Conversions::new(), random: Prg::new(*seed) }
    }

    /// Runs `statement` and proves it. Returns its counts.
    ///
    /// # Errors
    /// As [`bits::Prover::prove`].
    pub fn prove(mut self, statement: &(impl Statement<Self> + ?Sized)) -> Result<Tallies, Error>
    where
        Self: Backend<Error = Error>,
    {
        statement.run(&mut self)?;
        self.finish()
    }

    /// Proves everything that was run.
    ///
    /// # Errors
    /// As [`Prover::prove`].
    pub fn finish(mut self) -> Result<Tallies, Error> {
        self.check_conversions()?;
        let (elements, bits) = self.field.finish_link()?;
        if bits.is_unused() {
            return Ok([Tally::default(), elements]);
        }
        Ok([bits.finish()?, elements])
    }

    /// Called before an operation of one part: V may need what the other part holds back before it can
    /// continue.
    #[inline(always)]
    fn prepare_ring<R: Ring>(&mut self) -> Result<(), Error> {
        if core::any::TypeId::of::<R>() == core::any::TypeId::of::<F2>() && self.field.link.at_border() {
            self.field.send_elements()?;
        }
        Ok(())
    }

    /// Called before many operations, which may have to wait in the middle.
    fn prepare_batch<R: Ring>(&mut self) -> Result<(), Error> {
        if core::any::TypeId::of::<R>() == core::any::TypeId::of::<F2>() {
            self.field.send_elements()?;
        }
        Ok(())
    }

    fn convert(&mut self, bits: &[Bit<bits::Prover<'a>>]) -> Result<Vec<Authenticated<F, M>>, Error> {
        check_field::<F>()?;
        let values = |_: &dyn volery_circuit::Peek<F, Authenticated<F, M>>| {
            Ok(bits.iter().map(|bit| F::from_u64(bit.value().to_u8().into())).collect())
        };
        let mut hint = values;
        let elements = Prove::<F>::secret(&mut self.field, bits.len(), &mut hint)?;
        Prove::<F>::assert_products(&mut self.field, &elements, &elements, &elements)?;
        for (bits, elements) in bits.chunks(CONVERSIONS).zip(elements.chunks(CONVERSIONS)) {
            self.conversions.bits.extend_from_slice(bits);
            self.conversions.elements.extend_from_slice(elements);
            if self.conversions.bits.len() >= CONVERSIONS {
                self.check_conversions()?;
            }
        }
        Ok(elements)
    }

    /// Proves that the conversions so far are right.
    fn check_conversions(&mut self) -> Result<(), Error> {
        let conversions = core::mem::replace(&mut self.conversions, Conversions::new());
        let n = conversions.bits.len();
        if n == 0 {
            return Ok(());
        }
        self.field.count_conversions();
        let sets = sets::<F, M>();
        let mut bytes = Zeroizing::new(vec![0; sets]);
        self.random.bytes(&mut bytes);
        let random: Zeroizing<Vec<F2>> =
            Zeroizing::new(bytes.iter().map(|byte| F2::from_lsb(u64::from(*byte))).collect());
        self.prepare_batch::<F2>()?;
        let r_bits = Prove::<F2>::secret(&mut self.field.link, sets, &mut |_| Ok(random.to_vec()))?;
        let r = Prove::<F>::secret(&mut self.field, sets, &mut |_| {
            Ok(random.iter().map(|bit| F::from_u64(bit.to_u8().into())).collect())
        })?;
        Prove::<F>::assert_products(&mut self.field, &r, &r, &r)?;

        let seed = self.field.challenge()?;
        let parities = parities::sums(&conversions.bits, sets, seed);
        let sums = Zeroizing::new(parities::sums(&conversions.elements, sets, seed));
        let width = sum_width(n);
        let digits = Prove::<F>::secret(&mut self.field, sets * width, &mut |_| {
            let mut digits = Vec::with_capacity(sets * width);
            for sum in sums.iter() {
                let mut encoding = Zeroizing::new(vec![0; F::BYTES]);
                let encoded = sum.x.encode(&mut encoding);
                encoded.map_err(|error| volery_circuit::Error::misuse(error.to_string()))?;
                digits.extend((0..width).map(|l| F::from_u64(u64::from(encoding[l / 8] >> (l % 8) & 1))));
            }
            Ok(digits)
        })?;
        let opened: Vec<bool> =
            parities.iter().zip(&r_bits).map(|(e, r)| (e.value() + r.value()).to_bool()).collect();
        self.field.send_message(tags::PARITIES, &pack(&opened))?;
        conclude::<F, _, _>(&mut self.field, &sums, &digits, &r, &opened)?;
        assert_parities(&mut self.field.link, &parities, &r_bits, &opened)
    }
}

#[expect(clippy::extra_unused_type_parameters, reason = "P asks which part the operation is of")]
impl<'a, F: Value, M: Mac<F>> Verifier<'a, F, M> {
    /// A verifier of both kinds of claims.
    pub fn new(field: field::Verifier<'a, F, M, bits::Verifier<'a>>) -> Self {
        Self { field, conversions: Conversions::new() }
    }

    /// Runs `statement` and verifies P's proof of it. Returns its counts.
    ///
    /// # Errors
    /// As [`bits::Verifier::verify`].
    pub fn verify(mut self, statement: &(impl Statement<Self> + ?Sized)) -> Result<Tallies, Error>
    where
        Self: Backend<Error = Error>,
    {
        statement.run(&mut self)?;
        self.finish()
    }

    /// Checks everything that was run.
    ///
    /// # Errors
    /// As [`Verifier::verify`].
    pub fn finish(mut self) -> Result<Tallies, Error> {
        self.check_conversions()?;
        let (elements, bits) = self.field.finish_link()?;
        if bits.is_unused() {
            return Ok([Tally::default(), elements]);
        }
        Ok([bits.finish()?, elements])
    }

    /// V holds nothing back.
    #[inline(always)]
    fn prepare_ring<R: Ring>(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// V holds nothing back before a batch, either.
    fn prepare_batch<R: Ring>(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn convert(&mut self, bits: &[Bit<bits::Verifier<'a>>]) -> Result<Vec<M>, Error> {
        check_field::<F>()?;
        let elements = Prove::<F>::secret(&mut self.field, bits.len(), &mut |_| Ok(Vec::new()))?;
        Prove::<F>::assert_products(&mut self.field, &elements, &elements, &elements)?;
        for (bits, elements) in bits.chunks(CONVERSIONS).zip(elements.chunks(CONVERSIONS)) {
            self.conversions.bits.extend_from_slice(bits);
            self.conversions.elements.extend_from_slice(elements);
            if self.conversions.bits.len() >= CONVERSIONS {
                self.check_conversions()?;
            }
        }
        Ok(elements)
    }

    /// Checks that the conversions so far are right.
    fn check_conversions(&mut self) -> Result<(), Error> {
        let conversions = core::mem::replace(&mut self.conversions, Conversions::new());
        let n = conversions.bits.len();
        if n == 0 {
            return Ok(());
        }
        self.field.count_conversions();
        let sets = sets::<F, M>();
        let r_bits = Prove::<F2>::secret(&mut self.field.link, sets, &mut |_| Ok(Vec::new()))?;
        let r = Prove::<F>::secret(&mut self.field, sets, &mut |_| Ok(Vec::new()))?;
        Prove::<F>::assert_products(&mut self.field, &r, &r, &r)?;

        let seed = self.field.challenge()?;
        let parities = parities::sums(&conversions.bits, sets, seed);
        let sums = parities::sums(&conversions.elements, sets, seed);
        let digits = Prove::<F>::secret(&mut self.field, sets * sum_width(n), &mut |_| Ok(Vec::new()))?;
        let mut opened = vec![0; sets / 8];
        self.field.receive_message(tags::PARITIES, &mut opened)?;
        let opened: Vec<bool> = (0..sets).map(|j| opened[j / 8] >> (j % 8) & 1 == 1).collect();
        conclude::<F, _, _>(&mut self.field, &sums, &digits, &r, &opened)?;
        assert_parities(&mut self.field.link, &parities, &r_bits, &opened)
    }
}

/// The number of bits of a sum of `n` bits.
fn sum_width(n: usize) -> usize {
    n.checked_ilog2().map_or(0, |log| log as usize + 1)
}

fn pack(bits: &[bool]) -> Vec<u8> {
    bits.chunks(8).map(|bits| bits.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit))).collect()
}

/// The field's part of the claims: digits are bits, each sum is that of its digits, and the lowest digits are
/// the masked parities.
fn conclude<F: Value, W: Clone, B: Prove<F, Wire = W>>(
    b: &mut B,
    sums: &[W],
    digits: &[W],
    r: &[W],
    opened: &[bool],
) -> Result<(), B::Error> {
    b.assert_products(digits, digits, digits)?;
    let width = digits.len() / sums.len().max(1);
    for (((sum, digits), r), opened) in sums.iter().zip(digits.chunks(width.max(1))).zip(r).zip(opened) {
        let value = volery_circuit::gadgets::field::from_bits::<F, B>(b, digits);
        let difference = b.sub(&value, sum);
        let Some(lowest) = digits.first() else { continue };
        let parity = if *opened {
            let sum = b.add(lowest, r);
            b.add_constant(&sum, -F::ONE)
        } else {
            b.sub(lowest, r)
        };
        b.assert_zero(&[difference, parity])?;
    }
    Ok(())
}

/// The binary part: parities and masks add up to the bits that were opened.
fn assert_parities<B: Prove<F2>>(
    b: &mut B,
    parities: &[B::Wire],
    r: &[B::Wire],
    opened: &[bool],
) -> Result<(), B::Error> {
    let mut claims = Vec::with_capacity(opened.len());
    for ((e, r), opened) in parities.iter().zip(r).zip(opened) {
        let sum = b.add(e, r);
        claims.push(b.add_constant(&sum, F2::new(*opened)));
    }
    b.assert_zero(&claims)
}

impl<F: Value, M: Mac<F>> Backend for Prover<'_, F, M> {
    type Error = Error;

    fn enter(&mut self, part: &str) {
        self.field.enter(part);
        self.field.link.enter(part);
    }

    fn leave(&mut self) {
        self.field.leave();
        self.field.link.leave();
    }
}

impl<F: Value, M: Mac<F>> Backend for Verifier<'_, F, M> {
    type Error = Error;
}

volery_circuit::delegate_ring!(['a, F: Value, M: Mac<F>] Prover<'a, F, M>, F2, bits::Prover<'a>, |this| &mut this.field.link);
volery_circuit::delegate_ring!(['a, F: Value, M: Mac<F>] Verifier<'a, F, M>, F2, bits::Verifier<'a>, |this| &mut this.field.link);
volery_circuit::delegate_polynomials!(['a, F: Value, M: Mac<F>] Prover<'a, F, M>, F2, bits::Prover<'a>, |this| &mut this.field.link);
volery_circuit::delegate_polynomials!(['a, F: Value, M: Mac<F>] Verifier<'a, F, M>, F2, bits::Verifier<'a>, |this| &mut this.field.link);

macro_rules! mixed_backends {
    ($($field:ty: $row:tt;)*) => {$(
        volery_circuit::delegate_ring!(
            ['a, M: Mac<$field>] Prover<'a, $field, M>, $field,
            field::Prover<'a, $field, M, bits::Prover<'a>>, |this| &mut this.field
        );
        volery_circuit::delegate_polynomials!(
            ['a, M: Mac<$field>] Prover<'a, $field, M>, $field,
            field::Prover<'a, $field, M, bits::Prover<'a>>, |this| &mut this.field
        );
        volery_circuit::delegate_challenge!(
            ['a, M: Coordinates<$field>] Prover<'a, $field, M>, $field,
            field::Prover<'a, $field, M, bits::Prover<'a>>, |this| this.field
        );
        volery_circuit::delegate_ring!(
            ['a, M: Mac<$field>] Verifier<'a, $field, M>, $field,
            field::Verifier<'a, $field, M, bits::Verifier<'a>>, |this| &mut this.field
        );
        volery_circuit::delegate_polynomials!(
            ['a, M: Mac<$field>] Verifier<'a, $field, M>, $field,
            field::Verifier<'a, $field, M, bits::Verifier<'a>>, |this| &mut this.field
        );
        volery_circuit::delegate_challenge!(
            ['a, M: Coordinates<$field>] Verifier<'a, $field, M>, $field,
            field::Verifier<'a, $field, M, bits::Verifier<'a>>, |this| this.field
        );

        impl<'a, M: Mac<$field>> Convert<$field> for Prover<'a, $field, M> {
            fn convert_bits(
                &mut self,
                bits: &[Bit<bits::Prover<'a>>],
            ) -> Result<Vec<Authenticated<$field, M>>, Error> {
                self.convert(bits)
            }

            fn peek(&self, elements: &[Authenticated<$field, M>], look: &mut dyn FnMut($field)) {
                elements.iter().for_each(|element| look(element.x));
            }
        }

        impl<'a, M: Mac<$field>> Convert<$field> for Verifier<'a, $field, M> {
            fn convert_bits(&mut self, bits: &[Bit<bits::Verifier<'a>>]) -> Result<Vec<M>, Error> {
                self.convert(bits)
            }

            fn peek(&self, _elements: &[M], _look: &mut dyn FnMut($field)) {}
        }
    )*};
}
volery_field::prime_fields!(mixed_backends);
