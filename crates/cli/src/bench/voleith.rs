//! The measurement of public proofs from VOLE in the head. This process makes and verifies them several
//! times. The best times count.

use std::io::Cursor;
use std::sync::Arc;

use volery::public::voleith::{Demands, Parameters, Settings, prove, verify};
use volery::statements::{Aes128Key, AndChain};
use volery::{Statement, os_rng};
use volery_circuit::Counter;
use volery_field::F2;
use volery_zk::quicksilver::bits;

use super::public::{Measured, PublicRow, best, pool};
use super::rows::Rows;
use super::workload::{Job, preimage};
use crate::args::{BenchArgs, BenchName};
use crate::failure::Failure;
use crate::output;
use crate::terminal::ProgressLine;

/// Runs the measurement.
pub(super) fn run(args: &BenchArgs, name: BenchName) -> Result<(), Failure> {
    let job = Job::new(name, args.size, &args.measure, &args.protocol)?;
    match name {
        BenchName::VoleithAes128 if job.size != 1 => {
            Err(Failure::input("--size: voleith-aes128 is of one key"))
        }
        BenchName::VoleithAes128 => measure(args, &job, &aes128()?, "AES-128 key"),
        BenchName::VoleithSha256 => {
            let of = format!("SHA-256 of {}", output::counted(job.size, "byte"));
            measure(args, &job, &preimage(job.size)?, &of)
        }
        _ => measure(args, &job, &AndChain::new(job.size), "chain"),
    }
}

/// The example of FIPS 197, appendix C.1.
fn aes128() -> Result<Aes128Key, Failure> {
    let plaintext = core::array::from_fn(|i| i as u8 * 0x11);
    let ciphertext = 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a_u128.to_be_bytes();
    Ok(Aes128Key::new(plaintext, ciphertext).with_key((0..16).collect::<Vec<u8>>().into())?)
}

fn measure<S>(args: &BenchArgs, job: &Job, statement: &S, of: &str) -> Result<(), Failure>
where
    S: Statement<Counter<F2>> + for<'a> Statement<bits::Prover<'a>> + for<'a> Statement<bits::Verifier<'a>>,
{
    let rows = Rows::new(args)?;
    let parameters = Parameters::of(args.sigma, args.small);
    let threads = pool(args.protocol.threads)?.map(Arc::new);
    let settings = Settings { parameters, message: None, threads: threads.clone() };
    let demands = Demands { sigma: parameters.sigma(), message: None, threads };
    let gates = Counter::<F2>::count(statement)?.total().multiplications;
    let mut rng = os_rng()?;
    let line = ProgressLine::task(&format!("measuring {}", job.name()));
    let (proof, seconds) = best(|| {
        let mut out = Cursor::new(Vec::new());
        prove(statement, &settings, &mut rng, &mut out)?;
        Ok(out.into_inner())
    })?;
    let (_, seconds_verify) = best(|| Ok(verify(statement, &demands, &mut &proof[..])?))?;
    drop(line);
    let measured = Measured {
        gates,
        seconds_setup: 0.0,
        seconds,
        seconds_verify,
        proof_bytes: proof.len() as u64,
        sigma: parameters.sigma(),
        repetitions: parameters.shape().trees(),
    };
    PublicRow::new(job, &measured).print(of, "tree", &rows)
}
