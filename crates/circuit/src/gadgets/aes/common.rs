//! Many blocks with bytes in common, such as those of counter mode: results that depend on equal bytes are
//! computed once.
//!
//! SubBytes of the first round works on `plaintext + key` byte by byte. A column after the first round
//! depends on four bytes of the plaintext, and so does SubBytes of that column in the second round. So if
//! counters differ only in their last byte, each block after the first takes `1 + 4` S-boxes in the first two
//! rounds and not 32:
//!
//! ```text
//! 32 (distinct bytes + 4 distinct columns) + 512 (rounds - 2) a block
//!
//! AES-128    at most 5,120 a block, 4,256 for most of a counter's
//! AES-256    at most 7,168 a block, 6,304 for most of a counter's
//! ```
//!
//! The observation is due to Park and Lee, "FACE: Fast AES CTR mode Encryption Techniques based on the Reuse
//! of Repetitive Data" (CHES 2018), who use it for tables in software.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use volery_field::F2;

use super::{Aes, Byte, Column, add_block, add_byte, add_public, mix_column, sbox, shifted, substitute};
use crate::{Error, Ops};

/// A byte of a plaintext block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlainByte {
    /// A public byte.
    Public(u8),
    /// The secret byte with this number. Several blocks may use the same one.
    Secret(usize),
}

/// The number of a column, and the four bytes that it depends on after the first round.
type PlainColumn = (usize, [PlainByte; 4]);

impl<W: Clone, const KEY_BITS: usize> Aes<W, KEY_BITS> {
    /// Encrypts `blocks`, whose [`PlainByte::Secret`] bytes are among `secret`, to 128 wires each. Bytes and
    /// columns that several blocks have in common are substituted once, as the module's notes say.
    ///
    /// # Errors
    /// [`Error::Misuse`] if a block names a secret byte that does not exist; the backend's.
    pub fn encrypt_many<B: Ops<F2, Wire = W> + ?Sized>(
        &self,
        b: &mut B,
        secret: &[Byte<W>],
        blocks: &[[PlainByte; 16]],
    ) -> Result<Vec<Vec<W>>, B::Error> {
        let (mut bytes, mut columns) = (BTreeMap::new(), BTreeMap::new());
        blocks
            .iter()
            .map(|block| {
                let mut state = Vec::with_capacity(16);
                for c in 0..4 {
                    let column = (c, core::array::from_fn(|r| block[shifted(4 * c + r)]));
                    let column = match columns.entry(column) {
                        Entry::Occupied(made) => made.into_mut(),
                        Entry::Vacant(place) => {
                            place.insert(self.second_round(b, secret, &mut bytes, column)?)
                        }
                    };
                    state.extend(column.iter().cloned());
                }
                let state = state.try_into();
                let mut state =
                    state.map_err(|_| Error::misuse("AES with a block of other than 16 bytes"))?;
                self.mix(b, 1, &mut state);
                for round in 2..Self::ROUNDS {
                    substitute(b, &mut state)?;
                    self.mix(b, round, &mut state);
                }
                Ok(state.into_iter().flatten().collect())
            })
            .collect()
    }

    /// A column after SubBytes of the second round. `bytes` keeps the results of SubBytes of the first round,
    /// by position and plaintext.
    fn second_round<B: Ops<F2, Wire = W> + ?Sized>(
        &self,
        b: &mut B,
        secret: &[Byte<W>],
        bytes: &mut BTreeMap<(usize, PlainByte), Byte<W>>,
        (c, plain): PlainColumn,
    ) -> Result<Column<W>, B::Error> {
        let mut column = Vec::with_capacity(4);
        for (r, plain) in plain.into_iter().enumerate() {
            let place = shifted(4 * c + r);
            let byte = match bytes.entry((place, plain)) {
                Entry::Occupied(made) => made.into_mut(),
                Entry::Vacant(entry) => {
                    let key = &self.whitening[place];
                    let byte = match plain {
                        PlainByte::Public(value) => add_public(b, key, value),
                        PlainByte::Secret(number) => add_byte(b, key, byte_of(secret, number)?),
                    };
                    entry.insert(sbox::substitute(b, &byte)?)
                }
            };
            column.push(byte.clone());
        }
        let column = column.try_into();
        let mut column = column.map_err(|_| Error::misuse("AES with a column of other than 4 bytes"))?;
        mix_column(b, &mut column);
        add_block(b, &mut column, &self.rounds[0][4 * c..][..4]);
        substitute(b, &mut column)?;
        Ok(column)
    }
}

fn byte_of<W>(secret: &[Byte<W>], number: usize) -> Result<&Byte<W>, Error> {
    secret.get(number).ok_or_else(|| {
        Error::misuse(format!("AES of secret byte number {number}, where {} are given", secret.len()))
    })
}
