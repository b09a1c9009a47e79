//! V: holds half of the client's secrets, and accepts nothing before the end.

use rand_core::CryptoRng;
use volery_channel::{Channel, tags};
use volery_garble::two_party::{Evaluator, Input, Owner, Settings, Wire, evaluator_labels};
use volery_vole::correlations::Pool;
use volery_vole::{Delta, SessionId};
use volery_zk::quicksilver::bits::VerifierWire;

use super::claimed::{known_wires, lowered};
use super::cost::{answer_round, begin_round};
use super::hash_key::{self, BlindingWires, HashKeys, RequestedHashKeys};
use super::machine::Machine;
use super::memory;
use super::message::{self, ConnectionBytes, NextStep};
use super::program::{self, Client, Derived, Secrets};
use super::prover::share_bits;
use super::read::{READ, Reader, ServerRecord};
use super::tag::connection::{RequestedTags, VerifierTags};
use super::used::{Part, Used, UsedMessages};
use super::{Error, MAX_PROVED, MAX_QUERY, MAX_READ, Sizes};
use crate::memory::{Budget, Reservation};
use crate::page::attestation::Mode;
use crate::page::claim::Vocabulary;
use crate::page::disclosure::{self, Accepted, Connection, Observed, OrderEvidence, Root, Server, Terms};
use crate::wire::ghash::{Powers, send_tag_share};
use crate::wire::key_exchange::{self, Group, VerifierProducts, VerifierShare};
use crate::wire::prf::{self, HmacKey, Side};
use crate::wire::record::{PlannedRecord, associated_data};
use crate::wire::server::Roots;
use crate::wire::step::Step;
use crate::wire::suite::Aead;
use crate::wire::transcript::MAX_HANDSHAKE;
use crate::wire::version::TlsVersion;

/// The limits of a session at V.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The most bytes of all requests.
    pub query: usize,
    /// The most bytes of responses that P reads while the connection is open; 128 KB of tables are stored for
    /// every 16 of them.
    pub read: usize,
    /// The most bytes of the response for which correlations are made ahead.
    pub proved: usize,
    /// The most bytes that the server sends.
    pub received: usize,
    /// The most hidden bytes of requests, and of responses, about which something is proved.
    pub hidden: usize,
    /// Whether a server may leave open which protocol it speaks (ALPN). P chose its port, so what it said may
    /// then be the words of any service that has its certificate; the attestation says so.
    pub no_alpn: bool,
    /// The ports that requests may name in their `Host` (443 if they name none). All are allowed if this is
    /// empty.
    pub ports: Vec<u16>,
    /// The source of memory for claims and for tables. Most of it is for tables: some kilobytes for each
    /// byte of requests and of responses that are read. Clones share it.
    pub budget: Budget,
}

impl Default for Limits {
    /// 16 KiB of requests, 4 KiB read in the connection, 8 KiB of response proved ahead, 16 MiB received,
    /// 64 KiB hidden, no server without ALPN, port 443, a budget without a bound.
    fn default() -> Self {
        let (ports, budget) = (vec![443], Budget::default());
        let (query, read, proved, received) = (1 << 14, 1 << 12, 1 << 13, 1 << 24);
        Self { query, read, proved, received, hidden: 1 << 16, no_alpn: false, ports, budget }
    }
}

/// V in a prepared connection.
///
/// The channel's limits bound all waiting. After an error nothing is left: P is told, and all secrets are
/// destroyed.
pub struct Verifier {
    machine: Machine<Evaluator<Step>>,
    exchange: VerifierProducts,
    /// In a suite whose tags take products.
    tags: Option<VerifierTags>,
    hash_keys: HashKeys,
    key: key_exchange::Verifier,
    inputs: [Input; 2],
    session: SessionId,
    sizes: Sizes,
    limits: Limits,
    /// The share of the budget for the tables.
    memory: Reservation,
}

impl core::fmt::Debug for Verifier {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Verifier").field("sizes", &self.sizes).finish_non_exhaustive()
    }
}

/// Tells the peer of an error.
fn report<T>(channel: &mut dyn Channel, result: Result<T, Error>) -> Result<T, Error> {
    if let Err(error) = &result {
        channel.fail(&error.public_reason());
    }
    result
}

