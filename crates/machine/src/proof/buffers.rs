//! Buffers that grow: wires as they arrive, and P's values without leaving copies behind.

use zeroize::{Zeroize, Zeroizing};

use super::argument::PIECE;

/// Makes room for the next `piece` of `total` wires. The room doubles as wires arrive, so that a peer who
/// says that there will be many, and sends none, takes no memory.
pub(super) fn make_room<W>(wires: &mut Vec<W>, piece: usize, total: usize) {
    if wires.capacity() - wires.len() < piece {
        let left = total.saturating_sub(wires.len());
        wires.reserve_exact(wires.len().max(PIECE).min(left).max(piece));
    }
}

/// Room for this many wires at P, who knows that they will come. Growing would leave holes of all sizes in
/// the memory of a long run.
pub(super) fn room_at_p<W>(total: usize, is_p: bool) -> Vec<W> {
    Vec::with_capacity(if is_p { total } else { 0 })
}

/// These values, which are `count`. A buffer that grew would leave copies behind.
pub(super) fn wiped<T: Zeroize>(count: usize, values: impl IntoIterator<Item = T>) -> Zeroizing<Vec<T>> {
    let mut all = Zeroizing::new(Vec::with_capacity(count));
    all.extend(values.into_iter().take(count));
    all
}

/// Makes room for more values. A buffer that has become too small is wiped.
#[inline(always)]
pub(super) fn room_for<T: Zeroize + Clone>(values: &mut Zeroizing<Vec<T>>, more: usize) {
    if values.capacity() - values.len() < more {
        grow(values, more);
    }
}

#[cold]
#[inline(never)]
fn grow<T: Zeroize + Clone>(values: &mut Zeroizing<Vec<T>>, more: usize) {
    let mut larger = Vec::with_capacity(values.len() + values.len().max(more));
    larger.extend_from_slice(values);
    *values = Zeroizing::new(larger);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wires_take_no_more_than_twice_the_room_of_those_that_came() {
        for (piece, total) in [(1 << 10, 1 << 26), (PIECE, 1 << 26), (100, 150), (100, 100)] {
            let mut wires: Vec<u8> = Vec::new();
            for _ in 0..100 {
                let piece = piece.min(total - wires.len());
                make_room(&mut wires, piece, total);
                let room = wires.capacity();
                assert!(room >= wires.len() + piece && room <= total);
                assert!(room <= 2 * wires.len().max(PIECE));
                wires.resize(wires.len() + piece, 1);
                assert_eq!(wires.capacity(), room);
            }
        }
    }

    #[test]
    fn values_stay_when_their_buffer_grows() {
        let mut values = wiped(3, [1_u32, 2, 3, 4]);
        assert_eq!(values.capacity(), 3);
        for next in 4..1000 {
            room_for(&mut values, 1);
            let room = values.capacity();
            values.push(next);
            assert_eq!(values.capacity(), room);
        }
        assert!(values.iter().copied().eq(1..1000));
    }
}
