//! SHA-512 and SHA-384 (FIPS 180-4). They differ in the initial value and in the length of the digest.

use volery_field::F2;

use super::{Rounds, Sigma, Width};
use crate::Ops;
use crate::gadgets::hash::{Compression, Word, chaining_value, digest};

/// SHA-512 as a [`Compression`]: 57,572 ANDs a block, 56,814 for the first block of a message.
#[derive(Clone, Copy, Debug)]
pub struct Sha512;

/// SHA-384 as a [`Compression`]: 57,572 ANDs a block, 56,800 for the first block of a message, and 126 fewer
/// for the last.
#[derive(Clone, Copy, Debug)]
pub struct Sha384;

/// The SHA-512 digest (512 wires) of a message of whole bytes; bits as
/// [`bytes_to_bits`](crate::gadgets::bytes_to_bits) orders them.
///
/// # Errors
/// [`Error::Misuse`](crate::Error::Misuse) unless the message is whole bytes; the backend's.
pub fn sha512<B: Ops<F2> + ?Sized>(b: &mut B, message: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
    digest::<Sha512, B>(b, message)
}

/// The SHA-384 digest (384 wires) of a message of whole bytes; bits as
/// [`bytes_to_bits`](crate::gadgets::bytes_to_bits) orders them.
///
/// # Errors
/// [`Error::Misuse`](crate::Error::Misuse) unless the message is whole bytes; the backend's.
pub fn sha384<B: Ops<F2> + ?Sized>(b: &mut B, message: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
    digest::<Sha384, B>(b, message)
}

/// The wires of a 64-bit number.
type LongWord<W> = Word<W, 64>;

impl Compression for Sha512 {
    const NAME: &'static str = "sha512";
    type Number = u64;
    const INITIAL: &'static [u64] = &[
        0x6a09_e667_f3bc_c908,
        0xbb67_ae85_84ca_a73b,
        0x3c6e_f372_fe94_f82b,
        0xa54f_f53a_5f1d_36f1,
        0x510e_527f_ade6_82d1,
        0x9b05_688c_2b3e_6c1f,
        0x1f83_d9ab_fb41_bd6b,
        0x5be0_cd19_137e_2179,
    ];
    type Digest = [u8; 64];

    fn compress<B: Ops<F2> + ?Sized>(
        b: &mut B,
        state: &mut [LongWord<B::Wire>],
        block: &[LongWord<B::Wire>; 16],
    ) -> Result<(), B::Error> {
        super::compress::<u64, B, 64>(b, chaining_value::<Self, _, 8>(state)?, block)
    }
}

impl Compression for Sha384 {
    const NAME: &'static str = "sha384";
    type Number = u64;
    const INITIAL: &'static [u64] = &[
        0xcbbb_9d5d_c105_9ed8,
        0x629a_292a_367c_d507,
        0x9159_015a_3070_dd17,
        0x152f_ecd8_f70e_5939,
        0x6733_2667_ffc0_0b31,
        0x8eb4_4a87_6858_1511,
        0xdb0c_2e0d_64f9_8fa7,
        0x47b5_481d_befa_4fa4,
    ];
    const DIGEST_WORDS: usize = 6;
    type Digest = [u8; 48];

    fn compress<B: Ops<F2> + ?Sized>(
        b: &mut B,
        state: &mut [LongWord<B::Wire>],
        block: &[LongWord<B::Wire>; 16],
    ) -> Result<(), B::Error> {
        super::compress::<u64, B, 64>(b, chaining_value::<Self, _, 8>(state)?, block)
    }

    fn compress_last<B: Ops<F2> + ?Sized>(
        b: &mut B,
        state: &[LongWord<B::Wire>],
        block: &[LongWord<B::Wire>; 16],
    ) -> Result<Vec<LongWord<B::Wire>>, B::Error> {
        let mut state = state.to_vec();
        let rounds = Rounds::of_block::<u64, B>(b, chaining_value::<Self, _, 8>(&mut state)?, block)?;
        Self::finish(b, rounds, state)
    }
}

impl Sha512 {
    /// [`Compression::compress`] of SHA-512 and SHA-384 after the message schedule is computed and the round
    /// constants are added: `words[t]` is `W_t + K_t`, as [`Sha512::expand`] computes it. This is for a block
    /// that is public when the circuit runs but not yet when it is made. It takes 40,824 ANDs with a secret
    /// chaining value and secret words; [`Compression::compress`] takes 57,572.
    ///
    /// # Errors
    /// Any error of the backend.
    pub fn compress_expanded<B: Ops<F2> + ?Sized>(
        b: &mut B,
        state: &mut [LongWord<B::Wire>; 8],
        words: &[LongWord<B::Wire>; 80],
    ) -> Result<(), B::Error> {
        super::compress_expanded::<u64, B, 64>(b, state, words)
    }