impl Verifier {
    /// Prepares a connection together with P, who states its sizes. See
    /// [`Prover::prepare`](super::Prover::prepare). V's `commitments` are keys under its delta, which must be
    /// fresh for the session, like all of V's secrets.
    ///
    /// # Errors
    /// [`Error::Limit`] if P wants more than `limits` allow; any error of the preparation.
    pub fn prepare(
        channel: &mut dyn Channel,
        session: &SessionId,
        commitments: (Delta, Pool),
        settings: Settings,
        limits: Limits,
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, Error> {
        let result = prepare(channel, session, commitments, settings, limits, rng);
        report(channel, result)
    }

    /// Takes part in P's connection, step by step in the only possible order, until P gives V the bytes that
    /// were sent. Then opens V's part.
    ///
    /// # Errors
    /// [`Error::Parties`] and [`Error::Garbling`] if P does anything else; the channel's.
    pub fn run(
        self,
        channel: &mut dyn Channel,
        rng: &mut dyn CryptoRng,
    ) -> Result<ReceivedConnection, Error> {
        let result = run(self, channel, rng);
        report(channel, result)
    }
}

fn prepare(
    channel: &mut dyn Channel,
    session: &SessionId,
    (delta, mut commitments): (Delta, Pool),
    settings: Settings,
    limits: Limits,
    rng: &mut dyn CryptoRng,
) -> Result<Verifier, Error> {
    let sizes = message::receive_sizes(channel)?;
    let Limits { query, read, proved, budget, .. } = &limits;
    let most = [*query.min(&MAX_QUERY), *read.min(&MAX_READ), *proved.min(&MAX_PROVED)];
    sizes.check(most)?;
    let settings = sizes.settings(settings);
    let cost = sizes.cost()?;
    let stored_tables = cost.table_bytes(settings.garbling);
    let memory = memory::take(budget, stored_tables)?;
    let settings = Settings { stored_tables, ..settings };
    let ahead = cost.announce(&mut commitments, settings.proof, sizes.suite)?;
    let mut labels = evaluator_labels(channel, session, (&delta, &mut commitments), rng)?;
    // Everything that P has to answer goes in one round trip.
    labels.prepare(channel, sizes.label_correlations()?)?;
    let requested = VerifierProducts::request(channel, session, &mut labels, rng)?;
    let hash_keys = RequestedHashKeys::request(channel, session, &mut labels, &sizes, rng)?;
    let tags = RequestedTags::request(channel, session, &mut labels, &sizes, rng)?;
    channel.flush()?;
    // While P answers.
    begin_round(channel, &mut commitments)?;
    let mut evaluator = Evaluator::new(session, settings, labels, (delta, commitments));
    evaluator.prepare_beside(ahead);
    let prover = evaluator.input(channel, Owner::Prover, program::SHARE_BITS)?;
    let verifier = evaluator.input(channel, Owner::Verifier, program::SHARE_BITS)?;
    let mut machine = Machine::new(evaluator);
    let shares = [prover.wires(), verifier.wires()];
    let secrets = program::rehearse_secrets(&mut machine, channel, &sizes, shares)?;
    answer_round(channel, machine.party.commitments().1)?;
    let exchange = requested.receive(channel)?;
    let hash_keys = hash_keys.receive(channel, &sizes)?;
    let tags = tags.map(|tags| tags.receive(channel, &sizes)).transpose()?;
    program::rehearse(&mut machine, channel, secrets, &sizes)?;
    let (_, pool) = machine.party.commitments();
    pool.prepare(channel, cost.correlations(settings.proof)?)?;
    let hash_keys = hash_keys.finish(channel, rng)?;
    let key = key_exchange::Verifier::start(channel, rng)?;
    channel.flush()?;
    let inputs = [prover, verifier];
    let session = *session;
    Ok(Verifier { machine, exchange, tags, hash_keys, key, inputs, session, sizes, limits, memory })
}

fn run(
    verifier: Verifier,
    channel: &mut dyn Channel,
    rng: &mut dyn CryptoRng,
) -> Result<ReceivedConnection, Error> {
    let Verifier { mut machine, mut exchange, mut tags, hash_keys, key, inputs, session, .. } = verifier;
    let (sizes, limits, memory) = (verifier.sizes, verifier.limits, verifier.memory);
    let [prover, own] = inputs;
    let share = key.finish(channel, &mut exchange, rng)?;
    let [prover_wires, own_wires] = [&prover, &own].map(|input| input.wires().to_vec());
    machine.party.give(channel, own, &share_bits(share.expose()))?;
    machine.party.take(channel, prover)?;
    let group = share.server().group();
    let keys = &hash_keys;
    let mut deriving = Deriving { channel, machine: &mut machine, sizes: &sizes, tags: tags.as_mut(), keys };
    let DerivedKeys { derived, client, blinding, messages } =
        deriving.derive(group, [&prover_wires, &own_wires])?;

    let server = program::server(&mut machine.perform(channel), &derived, &sizes)?;
    if let Some(tags) = &mut tags {
        tags.powers(channel, rng)?;
    }
    let first = masked(channel, sizes.records().first().map_or(0, |record| record.length))?;
    let performance = &mut machine.perform(channel);
    let opened = program::blinded_keys(performance, &blinding, &client, server.as_ref())?;
    let [powers, server_powers] = hash_keys.powers(&sizes, &opened)?;
    let reader = server.map(|key| Reader::new(&session, &sizes, key, server_powers));
    let protected = sizes.protection();
    let mut exchange = RecordExchange { channel, machine: &mut machine, protected, powers, reader, tags };
    let ExchangedRecords { ciphertexts, read, held } = exchange.records(&sizes, &client, first, rng)?;
    let pipelined = sizes.pipelined();
    let suite = sizes.suite;
    let used = Used { server_point: *share.server(), suite, messages, ciphertexts, read, held, pipelined };
    let root = derived.into_root(client.key);
    let (evaluator, sent) = hold(channel, machine, share, &sizes, limits.received, &used)?;
    let Limits { hidden, no_alpn, ports, .. } = limits;
    let terms = Terms { no_alpn, hidden };
    Ok(ReceivedConnection { evaluator, root, used, sent, ports, terms, memory })
}

/// V's state while keys are derived.
struct Deriving<'a> {
    channel: &'a mut dyn Channel,
    machine: &'a mut Machine<Evaluator<Step>>,
    sizes: &'a Sizes,
    /// In a suite whose tags take products.
    tags: Option<&'a mut VerifierTags>,
    keys: &'a HashKeys,
}

