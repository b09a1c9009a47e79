//! Bits and numbers in one statement: average and spread of salaries that an auditor has seen.
//!
//! Run it with `cargo run -p volery --example bits_and_a_field`.
//!
//! A company has given its auditor the SHA-256 digest of its list of salaries. It proves to its workers: "I
//! know a list with this digest, whose sum is this and whose sum of squares is that", from which average and
//! variance follow. Nobody learns a salary.
//!
//! SHA-256 works on bits. Sums and squares of whole numbers are cheap in a prime field, where a
//! multiplication costs one element, whatever the size of the numbers. `Convert` ties the two together: the
//! same secret is there as bits and as an element.

use std::error::Error;

use volery::circuit::gadgets::{bits_to_bytes, bytes_to_bits, sha256};
use volery::circuit::{Convert, Digest, Error as StatementError, Evaluator, MixedEvaluator, Ops, Prove};
use volery::field::{F2, F61, F61x2, Ring};
use volery::system::Mixed;
use volery::{Limits, Options, Prover, Report, Statement, Verifier, memory_pair, os_rng};

/// Workers of the company.
const WORKERS: usize = 12;

/// Everybody has digest and sums. Only the company has the salaries.
struct Salaries {
    digest: [u8; 32],
    sum: u64,
    squares: u64,
    /// In whole euros a month.
    secret: Option<[u32; WORKERS]>,
}

/// The list as it is hashed: four bytes each, the lowest first.
fn list(salaries: &[u32; WORKERS]) -> Vec<u8> {
    salaries.iter().flat_map(|salary| salary.to_le_bytes()).collect()
}

// With two kinds of values, `Prove::<F2>` and `Prove::<F61>` say which one is meant.
impl<B: Convert<F61>> Statement<B> for Salaries {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"example: salaries v1").bytes("digest", &self.digest);
        digest.number("sum", self.sum).number("squares", self.squares);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let bits = Prove::<F2>::secret(b, 32 * WORKERS, &mut |_| {
            let secret = self.secret.ok_or_else(|| StatementError::Witness("none was given".into()))?;
            Ok(bytes_to_bits(&list(&secret)))
        })?;
        let digest = sha256(b, &bits)?;
        Prove::<F2>::assert_equal(b, &digest, &bytes_to_bits(&self.digest))?;

        // Each salary as a number. Numbers are added modulo 2^61 - 1, so a statement has to see to it that no
        // sum comes near that: a company could otherwise hide a huge salary behind sums that wrap. Below 2^24
        // each, all squares together are below 2^52.
        let mut salaries = Vec::new();
        for bits in bits.chunks(32) {
            let (low, high) = bits.split_at(24);
            Prove::<F2>::assert_zero(b, high)?;
            salaries.push(b.to_element(low)?);
        }
        let squares = Ops::<F61>::mul_many(b, &salaries, &salaries)?;
        let totals = [&salaries, &squares].map(|numbers| {
            let zero = Ops::<F61>::constant(b, F61::ZERO);
            numbers.iter().fold(zero, |sum, number| Ops::<F61>::add(b, &sum, number))
        });
        Prove::<F61>::assert_equal(b, &totals, &[F61::new(self.sum), F61::new(self.squares)])
    }
}

/// The digest of a list, by the gadget that the statement uses.
struct DigestOf<'a>(&'a [u32; WORKERS]);

impl<B: Prove<F2>> Statement<B> for DigestOf<'_> {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"example: digest of salaries v1");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let bits = b.secret(32 * WORKERS, &mut |_| Ok(bytes_to_bits(&list(self.0))))?;
        let digest = sha256(b, &bits)?;
        b.assert_equal(&digest, &[F2::new(false); 256])
    }
}

/// A whole session. Returns what the verifier says: only `Ok` means that the claim is proved.
fn session(prover: &Salaries, verifier: &Salaries) -> Result<Report, volery::Error> {
    // Numbers modulo 2^61 - 1, authenticated in its quadratic extension: that makes 100 bits of soundness.
    let system = Mixed::<F61, F61x2>::new();
    let (ours, theirs) = memory_pair(&Limits::default());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut rng = os_rng()?;
            Prover::start(ours, Options::default(), &mut rng)?.prove(system, prover, &mut rng)
        });
        let mut rng = os_rng()?;
        Verifier::start(theirs, Options::default(), &mut rng)?.verify(system, verifier, &mut rng)
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let salaries: [u32; WORKERS] = [3100, 2950, 4200, 3800, 5100, 2700, 3300, 3650, 9800, 2900, 4400, 3050];
    let bits = Evaluator::<F2>::compute(&DigestOf(&salaries))?;
    let digest = bits_to_bytes(&bits).ok_or("whole bytes")?.try_into().map_err(|_| "32 bytes")?;
    let sum = salaries.iter().map(|salary| u64::from(*salary)).sum();
    let squares = salaries.iter().map(|salary| u64::from(*salary).pow(2)).sum();
    let claim = |sum, secret| Salaries { digest, sum, squares, secret };

    let report = session(&claim(sum, Some(salaries)), &claim(sum, None))?;
    println!(
        "accepted: {} AND gates and {} multiplications; the average is {} euros",
        report.bits.multiplications,
        report.tally.multiplications,
        sum / WORKERS as u64
    );

    // A company that claims a higher sum does not get far: its own prover finds that the claim does not hold.
    let refused = MixedEvaluator::<F61>::check(&claim(sum + 1200, Some(salaries)));
    println!("a wrong sum: {}", refused.err().ok_or("a wrong sum was believed")?);
    let refused = session(&claim(sum + 1200, Some(salaries)), &claim(sum + 1200, None));
    println!("its verifier: {}", refused.err().ok_or("a wrong sum was accepted")?);
    Ok(())
}

#[test]
fn the_example_ends_well() -> Result<(), Box<dyn Error>> {
    main()
}
