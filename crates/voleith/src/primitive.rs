//! What trees and vectors are made of, and our choice: AES in counter mode and BLAKE3.
//!
//! The layers above are generic over a [`Primitive`], so that tests can run them with the functions of FAEST
//! and compare with its published values.
//!
//! # Why ours is secure
//!
//! Each proof has a fresh salt of 256 bits, and every function here depends on it ([`Native::new`]).
//!
//! * **Nodes**: node `i` is an AES key; its children are the blocks `2 i` and `2 i + 1` of its counter mode,
//!   under a salt of 64 bits in each block's upper half. A verifier sees children of which it lacks the
//!   parent, along the hidden paths. No two nodes of a proof encrypt the same block, so a guess of a key
//!   tests one node of a proof; and those of other proofs only if they happen to have the same 64 bits. `q`
//!   guesses against `n` proofs find a hidden node with probability about `q (1 + n 2^-64) 2^-128`.
//! * **Leaves**: the commitment to a leaf is 256 bits of BLAKE3 of the leaf and its number, under a key of
//!   the salt. As a random oracle it *hides* the leaf, whose 128 bits a guess tests for one leaf, and *binds*
//!   P, which finds two leaves of one commitment only as a collision of 256 bits. The leaf is its own seed.
//! * **Streams**: a leaf is again an AES key. The streams of a tree share a salt, since a verifier lacks one
//!   of them; those of different trees have different ones. So a guess of a leaf is tested once as an input
//!   of BLAKE3 and once as a key of AES, which are independent.
//! * **Digests** of a tree's commitments, and of those, are BLAKE3's.
//!
//! A P that cheats gains nothing from weaknesses of AES here: a leaf commitment binds it to the leaf, from
//! which the stream follows, whatever the node above it is. AES has to hide, not to bind.

use volery_field::Gf128;
use volery_vole::softspoken::combine_leaves;
use volery_vole::{Oracle, Prg, Prgs, SessionId, Transcript};

/// The functions of one proof. All depend on the proof's salt; blocks are little-endian.
pub trait Primitive: Sync {
    /// A commitment to a leaf.
    type Commitment: AsRef<[u8]> + Clone + Default + PartialEq + Send + Sync;
    /// The streams of a tree's leaves.
    type Streams: Streams;

    /// The children of node `number`, whose value is `node`.
    fn children(&self, number: usize, node: Gf128) -> [Gf128; 2];

    /// The seed and the commitment that belong to a leaf of tree `t`, which is node `number` and has the
    /// value `leaf`.
    fn leaf(&self, t: usize, number: usize, leaf: Gf128) -> (Gf128, Self::Commitment);

    /// [`children`](Self::children) of `nodes`, which are numbered from `first` on, one pair after the other.
    fn all_children(&self, first: usize, nodes: &[Gf128], out: &mut [Gf128]) {
        for (i, (node, out)) in nodes.iter().zip(out.as_chunks_mut().0).enumerate() {
            *out = self.children(first + i, *node);
        }
    }

    /// [`leaf`](Self::leaf) for each of some leaves of tree `t`, which are these nodes: the leaf becomes its
    /// seed.
    fn all_leaves(
        &self,
        t: usize,
        numbers: &[usize],
        leaves: &mut [Gf128],
        commitments: &mut [Self::Commitment],
    ) {
        for ((number, leaf), commitment) in numbers.iter().zip(leaves).zip(commitments) {
            (*leaf, *commitment) = self.leaf(t, *number, *leaf);
        }
    }

    /// The streams of the leaves of tree `t` with these seeds.
    fn streams(&self, t: usize, seeds: &[Gf128]) -> Self::Streams;

    /// [`streams`](Self::streams) in the room of other ones.
    fn streams_again(&self, t: usize, seeds: &[Gf128], streams: &mut Self::Streams) {
        *streams = self.streams(t, seeds);
    }

    /// The digest of tree `t`'s commitments, in order.
    fn tree(&self, t: usize, commitments: &[Self::Commitment]) -> [u8; 32];

    /// The digest of all trees' digests.
    fn root(&self, trees: &[[u8; 32]]) -> [u8; 32];
}

/// The streams of a tree's leaves, which are read from anywhere and more than once.
pub trait Streams: Send + Sync {
    /// Fills `out` with the blocks from number `first` on of the stream of leaf `x`.
    fn blocks_at(&self, x: usize, first: u64, out: &mut [Gf128]);

    /// [`combine_leaves`] of the `2^levels` streams from block `first` on. Leaf `x` is stream number
    /// `x + hidden` (bitwise).
    fn combine(
        &self,
        levels: usize,
        hidden: usize,
        first: u64,
        leaves: &mut Vec<Gf128>,
        sum: &mut [Gf128],
        columns: &mut [Gf128],
    ) {
        let fill = |x: usize, out: &mut [Gf128]| self.blocks_at(x ^ hidden, first, out);
        combine_leaves(levels, fill, leaves, sum, columns);
    }
}

impl Streams for Prgs {
    fn blocks_at(&self, x: usize, first: u64, out: &mut [Gf128]) {
        self.blocks_at(x, first, out);
    }

