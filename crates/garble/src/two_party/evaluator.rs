//! The evaluator (V): supplies its inputs, evaluates each call, and checks at the end that P was honest.

mod outputs;

use volery_channel::{Channel, tags};
use volery_field::{F2, Gf128};
use volery_vole::correlations::Pool;
use volery_vole::{Delta, Prg, SessionId};
use zeroize::{Zeroize, Zeroizing};

use super::beside::{Beside, TABLES_AHEAD};
use super::deferred::{Deferred, FromChannel};
use super::products::Pads;
use super::program::{Input, Owner, Program, Step, Wire};
use super::public::PublicLabels;
use super::{Garbling, LABEL, Settings, bits, masked, same_length, start_point};
use crate::decoding::Decoding;
use crate::gates::{ActiveWire, GateEvaluator, TableSource, ThreeHalves};
use crate::{Error, Function, Shape};

/// V: evaluates, decodes, and verifies at the end.
///
/// As with [`Garbler`](super::Garbler), the channel is lent to each call, and any error ends the session. The
/// results of [`Evaluator::public`] and [`Evaluator::shared`] are P's claims until [`Evaluator::verify`]
/// returns `Ok`.
pub struct Evaluator<F> {
    pub(super) program: Program<F>,
    /// The label that V has of each wire; zero until it has one.
    pub(super) active: Zeroizing<Vec<Gf128>>,
    pub(super) delta: Delta,
    start: [u8; 16],
    /// The number of the next pair of hash keys.
    keys: u64,
    /// Tables of calls whose inputs have not come, by step.
    deferred: Deferred,
    /// Keys under delta.
    pub(super) commitments: Pool,
    /// Labels of random bits, for V's inputs.
    labels: Pool,
    pub(super) decoding: Decoding,
    /// This party's labels of masks.
    mask_labels: Prg,
    pub(super) pads: Pads,
    public_labels: PublicLabels,
    pub(super) settings: Settings,
    /// The progress of making `commitments` beside tables.
    beside: Beside,
    /// The approximate number of commitments of the proof's further claims.
    pub(super) claimed: u64,
    over: bool,
}

impl<F: Function> Evaluator<F> {
    /// The evaluator of a session; see [`Garbler::new`](super::Garbler::new). `labels` come from
    /// [`evaluator_labels`](super::evaluator_labels). `commitments` are keys under `delta` from a
    /// [`cot::Verifier`](volery_vole::cot::Verifier).
    pub fn new(
        session: &SessionId,
        settings: Settings,
        labels: Pool,
        (delta, commitments): (Delta, Pool),
    ) -> Self {
        Self {
            program: Program::new(&settings),
            active: Zeroizing::new(Vec::new()),
            delta,
            start: start_point(session),
            keys: 0,
            deferred: Deferred::new(settings.stored_tables),
            commitments,
            labels,
            decoding: Decoding::new(session),
            mask_labels: super::mask_labels(session),
            pads: Pads::new(session),
            public_labels: PublicLabels::new(session, settings.garbling),
            settings,
            beside: Beside::default(),
            claimed: 0,
            over: false,
        }
    }

    /// See [`Garbler::input`](super::Garbler::input).
    ///
    /// # Errors
    /// As there.
    pub fn input(&mut self, channel: &mut dyn Channel, owner: Owner, n: usize) -> Result<Input, Error> {
        self.guarded(channel, |v, channel| v.try_input(channel, owner, n))
    }

    fn try_input(&mut self, channel: &mut dyn Channel, owner: Owner, n: usize) -> Result<Input, Error> {
        let mut secrets = Zeroizing::new(vec![Gf128::ZERO; n]);
        match owner {
            Owner::Prover => self.commitments.fill(channel, &mut secrets)?,
            Owner::Verifier => {
                self.labels.expect(Some(n as u64));
                self.labels.fill(channel, &mut secrets)?;
            }
            Owner::Both => secrets.clear(),
        }
        let input = self.program.input(owner, n, secrets)?;
        self.append(n);
        Ok(input)
    }

    /// Supplies V's own input bits, which P does not learn before the proof.
    ///
    /// # Errors
    /// [`Error::Misuse`] unless `input` is V's and `bits` has one bit for each of its wires; the channel's
    /// errors.
    pub fn give(&mut self, channel: &mut dyn Channel, input: Input, bits: &[F2]) -> Result<(), Error> {
        self.guarded(channel, |v, channel| {
            let record = v.program.owned(&input, Owner::Verifier)?;
            same_length(bits.len(), record.len)?;
            let corrections = masked(bits, &record.secrets);
            channel.send(tags::GARBLED_CORRECTIONS, &corrections)?;
            let random = std::mem::take(&mut record.secrets);
            v.decoding.absorb(&corrections);
            v.receive_labels(channel, &input)?;
            for (wire, random) in input.wires().iter().zip(random.iter()) {
                if let Some(label) = v.active.get_mut(wire.index()) {
                    *label += *random;
                }
            }
            v.deliver(&input, Some(bits))
        })
    }

