//! Bits: the repetitions of a group, side by side in wide registers.
//!
//! A share of a wire is one register whose bit `r` belongs to repetition `r`: 128 bits, or 256 for more than
//! 128 repetitions. So a gate takes a handful of vector operations for all of them. Each tape and view
//! belongs to one repetition: they are rows of bits, and registers are columns. Multiplications are done in
//! blocks of [`BLOCK`]. Before and after every block, rows are transposed to columns and back, so that the
//! data at hand fits in a cache:
//!
//! ```text
//! tapes (rows) --transpose--> columns --run gates until the block is full--> products (columns) --transpose--> views (rows)
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | [`columns`] | the transpositions before and after |
//! | [`kernel`] | the interpreter of gates, for each instruction set |

mod columns;
mod kernel;
#[cfg(test)]
mod tests;

use volery_circuit::Step;
use volery_field::{F2, Gf128};

use super::{Engine, Recomputation, Simulation, TapeStream, wipe};
use crate::challenge::Trit;
use crate::program::Shape;
use columns::{Target, Transposer};
use kernel::{Kernel, Share, Wire};

/// The number of multiplications between two transpositions. Columns and products then take 96 KiB each,
/// which share a second-level cache with the live wires. Twice as many were no faster with a cache of 512
/// KiB.
pub(super) const BLOCK: usize = 1024;

/// The bits of an AES block, and of the rows that are transposed at once.
pub(super) const TILE: usize = 128;

impl Engine for F2 {
    const GROUP: usize = 2 * TILE;

    fn packed(n: usize) -> usize {
        n.div_ceil(8)
    }

    fn not_canonical(bytes: &[u8], n: usize) -> Option<usize> {
        match (bytes.last(), n % 8) {
            (Some(last), used @ 1..) if last >> used != 0 => Some(n),
            _ => None,
        }
    }

    fn complement(x: &[u8], y: &[u8], out: &mut [u8]) {
        for ((out, x), y) in out.iter_mut().zip(x).zip(y) {
            *out = x ^ y;
        }
    }

    fn simulate(job: Simulation<'_, Self>) {
        if job.tapes.len() > 3 * TILE { simulate::<2>(job) } else { simulate::<1>(job) }
    }

    fn recompute(job: Recomputation<'_, Self>) {
        if job.tapes.len() > 2 * TILE { recompute::<2>(job) } else { recompute::<1>(job) }
    }
}

/// The registers of `P` players, `128 H` repetitions wide, with the buffers that move bits in and out of
/// them.
struct Machine<'a, const P: usize, const H: usize> {
    kernel: Kernel,
    steps: &'a [Step],
    constants: &'a [F2],
    /// The shares of the constant one.
    one: Wire<P, H>,
    wires: Vec<Wire<P, H>>,
    transposer: Transposer<H>,
    /// The products of a block, in the layout of [`Target`].
    products: Vec<u8>,
}

impl<'a, const P: usize, const H: usize> Machine<'a, P, H> {
    fn new(program: &'a crate::Program<F2>, one: Wire<P, H>) -> Self {
        let schedule = program.schedule();
        Self {
            kernel: Kernel::detect(),
            steps: schedule.steps(),
            constants: program.circuit().constants(),
            one,
            wires: vec![[[[0; 2]; H]; P]; schedule.slots() as usize],
            transposer: Transposer::new(),
            products: vec![0; BLOCK * P * H * 16],
        }
    }

    /// Runs the gates up to the block's last product, or to the end. `gates` products are made.
    fn run_block(&mut self, gates: usize) {
        let products = &mut self.products[..gates * kernel::products(P) * H * 16];
        let columns = self.transposer.columns();
        let done = self.kernel.run(self.steps, self.constants, &self.one, &mut self.wires, columns, products);
        self.steps = self.steps.get(done..).unwrap_or_default();
    }

    /// Writes the shares of the wires in `slots` to `target`.
    fn outputs(&mut self, slots: &[u32], mut target: Target<'_>) {
        for (block, slots) in slots.chunks(BLOCK).enumerate() {
            let column = P * H * 16;
            for (to, slot) in self.products.chunks_exact_mut(column).zip(slots) {
                kernel::store(&self.wires[*slot as usize], to);
            }
            target.move_to(block * BLOCK);
            self.transposer.scatter(&mut self.products, P, slots.len(), &mut target);
        }
    }
}

impl<const P: usize, const H: usize> Drop for Machine<'_, P, H> {
    fn drop(&mut self) {
        wipe(&mut self.wires, [[[0; 2]; H]; P]);
        wipe(&mut self.products, 0);
    }
}

/// The blocks of `n` bits: the first bit of each, and its length.
fn blocks(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).step_by(BLOCK).map(move |first| (first, BLOCK.min(n - first)))
}

/// Fills `row` with the bits of a tape from bit `first` on, which must be the start of an AES block.
fn read_tape(tape: &TapeStream, first: usize, row: &mut [u8]) {
    let mut stream = [Gf128::ZERO; BLOCK / TILE];
    let stream = &mut stream[..(row.len() / 16).min(BLOCK / TILE)];
    tape.blocks_at((first / TILE) as u64, stream);
    for (to, block) in row.as_chunks_mut().0.iter_mut().zip(&*stream) {
        *to = block.to_bytes();
    }
    wipe(stream, Gf128::ZERO);
}

/// A register with all bits equal to `bit`.
fn splat<const H: usize>(bit: F2) -> Share<H> {
    [[bit.mask() as u64; 2]; H]
}

