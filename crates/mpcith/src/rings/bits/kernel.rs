//! The interpreter of gates over registers: `portable` code, compiled once more for each instruction set.

use volery_circuit::{Gate, Step};
use volery_field::{F2, Gf128};

/// One player's share of a wire, for `128 H` repetitions.
pub(super) type Share<const H: usize> = [[u64; 2]; H];

/// The shares of `P` players: all three at the prover, the two opened ones at the verifier.
pub(super) type Wire<const P: usize, const H: usize> = [Share<H>; P];

/// The inputs of a multiplication besides the wires, 128 repetitions to a slice: at the prover the players'
/// tapes, at the verifier the tapes of the opened players and the view of the second.
pub(super) type Columns<'a, const H: usize> = [[&'a [Gf128]; H]; 3];

/// The number of shares of a product that are written: all three at the prover, the first opened player's at
/// the verifier.
pub(super) const fn products(players: usize) -> usize {
    if players == 3 { 3 } else { 1 }
}

/// The instruction set of the interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kernel {
    /// The instructions that every CPU of the architecture has.
    Portable,
    /// Registers of 256 bits.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// In addition, operations of three operands.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Kernel {
    /// All kernels of this machine, slowest first.
    pub(super) fn available() -> impl Iterator<Item = Self> {
        #[cfg(target_arch = "x86_64")]
        let fast = [
            volery_field::detected!("avx2").then_some(Self::Avx2),
            (volery_field::detected!("avx512f") && volery_field::detected!("avx512vl"))
                .then_some(Self::Avx512),
        ];
        #[cfg(not(target_arch = "x86_64"))]
        let fast: [Option<Self>; 0] = [];
        core::iter::once(Self::Portable).chain(fast.into_iter().flatten())
    }

    /// The fastest kernel of this machine. The standard library queries the CPU only once.
    pub(super) fn detect() -> Self {
        Self::available().last().unwrap_or(Self::Portable)
    }

    /// Runs `steps` until a multiplication finds no room in `out`, or to their end. Returns the number of
    /// steps run.
    ///
    /// The shares of product `i` are written to `out` in order, `16 H` bytes each, and `columns` must have
    /// `i`.
    pub(super) fn run<const P: usize, const H: usize>(
        self,
        steps: &[Step],
        constants: &[F2],
        one: &Wire<P, H>,
        wires: &mut [Wire<P, H>],
        columns: Columns<'_, H>,
        out: &mut [u8],
    ) -> usize {
        match self {
            Self::Portable => run(steps, constants, one, wires, columns, out),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the kernel exists only where the CPU has AVX2.
            Self::Avx2 => unsafe { run_avx2(steps, constants, one, wires, columns, out) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the kernel exists only where the CPU has AVX-512 F and VL.
            Self::Avx512 => unsafe { run_avx512(steps, constants, one, wires, columns, out) },
        }
    }
}

/// [`run`], compiled with the given instructions.
#[cfg(target_arch = "x86_64")]
macro_rules! run_with {
    ($name:ident, $features:literal) => {
        #[target_feature(enable = $features)]
        fn $name<const P: usize, const H: usize>(
            steps: &[Step],
            constants: &[F2],
            one: &Wire<P, H>,
            wires: &mut [Wire<P, H>],
            columns: Columns<'_, H>,
            out: &mut [u8],
        ) -> usize {
            run(steps, constants, one, wires, columns, out)
        }
    };
}

#[cfg(target_arch = "x86_64")]
run_with!(run_avx2, "avx2");
#[cfg(target_arch = "x86_64")]
run_with!(run_avx512, "avx2,avx512f,avx512vl");

