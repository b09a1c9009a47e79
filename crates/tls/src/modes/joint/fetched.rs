//! P after the connection has ended and V has opened its part.

use rand_core::CryptoRng;
use volery_channel::{Channel, Stats};
use volery_circuit::gadgets::bits_to_bytes;
use volery_field::F2;
use volery_garble::two_party::{Garbler, Values, Wire};
use volery_vole::correlations::Pool;
use volery_zk::quicksilver::bits::ProverWire;
use zeroize::Zeroizing;

use super::Error;
use super::claimed::{known_wires, lowered};
use crate::page::attestation::{Context, Mode, Statement};
use crate::page::commitment::CommittedBits;
use crate::page::disclosure::{
    self, EndedConnection, Keys, OpenConnection, Redaction, Refusal, Root, Selection,
};
use crate::page::leaf::{LeafOpenings, Seed};
use crate::wire::aead::{RecordCipher, xored_nonce};
use crate::wire::key_exchange::PremasterSecret;
use crate::wire::key_schedule::EarlySecret;
use crate::wire::prf::Side;
use crate::wire::record::header;
use crate::wire::step::Step;
use crate::wire::transcript::{self, APPLICATION_DATA, Record, Transcript, tls13};

/// A connection that has ended. P knows everything about it, and has told V nothing yet.
pub struct Fetched<C, R> {
    pub(super) channel: C,
    pub(super) rng: R,
    pub(super) known: Known,
}

impl<C, R> core::fmt::Debug for Fetched<C, R> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Fetched").field("ended", &self.known.ended).finish_non_exhaustive()
    }
}

/// A connection before its response is read.
pub(super) struct Connection {
    pub(super) host: String,
    pub(super) connection: OpenConnection,
    /// What the key exchange gave.
    pub(super) secret: PremasterSecret,
    pub(super) raw: [Vec<u8>; 2],
    pub(super) request: Zeroizing<Vec<u8>>,
    /// What P read of the responses while the connection was open.
    pub(super) read: Zeroizing<Vec<u8>>,
    /// Whether a request was sent before the response to the one before it had come.
    pub(super) pipelined: bool,
}

/// What P knows about the connection.
pub(super) struct Known {
    garbler: Garbler<Step>,
    wires: Root<Wire>,
    /// The keys' values.
    root: Zeroizing<Root<F2>>,
    ended: EndedConnection,
}

impl Known {
    /// Decrypts the response with the session's values, and checks everything that V will check.
    pub(super) fn new(
        garbler: Garbler<Step>,
        wires: Root<Wire>,
        values: &Values,
        connection: Connection,
    ) -> Result<Self, Error> {
        let root = wires.try_map(|wire| {
            values.wire(*wire).ok_or_else(|| Error::misuse("a key that was never computed"))
        })?;
        let root = Zeroizing::new(root);
        let Connection { host, connection, secret, raw, request, read, pipelined } = connection;
        let response = match (&connection, &*root) {
            (OpenConnection::Tls12(transcript), Root::Keys(keys)) => response(keys, transcript)?,
            (OpenConnection::Tls13(opened), _) => response_tls13(&secret, opened)?,
            _ => return Err(Error::misuse("keys of another version than the connection's")),
        };
        if !response.starts_with(&read) {
            return Err(Error::misuse(
                "what was read while the connection lived is not what the server said",
            ));
        }
        let (mode, port, context) = (Mode::TwoParty, None, Context::default());
        let ended = EndedConnection {
            mode,
            host,
            port,
            pipelined,
            context,
            leaves: None,
            trusts_close: false,
            connection,
            raw,
            payload: [request, response],
            #[cfg(test)]
            unchecked: false,
        };
        ended.check(&root)?;
        Ok(Self { garbler, wires, root, ended })
    }
}

/// The server's application data.
fn response(keys: &Keys<F2>, transcript: &Transcript) -> Result<Zeroizing<Vec<u8>>, Error> {
    let (records, aead) = (&transcript.server, transcript.handshake.suite.aead());
    let [key, iv] = keys.server.each_ref().map(|bits| bits_to_bytes(bits).map(Zeroizing::new));
    let (Some(key), Some(iv)) = (key, iv) else { return Err(Error::misuse("a key of odd length")) };
    let cipher = RecordCipher::new(aead, &key);
    let cipher = cipher.ok_or_else(|| Error::misuse("a key of another length"))?;
    let length = records.iter().map(|record| record.ciphertext.len()).sum();
    let mut response = Zeroizing::new(Vec::with_capacity(length));
    for record in records {
        let plaintext = open(&cipher, &iv, record);
        let refusal = Refusal::Tag { side: Side::Server, sequence: record.sequence };
        let plaintext = plaintext.ok_or_else(|| disclosure::Error::from(refusal))?;
        if record.content_type == APPLICATION_DATA {
            response.extend_from_slice(&plaintext);
        }
    }
    Ok(response)
}

