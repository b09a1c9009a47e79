//! AES under an expanded key, which keeps earlier results.

use std::collections::BTreeMap;

use zeroize::Zeroize;

use crate::Error;
use crate::wire::step::{BLOCK_BITS, Plain, Step, TwoParty, XORED_IV_BITS, given_bits, given_xored_bits};
use crate::wire::version::TlsVersion;

/// One direction's expanded key with its write IV, and the blocks that were encrypted under it, which are not
/// computed again.
#[derive(Clone)]
pub(crate) struct Cipher<W> {
    /// Round keys, then the write IV: the inputs of [`Step::Blocks`] or [`Step::XoredBlocks`].
    inputs: Vec<W>,
    /// Whose nonces it takes.
    version: TlsVersion,
    /// 128 wires each.
    blocks: BTreeMap<Plain, Vec<W>>,
}

impl<W: Zeroize> Zeroize for Cipher<W> {
    fn zeroize(&mut self) {
        self.inputs.zeroize();
        self.blocks.values_mut().for_each(Zeroize::zeroize);
    }
}

impl<W: Clone> Cipher<W> {
    /// Expands the wires of a key, with those of a write IV, whose length says which version's it is: 1,280
    /// ANDs.
    ///
    /// # Errors
    /// The machine's.
    pub(crate) fn new<M: TwoParty<Wire = W> + ?Sized>(
        machine: &mut M,
        key: &[W],
        iv: &[W],
    ) -> Result<Self, M::Error> {
        let round_keys = machine.call(&Step::ExpandKey, key)?;
        let version = if iv.len() == XORED_IV_BITS { TlsVersion::Tls13 } else { TlsVersion::Tls12 };
        Ok(Self { inputs: [&*round_keys, iv].concat(), version, blocks: BTreeMap::new() })
    }

    /// The version of TLS whose nonces it takes.
    pub(crate) fn version(&self) -> TlsVersion {
        self.version
    }

    /// The ciphertexts of these blocks, one after the other. Those that are not known yet take one step.
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
        let step = match self.version {
            TlsVersion::Tls12 => Step::Blocks,
            TlsVersion::Tls13 => Step::XoredBlocks,
        };
        let made = if new.is_empty() { Vec::new() } else { machine.call(&step(new), &self.inputs)? };
        let mut made = made.chunks_exact(BLOCK_BITS);
        let mut wires = Vec::with_capacity(BLOCK_BITS * plain.len());
        for plain in plain {
            let block = self.blocks.get(plain).map(Vec::as_slice).or_else(|| made.next());
            wires.extend_from_slice(
                block.ok_or_else(|| Error::Misuse("a machine made too few blocks".into()))?,
            );
        }
        Ok(wires)
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
        let blocks = wires.chunks_exact(BLOCK_BITS).map(<[W]>::to_vec);
        self.blocks.extend(plain.iter().copied().zip(blocks));
        Ok(wires)
    }

    /// The ciphertext of a counter block whose nonce and counter were not known when it was prepared: 128
    /// wires. `nonce` is what the nonce has besides the IV: the explicit nonce, or the record's number.
    ///
    /// # Errors
    /// [`Error::Misuse`] for a record's number of 2^16 or more; the machine's.
    pub(crate) fn given<M: TwoParty<Wire = W> + ?Sized>(
        &self,
        machine: &mut M,
        nonce: u64,
        counter: u16,
    ) -> Result<Vec<W>, M::Error> {
        let (step, bits) = match self.version {
            TlsVersion::Tls12 => (Step::Block, given_bits(nonce.to_be_bytes(), counter)),
            TlsVersion::Tls13 => {
                let number = u16::try_from(nonce);
                let number = number.map_err(|_| Error::Misuse(format!("record {nonce} of a direction")))?;
                (Step::XoredBlock, given_xored_bits(number, counter))
            }
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
        Ok(Cipher { inputs, version: self.version, blocks })
    }
}
