//! AES under an expanded key, which keeps earlier results.

use std::collections::BTreeMap;

use zeroize::Zeroize;

use crate::Error;
use crate::wire::step::{BLOCK_BITS, Plain, Step, TwoParty, XORED_IV_BITS, given_bits};

/// One direction's expanded key with its write IV, and the blocks that were encrypted under it, which are not
/// computed again.
#[derive(Clone)]
pub(crate) struct Cipher<W> {
    /// Round keys, then the write IV: the inputs of [`Step::Blocks`] or [`Step::XoredBlocks`].
    inputs: Vec<W>,
    /// Whether the nonces are TLS 1.3's.
    xored: bool,
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
        let xored = iv.len() == XORED_IV_BITS;
        Ok(Self { inputs: [&*round_keys, iv].concat(), xored, blocks: BTreeMap::new() })
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
        let step = if self.xored { Step::XoredBlocks } else { Step::Blocks };
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
    /// wires.
    ///
    /// # Errors
    /// The machine's.
    pub(crate) fn given<M: TwoParty<Wire = W> + ?Sized>(
        &self,
        machine: &mut M,
        explicit_nonce: [u8; 8],
        counter: u16,
    ) -> Result<Vec<W>, M::Error> {
        let given = machine.public(&given_bits(explicit_nonce, counter))?;
        machine.call(&Step::Block, &[&*self.inputs, &given].concat())
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
        Ok(Cipher { inputs, xored: self.xored, blocks })
    }
}
