//! AES-128 in bulk, for the PRG, the punctured PRF and the LPN code's index stream.
//!
//! There are three kernels over slices. Each processes independent blocks, as in CTR mode or in a tree, so
//! that they fill the pipeline:
//!
//! * [`Aes::ctr`]: `out[i] = AES_K(start + i)`, or, with a salt, `AES_K(salt || start + i)`;
//! * [`Aes::hash`]: the hash `H` below of every block;
//! * [`Aes::expand`]: one level of the correlated GGM tree of half-trees (ePrint 2022/1431, section 4.1),
//!   `left = H(x)`, `right = x + H(x)`, with `H(x) = AES_K(s(x)) + s(x)` and the linear orthomorphism
//!   `s(a || b) = (a + b) || a` (Guo, Katz, Wang, Yu, ePrint 2019/074): circular correlation robust
//!   if AES under the fixed key is a random permutation.
//!
//! `portable` (the `aes` crate) is the specification. `x86` runs the same loop on 128-, 256- and 512-bit
//! registers, `wasm_simd128` eight blocks bitsliced. `many` has the kernels over many keys, one for each leaf
//! or node of a tree. The [`Level`] is detected once per process.

mod many;
mod portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm_simd128;
#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
mod x86_many;

use std::sync::OnceLock;

use volery_field::{Gf128, Wipe as _};

pub(crate) use many::{Keys, pairs};

/// What garbling in WebAssembly takes of its kernel.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[doc(hidden)]
pub mod bitsliced {
    pub use super::wasm_simd128::{AT_ONCE, EightKeys};
}

/// The instructions that compute AES.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The `aes` crate.
    Portable,
    /// WebAssembly with simd128: eight blocks, bitsliced.
    Simd128,
    /// AES-NI, one block in a register.
    Aesni,
    /// VAES with AVX2, two blocks in a register.
    Vaes256,
    /// VAES with AVX-512F, four blocks in a register.
    Vaes512,
}

impl Level {
    /// All levels, slowest first.
    pub const ALL: [Self; 5] = [Self::Portable, Self::Simd128, Self::Aesni, Self::Vaes256, Self::Vaes512];

    /// The fastest level of this machine, detected once.
    #[must_use]
    pub fn detect() -> Self {
        static LEVEL: OnceLock<Level> = OnceLock::new();
        *LEVEL.get_or_init(|| Self::ALL.into_iter().rev().find(|l| l.available()).unwrap_or(Self::Portable))
    }

    /// Whether this machine can run it.
    #[must_use]
    pub fn available(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            use volery_field::detected as has;
            let ni = has!("aes") && has!("sse4.1");
            let vaes = ni && has!("vaes") && has!("avx2");
            match self {
                Self::Portable => true,
                Self::Simd128 => false,
                Self::Aesni => ni,
                Self::Vaes256 => vaes,
                Self::Vaes512 => vaes && has!("avx512f"),
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            // WebAssembly has no dispatch at run time: a module with these instructions is for engines that
            // have them.
            self == Self::Portable
                || self == Self::Simd128 && cfg!(all(target_arch = "wasm32", target_feature = "simd128"))
        }
    }

    /// A short name for benchmark output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Simd128 => "simd128",
            Self::Aesni => "aesni",
            Self::Vaes256 => "vaes256",
            Self::Vaes512 => "vaes512",
        }
    }
}

/// `nodes[index] += value`, applied while a level is read. With it, the party that lacks one path repairs the
/// sibling of its punctured node without an access that depends on the secret `index`.
#[derive(Clone, Copy)]
pub(crate) struct Fix {
    pub(crate) index: u32,
    pub(crate) value: Gf128,
}

impl Fix {
    /// Changes nothing.
    pub(crate) const NONE: Self = Self { index: u32::MAX, value: Gf128::ZERO };
}

/// AES-128 under one key, expanded for the level in use; wiped on drop.
pub(crate) struct Aes {
    level: Level,
    /// Round keys for the other levels; zero for the portable one.
    round_keys: [u128; 11],
    soft: Option<::aes::Aes128>,
}

