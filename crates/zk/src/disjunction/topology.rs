//! Compressed topology vectors (algorithm 1 of the paper).

use volery_circuit::{Circuit, Gate};
use volery_field::{Element, Ring};

use super::rows::Expanded;

/// `s^T M` for the topology matrix `M` of a flat circuit: the weight of each committed value in its check
/// value.
///
/// ```text
/// check value = sum inputs_j x_j + sum products_k o_k + constant - sum (left_k l_k + right_k r_k)
/// ```
///
/// The weights of the factors `l_k` and `r_k` are the same for every circuit, so they are not here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Topology<M> {
    /// The weights of the inputs.
    pub(super) inputs: Vec<M>,
    /// The weights of the products, in the order of the gates.
    pub(super) products: Vec<M>,
    /// The weight of the constant one.
    pub(super) constant: M,
}

impl<M: Element> Topology<M> {
    /// Makes one pass over the gates, from the last to the first: a wire's weight follows from those of the
    /// wires made from it. `scale` multiplies a weight by a public value of the circuit's ring.
    ///
    /// `rows` must have a coefficient for each row of the circuit: rows without one have no weight.
    #[must_use]
    pub(super) fn of<R: Ring>(circuit: &Circuit<R>, rows: &Expanded<M>, scale: impl Fn(M, R) -> M) -> Self {
        let inputs = circuit.input_wires() as usize;
        let count = circuit.multiplications() as usize;
        let mut weights = vec![M::ZERO; inputs + circuit.gates().len()];
        for (wire, t) in circuit.asserted().iter().zip(&rows.assertions) {
            weights[*wire as usize] += *t;
        }
        let (mut constant, mut products) = (M::ZERO, Vec::with_capacity(count));
        let pairs = rows.left.iter().zip(&rows.right);
        let mut pairs = pairs.take(count).rev();
        for (index, gate) in circuit.gates().iter().enumerate().rev() {
            let weight = weights[inputs + index];
            let mut give = |wire: u32, weight: M| weights[wire as usize] += weight;
            match *gate {
                Gate::Constant(c) => constant += scale(weight, circuit.constants()[c as usize]),
                Gate::Add(x, y) => {
                    give(x, weight);
                    give(y, weight);
                }
                Gate::Sub(x, y) => {
                    give(x, weight);
                    give(y, -weight);
                }
                Gate::AddConstant(x, c) => {
                    give(x, weight);
                    constant += scale(weight, circuit.constants()[c as usize]);
                }
                Gate::Scale(x, c) => give(x, scale(weight, circuit.constants()[c as usize])),
                Gate::Mul(x, y) => {
                    if let Some((left, right)) = pairs.next() {
                        give(x, *left);
                        give(y, *right);
                    }
                    products.push(weight);
                }
            }
        }
        products.reverse();
        weights.truncate(inputs);
        Self { inputs: weights, products, constant }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use volery_circuit::testing::{RandomCircuit, Size};
    use volery_circuit::{Input, Parts, Signature};
    use volery_field::{F2, F61, F61x2, Gf128, Mac, Value};
    use volery_vole::Prg;

    use super::*;

    /// `s^T M` by its definition: every wire as a row of coefficients of the inputs, the products and one,
    /// and the weighted sum of the rows.
    fn by_matrix<R: Ring, M: Element>(
        circuit: &Circuit<R>,
        rows: &Expanded<M>,
        embed: impl Fn(R) -> M,
    ) -> Topology<M> {
        let inputs = circuit.input_wires() as usize;
        let columns = inputs + circuit.multiplications() as usize + 1;
        let unit = |at: usize| (0..columns).map(|i| if i == at { M::ONE } else { M::ZERO }).collect();
        let mut wires: Vec<Vec<M>> = (0..inputs).map(unit).collect();
        let mut matrix: Vec<(M, Vec<M>)> = Vec::new();
        let constant = |c: u32| embed(circuit.constants()[c as usize]);
        let mut k = 0;
        for gate in circuit.gates() {
            let wire = |x: u32| wires[x as usize].clone();
            let zip = |x: Vec<M>, y: Vec<M>, sign: M| -> Vec<M> {
                x.iter().zip(&y).map(|(x, y)| *x + sign * *y).collect()
            };
            let one: Vec<M> = unit(columns - 1);
            let zero = vec![M::ZERO; columns];
            let row = match *gate {
                Gate::Constant(c) => zip(zero, one, constant(c)),
                Gate::Add(x, y) => zip(wire(x), wire(y), M::ONE),
                Gate::Sub(x, y) => zip(wire(x), wire(y), -M::ONE),
                Gate::AddConstant(x, c) => zip(wire(x), one, constant(c)),
                Gate::Scale(x, c) => zip(zero, wire(x), constant(c)),
                Gate::Mul(x, y) => {
                    matrix.push((rows.left[k], wire(x)));
                    matrix.push((rows.right[k], wire(y)));
                    k += 1;
                    unit(inputs + k - 1)
                }
            };
            wires.push(row);
        }
        matrix.extend(
            circuit
                .asserted()
                .iter()
                .zip(&rows.assertions)
                .map(|(wire, t)| (*t, wires[*wire as usize].clone())),
        );
        let mut sum = vec![M::ZERO; columns];
        for (coefficient, row) in matrix {
            sum.iter_mut().zip(row).for_each(|(sum, entry)| *sum += coefficient * entry);
        }
        Topology {
            inputs: sum[..inputs].to_vec(),
            products: sum[inputs..columns - 1].to_vec(),
            constant: sum[columns - 1],
        }
    }

    /// A random circuit over a field: all kinds of gates, and assertions of anything.
    fn circuit<F: Value>(seed: u8, gates: usize) -> Circuit<F> {
        let mut prg = Prg::new([seed; 16]);
        let mut constants = vec![F::ZERO; 5];
        prg.elements(&mut constants);
        let mut bytes = vec![0; 3 * gates + 4];
        prg.bytes(&mut bytes);
        let inputs = 4;
        let gates = (bytes[4..].chunks_exact(3).zip(inputs..))
            .map(|(b, own)| {
                let (x, y, c) = (u32::from(b[1]) % own, u32::from(b[2]) % own, u32::from(b[2]) % 5);
                match b[0] % 8 {
                    0 => Gate::Constant(c),
                    1 => Gate::Add(x, y),
                    2 => Gate::Sub(x, y),
                    3 => Gate::AddConstant(x, c),
                    4 => Gate::Scale(x, c),
                    _ => Gate::Mul(x, y),
                }
            })
            .collect::<Vec<_>>();
        let wires = inputs + gates.len() as u32;
        let asserted = bytes[..4].iter().map(|b| u32::from(*b) % wires).collect();
        let signature = Signature {
            inputs: vec![Input { name: "x".into(), width: inputs, public: false }],
            outputs: vec![],
        };
        Circuit::new(Parts { signature, constants, gates, outputs: vec![], asserted }).expect("sound")
    }

    fn is_the_matrix_s<F: Value, M: Mac<F>>(seed: u8, gates: usize) {
        let (circuit, rows) = (circuit::<F>(seed, gates), Expanded::<M>::new([seed; 16], gates, 4));
        assert!(Topology::of(&circuit, &rows, M::scale) == by_matrix(&circuit, &rows, M::embed));
    }

    proptest! {
        #[test]
        fn algorithm_1_gives_the_explicit_matrix_s_vector_over_fields(seed: u8, gates in 0..60_usize) {
            is_the_matrix_s::<F61, F61>(seed, gates);
            is_the_matrix_s::<F61, F61x2>(seed, gates);
        }

        #[test]
        fn algorithm_1_gives_the_explicit_matrix_s_vector_over_bits(seed: u64, challenge: [u8; 16]) {
            let RandomCircuit { circuit, .. } = RandomCircuit::new(seed, Size::small());
            let (n, asserted) = (circuit.multiplications() as usize, circuit.asserted().len());
            let rows = Expanded::<Gf128>::new(challenge, n, asserted);
            let by_matrix = by_matrix(&circuit, &rows, Gf128::from);
            prop_assert!(Topology::of(&circuit, &rows, |m, c: F2| m * c) == by_matrix);
        }
    }
}
