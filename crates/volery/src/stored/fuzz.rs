//! Every decoder of file bytes as a plain function, for fuzz targets; unit tests call them too.
//!
//! Each takes any bytes and panics if what it accepts does not encode back to the same bytes. With `sealed`
//! the bytes' checksum is put right first, so that a fuzzer gets past it.

use std::io;
use std::path::Path;
use std::sync::Arc;

use volery_channel::handshake::Role;
use volery_channel::{Channel, tags};
use volery_vole::SessionId;
use volery_vole::correlations::Chain;

use super::chunks::{Fault, take};
use super::codec;
use super::disk::DiskFile;
use super::header::{Header, PURPOSE};
use super::proof;
use super::state::State;

/// The header of a correlation file.
pub fn header(bytes: &[u8], sealed: bool) {
    let block = if sealed { codec::seal_block(PURPOSE, &[], bytes.to_vec()) } else { bytes.to_vec() };
    if let Ok(header) = Header::decode(&block) {
        assert_eq!(header.encode(), block);
    }
}

/// A state slot.
pub fn state(bytes: &[u8], sealed: bool) {
    let (session, chain) = (SessionId::new([0; 32]), Chain::from_bytes([0; 32]));
    let header = Header { role: Role::Prover, session, count: 1 << 20, interval: 1 << 10, chain };
    let purpose = "volery 2026 stored state v1";
    let block =
        if sealed { codec::seal_block(purpose, &header.context(), bytes.to_vec()) } else { bytes.to_vec() };
    if let Ok(state) = State::decode(&header, &block) {
        assert_eq!(state.encode(&header), block);
        assert!(state.used() <= header.count);
    }
}

/// The header of a proof.
pub fn proof(bytes: &[u8], sealed: bool) {
    let mut bytes = bytes.to_vec();
    if sealed {
        bytes.resize(proof::HEADER - 32, 0);
        let sum = codec::checksum("volery 2026 stored proof header v1", &[], &bytes);
        bytes.extend_from_slice(&sum);
    }
    if let Ok((header, body)) = proof::Header::decode(&bytes) {
        assert_eq!(header.encode(&body), bytes);
    }
}

/// A whole proof file, then its frames as V would ask for them.
pub fn frames(bytes: &[u8]) {
    let path = Path::new("fuzzed");
    let file = Arc::new(Bytes(bytes.to_vec()));
    if let Ok((_, body)) = proof::check(&*file, path) {
        assert_eq!(proof::HEADER as u64 + body.length, bytes.len() as u64);
    }
    // The frames alone, whatever a header says.
    let length = bytes.len().saturating_sub(proof::HEADER) as u64;
    let fault = Fault::default();
    let mut reader = proof::Reader::new(file, path, &proof::Body { length, hash: [0; 32] }, fault.clone());
    let (mut frame, mut read) = (Vec::new(), 0);
    while reader.recv_into(tags::MASKS, 1 << 11, &mut frame).is_ok() {
        read += 5 + frame.len() as u64;
    }
    assert!(read <= length && reader.stats().bytes_received >= read);
    assert!(take(&fault).is_none(), "nothing is read beyond the end");
}

/// Bytes as a file that is only read.
struct Bytes(Vec<u8>);

impl DiskFile for Bytes {
    fn lock(&self) -> io::Result<bool> {
        Ok(true)
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let bytes = self.0.get(start..start.saturating_add(out.len()));
        out.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn write_at(&self, _bytes: &[u8], _offset: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::header::tests::header as sound;
    use super::*;

    proptest! {
        #[test]
        fn no_bytes_make_a_decoder_panic(bytes in prop::collection::vec(any::<u8>(), 0..5000), sealed: bool) {
            header(&bytes, sealed);
            state(&bytes, sealed);
            proof(&bytes, sealed);
            frames(&bytes);
        }

        #[test]
        fn frames_of_any_length_are_read_within_the_file(lengths in prop::collection::vec(0_u32..3000, 0..50), cut in 0_usize..100) {
            let mut bytes = vec![0; proof::HEADER];
            for length in lengths {
                bytes.push(tags::MASKS.byte());
                bytes.extend_from_slice(&length.to_le_bytes());
                bytes.resize(bytes.len() + length as usize, 7);
            }
            bytes.truncate(bytes.len().saturating_sub(cut));
            frames(&bytes);
        }

        #[test]
        fn nor_do_bytes_that_are_nearly_sound(at in 0_usize..4064, byte: u8) {
            let mut bytes = sound().encode();
            bytes[at] = byte;
            header(&bytes[..4064], true);
            let mut bytes = State::new().with(&(0..256)).with(&(1024..2048)).encode(&sound());
            bytes[at % 80] = byte;
            state(&bytes[..4064], true);
            let proof_header =
                proof::Header { session: SessionId::new([1; 32]), statement: [2; 32], interval: 3, range: 0..256 };
            let mut bytes = proof_header.encode(&proof::Body { length: 4, hash: [5; 32] });
            bytes[at % (proof::HEADER - 32)] = byte;
            proof(&bytes[..proof::HEADER - 32], true);
        }
    }
}
