//! VOLE-based zero-knowledge proofs.
//!
//! P proves to V that a [`Statement`](volery_circuit::Statement) holds, by committing to every secret value with an
//! information-theoretic MAC and proving that the committed values satisfy the statement:
//!
//! ```text
//! k = m + x * delta          P holds (x, m), V holds k and delta
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | [`quicksilver`] | proofs of Boolean circuits, one bit a multiplication (QuickSilver, figure 4) |

#![forbid(unsafe_code)]

mod error;
pub mod quicksilver;

pub use error::Error;
