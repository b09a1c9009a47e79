//! The punctured trees and their consistency check.
//!
//! A node is the key of AES in counter mode. Its children are the first two blocks, under a salt in the
//! counter's high half that no other level of any tree has ([`Salts`]). So one guess of a key tests one node.
//! V knows a child of a missing node in each level of each tree, but it cannot test all of them at once, nor
//! those of other sessions, and it cannot precompute. The leaves' streams have salts in the same way. Level 0
//! has two nodes, the keys of the base OT of the piece's highest bit. V chooses by the *complement* of its
//! bits, so it gets the node off its path there. For each further level `l` it gets the sum `S_{l,s}` of the
//! nodes on side `s`, from `c_{l,s} = S_{l,s} + K_{l,s}`.
//!
//! **V's order.** V's leaf number `z` is P's number `x = z + y` (bitwise), and so in every level with the
//! bits of `y` so far. The missing path is always node 0 and its sibling always node 1, so no address depends
//! on `y`. Two things do depend on it and are selected by masks: which child is which, and which correction
//! is read.
//!
//! **Check.** `(t_x, seed_x) = H(tree, x, leaf_x)`. P sends `T = sum_x t_x` for each tree and a digest of all
//! `t_x`; V computes the missing `t_y` from `T`. Unless `H` or the digest collides, P knows one leaf for each
//! accepted `t_x`. So if V accepts, its leaves do not depend on `y`; at most *whether* it accepts does.

use subtle::ConstantTimeEq;
use volery_channel::tags::SOFT_SPOKEN_TREE;
use volery_field::Gf128;
use zeroize::Zeroizing;

use super::{BLOCK, DIGEST, FieldBits};
use crate::aes::Aes;
use crate::{Delta, Error, Oracle, SessionId, Transcript};

type Commitment = [u8; DIGEST];

/// The seeds of all trees' leaves, and the salts of their streams. They are kept as seeds: their AES key
/// schedules would fill the second-level cache, and reading those back takes as long as computing them again
/// for each chunk.
pub(crate) struct LeafSeeds {
    /// The seeds, tree after tree.
    seeds: Zeroizing<Vec<[u8; BLOCK]>>,
    /// One salt for each tree.
    salts: Vec<u64>,
}

impl LeafSeeds {
    pub(crate) fn new(seeds: Vec<[u8; BLOCK]>, salts: Vec<u64>) -> Self {
        Self { seeds: Zeroizing::new(seeds), salts }
    }

    /// The seeds of tree `t`'s leaves, and their streams' salt.
    pub(crate) fn tree(&self, t: usize) -> (&[[u8; BLOCK]], u64) {
        let leaves = self.seeds.len() / self.salts.len().max(1);
        (&self.seeds[t * leaves..][..leaves], self.salts[t])
    }

    /// Other seeds for the purpose `label`: a hash of each seed, so that neither party learns more than it
    /// had. The salts change, too.
    pub(super) fn derive(&self, label: &str) -> Self {
        let mut key = blake3::Hasher::new_derive_key("volery 2026 softspoken leaf seeds v1");
        key.update(label.as_bytes());
        let key = Zeroizing::new(*key.finalize().as_bytes());
        let hash = |bytes: &[u8]| Zeroizing::new(*blake3::keyed_hash(&key, bytes).as_bytes());
        let mut seeds = Vec::with_capacity(self.seeds.len());
        for seed in self.seeds.iter() {
            let hash = hash(seed);
            let mut out = [0; BLOCK];
            out.copy_from_slice(&hash[..BLOCK]);
            seeds.push(out);
        }
        // Salts are half as long as seeds, so nothing is hashed twice.
        let salts = self.salts.iter().map(|salt| first_word(&hash(&salt.to_le_bytes()))).collect();
        Self::new(seeds, salts)
    }
}

/// The first eight bytes.
fn first_word(hash: &[u8; DIGEST]) -> u64 {
    hash.as_chunks().0.first().map_or(0, |word| u64::from_le_bytes(*word))
}

/// The salts of a session's trees. They are public, 64 bits of a hash each.
struct Salts {
    oracle: Oracle,
    bits: FieldBits,
}

