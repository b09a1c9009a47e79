//! The content of the connection: requests and responses, what P shows and hides of them, and what V may
//! believe in the end.
//!
//! This part of the crate starts where a connection has ended. It takes the transcript from
//! [`wire`](crate::wire), and does not depend on which of the two [modes](crate::modes) made it: each mode
//! provides bytes and keys, and V's checks are the same code.
//!
//! ```text
//! plaintext  --http-->  ranges: target, fields, body, JSON values
//!            --disclosure-->  shown text and hidden strings;  claim: what holds of each hidden string
//!            --commitment-->  Pedersen commitments to hidden strings, to be opened later
//!            --leaf-->  commitments to all hidden strings
//!            --attestation-->  all of it in one file that V signs
//!            --presentation-->  an attestation and what its holder shows more of it
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | `http` | requests and responses as ranges of the plaintext; values of JSON bodies |
//! | `dialogue` | several requests on one connection: what P asks next, and when the answer is complete |
//! | `claim` | what can be proved about bytes that stay hidden, and the circuits that prove it |
//! | `disclosure` | what P tells V about a connection that has ended, V's checks of it, and the statement that is proved |
//! | `commitment` | Pedersen commitments to the payload, for the holder to open later, and range proofs on them |
//! | `leaf` | commitments to all hidden strings, by hashes that are computed in the proof |
//! | `attestation` | V's signed statement, for others who trust V |
//! | `presentation` | an attestation, and hidden parts of it that its holder opens or proves claims about |

pub mod attestation;
pub mod claim;
pub mod commitment;
pub mod dialogue;
pub mod disclosure;
pub mod http;
pub mod leaf;
pub mod presentation;