/// The server's application data in TLS 1.3, from what the key exchange gave.
fn response_tls13(secret: &PremasterSecret, opened: &tls13::Opened) -> Result<Zeroizing<Vec<u8>>, Error> {
    let suite = opened.handshake.hello.suite;
    let handshake = EarlySecret::new(suite.hash()).handshake(&**secret);
    let traffic = handshake.master().traffic(Side::Server, &opened.handshake.finished_hash);
    tls13::data(Side::Server, suite, &traffic, &opened.server).map_err(|error| match error {
        transcript::Error::Sealed { side, sequence } => {
            disclosure::Error::from(Refusal::Tag { side, sequence }).into()
        }
        error => error.into(),
    })
}

/// A record's plaintext, if its tag is right.
fn open(cipher: &RecordCipher, iv: &[u8], record: &Record) -> Option<Zeroizing<Vec<u8>>> {
    let Record { sequence, content_type, explicit_nonce, ciphertext, tag } = record;
    // A write IV that is as long as a nonce has no explicit part.
    let nonce = match iv.try_into() {
        Ok(iv) => xored_nonce(iv, *sequence),
        Err(_) => [iv, explicit_nonce].concat().try_into().ok()?,
    };
    let aad = header(*sequence, *content_type, ciphertext.len()).ok()?;
    cipher.open(nonce, &aad, ciphertext, tag)
}

impl<C: Channel, R: CryptoRng> Fetched<C, R> {
    /// The requests, one after the other.
    #[must_use]
    pub fn request(&self) -> &[u8] {
        self.known.ended.request()
    }

    /// The raw responses, one after the other: status line, headers, body.
    #[must_use]
    pub fn response(&self) -> &[u8] {
        self.known.ended.response()
    }

    /// The counters of the channel to V so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.channel.stats()
    }

    /// The hidden parts if P makes this selection. [`Selection`] says what happens to the parts that it does
    /// not name.
    ///
    /// # Errors
    /// [`Error::Disclosure`] for a part that does not exist, and for one that is neither revealed nor can be
    /// hidden.
    pub fn select(&self, selection: &Selection) -> Result<Vec<Redaction>, Error> {
        Ok(self.known.ended.select(selection)?)
    }

    /// Has V sign this context together with its statement.
    pub fn set_context(&mut self, context: Context) {
        self.known.ended.context = context;
    }

    /// Has P commit to all hidden parts, with salts from this seed: see [`leaf`](crate::leaf).
    pub fn commit_all(&mut self, seed: Seed) {
        self.known.ended.leaves = Some(seed);
    }

    /// What opens the leaves if P [discloses](Fetched::prove) the connection in this way; none unless P
    /// commits to everything.
    ///
    /// # Errors
    /// As [`Fetched::expected`].
    pub fn leaf_openings(&self, redactions: &[Redaction]) -> Result<Option<LeafOpenings>, Error> {
        Ok(self.known.ended.leaf_openings(redactions)?)
    }

    /// Has P rely on the server to take no further requests after one with `Connection: close`, although
    /// nothing that the server says shows that it ends the connection: see [what V learns, and
    /// when](crate::disclosure#what-v-learns-and-when).
    pub fn trust_close(&mut self) {
        self.known.ended.trusts_close = true;
    }

    /// The statement that V will sign if P [discloses](Fetched::prove) the connection in this way; see
    /// [`proxy`](crate::proxy::Fetched::expected).
    ///
    /// # Errors
    /// [`Error::Disclosure`] for anything in it that V would refuse.
    pub fn expected(&self, redactions: &[Redaction], time: u64) -> Result<Statement, Error> {
        Ok(self.known.ended.expected(redactions, time)?)
    }

    /// Tells V everything about the connection except what `redactions` names, and proves it together with
    /// everything that was garbled. Returns what remains of the session.
    ///
    /// # Errors
    /// [`Error::Disclosure`] for anything that V would refuse, before V hears of it; [`Error::Garbling`] if V
    /// rejects, or if a claim is false; the channel's.
    pub fn prove(self, redactions: &[Redaction]) -> Result<Remainder<C, R>, Error> {
        let Self { mut channel, mut rng, known } = self;
        let Known { mut garbler, wires, root, ended } = known;
        let statement = ended.disclose(&mut channel, &root, redactions)?;
        garbler.expect(statement.commitments(&root.blind())?);
        let proved = garbler.prove(&mut channel, &mut rng, |fold, proved| {
            let committed = statement.claim(fold, &known_wires(&wires, proved)?)?;
            Ok(lowered(fold, &committed, ProverWire::tag))
        });
        let (tags, pool) = proved?;
        let committed_bits = statement.committed_bits(tags)?;
        Ok(Remainder { channel, rng, pool, committed_bits })
    }
}

/// What remains of P's session after V has accepted the proof.
pub struct Remainder<C, R> {
    /// The channel.
    pub channel: C,
    /// The generator.
    pub rng: R,
    /// Unused tags under V's delta.
    pub pool: Pool,
    /// P's tags of the bits to commit to. Committing is the next and last operation under this delta; see
    /// [`CommittedBits`].
    pub committed_bits: Option<CommittedBits>,
}
