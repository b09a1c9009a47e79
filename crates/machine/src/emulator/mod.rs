//! Running a program.
//!
//! # Start
//!
//! `pc` is the entry, `sp` is [`STACK_POINTER`], all other registers are 0. A start-up file sets `gp`. Memory
//! is the program's segments and the stack, see [`crate::program`].
//!
//! # Environment calls
//!
//! The number is in `a7`, the arguments are in `a0` to `a2`, the result comes in `a0`, as on Linux:
//!
//! | call | what it does |
//! |---|---|
//! | 93, `exit(code)` | ends the run. The code is all 32 bits (a shell under Linux shows the lowest 8) |
//! | 63, `read(0, buffer, n)` | the next bytes of the secret input: `n` of them, or what is left; 0 at its end |
//! | 63, `read(3, buffer, n)` | the same of the public input |
//! | 64, `write(1, buffer, n)` | appends to the journal, which the run makes public |
//! | 64, `write(2, buffer, n)` | for debugging: goes to the [observer](crate::Observer::debug) and nowhere else |
//!
//! Reading or writing another file gives -9 (`EBADF`). Every other call gives -38 (`ENOSYS`), which a kernel
//! answers that does not have it: so start-up files and libraries that can do without a call work, and
//! [`Counts`](crate::Counts) tells which calls were made.
//!
//! A buffer outside of the memory is a trap at the `ecall`. Only the bytes that are transferred count. A
//! write to file 2 takes 64 KiB at most, and never traps: bytes outside of the memory are left out.
//!
//! # Ends
//!
//! A run ends with [`End::Exit`] or with [`End::Trap`]. A trap changes nothing: registers and memory are as
//! before the instruction. A jump or a branch that is taken to an address that is no multiple of 4 traps
//! itself. Alignment is looked at before the segments are. A run that goes beyond its [`Limits`] is an
//! [`Error`] and has no end.

mod calls;
mod end;
mod step;

use zeroize::Zeroize;

use crate::memory::{Memory, PAGE_BYTES};
use crate::observer::Observer;
use crate::program::{Kind, Program, STACK_BYTES, STACK_END, STACK_POINTER};

pub(crate) use calls::is_served;
pub use end::{Cause, End};

/// The registers' numbers of the calling convention.
mod register {
    pub(super) const SP: usize = 2;
    pub(super) const A0: usize = 10;
    pub(super) const A1: usize = 11;
    pub(super) const A2: usize = 12;
    pub(super) const A7: usize = 17;
}

/// How far a run may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Steps.
    pub steps: u64,
    /// Bytes of the journal.
    pub journal: usize,
    /// Bytes of memory that the run writes to, besides the bytes that the file fills; counted in pages of 4
    /// KiB.
    pub memory: u64,
}

impl Default for Limits {
    /// 2^32 steps, a journal of 16 MiB, 1 GiB of memory.
    fn default() -> Self {
        Self { steps: 1 << 32, journal: 16 << 20, memory: 1 << 30 }
    }
}

/// Why a run was broken off.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It did not end in time.
    #[error("the program has not ended after {0} steps, the limit")]
    Steps(u64),
    /// It wrote too much.
    #[error("the program's journal would be longer than {0} bytes, the limit")]
    Journal(usize),
    /// It uses too much memory.
    #[error("the program writes to more than {0} bytes of memory, the limit")]
    Memory(u64),
    /// A part of it reads more of the secret input than it was given.
    #[error(
        "this part of the run reads more of the secret input than is here: it is not the run that was cut"
    )]
    Input,
}

/// Why a step was not carried out, or was the last one.
enum Stop {
    End(End),
    Limit(Error),
}

/// A program while it runs.
pub struct Machine<'a> {
    program: &'a Program,
    registers: [u32; 32],
    pc: u32,
    memory: Memory,
    /// What the program has not read yet.
    secret: &'a [u8],
    /// How many bytes of the secret input follow that are not here.
    beyond: usize,
    public: &'a [u8],
    journal: Vec<u8>,
    steps: u64,
    limits: Limits,
    end: Option<End>,
}

