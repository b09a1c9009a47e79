//! The statement that P proves about a connection.

use core::ops::Range;

use volery_circuit::gadgets::bytes_to_bits;
use volery_circuit::{Circuit, Digest, Error as CircuitError, Evaluator, Ops, Prove};
use volery_field::{F2, Gf128};
use zeroize::Zeroizing;

use super::connection::{DataRecord, OpenConnection, SIDES};
use super::derive::{Root, derive, stream};
use super::machine::{BackendError, Count, List, Zk};
use super::payload::{application, blocks};
use super::price::{claims_of, reserve, size_of_claim};
use super::redaction::{DisclosureMessage, Hidden, RedactedPayload, bytes_of, message_name, places};
use super::{Error, Refusal};
use crate::memory::{Budget, Reservation};
use crate::page::claim::{self, Claim, Class, Size};
use crate::page::commitment::{CommittedBits, Form, Place};
use crate::page::leaf::{LeafClaims, Seed};
use crate::wire::prf::Side;
use crate::wire::record::Cipher;
use crate::wire::step::{Counting, commitments_of_blocks};
use crate::wire::suite::{Aead, Suite};
use crate::wire::version::TlsVersion;

/// The statement that a connection's Finished messages, tags and shown payload follow from its keys, and that
/// the claims hold for its hidden payload.
///
/// V has to check claims about the connection's *transcript* itself; [`receive`](super::receive) does.
pub(crate) struct ConnectionStatement {
    connection: OpenConnection,
    /// The digest of everything public.
    digest: [u8; 32],
    opened: Vec<u8>,
    shown: [RedactedPayload; 2],
    constraints: [Vec<Constraint>; 2],
    /// The memory of the claims, and of anything else that the session has.
    _memory: Reservation,
}

/// Claims about the bytes in these ranges.
struct Constraint {
    ranges: Vec<Range<usize>>,
    claims: Vec<Claimed>,
    /// The part of them that is committed to.
    committed: CommittedValue,
    /// The leaves that they are, if P commits to everything.
    leaves: Option<LeafClaims>,
}

/// A claim about a hidden string. Its circuit is made anew each time, since the circuits of all claims of a
/// session would take too much memory.
struct Claimed {
    claim: Box<dyn Claim>,
    /// The string's.
    class: Class,
    length: usize,
    /// The claim in words.
    text: String,
    size: Size,
    /// At P: the values of the circuit's inputs besides the string.
    witness: Option<Zeroizing<Vec<F2>>>,
}

impl Claimed {
    fn new(claim: Box<dyn Claim>, text: String, class: Class, length: usize) -> Result<Self, CircuitError> {
        let size = size_of_claim(&*claim, class, length)?;
        Ok(Self { claim, class, length, text, size, witness: None })
    }

    fn circuit(&self) -> Result<Circuit<F2>, CircuitError> {
        claim::circuit(&*self.claim, self.class, self.length)
    }

    /// Checks that it is true for these bytes, and keeps the witness.
    ///
    /// # Errors
    /// [`Error::NotTrue`].
    fn check(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.try_check(bytes).map_err(|_| {
            let reason = self.claim.reason(bytes).map(|reason| format!(" ({reason})"));
            Error::NotTrue(format!("{}{}", self.text, reason.unwrap_or_default()))
        })
    }

    fn try_check(&mut self, bytes: &[u8]) -> Result<(), CircuitError> {
        let witness = self.claim.witness(bytes)?;
        let mut inputs = Zeroizing::new(bytes_to_bits(bytes));
        inputs.extend_from_slice(&witness);
        self.circuit()?.run(&mut Evaluator::new(), inputs.to_vec())?;
        self.witness = Some(witness);
        Ok(())
    }

    /// Claims it for the string on these wires.
    fn assert<B: Prove<F2> + ?Sized>(
        &self,
        backend: &mut B,
        mut wires: Vec<B::Wire>,
    ) -> Result<(), B::Error> {
        if self.size.witness > 0 {
            let more = backend.secret(self.size.witness, &mut |_| {
                let witness = self.witness.as_ref().map(|witness| witness.to_vec());
                witness.ok_or_else(|| CircuitError::Witness("a claim's was never found".into()))
            });
            wires.extend(more?);
        }
        self.circuit()?.run(backend, wires).map(drop)
    }
}

