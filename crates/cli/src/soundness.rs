//! `volery soundness`: the security bounds behind public proofs and correlations.

use std::collections::BTreeMap;

use serde::Serialize;
use volery::public::soundness::{Players, ZKBOO_ERROR_BITS, repetitions};
use volery_vole::DeltaSearch;
use volery_vole::security::in_use::{IN_USE, InUse};

use super::args::SoundnessArgs;
use super::failure::Failure;
use super::outcome::{self, Good};
use super::output;

/// The bounds of one protocol in the head, as `--json` prints them.
#[derive(Debug, Serialize)]
struct Bound {
    players: u32,
    privacy: u32,
    robustness: u32,
    /// Bits of soundness of one repetition, with versions 1 and 2 of IKOS.
    version_1_bits: f64,
    version_2_bits: f64,
    sigma: u16,
    /// None if no number of repetitions is enough.
    version_1_repetitions: Option<u64>,
    version_2_repetitions: u64,
}

/// What `--json` prints without `--players`.
#[derive(Debug, Serialize)]
struct All {
    bounds: Vec<Bound>,
    delta_searches: [Search; 2],
    lpn_bits: BTreeMap<String, f64>,
}

impl Bound {
    fn new(players: u32, privacy: u32, robustness: u32, sigma: u16) -> Result<Self, Failure> {
        let protocol = Players::new(players, privacy, robustness).map_err(Failure::input)?;
        let (version_1_bits, version_2_bits) = (protocol.version_1_bits(), protocol.version_2_bits());
        let target = f64::from(sigma);
        Ok(Self {
            players,
            privacy,
            robustness,
            version_1_bits,
            version_2_bits,
            sigma,
            version_1_repetitions: Some(repetitions(version_1_bits, target)).filter(|n| *n < u64::MAX),
            version_2_repetitions: repetitions(version_2_bits, target),
        })
    }

    fn text(&self) -> String {
        let needed = self.version_1_repetitions.map_or_else(
            || "no number of repetitions is enough".to_owned(),
            |n| output::counted(n, "repetition"),
        );
        format!(
            "{}, privacy {}, robustness {}\n\
             version 1 (views)        2^-{:.4} a repetition; {needed} for {}\n\
             version 2 (channels)     2^-{:.4} a repetition; {} for {}",
            output::counted(self.players.into(), "player"),
            self.privacy,
            self.robustness,
            self.version_1_bits,
            output::counted(self.sigma.into(), "bit"),
            self.version_2_bits,
            output::counted(self.version_2_repetitions, "repetition"),
            output::counted(self.sigma.into(), "bit")
        )
    }
}

/// Runs the command.
pub(crate) fn run(args: &SoundnessArgs) -> Result<(), Failure> {
    if let (Some(players), Some(privacy)) = (args.players, args.privacy) {
        let bound = Bound::new(players, privacy, args.robustness, args.sigma)?;
        return match args.json {
            true => outcome::json(Good::Done, &bound),
            false => output::result(&bound.text()),
        };
    }
    // ZKBoo; figure 3 of its paper; the three candidates of its section 3.3.
    let figure: Vec<(u32, u32, u32)> = (15..=20).map(|t| (24, t, t)).collect();
    let rest = [(3, 2, 0), (1122, 373, 373), (92, 64, 64), (92, 62, 62)];
    let all = rest.into_iter().chain(figure);
    let bounds: Vec<Bound> =
        all.map(|(n, t, r)| Bound::new(n, t, r, args.sigma)).collect::<Result<_, _>>()?;
    if args.json {
        let all = All { bounds, delta_searches: delta_searches(), lpn_bits: lpn_bits() };
        return outcome::json(Good::Done, &all);
    }
    output::result(&format!("{}\n{}", tables(&bounds), lpn_table()))
}

/// For each LPN set in use: its bits against the cheapest known attack, and against the best minors that its
/// matrices may have.
fn lpn_bits() -> BTreeMap<String, f64> {
    let keys = |set: &InUse| [(set.name.to_owned(), set.bits()), (format!("{}_floor", set.name), set.floor)];
    IN_USE.iter().flat_map(keys).collect()
}

fn lpn_table() -> String {
    let mut lines = vec![
        "LPN: bits of each set in use (published attacks; sparse equations; minors of real matrices; floor)"
            .to_owned(),
    ];
    lines.extend(IN_USE.iter().map(|set| {
        let p = set.params;
        let size = format!("(2^{}, {} x 2^{})", p.log_k, p.trees, p.log_block);
        format!(
            "  {:<18} {size:<18} {:.1}  ({:.1}; {:.1}; {:.1}; {:.1})",
            set.name,
            set.bits(),
            set.published,
            set.sparse,
            set.minors,
            set.floor
        )
    }));
    lines.join("\n")
}

/// The cost of searching for the verifier's key in one kind of rounds, as `--json` prints it.
#[derive(Debug, Serialize)]
struct Search {
    delta_search: &'static str,
    levels: u32,
    bits: f64,
}

/// How hard it is for a cheating prover to find the verifier's key with AES.
fn delta_searches() -> [Search; 2] {
    DeltaSearch::in_use().map(|DeltaSearch { name, levels, bits }| Search {
        delta_search: name,
        levels,
        bits,
    })
}

fn tables(bounds: &[Bound]) -> String {
    let mut lines = vec!["ZKBoo and ZKB++: a forger passes one repetition with probability 2/3".to_owned()];
    lines.extend([40, 80, 128].map(|sigma| {
        format!("  sigma = {sigma:<4} {} repetitions", repetitions(ZKBOO_ERROR_BITS, f64::from(sigma)))
    }));
    lines.push(
        "Protocols in the head (IKOS, version 1): bits of one repetition with (players, privacy, robustness)"
            .to_owned(),
    );
    lines.extend(bounds.iter().map(|bound| {
        let Bound { players, privacy, robustness, version_1_bits, .. } = bound;
        format!("  ({players}, {privacy}, {robustness})  {version_1_bits:.2}")
    }));
    lines.push(
        "Search for the verifier's key: q evaluations of AES find it with probability q / 2^bits".to_owned(),
    );
    lines.extend(delta_searches().iter().map(|Search { delta_search, levels, bits }| {
        format!("  trees of rounds over {delta_search}: {levels} levels under one key, {bits:.2} bits")
    }));
    lines.join("\n")
}
