//! Several strings at once, so that several branches can hold (the threshold `r` of `m`).
//!
//! One string cannot be the messages of `r` branches. So P commits to and sends `r` strings `W_0 .. W_{r-1}`,
//! each with its own correlations, and branch `i` reads
//!
//! ```text
//! sum_j alpha_i^j W_j           alpha_i different and not zero
//! ```
//!
//! for commitments, random commitments and messages alike. For any `r` branches these are `r` independent
//! strings with independent masks. P solves for the `W_j` that give its `r` branches the strings that they
//! write. The other branches read linear combinations of uniform strings.
//!
//! Bits are mixed in groups of eight, as elements of GF(2^8). A group takes 8 slots, and the groups of the
//! `r` strings alternate in a message.

use std::sync::Arc;

use volery_circuit::Error as StatementError;
use volery_field::Ring;
use zeroize::Zeroizing;

use super::super::link::{Ask, Counts, Length, Piece, Round, Slots};
use super::super::share::{Share, mask};
use super::children::{Lend, Stack};
use super::split::interpolate;
use crate::Error;
use crate::shares::ElementShare;

/// The most branches: points are bytes other than zero.
const MOST: usize = 255;

/// How branches read the strings.
pub(super) struct Mixed<H: Share> {
    r: usize,
    /// `alpha_i^j` for every branch and string.
    powers: Vec<Vec<H::Point>>,
}

impl<H: Share> Mixed<H> {
    /// For `m` branches; `r` of them write.
    pub(super) fn new(r: usize, m: usize) -> Result<Self, Error> {
        if r == 0 || r > m || m > MOST {
            let reason =
                format!("{r} of {m} branches; at most {MOST} branches are possible, and at least one");
            return Err(StatementError::misuse(reason).into());
        }
        let powers = (1..=m as u8).map(|i| {
            let alpha = H::mixing_point(i);
            let next = |power: &H::Point| Some(*power * alpha);
            std::iter::successors(Some(H::Point::ONE), next).take(r).collect()
        });
        Ok(Self { r, powers: powers.collect() })
    }

    /// The length of each branch's string if `n` slots are mixed: whole groups.
    fn part(&self, n: usize) -> usize {
        n / (H::GROUP * self.r) * H::GROUP
    }

    /// The `r` strings, from slots in which their groups alternate.
    fn strands<T: Copy>(&self, base: &[T]) -> Vec<Vec<T>> {
        let groups = self.part(base.len()) / H::GROUP;
        let strand = |j| {
            let group = move |g| base[(g * self.r + j) * H::GROUP..][..H::GROUP].iter().copied();
            (0..groups).flat_map(group).collect()
        };
        (0..self.r).map(strand).collect()
    }

    /// The string that branch `i` reads.
    fn reads(&self, i: usize, strands: &[Vec<H::Wire>]) -> Vec<H::Wire> {
        let mut out = vec![H::Wire::default(); strands.first().map_or(0, Vec::len)];
        strands.iter().zip(&self.powers[i]).for_each(|(strand, power)| H::mix(*power, strand, &mut out));
        out
    }

    fn reads_values(&self, i: usize, strands: &[Vec<H::Value>]) -> Vec<H::Value> {
        let mut out = vec![H::Value::ZERO; strands.first().map_or(0, Vec::len)];
        strands
            .iter()
            .zip(&self.powers[i])
            .for_each(|(strand, power)| H::mix_values(*power, strand, &mut out));
        out
    }

    fn reads_shares(&self, i: usize, base: &[ElementShare<H::Mac>]) -> Vec<ElementShare<H::Mac>> {
        let powers: Vec<H::Mac> = self.powers[i].iter().map(|power| H::lift_point(*power)).collect();
        let mix = |base: &[ElementShare<H::Mac>]| {
            base.iter().zip(&powers).fold(ElementShare::default(), |sum, (w, power)| sum + w.times(*power))
        };
        base.chunks_exact(self.r).map(mix).collect()
    }