impl Aes {
    /// Expands `key` for the detected level.
    pub(crate) fn new(key: [u8; 16]) -> Self {
        Self::expand_key(Level::detect(), key)
    }

    /// Expands `key` for a chosen level; `None` if this machine lacks it.
    #[cfg(test)]
    pub(crate) fn with_level(level: Level, key: [u8; 16]) -> Option<Self> {
        level.available().then(|| Self::expand_key(level, key))
    }

    /// Expands `key` for `level`, which must be available.
    fn expand_key(level: Level, key: [u8; 16]) -> Self {
        #[cfg(target_arch = "x86_64")]
        if level != Level::Portable {
            // SAFETY: every caller passes an available level, and all but the portable one imply AES-NI.
            let round_keys = unsafe { x86::expand_key(u128::from_le_bytes(key)) };
            return Self { level, round_keys, soft: None };
        }
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        if level == Level::Simd128 {
            let round_keys = wasm_simd128::expand_key(u128::from_le_bytes(key));
            return Self { level, round_keys, soft: None };
        }
        Self { level, round_keys: [0; 11], soft: Some(portable::expand_key(key)) }
    }

    /// `out[i] = AES_K(start + i)`, counting modulo 2^64; blocks are little-endian integers.
    pub(crate) fn ctr(&self, start: u64, out: &mut [Gf128]) {
        self.salted_ctr(0, start, out);
    }

    /// `out[i] = AES_K(salt || start + i)`: [`ctr`](Self::ctr) with `salt` as the high half of each block.
    ///
    /// All streams use the same counter. Without a salt, one guess of a key would test the keys of all
    /// streams at once, in all sessions anywhere, against precomputed tables. So a stream whose blocks are
    /// seen by somebody without its key has a salt of its own.
    pub(crate) fn salted_ctr(&self, salt: u64, start: u64, out: &mut [Gf128]) {
        // SAFETY: `self.level` was available when the key was expanded.
        if !unsafe { hardware_ctr(self.level, &self.round_keys, salt, start, out) }
            && let Some(soft) = &self.soft
        {
            portable::ctr(soft, salt, start, out);
        }
    }

    /// Replaces every block `x` by `H(x)`, the hash of [`Aes::expand`].
    pub(crate) fn hash(&self, nodes: &mut [Gf128]) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: `self.level` was available when the key was expanded.
        unsafe {
            match self.level {
                Level::Portable | Level::Simd128 => {}
                Level::Aesni => return x86::hash_aesni(&self.round_keys, nodes),
                Level::Vaes256 => return x86::hash_vaes256(&self.round_keys, nodes),
                Level::Vaes512 => return x86::hash_vaes512(&self.round_keys, nodes),
            }
        }
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        if self.level == Level::Simd128 {
            return wasm_simd128::hash(&self.round_keys, nodes);
        }
        if let Some(soft) = &self.soft {
            portable::hash(soft, nodes);
        }
    }

    /// One level of a tree: `nodes` holds `m` parents in its first half. After `fix` is added to them, parent
    /// `x` at `j` leaves `H(x)` at `j` and `x + H(x)` at `j + m`. Returns the sum of all `H(x)`.
    ///
    /// If `nodes` has an odd length, its last element is not touched.
    pub(crate) fn expand(&self, nodes: &mut [Gf128], fix: Fix) -> Gf128 {
        let (left, right) = nodes.split_at_mut(nodes.len() / 2);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: `self.level` was available when the key was expanded.
        unsafe {
            match self.level {
                Level::Portable | Level::Simd128 => {}
                Level::Aesni => return x86::expand_aesni(&self.round_keys, left, right, fix),
                Level::Vaes256 => return x86::expand_vaes256(&self.round_keys, left, right, fix),
                Level::Vaes512 => return x86::expand_vaes512(&self.round_keys, left, right, fix),
            }
        }
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        if self.level == Level::Simd128 {
            return wasm_simd128::expand(&self.round_keys, left, right, fix);
        }
        self.soft.as_ref().map_or(Gf128::ZERO, |soft| portable::expand(soft, left, right, fix))
    }
}

