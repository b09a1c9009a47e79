//! The error of a vector function that is called with wrong lengths.

/// Two vectors that belong together have different lengths. This is the caller's mistake: lengths that come
/// from a peer must be checked where they are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{what} has {got} elements where {expected} are needed")]
pub struct LengthError {
    /// The name of the argument.
    pub what: &'static str,
    /// The number of elements that the other arguments require.
    pub expected: usize,
    /// The number of elements given.
    pub got: usize,
}

impl LengthError {
    /// `Ok` if `got` is `expected`.
    #[inline]
    pub(crate) fn check(what: &'static str, expected: usize, got: usize) -> Result<(), Self> {
        if got == expected { Ok(()) } else { Err(Self { what, expected, got }) }
    }
}