    fn reads_elements(&self, i: usize, base: &[H::Mac]) -> Vec<H::Mac> {
        let elements: Vec<_> = base.iter().map(|x| ElementShare { x: *x, m: H::Mac::ZERO }).collect();
        self.reads_shares(i, &elements).into_iter().map(|w| w.x).collect()
    }

    /// The piece that branch `i` gets, from one in which `due` commitments are due.
    fn piece_of(&self, i: usize, strands: &[Vec<H::Wire>], due: usize) -> Arc<Piece<H>> {
        Arc::new(Piece { wires: self.reads(i, strands), due: self.part(due) })
    }

    /// The round that branch `i` gets: the parts that it asked for, filled up to whole groups with uniform
    /// elements.
    fn round_of(&self, i: usize, base: &Round<H>) -> Box<Round<H>> {
        let mut elements = Slots::default();
        elements.fix = self.reads_shares(i, &base.elements.fix);
        elements.random = self.reads_shares(i, &base.elements.random);
        elements.send = self.reads_elements(i, &base.elements.send);
        let mut values = Slots::default();
        values.fix = self.reads(i, &self.strands(&base.values.fix));
        values.random = self.reads(i, &self.strands(&base.values.random));
        values.send = self.reads_values(i, &self.strands(&base.values.send));
        Box::new(Round { elements, values })
    }

    /// The coefficients that give the strings `W_j` from those of the writers: the inverse of the writers'
    /// Vandermonde matrix.
    fn solution(&self, writers: &[usize]) -> Result<Vec<Vec<H::Point>>, Error> {
        let place = |i: usize| H::mixing_point(i as u8 + 1);
        let unit = |i: usize| {
            let at: Vec<_> = writers
                .iter()
                .map(|k| (place(*k), if *k == i { H::Point::ONE } else { H::Point::ZERO }))
                .collect();
            interpolate(&at)
        };
        writers.iter().map(|i| unit(*i)).collect()
    }
}

/// The values of a writer's wires.
fn values<H: Share>(wires: &[H::Wire]) -> Zeroizing<Vec<H::Value>> {
    Zeroizing::new(wires.iter().map(|w| H::value(*w)).collect())
}

/// Computes the strings' values from those of the writers, and puts them into the slots of the message.
fn solve<H: Share>(
    mixed: &Mixed<H>,
    solution: &[Vec<H::Point>],
    written: &[&[H::Value]],
    mut put: impl FnMut(usize, H::Value),
) {
    let n = written.first().map_or(0, |w| w.len());
    for j in 0..mixed.r {
        let mut strand = Zeroizing::new(vec![H::Value::ZERO; n]);
        for (coefficients, written) in solution.iter().zip(written) {
            H::mix_values(coefficients[j], written, &mut strand);
        }
        for (at, x) in strand.iter().enumerate() {
            put((at / H::GROUP * mixed.r + j) * H::GROUP + at % H::GROUP, *x);
        }
    }
}

/// As [`solve`], for elements of the MAC field.
fn solve_elements<H: Share>(
    mixed: &Mixed<H>,
    solution: &[Vec<H::Point>],
    written: &[&[H::Mac]],
    mut put: impl FnMut(usize, H::Mac),
) {
    for c in 0..written.first().map_or(0, |w| w.len()) {
        for j in 0..mixed.r {
            let terms = solution.iter().zip(written);
            let x = terms
                .fold(H::Mac::ZERO, |sum, (coefficients, w)| sum + H::lift_point(coefficients[j]) * w[c]);
            put(c * mixed.r + j, x);
        }
    }
}

impl<H: Share> Lend<H> for Mixed<H> {
    fn writers(&self) -> usize {
        self.r
    }

    fn ask(&self, ask: Ask) -> Ask {
        let whole = |n: usize| n.next_multiple_of(H::GROUP);
        let Counts { fix, random, send } = ask.values;
        let values = Counts { fix: whole(fix), random: whole(random), send: whole(send) };
        Ask { values, ..ask }.times(self.r)
    }

    fn length(&self, length: Length) -> Length {
        length.times(H::GROUP, self.r)
    }

