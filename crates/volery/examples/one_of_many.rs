//! "I know an input that breaks one of these three functions", without saying which one, and without showing
//! the input.
//!
//! Run it with `cargo run -p volery --example one_of_many`.
//!
//! Somebody has found a mistake in a program, and wants to be believed before it is told. The branches here
//! are three functions on two 32-bit numbers as one finds them in real programs. Each claims that its result
//! is wrong. A proof of one of many costs about what the largest branch costs, and the verifier does not
//! learn which branch holds.

use std::error::Error;

use volery::circuit::gadgets::{add_constant, add_with_carry, constant, less_than, less_than_signed, negate};
use volery::circuit::{Branch, Branches, Choose, Digest, Error as StatementError, Evaluator, Picked, Prove};
use volery::field::F2;
use volery::system::Bits;
use volery::{Limits, Options, Prover, Report, Statement, Verifier, memory_pair, os_rng};

/// A function, with the claim that it goes wrong.
#[derive(Clone, Copy)]
enum Function {
    /// `(x + y) / 2` is less than both: the sum has wrapped.
    Average,
    /// `if x < 0 { -x } else { x }` is negative.
    Absolute,
    /// `(x + 15) & !15`, to round up, is less than `x`.
    RoundUp,
}

const FUNCTIONS: [Function; 3] = [Function::Average, Function::Absolute, Function::RoundUp];

/// A branch is a program with wires that go in: here the 64 bits of the input, the same for all branches.
impl<B: Prove<F2>> Branch<F2, B> for Function {
    fn identify(&self, digest: &mut Digest) {
        let name = match self {
            Self::Average => "average",
            Self::Absolute => "absolute",
            Self::RoundUp => "round up",
        };
        digest.bytes("function", name.as_bytes());
    }

    fn run(&self, b: &mut B, shared: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
        // The lowest bit first.
        let (x, y) = shared.split_at(32);
        let broken = match self {
            Self::Average => {
                let (mut sum, _carry) = add_with_carry(b, x, y)?;
                // Division by 2 drops the lowest bit.
                sum.remove(0);
                sum.push(b.constant(F2::ZERO));
                let below = [less_than(b, &sum, x)?, less_than(b, &sum, y)?];
                b.mul(&below[0], &below[1])?
            }
            Self::Absolute => {
                let zero = constant(b, 0, 32);
                let negated = negate(b, x)?;
                // x and -x are both negative.
                let negative = [less_than_signed(b, x, &zero)?, less_than_signed(b, &negated, &zero)?];
                b.mul(&negative[0], &negative[1])?
            }
            Self::RoundUp => {
                let mut up = add_constant(b, x, 15)?;
                let low = constant(b, 0, 4);
                up.splice(..4, low);
                less_than(b, &up, x)?
            }
        };
        b.assert_equal(&[broken], &[F2::ONE])?;
        Ok(Vec::new())
    }
}

/// The finder's claim. The verifier has no input.
struct Broken {
    /// The input, and which function it breaks.
    found: Option<([u32; 2], usize)>,
}

impl<B: Choose<F2, Function>> Statement<B> for Broken {
    fn identify(&self, digest: &mut Digest) {
        // The branches identify themselves.
        digest.bytes("statement", b"example: a broken function v1");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let none = || StatementError::Witness("none was given".into());
        let input = b.secret(64, &mut |_| {
            let ([x, y], _) = self.found.ok_or_else(none)?;
            let number = u64::from(x) | u64::from(y) << 32;
            Ok((0..64).map(|i| F2::new(number >> i & 1 == 1)).collect())
        })?;
        let functions = Branches::new(FUNCTIONS.to_vec(), 64)?;
        b.any_of(&input, &functions, &mut |_| {
            let (_, which) = self.found.ok_or_else(none)?;
            Ok(Picked::new(which))
        })?;
        Ok(())
    }
}

/// A whole session. Returns what the verifier says: only `Ok` means that the claim is proved.
fn session(prover: &Broken, verifier: &Broken) -> Result<Report, volery::Error> {
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
    let claim = Broken { found: None };
    let inputs = [[3_000_000_000, 2_000_000_000], [0x8000_0000, 0], [u32::MAX - 3, 0]];
    let mut sent = Vec::new();
    for (which, input) in inputs.into_iter().enumerate() {
        let report = session(&Broken { found: Some((input, which)) }, &claim)?;
        sent.push(report.bytes_received);
        println!("accepted: one of {} functions is broken; {} bytes", FUNCTIONS.len(), report.bytes_received);
    }
    // Whichever it is, the verifier sees the same number of bytes, and nothing but noise in them.
    if sent.iter().any(|bytes| *bytes != sent[0]) {
        return Err("the verifier can tell the functions apart".into());
    }

    // An input that breaks none of them is no witness for any branch.
    let harmless = |which| Broken { found: Some(([20, 30], which)) };
    for which in 0..FUNCTIONS.len() {
        let refused = Evaluator::<F2>::check(&harmless(which)).err().ok_or("a harmless input was taken")?;
        println!("a harmless input: {refused}");
    }
    let refused = session(&harmless(0), &claim).err().ok_or("a harmless input was believed")?;
    println!("its verifier: {refused}");
    Ok(())
}

#[test]
fn the_example_ends_well() -> Result<(), Box<dyn Error>> {
    main()
}
