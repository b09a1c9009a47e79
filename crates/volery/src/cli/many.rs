//! `--any-of` and `--at-least`: several circuits, of which some hold.
//!
//! ```text
//! --any-of A.txt B.txt C.txt --public FILE          the same claim about each
//! --any-of A.txt=a.pub B.txt=b.pub                  a claim for each
//! ```
//!
//! The witness file says which hold: before the values of each stands a line `branch N`, N counted from 0 in the order of the
//! command line. Nothing else does: the verifier learns how many circuits there are and how many are claimed to hold.

use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use volery_circuit::choose::AtLeast;
use volery_circuit::{BristolFile, Claim, FileStatement, Signature, Witness};
use zeroize::Zeroizing;

use super::args::StatementArgs;
use super::failure::Failure;
use super::source::Source;

/// At least so many of these circuits hold.
#[derive(Debug)]
pub(crate) struct Many {
    /// The circuits as a verifier has them.
    files: Vec<FileStatement>,
    pub(crate) statement: AtLeast<FileStatement>,
}

impl Many {
    /// The statement that `args` name, if they name several.
    pub(crate) fn load(args: &StatementArgs) -> Result<Option<Self>, Failure> {
        if args.any_of.is_empty() {
            return Ok(None);
        }
        if !args.name.is_empty() {
            return Err(Failure::input(format!("{}: give one statement, or --any-of, not both", args.name)));
        }
        args.no_values("one of several circuits")?;
        let files = args.any_of.iter().map(|branch| file(branch, args.public.as_deref()));
        let files = files.collect::<Result<Vec<_>, _>>()?;
        let least = usize::try_from(args.at_least.unwrap_or(1)).map_err(Failure::input)?;
        Ok(Some(Self { statement: AtLeast::new(files.clone(), least)?, files }))
    }

    /// Adds the secret side.
    pub(crate) fn with_witness(self, source: &Source) -> Result<Self, Failure> {
        let bits = |signature: &Signature| signature.inputs.iter().map(|input| u64::from(input.width)).sum();
        let largest: u64 = self.files.iter().map(|file| bits(&file.signature())).max().unwrap_or(0);
        let [_, least] = self.statement.counts();
        let content = content(source, largest.saturating_mul(2 * least as u64))?;
        let sections = sections(&content, &source.name())?;
        let known = sections.into_iter().map(|Section { branch: number, values }| {
            let file = self.files.get(number).ok_or_else(|| {
                let count = self.files.len();
                Failure::input(format!("{}: branch {number} of {count}; they count from 0", source.name()))
            })?;
            let witness = Witness::parse(&values, &source.name(), &file.signature())?;
            Ok::<_, Failure>((number, file.clone().with_witness(witness)?))
        });
        let known = known.collect::<Result<Vec<_>, _>>()?;
        Ok(Self { statement: self.statement.with_witnesses(known)?, files: self.files })
    }

    /// The first circuit's inputs and outputs.
    pub(crate) fn signature(&self) -> Signature {
        self.files.first().map(FileStatement::signature).unwrap_or_default()
    }

    /// What it is called in results.
    pub(crate) fn text(&self) -> String {
        let [count, least] = self.statement.counts();
        let hash = |file: &FileStatement| {
            let hash = file.file().hash();
            hash.iter().take(4).map(|byte| format!("{byte:02x}")).collect::<String>()
        };
        let hashes: Vec<String> = self.files.iter().map(hash).collect();
        format!(
            "at least {least} of {count} circuit files with BLAKE3 hashes {}",
            hashes.join("..., ") + "..."
        )
    }
}

