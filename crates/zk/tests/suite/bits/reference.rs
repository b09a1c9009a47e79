//! A prover that follows figures 4 and 5 of the paper line by line, with plain lists and one field operation
//! at a time, and lies where it is told to. It shares no code with the real one but the field, the generator
//! and the transcript, so it also says what the messages of an honest prover are.
//!
//! A block has `interval` slots. Each multiplication takes one, and each secret value `w`, as `w = w * 1`. A
//! block ends when the next slot is needed, or the next polynomial where those that it has are of degree
//! `3 interval` together, or the statement ends.

use volery_channel::{Channel, ChannelExt as _, tags};
use volery_circuit::{Backend, Error as CircuitError, Hint, Ops, Peek, Polynomials, Prove, Statement};
use volery_field::{F2, Gf128, Gf256, Mac, Ring as _};
use volery_testing::deal::Tags;
use volery_vole::correlations::Chain;
use volery_vole::{Prg, Transcript};
use volery_zk::Error;
use volery_zk::quicksilver::Tally;

/// Where a prover departs from the protocol. Numbers count from 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Lie {
    /// It only does not stop at an assertion that fails.
    GoOn,
    /// It commits to the wrong product in this multiplication, and computes on with it.
    Product(u64),
    /// The same in two multiplications.
    Products([u64; 2]),
    /// As [`Lie::Product`], and it knows delta: the lie that nobody can notice.
    ProductKnowing(u64, Gf128),
    /// It sends the wrong bit for this commitment, and computes on with the right value.
    Correction(u64),
    /// It commits to the wrong value of this secret and computes on with it.
    Secret(u64),
    /// It knows delta, and hides that this polynomial does not vanish: the lie that nobody can notice.
    PolynomialKnowing(u64, Gf128),
    /// It changes this bit of this block's opening: 0 to 127 of U, 128 to 255 of V, or of further
    /// coefficients.
    Opening { block: u64, bit: usize },
    /// It masks this block's opening with another `A*`: both halves of the correlation after the right one.
    Mask(u64),
    /// It masks a block with the mask of the block before.
    OldMask(u64),
    /// It changes this bit of the hash of the assertions.
    Assertions(usize),
    /// It commits to another output of this S-box, with these bits changed, and computes on with it.
    SBox(u64, u8),
    /// It counts one more secret (0), multiplication (1), assertion (2), polynomial (3) in this block.
    Count { block: u64, what: usize },
    /// It expands another seed than the one it was given, in this block.
    Seed(u64),
}

/// A multiplication's operands and result, and its number; a secret value's slot has none.
struct Slot {
    tags: [Gf128; 3],
    number: Option<u64>,
}

/// The coefficients in `X` of a polynomial claimed to vanish, but the top one; and its number.
struct Claimed {
    coefficients: Vec<Gf128>,
    number: u64,
}

struct Block {
    number: u64,
    slots: Vec<Slot>,
    claims: Vec<Claimed>,
    mask: Vec<Gf128>,
    tally: Tally,
}

/// See the module's documentation.
pub(crate) struct Reference<'a> {
    pub(crate) channel: &'a mut dyn Channel,
    /// Fiat-Shamir's transcript; none if V chooses.
    pub(crate) transcript: Option<Transcript>,
    tags: Tags,
    lie: Lie,
    interval: usize,
    slots: Vec<Slot>,
    claims: Vec<Claimed>,
    bits: Vec<bool>,
    pending: Vec<Block>,
    old_mask: Vec<Gf128>,
    zeros: Vec<u8>,
    blocks: u64,
    commitments: u64,
    s_boxes: u64,
    tally: Tally,
}

/// The next seed that is a hash. It also depends on the pool's chain.
pub(crate) fn challenge(transcript: &mut Transcript) -> [u8; 16] {
    transcript.absorb("chain", Chain::from_bytes([0xd7; 32]).as_bytes());
    transcript.challenge_seed("block").into_bytes()
}