    /// Receives P's commitment to its input bits, and their labels.
    ///
    /// # Errors
    /// [`Error::Misuse`] unless `input` is P's; [`Error::Malformed`]; the channel's errors.
    pub fn take(&mut self, channel: &mut dyn Channel, input: Input) -> Result<(), Error> {
        self.guarded(channel, |v, channel| v.try_take(channel, &input))
    }

    fn try_take(&mut self, channel: &mut dyn Channel, input: &Input) -> Result<(), Error> {
        let record = self.program.owned(input, Owner::Prover)?;
        let mut message = vec![0; record.len.div_ceil(8)];
        channel.recv_exact(tags::GARBLED_COMMITMENTS, &mut message)?;
        let masked = bits(tags::GARBLED_COMMITMENTS, &message, record.len)?;
        // A masked bit of one adds delta + 1: its tag stays even-keyed, with the bit in its lowest place.
        let one = self.delta.expose() + Gf128::ONE;
        record.secrets.iter_mut().zip(masked).for_each(|(key, d)| *key += one * d);
        self.receive_labels(channel, input)?;
        self.deliver(input, None)
    }

    /// See [`Garbler::give_public`](super::Garbler::give_public).
    ///
    /// # Errors
    /// [`Error::Misuse`] unless `input` is both parties' and `bits` has one bit for each of its wires; the
    /// channel's errors.
    pub fn give_public(&mut self, channel: &mut dyn Channel, input: Input, bits: &[F2]) -> Result<(), Error> {
        self.guarded(channel, |v, channel| {
            let record = v.program.owned(&input, Owner::Both)?;
            same_length(bits.len(), record.len)?;
            let first = record.first;
            let mut message = Zeroizing::new(vec![0; v.public_labels.message_bytes(bits)]);
            channel.recv_exact(tags::GARBLED_LABELS, &mut message)?;
            v.decoding.absorb(&message);
            set(&mut v.active, first, &v.public_labels.decode(first, bits, &message))?;
            v.deliver(&input, Some(bits))
        })
    }

    fn receive_labels(&mut self, channel: &mut dyn Channel, input: &Input) -> Result<(), Error> {
        let mut message = Zeroizing::new(vec![0; LABEL * input.wires().len()]);
        channel.recv_exact(tags::GARBLED_LABELS, &mut message)?;
        self.decoding.absorb(&message);
        for (wire, label) in input.wires().iter().zip(message.as_chunks().0) {
            if let Some(active) = self.active.get_mut(wire.index()) {
                *active = Gf128::from_bytes(*label);
            }
        }
        Ok(())
    }

    /// Called when the values of an input have come: evaluates the calls that waited for them.
    fn deliver(&mut self, input: &Input, bits: Option<&[F2]>) -> Result<(), Error> {
        self.program.deliver(input, bits.map(|bits| Zeroizing::new(bits.to_vec())))?;
        for number in self.program.advance() {
            let (first, tables) = self.deferred.take(number)?;
            let Some(Step::Call { function, inputs, outputs }) = self.program.steps().get(number) else {
                return Err(Error::misuse("a waiting step is not a call"));
            };
            let mut source = &tables[..];
            let hash = (self.settings.garbling, self.start, first);
            let (labels, _) = evaluate(function, &self.active, inputs, hash, &mut source)?;
            set(&mut self.active, outputs.start, &labels)?;
        }
        Ok(())
    }

    /// Evaluates `function` on these wires, or stores the tables until all inputs that they depend on have
    /// come.
    ///
    /// # Errors
    /// The function's own; [`Error::Misuse`] for a wire of another session; [`Error::Limit`] if too many
    /// tables wait; [`Error::Malformed`]; the channel's errors.
    pub fn call(
        &mut self,
        channel: &mut dyn Channel,
        function: F,
        inputs: &[Wire],
    ) -> Result<Vec<Wire>, Error> {
        self.guarded(channel, |v, channel| v.try_call(channel, function, inputs))
    }