#[inline(always)]
fn run<const P: usize, const H: usize>(
    steps: &[Step],
    constants: &[F2],
    one: &Wire<P, H>,
    wires: &mut [Wire<P, H>],
    columns: Columns<'_, H>,
    out: &mut [u8],
) -> usize {
    let mut out = out.chunks_exact_mut(products(P) * H * 16);
    let mut product = 0;
    let zero = [[[0; 2]; H]; P];
    // Constants are public, so branches on them leak nothing.
    let constant = |c: u32| constants[c as usize].to_bool();
    for (at, step) in steps.iter().enumerate() {
        let wire = |index: u32| &wires[index as usize];
        let result = match step.gate {
            Gate::Add(x, y) | Gate::Sub(x, y) => xor_wires(wire(x), wire(y)),
            Gate::Mul(x, y) => {
                let Some(out) = out.next() else { return at };
                // These are loops, because `map` would not be inlined into a function compiled with other
                // instructions.
                let mut column = [[[0; 2]; H]; 3];
                for (column, source) in column.iter_mut().zip(&columns) {
                    for (share, half) in column.iter_mut().zip(source) {
                        *share = words(half[product]);
                    }
                }
                product += 1;
                multiply(wire(x), wire(y), &column, out)
            }
            Gate::AddConstant(x, c) if constant(c) => xor_wires(wire(x), one),
            Gate::AddConstant(x, _) => *wire(x),
            Gate::Scale(x, c) if constant(c) => *wire(x),
            Gate::Scale(..) => zero,
            Gate::Constant(c) => {
                if constant(c) {
                    *one
                } else {
                    zero
                }
            }
        };
        wires[step.result as usize] = result;
    }
    steps.len()
}

/// The shares of a product. The first [`products`] of them are written to `out`.
#[inline(always)]
fn multiply<const P: usize, const H: usize>(
    a: &Wire<P, H>,
    b: &Wire<P, H>,
    column: &[Share<H>; 3],
    out: &mut [u8],
) -> Wire<P, H> {
    let mut z = [[[0; 2]; H]; P];
    if P == 3 {
        for (i, z) in z.iter_mut().enumerate() {
            *z = share(a, b, column, i, (i + 1) % 3);
        }
    } else {
        // The second player's share comes from its view.
        z[0] = share(a, b, column, 0, 1);
        z[1] = column[2];
    }
    for (z, out) in z.iter().zip(out.chunks_exact_mut(H * 16)) {
        store(core::slice::from_ref(z), out);
    }
    z
}

/// `a_i b_i + a_j b_i + a_i b_j + R_i - R_j` over F2.
#[inline(always)]
fn share<const P: usize, const H: usize>(
    a: &Wire<P, H>,
    b: &Wire<P, H>,
    tapes: &[Share<H>; 3],
    i: usize,
    j: usize,
) -> Share<H> {
    let mut z = [[0; 2]; H];
    for h in 0..H {
        for w in 0..2 {
            let own = a[i][h][w] & (b[i][h][w] ^ b[j][h][w]);
            z[h][w] = own ^ (a[j][h][w] & b[i][h][w]) ^ tapes[i][h][w] ^ tapes[j][h][w];
        }
    }
    z
}

#[inline(always)]
fn xor_wires<const P: usize, const H: usize>(x: &Wire<P, H>, y: &Wire<P, H>) -> Wire<P, H> {
    let mut z = *x;
    for (z, y) in z.iter_mut().zip(y) {
        *z = xor(z, y);
    }
    z
}

#[inline(always)]
pub(super) fn xor<const H: usize>(x: &Share<H>, y: &Share<H>) -> Share<H> {
    let mut z = *x;
    for (z, y) in z.as_flattened_mut().iter_mut().zip(y.as_flattened()) {
        *z ^= y;
    }
    z
}

/// The bits of a column of 128 repetitions.
#[inline(always)]
pub(super) fn words(column: Gf128) -> [u64; 2] {
    let bits = column.to_bits();
    [bits as u64, (bits >> 64) as u64]
}

/// Writes shares one after the other, until `out` is full.
#[inline(always)]
pub(super) fn store<const H: usize>(shares: &[Share<H>], out: &mut [u8]) {
    let words = shares.as_flattened().as_flattened();
    for (to, word) in out.as_chunks_mut().0.iter_mut().zip(words) {
        *to = word.to_le_bytes();
    }
}
