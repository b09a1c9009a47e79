//! What backends have faster ways for is the same as gate by gate in the order that they take.

use volery_circuit::gadgets;
use volery_circuit::{Addends, Backend, Carries, Digest, Error, Evaluator, Hint, Ops, Prove, Statement};
use volery_field::F2;
use volery_testing::session;
use volery_zk::disjunction::AnyOf;

use crate::disjunction::parties::{RUNS, Run, prove_bits, verify_bits};

/// A backend behind which is another, of which it takes one gate at a time.
struct Gatewise<'a, B>(&'a mut B);

impl<B: Backend> Backend for Gatewise<'_, B> {
    type Error = B::Error;
}

impl<B: Ops<F2>> Ops<F2> for Gatewise<'_, B> {
    type Wire = B::Wire;

    fn constant(&mut self, c: F2) -> B::Wire {
        self.0.constant(c)
    }

    fn add(&mut self, x: &B::Wire, y: &B::Wire) -> B::Wire {
        self.0.add(x, y)
    }

    fn sub(&mut self, x: &B::Wire, y: &B::Wire) -> B::Wire {
        self.0.sub(x, y)
    }

    fn add_constant(&mut self, x: &B::Wire, c: F2) -> B::Wire {
        self.0.add_constant(x, c)
    }

    fn scale(&mut self, x: &B::Wire, c: F2) -> B::Wire {
        self.0.scale(x, c)
    }

    fn mul(&mut self, x: &B::Wire, y: &B::Wire) -> Result<B::Wire, B::Error> {
        self.0.mul(x, y)
    }

    fn multi_add<const M: usize>(&mut self, columns: Addends<'_, B::Wire, M>) -> Result<(), B::Error> {
        columns.run_as_words::<F2, _>(self)
    }
}

impl<B: Prove<F2>> Prove<F2> for Gatewise<'_, B> {
    fn secret(&mut self, n: usize, hint: Hint<'_, F2, B::Wire>) -> Result<Vec<B::Wire>, B::Error> {
        self.0.secret(n, hint)
    }

    fn assert_zero(&mut self, x: &[B::Wire]) -> Result<(), B::Error> {
        self.0.assert_zero(x)
    }
}

/// The sum of six numbers in `x`, of `live` carries, and of a public number, modulo a power of two or with
/// what it carries.
fn six<B: Ops<F2>>(b: &mut B, x: &[B::Wire], width: usize, live: usize) -> Result<Vec<B::Wire>, B::Error> {
    let words = core::array::from_fn::<_, 6, _>(|j| &x[20 * j..][..width]);
    let wires = core::array::from_fn(|j| x[150 + j].clone());
    let (mut sums, mut carries) = (x[..width].to_vec(), Carries { wires, live });
    let (public, modular) = (0x1234_5678_9abc_def0 >> live, live.is_multiple_of(2));
    b.multi_add(Addends { sums: &mut sums, words, carries: &mut carries, public, modular })?;
    if !modular {
        sums.extend_from_slice(&carries.wires[..carries.live]);
    }
    Ok(sums)
}

/// "I know bits of which sums and products are these": a branch with adders of many widths, and `more` sums
/// of six numbers.
struct Sums {
    more: usize,
    results: Vec<F2>,
    witness: Option<Vec<F2>>,
    gatewise: bool,
}

const BITS: usize = 200;

