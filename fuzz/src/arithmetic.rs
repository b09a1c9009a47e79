//! QuickSilver's messages over fields, and over bits and a field; elements in messages.

use std::marker::PhantomData;

use volery_channel::Channel;
use volery_circuit::{
    Convert, Digest, Error as StatementError, MatrixShape, Ops, Polynomials, Prove, Statement,
};
use volery_field::{
    Bn254Scalar, Element, F2, F32, F32x4, F61, F61x2, Gf128, Gf256, Mac, P256Base, Value, pack_elements,
    packed_bytes, unpack_elements,
};
use volery_vole::subfield::FieldDelta;
use volery_vole::{Delta, SessionId};
use volery_zk::Error;
use volery_zk::quicksilver::field::{Alone, Prover, Settings, Verifier};
use volery_zk::quicksilver::{self, Challenges, mixed, verdict};

use crate::dealing;
use crate::proofs::fiat_shamir;
use crate::replay::{against, rng};

/// Blocks so short that a statement has several, the last one partial.
const SETTINGS: Settings = Settings { interval: 16 };
const BIT_SETTINGS: quicksilver::bits::Settings = quicksilver::bits::Settings { interval: 48 };

/// "I know four elements with this product", and claims of every other kind about them.
#[derive(Clone, Copy)]
pub struct Claims<F> {
    /// Whether the product is another.
    pub lie: bool,
    /// Whether this party has the witness.
    pub knows: bool,
    field: PhantomData<F>,
}

impl<F: Value> Claims<F> {
    /// The statement, true or false, at the verifier.
    #[must_use]
    pub const fn claimed(lie: bool) -> Self {
        Self { lie, knows: false, field: PhantomData }
    }

    /// The true one, at the prover.
    pub const KNOWN: Self = Self { lie: false, knows: true, field: PhantomData };

    fn values() -> [F; 4] {
        [2, 3, 5, 7].map(F::digit)
    }

    fn end(&self) -> F {
        let product = Self::values().into_iter().fold(F::ONE, |product, x| product * x);
        if self.lie { product + F::ONE } else { product }
    }
}

fn known<T>(knows: bool, values: T) -> Result<T, StatementError> {
    if knows { Ok(values) } else { Err(StatementError::Witness("none was given".into())) }
}

impl<F: Value, B: Polynomials<F>> Statement<B> for Claims<F> {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"fuzz: claims");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let x = b.secret(4, &mut |_| known(self.knows, Self::values().to_vec()))?;
        let mut product = b.constant(F::ONE);
        for x in &x {
            product = b.mul(&product, x)?;
        }
        let difference = b.add_constant(&product, -self.end());
        b.assert_zero(&[difference])?;
        b.assert_one_of(&x[..1], &[1, 2, 9].map(F::digit))?;
        let mut expression = b.poly(&x[0]);
        for x in &x[1..] {
            let factor = b.poly(x);
            expression = b.poly_mul(&expression, &factor)?;
        }
        let claim = b.poly_add_constant(&expression, -self.end());
        b.assert_poly_zero(&[claim])?;
        let square = b.secret(4, &mut |peek| {
            let [p, q, r, s] = [0, 1, 2, 3].map(|i| peek.value(&x[i]));
            known(self.knows, vec![p * p + q * r, p * q + q * s, r * p + s * r, r * q + s * s])
        })?;
        b.assert_matrix_product(MatrixShape::square(2), &x, &x, &square)?;
        b.assert_dot(&x[..2], &[x[0].clone(), x[2].clone()], &square[0])
    }
}

/// "I know four bits that are this number", by way of elements and back.
#[derive(Clone, Copy)]
pub struct Number {
    /// Whether it is another number.
    pub lie: bool,
    /// Whether this party has the witness.
    pub knows: bool,
}

