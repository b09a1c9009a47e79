//! Tests that wait for a clock and compute next to nothing: all at once, since one after the other they would
//! take a quarter of the suite's time.

use std::thread;

use crate::{arrivals, notary, operations, serve, websocket};

/// What is tested, and its name in a failure.
type Case = (&'static str, fn());

macro_rules! cases {
    ($($module:ident::$name:ident),* $(,)?) => {
        [$((concat!(stringify!($module), "::", stringify!($name)), $module::$name as fn())),*]
    };
}

#[test]
fn what_waits_for_time_to_pass() {
    let mut cases: Vec<Case> = cases![
        operations::half_open_and_endless_health_checks_keep_nobody_from_an_answer,
        serve::a_session_over_its_time_ends_while_others_go_on,
        notary::a_client_has_its_share_of_a_notary_and_all_is_counted,
        arrivals::a_listening_party_gives_up_when_its_own_time_is_over_and_says_who_came,
        operations::sessions_that_do_not_end_are_ended_when_the_time_is_over,
        serve::silent_clients_occupy_no_slot_and_are_dropped_after_the_time_to_connect,
        arrivals::more_silent_connections_than_are_heard_at_once_do_not_keep_the_prover_out,
        arrivals::strays_do_not_end_a_verifier_that_waits_for_one_prover,
        arrivals::strays_do_not_end_the_making_of_correlations,
        arrivals::strays_do_not_end_a_prover_that_waits_for_one_verifier,
        websocket::a_request_or_a_message_that_never_ends_takes_no_longer_than_the_time_to_connect,
    ]
    .into();
    #[cfg(target_os = "linux")]
    {
        use crate::load;
        cases.extend(cases![
            load::a_client_that_is_silent_at_its_turn_loses_its_slot,
            load::clients_that_trickle_their_first_message_are_dropped,
        ]);
    }
    let failed: Vec<_> = thread::scope(|scope| {
        let running: Vec<_> = cases.iter().map(|(name, case)| (name, scope.spawn(case))).collect();
        running.into_iter().filter_map(|(name, case)| case.join().err().map(|_| *name)).collect()
    });
    assert!(failed.is_empty(), "failed, for reasons above: {failed:?}");
}
