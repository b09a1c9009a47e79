//! The network between the parties of a measurement.
//!
//! ```text
//!             prover  -- 198.18.0.1 === the shaped link === 198.18.0.2 --  notary
//!  198.18.0.6 |                                                            | 198.18.0.10
//!             +---- 198.18.0.5 ----------- website ---------- 198.18.0.9 --+
//! ```
//!
//! Each party has a network namespace of its own, so the machine's network is not touched. The addresses are
//! reserved for measurements (RFC 2544). `tc netem` shapes both ends of the link between prover and notary;
//! for links without delay `tc tbf` can, which more kernels have. The links to the website are as fast as the
//! machine. Without namespaces (they take Linux and root) all parties use the loopback, and a [`relay`]
//! shapes the link, at about the cost of a party's own networking.

use std::process::{Command, Stdio};

use super::relay;
use crate::args::{LinkArg, ModeArg, Shape};
use crate::failure::Failure;
use crate::terminal;

/// A party of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Prover,
    Notary,
    Website,
}

impl Node {
    const ALL: [Self; 3] = [Self::Prover, Self::Notary, Self::Website];

    fn name(self) -> &'static str {
        match self {
            Self::Prover => "prover",
            Self::Notary => "notary",
            Self::Website => "website",
        }
    }
}

/// The two ends of a cable: the party, its device, and its address in a network of two.
type Cable = [(Node, &'static str, &'static str); 2];

const CABLES: [Cable; 3] = [
    [(Node::Prover, "to-notary", "198.18.0.1"), (Node::Notary, "to-prover", "198.18.0.2")],
    [(Node::Prover, "to-website", "198.18.0.6"), (Node::Website, "to-prover", "198.18.0.5")],
    [(Node::Notary, "to-website", "198.18.0.10"), (Node::Website, "to-notary", "198.18.0.9")],
];

/// The network. Dropping it takes it down.
pub(super) enum Network {
    /// This machine's loopback.
    Loopback,
    /// The loopback, with a relay between prover and notary.
    Relayed(Shape),
    /// Network namespaces.
    Apart(Namespaces),
}

impl Network {
    pub(super) fn new(kind: LinkArg, mode: ModeArg) -> Self {
        let Some(shape) = kind.shape() else { return Self::Loopback };
        Namespaces::new(shape, mode).map_or_else(
            |failure| {
                terminal::message(&format!("no network namespaces, so a relay is the link: {failure}"));
                Self::Relayed(shape)
            },
            Self::Apart,
        )
    }

    /// The name of the method, for a table.
    pub(super) fn how(&self) -> &'static str {
        match self {
            Self::Loopback => "",
            Self::Relayed(_) => " (relay)",
            Self::Apart(namespaces) => namespaces.discipline.note(),
        }
    }

    /// The command that runs this program at a place.
    pub(super) fn command(&self, place: Node) -> Result<Command, Failure> {
        let program = std::env::current_exe()
            .map_err(|error| Failure::session(format!("another process of this program: {error}")))?;
        let Self::Apart(namespaces) = self else { return Ok(Command::new(program)) };
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &namespaces.name(place)]).arg(program);
        Ok(command)
    }

    /// The host that listening parties bind.
    pub(super) fn listen(&self) -> &'static str {
        if matches!(self, Self::Apart(_)) { "0.0.0.0" } else { "127.0.0.1" }
    }

    /// The address at which the prover reaches the notary that listens at this port.
    pub(super) fn notary(&self, port: u16) -> Result<String, Failure> {
        let here = format!("127.0.0.1:{port}");
        Ok(match self {
            Self::Loopback => here,
            Self::Relayed(shape) => relay::start(&here, *shape)?.to_string(),
            Self::Apart(_) => format!("198.18.0.2:{port}"),
        })
    }

    /// The host at which the connecting party (in proxy mode the notary) reaches the website.
    pub(super) fn host(&self) -> &'static str {
        match self {
            Self::Apart(Namespaces { mode: ModeArg::TwoParty, .. }) => "198.18.0.5",
            Self::Apart(Namespaces { mode: ModeArg::Proxy, .. }) => "198.18.0.9",
            Self::Loopback | Self::Relayed(_) => "127.0.0.1",
        }
    }
}

/// The queueing discipline that shapes the link between namespaces.
#[derive(Clone, Copy)]
enum Discipline {
    Netem,
    Tbf,
}

impl Discipline {
    fn note(self) -> &'static str {
        match self {
            Self::Netem => " (netem)",
            Self::Tbf => " (tbf)",
        }
    }

    /// The arguments of `tc` that make a link of this shape.
    fn arguments(self, shape: Shape) -> Vec<String> {
        let rate = format!("{}bit", shape.bits_per_second);
        let delay = format!("{}us", shape.delay.as_micros());
        let arguments: &[&str] = match self {
            Self::Netem => &["netem", "limit", "100000", "rate", &rate, "delay", &delay],
            // The bucket holds twice what the kernel passes on at once, and the queue as much as netem's. At
            // 1 Gbit/s, the one link without delay, the bucket is worth a millisecond: so much may pass at
            // once after a pause.
            Self::Tbf => &["tbf", "rate", &rate, "burst", "128kb", "limit", "100mb"],
        };
        arguments.iter().map(|argument| (*argument).to_owned()).collect()
    }
}

/// A namespace for each place.
pub(super) struct Namespaces {
    prefix: String,
    mode: ModeArg,
    discipline: Discipline,
}

impl Namespaces {
    fn new(shape: Shape, mode: ModeArg) -> Result<Self, Failure> {
        let prefix = format!("volery-{}", std::process::id());
        let mut made = Self { prefix, mode, discipline: Discipline::Netem };
        for place in Node::ALL {
            run("ip", &["netns", "add", &made.name(place)])?;
            run("ip", &["-n", &made.name(place), "link", "set", "lo", "up"])?;
        }
        for [(a, a_device, a_address), (b, b_device, b_address)] in CABLES {
            let (a, b) = (made.name(a), made.name(b));
            let pair =
                ["-n", &a, "link", "add", a_device, "type", "veth", "peer", "name", b_device, "netns", &b];
            run("ip", &pair)?;
            for (namespace, device, address) in [(&a, a_device, a_address), (&b, b_device, b_address)] {
                run("ip", &["-n", namespace, "address", "add", &format!("{address}/30"), "dev", device])?;
                run("ip", &["-n", namespace, "link", "set", device, "up"])?;
            }
        }
        let shaped = made.shape(shape);
        if shaped.is_err() && shape.delay.is_zero() {
            made.discipline = Discipline::Tbf;
            made.shape(shape)?;
        } else {
            shaped?;
        }
        Ok(made)
    }

    /// Shapes both ends of the link between prover and notary.
    fn shape(&self, shape: Shape) -> Result<(), Failure> {
        let [ends, ..] = CABLES;
        let arguments = self.discipline.arguments(shape);
        for (place, device, _) in ends {
            let place = self.name(place);
            let mut all = vec!["-n", &place, "qdisc", "replace", "dev", device, "root"];
            all.extend(arguments.iter().map(String::as_str));
            run("tc", &all)?;
        }
        Ok(())
    }

    fn name(&self, place: Node) -> String {
        format!("{}-{}", self.prefix, place.name())
    }
}

impl Drop for Namespaces {
    fn drop(&mut self) {
        for place in Node::ALL {
            // If the network was not finished, the namespace may not exist.
            let _ = run("ip", &["netns", "delete", &self.name(place)]);
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
    Err(Failure::session(format!("{}: {}", command(), reason.trim())))
}
