//! Watching a run: every step with its operands, its result and the word of memory that it touches.
//!
//! The emulator is generic over its [`Observer`]. The one that does nothing, `()`, costs nothing.
//!
//! Steps hold secrets, so none of these types can be printed.

use std::collections::HashMap;

use zeroize::Zeroize;

use crate::{Class, Instruction};

/// One access to a word of memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// The word's address: a multiple of 4. A byte or a halfword lies somewhere in the word.
    pub address: u32,
    /// The word before.
    pub old: u32,
    /// The word afterwards; after a load the same.
    pub new: u32,
}

impl Zeroize for Access {
    fn zeroize(&mut self) {
        let Self { address, old, new } = self;
        [address, old, new].into_iter().for_each(Zeroize::zeroize);
    }
}

/// One instruction that was carried out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Where the instruction is.
    pub pc: u32,
    /// The instruction.
    pub instruction: Instruction,
    /// The value of its `rs1` before; 0 if it has none.
    pub left: u32,
    /// The value of its `rs2` before; 0 if it has none.
    pub right: u32,
    /// What its [destination](Instruction::destination) takes. For an instruction that writes `x0`, what
    /// would be written; for `ecall`, what `a0` takes; otherwise 0.
    pub result: u32,
    /// Where the next instruction is.
    pub next: u32,
    /// The word that a load or a store touches. Those of an environment call are told before.
    pub access: Option<Access>,
}

/// An environment call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// Its number: what `a7` holds.
    pub number: u32,
    /// What `a0`, `a1` and `a2` hold.
    pub arguments: [u32; 3],
    /// What `a0` takes.
    pub result: u32,
}

/// Sees a run. The methods that are not implemented do nothing.
pub trait Observer {
    /// An instruction was carried out. A trap is none: it changes nothing.
    #[inline]
    fn step(&mut self, step: &Step) {
        let _ = step;
    }

    /// An environment call reads or writes this word of the program's memory. Comes before the call.
    #[inline]
    fn transfer(&mut self, access: &Access) {
        let _ = access;
    }

    /// An environment call was served. Comes before its step.
    #[inline]
    fn call(&mut self, call: &Call) {
        let _ = call;
    }

    /// The program writes this to file 2, for whoever looks for its mistakes. The words that it reads for
    /// this are no transfers.
    #[inline]
    fn debug(&mut self, bytes: &[u8]) {
        let _ = bytes;
    }
}

impl Observer for () {}

/// Counts steps by class, and the words of memory that a run touches.
#[derive(Default)]
pub struct Counts {
    classes: [u64; Class::ALL.len()],
    touched: u64,
    /// One bit for each word of a page of 4 KiB.
    pages: Vec<[u64; 16]>,
    /// Where the bits of a page are, by its number.
    index: HashMap<u32, usize>,
    /// The page of the last access.
    last: Option<(u32, usize)>,
    /// Calls that the machine does not serve, by number.
    unknown: HashMap<u32, u64>,
}

impl Counts {
    /// The steps of a class.
    #[must_use]
    pub fn steps(&self, class: Class) -> u64 {
        self.classes[class as usize]
    }

    /// How many different words of memory were read or written: by loads, stores and environment calls.
    #[must_use]
    pub fn touched(&self) -> u64 {
        self.touched
    }

    /// The numbers of environment calls that the machine does not serve, and how often each was made.
    #[must_use]
    pub fn unknown_calls(&self) -> Vec<(u32, u64)> {
        let mut calls: Vec<_> = self.unknown.iter().map(|(number, count)| (*number, *count)).collect();
        calls.sort_unstable();
        calls
    }

    fn touch(&mut self, address: u32) {
        let page = address >> 12;
        let place = match self.last {
            Some((last, place)) if last == page => place,
            _ => *self.index.entry(page).or_insert_with(|| {
                self.pages.push([0; 16]);
                self.pages.len() - 1
            }),
        };
        self.last = Some((page, place));
        let word = address >> 2 & 1023;
        let (bits, bit) = (&mut self.pages[place][word as usize / 64], 1 << (word % 64));
        self.touched += u64::from(*bits & bit == 0);
        *bits |= bit;
    }
}

impl Observer for Counts {
    #[inline]
    fn step(&mut self, step: &Step) {
        self.classes[step.instruction.class() as usize] += 1;
        if let Some(access) = &step.access {
            self.touch(access.address);
        }
    }

    fn transfer(&mut self, access: &Access) {
        self.touch(access.address);
    }

    fn call(&mut self, call: &Call) {
        if !crate::emulator::is_served(call.number) {
            *self.unknown.entry(call.number).or_default() += 1;
        }
    }
}