/// Longest frame of masked bits, in bytes.
const FRAME: usize = 2048;

impl<'a> Reference<'a> {
    pub(crate) fn new(
        interval: usize,
        transcript: Option<Transcript>,
        tags: Tags,
        lie: Lie,
        channel: &'a mut dyn Channel,
    ) -> Self {
        Self {
            channel,
            transcript,
            tags,
            lie,
            interval,
            slots: Vec::new(),
            claims: Vec::new(),
            bits: Vec::new(),
            pending: Vec::new(),
            old_mask: vec![Gf128::ZERO; 2],
            zeros: Vec::new(),
            blocks: 0,
            commitments: 0,
            s_boxes: 0,
            tally: Tally::default(),
        }
    }

    /// Runs `statement` and sends what a proof of it consists of.
    pub(crate) fn prove(mut self, statement: &impl Statement<Self>) -> Result<Tally, Error> {
        statement.run(&mut self)?;
        self.finish()
    }

    pub(crate) fn finish(mut self) -> Result<Tally, Error> {
        self.close()?;
        let mut hash = blake3::derive_key("volery 2026 quicksilver assertions v1", &self.zeros);
        if let Lie::Assertions(bit) = self.lie {
            hash[bit / 8] ^= 1 << (bit % 8);
        }
        self.send(tags::ASSERTIONS, &hash)?;
        self.open_until(0)?;
        self.channel.flush()?;
        Ok(self.tally)
    }

    fn send(&mut self, tag: volery_channel::Tag, payload: &[u8]) -> Result<(), Error> {
        if let Some(transcript) = &mut self.transcript {
            transcript.absorb(tag.name(), payload);
        }
        Ok(self.channel.send(tag, payload)?)
    }

    /// The tag of a fresh commitment to `w`.
    fn commit(&mut self, w: bool) -> Gf128 {
        let random = self.tags.next();
        let d = w ^ (random.to_bits() & 1 == 1);
        let lie = self.lie == Lie::Correction(self.commitments);
        self.bits.push(d ^ lie);
        self.commitments += 1;
        random + Gf128::from_bits(d.into())
    }

    /// Commits to a secret value, which takes a slot.
    fn commit_secret(&mut self, value: bool) -> Result<Gf128, Error> {
        let lie = self.lie == Lie::Secret(self.tally.secrets);
        self.room()?;
        let wire = self.commit(value ^ lie);
        self.slots.push(Slot { tags: [wire, Gf128::ONE, wire], number: None });
        self.tally.secrets += 1;
        Ok(wire)
    }

    /// Makes sure that the block has a slot left.
    fn room(&mut self) -> Result<(), Error> {
        if self.slots.len() == self.interval { self.close() } else { Ok(()) }
    }

