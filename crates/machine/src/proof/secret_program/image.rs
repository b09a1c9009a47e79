//! P's side: a program as the image and the words of data that the statement speaks of.

use std::collections::BTreeMap;

use volery_circuit::Error;
use volery_field::{F61, Ring as _};
use zeroize::{Zeroize as _, Zeroizing};

use super::super::form::integer;
use super::super::regions::{Regions, file_words};
use super::super::subject::Bounds;
use super::super::trace::{Decoded as Executed, Loaded};
use super::{data, decode, words};
use crate::program::{Kind, Program};

/// A secret program as P commits to it.
pub(in super::super) struct Image {
    /// The columns of the image's words.
    pub(super) words: Zeroizing<Vec<F61>>,
    /// The columns of the words of data.
    pub(super) data: Zeroizing<Vec<F61>>,
}

/// The words that the file has, by address. They are wiped.
struct Words(BTreeMap<u32, u32>);

impl Drop for Words {
    fn drop(&mut self) {
        self.0.values_mut().for_each(|word| word.zeroize());
    }
}

/// The first address and the end of the image's words that the program may not write.
fn read_only(program: &Program, bounds: &Bounds) -> Vec<(u64, u64)> {
    let (mut start, end) = (u64::from(bounds.text), bounds.end());
    let mut ranges = Vec::new();
    // Segments are sorted by address.
    for segment in program.segments().iter().filter(|segment| segment.kind == Kind::Writable) {
        let first = u64::from(segment.start());
        ranges.push((start, first.clamp(start, end.max(start))));
        start = start.max(first + 4 * u64::from(segment.words()));
    }
    ranges.push((start, end));
    ranges.retain(|(start, end)| start < end);
    ranges
}

impl Image {
    /// What a run of a program begins with, and its image.
    ///
    /// # Errors
    /// [`Error::Public`] if it is beyond the bounds.
    pub(in super::super) fn of(program: &Program, bounds: &Bounds) -> Result<(Loaded, Self), Error> {
        check_text(program, bounds)?;
        let read_only = read_only(program, bounds);
        let is_read_only =
            |address: u32| read_only.iter().any(|(start, end)| (*start..*end).contains(&u64::from(address)));
        let file = Words(file_words(program).collect());
        let places = (0..bounds.words).map(|word| bounds.text + 4 * word);
        let mut columns = Zeroizing::new(vec![F61::ZERO; bounds.words as usize * words::COLUMNS]);
        let mut code = Zeroizing::new(Vec::with_capacity(bounds.words as usize));
        let mut live = Zeroizing::new(Vec::with_capacity((bounds.words + bounds.data) as usize));
        for (place, row) in places.zip(columns.chunks_exact_mut(words::COLUMNS)) {
            let word = file.0.get(&place).copied().unwrap_or(0);
            let decoded = program.instruction(place).and_then(|_| decode::Decoded::of(word, place));
            let decoded = decoded.unwrap_or_else(|| decode::Decoded::of_data(!is_read_only(place)));
            words::fill(word, place, &decoded, row);
            code.push(decoded.instruction.map(|(kind, fields)| Executed { kind, fields }));
            live.push((place, word));
        }
        let data = outside(&file, bounds)?;
        live.extend_from_slice(&data);
        let regions = Regions::around(bounds);
        let data = data.iter().flat_map(|word| data::row(&regions, *word).map(integer));
        let image = Self { words: columns, data: Zeroizing::new(data.collect()) };
        Ok((Loaded { text: bounds.text, code, words: live, read_only, public: false }, image))
    }
}

/// Refuses a program whose text does not lie in the image.
fn check_text(program: &Program, bounds: &Bounds) -> Result<(), Error> {
    let (text, words) = (program.text(), program.code().len());
    let end = u64::from(text) + 4 * words as u64;
    if text < bounds.text || end > bounds.end() {
        return Err(Error::Public(format!(
            "the program has {words} words of text from {text:#x} on; a secret program has at most {} words from {:#x} \
             on. Link it there (guest/volery.ld does), or agree on more words",
            bounds.words, bounds.text
        )));
    }
    Ok(())
}

/// The words of data outside of the image, filled up by zeros at addresses that the file leaves.
fn outside(file: &Words, bounds: &Bounds) -> Result<Zeroizing<Vec<(u32, u32)>>, Error> {
    let image = u64::from(bounds.text)..bounds.end();
    let is_outside = |address: &u32| !image.contains(&u64::from(*address));
    let found = file.0.keys().filter(|address| is_outside(address)).count();
    let most = bounds.data as usize;
    if found > most {
        return Err(Error::Public(format!(
            "the program has {found} words of data outside of its first {} words; at most {most} are possible. Agree on \
             more words",
            bounds.words
        )));
    }
    let mut words: Zeroizing<Vec<(u32, u32)>> = Zeroizing::new(Vec::with_capacity(most));
    let all = file.0.iter().map(|(address, word)| (*address, *word));
    words.extend(all.filter(|(address, _)| is_outside(address)));
    // From the last address downwards, where programs seldom are.
    let free = (0..1_u32 << 30).map(|n| u32::MAX - 3 - 4 * n);
    let free = free.filter(|address| is_outside(address) && !file.0.contains_key(address));
    words.extend(free.take(most - found).map(|address| (address, 0)));
    Ok(words)
}