    fn combine(
        &self,
        levels: usize,
        hidden: usize,
        first: u64,
        leaves: &mut Vec<Gf128>,
        sum: &mut [Gf128],
        columns: &mut [Gf128],
    ) {
        self.combine(levels, hidden, first, leaves, sum, columns);
    }
}

/// Our functions, under the salt of one proof.
pub struct Native {
    session: SessionId,
    nodes: u64,
    leaves: Oracle,
    /// One for each tree.
    streams: Vec<u64>,
}

impl Native {
    /// The functions of the proof with this salt, for as many `trees`.
    #[must_use]
    pub fn new(salt: &[u8; 32], trees: usize) -> Self {
        let session = SessionId::new(*salt);
        let salts = Oracle::new("voleith: salts", &session);
        let word = |t: u64, purpose: &str| u64::from_le_bytes(salts.hash(t, &[purpose.as_bytes()]));
        Self {
            session,
            nodes: word(0, "nodes"),
            leaves: Oracle::new("voleith: leaf", &session),
            streams: (0..trees).map(|t| word(t as u64, "streams")).collect(),
        }
    }
}

impl Primitive for Native {
    type Commitment = [u8; 32];
    type Streams = Prgs;

    fn children(&self, number: usize, node: Gf128) -> [Gf128; 2] {
        let mut out = [Gf128::ZERO; 2];
        Prg::salted(node.to_bytes(), self.nodes).blocks_at(2 * number as u64, &mut out);
        out
    }

    fn leaf(&self, _t: usize, number: usize, leaf: Gf128) -> (Gf128, [u8; 32]) {
        (leaf, self.leaves.hash(number as u64, &[&leaf.to_bytes()]))
    }

    fn all_children(&self, first: usize, nodes: &[Gf128], out: &mut [Gf128]) {
        Prg::pairs(nodes, self.nodes, first as u64, out);
    }

    fn all_leaves(&self, _t: usize, numbers: &[usize], leaves: &mut [Gf128], commitments: &mut [[u8; 32]]) {
        let inputs = numbers.iter().zip(leaves).map(|(number, leaf)| (*number as u64, leaf.to_bytes()));
        self.leaves.hash_blocks(inputs, commitments);
    }

    fn streams(&self, t: usize, seeds: &[Gf128]) -> Prgs {
        Prgs::salted(seeds, self.streams.get(t).copied().unwrap_or_default())
    }

    fn streams_again(&self, t: usize, seeds: &[Gf128], streams: &mut Prgs) {
        streams.refill(seeds, self.streams.get(t).copied().unwrap_or_default());
    }

    fn tree(&self, t: usize, commitments: &[[u8; 32]]) -> [u8; 32] {
        let mut digest = Transcript::new("voleith: commitments", &self.session);
        digest.absorb_number("tree", t as u64);
        digest.absorb("leaves", commitments.as_flattened());
        digest.challenge_seed("digest").into_bytes()
    }

    fn root(&self, trees: &[[u8; 32]]) -> [u8; 32] {
        let mut digest = Transcript::new("voleith: trees", &self.session);
        digest.absorb("digests", trees.as_flattened());
        digest.challenge_seed("digest").into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_nodes_leaves_and_seeds_at_other_places_or_in_other_proofs_have_unrelated_images() {
        let block = Gf128::from_bits(77);
        let mut images = Vec::new();
        for salt in [[1; 32], [2; 32]] {
            let native = Native::new(&salt, 3);
            for i in 0..3 {
                images.extend(native.children(i, block));
                let (_, commitment) = native.leaf(0, i, block);
                images.push(Gf128::from_bytes(commitment.as_chunks().0[0]));
                let mut stream = [Gf128::ZERO; 2];
                native.streams(i, &[block]).blocks_at(0, 0, &mut stream);
                images.extend(stream);
                for digest in [native.tree(i, &[[5; 32]]), native.root(&[[i as u8; 32]])] {
                    images.push(Gf128::from_bytes(digest.as_chunks().0[0]));
                }
            }
        }
        let mut images: Vec<_> = images.into_iter().map(Gf128::to_bits).collect();
        let all = images.len();
        images.sort_unstable();
        images.dedup();
        assert_eq!(images.len(), all);
    }

    #[test]
    fn a_stream_goes_on_where_it_is_asked_to() {
        let native = Native::new(&[1; 32], 2);
        let (mut whole, mut part) = ([Gf128::ZERO; 9], [Gf128::ZERO; 4]);
        let mut streams = native.streams(1, &[Gf128::ONE]);
        streams.blocks_at(0, 0, &mut whole);
        streams.blocks_at(0, 5, &mut part);
        assert!(whole[5..] == part);
        // Of more streams and of another tree, in the same room, and back.
        native.streams_again(0, &[Gf128::X; 9], &mut streams);
        streams.blocks_at(0, 5, &mut part);
        assert!(whole[5..] != part);
        native.streams_again(1, &[Gf128::ONE; 3], &mut streams);
        streams.blocks_at(2, 5, &mut part);
        assert!(whole[5..] == part);
        streams.blocks_at(3, 5, &mut part);
        assert!(part == [Gf128::ZERO; 4]);
    }
}
