//! Costs the attacks on one LPN instance, those that use its sparse rows included:
//! `local_code K BLOCK TREES [LOCALITY [MATRICES [FIELD_BITS]]]`.
//!
//! `K` is the dimension, `BLOCK` the samples of a noise block, both as they are (not as logarithms); ten
//! positions a row, one matrix and F2 unless something else is said. What the figures mean:
//! `lpn_estimator::local` and `docs/local-code.md`. Volery's own sets are printed by the example `lpn_sets`
//! of `volery-vole`.

use std::env;
use std::process::ExitCode;

use lpn_estimator::{Field, Instance, estimate, local};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let numbers: Option<Vec<u64>> = arguments.iter().map(|argument| argument.parse().ok()).collect();
    let done = match numbers.as_deref() {
        Some(&[k, block, trees, ref rest @ ..]) if rest.len() <= 3 => {
            let or = |i: usize, default: u64| rest.get(i).copied().unwrap_or(default);
            one(k, block, trees, [or(0, 10), or(1, 1), or(2, 1)])
        }
        _ => Err("usage: local_code K BLOCK TREES [LOCALITY [MATRICES [FIELD_BITS]]]".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn one(k: u64, block: u64, trees: u64, rest: [u64; 3]) -> Result<(), Box<dyn std::error::Error>> {
    let [locality, matrices, bits] = rest.map(|n| u32::try_from(n).unwrap_or(u32::MAX));
    let field = if bits == 1 { Field::Binary } else { Field::Large { bits } };
    let instance = Instance::over(field, k, trees, block)?;
    let (published, attack) = estimate(&instance).minimum();
    let floor = local::floor(&instance, locality);
    println!("{published:>7.2}  {attack}, the cheapest published attack on a uniform matrix");
    println!("{:>7.2}  sparse quadratic equations", local::sparse_equations(&instance, locality));
    println!("{:>7.2}  floor for minors: {} columns", floor.bits, floor.columns);
    if let Some(peeling) = local::peel_worst(&instance, locality, matrices) {
        let local::Peeling { columns, rows, errors, bits, lists_bits } = peeling;
        println!(
            "{bits:>7.2}  peeled: {rows} rows within {columns} columns, {errors} errors; worst of {matrices}"
        );
        println!("{lists_bits:>7.2}  the same with linear algebra for nothing");
    }
    Ok(())
}
