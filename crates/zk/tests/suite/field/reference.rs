//! A prover over fields that follows figures 3, 4 and 5 of the paper line by line, and lies where it is told
//! to. An expression is a list of monomials until it is claimed; a matrix product is all its `n^3` products;
//! nothing is summed before its time. It shares no code with the real prover but the fields, the generator
//! and the transcript, so it also says what the messages of an honest prover are.
//!
//! A block takes `interval` commitments and relations. It ends when there is one more, or a challenge is
//! needed, or the statement ends.

mod challenge;

use std::collections::BTreeMap;

use volery_channel::{ChannelExt as _, Tag, tags};
use volery_circuit::challenge::Seeds;
use volery_circuit::{
    Backend, Error as CircuitError, Hint, MatrixShape, Ops, Peek, Polynomials, Prove, Statement,
};
use volery_field::{Authenticated, Mac, Value, pack_elements};
use volery_testing::deal::Elements;
use volery_vole::correlations::Chain;
use volery_vole::{Prg, Transcript};
use volery_zk::Error;
use volery_zk::quicksilver::Tally;
use volery_zk::quicksilver::field::Link;

use crate::field::univariate::{accumulate, coefficients, encode, line, times};

/// Where a prover departs from the protocol. Numbers count from 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Lie {
    /// It only does not stop at a claim that is false.
    GoOn,
    /// It commits to one more than this product, and computes on with it.
    Product(u64),
    /// It commits to one more than this secret value, and computes on with it.
    Secret(u64),
    /// It sends one more than the element of this commitment, and computes on with the right value.
    Correction(u64),
    /// It sends all ones in place of the element of this commitment.
    NotCanonical(u64),
    /// It sends one element more than this block takes.
    Surplus(u64),
    /// It adds one to this coefficient of this block's opening.
    Opening { block: u64, coefficient: usize },
    /// It sends all ones in place of this coefficient of this block's opening.
    OpeningNotCanonical { block: u64, coefficient: usize },
    /// It masks a block with the correlations after the right ones.
    Mask(u64),
    /// It masks a block with the mask of the block before.
    OldMask(u64),
    /// It expands another seed than the one it was given, in this block.
    Seed(u64),
    /// It folds matrices with another seed than the one it was given.
    Fold,
    /// It draws from another seed than the one it was given as a challenge.
    Challenge,
    /// It changes this bit of the hash of the assertions.
    Assertions(usize),
    /// It counts one more secret (0), multiplication (1), assertion (2), polynomial (3) in this block.
    Count { block: u64, what: usize },
}

/// A sum of products of wires, none of them multiplied out.
#[derive(Clone)]
pub(crate) struct Expression<F: Value, M: Mac<F>> {
    degree: usize,
    terms: Vec<(F, Vec<Authenticated<F, M>>)>,
}

struct Block<M> {
    number: u64,
    /// `A_0` to `A_{d-1}` of each relation.
    relations: Vec<Vec<M>>,
    /// `A*_0` to `A*_{D-1}`.
    mask: Vec<M>,
    tally: Tally,
}

/// See the module's documentation.
pub(crate) struct Reference<F: Value, M: Mac<F>, L: Link> {
    pub(crate) link: L,
    /// Fiat-Shamir's transcript; none if V chooses.
    transcript: Option<Transcript>,
    correlations: Elements<F, M>,
    lie: Lie,
    /// What it takes delta for: it makes its messages such that a V with this delta believes them, whatever
    /// it claims.
    guess: Option<M>,
    interval: usize,
    used: usize,
    elements: Vec<F>,
    relations: Vec<Vec<M>>,
    /// Blocks, and challenges that were asked for, whose seeds have not come.
    pending: Vec<Option<Block<M>>>,
    asked: Seeds<[u8; 16]>,
    old_mask: Vec<M>,
    zeros: Vec<u8>,
    blocks: u64,
    commitments: u64,
    tally: Tally,
}

/// Most elements of a frame.
const FRAME: usize = 1024;

