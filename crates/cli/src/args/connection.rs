//! Options of the connection: addresses, TLS, time and bytes.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use volery::Address;
use volery_channel::tls::Fingerprint;

// Options of one side conflict with the other side. Otherwise clap would drop a `requires` whose target
// conflicts with an option that is there, and silently ignore a certificate or a pin: the connection would be
// in the clear.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Connection")]
pub(crate) struct ConnectionArgs {
    /// Wait for the other party at this address: HOST:PORT or unix:PATH. With port 0 the program takes a free
    /// port and prints it on standard error. Connections that do not speak Volery do not end the wait
    #[arg(long, value_name = "ADDR", conflicts_with = "connect")]
    pub(crate) listen: Option<Address>,
    /// Connect to the other party at this address. It may start to listen later (--connect-timeout)
    #[arg(long, value_name = "ADDR")]
    pub(crate) connect: Option<Address>,
    /// Listening: the certificate for TLS (PEM, with its chain)
    #[arg(long, value_name = "FILE", requires = "tls_key", conflicts_with = "connect")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// Listening: the certificate's private key (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert", conflicts_with = "connect")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Listening: also let web pages of this origin connect by WebSocket, like https://example.com; `*` means
    /// pages of any origin. Pages of this machine (localhost) may always connect. May be given several times
    #[arg(long, value_name = "ORIGIN", conflicts_with = "connect", value_parser = origin)]
    pub(crate) origin: Vec<String>,
    /// Connecting: use TLS, with a certificate issued by one of these authorities (PEM)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["listen", "tls_pin"])]
    pub(crate) tls_ca: Option<PathBuf>,
    /// Connecting: use TLS, with exactly the certificate of this fingerprint
    #[arg(long, value_name = "sha256:HEX", conflicts_with = "listen", value_parser = pin)]
    pub(crate) tls_pin: Option<Fingerprint>,
    /// Connecting: the name that the certificate must be for [default: the host of --connect]
    #[arg(long, value_name = "NAME", conflicts_with = "listen")]
    pub(crate) tls_name: Option<String>,
    /// Connecting: how long to try, also while nobody listens yet. Listening: how long a connection may take
    /// for TLS and its first message, and with --serve for its answer when its turn comes
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub(crate) connect_timeout: Duration,
    /// Listening for one peer: how long to wait for it [default: for ever]
    #[arg(long, value_name = "SECONDS", conflicts_with = "connect", value_parser = seconds)]
    pub(crate) listen_timeout: Option<Duration>,
    /// How long to wait for any one message
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// How long the whole session may take [default: for ever; 600 with `verify --serve`]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) max_time: Option<Duration>,
    /// How many bytes the whole session may take, both ways, like 500k, 20M or 3G [default: any number; with
    /// `verify --serve` 1 MB more than twice what the statement needs]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub(crate) max_bytes: Option<u64>,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Serving")]
pub(crate) struct ServeArgs {
    /// Serve many provers, until SIGINT or SIGTERM; print a line for each session
    #[arg(long, conflicts_with_all = ["connect", "preprocessed", "listen_timeout"])]
    pub(crate) serve: bool,
    /// Stop after this many sessions
    #[arg(long, value_name = "N", requires = "serve", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_sessions: Option<u64>,
    /// The most sessions at the same time. More provers wait in a queue
    #[arg(long, value_name = "N", requires = "serve", default_value_t = 4,
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) concurrency: u16,
}

impl ConnectionArgs {
    /// Whether there is to be a connection.
    pub(crate) fn is_named(&self) -> bool {
        self.listen.is_some() || self.connect.is_some()
    }
}

/// A time of up to a year. More is probably a slip.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "expected a number of seconds".to_owned())?;
    if !(0.001..=31_536_000.0).contains(&number) {
        return Err("expected 0.001 to 31536000 seconds".into());
    }
    Ok(Duration::from_secs_f64(number))
}

/// A number of bytes with an optional decimal unit.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    let units = [("k", 1_000), ("M", 1_000_000), ("G", 1_000_000_000), ("T", 1_000_000_000_000)];
    let unit = units.iter().find_map(|(unit, size)| Some((text.strip_suffix(unit)?, *size)));
    let (digits, size) = unit.unwrap_or((text, 1_u64));
    let number = digits.bytes().all(|c| c.is_ascii_digit()).then(|| digits.parse::<u64>().ok()).flatten();
    number
        .and_then(|number| number.checked_mul(size))
        .ok_or_else(|| "expected a number of bytes, like 500k, 20M or 3G".into())
}

/// An origin of web pages, as browsers name it, or `*`.
pub(super) fn origin(text: &str) -> Result<String, String> {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let is_host = |host: &str| {
        !host.is_empty() && host.bytes().all(|c| c.is_ascii_graphic() && !b"/@?#\\,*".contains(&c))
    };
    match host {
        _ if text == "*" => Ok(text.to_owned()),
        Some(host) if is_host(host) => Ok(text.to_owned()),
        _ => Err("expected http:// or https://, a host, and perhaps :PORT, without a path; or *".into()),
    }
}

pub(super) fn pin(text: &str) -> Result<Fingerprint, String> {
    let digits = text.strip_prefix("sha256:").ok_or("expected sha256: and 64 hexadecimal digits")?;
    digits.parse().map_err(|error: volery_channel::Error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_positive_and_bounded() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for text in ["0", "-1", "nan", "inf", "1e300", "", "5s"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_have_decimal_units_and_do_not_overflow() {
        assert_eq!(bytes("500k"), Ok(500_000));
        assert_eq!(bytes("18446744073709551615"), Ok(u64::MAX));
        for text in ["", "k", "-1", "+1", "1.5M", "18446744073709551616", "18446745T", "20MB"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_origin_is_written_as_browsers_write_it() {
        for text in ["https://example.com", "http://localhost:8080", "http://[::1]:80", "*"] {
            assert_eq!(origin(text).as_deref(), Ok(text));
        }
        for text in
            ["", "example.com", "https://", "https://example.com/", "https://a@b", "https://*", "null"]
        {
            assert!(origin(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_pin_names_its_hash() {
        let digits = "ab".repeat(32);
        assert!(pin(&format!("sha256:{digits}")).is_ok());
        assert!(pin(&digits).is_err());
        assert!(pin(&format!("md5:{digits}")).is_err());
    }
}
