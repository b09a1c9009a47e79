//! Checks before anything is sent that what the command line hides can be hidden, and shows no secret.

use volery::web::Side;
use volery::web::disclosure::{MessagePart, Part, Redaction, Selection, Visibility, visibility};

use crate::failure::Failure;
use volery::web::disclosure::words::{is_same, name_of};

/// Checks that each named part belongs to one of `count` requests or responses.
pub(super) fn check_rounds(selection: &Selection, count: usize) -> Result<(), Failure> {
    let hidden = selection.hide.iter().map(|Redaction { side, round, part, .. }| (*side, *round, part));
    let shown = selection.reveal.iter().map(|MessagePart { side, round, part }| (*side, *round, part));
    let beyond = hidden.chain(shown).find(|(_, round, _)| *round >= count);
    beyond.map_or(Ok(()), |(side, round, part)| {
        let requests =
            if count == 1 { "there is 1 request".into() } else { format!("there are {count} requests") };
        Err(Failure::input(format!("{} {part}: {requests}", name_of(side, round))))
    })
}

/// Checks that the header fields to hide, or to take values from, can be hidden.
pub(super) fn check_names(selection: &Selection) -> Result<(), Failure> {
    for Redaction { side, round, part, .. } in &selection.hide {
        let reason = match part {
            Part::Header(name) => match visibility(*side, name) {
                Visibility::AlwaysShown => "this field says how to read the message, so it always shows",
                Visibility::Unknown => "nobody knows what servers do with this field, so it cannot be hidden",
                Visibility::Secret | Visibility::Hideable => continue,
            },
            _ => continue,
        };
        return Err(Failure::input(format!("{} {part}: {reason}", name_of(*side, *round))));
    }
    let shows = |taken: &&MessagePart| match &taken.part {
        Part::Header(name) => visibility(taken.side, name) == Visibility::AlwaysShown,
        _ => false,
    };
    let unnamed = |taken: &&MessagePart| {
        let hide = Redaction { round: taken.round, ..Redaction::new(taken.side, taken.part.clone()) };
        !selection.reveal.iter().any(|shown| is_same(&hide, shown))
    };
    if let Some(MessagePart { side, round, part: Part::Header(name) }) =
        selection.taken.iter().filter(shows).find(unnamed)
    {
        let (message, name) = (name_of(*side, *round), name.escape_debug());
        return Err(Failure::input(format!(
            "{{{{{message}.header:{name}|...}}}}: this field says how the response is to be read, so it always shows; if what a request takes \
             from it is no secret: --reveal {message}.header:{name} (which hides everything that you do not reveal)"
        )));
    }
    Ok(())
}

/// Checks that nothing is hidden of a body that some servers do not read as a body.
pub(super) fn check_body(selection: &Selection, round: usize, method: &str) -> Result<(), Failure> {
    let of_body = |side: Side, at: usize, part: &Part| {
        (side, at) == (Side::Client, round) && matches!(part, Part::Body | Part::Json(_))
    };
    // Only the body's parser knows which values are all of it.
    let shown = selection.reveal.iter().any(|shown| of_body(shown.side, shown.round, &shown.part));
    let hidden = selection.hide.iter().any(|hide| of_body(hide.side, hide.round, &hide.part));
    if shown && !hidden {
        return Ok(());
    }
    let (method, request) = (method.escape_debug(), name_of(Side::Client, round));
    Err(Failure::input(format!(
        "the body of a {method} request cannot be hidden, since some servers ignore it: only those of POST, PUT and PATCH can; if it is no \
         secret: --reveal {request}.body (which hides everything that you do not reveal)"
    )))
}

/// Checks that no target is hidden, wholly or in part, of a request that others are sent behind at once.
/// `query` tells whether the target has a query.
pub(super) fn check_target(selection: &Selection, round: usize, query: bool) -> Result<(), Failure> {
    let named = |parts: &[MessagePart], part: &Part| {
        parts.iter().any(|named| (named.side, named.round, &named.part) == (Side::Client, round, part))
    };
    let hides = |part: &Part| {
        selection.hide.iter().any(|hide| (hide.side, hide.round, &hide.part) == (Side::Client, round, part))
    };
    let path =
        hides(&Part::Path) || named(&selection.taken, &Part::Path) && !named(&selection.reveal, &Part::Path);
    // A parameter that is hidden in a shown query is hidden.
    let hides_parameter = selection.hide.iter().any(|hide| {
        (hide.side, hide.round) == (Side::Client, round) && matches!(hide.part, Part::Parameter(_))
    });
    let query = query && (hides(&Part::Query) || hides_parameter || !named(&selection.reveal, &Part::Query));
    let hidden = if path {
        "path"
    } else if query {
        "query"
    } else {
        return Ok(());
    };
    let request = name_of(Side::Client, round);
    Err(Failure::input(format!(
        "{request}.{hidden}: when requests are sent at once, all targets except the last must show: --reveal {request}.{hidden} (which hides \
         everything that you do not reveal), or leave out --pipelined"
    )))
}

