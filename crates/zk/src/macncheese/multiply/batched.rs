//! `AssertMultVec` (section 4.3, figure 4): checks any number of multiplications with a logarithmic number of
//! elements.
//!
//! With coefficients `chi_i` from a challenge, all `n` multiplications hold if
//! `sum (chi_i x_i) y_i = sum chi_i z_i`. This is a dot product of vectors that are linear in commitments.
//! `AssertDotProduct([x], [y], [z])`, `n` a power of two:
//!
//! * `n > 2`: with `f_i(0) = x_i`, `f_i(1) = x_{i + n/2}`, `g_i` likewise, P fixes `h(0)` and the leading
//!   coefficient `h_2` of `h = sum f_i g_i`, of degree 2. `h(1) = z - h(0)`, so
//!   `h(e) = (1 - e) h(0) + e h(1) + e (e - 1) h_2` is linear too. (Two points and the leading coefficient
//!   determine `h` in characteristic 2 as well.) V sends `e`, neither 0 nor 1. The remaining claim,
//!   `sum f_i(e) g_i(e) = h(e)`, has half the length.
//! * `n = 2`: P fixes `x_1 y_1`, and the second product is `z` minus it. Section 4.2's check is made of both.
//!   `n = 1`: that check is made of the one product.
//!
//! Only P's values are folded. Shares need no folding, because everything is linear in the original
//! commitments. After all challenges the last two `f` are
//!
//! ```text
//! [f_b] = sum_j t_j chi_{2j+b} [x_{2j+b}]       [g_b] = sum_j t_j [y_{2j+b}]       t_j = product over the bits of j of e or 1 - e
//! ```
//!
//! This takes one pass over tags or keys at the end, with `t` as an outer product of two short tables. So V
//! makes two passes over a block. P makes four, and its folds, which halve.
//!
//! **Soundness** (theorem 4): `(n + 4 log n + 1) / (|M| - 2)` with powers of one challenge as coefficients,
//! `(4 log n + 2) / (|M| - 2)` with coefficients from a seed.

use volery_field::Ring;
use volery_vole::Prg;
use zeroize::Zeroize;

use super::super::block::{Block, CHUNK};
use super::super::instructions::CommitProve;
use super::super::link::Ask;
use super::super::share::Share;
use super::Products;
use super::fold::Fold;
use crate::Error;
use crate::shares::ElementShare;

/// The coefficients that combine the multiplications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Coefficients {
    /// Elements from a seed (`AssertMultVec'`).
    Seeded,
    /// Powers of one element (`AssertMultVec`).
    Powers,
}

/// Makes the coefficients, a chunk at a time.
struct Chi<M> {
    prg: Option<Prg>,
    base: M,
    power: M,
}

impl<M: volery_field::Element> Chi<M> {
    fn new(kind: Coefficients, seed: [u8; 16]) -> Self {
        let mut prg = Prg::new(seed);
        let mut base = [M::ZERO];
        if kind == Coefficients::Powers {
            prg.elements(&mut base);
        }
        let prg = (kind == Coefficients::Seeded).then_some(prg);
        Self { prg, base: base[0], power: M::ONE }
    }

    fn fill(&mut self, out: &mut [M]) {
        if let Some(prg) = &mut self.prg {
            return prg.coefficients(out);
        }
        for out in out {
            self.power *= self.base;
            *out = self.power;
        }
    }
}

/// Checks that `z_i = x_i y_i` in every slot, and returns the seed that comes after.
pub(in super::super) fn check<H: Share>(
    run: &mut impl CommitProve<H>,
    block: &Block<H>,
    values: &mut Fold<H>,
    kind: Coefficients,
) -> Result<[u8; 16], Error> {
    run.begin(Ask::default())?;
    let seed = run.challenge()?;
    let n = block.len().next_power_of_two();
    values.begin();
    let mut z = ElementShare::default();
    let (mut chi, mut buffer) = (Chi::new(kind, seed), vec![H::Mac::ZERO; CHUNK.min(block.len())]);
    block.chunks(|x, y, out| {
        let chunk = &mut buffer[..x.len()];
        chi.fill(chunk);
        values.extend(x, y, chunk);
        z += H::combine(out, chunk)?;
        Ok::<_, Error>(())
    })?;
    values.pad(n);
    let (challenges, z) = halve(run, values, n, z)?;
    let ends = Ends::of(block, Chi::new(kind, seed), &challenges, values)?;
    finish(run, n, ends, z)
}

/// The challenges, and the sum of the remaining products.
type Halved<M> = (Vec<M>, ElementShare<M>);

