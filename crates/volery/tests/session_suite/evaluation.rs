//! What P does before a proof: it evaluates, so that a false statement shows nothing but that; and statements
//! that claim nothing.

use volery::macncheese::{Multiplier, Settings};
use volery::system::{self, Over, Stacked, StackedOver};
use volery::{Error, Prover, Report, Verifier};
use volery_channel::Tag;
use volery_circuit::{Convert, Digest, Error as StatementError, Ops, Prove, Statement};
use volery_field::{F2, F61, F61x2, Ring};

use volery_testing::Tapped;

use crate::support::{Link, Tap, between, options, patient, rng};

/// Blocks that the statements below fill several times.
const SETTINGS: Settings = Settings { interval: 1 << 10, multiplier: Multiplier::Batched };

/// Secret zeros, and after each stretch of them the claim that its first one is zero; that of stretch `wrong`
/// is one.
struct Zeros {
    stretches: usize,
    wrong: Option<usize>,
}

/// Commitments of a stretch: more than any message of masks has.
const STRETCH: usize = 1 << 17;

impl Zeros {
    fn with_wrong(wrong: usize) -> Self {
        Self { stretches: 3, wrong: Some(wrong) }
    }

    fn run_over<R: Ring, B: Prove<R>>(&self, b: &mut B) -> Result<(), B::Error> {
        for stretch in 0..self.stretches {
            let first = if self.wrong == Some(stretch) { R::ONE } else { R::ZERO };
            let wires = b.secret(STRETCH, &mut |_| {
                let mut values = vec![R::ZERO; STRETCH];
                values[0] = first;
                Ok(values)
            })?;
            b.assert_zero(&wires[..1])?;
        }
        Ok(())
    }
}

/// Over bits.
struct Bits(Zeros);

impl<B: Prove<F2>> Statement<B> for Bits {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"zeros");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        self.0.run_over(b)
    }
}

/// Over a field.
struct Elements(Zeros);

impl<B: Prove<F61>> Statement<B> for Elements {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"zeros");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        self.0.run_over(b)
    }
}

/// Over both; the claims are about elements.
struct Mixed(Zeros);

impl<B: Convert<F61>> Statement<B> for Mixed {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"zeros");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let bit = Prove::<F2>::secret(b, 1, &mut |_| Ok(vec![F2::ONE]))?;
        Ops::<F2>::mul(b, &bit[0], &bit[0])?;
        self.0.run_over::<F61, B>(b)
    }
}

/// A way to prove and one to verify.
struct Way {
    name: &'static str,
    prove: fn(&mut Prover<&mut Tapped<Link>>, Zeros) -> Result<Report, Error>,
    verify: fn(&mut Verifier<Link>, Zeros) -> Result<Report, Error>,
}

const WAYS: [Way; 5] = [
    Way {
        name: "bits",
        prove: |prover, zeros| prover.prove(system::Bits, &Bits(zeros), &mut rng(1)),
        verify: |verifier, zeros| verifier.verify(system::Bits, &Bits(zeros), &mut rng(2)),
    },
    Way {
        name: "a field",
        prove: |prover, zeros| prover.prove(Over::<F61, F61>::new(), &Elements(zeros), &mut rng(1)),
        verify: |verifier, zeros| verifier.verify(Over::<F61, F61>::new(), &Elements(zeros), &mut rng(2)),
    },
    Way {
        name: "both",
        prove: |prover, zeros| prover.prove(system::Mixed::<F61, F61x2>::new(), &Mixed(zeros), &mut rng(1)),
        verify: |verifier, zeros| {
            verifier.verify(system::Mixed::<F61, F61x2>::new(), &Mixed(zeros), &mut rng(2))
        },
    },
    Way {
        name: "bits, stacked",
        prove: |prover, zeros| prover.prove(Stacked::new(SETTINGS), &Bits(zeros), &mut rng(1)),
        verify: |verifier, zeros| verifier.verify(Stacked::new(SETTINGS), &Bits(zeros), &mut rng(2)),
    },
    Way {
        name: "a field, stacked",
        prove: |prover, zeros| {
            prover.prove(StackedOver::<F61, F61>::new(SETTINGS), &Elements(zeros), &mut rng(1))
        },
        verify: |verifier, zeros| {
            verifier.verify(StackedOver::<F61, F61>::new(SETTINGS), &Elements(zeros), &mut rng(2))
        },
    },
];

/// How both parties end, and the tags and lengths of what P sent.
type End = ((Result<Report, Error>, Result<Report, Error>), Vec<(Tag, usize)>);

fn run(way: &Way, evaluates: bool, proved: Zeros, claimed: Zeros) -> End {
    let prove = |tap: &mut Tapped<Link>| {
        let mut prover = Prover::start(tap, options(false, 1), &mut rng(3))?;
        if !evaluates {
            prover = prover.without_evaluation();
        }
        (way.prove)(&mut prover, proved)
    };
    let ((p, sent), v) = between(
        &patient(),
        |link| {
            let mut tap = Tap::recorder(link);
            (prove(&mut tap), tap.layer.sent)
        },
        |link| {
            let mut verifier = Verifier::start(link, options(false, 1), &mut rng(4))?;
            (way.verify)(&mut verifier, claimed)
        },
    );
    ((p, v), sent.into_iter().map(|(tag, payload)| (tag, payload.len())).collect())
}

#[test]
fn how_much_a_prover_of_a_false_statement_sends_does_not_say_which_assertion_fails() {
    let truth = || Zeros { stretches: 3, wrong: None };
    for way in &WAYS {
        let outline = |evaluates: bool, wrong: usize| {
            let ((p, v), sent) = run(way, evaluates, Zeros::with_wrong(wrong), truth());
            let told = matches!(
                &p,
                Err(Error::Proof(volery_zk::Error::Statement(StatementError::Unsatisfied { .. })))
            );
            assert!(told && v.is_err(), "{}: {p:?} {v:?}", way.name);
            (v.map(drop), sent)
        };
        assert_eq!(outline(true, 0), outline(true, 2), "{}", way.name);
        // This is what it would show. It is the same session for each.
        if way.name == WAYS[0].name {
            assert_ne!(outline(false, 0).1, outline(false, 2).1, "{}", way.name);
        }
    }
}

#[test]
fn statements_that_claim_nothing_are_refused_by_both_parties() {
    let nothing = || Zeros { stretches: 0, wrong: None };
    let refused = |result: &Result<Report, Error>| {
        let Err(Error::Proof(volery_zk::Error::Statement(error))) = result else { return false };
        *error == StatementError::nothing_claimed()
    };
    for way in &WAYS {
        let ((p, _), sent) = run(way, true, nothing(), nothing());
        assert!(refused(&p), "{}: {p:?}", way.name);
        // V refuses it by itself.
        let ((p, v), _) = run(way, false, nothing(), nothing());
        assert!(refused(&v) && p.is_err(), "{}: {p:?} {v:?}", way.name);
        assert!(!sent.is_empty());
    }
}
