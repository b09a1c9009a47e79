//! Where a generator is left between V's answer and the verdict.

use std::sync::atomic::{AtomicBool, Ordering};

use volery_field::Ring as _;

use super::*;

/// Whether V has sent an answer.
static ANSWERED: AtomicBool = AtomicBool::new(false);

/// P shows another sum of coefficients: V's answer then tells it delta.
fn other_sum(tag: Tag, payload: &mut Vec<u8>) {
    if tag == tags::SUBFIELD_CHECK {
        let start = payload.len() - 32 - F61::BYTES;
        let sum = F61::decode(&payload[start..][..F61::BYTES]).unwrap() + F61::ONE;
        sum.encode(&mut payload[start..][..F61::BYTES]).unwrap();
    }
}

fn note_answers(tag: Tag, _: &mut Vec<u8>) {
    ANSWERED.fetch_or(tag == tags::SUBFIELD_ANSWER, Ordering::SeqCst);
}

#[test]
fn v_is_never_done_after_an_answer_that_told_p_delta() {
    let stage = PLAN.extension;
    let (mut before, mut between) = (0, 0);
    for n in
        (1..=4).flat_map(|quarter| [quarter * stage / 4 - 1, quarter * stage / 4, quarter * stage / 4 + 1])
    {
        ANSWERED.store(false, Ordering::SeqCst);
        let taps: [fn(Tag, &mut Vec<u8>); 2] = [other_sum, note_answers];
        let run = run::<F61, F61>(PLAN, n, [1, 1], taps);
        let answered = ANSWERED.load(Ordering::SeqCst);
        assert_eq!(run.v.is_err(), answered, "{n}: {:?}", run.v.err());
        before += usize::from(!answered);
        between += usize::from(answered && n <= stage);
    }
    // Both happened, the latter where the stage's end, which gives the verdict by itself, is not reached.
    assert!(before > 3 && between > 1, "{before} {between}");
}

#[test]
fn settling_early_changes_no_correlation() {
    for n in [200, 255, 256, 300] {
        holds(&run::<F61, F61>(PLAN, n, [1, 3], [untouched; 2]));
    }
}
