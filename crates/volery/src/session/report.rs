//! What a proof took, and what it is worth.

use std::time::Duration;

use volery_channel::Stats;
use volery_field::{F2, Gf128, Mac, Ring as _, Value};
use volery_zk::macncheese;
use volery_zk::quicksilver::Tally;
use volery_zk::soundness::{FieldSize, Mode, Soundness};

use super::Options;

/// What a proof took at this party, and what its acceptance is worth.
#[derive(Clone, Copy, Debug)]
pub struct Report {
    /// What the statement's program did; over a field, to elements.
    pub tally: Tally,
    /// What a program over bits and a field did to bits.
    pub bits: Tally,
    /// The names of the field of values and of that of MACs.
    pub fields: [&'static str; 2],
    /// With what probability V accepts a false statement, and why. At P it is what an honest V gets from this
    /// proof.
    pub soundness: Soundness,
    /// Correlations that the proof used: one for each secret and each multiplication, and what masks the
    /// checks.
    pub correlations: u64,
    /// The most branches of Mac'n'Cheese that ran at the same time.
    pub(super) at_once: u64,
    /// Time from the call to its return, set-up of the session not included.
    pub time: Duration,
    /// Bytes that this party sent for this proof.
    pub bytes_sent: u64,
    /// Bytes that it received.
    pub bytes_received: u64,
    /// Round trips of this proof.
    pub round_trips: u64,
}

/// What a proof counted.
pub struct Counted {
    tally: Tally,
    bits: Tally,
    fields: [&'static str; 2],
    soundness: Soundness,
    at_once: u64,
}

impl Counted {
    /// How much was claimed, in whatever kinds.
    pub(super) fn claims(&self) -> u64 {
        self.tally.claims().saturating_add(self.bits.claims())
    }

    /// A proof over bits.
    pub(super) fn bits(tally: Tally, options: &Options) -> Self {
        let mode = Mode::hashed(options.fiat_shamir);
        let soundness = Soundness::quicksilver(tally.checks(options.settings()), FieldSize::OVER_BITS, mode);
        Self { tally, bits: Tally::default(), fields: [F2::NAME, Gf128::NAME], soundness, at_once: 0 }
    }

    /// A proof over `F` with MACs in `M`.
    pub(super) fn over<F: Value, M: Mac<F>>(tally: Tally, options: &Options) -> Self {
        let mode = Mode::hashed(options.fiat_shamir);
        let checks = tally.checks_over_field(options.settings_over());
        let soundness = Soundness::quicksilver(checks, FieldSize::of::<F, M>(), mode);
        Self { tally, bits: Tally::default(), fields: [F::NAME, M::NAME], soundness, at_once: 0 }
    }

    /// A proof over bits and `F` with MACs in `M`.
    pub(super) fn mixed<F: Value, M: Mac<F>>([bits, tally]: [Tally; 2], options: &Options) -> Self {
        let mode = Mode::hashed(options.fiat_shamir);
        let (first, second) =
            (bits.checks(options.settings()), tally.checks_over_field(options.settings_over()));
        let soundness = Soundness::mixed::<F, M>(first, second, mode);
        Self { tally, bits, fields: [F::NAME, M::NAME], soundness, at_once: 0 }
    }

    /// A proof by Mac'n'Cheese between these fields, that of MACs of this `size`.
    pub(super) fn stacked(
        counted: macncheese::Tally,
        settings: macncheese::Settings,
        (fields, size): ([&'static str; 2], FieldSize),
        options: &Options,
    ) -> Self {
        let proof = macncheese::soundness::Proof::of(settings, &counted);
        let soundness = Soundness::mac_and_cheese(proof, size, Mode::hashed(options.fiat_shamir));
        let macncheese::Tally { secrets, multiplications, assertions, branches, at_once } = counted;
        let tally = Tally { secrets, multiplications, assertions, branches, ..Tally::default() };
        Self { tally, bits: Tally::default(), fields, soundness, at_once }
    }
}

impl Report {
    pub(super) fn new(
        counted: Counted,
        correlations: u64,
        time: Duration,
        before: Stats,
        after: Stats,
    ) -> Self {
        let Counted { tally, bits, fields, soundness, at_once } = counted;
        Self {
            tally,
            bits,
            fields,
            soundness,
            correlations,
            at_once,
            time,
            bytes_sent: after.bytes_sent - before.bytes_sent,
            bytes_received: after.bytes_received - before.bytes_received,
            round_trips: after.round_trips - before.round_trips,
        }
    }
}
