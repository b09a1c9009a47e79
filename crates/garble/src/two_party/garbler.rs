//! The garbler (P): garbles each call, keeps the labels, and proves at the end that it was honest.

mod outputs;

use rand_core::CryptoRng;
use volery_channel::{Channel, tags};
use volery_field::{F2, Gf128};
use volery_vole::correlations::Pool;
use volery_vole::{Delta, Prg, SessionId};
use zeroize::{Zeroize, Zeroizing};

use super::beside::{Beside, TABLES_AHEAD};
use super::packing::packed;
use super::products::Pads;
use super::program::{Input, Owner, Program, Wire};
use super::public::PublicLabels;
use super::{Garbling, Settings, bits, encode_labels, masked, same_length, start_point};
use crate::decoding::Decoding;
use crate::gates::{GateGarbler, TableSink, ThreeHalves, ZeroWire};
use crate::{Error, Function};

/// P: garbles, commits, and proves at the end.
///
/// The channel is lent to each call, so that other protocols can run in between. After an error of any call
/// the session is over: the peer is told, all secrets are destroyed, and every later call fails.
pub struct Garbler<F> {
    pub(super) program: Program<F>,
    /// The label of 0 of each wire.
    pub(super) zeros: Zeroizing<Vec<Gf128>>,
    pub(super) offset: Delta,
    start: [u8; 16],
    /// The number of the next pair of hash keys. It never decreases: see [`gates`](crate::gates).
    keys: u64,
    random: Prg,
    /// V's labels of masks.
    mask_labels: Prg,
    pub(super) pads: Pads,
    public_labels: PublicLabels,
    /// Tags under V's delta.
    pub(super) commitments: Pool,
    /// Zero labels for V's inputs, once there are any.
    pub(super) labels: Option<Pool>,
    /// V's inputs that were announced before there were labels.
    pub(super) unlabelled: Vec<usize>,
    pub(super) decoding: Decoding,
    pub(super) settings: Settings,
    /// The progress of making `commitments` beside tables.
    beside: Beside,
    /// The approximate number of commitments of the proof's further claims.
    pub(super) claimed: u64,
    over: bool,
}

impl<F: Function> Garbler<F> {
    /// The garbler of a session.
    ///
    /// `labels` and `offset` come from [`GarblerLabels`](super::GarblerLabels). `commitments` are random tags
    /// under V's delta from a [`cot::Prover`](volery_vole::cot::Prover). `session` is the identifier that
    /// both parties gave their session, and both must have the same `settings.proof`. `rng` seeds the labels.
    pub fn new(
        session: &SessionId,
        settings: Settings,
        (offset, labels): (Delta, Pool),
        commitments: Pool,
        rng: &mut dyn CryptoRng,
    ) -> Self {
        Self { labels: Some(labels), ..Self::without_labels(session, settings, offset, commitments, rng) }
    }

    /// As [`Garbler::new`], before there are labels for V's inputs; [`Garbler::set_labels`] supplies them
    /// later. Until then only these have to wait for V: [`Garbler::take`], and calls that need correlations
    /// not made yet, which are P's own inputs and the tables beyond the first 160,000 after
    /// [`Garbler::prepare_beside`].
    pub fn without_labels(
        session: &SessionId,
        settings: Settings,
        offset: Delta,
        commitments: Pool,
        rng: &mut dyn CryptoRng,
    ) -> Self {
        let mut seed = Zeroizing::new([0; 16]);
        rng.fill_bytes(&mut *seed);
        Self {
            program: Program::new(&settings),
            zeros: Zeroizing::new(Vec::new()),
            offset,
            start: start_point(session),
            keys: 0,
            random: Prg::new(*seed),
            mask_labels: super::mask_labels(session),
            pads: Pads::new(session),
            public_labels: PublicLabels::new(session, settings.garbling),
            commitments,
            labels: None,
            unlabelled: Vec::new(),
            decoding: Decoding::new(session),
            settings,
            beside: Beside::default(),
            claimed: 0,
            over: false,
        }
    }

    /// Announces `n` input bits whose values come later, with [`Garbler::give`], [`Garbler::take`] or
    /// [`Garbler::give_public`]. This sends nothing, unless correlations have to be made.
    ///
    /// # Errors
    /// Any error of making correlations; [`Error::Limit`] from 2^23 wires on.
    pub fn input(&mut self, channel: &mut dyn Channel, owner: Owner, n: usize) -> Result<Input, Error> {
        self.guarded(channel, |p, channel| p.try_input(channel, owner, n))
    }

    fn try_input(&mut self, channel: &mut dyn Channel, owner: Owner, n: usize) -> Result<Input, Error> {
        let mut zeros = Zeroizing::new(vec![Gf128::ZERO; n]);
        self.random.blocks(&mut zeros);
        let secrets = match owner {
            Owner::Prover => self.tags(channel, n)?,
            // See `Garbler::label`.
            Owner::Verifier => zeros.clone(),
            Owner::Both => {
                let mut seeds = Zeroizing::new(vec![Gf128::ZERO; self.public_labels.seeds(n)]);
                self.random.blocks(&mut seeds);
                self.public_labels.expand(self.zeros.len(), &seeds, &mut zeros);
                seeds
            }
        };
        let input = self.program.input(owner, n, secrets)?;
        self.append(&zeros);
        if owner == Owner::Verifier {
            self.unlabelled.push(input.number);
            self.label(channel)?;
        }
        Ok(input)
    }

