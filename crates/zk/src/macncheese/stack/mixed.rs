use std::sync::Arc;

use super::super::half::Half;
use super::super::link::{Ask, Piece, Round};
use super::children::{Lend, Stack};
use crate::Error;

pub(super) struct Mixed<H: Half>(core::marker::PhantomData<H>);
impl<H: Half> Mixed<H> {
    pub(super) fn new(_r: usize, _m: usize) -> Result<Self, Error> {
        unimplemented!()
    }
}
impl<H: Half> Lend<H> for Mixed<H> {
    fn writers(&self) -> usize {
        unimplemented!()
    }
    fn ask(&self, _ask: Ask) -> Ask {
        unimplemented!()
    }
    fn piece(&mut self, _: &mut Stack<H>, _: &[usize], _: &mut Arc<Piece<H>>) -> Result<usize, Error> {
        unimplemented!()
    }
    fn round(&mut self, _: &mut Stack<H>, _: &[usize], _: Ask, _: &mut Box<Round<H>>) -> Result<(), Error> {
        unimplemented!()
    }
}
