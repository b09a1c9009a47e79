//! The check for bits that uses an embedding (section 4.4). It sends 9 bits for each AND whatever the size of
//! the block, and has at most 40 bits of soundness.
//!
//! Fifteen ANDs are one product in GF(2^45) ([`super::rmfe`]). For the group with operands `x`, `y` and
//! committed results `z`:
//!
//! ```text
//! [X] = phi([x]),  [Y] = phi([y]),  [Z] = f([z], [d])       linear; d: 30 bits of advice, which P fixes
//! Random -> [A],  Fix(A Y) -> [C],  challenge e,  Reveal(e X - A) -> eps,  AssertZero(e Z - C - eps Y)       all in GF(2^45)
//! ```
//!
//! A committed element of GF(2^45) is 45 committed bits. P sends 15 + 30 + 45 + 45 bits for a group.
//!
//! A query claims that 45 linear combinations of bits are zero. They become one element of GF(2^128): number
//! `i` is multiplied by `x^i`, and the sum is zero only if all of them are. So a query's coefficients are the
//! elements `e phi` and so on, with their bits read as an element of GF(2^128).
//!
//! **Soundness**: a wrong product leaves a polynomial of degree 1 in `e` that is not zero. The error for a
//! block is `2^-45`, *whatever the field of MACs*.

use volery_circuit::Error as StatementError;
use volery_field::{F2, Gf128};
use volery_vole::Prg;
use zeroize::Zeroizing;

use super::super::block::Block;
use super::super::instructions::CommitProve;
use super::super::link::{Ask, Counts};
use super::super::run::Run;
use super::super::share::Share;
use super::rmfe::{ADVICE, BITS, FIELD, Tables, mul};
use crate::Error;
use crate::shares::ElementShare;

/// The most multiplications of a block. Its rounds have 8 wires for each.
pub(in super::super) const MOST: usize = BITS << 12;

/// Shares over bits.
pub(in super::super) trait BitShare: Share<Value = F2, Mac = Gf128> {}

impl<H: Share<Value = F2, Mac = Gf128>> BitShare for H {}

/// A group's wires.
struct Group<W> {
    x: [W; BITS],
    y: [W; BITS],
    z: [W; BITS],
}

/// The further commitments of a group.
struct Committed<W> {
    advice: [W; ADVICE],
    a: [W; FIELD],
    c: [W; FIELD],
}

/// Checks the block, and returns the seed that comes after.
pub(in super::super) fn check<H: BitShare>(
    run: &mut Run<'_, H>,
    block: &Block<H>,
) -> Result<[u8; 16], Error> {
    let groups = groups(block)?;
    let values = Counts { fix: ADVICE + FIELD, random: FIELD, send: 0 }.times(groups.len());
    run.begin(Ask { values, ..Ask::default() })?;
    let committed = groups.iter().map(|group| commit(run, group)).collect::<Result<Vec<_>, _>>()?;
    let e = Prg::new(run.challenge()?).block().to_bits() as u64 & ((1 << FIELD) - 1);
    let values = Counts { fix: 0, random: 0, send: FIELD }.times(groups.len());
    run.begin(Ask { values, ..Ask::default() })?;
    let weights = Weights::new(e);
    for (group, committed) in groups.iter().zip(&committed) {
        query(run, &weights, group, committed)?;
    }
    run.challenge()
}

/// The block in groups. Zeros fill the last one.
fn groups<H: BitShare>(block: &Block<H>) -> Result<Vec<Group<H::Wire>>, Error> {
    let mut all = [const { Vec::new() }; 3].map(Zeroizing::new);
    block.chunks(|x, y, z| {
        all.iter_mut().zip([x, y, z]).for_each(|(all, new)| all.extend_from_slice(new));
        Ok::<_, Error>(())
    })?;
    all.iter_mut().for_each(|all| all.resize(block.len().next_multiple_of(BITS), H::Wire::default()));
    let [x, y, z] = all.each_ref().map(|all| all.as_chunks().0);
    if x.len() != z.len() {
        return Err(StatementError::misuse("a block with fewer results than operands").into());
    }
    Ok(x.iter().zip(y).zip(z).map(|((x, y), z)| Group { x: *x, y: *y, z: *z }).collect())
}

