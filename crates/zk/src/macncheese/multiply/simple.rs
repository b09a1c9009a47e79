//! The multiplication protocol of section 4.2: three elements for each multiplication, two round trips for
//! each block.
//!
//! ```text
//! Random -> [a_i],  Fix(a_i y_i) -> [c_i],  challenge e,  Reveal(e x_i - a_i) -> eps_i,  AssertZero(e z_i - c_i - eps_i y_i)
//! ```
//!
//! If a block is a batch, this is also its streaming form (section 5.1): each block has its own `e`, and
//! memory is that of one block. If `z_i` is not `x_i y_i`, the query is a polynomial of degree 1 in `e` that
//! is not zero, so the error is `1 / (|M| - 2)` for the block.

use super::super::block::Block;
use super::super::instructions::CommitProve;
use super::super::link::Ask;
use super::super::run::Run;
use super::super::share::Share;
use crate::Error;
use crate::shares::ElementShare;

/// The most multiplications of a block, so that each of its messages is one frame.
pub(in super::super) const MOST: usize = 1 << 12;

pub(super) fn check<H: Share>(run: &mut Run<'_, H>, block: &Block<H>) -> Result<[u8; 16], Error> {
    let n = block.len();
    run.begin(Ask::elements(n, n, 0))?;
    let mut committed = Vec::with_capacity(n);
    block.chunks(|_x, y, _z| {
        for y in y {
            let a = run.random()?;
            let c = run.fix(H::embedded_times(*y, a.x))?;
            committed.push((a, c));
        }
        Ok::<_, Error>(())
    })?;
    let e = run.challenge_element()?;
    run.begin(Ask::elements(0, 0, n))?;
    let mut committed = committed.into_iter();
    block.chunks(|x, y, z| {
        for (((x, y), z), (a, c)) in x.iter().zip(y).zip(z).zip(committed.by_ref()) {
            let [x, y, z] = [x, y, z].map(|wire: &H::Wire| -> ElementShare<H::Mac> { H::lift(*wire) });
            let epsilon = run.reveal(x.times(e) - a)?;
            run.query_zero(z.times(e) - c - y.times(epsilon));
        }
        Ok::<_, Error>(())
    })?;
    run.challenge()
}
