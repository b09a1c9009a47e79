//! Shares over a field: values in `F`, MACs in its extension `M` (see [`crate::quicksilver::field`]).

use core::marker::PhantomData;

use volery_field::{Authenticated, Mac, Ring, Value, pack_elements, packed_bytes, unpack_elements};
use volery_vole::Prg;
use volery_vole::subfield::FieldDelta;
use zeroize::Zeroizing;

use super::{Mask, Share, lengths};
use crate::Error;
use crate::shares::ElementShare;

/// P's shares over a field.
#[derive(Clone, Copy, Debug)]
pub struct ProverField<F, M>(PhantomData<(F, M)>);

impl<F, M> Default for ProverField<F, M> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

/// V's shares over a field.
#[derive(Clone)]
pub struct VerifierField<F, M: zeroize::Zeroize> {
    delta: Zeroizing<M>,
    field: PhantomData<F>,
}

impl<F: Value, M: Mac<F>> VerifierField<F, M> {
    /// V's shares under the key `delta`.
    #[must_use]
    pub fn new(delta: &FieldDelta<M>) -> Self {
        Self { delta: Zeroizing::new(delta.expose()), field: PhantomData }
    }
}

macro_rules! common {
    () => {
        type Value = F;
        type Mac = M;
        const DEGREE: usize = M::DEGREE;

        #[inline(always)]
        fn add(x: Self::Wire, y: Self::Wire) -> Self::Wire {
            x + y
        }

        #[inline(always)]
        fn sub(x: Self::Wire, y: Self::Wire) -> Self::Wire {
            x - y
        }

        #[inline(always)]
        fn scale(x: Self::Wire, c: F) -> Self::Wire {
            x.scale(c)
        }

        fn point(i: usize) -> M {
            if F::CHARACTERISTIC.is_none_or(|p| p > super::super::MAX_BRANCHES as u64) {
                return M::embed(F::from_u64(i as u64));
            }
            // Characteristic 2: the bits as coordinates.
            let bits = (0..M::DEGREE.min(16)).filter(|h| i >> h & 1 == 1);
            bits.fold(M::ZERO, |sum, h| sum + <M as Mac<F>>::basis(h))
        }

        fn select(write: Mask, other: F, chosen: F) -> F {
            other + (chosen - other).masked(write)
        }

        fn dot(a: &[M], b: &[M]) -> Result<M, Error> {
            M::inner_product(a, b).map_err(lengths)
        }

        fn scale_add(e: M, a: &[M], out: &mut [M]) -> Result<(), Error> {
            M::accumulate_verifier(out, a, e).map_err(lengths)
        }

        fn products(a: &[M], b: &[M], out: &mut [M]) -> Result<(), Error> {
            for (what, got) in [("the second factor", b.len()), ("the output", out.len())] {
                if a.len() != got {
                    return Err(lengths(volery_field::LengthError { what, expected: a.len(), got }));
                }
            }
            out.iter_mut().zip(a.iter().zip(b)).for_each(|(out, (a, b))| *out = *a * *b);
            Ok(())
        }

        type Point = F;
        const GROUP: usize = 1;

        fn mixing_point(byte: u8) -> F {
            F::digit(byte)
        }

        fn lift_point(c: F) -> M {
            M::embed(c)
        }

        fn mix(c: F, x: &[Self::Wire], out: &mut [Self::Wire]) {
            out.iter_mut().zip(x).for_each(|(out, x)| *out += x.scale(c));
        }

        fn mix_values(c: F, x: &[F], out: &mut [F]) {
            out.iter_mut().zip(x).for_each(|(out, x)| *out += *x * c);
        }

        const BITS: u32 = F::BITS;

        fn bytes(n: usize) -> usize {
            packed_bytes::<F>(n)
        }

        fn capacity(bytes: usize) -> usize {
            bytes.saturating_mul(8) / F::BITS as usize
        }

        fn put(values: &[F], out: &mut Vec<u8>) {
            pack_elements(values, out);
        }

        fn get(bytes: &[u8], n: usize) -> Result<Vec<F>, String> {
            unpack_elements(bytes, n).map_err(|error| error.to_string())
        }

        fn uniform(prg: &mut Prg, out: &mut [F]) {
            prg.elements(out);
        }
    };
}

