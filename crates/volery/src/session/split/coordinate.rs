//! The two coordinators: deal, wait, deal again what was lost, join.

use std::collections::BTreeMap;
use std::time::Duration;

use rand_core::CryptoRng;
use subtle::ConstantTimeEq as _;
use volery_channel::handshake::{Begin, Parameters};
use volery_channel::platform::Instant;
use volery_channel::{Channel, ChannelExt as _, Tag, tags};
use volery_zk::quicksilver::verdict;

use super::Layout;
use super::combine::{SEED, Sums};
use super::deal::{Place, ProverLot, VerifierLot};
use super::dealt::Dealt;
use super::worker::{Lost, Proved, Summary};
use super::workers::{Ended, MOST_ADDRESS, Workers};
use super::worth::Worth;
use crate::Error;
use crate::session::system::correlations::CorrelationSetup as _;
use crate::session::{Common, Prover, Verifier};

/// How a split statement is run. Both parties need the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How many workers may be lost in all. See the module's documentation for what they cost.
    pub retries: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { retries: 8 }
    }
}

/// What a split proof took at this party, and what it is worth.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What the proof of each shard took at its worker.
    pub shards: Vec<Summary>,
    /// Workers that were lost.
    pub lost: u32,
    /// Bits of soundness of the whole, with what the retries that were allowed cost.
    pub soundness_bits: f64,
    /// The time of the whole, from the coordinators' agreement to the verdict.
    pub time: Duration,
    /// The part of it that dealing took.
    pub dealing: Duration,
    /// The part of it that the join took.
    pub joining: Duration,
    /// Bytes that the coordinator sent.
    pub bytes_sent: u64,
    /// Bytes that it received.
    pub bytes_received: u64,
}

/// How often a coordinator that waits for its workers tells the other one that it is still there.
const HEARTBEAT: Duration = Duration::from_millis(if cfg!(test) { 50 } else { 1000 });

/// How long a coordinator that waits for nothing else listens to one that says only that it waits. It covers
/// the start of the other party's workers and the end of those whose peers have ended here.
const PATIENCE: Duration = Duration::from_secs(3600);

/// What a status says.
const WAITING: u8 = 0;
const DONE: u8 = 1;

/// Tells the other coordinator that this one is still there.
pub(super) fn say_waiting(channel: &mut dyn Channel) -> Result<(), Error> {
    channel.send(tags::SPLIT_STATUS, &[WAITING])?;
    Ok(channel.flush()?)
}

/// A split proof at one coordinator.
pub(super) struct Run<'l, M: Copy + Default> {
    pub(super) layout: &'l Layout,
    settings: Settings,
    /// The attempt that each shard is at.
    pub(super) attempts: Vec<u32>,
    pub(super) proved: BTreeMap<usize, Proved<M>>,
    /// By shard, what workers have answered under the seed that was drawn last.
    pub(super) sums: Option<Sums<M>>,
    /// How often the peer hears that this coordinator is there; [`HEARTBEAT`].
    pub(super) heartbeat: Duration,
    lost: u32,
    dealing: Duration,
}

impl<'l, M: Copy + Default> Run<'l, M> {
    pub(super) fn new(layout: &'l Layout, settings: Settings) -> Self {
        let attempts = vec![0; layout.shards().len()];
        Self {
            layout,
            settings,
            attempts,
            proved: BTreeMap::new(),
            sums: None,
            heartbeat: HEARTBEAT,
            lost: 0,
            dealing: Duration::ZERO,
        }
    }

