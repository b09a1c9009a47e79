//! The batched all-but-one vector commitment: P commits to all leaves of all trees, and opens all but one of
//! each (Baum, Beullens, Mukherjee, Orsini, Ramacher, Rechberger, Roy, Scholl, *One Tree to Rule Them All*,
//! ASIACRYPT 2024; FAEST version 2, section 5).
//!
//! The trees are one tree with interleaved leaves ([`Shape`]). To open, P gives the nodes that are next to
//! the paths to the hidden leaves: those of whose parent's two children exactly one is on a path. With them a
//! verifier computes every leaf that is not hidden, and with the hidden leaves' commitments, which P gives as
//! they are, the digest that it must arrive at.
//!
//! A challenge whose paths need more nodes than [`Shape::opened`] has no opening; P takes another counter.
//! This loses no soundness, since P's chance for each counter that it tries is what it would be otherwise.
//! Unused places of an opening are zeros, which the verifier checks, so that an opening has one encoding.

use volery_field::{Gf128, Wiped};

use crate::primitive::Primitive;
use crate::{Error, Shape};

/// The seeds of all leaves, tree after tree; wiped on drop.
pub type Seeds = Wiped<Gf128>;

/// P's trees.
pub struct Committed<P: Primitive> {
    nodes: Wiped<Gf128>,
    commitments: Vec<P::Commitment>,
    /// The seeds of all leaves.
    pub seeds: Seeds,
    /// The digest of the commitments.
    pub root: [u8; 32],
}

/// What V needs of the trees.
#[derive(Clone, PartialEq)]
pub struct Opening<C> {
    /// The nodes next to the paths, those with the greatest numbers first, and zeros.
    pub nodes: Vec<Gf128>,
    /// The commitments to the hidden leaves, tree by tree.
    pub hidden: Vec<C>,
}

/// V's trees.
pub struct Reconstructed {
    /// The seeds of all leaves, zero for each hidden one.
    pub seeds: Seeds,
    /// The digest of the commitments.
    pub root: [u8; 32],
}

/// Grows the trees from `root`.
pub fn commit<P: Primitive>(primitive: &P, shape: Shape, root: Gf128) -> Committed<P> {
    let mut nodes = Wiped::new(vec![Gf128::ZERO; shape.nodes()]);
    nodes[0] = root;
    for (first, end) in generations(shape) {
        let (parents, children) = nodes.split_at_mut(2 * first + 1);
        primitive.all_children(first, &parents[first..end], &mut children[..2 * (end - first)]);
    }
    let (seeds, commitments) = leaves(primitive, shape, &nodes);
    let root = digest(primitive, shape, &commitments);
    Committed { nodes, commitments, seeds, root }
}

impl<P: Primitive> Committed<P> {
    /// Opens all leaves but number `hidden[t]` of each tree `t`; `None` if that takes too many nodes.
    #[must_use]
    pub fn open(&self, shape: Shape, hidden: &[usize]) -> Option<Opening<P::Commitment>> {
        let on_path = paths(shape, hidden);
        let beside = besides(shape, &on_path);
        let mut nodes: Vec<_> = beside.map(|node| self.nodes[node]).collect();
        if nodes.len() > shape.opened() {
            return None;
        }
        nodes.resize(shape.opened(), Gf128::ZERO);
        let at = |(t, j): (usize, &usize)| self.commitments[shape.offset(t) + j].clone();
        Some(Opening { nodes, hidden: hidden.iter().enumerate().map(at).collect() })
    }

    /// All nodes, and the commitments to all leaves.
    #[cfg(test)]
    pub(crate) fn parts(&self) -> (&[Gf128], &[P::Commitment]) {
        (&self.nodes, &self.commitments)
    }
}

/// The number of nodes that an opening with these `hidden` leaves has.
#[must_use]
pub fn opened(shape: Shape, hidden: &[usize]) -> usize {
    // A path up to a node that another path has taken adds a node beside each of its nodes but the last one's
    // sibling, which is on that other path.
    let mut seen = vec![0_u64; shape.nodes().div_ceil(64)];
    let mut on_paths = 0;
    for (t, j) in hidden.iter().enumerate() {
        let mut node = shape.node(t, *j);
        loop {
            let (word, bit) = (&mut seen[node / 64], 1 << (node % 64));
            if *word & bit != 0 {
                break;
            }
            *word |= bit;
            on_paths += 1;
            if node == 0 {
                break;
            }
            node = (node - 1) / 2;
        }
    }
    (on_paths + 1_usize).saturating_sub(2 * hidden.len())
}