impl<'a> Machine<'a> {
    /// A machine right before the program's first step.
    #[must_use]
    pub fn new(program: &'a Program, secret: &'a [u8], public: &'a [u8], limits: Limits) -> Self {
        let mut memory = Memory::new(limits.memory.div_ceil(PAGE_BYTES));
        for segment in program.segments() {
            memory.add(segment.start(), segment.words(), segment.kind == Kind::Writable);
            // The first word begins before a segment that is not aligned.
            let before = (segment.address - segment.start()) as usize;
            memory.fill(segment.start(), before, &segment.bytes);
        }
        memory.add(STACK_END - STACK_BYTES, STACK_BYTES / 4, true);
        let mut registers = [0; 32];
        registers[register::SP] = STACK_POINTER;
        let pc = program.entry();
        Self {
            program,
            registers,
            pc,
            memory,
            secret,
            beyond: 0,
            public,
            journal: Vec::new(),
            steps: 0,
            limits,
            end: None,
        }
    }

    /// The same machine in the middle of a run: with these registers, at this place, with these values of
    /// words where they are not as before the first step, and with so many bytes of the secret input behind
    /// those that are here. Steps, journal and memory count from there.
    pub(crate) fn later(
        mut self,
        registers: &[u32; 32],
        pc: u32,
        words: impl Iterator<Item = (u32, u32)>,
        beyond: usize,
    ) -> Self {
        (self.registers, self.pc, self.beyond) = (*registers, pc, beyond);
        for (address, value) in words {
            // What cannot be written has the value that it always has.
            if let Ok(word) = self.memory.word_mut(address) {
                *word = value;
            }
        }
        self
    }

    /// Runs to the end.
    ///
    /// # Errors
    /// If the run goes beyond its limits.
    pub fn run<O: Observer>(&mut self, observer: &mut O) -> Result<End, Error> {
        loop {
            if let Some(end) = self.advance(u64::MAX, observer)? {
                return Ok(end);
            }
        }
    }

    /// Runs this many steps, or fewer if the run ends: then it returns the end, and so does every call
    /// afterwards. A trap is no step, so a run that traps after the last of the steps returns it in the next
    /// call.
    ///
    /// # Errors
    /// If the run goes beyond its limits: before the step that would.
    pub fn advance<O: Observer>(&mut self, steps: u64, observer: &mut O) -> Result<Option<End>, Error> {
        if self.end.is_some() {
            return Ok(self.end);
        }
        let most = self.limits.steps.saturating_sub(self.steps);
        for _ in 0..steps.min(most) {
            match self.step(observer) {
                Ok(()) => {}
                Err(Stop::End(end)) => {
                    self.end = Some(end);
                    return Ok(self.end);
                }
                Err(Stop::Limit(error)) => return Err(error),
            }
        }
        if steps > most { Err(Error::Steps(self.limits.steps)) } else { Ok(None) }
    }

    /// How the run ended; `None` before.
    #[must_use]
    pub fn end(&self) -> Option<End> {
        self.end
    }

    /// How many instructions were carried out. The call that exits is one; a trap is none.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Where the next instruction is, or the one that trapped.
    #[must_use]
    pub fn pc(&self) -> u32 {
        self.pc
    }

    /// The registers `x0` to `x31`.
    #[must_use]
    pub fn registers(&self) -> &[u32; 32] {
        &self.registers
    }

    /// The word of memory that holds this address; `None` outside of the segments and the stack.
    #[must_use]
    pub fn word(&self, address: u32) -> Option<u32> {
        self.memory.word(address)
    }

    /// What the program wrote to file 1.
    #[must_use]
    pub fn journal(&self) -> &[u8] {
        &self.journal
    }

    /// How many bytes of the secret and of the public input the program has not read.
    #[must_use]
    pub fn unread(&self) -> (usize, usize) {
        (self.secret.len().saturating_add(self.beyond), self.public.len())
    }
}

impl Drop for Machine<'_> {
    fn drop(&mut self) {
        self.registers.zeroize();
    }
}

#[cfg(test)]
mod tests;