impl<B: Convert<F61>> Statement<B> for Number {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"fuzz: number");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let bits =
            Prove::<F2>::secret(b, 4, &mut |_| known(self.knows, vec![F2::ONE, F2::ZERO, F2::ONE, F2::ONE]))?;
        let number = b.to_element(&bits)?;
        let square = Ops::<F61>::mul(b, &number, &number)?;
        let claimed = if self.lie { 168 } else { 169 };
        let difference = Ops::<F61>::add_constant(b, &square, -F61::new(claimed));
        Prove::<F61>::assert_zero(b, &[difference])?;
        let back = b.to_bits(&[number], 4)?;
        let and = Ops::<F2>::mul(b, &back[0], &back[2])?;
        let difference = Ops::<F2>::add_constant(b, &and, F2::ONE);
        Prove::<F2>::assert_zero(b, &[difference])
    }
}

/// Calls a generic function with the pair of fields that a number says.
macro_rules! with_fields {
    ($number:expr, $function:ident ( $($argument:expr),* )) => {
        match $number % 5 {
            0 => $function::<F61, F61>($($argument),*),
            1 => $function::<F61, F61x2>($($argument),*),
            2 => $function::<F32, F32x4>($($argument),*),
            3 => $function::<Gf256, Gf128>($($argument),*),
            _ => $function::<Bn254Scalar, Bn254Scalar>($($argument),*),
        }
    };
}

/// How many pairs of fields there are for the targets.
pub const FIELDS: u8 = 5;

/// All that a verifier sends during a proof over a field, at the prover. The first byte says which fields.
pub fn arithmetic_prover(bytes: &[u8]) {
    let Some((fields, rest)) = bytes.split_first() else { return };
    let _ = against(rest, |channel| as_prover(channel, *fields, false));
}

/// All that a prover sends, at the verifier. The first byte says whether challenges are hashes (bit 0),
/// whether the statement is false (bit 1): then nothing is accepted; and which fields (the rest).
pub fn arithmetic_verifier(bytes: &[u8]) {
    let Some((mode, rest)) = bytes.split_first() else { return };
    let lie = mode & 2 != 0;
    let result =
        against(rest, |channel| as_verifier(channel, mode >> 2, mode & 1 != 0, &dealing::delta(bytes), lie));
    assert!(!lie || result.is_err(), "a false statement is accepted");
}

/// An honest prover over fields number `fields`.
///
/// # Errors
/// What its peer does wrong.
pub fn as_prover(channel: &mut dyn Channel, fields: u8, hashed: bool) -> Result<(), Error> {
    fn prover<F: Value, M: Mac<F>>(channel: &mut dyn Channel, hashed: bool) -> Result<(), Error> {
        let (mut rng, mut pool) = (rng(3), dealing::elements::<F, M>());
        let challenges = if hashed { fiat_shamir("fuzz") } else { Challenges::Interactive(&mut rng) };
        Prover::new(SETTINGS, challenges, &mut pool, Alone(channel)).prove(&Claims::<F>::KNOWN)?;
        verdict::receive(channel)
    }
    with_fields!(fields, prover(channel, hashed))
}

/// An honest verifier, whose key has the digits of `delta`.
///
/// # Errors
/// What its peer does wrong.
pub fn as_verifier(
    channel: &mut dyn Channel,
    fields: u8,
    hashed: bool,
    delta: &Delta,
    lie: bool,
) -> Result<(), Error> {
    fn verifier<F: Value, M: Mac<F>>(
        channel: &mut dyn Channel,
        hashed: bool,
        delta: &Delta,
        lie: bool,
    ) -> Result<(), Error> {
        let delta = FieldDelta::<M>::from_digits::<F>(delta);
        let (mut rng, mut pool) = (rng(5), dealing::keys::<F, M>(&delta));
        let challenges = if hashed { fiat_shamir("fuzz") } else { Challenges::Interactive(&mut rng) };
        let verifier = Verifier::new(SETTINGS, challenges, &delta, &mut pool, Alone(channel));
        verifier.verify(&Claims::<F>::claimed(lie))?;
        verdict::send(channel, true)
    }
    with_fields!(fields, verifier(channel, hashed, delta, lie))
}

/// All that a verifier sends during a proof over bits and a field, at the prover.
pub fn mixed_prover(bytes: &[u8]) {
    let _ = against(bytes, |channel| as_mixed_prover(channel, false));
}

