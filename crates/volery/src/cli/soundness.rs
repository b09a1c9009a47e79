//! `volery soundness`: the bounds behind the parameters of public proofs.

use serde::Serialize;
use volery::public::soundness::{Players, ZKBOO_ERROR_BITS, repetitions};

use super::args::SoundnessArgs;
use super::failure::Failure;
use super::output;

/// What `--json` prints for one protocol in the head.
#[derive(Debug, Serialize)]
struct Bound {
    players: u32,
    privacy: u32,
    robustness: u32,
    /// IKOS' versions 1 and 2: bits of soundness of one repetition.
    version_1_bits: f64,
    version_2_bits: f64,
    sigma: u16,
    /// None: no number of repetitions is enough.
    version_1_repetitions: Option<u64>,
    version_2_repetitions: u64,
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
        let needed = self.version_1_repetitions.map_or_else(|| "no number of".to_owned(), |n| n.to_string());
        format!(
            "{} players, privacy {}, robustness {}\n\
             version 1 (views)        2^-{:.4} a repetition; {needed} repetitions for {} bits\n\
             version 2 (channels)     2^-{:.4} a repetition; {} repetitions for {} bits",
            self.players,
            self.privacy,
            self.robustness,
            self.version_1_bits,
            self.sigma,
            self.version_2_bits,
            self.version_2_repetitions,
            self.sigma
        )
    }
}

/// Runs the command.
pub(crate) fn run(args: &SoundnessArgs) -> Result<(), Failure> {
    if let (Some(players), Some(privacy)) = (args.players, args.privacy) {
        let bound = Bound::new(players, privacy, args.robustness, args.sigma)?;
        return if args.json { output::json(&bound) } else { output::result(&bound.text()) };
    }
    // ZKBoo; figure 3 of its paper; the three candidates of its section 3.3.
    let figure: Vec<(u32, u32, u32)> = (15..=20).map(|t| (24, t, t)).collect();
    let rest = [(3, 2, 0), (1122, 373, 373), (92, 64, 64), (92, 62, 62)];
    let all = rest.into_iter().chain(figure);
    let bounds: Vec<Bound> =
        all.map(|(n, t, r)| Bound::new(n, t, r, args.sigma)).collect::<Result<_, _>>()?;
    if args.json {
        return bounds.iter().try_for_each(output::json);
    }
    output::result(&tables(&bounds))
}

fn tables(bounds: &[Bound]) -> String {
    let mut lines = vec!["zkboo, zkbpp: 2/3 a repetition".to_owned()];
    lines.extend([40, 80, 128].map(|sigma| {
        format!("  sigma = {sigma:<4} {} repetitions", repetitions(ZKBOO_ERROR_BITS, f64::from(sigma)))
    }));
    lines.push("IKOS, version 1: bits of one repetition with n players, privacy t, robustness r".to_owned());
    lines.extend(bounds.iter().map(|bound| {
        let Bound { players, privacy, robustness, version_1_bits, .. } = bound;
        format!("  ({players}, {privacy}, {robustness})  {version_1_bits:.2}")
    }));
    lines.join("\n")
}