impl Aes {
    /// Ends a punctured tree: clears every leaf's least significant bit, then adds `at_path` to leaf `path`
    /// and `at_sibling` to its sibling, the leaf that differs in the top bit, and sets the former's least
    /// significant bit. No access depends on `path`.
    pub(crate) fn repair(&self, nodes: &mut [Gf128], path: u32, at_path: Gf128, at_sibling: Gf128) {
        let half = nodes.len() / 2;
        let (left, right) = nodes.split_at_mut(half);
        let top = u128::from(u32::from(path as usize & half != 0)).wrapping_neg();
        let (p, s) = (at_path.to_bits() | 1, at_sibling.to_bits() & !1);
        let swap = (p ^ s) & top;
        let low = Fix { index: path & (half as u32).wrapping_sub(1), value: Gf128::from_bits(p ^ swap) };
        let high = Fix { value: Gf128::from_bits(s ^ swap), ..low };
        for (side, fix) in [(left, low), (right, high)] {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `self.level` was available when the key was expanded.
            unsafe {
                match self.level {
                    Level::Portable | Level::Simd128 => {}
                    Level::Aesni => {
                        x86::add_even_aesni(side, fix);
                        continue;
                    }
                    Level::Vaes256 => {
                        x86::add_even_vaes256(side, fix);
                        continue;
                    }
                    Level::Vaes512 => {
                        x86::add_even_vaes512(side, fix);
                        continue;
                    }
                }
            }
            portable::add_even(side, fix);
        }
    }
}

/// Counter mode with the processor's instructions, unless `level` is the portable one. Returns whether it has
/// been done.
///
/// # Safety
/// The level must be available.
unsafe fn hardware_ctr(level: Level, keys: &[u128; 11], salt: u64, start: u64, out: &mut [Gf128]) -> bool {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the caller's promise.
    unsafe {
        match level {
            Level::Portable | Level::Simd128 => return false,
            Level::Aesni => x86::ctr_aesni(keys, salt, start, out),
            Level::Vaes256 => x86::ctr_vaes256(keys, salt, start, out),
            Level::Vaes512 => x86::ctr_vaes512(keys, salt, start, out),
        }
    }
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    if level == Level::Simd128 {
        wasm_simd128::ctr(keys, salt, start, out);
    }
    #[cfg(not(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128"))))]
    let _ = (keys, salt, start, out);
    level != Level::Portable
}

