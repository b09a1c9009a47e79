//! The servers that V connects to for a stranger.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use crate::memory::Budget;

/// V's rules. Start from [`Rules::default`] and change fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Whether addresses of private, loopback, link-local and reserved networks are allowed; no, because a
    /// notary would otherwise be a way into its own network.
    pub private: bool,
    /// Whether only loopback addresses are allowed, whatever a name stands for; no. For a V with a website of
    /// its own on this machine.
    pub loopback: bool,
    /// The ports that V connects to, or all if this is empty; 443.
    pub ports: Vec<u16>,
    /// The hosts that V connects to, by the names that P may give them, or all if this is empty; all.
    pub hosts: Vec<String>,
    /// Time to connect to the server; 10 s.
    pub connect: Duration,
    /// Time to wait for the server's next bytes, and for it to take 16 KiB; 10 s.
    pub idle: Duration,
    /// How long the connection may live; 60 s.
    pub total: Duration,
    /// The most bytes to the server; 1 MiB.
    pub max_sent: usize,
    /// The most bytes from the server; 16 MiB.
    pub max_received: usize,
    /// The most hidden bytes of request and of response about which something is proved; 64 KiB.
    pub hidden: usize,
    /// The source of memory for claims about the connection; one without a bound. Clones share it.
    pub budget: Budget,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            private: false,
            loopback: false,
            ports: vec![443],
            hosts: Vec::new(),
            connect: Duration::from_secs(10),
            idle: Duration::from_secs(10),
            total: Duration::from_secs(60),
            max_sent: 1 << 20,
            max_received: 16 << 20,
            hidden: 1 << 16,
            budget: Budget::default(),
        }
    }
}

impl Rules {
    /// Whether V connects to this port.
    pub(super) fn allows_port(&self, port: u16) -> bool {
        self.ports.is_empty() || self.ports.contains(&port)
    }

    /// Whether V connects to a host of this name.
    pub(super) fn allows_host(&self, host: &str) -> bool {
        self.hosts.is_empty() || self.hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(host))
    }

    /// Whether V connects to this address.
    pub(super) fn allows_address(&self, address: IpAddr) -> bool {
        // Version 4 in version 6 is version 4.
        if self.loopback { address.to_canonical().is_loopback() } else { self.private || is_global(address) }
    }
}

/// Whether an address is on the public Internet (IANA's registries of special-purpose addresses, RFC 6890 and
/// later).
fn is_global(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_global_v4(address),
        IpAddr::V6(address) => is_global_v6(address),
    }
}

fn is_global_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = a == 0                                        // this network
        || a >= 240                                             // reserved, broadcast
        || (a == 100 && b & 0xc0 == 64)                         // shared by carriers
        || (a == 192 && b == 0 && c == 0)                       // protocol assignments
        || (a == 192 && b == 88 && c == 99)                     // relays from version 6
        || (a == 198 && b & 0xfe == 18)                         // benchmarks
        || address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation();
    !special
}

/// Global unicast is 2000::/3, without the special-purpose ranges inside it.
fn is_global_v6(address: Ipv6Addr) -> bool {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let inside = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_global_v4(Ipv4Addr::new(a, b, c, d))
    };
    match (a, b, c, d, e, f) {
        // Version 4 in version 6: mapped, and translated by a gateway.
        (0, 0, 0, 0, 0, 0xffff) | (0x64, 0xff9b, 0, 0, 0, 0) => inside(g, h),
        (0x2002, ..) => inside(b, c),
        (0x2001, 0..=0x1ff | 0xdb8, ..) => false, // protocol assignments, Teredo; documentation
        (0x3fff, 0..=0xfff, ..) => false,         // documentation
        _ => a & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(address: &str) -> bool {
        Rules::default().allows_address(address.parse().unwrap())
    }

    #[test]
    fn only_addresses_of_the_open_internet_are_allowed() {
        for address in ["1.1.1.1", "93.184.215.14", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"] {
            assert!(allowed(address), "{address}");
        }
        for address in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.168.0.1",
            "198.18.0.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::a00:1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2001::1",
            "2001:db8::1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "3fff::1",
            "5f00::1",
        ] {
            assert!(!allowed(address), "{address}");
        }
    }

    #[test]
    fn a_relay_to_this_machine_connects_to_no_other() {
        for private in [false, true] {
            let rules = Rules { private, loopback: true, ..Rules::default() };
            for (address, allowed) in [
                ("127.0.0.1", true),
                ("127.9.9.9", true),
                ("::1", true),
                ("::ffff:127.0.0.1", true),
                ("0.0.0.0", false),
                ("::", false),
                ("10.1.2.3", false),
                ("169.254.169.254", false),
                ("::ffff:10.1.2.3", false),
                ("::7f00:1", false),
                ("1.1.1.1", false),
                ("2606:4700::1111", false),
            ] {
                assert_eq!(rules.allows_address(address.parse().unwrap()), allowed, "{address}");
            }
        }
    }

    #[test]
    fn rules_can_allow_what_the_default_refuses() {
        let rules = Rules { private: true, ports: Vec::new(), ..Rules::default() };
        assert!(rules.allows_address("127.0.0.1".parse().unwrap()) && rules.allows_port(8443));
        assert!(!Rules::default().allows_port(8443) && Rules::default().allows_port(443));
    }
}