    /// The next `n` tags under V's delta.
    fn tags(&mut self, channel: &mut dyn Channel, n: usize) -> Result<Zeroizing<Vec<Gf128>>, Error> {
        let mut tags = Zeroizing::new(vec![Gf128::ZERO; n]);
        self.commitments.fill(channel, &mut tags)?;
        Ok(tags)
    }

    /// Commits to P's own input bits and sends their labels. It does not wait, and sends 16 bytes and one bit
    /// for each.
    ///
    /// # Errors
    /// [`Error::Misuse`] unless `input` is P's and `bits` has one bit for each of its wires; any error of
    /// sending.
    pub fn give(&mut self, channel: &mut dyn Channel, input: Input, bits: &[F2]) -> Result<(), Error> {
        self.guarded(channel, |p, channel| p.try_give(channel, &input, bits))
    }

    fn try_give(&mut self, channel: &mut dyn Channel, input: &Input, bits: &[F2]) -> Result<(), Error> {
        let record = self.program.owned(input, Owner::Prover)?;
        same_length(bits.len(), record.len)?;
        let commitment = masked(bits, &record.secrets);
        for (tag, bit) in record.secrets.iter_mut().zip(bits) {
            // m + d, with the bit in the lowest place.
            *tag += Gf128::from(tag.lsb() + *bit);
        }
        channel.send(tags::GARBLED_COMMITMENTS, &commitment)?;
        self.send_labels(channel, input, bits)?;
        self.deliver(input, Some(bits))
    }

    /// Gives V the labels of its input bits, which stay unknown to P. One round trip, 16 bytes for each bit.
    ///
    /// # Errors
    /// [`Error::Misuse`] unless `input` is V's; [`Error::Malformed`]; the channel's errors.
    pub fn take(&mut self, channel: &mut dyn Channel, input: Input) -> Result<(), Error> {
        self.guarded(channel, |p, channel| p.try_take(channel, &input))
    }

    fn try_take(&mut self, channel: &mut dyn Channel, input: &Input) -> Result<(), Error> {
        if self.unlabelled.contains(&input.number) {
            return Err(Error::misuse("V's input is taken before there are labels for it"));
        }
        let record = self.program.owned(input, Owner::Verifier)?;
        let mut message = vec![0; record.len.div_ceil(8)];
        channel.recv_exact(tags::GARBLED_CORRECTIONS, &mut message)?;
        self.decoding.absorb(&message);
        let corrections = bits(tags::GARBLED_CORRECTIONS, &message, record.len)?;
        let offset = self.offset.expose();
        let labels = record.secrets.iter().zip(&corrections).map(|(zero, d)| *zero + offset * *d);
        let answer = encode_labels(labels);
        self.decoding.absorb(&answer);
        channel.send(tags::GARBLED_LABELS, &answer)?;
        self.deliver(input, None)
    }

    /// Supplies public bits, which V supplies as well, to circuits that may have been garbled before. It does
    /// not wait, and sends 16 bytes for each bit, or fewer (see [`Garbling`]).
    ///
    /// # Errors
    /// As [`Garbler::give`]. If the parties supply different bits, the next output shows it
    /// ([`Error::Diverged`]), or V finds a message of another length.
    pub fn give_public(&mut self, channel: &mut dyn Channel, input: Input, bits: &[F2]) -> Result<(), Error> {
        self.guarded(channel, |p, channel| {
            let record = p.program.owned(&input, Owner::Both)?;
            same_length(bits.len(), record.len)?;
            let seeds = std::mem::take(&mut record.secrets);
            let labels = p.public_labels.encode(bits, &p.labels_of(&input, bits), &seeds);
            p.decoding.absorb(&labels);
            channel.send(tags::GARBLED_LABELS, &labels)?;
            p.deliver(&input, Some(bits))
        })
    }

    fn send_labels(&mut self, channel: &mut dyn Channel, input: &Input, bits: &[F2]) -> Result<(), Error> {
        let labels = encode_labels(self.labels_of(input, bits).iter().copied());
        self.decoding.absorb(&labels);
        Ok(channel.send(tags::GARBLED_LABELS, &labels)?)
    }

    /// The labels of an input's bits.
    fn labels_of(&self, input: &Input, bits: &[F2]) -> Zeroizing<Vec<Gf128>> {
        let offset = self.offset.expose();
        let wires = input.wires().iter().zip(bits);
        Zeroizing::new(wires.map(|(wire, bit)| self.zero(*wire) + offset * *bit).collect())
    }

