//! Two parties on two threads, and sessions in which one message is changed.

use std::time::Duration;

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng as _;
use volery::statements::AndChain;
use volery::system::{Bits, Provable};
use volery::{Error, Limits, Options, Profile, Prover, Report, Verifier, Zeroizing};
use volery_channel::{Channel, Tag};
use volery_circuit::{Digest, Prove, Statement};
use volery_field::F2;
pub(crate) use volery_testing::{Change, Link, Tap, between_owners as between};

/// A generator for a party of a test.
pub(crate) fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

/// Options by what they differ in.
pub(crate) fn options(fiat_shamir: bool, threads: usize) -> Options {
    Options { profile: Profile::Lan, fiat_shamir, threads }
}

/// Longer than a busy machine takes for any step of these tests.
pub(crate) fn patient() -> Limits {
    Limits { read: Duration::from_secs(30), write: Duration::from_secs(30), ..Limits::default() }
}

/// A P that proves `claims` one after another.
pub(crate) fn prove(
    channel: impl Channel,
    options: Options,
    seed: u64,
    claims: &[&dyn Provable<Bits>],
) -> Result<Vec<Report>, Error> {
    let mut rng = rng(seed);
    let mut prover = Prover::start(channel, options, &mut rng)?;
    claims.iter().map(|claim| prover.prove(Bits, *claim, &mut rng)).collect()
}

/// A V that verifies `claims` one after another.
pub(crate) fn verify(
    channel: impl Channel,
    options: Options,
    seed: u64,
    claims: &[&dyn Provable<Bits>],
) -> Result<Vec<Report>, Error> {
    let mut rng = rng(seed);
    let mut verifier = Verifier::start(channel, options, &mut rng)?;
    claims.iter().map(|claim| verifier.verify(Bits, *claim, &mut rng)).collect()
}

/// "I know two bits whose product is this one."
pub(crate) struct Product {
    pub(crate) result: bool,
    pub(crate) witness: Option<[bool; 2]>,
}

impl<B: Prove<F2> + ?Sized> Statement<B> for Product {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"product").number("result", self.result.into());
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        let wires = backend.secret(2, &mut |_| {
            let witness =
                self.witness.ok_or_else(|| volery_circuit::Error::Witness("none was given".into()))?;
            Ok(witness.map(F2::new).to_vec())
        })?;
        let product = backend.mul(&wires[0], &wires[1])?;
        let difference = backend.add_constant(&product, F2::new(self.result));
        backend.assert_zero(&[difference])
    }
}

/// A chain that takes the first stage's correlations and then some of a Ferret round's.
pub(crate) fn two_stages() -> AndChain {
    AndChain::new(160_000)
}

/// FIPS 197, appendix C.1.
pub(crate) fn aes128() -> volery::statements::Aes128Key {
    let plaintext = 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff_u128.to_be_bytes();
    let ciphertext = 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a_u128.to_be_bytes();
    volery::statements::Aes128Key::new(plaintext, ciphertext)
        .with_key(Zeroizing::new((0..16).collect()))
        .expect("16 bytes")
}

/// How a session went in which one message may have been changed.
pub(crate) struct Outcome {
    pub(crate) prover: Result<Vec<Report>, Error>,
    pub(crate) verifier: Result<Vec<Report>, Error>,
    /// What P and V sent, as they meant it.
    pub(crate) sent: [Vec<(Tag, Vec<u8>)>; 2],
}

/// Who sent a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sender {
    Prover,
    Verifier,
}

/// A session with these seeds in which message `change.1` of `change.0` is changed.
pub(crate) fn tapped(
    limits: &Limits,
    options: [Options; 2],
    claims: &[&dyn Provable<Bits>],
    change: Option<(Sender, usize, Change)>,
) -> Outcome {
    let of = |party| change.filter(|(sender, ..)| *sender == party).map(|(_, at, change)| (at, change));
    let ((prover, from_p), (verifier, from_v)) = between(
        limits,
        |p| {
            let mut tap = Tap::on(p, of(Sender::Prover));
            (prove(&mut tap, options[0], 1, claims), tap.layer.sent)
        },
        |v| {
            let mut tap = Tap::on(v, of(Sender::Verifier));
            (verify(&mut tap, options[1], 2, claims), tap.layer.sent)
        },
    );
    Outcome { prover, verifier, sent: [from_p, from_v] }
}
