//! Statements, circuits, their file formats and gadgets.
//!
//! A statement is a program over an abstract backend. It is written once, and every role runs that same
//! program: the evaluator and the counter of this crate, and the prover and verifier of each proof system
//! above it. Nothing here knows which proof system runs a statement.
//!
//! # Map
//!
//! | what | where |
//! |---|---|
//! | statements, and the operations that a backend offers them | [`Statement`]; [`Backend`], [`Ops`], [`Prove`] |
//! | bits and elements of a field in one statement | [`convert`]: [`Convert`] |
//! | claims about polynomials in committed values | [`polynomials`]: [`Polynomials`] |
//! | relations of fixed degree; challenges in the middle of a statement | [`relations`]: [`Relate`]; [`challenge`]: [`Challenge`] |
//! | rows of public and committed tables; memory at secret addresses | [`lookups`]; [`ram`] |
//! | does it hold, and if not, where does it fail? | [`Evaluator`] |
//! | what will it cost? | [`Counter`] |
//! | a statement as a flat circuit | [`Recorder`], [`Circuit`], [`CircuitStatement`] |
//! | gadgets with public constants folded away | [`Fold`] |
//! | a statement in a wrapper | [`forward_statement!`] |
//! | integers, hash functions, AES over any Boolean backend | [`gadgets`] |
//! | statements to pick by name, and to measure with | [`statements`] |
//! | circuit files: Bristol Fashion over bits and rings, circom's `.r1cs` | [`bristol`]; [`r1cs`] |
//! | the public side of a claim, the secret side, as values and as text | [`claim`], [`witness`]; [`numbers`] |
//! | the identity that prover and verifier compare | [`Digest`] |
//!
//! # Writing a statement
//!
//! A statement holds the public values and, at the prover, the secret ones. Its program makes the same calls
//! whatever the secret values are. These come in through hints, which run only where values exist.
//!
//! ```
//! use volery_circuit::{Counter, Digest, Error, Evaluator, Prove, Statement};
//! use volery_field::F2;
//!
//! /// "I know two bits whose AND is `product`."
//! struct Factors {
//!     product: F2,
//!     witness: Option<[F2; 2]>,
//! }
//!
//! impl<B: Prove<F2>> Statement<B> for Factors {
//!     fn identify(&self, digest: &mut Digest) {
//!         digest.bytes("statement", b"example: factors v1");
//!         digest.number("product", self.product.to_u8().into());
//!     }
//!
//!     fn run(&self, backend: &mut B) -> Result<(), B::Error> {
//!         let factors = backend.secret(2, &mut |_| {
//!             let bits = self.witness.ok_or_else(|| Error::Witness("none was given".into()))?;
//!             Ok(bits.to_vec())
//!         })?;
//!         backend.enter("product");
//!         let product = backend.mul(&factors[0], &factors[1])?;
//!         let difference = backend.add_constant(&product, -self.product);
//!         backend.assert_zero(&[difference])?;
//!         backend.leave();
//!         Ok(())
//!     }
//! }
//!
//! // It holds for the right witness. For a wrong one, the error names the assertion that fails.
//! let right = Factors { product: F2::ONE, witness: Some([F2::ONE, F2::ONE]) };
//! assert_eq!(Evaluator::check(&right), Ok(()));
//! let wrong = Factors { product: F2::ONE, witness: Some([F2::ONE, F2::ZERO]) };
//! let expected = Error::Unsatisfied { assertion: 0, place: "product".into() };
//! assert_eq!(Evaluator::<F2>::check(&wrong), Err(expected));
//!
//! // Counting takes no witness.
//! let verifier = Factors { product: F2::ONE, witness: None };
//! assert_eq!(Counter::count(&verifier)?.total().multiplications, 1);
//! # Ok::<(), Error>(())
//! ```

#![forbid(unsafe_code)]

mod backend;
pub mod bristol;
pub mod challenge;
pub mod choose;
pub mod circuit;
pub mod claim;
pub mod convert;
mod counter;
mod digest;
mod elements;
mod error;
mod evaluator;
mod files;
pub mod fold;
mod forward;
#[doc(hidden)]
pub mod fuzz;
pub mod gadgets;
pub mod lookups;
mod message;
mod multi_add;
pub mod numbers;
mod place;
pub mod polynomials;
pub mod r1cs;
pub mod ram;
mod records;
pub mod relations;
mod seeded;
pub mod statements;
#[doc(hidden)]
pub mod testing;
mod text;
pub mod witness;

pub use backend::{Backend, Hint, Ops, Peek, Prove, Statement, check_linear};
pub use bristol::{BristolFile, FileBatch, FileStatement};
pub use challenge::{Challenge, PendingChallenge, ScalarHint, Tested};
pub use choose::{Branch, Branches, Choose, Picked, Repeat, Shape, Steps};
pub use circuit::{
    Circuit, CircuitStatement, Computed, Gate, Input, Output, Parts, Recorded, Recorder, Schedule, Signature,
    Step,
};
pub use claim::Claim;
pub use convert::{Convert, MixedEvaluator};
pub use counter::{Counter, Counts, Detail, Everything, PartCounts, Sizes};
pub use digest::Digest;
pub use error::Error;
pub use evaluator::Evaluator;
pub use fold::{Fold, Folded, Folding};
pub use lookups::{Lookups, Table, invert_all};
pub use message::Message;
pub use multi_add::{Addends, Carries, MOST_BY_ADDERS};
pub use place::Place;
pub use polynomials::{Graded, MAX_DEGREE, MatrixShape, Polynomial, Polynomials, Term};
pub use ram::{Ram, Unset};
pub use relations::{Expression, Relate};
#[doc(hidden)]
pub use text::counted;
pub use witness::Witness;
