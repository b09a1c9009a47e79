//! Knowledge of a long message with this SHA-256 digest, cut between blocks.

use volery_channel::{Cursor, Flaw};
use volery_circuit::gadgets::{Compression as _, Sha256, bits_to_words, bytes_to_bits, words_to_bits};
use volery_circuit::{Digest, Error as StatementError, Prove};
use volery_field::F2;
use zeroize::Zeroizing;

use super::part;
use crate::Error;
use crate::split::{Equal, Layout, Shard, ShardInfo, Sharded};

/// Bytes of a block.
const BLOCK: u64 = 64;
/// How a job begins, and more bytes than it has besides a part of the message.
const JOB_NAME: &[u8] = b"split sha256 preimage 1";
const JOB: usize = 256;
/// Bits of a chaining value.
const STATE: usize = 256;
/// What a block commits to: its bits, and 22,271 ANDs.
const COMMITMENTS: u64 = 512 + 22_271;

/// "I know a message of `length` bytes whose SHA-256 digest is `digest`", in shards of consecutive blocks.
/// The chaining value after one shard's last block is that before the next one's first.
pub struct SplitPreimage {
    digest: [u8; 32],
    length: u64,
    shards: usize,
    held: Option<Held>,
}

/// The prover's secret, or the part of it that one of its workers needs.
struct Held {
    /// The number of the first shard that is held, and of the first byte.
    first: (usize, u64),
    /// The message from that byte on.
    message: Zeroizing<Vec<u8>>,
    /// The chaining value before each of these shards.
    states: Zeroizing<Vec<[u32; 8]>>,
}

impl Held {
    /// So many bytes of a block, if they are held.
    fn bytes(&self, block: u64, count: usize) -> Option<&[u8]> {
        // A block of padding alone may begin after the message's end.
        let start = usize::try_from((block * BLOCK).checked_sub(self.first.1)?).ok()?;
        self.message.get(start.min(self.message.len())..)?.get(..count)
    }

    /// The chaining value before shard `n`, if it is held.
    fn state(&self, n: usize) -> Option<&[u32; 8]> {
        self.states.get(n.checked_sub(self.first.0)?)
    }
}

impl core::fmt::Debug for SplitPreimage {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { digest, length, shards, .. } = self;
        let mut out = f.debug_struct("SplitPreimage");
        out.field("digest", digest).field("length", length).field("shards", shards).finish_non_exhaustive()
    }
}

impl SplitPreimage {
    /// The public side of the claim, in so many shards, or in as many as there are blocks if these are fewer.
    ///
    /// # Errors
    /// [`StatementError::Public`] for no shards, and for a message of 2^40 bytes or more.
    pub fn new(digest: [u8; 32], length: u64, shards: usize) -> Result<Self, StatementError> {
        if length >= 1 << 40 {
            return Err(StatementError::Public("a split preimage takes messages below 2^40 bytes".into()));
        }
        let blocks = usize::try_from(blocks(length)).unwrap_or(usize::MAX);
        if shards == 0 {
            return Err(StatementError::Public("a statement in no shards".into()));
        }
        Ok(Self { digest, length, shards: shards.min(blocks), held: None })
    }

    /// Adds the witness, which only the prover holds.
    ///
    /// # Errors
    /// [`StatementError::Witness`] if the message does not have the claimed length. Whether it has the digest
    /// is for [`split::check`](crate::split::check) to say.
    pub fn with_message(mut self, message: Zeroizing<Vec<u8>>) -> Result<Self, StatementError> {
        if message.len() as u64 != self.length {
            return Err(StatementError::Witness(format!(
                "the message has {} bytes, and the claim is about one of {}",
                message.len(),
                self.length
            )));
        }
        let mut states = Zeroizing::new(Vec::with_capacity(self.shards));
        let mut state = initial();
        for n in 0..self.shards {
            states.push(state);
            for block in self.blocks_of(n) {
                let bytes = Zeroizing::new(self.block(block, &message));
                state = Sha256::compress_values(state, &Zeroizing::new(Sha256::expand(&bytes)));
            }
        }
        self.held = Some(Held { first: (0, 0), message, states });
        Ok(self)
    }