/// Which bits of a hidden string are committed to.
enum CommittedValue {
    Nothing,
    /// The string's own bits.
    Bytes,
    /// The bits of the number whose digits it is: the outputs of a circuit, which asserts that they are
    /// digits and is made when it is run, like those of claims.
    Number {
        digits: usize,
        multiplications: u64,
    },
}

impl CommittedValue {
    fn new(form: Option<Form>, length: usize) -> Result<Self, CircuitError> {
        Ok(match form {
            None => Self::Nothing,
            Some(Form::Bytes) => Self::Bytes,
            Some(Form::Number) => {
                let size = size_of_claim(&claim::Integer, Class::Number, length)?;
                Self::Number { digits: length, multiplications: size.multiplications }
            }
        })
    }

    fn multiplications(&self) -> u64 {
        match self {
            Self::Number { multiplications, .. } => *multiplications,
            Self::Nothing | Self::Bytes => 0,
        }
    }

    /// The bits, from those of the string.
    fn bits<B: Prove<F2> + ?Sized>(
        &self,
        backend: &mut B,
        bits: Vec<B::Wire>,
    ) -> Result<Vec<B::Wire>, B::Error> {
        match self {
            Self::Nothing => Ok(Vec::new()),
            Self::Bytes => Ok(bits),
            Self::Number { digits, .. } => claim::integer(*digits)?.run(backend, bits),
        }
    }
}

impl ConnectionStatement {
    /// The statement that `message` makes about a connection with these raw bytes (client's, server's).
    /// `memory` is the session's; the memory of the claims is added to it.
    ///
    /// # Errors
    /// As [`reserve`].
    pub(super) fn new(
        connection: OpenConnection,
        raw: [&[u8]; 2],
        message: DisclosureMessage,
        mut memory: Reservation,
    ) -> Result<Self, Refusal> {
        let mut digest = Digest::new();
        let [client, server] = raw;
        digest.bytes("client's bytes", client).bytes("server's bytes", server);
        digest.bytes("message", &message.encode());
        let DisclosureMessage { opened, shown, .. } = message;
        let [request, response] = &shown;
        reserve([request, response], &mut memory)?;
        let constraints = [constraints(Side::Client, request), constraints(Side::Server, response)];
        let [request, response] = constraints;
        let constraints = [request.map_err(Refusal::Claim)?, response.map_err(Refusal::Claim)?];
        Ok(Self { connection, digest: digest.finish(), opened, shown, constraints, _memory: memory })
    }

    /// Checks that the claims are true for this payload, and keeps what is needed to prove them.
    ///
    /// # Errors
    /// [`Error::NotTrue`] if one is not.
    pub(super) fn check_claims(&mut self, payload: [&[u8]; 2]) -> Result<(), Error> {
        for (text, constraints) in payload.into_iter().zip(&mut self.constraints) {
            for Constraint { ranges, claims, .. } in constraints {
                let bytes = bytes_of(text, ranges);
                claims.iter_mut().try_for_each(|claimed| claimed.check(&bytes))?;
            }
        }
        Ok(())
    }

    /// At P: keeps the salts of the leaves.
    pub(super) fn keep_salts(&mut self, seed: &Seed) {
        let leaves =
            self.constraints.iter_mut().flatten().filter_map(|constraint| constraint.leaves.as_mut());
        leaves.for_each(|leaves| leaves.keep_salts(seed));
    }

    /// The version of TLS of the connection.
    pub(crate) fn version(&self) -> TlsVersion {
        self.connection.version()
    }

    /// The cipher suite of the connection.
    pub(crate) fn suite(&self) -> Suite {
        self.connection.suite()
    }

    /// What V sees of the request and of the response.
    pub(crate) fn shown(&self) -> &[RedactedPayload; 2] {
        &self.shown
    }

    /// The places that are committed to, in the order of [`ConnectionStatement::claim`]'s wires.
    pub(crate) fn places(&self) -> Vec<Place> {
        places(self.shown.each_ref())
    }

    /// This party's shares of the bits to commit to, `None` if there are none. `shares` are its tags or keys
    /// of the wires that [`ConnectionStatement::claim`] returned, after the proof has ended.
    ///
    /// # Errors
    /// As [`CommittedBits::new`].
    pub(crate) fn committed_bits(
        &self,
        shares: Zeroizing<Vec<Gf128>>,
    ) -> Result<Option<CommittedBits>, crate::Error> {
        let places = self.places();
        if places.is_empty() { Ok(None) } else { CommittedBits::new(places, shares).map(Some) }
    }