    /// Sends the bits of all commitments so far.
    pub(crate) fn send_masks(&mut self) -> Result<(), Error> {
        let bits = std::mem::take(&mut self.bits);
        let bytes: Vec<u8> =
            bits.chunks(8).map(|byte| byte.iter().rev().fold(0, |b, bit| b << 1 | u8::from(*bit))).collect();
        for frame in bytes.chunks(FRAME) {
            self.send(tags::MASKS, frame)?;
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), Error> {
        self.send_masks()?;
        let (slots, claims) = (std::mem::take(&mut self.slots), std::mem::take(&mut self.claims));
        let degree = claims.iter().map(|claim| claim.coefficients.len()).max().unwrap_or(2);
        let mut mask = self.mask(degree);
        match self.lie {
            Lie::Mask(block) if block == self.blocks => mask = self.mask(degree),
            Lie::OldMask(block) if block == self.blocks => mask = self.old_mask.clone(),
            _ => self.old_mask.clone_from(&mask),
        }
        self.pending.push(Block { number: self.blocks, slots, claims, mask, tally: self.tally });
        self.blocks += 1;
        self.tally.blocks += 1;
        self.open_until(if self.transcript.is_some() { 0 } else { 1 })?;
        Ok(self.channel.flush()?)
    }

    /// `A*_0, A*_1, ..`, `degree` of them: a VOPE of one degree less (figure 3).
    fn mask(&mut self, degree: usize) -> Vec<Gf128> {
        let d = degree - 1;
        let lines: Vec<Vec<Gf128>> = (0..2 * d - 1).map(|_| self.packed()).collect();
        let mut g = lines[0].clone();
        for i in 1..d {
            g = times(&g, &lines[i]);
            accumulate(&mut g, Gf128::ONE, &lines[d + i - 1], 0);
        }
        g
    }

    /// `M + U X` from the next 128 correlations.
    fn packed(&mut self) -> Vec<Gf128> {
        let mut packed = vec![Gf128::ZERO; 2];
        for i in 0..128 {
            let (tag, power) = (self.tags.next(), Gf128::from_bits(1 << i));
            packed[0] += tag * power;
            packed[1] += Gf128::from_bits(tag.to_bits() & 1) * power;
        }
        packed
    }

    fn open_until(&mut self, left: usize) -> Result<(), Error> {
        while self.pending.len() > left {
            let block = self.pending.remove(0);
            let seed = match &mut self.transcript {
                Some(transcript) => challenge(transcript),
                None => self.channel.recv_array(tags::CHALLENGE)?,
            };
            let opening = self.opening(&block, seed);
            self.send(tags::CHECK_OPENING, &opening)?;
        }
        Ok(())
    }

    fn opening(&self, block: &Block, mut seed: [u8; 16]) -> Vec<u8> {
        if self.lie == Lie::Seed(block.number) {
            seed[0] ^= 1;
        }
        let mut coefficients = Prg::new(seed);
        let mut sum = block.mask.clone();
        let top = sum.len();
        let [mut u, mut v] = [Gf128::ZERO; 2];
        let one = |tag: Gf128| if tag.to_bits() & 1 == 1 { Gf128::ONE } else { Gf128::ZERO };
        let mut chi = Gf128::ZERO;
        for (i, Slot { tags: [a, b, c], number }) in block.slots.iter().enumerate() {
            chi = if i % 128 == 0 { coefficients.block() } else { chi * Gf128::X };
            u += chi * *a * *b;
            v += chi * (one(*a) * *b + one(*b) * *a + *c);
            if let (Lie::ProductKnowing(lie, delta), Some(number)) = (self.lie, number)
                && lie == *number
            {
                u += chi * delta * delta;
            }
        }
        accumulate(&mut sum, Gf128::ONE, &[u, v], top - 2);
        for degree in 2..=top {
            let mut coefficients = relation_coefficients(seed, degree);
            for claim in block.claims.iter().filter(|claim| claim.coefficients.len() == degree) {
                let chi = coefficients.block();
                accumulate(&mut sum, chi, &claim.coefficients, top - degree);
                if let Lie::PolynomialKnowing(lie, delta) = self.lie
                    && lie == claim.number
                {
                    sum[0] += (0..top).fold(chi, |term, _| term * delta);
                }
            }
        }
        let mut opening: Vec<u8> = sum.iter().flat_map(|element| element.to_bits().to_le_bytes()).collect();
        if let Lie::Opening { block: number, bit } = self.lie
            && number == block.number
        {
            opening[bit / 8] ^= 1 << (bit % 8);
        }
        let Tally { secrets, multiplications, assertions, polynomials, .. } = block.tally;
        let mut counts = vec![secrets, multiplications, assertions];
        if polynomials > 0 {
            counts.push(polynomials);
        }
        if let Lie::Count { block: number, what } = self.lie
            && number == block.number
        {
            counts[what] += 1;
        }
        opening.extend(counts.iter().flat_map(|count| count.to_le_bytes()));
        opening
    }
}

impl Backend for Reference<'_> {
    type Error = Error;
}

