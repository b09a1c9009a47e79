//! "I am at least 18", from a record that somebody else vouches for, without showing the record.
//!
//! Run it with `cargo run -p volery --example age_in_a_record`.
//!
//! An office knows name and date of birth of its citizens. It publishes one SHA-256 digest for each of them,
//! of name, date and a random salt, and gives the record to its owner. The digest tells nobody anything. Now
//! the owner proves to a shop: "I know a record with this digest, and its date of birth is 18 years ago or
//! more." The shop learns that and nothing else.
//!
//! The same works for whatever can be computed from such a record.

use std::error::Error;

use volery::circuit::gadgets::{bits_to_bytes, bytes_to_bits, constant, less_than, sha256};
use volery::circuit::{Backend, Digest, Error as StatementError, Evaluator, Prove};
use volery::field::F2;
use volery::system::{Bits, Provable};
use volery::{Limits, Options, Prover, Report, Statement, Verifier, Zeroizing, memory_pair, os_rng};

/// Bytes of the record: 24 of the name, 8 digits of the date of birth (as 20080517), 16 of salt.
const RECORD: usize = 24 + 8 + 16;
/// Where the date is.
const BIRTH: std::ops::Range<usize> = 24..32;

/// Shop and citizen have the digest, and the last date of birth that is early enough. Only the citizen has
/// the record.
struct OldEnough {
    digest: [u8; 32],
    /// Eight digits.
    latest: [u8; 8],
    /// `Zeroizing` overwrites the record when it is dropped.
    record: Option<Zeroizing<[u8; RECORD]>>,
}

impl<B: Prove<F2>> Statement<B> for OldEnough {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"example: age in a record v1");
        digest.bytes("digest", &self.digest).bytes("latest", &self.latest);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let record = b.secret(8 * RECORD, &mut |_| {
            let record =
                self.record.as_ref().ok_or_else(|| StatementError::Witness("none was given".into()))?;
            Ok(bytes_to_bits(&record[..]))
        })?;

        // A gadget is a program over any backend, too. This one is 22,000 AND gates.
        let digest = sha256(b, &record)?;
        b.assert_equal(&digest, &bytes_to_bits(&self.digest))?;

        // Dates of eight digits are ordered as their texts are, and texts of eight bytes as the numbers that
        // have these bytes, the first one at the top. Wires of a number begin at its lowest bit.
        let birth: Vec<_> =
            record[8 * BIRTH.start..8 * BIRTH.end].chunks(8).rev().flatten().cloned().collect();
        let latest = constant(b, u64::from_be_bytes(self.latest), 64);
        let too_young = less_than(b, &latest, &birth)?;
        b.assert_zero(&[too_young])
    }
}

/// What the office does: it makes a record.
fn record(name: &str, birth: &[u8; 8], salt: [u8; 16]) -> Zeroizing<[u8; RECORD]> {
    let mut record = Zeroizing::new([b' '; RECORD]);
    record.iter_mut().zip(name.bytes()).take(BIRTH.start).for_each(|(to, from)| *to = from);
    record[BIRTH].copy_from_slice(birth);
    record[BIRTH.end..].copy_from_slice(&salt);
    record
}

/// The digest of a record, by the same program: `compute` returns what `assert_equal` compares.
fn digest(record: &Zeroizing<[u8; RECORD]>) -> Result<[u8; 32], Box<dyn Error>> {
    let any = OldEnough { digest: [0; 32], latest: *b"99999999", record: Some(record.clone()) };
    let bytes = bits_to_bytes(&Evaluator::<F2>::compute(&any)?).ok_or("whole bytes")?;
    bytes.try_into().map_err(|_| "a digest has 32 bytes".into())
}

/// A prover that lies: it names the digest that was asked for, and proves its claim for another one's record.
struct Liar {
    asked: OldEnough,
    known: OldEnough,
}

impl<B: Backend> Statement<B> for Liar
where
    OldEnough: Statement<B>,
{
    fn identify(&self, digest: &mut Digest) {
        Statement::<B>::identify(&self.asked, digest);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        self.known.run(b)
    }
}

/// A whole session. Returns what the verifier says: only `Ok` means that the claim is proved.
fn session(prover: &impl Provable<Bits>, verifier: &OldEnough) -> Result<Report, volery::Error> {
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
    // The salt of a real record is random: without it, whoever guesses name and date could check the guess.
    let ada = record("Ada Lovelace", b"20071210", *b"sixteen bytes: A");
    let tim = record("Tim Young", b"20110614", *b"sixteen bytes: T");
    let (of_ada, of_tim) = (digest(&ada)?, digest(&tim)?);

    // It is 24 November 2026.
    let claim = |digest, record| OldEnough { digest, latest: *b"20081124", record };

    let report = session(&claim(of_ada, Some(ada.clone())), &claim(of_ada, None))?;
    println!(
        "Ada is accepted: {} AND gates, {} bytes received in {:?}",
        report.tally.multiplications, report.bytes_received, report.time
    );

    // Tim's record has Tim's digest, but the date is too late, so the claim is false. The library's prover
    // evaluates a statement before it proves it, and stops there.
    let refused = Evaluator::<F2>::check(&claim(of_tim, Some(tim)));
    println!("Tim cannot prove it: {}", refused.err().ok_or("Tim is taken for an adult")?);

    // Tim has borrowed Ada's record, and proves hers in his own name.
    let liar = Liar { asked: claim(of_tim, None), known: claim(of_ada, Some(ada)) };
    match session(&liar, &claim(of_tim, None)) {
        Err(error) if error.is_rejection() => println!("Tim lies: {error}"),
        other => return Err(format!("Tim was believed: {other:?}").into()),
    }
    Ok(())
}

#[test]
fn the_example_ends_well() -> Result<(), Box<dyn Error>> {
    main()
}
