//! What the command line reveals, hides, claims and commits to: the words of
//! [`volery::web::disclosure::words`].

use core::ops::Range;

use volery::web::disclosure::words;
use volery::web::disclosure::{MessagePart, Redaction, Selection};

use crate::args::WebPageArgs;
use crate::failure::Failure;

/// Reads the values of `--hide`, `--assert`, `--commit` and `--reveal`.
///
/// With `--reveal` everything else of the responses is hidden. Without it bodies show, and header fields that
/// are the same for everybody. Parts that further requests have `taken` are hidden, too.
pub(super) fn selection(args: &WebPageArgs, taken: Vec<MessagePart>) -> Result<Selection, Failure> {
    // A command line has no empty list.
    let reveal = (!args.reveal.is_empty()).then_some(&*args.reveal);
    let selection =
        words::parse(&args.hide, &args.assert, &args.commit, reveal, taken).map_err(Failure::input)?;
    Ok(Selection { show_rest: args.show_rest, commit_all: args.commit_all, ..selection })
}

/// Every word of `--hide`, `--assert`, `--commit` and `--reveal` that is no part or no claim.
pub(super) fn no_words(args: &WebPageArgs) -> Vec<String> {
    let parts =
        args.hide.iter().chain(&args.commit).chain(&args.reveal).map(|text| words::part(text).map(drop));
    let claims = args.assert.iter().map(|text| words::claim(text).map(drop));
    parts.chain(claims).filter_map(Result::err).map(|error| error.to_string()).collect()
}

/// Each part that is named, with a selection that names nothing else, but for what is revealed beside a part
/// that is taken.
pub(super) fn each(selection: &Selection) -> impl Iterator<Item = (MessagePart, Selection)> + '_ {
    let hide = selection.hide.iter().map(|hide| {
        let Redaction { side, round, part, .. } = hide.clone();
        (MessagePart { side, round, part }, Selection { hide: vec![hide.clone()], ..Selection::default() })
    });
    let reveal = selection
        .reveal
        .iter()
        .map(|named| (named.clone(), Selection { reveal: vec![named.clone()], ..Selection::default() }));
    let taken = selection.taken.iter().map(|named| {
        let reveal = selection.reveal.clone();
        (named.clone(), Selection { taken: vec![named.clone()], reveal, ..Selection::default() })
    });
    hide.chain(reveal).chain(taken)
}

/// The parts that belong to one connection, with rounds counted from its first.
pub(super) fn within(selection: &Selection, connection: &Range<usize>) -> Selection {
    let own = |round: usize| round.checked_sub(connection.start).filter(|_| connection.contains(&round));
    let reveals = |all: &[MessagePart]| {
        let own =
            all.iter().filter_map(|reveal| Some(MessagePart { round: own(reveal.round)?, ..reveal.clone() }));
        own.collect()
    };
    let hide =
        selection.hide.iter().filter_map(|hide| Some(Redaction { round: own(hide.round)?, ..hide.clone() }));
    let (reveal, taken) = (reveals(&selection.reveal), reveals(&selection.taken));
    let &Selection { responses, show_rest, commit_all, .. } = selection;
    Selection { hide: hide.collect(), reveal, taken, responses, show_rest, commit_all }
}

#[cfg(test)]
mod tests {
    use volery::web::Side;
    use volery::web::disclosure::{Part, Rest};

    use super::words::parse;
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn each_connection_has_its_own_part_of_a_selection() {
        let hidden = words(&["request.header:Cookie", "response2.json:a", "response3.json:b"]);
        let shown = words(&["request2.query", "response3.json:c"]);
        let taken = vec![MessagePart { side: Side::Server, round: 1, part: Part::Body }];
        let selection = parse(&hidden, &[], &[], Some(&shown), taken).expect("sound");
        assert_eq!(within(&selection, &(0..3)), selection);
        let second = within(&selection, &(1..2));
        assert_eq!(second.hide, [Redaction::new(Side::Server, Part::Json("a".into()))]);
        assert_eq!(second.reveal, [MessagePart { side: Side::Client, round: 0, part: Part::Query }]);
        assert_eq!(second.taken, [MessagePart { side: Side::Server, round: 0, part: Part::Body }]);
        // Parts that are not named are hidden there, too, although that connection reveals nothing.
        let first = within(&selection, &(0..1));
        assert_eq!((first.hide.len(), first.reveal.len(), first.responses), (1, 0, Rest::Hidden));
    }
}