/// Computes the leaves that are not `hidden`, and the digest.
///
/// # Errors
/// [`Error::Opening`] if the nodes are not as many as they must be.
pub fn reconstruct<P: Primitive>(
    primitive: &P,
    shape: Shape,
    hidden: &[usize],
    opening: &Opening<P::Commitment>,
) -> Result<Reconstructed, Error> {
    let (trees, most) = (shape.trees(), shape.opened());
    if hidden.len() != trees || opening.hidden.len() != trees || opening.nodes.len() != most {
        return Err(Error::Opening("it has the wrong length"));
    }
    if hidden.iter().enumerate().any(|(t, j)| *j >= shape.leaves(t)) {
        return Err(Error::Opening("it hides a leaf that does not exist"));
    }
    let on_path = paths(shape, hidden);
    let mut nodes = Wiped::new(vec![Gf128::ZERO; shape.nodes()]);
    let mut given = opening.nodes.iter();
    for beside in besides(shape, &on_path) {
        let node = given.next().ok_or(Error::Opening("its challenge takes more nodes than it may have"))?;
        nodes[beside] = *node;
    }
    if given.any(|unused| *unused != Gf128::ZERO) {
        return Err(Error::Opening("a place that it does not use is not zero"));
    }
    let mut buffer = Wiped::new(vec![Gf128::ZERO; shape.all_leaves()]);
    for (first, end) in generations(shape) {
        let (parents, children) = nodes.split_at_mut(2 * first + 1);
        let made = &mut buffer[..2 * (end - first)];
        primitive.all_children(first, &parents[first..end], made);
        // Nodes on paths are unknown, and have children of which the opening gives those that are not.
        let pairs = made.as_chunks::<2>().0.iter().zip(children.as_chunks_mut::<2>().0);
        pairs.zip(&on_path[first..end]).filter(|(_, on)| !**on).for_each(|((made, child), _)| *child = *made);
    }
    let (mut seeds, mut commitments) = leaves(primitive, shape, &nodes);
    for ((t, hidden), given) in hidden.iter().enumerate().zip(&opening.hidden) {
        let at = shape.offset(t) + hidden;
        (seeds[at], commitments[at]) = (Gf128::ZERO, given.clone());
    }
    Ok(Reconstructed { seeds, root: digest(primitive, shape, &commitments) })
}

/// The numbers of the nodes that have children, in ranges: the children of a range follow all of it.
fn generations(shape: Shape) -> impl Iterator<Item = (usize, usize)> {
    let parents = shape.all_leaves() - 1;
    let next = move |(_, first): &(usize, usize)| Some((*first, parents.min(2 * first + 1)));
    core::iter::successors(Some((0, parents.min(1))), next).take_while(|(first, end)| first < end)
}

/// The seeds of all leaves, tree after tree, and the commitments to them.
fn leaves<P: Primitive>(primitive: &P, shape: Shape, nodes: &[Gf128]) -> (Seeds, Vec<P::Commitment>) {
    let all = shape.all_leaves();
    let (mut seeds, mut commitments) = (Wiped::new(vec![Gf128::ZERO; all]), vec![Default::default(); all]);
    for t in 0..shape.trees() {
        let numbers = Vec::from_iter((0..shape.leaves(t)).map(|j| shape.node(t, j)));
        let (first, n) = (shape.offset(t), numbers.len());
        let seeds = &mut seeds[first..][..n];
        seeds.iter_mut().zip(&numbers).for_each(|(seed, node)| *seed = nodes[*node]);
        primitive.all_leaves(t, &numbers, seeds, &mut commitments[first..][..n]);
    }
    (seeds, commitments)
}

/// Which nodes are on the path to a hidden leaf.
fn paths(shape: Shape, hidden: &[usize]) -> Vec<bool> {
    let mut on_path = vec![false; shape.nodes()];
    for (t, j) in hidden.iter().enumerate() {
        on_path[shape.node(t, *j)] = true;
    }
    for parent in (0..shape.all_leaves() - 1).rev() {
        on_path[parent] = on_path[2 * parent + 1] | on_path[2 * parent + 2];
    }
    on_path
}

/// The nodes beside the paths, in the order of an opening.
fn besides(shape: Shape, on_path: &[bool]) -> impl Iterator<Item = usize> {
    (0..shape.all_leaves() - 1).rev().filter_map(|parent| {
        let [left, right] = [2 * parent + 1, 2 * parent + 2];
        match (on_path[left], on_path[right]) {
            (true, false) => Some(right),
            (false, true) => Some(left),
            _ => None,
        }
    })
}

