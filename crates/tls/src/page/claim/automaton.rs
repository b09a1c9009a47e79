//! Reads a hidden string with a finite automaton.
//!
//! The automaton is public and the string is not. So the circuit has a wire for each state, and the wire of
//! the automaton's current state is 1 (or none is, if it has refused the string). With each byte the
//! automaton moves along *edges* `(from, set, to)`: from one of some states to another, if the byte is in a
//! set.
//!
//! ```text
//! state'[to]  =  sum over edges to it of (sum of state[from]) * [byte in set]          at most one product of all is 1
//! ```
//!
//! For each byte, an edge takes one AND (none if its set is that of all bytes), a set a few more
//! ([`ByteSet::price`]), and the byte's own products at most 22.
//!
//! The string's length is public, too. States that cannot be reached after a given number of bytes, or that
//! cannot lead to acceptance with the remaining bytes, get no wires. If only one state is left, the automaton
//! must be in it; this is asserted, and the next step takes no product.

use std::collections::BTreeMap;

use volery_circuit::gadgets::not;
use volery_circuit::{Error, Prove};
use volery_field::F2;

use super::byte::{Byte, ByteSet, plus};
use super::cannot_hold;

/// The most states of an automaton.
pub(super) const MAX_STATES: usize = 128;
/// The most ANDs of an automaton that reads a string.
const MAX_PRICE: usize = 1 << 21;

/// A set of states, as bits.
type States = u128;

/// A deterministic automaton. Its states are numbers, and it begins in state 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Automaton {
    edges: Vec<Edge>,
    /// The byte sets of the edges.
    sets: Vec<ByteSet>,
    accepting: States,
}

/// An edge.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Edge {
    from: States,
    /// The index of its byte set.
    set: usize,
    to: usize,
}

/// The current state of the circuit's automaton.
enum Now<W> {
    /// A known state.
    Certain,
    /// The state whose wire is 1.
    One(Vec<Option<W>>),
}

impl Automaton {
    /// The automaton with these states. Each says where every byte leads (`None`: the string is refused), and
    /// whether the automaton accepts a string that ends there.
    ///
    /// # Errors
    /// [`Error::Public`] for more than [`MAX_STATES`] states.
    pub(super) fn new(states: &[State]) -> Result<Self, Error> {
        if states.len() > MAX_STATES {
            return Err(Error::Public(format!(
                "an automaton of {} states; at most {MAX_STATES}",
                states.len()
            )));
        }
        let (mut ways, mut accepting) = (BTreeMap::<(usize, ByteSet), States>::new(), 0);
        for (from, state) in states.iter().enumerate() {
            accepting |= States::from(state.accepts) << from;
            let mut sets = BTreeMap::<usize, ByteSet>::new();
            for (byte, to) in (0..=u8::MAX).zip(state.next) {
                if let Some(to) = to.map(usize::from).filter(|to| *to < states.len()) {
                    sets.entry(to).or_default().insert(byte);
                }
            }
            for way in sets {
                *ways.entry(way).or_default() |= 1 << from;
            }
        }
        let mut sets: Vec<_> = ways.keys().map(|(_, set)| *set).collect();
        sets.sort_unstable();
        sets.dedup();
        let edge = |((to, set), from)| Edge { from, set: sets.partition_point(|other| *other < set), to };
        let edges = ways.into_iter().map(edge).collect();
        Ok(Self { edges, sets, accepting })
    }

    /// The most ANDs that a byte takes.
    pub(super) fn price(&self) -> usize {
        Byte::<'_, ()>::PRODUCTS + self.sets.iter().map(ByteSet::price).sum::<usize>() + self.edges.len()
    }