impl Salts {
    fn new(session: &SessionId, bits: FieldBits) -> Self {
        Self { oracle: Oracle::new("softspoken: salts", session), bits }
    }

    /// The salts of the levels of tree `t`.
    fn levels(&self, t: usize) -> [u64; 8] {
        let hash: [u8; 64] = self.oracle.hash(t as u64, &[b"levels", &[self.bits.bits() as u8]]);
        let mut salts = [0; 8];
        salts.iter_mut().zip(hash.as_chunks().0).for_each(|(salt, word)| *salt = u64::from_le_bytes(*word));
        salts
    }

    /// The salts of the leaves' streams, one for each tree.
    fn streams(&self) -> Vec<u64> {
        let salt = |t| first_word(&self.oracle.hash(t as u64, &[b"streams", &[self.bits.bits() as u8]]));
        (0..self.bits.trees()).map(salt).collect()
    }
}

/// The children of `node`.
fn children(node: Gf128, salt: u64) -> [Gf128; 2] {
    let mut out = [Gf128::ZERO; 2];
    Aes::new(node.to_bits().to_le_bytes()).salted_ctr(salt, 0, &mut out);
    out
}

/// The oracle `H`, and the digest over all trees.
struct Committer {
    oracle: Oracle,
    digest: Transcript,
}

impl Committer {
    fn new(session: &SessionId, bits: FieldBits) -> Self {
        let mut digest = Transcript::new("softspoken: leaves", session);
        digest.absorb_number("field bits", bits.bits() as u64);
        Self { oracle: Oracle::new("softspoken: leaf", session), digest }
    }

    /// The commitment and the seed of leaf `index`, counted over all trees.
    fn open(&self, index: usize, leaf: Gf128) -> (Commitment, [u8; BLOCK]) {
        let out = Zeroizing::new(
            self.oracle.hash::<{ DIGEST + BLOCK }>(index as u64, &[&leaf.to_bits().to_le_bytes()]),
        );
        let (mut commitment, mut seed) = ([0; DIGEST], [0; BLOCK]);
        commitment.copy_from_slice(&out[..DIGEST]);
        seed.copy_from_slice(&out[DIGEST..]);
        (commitment, seed)
    }

    fn absorb(&mut self, commitments: &[Commitment]) {
        self.digest.absorb("tree", commitments.as_flattened());
    }

    fn finish(mut self) -> [u8; DIGEST] {
        self.digest.challenge_seed("digest").into_bytes()
    }
}

/// `a += b`, bytewise.
fn xor(a: &mut Commitment, b: &Commitment) {
    for (a, b) in a.iter_mut().zip(b) {
        *a ^= b;
    }
}

/// P: grows all trees from the base OT's keys. Key `i` belongs to bit `i` of delta. Returns the leaves' seeds
/// and the message.
pub(super) fn grow_all(session: &SessionId, bits: FieldBits, keys: &[[Gf128; 2]]) -> (LeafSeeds, Vec<u8>) {
    let (mut committer, salts) = (Committer::new(session, bits), Salts::new(session, bits));
    let mut seeds = Vec::with_capacity(bits.trees() * bits.leaves());
    let mut message = Vec::with_capacity(bits.tree_message_bytes());
    let mut nodes = Zeroizing::new(vec![Gf128::ZERO; bits.leaves()]);
    let mut commitments = vec![[0; DIGEST]; bits.leaves()];
    for (t, keys) in keys.chunks_exact(bits.bits()).enumerate() {
        grow(keys, &salts.levels(t), &mut nodes, &mut message);
        let mut total = [0; DIGEST];
        for (leaf, commitment) in nodes.iter().zip(&mut commitments) {
            let (c, seed) = committer.open(seeds.len(), *leaf);
            xor(&mut total, &c);
            *commitment = c;
            seeds.push(seed);
        }
        committer.absorb(&commitments);
        message.extend_from_slice(&total);
    }
    message.extend_from_slice(&committer.finish());
    (LeafSeeds::new(seeds, salts.streams()), message)
}

