//! The log of all calls, at either party. The final proof goes through it again.

use std::ops::Range;

use volery_circuit::Digest;
use volery_field::{Element, F2, Gf128};
use zeroize::Zeroizing;

use super::Settings;
use super::products::Place;
use crate::function::commitments;
use crate::{Error, Function};

/// A bit of a session: an input, or an output of a call. It has the same number at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Wire(u32);

impl Wire {
    /// Its index among all wires.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The party that knows an input's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// Only P, which commits to them before V decodes anything.
    Prover,
    /// Only V, until it opens them for the proof.
    Verifier,
    /// Both, as a public value that is not known yet when circuits are garbled. Nothing is committed.
    Both,
}

/// Input bits that were announced and whose values are still to come. Values come once, so this is not `Copy`
/// or `Clone`.
#[derive(Debug)]
#[must_use = "an input whose values never come keeps all that depends on it from being evaluated"]
pub struct Input {
    pub(super) number: usize,
    wires: Vec<Wire>,
}

impl Input {
    /// Its wires.
    #[must_use]
    pub fn wires(&self) -> &[Wire] {
        &self.wires
    }
}

/// Random bits of P's that hide outputs from V when these are shared. P is committed to them, and V has their
/// labels. They are used once, so this is not `Copy` or `Clone`.
#[derive(Debug)]
pub struct Masks(pub(super) Input);

impl Masks {
    /// Their wires.
    #[must_use]
    pub fn wires(&self) -> &[Wire] {
        self.0.wires()
    }
}

/// Outputs whose decoding information was sent ahead, sealed. It is opened once, so this is not `Copy` or
/// `Clone`.
#[must_use = "sealed outputs that are never opened were prepared for nothing"]
pub struct Sealed {
    pub(super) wires: Vec<Wire>,
    pub(super) masks: Vec<Wire>,
    /// The number of the first bit.
    pub(super) first: u64,
    /// At P the key; at V the sealed information.
    pub(super) secret: Zeroizing<Vec<u8>>,
}

impl Sealed {
    /// The wires that it decodes.
    #[must_use]
    pub fn wires(&self) -> &[Wire] {
        &self.wires
    }

    /// The masks, if the wires will be shared; otherwise none.
    #[must_use]
    pub fn masks(&self) -> &[Wire] {
        &self.masks
    }
}

impl core::fmt::Debug for Sealed {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Sealed").field("bits", &self.wires.len()).finish_non_exhaustive()
    }
}

/// A party's record of input bits.
pub(super) struct InputRecord {
    pub(super) owner: Owner,
    pub(super) first: usize,
    pub(super) len: usize,
    /// For P's input: tags at P and keys at V, of random bits until the values come and of the values
    /// afterwards. For V's input: the zero labels of the corrections at P, the labels of random bits at V.
    /// For both parties' input: at P the seeds of its zero labels, if they have any.
    pub(super) secrets: Zeroizing<Vec<Gf128>>,
    /// The bits, if this party knows them.
    pub(super) values: Option<Zeroizing<Vec<F2>>>,
    pub(super) delivered: bool,
}

/// One of the calls of both parties.
pub(super) enum Step<F> {
    Input(usize),
    Call { function: F, inputs: Vec<Wire>, outputs: Range<usize> },
    Public { wires: Vec<Wire>, values: Vec<F2> },
    Shared { wires: Vec<Wire>, masks: Vec<Wire>, share: Zeroizing<Vec<F2>> },
}

/// The calls so far, and the wires that can be evaluated.
pub(super) struct Program<F> {
    steps: Vec<Step<F>>,
    inputs: Vec<InputRecord>,
    /// Whether every input that a wire depends on has come.
    ready: Vec<bool>,
    /// The steps of calls whose outputs are not ready, in order.
    waiting: Vec<usize>,
    digest: Digest,
    /// The number of S-boxes of AES in all calls.
    s_boxes: u64,
    /// Whether V has opened its inputs, so that nothing more can be computed.
    closed: bool,
}

/// The most wires of a session: some hundred megabytes of labels.
const MOST_WIRES: usize = 1 << 23;

impl<F: Function> Program<F> {
    pub(super) fn new(settings: &Settings) -> Self {
        let mut digest = Digest::new();
        digest.bytes("protocol", b"garble-then-prove v1");
        digest.bytes("garbling", settings.garbling.name().as_bytes());
        digest.number("interval", settings.proof.interval as u64);
        Self {
            steps: Vec::new(),
            inputs: Vec::new(),
            ready: Vec::new(),
            waiting: Vec::new(),
            digest,
            s_boxes: 0,
            closed: false,
        }
    }

    /// The digest that both parties compare, of all calls so far with public inputs.
    pub(super) fn digest(&self) -> [u8; 32] {
        self.digest.finish()
    }

