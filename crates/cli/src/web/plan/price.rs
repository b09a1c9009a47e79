//! What either mode would take.

use std::time::Duration;

use serde::Serialize;
use volery::web::joint;
use volery::{Error, Estimate, Network, PagePlan};

use crate::args::ModeArg;
use crate::failure::Failure;
use crate::output;

/// What a mode takes, as `--json` prints it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct PriceReport {
    mode: &'static str,
    bytes_prover: u64,
    bytes_verifier: u64,
    round_trips: u64,
    /// Bytes of memory that the session keeps, about.
    memory_prover: u64,
    memory_verifier: u64,
    /// Seconds between two machines like this one, without the server's own.
    seconds_lan: f64,
    seconds_wan: f64,
}

/// The prices of both modes, and why two parties do not make a connection of these sizes, if they do not.
pub(super) fn of(page: &PagePlan) -> Result<(Vec<PriceReport>, Option<String>), Failure> {
    let relayed = PriceReport::new(ModeArg::Proxy, &page.relayed()?);
    match page.together() {
        Ok(together) => Ok((vec![PriceReport::new(ModeArg::TwoParty, &together), relayed], None)),
        Err(Error::Joint(joint::Error::Limit { what, asked, limit })) => {
            let reason = format!(
                "{what} of {asked} bytes; two parties prepare at most {limit}: use --mode proxy, or ask for less"
            );
            Ok((vec![relayed], Some(reason)))
        }
        Err(error) => Err(error.into()),
    }
}

impl PriceReport {
    fn new(mode: ModeArg, estimate: &Estimate) -> Self {
        Self {
            mode: mode.name(),
            bytes_prover: estimate.bytes_prover,
            bytes_verifier: estimate.bytes_verifier,
            round_trips: estimate.round_trips,
            memory_prover: estimate.memory_prover,
            memory_verifier: estimate.memory_verifier,
            seconds_lan: estimate.seconds_on(Network::LAN),
            seconds_wan: estimate.seconds_on(Network::WAN),
        }
    }

    pub(super) fn text(&self) -> String {
        let [lan, wan] = [self.seconds_lan, self.seconds_wan].map(Duration::from_secs_f64);
        format!(
            "{:9} about {} to the notary and {} back, {}; memory {} here, {} there; {} on a fast network, {} over the internet",
            self.mode,
            output::bytes(self.bytes_prover),
            output::bytes(self.bytes_verifier),
            output::counted(self.round_trips, "round trip"),
            output::bytes(self.memory_prover),
            output::bytes(self.memory_verifier),
            output::time(lan),
            output::time(wan),
        )
    }
}
