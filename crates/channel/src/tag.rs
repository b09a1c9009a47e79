//! The registry of message tags: each step of each protocol has one byte and one name.
//!
//! A receive names the step that it expects, so two parties that drift apart notice it at the next message
//! and can say where. All numbers are in this one table, because two crates that chose their own would sooner
//! or later collide. A new step adds a line to [`tags`].

use std::fmt;

/// The step that a frame belongs to: a byte on the wire, a name in messages to people.
///
/// Only the table in [`tags`] makes tags, so equal bytes mean equal names.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tag {
    byte: u8,
    name: &'static str,
}

impl Tag {
    /// The byte on the wire.
    #[must_use]
    pub const fn byte(self) -> u8 {
        self.byte
    }

    /// The name for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// The tag with this byte, if the table has one.
    #[must_use]
    pub(crate) fn from_byte(byte: u8) -> Option<Self> {
        tags::ALL.iter().copied().find(|tag| tag.byte == byte)
    }

    /// A description of a byte from the wire, in the table or not.
    pub(crate) fn describe(byte: u8) -> String {
        Self::from_byte(byte)
            .map_or_else(|| format!("an unknown message (tag {byte:#04x})"), |tag| tag.to_string())
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({:#04x})", self.name, self.byte)
    }
}

macro_rules! registry {
    ($($(#[$doc:meta])+ $constant:ident = $byte:literal, $name:literal;)+) => {
        $($(#[$doc])+ pub const $constant: Tag = Tag { byte: $byte, name: $name };)+

        /// Every tag, in the order of the table.
        pub const ALL: &[Tag] = &[$($constant),+];
    };
}

/// The table. `0x00` is never a tag, so that a stream of zeros is not a valid conversation.
///
/// A number also determines the order in which messages are read. Each of the ranges 0x10 to 0x17, 0x18 to
/// 0x1f, 0x28 to 0x2f, 0x30 to 0x37, 0x38 to 0x3f, 0x48 to 0x4f and 0xb0 to 0xb7 is ordered within itself
/// only. So such a range has only steps that both parties take in one order.
pub mod tags {
    use super::Tag;

    registry! {
        // 0x01..: the session.

        /// Who a party is and how it wants to work ([`handshake`](crate::handshake)).
        HELLO = 0x01, "Hello";
        /// What is about to be proved ([`handshake`](crate::handshake)).
        BEGIN = 0x02, "Begin";
        /// The last message of an orderly session.
        GOODBYE = 0x0e, "Goodbye";
        /// Why a party ends the session early; may come instead of any other message.
        ERROR = 0x0f, "Error";

        // 0x10..: correlated randomness.

        /// Base OT: the sender's points.
        BASE_OT_SENDER = 0x10, "BaseOtSender";
        /// Base OT: the receiver's points.
        BASE_OT_RECEIVER = 0x11, "BaseOtReceiver";
        /// Base OT: proofs or confirmations that go with the points.
        BASE_OT_CHECK = 0x12, "BaseOtCheck";
        /// Subfield VOLE: the corrections and the check of correlations that need no round.
        SUBFIELD_EXTEND = 0x13, "SubfieldExtend";
        /// SoftSpoken OT: the corrections of the punctured trees.
        SOFT_SPOKEN_TREE = 0x14, "SoftSpokenTree";
        /// SoftSpoken OT: the corrections of an extension.
        SOFT_SPOKEN_EXTEND = 0x15, "SoftSpokenExtend";
        /// SoftSpoken OT: the choices of OTs that come from correlations of the other direction.
        SOFT_SPOKEN_CHOICES = 0x16, "SoftSpokenChoices";
        /// SoftSpoken OT: the answer of the consistency check.
        SOFT_SPOKEN_CHECK = 0x17, "SoftSpokenCheck";
        /// Ferret: the trees' level sums.
        FERRET_TREES = 0x19, "FerretTrees";
        /// Ferret: the consistency check's challenge and masked values.
        FERRET_CHECK = 0x1a, "FerretCheck";
        /// Ferret: the outcome of the consistency check.
        FERRET_VERDICT = 0x1b, "FerretVerdict";

        // 0x20..: interactive proofs.

        /// Masked inputs and masked products: one field element each, or one bit.
        MASKS = 0x20, "Masks";
        /// The verifier's random challenge.
        CHALLENGE = 0x21, "Challenge";
        /// The prover's answer to the challenge: the check polynomial's masked coefficients.
        CHECK_OPENING = 0x22, "CheckOpening";
        /// Digests and counts of what was asserted.
        ASSERTIONS = 0x23, "Assertions";
        /// Whether the verifier accepts.
        VERDICT = 0x24, "Verdict";
        /// Values that are opened to the verifier on purpose.
        REVEAL = 0x25, "Reveal";
        /// The counts and public constants of a program whose proof is made in two passes.
        PROGRAM = 0x26, "Program";

        /// How a program's run ended and what it shows, before its proof.
        RUN = 0x27, "Run";

        // 0x28..: rounds of subfield VOLE.

        /// Subfield VOLE: the trees' level sums and the sums of their leaves.
        SUBFIELD_TREES = 0x28, "SubfieldTrees";
        /// Subfield VOLE: the consistency check's challenge, masked value and commitment.
        SUBFIELD_CHECK = 0x29, "SubfieldCheck";
        /// Subfield VOLE: the verifier's value.
        SUBFIELD_ANSWER = 0x2a, "SubfieldAnswer";
        /// Subfield VOLE: what opens the commitment.
        SUBFIELD_OPENING = 0x2b, "SubfieldOpening";

        // 0x30..: interactive proofs over a field.

        /// Masked inputs and masked products, packed field elements.
        ELEMENTS = 0x30, "Elements";
        /// The verifier's random challenge.
        ELEMENTS_CHALLENGE = 0x31, "ElementsChallenge";
        /// The prover's answer to the challenge: the check polynomial's masked coefficients.
        ELEMENTS_OPENING = 0x32, "ElementsOpening";
        /// Digests and counts of what was asserted.
        ELEMENTS_ASSERTIONS = 0x33, "ElementsAssertions";

        /// Masked parities of sets of converted bits.
        PARITIES = 0x34, "Parities";

        // 0x38..: the chain from which bits' correlations are made.

        /// Correlations of bits: the verifier's bytes for the chain, after a batch.
        BITS_LINK = 0x38, "BitsLink";

        // 0x40..: disjunctions.

        /// The masked coefficients of the product of all branches' tokens, which show that it is zero, and
        /// counts.
        TOKENS = 0x40, "Tokens";

        // 0x48..: the chain from which field elements' correlations are made.

        /// Correlations over a field: the verifier's bytes for the chain, after a batch.
        SUBFIELD_LINK = 0x48, "SubfieldLink";

        // 0x50..: proofs from MPC in the head.

        /// What the verifier will check, and a commitment to its challenge.
        HEAD_PROMISE = 0x50, "HeadPromise";
        /// The prover's commitments and output shares, or their digest.
        HEAD_FIRST = 0x51, "HeadFirst";
        /// The verifier's challenge, which opens its commitment.
        HEAD_CHALLENGE = 0x52, "HeadChallenge";
        /// The opened views.
        HEAD_RESPONSE = 0x53, "HeadResponse";

        // 0x60..: garbled circuits.

        /// The tables of AND gates, in order.
        GARBLED_TABLES = 0x60, "GarbledTables";
        /// The garbler's input bits, masked: its commitment to them.
        GARBLED_COMMITMENTS = 0x61, "GarbledCommitments";
        /// The labels of input bits, or of their corrections.
        GARBLED_LABELS = 0x62, "GarbledLabels";
        /// The evaluator's input bits, masked.
        GARBLED_CORRECTIONS = 0x63, "GarbledCorrections";
        /// The decoding information of outputs, and a digest of the calls so far.
        GARBLED_DECODING = 0x64, "GarbledDecoding";
        /// Public outputs, and a hash of the labels that they came from.
        GARBLED_RETURN = 0x65, "GarbledReturn";
        /// The evaluator's input bits, and a hash of their labels.
        GARBLED_OPENING = 0x66, "GarbledOpening";
        /// The decoding information of outputs, encrypted under a key that comes later.
        GARBLED_SEALED = 0x67, "GarbledSealed";
        // 0x68..: shares of products.

        /// OLE: the receiver's random bits, corrected to its factors' bits.
        OLE_CHOICES = 0x68, "OleChoices";
        /// OLE: the sender's factors, masked, times every power of two (or of X).
        OLE_PRODUCTS = 0x69, "OleProducts";
        /// OLE: the differences between a party's chosen and its random factors.
        OLE_CORRECTIONS = 0x6a, "OleCorrections";
        /// The garbler's corrections of products with a number on wires.
        GARBLED_PRODUCTS = 0x6b, "GarbledProducts";

        // 0x70..: the TLS client of two parties.

        /// Key exchange: the verifier's share of the client's public point.
        KEY_SHARE = 0x70, "KeyShare";
        /// Key exchange: the server's point, and the prover's first corrections.
        KEY_SERVER = 0x71, "KeyServer";
        /// Key exchange: the verifier's first corrections.
        KEY_FACTORS = 0x72, "KeyFactors";
        /// Key exchange: shares of the slope's masked denominator.
        KEY_DENOMINATOR = 0x73, "KeyDenominator";
        /// Key exchange: corrections of the slope's shares.
        KEY_SLOPE = 0x74, "KeySlope";
        /// Key exchange: the verifier's secrets, sent after the connection has ended.
        KEY_OPENING = 0x75, "KeyOpening";
        /// The verifier's share of a record's tag.
        TAG_SHARE = 0x76, "TagShare";
        /// What the client does next, including everything that both parties know of it.
        CLIENT_STEP = 0x77, "ClientStep";
        /// Proxy mode: the prover's request to the verifier about the connection to a server.
        RELAY_REQUEST = 0x78, "RelayRequest";
        /// Proxy mode: the result of that request.
        RELAY_ANSWER = 0x79, "RelayAnswer";
        /// Proxy mode: what the prover will prove about the connection.
        WEB_CLAIMS = 0x7a, "WebClaims";
        /// The verifier's signed statement about a connection.
        WEB_ATTESTATION = 0x7b, "WebAttestation";
        /// What proves to a notary that a client may use it; it comes before everything else.
        NOTARY_TOKEN = 0x7c, "NotaryToken";
        /// A prover's position in a notary's queue; 0 when its turn has come.
        NOTARY_TURN = 0x7d, "NotaryTurn";

        /// A record of the client's: its plaintext plus the prover's share of the key stream.
        CLIENT_RECORD = 0x7e, "ClientRecord";
        /// Everything that went over the connection, and its host.
        CLIENT_TRANSCRIPT = 0x7f, "ClientTranscript";

        // 0x80..: commitments to authenticated bits.

        /// A hash of the verifier's keys of random bits, which fixes its delta.
        COMMIT_KEYS = 0x80, "CommitKeys";
        /// The differences that turn keys in GF(2^128) into keys modulo the group's order.
        COMMIT_DIFFERENCES = 0x81, "CommitDifferences";
        /// The prover's Pedersen commitments.
        COMMIT_POINTS = 0x82, "CommitPoints";
        /// The verifier's coefficients, as a seed.
        COMMIT_CHALLENGE = 0x83, "CommitChallenge";
        /// A hash of the opening of the combination.
        COMMIT_PROMISE = 0x84, "CommitPromise";
        /// The verifier's delta and its key modulo the group's order.
        COMMIT_REVEAL = 0x85, "CommitReveal";
        /// The opening of the combination.
        COMMIT_OPENING = 0x86, "CommitOpening";

        // 0x90..: what the TLS client of two parties reads while the connection is open.

        /// A record of the server's.
        SERVER_RECORD = 0x90, "ServerRecord";
        /// A hash of the verifier's share of the record's tag.
        RECORD_PROMISE = 0x91, "RecordPromise";
        /// The prover's share of the record's tag plus the tag that was received.
        RECORD_SUM = 0x92, "RecordSum";
        /// The opening of the promise.
        RECORD_OPENING = 0x93, "RecordOpening";

        // 0x98..: tags of ChaCha20-Poly1305 from a key in two shares.

        /// The prover's corrections of the products for a record's tag, ahead of the connection.
        POLY1305_AHEAD = 0x98, "Poly1305Ahead";
        /// The prover's part of the verifier's factor of r.
        POLY1305_FACTOR = 0x99, "Poly1305Factor";
        /// The verifier's corrections of the powers of its factor, and its share of their masked sum.
        POLY1305_POWERS = 0x9a, "Poly1305Powers";
        /// The prover's share of the masked sum.
        POLY1305_SUM = 0x9b, "Poly1305Sum";

        // 0xa0..: statements that are split over workers.

        /// A wave of lots: a seed of the verifier's, for the workers' tokens.
        SPLIT_DEAL = 0xa0, "SplitDeal";
        /// Which workers of a wave ended; or that some have not.
        SPLIT_STATUS = 0xa1, "SplitStatus";
        /// The hash of what boundary wires differ by.
        SPLIT_JOIN = 0xa2, "SplitJoin";
        /// Where the verifier's worker of a shard is reached.
        SPLIT_MEET = 0xa3, "SplitMeet";
        /// A seed of coefficients for sums over many boundary wires.
        SPLIT_COMBINE = 0xa4, "SplitCombine";

        // 0xa8..: between a coordinator and a worker of its own party.

        /// What shows a coordinator, or the other party's worker, who connects.
        WORKER_TOKEN = 0xa8, "WorkerToken";
        /// A lot, and what the worker is to prove with it.
        WORKER_LOT = 0xa9, "WorkerLot";
        /// Where the verifier's worker is reached.
        WORKER_ADDRESS = 0xaa, "WorkerAddress";
        /// That a worker is still at work, or what it brings.
        WORKER_ENDED = 0xab, "WorkerEnded";
        /// A question about boundary wires that stayed with a worker, and its answer.
        WORKER_COMBINE = 0xac, "WorkerCombine";

        // 0xb0..: a connection to a server that the verifier carries for a client of two parties. They have a
        // lane of their own: the prover makes requests wherever it is, and answers come between other
        // messages.

        /// The prover's request about the connection, as `RelayRequest`.
        CARRY_REQUEST = 0xb0, "CarryRequest";
        /// The result of that request, as `RelayAnswer`.
        CARRY_ANSWER = 0xb1, "CarryAnswer";

        // 0xf0..: never sent by a protocol of this workspace.

        /// For tests and benchmarks of code that moves frames.
        TEST = 0xf0, "Test";
        /// A second one, for tests of what happens between two steps.
        TEST_OTHER = 0xf1, "TestOther";
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{Tag, tags};

    #[test]
    fn every_byte_and_every_name_is_given_once() {
        let bytes: HashSet<u8> = tags::ALL.iter().map(|tag| tag.byte()).collect();
        let names: HashSet<&str> = tags::ALL.iter().map(|tag| tag.name()).collect();
        assert_eq!(bytes.len(), tags::ALL.len());
        assert_eq!(names.len(), tags::ALL.len());
        assert!(!bytes.contains(&0));
    }

    #[test]
    fn known_and_unknown_bytes_have_a_description() {
        assert_eq!(Tag::from_byte(0x20), Some(tags::MASKS));
        assert_eq!(Tag::describe(0x20), "Masks");
        assert_eq!(Tag::describe(0xee), "an unknown message (tag 0xee)");
    }
}
