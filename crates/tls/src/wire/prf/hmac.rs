//! HMAC-SHA256 of messages that both parties know, with a key that neither sees.

use sha2::block_api::compress256;
use volery_circuit::gadgets::bits_to_words;
use volery_field::F2;
use zeroize::Zeroize;

use crate::Error;
use crate::wire::key_exchange::Group;
use crate::wire::step::{BLOCK, DIGEST_BITS, Step, TwoParty, WORDS, expanded_words};

/// A key of HMAC-SHA256. Both parties know its inner midstate, and neither knows the outer one.
#[derive(Clone)]
pub(crate) struct HmacKey<W> {
    inner: [u32; WORDS],
    outer: Vec<W>,
}

impl<W> core::fmt::Debug for HmacKey<W> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("HmacKey").finish_non_exhaustive()
    }
}

impl<W: Zeroize> Zeroize for HmacKey<W> {
    fn zeroize(&mut self) {
        self.inner.zeroize();
        self.outer.zeroize();
    }
}

impl<W: Clone> HmacKey<W> {
    /// The key made from the pre-master secret, given its two shares modulo the prime of the server's curve:
    /// 256 wires each, lowest bit first. Two compressions. While steps are only prepared, either curve may be
    /// given.
    ///
    /// # Errors
    /// The machine's.
    pub(crate) fn premaster<M: TwoParty<Wire = W> + ?Sized>(
        machine: &mut M,
        group: Group,
        prover: &[W],
        verifier: &[W],
    ) -> Result<Self, M::Error> {
        Self::of_shares(machine, &Step::PremasterKey, group, [prover, verifier])
    }

    /// The key that is TLS 1.3's handshake secret, given the two shares of what the key exchange gives, as
    /// [`HmacKey::premaster`]. Four compressions; only the inner
    /// midstate is opened.
    ///
    /// # Errors
    /// The machine's.
    pub(crate) fn handshake<M: TwoParty<Wire = W> + ?Sized>(
        machine: &mut M,
        group: Group,
        prover: &[W],
        verifier: &[W],
    ) -> Result<Self, M::Error> {
        Self::of_shares(machine, &Step::HandshakeKey, group, [prover, verifier])
    }

    /// A key from the two shares of what the key exchange gives.
    fn of_shares<M: TwoParty<Wire = W> + ?Sized>(
        machine: &mut M,
        step: &Step,
        group: Group,
        [prover, verifier]: [&[W]; 2],
    ) -> Result<Self, M::Error> {
        let curve = machine.public(&[F2::new(group == Group::X25519)])?;
        Self::new(machine, step, &[prover, verifier, &curve].concat())
    }

    /// The key made from the master secret, 384 wires. Two compressions.
    ///
    /// # Errors
    /// The machine's.
    pub(crate) fn master<M: TwoParty<Wire = W> + ?Sized>(
        machine: &mut M,
        secret: &[W],
    ) -> Result<Self, M::Error> {
        Self::new(machine, &Step::MasterKey, secret)
    }

    /// The key that is as long as a hash, 256 wires. Two compressions.
    ///
    /// # Errors
    /// The machine's.
    pub(crate) fn hash<M: TwoParty<Wire = W> + ?Sized>(
        machine: &mut M,
        secret: &[W],
    ) -> Result<Self, M::Error> {
        Self::new(machine, &Step::HashKey, secret)
    }

    fn new<M: TwoParty<Wire = W> + ?Sized>(
        machine: &mut M,
        step: &Step,
        secret: &[W],
    ) -> Result<Self, M::Error> {
        let mut inner = machine.call(step, secret)?;
        if inner.len() != 2 * DIGEST_BITS {
            return Err(Error::Misuse(format!("{} bits of midstates", inner.len())).into());
        }
        let outer = inner.split_off(DIGEST_BITS);
        let opened = machine.open(&inner)?;
        let words = bits_to_words(&opened).into_iter();
        let words: Vec<u32> =
            words.map(|word| (0..32).fold(0, |n, i| n | u32::from(word[i].to_u8()) << i)).collect();
        let length = words.len();
        let inner = words.try_into();
        let inner =
            inner.map_err(|_| Error::Misuse(format!("a machine opened {length} words of a midstate")))?;
        Ok(Self { inner, outer })
    }

    /// The same key, with `wire` applied to each wire.
    ///
    /// # Errors
    /// Those of `wire`.
    pub(crate) fn try_map<T, E>(&self, wire: impl FnMut(&W) -> Result<T, E>) -> Result<HmacKey<T>, E> {
        Ok(HmacKey { inner: self.inner, outer: self.outer.iter().map(wire).collect::<Result<_, _>>()? })
    }

    /// The MAC of `message`: 256 wires. One compression.
    pub(super) fn mac<M: TwoParty<Wire = W> + ?Sized>(
        &self,
        machine: &mut M,
        message: &[u8],
    ) -> Result<Vec<W>, M::Error> {
        let public = machine.public(&expanded_words(inner_hash(self.inner, message)))?;
        machine.call(&Step::OuterHash, &[&*self.outer, &public].concat())
    }
}

/// The inner hash of `message` from the midstate after the pad: FIPS 180-4's padding, then its compressions.
fn inner_hash(mut state: [u32; WORDS], message: &[u8]) -> [u32; WORDS] {
    let mut padded = message.to_vec();
    padded.push(0x80);
    padded.resize((padded.len() + 8).next_multiple_of(BLOCK) - 8, 0);
    padded.extend_from_slice(&(8 * (BLOCK as u64 + message.len() as u64)).to_be_bytes());
    compress256(&mut state, padded.as_chunks().0);
    state
}
