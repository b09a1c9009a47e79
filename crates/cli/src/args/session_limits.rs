//! A notary's limits for each session.

use std::time::Duration;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use volery::web::disclosure::MAX_HIDDEN_BYTES;
use volery::web::joint::{MAX_PROVED, MAX_QUERY, MAX_READ};

use super::connection::seconds;

/// What a prover is told before its session begins.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Limits of a session, which provers are told before it begins")]
pub(crate) struct SessionLimitArgs {
    /// two-party: the most bytes of all requests of a connection, up to 131072. Each byte takes up to 10 KB
    /// of memory, and as much traffic (see --memory and --max-bytes)
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 14, value_parser = up_to(1, MAX_QUERY))]
    pub(crate) max_request: u32,
    /// two-party: the most bytes of responses that are read while the connection lives, up to 8192. Each byte
    /// takes 12 KB of memory
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 12, value_parser = up_to(0, MAX_READ))]
    pub(crate) max_read: u32,
    /// two-party: the most bytes of responses for which the proof is prepared ahead, up to 32768. More can be
    /// proved, and take time after the connection
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 13, value_parser = up_to(0, MAX_PROVED))]
    pub(crate) max_proved: u32,
    /// The most bytes that a website may send, up to 268435456
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 24, value_parser = up_to(1, 1 << 28))]
    pub(crate) max_received: u32,
    /// The most hidden bytes of requests, and of responses, about which something is proved, up to 262144
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 16, value_parser = up_to(0, MAX_HIDDEN_BYTES))]
    pub(crate) max_hidden: u32,
    /// The most seconds that a website may take for its next bytes, up to 300
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = wait)]
    pub(crate) max_wait: Duration,
    /// two-party: accept websites that name no protocol (ALPN). The prover alone connects, to a port of its
    /// choice. If a service of the same host and certificate, on any port, repeats what it is sent, a prover
    /// can have its own words signed as those of the website. Attestations say that no protocol was named,
    /// and readers refuse them unless they say otherwise
    #[arg(long)]
    pub(crate) allow_no_alpn: bool,
}

fn up_to(least: u64, most: usize) -> RangedU64ValueParser<u32> {
    RangedU64ValueParser::new().range(least..=most as u64)
}

/// Whole seconds that one may wait for a website.
pub(super) fn wait(text: &str) -> Result<Duration, String> {
    let time = seconds(text)?;
    if time.subsec_nanos() == 0 && time.as_secs() <= 300 {
        Ok(time)
    } else {
        Err("expected a whole number from 1 to 300".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_whole_seconds_up_to_five_minutes() {
        assert_eq!(wait("300"), Ok(Duration::from_secs(300)));
        for text in ["0", "0.5", "1.5", "301", "-1", "a"] {
            assert!(wait(text).is_err(), "{text}");
        }
    }
}