/// All that a prover sends, at the verifier; the first byte as for [`arithmetic_verifier`], without fields.
pub fn mixed_verifier(bytes: &[u8]) {
    let Some((mode, rest)) = bytes.split_first() else { return };
    let lie = mode & 2 != 0;
    let result =
        against(rest, |channel| as_mixed_verifier(channel, mode & 1 != 0, &dealing::delta(bytes), lie));
    assert!(!lie || result.is_err(), "a false statement is accepted");
}

fn mixed_challenges<'a>(hashed: bool, seed: u8) -> [Challenges<'a>; 2] {
    let mut rng = rng(seed);
    ["fuzz: bits", "fuzz: field"].map(|part| {
        if hashed { fiat_shamir(part) } else { Challenges::seeded(&SessionId::new([0; 32]), &mut rng) }
    })
}

/// An honest prover over bits and a field.
///
/// # Errors
/// What its peer does wrong.
pub fn as_mixed_prover(channel: &mut dyn Channel, hashed: bool) -> Result<(), Error> {
    let (mut bit_pool, mut pool) = (dealing::bits(None), dealing::elements::<F61, F61>());
    let [for_bits, for_elements] = mixed_challenges(hashed, 3);
    let bits = quicksilver::bits::Prover::new(BIT_SETTINGS, for_bits, &mut bit_pool, channel, None);
    let field = Prover::new(SETTINGS, for_elements, &mut pool, bits);
    mixed::Prover::new(field, [9; 16].into()).prove(&Number { lie: false, knows: true })?;
    verdict::receive(channel)
}

/// An honest verifier over bits and a field, whose keys both come of `delta`.
///
/// # Errors
/// What its peer does wrong.
pub fn as_mixed_verifier(
    channel: &mut dyn Channel,
    hashed: bool,
    delta: &Delta,
    lie: bool,
) -> Result<(), Error> {
    let field_delta = FieldDelta::<F61>::from_digits::<F61>(delta);
    let (mut bit_pool, mut pool) =
        (dealing::bits(Some(delta.duplicate())), dealing::keys::<F61, F61>(&field_delta));
    let [for_bits, for_elements] = mixed_challenges(hashed, 5);
    let bits = quicksilver::bits::Verifier::new(BIT_SETTINGS, for_bits, delta, &mut bit_pool, channel, None);
    let field = Verifier::new(SETTINGS, for_elements, &field_delta, &mut pool, bits);
    mixed::Verifier::new(field).verify(&Number { lie, knows: false })?;
    verdict::send(channel, true)
}

/// Elements in messages: what is read is written the same. The first byte says of which field.
pub fn elements(bytes: &[u8]) {
    fn read<E: Element>(bytes: &[u8]) {
        if let Ok(element) = E::decode(bytes) {
            let mut encoding = vec![0; E::BYTES];
            assert_eq!(element.encode(&mut encoding), Ok(()));
            assert_eq!(encoding, bytes, "another encoding of an element of {}", E::NAME);
        }
        let most = bytes.len() * 8 / E::BITS as usize;
        // At most one count fits a length; those beside it are refused before anything is allocated.
        for count in [most, most.wrapping_sub(1), most + 1, usize::MAX] {
            if let Ok(elements) = unpack_elements::<E>(bytes, count) {
                assert_eq!((elements.len(), packed_bytes::<E>(count)), (count, bytes.len()));
                let mut packed = Vec::new();
                pack_elements(&elements, &mut packed);
                assert_eq!(packed, bytes, "another packing of elements of {}", E::NAME);
            }
        }
    }
    let Some((field, rest)) = bytes.split_first() else { return };
    match field % 8 {
        0 => read::<F61>(rest),
        1 => read::<F61x2>(rest),
        2 => read::<F32>(rest),
        3 => read::<F32x4>(rest),
        4 => read::<Gf256>(rest),
        5 => read::<Gf128>(rest),
        6 => read::<Bn254Scalar>(rest),
        _ => read::<P256Base>(rest),
    }
}
