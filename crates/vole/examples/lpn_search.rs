//! Prints, for every dimension and block size, the largest round of at least 128 bits and what it costs.
//!
//! `--field N` takes a field of N bits, 1 (F2, the default) or at least 8; `--local` also asks for 128 bits against the attacks on a code with ten entries a
//! row; `--from A --to B` bound the logarithm of the dimension; `--round K,B,T` costs one round: logarithms of dimension and
//! block size, trees.
//!
//! Columns: refill is the share of a round's outputs that the next one consumes; bytes are those of the trees' levels, an output that can
//! be used; local is the figure of the attacks on the code.

use std::env;
use std::process::ExitCode;

use volery_vole::security::{Field, Instance, SMALLEST_LARGE, estimate, largest_over, local_code, reaches};

const BITS: f64 = 128.0;
const LOCALITY: u32 = 10;

/// What the command line asks for.
struct Options {
    field: Field,
    local: bool,
    from: u32,
    to: u32,
    round: Option<[u32; 3]>,
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        eprintln!(
            "usage: lpn_search [--field BITS] [--local] [--from LOG_K] [--to LOG_K] [--round LOG_K,LOG_BLOCK,TREES]"
        );
        return ExitCode::from(2);
    };
    if let Some([log_k, log_block, trees]) = options.round {
        return one(options.field, log_k, log_block, trees);
    }
    println!("   k block  blocks   samples   refill        bytes/output   bits  cheapest attack       local");
    let blocks = if options.field == Field::Binary { 8..=13 } else { 2..=13 };
    for log_k in options.from..=options.to {
        for log_block in blocks.clone() {
            let secure = |instance: &Instance| {
                (!options.local || local_code(instance, LOCALITY) >= BITS) && reaches(instance, BITS)
            };
            let Some(round) = largest_over(options.field, 1 << log_k, 1 << log_block, secure) else {
                continue;
            };
            // Rounds that hardly feed themselves, and trees that cost more than base correlations.
            if 10 * round.refill() < 9 * round.samples() && round.blocks() < 100_000 {
                print(log_k, log_block, &round);
            }
        }
    }
    ExitCode::SUCCESS
}

fn one(field: Field, log_k: u32, log_block: u32, trees: u32) -> ExitCode {
    let power = |log: u32| 1_u64.checked_shl(log).unwrap_or(u64::MAX);
    match Instance::over(field, power(log_k), trees.into(), power(log_block)) {
        Ok(round) => {
            for (bits, attack) in estimate(&round).named() {
                println!("{bits:>7.2}  {attack}");
            }
            println!("{:>7.2}  local code", local_code(&round, LOCALITY));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn print(log_k: u32, log_block: u32, round: &Instance) {
    let usable = round.samples().saturating_sub(round.refill());
    let refill = 100.0 * round.refill() as f64 / round.samples() as f64;
    let bytes = round.tree_bytes() as f64 / usable as f64;
    let (bits, attack) = estimate(round).minimum();
    println!(
        "2^{log_k:<2} 2^{log_block:<2} {:>7} {:>9} {:>8} {refill:>5.1}% {bytes:>12.4} {bits:>6.2}  {attack:<20} {:>6.2}",
        round.blocks(),
        round.samples(),
        round.refill(),
        local_code(round, LOCALITY),
    );
}

fn options() -> Option<Options> {
    let mut options = Options { field: Field::Binary, local: false, from: 9, to: 18, round: None };
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--local" => options.local = true,
            "--field" => {
                options.field = match arguments.next()?.parse().ok()? {
                    1 => Field::Binary,
                    bits if bits >= SMALLEST_LARGE => Field::Large { bits },
                    _ => return None,
                };
            }
            "--from" => options.from = arguments.next()?.parse().ok()?,
            "--to" => options.to = arguments.next()?.parse().ok().filter(|&log_k| log_k < 28)?,
            "--round" => {
                let numbers = arguments.next()?;
                let numbers = numbers.split(',').map(|n| n.parse().ok()).collect::<Option<Vec<_>>>()?;
                options.round = Some(numbers.try_into().ok()?);
            }
            _ => return None,
        }
    }
    Some(options)
}
