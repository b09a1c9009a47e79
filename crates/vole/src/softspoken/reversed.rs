//! The setup from correlations of the other direction, instead of base OTs.
//!
//! Two parties that have random COT in one direction get OTs in the other direction for one hash each. In
//! this module S is the party that will be the extension's *sender*, with an offset of its own, and R its
//! receiver. In the existing correlations S holds tags `m_i` of random bits `u_i`, and R holds keys `k_i` and
//! delta:
//!
//! ```text
//! S:  choice c_i (the complement of the offset's bit i)       d_i = c_i + u_i       -->
//! R:  pads H(i, k_i), H(i, k_i + delta)                       K_i,b = the pad of b + d_i
//! S:  K_i,c = H(i, m_i),   as m_i is one of R's two by u_i
//! ```
//!
//! `H` is a random oracle bound to the new setup's session identifier, which no other setup may have. The
//! trees follow as after base OTs.
//!
//! * *R learns nothing about the offset*: `d_i` is masked by `u_i`, which is used for nothing else. If the
//!   correlation comes from OT extension, `u_i` is uniform to R, up to the pseudorandomness of the trees'
//!   generator (see [`softspoken`](super)). In a pool that has reached rounds of `ferret`, it is
//!   pseudorandom by LPN, as the masks of every later proof are.
//! * *S learns one key of each pair*: for the other it would have to query `H` at `m_i + delta`. A cheating S
//!   may have guessed bits of delta when the correlations were made, and survived with probability `p`. Delta
//!   is then one of `p 2^127` values, so that `q` queries hit it with probability `q / (p 2^127)`, and S
//!   survives and hits it with probability `q / 2^127`: the term that every use of delta has.
//! * *Either party may choose the keys that it sees*, as with [endemic base OTs](crate::base_ot): S its pad,
//!   by its part in the correlations, and R both pads. The trees need no more, and their check is the same.
//!
//! **R must not reveal delta** while anything that R has under S's offset must stay hidden from S. With delta
//! S can compute both pads of every pair from its tags, hence all leaves of all trees, hence R's bits `u` of
//! the extension and everything that they mask. (With base OTs, revealing delta would be safe.) In a session
//! that garbles, these bits are V's choices of its labels: the masks of its share of a secret and of its
//! factors of products. So delta is revealed, if ever, by the last message but one of a session, when V has
//! opened all of these anyway.

use volery_channel::Channel;
use volery_channel::tags::{SOFT_SPOKEN_CHOICES, SOFT_SPOKEN_TREE};
use volery_field::Gf128;
use zeroize::Zeroizing;

use super::columns::Streams;
use super::sender::KeyedSetup;
use super::{BLOCK, COLUMNS, FieldBits, Receiver, Sender, setup_transcript, tree};
use crate::correlations::Pool;
use crate::{Delta, Error, Oracle, SessionId};

/// The length of the choices' message, in bytes.
const CHOICES: usize = COLUMNS / 8;

/// S between its choices and R's trees.
pub struct ReversedSetup {
    session: SessionId,
    keyed: KeyedSetup,
}

/// The oracle `H`.
struct Pads(Oracle);

impl Pads {
    fn new(session: &SessionId) -> Self {
        Self(Oracle::new("softspoken: reversed", session))
    }

    fn pad(&self, i: usize, correlation: Gf128) -> Gf128 {
        let pad = Zeroizing::new(self.0.hash::<BLOCK>(i as u64, &[&correlation.to_bits().to_le_bytes()]));
        Gf128::from_bits(u128::from_le_bytes(*pad))
    }
}

impl ReversedSetup {
    /// Sends the choices for a sender under `delta`, from 128 tags of `pool`. Waits at most for the pool.
    ///
    /// # Errors
    /// The pool's and the channel's.
    pub fn start(
        channel: &mut dyn Channel,
        session: &SessionId,
        delta: Delta,
        pool: &mut Pool,
    ) -> Result<Self, Error> {
        let mut tags = Zeroizing::new([Gf128::ZERO; COLUMNS]);
        pool.fill(channel, &mut *tags)?;
        let (mut message, pads) = ([0; CHOICES], Pads::new(session));
        for (i, tag) in tags.iter().enumerate() {
            let choice = !delta.mask(i) as u8 & 1;
            message[i / 8] |= (choice ^ tag.lsb().to_u8()) << (i % 8);
        }
        channel.send(SOFT_SPOKEN_CHOICES, &message)?;
        channel.flush()?;
        let keys = tags.iter().enumerate().map(|(i, tag)| pads.pad(i, *tag)).collect();
        let keyed = KeyedSetup { message: message.to_vec(), delta, keys: Zeroizing::new(keys) };
        Ok(Self { session: *session, keyed })
    }