impl<F: Value, M: Mac<F>, L: Link> Reference<F, M, L> {
    pub(crate) fn new(
        interval: usize,
        transcript: Option<Transcript>,
        seed: u8,
        (lie, guess): (Lie, Option<M>),
        link: L,
    ) -> Self {
        Self {
            link,
            transcript,
            correlations: Elements::new(seed),
            lie,
            guess,
            interval,
            used: 0,
            elements: Vec::new(),
            relations: Vec::new(),
            pending: Vec::new(),
            asked: Seeds::default(),
            old_mask: Vec::new(),
            zeros: Vec::new(),
            blocks: 0,
            commitments: 0,
            tally: Tally::default(),
        }
    }

    /// Runs `statement` and sends what a proof of it consists of.
    pub(crate) fn prove(mut self, statement: &impl Statement<Self>) -> Result<Tally, Error> {
        statement.run(&mut self)?;
        self.finish().map(|(tally, _)| tally)
    }

    pub(crate) fn finish(mut self) -> Result<(Tally, L), Error> {
        self.close()?;
        let mut hash = blake3::derive_key("volery 2026 quicksilver assertions v1", &self.zeros);
        if let Lie::Assertions(bit) = self.lie {
            hash[bit / 8] ^= 1 << (bit % 8);
        }
        self.send(tags::ELEMENTS_ASSERTIONS, &hash)?;
        self.open_all()?;
        self.link.channel().flush()?;
        Ok((self.tally, self.link))
    }

    pub(crate) fn send(&mut self, tag: Tag, payload: &[u8]) -> Result<(), Error> {
        if let Some(transcript) = &mut self.transcript {
            transcript.absorb(tag.name(), payload);
        }
        Ok(self.link.channel().send(tag, payload)?)
    }

    fn commit(&mut self, x: F) -> Result<Authenticated<F, M>, Error> {
        self.room()?;
        let random = self.correlations.next();
        let lie = if self.lie == Lie::Correction(self.commitments) { F::ONE } else { F::ZERO };
        self.elements.push(x - random.x + lie);
        self.commitments += 1;
        Ok(Authenticated { x, m: random.m })
    }

    /// A polynomial claimed to vanish, for itself.
    fn claim(&mut self, g: Vec<M>) -> Result<(), Error> {
        let degree = g.len() - 1;
        // A block that ends here ends before it.
        self.relate(g)?;
        self.tally.polynomials += 1;
        self.tally.degree = self.tally.degree.max(degree);
        Ok(())
    }

    /// Claims that the top coefficient of `g` is zero.
    fn relate(&mut self, mut g: Vec<M>) -> Result<(), Error> {
        self.room()?;
        let top = g.pop().unwrap_or_default();
        if let (Some(delta), Some(last)) = (self.guess, g.last_mut()) {
            *last += top * delta;
        }
        self.relations.push(g);
        Ok(())
    }

    /// Claims that a wire is zero.
    fn vanish(&mut self, x: Authenticated<F, M>) {
        let tag = x.m + self.guess.unwrap_or(M::ZERO).scale(x.x);
        self.zeros.extend(encode(tag));
        self.tally.assertions += 1;
    }

    fn room(&mut self) -> Result<(), Error> {
        if self.used == self.interval {
            self.close()?;
        }
        self.used += 1;
        Ok(())
    }