    /// The places of a wave's workers.
    fn places<'s>(
        &'s self,
        wave: &'s [usize],
        common: &'s Common,
        seed: &'s [u8; 32],
    ) -> impl Iterator<Item = Place> + 's {
        wave.iter().filter_map(move |&shard| {
            let attempt = *self.attempts.get(shard)?;
            Some(Place::new(common.id, common.options, (u32::try_from(shard).ok()?, attempt), seed))
        })
    }

    /// Waits until all workers of a wave have ended; meanwhile the peer hears that this party is there.
    /// Afterwards the proved ones are kept, and no other.
    fn wait<L>(
        &mut self,
        wave: &[usize],
        ends_if_exposed: bool,
        workers: &mut dyn Workers<L, M>,
        channel: &mut dyn Channel,
    ) -> Result<(), Error> {
        let mut missing: Vec<usize> = wave.to_vec();
        while !missing.is_empty() {
            let Some(Ended { shard, attempt, result }) = workers.wait(self.heartbeat)? else {
                say_waiting(channel)?;
                continue;
            };
            let Some(at) = missing.iter().position(|n| *n == shard) else {
                return Err(Error::Split(format!("a worker of shard {shard} ended that nobody waits for")));
            };
            missing.swap_remove(at);
            match result {
                Ok(proved) => self.keep(shard, attempt, proved)?,
                Err(Lost::Failed(error)) => return Err(error),
                Err(lost) => {
                    let may_know = match &lost {
                        Lost::Connection { exposed, .. } => *exposed,
                        _ => true,
                    };
                    if ends_if_exposed && may_know {
                        return Err(Error::Split(format!(
                            "shard {shard}: {lost}; its verifier's answer may have told the prover the key of \
                             all shards, so the session ends: start again"
                        )));
                    }
                }
            }
        }
        Ok(())
    }

    /// Keeps what a worker brought, if it is what was asked for.
    fn keep(&mut self, shard: usize, attempt: u32, proved: Proved<M>) -> Result<(), Error> {
        let info = self.layout.shards().get(shard);
        let fits = info.is_some_and(|info| {
            proved.digest == info.digest
                && proved.has(info.boundary)
                && proved.shard as usize == shard
                && proved.attempt == attempt
                && self.attempts.get(shard) == Some(&attempt)
        });
        if !fits {
            return Err(Error::Split(format!(
                "the worker of shard {shard} proved something else: another program, another number of \
                 boundary wires than the layout says, or another attempt"
            )));
        }
        self.proved.insert(shard, proved);
        Ok(())
    }

    /// Tells the peer which workers of the wave are done, and hears it of the peer's. Returns the next wave:
    /// the shards that are lost at either party.
    pub(super) fn compare(&mut self, wave: &[usize], channel: &mut dyn Channel) -> Result<Vec<usize>, Error> {
        let mut ours = vec![0_u8; 1 + wave.len().div_ceil(8)];
        ours[0] = DONE;
        for (i, shard) in wave.iter().enumerate() {
            ours[1 + i / 8] |= u8::from(self.proved.contains_key(shard)) << (i % 8);
        }
        channel.send(tags::SPLIT_STATUS, &ours)?;
        let length = ours.len();
        let malformed = |reason: String| {
            let step = tags::SPLIT_STATUS;
            Error::from(volery_channel::Error::Malformed { step, reason })
        };
        let theirs = not_waiting(channel, tags::SPLIT_STATUS, length, PATIENCE)?;
        let theirs = match &theirs[..] {
            [DONE, theirs @ ..] if theirs.len() == length - 1 => theirs,
            other => {
                return Err(malformed(format!(
                    "{} bytes are no status of {} shards",
                    other.len(),
                    wave.len()
                )));
            }
        };
        if theirs.last().is_some_and(|last| !wave.len().is_multiple_of(8) && last >> (wave.len() % 8) != 0) {
            return Err(malformed("it names shards that the wave does not have".into()));
        }
        let mut next = Vec::new();
        for (i, &shard) in wave.iter().enumerate() {
            let theirs = theirs.get(i / 8).is_some_and(|byte| byte >> (i % 8) & 1 == 1);
            if !theirs || !self.proved.contains_key(&shard) {
                self.proved.remove(&shard);
                if let Some(attempt) = self.attempts.get_mut(shard) {
                    *attempt += 1;
                }
                next.push(shard);
            }
        }
        self.lost = self.lost.saturating_add(u32::try_from(next.len()).unwrap_or(u32::MAX));
        match self.lost > self.settings.retries {
            true => Err(Error::Split(format!(
                "{} workers were lost, and {} may be in a session: see why they are lost, or allow more",
                self.lost, self.settings.retries
            ))),
            false => Ok(next),
        }
    }

    /// Refuses a statement that claims nothing: no shard does, and no wires are equal.
    fn something_claimed(&self) -> Result<(), Error> {
        let shards: u64 = self.proved.values().map(|proved| proved.summary.claims).sum();
        match shards.saturating_add(self.layout.claims()) {
            0 => Err(volery_zk::Error::from(volery_circuit::Error::nothing_claimed()).into()),
            _ => Ok(()),
        }
    }
}

