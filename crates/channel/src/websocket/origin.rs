//! Which web pages may connect (RFC 6454 says what an origin is).
//!
//! A browser names the page that asks, and no page can change that. So this protects the users of browsers
//! from pages that would use a party in their name. It keeps no program out, since a program names whatever
//! origin it likes.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Which pages may connect.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Origins {
    /// All pages, and programs.
    #[default]
    Any,
    /// Pages of these origins (such as `https://example.com`), and whoever names none.
    These(Vec<String>),
    /// Pages of this machine (`localhost`), pages of the very address that is asked for, pages of these
    /// origins, and whoever names none. A *name* that is asked for says nothing about a page, even if it is
    /// the page's own: whoever owns a name can let it stand for this machine's address.
    NearAnd(Vec<String>),
}

impl Origins {
    /// Whether a page of `origin` may ask for `host`.
    pub(super) fn allow(&self, origin: Option<&str>, host: Option<&str>) -> bool {
        let Some(origin) = origin else { return true };
        let among = |these: &[String]| these.iter().any(|this| this.eq_ignore_ascii_case(origin));
        match self {
            Self::Any => true,
            Self::These(these) => among(these),
            Self::NearAnd(these) => {
                let page = name_of_origin(origin);
                let address = host.map(without_port).and_then(address);
                among(these) || page.is_some_and(|page| is_this_machine(page) || address_is(page, address))
            }
        }
    }
}

/// The host in an origin of the web.
fn name_of_origin(origin: &str) -> Option<&str> {
    let rest = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"))?;
    // An origin has no path and no user; what looks like one is no origin.
    (!rest.contains(['/', '@', '?', '#'])).then(|| without_port(rest))
}

/// A host without its port.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

fn address(name: &str) -> Option<IpAddr> {
    match name.strip_prefix('[') {
        Some(rest) => rest.strip_suffix(']')?.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
        None => name.parse::<Ipv4Addr>().ok().map(IpAddr::V4),
    }
}

fn address_is(name: &str, wanted: Option<IpAddr>) -> bool {
    wanted.is_some() && address(name) == wanted
}

/// Whether browsers connect to this machine for this name, whatever the name service says (RFC 6761).
fn is_this_machine(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name == "localhost"
        || name.ends_with(".localhost")
        || address(&name).is_some_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_from_near_may_connect_and_no_page_that_only_has_the_same_name() {
        let origins = Origins::NearAnd(vec!["https://app.example".to_owned()]);
        for (origin, host, allowed) in [
            (None, Some("verifier.example"), true),
            (Some("http://localhost:8080"), Some("localhost:7000"), true),
            (Some("https://LOCALHOST"), None, true),
            (Some("http://app.localhost:1"), None, true),
            (Some("http://127.0.0.1:8080"), None, true),
            (Some("http://[::1]:8080"), None, true),
            (Some("http://192.0.2.7:8000"), Some("192.0.2.7:7000"), true),
            (Some("http://[2001:db8::1]"), Some("[2001:db8::1]:7000"), true),
            (Some("https://APP.example"), Some("verifier.example"), true),
            (Some("http://app.example"), Some("verifier.example"), false),
            (Some("http://192.0.2.8:8000"), Some("192.0.2.7:7000"), false),
            // A name that its owner points at this machine.
            (Some("http://evil.example"), Some("evil.example"), false),
            (Some("http://localhost.evil.example"), None, false),
            (Some("http://evillocalhost"), None, false),
            (Some("http://localhost@evil.example"), None, false),
            (Some("http://127.0.0.1/evil.example"), None, false),
            (Some("null"), Some("localhost"), false),
            (Some("file://localhost"), None, false),
            (Some(""), None, false),
        ] {
            assert_eq!(origins.allow(origin, host), allowed, "{origin:?} {host:?}");
        }
    }

    #[test]
    fn listed_pages_alone_may_connect_if_only_they_are_listed() {
        let origins = Origins::These(vec!["https://app.example".to_owned()]);
        assert!(origins.allow(Some("https://app.example"), None) && origins.allow(None, None));
        assert!(!origins.allow(Some("http://localhost"), Some("localhost")));
        assert!(Origins::Any.allow(Some("null"), None));
    }
}