    /// Runs the record layer on a direction, and asserts what is shown and claimed. Returns the bits to
    /// commit to.
    fn direction<B: Prove<F2> + ?Sized>(
        &self,
        backend: &mut B,
        side: usize,
        records: &[DataRecord<'_>],
        cipher: &Cipher<B::Wire>,
    ) -> Result<Vec<B::Wire>, B::Error> {
        let (Some(shown), Some(constraints)) = (self.shown.get(side), self.constraints.get(side)) else {
            return Ok(Vec::new());
        };
        let (opaque, size) = (shown.opaque(), cipher.aead().block_bytes());
        let revealed: Vec<_> = shown.revealed().collect();
        let mut hidden: Vec<Vec<Option<Vec<B::Wire>>>> =
            constraints.iter().map(|constraint| vec![None; constraint.length()]).collect();
        for (number, start, record) in application(records) {
            let places = blocks(number, size, [start, record.length], &opaque);
            let streams = stream(&mut Zk::new(backend, &[]), cipher, records, &places)
                .map_err(|BackendError(error)| error)?;
            for (place, wires) in places.iter().zip(streams.chunks_exact(8 * size)) {
                let first = size * place.block;
                let ciphertext = record.content().iter().skip(first).zip(wires.chunks_exact(8));
                let mut plain = Vec::with_capacity(size);
                for (byte, wires) in ciphertext {
                    plain.push(plaintext(backend, *byte, wires));
                }
                reveal(backend, start + first, &plain, &shown.text, &revealed)?;
                for (constraint, hidden) in constraints.iter().zip(&mut hidden) {
                    constraint.take(start + first, &plain, hidden);
                }
            }
        }
        let mut committed = Vec::new();
        for (constraint, wires) in constraints.iter().zip(hidden) {
            let wires: Option<Vec<Vec<B::Wire>>> = wires.into_iter().collect();
            let wires =
                wires.ok_or_else(|| CircuitError::misuse("a hidden string outside of the payload"))?;
            for claimed in &constraint.claims {
                claimed.assert(backend, wires.concat())?;
            }
            if let Some(leaves) = &constraint.leaves {
                leaves.assert(backend, &wires.concat())?;
            }
            committed.extend(constraint.committed.bits(backend, wires.concat())?);
        }
        Ok(committed)
    }
}

/// The wires of a byte of plaintext.
fn plaintext<B: Ops<F2> + ?Sized>(backend: &mut B, ciphertext: u8, stream: &[B::Wire]) -> Vec<B::Wire> {
    let bits = bytes_to_bits(&[ciphertext]);
    stream.iter().zip(bits).map(|(wire, bit)| backend.add_constant(wire, bit)).collect()
}

/// Asserts the shown bytes of a block.
fn reveal<B: Prove<F2> + ?Sized>(
    backend: &mut B,
    start: usize,
    plain: &[Vec<B::Wire>],
    text: &[u8],
    revealed: &[Range<usize>],
) -> Result<(), B::Error> {
    let mut zeros = Vec::with_capacity(8 * plain.len());
    let mut at = revealed.partition_point(|range| range.end <= start);
    for (place, wires) in (start..).zip(plain) {
        at += usize::from(revealed.get(at).is_some_and(|range| range.end <= place));
        if !revealed.get(at).is_some_and(|range| range.contains(&place)) {
            continue;
        }
        let byte =
            text.get(place).ok_or_else(|| CircuitError::misuse("a payload longer than what is shown"))?;
        for (wire, bit) in wires.iter().zip(bytes_to_bits(&[*byte])) {
            zeros.push(backend.add_constant(wire, bit));
        }
    }
    if zeros.is_empty() { Ok(()) } else { backend.assert_zero(&zeros) }
}

impl Constraint {
    fn length(&self) -> usize {
        self.ranges.iter().map(ExactSizeIterator::len).sum()
    }

    /// The number of bits that its circuits commit to.
    fn commitments(&self) -> u64 {
        let claims = self.claims.iter();
        let claims = claims.map(|claimed| claimed.size.multiplications + claimed.size.witness as u64);
        let leaves = self.leaves.as_ref().map_or(0, LeafClaims::commitments);
        claims.sum::<u64>() + self.committed.multiplications() + leaves
    }

