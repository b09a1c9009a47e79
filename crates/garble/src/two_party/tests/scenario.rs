//! A session with something of everything, in the manner of a key that is shared, used and partly opened.
//!
//! ```text
//! key = a + b            a is P's, b is V's                                kept
//! ct  = AES(key, text)   text is public, but comes after the garbling      half public, half shared
//! and = ct * key         halves, garbled when all is known: wires live on      public
//! sha = SHA-256(key)     prepared, and never used                          -
//! ```

use volery_channel::Channel;
use volery_field::F2;
use volery_testing::rng;
use volery_vole::Prg;

use super::functions::Toy;
use super::parties::{Party, evaluator_with, garbler_with, settings};
use crate::Error;
use crate::two_party::{Garbling, Owner, Settings, Wire};

/// 128 bits that belong to `seed`.
pub(super) fn sample(seed: u8) -> Vec<F2> {
    let block = Prg::new([seed; 16]).block().to_bits();
    (0..128).map(|i| F2::from_lsb((block >> i) as u64)).collect()
}

pub(super) const A: u8 = 11;
pub(super) const B: u8 = 12;
pub(super) const TEXT: u8 = 13;

/// What a party saw.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Seen {
    pub(super) ciphertext: Vec<F2>,
    pub(super) share: Vec<F2>,
    pub(super) products: Vec<F2>,
}

/// How a session departs from the honest one.
#[derive(Clone)]
pub(super) struct Plan {
    /// What is called for the products.
    pub(super) and: Toy,
    pub(super) garbling: Garbling,
}

impl Plan {
    pub(super) const HONEST: Self = Self { and: Toy::And, garbling: Garbling::ThreeHalves };

    pub(super) fn settings(&self) -> Settings {
        Settings { garbling: self.garbling, ..settings() }
    }
}

/// Everything but the proof; the key's wires are returned as well.
pub(super) fn run<T: Party>(
    party: &mut T,
    channel: &mut dyn Channel,
    plan: &Plan,
) -> Result<(Seen, Vec<Wire>), Error> {
    let a = party.input(channel, Owner::Prover, 128)?;
    let b = party.input(channel, Owner::Verifier, 128)?;
    let text = party.input(channel, Owner::Both, 128)?;
    let masks = party.masks(channel, 64)?;
    let both: Vec<_> = [a.wires(), b.wires()].concat();
    let key = party.call(channel, Toy::Xor, &both)?;
    let ciphertext = party.call(channel, Toy::Aes, &[&key[..], text.wires()].concat())?;
    party.call(channel, Toy::Sha, &key)?;
    let unused = party.input(channel, Owner::Verifier, 3)?;
    party.call(channel, Toy::And, &[unused.wires(), &key[..3]].concat())?;

    party.deliver(channel, Owner::Verifier, b, &sample(B))?;
    party.deliver(channel, Owner::Prover, a, &sample(A))?;
    party.deliver(channel, Owner::Both, text, &sample(TEXT))?;
    let public = party.public(channel, &ciphertext[..64])?;
    let share = party.shared(channel, &ciphertext[64..], masks)?;
    let products = party.call(channel, plan.and.clone(), &[&ciphertext[64..], &key[..64]].concat())?;
    let products = party.public(channel, &products)?;
    Ok((Seen { ciphertext: public, share, products }, key))
}

/// P's whole session.
pub(super) fn prove(mut channel: impl Channel, plan: &Plan) -> Result<Seen, Error> {
    let mut p = garbler_with(plan.settings());
    let (seen, _) = run(&mut p, &mut channel, plan)?;
    p.prove(&mut channel, &mut rng(1), |_, _| Ok(()))?;
    Ok(seen)
}

/// V's whole session.
pub(super) fn verify(mut channel: impl Channel, plan: &Plan) -> Result<Seen, Error> {
    let mut v = evaluator_with(plan.settings());
    let (seen, _) = run(&mut v, &mut channel, plan)?;
    v.verify(&mut channel, &mut rng(2), |_, _| Ok(()))?;
    Ok(seen)
}

/// The same without anybody else: ciphertext and products.
pub(super) fn clear() -> (Vec<F2>, Vec<F2>) {
    use crate::Function as _;
    let mut clear = volery_circuit::Evaluator::new();
    let key = Toy::Xor.run(&mut clear, &[sample(A), sample(B)].concat()).expect("runs");
    let ciphertext = Toy::Aes.run(&mut clear, &[key.clone(), sample(TEXT)].concat()).expect("runs");
    let products = Toy::And.run(&mut clear, &[&ciphertext[64..], &key[..64]].concat()).expect("runs");
    (ciphertext, products)
}

/// Whether what both saw is right.
pub(super) fn right(p: &Seen, v: &Seen) -> bool {
    let (ciphertext, products) = clear();
    let opened: Vec<_> = p.share.iter().zip(&v.share).map(|(p, v)| *p + *v).collect();
    p.ciphertext == ciphertext[..64]
        && v.ciphertext == p.ciphertext
        && opened == ciphertext[64..]
        && p.products == products
        && v.products == products
}