    /// Called when V opens its inputs: no further calls are possible.
    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    fn open(&self) -> Result<(), Error> {
        if self.closed {
            return Err(Error::misuse("nothing more can be computed once V has opened its inputs"));
        }
        Ok(())
    }

    pub(super) fn input_record(&mut self, input: &Input) -> Result<&mut InputRecord, Error> {
        self.open()?;
        // Compares the wires too: those of another session's input may already have values here, and a second
        // label of a wire would reveal the offset.
        let same = |record: &InputRecord| {
            let mut wires = input.wires.iter().enumerate();
            record.len == input.wires.len() && wires.all(|(i, wire)| wire.index() == record.first + i)
        };
        let record = self.inputs.get_mut(input.number);
        record.filter(|record| !record.delivered && same(record)).ok_or_else(|| {
            Error::misuse("an input that is not one of this session, or that had its values before")
        })
    }

    /// As `input`, for an input that this party treats as `owner`'s.
    pub(super) fn owned(&mut self, input: &Input, owner: Owner) -> Result<&mut InputRecord, Error> {
        let record = self.input_record(input)?;
        if record.owner == owner {
            return Ok(record);
        }
        Err(Error::misuse(format!("an input of {:?} is treated as one of {owner:?}", record.owner)))
    }

    /// The record of masks.
    pub(super) fn masks(&self, masks: &Masks) -> Result<&InputRecord, Error> {
        let Masks(input) = masks;
        let mut wires = input.wires.iter().enumerate();
        let record = self.inputs.get(input.number).filter(|record| {
            record.delivered
                && record.owner == Owner::Prover
                && record.len == input.wires.len()
                && wires.all(|(i, wire)| wire.index() == record.first + i)
        });
        record.ok_or_else(|| Error::misuse("masks that are not of this session"))
    }

    /// P's own bits on wires that all belong to one of its inputs.
    pub(super) fn own_bits(&self, wires: &[Wire]) -> Result<Vec<F2>, Error> {
        let place = wires.first().map(|wire| wire.index());
        let record =
            self.inputs.iter().find(|record| Some(record.first) == place && record.len == wires.len());
        let values = record.and_then(|record| record.values.as_ref()).map(|values| values.to_vec());
        match (values, wires) {
            (Some(values), _) => Ok(values),
            (None, []) => Ok(Vec::new()),
            (None, _) => Err(Error::misuse("masks without bits")),
        }
    }

    pub(super) fn records(&self) -> &[InputRecord] {
        &self.inputs
    }

    pub(super) fn records_mut(&mut self) -> &mut [InputRecord] {
        &mut self.inputs
    }

    pub(super) fn is_ready(&self, wire: Wire) -> bool {
        self.ready.get(wire.index()).copied().unwrap_or(false)
    }

    fn wires(&mut self, n: usize, ready: bool) -> Result<Vec<Wire>, Error> {
        self.open()?;
        let first = self.ready.len();
        let end = first.checked_add(n).filter(|&end| end <= MOST_WIRES);
        let end = end.ok_or(Error::Limit { what: "the number of wires", limit: MOST_WIRES as u64 })?;
        self.ready.resize(end, ready);
        // Below 2^23.
        Ok((first..end).map(|index| Wire(index as u32)).collect())
    }

    /// Adds new input bits.
    pub(super) fn input(
        &mut self,
        owner: Owner,
        len: usize,
        secrets: Zeroizing<Vec<Gf128>>,
    ) -> Result<Input, Error> {
        let (number, first) = (self.inputs.len(), self.ready.len());
        let wires = self.wires(len, false)?;
        self.inputs.push(InputRecord { owner, first, len, secrets, values: None, delivered: false });
        self.steps.push(Step::Input(number));
        self.digest.number("input", owner as u64).number("bits", len as u64);
        Ok(Input { number, wires })
    }

    /// Records that the values of an input have come. Those of a public input count as part of the program.
    pub(super) fn deliver(&mut self, input: &Input, values: Option<Zeroizing<Vec<F2>>>) -> Result<(), Error> {
        let record = self.input_record(input)?;
        record.delivered = true;
        record.values = values;
        let (first, len) = (record.first, record.len);
        let public = match (record.owner, &record.values) {
            (Owner::Both, Some(values)) => values.iter().map(|x| x.to_u8()).collect(),
            _ => Vec::new(),
        };
        self.digest.number("delivered", input.number as u64).bytes("public", &public);
        if let Some(ready) = self.ready.get_mut(first..first + len) {
            ready.fill(true);
        }
        Ok(())
    }

