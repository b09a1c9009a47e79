//! `volery bench web`: fetches, proves and attests a page. Prover, notary and website are processes of their
//! own.
//!
//! ```text
//! this process --spawns--> website, notary, prover: each reads its [`Task`] as one line, and prints one line of results
//!
//! prover  <-- the link that is measured: loopback, or shaped between network namespaces ([`network`]) -->  notary
//! ```
//!
//! The measurement begins when the prover connects to the notary and ends when it has the attestation.

mod network;
mod party;
mod relay;

pub(crate) use party::party;

use core::ops::RangeInclusive;

use serde::Serialize;
use volery_field::gf128::Kernel;
use volery_vole::AesLevel;

use super::rows::Rows;
use crate::args::BenchArgs;
use crate::failure::Failure;
use crate::{output, terminal};
use network::{Network, Node};
use party::{
    Extent, Listening, MAX_RESPONSE, NotaryResult, NotaryTask, PhaseCost, Process, ProverResult, ProverTask,
    Task, WebsiteTask,
};

/// Bytes of query and response, each: the sizes that published measurements use.
const SIZES: [u64; 4] = [256, 512, 1024, 2048];
/// The smallest size that holds a query or a head, and the largest that is proved at once.
const POSSIBLE: RangeInclusive<u64> = 256..=1 << 16;

/// A row of results, as `--json` prints it.
#[derive(Debug, Serialize)]
struct WebRow {
    name: &'static str,
    mode: &'static str,
    tls: &'static str,
    cipher: &'static str,
    /// Whether the proof commits to the page.
    commit: bool,
    link: String,
    /// Bytes of the query.
    size: u64,
    /// Bytes of the response, and how many of them are proved.
    response: u64,
    proved: u64,
    unit: &'static str,
    /// Before the connection to the server opens, while it is open, and after its end.
    seconds_setup: f64,
    seconds_online: f64,
    seconds_proof: f64,
    seconds: f64,
    /// Bytes between prover and notary, both directions, in the same three phases. In proxy mode this
    /// includes the connection itself.
    bytes_setup: u64,
    bytes_online: u64,
    bytes_proof: u64,
    bytes_prover: u64,
    bytes_verifier: u64,
    round_trips: u64,
    round_trips_online: u64,
    rss_prover_mb: Option<f64>,
    rss_verifier_mb: Option<f64>,
    kernel: String,
}

/// Runs the measurement.
pub(super) fn run(args: &BenchArgs) -> Result<(), Failure> {
    let extents = extents(args)?;
    let link = Network::new(args.link, args.mode);
    let rows = Rows::new(args)?;
    rows.heading(&WebRow::heading())?;
    for extent in extents {
        let row = terminal::during("measuring web", || measure(&link, args, extent))?;
        rows.print(&row, &row.text())?;
    }
    Ok(())
}

/// The sizes to measure, one after the other.
fn extents(args: &BenchArgs) -> Result<Vec<Extent>, Failure> {
    let checked = |name: &str, number: u64, possible: RangeInclusive<u64>| {
        let (least, most) = (*possible.start(), *possible.end());
        match possible.contains(&number) {
            true => Ok(number),
            false => Err(Failure::input(format!("--{name} {number}: {least} to {most} are possible"))),
        }
    };
    let sizes = args.size.map_or_else(|| SIZES.to_vec(), |size| vec![size]);
    let extent = |query: u64| {
        let query = checked("size", query, POSSIBLE)?;
        let proved = args.proved.map(|proved| checked("proved", proved, POSSIBLE)).transpose()?;
        // The whole response is proved, or only its head. A body has at least one byte.
        let possible = proved.map_or(POSSIBLE, |proved| proved + 1..=MAX_RESPONSE);
        let response = checked("response-size", args.response_size.unwrap_or(query), possible)?;
        Ok(Extent { query, response, proved })
    };
    sizes.into_iter().map(extent).collect()
}