impl<F: Value, M: Mac<F>> Share for ProverField<F, M> {
    type Wire = Authenticated<F, M>;
    common!();
    const KNOWS: bool = true;

    #[inline(always)]
    fn constant(&self, c: F) -> Self::Wire {
        Authenticated::constant(c)
    }

    #[inline(always)]
    fn value(x: Self::Wire) -> F {
        x.x
    }

    #[inline(always)]
    fn embedded(x: Self::Wire) -> M {
        M::embed(x.x)
    }

    #[inline(always)]
    fn embedded_times(x: Self::Wire, c: M) -> M {
        c.scale(x.x)
    }

    #[inline(always)]
    fn commit(write: Mask, random: Self::Wire, x: F) -> Self::Wire {
        Authenticated { x: random.x + (x - random.x).masked(write), m: random.m }
    }

    #[inline(always)]
    fn commit_product(write: Mask, random: Self::Wire, x: Self::Wire, y: Self::Wire) -> Self::Wire {
        Self::commit(write, random, x.x * y.x)
    }

    fn element_constant(&self, c: M) -> ElementShare<M> {
        ElementShare { x: c, m: M::ZERO }
    }

    #[inline(always)]
    fn tag(x: Self::Wire) -> M {
        x.m
    }

    fn lift(x: Self::Wire) -> ElementShare<M> {
        ElementShare { x: M::embed(x.x), m: x.m }
    }

    fn pack(random: &[Self::Wire]) -> ElementShare<M> {
        let basis = |h: usize| <M as Mac<F>>::basis(h);
        random.iter().take(M::DEGREE).enumerate().fold(ElementShare::default(), |sum, (h, r)| ElementShare {
            x: sum.x + basis(h).scale(r.x),
            m: sum.m + basis(h) * r.m,
        })
    }

    fn combine(x: &[Self::Wire], c: &[M]) -> Result<ElementShare<M>, Error> {
        let [tag, value] = M::combine_prover(x, c).map_err(lengths)?;
        Ok(ElementShare { x: value, m: tag })
    }
}

impl<F: Value, M: Mac<F>> Share for VerifierField<F, M> {
    type Wire = M;
    common!();
    const KNOWS: bool = false;

    #[inline(always)]
    fn constant(&self, c: F) -> M {
        self.delta.scale(c)
    }

    #[inline(always)]
    fn value(_x: M) -> F {
        F::ZERO
    }

    #[inline(always)]
    fn embedded(_x: M) -> M {
        M::ZERO
    }

    #[inline(always)]
    fn embedded_times(_x: M, _c: M) -> M {
        M::ZERO
    }

    #[inline(always)]
    fn commit(_write: Mask, random: M, _x: F) -> M {
        random
    }

    #[inline(always)]
    fn commit_product(_write: Mask, random: M, _x: M, _y: M) -> M {
        random
    }

    fn element_constant(&self, c: M) -> ElementShare<M> {
        ElementShare { x: Ring::ZERO, m: c * *self.delta }
    }

    #[inline(always)]
    fn tag(x: M) -> M {
        x
    }

    fn lift(x: M) -> ElementShare<M> {
        ElementShare { x: Ring::ZERO, m: x }
    }

    fn pack(random: &[M]) -> ElementShare<M> {
        ElementShare { x: Ring::ZERO, m: <M as Mac<F>>::pack(random) }
    }

    fn combine(x: &[M], c: &[M]) -> Result<ElementShare<M>, Error> {
        Ok(ElementShare { x: Ring::ZERO, m: M::inner_product(x, c).map_err(lengths)? })
    }
}
