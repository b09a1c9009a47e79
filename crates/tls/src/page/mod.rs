//! What the connection said: requests and responses, what P shows and hides of them, and what V believes in
//! the end.
//!
//! This room starts where a connection has ended. It takes the transcript from [`wire`](crate::wire) and does
//! not care which of the two [modes](crate::modes) made it: each mode hands over bytes and keys, and V's
//! checks are the same code.
//!
//! ```text
//! plaintext  --http-->  ranges: target, fields, body, JSON values
//!            --disclosure-->  shown text and hidden strings;  claim: what holds of each hidden string
//!            --commitment-->  Pedersen commitments to hidden strings, to be opened later
//!            --attestation-->  all of it in one file that V signs
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | `http` | requests and responses as ranges of the plaintext; values of JSON bodies |
//! | `dialogue` | several requests on one connection: what P asks next, and when it has heard the answer |
//! | `claim` | what can be proved about bytes that stay hidden, and the circuits that prove it |
//! | `disclosure` | what P tells V about a connection that has ended, V's checks of it, and the statement that is proved |
//! | `commitment` | Pedersen commitments to the payload, for the holder to open later, and range proofs on them |
//! | `attestation` | what V signs in the end, for others who trust V |

pub mod attestation;
pub mod claim;
pub mod commitment;
pub mod dialogue;
pub mod disclosure;
pub mod http;
