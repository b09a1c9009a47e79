//! Challenges: the two players to open in each repetition.

/// The challenge of one repetition: player `e` and the next one are opened. Players are counted from 0 here,
/// and from 1 in the paper.
// Invariant: below 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trit(u8);

impl Trit {
    /// The three challenges.
    pub(crate) const ALL: [Self; 3] = [Self(0), Self(1), Self(2)];

    /// The opened players, in order.
    #[must_use]
    pub(crate) const fn opened(self) -> [u8; 2] {
        [self.0, (self.0 + 1) % 3]
    }

    /// The player that stays closed.
    #[must_use]
    pub(crate) const fn closed(self) -> u8 {
        (self.0 + 2) % 3
    }

    /// Whether this opens the third player, whose input share does not come from a tape.
    pub(crate) const fn opens_third(self) -> bool {
        self.0 != 0
    }
}

/// Expands a digest to the challenges of `n` repetitions: pairs of bits of its BLAKE3 expansion, lowest
/// first. Pairs with both bits set are skipped.
#[must_use]
pub(crate) fn expand(digest: &[u8; 32], n: usize) -> Vec<Trit> {
    let mut stream =
        blake3::Hasher::new_derive_key("volery 2026 mpcith challenges v1").update(digest).finalize_xof();
    let mut trits = Vec::with_capacity(n);
    let mut bytes = [0; 64];
    while trits.len() < n {
        stream.fill(&mut bytes);
        let pairs = bytes.iter().flat_map(|byte| [0, 2, 4, 6].map(|shift| byte >> shift & 3));
        let missing = n - trits.len();
        trits.extend(pairs.filter(|pair| *pair < 3).map(Trit).take(missing));
    }
    trits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_player_stays_closed_for_one_challenge_and_the_order_is_cyclic() {
        let table = Trit::ALL.map(|e| (e.opened(), e.closed(), e.opens_third()));
        assert_eq!(table, [([0, 1], 2, false), ([1, 2], 0, true), ([2, 0], 1, true)]);
    }

    #[test]
    fn challenges_are_uniform_trits_of_the_digest() {
        let trits = expand(&[7; 32], 30_000);
        assert_eq!(expand(&[7; 32], 100), trits[..100]);
        assert_ne!(expand(&[8; 32], 100), trits[..100]);
        for e in Trit::ALL {
            let count = trits.iter().filter(|trit| **trit == e).count();
            // Six standard deviations of 82.
            assert!((9_500..10_500).contains(&count), "{count}");
        }
    }

    /// Our own format, pinned: the first bytes of the expansion taken apart by hand.
    #[test]
    fn challenges_are_those_of_format_version_one() {
        let mut bytes = [0; 64];
        let mut hasher = blake3::Hasher::new_derive_key("volery 2026 mpcith challenges v1");
        hasher.update(&[1; 32]).finalize_xof().fill(&mut bytes);
        let mut expected = Vec::new();
        for i in 0..256 {
            let pair = bytes[i / 4] >> (2 * (i % 4)) & 3;
            if pair != 3 {
                expected.push(Trit(pair));
            }
        }
        assert_eq!(expand(&[1; 32], expected.len()), expected);
    }
}
