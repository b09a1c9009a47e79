//! Both parties in one process, to try a statement out.

use std::thread::Builder;

use crate::system::{Provable, System};
use crate::{Error, Limits, Options, Prover, Report, Verifier, memory_pair, os_rng};

/// Proves `statement` and verifies the proof: a whole session, over memory. The verifier gets the same
/// statement, and asks for no witness.
///
/// ```
/// use volery::statements::AndChain;
/// use volery::system::Bits;
///
/// let report = volery::testing::run(Bits, &AndChain::new(1000))?;
/// assert_eq!(report.tally.multiplications, 1000);
/// # Ok::<(), volery::Error>(())
/// ```
///
/// # Errors
/// The prover's, if it has one (a witness that does not satisfy the statement), else the verifier's.
pub fn run<Y: System>(system: Y, statement: &(impl Provable<Y> + ?Sized)) -> Result<Report, Error> {
    run_with(Options::default(), system, statement)
}

/// As [`run`], in a session with these options.
///
/// # Errors
/// As [`run`]; [`Error::Options`] for options that make no sense.
pub fn run_with<Y: System>(
    options: Options,
    system: Y,
    statement: &(impl Provable<Y> + ?Sized),
) -> Result<Report, Error> {
    let (ours, theirs) = memory_pair(&Limits::default());
    let verify = move || {
        let mut rng = os_rng()?;
        Verifier::start(theirs, options, &mut rng)?.verify(system, statement, &mut rng)
    };
    std::thread::scope(|scope| {
        let verified = Builder::new().spawn_scoped(scope, verify).map_err(Error::no_thread)?;
        let proved = os_rng()
            .and_then(|mut rng| Prover::start(ours, options, &mut rng)?.prove(system, statement, &mut rng));
        let verified = verified.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        proved.and(verified)
    })
}

#[cfg(test)]
mod tests {
    use volery_circuit::statements::{AndChain, MulChain};
    use volery_field::{F61, F61x2};

    use super::*;
    use crate::forgery::{False, Zero};
    use crate::macncheese::Settings;
    use crate::system::{Bits, Over, Stacked};

    #[test]
    fn a_statement_is_proved_by_every_kind_of_system() {
        run(Bits, &Zero).unwrap();
        run(Stacked::new(Settings::LAN), &AndChain::new(100)).unwrap();
        run(Over::<F61, F61x2>::new(), &MulChain::<F61>::new(100).unwrap()).unwrap();
        let hashed = Options { fiat_shamir: true, ..Options::default() };
        let report =
            run_with(hashed, Over::<F61, F61x2>::new(), &MulChain::<F61>::new(100).unwrap()).unwrap();
        assert_eq!(report.tally.multiplications, 100);
    }

    #[test]
    fn the_prover_s_error_is_the_one_that_is_told() {
        let error = run(Bits, &False).unwrap_err();
        assert!(matches!(error, Error::Proof(volery_zk::Error::Statement(_))), "{error}");
        let few = Options { threads: 0, ..Options::default() };
        assert!(matches!(run_with(few, Bits, &Zero), Err(Error::Options(_))));
    }
}