    fn try_call(
        &mut self,
        channel: &mut dyn Channel,
        function: F,
        inputs: &[Wire],
    ) -> Result<Vec<Wire>, Error> {
        self.program.check(inputs)?;
        let shape = Shape::of(&function, inputs.len())?;
        let garbling = self.settings.garbling;
        let count = garbling.tables(shape.ands, shape.s_boxes);
        let beside = (&mut self.beside, &mut self.commitments);
        let mut tables = FromChannel::new((channel, &mut self.decoding), beside, count, garbling);
        let first = self.keys;
        let pairs = garbling.pairs(shape.ands, shape.s_boxes);
        let end = pairs.and_then(|pairs| first.checked_add(pairs));
        self.keys = end.ok_or_else(|| Error::misuse("more gates than the hash has keys for"))?;
        if !inputs.iter().all(|wire| self.program.is_ready(*wire)) {
            self.deferred.store(self.program.steps().len(), first, tables)?;
            let wires = self.program.call((function, shape.s_boxes), inputs, shape.outputs)?;
            self.append(wires.len());
            return Ok(wires);
        }
        let hash = (garbling, self.start, first);
        let (labels, keys) = evaluate(&function, &self.active, inputs, hash, &mut tables)?;
        if keys != self.keys || labels.len() != shape.outputs {
            return Err(Error::misuse("a function does not make the same calls each time it runs"));
        }
        let wires = self.program.call((function, shape.s_boxes), inputs, labels.len())?;
        super::grow(&mut self.active, &labels);
        Ok(wires)
    }

    pub(super) fn labels_of(&self, wires: &[Wire]) -> Zeroizing<Vec<Gf128>> {
        let label = |wire: &Wire| self.active.get(wire.index()).copied().unwrap_or_default();
        Zeroizing::new(wires.iter().map(label).collect())
    }

    /// Appends the wires of the program's last step, still without labels.
    fn append(&mut self, n: usize) {
        super::grow(&mut self.active, &vec![Gf128::ZERO; n]);
    }

    /// See [`Garbler::keys`](super::Garbler::keys).
    #[must_use]
    pub(crate) fn keys(&self) -> u64 {
        self.keys
    }

    /// See [`Garbler::expect`](super::Garbler::expect).
    pub fn expect(&mut self, commitments: u64) {
        self.claimed = commitments;
    }

    /// See [`Garbler::prepare_beside`](super::Garbler::prepare_beside).
    pub fn prepare_beside(&mut self, end: u64) {
        self.prepare_beside_after(TABLES_AHEAD, end);
    }

    /// Does the same beside the tables after the next `tables`. Both parties must pass the same numbers.
    pub(super) fn prepare_beside_after(&mut self, tables: u64, end: u64) {
        self.beside = Beside::until(&self.commitments, tables, end);
    }

    /// The keys under delta, for other protocols of the session. Both parties must take the same number
    /// between the same calls.
    pub fn commitments(&mut self) -> (&Delta, &mut Pool) {
        (&self.delta, &mut self.commitments)
    }

    /// Runs a step. If it fails or panics, the session is over.
    pub(super) fn guarded<T>(
        &mut self,
        channel: &mut dyn Channel,
        step: impl FnOnce(&mut Self, &mut dyn Channel) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if std::mem::replace(&mut self.over, true) {
            return Err(Error::misuse("the session is over"));
        }
        let result = step(self, channel);
        match &result {
            Ok(_) => self.over = false,
            Err(error) => {
                self.program = Program::new(&self.settings);
                self.active.zeroize();
                self.delta = Delta::from_element(Gf128::ZERO);
                self.commitments.burn();
                self.labels.burn();
                channel.fail(error.public_reason());
            }
        }
        result
    }
}

/// The state of the hash of gates: the way of garbling, the start point, the next pair of keys.
type Hash = (Garbling, [u8; 16], u64);

/// The labels of a function's outputs, and the number of the next pair of keys.
fn evaluate<F: Function>(
    function: &F,
    active: &[Gf128],
    inputs: &[Wire],
    (garbling, start, first): Hash,
    tables: &mut dyn TableSource,
) -> Result<(Zeroizing<Vec<Gf128>>, u64), Error> {
    let label = |wire: &Wire| ActiveWire::new(active.get(wire.index()).copied().unwrap_or_default());
    let wires = Zeroizing::new(inputs.iter().map(label).collect::<Vec<_>>());
    let gates = GateEvaluator::<ThreeHalves>::new(start, first, tables);
    let mut gates = gates.with_one_hot(garbling == Garbling::OneHot);
    let outputs = Zeroizing::new(function.run(&mut gates, &wires)?);
    let keys = gates.finish()?;
    Ok((Zeroizing::new(outputs.iter().map(ActiveWire::label).collect()), keys))
}

/// Sets the labels of wires that were appended before.
fn set(active: &mut [Gf128], first: usize, labels: &[Gf128]) -> Result<(), Error> {
    let place = active.get_mut(first..).and_then(|rest| rest.get_mut(..labels.len()));
    let place =
        place.ok_or_else(|| Error::misuse("a function does not make the same calls each time it runs"))?;
    place.copy_from_slice(labels);
    Ok(())
}