    /// Claims that the automaton accepts the string.
    ///
    /// # Errors
    /// [`Error::Contradicted`] if it accepts no string of this length; [`Error::Public`] if it would take too
    /// many gates; the backend's.
    pub(super) fn assert<B: Prove<F2> + ?Sized>(
        &self,
        b: &mut B,
        bytes: &mut [Byte<'_, B::Wire>],
    ) -> Result<(), B::Error> {
        let last = self.run(b, bytes)?;
        assert_one(b, last)
    }

    /// Reads the string. Returns the wires of the accepting states in which the automaton may be at its end,
    /// of which at most one is 1. Claims that a string of this length comes to the end.
    ///
    /// # Errors
    /// As [`Automaton::assert`].
    pub(super) fn run<B: Prove<F2> + ?Sized>(
        &self,
        b: &mut B,
        bytes: &mut [Byte<'_, B::Wire>],
    ) -> Result<Vec<Option<B::Wire>>, B::Error> {
        let live = self.live(bytes.len())?;
        let mut now = Now::Certain;
        for (byte, places) in bytes.iter_mut().zip(live.windows(2)) {
            let &[here, there] = places else { break };
            let next = self.step(b, byte, &now, [here, there])?;
            now = if there.count_ones() == 1 {
                assert_one(b, next)?;
                Now::Certain
            } else {
                Now::One(next)
            };
        }
        let certain = live.last().copied().unwrap_or_default();
        Ok(match now {
            Now::One(states) => states,
            Now::Certain => {
                let one = b.constant(F2::ONE);
                (0..MAX_STATES).map(|state| (certain >> state & 1 == 1).then(|| one.clone())).collect()
            }
        })
    }

    /// The wires of an automaton that is in no state.
    pub(super) fn nowhere<W: Clone>(&self) -> Vec<Option<W>> {
        vec![None; MAX_STATES]
    }

    /// Puts the automaton into its first state if `start` is 1. It must be in no state then.
    pub(super) fn begin<B: Prove<F2> + ?Sized>(
        &self,
        b: &mut B,
        states: &mut [Option<B::Wire>],
        start: Option<B::Wire>,
    ) {
        if let (Some(first), Some(start)) = (states.first_mut(), start) {
            *first = Some(plus(b, first.take(), start));
        }
    }

    /// The wires of the states after one more byte. Whoever is in no state stays there.
    pub(super) fn advance<B: Prove<F2> + ?Sized>(
        &self,
        b: &mut B,
        byte: &mut Byte<'_, B::Wire>,
        states: Vec<Option<B::Wire>>,
    ) -> Result<Vec<Option<B::Wire>>, B::Error> {
        self.step(b, byte, &Now::One(states), [States::MAX; 2])
    }

    /// Whether the automaton accepts what it has read: in a state from which nothing leads on, and in any
    /// other.
    pub(super) fn accepted<B: Prove<F2> + ?Sized>(
        &self,
        b: &mut B,
        states: &[Option<B::Wire>],
    ) -> [B::Wire; 2] {
        let leaves = self.edges.iter().fold(0, |all, edge| all | edge.from);
        [self.accepting & !leaves, self.accepting & leaves].map(|among| {
            let wires = states.iter().enumerate().filter(|(state, _)| among >> state & 1 == 1);
            let wires = wires.filter_map(|(_, wire)| wire.clone());
            let sum = wires.fold(None, |sum, wire| Some(plus(b, sum, wire)));
            sum.unwrap_or_else(|| b.constant(F2::ZERO))
        })
    }

    /// The wires of the relevant states after one more byte. `places` are the states that are relevant before
    /// it and after it.
    fn step<B: Prove<F2> + ?Sized>(
        &self,
        b: &mut B,
        byte: &mut Byte<'_, B::Wire>,
        now: &Now<B::Wire>,
        places: [States; 2],
    ) -> Result<Vec<Option<B::Wire>>, B::Error> {
        let [here, there] = places;
        let mut sets: Vec<Option<B::Wire>> = vec![None; self.sets.len()];
        let mut next = vec![None; MAX_STATES];
        for edge in &self.edges {
            let from = edge.from & here;
            let (Some(known), Some(set), Some(sum)) =
                (sets.get_mut(edge.set), self.sets.get(edge.set), next.get_mut(edge.to))
            else {
                continue;
            };
            if from == 0 || there >> edge.to & 1 == 0 {
                continue;
            }
            let source = match now {
                Now::Certain => None,
                Now::One(states) => {
                    let sources = states.iter().enumerate().filter(|(state, _)| from >> state & 1 == 1);
                    let source = sources
                        .filter_map(|(_, wire)| wire.clone())
                        .fold(None, |sum, wire| Some(plus(b, sum, wire)));
                    if source.is_none() {
                        continue;
                    }
                    source
                }
            };
            let term = match (source, set.is_all()) {
                (Some(source), true) => source,
                (source, _) => {
                    let in_set = match known {
                        Some(in_set) => in_set.clone(),
                        None => known.insert(byte.is_in(b, set)?).clone(),
                    };
                    match source {
                        Some(source) => b.mul(&source, &in_set)?,
                        None => in_set,
                    }
                }
            };
            *sum = Some(plus(b, sum.take(), term));
        }
        Ok(next)
    }

    /// The states through which an accepted string of `length` bytes can lead: before its first byte, ...,
    /// after its last.
    ///
    /// # Errors
    /// [`Error::Contradicted`] if there are none; [`Error::Public`] if this would take too much work.
    fn live(&self, length: usize) -> Result<Vec<States>, Error> {
        let price = self.price();
        if price.saturating_mul(length) > MAX_PRICE {
            return Err(Error::Public(format!(
                "reading {length} bytes takes up to {price} ANDs for each, and at most 2,097,152 (2^21) in all: claim something \
                 simpler, or something of a shorter part"
            )));
        }
        let mut live = vec![self.accepting; length + 1];
        for place in (0..length).rev() {
            let after = live.get(place + 1).copied().unwrap_or_default();
            let ways = self.edges.iter().filter(|edge| after >> edge.to & 1 == 1);
            let before = ways.fold(0, |before, edge| before | edge.from);
            live.iter_mut().skip(place).take(1).for_each(|states| *states = before);
        }
        let mut reached: States = 1;
        for states in &mut live {
            *states &= reached;
            let ways = self.edges.iter().filter(|edge| edge.from & *states != 0);
            reached = ways.fold(0, |reached, edge| reached | 1 << edge.to);
        }
        if live.contains(&0) {
            return Err(cannot_hold(length));
        }
        Ok(live)
    }
}

/// A state of an automaton before it is built.
#[derive(Clone)]
pub(super) struct State {
    pub(super) accepts: bool,
    /// The next state for each byte.
    pub(super) next: [Option<u8>; 256],
}

/// Claims that the automaton is in one of the states.
fn assert_one<B: Prove<F2> + ?Sized>(b: &mut B, states: Vec<Option<B::Wire>>) -> Result<(), B::Error> {
    let sum = states.into_iter().flatten().fold(None, |sum, wire| Some(plus(b, sum, wire)));
    let sum = sum.unwrap_or_else(|| b.constant(F2::ZERO));
    let none = not(b, &sum);
    b.assert_zero(&[none])
}
