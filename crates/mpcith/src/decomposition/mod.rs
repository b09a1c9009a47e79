//! (2,3)-decompositions (ZKBoo, section 4.1): a computation in three branches, any two of which reveal
//! nothing about its input.
//!
//! This is the paper, definition by definition, for one repetition and as plain as possible. The fast engines
//! of [`rings`](crate::PublicRing) are compared with it, and the tests of privacy and soundness use it.
//!
//! | module | what it holds |
//! |---|---|
//! | here | [`Decomposition`] (definition 4.1); [`evaluate`] (figure 4) |
//! | `linear` | [`Linear`], the decomposition of circuits over any ring (section 4.1.1), and its simulator (appendix A) |

mod linear;
#[cfg(test)]
mod tests;

pub(crate) use linear::{Linear, Simulated, Tape};

/// The branches of a computation are called players. They are counted from 0 here, and from 1 in the paper.
pub(crate) const PLAYERS: usize = 3;

/// A (2,3)-decomposition of a function `phi` from [`Decomposition::Input`] to [`Decomposition::Output`].
///
/// Correctness: [`evaluate`] gives `phi(x)` for every `x` and all tapes. Privacy against two players: for
/// every `e`, the tapes and views of players `e` and `e + 1`, together with the output share of the third,
/// can be simulated from `phi(x)` alone.
///
/// # Panics
/// This is a reference, not a protocol: implementations may panic if inputs, views or tapes are too short.
pub(crate) trait Decomposition {
    /// The input of `phi`.
    type Input: ?Sized;
    /// The output of `phi`.
    type Output;
    /// An entry of a view: a value of one branch.
    type Entry: Clone + PartialEq;
    /// Randomness of one branch.
    type Tape;
    /// One branch's part of the output.
    type OutputShare: Clone + PartialEq;

    /// Share: the first entries of the three views. Every triple of views of this length is a sharing of some
    /// input.
    fn share(&self, input: &Self::Input, tapes: [&Self::Tape; PLAYERS]) -> [Vec<Self::Entry>; PLAYERS];

    /// `N`: the number of steps after sharing.
    fn steps(&self) -> usize;

    /// `phi_i^(j)`: the entry that step `j` adds to the view of player `i`, from that view and the next
    /// player's up to here, and both tapes.
    fn step(
        &self,
        player: usize,
        step: usize,
        views: [&[Self::Entry]; 2],
        tapes: [&Self::Tape; 2],
    ) -> Self::Entry;

    /// Output: the output share of a complete view.
    fn output(&self, view: &[Self::Entry]) -> Self::OutputShare;

    /// Rec: reconstructs the output from three shares.
    fn reconstruct(&self, shares: [&Self::OutputShare; PLAYERS]) -> Self::Output;
}

/// The result of [`evaluate`].
pub(crate) struct Evaluated<D: Decomposition + ?Sized> {
    /// The players' views.
    pub views: [Vec<D::Entry>; PLAYERS],
    /// Their output shares.
    pub shares: [D::OutputShare; PLAYERS],
    /// The output.
    pub output: D::Output,
}

/// The protocol of figure 4: computes `phi(input)` in three branches.
pub(crate) fn evaluate<D: Decomposition + ?Sized>(
    decomposition: &D,
    input: &D::Input,
    tapes: [&D::Tape; PLAYERS],
) -> Evaluated<D> {
    let mut views = decomposition.share(input, tapes);
    for step in 0..decomposition.steps() {
        let entries: [D::Entry; PLAYERS] = core::array::from_fn(|player| {
            let next = (player + 1) % PLAYERS;
            decomposition.step(player, step, [&views[player], &views[next]], [tapes[player], tapes[next]])
        });
        for (view, entry) in views.iter_mut().zip(entries) {
            view.push(entry);
        }
    }
    let shares = views.each_ref().map(|view| decomposition.output(view));
    let output = decomposition.reconstruct(shares.each_ref());
    Evaluated { views, shares, output }
}
