//! A cheating P that chooses the values of its correlations, as the ideal functionality allows a corrupted P.
//!
//! Other crates need it to test forgeries. They turn on the feature `cheats` in builds of tests only, so no
//! released program or library contains this module.
//!
//! In an extension V's key depends on P's corrections, and P is bound to one vector of values for each tree
//! (see [`softspoken`](crate::softspoken)). This P uses the vector that it wants for all trees except the
//! first. The first tree then has another vector, and P repairs its tags there with a guess of the first
//! piece of V's delta. A wrong guess ends the session. Tests look the piece up ([`Deltas`]), so that one
//! setup is enough.
//!
//! ```text
//! V's thread:   deltas.watch();
//! P's thread:   cheats::choose_bits(move |n| Some((deltas.piece(0, 8), wanted(n))));
//! ```
//!
//! If challenges are hashes, such a P fails because it cannot foresee the chain
//! ([`Chain`](crate::correlations::Chain)). A test in which a forgery is refused shows little unless the same
//! forgery is accepted with a chain that P knows: see [`stop_chains`].
//!
//! Hooks belong to a thread. They change what all receivers and generators of this thread do from then on,
//! until [`honest`] is called.

use core::any::Any;
use core::cell::{Cell, RefCell};
use std::sync::{Arc, Mutex, PoisonError};

use volery_field::{Gf128, Value};

use crate::Delta;

/// What P wants of one extension: its guess of the first piece of delta, and the first values. Later values
/// stay as they are.
type Wanted<T> = Option<(u8, Vec<T>)>;

/// Asked once for each message of an extension, with the number of its correlations.
type Choice<T> = Box<dyn FnMut(usize) -> Wanted<T>>;

thread_local! {
    static BITS: RefCell<Option<Choice<bool>>> = const { RefCell::new(None) };
    static ELEMENTS: RefCell<Option<Box<dyn Any>>> = const { RefCell::new(None) };
    static WATCHED: RefCell<Option<Deltas>> = const { RefCell::new(None) };
    static STOPPED: Cell<bool> = const { Cell::new(false) };
}

/// Calls `choose` from now on at each chunk of OT extension that this thread sends as P: those of bits, and
/// those for the paths of rounds over a field. `None` leaves a chunk honest.
pub fn choose_bits(choose: impl FnMut(usize) -> Wanted<bool> + 'static) {
    BITS.with(|hook| *hook.borrow_mut() = Some(Box::new(choose)));
}

/// Calls `choose` from now on at each extension of the base VOLE over `F` that this thread sends as P.
pub fn choose_elements<F: Value>(choose: impl FnMut(usize) -> Wanted<F> + 'static) {
    let choose: Choice<F> = Box::new(choose);
    ELEMENTS.with(|hook| *hook.borrow_mut() = Some(Box::new(choose)));
}

/// Stops the chains of this thread's generators from now on: neither V's bytes nor the messages of a batch
/// enter them, so everybody knows in advance what they will be. Both parties' threads must call this.
pub fn stop_chains() {
    STOPPED.set(true);
}

/// Ends all cheating of this thread.
pub fn honest() {
    STOPPED.set(false);
    BITS.with(|hook| hook.borrow_mut().take());
    ELEMENTS.with(|hook| hook.borrow_mut().take());
    WATCHED.with(|hook| hook.borrow_mut().take());
}

/// V's deltas, where a test can look them up.
#[derive(Clone, Default)]
pub struct Deltas(Arc<Mutex<Vec<u128>>>);

impl Deltas {
    /// From now on the binary delta of every set-up that this thread starts as V is noted, in order: in a
    /// session that of bits is number 0, that of a field number 1.
    pub fn watch(&self) {
        WATCHED.with(|hook| *hook.borrow_mut() = Some(self.clone()));
    }

    /// The first piece of delta number `setup`, `bits` bits wide: 8 over bits and fields with digits of 8
    /// bits, else 4. It is there once P has V's message of the base OT.
    ///
    /// # Panics
    /// If it is not there.
    #[must_use]
    pub fn piece(&self, setup: usize, bits: usize) -> u8 {
        let deltas = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        deltas[setup] as u8 & (u8::MAX >> (8 - bits))
    }
}

/// Which of `elements` add up to `target`, where some do.
#[must_use]
pub fn subset(elements: &[Gf128], target: Gf128) -> Option<Vec<bool>> {
    // A basis of what sums can be, each member with a highest bit of its own, and with the elements that it
    // is the sum of.
    let mut basis: Vec<(u128, Vec<bool>)> = Vec::new();
    let reduce = |basis: &[(u128, Vec<bool>)], mut value: u128, mut made: Vec<bool>| {
        for (member, of) in basis {
            if value >> member.ilog2() & 1 == 1 {
                value ^= member;
                made.iter_mut().zip(of).for_each(|(made, of)| *made ^= of);
            }
        }
        (value, made)
    };
    for (i, element) in elements.iter().enumerate() {
        let mut made = vec![false; elements.len()];
        made[i] = true;
        let (value, made) = reduce(&basis, element.to_bits(), made);
        if value != 0 {
            basis.push((value, made));
            basis.sort_by_key(|member| core::cmp::Reverse(member.0));
        }
    }
    let (rest, made) = reduce(&basis, target.to_bits(), vec![false; elements.len()]);
    (rest == 0).then_some(made)
}

