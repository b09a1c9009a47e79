//! Two parties evaluate functions on bits of both, with P garbling. In the end P proves that it did so
//! honestly.
//!
//! P holds a [`Garbler`], V an [`Evaluator`]. Both make the same calls in the same order. They share
//! [`Wire`]s, which persist between calls. The protocol is that of "Lightweight Authentication of Web Data
//! via Garble-Then-Prove" with three differences: V aborts unless it can decode a label, every public value
//! goes back to P with a proof of its labels, and P's commitments come before decoding information.
//!
//! ```text
//! P                                                          V
//!
//! input(owner, n)                                             ahead, or whenever the wires are needed
//!   Prover: tags m of n random bits u                          keys k = m + u delta
//!   Verifier: Z_i random; zeros k_i from COT under D           random bits u_i, labels k_i + u_i D
//! call(function, wires)                                       ahead too: nothing depends on a value
//!   garbles                      -- tables ------------->      evaluates, or keeps them till inputs come
//!
//! give / take (Prover)           -- x + u, labels ------>      adjusts keys: now the commitment to x
//! take / give (Verifier)         <- d = y + u -----------
//!                                -- labels of d -------->      label of y = label of u + label of d
//! give_public (Both)             -- labels ------------->      see `public`
//!
//! seal(wires, masks)             -- h_0, h_1, sealed --->      ahead; then a key of 16 bytes is all that decoding takes (see `decoding`)
//!
//! public(wires)                  -- program, h_0, h_1 -->      decodes, or aborts
//!   checks, or aborts            <- values, R(labels) ---
//! masks(n): the u themselves, under labels that V knows        ahead, or whenever they are needed
//! shared(wires, masks)           -- program, h_0, h_1 -->      decodes value + mask; P's share is the mask
//!
//! confirm(wires, masks)          <- share, R(labels) ----      P learns the values, if they are for it alone
//! products(wires, factors)       -- elements ---------->       shares of a number on wires times factors of P's (see `products`)
//!
//! learn / open                   <- y, R(labels) --------      V opens all its inputs
//!   recomputes every call; aborts unless all public values are what they must be
//! prove / verify
//!                                <- QuickSilver -------->      committed x, opened y, what V saw
//! ```
//!
//! # Why it is safe
//!
//! **V's inputs during the session.** OT hides them. P gets from V only values that decode (one bit of
//! leakage for each abort that does not happen, see `decoding`). They are the values of what P garbled, and
//! only the proof shows V that these are right. A P that garbles another function can learn V's inputs, but
//! then cannot prove anything.
//!
//! **What V accepts.** P can only cheat by garbling something else, by sending labels of bits other than
//! those it committed to, or by sending wrong labels of `d` or of a public input. Each of these can change
//! only what V decodes, and V's values and shares are claims of the final proof, about inputs that were
//! committed before. The proof does not depend on garbling at all.
//!
//! **Labels of masks** are the only ones that P does not draw. Mask `u` has the label `L` of a generator that
//! both parties run, so its label of 0 is `L + u D`. V knows one label of each of P's bits in any case, and
//! `D` hides the other.
//!
//! **P's inputs.** A V that evaluates wrongly has no other label to return. Its openings are checked against
//! labels too, so it cannot make P prove something about inputs that were not used. QuickSilver is
//! zero-knowledge whatever V sends. P begins the proof only if the recomputation agrees with every value that
//! V returned.
//!
//! **Offsets.** P's offset and V's delta are fresh for each session, and everything under them is destroyed
//! on the first error of either party ([`Garbler`] and [`Evaluator`] then refuse every call).

mod beside;
mod deferred;
mod evaluator;
mod garbler;
mod packing;
mod products;
mod program;
mod proof;
mod public;
mod setup;
#[cfg(test)]
mod tests;

pub use evaluator::Evaluator;
pub use garbler::Garbler;
pub use products::Place;
pub use program::{Input, Masks, Owner, Sealed, Wire};
pub use proof::{Proved, Values};
pub use setup::{GarblerLabels, evaluator_labels};

use volery_field::{Bits, F2, Gf128};
use volery_vole::{Oracle, Prg, SessionId};
use volery_zk::quicksilver;
use zeroize::Zeroizing;

use crate::Error;
use crate::gates::{Gate as _, ThreeHalves};

/// How AND gates are garbled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Garbling {
    /// [`ThreeHalves`]: 24 bytes and three bits for each gate.
    #[default]
    ThreeHalves,
    /// [`ThreeHalves`], but an S-box of AES is garbled one-hot: in 25 times the bytes of a gate, where its
    /// circuit has 32. That takes each party two to four microseconds more. And two public bits that are both
    /// zero take one label.
    OneHot,
}

