//! Prints, for every dimension and block size, the largest round of at least 128 bits and what it costs: the
//! frontier of bytes and time.
//!
//! `--field N` takes a field of N bits, 1 (F2, the default) or at least 8; `--locality L` a code with L
//! positions a row (ten unless it is said); `--from A --to B` bound the logarithm of the dimension. Every set
//! has 128 bits against all published attacks, sparse equations and the floor for minors. One round is costed
//! by the example `local_code`.
//!
//! Columns: refill is the share of a round's outputs that the next one consumes; bytes are those of the
//! trees' levels, an output that can be used; reads are positions of the table, an output that can be used;
//! then the cheapest published attack, sparse equations, the floor.

use std::env;
use std::process::ExitCode;

use lpn_estimator::{Field, Instance, SMALLEST_LARGE, estimate, largest_over, local, reaches};

const BITS: f64 = 128.0;

/// What the command line asks for.
struct Options {
    field: Field,
    locality: u32,
    from: u32,
    to: u32,
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        eprintln!("usage: lpn_search [--field BITS] [--locality L] [--from LOG_K] [--to LOG_K]");
        return ExitCode::from(2);
    };
    println!(
        "   k block  blocks   samples   refill        bytes/output  reads   bits  cheapest attack      sparse  floor"
    );
    let blocks = if options.field == Field::Binary { 8..=13 } else { 2..=13 };
    for log_k in options.from..=options.to {
        for log_block in blocks.clone() {
            let secure = |instance: &Instance| {
                local::floor(instance, options.locality).bits >= BITS
                    && local::sparse_equations(instance, options.locality) >= BITS
                    && reaches(instance, BITS)
            };
            let Some(round) = largest_over(options.field, 1 << log_k, 1 << log_block, secure) else {
                continue;
            };
            // Rounds that hardly feed themselves, and trees that cost more than base correlations.
            if 10 * round.refill() < 9 * round.samples() && round.blocks() < 100_000 {
                print(log_k, log_block, &round, options.locality);
            }
        }
    }
    ExitCode::SUCCESS
}

fn print(log_k: u32, log_block: u32, round: &Instance, locality: u32) {
    let usable = round.samples().saturating_sub(round.refill());
    let refill = 100.0 * round.refill() as f64 / round.samples() as f64;
    let bytes = round.tree_bytes() as f64 / usable as f64;
    let reads = f64::from(locality) * round.samples() as f64 / usable as f64;
    let (bits, attack) = estimate(round).minimum();
    println!(
        "2^{log_k:<2} 2^{log_block:<2} {:>7} {:>9} {:>8} {refill:>5.1}% {bytes:>12.4} {reads:>6.2} {bits:>6.2}  {attack:<20} {:>6.2} {:>6.2}",
        round.blocks(),
        round.samples(),
        round.refill(),
        local::sparse_equations(round, locality),
        local::floor(round, locality).bits,
    );
}

fn options() -> Option<Options> {
    let mut options = Options { field: Field::Binary, locality: 10, from: 9, to: 18 };
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--locality" => {
                options.locality = arguments.next()?.parse().ok().filter(|l| (2..=32).contains(l))?
            }
            "--field" => {
                options.field = match arguments.next()?.parse().ok()? {
                    1 => Field::Binary,
                    bits if bits >= SMALLEST_LARGE => Field::Large { bits },
                    _ => return None,
                };
            }
            "--from" => options.from = arguments.next()?.parse().ok()?,
            "--to" => options.to = arguments.next()?.parse().ok().filter(|&log_k| log_k < 28)?,
            _ => return None,
        }
    }
    Some(options)
}
