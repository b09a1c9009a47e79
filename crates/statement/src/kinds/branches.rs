//! Files with a section for each branch of a disjunction, or for each repetition of one.
//!
//! ```text
//! branch 2        # a witness: which branch holds, and its values
//! 0x00ff
//!
//! repetition 0    # claims: what is claimed the first time
//! output 0 = 0x1
//! ```

use std::path::PathBuf;

use volery_circuit::{Error as StatementError, FileBatch, Signature, Witness};
use volery_field::F2;
use zeroize::Zeroizing;

use crate::error::Error;
use crate::source::{Source, WitnessSource};
use crate::spelling::REPEAT;

/// Input wires.
fn width(signature: &Signature) -> u64 {
    signature.inputs.iter().map(|input| u64::from(input.width)).sum()
}

/// The witnesses of at most `most` branches with these inputs, each after a line `branch N`.
pub(super) fn witnesses(
    witness: &WitnessSource,
    signatures: &[Signature],
    most: usize,
) -> Result<Vec<(usize, Witness<F2>)>, Error> {
    let source = match witness {
        WitnessSource::Whole(source) => source,
        WitnessSource::OfBranches(known) => return each(known, signatures),
    };
    let (count, largest) = (signatures.len(), signatures.iter().map(width).max().unwrap_or(0));
    let content = content(source, largest.saturating_mul(2 * most as u64), most)?;
    let known = sections(&content, "branch", &source.name())?.into_iter().map(|section| {
        let Section { number, values, name } = section;
        let Some(signature) = signatures.get(number) else {
            return Err(Error::input(format!("{name}: branch {number} of {count}; they count from 0")));
        };
        Ok((number, Witness::parse(values, &name, signature)?))
    });
    known.collect()
}

/// The witnesses of branches with these inputs, each in a file of its own.
fn each(known: &[(usize, Source)], signatures: &[Signature]) -> Result<Vec<(usize, Witness<F2>)>, Error> {
    let count = signatures.len();
    let known = known.iter().map(|(number, source)| {
        let name = source.name();
        let Some(signature) = signatures.get(*number) else {
            return Err(Error::input(format!("{name}: branch {number} of {count}; they count from 0")));
        };
        Ok((*number, Witness::read(source.open()?, &name, signature)?))
    });
    known.collect()
}

/// The most bytes that the values of a claim take.
pub(super) fn claim_bytes(signature: &Signature) -> u64 {
    let outputs: u64 = signature.outputs.iter().map(|output| u64::from(output.width)).sum();
    (width(signature) + outputs).saturating_mul(2)
}

/// The claims of a batch, each parsed by `parse`: one for each repetition after a line `repetition N`, or one
/// for all repetitions.
pub(super) fn claims<T: Clone>(
    source: &Source,
    signature: &Signature,
    repetitions: usize,
    parse: fn(&[u8], &str, &Signature) -> Result<T, StatementError>,
) -> Result<Vec<T>, Error> {
    if repetitions > FileBatch::MAX_REPETITIONS {
        let most = FileBatch::MAX_REPETITIONS;
        return Err(Error::input(format!("{REPEAT} {repetitions}: at most {most} are possible")));
    }
    let needed = claim_bytes(signature).saturating_mul(repetitions as u64);
    let (content, name) = (content(source, needed, repetitions)?, source.name());
    if !content.split(|byte| *byte == b'\n').any(|line| heading(line, "repetition").is_some()) {
        let claim = parse(&content, &name, signature)?;
        return Ok(vec![claim; repetitions]);
    }
    let sections = sections(&content, "repetition", &name)?;
    if sections.len() != repetitions {
        let got = sections.len();
        return Err(Error::input(format!(
            "{name}: claims for {got} of {repetitions} repetitions ({REPEAT} {repetitions})"
        )));
    }
    let claims = sections.into_iter().enumerate().map(|(i, Section { number, values, name })| {
        if number != i {
            let reason = format!("repetition {number} where {i} is expected; they count from 0");
            return Err(Error::input(format!("{name}: {reason}")));
        }
        Ok(parse(values, &name, signature)?)
    });
    claims.collect()
}

/// Longest witness file that only names another.
const NAME_BYTES: u64 = 1 << 13;

