//! The channels of a proof: P's is a file and the transcript, V's the same file and transcript.
//!
//! Both absorb the same items in the same order, so they write and read what grows with the statement one
//! block of columns at a time: the corrections, then the masks of the commitments that take that block's
//! rows.

use std::io::{Read, Write};

use volery_channel::{Channel, Error as Lost, Stats, Tag, tags};
use volery_field::Wiped;
use volery_vole::Transcript;
use zeroize::{Zeroize as _, Zeroizing};

use crate::Error;

/// The methods of a channel that a file does not need.
macro_rules! one_way {
    (receives nothing) => {
        fn recv(&mut self, tag: Tag, _max: usize) -> Result<&[u8], Lost> {
            Err(Lost::misuse(format!("nobody answers a public proof with {tag}")))
        }

        fn recv_exact(&mut self, tag: Tag, _out: &mut [u8]) -> Result<(), Lost> {
            Err(Lost::misuse(format!("nobody answers a public proof with {tag}")))
        }

        fn recv_into(&mut self, tag: Tag, _max: usize, _out: &mut Vec<u8>) -> Result<(), Lost> {
            Err(Lost::misuse(format!("nobody answers a public proof with {tag}")))
        }

        one_way!();
    };
    () => {
        fn flush(&mut self) -> Result<(), Lost> {
            Ok(())
        }

        fn fail(&mut self, _reason: &str) {}

        fn stats(&self) -> Stats {
            Stats::default()
        }

        fn binding(&self) -> Option<[u8; 32]> {
            None
        }
    };
}

pub(crate) use one_way;

/// Absorbs a block of columns.
fn absorb_block(transcript: &mut Transcript, corrections: &[u8], masks: &[u8]) {
    transcript.absorb("corrections", corrections);
    transcript.absorb("masks", masks);
}

/// What both passes of P must agree on.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct FirstPass {
    masks: [u8; 32],
    /// Counts and constants.
    pub(crate) program: Vec<u8>,
}

fn masks_hasher() -> blake3::Hasher {
    blake3::Hasher::new_derive_key("volery 2026 voleith masks of two passes v1")
}

/// P's channel before its passes: hashes the values, which the masks are under zeros, then counts and
/// constants, which a statement's digest may lack. It also keeps the values, if there is room.
pub(crate) struct Values {
    hasher: blake3::Hasher,
    /// In pieces of one size, since a vector that grows leaves its old content behind.
    kept: Vec<Wiped<u8>>,
    length: usize,
    program: Vec<u8>,
}

impl Drop for Values {
    fn drop(&mut self) {
        self.hasher.zeroize();
    }
}

/// The most bytes of values that P keeps: those of a hundred million commitments take 12.5 MB.
const MOST_KEPT: usize = 1 << 24;

/// The bytes of a piece.
const PIECE: usize = 1 << 16;

impl Values {
    pub(crate) fn new() -> Self {
        let hasher = blake3::Hasher::new_derive_key("volery 2026 voleith values v1");
        Self { hasher, kept: Vec::new(), length: 0, program: Vec::new() }
    }

    /// The hash, which is as secret as the witness.
    pub(crate) fn finish(&self) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(*self.hasher.finalize().as_bytes())
    }

    /// The values of this many `commitments`, lowest bits first, with zeros above those of the last byte, and
    /// the program; `None` if they are not all there.
    pub(crate) fn keep(&mut self, commitments: u64) -> Option<(Vec<Wiped<u8>>, Vec<u8>)> {
        let all = self.length as u64 == commitments.div_ceil(8) && Self::has_room(commitments);
        all.then(|| (core::mem::take(&mut self.kept), core::mem::take(&mut self.program)))
    }

    /// Whether the values of this many `commitments` are kept.
    pub(crate) const fn has_room(commitments: u64) -> bool {
        commitments.div_ceil(8) <= MOST_KEPT as u64
    }

    fn take(&mut self, mut values: &[u8]) {
        self.length = self.length.saturating_add(values.len());
        if self.length > MOST_KEPT {
            self.kept.clear();
            return;
        }
        while !values.is_empty() {
            if self.kept.last().is_none_or(|piece| piece.len() == PIECE) {
                self.kept.push(Wiped::new(Vec::with_capacity(PIECE)));
            }
            let Some(piece) = self.kept.last_mut() else { return };
            let (now, later) = values.split_at(values.len().min(PIECE - piece.len()));
            piece.extend_from_slice(now);
            values = later;
        }
    }
}