    /// Sends the elements of all commitments so far.
    pub(crate) fn send_elements(&mut self) -> Result<(), Error> {
        let elements = std::mem::take(&mut self.elements);
        let mut number = self.commitments - elements.len() as u64;
        for elements in elements.chunks(FRAME) {
            let mut frame = Vec::new();
            pack_elements(elements, &mut frame);
            if let Lie::NotCanonical(lie) = self.lie
                && (number..number + elements.len() as u64).contains(&lie)
            {
                let first = (lie - number) as usize * F::BITS as usize;
                (first..first + F::BITS as usize).for_each(|bit| frame[bit / 8] |= 1 << (bit % 8));
            }
            number += elements.len() as u64;
            self.send(tags::ELEMENTS, &frame)?;
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), Error> {
        if self.lie == Lie::Surplus(self.blocks) {
            self.elements.push(F::ONE);
            self.commitments += 1;
        }
        self.send_elements()?;
        self.link.pause()?;
        let degree = self.relations.iter().map(Vec::len).max().unwrap_or(0).max(2);
        let mut mask = self.vope(degree - 1);
        match self.lie {
            Lie::Mask(block) if block == self.blocks => mask = self.vope(degree - 1),
            Lie::OldMask(block) if block == self.blocks => mask.clone_from(&self.old_mask),
            _ => self.old_mask.clone_from(&mask),
        }
        self.open_all()?;
        let relations = std::mem::take(&mut self.relations);
        self.pending.push(Some(Block { number: self.blocks, relations, mask, tally: self.tally }));
        self.blocks += 1;
        self.tally.blocks += 1;
        self.used = 0;
        if self.transcript.is_some() {
            self.open_all()?;
        }
        Ok(self.link.channel().flush()?)
    }

    /// The coefficients of a random polynomial of this degree (figure 3, as restored in the protocol notes).
    fn vope(&mut self, d: usize) -> Vec<M> {
        let mut packed = Vec::new();
        for _ in 0..2 * d - 1 {
            let mut line = vec![M::ZERO; 2];
            for h in 0..M::DEGREE {
                let random = self.correlations.next();
                line[0] += random.m * M::basis(h);
                line[1] += M::basis(h).scale(random.x);
            }
            packed.push(line);
        }
        let mut g = packed[0].clone();
        for i in 1..d {
            g = times(&g, &packed[i]);
            g[0] += packed[d + i - 1][0];
            g[1] += packed[d + i - 1][1];
        }
        g
    }

    fn open_all(&mut self) -> Result<(), Error> {
        while !self.pending.is_empty() {
            self.open_oldest()?;
        }
        Ok(())
    }

    fn open_oldest(&mut self) -> Result<(), Error> {
        let oldest = self.pending.remove(0);
        let seed = self.seed()?;
        let Some(block) = oldest else {
            self.asked.put(seed);
            return Ok(());
        };
        let opening = self.opening(&block, seed);
        self.send(tags::ELEMENTS_OPENING, &opening)
    }

    fn seed(&mut self) -> Result<[u8; 16], Error> {
        match &mut self.transcript {
            Some(transcript) => {
                // It also depends on the pool's chain.
                transcript.absorb("chain", Chain::from_bytes([0xd7; 32]).as_bytes());
                Ok(transcript.challenge_seed("block").into_bytes())
            }
            None => Ok(self.link.channel().recv_array(tags::ELEMENTS_CHALLENGE)?),
        }
    }

    fn opening(&self, block: &Block<M>, mut seed: [u8; 16]) -> Vec<u8> {
        if self.lie == Lie::Seed(block.number) {
            seed[0] ^= 1;
        }
        let mut sum = block.mask.clone();
        let mut by_degree = BTreeMap::<usize, Vec<&Vec<M>>>::new();
        block
            .relations
            .iter()
            .for_each(|relation| by_degree.entry(relation.len()).or_default().push(relation));
        for (degree, relations) in by_degree {
            // Times X^(D - d).
            let shift = sum.len() - degree;
            for (chi, relation) in coefficients(seed, degree, relations.len()).into_iter().zip(relations) {
                accumulate(&mut sum, chi, relation, shift);
            }
        }
        if let Lie::Opening { block: number, coefficient } = self.lie
            && number == block.number
        {
            sum[coefficient] += M::ONE;
        }
        let mut opening: Vec<u8> = sum.into_iter().flat_map(encode).collect();
        if let Lie::OpeningNotCanonical { block: number, coefficient } = self.lie
            && number == block.number
        {
            opening[coefficient * M::BYTES..][..M::BYTES].fill(0xff);
        }
        let Tally { secrets, multiplications, assertions, polynomials, .. } = block.tally;
        let mut counts = [secrets, multiplications, assertions, polynomials];
        if let Lie::Count { block: number, what } = self.lie
            && number == block.number
        {
            counts[what] += 1;
        }
        opening.extend(counts.iter().flat_map(|count| count.to_le_bytes()));
        opening
    }

    /// A challenge after everything that was committed to.
    pub(crate) fn challenge(&mut self) -> Result<[u8; 16], Error> {
        self.close()?;
        self.open_all()?;
        self.link.channel().flush()?;
        self.tie()?;
        self.seed()
    }

    fn tie(&mut self) -> Result<(), Error> {
        if let (Some(digest), Some(transcript)) = (self.link.digest()?, &mut self.transcript) {
            transcript.absorb(tags::MASKS.name(), &digest);
        }
        Ok(())
    }
}

impl<F: Value, M: Mac<F>, L: Link> Backend for Reference<F, M, L> {
    type Error = Error;
}

impl<F: Value, M: Mac<F>, L: Link> Ops<F> for Reference<F, M, L> {
    type Wire = Authenticated<F, M>;

