//! Correlated randomness with malicious security on both sides.

