//! Learning parity with noise: the code and its security.

mod code;

pub(crate) use code::LpnCode;
