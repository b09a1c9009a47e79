//! `--any-of`, `--at-least` and `--repeat`: several circuits, of which some hold.
//!
//! ```text
//! --any-of A.txt B.txt C.txt --public FILE                 the same claim about each
//! --any-of A.txt=a.pub B.txt=b.pub                         a claim for each
//! --any-of A.txt B.txt --repeat 100 --public FILE          a hundred times; FILE has one claim for all, or a hundred
//! ```
//!
//! The witness file says which hold: before the values of each stands a line `branch N`, N counted from 0 in
//! the order of the command line. Nothing else does: the verifier learns how many circuits there are and how
//! many are claimed to hold.

use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use volery_circuit::choose::{AtLeast, Numbered};
use volery_circuit::{
    BristolFile, Claim, Digest, FileBatch, FileStatement, Repeat, Signature, Statement, Witness, bristol,
};
use volery_field::F2;
use volery_zk::disjunction::cost::Task;
use zeroize::Zeroizing;

use super::args::StatementArgs;
use super::failure::Failure;
use super::over;
use super::source::Source;

/// Some of these circuits hold.
#[derive(Debug)]
pub(crate) enum Many {
    /// At least so many of them.
    AtLeast {
        /// The circuits as a verifier has them.
        files: Vec<FileStatement>,
        statement: AtLeast<FileStatement>,
    },
    /// One of them at each repetition.
    Batch(FileBatch),
}

impl Many {
    /// The statement that `args` name, if they name several.
    pub(crate) fn load(args: &StatementArgs) -> Result<Option<Self>, Failure> {
        // Several constraint systems are a statement over their field.
        if args.any_of.first().is_none_or(|first| over::is_system(split(first).0)) {
            return Ok(None);
        }
        if !args.name.is_empty() {
            return Err(Failure::input(format!("{}: give one statement, or --any-of, not both", args.name)));
        }
        args.no_values("one of several circuits")?;
        if let Some(repetitions) = args.repeat {
            return Self::batch(args, repetitions as usize).map(Some);
        }
        let files = args.any_of.iter().map(|branch| file(branch, args.public.as_deref()));
        let files = files.collect::<Result<Vec<_>, _>>()?;
        let least = usize::try_from(args.at_least.unwrap_or(1)).map_err(Failure::input)?;
        Ok(Some(Self::AtLeast { statement: AtLeast::new(files.clone(), least)?, files }))
    }

    fn batch(args: &StatementArgs, repetitions: usize) -> Result<Self, Failure> {
        let files = args.any_of.iter().map(|path| {
            if path.contains('=') {
                let reason = "with --repeat claims are in the file of --public alone";
                return Err(Failure::input(format!("{path}: {reason}")));
            }
            Ok(BristolFile::open(path)?)
        });
        let files = files.collect::<Result<Vec<_>, _>>()?;
        let (Some(public), Some(first)) = (&args.public, files.first()) else {
            return Err(Failure::input("--repeat needs --public FILE: what is claimed at each repetition"));
        };
        let claims = claims(&Source::File(public.clone()), first.signature(), repetitions)?;
        Ok(Self::Batch(FileBatch::new(files, &claims)?))
    }

    /// Adds the secret side.
    pub(crate) fn with_witness(self, source: &Source) -> Result<Self, Failure> {
        let [count, needed] = self.counts();
        let signatures = match &self {
            Self::AtLeast { files, .. } => files.iter().map(FileStatement::signature).collect(),
            Self::Batch(batch) => vec![batch.signature(); count],
        };
        let largest = signatures.iter().map(width).max().unwrap_or(0);
        let content = content(source, largest.saturating_mul(2 * needed as u64), needed)?;
        let name = source.name();
        let known = sections(&content, "branch", &name)?.into_iter().map(|section| {
            let Section { number, values, name } = section;
            let Some(signature) = signatures.get(number) else {
                return Err(Failure::input(format!("{name}: branch {number} of {count}; they count from 0")));
            };
            Ok((number, Witness::parse(values, &name, signature)?))
        });
        let known = known.collect::<Result<Vec<_>, _>>()?;
        Ok(match self {
            Self::AtLeast { files, statement } => {
                let known = known.into_iter().filter_map(|(number, witness)| {
                    let file = files.get(number)?.clone();
                    Some(file.with_witness(witness).map(|statement| (number, statement)))
                });
                let statement = statement.with_witnesses(known.collect::<Result<Vec<_>, _>>()?)?;
                Self::AtLeast { statement, files }
            }
            Self::Batch(batch) => Self::Batch(batch.with_witnesses(known)?),
        })
    }

