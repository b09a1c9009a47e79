//! "I know two factors of this number", without showing them.
//!
//! Run it with `cargo run -p volery --example factorisation`. It also says beforehand what the proof will
//! take.
//!
//! A proof shows what the statement says, not what you meant. "Two numbers whose product is this" would be
//! true of 1 and the number itself. So the statement here also claims that neither factor is 0 or 1.

use std::error::Error;

use volery::circuit::gadgets::{any_one, constant, multiply};
use volery::circuit::{Backend, Digest, Error as StatementError, Evaluator, Prove};
use volery::field::F2;
use volery::system::{Bits, Provable};
use volery::{Limits, Network, Options, Prover, Report, Statement, Verifier, estimate, memory_pair, os_rng};

/// Both parties have the product. Only the prover has the factors.
struct Factors {
    product: u128,
    secret: Option<[u64; 2]>,
}

/// The bits of a number, the lowest first.
fn bits(number: u128, width: usize) -> Vec<F2> {
    (0..width).map(|i| F2::new(number >> i & 1 == 1)).collect()
}

impl<B: Prove<F2>> Statement<B> for Factors {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"example: factorisation v1").bytes("product", &self.product.to_le_bytes());
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let mut p = b.secret(128, &mut |_| {
            let [p, q] = self.secret.ok_or_else(|| StatementError::Witness("none was given".into()))?;
            Ok(bits(u128::from(p) | u128::from(q) << 64, 128))
        })?;
        let q = p.split_off(64);
        let product = multiply(b, &p, &q)?;
        b.assert_equal(&product, &bits(self.product, 128))?;
        // A number above 1 has a bit besides its lowest one.
        let above_one = [any_one(b, &p[1..])?, any_one(b, &q[1..])?];
        let ones = constant(b, 3, 2);
        let wrong: Vec<_> = above_one.iter().zip(&ones).map(|(bit, one)| b.add(bit, one)).collect();
        b.assert_zero(&wrong)
    }
}

/// A prover that lies: it names the product that was asked for, and proves another one, whose factors it has.
struct Liar {
    asked: Factors,
    known: Factors,
}

impl<B: Backend> Statement<B> for Liar
where
    Factors: Statement<B>,
{
    fn identify(&self, digest: &mut Digest) {
        Statement::<B>::identify(&self.asked, digest);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        self.known.run(b)
    }
}

/// A whole session. Returns what the verifier says: only `Ok` means that the claim is proved.
fn session(prover: &impl Provable<Bits>, verifier: &Factors) -> Result<Report, volery::Error> {
    let (ours, theirs) = memory_pair(&Limits::default());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut rng = os_rng()?;
            Prover::start(ours, Options::default(), &mut rng)?.prove(Bits, prover, &mut rng)
        });
        let mut rng = os_rng()?;
        Verifier::start(theirs, Options::default(), &mut rng)?.verify(Bits, verifier, &mut rng)
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let (p, q) = (18_446_744_073_709_551_557, 18_446_744_073_709_551_533);
    let product = u128::from(p) * u128::from(q);
    let claim = Factors { product, secret: None };

    // The public side is enough to know what a proof takes.
    let expected = estimate(Options::default(), Bits, &claim)?;
    println!(
        "expected: {} bytes in all, {} round trips, {:.1} s over the internet",
        expected.bytes(),
        expected.round_trips,
        expected.seconds_on(Network::WAN)
    );

    let report = session(&Factors { product, secret: Some([p, q]) }, &claim)?;
    println!("accepted: {} AND gates", report.tally.multiplications);

    // The factors that everybody knows do not count.
    let small = Factors { product: 91, secret: Some([1, 91]) };
    println!("1 * 91: {}", Evaluator::<F2>::check(&small).err().ok_or("1 was taken for a factor")?);

    let liar = Liar {
        asked: Factors { product, secret: None },
        known: Factors { product: 91, secret: Some([7, 13]) },
    };
    match session(&liar, &claim) {
        Err(error) if error.is_rejection() => println!("the liar's proof: {error}"),
        other => return Err(format!("the liar's proof was not rejected: {other:?}").into()),
    }
    Ok(())
}

#[test]
fn the_example_ends_well() -> Result<(), Box<dyn Error>> {
    main()
}