impl Drop for Aes {
    fn drop(&mut self) {
        // The `aes` crate wipes its own half.
        self.round_keys.wipe();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(key: [u8; 16]) -> impl Iterator<Item = Aes> {
        Level::ALL.into_iter().filter_map(move |l| Aes::with_level(l, key))
    }

    fn sample(n: usize, seed: u64) -> Vec<Gf128> {
        let mut v = vec![Gf128::ZERO; n];
        Aes::new([7; 16]).ctr(seed << 32, &mut v);
        v
    }

    /// FIPS 197, appendix B and C.1: the counter block is the plaintext, so only its low half is free here;
    /// SP 800-38A, F.5.1 has no such block either, hence the zero key and block of the AESAVS, appendix B/C.
    #[test]
    fn every_level_gives_the_known_answer_for_zero() {
        for aes in levels([0; 16]) {
            let mut out = [Gf128::ZERO; 1];
            aes.ctr(0, &mut out);
            let expected = 0x66e94bd4ef8a2c3b884cfa59ca342b2e_u128.swap_bytes();
            assert_eq!(out[0].to_bits(), expected, "{:?}", aes.level);
        }
    }

    #[test]
    fn ctr_agrees_with_portable_on_every_length() {
        let portable = Aes::with_level(Level::Portable, [9; 16]).unwrap();
        for aes in levels([9; 16]) {
            for (salt, start) in [(0, 0), (3, 5), (u64::MAX, u64::MAX - 20), (0, u64::MAX - 20)] {
                for n in 0..70 {
                    let mut want = vec![Gf128::ZERO; n];
                    let mut got = vec![Gf128::ONE; n + 1];
                    portable.salted_ctr(salt, start, &mut want);
                    aes.salted_ctr(salt, start, &mut got[..n]);
                    assert_eq!(got[..n], want[..], "{:?} {salt} {start} {n}", aes.level);
                    assert_eq!(got[n], Gf128::ONE, "wrote past the end");
                }
            }
        }
    }

    #[test]
    fn the_salt_is_the_high_half_of_the_block() {
        let key = portable::expand_key([9; 16]);
        let want = portable::permute(&key, Gf128::from_bits(0x0123_4567_89ab_cdef << 64 | 7));
        let mut got = [Gf128::ZERO];
        Aes::new([9; 16]).salted_ctr(0x0123_4567_89ab_cdef, 7, &mut got);
        assert_eq!(got[0], want);
    }

    #[test]
    fn expand_agrees_with_portable_on_every_length_and_fix() {
        let portable = Aes::with_level(Level::Portable, [3; 16]).unwrap();
        for aes in levels([3; 16]) {
            for m in 0..37_usize {
                for index in [0, 1, m as u32 / 2, (m as u32).saturating_sub(1), u32::MAX] {
                    let fix = Fix { index, value: Gf128::from_bits(u128::MAX - 5) };
                    let mut want = sample(2 * m, m as u64);
                    let mut got = want.clone();
                    let a = portable.expand(&mut want, fix);
                    let b = aes.expand(&mut got, fix);
                    assert!(a == b && want == got, "{:?} {m} {index}", aes.level);
                }
            }
        }
    }

    #[test]
    fn repair_agrees_with_portable_and_with_plain_indexing() {
        for aes in levels([3; 16]) {
            for half in [1_usize, 2, 4, 8, 64] {
                for path in 0..2 * half {
                    let (p, s) = (Gf128::from_bits(u128::MAX - 99), Gf128::from_bits(77 << 80 | 1));
                    let mut got = sample(2 * half, path as u64);
                    let mut want: Vec<_> = got.iter().map(|x| Gf128::from_bits(x.to_bits() & !1)).collect();
                    want[path] += Gf128::from_bits(p.to_bits() | 1);
                    want[path ^ half] += Gf128::from_bits(s.to_bits() & !1);
                    aes.repair(&mut got, path as u32, p, s);
                    assert!(got == want, "{:?} {half} {path}", aes.level);
                }
            }
        }
    }

    #[test]
    fn hash_is_the_left_half_of_an_expansion_at_every_level_and_length() {
        for aes in levels([5; 16]) {
            for n in 0..70 {
                let mut both = sample(2 * n, n as u64);
                let mut hashed = both[..n].to_vec();
                aes.expand(&mut both, Fix::NONE);
                aes.hash(&mut hashed);
                assert!(hashed == both[..n], "{:?} {n}", aes.level);
            }
        }
    }

    #[test]
    fn expand_is_the_formula() {
        let aes = Aes::new([1; 16]);
        let x = 0x0123_4567_89ab_cdef_0f1e_2d3c_4b5a_6978_u128;
        let s = ((x >> 64) ^ (x & u128::from(u64::MAX))) << 64 | (x >> 64);
        let mut permuted = [Gf128::ZERO; 1];
        // Through the portable block function, which takes any block.
        permuted[0] = portable::permute(&portable::expand_key([1; 16]), Gf128::from_bits(s));
        let h = permuted[0] + Gf128::from_bits(s);
        let mut nodes = [Gf128::from_bits(x), Gf128::ZERO];
        let sum = aes.expand(&mut nodes, Fix::NONE);
        assert!(nodes[0] == h && sum == h && nodes[1] == h + Gf128::from_bits(x));
    }
}