impl Ops<F2> for Reference<'_> {
    type Wire = Gf128;

    fn constant(&mut self, c: F2) -> Gf128 {
        Gf128::from_bits(c.to_u8().into())
    }

    fn add(&mut self, x: &Gf128, y: &Gf128) -> Gf128 {
        *x + *y
    }

    fn sub(&mut self, x: &Gf128, y: &Gf128) -> Gf128 {
        *x + *y
    }

    fn add_constant(&mut self, x: &Gf128, c: F2) -> Gf128 {
        *x + self.constant(c)
    }

    fn scale(&mut self, x: &Gf128, c: F2) -> Gf128 {
        if c.to_bool() { *x } else { Gf128::ZERO }
    }

    fn mul(&mut self, x: &Gf128, y: &Gf128) -> Result<Gf128, Error> {
        let number = self.tally.multiplications;
        let lie = match self.lie {
            Lie::Product(n) | Lie::ProductKnowing(n, _) => n == number,
            Lie::Products(both) => both.contains(&number),
            _ => false,
        };
        self.room()?;
        let z = self.commit((x.to_bits() & y.to_bits() & 1 == 1) ^ lie);
        self.slots.push(Slot { tags: [*x, *y, z], number: Some(number) });
        self.tally.multiplications += 1;
        Ok(z)
    }

    /// With `y` the inverse of `x` or zero, and the output's bits those of `y` after the linear part of AES's
    /// affine map: `x^2 y = x` and `y^2 x = y` over the subfield.
    fn substitute(&mut self, x: &[Gf128; 8]) -> Result<Option<[Gf128; 8]>, Error> {
        let value = (0..8).fold(0, |value, i| value | (x[i].to_bits() as u8 & 1) << i);
        let inverse = |x: Gf256| (0..=255).map(Gf256::from_byte).find(|y| x * *y == Gf256::ONE);
        let inverse = inverse(Gf256::from_byte(value)).unwrap_or(Gf256::ZERO).to_byte();
        let mut output = linear(inverse);
        if let Lie::SBox(number, change) = self.lie
            && number == self.s_boxes
        {
            output ^= change;
        }
        self.s_boxes += 1;
        let mut wires = [Gf128::ZERO; 8];
        for (i, wire) in wires.iter_mut().enumerate() {
            *wire = self.commit_secret(output >> i & 1 == 1)?;
        }
        self.claim_s_box(x, &wires)?;
        Ok(Some(wires))
    }
}

impl Reference<'_> {
    /// Claims that these are input and output of an S-box.
    fn claim_s_box(&mut self, x: &[Gf128; 8], s: &[Gf128; 8]) -> Result<(), Error> {
        let undone = |i: u8| (0..=255).find(|y| linear(*y) == 1 << i).unwrap_or_default();
        let element = |bits: &[Gf128; 8], image: &dyn Fn(u8) -> u8, squared: bool| {
            let mut sum = vec![Gf128::ZERO; 2];
            for (i, bit) in (0..).zip(bits) {
                let image = Gf256::from_byte(image(i));
                let weight: Gf128 = Mac::embed(if squared { image * image } else { image });
                accumulate(&mut sum, weight, &[*bit, Gf128::from_bits(bit.to_bits() & 1)], 0);
            }
            sum
        };
        let [x, x_squared] = [false, true].map(|squared| element(x, &|i| 1 << i, squared));
        let [y, y_squared] = [false, true].map(|squared| element(s, &undone, squared));
        let first = self.poly_add(&times(&x_squared, &y), &x);
        let second = self.poly_add(&times(&y_squared, &x), &y);
        self.assert_poly_zero(&[first, second])
    }
}

/// The linear part of AES's affine map (FIPS 197, 5.1.1).
fn linear(y: u8) -> u8 {
    (0..5).fold(0, |sum, i| sum ^ y.rotate_left(i))
}

