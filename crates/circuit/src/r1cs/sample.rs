//! Systems of any size with an assignment, for measurements and tests. They state nothing of interest.

use super::{Assignment, Builder, Counts, PrimeField, R1cs};
use crate::Error;
use crate::seeded::Seeded;

/// The wires that exist before the first constraint makes one: the constant, two public values, four private
/// inputs.
const GIVEN: u32 = 7;
/// The number of different coefficients besides 1 and -1.
const COEFFICIENTS: usize = 32;
/// How far back a constraint reads.
const REACH: u64 = 1 << 12;

/// A system of `constraints` constraints and one more, with values that satisfy it. Both depend only on
/// `seed`.
///
/// Each constraint makes a new wire from four earlier ones, `w = (w_i + c w_j) (w_k - w_l + d)`; the last one
/// says that the output is the last wire. This is roughly what circuits of hash functions look like after a
/// compiler has removed linear constraints.
///
/// # Errors
/// [`Error::Circuit`] if there are too many constraints to number their terms.
pub fn sample<F: PrimeField>(seed: u64, constraints: u32) -> Result<(R1cs<F>, Assignment<F>), Error> {
    let mut random = Seeded::new("r1cs sample", &seed.to_le_bytes());
    let wires = constraints.checked_add(GIVEN).ok_or_else(|| Error::circuit("too many constraints"))?;
    let counts = Counts { wires, outputs: 1, public_inputs: 1, private_inputs: GIVEN - 3 };
    let coefficients: Vec<F> = random.elements(COEFFICIENTS);
    let mut values: Vec<F> = Vec::with_capacity(wires as usize);
    values.push(F::ONE);
    values.extend(random.elements::<F>(GIVEN as usize - 1));
    let mut builder = Builder::new(counts)?;
    for wire in GIVEN..wires {
        let mut earlier = || wire - 1 - random.below(REACH.min(u64::from(wire) - 3)) as u32;
        let [i, j, k, l] = [earlier(), earlier(), earlier(), earlier()];
        let mut coefficient = || coefficients[random.below(COEFFICIENTS as u64) as usize];
        let (c, d) = (coefficient(), coefficient());
        builder.constraint(
            &[(i, F::ONE), (j, c)],
            &[(k, F::ONE), (l, -F::ONE), (0, d)],
            &[(wire, F::ONE)],
        )?;
        let [i, j, k, l] = [i, j, k, l].map(|wire| values[wire as usize]);
        values.push((i + c * j) * (k - l + d));
    }
    let last = wires - 1;
    builder.constraint(&[(last, F::ONE)], &[(0, F::ONE)], &[(1, F::ONE)])?;
    values[1] = values[last as usize];
    Ok((builder.finish(), Assignment::new(values)?))
}
