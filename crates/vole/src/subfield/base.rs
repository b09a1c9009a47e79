//! Base VOLE: correlations over a field from punctured trees, one message for each chunk.
//!
//! In the trees of [`softspoken`](crate::softspoken) P knows all leaves, and V all except number `y_t` of
//! tree `t`, where `y_t` is a piece of its binary delta. Each leaf's seed is stretched to elements `r_{t,x}`
//! of `F`. With `d` the digit's element ([`Value::digit`]), P computes `u_t = sum_x r_{t,x}` and
//! `v_t = sum_x d(x) r_{t,x}`. V computes `w_t = sum_x (d(y_t) - d(x)) r_{t,x}`, in which its missing leaf
//! has weight zero: `w_t = d(y_t) u_t - v_t`. P sends `c_t = u_t - u_0` for `t > 0`; V subtracts
//! `d(y_t) c_t`. Then, with the weights `W_t` of [`Mac::weight`],
//!
//! ```text
//! k = sum_t W_t w_t = u_0 * sum_t W_t d(y_t) - sum_t W_t v_t = x * delta + m
//! ```
//!
//! Digits are linear in their bits. So both parties need only `u_t` and, for each bit, the sum of the leaves
//! whose number has that bit. In `V`'s order of leaves, with number `z` for `x = z + y` (bitwise),
//! `d(y) - d(x)` is the sum over the bits of `z` of `d(2^b)`, positive if `y` has the bit and negative if it
//! does not.
//!
//! This is the small-field VOLE of SoftSpokenOT (ePrint 2022/192, sections 3 and 4) with the repetition code.
//! Its digits come from a small *set* of a large field instead of a small field, which makes no difference.
//!
//! **Check.** A transcript of everything so far gives `R = r` times [`CHECKS`] independent vectors `chi_j`
//! over `F`. P sends `X_j = sum_i chi_j,i x_i + x*_j` in `F` and a digest of all
//! `T_j = sum_i chi_j,i m_i + m*_j`. Each has an extra correlation `(x*_j, m*_j)`, which masks `X_j` and is
//! dropped. V computes `T_j` from its keys: `sum chi k + k* - X_j delta`. Coefficients and `X_j` are in `F`
//! and not in `M`, because otherwise values outside `F` could pass.
//!
//! *A cheating P* is bound to its trees (see [`softspoken`](crate::softspoken)). Let `c_t` be wrong by
//! `e_t,i` for correlation `i`. Then V's key is wrong by `f_i(y) = -sum_t W_t d(y_t) e_t,i` in `M`, a
//! function of its digits `y`. Say that some `y` are *in line* if one choice of `a_i` in `M` and `b_i` in `F`
//! has `f_i = a_i + b_i delta` at all of them: then P holds valid correlations with other `x_i` and `m_i` for
//! all of them. Two keys, `y` and `y'`, both pass only if `sum_i chi_j,i b_i` is in `F` for every `j`, with
//! `b_i = (f_i(y) - f_i(y')) / (delta - delta')` in `M`: if some `b_i` is not in `F`, a non-zero linear map
//! to `M / F` must vanish at `R` random places. Three keys, any two of which are in line but with different
//! `b_i`, pass only if the differences of the `b_i`, not all zero, combine to zero `R` times. Either has
//! probability at most `p^-R`. With `N = 2^127` keys at most (`2^63` over F_{2^61-1}), the expected share of
//! keys that pass without being in line with the rest that passes is at most `2/N + N^2 p^-R` for each
//! challenge that P tries: below `2^-59` a challenge for every field here (the test
//! `the_check_is_long_enough`). Keys that pass in line tell P only as much about delta as it risked by an
//! abort (selective failure, as everywhere).
//!
//! *A cheating V* can only choose its digits.

use subtle::ConstantTimeEq as _;
use volery_channel::{Channel, tags};
use volery_field::{Authenticated, Element, Gf128, Mac, Value};
use zeroize::{Zeroize, Zeroizing};

use super::key::digit;
use crate::aes::Aes;
use crate::prg::for_each_element;
use crate::softspoken::{FieldBits, LeafSeeds, Leaves, Receiver, Sender};
use crate::{Delta, Error, Prg, Transcript};