fn measure(link: &Network, args: &BenchArgs, extent: Extent) -> Result<WebRow, Failure> {
    let (mode, host) = (args.mode, link.host().to_owned());
    let serving = WebsiteTask { listen: format!("{}:0", link.listen()), host: host.clone() };
    let mut website = Process::spawn(link, Node::Website, &Task::Serve(serving))?;
    let Listening { address, root } = website.line()?;
    let root = root.unwrap_or_default();
    let port = port(&address)?;
    let watching = NotaryTask { listen: format!("{}:0", link.listen()), port, root: root.clone(), mode };
    let mut notary = Process::spawn(link, Node::Notary, &Task::Watch(watching))?;
    let Listening { address, .. } = notary.line()?;
    let connect = link.notary(self::port(&address)?)?;
    let BenchArgs { tls, cipher, commit, .. } = *args;
    let fetching = ProverTask { connect, host, port, root, extent, mode, tls, cipher, commit };
    let mut prover = Process::spawn(link, Node::Prover, &Task::Fetch(fetching))?;
    let proved: ProverResult = prover.line()?;
    let notarised: NotaryResult = notary.line()?;
    Ok(WebRow::new(format!("{}{}", args.link.name(), link.how()), args, extent, (&proved, &notarised)))
}

fn port(address: &str) -> Result<u16, Failure> {
    let port = address.rsplit_once(':').and_then(|(_, port)| port.parse().ok());
    port.ok_or_else(|| Failure::session("a process that listens nowhere"))
}

impl WebRow {
    fn new(
        link: String,
        args: &BenchArgs,
        extent: Extent,
        (proved, notarised): (&ProverResult, &NotaryResult),
    ) -> Self {
        let PhaseCost { seconds: seconds_setup, bytes: bytes_setup, .. } = proved.setup;
        let PhaseCost { seconds: seconds_online, bytes: bytes_online, round_trips: round_trips_online } =
            proved.online;
        let PhaseCost { seconds: seconds_proof, bytes: bytes_proof, .. } = proved.proof;
        let phases = [&proved.setup, &proved.online, &proved.proof];
        Self {
            name: "web",
            mode: args.mode.name(),
            tls: args.tls.name(),
            cipher: args.cipher.name(),
            commit: args.commit,
            link,
            size: extent.query,
            response: extent.response,
            proved: extent.proved(),
            unit: "byte",
            seconds_setup,
            seconds_online,
            seconds_proof,
            seconds: phases.iter().map(|phase| phase.seconds).sum(),
            bytes_setup,
            bytes_online,
            bytes_proof,
            bytes_prover: proved.bytes_sent,
            bytes_verifier: notarised.bytes_sent,
            round_trips: phases.iter().map(|phase| phase.round_trips).sum(),
            round_trips_online,
            rss_prover_mb: proved.rss_mb,
            rss_verifier_mb: notarised.rss_mb,
            kernel: format!("{}+{}", Kernel::detect().name(), AesLevel::detect().name()),
        }
    }

    fn heading() -> String {
        line([
            "mode", "tls", "cipher", "link", "query", "response", "proved", "seconds", "set-up s",
            "online s", "proof s", "set-up", "online", "proof", "trips", "online", "P MB", "V MB",
        ])
    }

    fn text(&self) -> String {
        let seconds = |seconds: f64| format!("{seconds:.3}");
        let rss = |mb: Option<f64>| mb.map_or_else(|| "-".into(), |mb| format!("{mb:.1}"));
        let columns = [
            self.mode.to_owned(),
            self.tls.to_owned(),
            self.cipher.to_owned(),
            self.link.clone(),
            self.size.to_string(),
            self.response.to_string(),
            self.proved.to_string(),
            seconds(self.seconds),
            seconds(self.seconds_setup),
            seconds(self.seconds_online),
            seconds(self.seconds_proof),
            output::bytes(self.bytes_setup),
            output::bytes(self.bytes_online),
            output::bytes(self.bytes_proof),
            self.round_trips.to_string(),
            self.round_trips_online.to_string(),
            rss(self.rss_prover_mb),
            rss(self.rss_verifier_mb),
        ];
        line(columns.each_ref().map(String::as_str))
    }
}

/// Aligns the columns of a line: names to the left, numbers to the right.
fn line(columns: [&str; 18]) -> String {
    let [mode, tls, cipher, link, numbers @ ..] = columns;
    let widths = [6, 8, 6, 8, 8, 8, 8, 9, 9, 9, 6, 6, 6, 6];
    let numbers: Vec<String> =
        numbers.iter().zip(widths).map(|(number, width)| format!(" {number:>width$}")).collect();
    format!("{mode:<10} {tls:<4} {cipher:<8} {link:<12}{}", numbers.concat())
}