    fn constant(&mut self, c: F) -> Self::Wire {
        Authenticated { x: c, m: M::ZERO }
    }

    fn add(&mut self, x: &Self::Wire, y: &Self::Wire) -> Self::Wire {
        Authenticated { x: x.x + y.x, m: x.m + y.m }
    }

    fn sub(&mut self, x: &Self::Wire, y: &Self::Wire) -> Self::Wire {
        Authenticated { x: x.x - y.x, m: x.m - y.m }
    }

    fn add_constant(&mut self, x: &Self::Wire, c: F) -> Self::Wire {
        Authenticated { x: x.x + c, m: x.m }
    }

    fn scale(&mut self, x: &Self::Wire, c: F) -> Self::Wire {
        Authenticated { x: x.x * c, m: x.m * M::embed(c) }
    }

    fn mul(&mut self, x: &Self::Wire, y: &Self::Wire) -> Result<Self::Wire, Error> {
        let lie = if self.lie == Lie::Product(self.tally.multiplications) { F::ONE } else { F::ZERO };
        let z = self.commit(x.x * y.x + lie)?;
        let mut g = times(&line(x), &line(y));
        accumulate(&mut g, -M::ONE, &line(&z), 1);
        self.relate(g)?;
        self.tally.multiplications += 1;
        Ok(z)
    }
}

impl<F: Value, M: Mac<F>, L: Link> Prove<F> for Reference<F, M, L> {
    fn secret(&mut self, n: usize, hint: Hint<'_, F, Self::Wire>) -> Result<Vec<Self::Wire>, Error> {
        let values = hint(&Values)?;
        if values.len() != n {
            return Err(CircuitError::misuse("a hint of another length").into());
        }
        let first = self.tally.secrets;
        self.tally.secrets += n as u64;
        let lie = |i: u64| if self.lie == Lie::Secret(first + i) { F::ONE } else { F::ZERO };
        let values: Vec<F> = values.into_iter().zip(0..).map(|(value, i)| value + lie(i)).collect();
        values.into_iter().map(|value| self.commit(value)).collect()
    }

    fn assert_zero(&mut self, x: &[Self::Wire]) -> Result<(), Error> {
        x.iter().for_each(|x| self.vanish(*x));
        Ok(())
    }

    fn assert_dot(&mut self, x: &[Self::Wire], y: &[Self::Wire], z: &Self::Wire) -> Result<(), Error> {
        assert_eq!(x.len(), y.len());
        let mut g = vec![M::ZERO; 3];
        for (x, y) in x.iter().zip(y) {
            accumulate(&mut g, M::ONE, &times(&line(x), &line(y)), 0);
        }
        accumulate(&mut g, -M::ONE, &line(z), 1);
        self.claim(g)
    }

    fn assert_linear(&mut self, matrix: &[F], x: &[Self::Wire], t: &[F]) -> Result<(), Error> {
        if x.is_empty() {
            return Ok(());
        }
        for (row, t) in matrix.chunks(x.len()).zip(t) {
            let mut sum = self.constant(-*t);
            for (c, x) in row.iter().zip(x) {
                sum += x.scale(*c);
            }
            self.vanish(sum);
        }
        Ok(())
    }

