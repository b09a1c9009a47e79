//! Both parties of one proof over a field, on two threads with a channel between them.

use std::time::Duration;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use volery_channel::{Channel, Limits, memory_pair};
use volery_circuit::Statement;
use volery_field::{Mac, Value};
use volery_vole::{SessionId, Transcript};
use volery_zk::Error;
use volery_zk::quicksilver::arithmetic::{Alone, Prover, Settings, Verifier};
use volery_zk::quicksilver::{Challenges, Tally, verdict};

use crate::deal;

/// How a proof is run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) interval: usize,
    pub(crate) fiat_shamir: bool,
}

pub(crate) const RUNS: [Run; 4] = [
    Run { interval: 1 << 17, fiat_shamir: false },
    Run { interval: 1 << 17, fiat_shamir: true },
    Run { interval: 7, fiat_shamir: false },
    Run { interval: 7, fiat_shamir: true },
];

/// What P and V ended with.
pub(crate) type Both = (Result<Tally, Error>, Result<Tally, Error>);

impl Run {
    fn challenges<'r>(&self, rng: &'r mut ChaCha20Rng) -> Challenges<'r> {
        if self.fiat_shamir {
            Challenges::FiatShamir(Transcript::new("test", &SessionId::new([1; 32])))
        } else {
            Challenges::Interactive(rng)
        }
    }

    /// P with `proved`, V with `claimed`, which are the same unless P cheats. What P sends goes through `tap`.
    pub(crate) fn between<F: Value, M: Mac<F>, S, T>(&self, proved: &S, claimed: &T) -> Both
    where
        S: for<'a> Statement<Prover<'a, F, M>>,
        T: for<'a> Statement<Verifier<'a, F, M>>,
    {
        let limits =
            Limits { read: Duration::from_secs(20), write: Duration::from_secs(20), ..Limits::default() };
        let (mut p, mut v) = memory_pair(&limits);
        let settings = Settings { interval: self.interval };
        std::thread::scope(|scope| {
            let prover = scope.spawn(move || {
                let mut rng = ChaCha20Rng::seed_from_u64(99);
                let mut stock = deal::prover_stock::<F, M>(1);
                let prover = Prover::new(settings, self.challenges(&mut rng), &mut stock, Alone(&mut p));
                let result = prover.prove(proved);
                let result = result.and_then(|tally| verdict::receive(&mut p).map(|()| tally));
                result.inspect_err(|error| p.fail(&error.to_string()))
            });
            let verifier = scope.spawn(move || {
                let mut rng = ChaCha20Rng::seed_from_u64(1);
                let (mut stock, delta) = (deal::verifier_stock::<F, M>(1), deal::delta::<F, M>());
                let verifier =
                    Verifier::new(settings, self.challenges(&mut rng), &delta, &mut stock, Alone(&mut v));
                let result = verifier.verify(claimed);
                if result.as_ref().is_err_and(Error::is_rejection) {
                    let _ = verdict::send(&mut v, false);
                }
                let result = result.and_then(|tally| verdict::send(&mut v, true).map(|()| tally));
                result.inspect_err(|error| v.fail(&error.to_string()))
            });
            (prover.join().expect("no panic"), verifier.join().expect("no panic"))
        })
    }
}
