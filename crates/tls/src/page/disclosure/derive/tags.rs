//! What V learns of a direction's keys to check its records' tags.
//!
//! ```text
//! AES-GCM             h, once; each record's mask        tag = GHASH_h(header, ciphertext) + mask
//! ChaCha20-Poly1305   each record's one-time key (r, s)  tag = Poly1305_r(header, ciphertext) + s     RFC 8439, section 2.8
//! ```

use poly1305::Poly1305;
use poly1305::universal_hash::{KeyInit as _, UniversalHash as _};
use volery_field::Gf128;

use super::{Opened, counter_block};
use crate::Error;
use crate::wire::ghash::{Block, from_block, hashed, to_block};
use crate::wire::step::Plain;
use crate::wire::suite::Aead;

/// What a direction's tags are made with.
#[derive(Clone, PartialEq, Eq)]
pub(in crate::page::disclosure) enum TagKeys {
    /// AES-GCM's.
    Gcm {
        /// The hash key.
        hash_key: Block,
        /// The mask of each record's tag.
        masks: Vec<Block>,
    },
    /// The one-time key of each record.
    Poly1305(Vec<[u8; 32]>),
}

impl TagKeys {
    /// The block that a direction has besides those of its records.
    pub(super) fn first_block(aead: Aead) -> Option<Plain> {
        match aead {
            Aead::Gcm(_) => Some(Plain::Zero),
            Aead::ChaCha20Poly1305 => None,
        }
    }

    /// The block from which a record's tag follows.
    pub(super) fn block(aead: Aead, nonce: u64) -> Plain {
        counter_block(aead, nonce, 0)
    }

    /// Those of a direction before its first record, from what was opened.
    ///
    /// # Errors
    /// [`Error::Misuse`] if too little was opened.
    pub(super) fn first(aead: Aead, opened: &mut Opened<'_>) -> Result<Self, Error> {
        Ok(match aead {
            Aead::Gcm(_) => Self::Gcm { hash_key: opened.array()?, masks: Vec::new() },
            Aead::ChaCha20Poly1305 => Self::Poly1305(Vec::new()),
        })
    }

    /// Adds the next record's, from what was opened.
    ///
    /// # Errors
    /// As [`TagKeys::first`].
    pub(super) fn record(&mut self, opened: &mut Opened<'_>) -> Result<(), Error> {
        match self {
            Self::Gcm { masks, .. } => masks.push(opened.array()?),
            Self::Poly1305(keys) => keys.push(opened.array()?),
        }
        Ok(())
    }

    /// The number of records.
    pub(in crate::page::disclosure) fn len(&self) -> usize {
        match self {
            Self::Gcm { masks, .. } => masks.len(),
            Self::Poly1305(keys) => keys.len(),
        }
    }

    /// The right tag of the record of this place in its direction.
    pub(in crate::page::disclosure) fn tag(
        &self,
        place: usize,
        header: &[u8],
        ciphertext: &[u8],
    ) -> Option<[u8; 16]> {
        match self {
            Self::Gcm { hash_key, masks } => {
                let hash_key = from_block(*hash_key);
                let blocks = hashed(header, ciphertext).into_iter();
                let sum = blocks.fold(Gf128::ZERO, |sum, x| (sum + x) * hash_key);
                Some(to_block(sum + from_block(*masks.get(place)?)))
            }
            Self::Poly1305(keys) => {
                let mut state = Poly1305::new(keys.get(place)?.into());
                state.update_padded(header);
                state.update_padded(ciphertext);
                let lengths = [header, ciphertext].map(|part| (part.len() as u64).to_le_bytes());
                state.update_padded(&lengths.concat());
                Some(state.finalize().into())
            }
        }
    }
}