    fn assert_products(&mut self, x: &[Self::Wire], y: &[Self::Wire], z: &[Self::Wire]) -> Result<(), Error> {
        for ((x, y), z) in x.iter().zip(y).zip(z) {
            self.assert_dot(&[*x], &[*y], z)?;
        }
        Ok(())
    }
}

impl<F: Value, M: Mac<F>, L: Link> Polynomials<F> for Reference<F, M, L> {
    type Poly = Expression<F, M>;

    fn poly(&mut self, x: &Self::Wire) -> Self::Poly {
        Expression { degree: 1, terms: vec![(F::ONE, vec![*x])] }
    }

    fn poly_constant(&mut self, c: F) -> Self::Poly {
        Expression { degree: 0, terms: vec![(c, vec![])] }
    }

    fn poly_add(&mut self, p: &Self::Poly, q: &Self::Poly) -> Self::Poly {
        let terms = p.terms.iter().chain(&q.terms).cloned().collect();
        Expression { degree: p.degree.max(q.degree), terms }
    }

    fn poly_scale(&mut self, p: &Self::Poly, c: F) -> Self::Poly {
        let terms = p.terms.iter().map(|(coefficient, wires)| (*coefficient * c, wires.clone())).collect();
        Expression { degree: p.degree, terms }
    }

    fn poly_mul(&mut self, p: &Self::Poly, q: &Self::Poly) -> Result<Self::Poly, Error> {
        let product = |(c, x): &(F, Vec<_>), (d, y): &(F, Vec<_>)| (*c * *d, [&x[..], &y[..]].concat());
        let terms = p.terms.iter().flat_map(|p| q.terms.iter().map(move |q| product(p, q))).collect();
        Ok(Expression { degree: p.degree + q.degree, terms })
    }

    fn assert_poly_zero(&mut self, p: &[Self::Poly]) -> Result<(), Error> {
        for Expression { degree, terms } in p {
            // g(X) = sum over the terms of degree h of c * product of (m + x X) * X^(d - h)
            let mut g = vec![M::ZERO; degree + 1];
            for (c, wires) in terms {
                let product = wires.iter().fold(vec![M::ONE], |p, wire| times(&p, &line(wire)));
                accumulate(&mut g, M::embed(*c), &product, degree - wires.len());
            }
            match degree {
                0 => {}
                1 => {
                    self.zeros.extend(encode(g[0] + self.guess.unwrap_or(M::ZERO) * g[1]));
                    self.tally.assertions += 1;
                }
                _ => self.claim(g)?,
            }
        }
        Ok(())
    }

    fn assert_matrix_product(
        &mut self,
        shape: MatrixShape,
        a: &[Self::Wire],
        b: &[Self::Wire],
        c: &[Self::Wire],
    ) -> Result<(), Error> {
        let MatrixShape { rows, inner, columns } = shape;
        self.tally.folds += 1;
        let mut seed = self.challenge()?;
        if self.lie == Lie::Fold {
            seed[0] ^= 1;
        }
        let mut prg = Prg::new(seed);
        let (mut s, mut r) = (vec![M::ZERO; rows], vec![M::ZERO; columns]);
        prg.coefficients(&mut s);
        prg.coefficients(&mut r);
        // sum s_i r_j (sum a_il b_lj - c_ij)
        let mut g = vec![M::ZERO; 3];
        for (i, s) in s.iter().enumerate() {
            for (j, r) in r.iter().enumerate() {
                let weight = *s * *r;
                for l in 0..inner {
                    let product = times(&line(&a[i * inner + l]), &line(&b[l * columns + j]));
                    accumulate(&mut g, weight, &product, 0);
                }
                accumulate(&mut g, -weight, &line(&c[i * columns + j]), 1);
            }
        }
        self.claim(g)
    }
}

/// What hints see.
struct Values;

impl<F: Value, M: Mac<F>> Peek<F, Authenticated<F, M>> for Values {
    fn value(&self, wire: &Authenticated<F, M>) -> F {
        wire.x
    }
}