impl Channel for Values {
    fn send(&mut self, tag: Tag, payload: &[u8]) -> Result<(), Lost> {
        match tag {
            tags::MASKS => self.take(payload),
            tags::PROGRAM => self.program = payload.to_vec(),
            _ => {}
        }
        if tag == tags::MASKS || tag == tags::PROGRAM {
            self.hasher.update(payload);
        }
        Ok(())
    }

    one_way!(receives nothing);
}

/// P's channel in the first pass: writes blocks and absorbs them.
pub(crate) struct Recorder<'a> {
    out: &'a mut dyn Write,
    transcript: &'a mut Transcript,
    corrections: Vec<u8>,
    masks: Vec<u8>,
    hasher: blake3::Hasher,
    program: Vec<u8>,
    pub(crate) fault: Option<Error>,
    #[cfg(test)]
    pub(crate) edit: crate::tests::Edit,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(out: &'a mut dyn Write, transcript: &'a mut Transcript) -> Self {
        Self {
            out,
            transcript,
            corrections: Vec::new(),
            masks: Vec::new(),
            hasher: masks_hasher(),
            program: Vec::new(),
            fault: None,
            #[cfg(test)]
            edit: crate::tests::honest,
        }
    }

    /// For a P that cheats: masks that no row has.
    #[cfg(test)]
    pub(crate) fn add_masks(&mut self, bytes: usize) {
        self.masks.resize(self.masks.len() + bytes, 0);
    }

    /// Writes and absorbs the block that waits.
    pub(crate) fn spill(&mut self) -> Result<(), Error> {
        if self.corrections.is_empty() {
            return Ok(());
        }
        absorb_block(self.transcript, &self.corrections, &self.masks);
        self.hasher.update(&self.masks);
        self.out.write_all(&self.corrections).map_err(Error::io("write"))?;
        self.out.write_all(&self.masks).map_err(Error::io("write"))?;
        self.corrections.clear();
        self.masks.clear();
        Ok(())
    }

    /// After the last block.
    pub(crate) fn finish(mut self) -> Result<FirstPass, Error> {
        self.spill()?;
        Ok(FirstPass { masks: *self.hasher.finalize().as_bytes(), program: self.program })
    }
}

impl Channel for Recorder<'_> {
    fn send(&mut self, tag: Tag, payload: &[u8]) -> Result<(), Lost> {
        #[cfg(test)]
        let payload = &(self.edit)(tag, payload.to_vec())[..];
        match tag {
            tags::SOFT_SPOKEN_EXTEND => {
                let spilled = self.spill();
                keep(&mut self.fault, spilled)?;
                self.corrections.extend_from_slice(payload);
            }
            tags::MASKS => self.masks.extend_from_slice(payload),
            tags::PROGRAM => self.program = payload.to_vec(),
            _ => return Err(Lost::misuse(format!("{tag} in the first pass of a public proof"))),
        }
        Ok(())
    }

    one_way!(receives nothing);
}

/// P's channel in the second pass: keeps its answers and checks that it commits to the same values again.
pub(crate) struct Answers {
    hasher: blake3::Hasher,
    program: Vec<u8>,
    /// The coefficients of the relations' combination.
    pub(crate) opening: Vec<u8>,
    /// The hash of the wires that are zero.
    pub(crate) assertions: Vec<u8>,
    /// The hash of `u`, and a digest of those of all columns.
    pub(crate) columns: Vec<u8>,
    #[cfg(test)]
    pub(crate) edit: crate::tests::Edit,
}

impl Answers {
    pub(crate) fn new() -> Self {
        let (program, opening, assertions, columns) = Default::default();
        Self {
            hasher: masks_hasher(),
            program,
            opening,
            assertions,
            columns,
            #[cfg(test)]
            edit: crate::tests::honest,
        }
    }

    /// What this pass has committed to.
    pub(crate) fn pass(&self) -> FirstPass {
        FirstPass { masks: *self.hasher.finalize().as_bytes(), program: self.program.clone() }
    }
}

impl Channel for Answers {
    fn send(&mut self, tag: Tag, payload: &[u8]) -> Result<(), Lost> {
        #[cfg(test)]
        let payload = &(self.edit)(tag, payload.to_vec())[..];
        match tag {
            tags::MASKS => drop(self.hasher.update(payload)),
            tags::PROGRAM => self.program = payload.to_vec(),
            tags::CHECK_OPENING => self.opening = payload.to_vec(),
            tags::ASSERTIONS => self.assertions = payload.to_vec(),
            tags::SOFT_SPOKEN_CHECK => self.columns = payload.to_vec(),
            _ => return Err(Lost::misuse(format!("{tag} in the second pass of a public proof"))),
        }
        Ok(())
    }

    one_way!(receives nothing);
}

