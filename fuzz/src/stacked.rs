//! Mac'n'Cheese's messages: disjunctions of every join, multiplications of every kind.

use volery_channel::Channel;
use volery_circuit::{Digest, Prove, Statement};
use volery_field::F2;
use volery_vole::{Delta, Prg};
use volery_zk::Error;
use volery_zk::macncheese::{
    Disjunction, Join, Multiplier, ProverBits, Settings, VerifierBits, prove, verify,
};
use volery_zk::quicksilver::{Challenges, verdict};

use crate::dealing;
use crate::proofs::{Chain, fiat_shamir};
use crate::replay::{against, rng};

/// Blocks so short that the statement has several, the last one partial.
const INTERVAL: usize = 16;

/// How a proof is run, out of one byte.
#[derive(Clone, Copy)]
pub struct Mode(pub u8);

impl Mode {
    /// All modes of true statements whose challenges are chosen.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..12).map(|n| Self((n % 3) << 2 | (n / 3) << 4))
    }

    /// With the embedding V chooses, whatever is asked for.
    fn hashed(self) -> bool {
        self.0 & 1 != 0 && self.settings().multiplier != Multiplier::EmbeddedRho40
    }

    fn lie(self) -> bool {
        self.0 & 2 != 0
    }

    fn join(self) -> Join {
        [Join::Tree, Join::Linear, Join::AtLeast(2), Join::Tree][usize::from(self.0 >> 2 & 3)]
    }

    fn settings(self) -> Settings {
        let all =
            [Multiplier::Simple, Multiplier::Batched, Multiplier::BatchedPowers, Multiplier::EmbeddedRho40];
        Settings { interval: INTERVAL, multiplier: all[usize::from(self.0 >> 4 & 3)] }
    }

    fn challenges<'c>(self) -> Challenges<'c> {
        if self.hashed() { fiat_shamir("fuzz stacked") } else { Challenges::Seeded(Prg::new([5; 16])) }
    }

    /// Three branches; P holds the first two.
    fn statement(self, knows: bool) -> Disjunction<Numbered> {
        let chain = |i: usize| match (knows, self.lie()) {
            (true, _) if i < 2 => Chain::KNOWN,
            (_, true) => Chain::FALSE,
            _ => Chain::TRUE,
        };
        let any = Disjunction::new(self.join(), (0..3).map(|i| Numbered(i, chain(i))).collect());
        let any = any.unwrap_or_else(|error| unreachable!("two of three: {error}"));
        let wanted = if let Join::AtLeast(r) = self.join() { r } else { 1 };
        if knows { any.with_choice(&[0, 1][..wanted]) } else { any }
    }
}

/// A chain that counts for itself in a threshold.
struct Numbered(usize, Chain);

impl<B: Prove<F2> + ?Sized> Statement<B> for Numbered {
    fn identify(&self, digest: &mut Digest) {
        digest.number("number", self.0 as u64);
        Statement::<B>::identify(&self.1, digest);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        self.1.run(b)
    }
}

/// All that a verifier sends during a proof, at the prover; the first byte is the mode.
pub fn macncheese_prover(bytes: &[u8]) {
    let Some((mode, rest)) = bytes.split_first() else { return };
    // An honest prover proves what is true.
    let _ = against(rest, |channel| as_prover(channel, Mode(mode & !2)));
}

/// All that a prover sends, at the verifier; the first byte is the mode. No bytes prove what is false.
pub fn macncheese_verifier(bytes: &[u8]) {
    let Some((mode, rest)) = bytes.split_first() else { return };
    let mode = Mode(*mode);
    let result = against(rest, |channel| as_verifier(channel, mode, &dealing::delta(bytes)));
    assert!(!mode.lie() || result.is_err(), "a false statement is accepted");
}

/// An honest prover.
///
/// # Errors
/// What its peer does wrong.
pub fn as_prover(channel: &mut dyn Channel, mode: Mode) -> Result<(), Error> {
    let (mut rng, mut pool) = (rng(3), dealing::bits(None));
    let (settings, challenges) = (mode.settings(), mode.challenges());
    prove(ProverBits, settings, challenges, &mut rng, &mut pool, &mut *channel, &mode.statement(true))?;
    verdict::receive(channel)
}

/// An honest verifier; `delta` may be anything.
///
/// # Errors
/// What its peer does wrong.
pub fn as_verifier(channel: &mut dyn Channel, mode: Mode, delta: &Delta) -> Result<(), Error> {
    let mut pool = dealing::bits(Some(delta.duplicate()));
    let (settings, challenges) = (mode.settings(), mode.challenges());
    let half = VerifierBits::new(delta);
    verify(half, settings, challenges, &mut pool, &mut *channel, &mode.statement(false))?;
    verdict::send(channel, true)
}