/// P: grows one tree. `keys` go from the lowest bit, which the last level decides, to the highest.
fn grow(keys: &[[Gf128; 2]], salts: &[u64; 8], nodes: &mut [Gf128], message: &mut Vec<u8>) {
    for ((level, pair), salt) in keys.iter().rev().enumerate().zip(salts) {
        if level == 0 {
            nodes[..2].copy_from_slice(pair);
            continue;
        }
        let mut sums = *pair;
        for x in (0..1 << level).rev() {
            let [left, right] = children(nodes[x], *salt);
            nodes[2 * x] = left;
            nodes[2 * x + 1] = right;
            sums[0] += left;
            sums[1] += right;
        }
        for sum in sums {
            message.extend_from_slice(&sum.to_bits().to_le_bytes());
        }
    }
}

/// V: grows all trees except for the paths, from the base OT's keys (for the complements of delta's bits) and
/// P's message. Seeds are in V's order. The first of each tree, which V lacks, is arbitrary.
///
/// # Errors
/// [`Error::Malformed`] for a message of the wrong length, [`Error::Cheat`] if it is not consistent.
pub(super) fn puncture_all(
    session: &SessionId,
    bits: FieldBits,
    keys: &[Gf128],
    delta: &Delta,
    message: &[u8],
) -> Result<LeafSeeds, Error> {
    let expected = bits.tree_message_bytes();
    let (trees, digest) = match message.split_last_chunk::<DIGEST>() {
        Some(parts) if message.len() == expected => parts,
        _ => {
            let reason = format!("{} bytes of trees, expected {expected}", message.len());
            return Err(Error::malformed(SOFT_SPOKEN_TREE, reason));
        }
    };
    let (mut committer, salts) = (Committer::new(session, bits), Salts::new(session, bits));
    let mut seeds = Vec::with_capacity(bits.trees() * bits.leaves());
    let mut nodes = Zeroizing::new(vec![Gf128::ZERO; bits.leaves()]);
    let mut commitments = vec![[0; DIGEST]; bits.leaves()];
    let pieces = keys.chunks_exact(bits.bits()).zip(trees.chunks_exact(bits.tree_bytes()));
    for (t, (keys, tree)) in pieces.enumerate() {
        let (corrections, total) = tree.split_at(bits.tree_bytes() - DIGEST);
        let masks = Zeroizing::new(Vec::from_iter((0..bits.bits()).map(|i| delta.mask(t * bits.bits() + i))));
        puncture(keys, &salts.levels(t), &masks, corrections, &mut nodes);

        let y = masks.iter().enumerate().fold(0, |y, (i, mask)| y | (*mask as usize & 1) << i);
        let mut missing = [0; DIGEST];
        missing.copy_from_slice(total);
        for (z, leaf) in nodes.iter().enumerate() {
            let (c, seed) = committer.open(t * bits.leaves() + (z ^ y), *leaf);
            if z > 0 {
                xor(&mut missing, &c);
            }
            commitments[z] = c;
            seeds.push(seed);
        }
        commitments[0] = missing;
        permute(&mut commitments, &masks);
        committer.absorb(&commitments);
    }
    let same: bool = committer.finish().ct_eq(digest).into();
    if !same {
        return Err(Error::cheat(SOFT_SPOKEN_TREE, "the consistency check of the punctured trees"));
    }
    Ok(LeafSeeds::new(seeds, salts.streams()))
}

/// V: grows one tree in V's order. `masks[i]` is all ones if bit `i` of the piece is one.
fn puncture(keys: &[Gf128], salts: &[u64; 8], masks: &[u128], corrections: &[u8], nodes: &mut [Gf128]) {
    nodes[0] = Gf128::ZERO;
    let mut corrections = corrections.as_chunks::<BLOCK>().0.iter().map(|c| u128::from_le_bytes(*c));
    for ((level, (key, mask)), salt) in keys.iter().zip(masks).rev().enumerate().zip(salts) {
        let mut sibling = *key;
        for z in (1..1 << level).rev() {
            let [left, right] = children(nodes[z], *salt).map(Gf128::to_bits);
            let swap = (left ^ right) & mask;
            nodes[2 * z] = Gf128::from_bits(left ^ swap);
            nodes[2 * z + 1] = Gf128::from_bits(right ^ swap);
            sibling += nodes[2 * z + 1];
        }
        if level > 0 {
            let sides = [corrections.next().unwrap_or(0), corrections.next().unwrap_or(0)];
            sibling += Gf128::from_bits(sides[1] ^ ((sides[0] ^ sides[1]) & mask));
        }
        nodes[1] = sibling;
    }
}