/// A circuit with the claim about it: `PATH`, or `PATH=CLAIM`.
fn file(branch: &str, public: Option<&Path>) -> Result<FileStatement, Failure> {
    let (path, public) = match branch.split_once('=') {
        Some((path, public)) => (path, Some(PathBuf::from(public))),
        None => (branch, public.map(Path::to_owned)),
    };
    let Some(public) = public else {
        let reason = "a circuit needs a claim: --public FILE for all, or CIRCUIT=FILE";
        return Err(Failure::input(format!("{path}: {reason}")));
    };
    let file = BristolFile::open(path)?;
    let public = Source::File(public);
    let claim = Claim::read(public.open()?, &public.name(), file.signature())?;
    Ok(FileStatement::new(file, claim)?)
}

/// All that `source` holds, at most what `needed` bytes of values can need.
fn content(source: &Source, needed: u64) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let failed = |error: std::io::Error| Failure::input(format!("{}: {error}", source.name()));
    let most = needed.saturating_add(Source::SLACK);
    let mut file = source.seekable(most)?;
    let length = file.seek(SeekFrom::End(0)).map_err(failed)?;
    if length > most {
        let name = source.name();
        return Err(Failure::input(format!("{name}: longer than the {most} bytes that it can need")));
    }
    file.rewind().map_err(failed)?;
    let mut content = Zeroizing::new(vec![0; usize::try_from(length).map_err(Failure::input)?]);
    file.read_exact(&mut content).map_err(failed)?;
    Ok(content)
}

/// The number that a line `branch N` names.
fn heading(line: &[u8]) -> Option<&[u8]> {
    let line = line.split(|byte| *byte == b'#').next().unwrap_or_default().trim_ascii();
    let number = line.strip_prefix(b"branch")?;
    number.first()?.is_ascii_whitespace().then(|| number.trim_ascii())
}

/// The values for one branch.
struct Section {
    branch: usize,
    values: Zeroizing<Vec<u8>>,
}

/// The parts of a witness file after each `branch N`, with everything else blanked out, so that lines keep their numbers.
fn sections(content: &[u8], name: &str) -> Result<Vec<Section>, Failure> {
    let mut sections: Vec<Section> = Vec::new();
    let mut start = 0;
    for (i, line) in content.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let (from, to) = (start, start + line.len());
        start = to;
        if let Some(number) = heading(line) {
            let number = core::str::from_utf8(number).ok().filter(|n| n.bytes().all(|c| c.is_ascii_digit()));
            let number = number.and_then(|number| number.parse().ok());
            let wrong = || Failure::input(format!("{name}, line {}: expected `branch` and a number", i + 1));
            let blank = content.iter().map(|byte| if *byte == b'\n' { b'\n' } else { b' ' });
            sections
                .push(Section { branch: number.ok_or_else(wrong)?, values: Zeroizing::new(blank.collect()) });
        } else if let Some(section) = sections.last_mut() {
            section.values[from..to].copy_from_slice(line);
        } else if !line.split(|byte| *byte == b'#').next().unwrap_or_default().trim_ascii().is_empty() {
            let reason = "a line `branch N` must say which circuit the values are for";
            return Err(Failure::input(format!("{name}, line {}: {reason}", i + 1)));
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
        let sections = sections(text, "test").expect("well-formed");
        let parts: Vec<_> = sections.iter().map(|part| (part.branch, part.values.trim_ascii())).collect();
        assert_eq!(parts, [(2, &b"0x01"[..]), (0, &b"input 0 = 0b1"[..])]);
        let lines = |bytes: &[u8]| bytes.iter().filter(|byte| **byte == b'\n').count();
        assert!(sections.iter().all(|part| lines(&part.values) == lines(text)));
    }

    #[test]
    fn values_before_a_branch_and_branches_without_a_number_are_refused() {
        for text in
            ["0x01\nbranch 0\n", "branch x\n", "branch -1\n", "branch \n", "branch 99999999999999999999\n"]
        {
            assert!(sections(text.as_bytes(), "test").is_err(), "{text:?}");
        }
        assert_eq!(sections(b"# nothing\n\n", "test").expect("nothing").len(), 0);
        assert!(sections(b"branches 1", "test").is_err());
    }
}