/// The number of independent vectors of the check, for each degree of `M` over `F`.
pub(super) const CHECKS: usize = 4;

/// Bytes of a digest.
const DIGEST: usize = 32;

/// The tree size for the digits of `M`.
pub(super) fn field_bits<F: Value, M: Mac<F>>() -> FieldBits {
    if M::DIGIT_BITS == 8 { FieldBits::Eight } else { FieldBits::Four }
}

/// The number of extra values, which mask the check.
const fn masks<F: Value, M: Mac<F>>() -> usize {
    CHECKS * M::DEGREE
}

/// The length of the message for `n` correlations, in bytes.
pub(super) fn message_bytes<F: Value, M: Mac<F>>(n: usize) -> usize {
    ((M::DIGITS - 1) * (n + masks::<F, M>()) + masks::<F, M>()) * F::BYTES + DIGEST
}

/// P's side.
pub struct BaseProver<F, M> {
    leaves: Streams,
    fields: core::marker::PhantomData<(F, M)>,
}

impl<F: Value, M: Mac<F>> BaseProver<F, M> {
    /// Starts from a fresh setup whose trees have [`field_bits`].
    pub(super) fn new(receiver: Receiver) -> Result<Self, Error> {
        Ok(Self { leaves: Streams::new::<F, M>(receiver.into_leaves()?)?, fields: core::marker::PhantomData })
    }

    /// Appends `n` correlations to `out` and sends the message.
    pub(super) fn extend(
        &mut self,
        n: usize,
        channel: &mut dyn Channel,
        out: &mut Vec<Authenticated<F, M>>,
    ) -> Result<(), Error> {
        let start = out.len();
        let total = n + masks::<F, M>();
        let mut message = Vec::with_capacity(message_bytes::<F, M>(n));
        out.resize(start + total, Authenticated::default());
        let fresh = &mut out[start..];
        let mut sums = Sums::<F>::new(M::DIGIT_BITS, total);
        #[cfg(any(test, feature = "cheats"))]
        let wanted = crate::cheats::elements::<F>(n);
        for t in 0..M::DIGITS {
            self.leaves.sum(t, &mut sums);
            let weight = M::weight(t);
            for (i, fresh) in fresh.iter_mut().enumerate() {
                let v =
                    (0..M::DIGIT_BITS).fold(F::ZERO, |v, b| v + F::digit(1 << b) * sums.bits[b * total + i]);
                fresh.m -= weight.scale(v);
                if t == 0 {
                    fresh.x = sums.all[i];
                    #[cfg(any(test, feature = "cheats"))]
                    if let Some(error) = lie(&wanted, i, fresh.x) {
                        fresh.x += error.0;
                        fresh.m -= weight.scale(error.0 * F::digit(error.1));
                    }
                } else {
                    push(&mut message, sums.all[i] - fresh.x)?;
                }
            }
        }
        self.leaves.advance::<F>(total);
        let transcript = &mut self.leaves.transcript;
        let mut chi = Coefficients::<F>::new(transcript, total, &message);
        let mut digest = Zeroizing::new(Vec::with_capacity(masks::<F, M>() * M::BYTES));
        let mut shown = Vec::with_capacity(masks::<F, M>() * F::BYTES);
        let (values, masks) = fresh.split_at(n);
        for mask in masks {
            // The combinations are over F, not M: P must show values of F for them, which proves that its
            // values are in F.
            let Authenticated { mut x, mut m } = *mask;
            chi.each(n, |i, chi| {
                x += chi * values[i].x;
                m += values[i].m.scale(chi);
            });
            push(&mut shown, x)?;
            push(&mut digest, m)?;
        }
        message.extend_from_slice(&shown);
        message.extend_from_slice(&finish(transcript, &shown, &digest));
        out.iter_mut().skip(start + n).for_each(Zeroize::zeroize);
        out.truncate(start + n);
        Ok(channel.send(tags::SUBFIELD_EXTEND, &message)?)
    }
}