/// Moves entry `z` to `z + y` (bitwise), with the bits of `y` given as masks, without an address that depends
/// on `y`.
fn permute(entries: &mut [Commitment], masks: &[u128]) {
    for (i, mask) in masks.iter().enumerate() {
        for block in entries.chunks_exact_mut(2 << i) {
            let (low, high) = block.split_at_mut(1 << i);
            for (a, b) in low.as_flattened_mut().iter_mut().zip(high.as_flattened_mut()) {
                let swap = (*a ^ *b) & *mask as u8;
                *a ^= swap;
                *b ^= swap;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: SessionId = SessionId::new([9; 32]);

    fn keys() -> Vec<[Gf128; 2]> {
        let mut flat = [Gf128::ZERO; 256];
        Aes::new([4; 16]).ctr(0, &mut flat);
        flat.as_chunks::<2>().0.to_vec()
    }

    fn delta(seed: u128) -> Delta {
        Delta::from_element(Gf128::from_bits(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)))
    }

    /// What the base OT gives to V.
    fn chosen(keys: &[[Gf128; 2]], delta: &Delta) -> Vec<Gf128> {
        keys.iter().enumerate().map(|(i, pair)| pair[usize::from(delta.mask(i) == 0)]).collect()
    }

    #[test]
    fn v_gets_every_leaf_but_the_one_at_its_piece() {
        for bits in FieldBits::ALL {
            let (full, message) = grow_all(&SESSION, bits, &keys());
            assert_eq!(message.len(), bits.tree_message_bytes());
            for seed in 1..4 {
                let delta = delta(seed);
                let punctured =
                    puncture_all(&SESSION, bits, &chosen(&keys(), &delta), &delta, &message).unwrap();
                for t in 0..bits.trees() {
                    assert_eq!(full.tree(t).1, punctured.tree(t).1);
                    let y = (delta.expose().to_bits() >> (t * bits.bits())) as usize & (bits.leaves() - 1);
                    for x in 0..bits.leaves() {
                        let (p, v) = (&full.tree(t).0[x], &punctured.tree(t).0[x ^ y]);
                        assert_eq!(p == v, x != y);
                    }
                }
            }
        }
    }

    /// What V could try a key at: one node for each level of each tree, in one session. All have salts of
    /// their own, and so have streams.
    #[test]
    fn equal_nodes_of_two_levels_trees_or_sessions_have_different_children() {
        let node = Gf128::from_bits(77);
        let (mut blocks, mut all) = (Vec::new(), 0);
        for bits in FieldBits::ALL {
            for session in [1, 2] {
                let salts = Salts::new(&SessionId::new([session; 32]), bits);
                for t in 0..bits.trees() {
                    blocks.extend(salts.levels(t).map(|salt| children(node, salt)).as_flattened());
                }
                blocks.extend(salts.streams().into_iter().map(|salt| children(node, salt)[0]));
                all += bits.trees() * (8 * 2 + 1);
            }
        }
        let mut blocks: Vec<u128> = blocks.into_iter().map(Gf128::to_bits).collect();
        assert_eq!(blocks.len(), all);
        blocks.sort_unstable();
        blocks.dedup();
        assert_eq!(blocks.len(), all);
    }

    /// A key that is tried at the streams of one fork is tried at no other streams.
    #[test]
    fn streams_of_forks_have_salts_of_their_own() {
        let seeds = LeafSeeds::new(vec![[7; BLOCK]; 4], vec![1, 2]);
        let (a, b) = (seeds.derive("a"), seeds.derive("b"));
        let within = a.derive("b");
        let mut salts = [seeds.salts, a.salts, b.salts, within.salts].concat();
        salts.sort_unstable();
        salts.dedup();
        assert_eq!(salts.len(), 8);
    }

    /// The same through P's message: OTs that give the same keys to all trees give them other corrections.
    #[test]
    fn no_two_trees_of_a_message_are_alike() {
        for bits in FieldBits::ALL {
            let keys = keys();
            let equal: Vec<_> = keys[..bits.bits()].iter().cycle().take(128).copied().collect();
            let (_, message) = grow_all(&SESSION, bits, &equal);
            let corrections = bits.tree_bytes() - DIGEST;
            let mut blocks: Vec<&[u8; BLOCK]> = message[..bits.trees() * bits.tree_bytes()]
                .chunks_exact(bits.tree_bytes())
                .flat_map(|tree| tree[..corrections].as_chunks().0)
                .collect();
            let all = blocks.len();
            blocks.sort_unstable();
            blocks.dedup();
            assert_eq!(blocks.len(), all);
        }
    }

    #[test]
    fn a_wrong_correction_is_caught_exactly_if_v_uses_it() {
        for bits in FieldBits::ALL {
            let (_, message) = grow_all(&SESSION, bits, &keys());
            let delta = delta(77);
            for t in 0..bits.trees() {
                for level in 1..bits.bits() {
                    for side in 0..2 {
                        let mut wrong = message.clone();
                        wrong[t * bits.tree_bytes() + ((level - 1) * 2 + side) * BLOCK + 3] ^= 0x10;
                        let result = puncture_all(&SESSION, bits, &chosen(&keys(), &delta), &delta, &wrong);
                        let path = delta.mask(t * bits.bits() + bits.bits() - 1 - level) != 0;
                        match result {
                            Ok(_) => assert_eq!(path, side == 1, "the side on the path is not read"),
                            Err(error) => {
                                assert_ne!(path, side == 1);
                                assert!(matches!(error, Error::Cheat { step: SOFT_SPOKEN_TREE, .. }));
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_wrong_sum_digest_or_length_is_always_caught() {
        for bits in FieldBits::ALL {
            let (_, message) = grow_all(&SESSION, bits, &keys());
            let delta = delta(5);
            let run = |message: &[u8]| {
                puncture_all(&SESSION, bits, &chosen(&keys(), &delta), &delta, message).err()
            };
            let sums = (1..=bits.trees()).map(|t| t * bits.tree_bytes() - 1);
            let digest = message.len() - DIGEST..message.len();
            for at in sums.chain(digest) {
                let mut wrong = message.clone();
                wrong[at] ^= 1;
                assert!(matches!(run(&wrong), Some(Error::Cheat { .. })), "{at}");
            }
            for wrong in [&message[1..], &[], &[&message[..], &[0]].concat()] {
                assert!(matches!(run(wrong), Some(Error::Malformed { .. })));
            }
        }
    }

    /// A P that lies about one whole leaf learns whether that leaf is V's missing one, and nothing else.
    #[test]
    fn a_wrong_leaf_is_accepted_only_by_the_v_that_lacks_it() {
        let bits = FieldBits::Four;
        let (_, message) = grow_all(&SESSION, bits, &keys());
        // Another sum for tree 0 that goes with a digest in which leaf `x` has another commitment.
        let (committer, salts) = (Committer::new(&SESSION, bits), Salts::new(&SESSION, bits));
        let mut nodes = vec![Gf128::ZERO; 16];
        let mut all = Vec::new();
        for (t, keys) in keys().chunks_exact(4).enumerate() {
            grow(keys, &salts.levels(t), &mut nodes, &mut Vec::new());
            all.push(Vec::from_iter((0..16).map(|x| committer.open(t * 16 + x, nodes[x]).0)));
        }
        for x in 0..16_usize {
            let mut lie = all.clone();
            lie[0][x][0] ^= 1;
            let mut committer = Committer::new(&SESSION, bits);
            lie.iter().for_each(|tree| committer.absorb(tree));
            let mut message = message.clone();
            let (sum, digest) = (bits.tree_bytes() - DIGEST, message.len() - DIGEST);
            message[sum] ^= 1;
            message[digest..].copy_from_slice(&committer.finish());
            for y in (1..16_u128).step_by(2) {
                let delta = Delta::from_element(Gf128::from_bits(y));
                let accepted =
                    puncture_all(&SESSION, bits, &chosen(&keys(), &delta), &delta, &message).is_ok();
                assert_eq!(accepted, y as usize == x);
            }
        }
    }
}