fn digest<P: Primitive>(primitive: &P, shape: Shape, commitments: &[P::Commitment]) -> [u8; 32] {
    let of_tree = |t| primitive.tree(t, &commitments[shape.offset(t)..][..shape.leaves(t)]);
    primitive.root(&Vec::from_iter((0..shape.trees()).map(of_tree)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Native, Parameters};

    fn native(shape: Shape) -> Native {
        Native::new(&[3; 32], shape.trees())
    }

    /// Challenges from a seed until one has an opening.
    fn opening(committed: &Committed<Native>, shape: Shape, seed: u128) -> (Vec<usize>, Opening<[u8; 32]>) {
        (1..)
            .find_map(|i: u128| {
                let challenge =
                    (seed | 1).wrapping_mul(i).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
                let hidden = shape.pieces(challenge);
                let opening = committed.open(shape, &hidden);
                assert_eq!(opening.is_some(), opened(shape, &hidden) <= shape.opened());
                opening.map(|opening| (hidden, opening))
            })
            .expect("some challenge has an opening")
    }

    #[test]
    fn v_gets_every_leaf_but_the_hidden_ones_and_the_same_digest() {
        for parameters in Parameters::ALL {
            let shape = parameters.shape();
            let primitive = native(shape);
            let committed = commit(&primitive, shape, Gf128::from_bits(5));
            let (hidden, opening) = opening(&committed, shape, 7);
            let got = reconstruct(&primitive, shape, &hidden, &opening).expect("opens");
            assert_eq!(got.root, committed.root);
            for (t, hidden) in hidden.iter().enumerate() {
                for j in 0..shape.leaves(t) {
                    let at = shape.offset(t) + j;
                    let expected = if j == *hidden { Gf128::ZERO } else { committed.seeds[at] };
                    assert!(got.seeds[at] == expected, "{t}, {j}");
                }
            }
        }
    }

    #[test]
    fn every_node_and_every_hidden_commitment_decides_over_the_digest_or_must_be_zero() {
        let shape = Parameters::Fast.shape();
        let primitive = native(shape);
        let committed = commit(&primitive, shape, Gf128::from_bits(5));
        let (hidden, opening) = opening(&committed, shape, 9);
        let used = opened(shape, &hidden);
        assert!(used < shape.opened(), "no unused place is tested");
        for i in [0, 1, used / 2, used - 1, used, shape.opened() - 1] {
            let mut changed = opening.clone();
            changed.nodes[i] += Gf128::from_bits(1 << 100);
            match reconstruct(&primitive, shape, &hidden, &changed) {
                Ok(got) => assert!(i < used && got.root != committed.root, "{i}"),
                Err(error) => assert!(i >= used && matches!(error, Error::Opening(_)), "{i}"),
            }
        }
        for t in [0, shape.trees() - 1] {
            let mut changed = opening.clone();
            changed.hidden[t][31] ^= 1;
            let got = reconstruct(&primitive, shape, &hidden, &changed).expect("opens");
            assert_ne!(got.root, committed.root);
            // The same opening says nothing about another challenge.
            let mut other = hidden.clone();
            other[t] ^= 1;
            if let Ok(got) = reconstruct(&primitive, shape, &other, &opening) {
                assert_ne!(got.root, committed.root);
            }
        }
        let short = Opening { nodes: opening.nodes[1..].to_vec(), hidden: opening.hidden.clone() };
        assert!(reconstruct(&primitive, shape, &hidden, &short).is_err());
        assert!(reconstruct(&primitive, shape, &[usize::MAX; 16], &opening).is_err());
    }

    #[test]
    fn a_challenge_that_takes_too_many_nodes_is_refused_by_both_parties() {
        let shape = Parameters::Small.shape();
        let primitive = native(shape);
        let committed = commit(&primitive, shape, Gf128::from_bits(5));
        // Most challenges do.
        let hidden = (1..)
            .map(|i: u128| shape.pieces(i.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)))
            .find(|hidden| opened(shape, hidden) > shape.opened())
            .expect("most");
        assert!(committed.open(shape, &hidden).is_none());
        let opening =
            Opening { nodes: vec![Gf128::ONE; shape.opened()], hidden: vec![[0; 32]; shape.trees()] };
        assert!(matches!(reconstruct(&primitive, shape, &hidden, &opening), Err(Error::Opening(_))));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn the_number_of_opened_nodes_is_that_of_the_nodes_beside_the_paths(challenge: u128, which in 0..4_usize) {
            let shape = Parameters::ALL[which].shape();
            let hidden = shape.pieces(challenge);
            prop_assert_eq!(opened(shape, &hidden), besides(shape, &paths(shape, &hidden)).count());
        }
    }
}