impl Prove<F2> for Reference<'_> {
    fn assert_substituted(&mut self, x: &[Gf128; 8], s: &[Gf128; 8]) -> Result<bool, Error> {
        self.claim_s_box(x, s)?;
        Ok(true)
    }

    fn secret(&mut self, n: usize, hint: Hint<'_, F2, Gf128>) -> Result<Vec<Gf128>, Error> {
        let values = hint(&Values)?;
        if values.len() != n {
            return Err(CircuitError::misuse("a hint of another length").into());
        }
        let mut wires = Vec::new();
        for value in values {
            wires.push(self.commit_secret(value.to_bool())?);
        }
        Ok(wires)
    }

    fn assert_zero(&mut self, x: &[Gf128]) -> Result<(), Error> {
        for wire in x {
            self.zeros.extend_from_slice(&wire.to_bits().to_le_bytes());
            self.tally.assertions += 1;
        }
        Ok(())
    }
}

/// Expressions are polynomials in `X`, lowest coefficient first.
impl Polynomials<F2> for Reference<'_> {
    type Poly = Vec<Gf128>;

    fn poly(&mut self, x: &Gf128) -> Vec<Gf128> {
        vec![*x, Gf128::from_bits(x.to_bits() & 1)]
    }

    fn poly_constant(&mut self, c: F2) -> Vec<Gf128> {
        vec![Gf128::from_bits(c.to_u8().into())]
    }

    fn poly_add(&mut self, p: &Vec<Gf128>, q: &Vec<Gf128>) -> Vec<Gf128> {
        let mut sum = vec![Gf128::ZERO; p.len().max(q.len())];
        for p in [p, q] {
            let shift = sum.len() - p.len();
            accumulate(&mut sum, Gf128::ONE, p, shift);
        }
        sum
    }

    fn poly_scale(&mut self, p: &Vec<Gf128>, c: F2) -> Vec<Gf128> {
        p.iter().map(|p| if c.to_bool() { *p } else { Gf128::ZERO }).collect()
    }

    fn poly_mul(&mut self, p: &Vec<Gf128>, q: &Vec<Gf128>) -> Result<Vec<Gf128>, Error> {
        Ok(times(p, q))
    }

    fn assert_poly_zero(&mut self, p: &[Vec<Gf128>]) -> Result<(), Error> {
        for p in p {
            let coefficients = p[..p.len() - 1].to_vec();
            match coefficients[..] {
                [] => {}
                [tag] => self.assert_zero(&[tag])?,
                _ => {
                    let kept: usize = self.claims.iter().map(|claim| claim.coefficients.len()).sum();
                    if kept >= 3 * self.interval {
                        self.close()?;
                    }
                    self.tally.degree = self.tally.degree.max(coefficients.len());
                    self.claims.push(Claimed { coefficients, number: self.tally.polynomials });
                    self.tally.polynomials += 1;
                }
            }
        }
        Ok(())
    }
}

/// The product of two polynomials in `X`.
fn times(p: &[Gf128], q: &[Gf128]) -> Vec<Gf128> {
    let mut product = vec![Gf128::ZERO; p.len() + q.len() - 1];
    for (i, p) in p.iter().enumerate() {
        accumulate(&mut product, *p, q, i);
    }
    product
}

/// `sum += c p X^shift`.
fn accumulate(sum: &mut [Gf128], c: Gf128, p: &[Gf128], shift: usize) {
    sum[shift..].iter_mut().zip(p).for_each(|(sum, p)| *sum += c * *p);
}

/// Where the coefficients of a block's polynomials of one degree come from.
fn relation_coefficients(seed: [u8; 16], degree: usize) -> Prg {
    let mut hasher = blake3::Hasher::new_derive_key("volery 2026 quicksilver relations v1");
    hasher.update(&seed).update(&(degree as u64).to_le_bytes());
    let mut seed = [0; 16];
    hasher.finalize_xof().fill(&mut seed);
    Prg::new(seed)
}

/// Values are the lowest bits of tags.
struct Values;

impl Peek<F2, Gf128> for Values {
    fn value(&self, wire: &Gf128) -> F2 {
        F2::new(wire.to_bits() & 1 == 1)
    }
}
