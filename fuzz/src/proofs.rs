//! QuickSilver's messages over bits. Correlations come from nowhere here, so that a run takes microseconds.

use volery_channel::Channel;
use volery_circuit::{Digest, Error as StatementError, Prove, Statement};
use volery_field::F2;
use volery_vole::{Delta, SessionId, Transcript};
use volery_zk::Error;
use volery_zk::quicksilver::{
    Challenges,
    bits::{Prover, Settings, Verifier},
    verdict,
};

use crate::dealing;
use crate::replay::{against, rng};

/// Blocks so short that the statement has several, the last one partial.
const SETTINGS: Settings = Settings { interval: 16 };

/// "I know eight bits from which a chain of products ends in this bit."
pub struct Chain {
    /// The end of the chain: [`Chain::TRUE`] or a false claim.
    pub end: F2,
    /// Whether this party has the witness.
    pub knows: bool,
}

impl Chain {
    /// The true statement, at the verifier.
    pub const TRUE: Self = Self { end: F2::ONE, knows: false };

    /// A false one under the same name, which no bytes may prove.
    pub const FALSE: Self = Self { end: F2::ZERO, knows: false };

    /// The true statement, at the prover.
    pub const KNOWN: Self = Self { end: F2::ONE, knows: true };
}

impl<B: Prove<F2> + ?Sized> Statement<B> for Chain {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"fuzz: chain");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let x = b.secret(8, &mut |_| {
            let bits = self.knows.then(|| vec![F2::ONE; 8]);
            bits.ok_or_else(|| StatementError::Witness("none was given".into()))
        })?;
        let mut last = x[0].clone();
        for i in 0..60 {
            last = b.mul(&last, &x[i % x.len()])?;
        }
        let difference = b.add_constant(&last, self.end);
        b.assert_zero(&[difference])
    }
}

/// Challenges that are hashes; `name` is the transcript's.
pub(crate) fn fiat_shamir<'a>(name: &str) -> Challenges<'a> {
    Challenges::FiatShamir(Transcript::new(name, &SessionId::new([0; 32])))
}

/// All that a verifier sends during a proof, at the prover.
pub fn quicksilver_prover(bytes: &[u8]) {
    let _ = against(bytes, |channel| as_prover(channel, false));
}

/// All that a prover sends, at the verifier. The first byte says whether challenges are hashes (bit 0) and
/// whether the statement is false (bit 1): then nothing is accepted.
pub fn quicksilver_verifier(bytes: &[u8]) {
    let Some((mode, rest)) = bytes.split_first() else { return };
    let lie = mode & 2 != 0;
    let statement = if lie { Chain::FALSE } else { Chain::TRUE };
    let result =
        against(rest, |channel| as_verifier(channel, mode & 1 != 0, &dealing::delta(bytes), &statement));
    assert!(!lie || result.is_err(), "a false statement is accepted");
}

/// An honest prover.
///
/// # Errors
/// What its peer does wrong.
pub fn as_prover(channel: &mut dyn Channel, hashed: bool) -> Result<(), Error> {
    let (mut rng, mut pool) = (rng(3), dealing::bits(None));
    let challenges = if hashed { fiat_shamir("fuzz") } else { Challenges::Interactive(&mut rng) };
    Prover::new(SETTINGS, challenges, &mut pool, channel, None).prove(&Chain::KNOWN)?;
    verdict::receive(channel)
}

/// An honest verifier; `delta` may be anything.
///
/// # Errors
/// What its peer does wrong.
pub fn as_verifier(
    channel: &mut dyn Channel,
    hashed: bool,
    delta: &Delta,
    statement: &Chain,
) -> Result<(), Error> {
    let (mut rng, mut pool) = (rng(5), dealing::bits(Some(delta.duplicate())));
    let challenges = if hashed { fiat_shamir("fuzz") } else { Challenges::Interactive(&mut rng) };
    Verifier::new(SETTINGS, challenges, delta, &mut pool, channel, None).verify(statement)?;
    verdict::send(channel, true)
}