    /// Takes the wires of a block that belong to the string.
    fn take<W: Clone>(&self, start: usize, plain: &[Vec<W>], hidden: &mut [Option<Vec<W>>]) {
        let end = start + plain.len();
        let mut before = 0;
        for range in &self.ranges {
            for place in range.start.max(start)..range.end.min(end) {
                if let (Some(slot), Some(wires)) =
                    (hidden.get_mut(before + place - range.start), plain.get(place - start))
                {
                    *slot = Some(wires.clone());
                }
            }
            before += range.len();
        }
    }
}

/// A claim about a hidden string.
fn claimed(
    side: Side,
    hidden: &Hidden,
    (claim, text): (Box<dyn Claim>, String),
) -> Result<Claimed, CircuitError> {
    let text = format!("{} {} {text}", message_name(side, hidden.round), hidden.part);
    Claimed::new(claim, text, hidden.class, hidden.length())
}

/// The claims about a direction's hidden strings. Their memory must have been [reserved](reserve).
fn constraints(side: Side, shown: &RedactedPayload) -> Result<Vec<Constraint>, CircuitError> {
    let mut number = 0;
    let constraint = |hidden: &Hidden| {
        let leaves = match &*hidden.leaves {
            [] => None,
            digests => Some(LeafClaims::new((side, number), &hidden.part, hidden.length(), digests)?),
        };
        number += hidden.leaves.len();
        let own = usize::from(!leaves.as_ref().is_some_and(LeafClaims::claims_class));
        let claims = claims_of(hidden).into_iter().skip(1 - own).map(|claim| claimed(side, hidden, claim));
        let claims = claims.collect::<Result<_, _>>()?;
        let committed = CommittedValue::new(hidden.commit, hidden.length())?;
        Ok(Constraint { ranges: hidden.ranges.clone(), claims, committed, leaves })
    };
    shown.constrained().map(constraint).collect()
}

/// All claims that are not true of this payload, and whatever else V would refuse of the claims.
pub(super) fn untrue(shown: &[RedactedPayload; 2], payload: [&[u8]; 2]) -> Vec<Error> {
    let mut found = Vec::new();
    for ((side, shown), text) in SIDES.into_iter().zip(shown).zip(payload) {
        for hidden in shown.constrained() {
            let bytes = bytes_of(text, &hidden.ranges);
            for claim in &hidden.claims {
                let (claims, leaves) = (vec![claim.clone()], Vec::new());
                let alone = Hidden { claims, commit: None, leaves, ..hidden.clone() };
                found.extend(check_alone(side, alone, &bytes).err());
            }
        }
    }
    // Together they may be too many.
    if found.is_empty()
        && let Err(refusal) = reserve(shown.each_ref(), &mut Budget::default().share())
    {
        found.push(refusal.into());
    }
    found
}

/// Checks the claims about one hidden string.
fn check_alone(side: Side, hidden: Hidden, bytes: &[u8]) -> Result<(), Error> {
    let one = RedactedPayload { text: Vec::new(), hidden: vec![hidden] };
    let none = RedactedPayload::default();
    let shown = if side == Side::Client { [&one, &none] } else { [&none, &one] };
    reserve(shown, &mut Budget::default().share()).map_err(not_true)?;
    for hidden in &one.hidden {
        for claim in claims_of(hidden) {
            let made = claimed(side, hidden, claim).map_err(|error| not_true(Refusal::Claim(error)));
            made?.check(bytes)?;
        }
    }
    Ok(())
}

/// The error for a claim that holds for no string of this length, so not for P's, either.
pub(super) fn not_true(refusal: Refusal) -> Error {
    match refusal {
        Refusal::Claim(CircuitError::Contradicted { place, claimed }) => {
            Error::NotTrue(format!("{claimed} ({place})"))
        }
        refusal => refusal.into(),
    }
}

/// The approximate number of bits that claims and commitments to numbers commit to.
///
/// # Errors
/// As [`ConnectionStatement::new`].
pub(super) fn claim_commitments(shown: &[RedactedPayload; 2]) -> Result<u64, Error> {
    let mut memory = Budget::default().share();
    reserve(shown.each_ref(), &mut memory).map_err(not_true)?;
    let mut sum = 0_u64;
    for (side, shown) in SIDES.into_iter().zip(shown) {
        let constraints = constraints(side, shown).map_err(|error| not_true(Refusal::Claim(error)))?;
        sum = constraints.iter().map(Constraint::commitments).fold(sum, u64::saturating_add);
    }
    Ok(sum)
}

/// The approximate number of bits that the proof of a direction's payload in this many records commits to:
/// blocks are taken to cost the same.
///
/// # Errors
/// None in practice: blocks can be counted.
pub(super) fn payload_commitments(
    version: TlsVersion,
    suite: Suite,
    records: usize,
    shown: &RedactedPayload,
) -> Result<u64, crate::Error> {
    let aead = suite.aead();
    let opaque: usize = shown.opaque().iter().map(ExactSizeIterator::len).sum();
    let shown = shown.text.len().saturating_sub(opaque).div_ceil(aead.block_bytes());
    if aead == Aead::ChaCha20Poly1305 {
        // A record has few blocks, and its last one is seldom left out.
        return commitments_of_blocks(aead, shown);
    }
    // The last block of a record may be partial.
    let blocks = commitments_of_blocks(aead, records.saturating_add(shown))?;
    // In TLS 1.3 records have less in common.
    let more = match version {
        TlsVersion::Tls12 => 0,
        TlsVersion::Tls13 => commitments_of_blocks(aead, 1)?.saturating_mul(records as u64),
    };
    Ok(blocks.saturating_add(more))
}

/// The number of bits that the proof of a direction's payload commits to, for key stream in long blocks, of
/// which a record has few: those of each record are counted, but their circuits once for all.
///
/// # Errors
/// None in practice: blocks can be counted.
fn stream_commitments(
    aead: Aead,
    records: &[DataRecord<'_>],
    shown: &RedactedPayload,
) -> Result<u64, crate::Error> {
    let opaque = shown.opaque();
    let of_record = |(number, start, record): (usize, usize, &DataRecord<'_>)| {
        blocks(number, aead.block_bytes(), [start, record.length], &opaque).len() as u64
    };
    let (mut first, mut others) = (0_u64, 0_u64);
    for blocks in application(records).map(of_record).filter(|blocks| *blocks > 0) {
        first += 1;
        others += blocks - 1;
    }
    let (one, two) = (commitments_of_blocks(aead, 1)?, commitments_of_blocks(aead, 2)?);
    let further = two.saturating_sub(one).saturating_mul(others);
    Ok(one.saturating_mul(first).saturating_add(further))
}

impl ConnectionStatement {
    /// Absorbs everything public.
    pub(crate) fn identify(&self, digest: &mut Digest) {
        digest.bytes("public", &self.digest);
    }

    /// The approximate number of bits that the claim commits to, without those of the root: what follows from
    /// the keys is counted, and blocks of payload are taken to cost the same.
    ///
    /// # Errors
    /// None in practice: what can be proved can be counted.
    pub(crate) fn commitments(&self, root: &Root<()>) -> Result<u64, crate::Error> {
        let mut machine = Count { counting: Counting::default(), list: List::new(&self.opened) };
        let derived = derive(&mut machine, &self.connection, root)?;
        let of_side = |(records, shown): (&Vec<DataRecord<'_>>, &RedactedPayload)| match self.suite().aead() {
            Aead::Gcm(_) => payload_commitments(self.version(), self.suite(), records.len(), shown),
            aead => stream_commitments(aead, records, shown),
        };
        let claims: u64 = self.constraints.iter().flatten().map(Constraint::commitments).sum();
        let payload = derived.records.iter().zip(&self.shown).map(of_side).sum::<Result<u64, _>>()?;
        Ok(machine.counting.cost().commitments + claims + payload)
    }

    /// Claims everything, for the keys that follow from `root`. Returns the bits to commit to.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) fn claim<B: Prove<F2> + ?Sized>(
        &self,
        backend: &mut B,
        root: &Root<B::Wire>,
    ) -> Result<Vec<B::Wire>, B::Error> {
        backend.enter("keys");
        let mut machine = Zk::new(backend, &self.opened);
        let derived = derive(&mut machine, &self.connection, root).map_err(|BackendError(error)| error)?;
        backend.leave();
        let mut committed = Vec::new();
        let sides = SIDES.into_iter().zip(&derived.keys).zip(&derived.records);
        for (i, ((side, cipher), records)) in sides.enumerate() {
            backend.enter(match side {
                Side::Client => "request",
                Side::Server => "response",
            });
            committed.extend(self.direction(backend, i, records, cipher)?);
            backend.leave();
        }
        Ok(committed)
    }
}
