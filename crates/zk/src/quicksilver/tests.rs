//! Proofs between two threads.