/// An odd number of `elements` whose sum is zero, where there are such.
#[must_use]
pub fn odd_subset(elements: &[Gf128]) -> Option<Vec<bool>> {
    // With the first one as often as makes the number odd: it adds itself to each other one.
    let (first, others) = elements.split_first()?;
    let sums: Vec<Gf128> = others.iter().map(|element| *element + *first).collect();
    let mut chosen = subset(&sums, *first)?;
    let even = chosen.iter().filter(|chosen| **chosen).count().is_multiple_of(2);
    chosen.insert(0, even);
    Some(chosen)
}

/// Whether this thread's chains stand still.
pub(crate) fn chains_stand() -> bool {
    STOPPED.get()
}

/// V starts a set-up.
pub(crate) fn note(delta: &Delta) {
    WATCHED.with(|hook| {
        if let Some(Deltas(deltas)) = &*hook.borrow() {
            deltas.lock().unwrap_or_else(PoisonError::into_inner).push(delta.expose().to_bits());
        }
    });
}

/// P's guess and, for a chunk of `rows` whose bits are `u`, what is to be added to them.
pub(crate) fn bits(u: &[Gf128], rows: usize) -> Option<(u8, Vec<Gf128>)> {
    let (guess, wanted) = BITS.with(|hook| hook.borrow_mut().as_mut().and_then(|choose| choose(rows)))?;
    let mut errors = vec![Gf128::ZERO; u.len()];
    for (i, wanted) in wanted.iter().enumerate().take(rows) {
        let have = u[i / 128].to_bits() >> (i % 128) & 1 == 1;
        errors[i / 128] += Gf128::from_bits(u128::from(have != *wanted) << (i % 128));
    }
    Some((guess, errors))
}

/// P's guess and wanted values of an extension by `n`.
pub(crate) fn elements<F: Value>(n: usize) -> Wanted<F> {
    ELEMENTS.with(|hook| {
        let mut hook = hook.borrow_mut();
        hook.as_mut()?.downcast_mut::<Choice<F>>()?(n)
    })
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha12Rng;
    use rand_core::SeedableRng;
    use volery_channel::{Limits, memory_pair};

    use super::*;
    use crate::softspoken::{FieldBits, Receiver, Sender};
    use crate::{Error, SessionId};

    const SESSION: SessionId = SessionId::new([1; 32]);

    /// 300 tags of a P that wants the bits of a pattern, and V's keys; its guess is off by `wrong`.
    fn run(wrong: u8) -> (Vec<Gf128>, Result<Vec<Gf128>, Error>, Gf128) {
        let (mut left, mut right) = memory_pair(&Limits::default());
        let deltas = Deltas::default();
        let seen = deltas.clone();
        std::thread::scope(|scope| {
            let p = scope.spawn(move || {
                choose_bits(move |n| {
                    let pattern = (0..n).map(|i| i % 3 == 0).collect();
                    Some((seen.piece(0, 8) ^ wrong, pattern))
                });
                let rng = &mut ChaCha12Rng::seed_from_u64(1);
                let mut receiver = Receiver::setup(&mut left, &SESSION, FieldBits::Eight, rng).unwrap();
                let mut tags = Vec::new();
                receiver.extend(&mut left, 300, &mut tags).unwrap();
                volery_channel::Channel::flush(&mut left).unwrap();
                tags
            });
            deltas.watch();
            let rng = &mut ChaCha12Rng::seed_from_u64(2);
            let delta = Delta::random(rng);
            let kept = delta.expose();
            let mut sender = Sender::setup(&mut right, &SESSION, FieldBits::Eight, delta, rng).unwrap();
            let mut keys = Vec::new();
            let result = sender.extend(&mut right, 300, &mut keys).map(|()| keys);
            honest();
            (p.join().unwrap(), result, kept)
        })
    }

    fn sum(elements: &[Gf128], chosen: &[bool]) -> Gf128 {
        elements.iter().zip(chosen).filter(|(_, chosen)| **chosen).fold(Gf128::ZERO, |sum, (x, _)| sum + *x)
    }

    #[test]
    fn subsets_add_up_to_what_was_asked_for_where_there_are_any() {
        let mut elements = [Gf128::ZERO; 200];
        crate::Prg::new([1; 16]).blocks(&mut elements);
        for target in [Gf128::ZERO, Gf128::ONE, elements[3] + elements[190]] {
            assert_eq!(sum(&elements, &subset(&elements, target).unwrap()), target);
        }
        assert_eq!(subset(&elements[..100], Gf128::ONE), None);
        let odd = odd_subset(&elements).unwrap();
        assert_eq!((sum(&elements, &odd), odd.iter().filter(|one| **one).count() % 2), (Gf128::ZERO, 1));
        assert_eq!((odd_subset(&elements[..100]), odd_subset(&[])), (None, None));
    }

    /// Why a challenge that is a hash must not be known before the correlations are fixed.
    #[test]
    fn p_chooses_every_bit_with_a_right_guess_of_eight_bits_of_delta_and_none_with_a_wrong_one() {
        let (tags, keys, delta) = run(0);
        for (i, (tag, key)) in tags.iter().zip(keys.unwrap()).enumerate() {
            assert_eq!(tag.to_bits() & 1 == 1, i % 3 == 0);
            assert_eq!(key, *tag + delta * tag.lsb());
        }
        for wrong in [2, 0x80, 0xfe] {
            assert!(matches!(run(wrong).1, Err(Error::Cheat { .. })), "{wrong}");
        }
    }
}
