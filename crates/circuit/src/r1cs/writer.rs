//! Writes systems and values to files, for tests, examples, and circuits made by programs.

use std::io::{self, Write};

use zeroize::Zeroizing;

use super::binary::SectionKind;
use super::header::{self, HEADER_BYTES, LABEL_BYTES};
use super::system::{R1cs, Term};
use super::{Assignment, KnownPrime, PrimeField, wtns};
use crate::elements::encode;

/// The number of bytes that are gathered before they are written.
const PIECE: usize = 1 << 16;

impl<F: PrimeField> R1cs<F> {
    /// Writes the system as an `.r1cs` file. The label of each wire is its number.
    ///
    /// # Errors
    /// Any error of the writer.
    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        container(&mut out, header::MAGIC, header::VERSION, 3)?;
        section(&mut out, header::HEADER, HEADER_BYTES + F::BYTES as u64)?;
        self.write_header(&mut out)?;
        let bytes = 12 * self.rows.ends.len() + (4 + F::BYTES) * self.rows.terms.len();
        section(&mut out, header::CONSTRAINTS, bytes as u64)?;
        self.write_constraints(&mut out)?;
        let wires = self.header.counts.wires;
        section(&mut out, header::LABELS, u64::from(wires) * LABEL_BYTES)?;
        let mut piece = Vec::with_capacity(PIECE);
        for wire in 0..wires {
            piece.extend_from_slice(&u64::from(wire).to_le_bytes());
            write_full(&mut piece, &mut out, PIECE)?;
        }
        write_full(&mut piece, &mut out, 0)
    }

    fn write_header(&self, out: &mut impl Write) -> io::Result<()> {
        let counts = self.header.counts;
        write_prime(self.header.prime, out)?;
        for number in [counts.wires, counts.outputs, counts.public_inputs, counts.private_inputs] {
            out.write_all(&number.to_le_bytes())?;
        }
        out.write_all(&u64::from(counts.wires).to_le_bytes())?;
        out.write_all(&self.header.constraints.to_le_bytes())
    }

    fn write_constraints(&self, out: &mut impl Write) -> io::Result<()> {
        let encoded = encode(&self.coefficients);
        let coefficient = |term: &Term| &encoded[term.coefficient as usize * F::BYTES..][..F::BYTES];
        let mut piece = Vec::with_capacity(PIECE);
        for index in 0..self.rows.ends.len() {
            for terms in self.rows.constraint(index) {
                // Below 2^32, as is the number of all terms.
                piece.extend_from_slice(&(terms.len() as u32).to_le_bytes());
                for term in terms {
                    piece.extend_from_slice(&term.wire.to_le_bytes());
                    piece.extend_from_slice(coefficient(term));
                }
            }
            write_full(&mut piece, out, PIECE)?;
        }
        write_full(&mut piece, out, 0)
    }
}

impl<F: PrimeField> Assignment<F> {
    /// Writes the values as a `.wtns` file. The file is secret.
    ///
    /// # Errors
    /// Any error of the writer.
    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        container(&mut out, wtns::MAGIC, wtns::VERSION, 2)?;
        section(&mut out, wtns::HEADER, 8 + F::BYTES as u64)?;
        write_prime(F::PRIME, &mut out)?;
        // Systems have fewer than 2^32 wires; a reader would refuse more values.
        out.write_all(&(self.values().len() as u32).to_le_bytes())?;
        section(&mut out, wtns::VALUES, (self.values().len() * F::BYTES) as u64)?;
        self.values()
            .chunks(PIECE / F::BYTES)
            .try_for_each(|values| out.write_all(&Zeroizing::new(encode(values))))
    }
}

fn container(out: &mut impl Write, magic: &str, version: u32, sections: u32) -> io::Result<()> {
    out.write_all(magic.as_bytes())?;
    out.write_all(&version.to_le_bytes())?;
    out.write_all(&sections.to_le_bytes())
}

fn section(out: &mut impl Write, kind: SectionKind, size: u64) -> io::Result<()> {
    out.write_all(&kind.number.to_le_bytes())?;
    out.write_all(&size.to_le_bytes())
}

fn write_prime(prime: KnownPrime, out: &mut impl Write) -> io::Result<()> {
    // At most 64 bytes.
    out.write_all(&(prime.bytes() as u32).to_le_bytes())?;
    out.write_all(&prime.modulus())
}

/// Writes and clears `piece` if it is at least `size` long.
fn write_full(piece: &mut Vec<u8>, out: &mut impl Write, size: usize) -> io::Result<()> {
    if piece.len() >= size {
        out.write_all(piece)?;
        piece.clear();
    }
    Ok(())
}

/// Hashes the contents of the header and constraints sections.
pub(super) fn content_hasher() -> blake3::Hasher {
    blake3::Hasher::new_derive_key("volery 2026 r1cs header and constraints v1")
}

/// The hash that a reader of the written file gets.
pub(super) fn content_hash<F: PrimeField>(system: &R1cs<F>) -> [u8; 32] {
    let mut hasher = content_hasher();
    // Writing to a hasher cannot fail.
    let written = system.write_header(&mut hasher).and_then(|()| system.write_constraints(&mut hasher));
    debug_assert!(written.is_ok());
    *hasher.finalize().as_bytes()
}
