//! The pairs of fields and the kinds of proof that tests go over.

use core::marker::PhantomData;

/// Names the kind of proof that is over bits, for a test that is generic over the kind.
pub struct Bits;

/// Names the kind of proof that is over `F`, with MACs in `M`.
pub struct Over<F, M>(PhantomData<(F, M)>);

/// Calls a function that is generic over a field of values and a field of their MACs, for pairs of every kind
/// of field: `every_pair!(check)` or `every_pair!(check(arguments))`. The feature `every-field` of the crate
/// under test adds all pairs that the system serves, an extension of degree four among them.
#[macro_export]
macro_rules! every_pair {
    ($test:ident) => { $crate::every_pair!($test()) };
    ($test:ident $args:tt) => {{
        use $crate::field::{Bn254Scalar, F61, F61x2, Gf128, Gf256};
        $test::<F61, F61> $args;
        $test::<F61, F61x2> $args;
        $test::<Gf256, Gf128> $args;
        $test::<Bn254Scalar, Bn254Scalar> $args;
        #[cfg(feature = "every-field")]
        { $crate::field::prime_fields!($crate::pairs_of_table, $test $args); }
    }};
}

/// Calls a function for each pair of the table of prime fields.
#[macro_export]
#[doc(hidden)]
macro_rules! pairs_of_table {
    ($test:ident $args:tt $($field:ty: { macs: [$($mac:ty),+], $($rest:tt)* };)*) => {
        $($($test::<$field, $mac> $args;)+)*
    };
}

/// Like [`every_pair!`], for one pair whose MACs are in the field itself and one with MACs in an extension.
/// The feature `every-field` of the crate under test adds a pair of each other kind, each of which takes a
/// good part of a minute to compile. For what does not depend on the field: lies, orders of steps, lengths.
/// Both pairs have the same values: what handles those alone is compiled once.
#[macro_export]
macro_rules! every_kind_of_pair {
    ($test:ident) => { $crate::every_kind_of_pair!($test()) };
    ($test:ident $args:tt) => {{
        use $crate::field::{F61, F61x2};
        $test::<F61, F61> $args;
        $test::<F61, F61x2> $args;
        #[cfg(feature = "every-field")]
        {
            use $crate::field::{Bn254Scalar, F32, F32x4, Gf128, Gf256, Goldilocks, GoldilocksX2};
            $test::<F32, F32x4> $args;
            $test::<Goldilocks, Goldilocks> $args;
            $test::<Goldilocks, GoldilocksX2> $args;
            $test::<Gf256, Gf128> $args;
            $test::<Bn254Scalar, Bn254Scalar> $args;
        }
    }};
}

/// Calls a test for every kind of proof: over bits, with MACs in the field of values and in an extension of
/// it; with the feature `every-field` of the crate under test also for other fields.
#[macro_export]
macro_rules! every_kind {
    ($test:ident) => {{
        use $crate::field::{F61, F61x2};
        $test::<$crate::Bits>();
        $test::<$crate::Over<F61, F61>>();
        $test::<$crate::Over<F61, F61x2>>();
        #[cfg(feature = "every-field")]
        {
            use $crate::field::{F32, F32x4, Gf128, Gf256};
            $test::<$crate::Over<F32, F32x4>>();
            $test::<$crate::Over<Gf256, Gf128>>();
        }
    }};
}

/// Like [`every_kind!`], where MACs in an extension come with the feature `every-field` only: for statements
/// that are about something else, of whose parts other tests prove one over each kind.
#[macro_export]
macro_rules! bits_and_a_field {
    ($test:ident) => {{
        #[cfg(feature = "every-field")]
        $crate::every_kind!($test);
        #[cfg(not(feature = "every-field"))]
        {
            $test::<$crate::Bits>();
            $test::<$crate::Over<$crate::field::F61, $crate::field::F61>>();
        }
    }};
}
