//! Every message of a round changed on its way, repeated, or of another length.

use std::cell::RefCell;

use super::*;

/// The messages of a round in order, and whether P sends them.
const MESSAGES: [(Tag, bool); 4] = [
    (tags::SUBFIELD_TREES, false),
    (tags::SUBFIELD_CHECK, true),
    (tags::SUBFIELD_ANSWER, false),
    (tags::SUBFIELD_OPENING, true),
];

/// A tap at the sender of a message.
fn at_sender<'a>(from_p: bool, tap: Tampering<'a>) -> [Tampering<'a>; 2] {
    if from_p { [tap, untouched()] } else { [untouched(), tap] }
}

#[test]
fn a_flipped_bit_in_the_trees_is_caught_unless_it_is_in_a_sum_that_p_does_not_use() {
    fn check<F: Value, M: Mac<F>>() {
        let deal = Deal::<F, M>::new(0);
        let levels = levels_bytes(&TINY);
        let trees = TINY.trees as usize;
        for (tree, path) in deal.paths().into_iter().enumerate() {
            // A bit of each level's sum, then of each side's sum of the last level, then of the difference.
            let elements = trees * levels + tree * SUMS * M::BYTES;
            let goes_right = path >> (TINY.log_block - 1) & 1 == 1;
            let places = (0..levels / 16).map(|level| (tree * levels + 16 * level + 3, true));
            let places = places.chain([
                (elements, goes_right),
                (elements + M::BYTES, !goes_right),
                (elements + 2 * M::BYTES, true),
            ]);
            for (at, used) in places {
                let flip = on(tags::SUBFIELD_TREES, move |payload| payload[at] ^= 2);
                let outcome = run(&deal, [untouched(), flip]);
                if used {
                    assert!(
                        is_cheat(&outcome.p, tags::SUBFIELD_ANSWER),
                        "{} tree {tree}, byte {at}",
                        M::NAME
                    );
                    assert!(
                        matches!(outcome.v, Err(Error::Channel(_))),
                        "{} tree {tree}, byte {at}",
                        M::NAME
                    );
                } else {
                    holds(&outcome.p.unwrap(), &outcome.v.unwrap());
                }
            }
        }
    }
    every_kind_of_pair!(check);
}

#[test]
fn a_flipped_bit_in_any_later_message_is_caught_by_its_reader_or_at_the_next_step() {
    fn check<F: Value, M: Mac<F>>() {
        let deal = Deal::<F, M>::new(0);
        let shown = SEED + M::BYTES;
        // Who notices: P when it has V's answer, or V when P opens.
        let cases = [
            (tags::SUBFIELD_CHECK, 0, true),
            (tags::SUBFIELD_CHECK, SEED - 1, true),
            (tags::SUBFIELD_CHECK, SEED, true),
            (tags::SUBFIELD_CHECK, shown, false),
            (tags::SUBFIELD_CHECK, shown + DIGEST - 1, false),
            (tags::SUBFIELD_ANSWER, 0, true),
            (tags::SUBFIELD_OPENING, 0, false),
            (tags::SUBFIELD_OPENING, NONCE - 1, false),
        ];
        for (tag, at, p_notices) in cases {
            let flip = on(tag, move |payload| payload[at] ^= 1);
            let outcome = run(&deal, at_sender(tag != tags::SUBFIELD_ANSWER, flip));
            if p_notices {
                assert!(is_cheat(&outcome.p, tags::SUBFIELD_ANSWER), "{} {tag} {at}", M::NAME);
                assert!(matches!(outcome.v, Err(Error::Channel(_))), "{} {tag} {at}", M::NAME);
            } else {
                // P sent its last message before V could know.
                assert!(outcome.p.is_ok(), "{} {tag} {at}: {:?}", M::NAME, outcome.p.err());
                assert!(is_cheat(&outcome.v, tags::SUBFIELD_OPENING), "{} {tag} {at}", M::NAME);
            }
        }
    }
    every_kind_of_pair!(check);
}

#[test]
fn elements_that_are_not_canonical_are_malformed() {
    fn check<F: Value, M: Mac<F>>() {
        if M::decode(&vec![0xff; M::BYTES]).is_ok() {
            // Every encoding is canonical.
            return;
        }
        let deal = Deal::<F, M>::new(0);
        let elements = TINY.trees as usize * levels_bytes(&TINY);
        let end = trees_bytes::<M>(&TINY);
        let cases = [
            (tags::SUBFIELD_TREES, elements),
            (tags::SUBFIELD_TREES, elements + M::BYTES),
            (tags::SUBFIELD_TREES, elements + 2 * M::BYTES),
            (tags::SUBFIELD_TREES, end - M::BYTES),
            (tags::SUBFIELD_CHECK, SEED),
            (tags::SUBFIELD_ANSWER, 0),
        ];
        for (tag, at) in cases {
            let from_p = tag == tags::SUBFIELD_CHECK;
            let fill = on(tag, move |payload| payload[at..at + M::BYTES].fill(0xff));
            let outcome = run(&deal, at_sender(from_p, fill));
            let errors = [outcome.p.err().unwrap(), outcome.v.err().unwrap()];
            let [reader, sender] = if from_p { [&errors[1], &errors[0]] } else { [&errors[0], &errors[1]] };
            assert!(
                matches!(reader, Error::Malformed { step, .. } if *step == tag),
                "{} {at}: {reader}",
                M::NAME
            );
            assert!(matches!(sender, Error::Channel(_)), "{} {at}: {sender}", M::NAME);
        }
    }
    every_kind_of_pair!(check);
}

