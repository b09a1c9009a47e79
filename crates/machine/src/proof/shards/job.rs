//! What a worker gets, as bytes: the statement, which shard it is for, and at P what is committed to there.
//!
//! ```text
//! name | groups, shard, steps, unit: u32 | log: u64 | program: ELF | public input
//!      | the claim and the profile, as P announces them | 0: V's worker
//!                                                       | 1: group  | state | words | secret | new words
//!                                                       | 2: check  | before | entries | fresh | after
//! ```
//!
//! Numbers are little-endian. Lists have their number of elements in front (u32), files their length.

use std::sync::Arc;

use volery_circuit::Error;
use zeroize::Zeroizing;

use super::held::{Held, Live, OfCheck, OfGroup};
use super::{Part, SplitRun};
use crate::elf;
use crate::proof::preamble::{Head, decode_body, encode_body};
use crate::proof::statement::{ProgramRun, unknown};
use crate::proof::trace::STATE;
use crate::proof::{Settings, Subject};

/// How a job begins.
const NAME: &[u8] = b"split run 2";

/// More bytes than a job has besides its lists and files.
const FIXED: usize = 256;

fn refuse(what: impl core::fmt::Display) -> Error {
    Error::Public(format!("a worker's job: {what}"))
}

/// The length of a list or of a file. Longer ones do not come.
fn length(count: usize) -> [u8; 4] {
    u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes()
}

fn put_file(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(&length(bytes.len()));
    out.extend_from_slice(bytes);
}

fn put_list<const N: usize>(out: &mut Vec<u8>, list: &[[u32; N]]) {
    out.extend_from_slice(&length(list.len()));
    list.as_flattened().iter().for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
}

/// What is left to read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Error> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(|| refuse("it is cut short"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        self.take(N)?.try_into().map_err(|_| refuse("it is cut short"))
    }

    fn number(&mut self) -> Result<u32, Error> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn file(&mut self) -> Result<&'a [u8], Error> {
        let length = self.number()? as usize;
        self.take(length)
    }

    fn list<const N: usize>(&mut self) -> Result<Zeroizing<Vec<[u32; N]>>, Error> {
        let bytes = (self.number()? as usize).saturating_mul(4 * N);
        let mut words = self.take(bytes)?.as_chunks::<4>().0.iter();
        let mut list = Zeroizing::new(Vec::with_capacity(bytes / (4 * N)));
        while !words.as_slice().is_empty() {
            list.push(core::array::from_fn(|_| words.next().map_or(0, |word| u32::from_le_bytes(*word))));
        }
        Ok(list)
    }
}

impl SplitRun {
    /// What the worker of shard `n` needs, which is a secret if this is P's.
    ///
    /// # Errors
    /// [`Error::Misuse`] for a shard that there is not; [`Error::Witness`] if it is not here.
    pub fn job(&self, n: usize) -> Result<Zeroizing<Vec<u8>>, Error> {
        let Self { run, asked, held, .. } = self;
        let part = self.shard(n)?.part;
        let program = elf::write(run.program().ok_or_else(unknown)?);
        let body = encode_body(run.claim(), run.profile());
        let fixed = FIXED + NAME.len() + program.len() + run.public.len() + body.len();
        let mut out = Zeroizing::new(Vec::with_capacity(fixed + held.as_ref().map_or(0, |h| h.bytes(&part))));
        out.extend_from_slice(NAME);
        let Settings { steps, unit, log } = run.settings();
        let numbers = [length(*asked), length(n), steps.to_le_bytes(), unit.to_le_bytes()];
        out.extend_from_slice(numbers.as_flattened());
        out.extend_from_slice(&log.to_le_bytes());
        put_file(&mut out, &program);
        put_file(&mut out, &run.public);
        out.extend_from_slice(&Head::of(run.claim(), run.profile()).encode());
        put_file(&mut out, &body);
        match held {
            None => out.push(0),
            Some(held) => held.put(&part, &mut out)?,
        }
        Ok(out)
    }

