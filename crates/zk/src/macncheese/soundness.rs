//! What an acceptance is worth.