    /// Receives and checks the trees.
    ///
    /// # Errors
    /// [`Error::Cheat`] if the trees are not consistent; any error of receiving.
    pub fn finish(self, channel: &mut dyn Channel, bits: FieldBits) -> Result<Sender, Error> {
        let mut trees = vec![0; bits.tree_message_bytes()];
        channel.recv_exact(SOFT_SPOKEN_TREE, &mut trees)?;
        self.keyed.finish(&self.session, bits, &[], &trees)
    }
}

impl Receiver {
    /// R's whole setup, from 128 keys of `pool` under `delta`: the peer is a [`ReversedSetup`].
    ///
    /// # Errors
    /// The pool's and the channel's.
    pub fn reversed(
        channel: &mut dyn Channel,
        session: &SessionId,
        bits: FieldBits,
        delta: &Delta,
        pool: &mut Pool,
    ) -> Result<Self, Error> {
        let mut correlations = Zeroizing::new([Gf128::ZERO; COLUMNS]);
        pool.fill(channel, &mut *correlations)?;
        let mut choices = [0; CHOICES];
        channel.recv_exact(SOFT_SPOKEN_CHOICES, &mut choices)?;
        let pads = Pads::new(session);
        let pair = |(i, key): (usize, &Gf128)| {
            let [zero, one] = [*key, *key + delta.expose()].map(|key| pads.pad(i, key));
            // The branch is on the peer's message, not on a secret.
            if choices[i / 8] >> (i % 8) & 1 == 1 { [one, zero] } else { [zero, one] }
        };
        let keys = Zeroizing::new(correlations.iter().enumerate().map(pair).collect::<Vec<_>>());
        let (seeds, trees) = tree::grow_all(session, bits, &keys);
        channel.send(SOFT_SPOKEN_TREE, &trees)?;
        let transcript = setup_transcript(session, bits, &[], &choices, &trees);
        Ok(Self { bits, transcript, streams: Some(Streams::new(bits, seeds)) })
    }
}

#[cfg(test)]
mod tests {
    use volery_channel::tags::GOODBYE;
    use volery_channel::{Limits, Tag};
    use volery_testing::{between_edited, rng};

    use super::*;
    use crate::correlations::{Generator, Profile};
    use crate::cot::{ProverParty, VerifierParty};

    const FIRST: SessionId = SessionId::new([3; 32]);
    const SECOND: SessionId = SessionId::new([4; 32]);

    type Change = fn(Tag, &mut Vec<u8>);

    const UNTOUCHED: Change = |_, _| {};

    fn offset() -> Delta {
        Delta::random(&mut rng(9))
    }

    /// More of the first direction after the second has begun; and nobody leaves while the other still sends.
    fn end(channel: &mut dyn Channel, pool: &mut Pool) -> Result<(), Error> {
        pool.fill(channel, &mut vec![Gf128::ZERO; 50_000])?;
        channel.send(GOODBYE, &[])?;
        channel.recv(GOODBYE, 0)?;
        Ok(channel.flush()?)
    }

