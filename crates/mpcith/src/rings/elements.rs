//! All rings except F2: a share of a wire is a slice with one element for each repetition of the group.
//!
//! Elements are packed in their canonical encoding, [`Ring::BYTES`] bytes each. Each block of a tape gives,
//! in order and lowest bits first, four elements of `Z_{2^32}` or two of `Z_{2^64}`. An element of a field
//! takes the number of blocks that [`Element::from_blocks`] needs. Each chunk of [`CHUNK`] multiplications
//! (and of inputs) starts at a new block.

use volery_circuit::{Gate, Step};
use volery_field::{Element, Gf128, Gf256, Ring, Z32, Z64};

use super::{PublicRing, Recomputation, Simulation, TapeStream, wipe};
use crate::program::Program;

/// The number of repetitions side by side: wide enough for vector registers, few enough that live wires fit
/// in a cache.
pub(super) const GROUP: usize = 32;

/// The number of multiplications between two draws from the tapes.
const CHUNK: usize = 64;

/// How elements are drawn from blocks of a tape.
pub(super) trait Drawn: PublicRing {
    /// The number of blocks that [`CHUNK`] elements take.
    const BLOCKS_A_CHUNK: usize;

    /// Fills `out`, at most [`CHUNK`] elements, from that many blocks.
    fn draw(blocks: &[Gf128], out: &mut [Self]);
}

macro_rules! words {
    ($ring:ty, $word:ty) => {
        impl Drawn for $ring {
            const BLOCKS_A_CHUNK: usize = CHUNK * size_of::<$word>() / 16;

            fn draw(blocks: &[Gf128], out: &mut [Self]) {
                const EACH: usize = 16 / size_of::<$word>();
                for (out, block) in out.chunks_mut(EACH).zip(blocks) {
                    let bits = block.to_bits();
                    for (i, out) in out.iter_mut().enumerate() {
                        *out = Self::new((bits >> (8 * size_of::<$word>() * i)) as $word);
                    }
                }
            }
        }
    };
}

words!(Z32, u32);
words!(Z64, u64);

macro_rules! fields {
    ($($field:ty: $row:tt;)*) => {
        $(
            impl Drawn for $field {
                const BLOCKS_A_CHUNK: usize = CHUNK * <Self as Element>::BLOCKS;

                fn draw(blocks: &[Gf128], out: &mut [Self]) {
                    let mut words = [0; <Self as Element>::BLOCKS];
                    for (out, blocks) in out.iter_mut().zip(blocks.chunks_exact(words.len())) {
                        words.iter_mut().zip(blocks).for_each(|(word, block)| *word = block.to_bits());
                        *out = Self::from_blocks(&words);
                    }
                    wipe(&mut words, 0);
                }
            }
        )*
    };
}

volery_field::prime_fields!(fields, Gf256: {};);

pub(super) fn packed<R: Ring>(n: usize) -> usize {
    n.saturating_mul(R::BYTES)
}

pub(super) fn not_canonical<R: Ring>(bytes: &[u8], n: usize) -> Option<usize> {
    bytes.chunks(R::BYTES).take(n).position(|encoding| R::decode(encoding).is_err())
}

pub(super) fn complement<R: Ring>(x: &[u8], y: &[u8], out: &mut [u8]) {
    let elements = x.chunks_exact(R::BYTES).zip(y.chunks_exact(R::BYTES));
    for (out, (x, y)) in out.chunks_exact_mut(R::BYTES).zip(elements) {
        put(-(get::<R>(x) + get::<R>(y)), out);
    }
}

/// Decodes an element that was checked to be canonical.
#[inline(always)]
fn get<R: Ring>(encoding: &[u8]) -> R {
    R::decode(encoding).unwrap_or_default()
}

/// Encodes to exactly [`Ring::BYTES`] bytes.
#[inline(always)]
fn put<R: Ring>(element: R, out: &mut [u8]) {
    let encoded = element.encode(out);
    debug_assert_eq!(encoded, Ok(()));
}

/// The chunks of `n` elements: the first of each, and its length.
fn chunks(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).step_by(CHUNK).map(move |first| (first, CHUNK.min(n - first)))
}

/// A chunk of elements of each of several tapes.
struct Draws<R: Drawn> {
    blocks: Vec<Gf128>,
    /// Element `i` of tape `t` is `elements[i * tapes + t]`, so that a gate's elements are adjacent.
    elements: Vec<R>,
    tapes: usize,
}

impl<R: Drawn> Draws<R> {
    fn new(tapes: usize) -> Self {
        Self { blocks: vec![Gf128::ZERO; R::BLOCKS_A_CHUNK], elements: vec![R::ZERO; CHUNK * tapes], tapes }
    }