/// What was derived, and from which messages.
struct DerivedKeys {
    derived: Derived<Wire>,
    client: Client<Wire>,
    /// What both parties gave for the hash keys.
    blinding: BlindingWires<Wire>,
    messages: UsedMessages,
}

impl Deriving<'_> {
    /// Derives everything that comes before the client's records, from the wires of the two shares, with the
    /// values that P says.
    fn derive(&mut self, group: Group, shares: [&[Wire]; 2]) -> Result<DerivedKeys, Error> {
        match self.sizes.tls {
            TlsVersion::Tls12 => self.tls12(group, shares),
            TlsVersion::Tls13 => self.tls13(group, shares),
        }
    }

    /// What the client's records need, from the wires of its key and IV.
    fn client(&mut self, key: [&[Wire]; 2]) -> Result<Client<Wire>, Error> {
        let client = program::client(&mut self.machine.perform(self.channel), key, self.sizes)?;
        if let Some(tags) = &mut self.tags {
            tags.share_r(self.channel, self.machine, &client.protections)?;
        }
        Ok(client)
    }

    /// Both parties give what hides the hash keys, after V's last public value of the secrets.
    fn give_blindings(&mut self) -> Result<BlindingWires<Wire>, Error> {
        let machine = &mut self.machine.perform(self.channel);
        hash_key::inputs(machine, self.sizes, [None, Some(self.keys)])
    }

    fn tls12(&mut self, group: Group, shares: [&[Wire]; 2]) -> Result<DerivedKeys, Error> {
        let Self { channel, machine, sizes, .. } = self;
        let (hash, aead) = (sizes.suite.hash(), sizes.suite.aead());
        let premaster = HmacKey::premaster(&mut machine.perform(*channel), hash, group, shares)?;
        let seed = message::receive_master(*channel, hash)?;
        let master = program::master(&mut machine.perform(*channel), &premaster, seed)?;
        let blinding = self.give_blindings()?;
        let Self { channel, machine, .. } = self;
        let randoms = message::receive_keys(*channel)?;
        let block = prf::key_block(&mut machine.perform(*channel), &master, aead, randoms.each_ref())?;
        let client = self.client(program::client_key(&block))?;
        let Self { channel, machine, .. } = self;
        let handshake_hash = message::receive_finished(*channel, hash)?;
        let client_finished =
            prf::verify_data(&mut machine.perform(*channel), &master, Side::Client, &handshake_hash)?;
        let derived = Derived::Tls12 { master, block, client_finished };
        let messages = UsedMessages::Tls12 { seed, randoms, handshake_hash };
        Ok(DerivedKeys { derived, client, blinding, messages })
    }

    fn tls13(&mut self, group: Group, shares: [&[Wire]; 2]) -> Result<DerivedKeys, Error> {
        let Self { channel, machine, sizes, .. } = self;
        let Secrets::Tls13 { handshake, salt } =
            program::secrets_tls13(&mut machine.perform(*channel), sizes.suite, group, shares)?
        else {
            return Err(Error::misuse("secrets of TLS 1.2"));
        };
        let blinding = self.give_blindings()?;
        let Self { channel, machine, sizes, .. } = self;
        let hellos = message::receive_hellos(*channel, sizes.suite.hash())?;
        let (wires, _) = program::handshake_shares(&mut machine.perform(*channel), &handshake, &hellos)?;
        // Only P gets both shares: V could otherwise answer the server in P's place.
        for shared in program::handshake_shared(machine)? {
            machine.party.confirm(*channel, &shared.wires, &shared.masks)?;
        }
        channel.flush()?;
        let finished = message::receive_data(*channel, sizes.suite.hash())?;
        let derived = Derived::tls13(&mut machine.perform(*channel), wires, &salt, &finished, sizes)?;
        let client = self.client(derived.client())?;
        let messages = UsedMessages::Tls13 { hellos, finished };
        Ok(DerivedKeys { derived, client, blinding, messages })
    }
}

