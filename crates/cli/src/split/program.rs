//! Runs of RISC-V programs, whose segments are proved by many workers.

use std::ffi::OsString;

use volery::programs::proof::Settings as Cut;
use volery::split::Dealt;
use volery::split::statements::SplitRun;
use volery::system::{Over, ProvesRuns};
use volery_field::{F61, F61x2};
use volery_statement::{Named, RunOf, Target, WitnessSource};

use super::{Kind, conclude, coordinate_prover, coordinate_verifier};
use crate::args::{ShardsArgs, SplitProveArgs, SplitVerifyArgs};
use crate::failure::Failure;
use crate::{source, terminal};

/// Bits of soundness that a run has if challenges are over the field itself, and no worker may be lost.
const SMALL: f64 = 40.0;

/// The program that the command line names.
pub(super) fn of(args: &ShardsArgs, program: &OsString) -> Result<RunOf, Failure> {
    let values = [("exit", &args.exit), ("trap", &args.trap), ("max-steps", &args.max_steps)];
    let values = values.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.clone()?)));
    let named = Named {
        target: Target::of(program),
        public: args.public.as_deref().map(source::of),
        values: values.collect(),
        ..Named::default()
    };
    let missing =
        || Failure::input(format!("{}: not a static ELF file of a RISC-V program", program.display()));
    RunOf::load(&named)?.ok_or_else(missing)
}

fn text(args: &ShardsArgs, of: &RunOf) -> String {
    format!("{} in {} groups of segments", of.text(), args.shards)
}

/// Over what it is proved: both parties find the same by the same options. `--rho` counts, and what retries
/// cost.
fn kind(args: &SplitVerifyArgs) -> Kind {
    let bits = SMALL - (f64::from(args.shards.retries) + 1.0).log2();
    if bits >= f64::from(args.protocol.rho.unwrap_or(SMALL as u16)) { Kind::Run } else { Kind::RunLarge }
}

pub(super) fn prove(args: &SplitProveArgs, of: &RunOf) -> Result<(), Failure> {
    let all = &args.coordinator;
    let witness = args.witness.as_ref().ok_or_else(|| Failure::input("give --witness FILE"))?;
    let public = all.shards.public.as_deref();
    if source::is_standard(witness) && public.is_some_and(source::is_standard) {
        return Err(Failure::input("--witness - and --public -: standard input can be only one of them"));
    }
    let witness = WitnessSource::Whole(source::of(witness));
    let run = terminal::during("running the program", || of.run(&witness))?;
    let checked = of.check(&run).map_err(Failure::from);
    let result = checked.and_then(|()| {
        let shards = all.shards.shards as usize;
        let run = terminal::during("cutting the run", || SplitRun::new(run, shards))?;
        match kind(all) {
            Kind::RunLarge => prove_over(Over::<F61, F61x2>::new(), args, &run),
            _ => prove_over(Over::<F61, F61>::new(), args, &run),
        }
    });
    conclude(all, &text(&all.shards, of), result)
}

fn prove_over<Y: Dealt + ProvesRuns + Copy>(
    system: Y,
    args: &SplitProveArgs,
    run: &SplitRun,
) -> Result<super::Told, Failure> {
    let kind = kind(&args.coordinator);
    let job = |shard| Ok(kind.job(&run.job(shard)?));
    let told = coordinate_prover(system, args, |prover| prover.announce_split_run(system, run), run, job)?;
    Ok(told.of_run(run))
}

pub(super) fn verify(args: &SplitVerifyArgs, of: &RunOf) -> Result<(), Failure> {
    let result = match kind(args) {
        Kind::RunLarge => verify_over(Over::<F61, F61x2>::new(), args, of),
        _ => verify_over(Over::<F61, F61>::new(), args, of),
    };
    conclude(args, &text(&args.shards, of), result)
}

fn verify_over<Y: Dealt + ProvesRuns + Copy>(
    system: Y,
    args: &SplitVerifyArgs,
    of: &RunOf,
) -> Result<super::Told, Failure> {
    let (kind, groups) = (kind(args), args.shards.shards as usize);
    let (told, run) = coordinate_verifier(
        system,
        args,
        |verifier| {
            let about = (&of.subject, &of.public[..]);
            verifier.hear_split_run(system, about, (Cut::default(), groups), &of.terms)
        },
        |run: &SplitRun, shard| Ok(kind.job(&run.job(shard)?)),
    )?;
    Ok(told.of_run(&run))
}