impl Common {
    /// The message by which the coordinators agree on the statement.
    fn begin_split<Y: Dealt>(
        &mut self,
        system: &Y,
        layout: &Layout,
        settings: Settings,
    ) -> Result<Begin, Error> {
        system.allow(&self.options, None)?;
        if settings.retries > Y::MOST_RETRIES {
            return Err(Error::Options(format!(
                "{} retries: each is one more try for a cheating prover, so {} may be allowed here",
                settings.retries,
                Y::MOST_RETRIES
            )));
        }
        self.enter()?;
        let parameters = system.parameters(&self.options, self.proofs, None)?;
        let parameters = agreed(parameters, settings, layout.shards().len(), Y::lot_len(&self.options)?)?;
        self.proofs += 1;
        Ok(Begin::new(layout.digest(), parameters))
    }
}

/// What coordinators have to agree on besides. Builds that deal lots of different lengths find it out here,
/// and not where a worker's correlations do not fit.
fn agreed(
    parameters: Parameters,
    settings: Settings,
    shards: usize,
    lot: usize,
) -> Result<Parameters, volery_channel::Error> {
    parameters.with("retries", settings.retries)?.with("shards", shards)?.with("lot", lot)
}

impl<C: Channel> Prover<C> {
    /// P's coordinator: has `workers` prove all shards of the statement that `layout` is of, and shows that
    /// they fit together. [`check`](super::check) the statement first.
    ///
    /// # Errors
    /// [`Error::Split`] if more workers are lost than `settings` allow; [`Error::Options`] for options that
    /// nothing can be split with; the errors of workers, and as [`Prover::prove`]. The session is over after
    /// any error.
    pub fn prove_split<Y: Dealt>(
        &mut self,
        system: Y,
        layout: &Layout,
        settings: Settings,
        workers: &mut dyn Workers<ProverLot<Y>, Y::Mac>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Outcome, Error> {
        let result = self.try_prove_split(&system, layout, settings, workers, rng);
        if result.is_err() {
            workers.stop();
        }
        self.conclude(result)
    }

    fn try_prove_split<Y: Dealt>(
        &mut self,
        system: &Y,
        layout: &Layout,
        settings: Settings,
        workers: &mut dyn Workers<ProverLot<Y>, Y::Mac>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Outcome, Error> {
        let (start, before) = (Instant::now(), self.channel.stats());
        let begin = self.common.begin_split(system, layout, settings)?;
        begin.send(&mut self.channel)?;
        let set_up = Y::Setup::start_prover(&mut self.side(), rng)?;
        begin.receive(&mut self.channel)?;
        Y::Setup::finish_prover(&mut self.side(), set_up, rng)?;
        let mut run = Run::new(layout, settings);
        let mut wave: Vec<usize> = (0..layout.shards().len()).collect();
        while !wave.is_empty() {
            let dealing = Instant::now();
            let seed = self.channel.recv_array(tags::SPLIT_DEAL)?;
            let n = Y::lot_len(&self.common.options)?;
            let places: Vec<Place> = run.places(&wave, &self.common, &seed).collect();
            for place in places {
                let shares = Y::deal_prover(&mut self.side(), n)?;
                workers.start(ProverLot { place, shares })?;
            }
            Y::settle_prover(&mut self.side())?;
            self.channel.flush()?;
            for shard in &wave {
                let address = receive_address(&mut self.channel)?;
                workers.reach(*shard, &address)?;
            }
            run.dealing += dealing.elapsed();
            run.wait(&wave, false, workers, &mut self.channel)?;
            wave = run.compare(&wave, &mut self.channel)?;
            if wave.is_empty() && layout.is_combined() {
                let seed = self.channel.recv_array(tags::SPLIT_COMBINE)?;
                wave = run.ask::<_, Y>(seed, workers, &mut self.channel)?;
            }
        }
        let joining = Instant::now();
        run.something_claimed()?;
        let chains = self.common.chains(&mut self.pool, &mut self.field, &mut self.channel)?;
        let hash = run.join::<Y>(&self.common, &chains)?;
        self.channel.send(tags::SPLIT_JOIN, &hash)?;
        verdict::receive(&mut self.channel)?;
        Ok(run.outcome::<Y>(start, joining, before, self.channel.stats()))
    }
}

impl<C: Channel> Verifier<C> {
    /// V's coordinator: has `workers` verify all shards of the statement that `layout` is of, and accepts all
    /// of them or none.
    ///
    /// # Errors
    /// As [`Prover::prove_split`]; [`Error::Proof`] with a rejection if a shard's proof is wrong, or if the
    /// shards do not fit together. Only `Ok` means that the statement is proved.
    pub fn verify_split<Y: Dealt>(
        &mut self,
        system: Y,
        layout: &Layout,
        settings: Settings,
        workers: &mut dyn Workers<VerifierLot<Y>, Y::Mac>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Outcome, Error> {
        let result = self.try_verify_split(&system, layout, settings, workers, rng);
        if result.is_err() {
            workers.stop();
        }
        self.conclude(result)
    }

    fn try_verify_split<Y: Dealt>(
        &mut self,
        system: &Y,
        layout: &Layout,
        settings: Settings,
        workers: &mut dyn Workers<VerifierLot<Y>, Y::Mac>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Outcome, Error> {
        let (start, before) = (Instant::now(), self.channel.stats());
        let begin = self.common.begin_split(system, layout, settings)?;
        begin.send(&mut self.channel)?;
        let set_up = Y::Setup::start_verifier(&mut self.side(), rng)?;
        begin.receive(&mut self.channel)?;
        Y::Setup::finish_verifier(&mut self.side(), set_up, rng)?;
        let mut run = Run::new(layout, settings);
        let mut wave: Vec<usize> = (0..layout.shards().len()).collect();
        while !wave.is_empty() {
            let dealing = Instant::now();
            let mut seed = [0; 32];
            rng.fill_bytes(&mut seed);
            self.channel.send(tags::SPLIT_DEAL, &seed)?;
            self.channel.flush()?;
            let n = Y::lot_len(&self.common.options)?;
            let places: Vec<Place> = run.places(&wave, &self.common, &seed).collect();
            for place in places {
                let (keys, delta) = Y::deal_verifier(&mut self.side(), n)?;
                workers.start(VerifierLot { place, keys, delta })?;
            }
            Y::settle_verifier(&mut self.side())?;
            for shard in &wave {
                let address = loop {
                    if let Some(address) = workers.address(*shard, HEARTBEAT)? {
                        break address;
                    }
                    self.channel.send(tags::SPLIT_MEET, &[WAITING])?;
                    self.channel.flush()?;
                };
                self.channel.send(tags::SPLIT_MEET, &[&[DONE], address.as_bytes()].concat())?;
                self.channel.flush()?;
            }
            run.dealing += dealing.elapsed();
            run.wait(&wave, Y::ANSWERS_TELL_DELTA, workers, &mut self.channel)?;
            wave = run.compare(&wave, &mut self.channel)?;
            if wave.is_empty() && layout.is_combined() {
                // All of V's workers have accepted, so all boundary wires are fixed.
                let mut drawn = [0; SEED];
                rng.fill_bytes(&mut drawn);
                self.channel.send(tags::SPLIT_COMBINE, &drawn)?;
                self.channel.flush()?;
                wave = run.ask::<_, Y>(drawn, workers, &mut self.channel)?;
            }
        }
        let joining = Instant::now();
        run.something_claimed()?;
        let chains = self.common.chains(&mut self.pool, &mut self.field, &mut self.channel)?;
        let ours = run.join::<Y>(&self.common, &chains)?;
        let theirs: [u8; 32] = self.channel.recv_array(tags::SPLIT_JOIN)?;
        let accepted = bool::from(ours.ct_eq(&theirs));
        // A prover that hung up changes nothing.
        let _ = verdict::send(&mut self.channel, accepted);
        if !accepted {
            let reason = "the shards do not fit together: boundary wires that should be equal are not";
            return Err(volery_zk::Error::Rejected { reason: reason.into() }.into());
        }
        Ok(run.outcome::<Y>(start, joining, before, self.channel.stats()))
    }
}

/// The peer's next message of this step that does not say that it waits. It may say that for `patience`.
fn not_waiting(
    channel: &mut dyn Channel,
    step: Tag,
    most: usize,
    patience: Duration,
) -> Result<Vec<u8>, Error> {
    let start = Instant::now();
    loop {
        let message = channel.recv(step, most)?;
        if message != [WAITING] {
            return Ok(message.to_vec());
        }
        if start.elapsed() >= patience {
            return Err(Error::Split(format!(
                "the other party's coordinator has waited for its workers for {patience:?}, and nothing here \
                 is missing: see why they do not come or end"
            )));
        }
    }
}

/// Where the peer's worker is reached.
fn receive_address(channel: &mut dyn Channel) -> Result<String, Error> {
    match not_waiting(channel, tags::SPLIT_MEET, 1 + MOST_ADDRESS, PATIENCE)?.as_slice() {
        [DONE, address @ ..] if address.iter().all(|byte| matches!(byte, b' '..=b'~')) => {
            Ok(address.iter().copied().map(char::from).collect())
        }
        _ => {
            let reason = "neither an address of printable characters nor that one is awaited".into();
            Err(volery_channel::Error::Malformed { step: tags::SPLIT_MEET, reason }.into())
        }
    }
}

impl<M: Copy + Default> Run<'_, M> {
    fn outcome<Y: Dealt>(
        self,
        start: Instant,
        joining: Instant,
        before: volery_channel::Stats,
        after: volery_channel::Stats,
    ) -> Outcome {
        let shards = self.proved.values().map(|proved| proved.summary.soundness_bits);
        let worth = Worth::of(shards, Y::size(), self.layout.is_combined(), self.settings.retries);
        Outcome {
            soundness_bits: worth.bits(),
            shards: self.proved.into_values().map(|proved| proved.summary).collect(),
            lost: self.lost,
            time: start.elapsed(),
            dealing: self.dealing,
            joining: joining.elapsed(),
            bytes_sent: after.bytes_sent - before.bytes_sent,
            bytes_received: after.bytes_received - before.bytes_received,
        }
    }
}

#[cfg(test)]
mod tests {
    use volery_channel::tags::SPLIT_STATUS;
    use volery_channel::{Limits, memory_pair};

    use super::*;

    /// The handshake compares all parameters.
    #[test]
    fn coordinators_agree_on_retries_shards_and_lots() {
        let settings = Settings { retries: 3 };
        let all = agreed(Parameters::new(), settings, 5, 7).expect("parameters");
        assert!(all.iter().eq([("lot", "7"), ("retries", "3"), ("shards", "5")]));
    }

    #[test]
    fn a_peer_that_only_waits_is_not_waited_for_without_end() {
        for (patience, done) in [(PATIENCE, true), (Duration::ZERO, false)] {
            let (mut ours, mut theirs) = memory_pair(&Limits::default());
            for message in [WAITING, WAITING, DONE] {
                theirs.send(SPLIT_STATUS, &[message]).expect("sent");
            }
            theirs.flush().expect("sent");
            let got = not_waiting(&mut ours, SPLIT_STATUS, 1, patience);
            assert!(if done {
                matches!(got, Ok(got) if got == [DONE])
            } else {
                matches!(got, Err(Error::Split(_)))
            });
        }
    }
}