/// The records of both directions.
#[derive(Default)]
struct ExchangedRecords {
    /// The ciphertexts of the client's records.
    ciphertexts: Vec<Vec<u8>>,
    /// The server's records that were read.
    read: Vec<ServerRecord>,
    /// The number of the server's records that V held when it took part in each of the client's.
    held: Vec<usize>,
}

/// V's state while records are exchanged.
struct RecordExchange<'a> {
    channel: &'a mut dyn Channel,
    machine: &'a mut Machine<Evaluator<Step>>,
    protected: (Aead, TlsVersion),
    /// V's shares of the powers of the client's hash key, in a suite that has one.
    powers: Option<Powers>,
    reader: Option<Reader>,
    /// In a suite whose tags take products.
    tags: Option<VerifierTags>,
}

impl RecordExchange<'_> {
    /// Makes the client's records, and takes part in reading the server's between them. `first` is the first
    /// one's masked plaintext.
    fn records(
        &mut self,
        sizes: &Sizes,
        client: &Client<Wire>,
        first: Vec<u8>,
        rng: &mut dyn CryptoRng,
    ) -> Result<ExchangedRecords, Error> {
        let (records, mut first) = (sizes.records(), Some(first));
        let ExchangedRecords { mut ciphertexts, mut read, mut held } = ExchangedRecords::default();
        // In TLS 1.2 the server's Finished came before all records that are read.
        let before = usize::from(sizes.tls == TlsVersion::Tls12);
        for (number, record) in records.iter().enumerate() {
            while sizes.begins_later(number) && message::receive_next(self.channel)? == NextStep::Read {
                read.push(self.read(rng)?);
            }
            let next = first.take().map_or_else(|| masked(self.channel, record.length), Ok)?;
            held.push(before + read.len());
            ciphertexts.push(self.record(number, record, next, client)?);
        }
        Ok(ExchangedRecords { ciphertexts, read, held })
    }

    /// Makes one of the client's records: gives P its tag once the ciphertext is there. Returns the
    /// ciphertext.
    fn record(
        &mut self,
        number: usize,
        record: &PlannedRecord,
        mut ciphertext: Vec<u8>,
        client: &Client<Wire>,
    ) -> Result<Vec<u8>, Error> {
        let (_, version) = self.protected;
        let shared = program::stream(self.machine, self.protected, number)?;
        self.machine.party.confirm(self.channel, &shared.wires, &shared.masks)?;
        let protection = program::protection(client, number)?;
        protection.apply(&mut ciphertext)?;
        let content_type = program::content_type(version, number);
        let header = associated_data(version, record.sequence, content_type, record.length)?;
        match (&self.powers, &mut self.tags) {
            (Some(powers), None) => {
                send_tag_share(self.channel, powers, &header, &ciphertext, protection.mask()?)?;
                self.channel.flush()?;
            }
            (None, Some(tags)) => tags.send(self.channel, self.machine, &header, &ciphertext)?,
            _ => return Err(program::other_suite()),
        }
        Ok(ciphertext)
    }

    fn read(&mut self, rng: &mut dyn CryptoRng) -> Result<ServerRecord, Error> {
        let reader = self.reader.as_mut().ok_or(Error::Limit { what: READ, asked: 1, limit: 0 })?;
        reader.watch(self.channel, self.machine, self.tags.as_mut(), rng)
    }
}