    /// Draws chunk number `chunk` of each tape.
    fn draw(&mut self, tapes: &[TapeStream], chunk: usize) {
        let mut drawn = [R::ZERO; CHUNK];
        for (t, tape) in tapes.iter().enumerate() {
            tape.blocks_at((chunk * R::BLOCKS_A_CHUNK) as u64, &mut self.blocks);
            R::draw(&self.blocks, &mut drawn);
            for (elements, drawn) in self.elements.chunks_exact_mut(self.tapes).zip(&drawn) {
                elements[t] = *drawn;
            }
        }
        wipe(&mut drawn, R::ZERO);
    }

    /// Element `i` of every tape.
    fn element(&self, i: usize) -> &[R] {
        &self.elements[i * self.tapes..][..self.tapes]
    }
}

impl<R: Drawn> Drop for Draws<R> {
    fn drop(&mut self) {
        wipe(&mut self.blocks, Gf128::ZERO);
        wipe(&mut self.elements, R::ZERO);
    }
}

/// The live wires: `P` shares of `lanes / P` repetitions each. Those of one repetition are adjacent.
struct Wires<R: Ring> {
    elements: Vec<R>,
    result: Vec<R>,
    lanes: usize,
}

impl<R: Ring> Wires<R> {
    fn new<S: PublicRing>(program: &Program<S>, lanes: usize) -> Self {
        let slots = program.schedule().slots() as usize;
        Self { elements: vec![R::ZERO; slots * lanes], result: vec![R::ZERO; lanes], lanes }
    }

    fn get(&self, slot: u32) -> &[R] {
        &self.elements[slot as usize * self.lanes..][..self.lanes]
    }

    fn get_mut(&mut self, slot: u32) -> &mut [R] {
        &mut self.elements[slot as usize * self.lanes..][..self.lanes]
    }

    /// Carries out a linear step; `one` are the shares of the constant one. For a product, does nothing and
    /// returns `false`.
    fn linear(&mut self, step: &Step, constants: &[R], one: &[R]) -> bool {
        let mut result = core::mem::take(&mut self.result);
        let constant = |c: u32| constants[c as usize];
        match step.gate {
            Gate::Mul(..) => {
                self.result = result;
                return false;
            }
            Gate::Add(x, y) => zip(&mut result, self.get(x), self.get(y), |x, y| x + y),
            Gate::Sub(x, y) => zip(&mut result, self.get(x), self.get(y), |x, y| x - y),
            Gate::AddConstant(x, c) => {
                let c = constant(c);
                zip(&mut result, self.get(x), one, |x, one| x + one * c);
            }
            Gate::Scale(x, c) => {
                let c = constant(c);
                zip(&mut result, self.get(x), one, |x, _| x * c);
            }
            Gate::Constant(c) => {
                let c = constant(c);
                zip(&mut result, one, one, |one, _| one * c);
            }
        }
        self.get_mut(step.result).copy_from_slice(&result);
        self.result = result;
        true
    }
}

impl<R: Ring> Drop for Wires<R> {
    fn drop(&mut self) {
        wipe(&mut self.elements, R::ZERO);
        wipe(&mut self.result, R::ZERO);
    }
}

#[inline(always)]
fn zip<R: Ring>(out: &mut [R], x: &[R], y: &[R], f: impl Fn(R, R) -> R) {
    for ((out, x), y) in out.iter_mut().zip(x).zip(y) {
        *out = f(*x, *y);
    }
}

/// `a_i b_i + a_j b_i + a_i b_j + R_i - R_j`.
#[inline(always)]
fn share<R: Ring>(a: [R; 2], b: [R; 2], tapes: [R; 2]) -> R {
    a[0] * (b[0] + b[1]) + a[1] * b[0] + tapes[0] - tapes[1]
}

/// Runs all gates; `multiply(wires, step, number)` does the multiplications.
fn run<R: PublicRing>(
    program: &Program<R>,
    wires: &mut Wires<R>,
    one: &[R],
    mut multiply: impl FnMut(&mut Wires<R>, [u32; 3], usize),
) {
    let mut number = 0;
    for step in program.schedule().steps() {
        if !wires.linear(step, program.circuit().constants(), one)
            && let Gate::Mul(x, y) = step.gate
        {
            multiply(wires, [x, y, step.result], number);
            number += 1;
        }
    }
}