    /// The first circuit's inputs and outputs.
    pub(crate) fn signature(&self) -> Signature {
        match self {
            Self::AtLeast { files, .. } => files.first().map(FileStatement::signature).unwrap_or_default(),
            Self::Batch(batch) => batch.signature(),
        }
    }

    /// How many circuits there are, and how many disjunctions of them.
    pub(crate) fn counts(&self) -> [usize; 2] {
        match self {
            Self::AtLeast { statement, .. } => statement.counts(),
            Self::Batch(batch) => batch.counts(),
        }
    }

    /// What is to be proved, for [`volery_zk::disjunction::cost`].
    pub(crate) fn task(&self) -> Task {
        let [branches, repetitions] = self.counts();
        let (shape, shared) = match self {
            Self::AtLeast { statement, .. } => (statement.shape(), 0),
            Self::Batch(batch) => (batch.shape(), batch.shared()),
        };
        Task { branches, shared, shape, repetitions }
    }

    /// What it is called in results.
    pub(crate) fn text(&self) -> String {
        let hash = |file: &BristolFile| {
            file.hash().iter().take(4).map(|byte| format!("{byte:02x}")).collect::<String>() + "..."
        };
        let [count, number] = self.counts();
        let (what, hashes): (_, Vec<String>) = match self {
            Self::AtLeast { files, .. } => (
                format!("at least {number} of {count}"),
                files.iter().map(|file| hash(file.file())).collect(),
            ),
            Self::Batch(batch) => {
                (format!("{number} times one of {count}"), batch.files().map(hash).collect())
            }
        };
        format!("{what} circuit files with BLAKE3 hashes {}", hashes.join(", "))
    }
}

impl<B> Statement<B> for Many
where
    B: Repeat<F2, Numbered<FileStatement>> + Repeat<F2, bristol::Claimed>,
{
    fn identify(&self, digest: &mut Digest) {
        match self {
            Self::AtLeast { statement, .. } => Statement::<B>::identify(statement, digest),
            Self::Batch(batch) => Statement::<B>::identify(batch, digest),
        }
    }

    fn commitments(&self) -> Option<u64> {
        match self {
            Self::AtLeast { statement, .. } => Statement::<B>::commitments(statement),
            Self::Batch(batch) => Statement::<B>::commitments(batch),
        }
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        match self {
            Self::AtLeast { statement, .. } => statement.run(backend),
            Self::Batch(batch) => batch.run(backend),
        }
    }
}

/// The statement as Mac'n'Cheese proves it.
pub(crate) struct Stacked<'a>(pub(crate) &'a Many);

impl<B> Statement<B> for Stacked<'_>
where
    B: Repeat<F2, Numbered<FileStatement>> + Repeat<F2, bristol::Claimed>,
{
    fn identify(&self, digest: &mut Digest) {
        Statement::<B>::identify(self.0, digest);
    }

    /// Factors of products are not committed to.
    fn commitments(&self) -> Option<u64> {
        let Task { shape, repetitions, .. } = self.0.task();
        let each = shape.inputs.checked_add(shape.outputs)?.checked_add(shape.multiplications)? as u64;
        each.checked_mul(repetitions as u64)
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        self.0.run(backend)
    }
}

/// Input wires.
fn width(signature: &Signature) -> u64 {
    signature.inputs.iter().map(|input| u64::from(input.width)).sum()
}

