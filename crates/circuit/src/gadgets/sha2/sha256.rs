//! SHA-256 (FIPS 180-4).

use volery_field::F2;

use super::{Sigma, Width};
use crate::Ops;
use crate::gadgets::hash::{Compression, Word, chaining_value, digest};

/// SHA-256 as a [`Compression`]: 22,271 ANDs a block, 21,890 for the first block of a message.
#[derive(Clone, Copy, Debug)]
pub struct Sha256;

/// The SHA-256 digest (256 wires) of a message of whole bytes; bits as
/// [`bytes_to_bits`](crate::gadgets::bytes_to_bits) orders them.
///
/// # Errors
/// [`Error::Misuse`](crate::Error::Misuse) unless the message is whole bytes; the backend's.
pub fn sha256<B: Ops<F2> + ?Sized>(b: &mut B, message: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
    digest::<Sha256, B>(b, message)
}

impl Compression for Sha256 {
    const NAME: &'static str = "sha256";
    type Number = u32;
    const INITIAL: &'static [u32] = &[
        0x6a09_e667,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ];
    type Digest = [u8; 32];

    fn compress<B: Ops<F2> + ?Sized>(
        b: &mut B,
        state: &mut [Word<B::Wire>],
        block: &[Word<B::Wire>; 16],
    ) -> Result<(), B::Error> {
        super::compress::<u32, B, 32>(b, chaining_value::<Self, _, 8>(state)?, block)
    }
}

impl Sha256 {
    /// [`Compression::compress`] after the message schedule is computed and the round constants are added:
    /// `words[t]` is `W_t + K_t`, as [`Sha256::expand`] computes it. This is for a block that is public when
    /// the circuit runs but not yet when it is made. It takes 16,120 ANDs with a secret chaining value and
    /// secret words; [`Compression::compress`] takes 22,271.
    ///
    /// # Errors
    /// Any error of the backend.
    pub fn compress_expanded<B: Ops<F2> + ?Sized>(
        b: &mut B,
        state: &mut [Word<B::Wire>; 8],
        words: &[Word<B::Wire>; 64],
    ) -> Result<(), B::Error> {
        super::compress_expanded::<u32, B, 32>(b, state, words)
    }

    /// Computes [`Sha256::compress_expanded`] on values, in constant time.
    #[must_use]
    pub fn compress_values(state: [u32; 8], words: &[u32; 64]) -> [u32; 8] {
        super::compress_values(state, words)
    }

    /// The words `W_t + K_t` (modulo 2^32) of a public block: FIPS 180-4, 6.2.2, step 1 and part of step 3.
    #[must_use]
    pub fn expand(block: &[u8; 64]) -> [u32; 64] {
        let (words, _) = block.as_chunks();
        super::expand(core::array::from_fn(|t| u32::from_be_bytes(words[t])))
    }
}

impl Width for u32 {
    const ROUND_CONSTANTS: &'static [Self] = &ROUND_CONSTANTS;
    const BIG: [Sigma; 2] = [Sigma::rotating(2, 13, 22), Sigma::rotating(6, 11, 25)];
    const SMALL: [Sigma; 2] = [Sigma::shifting(7, 18, 3), Sigma::shifting(17, 19, 10)];

    fn rotated_right(self, distance: usize) -> Self {
        self.rotate_right(distance as u32)
    }

    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
}

const ROUND_CONSTANTS: [u32; 64] = [
    0x428a_2f98,
    0x7137_4491,
    0xb5c0_fbcf,
    0xe9b5_dba5,
    0x3956_c25b,
    0x59f1_11f1,
    0x923f_82a4,
    0xab1c_5ed5,
    0xd807_aa98,
    0x1283_5b01,
    0x2431_85be,
    0x550c_7dc3,
    0x72be_5d74,
    0x80de_b1fe,
    0x9bdc_06a7,
    0xc19b_f174,
    0xe49b_69c1,
    0xefbe_4786,
    0x0fc1_9dc6,
    0x240c_a1cc,
    0x2de9_2c6f,
    0x4a74_84aa,
    0x5cb0_a9dc,
    0x76f9_88da,
    0x983e_5152,
    0xa831_c66d,
    0xb003_27c8,
    0xbf59_7fc7,
    0xc6e0_0bf3,
    0xd5a7_9147,
    0x06ca_6351,
    0x1429_2967,
    0x27b7_0a85,
    0x2e1b_2138,
    0x4d2c_6dfc,
    0x5338_0d13,
    0x650a_7354,
    0x766a_0abb,
    0x81c2_c92e,
    0x9272_2c85,
    0xa2bf_e8a1,
    0xa81a_664b,
    0xc24b_8b70,
    0xc76c_51a3,
    0xd192_e819,
    0xd699_0624,
    0xf40e_3585,
    0x106a_a070,
    0x19a4_c116,
    0x1e37_6c08,
    0x2748_774c,
    0x34b0_bcb5,
    0x391c_0cb3,
    0x4ed8_aa4a,
    0x5b9c_ca4f,
    0x682e_6ff3,
    0x748f_82ee,
    0x78a5_636f,
    0x84c8_7814,
    0x8cc7_0208,
    0x90be_fffa,
    0xa450_6ceb,
    0xbef9_a3f7,
    0xc671_78f2,
];
