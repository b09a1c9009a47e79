//! Makes the [`Lanes`](super::lanes::Lanes) of an x86 instruction set from the names of its intrinsics, and
//! the functions of its table.

macro_rules! leaves {
    (
        $simd:ident, $lanes:literal, $vector:ty, $features:literal, $multiplier:ident,
        load = $load:ident,
        store = $store:ident,
        splat = $splat:ident,
        add = $add:ident,
        sub = $sub:ident,
        and = $and:ident,
        shift_left = $shift_left:ident,
        shift_right = $shift_right:ident,
        or = $or:ident,
        shift_left_each = $shift_left_each:ident,
        shift_right_each = $shift_right_each:ident,
        swap = $swap:ident,
        lesser = |$a:ident, $b:ident| $lesser:expr,
        spread_low = |$low:ident| $spread_low:expr,
        spread_high = |$high:ident| $spread_high:expr,
        evens = |$evens_a:ident, $evens_b:ident| $evens:expr,
        odds = |$odds_a:ident, $odds_b:ident| $odds:expr,
        merge = |$even:ident, $odd:ident| $merge:expr,
    ) => {
        impl $simd {
            /// Safe where the caller has the features, which the compiler checks.
            #[target_feature(enable = $features)]
            #[inline]
            pub(super) fn new() -> Self {
                Self(())
            }
        }

        // The invariant behind every SAFETY comment here: the field of `$simd` is private, and only
        // `$simd::new`, which requires the CPU features, makes a value. So wherever there is a `self`, the
        // CPU has the instructions.
        impl Lanes<$lanes> for $simd {
            type V = $vector;

            #[inline(always)]
            fn load(self, from: &[F61; $lanes]) -> $vector {
                // SAFETY: `self` proves the features; `from` is as large as a vector, and the load is
                // unaligned.
                unsafe { $load(from.as_ptr().cast()) }
            }

            #[inline(always)]
            fn store(self, v: $vector, to: &mut [F61; $lanes]) {
                // SAFETY: `self` proves the features; `to` is as large as a vector, and the store is
                // unaligned.
                unsafe { $store(to.as_mut_ptr().cast(), v) }
            }

            #[inline(always)]
            fn words(self, v: $vector) -> [u64; $lanes] {
                let mut words = [0_u64; $lanes];
                // SAFETY: `self` proves the features; `words` is as large as a vector, and the store is
                // unaligned.
                unsafe { $store(words.as_mut_ptr().cast(), v) }
                words
            }

            #[inline(always)]
            fn splat(self, word: u64) -> $vector {
                // SAFETY: `self` proves the features.
                unsafe { $splat(word as i64) }
            }

            #[inline(always)]
            fn add(self, a: $vector, b: $vector) -> $vector {
                // SAFETY: `self` proves the features.
                unsafe { $add(a, b) }
            }

            #[inline(always)]
            fn sub(self, a: $vector, b: $vector) -> $vector {
                // SAFETY: `self` proves the features.
                unsafe { $sub(a, b) }
            }

            #[inline(always)]
            fn and(self, a: $vector, b: $vector) -> $vector {
                // SAFETY: `self` proves the features.
                unsafe { $and(a, b) }
            }

            #[inline(always)]
            fn shift_left<const BITS: u32>(self, v: $vector) -> $vector {
                // SAFETY: `self` proves the features.
                unsafe { $shift_left(v, _mm_cvtsi64_si128(BITS.into())) }
            }

            #[inline(always)]
            fn shift_right<const BITS: u32>(self, v: $vector) -> $vector {
                // SAFETY: `self` proves the features.
                unsafe { $shift_right(v, _mm_cvtsi64_si128(BITS.into())) }
            }

            #[inline(always)]
            fn lesser(self, $a: $vector, $b: $vector) -> $vector {
                // SAFETY: `self` proves the features.
                unsafe { $lesser }
            }

            #[inline(always)]
            fn swap(self, v: $vector) -> $vector {
                // SAFETY: `self` proves the features.
                unsafe { $swap::<0b01_00_11_10>(v) }
            }

            #[inline(always)]
            fn spread_low(self, $low: $vector) -> $vector {
                // SAFETY: `self` proves the features.
                unsafe { $spread_low }
            }

            #[inline(always)]
            fn spread_high(self, $high: $vector) -> $vector {
                // SAFETY: `self` proves the features.
                unsafe { $spread_high }
            }

            #[inline(always)]
            fn load_words(self, from: &[[u8; 8]; $lanes]) -> $vector {
                // SAFETY: `self` proves the features; `from` is as large as a vector, and the load is
                // unaligned. The CPU is little-endian.
                unsafe { $load(from.as_ptr().cast()) }
            }

            #[inline(always)]
            fn store_words(self, v: $vector, to: &mut [[u8; 8]; $lanes]) {
                // SAFETY: `self` proves the features; `to` is as large as a vector, and the store is
                // unaligned. The CPU is little-endian.
                unsafe { $store(to.as_mut_ptr().cast(), v) }
            }

            #[inline(always)]
            fn or(self, a: $vector, b: $vector) -> $vector {
                // SAFETY: `self` proves the features.
                unsafe { $or(a, b) }
            }

            #[inline(always)]
            fn shift_left_each(self, v: $vector, bits: $vector) -> $vector {
                // SAFETY: `self` proves the features.
                unsafe { $shift_left_each(v, bits) }
            }

            #[inline(always)]
            fn shift_right_each(self, v: $vector, bits: $vector) -> $vector {
                // SAFETY: `self` proves the features.
                unsafe { $shift_right_each(v, bits) }
            }

            #[inline(always)]
            fn evens(self, $evens_a: $vector, $evens_b: $vector) -> $vector {
                // SAFETY: `self` proves the features.
                unsafe { $evens }
            }

            #[inline(always)]
            fn odds(self, $odds_a: $vector, $odds_b: $vector) -> $vector {
                // SAFETY: `self` proves the features.
                unsafe { $odds }
            }

            #[inline(always)]
            fn merge(self, $even: $vector, $odd: $vector) -> $vector {
                // SAFETY: `self` proves the features.
                unsafe { $merge }
            }
        }

        pub(super) static TABLE: Table = Table {
            lanes: $lanes,
            inner_product,
            pair_products,
            combine_pairs,
            add,
            accumulate,
            accumulate_swapped,
            multiply_prover,
            multiply_verifier,
            pack,
            unpack,
            pairs,
            total,
            add_at,
        };

        #[target_feature(enable = $features)]
        fn inner_product(a: &[F61], b: &[F61]) -> F61 {
            sums::inner_product($multiplier($simd::new()), a, b)
        }

        #[target_feature(enable = $features)]
        fn pair_products(a: &[F61], b: &[F61]) -> [F61; 3] {
            sums::pair_products($multiplier($simd::new()), a, b)
        }

        #[target_feature(enable = $features)]
        fn combine_pairs(x: &[F61], r: &[F61]) -> [F61; 2] {
            sums::combine_pairs($multiplier($simd::new()), x, r)
        }

        #[target_feature(enable = $features)]
        fn add(sums: &mut [F61], x: &[F61]) {
            sums::add($simd::new(), sums, x);
        }

        #[target_feature(enable = $features)]
        fn accumulate(sums: &mut [F61], x: &[F61], r: F61) {
            sums::accumulate::<$lanes, false, _>($multiplier($simd::new()), sums, x, r);
        }

        #[target_feature(enable = $features)]
        fn accumulate_swapped(sums: &mut [F61], x: &[F61], r: F61) {
            sums::accumulate::<$lanes, true, _>($multiplier($simd::new()), sums, x, r);
        }

        #[target_feature(enable = $features)]
        fn multiply_prover(operands: [&[F61]; 3], out: [&mut [F61]; 4]) {
            products::multiply_prover($multiplier($simd::new()), operands, out);
        }

        #[target_feature(enable = $features)]
        fn pack(elements: &[F61], out: &mut [[u8; 8]]) {
            packing::pack($simd::new(), elements, out);
        }

        #[target_feature(enable = $features)]
        fn unpack(words: &[[u8; 8]], out: &mut [F61]) -> bool {
            packing::unpack($simd::new(), words, out)
        }

        #[target_feature(enable = $features)]
        fn pairs(words: &[[u8; 8]], first: &mut [F61], second: &mut [F61]) {
            leaves::pairs($simd::new(), words, first, second);
        }

        #[target_feature(enable = $features)]
        fn total(elements: &[F61]) -> F61 {
            leaves::total($simd::new(), elements)
        }

        #[target_feature(enable = $features)]
        fn add_at(elements: &mut [F61], index: u32, x: F61) {
            leaves::add_at($simd::new(), elements, index, x);
        }

        #[target_feature(enable = $features)]
        fn multiply_verifier(operands: [&[F61]; 4], delta: F61, out: [&mut [F61]; 2]) {
            products::multiply_verifier($multiplier($simd::new()), operands, delta, out);
        }
    };
}

pub(super) use leaves;
