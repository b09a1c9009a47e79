//! Runs of RISC-V programs, whose segments are proved by many workers.

use std::ffi::OsString;
use std::path::Path;

use volery::programs::proof::{ProgramRun, Settings as Cut};
use volery::split::remote::Kind;
use volery::split::statements::{SplitRun, estimate_run};
use volery::split::{Dealt, Estimate};
use volery::system::{Over, ProvesRuns};
use volery_field::{F61, F61x2};
use volery_statement::{Named, RunOf, Target, WitnessSource};

use super::{conclude, coordinate_prover, coordinate_verifier};
use crate::args::{ProtocolArgs, ShardsArgs, SplitInfoArgs, SplitProveArgs, SplitVerifyArgs};
use crate::failure::Failure;
use crate::{source, terminal};

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

/// The statement in words.
pub(super) fn text(args: &ShardsArgs, of: &RunOf) -> String {
    format!("{} in {} groups of segments", of.text(), args.shards)
}

/// Over what it is proved: both parties find the same by the same options. `--rho` counts, and what retries
/// cost.
fn kind(shards: &ShardsArgs, protocol: &ProtocolArgs) -> Kind {
    Kind::of_run(protocol.rho, shards.retries)
}

/// P's run with this secret input. Nothing is asked of its end.
fn run(shards: &ShardsArgs, witness: &Path, of: &RunOf) -> Result<ProgramRun, Failure> {
    if source::is_standard(witness) && shards.public.as_deref().is_some_and(source::is_standard) {
        return Err(Failure::input("--witness - and --public -: standard input can be only one of them"));
    }
    let witness = WitnessSource::Whole(source::of(witness));
    Ok(terminal::during("running the program", || of.run(&witness))?)
}

/// The run in its shards.
fn cut(shards: &ShardsArgs, run: ProgramRun) -> Result<SplitRun, Failure> {
    Ok(terminal::during("cutting the run", || SplitRun::new(run, shards.shards as usize))?)
}

/// What a proof of a run takes.
pub(super) fn estimate(args: &SplitInfoArgs, of: &RunOf) -> Result<Estimate, Failure> {
    let SplitInfoArgs { shards, witness, protocol, .. } = args;
    let missing = || Failure::input("what the proof of a run takes depends on the run: give --witness FILE");
    let run = cut(shards, run(shards, witness.as_ref().ok_or_else(missing)?, of)?)?;
    let (options, settings) = (protocol.options(), super::settings(shards));
    let estimate = terminal::during("rehearsing the shards", || match kind(shards, protocol) {
        Kind::RunLarge => estimate_run(options, Over::<F61, F61x2>::new(), &run, settings),
        _ => estimate_run(options, Over::<F61, F61>::new(), &run, settings),
    });
    Ok(estimate?)
}

pub(super) fn prove(args: &SplitProveArgs, of: &RunOf) -> Result<(), Failure> {
    let all = &args.coordinator;
    let witness = args.witness.as_ref().ok_or_else(|| Failure::input("give --witness FILE"))?;
    let run = run(&all.shards, witness, of)?;
    let checked = of.check(&run).map_err(Failure::from);
    let result = checked.and_then(|()| {
        let run = cut(&all.shards, run)?;
        match kind(&all.shards, &all.protocol) {
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
    let kind = kind(&args.coordinator.shards, &args.coordinator.protocol);
    let job = |shard| Ok(kind.job(&run.job(shard)?));
    let told = coordinate_prover(system, args, |prover| prover.announce_split_run(system, run), run, job)?;
    Ok(told.of_run(run))
}

pub(super) fn verify(args: &SplitVerifyArgs, of: &RunOf) -> Result<(), Failure> {
    let result = match kind(&args.shards, &args.protocol) {
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
    let (kind, groups) = (kind(&args.shards, &args.protocol), args.shards.shards as usize);
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
