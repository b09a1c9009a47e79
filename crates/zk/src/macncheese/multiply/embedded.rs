use super::super::block::Block;
use super::super::half::Half;
use super::super::run::Run;
use crate::Error;
pub(in super::super) const MOST: usize = 15 << 12;

pub(in super::super) fn check<H: Half>(_run: &mut Run<'_, H>, _block: &Block<H>) -> Result<[u8; 16], Error> {
    unimplemented!()
}
