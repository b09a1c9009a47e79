//! Hashes many inputs of one length; proofs use it for commitments.
//!
//! A commitment is an ordinary keyed BLAKE3 hash. Inputs have a few bytes, or a few kilobytes: two or three
//! of BLAKE3's chunks. So hashing one at a time leaves most of a vector register idle. But all inputs of a
//! proof are equally long. `x86_avx2` hashes eight at once, with the same word of each in one register. The
//! `blake3` crate hashes the rest, and everything on other machines; it is the specification.

#[cfg(target_arch = "x86_64")]
use super::x86_avx2;

/// `out[i]` is BLAKE3, keyed, of row `i` of `length` bytes. What `out` has beyond the rows stays.
pub fn keyed_hash_rows(key: &[u8; 32], rows: &[u8], length: usize, out: &mut [[u8; 32]]) {
    let done = eight_at_once(key, rows, length, out);
    let rest = rows.get(done * length..).unwrap_or_default().chunks_exact(length.max(1));
    for (row, out) in rest.zip(out.iter_mut().skip(done)) {
        *out = *blake3::keyed_hash(key, row).as_bytes();
    }
}

/// Hashes as many groups of eight rows as there are, if this CPU can. Returns the number of rows.
#[cfg(target_arch = "x86_64")]
fn eight_at_once(key: &[u8; 32], rows: &[u8], length: usize, out: &mut [[u8; 32]]) -> usize {
    if !volery_field::detected!("avx2") || length == 0 {
        return 0;
    }
    let mut done = 0;
    for (rows, out) in rows.chunks_exact(8 * length).zip(out.as_chunks_mut::<8>().0) {
        // SAFETY: the check above found AVX2.
        unsafe { x86_avx2::hash8(key, rows, length, out) }
        done += 8;
    }
    done
}

#[cfg(not(target_arch = "x86_64"))]
fn eight_at_once(_key: &[u8; 32], _rows: &[u8], _length: usize, _out: &mut [[u8; 32]]) -> usize {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agrees(length: usize, count: usize) {
        let mut rows = vec![0; length * count];
        blake3::Hasher::new().update(&(length as u64).to_le_bytes()).finalize_xof().fill(&mut rows);
        let key = *blake3::hash(b"key").as_bytes();
        let mut got = vec![[0xa5; 32]; count + 1];
        keyed_hash_rows(&key, &rows, length, &mut got[..count]);
        for (i, row) in rows.chunks(length.max(1)).enumerate() {
            assert_eq!(
                got[i],
                *blake3::keyed_hash(&key, row).as_bytes(),
                "row {i} of {count}, {length} bytes"
            );
        }
        assert_eq!(got[count], [0xa5; 32], "wrote past the end");
    }

    #[test]
    fn rows_of_any_length_have_their_blake3_hash() {
        for length in (1..300).chain((0..16).map(|chunks| 1024 * chunks + 1)) {
            agrees(length, 9);
        }
        for chunks in 1..18 {
            for length in [1024 * chunks - 64, 1024 * chunks - 1, 1024 * chunks, 1024 * chunks + 63] {
                agrees(length, 8);
            }
        }
    }

    #[test]
    fn any_number_of_rows_is_hashed() {
        for count in 0..35 {
            agrees(2655, count);
        }
    }
}