    /// The statement of a worker's [`job`](Self::job), and the number of its shard.
    ///
    /// # Errors
    /// [`Error::Public`] for bytes that are no job; as [`SplitRun::new`].
    pub fn from_job(job: &[u8]) -> Result<(Self, usize), Error> {
        let mut reader = Reader(job);
        if reader.take(NAME.len())? != NAME {
            return Err(refuse("of another version or kind"));
        }
        let [groups, n, steps, unit] =
            [reader.number()?, reader.number()?, reader.number()?, reader.number()?];
        let settings = Settings { steps, unit, log: u64::from_le_bytes(reader.array()?) };
        let program = elf::parse(reader.file()?).map_err(refuse)?;
        let public = reader.file()?.to_vec();
        let head = Head::decode(&reader.array()?, usize::MAX)?;
        let (claim, profile) = decode_body(&head, reader.file()?)?;
        let run = ProgramRun::new(Subject::from(program), public, claim, profile, settings)?;
        let (mut whole, n) = (Self::new(run, groups as usize)?, n as usize);
        let held = match whole.shard(n)?.part {
            Part::Group(number, _) => Held::read_group(number, &mut reader)?,
            Part::Check(number, _) => Held::read_check(number, &mut reader)?,
        };
        if !reader.0.is_empty() {
            return Err(refuse(format_args!("{} bytes too many", reader.0.len())));
        }
        whole.held = held;
        Ok((whole, n))
    }
}

/// What kind of shard a job is for, at P.
const GROUP: u8 = 1;
const CHECK: u8 = 2;

impl Held {
    /// About as many bytes as [`put`](Self::put) takes.
    fn bytes(&self, part: &Part<'_>) -> usize {
        let of_group = |OfGroup { words, secret, new_words, .. }: &OfGroup| {
            12 * words.len() + secret.len() + 4 * new_words.len()
        };
        let of_check = |OfCheck { before, entries, fresh, after }: &OfCheck| {
            12 * (before.len() + after.len()) + 16 * entries.len() + 4 * fresh.len()
        };
        match part {
            Part::Group(number, _) => self.groups.get(number).map_or(0, of_group),
            Part::Check(number, _) => self.checks.get(number).map_or(0, of_check),
        }
    }

    fn put(&self, part: &Part<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
        match part {
            Part::Group(number, _) => {
                let OfGroup { state, words, secret, new_words } =
                    self.groups.get(number).ok_or_else(super::missing)?;
                out.push(GROUP);
                state.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
                put_list(out, words);
                put_file(out, secret);
                put_list(out, new_words.as_chunks::<1>().0);
            }
            Part::Check(number, _) => {
                let OfCheck { before, entries, fresh, after } =
                    self.checks.get(number).ok_or_else(super::missing)?;
                out.push(CHECK);
                put_list(out, before);
                put_list(out, entries);
                put_list(out, fresh.as_chunks::<1>().0);
                put_list(out, after);
            }
        }
        Ok(())
    }

    /// What P's worker of a group gets; none at V's.
    fn read_group(number: usize, reader: &mut Reader<'_>) -> Result<Option<Self>, Error> {
        if !is_p(reader, GROUP)? {
            return Ok(None);
        }
        let mut state = Zeroizing::new([0; STATE]);
        for value in state.iter_mut() {
            *value = reader.number()?;
        }
        let words = reader.list()?;
        let secret = Zeroizing::new(reader.file()?.to_vec());
        let new_words = Zeroizing::new(reader.list::<1>()?.as_flattened().to_vec());
        let group = OfGroup { state, words, secret, new_words };
        Ok(Some(Self { groups: [(number, group)].into(), ..Self::default() }))
    }

    /// The same of a check.
    fn read_check(number: usize, reader: &mut Reader<'_>) -> Result<Option<Self>, Error> {
        if !is_p(reader, CHECK)? {
            return Ok(None);
        }
        let (before, entries): (Live, _) = (reader.list()?, reader.list()?);
        let fresh = Zeroizing::new(reader.list::<1>()?.as_flattened().to_vec());
        let check = OfCheck { before: Arc::new(before), entries, fresh, after: Arc::new(reader.list()?) };
        Ok(Some(Self { checks: [(number, check)].into(), ..Self::default() }))
    }
}

/// Whether values of a shard of this kind follow.
fn is_p(reader: &mut Reader<'_>, kind: u8) -> Result<bool, Error> {
    match reader.array()? {
        [0] => Ok(false),
        [found] if found == kind => Ok(true),
        _ => Err(refuse("with values of another kind of shard")),
    }
}
