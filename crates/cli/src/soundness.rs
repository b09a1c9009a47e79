//! `volery soundness`: the security bounds behind public proofs and correlations.

use std::collections::BTreeMap;

use serde::Serialize;
use volery::public::soundness::{Players, ZKBOO_ERROR_BITS, repetitions};
use volery::public::voleith;
use volery::public::voleith::soundness::{Size, bits, privacy_bits, terms};
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
    vole_in_the_head: Vec<InTheHead>,
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
        let all = All {
            bounds,
            vole_in_the_head: in_the_head(args),
            delta_searches: delta_searches(),
            lpn_bits: lpn_bits(),
        };
        return outcome::json(Good::Done, &all);
    }
    output::result(&[tables(&bounds), in_the_head_table(args), search_table(), lpn_table()].join("\n"))
}

/// The bounds of proofs from VOLE in the head with one set of parameters, as `--json` prints them.
#[derive(Debug, Serialize)]
struct InTheHead {
    parameters: &'static str,
    /// Against all ways together, in bits.
    soundness_bits: f64,
    /// Against each way to forge a proof, in bits.
    terms: Vec<(&'static str, f64)>,
    /// Against whoever looks for the secret seeds of one proof, and of any of 2^64, in bits.
    privacy_bits: [f64; 2],
}

fn in_the_head(args: &SoundnessArgs) -> Vec<InTheHead> {
    let SoundnessArgs { commitments, branches, queries, .. } = *args;
    // A disjunction is a relation whose degree is the number of its branches.
    let degree = args.degree.max(branches);
    let (size, queries) = (Size { commitments, degree, branches: branches.into() }, f64::from(queries));
    let of = |parameters: voleith::Parameters| InTheHead {
        parameters: parameters.name(),
        soundness_bits: bits(parameters, size, queries),
        terms: terms(parameters, size, queries).into_iter().map(|term| (term.what, term.bits)).collect(),
        privacy_bits: [0.0, 64.0].map(|proofs| privacy_bits(queries, proofs)),
    };
    voleith::Parameters::ALL.map(of).into()
}

fn in_the_head_table(args: &SoundnessArgs) -> String {
    let all = in_the_head(args);
    let row = |bits: Vec<f64>, what: &str| {
        let bits: String = bits.iter().map(|bits| format!("{bits:9.2}")).collect();
        format!("{bits}  {what}")
    };
    let names: String = all.iter().map(|set| format!("{:>9}", set.parameters)).collect();
    let mut lines = vec![
        format!(
            "VOLE in the head: bits against a forger of 2^{} hashes (degree {}, {} branches, {} commitments)",
            args.queries,
            args.degree.max(args.branches),
            args.branches,
            args.commitments
        ),
        names,
    ];
    let of_term = |i: usize| all.iter().filter_map(|set| set.terms.get(i).map(|(_, bits)| *bits)).collect();
    let terms = all.first().map(|set| &set.terms[..]).unwrap_or_default();
    lines.extend(terms.iter().enumerate().map(|(i, (what, _))| row(of_term(i), what)));
    lines.push(row(all.iter().map(|set| set.soundness_bits).collect(), "all of these together"));
    for (i, proofs) in ["a proof", "one of 2^64 proofs"].into_iter().enumerate() {
        let bits = all.iter().map(|set| set.privacy_bits[i]).collect();
        lines.push(row(bits, &format!("as many hashes find a seed of {proofs}")));
    }
    lines.join("\n")
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
    lines.join("\n")
}

fn search_table() -> String {
    let mut lines = vec![
        "Search for the verifier's key: q evaluations of AES find it with probability q / 2^bits".to_owned(),
    ];
    lines.extend(delta_searches().iter().map(|Search { delta_search, levels, bits }| {
        format!("  trees of rounds over {delta_search}: {levels} levels under one key, {bits:.2} bits")
    }));
    lines.join("\n")
}