impl Sums {
    fn new(seed: u64, more: usize) -> Self {
        let mut state = seed | 1;
        let mut bit = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            F2::from_lsb(state >> 20)
        };
        let witness: Vec<F2> = (0..BITS).map(|_| bit()).collect();
        let mut sums = Self { more, results: vec![], witness: Some(witness.clone()), gatewise: false };
        sums.results = sums.compute(&mut Evaluator::new(), &witness).expect("evaluates");
        sums
    }

    /// What V has, and P of branches that do not hold.
    fn public(&self, gatewise: bool) -> Self {
        Self { more: self.more, results: self.results.clone(), witness: None, gatewise }
    }

    fn compute<B: Ops<F2>>(&self, b: &mut B, x: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
        let mut out = Vec::new();
        for width in [1, 2, 3, 31, 32, 63, 64, 65, 100] {
            let (x, y) = (&x[..width], &x[100 - width / 2..][..width]);
            out.extend(gadgets::add(b, x, y)?);
            out.extend(gadgets::add_with_carry(b, x, y)?.0);
            for k in [0, 1, 0b1011_0000, u64::MAX, 1 << 63] {
                out.extend(gadgets::add_constant(b, x, k)?);
            }
        }
        out.extend(gadgets::multiply(b, &x[..13], &x[50..60])?);
        // The most that are added as words, and one more.
        for (width, live) in (0..=6).map(|live| (63, live)).chain([(64, 3)]) {
            out.extend(six(b, x, width, live)?);
            // Whatever waits when the next one comes.
            out.push(b.mul(&x[live], &x[7])?);
        }
        for i in 0..self.more {
            out.extend(six(b, x, 63, i % 7)?);
        }
        Ok(out)
    }

    fn all<B: Prove<F2>>(&self, b: &mut B) -> Result<(), B::Error> {
        let x = b.secret(BITS, &mut |_| self.witness.clone().ok_or_else(|| Error::Witness("none".into())))?;
        let results = self.compute(b, &x)?;
        let differences: Vec<_> =
            results.iter().zip(&self.results).map(|(x, c)| b.add_constant(x, *c)).collect();
        b.assert_zero(&differences)
    }
}

impl<B: Prove<F2>> Statement<B> for Sums {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"test: sums");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        if self.gatewise { self.all(&mut Gatewise(b)) } else { self.all(b) }
    }
}

#[test]
fn a_party_that_takes_gates_one_at_a_time_agrees_with_one_that_adds_words() {
    let branches = [Sums::new(3, 400), Sums::new(5, 300), Sums::new(8, 50)];
    let run = Run { interval: 1 << 14, ..RUNS[0] };
    let all = |gatewise, choice: Option<usize>| {
        let branch = |(i, sums): (usize, &Sums)| match choice == Some(i) {
            true => Sums { witness: sums.witness.clone(), ..sums.public(gatewise) },
            false => sums.public(gatewise),
        };
        AnyOf::new(branches.iter().enumerate().map(branch).collect()).expect("fits")
    };
    let mut sent = Vec::new();
    for (choice, gatewise) in [(0, [false, false]), (1, [false, true]), (1, [true, false]), (1, [true, true])]
    {
        let proved = all(gatewise[0], Some(choice)).with_choice(choice).expect("there");
        let claimed = all(gatewise[1], None);
        let end = session(|c| prove_bits(run, &proved, c), |c| verify_bits(run, &claimed, c), None);
        assert!(
            end.results[1].is_ok() && end.results[0] == end.results[1],
            "{gatewise:?}: {:?}",
            end.results
        );
        sent.push(end.sent);
    }
    assert!(sent[1] == sent[2] && sent[2] == sent[3], "messages differ");
}

#[test]
fn sums_of_another_witness_are_rejected_however_they_are_added() {
    let (claims, other) = ([Sums::new(5, 50), Sums::new(8, 50)], Sums::new(99, 50));
    let run = Run { interval: 1 << 14, ..RUNS[0] };
    for gatewise in [false, true] {
        // What P claims of its own witness is true, and not what V has been told.
        let lie = Sums { witness: other.witness.clone(), ..other.public(gatewise) };
        let proved = AnyOf::new(vec![claims[0].public(gatewise), lie]).expect("fits");
        let proved = proved.with_choice(1).expect("there");
        let claimed = AnyOf::new(claims.iter().map(|sums| sums.public(false)).collect()).expect("fits");
        let end = session(|c| prove_bits(run, &proved, c), |c| verify_bits(run, &claimed, c), None);
        let v = &end.results[1];
        assert!(matches!(v, Err(error) if error.is_rejection()), "{v:?}");
    }
}