/// The bits of some wires at P, as a word; zero at V.
fn word<H: BitShare>(wires: &[H::Wire]) -> u64 {
    wires.iter().rev().fold(0, |word, w| word << 1 | u64::from(H::value(*w).to_u8()))
}

fn commit<H: BitShare>(run: &mut Run<'_, H>, group: &Group<H::Wire>) -> Result<Committed<H::Wire>, Error> {
    let tables = Tables::get();
    let [x, y] = [&group.x, &group.y].map(|wires| Zeroizing::new(tables.phi(word::<H>(wires) as u16)));
    let product = Zeroizing::new(mul(*x, *y));
    let mut advice = [H::Wire::default(); ADVICE];
    for (wire, bit) in advice.iter_mut().zip(tables.advise(*product)) {
        *wire = run.fix_value(F2::new(bit))?;
    }
    let mut a = [H::Wire::default(); FIELD];
    for wire in &mut a {
        *wire = run.random_value()?;
    }
    let masked = Zeroizing::new(mul(word::<H>(&a), *y));
    let mut c = [H::Wire::default(); FIELD];
    for (i, wire) in c.iter_mut().enumerate() {
        *wire = run.fix_value(F2::from_lsb(*masked >> i))?;
    }
    Ok(Committed { advice, a, c })
}

/// The coefficients that all groups share.
struct Weights {
    e: u64,
    x: [Gf128; BITS],
    z: [Gf128; BITS],
    advice: [Gf128; ADVICE],
    units: [Gf128; FIELD],
}

/// The element of GF(2^128) with the same bits.
fn same_bits(x: u64) -> Gf128 {
    Gf128::from_bits(x.into())
}

impl Weights {
    fn new(e: u64) -> Self {
        let tables = Tables::get();
        Self {
            e,
            x: tables.phi.map(|phi| same_bits(mul(e, phi))),
            z: tables.values.map(|v| same_bits(mul(e, v))),
            advice: tables.advice.map(|v| same_bits(mul(e, v))),
            units: core::array::from_fn(|i| same_bits(1 << i)),
        }
    }
}

fn query<H: BitShare>(
    run: &mut Run<'_, H>,
    weights: &Weights,
    group: &Group<H::Wire>,
    committed: &Committed<H::Wire>,
) -> Result<(), Error> {
    let tables = Tables::get();
    let x = Zeroizing::new(tables.phi(word::<H>(&group.x) as u16));
    let sent = Zeroizing::new(mul(weights.e, *x) ^ word::<H>(&committed.a));
    #[cfg(test)]
    let sent = Zeroizing::new(*sent ^ super::cheat::in_the_embedding(weights.e));
    let mut epsilon = 0;
    for i in 0..FIELD {
        epsilon |= u64::from(run.send_value(F2::from_lsb(*sent >> i))?.to_u8()) << i;
    }
    let sum = |parts: [Result<ElementShare<Gf128>, Error>; 2]| -> Result<ElementShare<Gf128>, Error> {
        let [first, second] = parts;
        Ok(first? + second?)
    };
    let reveal = sum([H::combine(&group.x, &weights.x), H::combine(&committed.a, &weights.units)])?;
    let public = run.share().element_constant(same_bits(epsilon));
    run.query_zero(reveal - public);
    let by_epsilon = tables.phi.map(|phi| same_bits(mul(epsilon, phi)));
    let product = sum([H::combine(&group.z, &weights.z), H::combine(&committed.advice, &weights.advice)])?;
    let other = sum([H::combine(&committed.c, &weights.units), H::combine(&group.y, &by_epsilon)])?;
    run.query_zero(product + other);
    Ok(())
}
