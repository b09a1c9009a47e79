//! Makes the [`Simd`](super::vector::Simd) of an x86 instruction set from the names of its intrinsics, so
//! that the files of the three widths differ only in these names.

macro_rules! leaves {
    (
        $simd:ident, $lanes:literal, $vector:ty,
        load = $load:path,
        store = $store:path,
        splat = $splat:path,
        xor = $xor:path,
        and = $and:path,
        clmul = $clmul:ident,
        shuffle_32 = $shuffle_32:ident,
        up = $up:ident,
        down = $down:ident,
        low_64 = $low_64:path,
        high_64 = $high_64:path,
        low_8 = $low_8:path,
        high_8 = $high_8:path,
        shift_left_64 = $shift_left_64:path,
        shift_right_64 = $shift_right_64:path,
        shift_left_32 = $shift_left_32:ident,
        sign_32 = $sign_32:ident,
        carry_byte = |$low:ident, $high:ident| $carry_byte:expr,
        masks = |$bits:ident| $masks:expr,
    ) => {
        // The invariant behind every SAFETY comment here: the field of `$simd` is private, and only
        // `$simd::new`, which requires the CPU features, makes a value. So wherever there is a `self`, the
        // CPU has the instructions.
        impl Simd<$lanes> for $simd {
            type V = $vector;

            #[inline(always)]
            fn load(self, from: &[Gf128; $lanes]) -> $vector {
                // SAFETY: `self` proves the features; `from` is as large as a vector, and the load is
                // unaligned.
                unsafe { $load(from.as_ptr().cast()) }
            }

            #[inline(always)]
            fn load_bytes(self, from: &[[u8; 16]; $lanes]) -> $vector {
                // SAFETY: `self` proves the features; `from` is as large as a vector, and the load is
                // unaligned.
                unsafe { $load(from.as_ptr().cast()) }
            }

            #[inline(always)]
            fn store(self, v: $vector, to: &mut [Gf128; $lanes]) {
                // SAFETY: `self` proves the features; `to` is as large as a vector, and the store is
                // unaligned.
                unsafe { $store(to.as_mut_ptr().cast(), v) }
            }

            #[inline(always)]
            fn splat(self, lane: Gf128) -> $vector {
                // SAFETY: `self` proves the features; `lane` has the 16 bytes that are loaded.
                unsafe { $splat(_mm_loadu_si128((&raw const lane).cast())) }
            }

            #[inline(always)]
            fn xor(self, a: $vector, b: $vector) -> $vector {
                // SAFETY: `self` proves the features.
                unsafe { $xor(a, b) }
            }

            #[inline(always)]
            fn and(self, a: $vector, b: $vector) -> $vector {
                // SAFETY: `self` proves the features.
                unsafe { $and(a, b) }
            }

            #[inline(always)]
            fn clmul<const HALVES: i32>(self, a: $vector, b: $vector) -> $vector {
                // SAFETY: `self` proves the features.
                unsafe { $clmul::<HALVES>(a, b) }
            }

            #[inline(always)]
            fn swap(self, v: $vector) -> $vector {
                // SAFETY: `self` proves the features.
                unsafe { $shuffle_32::<0b01_00_11_10>(v) }
            }

            #[inline(always)]
            fn up(self, v: $vector) -> $vector {
                // SAFETY: `self` proves the features.
                unsafe { $up::<8>(v) }
            }

            #[inline(always)]
            fn down(self, v: $vector) -> $vector {
                // SAFETY: `self` proves the features.
                unsafe { $down::<8>(v) }
            }

            #[inline(always)]
            fn up_byte(self, v: $vector) -> $vector {
                // SAFETY: `self` proves the features.
                unsafe { $up::<1>(v) }
            }

            #[inline(always)]
            fn carry_byte(self, $low: $vector, $high: $vector) -> $vector {
                // SAFETY: `self` proves the features.
                unsafe { $carry_byte }
            }

            #[inline(always)]
            fn low_halves(self, a: $vector, b: $vector) -> $vector {
                // SAFETY: `self` proves the features.
                unsafe { $low_64(a, b) }
            }

            #[inline(always)]
            fn high_halves(self, a: $vector, b: $vector) -> $vector {
                // SAFETY: `self` proves the features.
                unsafe { $high_64(a, b) }
            }

            #[inline(always)]
            fn interleave_low(self, a: $vector, b: $vector) -> $vector {
                // SAFETY: `self` proves the features.
                unsafe { $low_8(a, b) }
            }

            #[inline(always)]
            fn interleave_high(self, a: $vector, b: $vector) -> $vector {
                // SAFETY: `self` proves the features.
                unsafe { $high_8(a, b) }
            }

            #[inline(always)]
            fn shift_left(self, v: $vector, bits: i64) -> $vector {
                // SAFETY: `self` proves the features.
                unsafe { $shift_left_64(v, _mm_cvtsi64_si128(bits)) }
            }

            #[inline(always)]
            fn shift_right(self, v: $vector, bits: i64) -> $vector {
                // SAFETY: `self` proves the features.
                unsafe { $shift_right_64(v, _mm_cvtsi64_si128(bits)) }
            }

            #[inline(always)]
            fn spread_lsb(self, v: $vector) -> $vector {
                // Bit 0 to the sign of its 32 bits, the sign to all 32, the lowest 32 of the lane to all of
                // it.
                // SAFETY: `self` proves the features.
                unsafe { $shuffle_32::<0>($sign_32::<31>($shift_left_32::<31>(v))) }
            }

            #[inline(always)]
            fn masks(self, $bits: u64) -> $vector {
                // SAFETY: `self` proves the features.
                unsafe { $masks }
            }
        }
    };
}

pub(super) use leaves;
