//! Rank-one constraint systems: circom's `.r1cs`, `.wtns` and `public.json` files, as statements.
//!
//! Everything that compiles to iden3's binary format (circom, and other tools that export it) can be proved.
//! A system has wires `w_0 = 1, w_1, ...` and constraints
//!
//! ```text
//! (sum a_j w_j) * (sum b_j w_j) = sum c_j w_j
//! ```
//!
//! over a prime field. Wires are in this order: the constant one, public outputs, public inputs, private
//! inputs, the rest. Public wires are constants of the statement; the others are committed to. Each
//! constraint is then one claim about a product of committed values (QuickSilver, section 5.2: degree 2, no
//! communication), or a linear claim if `a` or `b` is constant.
//!
//! Formats: <https://github.com/iden3/r1csfile/blob/master/doc/r1cs_bin_format.md>; `.wtns` and `public.json`
//! as snarkjs writes them. Both binary formats are a magic word, a version, and sections in any order.
//!
//! | module | what it holds |
//! |---|---|
//! | `prime` | [`KnownPrime`], [`PrimeField`]: the field of a file |
//! | `binary` | sections, and bytes to numbers: everything checked |
//! | `header`, `reader` | [`Header`] and [`R1cs`] from files |
//! | `system`, `coefficients` | [`R1cs`], [`Builder`]: constraints in little memory |
//! | `wtns` | [`Assignment`]: the values of all wires |
//! | `public` | `public.json` |
//! | `statement` | [`R1csStatement`] |
//! | `writer` | writing the same files |
//! | `sample` | systems of any size, for measuring and tests |
//!
//! The readers require: the right magic word and version; sections inside the file and nothing after them;
//! each known section exactly once; a prime that Volery has; counts that fit each other and the sections;
//! wires in range; canonical coefficients. Unknown sections are skipped; custom gates are refused. The terms
//! of a combination may be in any order, and a wire may occur more than once: its coefficients add up.

mod binary;
mod coefficients;
mod header;
mod prime;
mod public;
mod reader;
mod sample;
mod statement;
mod system;
mod writer;
mod wtns;

pub use header::Header;
pub use prime::{KnownPrime, PrimeField};
pub use public::{read_public, write_public};
pub use sample::sample;
pub use statement::R1csStatement;
pub use system::{Builder, Counts, R1cs};
pub use wtns::Assignment;

#[cfg(test)]
mod tests;
