//! Computes the figures of every LPN set in use anew: `lpn_sets MATRICES`, with so many real matrices of each
//! peeled, the worst shown.
//!
//! The table that the library has (`volery_vole::security::in_use`) is this, rounded down. With eight
//! matrices it takes minutes.

use std::env;
use std::process::ExitCode;

use lpn_estimator::{Field, Figures, Instance, InvalidInstance};
use volery_vole::Params;
use volery_vole::security::in_use::{IN_USE, InUse};

/// Positions of a row of the matrices in use.
const LOCALITY: u32 = 10;

fn main() -> ExitCode {
    let Some(matrices) = env::args().nth(1).and_then(|argument| argument.parse().ok()) else {
        eprintln!("usage: lpn_sets MATRICES");
        return ExitCode::from(2);
    };
    println!("set                published  sparse  minors   lists   floor");
    for set in IN_USE {
        match computed(&set, matrices) {
            Ok(Figures { published, sparse, minors, lists, floor }) => println!(
                "{:<18} {published:>9.2} {sparse:>7.2} {minors:>7.2} {lists:>7.2} {floor:>7.2}",
                set.name
            ),
            Err(error) => {
                eprintln!("{}: {error}", set.name);
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

fn computed(set: &InUse, matrices: u32) -> Result<Figures, InvalidInstance> {
    let field = match set.field_bits {
        1 => Field::Binary,
        bits => Field::Large { bits },
    };
    let Params { log_k, log_block, trees } = set.params;
    let instance = Instance::over(field, 1 << log_k, trees.into(), 1 << log_block)?;
    Ok(Figures::of(&instance, LOCALITY, matrices))
}
