//! Regular expressions as automata with few states.
//!
//! `regex-automata` reads the expression and makes the smallest deterministic automaton for it. Its states
//! are then ordered by a walk from the first state, so both parties have the same automaton whatever the
//! library's numbering. An expression is another party's text, so its length, its nesting and each of the
//! library's steps are bounded.

use std::collections::VecDeque;

use regex_automata::dfa::{Automaton as _, StartKind, dense};
use regex_automata::nfa::thompson;
use regex_automata::util::primitives::StateID;
use regex_automata::util::{start, syntax};
use regex_automata::{Anchored, MatchKind};
use volery_circuit::Error;

use super::automaton::{Automaton, MAX_STATES, State};

/// The most bytes of each of the library's structures.
const MAX_MEMORY: usize = 1 << 17;
/// The deepest nesting of an expression.
const MAX_NESTING: u32 = 32;

/// The automaton of a regular expression that describes whole strings of bytes. `\d`, `\w`, `\s` and cases
/// are ASCII's; a point is any byte except a line end.
///
/// # Errors
/// [`Error::Public`] if it is not a regular expression, or its automaton has more than [`MAX_STATES`] states.
pub(super) fn automaton(pattern: &str) -> Result<Automaton, Error> {
    let refuse = |reason: String| Error::Public(format!("the regular expression {pattern:?}: {reason}"));
    let config = dense::Config::new()
        .start_kind(StartKind::Anchored)
        .match_kind(MatchKind::All)
        .minimize(true)
        .accelerate(false)
        .dfa_size_limit(Some(MAX_MEMORY))
        .determinize_size_limit(Some(MAX_MEMORY));
    let dfa = dense::Builder::new()
        .configure(config)
        .syntax(syntax::Config::new().unicode(false).utf8(false).nest_limit(MAX_NESTING))
        .thompson(thompson::Config::new().utf8(false).nfa_size_limit(Some(MAX_MEMORY)))
        .build(pattern);
    let dfa = dfa.map_err(|error| refuse(reasons(&error)))?;
    let first = dfa.start_state(&start::Config::new().anchored(Anchored::Yes));
    let first = first.map_err(|error| refuse(error.to_string()))?;
    let states =
        walk(&dfa, first).ok_or_else(|| refuse(format!("it takes more than {MAX_STATES} states")))?;
    Automaton::new(&states)
}

/// An error with its causes.
fn reasons(error: &dyn core::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// The automaton's states in the order in which a walk from the first finds them; `None` if there are too
/// many.
fn walk(dfa: &dense::DFA<Vec<u32>>, first: StateID) -> Option<Vec<State>> {
    let mut known = vec![first];
    let mut waiting = VecDeque::from([first]);
    let mut states = Vec::new();
    while let Some(state) = waiting.pop_front() {
        // The library reports a match one byte late.
        let accepts = dfa.is_match_state(dfa.next_eoi_state(state));
        let mut next = [None; 256];
        for (byte, slot) in (0..=u8::MAX).zip(&mut next) {
            let to = dfa.next_state(state, byte);
            if dfa.is_dead_state(to) {
                continue;
            }
            let number = match known.iter().position(|other| *other == to) {
                Some(number) => number,
                None if known.len() == MAX_STATES => return None,
                None => {
                    known.push(to);
                    waiting.push_back(to);
                    known.len() - 1
                }
            };
            *slot = u8::try_from(number).ok();
        }
        states.push(State { accepts, next });
    }
    Some(states)
}
