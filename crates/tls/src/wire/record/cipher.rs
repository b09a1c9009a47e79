//! The key stream under a direction's key, which keeps earlier results.

use std::collections::BTreeMap;

use zeroize::Zeroize;

use crate::Error;
use crate::wire::step::{Plain, Step, TwoParty, given_bits, given_stream_bits, given_xored_bits};
use crate::wire::suite::Aead;
use crate::wire::version::TlsVersion;

/// One direction's key with its write IV, and the blocks that were made under it, which are not computed
/// again.
#[derive(Clone)]
pub(crate) struct Cipher<W> {
    aead: Aead,
    /// Whose nonces it takes.
    version: TlsVersion,
    /// AES's round keys or ChaCha20's key, then the write IV: the inputs of [`Step::Blocks`],
    /// [`Step::XoredBlocks`] or [`Step::ChaCha20`].
    inputs: Vec<W>,
    /// The wires of [`Plain::bits`] each.
    blocks: BTreeMap<Plain, Vec<W>>,
}

impl<W: Zeroize> Zeroize for Cipher<W> {
    fn zeroize(&mut self) {
        self.inputs.zeroize();
        self.blocks.values_mut().for_each(Zeroize::zeroize);
    }
}

impl<W: Clone> Cipher<W> {
    /// Takes the wires of a key and of a write IV. Expanding an AES key takes 1,280 ANDs, or 1,664 for 256
    /// bits.
    ///
    /// # Errors
    /// [`Error::Misuse`] unless key and IV are as long as the suite has them in this version; the machine's.
    pub(crate) fn new<M: TwoParty<Wire = W> + ?Sized>(
        machine: &mut M,
        (aead, version): (Aead, TlsVersion),
        [key, iv]: [&[W]; 2],
    ) -> Result<Self, M::Error> {
        if [key.len(), iv.len()] != aead.bits(version) {
            let reason = format!("a key of {} bits and an IV of {} for another suite", key.len(), iv.len());
            return Err(Error::Misuse(reason).into());
        }
        let key = match aead {
            Aead::Gcm(size) => machine.call(&Step::ExpandKey(size), key)?,
            Aead::ChaCha20Poly1305 => key.to_vec(),
        };
        Ok(Self { aead, version, inputs: [&*key, iv].concat(), blocks: BTreeMap::new() })
    }

    /// How it protects records.
    pub(crate) fn aead(&self) -> Aead {
        self.aead
    }

    /// The version of TLS whose nonces it takes.
    pub(crate) fn version(&self) -> TlsVersion {
        self.version
    }

    /// The step that makes these blocks.
    fn step(&self, blocks: Vec<Plain>) -> Step {
        match (self.aead, self.version) {
            (Aead::Gcm(size), TlsVersion::Tls12) => Step::Blocks(size, blocks),
            (Aead::Gcm(size), TlsVersion::Tls13) => Step::XoredBlocks(size, blocks),
            (Aead::ChaCha20Poly1305, _) => Step::ChaCha20(blocks),
        }
    }

    /// The blocks of these inputs, one after the other. Those that are not known yet take one step.
    ///
    /// # Errors
    /// The machine's.
    pub(crate) fn encrypt<M: TwoParty<Wire = W> + ?Sized>(
        &self,
        machine: &mut M,
        plain: &[Plain],
    ) -> Result<Vec<W>, M::Error> {
        let new: Vec<Plain> =
            plain.iter().filter(|plain| !self.blocks.contains_key(plain)).copied().collect();
        let made = if new.is_empty() { Vec::new() } else { machine.call(&self.step(new), &self.inputs)? };
        let mut rest = made.as_slice();
        let mut wires = Vec::with_capacity(plain.iter().map(|plain| plain.bits(self.aead)).sum());
        for plain in plain {
            let block = match self.blocks.get(plain) {
                Some(block) => block,
                None => {
                    let block = rest.split_at_checked(plain.bits(self.aead));
                    let block = block.ok_or_else(|| Error::Misuse("a machine made too few blocks".into()))?;
                    rest = block.1;
                    block.0
                }
            };
            wires.extend_from_slice(block);
        }
        Ok(wires)
    }

    /// Whether this block was made and kept before.
    pub(crate) fn has(&self, plain: &Plain) -> bool {
        self.blocks.contains_key(plain)
    }

    /// Gives back the memory of a block that is not needed again. It would be computed again.
    pub(crate) fn forget(&mut self, plain: &Plain) {
        self.blocks.remove(plain);
    }

    /// The number of blocks that are kept.
    #[cfg(test)]
    pub(crate) fn kept(&self) -> usize {
        self.blocks.len()
    }

    /// As [`Cipher::encrypt`], and keeps the blocks.
    ///
    /// # Errors
    /// The machine's.
    pub(crate) fn keep<M: TwoParty<Wire = W> + ?Sized>(
        &mut self,
        machine: &mut M,
        plain: &[Plain],
    ) -> Result<Vec<W>, M::Error> {
        let wires = self.encrypt(machine, plain)?;
        let mut rest = wires.as_slice();
        for plain in plain {
            let Some((block, later)) = rest.split_at_checked(plain.bits(self.aead)) else { break };
            self.blocks.insert(*plain, block.to_vec());
            rest = later;
        }
        Ok(wires)
    }

    /// A counter block whose nonce and counter were not known when it was prepared: 128 wires with AES, 512
    /// with ChaCha20. `nonce` is what the nonce has besides the IV: the explicit nonce, or the record's
    /// number.
    ///
    /// # Errors
    /// [`Error::Misuse`] for a record's number of 2^16 or more; the machine's.
    pub(crate) fn given<M: TwoParty<Wire = W> + ?Sized>(
        &self,
        machine: &mut M,
        nonce: u64,
        counter: u16,
    ) -> Result<Vec<W>, M::Error> {
        let number =
            || u16::try_from(nonce).map_err(|_| Error::Misuse(format!("record {nonce} of a direction")));
        let (step, bits) = match (self.aead, self.version) {
            (Aead::Gcm(size), TlsVersion::Tls12) => {
                (Step::Block(size), given_bits(nonce.to_be_bytes(), counter))
            }
            (Aead::Gcm(size), TlsVersion::Tls13) => {
                (Step::XoredBlock(size), given_xored_bits(number()?, counter))
            }
            (Aead::ChaCha20Poly1305, _) => (Step::ChaChaBlock, given_stream_bits(number()?, counter)),
        };
        let given = machine.public(&bits)?;
        machine.call(&step, &[&*self.inputs, &given].concat())
    }

    /// The same cipher, with `wire` applied to each wire.
    ///
    /// # Errors
    /// Those of `wire`.
    pub(crate) fn try_map<T, E>(&self, mut wire: impl FnMut(&W) -> Result<T, E>) -> Result<Cipher<T>, E> {
        let inputs = self.inputs.iter().map(&mut wire).collect::<Result<_, _>>()?;
        let mut blocks = BTreeMap::new();
        for (plain, wires) in &self.blocks {
            blocks.insert(*plain, wires.iter().map(&mut wire).collect::<Result<_, _>>()?);
        }
        Ok(Cipher { aead: self.aead, version: self.version, inputs, blocks })
    }
}
