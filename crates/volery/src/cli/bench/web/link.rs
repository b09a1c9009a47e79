//! The network between the parties of a measurement.
//!
//! ```text
//!             prover  -- 198.18.0.1 === the shaped link === 198.18.0.2 --  notary
//!  198.18.0.6 |                                                            | 198.18.0.10
//!             +---- 198.18.0.5 ----------- website ---------- 198.18.0.9 --+
//! ```
//!
//! Each is in a network namespace of its own, so that nothing of the machine's network is touched or in the way; the addresses are
//! those set apart for measurements (RFC 2544). `tc netem` shapes both ends of the link between prover and notary; the links to the
//! website are as fast as the machine. Linux only, and for those who may make namespaces.

use std::process::{Command, Stdio};

use crate::cli::args::LinkArg;
use crate::cli::failure::Failure;

/// Who is at a place of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Prover,
    Notary,
    Website,
}

impl Place {
    const ALL: [Self; 3] = [Self::Prover, Self::Notary, Self::Website];

    fn name(self) -> &'static str {
        match self {
            Self::Prover => "prover",
            Self::Notary => "notary",
            Self::Website => "website",
        }
    }
}

/// Two ends of a cable: the place, the device there, its address in a network of two.
type Cable = [(Place, &'static str, &'static str); 2];

const CABLES: [Cable; 3] = [
    [(Place::Prover, "to-notary", "198.18.0.1"), (Place::Notary, "to-prover", "198.18.0.2")],
    [(Place::Prover, "to-website", "198.18.0.6"), (Place::Website, "to-prover", "198.18.0.5")],
    [(Place::Notary, "to-website", "198.18.0.10"), (Place::Website, "to-notary", "198.18.0.9")],
];

/// The network; taken down again when it is dropped.
pub(super) struct Link {
    /// What namespaces' names begin with; none on the loopback.
    prefix: Option<String>,
}

impl Link {
    pub(super) fn new(kind: LinkArg) -> Result<Self, Failure> {
        let Some(shape) = kind.shape() else { return Ok(Self { prefix: None }) };
        let link = Self { prefix: Some(format!("volery-{}", std::process::id())) };
        for place in Place::ALL {
            run("ip", &["netns", "add", &link.namespace(place)])?;
            run("ip", &["-n", &link.namespace(place), "link", "set", "lo", "up"])?;
        }
        for [(a, a_device, a_address), (b, b_device, b_address)] in CABLES {
            let (a, b) = (link.namespace(a), link.namespace(b));
            let pair =
                ["-n", &a, "link", "add", a_device, "type", "veth", "peer", "name", b_device, "netns", &b];
            run("ip", &pair)?;
            for (namespace, device, address) in [(&a, a_device, a_address), (&b, b_device, b_address)] {
                run("ip", &["-n", namespace, "address", "add", &format!("{address}/30"), "dev", device])?;
                run("ip", &["-n", namespace, "link", "set", device, "up"])?;
            }
        }
        let [ends, ..] = CABLES;
        for (place, device, _) in ends {
            let place = link.namespace(place);
            let base = ["-n", &place, "qdisc", "add", "dev", device, "root", "netem", "limit", "100000"];
            run("tc", &[&base, shape].concat())?;
        }
        Ok(link)
    }

    fn namespace(&self, place: Place) -> String {
        format!("{}-{}", self.prefix.as_deref().unwrap_or_default(), place.name())
    }

    /// This program, at a place.
    pub(super) fn command(&self, place: Place) -> Result<Command, Failure> {
        let program = std::env::current_exe()
            .map_err(|error| Failure::session(format!("another process of this program: {error}")))?;
        if self.prefix.is_none() {
            return Ok(Command::new(program));
        }
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.namespace(place)]).arg(program);
        Ok(command)
    }

    /// Where those listen who are connected to.
    pub(super) fn listen(&self) -> &'static str {
        if self.prefix.is_some() { "0.0.0.0" } else { "127.0.0.1" }
    }

    /// Where the prover finds the notary.
    pub(super) fn notary(&self) -> &'static str {
        if self.prefix.is_some() { "198.18.0.2" } else { "127.0.0.1" }
    }

    /// Where the notary finds the website: it connects there in proxy mode.
    pub(super) fn host(&self) -> &'static str {
        if self.prefix.is_some() { "198.18.0.9" } else { "127.0.0.1" }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if self.prefix.is_some() {
            for place in Place::ALL {
                // Of a network that was not finished there may be nothing.
                let _ = run("ip", &["netns", "delete", &self.namespace(place)]);
            }
        }
    }
}

fn run(program: &str, arguments: &[&str]) -> Result<(), Failure> {
    let command = || format!("`{program} {}`", arguments.join(" "));
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    let output = output.map_err(|error| Failure::session(format!("{}: {error}", command())))?;
    if output.status.success() {
        return Ok(());
    }
    let reason = String::from_utf8_lossy(&output.stderr);
    let advice = "shaping a link takes root's rights, ip and tc; --link loopback takes nothing";
    Err(Failure::session(format!("{}: {}; {advice}", command(), reason.trim())))
}