/// The error that a cheating P adds to value `i`, which is `x`, and its guess of the first digit.
#[cfg(any(test, feature = "cheats"))]
fn lie<F: Value>(wanted: &Option<(u8, Vec<F>)>, i: usize, x: F) -> Option<(F, u8)> {
    let (guess, wanted) = wanted.as_ref()?;
    wanted.get(i).map(|wanted| (*wanted - x, *guess))
}

/// V's side.
pub struct BaseVerifier<F, M> {
    leaves: Streams,
    delta: Delta,
    fields: core::marker::PhantomData<(F, M)>,
}

impl<F: Value, M: Mac<F>> BaseVerifier<F, M> {
    /// Starts from a fresh setup whose trees have [`field_bits`].
    pub(super) fn new(sender: Sender) -> Result<Self, Error> {
        let (leaves, delta) = sender.into_leaves()?;
        Ok(Self { leaves: Streams::new::<F, M>(leaves)?, delta, fields: core::marker::PhantomData })
    }

    /// Receives the message and appends `n` keys to `out`.
    pub(super) fn extend(
        &mut self,
        n: usize,
        channel: &mut dyn Channel,
        out: &mut Vec<M>,
    ) -> Result<(), Error> {
        let total = n + masks::<F, M>();
        let mut message = vec![0; message_bytes::<F, M>(n)];
        channel.recv_exact(tags::SUBFIELD_EXTEND, &mut message)?;
        let (corrections, rest) = message.split_at((M::DIGITS - 1) * total * F::BYTES);
        let (shown, expected) = rest.split_at(masks::<F, M>() * F::BYTES);
        let mut keys = Zeroizing::new(vec![M::ZERO; total]);
        let mut sums = Sums::<F>::new(M::DIGIT_BITS, total);
        for t in 0..M::DIGITS {
            let y = digit(&self.delta, t, M::DIGIT_BITS);
            self.leaves.sum(t, &mut sums);
            let weight = M::weight(t);
            for (i, key) in keys.iter_mut().enumerate() {
                let mut w = (0..M::DIGIT_BITS).fold(F::ZERO, |w, b| {
                    let v: F = sums.bits[b * total + i];
                    let positive = u64::from(y >> b & 1).wrapping_neg();
                    w + F::digit(1 << b) * (v.masked(positive) - v.masked(!positive))
                });
                if let Some(previous) = t.checked_sub(1) {
                    let at = (previous * total + i) * F::BYTES;
                    w -= F::digit(y) * element::<F>(&corrections[at..at + F::BYTES])?;
                }
                *key += weight.scale(w);
            }
        }
        self.leaves.advance::<F>(total);
        let delta = super::FieldDelta::<M>::from_digits::<F>(&self.delta);
        let transcript = &mut self.leaves.transcript;
        let mut chi = Coefficients::<F>::new(transcript, total, corrections);
        let mut digest = Zeroizing::new(Vec::with_capacity(masks::<F, M>() * M::BYTES));
        let (values, masks) = keys.split_at(n);
        for (mask, x) in masks.iter().zip(shown.chunks_exact(F::BYTES)) {
            let mut k = *mask - delta.expose().scale(element::<F>(x)?);
            chi.each(n, |i, chi| k += values[i].scale(chi));
            push(&mut digest, k)?;
        }
        let same: bool = finish(transcript, shown, &digest).ct_eq(expected).into();
        if !same {
            return Err(Error::cheat(tags::SUBFIELD_EXTEND, "the consistency check of the base VOLE"));
        }
        out.extend_from_slice(values);
        Ok(())
    }
}

/// Appends the encoding of `x`.
pub(super) fn push<E: Element>(out: &mut Vec<u8>, x: E) -> Result<(), Error> {
    let start = out.len();
    out.resize(start + E::BYTES, 0);
    x.encode(&mut out[start..]).map_err(|error| Error::misuse(error.to_string()))
}

/// An element from the peer's message of the base VOLE.
fn element<E: Element>(bytes: &[u8]) -> Result<E, Error> {
    E::decode(bytes).map_err(|error| Error::malformed(tags::SUBFIELD_EXTEND, error.to_string()))
}