    /// Keys at S and tags at R of 500 correlations whose setup came from the other direction's, after `taken`
    /// of these served something else. Messages pass through S's and R's edit.
    fn run(
        bits: FieldBits,
        sessions: [SessionId; 2],
        taken: usize,
        edits: [Change; 2],
    ) -> (Result<Vec<Gf128>, Error>, Result<Vec<Gf128>, Error>) {
        let plan = Profile::Lan.plan();
        let take = move |channel: &mut dyn Channel, mut pool: Pool| -> Result<Pool, Error> {
            pool.fill(channel, &mut vec![Gf128::ZERO; taken])?;
            Ok(pool)
        };
        between_edited(
            &Limits::default(),
            edits.into(),
            |s| {
                let mut rng = rng(2);
                let first = Receiver::setup(s, &FIRST, FieldBits::Eight, &mut rng)?;
                let party = ProverParty::new(FIRST, first, &mut rng);
                let mut pool = take(s, Pool::new(Box::new(Generator::new(party, plan, None))))?;
                let setup = ReversedSetup::start(s, &sessions[1], offset(), &mut pool)?;
                let mut second = setup.finish(s, bits)?;
                let mut keys = Vec::new();
                second.extend(s, 500, &mut keys)?;
                end(s, &mut pool)?;
                Ok(keys)
            },
            |r| {
                let mut rng = rng(1);
                let delta = Delta::random(&mut rng);
                let first = Sender::setup(r, &FIRST, FieldBits::Eight, delta.duplicate(), &mut rng)?;
                let party = VerifierParty::new(FIRST, first, delta.duplicate(), &mut rng);
                let mut pool = take(r, Pool::new(Box::new(Generator::new(party, plan, None))))?;
                let mut second = Receiver::reversed(r, &sessions[0], bits, &delta, &mut pool)?;
                let mut tags = Vec::new();
                second.extend(r, 500, &mut tags)?;
                end(r, &mut pool)?;
                Ok(tags)
            },
        )
    }

    fn assert_honest(bits: FieldBits, taken: usize) {
        let (keys, tags) = run(bits, [SECOND; 2], taken, [UNTOUCHED; 2]);
        let (keys, tags) = (keys.unwrap(), tags.unwrap());
        assert_eq!((keys.len(), tags.len()), (500, 500));
        for (key, tag) in keys.iter().zip(&tags) {
            assert_eq!(*key, *tag + offset().expose() * tag.lsb());
        }
        let ones = tags.iter().filter(|tag| tag.lsb().to_u8() == 1).count();
        assert!((150..350).contains(&ones), "{ones}");
    }

    #[test]
    fn extension_after_a_setup_from_the_other_direction_satisfies_the_relation() {
        for bits in FieldBits::ALL {
            assert_honest(bits, 0);
        }
    }

    #[test]
    fn a_setup_can_come_at_any_place_of_a_pool() {
        // Quarters of the first stage are at multiples of 2^15: the next round's trees, its check, its
        // answer. Then within rounds.
        for taken in [32_700, 40_000, 65_500, 70_000, 98_200, 98_300, 110_000, 131_000, 140_000, 400_000] {
            assert_honest(FieldBits::Eight, taken);
        }
    }

    /// S must not get further than the check of the trees: what it does later would fail as well, since
    /// choices and trees are in the transcript.
    fn assert_wrong_trees(sessions: [SessionId; 2], taps: [Change; 2]) {
        let (keys, _) = run(FieldBits::Eight, sessions, 0, taps);
        assert!(matches!(keys, Err(Error::Cheat { step: SOFT_SPOKEN_TREE, .. })), "{keys:?}");
    }

    #[test]
    fn wrong_trees_and_another_session_s_do_not_pass_the_check_of_trees() {
        // A level's corrections for both sides, of which S uses one; the sum of the first tree's commitments;
        // the digest.
        let changes: [Change; 3] = [
            |tag, message| {
                if tag == SOFT_SPOKEN_TREE {
                    message[5] ^= 1;
                    message[5 + BLOCK] ^= 1;
                }
            },
            |tag, message| {
                if tag == SOFT_SPOKEN_TREE {
                    message[7 * 2 * BLOCK + 3] ^= 1;
                }
            },
            |tag, message| {
                if let (true, Some(last)) = (tag == SOFT_SPOKEN_TREE, message.last_mut()) {
                    *last ^= 1;
                }
            },
        ];
        for change in changes {
            assert_wrong_trees([SECOND; 2], [UNTOUCHED, change]);
        }
        assert_wrong_trees([SECOND, FIRST], [UNTOUCHED; 2]);
    }

    #[test]
    fn changed_choices_do_not_pass_the_check_of_trees() {
        let changes: [Change; 2] = [
            |tag, message| {
                if tag == SOFT_SPOKEN_CHOICES {
                    message[0] ^= 1;
                }
            },
            |tag, message| {
                if tag == SOFT_SPOKEN_CHOICES {
                    message[CHOICES - 1] ^= 0x80;
                }
            },
        ];
        for change in changes {
            assert_wrong_trees([SECOND; 2], [change, UNTOUCHED]);
        }
    }
}
