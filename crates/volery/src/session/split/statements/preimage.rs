//! Knowledge of a long message with this SHA-256 digest, cut between blocks.

use volery_circuit::gadgets::{Compression as _, Sha256, bits_to_words, bytes_to_bits, words_to_bits};
use volery_circuit::{Digest, Error as StatementError, Prove};
use volery_field::F2;
use zeroize::Zeroizing;

use super::part;
use crate::Error;
use crate::split::{Equal, Layout, Shard, ShardInfo, Sharded};

/// Bytes of a block.
const BLOCK: u64 = 64;
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
    /// The message, and the chaining value before each shard.
    witness: Option<(Zeroizing<Vec<u8>>, Zeroizing<Vec<[u32; 8]>>)>,
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
        Ok(Self { digest, length, shards: shards.min(blocks), witness: None })
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
        self.witness = Some((message, states));
        Ok(self)
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
                let before = || whole.witness.as_ref().and_then(|(_, states)| states.get(*n)).map(state_bits);
                let state = Self::secret(b, STATE, before)?;
                boundary.extend_from_slice(&state);
                state
            }
        };
        let mut state = bits_to_words(&state);
        for block in whole.blocks_of(*n) {
            let secret = whole.secret_bytes(block);
            let bytes = || {
                let (message, _) = whole.witness.as_ref()?;
                // A block of padding alone may begin after the message's end.
                let start = message.len().min((block * BLOCK) as usize);
                Some(bytes_to_bits(message.get(start..)?.get(..secret)?))
            };
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