/// Halves the dot product until two products remain.
fn halve<H: Share>(
    run: &mut impl CommitProve<H>,
    values: &mut Fold<H>,
    mut n: usize,
    mut z: ElementShare<H::Mac>,
) -> Result<Halved<H::Mac>, Error> {
    let mut challenges = Vec::new();
    while n > 2 {
        run.begin(Ask::elements(2, 0, 0))?;
        let [h_0, h_2] = values.coefficients()?;
        let (h_0, h_2) = (run.fix(h_0)?, run.fix(h_2)?);
        let e = run.challenge_element()?;
        values.fold(e)?;
        let one = H::Mac::ONE;
        z = h_0.times(one - e) + (z - h_0).times(e) + h_2.times(e * (e - one));
        challenges.push(e);
        n /= 2;
    }
    Ok((challenges, z))
}

/// Checks the last products: `f_0 g_0`, and `f_1 g_1` if there are two.
fn finish<H: Share>(
    run: &mut impl CommitProve<H>,
    n: usize,
    ends: Ends<H::Mac>,
    z: ElementShare<H::Mac>,
) -> Result<[u8; 16], Error> {
    let Ends { f, g } = ends;
    if n == 1 {
        run.begin(Ask::elements(1, 1, 0))?;
        return Products { x: [f[0]], y: [g[0]], z: [z] }.check(run);
    }
    run.begin(Ask::elements(3, 2, 0))?;
    let first = run.fix(f[0].x * g[0].x)?;
    Products { x: f, y: g, z: [first, z - first] }.check(run)
}

/// The last two elements of each vector.
struct Ends<M> {
    f: [ElementShare<M>; 2],
    g: [ElementShare<M>; 2],
}

/// The number of pairs in a chunk.
const PAIRS: usize = CHUNK / 2;

impl<M: volery_field::Element> Ends<M> {
    /// Computes their tags or keys in one pass over the block. Their values are the folded ones.
    fn of<H: Share<Mac = M>>(
        block: &Block<H>,
        mut chi: Chi<M>,
        challenges: &[M],
        values: &Fold<H>,
    ) -> Result<Self, Error> {
        // The first challenge belongs to the highest bit of a place.
        let low = challenges.len().min(PAIRS.trailing_zeros() as usize);
        let (high, low) = challenges.split_at(challenges.len() - low);
        let (outer, inner) = (tensor(high), tensor(low));
        let mut outer = outer.into_iter();
        let [f, g] = values.ends().map(|ends| ends.map(|x| ElementShare { x, m: M::ZERO }));
        let mut ends = Self { f, g };
        let mut buffers = Buffers::<H>::new(CHUNK.min(block.len()));
        block.chunks(|x, y, _z| {
            let outer = outer.next().unwrap_or(M::ZERO);
            let Buffers { all, even, weights, tags } = &mut buffers;
            chi.fill(&mut all[..x.len()]);
            for b in 0..2 {
                let t = &inner[..x.len().saturating_sub(b).div_ceil(2)];
                ends.g[b].m += H::dot(tags.every_second(y, b), t)? * outer;
                even.iter_mut().zip(all.iter().skip(b).step_by(2)).for_each(|(out, chi)| *out = *chi);
                let weights = &mut weights[..t.len()];
                H::products(t, &even[..t.len()], weights)?;
                ends.f[b].m += H::dot(tags.every_second(x, b), weights)? * outer;
            }
            Ok::<_, Error>(())
        })?;
        Ok(ends)
    }
}

/// Buffers for a chunk: its coefficients, those of its even or odd places, their products with `t`, and the
/// tags or keys of those places.
struct Buffers<H: Share> {
    all: Vec<H::Mac>,
    even: Vec<H::Mac>,
    weights: Vec<H::Mac>,
    tags: Strided<H>,
}

impl<H: Share> Buffers<H> {
    /// For chunks of at most `n` slots.
    fn new(n: usize) -> Self {
        let pairs = n.div_ceil(2);
        Self {
            all: vec![H::Mac::ZERO; n],
            even: vec![H::Mac::ZERO; pairs],
            weights: vec![H::Mac::ZERO; pairs],
            tags: Strided(Vec::with_capacity(pairs)),
        }
    }
}

/// The tag or key of every second wire of a chunk.
struct Strided<H: Share>(Vec<H::Mac>);

impl<H: Share> Strided<H> {
    fn every_second(&mut self, wires: &[H::Wire], first: usize) -> &[H::Mac] {
        self.0.clear();
        self.0.extend(wires.iter().skip(first).step_by(2).map(|wire| H::tag(*wire)));
        &self.0
    }
}

impl<H: Share> Drop for Strided<H> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// `t_j` for every `j`, which has one bit for each challenge. The first challenge has the highest bit.
fn tensor<M: volery_field::Element>(challenges: &[M]) -> Vec<M> {
    let mut out = Vec::with_capacity(1 << challenges.len());
    out.push(M::ONE);
    for e in challenges.iter().rev() {
        // This challenge's bit is above those of the challenges before.
        for j in 0..out.len() {
            let upper = out[j] * *e;
            out.push(upper);
            out[j] -= upper;
        }
    }
    out
}
