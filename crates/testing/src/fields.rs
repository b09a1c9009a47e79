//! The pairs of fields and the kinds of proof that tests go over.

use core::marker::PhantomData;

/// Names the kind of proof that is over bits, for a test that is generic over the kind.
pub struct Bits;

/// Names the kind of proof that is over `F`, with MACs in `M`.
pub struct Over<F, M>(PhantomData<(F, M)>);

/// Calls a function that is generic over a field of values and a field of their MACs, for each pair that the
/// system serves: `every_pair!(check)` or `every_pair!(check(arguments))`.
#[macro_export]
macro_rules! every_pair {
    ($test:ident) => { $crate::every_pair!($test()) };
    ($test:ident($($arg:expr),*)) => {{
        use $crate::field::{
            Bls12381Scalar, Bn254Scalar, F32, F32x4, F61, F61x2, Gf128, Gf256, P256Base, RistrettoScalar,
            Secp256k1Base,
        };
        $test::<F61, F61>($($arg),*);
        $test::<F61, F61x2>($($arg),*);
        $test::<F32, F32x4>($($arg),*);
        $test::<Gf256, Gf128>($($arg),*);
        $test::<Bn254Scalar, Bn254Scalar>($($arg),*);
        $test::<Bls12381Scalar, Bls12381Scalar>($($arg),*);
        $test::<Secp256k1Base, Secp256k1Base>($($arg),*);
        $test::<P256Base, P256Base>($($arg),*);
        $test::<RistrettoScalar, RistrettoScalar>($($arg),*);
    }};
}

/// Like [`every_pair!`], for one pair whose MACs are in the field itself and one with MACs in an extension.
/// The feature `every-field` of the crate under test adds other pairs, each of which takes a good part of a
/// minute to compile. For what does not depend on the field: lies, orders of steps, lengths.
#[macro_export]
macro_rules! every_kind_of_pair {
    ($test:ident) => { $crate::every_kind_of_pair!($test()) };
    ($test:ident($($arg:expr),*)) => {{
        use $crate::field::{F32, F32x4, F61};
        $test::<F61, F61>($($arg),*);
        $test::<F32, F32x4>($($arg),*);
        #[cfg(feature = "every-field")]
        {
            use $crate::field::{Bn254Scalar, F61x2, Gf128, Gf256};
            $test::<F61, F61x2>($($arg),*);
            $test::<Gf256, Gf128>($($arg),*);
            $test::<Bn254Scalar, Bn254Scalar>($($arg),*);
        }
    }};
}

/// Calls a test for every kind of proof: over bits, with MACs in the field of values and in an extension of
/// it; with the feature `every-field` of the crate under test also for other fields.
#[macro_export]
macro_rules! every_kind {
    ($test:ident) => {{
        use $crate::field::{F32, F32x4, F61};
        $test::<$crate::Bits>();
        $test::<$crate::Over<F61, F61>>();
        $test::<$crate::Over<F32, F32x4>>();
        #[cfg(feature = "every-field")]
        {
            use $crate::field::{F61x2, Gf128, Gf256};
            $test::<$crate::Over<F61, F61x2>>();
            $test::<$crate::Over<Gf256, Gf128>>();
        }
    }};
}
