//! The network between the parties of a measurement.
//!
//! ```text
//!             prover  -- 198.18.0.1 === the shaped link === 198.18.0.2 --  notary
//!  198.18.0.6 |                                                            | 198.18.0.10
//!             +---- 198.18.0.5 ----------- website ---------- 198.18.0.9 --+
//! ```
//!
//! Each is in a network namespace of its own, so that nothing of the machine's network is touched or in the
//! way; the addresses are those set apart for measurements (RFC 2544). `tc netem` shapes both ends of the
//! link between prover and notary, or `tc tbf`, which more kernels have, where the link has no delay; the
//! links to the website are as fast as the machine. Where neither can be (it takes Linux and root) all are on
//! the loopback, and a [`relay`] shapes the link, which takes as much of the processors as a party's own
//! network does.

use std::process::{Command, Stdio};

use super::relay;
use crate::args::{LinkArg, ModeArg, Shape};
use crate::failure::Failure;
use crate::output;

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
pub(super) enum Link {
    /// This machine's loopback.
    Loopback,
    /// The same, with a relay between prover and notary.
    Relayed(Shape),
    /// Network namespaces.
    Apart(Namespaces),
}

impl Link {
    pub(super) fn new(kind: LinkArg, mode: ModeArg) -> Self {
        let Some(shape) = kind.shape() else { return Self::Loopback };
        Namespaces::new(shape, mode).map_or_else(
            |failure| {
                output::message(&format!("no network namespaces, so a relay is the link: {failure}"));
                Self::Relayed(shape)
            },
            Self::Apart,
        )
    }

    /// How it is made, for a table.
    pub(super) fn how(&self) -> &'static str {
        match self {
            Self::Loopback => "",
            Self::Relayed(_) => " (relay)",
            Self::Apart(namespaces) => namespaces.discipline.note(),
        }
    }

    /// This program, at a place.
    pub(super) fn command(&self, place: Place) -> Result<Command, Failure> {
        let program = std::env::current_exe()
            .map_err(|error| Failure::session(format!("another process of this program: {error}")))?;
        let Self::Apart(namespaces) = self else { return Ok(Command::new(program)) };
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &namespaces.name(place)]).arg(program);
        Ok(command)
    }

    /// Where those listen who are connected to.
    pub(super) fn listen(&self) -> &'static str {
        if matches!(self, Self::Apart(_)) { "0.0.0.0" } else { "127.0.0.1" }
    }

    /// Where the prover finds the notary that listens at this port.
    pub(super) fn notary(&self, port: u16) -> Result<String, Failure> {
        let here = format!("127.0.0.1:{port}");
        Ok(match self {
            Self::Loopback => here,
            Self::Relayed(shape) => relay::start(&here, *shape)?.to_string(),
            Self::Apart(_) => format!("198.18.0.2:{port}"),
        })
    }

    /// Where the one finds the website who connects there: in proxy mode the notary.
    pub(super) fn host(&self) -> &'static str {
        match self {
            Self::Apart(Namespaces { mode: ModeArg::TwoParty, .. }) => "198.18.0.5",
            Self::Apart(Namespaces { mode: ModeArg::Proxy, .. }) => "198.18.0.9",
            Self::Loopback | Self::Relayed(_) => "127.0.0.1",
        }
    }
}

/// What shapes the link between namespaces.
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
            // A bucket of twice what the kernel hands on at once, and room to wait for as long as netem's. On
            // the one link that has no delay, of 1 Gbit/s, that is a millisecond's: so much may pass at once
            // after a pause.
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
        for place in Place::ALL {
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

    fn name(&self, place: Place) -> String {
        format!("{}-{}", self.prefix, place.name())
    }
}

impl Drop for Namespaces {
    fn drop(&mut self) {
        for place in Place::ALL {
            // Of a network that was not finished there may be nothing.
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