    fn deliver(&mut self, input: &Input, bits: Option<&[F2]>) -> Result<(), Error> {
        self.program.deliver(input, bits.map(|bits| Zeroizing::new(bits.to_vec())))?;
        self.program.advance();
        Ok(())
    }

    /// Garbles `function` on these wires and sends the tables, 24.4 bytes for each AND (see
    /// [`Garbling`]). Returns its output wires. The values need not have come.
    ///
    /// # Errors
    /// The function's own; [`Error::Misuse`] for a wire of another session; any error of sending.
    pub fn call(
        &mut self,
        channel: &mut dyn Channel,
        function: F,
        inputs: &[Wire],
    ) -> Result<Vec<Wire>, Error> {
        self.guarded(channel, |p, channel| p.try_call(channel, function, inputs))
    }

    fn try_call(
        &mut self,
        channel: &mut dyn Channel,
        function: F,
        inputs: &[Wire],
    ) -> Result<Vec<Wire>, Error> {
        self.program.check(inputs)?;
        let wires =
            Zeroizing::new(inputs.iter().map(|wire| ZeroWire::new(self.zero(*wire))).collect::<Vec<_>>());
        let (zeros, s_boxes) = self.garble(channel, &function, &wires)?;
        let wires = self.program.call((function, s_boxes), inputs, zeros.len())?;
        self.append(&zeros);
        Ok(wires)
    }

    /// The output wires' labels of 0, and the number of S-boxes.
    fn garble(
        &mut self,
        channel: &mut dyn Channel,
        function: &F,
        wires: &[ZeroWire],
    ) -> Result<(Zeroizing<Vec<Gf128>>, u64), Error> {
        let (pool, beside, decoding) = (&mut self.commitments, &mut self.beside, &mut self.decoding);
        let garbling = self.settings.garbling;
        let mut tables = ToChannel { channel, pool, beside, decoding, garbling, room: Vec::new() };
        let garbler = GateGarbler::<ThreeHalves>::new(&self.offset, self.start, self.keys, &mut tables);
        let mut garbler = garbler.with_one_hot(garbling == Garbling::OneHot);
        let outputs = Zeroizing::new(function.run(&mut garbler, wires)?);
        let s_boxes = garbler.s_boxes();
        self.keys = garbler.finish()?;
        channel.flush()?;
        Ok((Zeroizing::new(outputs.iter().map(ZeroWire::label).collect()), s_boxes))
    }

    /// The label of 0; wires of this session have one.
    pub(super) fn zero(&self, wire: Wire) -> Gf128 {
        self.zeros.get(wire.index()).copied().unwrap_or_default()
    }

    /// Appends the wires of the program's last step.
    fn append(&mut self, zeros: &[Gf128]) {
        super::grow(&mut self.zeros, zeros);
    }

    /// The number of pairs of hash keys used so far: one for each half gate, two for each AND of three
    /// halves, 16 for the ciphertexts of an S-box that is garbled one-hot.
    #[must_use]
    pub(crate) fn keys(&self) -> u64 {
        self.keys
    }

    /// Announces the approximate number of commitments that the proof's further claims make, so that enough
    /// correlations are made at once. V must announce the same number.
    pub fn expect(&mut self, commitments: u64) {
        self.claimed = commitments;
    }

    /// From now on, makes correlations of [`Garbler::commitments`] up to number `end` (counted from the first
    /// one ever taken) while tables of calls are sent, beginning after the first 160,000 tables. V must pass
    /// the same number at the same place.
    pub fn prepare_beside(&mut self, end: u64) {
        self.prepare_beside_after(TABLES_AHEAD, end);
    }

    /// Does the same beside the tables after the next `tables`. Both parties must pass the same numbers.
    pub(super) fn prepare_beside_after(&mut self, tables: u64, end: u64) {
        self.beside = Beside::until(&self.commitments, tables, end);
    }

    /// The tags under V's delta, for other protocols of the session. Both parties must take the same number
    /// between the same calls.
    pub fn commitments(&mut self) -> &mut Pool {
        &mut self.commitments
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
                self.zeros.zeroize();
                self.offset = Delta::from_element(Gf128::ZERO);
                self.commitments.burn();
                if let Some(labels) = &mut self.labels {
                    labels.burn();
                }
                channel.fail(error.public_reason());
            }
        }
        result
    }
}

/// Sends tables, and makes correlations after each message.
struct ToChannel<'a> {
    channel: &'a mut dyn Channel,
    pool: &'a mut Pool,
    beside: &'a mut Beside,
    decoding: &'a mut Decoding,
    garbling: Garbling,
    /// Room for a message.
    room: Vec<u8>,
}

impl TableSink for ToChannel<'_> {
    fn put(&mut self, tables: &[u8]) -> Result<(), Error> {
        if tables.is_empty() {
            return Ok(());
        }
        let message = packed(tables, &mut self.room);
        self.decoding.absorb(message);
        self.channel.send(tags::GARBLED_TABLES, message)?;
        self.beside.advance(self.channel, self.pool, tables.len() / self.garbling.table_bytes())
    }
}
