//! Tables as they are sent: the halves of all tables of a message, then the three bits of each.
//!
//! A message of `n` tables of three halves has `24 n` bytes of halves, and the tables' bits without gaps, the
//! first table's lowest, in as many bytes as they need. The length says how many tables there are.
//! Ciphertexts of S-boxes are in the place of halves, and their bits are zero.

use crate::gates::{Gate as _, ThreeHalves};

/// Bytes of a table of three halves while a party holds it: a byte of bits at the end.
const TABLE: usize = ThreeHalves::TABLE_BYTES;
/// Bytes of its halves.
const HALVES: usize = TABLE - 1;
/// The number of its bits.
const BITS: usize = 3;
/// The number of tables whose bits fill whole bytes.
const GROUP: usize = 8;
/// The bits that are sent of a table.
pub(super) const SENT_BITS: usize = 8 * HALVES + BITS;

/// The message with these tables, in `room`.
pub(super) fn packed<'a>(tables: &[u8], room: &'a mut Vec<u8>) -> &'a [u8] {
    let (tables, _) = tables.as_chunks::<TABLE>();
    room.clear();
    tables.iter().for_each(|table| room.extend_from_slice(&table[..HALVES]));
    for group in tables.chunks(GROUP) {
        let bits = group.iter().rev().fold(0, |bits, table| bits << BITS | u32::from(table[HALVES]));
        room.extend(bits.to_le_bytes().iter().take(bits_bytes(group.len())));
    }
    room
}

/// Replaces the content of `out` by the message's tables. Returns their number; `None` if this is no message
/// of at least one table.
pub(super) fn unpack(message: &[u8], out: &mut Vec<u8>) -> Option<usize> {
    out.clear();
    let tables = 8 * message.len() / SENT_BITS;
    let (halves, bits) = message.split_at_checked(HALVES * tables)?;
    if tables == 0 || bits.len() != bits_bytes(tables) {
        return None;
    }
    let (halves, _) = halves.as_chunks::<HALVES>();
    for (group, bytes) in halves.chunks(GROUP).zip(bits.chunks(BITS)) {
        let mut bits = bytes.iter().rev().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
        for half in group {
            out.extend_from_slice(half);
            out.push((bits & ((1 << BITS) - 1)) as u8);
            bits >>= BITS;
        }
        // There is one encoding of each list of tables.
        if bits != 0 {
            return None;
        }
    }
    Some(tables)
}

/// The number of bytes for the bits of this many tables.
const fn bits_bytes(tables: usize) -> usize {
    (BITS * tables).div_ceil(8)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Tables with these bits.
    fn tables(bits: &[u8]) -> Vec<u8> {
        let table = |(i, bits): (usize, &u8)| {
            let mut table = [i as u8; TABLE];
            table[HALVES] = *bits;
            table
        };
        bits.iter().enumerate().flat_map(table).collect()
    }

    #[test]
    fn eight_tables_take_195_bytes() {
        let tables = tables(&[1, 2, 3, 4, 5, 6, 7, 0]);
        let mut room = Vec::new();
        let message = packed(&tables, &mut room);
        assert_eq!(message.len(), 195);
        // Three bits each, from the lowest on.
        assert_eq!(message[192..], 0o07_654_321_u32.to_le_bytes()[..3]);
    }

    #[test]
    fn a_message_of_another_length_or_with_a_bit_too_many_is_none() {
        let mut out = Vec::new();
        let mut refused = |message: &[u8]| unpack(message, &mut out).is_none();
        for count in 1..20 {
            let tables = tables(&vec![7; count]);
            let mut room = Vec::new();
            let message = packed(&tables, &mut room).to_vec();
            assert!(refused(&message[..message.len() - 1]), "{count}");
            assert!(refused(&[&*message, &[0]].concat()), "{count}");
            for bit in BITS * count..8 * bits_bytes(count) {
                let mut message = message.clone();
                message[HALVES * count + bit / 8] |= 1 << (bit % 8);
                assert!(refused(&message), "{count} {bit}");
            }
        }
        assert!(refused(&[]));
        assert!(refused(&[0; 24]));
    }

    proptest! {
        #[test]
        fn tables_come_back(bits in prop::collection::vec(0_u8..8, 1..40)) {
            let (tables, mut room, mut out) = (tables(&bits), Vec::new(), Vec::new());
            let message = packed(&tables, &mut room);
            prop_assert_eq!(unpack(message, &mut out), Some(bits.len()));
            prop_assert_eq!(&out, &tables);
        }

        #[test]
        fn whatever_is_unpacked_is_packed_to_the_same(message in prop::collection::vec(any::<u8>(), 0..400)) {
            let (mut out, mut room) = (Vec::new(), Vec::new());
            if unpack(&message, &mut out).is_some() {
                prop_assert_eq!(packed(&out, &mut room), &message[..]);
            }
        }
    }
}