    /// The next chaining value of SHA-512 and SHA-384 after a known one. With [`Fold`](crate::Fold) it takes
    /// at most 63 ANDs fewer than [`Compression::compress`] of known words: 56,744 with SHA-384's initial
    /// value.
    ///
    /// # Errors
    /// Any error of the backend.
    pub fn compress_known<B: Ops<F2> + ?Sized>(
        b: &mut B,
        state: [u64; 8],
        block: &[LongWord<B::Wire>; 16],
    ) -> Result<[LongWord<B::Wire>; 8], B::Error> {
        super::compress_known(b, state, block)
    }

    /// [`Sha512::compress_known`] for a chaining value that is opened, for some 1,310 ANDs fewer: eight words
    /// from which anyone computes it ([`Sha512::finish_opened`]) and which say no more than it does.
    ///
    /// # Errors
    /// Any error of the backend.
    pub fn compress_to_open<B: Ops<F2> + ?Sized>(
        b: &mut B,
        state: [u64; 8],
        block: &[LongWord<B::Wire>; 16],
    ) -> Result<[LongWord<B::Wire>; 8], B::Error> {
        super::compress_to_open(b, state, block)
    }

    /// Computes [`Sha512::compress_to_open`] on values, from a block's [expanded](Sha512::expand) words, in
    /// constant time.
    #[must_use]
    pub fn opened_values(state: [u64; 8], words: &[u64; 80]) -> [u64; 8] {
        super::opened_values(state, words)
    }

    /// The chaining value after `state` and a block, from the words of [`Sha512::compress_to_open`].
    #[must_use]
    pub fn finish_opened(state: [u64; 8], opened: [u64; 8]) -> [u64; 8] {
        super::finish_opened(state, opened)
    }

    /// Computes [`Sha512::compress_expanded`] on values, in constant time.
    #[must_use]
    pub fn compress_values(state: [u64; 8], words: &[u64; 80]) -> [u64; 8] {
        super::compress_values(state, words)
    }

    /// The words `W_t + K_t` (modulo 2^64) of a public block: FIPS 180-4, 6.4.2, step 1 and part of step 3.
    #[must_use]
    pub fn expand(block: &[u8; 128]) -> [u64; 80] {
        let (words, _) = block.as_chunks();
        super::expand(core::array::from_fn(|t| u64::from_be_bytes(words[t])))
    }
}

impl Sha384 {
    /// [`Compression::compress_last`] of expanded words, as [`Sha512::compress_expanded`] has them: the six
    /// words of the digest, for 126 ANDs fewer.
    ///
    /// # Errors
    /// Any error of the backend.
    pub fn compress_last_expanded<B: Ops<F2> + ?Sized>(
        b: &mut B,
        state: &[LongWord<B::Wire>; 8],
        words: &[LongWord<B::Wire>; 80],
    ) -> Result<Vec<LongWord<B::Wire>>, B::Error> {
        let rounds = Rounds::of_words::<u64, B>(b, state, words)?;
        Self::finish(b, rounds, state.to_vec())
    }

    /// [`Compression::compress_last`] after a known chaining value: see [`Sha512::compress_known`].
    ///
    /// # Errors
    /// Any error of the backend.
    pub fn compress_last_known<B: Ops<F2> + ?Sized>(
        b: &mut B,
        state: [u64; 8],
        block: &[LongWord<B::Wire>; 16],
    ) -> Result<Vec<LongWord<B::Wire>>, B::Error> {
        let rounds = super::rounds_after_known(b, state, block)?;
        let state = super::known(b, state).to_vec();
        Self::finish(b, rounds, state)
    }

    /// The digest's words: the last additions without those of the other two words.
    fn finish<B: Ops<F2> + ?Sized>(
        b: &mut B,
        rounds: Rounds<B::Wire, 64>,
        mut state: Vec<LongWord<B::Wire>>,
    ) -> Result<Vec<LongWord<B::Wire>>, B::Error> {
        state.truncate(Self::DIGEST_WORDS);
        rounds.feed_forward(b, &mut state)?;
        Ok(state)
    }
}