fn simulate<const H: usize>(job: Simulation<'_, F2>) {
    let Simulation { program, witness, tapes, rows, first, .. } = job;
    let shape = program.shape();
    let mut machine = Machine::<3, H>::new(program, [splat(F2::ONE), splat(F2::ZERO), splat(F2::ZERO)]);
    for (start, count) in blocks(witness.len()) {
        for player in 0..2 {
            machine.transposer.gather(player, count, tapes.len() / 3, |repetition, row| {
                read_tape(&tapes[3 * repetition + player], start, row);
            });
        }
        for (i, x) in witness[start..start + count].iter().enumerate() {
            let [x1, x2] = [0, 1].map(|player| machine.transposer.column(player, i));
            let x3 = kernel::xor(&kernel::xor(&x1, &x2), &splat(*x));
            machine.wires[start + i] = [x1, x2, x3];
            kernel::store(&[x1, x2, x3], &mut machine.products[i * 3 * H * 16..]);
        }
        let mut target = Target::new(rows, shape.row(), 3, shape.inputs_at(), shape.inputs);
        target.move_to(start);
        machine.transposer.scatter(&mut machine.products, 3, count, &mut target);
    }
    let tape_start = witness.len().next_multiple_of(TILE);
    for (start, count) in blocks(program.multiplications() as usize) {
        for player in 0..3 {
            machine.transposer.gather(player, count, tapes.len() / 3, |repetition, row| {
                read_tape(&tapes[3 * repetition + player], tape_start + start, row);
            });
        }
        machine.run_block(count);
        let mut target = Target::new(rows, shape.row(), 3, shape.view_at(), shape.view);
        target.move_to(start);
        machine.transposer.scatter(&mut machine.products, 3, count, &mut target);
    }
    machine.run_block(0);
    let target = Target::strided(first, shape.first(), shape.outputs, 0, shape.outputs);
    machine.outputs(program.asserted_slots(), target);
}

fn recompute<const H: usize>(job: Recomputation<'_, F2>) {
    let shape = job.shape();
    let Recomputation { program, challenge, tapes, rows, outputs } = job;
    // Player 1's share of a constant is the constant. Player 1 is opened first, second or not at all.
    let one = [0, 1].map(|side| register(challenge, |e| e.opened()[side] == 0));
    let mut machine = Machine::<2, H>::new(program, one);
    let inputs = program.inputs() as usize;
    draw_input_shares(challenge, tapes, rows, shape, inputs);
    let count = challenge.len();
    for (start, n) in blocks(inputs) {
        for side in 0..2 {
            machine.transposer.gather(side, n, count, |repetition, row| {
                let from = &rows[(2 * repetition + side) * shape.row()..][..shape.row()];
                copy_bits(&from[shape.inputs_at()..shape.view_at()], start, row);
            });
        }
        for i in 0..n {
            machine.wires[start + i] = [0, 1].map(|side| machine.transposer.column(side, i));
        }
    }
    let tape_start = inputs.next_multiple_of(TILE);
    for (start, n) in blocks(program.multiplications() as usize) {
        for side in 0..2 {
            machine.transposer.gather(side, n, count, |repetition, row| {
                read_tape(&tapes[2 * repetition + side], tape_start + start, row);
            });
        }
        machine.transposer.gather(2, n, count, |repetition, row| {
            let from = &rows[(2 * repetition + 1) * shape.row()..][..shape.row()];
            copy_bits(&from[shape.view_at()..], start, row);
        });
        machine.run_block(n);
        let mut target = Target::new(rows, shape.row(), 2, shape.view_at(), shape.view);
        target.move_to(start);
        machine.transposer.scatter(&mut machine.products, 1, n, &mut target);
    }
    machine.run_block(0);
    let target = Target::strided(outputs, 2 * shape.outputs, shape.outputs, 0, shape.outputs);
    machine.outputs(program.asserted_slots(), target);
}

/// Writes the input shares that come from tapes into the rows.
fn draw_input_shares(challenge: &[Trit], tapes: &[TapeStream], rows: &mut [u8], shape: Shape, inputs: usize) {
    let mut block = [0; BLOCK / 8];
    for (repetition, e) in challenge.iter().enumerate() {
        for (side, _) in e.opened().into_iter().enumerate().filter(|(_, player)| *player < 2) {
            let player = 2 * repetition + side;
            let row = &mut rows[player * shape.row()..][shape.inputs_at()..shape.view_at()];
            for ((start, _), to) in blocks(inputs).zip(row.chunks_mut(BLOCK / 8)) {
                read_tape(&tapes[player], start, &mut block);
                to.copy_from_slice(&block[..to.len()]);
            }
            if let (Some(last), used @ 1..) = (row.last_mut(), inputs % 8) {
                *last &= (1 << used) - 1;
            }
        }
    }
}

/// Fills `row` with the bits of `from` from bit `first` (a multiple of 8) on, and with zeros past its end.
fn copy_bits(from: &[u8], first: usize, row: &mut [u8]) {
    let from = from.get(first / 8..).unwrap_or_default();
    let n = from.len().min(row.len());
    let (now, rest) = row.split_at_mut(n);
    now.copy_from_slice(&from[..n]);
    rest.fill(0);
}

/// The register whose bit `r` is set if `test` holds for challenge `r`.
fn register<const H: usize>(challenge: &[Trit], test: impl Fn(Trit) -> bool) -> Share<H> {
    let mut bits = [[0; 2]; H];
    for (r, e) in challenge.iter().enumerate() {
        if let Some(word) = bits.as_flattened_mut().get_mut(r / 64) {
            *word |= u64::from(test(*e)) << (r % 64);
        }
    }
    bits
}
