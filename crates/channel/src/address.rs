//! Where a party listens or connects to, as people write it.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use crate::error::Error;

/// `HOST:PORT` (`[ADDRESS]:PORT` for IPv6) or `unix:PATH`.
///
/// ```
/// use volery_channel::Address;
///
/// let address: Address = "localhost:7000".parse()?;
/// assert_eq!(address, Address::Tcp { host: "localhost".into(), port: 7000 });
/// assert!("localhost".parse::<Address>().is_err());
/// # Ok::<(), volery_channel::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// TCP. The host is a name or an IP address (without brackets); port 0 lets the system choose when
    /// listening.
    Tcp {
        /// Name or IP address.
        host: String,
        /// Port.
        port: u16,
    },
    /// A Unix stream socket at this path.
    Unix(PathBuf),
}

impl FromStr for Address {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let error = |reason: &str| Error::Address { text: text.to_owned(), reason: reason.to_owned() };
        if let Some(path) = text.strip_prefix("unix:") {
            if path.is_empty() {
                return Err(error("a path must follow `unix:`"));
            }
            return Ok(Self::Unix(path.into()));
        }
        if text.contains('/') {
            return Err(error("expected HOST:PORT; a socket file is written unix:PATH"));
        }
        let (host, port) = text.rsplit_once(':').ok_or_else(|| error("expected HOST:PORT or unix:PATH"))?;
        let port = parse_port(port).ok_or_else(|| error("the port must be a number from 0 to 65535"))?;
        let host = match host.strip_prefix('[') {
            Some(inner) => inner
                .strip_suffix(']')
                .filter(|inner| inner.parse::<std::net::Ipv6Addr>().is_ok())
                .ok_or_else(|| error("brackets must hold an IPv6 address"))?,
            None if host.contains(':') => {
                return Err(error("an IPv6 address must be in brackets: [::1]:7000"));
            }
            None => host,
        };
        if host.is_empty() {
            return Err(error("the host is missing; 0.0.0.0 stands for every interface when listening"));
        }
        Ok(Self::Tcp { host: host.to_owned(), port })
    }
}

/// Digits only: `u16`'s own parser also takes a plus sign.
fn parse_port(text: &str) -> Option<u16> {
    text.bytes().all(|c| c.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Self::Tcp { host, port } => write!(f, "{host}:{port}"),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_parses_and_prints_as_written() {
        for text in ["localhost:7000", "127.0.0.1:0", "[::1]:65535", "unix:/tmp/a b:c", "unix:relative"] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn malformed_addresses_are_refused_with_the_reason() {
        for (text, reason) in [
            ("localhost", "expected HOST:PORT"),
            ("localhost:", "the port must be"),
            ("localhost:+1", "the port must be"),
            ("localhost:65536", "the port must be"),
            (":7000", "the host is missing"),
            ("::1:7000", "must be in brackets"),
            ("[::1:7000", "brackets must hold"),
            ("[host]:7000", "brackets must hold"),
            ("/tmp/socket", "unix:PATH"),
            ("unix:", "a path must follow"),
            ("", "expected HOST:PORT"),
        ] {
            match text.parse::<Address>() {
                Err(Error::Address { reason: got, .. }) => assert!(got.contains(reason), "{text}: {got}"),
                other => panic!("{text}: {other:?}"),
            }
        }
    }
}