/// V's channel: reads and absorbs.
pub(crate) struct Player<'a> {
    input: &'a mut dyn Read,
    transcript: &'a mut Transcript,
    /// The trees that have corrections: all but the first.
    corrected: usize,
    /// The bits of masks that are still in the file.
    left: u64,
    /// The masks of the current block, and how far they are read.
    masks: Vec<u8>,
    at: usize,
    pub(crate) program: Vec<u8>,
    pub(crate) opening: Vec<u8>,
    pub(crate) assertions: Vec<u8>,
    pub(crate) columns: Vec<u8>,
    pub(crate) fault: Option<Error>,
}

impl<'a> Player<'a> {
    /// For a proof with this many `commitments`, in which so many trees have corrections.
    pub(crate) fn new(
        input: &'a mut dyn Read,
        transcript: &'a mut Transcript,
        corrected: usize,
        commitments: u64,
    ) -> Self {
        let (masks, program, opening, assertions, columns) = Default::default();
        let (left, at, fault) = (commitments, 0, None);
        Self { input, transcript, corrected, left, masks, at, program, opening, assertions, columns, fault }
    }

    /// Whether the file ends here.
    pub(crate) fn at_end(&mut self) -> Result<bool, Error> {
        let mut byte = [0];
        loop {
            match self.input.read(&mut byte) {
                Ok(n) => return Ok(n == 0),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::io("read")(error)),
            }
        }
    }

    fn fill(&mut self, part: &'static str, out: &mut [u8]) -> Result<(), Lost> {
        let read = self.input.read_exact(out).map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => {
                Error::malformed(part, "the file ends within it: it was cut off")
            }
            _ => Error::io("read")(error),
        });
        keep(&mut self.fault, read)
    }

    /// Reads a block, with the masks of those of its rows that are commitments.
    fn block(&mut self, corrections: &mut [u8]) -> Result<(), Lost> {
        self.fill("the corrections", corrections)?;
        let rows = 8 * (corrections.len() / self.corrected.max(1)) as u64;
        let bits = rows.min(self.left);
        self.left -= bits;
        let mut masks = core::mem::take(&mut self.masks);
        masks.resize(bits.div_ceil(8) as usize, 0);
        self.fill("the masks", &mut masks)?;
        absorb_block(self.transcript, corrections, &masks);
        (self.masks, self.at) = (masks, 0);
        Ok(())
    }
}

impl Channel for Player<'_> {
    fn send(&mut self, tag: Tag, payload: &[u8]) -> Result<(), Lost> {
        match tag {
            tags::PROGRAM => self.program = payload.to_vec(),
            tags::SOFT_SPOKEN_CHECK => self.columns = payload.to_vec(),
            _ => return Err(Lost::misuse(format!("{tag} from the verifier of a public proof"))),
        }
        Ok(())
    }

    fn recv(&mut self, tag: Tag, _max: usize) -> Result<&[u8], Lost> {
        Err(Lost::misuse(format!("{tag} has no place in a public proof")))
    }

    fn recv_exact(&mut self, tag: Tag, out: &mut [u8]) -> Result<(), Lost> {
        match tag {
            tags::SOFT_SPOKEN_EXTEND => self.block(out)?,
            tags::CHECK_OPENING => {
                self.fill("the relations' combination", out)?;
                self.opening = out.to_vec();
            }
            tags::ASSERTIONS => {
                self.fill("the hash of the wires that are zero", out)?;
                self.assertions = out.to_vec();
            }
            tags::SOFT_SPOKEN_CHECK => self.fill("the hash of the values", out)?,
            _ => return Err(Lost::misuse(format!("{tag} has no place in a public proof"))),
        }
        Ok(())
    }

    fn recv_into(&mut self, tag: Tag, max: usize, out: &mut Vec<u8>) -> Result<(), Lost> {
        let rest = &self.masks[self.at..];
        if tag != tags::MASKS {
            return Err(Lost::misuse(format!("{tag} has no place in a public proof")));
        }
        if rest.is_empty() {
            let reason = "the statement at hand has more commitments than the proof";
            keep(&mut self.fault, Err(Error::malformed("the masks", reason)))?;
        }
        let n = rest.len().min(max);
        out.clear();
        out.extend_from_slice(&rest[..n]);
        self.at += n;
        Ok(())
    }

    one_way!();
}

/// Leaves an error that a channel can only describe where the caller finds it.
fn keep<T>(fault: &mut Option<Error>, result: Result<T, Error>) -> Result<T, Lost> {
    result.map_err(|error| {
        let reason = error.to_string();
        fault.get_or_insert(error);
        Lost::misuse(reason)
    })
}
