//! What a correlation file says about itself, once and for all; and V's key block.

use volery_channel::handshake::Role;
use volery_field::Gf128;
use volery_vole::correlations::Chain;
use volery_vole::{Delta, SessionId};
use zeroize::Zeroizing;

use super::chunks::{CHUNK, RECORD};
use super::codec::{self, BLOCK, Cursor, Flaw};

/// What a correlation file begins with. The line break shows transports that meddle with text.
const MAGIC: [u8; 16] = *b"VOLERY VOLE\r\n\0\0\0";

/// The version of correlation files, proof files and their transcripts.
///
/// Version 1 had no chain, so that a P that chose its correlations could forge proofs: nobody opens it any
/// more.
pub(super) const VERSION: u16 = 2;

/// Versions below are refused for soundness's sake, and say so.
pub(super) const SOUND: u16 = 2;

pub(super) const PURPOSE: &str = "volery 2026 stored header v2";
const KEY_PURPOSE: &str = "volery 2026 stored key v1";

/// Most correlations in a file: 2^36, a terabyte.
pub(super) const MAX_COUNT: u64 = 1 << 36;

/// Most multiplications between two checks: it bounds the memory of a party that opens the file.
pub(super) const MAX_INTERVAL: u32 = 1 << 20;

/// Offsets of the parts, each a block.
pub(super) const SLOTS: [u64; 2] = [BLOCK as u64, 2 * BLOCK as u64];
pub(super) const KEY: u64 = 3 * BLOCK as u64;
pub(super) const CHUNKS: u64 = 4 * BLOCK as u64;

/// The static header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) role: Role,
    /// The session that made the pair of files.
    pub(super) session: SessionId,
    /// Correlations in the file; a multiple of [`CHUNK`].
    pub(super) count: u64,
    /// Multiplications between two checks of a proof.
    pub(super) interval: u32,
    /// The chain of all correlations in the file, which the challenges of every proof from it absorb.
    pub(super) chain: Chain,
}

impl Header {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.push(self.role_byte());
        out.extend_from_slice(self.session.as_bytes());
        out.extend_from_slice(&self.count.to_le_bytes());
        out.extend_from_slice(&self.interval.to_le_bytes());
        out.extend_from_slice(self.chain.as_bytes());
        codec::seal_block(PURPOSE, &[], out)
    }

    pub(super) fn decode(block: &[u8]) -> Result<Self, Flaw> {
        let mut cursor = Cursor::new(block);
        // Before the checksum: a later version may end otherwise.
        if cursor.array() != Ok(MAGIC) {
            return Err(Flaw::Magic);
        }
        let version = cursor.u16()?;
        if version != VERSION {
            return Err(Flaw::Version(version));
        }
        let content = codec::open_block(PURPOSE, &[], block)?;
        let mut cursor = Cursor::new(content);
        let _: [u8; 18] = cursor.array()?;
        let role = match cursor.u8()? {
            0 => Role::Prover,
            1 => Role::Verifier,
            other => return Err(Flaw::bad(format!("{other} is no role"))),
        };
        let session = SessionId::new(cursor.array()?);
        let (count, interval) = (cursor.u64()?, cursor.u32()?);
        let chain = Chain::from_bytes(cursor.array()?);
        cursor.zeros()?;
        if count == 0 || count > MAX_COUNT || !count.is_multiple_of(CHUNK) {
            return Err(Flaw::bad(format!("{count} is no possible number of correlations")));
        }
        if interval == 0 || interval > MAX_INTERVAL {
            return Err(Flaw::bad(format!("{interval} is no possible interval of checks")));
        }
        Ok(Self { role, session, count, interval, chain })
    }

    /// Bytes of the whole file.
    pub(super) fn file_bytes(&self) -> u64 {
        CHUNKS + self.count / CHUNK * RECORD as u64
    }

    /// What checksums of the other parts are bound to: the session and whose file it is.
    pub(super) fn context(&self) -> [u8; 33] {
        let mut context = [self.role_byte(); 33];
        context[1..].copy_from_slice(self.session.as_bytes());
        context
    }

    fn role_byte(&self) -> u8 {
        match self.role {
            Role::Prover => 0,
            Role::Verifier => 1,
        }
    }

    /// The key block: V's delta, nothing at P.
    pub(super) fn encode_key(&self, delta: Option<&Delta>) -> Zeroizing<Vec<u8>> {
        let mut block = Zeroizing::new(Vec::with_capacity(BLOCK));
        if let Some(delta) = delta {
            block.extend_from_slice(&delta.expose().to_bits().to_le_bytes());
            let sum = codec::checksum(KEY_PURPOSE, &self.context(), &block);
            block.extend_from_slice(&sum[..16]);
        }
        block.resize(BLOCK, 0);
        block
    }

    /// V's delta.
    pub(super) fn decode_key(&self, block: &[u8]) -> Result<Delta, Flaw> {
        let mut cursor = Cursor::new(block);
        let bytes = Zeroizing::new(cursor.array::<16>()?);
        let sum: [u8; 16] = cursor.array()?;
        cursor.zeros()?;
        if sum != codec::checksum(KEY_PURPOSE, &self.context(), &*bytes)[..16] {
            return Err(Flaw::bad("its checksum is wrong"));
        }
        let element = Gf128::from_bits(u128::from_le_bytes(*bytes));
        if bytes[0] & 1 != 1 {
            return Err(Flaw::bad("it is no key"));
        }
        Ok(Delta::from_element(element))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn header() -> Header {
        let (session, chain) = (SessionId::new([7; 32]), Chain::from_bytes([9; 32]));
        Header { role: Role::Verifier, session, count: 1024, interval: 1 << 17, chain }
    }

    #[test]
    fn a_header_decodes_to_what_was_encoded_and_no_byte_of_it_can_change() {
        let bytes = header().encode();
        assert_eq!(bytes.len(), BLOCK);
        assert_eq!(Header::decode(&bytes), Ok(header()));
        for i in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[i] ^= 1;
            let flaw = Header::decode(&bytes).unwrap_err();
            match i {
                0..16 => assert_eq!(flaw, Flaw::Magic),
                16..18 => assert!(matches!(flaw, Flaw::Version(_))),
                _ => assert_eq!(flaw, Flaw::bad("its checksum is wrong")),
            }
        }
    }

    #[test]
    fn impossible_values_are_refused_though_the_checksum_is_right() {
        for (count, interval) in
            [(0, 1), (1, 1), (CHUNK + 1, 1), (MAX_COUNT + CHUNK, 1), (CHUNK, 0), (CHUNK, MAX_INTERVAL + 1)]
        {
            let bytes = Header { count, interval, ..header() }.encode();
            assert!(
                matches!(Header::decode(&bytes), Err(Flaw::Bad(reason)) if reason.contains("no possible"))
            );
        }
    }

    #[test]
    fn a_key_block_is_read_only_as_it_was_written() {
        let delta = Delta::from_element(Gf128::from_bits(0x1234_5678_9abc_def0));
        let block = header().encode_key(Some(&delta));
        assert_eq!(header().decode_key(&block).unwrap().expose(), delta.expose());
        for i in 0..BLOCK {
            let mut block = block.clone();
            block[i] ^= 0x80;
            assert!(header().decode_key(&block).is_err());
        }
        let other = Header { session: SessionId::new([8; 32]), ..header() };
        assert!(other.decode_key(&block).is_err());
        assert!(header().decode_key(&header().encode_key(None)).is_err());
    }
}
