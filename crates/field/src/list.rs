//! The prime fields that statements can be over, as one table. Every crate makes what it has for each of
//! them from this table, so a field that is added here is served everywhere: by conversions to and from bits,
//! files of constraint systems, every proof system, public proofs, and the program.
//!
//! To add a prime of 256 bits, add its row in `prime256/primes.rs`, its published value in
//! `prime256/tests.rs`, and a row here. To add a field with arithmetic of its own, add its module, name it in
//! `lib.rs`, and add a row here.

/// Calls a macro with the table, after what else is given: `prime_fields!(name, tokens)` makes
/// `name! { tokens rows }`. A macro that needs only the types takes `$($field:ty: $row:tt;)*` as the rows.
///
/// | column | what it holds |
/// |---|---|
/// | `macs` | fields of MACs, smallest first; a second one only if the first is too small for 100 bits |
/// | `name` | the field's name on a command line |
/// | `what` | the elements, in words |
/// | `files` | for primes that constraint systems in files are over: their identifier, and their name in messages |
#[macro_export]
#[doc(hidden)]
macro_rules! prime_fields {
    ($macro:path $(, $($first:tt)*)?) => {
        $macro! {
            $($($first)*)?
            $crate::F61: {
                macs: [$crate::F61, $crate::F61x2],
                name: "f61", what: "integers modulo 2^61-1",
                files: [
                    /// `2^61 - 1`.
                    Mersenne61, "2^61-1"
                ]
            };
            $crate::F32: {
                macs: [$crate::F32x4],
                name: "f32", what: "integers modulo 2^32-99",
                files: []
            };
            $crate::Goldilocks: {
                macs: [$crate::Goldilocks, $crate::GoldilocksX2],
                name: "goldilocks", what: "integers modulo 2^64-2^32+1",
                files: [
                    /// `2^64 - 2^32 + 1`, `goldilocks` in circom.
                    Goldilocks, "Goldilocks (2^64-2^32+1)"
                ]
            };
            $crate::Bn254Scalar: {
                macs: [$crate::Bn254Scalar],
                name: "bn254", what: "integers modulo the order of BN254's groups",
                files: [
                    /// The order of BN254's groups: circom's default, there called `bn128`.
                    Bn254, "BN254's scalar field"
                ]
            };
            $crate::Bls12381Scalar: {
                macs: [$crate::Bls12381Scalar],
                name: "bls12-381", what: "integers modulo the order of BLS12-381's groups",
                files: [
                    /// The order of BLS12-381's groups, `bls12381` in circom.
                    Bls12381, "BLS12-381's scalar field"
                ]
            };
            $crate::Bls12377Scalar: {
                macs: [$crate::Bls12377Scalar],
                name: "bls12-377", what: "integers modulo the order of BLS12-377's groups",
                files: [
                    /// The order of BLS12-377's groups, `bls12377` in circom.
                    Bls12377, "BLS12-377's scalar field"
                ]
            };
            $crate::PallasBase: {
                macs: [$crate::PallasBase],
                name: "pallas", what: "the base field of Pallas, as in circom",
                files: [
                    /// The base field of Pallas, which is Vesta's scalar field: `pallas` in circom.
                    Pallas, "Pallas' base field"
                ]
            };
            $crate::VestaBase: {
                macs: [$crate::VestaBase],
                name: "vesta", what: "the base field of Vesta, as in circom",
                files: [
                    /// The base field of Vesta, which is Pallas' scalar field: `vesta` in circom.
                    Vesta, "Vesta's base field"
                ]
            };
            $crate::GrumpkinScalar: {
                macs: [$crate::GrumpkinScalar],
                name: "grumpkin", what: "integers modulo the order of Grumpkin, as in circom",
                files: [
                    /// The order of Grumpkin, which is BN254's base field: `grumpkin` in circom.
                    Grumpkin, "Grumpkin's scalar field"
                ]
            };
            $crate::P256Base: {
                macs: [$crate::P256Base],
                name: "p256", what: "the base field of P-256",
                files: [
                    /// The base field of P-256, `secq256r1` in circom.
                    P256, "P-256's base field"
                ]
            };
            $crate::Secp256k1Base: {
                macs: [$crate::Secp256k1Base],
                name: "secp256k1", what: "the base field of secp256k1",
                files: [
                    /// The base field of secp256k1.
                    Secp256k1, "secp256k1's base field"
                ]
            };
            $crate::RistrettoScalar: {
                macs: [$crate::RistrettoScalar],
                name: "ristretto", what: "integers modulo the order of the Ristretto group",
                files: [
                    /// The order of the Ristretto group.
                    Ristretto, "Ristretto's scalar field"
                ]
            };
        }
    };
}
