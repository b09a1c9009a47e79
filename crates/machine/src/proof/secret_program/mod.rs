//! Runs of a program that only P knows.
//!
//! V knows [`Bounds`] of the program: where its text lies and how many words it has at most. The statement is
//! "I know a program within these bounds and a secret input with which, given this public input, it exits so
//! and writes this".
//!
//! # What that is good for
//!
//! A program that does nothing but write the journal satisfies it, if it fits into the bounds. So it says
//! something only where a program that knows the answer is too long or cannot exist:
//!
//! * The public input is a fresh challenge of V, and V checks the journal by itself: P has a program that
//!   solves this instance in the steps that show, and keeps the method to itself.
//! * The journal is much longer than the program: it is computed, not copied.
//!
//! **It binds P to no program beyond one session.** Two proofs may be about different programs. A commitment
//! to the program that V keeps would have to be opened inside of the proof, by a hash of all its words. No
//! such hash over this field is part of Volery, and SHA-256 of the words costs more than most runs. Parties
//! that need "the program of last week" agree on a program that both know.
//!
//! # The machine
//!
//! It is the machine of public programs, but for where memory is, which would tell much of the program:
//!
//! * The **image** is the words from [`Bounds::text`] on. Each is an instruction, which executes and is
//!   read-only; or a word that is only read; or a word of writable memory. P says which, in secret.
//! * All other words of the address space are writable memory. [`Bounds::data`] of them begin with a value
//!   that P chooses, and the others with zero.
//! * The first instruction is where P says.
//!
//! A run that exits on the machine of its own ELF file does the same here: it touches no word that the file
//! does not have, and writes to none that is read-only. Text has to lie in the image. What follows text in
//! the file may lie there as well; the words outside of it are data, those that the file wants to be
//! read-only among them. What the bounds leave is filled up.
//!
//! **Traps cannot be claimed.** What a trap needs depends on the instruction, and V does not have it. An
//! `ebreak`, an illegal word and a place outside of the image have no row, so a run that comes there has no
//! proof.
//!
//! # What is committed, and why each row decodes its word
//!
//! Everything about the program is committed to before the first segment, and the same wires serve all
//! segments and the log of memory. An argument of its own shows, under one challenge after all of it, that
//! the words are decoded right (`words`, `decode`). For each place of the image, which is public:
//!
//! * The **format** is one of 14 bits (13 columns, and what is left to 1). They are bits and sum to 1, so
//!   exactly one is set.
//! * The **pieces**: opcode, funct3, funct7 (in two parts) are those of one legal word, by the public table
//!   `Decode`; the three registers are below 32, by `Register`. So `WORD`, their sum, is the one 32-bit word
//!   with these pieces. The same row of `Decode` says kind, format, flags and sign. A triple of opcode and
//!   functions has one row, so there is no choice. `ecall` fixes the registers too; a relation says that they
//!   are 0.
//! * The **fields** are what `kind` says of the instruction, as relations in pieces, flags and
//!   format of degree 3 at most. Each immediate is a linear form of pieces: the format says which. `rd = 0`
//!   becomes the sink by the table `Register`. Powers of two are looked up for the rs2 of every word.
//! * The **result of `lui` and `auipc`** is `X = immediate + place - 2^32 CARRY` for a bit `CARRY` (without
//!   the place for `lui`). `X` is below 2^32 by two limbs, so `CARRY` is the right one. For other
//!   instructions the form is `-2^32 CARRY`, hence both are 0.
//! * Distances of branches and jumps are integers that do not wrap. A place below 0 or above 2^32 is no place
//!   of the image, nor that of filler rows, so no row leads on from there. On the machine that run would
//!   trap.
//! * A word that is **only read or written** has `X` for its value, of 32 bits, and pieces that are 0: so are
//!   opcode and functions in its rows of `Decode`, and the relation about registers. Its kind is -1, which no
//!   row looks up. Any word may be such a word, a legal instruction too: then nothing executes it.
//!
//! So for each place there is one tuple (kind, place, 1, fields), and it is that of the instruction in the
//! word there. Segments look it up by an argument of its own (`argument::rom`), which replaces the public
//! program in the argument of [`proof`](super): the rest holds as it is.
//!
//! **Memory.** The words of the image and of data are the first live words of the log, in place of the public
//! words of a file. A word of the image has its tuple at its address if it is writable, else 2^33 above,
//! never at both, and the regions that are zero at first leave out the image. So an address has one
//! word of memory, and an instruction cannot be written. Words of data lie in those regions (`data`). If one
//! of them had the address of another, or of a word that is new later, its address would have two tuples
//! before a check of the log and one at most after it.
//!
//! # Cost, and what shows
//!
//! 43 elements for each word of the image and 10 for each word of data, once; in each segment four thirds of
//! an element for each word of the image. Words of the image and of data are live, so each check of the log
//! takes them along. The bounds show, the claim, and the [`Profile`](super::Profile), as for public programs:
//! the counts of rows by kind may say much about what the program does.

mod data;
pub(super) mod decode;
mod image;
mod words;

