//! The versions of TLS about which something can be proved.

use crate::wire::record::MAX_PLAINTEXT;

/// A version of TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlsVersion {
    /// TLS 1.2.
    Tls12,
    /// TLS 1.3.
    Tls13,
}

impl core::fmt::Display for TlsVersion {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Tls12 => "1.2",
            Self::Tls13 => "1.3",
        })
    }
}

/// In its `Display` form.
impl serde::Serialize for TlsVersion {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl TlsVersion {
    /// The most bytes of a record's plaintext. In TLS 1.3 one of them is the content's type.
    pub(crate) const fn max_plaintext(self) -> usize {
        match self {
            Self::Tls12 => MAX_PLAINTEXT,
            Self::Tls13 => MAX_PLAINTEXT + 1,
        }
    }
}
