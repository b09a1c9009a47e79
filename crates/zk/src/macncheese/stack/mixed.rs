//! Several strings at once, so that several branches can hold (the threshold `r` of `m`).
//!
//! One string cannot be what `r` branches want to say. So `r` committed strings `W_0 .. W_{r-1}` travel, each
//! under correlations of its own, and branch `i` reads
//!
//! ```text
//! sum_j alpha_i^j W_j           alpha_i different and not zero
//! ```
//!
//! commitments, random commitments and messages alike. For any `r` branches these are `r` independent
//! strings, with independent masks; P solves for the `W_j` that give its `r` branches what they write.
//! Everybody else reads some linear combination of uniform strings.
//!
//! Bits are mixed in groups of eight, as elements of GF(2^8): a group of the string is 8 slots, and in what
//! travels the groups of the `r` strings alternate.

use std::sync::Arc;

use volery_circuit::Error as StatementError;
use volery_field::Ring;
use zeroize::Zeroizing;

use super::super::half::{Half, Wide, mask};
use super::super::link::{Ask, Counts, Length, Piece, Round, Slots};
use super::children::{Lend, Stack};
use super::shares::interpolate;
use crate::Error;

/// Most branches: points are bytes other than zero.
const MOST: usize = 255;

/// The strings and who reads what.
pub(super) struct Mixed<H: Half> {
    r: usize,
    /// `alpha_i^j` for every branch and string.
    powers: Vec<Vec<H::Point>>,
}

impl<H: Half> Mixed<H> {
    /// Of `m` branches `r` write.
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

    /// How much of `n` each branch gets: whole groups.
    fn share(&self, n: usize) -> usize {
        n / (H::GROUP * self.r) * H::GROUP
    }

    /// What strings are made of: group `g` of string `j` out of what travels.
    fn strands<T: Copy>(&self, base: &[T]) -> Vec<Vec<T>> {
        let groups = self.share(base.len()) / H::GROUP;
        let strand = |j| {
            let group = move |g| base[(g * self.r + j) * H::GROUP..][..H::GROUP].iter().copied();
            (0..groups).flat_map(group).collect()
        };
        (0..self.r).map(strand).collect()
    }

    /// What branch `i` reads.
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

    fn reads_wide(&self, i: usize, base: &[Wide<H::Mac>]) -> Vec<Wide<H::Mac>> {
        let powers: Vec<H::Mac> = self.powers[i].iter().map(|power| H::widen_point(*power)).collect();
        let mix = |base: &[Wide<H::Mac>]| {
            base.iter().zip(&powers).fold(Wide::default(), |sum, (w, power)| sum + w.times(*power))
        };
        base.chunks_exact(self.r).map(mix).collect()
    }

    fn reads_elements(&self, i: usize, base: &[H::Mac]) -> Vec<H::Mac> {
        let wide: Vec<_> = base.iter().map(|x| Wide { x: *x, m: H::Mac::ZERO }).collect();
        self.reads_wide(i, &wide).into_iter().map(|w| w.x).collect()
    }

    /// The piece that branch `i` gets, of one in which `due` commitments are due.
    fn piece_of(&self, i: usize, strands: &[Vec<H::Wire>], due: usize) -> Arc<Piece<H>> {
        Arc::new(Piece { wires: self.reads(i, strands), due: self.share(due) })
    }

    /// The round that branch `i` gets: as much as was asked for, and uniform elements up to whole groups.
    fn round_of(&self, i: usize, base: &Round<H>) -> Box<Round<H>> {
        let mut wide = Slots::default();
        wide.fix = self.reads_wide(i, &base.wide.fix);
        wide.random = self.reads_wide(i, &base.wide.random);
        wide.send = self.reads_elements(i, &base.wide.send);
        let mut narrow = Slots::default();
        narrow.fix = self.reads(i, &self.strands(&base.narrow.fix));
        narrow.random = self.reads(i, &self.strands(&base.narrow.random));
        narrow.send = self.reads_values(i, &self.strands(&base.narrow.send));
        Box::new(Round { wide, narrow })
    }

    /// For every string the coefficients that what the writers read has in it: the inverse of their
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

/// The values of what a writer got back.
fn values<H: Half>(wires: &[H::Wire]) -> Zeroizing<Vec<H::Value>> {
    Zeroizing::new(wires.iter().map(|w| H::value(*w)).collect())
}

/// Writes the strings' values into what travels.
fn solve<H: Half>(
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
fn solve_wide<H: Half>(
    mixed: &Mixed<H>,
    solution: &[Vec<H::Point>],
    written: &[&[H::Mac]],
    mut put: impl FnMut(usize, H::Mac),
) {
    for c in 0..written.first().map_or(0, |w| w.len()) {
        for j in 0..mixed.r {
            let terms = solution.iter().zip(written);
            let x = terms
                .fold(H::Mac::ZERO, |sum, (coefficients, w)| sum + H::widen_point(coefficients[j]) * w[c]);
            put(c * mixed.r + j, x);
        }
    }
}

impl<H: Half> Lend<H> for Mixed<H> {
    fn writers(&self) -> usize {
        self.r
    }

    fn ask(&self, ask: Ask) -> Ask {
        let whole = |n: usize| n.next_multiple_of(H::GROUP);
        let Counts { fix, random, send } = ask.narrow;
        let narrow = Counts { fix: whole(fix), random: whole(random), send: whole(send) };
        Ask { narrow, ..ask }.times(self.r)
    }

    fn length(&self, length: Length) -> Length {
        length.times(H::GROUP, self.r)
    }

    fn piece(
        &mut self,
        stack: &mut Stack<H>,
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
        stack: &mut Stack<H>,
        turns: &[usize],
        round: &mut Box<Round<H>>,
    ) -> Result<(), Error> {
        let writers: Vec<usize> = (0..stack.truth.len()).filter(|i| stack.truth[*i]).collect();
        let mut written = Vec::with_capacity(writers.len());
        for i in &writers {
            let own = self.round_of(*i, round);
            // Of a writer that has no turn the uniform elements stay.
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

impl<H: Half> Mixed<H> {
    /// Makes the strings those that give the writers what they wrote.
    fn write(&self, solution: &[Vec<H::Point>], written: &[Box<Round<H>>], round: &mut Round<H>) {
        let fixed: Vec<Zeroizing<Vec<H::Mac>>> =
            written.iter().map(|w| Zeroizing::new(w.wide.fix.iter().map(|w| w.x).collect())).collect();
        let fixed: Vec<&[H::Mac]> = fixed.iter().map(|w| w.as_slice()).collect();
        solve_wide(self, solution, &fixed, |at, x| round.wide.fix[at].x = x);
        let sent: Vec<&[H::Mac]> = written.iter().map(|w| w.wide.send.as_slice()).collect();
        solve_wide(self, solution, &sent, |at, x| round.wide.send[at] = x);
        let fixed: Vec<_> = written.iter().map(|w| values::<H>(&w.narrow.fix)).collect();
        let fixed: Vec<&[H::Value]> = fixed.iter().map(|w| w.as_slice()).collect();
        let fix = &mut round.narrow.fix;
        solve(self, solution, &fixed, |at, x| fix[at] = H::commit(mask(true), fix[at], x));
        let sent: Vec<&[H::Value]> = written.iter().map(|w| w.narrow.send.as_slice()).collect();
        solve(self, solution, &sent, |at, x| round.narrow.send[at] = x);
    }
}
