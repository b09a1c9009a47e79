//! `volery bench`: both parties as two processes of this program over loopback TCP.
//!
//! ```text
//! this process --spawns--> verifier: listens, prints its address
//!              --spawns--> prover: connects there
//!              <---------- the measurements of each, as one JSON object, after the session
//! ```
//!
//! The measurement of a web page (`web`) has a third process. Public proofs (`public`, `voleith`) have no
//! second party, so this process makes and verifies them.
//!
//! The parties are processes and not threads, so each has its own memory, and they share no locks and no warm
//! caches. Each has [`Cores`] of its own.

mod clocked;
mod convert;
mod cores;
mod disjunction;
mod field;
mod memory;
mod party;
mod phases;
mod public;
mod riscv;
mod row;
mod rows;
mod stacked;
mod voleith;
mod web;
mod workload;

pub(crate) use cores::Cores;
pub(crate) use party::party;
pub(crate) use web::party as web_party;

use volery::public::Protocol;

use super::args::{BenchArgs, BenchName};
use super::failure::Failure;
use super::terminal;
use row::Row;
use rows::Rows;
use workload::Job;

/// Runs one measurement, or the tour.
pub(crate) fn run(args: &BenchArgs) -> Result<(), Failure> {
    if (args.link, args.mode) != Default::default() && args.name != Some(BenchName::Web) {
        return Err(Failure::input("--link and --mode are for web"));
    }
    if (args.response_size, args.proved) != (None, None) && args.name != Some(BenchName::Web) {
        return Err(Failure::input("--response-size and --proved are for web"));
    }
    if args.small && !matches!(args.name, Some(name) if name.is_in_the_head()) {
        return Err(Failure::input("--small is for voleith"));
    }
    match args.name {
        Some(BenchName::Web) => return web::run(args),
        Some(BenchName::Zkboo) => return public::run(args, Protocol::Zkboo),
        Some(BenchName::Zkbpp) => return public::run(args, Protocol::Zkbpp),
        Some(name) if name.is_in_the_head() => return voleith::run(args, name),
        _ => {}
    }
    let jobs = match args.name {
        Some(name) => vec![Job::new(name, args.size, &args.measure, &args.protocol)?],
        None => tour(args)?,
    };
    let rows = Rows::new(args)?;
    rows.heading(&Row::heading())?;
    for job in jobs {
        let row = terminal::during(&format!("measuring {}", job.name()), || party::run(&job, !args.no_pin))?;
        rows.print(&row, &row.text())?;
    }
    Ok(())
}

/// The jobs of the tour: a small one of each kind.
fn tour(args: &BenchArgs) -> Result<Vec<Job>, Failure> {
    let entries = [
        (BenchName::Preimage, None),
        (BenchName::Aes128, Some(1)),
        (BenchName::Cot, None),
        (BenchName::Boolean, None),
        (BenchName::Sha256, None),
        (BenchName::Aes128, None),
        (BenchName::Vole, Some(1 << 22)),
        (BenchName::Arithmetic, Some(1 << 20)),
        (BenchName::Mul32, Some(10_000)),
        (BenchName::R1cs, Some(50_000)),
        (BenchName::InnerProduct, Some(1_000_000)),
        (BenchName::Matmul, Some(256)),
        (BenchName::Sis, None),
        (BenchName::Convert, Some(10_000)),
        (BenchName::Robin, Some(100_000)),
        (BenchName::Batchman, Some(64)),
        (BenchName::Cpu, Some(5_000)),
        (BenchName::Ram, Some(1 << 17)),
        (BenchName::Rom, Some(1 << 17)),
        (BenchName::Riscv, Some(1 << 17)),
        (BenchName::Macncheese, Some(1 << 20)),
    ];
    entries.into_iter().map(|(name, size)| Job::new(name, size, &args.measure, &args.protocol)).collect()
}