    /// What a worker needs to prove shard `n`, or to verify it if this has no message: the claim, and the
    /// shard's part of the message. It is a secret if this has a message.
    ///
    /// # Errors
    /// [`StatementError::Misuse`] for a shard that there is not.
    pub fn job(&self, n: usize) -> Result<Zeroizing<Vec<u8>>, StatementError> {
        self.shard(n)?;
        let blocks = self.blocks_of(n);
        let [start, end] = [blocks.start, blocks.end].map(|block| (block * BLOCK).min(self.length));
        let mut out = Zeroizing::new(Vec::with_capacity(JOB + (end - start) as usize));
        out.extend_from_slice(JOB_NAME);
        out.extend_from_slice(&self.digest);
        for number in [self.length, self.shards as u64, n as u64] {
            out.extend_from_slice(&number.to_be_bytes());
        }
        if let Some(held) = &self.held {
            let missing = || StatementError::Witness(format!("the message of shard {n} is not here"));
            let state = held.state(n).ok_or_else(missing)?;
            state.iter().for_each(|word| out.extend_from_slice(&word.to_be_bytes()));
            let from = usize::try_from(start.saturating_sub(held.first.1)).map_err(|_| missing())?;
            let bytes = held.message.get(from..).and_then(|rest| rest.get(..(end - start) as usize));
            out.extend_from_slice(bytes.ok_or_else(missing)?);
        }
        Ok(out)
    }

    /// The statement of a worker's [`job`](Self::job), and the number of its shard.
    ///
    /// # Errors
    /// [`StatementError::Public`] for bytes that are no job.
    pub fn from_job(job: &[u8]) -> Result<(Self, usize), StatementError> {
        let wrong = |flaw: &dyn core::fmt::Display| StatementError::Public(format!("a worker's job: {flaw}"));
        let mut cursor = Cursor::new(job);
        let mut read = || {
            let name = cursor.bytes(JOB_NAME.len(), "the name")?;
            let digest: [u8; 32] = cursor.array("the digest")?;
            let (length, shards, n) =
                (cursor.u64("the length")?, cursor.u64("the shards")?, cursor.u64("the shard")?);
            Ok::<_, Flaw>((name == JOB_NAME, digest, length, shards, n))
        };
        let (named, digest, length, shards, n) = read().map_err(|flaw| wrong(&flaw))?;
        let (shards, n) = match (usize::try_from(shards), usize::try_from(n)) {
            (Ok(shards), Ok(n)) if named && n < shards => (shards, n),
            _ => return Err(wrong(&"of another version or kind, or of no shard")),
        };
        let mut whole = Self::new(digest, length, shards)?;
        whole.shard(n)?;
        if cursor.is_empty() {
            return Ok((whole, n));
        }
        let blocks = whole.blocks_of(n);
        let [start, end] = [blocks.start, blocks.end].map(|block| (block * BLOCK).min(length));
        let mut state = Zeroizing::new([0; 8]);
        for word in state.iter_mut() {
            *word = cursor.u32("the state").map_err(|flaw| wrong(&flaw))?;
        }
        let message = Zeroizing::new(cursor.rest().to_vec());
        if message.len() as u64 != end - start {
            return Err(wrong(&"a part of the message that has another length"));
        }
        whole.held =
            Some(Held { first: (n, blocks.start * BLOCK), message, states: Zeroizing::new(vec![*state]) });
        Ok((whole, n))
    }

    /// The number of shards.
    #[must_use]
    pub fn shards(&self) -> usize {
        self.shards
    }

    fn blocks_of(&self, n: usize) -> core::ops::Range<u64> {
        part(blocks(self.length), self.shards, n)
    }

    /// The secret bytes of a block.
    fn secret_bytes(&self, block: u64) -> usize {
        // At most a block.
        self.length.saturating_sub(block * BLOCK).min(BLOCK) as usize
    }

    /// The bytes of a block of the padded message; where the message itself is, zeros.
    fn padding(&self, block: u64) -> [u8; BLOCK as usize] {
        let mut bytes = [0; BLOCK as usize];
        let secret = self.secret_bytes(block);
        if block * BLOCK + secret as u64 == self.length
            && let Some(first) = bytes.get_mut(secret)
        {
            *first = 0x80;
        }
        if block + 1 == blocks(self.length) {
            bytes[56..].copy_from_slice(&(8 * self.length).to_be_bytes());
        }
        bytes
    }

    /// A block of the padded message.
    fn block(&self, block: u64, message: &[u8]) -> [u8; BLOCK as usize] {
        let mut bytes = self.padding(block);
        let start = (block * BLOCK) as usize;
        for (byte, secret) in bytes.iter_mut().zip(message.get(start..).unwrap_or_default()) {
            *byte = *secret;
        }
        bytes
    }

