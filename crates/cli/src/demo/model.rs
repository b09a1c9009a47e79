//! The second part of the demo, over a field: a private model behind a public table.
//!
//! The table of scores is the product of two thin matrices: a row of numbers for each user, and a column for
//! each item. Most tables are not such products, so knowing the factors means something. The prover keeps
//! them secret.

use rand_core::{CryptoRng, Rng as _};
use volery::circuit::MatrixShape;
use volery::statements::MatrixProduct;
use volery::{Prover, Verifier, os_rng, system};
use volery_field::{F61, Ring};
use volery_statement::Wire;

use super::cheat::Impostor;
use super::{Caught, DemoPart, accepted, meet, rejected, table};
use crate::failure::Failure;
use crate::output;

/// The numbers of users and items, and of the values that describe each.
const SHAPE: MatrixShape = MatrixShape { rows: 200, inner: 16, columns: 200 };

/// Runs the second part: an honest prover, then one that cheats.
pub(super) fn run(say: &dyn Fn(&str) -> Result<(), Failure>) -> Result<DemoPart, Failure> {
    let MatrixShape { rows, inner, columns } = SHAPE;
    let claim = format!(
        "I know a model, {inner} numbers a row and {inner} a column, behind a public {rows} x {columns} table"
    );
    say(&format!("\n4. Numbers instead of bits: an honest prover\n   The claim    {claim}"))?;
    let (users, items) = (random(rows * inner)?, random(inner * columns)?);
    let scores = multiply(&users, &items);
    let public = || MatrixProduct::new(SHAPE, Some(scores.clone()));
    let honest = public()?.with_factors(users.clone(), items.clone())?;
    let verifier = public()?;
    let verify = |session: &mut Verifier<Wire>, rng: &mut dyn CryptoRng| {
        Ok(session.verify(system::Over::<F61, F61>::new(), &verifier, rng)?.into())
    };
    let prove = |session: &mut Prover<Wire>, rng: &mut dyn CryptoRng| {
        Ok(session.prove(system::Over::<F61, F61>::new(), &honest, rng)?.into())
    };
    let figures = accepted(meet(prove, verify, |channel| channel)?)?;
    say(&format!(
        "   verdict      ACCEPTED\n   multiplied   {} products of {} secret numbers; only the numbers cost bytes\n{}\n\
         \x20  soundness    a false claim is accepted with a probability below one in 2^{:.0}\n\n5. A prover that cheats",
        output::count((rows * inner * columns) as u64),
        output::count(figures.secrets),
        table(&figures),
        figures.soundness_bits.floor(),
    ))?;

    // Its table differs from the claimed one in one user.
    let mut other = users;
    let first = other.first_mut().ok_or_else(|| Failure::session("internal error"))?;
    *first += F61::ONE;
    let known = MatrixProduct::new(SHAPE, Some(multiply(&other, &items)))?.with_factors(other, items)?;
    let impostor = Impostor { claimed: &verifier, known: &known };
    let prove = |session: &mut Prover<Wire>, rng: &mut dyn CryptoRng| {
        Ok(session.prove(system::Over::<F61, F61>::new(), &impostor, rng)?.into())
    };
    let caught = Caught {
        what: "has a model that differs in one user, and proves the table of that model instead",
        reason: rejected(meet(prove, verify, |channel| channel)?)?,
    };
    say(&caught.text())?;
    Ok(DemoPart { claim, honest: figures, cheats: vec![caught] })
}

/// Random numbers. They are not wiped: the demo's secrets protect nothing.
fn random(n: usize) -> Result<Vec<F61>, Failure> {
    let mut rng = os_rng()?;
    Ok((0..n).map(|_| F61::new(rng.next_u64())).collect())
}

/// The table that a model predicts.
fn multiply(users: &[F61], items: &[F61]) -> Vec<F61> {
    let row = |user: &[F61]| -> Vec<F61> {
        let mut scores = vec![F61::ZERO; SHAPE.columns];
        for (weight, item) in user.iter().zip(items.chunks_exact(SHAPE.columns)) {
            scores.iter_mut().zip(item).for_each(|(score, x)| *score += *weight * *x);
        }
        scores
    };
    users.chunks_exact(SHAPE.inner).flat_map(row).collect()
}