/// The claims of a batch: one for each repetition, each after a line `repetition N`, or one for all.
fn claims(source: &Source, signature: &Signature, repetitions: usize) -> Result<Vec<Claim<F2>>, Failure> {
    if repetitions > FileBatch::MAX_REPETITIONS {
        let most = FileBatch::MAX_REPETITIONS;
        return Err(Failure::input(format!("--repeat {repetitions}: {most} are possible")));
    }
    let outputs: u64 = signature.outputs.iter().map(|output| u64::from(output.width)).sum();
    let needed = (width(signature) + outputs).saturating_mul(2 * repetitions as u64);
    let (content, name) = (content(source, needed, repetitions)?, source.name());
    if !content.split(|byte| *byte == b'\n').any(|line| heading(line, "repetition").is_some()) {
        let claim = Claim::parse(&content, &name, signature)?;
        return Ok(vec![claim; repetitions]);
    }
    let sections = sections(&content, "repetition", &name)?;
    if sections.len() != repetitions {
        let got = sections.len();
        return Err(Failure::input(format!(
            "{name}: claims for {got} repetitions; --repeat says {repetitions}"
        )));
    }
    let claims = sections.into_iter().enumerate().map(|(i, Section { number, values, name })| {
        if number != i {
            let reason = format!("repetition {number} where {i} is expected; they count from 0");
            return Err(Failure::input(format!("{name}: {reason}")));
        }
        Ok(Claim::parse(values, &name, signature)?)
    });
    claims.collect()
}

/// The two parts of `PATH=CLAIM`, or `PATH` alone.
pub(super) fn split(branch: &str) -> (&str, Option<&Path>) {
    match branch.split_once('=') {
        Some((path, public)) => (path, Some(Path::new(public))),
        None => (branch, None),
    }
}

/// Longest witness file that only names another.
const NAME_BYTES: u64 = 1 << 13;

/// The one branch of a witness file, and the name of a file in the line after it.
pub(super) fn branch_file(source: &Source) -> Result<(usize, PathBuf), Failure> {
    let (content, name) = (content(source, NAME_BYTES, 1)?, source.name());
    let sections = sections(&content, "branch", &name)?;
    let [Section { number, values, .. }] = sections.as_slice() else {
        let reason = "expected a line `branch N` and, in the next, the name of that system's .wtns file";
        return Err(Failure::input(format!("{name}: {reason}")));
    };
    let path = core::str::from_utf8(values.trim_ascii())
        .ok()
        .filter(|path| !path.is_empty() && !path.contains('\n'));
    let path = path.ok_or_else(|| {
        Failure::input(format!("{name}: `branch {number}` must be followed by one file name"))
    })?;
    Ok((*number, PathBuf::from(path)))
}

/// A circuit with the claim about it: `PATH`, or `PATH=CLAIM`.
fn file(branch: &str, public: Option<&Path>) -> Result<FileStatement, Failure> {
    let (path, own) = split(branch);
    let Some(public) = own.or(public) else {
        let reason = "a circuit needs a claim: --public FILE for all, or CIRCUIT=FILE";
        return Err(Failure::input(format!("{path}: {reason}")));
    };
    let file = BristolFile::open(path)?;
    let public = Source::File(public.to_owned());
    let claim = Claim::read(public.open()?, &public.name(), file.signature())?;
    Ok(FileStatement::new(file, claim)?)
}

/// All that `source` holds, at most what `needed` bytes of values in so many `sections` can need.
fn content(source: &Source, needed: u64, sections: usize) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let failed = |error: std::io::Error| Failure::input(format!("{}: {error}", source.name()));
    let most = needed.saturating_add(Source::SLACK).saturating_add(SECTION_SLACK * sections as u64);
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

/// Bytes of a section of a file that are no values: its heading, names and comments.
const SECTION_SLACK: u64 = 1 << 10;

/// The number that a line of this `word` and a number names.
fn heading<'a>(line: &'a [u8], word: &str) -> Option<&'a [u8]> {
    let line = line.split(|byte| *byte == b'#').next().unwrap_or_default().trim_ascii();
    let number = line.strip_prefix(word.as_bytes())?;
    number.first()?.is_ascii_whitespace().then(|| number.trim_ascii())
}

/// The lines after one heading.
struct Section<'a> {
    number: usize,
    values: &'a [u8],
    /// What errors call it: they count its lines alone.
    name: String,
}

/// The parts of a file after each line of `word` and a number.
fn sections<'a>(content: &'a [u8], word: &str, name: &str) -> Result<Vec<Section<'a>>, Failure> {
    let mut sections: Vec<Section<'a>> = Vec::new();
    // Where the values of the last section begin, and the lines end that were read.
    let (mut start, mut end) = (0, 0);
    for (i, line) in content.split_inclusive(|byte| *byte == b'\n').enumerate() {
        end += line.len();
        let failed = |reason: &str| Err(Failure::input(format!("{name}, line {}: {reason}", i + 1)));
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