    /// The boundary wires of shard `n`: the chaining values before and after it that are not public.
    fn boundary(&self, n: usize) -> usize {
        let [before, after] = [n > 0, n + 1 < self.shards];
        STATE * (usize::from(before) + usize::from(after))
    }
}

/// The blocks of a padded message.
fn blocks(length: u64) -> u64 {
    (length + 9).div_ceil(BLOCK)
}

fn initial() -> [u32; 8] {
    let mut state = [0; 8];
    state.copy_from_slice(Sha256::INITIAL);
    state
}

/// The bits of a chaining value, in the order of the wires that a boundary has.
fn state_bits(state: &[u32; 8]) -> Vec<F2> {
    let bytes: Zeroizing<Vec<u8>> =
        Zeroizing::new(state.iter().flat_map(|word| word.to_be_bytes()).collect());
    bytes_to_bits(&bytes)
}

/// A shard of a [`SplitPreimage`].
#[derive(Debug)]
pub struct SplitPreimagePart<'a> {
    whole: &'a SplitPreimage,
    n: usize,
}

impl Sharded for SplitPreimage {
    type Shard<'a> = SplitPreimagePart<'a>;

    fn layout(&self) -> Result<Layout, Error> {
        let part = |n| SplitPreimagePart { whole: self, n };
        let shards = (0..self.shards).map(|n| ShardInfo::of::<F2, _>(&part(n), self.boundary(n))).collect();
        // What comes out is the last of a shard's boundary, and what goes in the first.
        let equal = (1..self.shards).map(|n| Equal {
            from: (n - 1, self.boundary(n - 1) - STATE),
            to: (n, 0),
            wires: STATE,
        });
        Layout::new(shards, equal.collect())
    }

    fn shard(&self, n: usize) -> Result<SplitPreimagePart<'_>, StatementError> {
        match n < self.shards {
            true => Ok(SplitPreimagePart { whole: self, n }),
            false => Err(StatementError::misuse(format!("shard {n} of {}", self.shards))),
        }
    }
}

impl SplitPreimagePart<'_> {
    /// Secret bits, which are those of these values at P.
    fn secret<B: Prove<F2> + ?Sized>(
        b: &mut B,
        n: usize,
        values: impl Fn() -> Option<Vec<F2>>,
    ) -> Result<Vec<B::Wire>, B::Error> {
        b.secret(n, &mut |_| values().ok_or_else(|| StatementError::Witness("there is no message".into())))
    }
}

impl<B: Prove<F2> + ?Sized> Shard<F2, B> for SplitPreimagePart<'_> {
    fn identify(&self, digest: &mut Digest) {
        let SplitPreimage { digest: claimed, length, shards, .. } = self.whole;
        digest.bytes("shard", b"sha256 preimage v1").number("shard", self.n as u64);
        digest.bytes("digest", claimed).number("length", *length).number("shards", *shards as u64);
    }

    fn commitments(&self) -> Option<u64> {
        let blocks = self.whole.blocks_of(self.n);
        Some((blocks.end - blocks.start) * COMMITMENTS + STATE as u64)
    }

    fn run(&self, b: &mut B) -> Result<Vec<B::Wire>, B::Error> {
        let Self { whole, n } = self;
        b.enter("sha256");
        let mut boundary = Vec::with_capacity(whole.boundary(*n));
        let state = match n {
            0 => state_bits(&initial()).into_iter().map(|bit| b.constant(bit)).collect(),
            _ => {
                let before = || whole.held.as_ref()?.state(*n).map(state_bits);
                let state = Self::secret(b, STATE, before)?;
                boundary.extend_from_slice(&state);
                state
            }
        };
        let mut state = bits_to_words(&state);
        for block in whole.blocks_of(*n) {
            let secret = whole.secret_bytes(block);
            let bytes = || whole.held.as_ref()?.bytes(block, secret).map(bytes_to_bits);
            let mut bits = Self::secret(b, 8 * secret, bytes)?;
            let padding = bytes_to_bits(&whole.padding(block)[secret..]);
            bits.extend(padding.into_iter().map(|bit| b.constant(bit)));
            let Ok(words) = bits_to_words(&bits).try_into() else {
                return Err(StatementError::misuse("a block that is not 16 words").into());
            };
            Sha256::compress(b, &mut state, &words)?;
        }
        let state = words_to_bits(&state);
        if n + 1 == whole.shards {
            b.assert_equal(&state, &bytes_to_bits(&whole.digest))?;
        } else {
            boundary.extend(state);
        }
        b.leave();
        Ok(boundary)
    }
}
