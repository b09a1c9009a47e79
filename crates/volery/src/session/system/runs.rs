//! Systems that prove runs of programs.

use volery_field::{F61, F61x2};
use volery_machine::proof::WatchedRun;

use super::super::memory;
use super::{Over, Provable, System};

/// A system that proves runs of programs. Challenges are drawn from the field of MACs, so that decides what a
/// proof is worth: `Over<F61, F61>` leaves 40 bits, `Over<F61, F61x2>` leaves 100 and takes about three
/// times as long.
pub trait ProvesRuns: System {
    /// A run as a trait object: so what proves it is compiled here, once, and not in every crate that has a
    /// channel of its own.
    #[doc(hidden)]
    fn provable<'a>(run: &'a WatchedRun<'a>) -> &'a (dyn Provable<Self> + 'a);

    /// Bytes of a wire at P and at V, where it is an element of the field of MACs.
    #[doc(hidden)]
    const WIRE: [u64; 2];
}

impl ProvesRuns for Over<F61, F61> {
    const WIRE: [u64; 2] = memory::wire::<F61, F61>();

    fn provable<'a>(run: &'a WatchedRun<'a>) -> &'a (dyn Provable<Self> + 'a) {
        run
    }
}

impl ProvesRuns for Over<F61, F61x2> {
    const WIRE: [u64; 2] = memory::wire::<F61, F61x2>();

    fn provable<'a>(run: &'a WatchedRun<'a>) -> &'a (dyn Provable<Self> + 'a) {
        run
    }
}