pub(super) fn simulate<R: Drawn>(job: Simulation<'_, R>) {
    let Simulation { program, witness, tapes, rows, first } = job;
    let (shape, lanes) = (program.shape(), tapes.len());
    let (mut wires, mut draws) = (Wires::new(program, lanes), Draws::<R>::new(lanes));
    let one: Vec<R> = (0..lanes).map(|lane| if lane % 3 == 0 { R::ONE } else { R::ZERO }).collect();
    for (number, (start, count)) in chunks(witness.len()).enumerate() {
        draws.draw(tapes, number);
        for (i, x) in witness[start..start + count].iter().enumerate() {
            let wire = wires.get_mut((start + i) as u32);
            wire.copy_from_slice(draws.element(i));
            for shares in wire.as_chunks_mut::<3>().0 {
                shares[2] = *x - shares[0] - shares[1];
            }
            let at = shape.inputs_at() + (start + i) * R::BYTES;
            for (row, share) in rows.chunks_exact_mut(shape.row()).zip(&*wire) {
                put(*share, &mut row[at..at + R::BYTES]);
            }
        }
    }
    let tape_start = witness.len().div_ceil(CHUNK);
    run(program, &mut wires, &one, |wires, [x, y, z], number| {
        if number % CHUNK == 0 {
            draws.draw(tapes, tape_start + number / CHUNK);
        }
        let mut product = core::mem::take(&mut wires.result);
        let (a, b) = (wires.get(x).as_chunks::<3>().0, wires.get(y).as_chunks::<3>().0);
        let drawn = draws.element(number % CHUNK).as_chunks::<3>().0;
        for (((z, a), b), t) in product.as_chunks_mut::<3>().0.iter_mut().zip(a).zip(b).zip(drawn) {
            *z = [[0, 1], [1, 2], [2, 0]].map(|p| share(p.map(|p| a[p]), p.map(|p| b[p]), p.map(|p| t[p])));
        }
        let at = shape.view_at() + number * R::BYTES;
        for (row, share) in rows.chunks_exact_mut(shape.row()).zip(&product) {
            put(*share, &mut row[at..at + R::BYTES]);
        }
        wires.get_mut(z).copy_from_slice(&product);
        wires.result = product;
    });
    for (i, slot) in program.asserted_slots().iter().enumerate() {
        for (first, shares) in first.chunks_exact_mut(shape.first()).zip(wires.get(*slot).chunks_exact(3)) {
            for (player, share) in shares.iter().enumerate() {
                put(*share, &mut first[player * shape.outputs + i * R::BYTES..][..R::BYTES]);
            }
        }
    }
}

pub(super) fn recompute<R: Drawn>(job: Recomputation<'_, R>) {
    let shape = job.shape();
    let Recomputation { program, challenge, tapes, rows, outputs } = job;
    let lanes = tapes.len();
    let (mut wires, mut draws) = (Wires::new(program, lanes), Draws::<R>::new(lanes));
    let players: Vec<u8> = challenge.iter().flat_map(|e| e.opened()).collect();
    let one: Vec<R> = players.iter().map(|player| if *player == 0 { R::ONE } else { R::ZERO }).collect();
    let inputs = program.inputs() as usize;
    for (number, (start, count)) in chunks(inputs).enumerate() {
        draws.draw(tapes, number);
        for i in 0..count {
            let at = shape.inputs_at() + (start + i) * R::BYTES;
            let wire = wires.get_mut((start + i) as u32);
            for (((row, share), drawn), player) in
                rows.chunks_exact_mut(shape.row()).zip(wire).zip(draws.element(i)).zip(&players)
            {
                let encoding = &mut row[at..at + R::BYTES];
                if *player < 2 {
                    put(*drawn, encoding);
                }
                *share = get(encoding);
            }
        }
    }
    let tape_start = inputs.div_ceil(CHUNK);
    run(program, &mut wires, &one, |wires, [x, y, z], number| {
        if number % CHUNK == 0 {
            draws.draw(tapes, tape_start + number / CHUNK);
        }
        let mut product = core::mem::take(&mut wires.result);
        let (a, b) = (wires.get(x).as_chunks::<2>().0, wires.get(y).as_chunks::<2>().0);
        let drawn = draws.element(number % CHUNK).as_chunks::<2>().0;
        let at = shape.view_at() + number * R::BYTES;
        let pairs = rows.chunks_exact_mut(2 * shape.row());
        for ((((z, a), b), t), rows) in
            product.as_chunks_mut::<2>().0.iter_mut().zip(a).zip(b).zip(drawn).zip(pairs)
        {
            let (own, next) = rows.split_at_mut(shape.row());
            *z = [share(*a, *b, *t), get(&next[at..at + R::BYTES])];
            put(z[0], &mut own[at..at + R::BYTES]);
        }
        wires.get_mut(z).copy_from_slice(&product);
        wires.result = product;
    });
    for (i, slot) in program.asserted_slots().iter().enumerate() {
        for (outputs, share) in outputs.chunks_exact_mut(shape.outputs.max(1)).zip(wires.get(*slot)) {
            put(*share, &mut outputs[i * R::BYTES..][..R::BYTES]);
        }
    }
}
