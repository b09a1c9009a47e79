//! Proofs that a program ran as claimed, over the field of 2^61 - 1.
//!
//! [`ProgramRun`] is the statement: "I know a secret input with which this program, given this public input,
//! ends so and writes this journal." Both parties run it on a backend with challenges ([`Challenge`]):
//! QuickSilver, or the evaluator. P tells V the claim and the [`Profile`] first ([`preamble`]).
//!
//! | module | what is there |
//! |---|---|
//! | `statement` | [`ProgramRun`]: its two sides, and the order of everything below |
//! | `subject` | [`Subject`]: what both parties know of the program |
//! | [`secret_program`] | a program that only P knows |
//! | [`preamble`] | the claim and the profile as bytes |
//! | `profile` | [`Profile`]: what shows, with its bounds |
//! | [`class`] | [`ProfileClass`]: what shows, fixed beforehand |
//! | `terms` | [`Terms`]: what V demands of a run |
//! | `settings` | [`Settings`]: how a run is cut into segments, and when the log is checked |
//! | `survey` | P's first run, which proves nothing and finds the claim and the profile |
//! | `trace` | P's side of the run: follows the emulator and writes rows |
//! | `kind` | the kinds of rows, and the program as rows |
//! | `tables` | the columns of each kind, with relations |
//! | `form` | linear forms in columns; tuples and lookups of a row |
//! | `public` | the public tables that rows look up |
//! | `split` | tables of 2^16 rows, where few lookups go into them |
//! | `argument` | that tuples match and lookups are rows, under one challenge |
//! | `segment` | one segment of a run |
//! | [`shards`] | a run in shards, for many workers |
//! | `log`, `regions` | memory across segments, and what it holds at first |
//! | `end` | exits and traps |
//! | `elements`, `memory`, `stages` | what a run commits to, what it keeps, and where P's time goes |
//! | `buffers` | buffers that grow as wires arrive, and leave no copies of P's values |
//!
//! # What is proved
//!
//! A run is cut into **segments**. In each, every step is a row of the table of its kind, so it pays for the
//! columns of that kind only. A row says what it *consumes* and what it *produces*:
//!
//! * the **state**: `(place, time)` becomes `(next place, time + 1)`;
//! * the **cells** that it reads and writes, registers and words of memory: `(address, value, time)` becomes
//!   `(address, new value, now)`. A step has four slots of time, so no two accesses have the same.
//!
//! and which rows of public tables it looks up: the **program** (place, kind, registers, immediate, flags),
//! ranges, bytes, powers of two. The segment's start is produced, its end consumed, and all of it has to
//! match, as multisets. Tables of 2^16 rows cost as much in a segment of ten steps as in one of 65,536, so
//! lookups in them are split in two where they are few (`split`).
//!
//! **Why the rows are then the steps of the run.** States first. Take states as points and each row as an
//! arrow from the state that it consumes to the one that it produces. As many arrows lead to each point as
//! leave it, but for the start and the end. Time grows along each arrow, by one or two, so there is no
//! circle: it would have half as many rows as the field has elements. So the arrows are one path from the
//! start to the end. The program is public, or committed to and decoded ([`secret_program`]), so each row is
//! the instruction at its place. Cells then: times are unique, and each access finds an earlier one
//! (`now - 1 - found` is below 2^32, two limbs of 16 bits), which is the argument of
//! [`volery_circuit::ram`]: every access finds what the last one left, and what the segment found at first.
//! Relations and ranges in each table say that the new value and the next place are what the manual says; all
//! values that are written are integers below 2^32, so all that are read are.
//!
//! **`x0`** is a cell that nothing writes: what the program would write there goes to a cell that nothing
//! reads.
//!
//! **Memory has tuples only where the program has memory**: an access elsewhere, or one that is misaligned,
//! finds none, and cannot be claimed. What is read-only has its tuples at other addresses, where stores never
//! look (`tables::load`).
//!
//! **Filler rows** round up the number of rows. They are rows of one more entry of the program for each kind,
//! with the place 1, where no instruction is, and the flag 0. Such a row produces the state that it consumes,
//! whatever its time, so it is no part of the chain, even if a jump leads to its place. It reads `x0`, writes
//! the sink, and its memory is a word aside, which only filler rows have. Its time is any element of the
//! field, so accesses to these cells may coincide, and their times may go round. That does no harm, since
//! nobody uses what the sink and the word aside hold, and nobody writes `x0`. A read leaves the value that it
//! finds, so a value of `x0` that was not there at first can only be passed around a circle of reads. Each
//! goes forward by 2^32 at most, so the circle has 2^29 of them, and a segment has fewer (`profile`).
//!
//! **No sum and no product may wrap around the field's characteristic.** Where two sides of an equation could
//! be larger, a factor goes in limbs: `tables::multiply`, `tables::divide` have the arguments.
//!
//! # Across segments
//!
//! The values of registers and the place at the end of a segment are the wires that the next one begins with.
//! Words of memory go through a log, which is checked from time to time and emptied (`log`).
//!
//! # Environment calls
//!
//! A call is a row, followed by one row for each byte that it moves (`tables::call`). The public input and
//! the journal are public tables. P commits to the length of its secret input before the first segment, and
//! each byte of it that is read is a free byte. The call that exits is no row: the last segment ends at a
//! call, with the number of `exit` and the code in registers, which are public then.
//!
//! # Challenges, and what is lost
//!
//! Each segment has one challenge, after all its columns and the multiplicities of public rows; each check of
//! the log has one, after its live words. What a challenge tests is the number of tuples of a side, or of
//! lookups and public rows, whichever is more (`argument`). The bound of a run is the greatest of these, not
//! their sum (`volery_zk::quicksilver::soundness`): the statement is false only if the claim of some segment,
//! of some check of the log or of the end is false for the values that are committed to when that claim's
//! challenge is drawn. P commits to the next segment's columns before it takes a segment's challenge, so that
//! they go out while the challenge is on its way (`segment`); these columns have a challenge of their own,
//! drawn after them. Before a check of the log all arguments are made. With 2^16 steps a segment it is at
//! most 2^20 for most code, so one challenge over the 61 bits is enough; beyond, each is drawn twice.
//!
//! # What shows
//!
//! The claim, and the [`Profile`]: for each segment the rows of each kind (rounded up), the bytes that calls
//! move among them, and the words of memory that it touches; for each check of the log how many words are
//! new. These can depend on the secret input, unless P fills them up to counts that are fixed beforehand:
//! [`class`], where it also stands why V does not mind.
//!
//! [`Challenge`]: volery_circuit::Challenge

mod argument;
mod buffers;
pub mod class;
mod elements;
mod end;
mod form;
mod kind;
mod log;
mod memory;
pub mod preamble;
mod profile;
mod public;
mod regions;
pub mod secret_program;
mod segment;
mod settings;
pub mod shards;
mod split;
mod stages;
mod statement;
mod subject;
mod survey;
mod tables;
mod terms;
mod trace;

use end::EXIT;

pub use class::{ClassError, ProfileClass};
pub use elements::{Elements, KindElements};
pub use profile::Profile;
pub use settings::Settings;
pub use stages::{Stage, Stages};
pub use statement::{OnProgress, ProgramRun, Progress, RunClaim, WatchedRun};
pub use subject::{Bounds, Subject};
pub use terms::{Ending, Terms};

#[cfg(test)]
mod tests;