    /// Records a call of `function`, with its numbers of S-boxes and outputs.
    pub(super) fn call(
        &mut self,
        (function, s_boxes): (F, u64),
        inputs: &[Wire],
        outputs: usize,
    ) -> Result<Vec<Wire>, Error> {
        let ready = inputs.iter().all(|wire| self.is_ready(*wire));
        let mut identity = Digest::new();
        function.identify(&mut identity);
        self.digest.bytes("call", &identity.finish());
        self.absorb("of", inputs);
        let first = self.ready.len();
        let wires = self.wires(outputs, ready)?;
        if !ready {
            self.waiting.push(self.steps.len());
        }
        let outputs = first..first + outputs;
        self.s_boxes = self.s_boxes.saturating_add(s_boxes);
        self.steps.push(Step::Call { function, inputs: inputs.to_vec(), outputs });
        Ok(wires)
    }

    /// Records that wires are about to be decoded. The inputs that they depend on must have come.
    pub(super) fn announce(&mut self, what: &str, wires: &[Wire]) -> Result<(), Error> {
        self.open()?;
        if !wires.iter().all(|wire| self.is_ready(*wire)) {
            return Err(Error::misuse(
                "an output is asked for before all inputs that it depends on have come",
            ));
        }
        self.absorb(what, wires);
        Ok(())
    }

    /// Records that factors are multiplied by the number on these wires.
    pub(super) fn announce_products<E: Element>(
        &mut self,
        places: &[Place],
        factors: usize,
    ) -> Result<(), Error> {
        let (powers, wires): (Vec<_>, Vec<_>) = places.iter().copied().unzip();
        self.announce("products", &wires)?;
        let powers: Vec<u8> = powers.iter().flat_map(|power| (*power as u64).to_le_bytes()).collect();
        self.digest
            .bytes("field", E::NAME.as_bytes())
            .number("factors", factors as u64)
            .bytes("powers", &powers);
        Ok(())
    }

    /// Records that decoding information for wires, with these masks or none, is sent ahead.
    pub(super) fn seal(&mut self, wires: &[Wire], masks: Option<&Masks>) -> Result<Vec<Wire>, Error> {
        self.open()?;
        self.check(wires)?;
        let masks = match masks {
            None => Vec::new(),
            Some(masks) => {
                super::same_length(masks.wires().len(), wires.len())?;
                self.masks(masks)?;
                masks.wires().to_vec()
            }
        };
        self.absorb("sealed", wires);
        self.absorb("masks", &masks);
        Ok(masks)
    }

    /// Records that V's share of wires that were shared with these masks is about to be returned. Returns
    /// what this party keeps of it (nothing, at P).
    pub(super) fn confirm(&mut self, wires: &[Wire], masks: &[Wire]) -> Result<Zeroizing<Vec<F2>>, Error> {
        let share = self.steps.iter().find_map(|step| match step {
            Step::Shared { wires: shared, masks: with, share } if shared == wires && with == masks => {
                Some(share.clone())
            }
            _ => None,
        });
        let share = share.ok_or_else(|| Error::misuse("wires that were not shared with these masks"))?;
        self.announce("confirmed", wires)?;
        self.absorb("masks", masks);
        Ok(share)
    }

    fn absorb(&mut self, what: &str, wires: &[Wire]) {
        let bytes: Vec<u8> = wires.iter().flat_map(|wire| wire.0.to_le_bytes()).collect();
        self.digest.bytes(what, &bytes);
    }

    pub(super) fn push(&mut self, step: Step<F>) {
        self.steps.push(step);
    }

    /// Checks that all wires exist.
    pub(super) fn check(&self, wires: &[Wire]) -> Result<(), Error> {
        self.open()?;
        if wires.iter().all(|wire| wire.index() < self.ready.len()) {
            return Ok(());
        }
        Err(Error::misuse("a wire that is not one of this session"))
    }

    /// Marks the outputs of all calls whose inputs are ready as ready. Returns the steps of those calls, in
    /// order.
    pub(super) fn advance(&mut self) -> Vec<usize> {
        let mut done = Vec::new();
        for number in std::mem::take(&mut self.waiting) {
            let Some(Step::Call { inputs, outputs, .. }) = self.steps.get(number) else { continue };
            if inputs.iter().all(|wire| self.is_ready(*wire)) {
                if let Some(ready) = self.ready.get_mut(outputs.clone()) {
                    ready.fill(true);
                }
                done.push(number);
            } else {
                self.waiting.push(number);
            }
        }
        done
    }

    pub(super) fn steps(&self) -> &[Step<F>] {
        &self.steps
    }

    pub(super) fn steps_mut(&mut self) -> &mut [Step<F>] {
        &mut self.steps
    }

    /// The number of S-boxes in all calls.
    pub(super) fn s_boxes(&self) -> u64 {
        self.s_boxes
    }

    /// The number of commitments of a proof of all calls, which have `ands` ANDs. It assumes that the proof
    /// knows, of each S-box's input, either no more than was known when it was garbled, or all of it.
    pub(super) fn commitments(&self, ands: u64) -> u64 {
        commitments(ands, self.s_boxes)
    }

    pub(super) fn wire_count(&self) -> usize {
        self.ready.len()
    }
}
