//! Learning parity with noise: the code and its security.

mod code;
#[cfg(test)] mod bench_tmp;

pub(crate) use code::LpnCode;
