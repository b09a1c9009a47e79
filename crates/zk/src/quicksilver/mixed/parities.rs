//! Sums over random sets of items.

use core::ops::Add;

use volery_vole::Prg;

/// The number of items that share a table of all their partial sums. If it is larger, there are fewer
/// look-ups and the table is larger.
const GROUP: usize = 6;

/// The sums of `items` over `sets` random sets, which come from `seed`.
///
/// The sets depend only on the seed, so that the sums of two lists of the same length are over the same sets.
pub(super) fn sums<T: Copy + Default + Add<Output = T>>(items: &[T], sets: usize, seed: [u8; 16]) -> Vec<T> {
    let mut prg = Prg::new(seed);
    let mut sums = vec![T::default(); sets];
    let mut table = [T::default(); 1 << GROUP];
    let mut choices = vec![0; sets];
    for group in items.chunks(GROUP) {
        for (i, item) in group.iter().enumerate() {
            for j in 0..1 << i {
                table[(1 << i) + j] = table[j] + *item;
            }
        }
        prg.bytes(&mut choices);
        let mask = (1 << group.len()) - 1;
        for (sum, choice) in sums.iter_mut().zip(&choices) {
            *sum = *sum + table[usize::from(*choice) & mask];
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use volery_field::F61;

    use super::*;

    #[test]
    fn sums_are_over_the_same_sets_for_every_list_and_the_sets_are_random() {
        for n in [0, 1, 5, 6, 7, 600] {
            let marks: Vec<u64> = (0..n).map(|i| 1 << (i % 60)).collect();
            let elements: Vec<F61> = marks.iter().map(|m| F61::new(*m)).collect();
            let (a, b) = (sums(&marks, 64, [7; 16]), sums(&elements, 64, [7; 16]));
            assert!(a.iter().zip(&b).all(|(a, b)| F61::new(*a) == *b), "{n}");
        }
        // Each item is in about half of the sets, each set has about half of the items.
        let ones = vec![1_u64; 600];
        assert!(sums(&ones, 64, [8; 16]).iter().all(|size| (220..380).contains(size)));
        for i in 0..60 {
            let mut one = vec![0_u64; 60];
            one[i] = 1;
            let sets: u64 = sums(&one, 128, [9; 16]).iter().sum();
            assert!((30..98).contains(&sets), "item {i}: {sets}");
        }
        assert_ne!(sums(&ones, 64, [8; 16]), sums(&ones, 64, [9; 16]));
    }
}