    fn piece(
        &mut self,
        stack: &mut Stack<'_, H>,
        turns: &[usize],
        piece: &mut Arc<Piece<H>>,
    ) -> Result<usize, Error> {
        let strands = Zeroizing::new(self.strands(&piece.wires));
        let per_branch = strands.first().map_or(0, Vec::len);
        if per_branch == 0 {
            let reason =
                format!("a threshold of {} does not fit into a piece of {}", self.r, piece.wires.len());
            return Err(StatementError::misuse(reason).into());
        }
        let writers: Vec<usize> = (0..stack.truth.len()).filter(|i| stack.truth[*i]).collect();
        let (mut most, mut written) = (0, Vec::with_capacity(writers.len()));
        for i in &writers {
            let own = self.piece_of(*i, &strands, piece.due);
            if turns.contains(i) {
                let (back, used) = stack.lend_piece(*i, own)?;
                most = most.max(used);
                written.push(values::<H>(&back.wires));
            } else {
                written.push(values::<H>(&own.wires));
            }
        }
        if !writers.is_empty() {
            let Some(own) = Arc::get_mut(piece) else {
                return Err(StatementError::misuse("a piece was read before it was written").into());
            };
            let written: Vec<&[H::Value]> = written.iter().map(|w| w.as_slice()).collect();
            let solution = self.solution(&writers)?;
            solve(self, &solution, &written, |at, x| own.wires[at] = H::commit(mask(true), own.wires[at], x));
        }
        let strands = Zeroizing::new(self.strands(&piece.wires));
        for i in turns.iter().filter(|i| !writers.contains(i)) {
            let (_, used) = stack.lend_piece(*i, self.piece_of(*i, &strands, piece.due))?;
            most = most.max(used);
        }
        Ok(most.next_multiple_of(H::GROUP) * self.r)
    }

    fn round(
        &mut self,
        stack: &mut Stack<'_, H>,
        turns: &[usize],
        round: &mut Box<Round<H>>,
    ) -> Result<(), Error> {
        let writers: Vec<usize> = (0..stack.truth.len()).filter(|i| stack.truth[*i]).collect();
        let mut written = Vec::with_capacity(writers.len());
        for i in &writers {
            let own = self.round_of(*i, round);
            // If a writer has no turn, its uniform elements stay.
            written.push(if turns.contains(i) { stack.lend_round(*i, own)? } else { own });
        }
        if !writers.is_empty() {
            self.write(&self.solution(&writers)?, &written, round);
        }
        for i in turns.iter().filter(|i| !writers.contains(i)) {
            stack.lend_round(*i, self.round_of(*i, round))?;
        }
        Ok(())
    }
}

impl<H: Share> Mixed<H> {
    /// Replaces the strings by those that give the writers what they wrote.
    fn write(&self, solution: &[Vec<H::Point>], written: &[Box<Round<H>>], round: &mut Round<H>) {
        let fixed: Vec<Zeroizing<Vec<H::Mac>>> =
            written.iter().map(|w| Zeroizing::new(w.elements.fix.iter().map(|w| w.x).collect())).collect();
        let fixed: Vec<&[H::Mac]> = fixed.iter().map(|w| w.as_slice()).collect();
        solve_elements(self, solution, &fixed, |at, x| round.elements.fix[at].x = x);
        let sent: Vec<&[H::Mac]> = written.iter().map(|w| w.elements.send.as_slice()).collect();
        solve_elements(self, solution, &sent, |at, x| round.elements.send[at] = x);
        let fixed: Vec<_> = written.iter().map(|w| values::<H>(&w.values.fix)).collect();
        let fixed: Vec<&[H::Value]> = fixed.iter().map(|w| w.as_slice()).collect();
        let fix = &mut round.values.fix;
        solve(self, solution, &fixed, |at, x| fix[at] = H::commit(mask(true), fix[at], x));
        let sent: Vec<&[H::Value]> = written.iter().map(|w| w.values.send.as_slice()).collect();
        solve(self, solution, &sent, |at, x| round.values.send[at] = x);
    }
}
