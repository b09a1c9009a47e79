//! HMAC of messages that both parties know, with a key that neither sees.

use volery_field::F2;
use zeroize::Zeroize;

use crate::Error;
use crate::wire::hash::HashFunction;
use crate::wire::key_exchange::Group;
use crate::wire::step::{Midstate, Step, TwoParty};

/// A key of HMAC. Both parties know its inner midstate, and neither knows the outer one.
#[derive(Clone)]
pub(crate) struct HmacKey<W> {
    inner: Midstate,
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
    /// 256 wires each, lowest bit first. `hash` is the hash function of the suite. Two compressions. While
    /// steps are only prepared, either curve may be given.
    ///
    /// # Errors
    /// The machine's.
    pub(crate) fn premaster<M: TwoParty<Wire = W> + ?Sized>(
        machine: &mut M,
        hash: HashFunction,
        group: Group,
        [prover, verifier]: [&[W]; 2],
    ) -> Result<Self, M::Error> {
        Self::of_shares(machine, Step::PremasterKey(hash), group, [prover, verifier])
    }

    /// The key that is TLS 1.3's handshake secret, given the two shares of what the key exchange gives, as
    /// [`HmacKey::premaster`]. Four compressions; only the inner
    /// midstate is opened.
    ///
    /// # Errors
    /// The machine's.
    pub(crate) fn handshake<M: TwoParty<Wire = W> + ?Sized>(
        machine: &mut M,
        hash: HashFunction,
        group: Group,
        [prover, verifier]: [&[W]; 2],
    ) -> Result<Self, M::Error> {
        Self::of_shares(machine, Step::HandshakeKey(hash), group, [prover, verifier])
    }

    /// A key from the two shares of what the key exchange gives.
    fn of_shares<M: TwoParty<Wire = W> + ?Sized>(
        machine: &mut M,
        step: Step,
        group: Group,
        [prover, verifier]: [&[W]; 2],
    ) -> Result<Self, M::Error> {
        let curve = machine.public(&[F2::new(group == Group::X25519)])?;
        Self::new(machine, &step, &[prover, verifier, &curve].concat())
    }

    /// The key made from the master secret, 384 wires. Two compressions.
    ///
    /// # Errors
    /// The machine's.
    pub(crate) fn master<M: TwoParty<Wire = W> + ?Sized>(
        machine: &mut M,
        hash: HashFunction,
        secret: &[W],
    ) -> Result<Self, M::Error> {
        Self::new(machine, &Step::MasterKey(hash), secret)
    }

    /// The key that is as long as a hash. Two compressions.
    ///
    /// # Errors
    /// The machine's.
    pub(crate) fn hash<M: TwoParty<Wire = W> + ?Sized>(
        machine: &mut M,
        hash: HashFunction,
        secret: &[W],
    ) -> Result<Self, M::Error> {
        Self::new(machine, &Step::HashKey(hash), secret)
    }

    fn new<M: TwoParty<Wire = W> + ?Sized>(
        machine: &mut M,
        step: &Step,
        secret: &[W],
    ) -> Result<Self, M::Error> {
        let (Step::PremasterKey(hash)
        | Step::HandshakeKey(hash)
        | Step::MasterKey(hash)
        | Step::HashKey(hash)) = step
        else {
            return Err(Error::Misuse("a key from a step that makes none".into()).into());
        };
        let mut inner = machine.call(step, secret)?;
        if inner.len() != 2 * hash.state_bits() {
            return Err(Error::Misuse(format!("{} bits of midstates", inner.len())).into());
        }
        let outer = inner.split_off(hash.state_bits());
        let opened = machine.open(&inner)?;
        let inner = Midstate::from_bits(*hash, &opened);
        let inner = inner
            .ok_or_else(|| Error::Misuse(format!("a machine opened {} bits of a midstate", opened.len())))?;
        Ok(Self { inner, outer })
    }

    /// The hash function.
    pub(crate) const fn function(&self) -> HashFunction {
        self.inner.hash()
    }

    /// The same key, with `wire` applied to each wire.
    ///
    /// # Errors
    /// Those of `wire`.
    pub(crate) fn try_map<T, E>(&self, wire: impl FnMut(&W) -> Result<T, E>) -> Result<HmacKey<T>, E> {
        Ok(HmacKey { inner: self.inner, outer: self.outer.iter().map(wire).collect::<Result<_, _>>()? })
    }

    /// The MAC of `message`, as long as a hash. One compression.
    pub(super) fn mac<M: TwoParty<Wire = W> + ?Sized>(
        &self,
        machine: &mut M,
        message: &[u8],
    ) -> Result<Vec<W>, M::Error> {
        let public = machine.public(&self.inner.expanded(message))?;
        machine.call(&Step::OuterHash(self.function()), &[&*self.outer, &public].concat())
    }
}