use volery_circuit::Challenge;
use volery_field::{F61, Ring as _};
use zeroize::Zeroizing;

use super::argument::{self, Committed, Known, Part, ROM_ROW, Rom, told};
use super::form::Shape;
use super::log::Log;
use super::public::Tables;
use super::segment::commit;
use super::subject::Bounds;
use super::tables::READ_ONLY;

pub(super) use image::Image;
#[cfg(test)]
pub(super) use words::COLUMNS as WORD_COLUMNS;

/// The shapes of a word of the image, and of one of data. P commits to all columns.
pub(super) fn shapes() -> [Shape; 2] {
    [words::shape(), data::shape()]
}

/// What segments look up, and the log with the first words.
pub(super) type Beginning<W> = (Rom<W>, Log<W>);

/// Commits to a program, and claims that its words are decoded right. Returns its rows for the segments, and
/// the log that begins with its words.
pub(super) fn claim<B: Challenge<F61>>(
    b: &mut B,
    tables: &Tables<'_>,
    bounds: &Bounds,
    image: Option<Image>,
) -> Result<Beginning<B::Wire>, B::Error> {
    b.enter("program");
    b.begin_argument();
    #[cfg(test)]
    let image = lies::changed(image);
    let (words, data) = match image {
        Some(Image { words, data }) => (Some(words), Some(data)),
        None => (None, None),
    };
    let words = image_words(b, bounds, words)?;
    let data = data_words(b, bounds, data)?;
    let wires = words.iter().flat_map(|row| row.iter().take(ROM_ROW).cloned());
    let rom = Rom::new(bounds.text, wires.collect());
    let log = memory(b, bounds, [&words, &data]);
    argument::claim(b, vec![words, data], Known::default(), tables, None)?;
    b.end_argument();
    b.leave();
    Ok((rom, log))
}

/// The words of the image.
fn image_words<B: Challenge<F61>>(
    b: &mut B,
    bounds: &Bounds,
    values: Option<Zeroizing<Vec<F61>>>,
) -> Result<Part<B::Wire>, B::Error> {
    let part = part(b, Committed::Word, (words::shape(), bounds.words), values)?;
    let places = (bounds.text..).step_by(4);
    for (row, place) in part.iter().zip(places) {
        words::claim(b, row, place)?;
    }
    Ok(part)
}

/// The words of data.
fn data_words<B: Challenge<F61>>(
    b: &mut B,
    bounds: &Bounds,
    values: Option<Zeroizing<Vec<F61>>>,
) -> Result<Part<B::Wire>, B::Error> {
    part(b, Committed::Datum, (data::shape(), bounds.data), values)
}

/// Commits to rows of a shape.
fn part<B: Challenge<F61>>(
    b: &mut B,
    what: Committed,
    (shape, rows): (Shape, u32),
    values: Option<Zeroizing<Vec<F61>>>,
) -> Result<Part<B::Wire>, B::Error> {
    let values = values.map(|mut values| Zeroizing::new(told(what, core::mem::take(&mut *values))));
    let count = rows as usize * shape.columns;
    let mut wires = Vec::with_capacity(count);
    commit(b, count, values.as_ref().map(|values| &values[..]), &mut wires)?;
    Ok(Part::new(shape, wires))
}

/// The log that begins with the words of the image and of data.
fn memory<B: Challenge<F61>>(b: &mut B, bounds: &Bounds, [words, data]: [&Part<B::Wire>; 2]) -> Log<B::Wire> {
    let mut wires = Vec::new();
    let never = b.constant(F61::ZERO);
    let [word, writable] = words::MEMORY;
    for (row, place) in words.iter().zip((bounds.text..).step_by(4)) {
        let down = b.scale(&row[writable], -F61::new(READ_ONLY as u64));
        let address = b.add_constant(&down, F61::new(u64::from(place)) + F61::new(READ_ONLY as u64));
        wires.extend([address, row[word].clone(), never.clone()]);
    }
    let [address, value] = data::MEMORY;
    for row in data.iter() {
        wires.extend([row[address].clone(), row[value].clone(), never.clone()]);
    }
    Log::with(wires)
}

/// What P changes in the image before it commits, in tests.
#[cfg(test)]
pub(super) mod lies {
    use std::cell::RefCell;

    use super::{Image, data};
    use volery_field::F61;

    /// A change of the words of data, row after row.
    type Lie = Box<dyn Fn(&mut [[F61; data::COLUMNS]])>;

    thread_local! {
        static LIE: RefCell<Option<Lie>> = const { RefCell::new(None) };
    }

    /// Runs `f` where P changes its words of data.
    pub(in super::super) fn with<T>(
        lie: impl Fn(&mut [[F61; data::COLUMNS]]) + 'static,
        f: impl FnOnce() -> T,
    ) -> T {
        LIE.set(Some(Box::new(lie)));
        let result = f();
        LIE.set(None);
        result
    }

    pub(super) fn changed(mut image: Option<Image>) -> Option<Image> {
        if let Some(image) = &mut image {
            LIE.with_borrow(|lie| lie.iter().for_each(|lie| lie(image.data.as_chunks_mut().0)));
        }
        image
    }
}