/// The digest of the check; it enters the transcript.
fn finish(transcript: &mut Transcript, shown: &[u8], values: &[u8]) -> [u8; DIGEST] {
    transcript.absorb("combinations of values", shown);
    transcript.absorb("combinations of tags", values);
    transcript.challenge_seed("digest").into_bytes()
}

/// The vectors of the check, one after the other.
struct Coefficients<M> {
    prg: Prg,
    field: core::marker::PhantomData<M>,
}

impl<M: Element> Coefficients<M> {
    fn new(transcript: &mut Transcript, total: usize, corrections: &[u8]) -> Self {
        transcript.absorb_number("base correlations", total as u64);
        transcript.absorb("corrections", corrections);
        let prg = Prg::new(transcript.challenge_seed("coefficients").into_bytes());
        Self { prg, field: core::marker::PhantomData }
    }

    /// The next `n` coefficients.
    fn each(&mut self, n: usize, mut take: impl FnMut(usize, M)) {
        let mut chi = vec![M::ZERO; n];
        self.prg.coefficients(&mut chi);
        chi.into_iter().enumerate().for_each(|(i, chi)| take(i, chi));
    }
}

/// Sums over the leaves `r_x` of a tree: of all leaves, and for each bit `b` of the leaves with bit `b` of
/// `x`.
///
/// Leaves are visited in the order of the Gray code with a running sum. Bit `b` is on from one of its flips
/// to the next, so its sum is the running sum just before it goes off minus that just before it goes on. One
/// bit flips in each step (the highest one is on at the end), so each leaf takes two additions. V's missing
/// leaf is number 0 in its order; it is in every running sum and cancels.
struct Sums<F: Value> {
    all: Zeroizing<Vec<F>>,
    /// The sum for each bit.
    bits: Zeroizing<Vec<F>>,
}

impl<F: Value> Sums<F> {
    fn new(bits: usize, n: usize) -> Self {
        Self { all: Zeroizing::new(vec![F::ZERO; n]), bits: Zeroizing::new(vec![F::ZERO; bits * n]) }
    }
}

/// The leaves' seeds and a position in their streams.
struct Streams {
    bits: FieldBits,
    seeds: LeafSeeds,
    transcript: Transcript,
    position: u64,
}

impl Streams {
    fn new<F: Value, M: Mac<F>>(leaves: Leaves) -> Result<Self, Error> {
        let Leaves { bits, seeds, mut transcript } = leaves;
        if bits != field_bits::<F, M>() || M::DIGITS > bits.trees() {
            return Err(Error::misuse("trees of another size than the field's digits"));
        }
        transcript.absorb("value field", F::NAME.as_bytes());
        transcript.absorb("mac field", M::NAME.as_bytes());
        Ok(Self { bits, seeds, transcript, position: 0 })
    }

    /// Adds up the next elements of the leaves of tree `t`.
    fn sum<F: Value>(&self, t: usize, sums: &mut Sums<F>) {
        let n = sums.all.len();
        sums.all.fill(F::ZERO);
        sums.bits.fill(F::ZERO);
        let mut on = [false; 8];
        let (seeds, salt) = self.seeds.tree(t);
        for step in 0..seeds.len() {
            let aes = Aes::new(seeds[step ^ (step >> 1)]);
            let mut at = self.position;
            let fill = |blocks: &mut [Gf128]| {
                aes.salted_ctr(salt, at, blocks);
                at += blocks.len() as u64;
            };
            let all = &mut sums.all;
            for_each_element(n, fill, |i, r| all[i] += r);
            let b = ((step + 1).trailing_zeros() as usize).min(self.bits.bits() - 1);
            let bit = sums.bits[b * n..][..n].iter_mut().zip(sums.all.iter());
            if on[b] {
                bit.for_each(|(v, a)| *v += *a);
            } else {
                bit.for_each(|(v, a)| *v -= *a);
            }
            on[b] = !on[b];
        }
    }

    /// Skips the next `n` elements, which were used.
    fn advance<F: Element>(&mut self, n: usize) {
        self.position += (n * F::BLOCKS) as u64;
    }
}

#[cfg(test)]
mod tests;