#[test]
fn a_message_of_any_other_length_is_refused() {
    fn check<F: Value, M: Mac<F>>() {
        use volery_channel::Error::WrongLength;
        let changes: [fn(&mut Vec<u8>); 4] = [
            Vec::clear,
            |payload| payload.push(0),
            |payload| payload.truncate(payload.len() - 1),
            |payload| drop(payload.drain(..1)),
        ];
        let deal = Deal::<F, M>::new(0);
        for (tag, from_p) in MESSAGES {
            for change in changes {
                let outcome = run(&deal, at_sender(from_p, on(tag, change)));
                let [p, v] = [outcome.p.err(), outcome.v.err()];
                let [reader, sender] = if from_p { [v, p] } else { [p, v] };
                let refused = matches!(
                    &reader, Some(Error::Channel(WrongLength { step, .. })) if *step == tag
                );
                assert!(refused, "{} {tag}: {reader:?}", M::NAME);
                // After its last message P does not wait for anything.
                assert!(sender.is_some() || tag == tags::SUBFIELD_OPENING, "{} {tag}", M::NAME);
            }
        }
    }
    every_kind_of_pair!(check);
}

/// What both say in a round, in order.
fn conversation<F: Value, M: Mac<F>>(deal: &Deal<F, M>) -> Vec<(Tag, Vec<u8>)> {
    let said = RefCell::new(Vec::new());
    let keep =
        || -> Tampering<'_> { Box::new(|tag, payload| said.borrow_mut().push((tag, payload.clone()))) };
    let outcome = run(deal, [keep(), keep()]);
    assert!(outcome.p.is_ok() && outcome.v.is_ok());
    said.into_inner()
}

#[test]
fn a_message_of_another_round_is_caught() {
    fn check<F: Value, M: Mac<F>>() {
        let earlier = conversation(&Deal::<F, M>::new(0));
        assert!(earlier.iter().map(|(tag, _)| *tag).eq(MESSAGES.map(|(tag, _)| tag)));
        for ((tag, from_p), (_, old)) in MESSAGES.into_iter().zip(&earlier) {
            let again = on(tag, |payload| payload.clone_from(old));
            let outcome = run(&Deal::<F, M>::new(1), at_sender(from_p, again));
            let p_notices = is_cheat(&outcome.p, tags::SUBFIELD_ANSWER);
            // P sends the last message, so it has nothing more to notice then.
            assert!(p_notices || tag == tags::SUBFIELD_OPENING, "{} {tag}", M::NAME);
            assert!(p_notices != is_cheat(&outcome.v, tags::SUBFIELD_OPENING), "{} {tag}", M::NAME);
            assert!(outcome.v.is_err(), "{} {tag}", M::NAME);
        }
    }
    every_kind_of_pair!(check);
}

#[test]
fn a_commitment_and_what_a_seed_gives_hold_in_their_round_alone() {
    fn check<F: Value, M: Mac<F>>() {
        let [zero, one] = [0, 1].map(|number| Public::new::<F, M>(&SESSION, number, TINY));
        let commit = |public: &Public| public.commitment(&[7; NONCE], M::ONE).unwrap();
        assert_ne!(commit(&zero), commit(&one), "{}", M::NAME);
        let table: Vec<M> =
            Vec::from_iter((0..TINY.table_len()).map(|i| M::from_blocks(&[i as u128 * 77; 8][..M::BLOCKS])));
        let given = |public: &Public, seed: u8| {
            let (coefficients, code) = public.challenge::<M>(&[seed; SEED]);
            let mut rows = [M::ZERO; 4];
            code.add_rows(0, &table, &mut rows);
            (coefficients.trees, rows)
        };
        let ours = given(&zero, 6);
        for other in [given(&one, 6), given(&zero, 7)] {
            assert!(ours.0.iter().zip(&other.0).all(|(a, b)| a != b), "{}", M::NAME);
            assert!(ours.1 != other.1, "{}", M::NAME);
        }
    }
    every_kind_of_pair!(check);
}