impl Width for u64 {
    const ROUND_CONSTANTS: &'static [Self] = &ROUND_CONSTANTS;
    const BIG: [Sigma; 2] = [Sigma::rotating(28, 34, 39), Sigma::rotating(14, 18, 41)];
    const SMALL: [Sigma; 2] = [Sigma::shifting(1, 8, 7), Sigma::shifting(19, 61, 6)];

    fn rotated_right(self, distance: usize) -> Self {
        self.rotate_right(distance as u32)
    }

    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
}

const ROUND_CONSTANTS: [u64; 80] = [
    0x428a_2f98_d728_ae22,
    0x7137_4491_23ef_65cd,
    0xb5c0_fbcf_ec4d_3b2f,
    0xe9b5_dba5_8189_dbbc,
    0x3956_c25b_f348_b538,
    0x59f1_11f1_b605_d019,
    0x923f_82a4_af19_4f9b,
    0xab1c_5ed5_da6d_8118,
    0xd807_aa98_a303_0242,
    0x1283_5b01_4570_6fbe,
    0x2431_85be_4ee4_b28c,
    0x550c_7dc3_d5ff_b4e2,
    0x72be_5d74_f27b_896f,
    0x80de_b1fe_3b16_96b1,
    0x9bdc_06a7_25c7_1235,
    0xc19b_f174_cf69_2694,
    0xe49b_69c1_9ef1_4ad2,
    0xefbe_4786_384f_25e3,
    0x0fc1_9dc6_8b8c_d5b5,
    0x240c_a1cc_77ac_9c65,
    0x2de9_2c6f_592b_0275,
    0x4a74_84aa_6ea6_e483,
    0x5cb0_a9dc_bd41_fbd4,
    0x76f9_88da_8311_53b5,
    0x983e_5152_ee66_dfab,
    0xa831_c66d_2db4_3210,
    0xb003_27c8_98fb_213f,
    0xbf59_7fc7_beef_0ee4,
    0xc6e0_0bf3_3da8_8fc2,
    0xd5a7_9147_930a_a725,
    0x06ca_6351_e003_826f,
    0x1429_2967_0a0e_6e70,
    0x27b7_0a85_46d2_2ffc,
    0x2e1b_2138_5c26_c926,
    0x4d2c_6dfc_5ac4_2aed,
    0x5338_0d13_9d95_b3df,
    0x650a_7354_8baf_63de,
    0x766a_0abb_3c77_b2a8,
    0x81c2_c92e_47ed_aee6,
    0x9272_2c85_1482_353b,
    0xa2bf_e8a1_4cf1_0364,
    0xa81a_664b_bc42_3001,
    0xc24b_8b70_d0f8_9791,
    0xc76c_51a3_0654_be30,
    0xd192_e819_d6ef_5218,
    0xd699_0624_5565_a910,
    0xf40e_3585_5771_202a,
    0x106a_a070_32bb_d1b8,
    0x19a4_c116_b8d2_d0c8,
    0x1e37_6c08_5141_ab53,
    0x2748_774c_df8e_eb99,
    0x34b0_bcb5_e19b_48a8,
    0x391c_0cb3_c5c9_5a63,
    0x4ed8_aa4a_e341_8acb,
    0x5b9c_ca4f_7763_e373,
    0x682e_6ff3_d6b2_b8a3,
    0x748f_82ee_5def_b2fc,
    0x78a5_636f_4317_2f60,
    0x84c8_7814_a1f0_ab72,
    0x8cc7_0208_1a64_39ec,
    0x90be_fffa_2363_1e28,
    0xa450_6ceb_de82_bde9,
    0xbef9_a3f7_b2c6_7915,
    0xc671_78f2_e372_532b,
    0xca27_3ece_ea26_619c,
    0xd186_b8c7_21c0_c207,
    0xeada_7dd6_cde0_eb1e,
    0xf57d_4f7f_ee6e_d178,
    0x06f0_67aa_7217_6fba,
    0x0a63_7dc5_a2c8_98a6,
    0x113f_9804_bef9_0dae,
    0x1b71_0b35_131c_471b,
    0x28db_77f5_2304_7d84,
    0x32ca_ab7b_40c7_2493,
    0x3c9e_be0a_15c9_bebc,
    0x431d_67c4_9c10_0d4c,
    0x4cc5_d4be_cb3e_42b6,
    0x597f_299c_fc65_7e2a,
    0x5fcb_6fab_3ad6_faec,
    0x6c44_198c_4a47_5817,
];