/// Checks that each header field of a request can be hidden, or always shows, or is revealed by the user.
/// Other fields would end the session after everything was sent.
pub(super) fn check_fields<'a>(
    selection: &Selection,
    round: usize,
    names: impl Iterator<Item = &'a str>,
) -> Result<(), Failure> {
    for name in names.filter(|name| visibility(Side::Client, name) == Visibility::Unknown) {
        let hide = Redaction { round, ..Redaction::new(Side::Client, Part::Header(name.into())) };
        if !selection.reveal.iter().any(|shown| is_same(&hide, shown)) {
            let (name, request) = (name.escape_debug(), name_of(Side::Client, round));
            return Err(Failure::input(format!(
                "header field `{name}`: nobody knows what servers do with it, so it cannot be hidden; if it is no secret, \
                 show it: --reveal {request}.header:{name} (which hides everything that you do not reveal)"
            )));
        }
    }
    Ok(())
}

/// Checks that none of these header fields, which have values of earlier responses, always shows, unless the
/// user reveals it.
pub(super) fn check_filled(selection: &Selection, round: usize, names: &[&str]) -> Result<(), Failure> {
    for name in names.iter().filter(|name| visibility(Side::Client, name) == Visibility::AlwaysShown) {
        let hide = Redaction { round, ..Redaction::new(Side::Client, Part::Header((*name).into())) };
        if !selection.reveal.iter().any(|shown| is_same(&hide, shown)) {
            let (name, request) = (name.escape_debug(), name_of(Side::Client, round));
            return Err(Failure::input(format!(
                "header field `{name}`: it always shows, and has a value of an earlier response; if that is no secret: --reveal \
                 {request}.header:{name} (which hides everything that you do not reveal)"
            )));
        }
    }
    Ok(())
}

/// Checks that no value of a request's JSON body is named, since the names of its members show then.
pub(super) fn check_body_names(selection: &Selection, round: usize) -> Result<(), Failure> {
    check_shown_names(selection, round, "body", |part| matches!(part, Part::Json(_)))
}

/// Checks that no parameter of a request's query is named, since the names of all show then.
pub(super) fn check_query_names(selection: &Selection, round: usize) -> Result<(), Failure> {
    check_shown_names(selection, round, "query", |part| matches!(part, Part::Parameter(_)))
}

/// Whether the names of a query's parameters show.
pub(super) fn shows_query_names(selection: &Selection, round: usize) -> bool {
    check_query_names(selection, round).is_err()
}

/// Checks that no part of a request is named that shows the names beside it.
fn check_shown_names(
    selection: &Selection,
    round: usize,
    whole: &str,
    shows: impl Fn(&Part) -> bool,
) -> Result<(), Failure> {
    let revealed = selection.reveal.iter().map(|shown| (shown.side, shown.round, &shown.part));
    let hidden = selection.hide.iter().map(|hide| (hide.side, hide.round, &hide.part));
    let named =
        revealed.chain(hidden).find(|(side, at, part)| (*side, *at) == (Side::Client, round) && shows(part));
    named.map_or(Ok(()), |(_, _, part)| {
        Err(Failure::input(format!(
            "{} {part}: if it is revealed or hidden alone, the names in this {whole} show, and one of them has a value of an earlier response",
            name_of(Side::Client, round)
        )))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery::web::disclosure::words::parse;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn a_field_that_may_change_what_is_asked_for_is_sent_only_if_it_is_shown() {
        let selection =
            |revealed: &[&str]| parse(&[], &[], &[], Some(&words(revealed)), Vec::new()).expect("sound");
        let names = || ["Cookie", "Content-Type", "X-Original-URL"].into_iter();
        assert!(check_fields(&selection(&[]), 0, names().take(2)).is_ok());
        let refused = check_fields(&selection(&[]), 1, names()).expect_err("it is not known");
        assert!(refused.to_string().contains("--reveal request2.header:X-Original-URL"), "{refused}");
        assert!(check_fields(&selection(&["request.header:x-original-url"]), 0, names()).is_ok());
        assert!(check_fields(&selection(&["request.header:x-original-url"]), 1, names()).is_err());
    }
}