impl Garbling {
    fn name(self) -> &'static str {
        match self {
            Self::ThreeHalves => ThreeHalves::NAME,
            Self::OneHot => "three halves, one-hot S-boxes",
        }
    }

    /// How many of these S-boxes are garbled one-hot.
    fn one_hot(self, s_boxes: u64) -> u64 {
        if self == Self::OneHot { s_boxes } else { 0 }
    }

    /// The number of bytes that a party holds of a table. A byte of a table of three halves has three bits,
    /// and they are sent without the rest.
    #[must_use]
    pub fn table_bytes(self) -> usize {
        ThreeHalves::TABLE_BYTES
    }

    /// The number of tables of this many AND gates, 32 of which are in each of these S-boxes of AES. An S-box
    /// that is garbled one-hot takes 25.
    #[must_use]
    pub fn tables(self, ands: u64, s_boxes: u64) -> u64 {
        ThreeHalves::tables(ands, self.one_hot(s_boxes))
    }

    /// The number of bytes of one message with this many tables. Several messages have at most a byte more
    /// each.
    #[must_use]
    pub fn sent_bytes(self, tables: u64) -> u64 {
        tables.saturating_mul(packing::SENT_BITS as u64).div_ceil(8)
    }

    /// The number of pairs of hash keys for these gates and S-boxes. `None` if it is over 2^64.
    fn pairs(self, ands: u64, s_boxes: u64) -> Option<u64> {
        ThreeHalves::pairs(ands, self.one_hot(s_boxes))
    }

    /// The number of AND gates that use this many pairs of hash keys, with this many S-boxes.
    fn ands(self, pairs: u64, s_boxes: u64) -> u64 {
        ThreeHalves::ands(pairs, self.one_hot(s_boxes))
    }
}

/// Settings that must be equal at both parties, and each party's own limits.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The most bytes of tables that V stores for calls whose inputs have not come. V's own limit.
    pub stored_tables: u64,
    /// How gates are garbled. It must be the same at both parties.
    pub garbling: Garbling,
    /// How the final proof is run. It must be the same at both parties.
    pub proof: quicksilver::bits::Settings,
}

impl Default for Settings {
    /// 128 MiB of tables, enough for some 5 million gates of three halves, and proofs for a fast network.
    fn default() -> Self {
        Self {
            stored_tables: 128 << 20,
            garbling: Garbling::default(),
            proof: quicksilver::bits::Settings::LAN,
        }
    }
}

/// Bytes of a label.
const LABEL: usize = 16;

/// V's labels of masks. They come from the session's identifier: V knows them anyway, and P chooses the
/// labels of 0 to match its bits.
fn mask_labels(session: &SessionId) -> Prg {
    Prg::new(Oracle::new("garble: labels of masks", session).hash(0, &[]))
}

/// The start point of the hash of gates. It comes from the session's identifier, so neither party chooses it
/// alone.
fn start_point(session: &SessionId) -> [u8; 16] {
    Oracle::new("garble: start point", session).hash(0, &[])
}

fn encode_labels(labels: impl ExactSizeIterator<Item = Gf128>) -> Zeroizing<Vec<u8>> {
    let mut out = Zeroizing::new(Vec::with_capacity(LABEL * labels.len()));
    labels.for_each(|label| out.extend_from_slice(&label.to_bytes()));
    out
}

/// Packs `x[i] + mask[i]`, with the lowest bit of each mask.
fn masked(x: &[F2], masks: &[Gf128]) -> Vec<u8> {
    x.iter().zip(masks).map(|(x, mask)| *x + mask.lsb()).collect::<Bits>().to_bytes()
}

/// Reads packed bits; the bytes are the peer's.
fn bits(step: volery_channel::Tag, bytes: &[u8], len: usize) -> Result<Vec<F2>, Error> {
    let bits = Bits::from_bytes(bytes, len).map_err(|error| Error::malformed(step, error.to_string()))?;
    Ok((0..len).map(|i| bits.get(i).unwrap_or_default()).collect())
}

/// Checks that there is one bit for each wire.
fn same_length(bits: usize, wires: usize) -> Result<(), Error> {
    if bits == wires {
        return Ok(());
    }
    Err(Error::misuse(format!("{bits} bits for {wires} wires")))
}

/// Appends labels. If the vector moves, the old copy is wiped.
fn grow(labels: &mut Zeroizing<Vec<Gf128>>, more: &[Gf128]) {
    if labels.capacity() - labels.len() < more.len() {
        let mut larger = Zeroizing::new(Vec::with_capacity(2 * (labels.len() + more.len())));
        larger.extend_from_slice(labels);
        *labels = larger;
    }
    labels.extend_from_slice(more);
}
