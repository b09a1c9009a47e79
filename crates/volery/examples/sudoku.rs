//! "I have solved this Sudoku", without showing the solution.
//!
//! Run it with `cargo run -p volery --example sudoku`. Both parties are in this process, each on a thread of
//! its own, and talk over memory. Between two machines only the channel is another one: `volery::connect` at
//! the prover and `volery::Listener` at the verifier.
//!
//! A statement is a program. Prover and verifier run the same one; the secrets are there at the prover only.
//! This one has nine secret bits for each cell, one for each digit, and claims that the rules hold.

use std::error::Error;

use volery::circuit::{Backend, Digest, Error as StatementError, Evaluator, Prove};
use volery::field::F2;
use volery::system::{Bits, Provable};
use volery::{Limits, Options, Prover, Report, Statement, Verifier, memory_pair, os_rng};

/// Both parties have the puzzle. Only the prover has the solution.
struct Sudoku {
    /// 81 digits, row by row. 0 is an empty cell.
    puzzle: [u8; 81],
    solution: Option<[u8; 81]>,
}

/// The number of the bit that says whether there is this digit (0 to 8) in this cell.
fn place(row: usize, column: usize, digit: usize) -> usize {
    (9 * row + column) * 9 + digit
}

/// Nine bits each, of which exactly one has to be 1: every cell has one digit, and every digit has one place
/// in each row, in each column and in each box.
fn rules() -> Vec<[usize; 9]> {
    let mut rules = Vec::new();
    for i in 0..9 {
        for j in 0..9 {
            rules.push(std::array::from_fn(|digit| place(i, j, digit)));
            rules.push(std::array::from_fn(|column| place(i, column, j)));
            rules.push(std::array::from_fn(|row| place(row, i, j)));
            rules.push(std::array::from_fn(|cell| place(i / 3 * 3 + cell / 3, i % 3 * 3 + cell % 3, j)));
        }
    }
    rules
}

impl<B: Prove<F2>> Statement<B> for Sudoku {
    /// What both parties must agree on before anything is proved: a name with a version, and every public
    /// value.
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"example: sudoku v1").bytes("puzzle", &self.puzzle);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        // Only the prover runs this closure. The verifier gets wires for the same bits, and no values.
        let bits = b.secret(81 * 9, &mut |_| {
            let solution = self.solution.ok_or_else(|| StatementError::Witness("none was given".into()))?;
            let cell = |digit: u8| (1..=9).map(move |candidate| F2::new(digit == candidate));
            Ok(solution.into_iter().flat_map(cell).collect())
        })?;

        // The digits of the puzzle are where they were.
        for (cell, digit) in self.puzzle.iter().enumerate().filter(|(_, digit)| **digit != 0) {
            let bit = &bits[9 * cell + usize::from(*digit) - 1];
            b.assert_equal(std::slice::from_ref(bit), &[F2::new(true)])?;
        }

        // All rules at once, bit by bit: `seen` says for each of them whether one of its bits was 1 so far.
        // If the next one is 1, too, then their product is not 0. Additions and comparisons with public
        // values are free. A product costs one bit in the proof, and many at once are faster than one at a
        // time.
        let rules = rules();
        let mut seen: Vec<_> = rules.iter().map(|rule| bits[rule[0]].clone()).collect();
        for step in 1..9 {
            let next: Vec<_> = rules.iter().map(|rule| bits[rule[step]].clone()).collect();
            let both = b.mul_many(&seen, &next)?;
            b.assert_zero(&both)?;
            seen = seen.iter().zip(&next).map(|(seen, next)| b.add(seen, next)).collect();
        }
        b.assert_equal(&seen, &vec![F2::new(true); rules.len()])
    }
}

/// A prover that lies: it names the puzzle that was asked for, and proves another one, which it can solve.
struct Liar {
    asked: Sudoku,
    solved: Sudoku,
}

impl<B: Backend> Statement<B> for Liar
where
    Sudoku: Statement<B>,
{
    fn identify(&self, digest: &mut Digest) {
        Statement::<B>::identify(&self.asked, digest);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        self.solved.run(b)
    }
}

/// A whole session. Returns what the verifier says: only `Ok` means that the claim is proved.
fn session(prover: &impl Provable<Bits>, verifier: &Sudoku) -> Result<Report, volery::Error> {
    let (ours, theirs) = memory_pair(&Limits::default());
    std::thread::scope(|scope| {
        // What the prover returns is nothing that the verifier could rely on.
        scope.spawn(|| {
            let mut rng = os_rng()?;
            Prover::start(ours, Options::default(), &mut rng)?.prove(Bits, prover, &mut rng)
        });
        let mut rng = os_rng()?;
        Verifier::start(theirs, Options::default(), &mut rng)?.verify(Bits, verifier, &mut rng)
    })
}

fn digits(text: &str) -> Result<[u8; 81], Box<dyn Error>> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0').collect();
    digits.try_into().map_err(|_| "a Sudoku has 81 cells".into())
}

const PUZZLE: &str =
    "530070000 600195000 098000060 800060003 400803001 700020006 060000280 000419005 000080079";
const SOLUTION: &str =
    "534678912 672195348 198342567 859761423 426853791 713924856 961537284 287419635 345286179";

fn main() -> Result<(), Box<dyn Error>> {
    let (puzzle, solution) = (digits(PUZZLE)?, digits(SOLUTION)?);
    let claim = Sudoku { puzzle, solution: None };

    // An honest prover. (The evaluator finds out beforehand whether a solution is one, on plain values.)
    let known = Sudoku { puzzle, solution: Some(solution) };
    Evaluator::<F2>::check(&known)?;
    let report = session(&known, &claim)?;
    println!(
        "accepted: {} AND gates, {} bytes received; a false claim would pass with probability 2^-{:.0}",
        report.tally.multiplications,
        report.bytes_received,
        report.soundness.bits()
    );

    // A solution with two digits swapped is none, so the library's prover does not even begin.
    let mut wrong = solution;
    wrong.swap(0, 1);
    let refused = Evaluator::<F2>::check(&Sudoku { puzzle, solution: Some(wrong) });
    println!("a wrong solution: {}", refused.err().ok_or("it was taken for a right one")?);

    // A prover that lies goes on, and the verifier finds out. This one has solved the puzzle in which ones
    // and twos are exchanged.
    let exchanged = |digits: [u8; 81]| {
        digits.map(|digit| match digit {
            1 => 2,
            2 => 1,
            other => other,
        })
    };
    let solved = Sudoku { puzzle: exchanged(puzzle), solution: Some(exchanged(solution)) };
    Evaluator::<F2>::check(&solved)?;
    let liar = Liar { asked: Sudoku { puzzle, solution: None }, solved };
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