/// The one branch that holds, and its witness: in a witness file the name of another one, in the line after
/// `branch N`.
pub(super) fn one_branch(witness: &WitnessSource) -> Result<(usize, Source), Error> {
    let source = match witness {
        WitnessSource::Whole(source) => source,
        WitnessSource::OfBranches(known) => {
            let [(choice, source)] = known.as_slice() else {
                let got = known.len();
                return Err(Error::input(format!("witnesses for {got} branches: expected one")));
            };
            return Ok((*choice, source.clone()));
        }
    };
    let (content, name) = (content(source, NAME_BYTES, 1)?, source.name());
    let sections = sections(&content, "branch", &name)?;
    let [Section { number, values, .. }] = sections.as_slice() else {
        let reason = "expected a line `branch N` and, in the next, the name of that system's .wtns file";
        return Err(Error::input(format!("{name}: {reason}")));
    };
    let path = values.trim_ascii();
    if path.is_empty() || path.contains(&b'\n') {
        return Err(Error::input(format!("{name}: `branch {number}` must be followed by one file name")));
    }
    let file = path_of(path).ok_or_else(|| Error::input(format!("{name}: the file name is not UTF-8")))?;
    Ok((*number, Source::File(file)))
}

/// The path in a file. Its bytes are the name where names are bytes.
#[cfg(unix)]
fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt as _;
    Some(PathBuf::from(std::ffi::OsStr::from_bytes(bytes)))
}

/// The same where names are text.
#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    core::str::from_utf8(bytes).ok().map(PathBuf::from)
}

/// The content of `source`. Its length is bounded by `needed` bytes of values in this number of `sections`.
fn content(source: &Source, needed: u64, sections: usize) -> Result<Zeroizing<Vec<u8>>, Error> {
    let most = needed.saturating_add(Source::SLACK).saturating_add(SECTION_SLACK * sections as u64);
    source.content(most)
}

/// The most bytes of a section besides values: heading, names and comments.
const SECTION_SLACK: u64 = 1 << 10;

/// The number in a line that has this `word` and a number.
fn heading<'a>(line: &'a [u8], word: &str) -> Option<&'a [u8]> {
    let line = line.split(|byte| *byte == b'#').next().unwrap_or_default().trim_ascii();
    let number = line.strip_prefix(word.as_bytes())?;
    number.first()?.is_ascii_whitespace().then(|| number.trim_ascii())
}

/// The lines after one heading.
struct Section<'a> {
    number: usize,
    values: &'a [u8],
    /// Its name in errors, which count lines within the section.
    name: String,
}

/// The parts of a file after each line of `word` and a number.
fn sections<'a>(content: &'a [u8], word: &str, name: &str) -> Result<Vec<Section<'a>>, Error> {
    let mut sections: Vec<Section<'a>> = Vec::new();
    // Where the values of the last section begin, and the lines end that were read.
    let (mut start, mut end) = (0, 0);
    for (i, line) in content.split_inclusive(|byte| *byte == b'\n').enumerate() {
        end += line.len();
        let failed = |reason: &str| Err(Error::input(format!("{name}, line {}: {reason}", i + 1)));
        if let Some(number) = heading(line, word) {
            let number = core::str::from_utf8(number).ok().filter(|n| n.bytes().all(|c| c.is_ascii_digit()));
            let Some(number) = number.and_then(|number| number.parse().ok()) else {
                return failed(&format!("expected `{word}` and a number"));
            };
            start = end;
            sections.push(Section { number, values: &[], name: format!("{name}, after line {}", i + 1) });
        } else if let Some(section) = sections.last_mut() {
            section.values = content.get(start..end).unwrap_or_default();
        } else if !line.split(|byte| *byte == b'#').next().unwrap_or_default().trim_ascii().is_empty() {
            return failed(&format!("a line `{word} N` must stand before the first values"));
        }
    }
    Ok(sections)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_witness_file_is_taken_apart_where_it_says_branch() {
        let text = b"# which\n branch 2 # the third\n0x01\n\nbranch 0\ninput 0 = 0b1\n";
        let sections = sections(text, "branch", "test").expect("well-formed");
        let parts: Vec<_> =
            sections.iter().map(|part| (part.number, part.values, part.name.as_str())).collect();
        let expected: [(usize, &[u8], &str); 2] =
            [(2, b"0x01\n\n", "test, after line 2"), (0, b"input 0 = 0b1\n", "test, after line 5")];
        assert_eq!(parts, expected);
    }

    #[test]
    fn values_before_a_branch_and_branches_without_a_number_are_refused() {
        let taken = |text: &[u8]| sections(text, "branch", "test").map(|sections| sections.len());
        for text in
            ["0x01\nbranch 0\n", "branch x\n", "branch -1\n", "branch \n", "branch 99999999999999999999\n"]
        {
            assert!(taken(text.as_bytes()).is_err(), "{text:?}");
        }
        assert_eq!(taken(b"# nothing\n\n").expect("nothing"), 0);
        assert!(taken(b"branches 1").is_err());
    }
}
