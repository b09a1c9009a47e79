//! The names under which this server may be asked for.
//!
//! A page of another website can point a name of its own at this machine (DNS rebinding). Browsers then take
//! this server for a part of that website. So requests for unknown names are refused.

use std::net::{IpAddr, SocketAddr};

use crate::failure::Failure;

/// Names, each with its port, and the origins of the pages that belong to them.
pub(super) struct Hosts {
    names: Vec<String>,
    origins: Vec<String>,
}

impl Hosts {
    /// For a server that listens at `address`, which the command line calls `name`, and pages of these
    /// further origins.
    pub(super) fn new(address: SocketAddr, name: &str, further: &[String]) -> Self {
        let port = address.port();
        let mut names = vec![
            format!("localhost:{port}"),
            format!("127.0.0.1:{port}"),
            format!("[::1]:{port}"),
            address.to_string(),
            format!("{name}:{port}"),
        ];
        if port == 80 {
            // Browsers leave the usual port out.
            names.extend(names.clone().iter().filter_map(|name| name.strip_suffix(":80").map(str::to_owned)));
        }
        let mut origins: Vec<String> = names.iter().map(|name| format!("http://{name}")).collect();
        for origin in further {
            names.extend(origin.split_once("://").map(|(_, name)| name.to_owned()));
            origins.push(origin.clone());
        }
        Self { names, origins }
    }

    /// Whether this server has this name.
    pub(super) fn has(&self, host: &str) -> bool {
        self.names.iter().any(|name| name.eq_ignore_ascii_case(host))
    }

    /// The origins of this server's pages.
    pub(super) fn origins(&self) -> &[String] {
        &self.origins
    }

    /// Whether it is a page of this server that asks.
    pub(super) fn is_own(&self, origin: Option<&str>) -> bool {
        origin.is_some_and(|origin| self.origins.iter().any(|own| own.eq_ignore_ascii_case(origin)))
    }
}

/// Whether only this machine gets the pages of a server that listens at `address`: no other machine reaches
/// it, and no reverse proxy shows it to others, whose origins are `further`.
pub(super) fn is_local(address: SocketAddr, further: &[String]) -> bool {
    let on_loopback = |origin: &String| {
        let authority = origin.split_once("://").map_or("", |(_, authority)| authority);
        let end = authority.rfind(':').filter(|_| !authority.ends_with(']')).unwrap_or(authority.len());
        let host = authority.get(..end).unwrap_or_default();
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        host.eq_ignore_ascii_case("localhost")
            || bare.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
    };
    address.ip().to_canonical().is_loopback() && further.iter().all(on_loopback)
}

/// The name in an address that the command line gives.
pub(super) fn name_of(address: &str) -> Result<&str, Failure> {
    let name = address.rsplit_once(':').map(|(name, _)| name);
    name.ok_or_else(|| Failure::input(format!("{address}: expected HOST:PORT")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_origins_that_are_not_this_server_s_are_refused() {
        let address = "127.0.0.1:7080".parse().expect("an address");
        let hosts = Hosts::new(address, "127.0.0.1", &["https://demo.example".to_owned()]);
        for host in ["localhost:7080", "LOCALHOST:7080", "127.0.0.1:7080", "[::1]:7080", "demo.example"] {
            assert!(hosts.has(host), "{host}");
        }
        for host in ["", "localhost", "localhost:7081", "evil.example:7080", "demo.example:7080"] {
            assert!(!hosts.has(host), "{host}");
        }
        assert!(hosts.is_own(Some("http://localhost:7080")) && hosts.is_own(Some("https://demo.example")));
        for origin in ["http://localhost:7081", "https://localhost:7080", "http://demo.example", "null", ""] {
            assert!(!hosts.is_own(Some(origin)), "{origin}");
        }
        assert!(!hosts.is_own(None));
        let usual = Hosts::new("[::1]:80".parse().expect("an address"), "localhost", &[]);
        assert!(usual.has("localhost") && usual.has("[::1]") && usual.has("localhost:80"));
    }

    #[test]
    fn a_page_that_others_get_is_not_local() {
        let local = |address: &str, origins: &[&str]| {
            let origins: Vec<String> = origins.iter().map(|origin| (*origin).to_owned()).collect();
            is_local(address.parse().expect("an address"), &origins)
        };
        for (address, origins, expected) in [
            ("127.0.0.1:7080", &[][..], true),
            ("127.8.9.1:80", &[], true),
            ("[::1]:7080", &[], true),
            ("[::ffff:127.0.0.1]:7080", &[], true),
            ("0.0.0.0:7080", &[], false),
            ("[::]:7080", &[], false),
            ("192.168.0.7:7080", &[], false),
            ("127.0.0.1:7080", &["http://127.0.0.1:8080", "https://LOCALHOST", "http://[::1]:1"], true),
            ("127.0.0.1:7080", &["http://localhost:1", "https://demo.example"], false),
            ("127.0.0.1:7080", &["https://localhost.example"], false),
            ("127.0.0.1:7080", &["https://127.0.0.1.example:443"], false),
            ("127.0.0.1:7080", &["https://192.0.2.7"], false),
            ("0.0.0.0:7080", &["http://localhost:1"], false),
        ] {
            assert_eq!(local(address, origins), expected, "{address} {origins:?}");
        }
    }
}
