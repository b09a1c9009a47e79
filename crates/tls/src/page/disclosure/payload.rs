//! The positions of the bytes of a direction's payload, which is the application data of all its records, one
//! after the other.

use core::ops::Range;

use super::connection::DataRecord;
use super::derive::StreamBlock;
use crate::wire::transcript::APPLICATION_DATA;

/// The records of a direction's application data, with the position in the payload where each begins.
pub(super) fn application<'r, 'a>(
    records: &'r [DataRecord<'a>],
) -> impl Iterator<Item = (usize, usize, &'r DataRecord<'a>)> {
    let data = records.iter().enumerate().filter(|(_, record)| record.content_type == APPLICATION_DATA);
    data.scan(0, |end, (number, record)| {
        let start = *end;
        *end += record.length;
        Some((number, start, record))
    })
}

/// The number of bytes of a direction's payload.
pub(super) fn length(records: &[DataRecord<'_>]) -> usize {
    application(records).map(|(.., record)| record.length).sum()
}

/// The blocks, of `size` bytes, of a record (`length` bytes from `start` of the payload) that are not
/// completely within one of the sorted `skipped` ranges.
pub(super) fn blocks(
    number: usize,
    size: usize,
    [start, length]: [usize; 2],
    skipped: &[Range<usize>],
) -> Vec<StreamBlock> {
    let end = start + length;
    let skips = |block: &Range<usize>| {
        // Only the first range that ends after the block's start can contain it.
        let at = skipped.partition_point(|range| range.end <= block.start);
        skipped.get(at).is_some_and(|range| range.start <= block.start && block.end <= range.end)
    };
    let blocks = (start..end).step_by(size).enumerate();
    let wanted = blocks.filter(|(_, first)| !skips(&(*first..(first + size).min(end))));
    wanted.map(|(block, _)| StreamBlock { record: number, block }).collect()
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "lists of one range are meant")]
mod tests {
    use super::*;
    use crate::wire::suite::Suite;
    use crate::wire::transcript::Record;

    fn record(content_type: u8, length: usize) -> Record {
        Record {
            sequence: 0,
            content_type,
            explicit_nonce: [0; 8],
            ciphertext: vec![0; length],
            tag: [0; 16],
        }
    }

    #[test]
    fn the_payload_is_application_data_alone() {
        let records = [record(22, 16), record(23, 5), record(21, 2), record(23, 0), record(23, 40)];
        let records = records.each_ref().map(|record| DataRecord::tls12(record, Suite::Aes128GcmSha256));
        let places: Vec<_> = application(&records).map(|(number, start, _)| (number, start)).collect();
        assert_eq!(places, [(1, 0), (3, 5), (4, 5)]);
        assert_eq!(length(&records), 45);
    }

    #[test]
    fn a_block_is_skipped_only_if_no_byte_of_it_is_needed() {
        let of = |size: usize, skipped: &[Range<usize>]| -> Vec<usize> {
            blocks(3, size, [100, 40], skipped).into_iter().map(|place| place.block).collect()
        };
        let wanted = |skipped: &[Range<usize>]| of(16, skipped);
        assert_eq!(wanted(&[]), [0, 1, 2]);
        assert_eq!((of(64, &[]), of(64, &[100..139]), of(64, &[100..140])), (vec![0], vec![0], vec![]));
        assert_eq!(wanted(&[100..116]), [1, 2]);
        assert_eq!(wanted(&[101..140]), [0]);
        assert_eq!(wanted(&[0..110, 110..132]), [0, 2]);
        assert_eq!(wanted(&[0..1, 132..200]), [0, 1]);
        assert!(wanted(&[100..140]).is_empty());
    }
}