/// A record's plaintext plus P's share of its key stream.
fn masked(channel: &mut dyn Channel, length: usize) -> Result<Vec<u8>, Error> {
    let mut masked = vec![0; length];
    channel.recv_exact(tags::CLIENT_RECORD, &mut masked)?;
    Ok(masked)
}

/// Receives the connection's bytes, and only then opens V's part.
fn hold(
    channel: &mut dyn Channel,
    machine: Machine<Evaluator<Step>>,
    share: VerifierShare,
    sizes: &Sizes,
    received: usize,
    used: &Used,
) -> Result<(Evaluator<Step>, ConnectionBytes), Error> {
    let mut evaluator = machine.into_party()?;
    // A handshake, and each record with its header, nonce and tag.
    let sent = sizes.records().iter().map(|record| record.length + 64).sum::<usize>() + 2 * MAX_HANDSHAKE;
    let sent = message::receive_transcript(channel, [sent, received])?;
    // V opens nothing for any connection other than the one it took part in.
    let connection = Connection::parse(&sent.client, &sent.server)?;
    used.check(&connection).map_err(disclosure::Error::from)?;
    share.open(channel)?;
    evaluator.open(channel)?;
    Ok((evaluator, sent))
}

/// V after it has received a connection's bytes and opened its part: P knows all secrets of the connection,
/// and has to prove.
pub struct ReceivedConnection {
    evaluator: Evaluator<Step>,
    root: Root<Wire>,
    used: Used,
    sent: ConnectionBytes,
    ports: Vec<u16>,
    terms: Terms,
    /// The session's share of the budget: for the tables, and soon for the claims.
    memory: Reservation,
}

impl core::fmt::Debug for ReceivedConnection {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ReceivedConnection").field("host", &self.sent.host).finish_non_exhaustive()
    }
}

impl ReceivedConnection {
    /// The host that P claims; [`ReceivedConnection::verify`] verifies it.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.sent.host
    }

    /// Receives P's message about the connection, checks everything in it that needs no proof, and verifies
    /// the proof of everything: of what was garbled, and of P's claims. `roots` are the authorities that V
    /// trusts, `time` is the current time in seconds since 1970 (UTC), and `vocabulary` are the custom claims
    /// that V knows.
    ///
    /// Returns what V may believe (and what P is to commit to next), delta, and the remaining keys under it.
    ///
    /// # Errors
    /// [`Error::Disclosure`] if nothing about the connection can be believed, or P's message is invalid;
    /// [`Error::Garbling`] with a rejection if the proof is wrong; the channel's.
    pub fn verify(
        self,
        channel: &mut dyn Channel,
        roots: &Roots,
        time: u64,
        vocabulary: &dyn Vocabulary,
        rng: &mut dyn CryptoRng,
    ) -> Result<(Accepted, Delta, Pool), Error> {
        let Self { mut evaluator, root, used, sent, ports, terms, memory } = self;
        let ConnectionBytes { host, client, server } = sent;
        let seen = OrderEvidence::Held { counts: &used.held, pipelined: used.pipelined };
        // P connected alone, so the port is the one in its requests.
        let with = Server { host: &host, port: None, ports: &ports };
        let mode = Mode::TwoParty;
        let observed = Observed { mode, terms, with, client: &client, server: &server, seen, memory };
        let part = Part { used: &used, root: &root };
        let (statement, pending) = disclosure::receive(channel, observed, roots, time, vocabulary, &part)?;
        evaluator.expect(statement.commitments(&root.blind())?);
        let verified = evaluator.verify(channel, rng, |fold, proved| {
            let committed = statement.claim(fold, &known_wires(&root, proved)?)?;
            Ok(lowered(fold, &committed, VerifierWire::key))
        });
        let (keys, delta, pool) = verified?;
        Ok((pending.accept(statement.committed_bits(keys)?), delta, pool))
    }
}
