//! Learning parity with noise: the code and its security.

mod code;
pub mod security;

pub(crate) use code::LpnCode;
