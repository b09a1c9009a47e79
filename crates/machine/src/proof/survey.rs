//! P's first run, without a proof: what a run shows.

use volery_circuit::Error;
use zeroize::Zeroizing;

use super::buffers::room_for;
use super::profile::{Counts, Profile};
use super::settings::Settings;
use super::statement::RunClaim;
use super::trace::Source;

/// The error for a run that goes beyond its limits.
pub(super) fn limit(error: crate::emulator::Error) -> Error {
    Error::Witness(error.to_string())
}

/// What [`survey`] finds: the claim, the profile, and the words that become live.
pub(super) type Survey = (RunClaim, Profile, Zeroizing<Vec<u32>>);

/// Runs a program without proving. `live` words are in use from the start, and `most` may be at the end.
pub(super) fn survey(
    mut source: Source<'_>,
    (mut live, most): (u64, u64),
    settings: Settings,
) -> Result<Survey, Error> {
    let (mut profile, mut new_words) = (Profile::default(), Zeroizing::new(Vec::new()));
    let (mut new, mut entries) = (0_u64, 0_u64);
    loop {
        let (segment, end) = source.next(settings.steps, None).map_err(limit)?;
        let words = segment.words.len() as u32;
        let rows = segment.rows.map(|rows| rows.next_multiple_of(settings.unit));
        profile.segments.push(Counts { rows, words });
        room_for(&mut new_words, segment.fresh.len());
        new_words.extend_from_slice(&segment.fresh);
        (new, entries) = (new + segment.fresh.len() as u64, entries + u64::from(words));
        // Nothing that such a run does later makes it one that can be proved.
        if live + new > most {
            return Err(Error::Witness(format!(
                "the run uses more than {most} words of memory, those of the program's file among them; no proof \
                 holds more: let the program use less memory"
            )));
        }
        if end.is_some() || super::log::is_due(entries, live, settings.log) {
            profile.fresh.push(new);
            live += new;
            (new, entries) = (0, 0);
        }
        if let Some(end) = end {
            let journal = source.journal().to_vec();
            return Ok((RunClaim { end, journal }, profile, new_words));
        }
    }
}
