//! Every decoder of file bytes as a plain function, for fuzz targets; unit tests call them too.
//!
//! Each takes any bytes and panics if what it accepts does not encode back to the same bytes. With `sealed` the bytes'
//! checksum is put right first, so that a fuzzer gets past it.

use volery_channel::handshake::Role;
use volery_vole::SessionId;

use super::codec;
use super::header::Header;
use super::proof;
use super::state::State;

/// The header of a correlation file.
pub fn header(bytes: &[u8], sealed: bool) {
    let block = if sealed {
        codec::seal_block("volery 2026 stored header v1", &[], bytes.to_vec())
    } else {
        bytes.to_vec()
    };
    if let Ok(header) = Header::decode(&block) {
        assert_eq!(header.encode(), block);
    }
}

/// A state slot.
pub fn state(bytes: &[u8], sealed: bool) {
    let header =
        Header { role: Role::Prover, session: SessionId::new([0; 32]), count: 1 << 20, interval: 1 << 10 };
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
