//! P: the party that speaks to the server.
//!
//! | module | what it holds |
//! |---|---|
//! | here | the preparation, the key exchange, records, the end |
//! | `tls12`, `tls13` | the key derivation of each version |

mod tls12;
mod tls13;

use rand_core::CryptoRng;
use subtle::ConstantTimeEq as _;
use volery_channel::{Channel, Stats, tags};
use volery_circuit::gadgets::{bits_to_bytes, bytes_to_bits};
use volery_field::F2;
use volery_garble::two_party::{Garbler, GarblerLabels, Input, Owner, Settings, Wire};
use volery_vole::SessionId;
use volery_vole::correlations::Pool;
use zeroize::Zeroizing;

use super::cost::{answer_round, begin_round};
use super::fetched::{Connection, Known};
use super::hash_key::{self, BlindingWires, HashKeys, ProverHashKeys};
use super::machine::Machine;
use super::program::{self, Client, Derived};
use super::read::Reader;
use super::tag::connection::ProverTags;
use super::{Content, Engine, Error, Fetched, MAX_PROVED, MAX_QUERY, MAX_READ, Sizes, message};
use crate::modes::relay::MAX_CHUNK;
use crate::page::dialogue::append;
use crate::page::disclosure::OpenConnection;
use crate::wire::ghash::{self, Powers};
use crate::wire::hash::HandshakeHash;
use crate::wire::key_exchange::{self, Group, ProverProducts, ProverShare, PublicPoint, Share};
use crate::wire::key_schedule::TrafficSecret;
use crate::wire::prf::{MasterSeed, Random, VERIFY_DATA_BYTES};
use crate::wire::record::associated_data;
use crate::wire::step::Step;
use crate::wire::suite::{Aead, Suite};
use crate::wire::transcript::tls13::{self as tls13_transcript, HandshakeSecrets};
use crate::wire::transcript::{APPLICATION_DATA, Transcript};
use crate::wire::version::TlsVersion;

/// P in a connection, from the preparation to the connection's end. It is the [`Engine`] of a TLS client.
///
/// It owns its channel to V. After an error the session is over: V is told, and all secrets are destroyed.
pub struct Prover<C, R> {
    channel: C,
    rng: R,
    protocol: (TlsVersion, Suite),
    live: Option<Live>,
}

impl<C, R> core::fmt::Debug for Prover<C, R> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Prover").field("over", &self.live.is_none()).finish_non_exhaustive()
    }
}

/// The state until the first error.
struct Live {
    machine: Machine<Garbler<Step>>,
    /// Prepared products for the key exchange.
    exchange: ProverProducts,
    /// In a suite whose tags take products.
    tags: Option<ProverTags>,
    hash_keys: HashKeys,
    /// Of what both parties give for the hash keys, once they have.
    blinding: Option<BlindingWires<Wire>>,
    session: SessionId,
    sizes: Sizes,
    share: Option<ProverShare>,
    /// The secrets of TLS 1.3's handshake.
    handshake: Option<HandshakeSecrets>,
    /// The wires of P's share and of V's.
    shares: [Vec<Wire>; 2],
    stage: Stage,
}

/// The progress of the connection.
enum Stage {
    Prepared {
        key: Box<key_exchange::Prover>,
        inputs: [Input; 2],
    },
    Tls12(tls12::Stage),
    Tls13(tls13::Stage),
    Sending(Box<Sending>),
    /// A step is under way, or has failed.
    Moving,
}

/// What records need.
struct Sending {
    protected: (Aead, TlsVersion),
    derived: Derived<Wire>,
    client: Client<Wire>,
    /// P's shares of the powers of the client's hash key, in a suite that has one.
    powers: Option<Powers>,
    /// The plaintexts of the records so far.
    plaintexts: Vec<Zeroizing<Vec<u8>>>,
    /// For the server's records, if some are read while the connection is open.
    reader: Option<Reader>,
    /// The content of those records.
    read: Zeroizing<Vec<u8>>,
}

impl Stage {
    /// The steps that may come next.
    fn expected(&self) -> String {
        match self {
            Self::Prepared { .. } => "the key exchange".into(),
            Self::Tls12(stage) => stage.expected().into(),
            Self::Tls13(stage) => stage.expected().into(),
            Self::Sending(sending) => format!("record {}, if one is left", sending.plaintexts.len()),
            Self::Moving => "nothing".into(),
        }
    }

    fn order<T>(&self, asked: &'static str) -> Result<T, Error> {
        Err(Error::Order { asked, expected: self.expected() })
    }
}

/// The bits of a share, lowest first.
pub(super) fn share_bits(share: &Share) -> Zeroizing<Vec<F2>> {
    Zeroizing::new(bytes_to_bits(&**share))
}

impl<C: Channel, R: CryptoRng> Prover<C, R> {
    /// Prepares a connection of these sizes together with V: labels, products, garbled circuits, correlations
    /// for the proof. This takes most of the time and nearly all of the bytes; the [module](super) has the
    /// numbers.
    ///
    /// `session` is an identifier that both parties have and that never repeats. `commitments` are random
    /// tags under V's delta; the unused ones come back in the end. Both parties need the same `settings`,
    /// except for the limits in them.
    ///
    /// # Errors
    /// [`Error::Limit`] for sizes beyond what can be prepared; any error of the preparation.
    pub fn prepare(
        mut channel: C,
        session: &SessionId,
        commitments: Pool,
        settings: Settings,
        sizes: Sizes,
        mut rng: R,
    ) -> Result<Self, Error> {
        let protocol = (sizes.tls, sizes.suite);
        match prepare(&mut channel, session, commitments, settings, sizes, &mut rng) {
            Ok(live) => Ok(Self { channel, rng, protocol, live: Some(live) }),
            Err(error) => {
                channel.fail(&error.public_reason());
                Err(error)
            }
        }
    }

    /// The counters of the channel to V so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.channel.stats()
    }

    /// Ends a session whose connection to the server has failed, and tells V why, unless V knows of an error
    /// already. V hears the kind of the failure, and what its own limit has to do with it.
    pub fn give_up(&mut self, error: &Error) {
        if self.live.take().is_some() {
            self.channel.fail(&error.public_reason());
        }
    }

    /// Runs a step. If it fails, the session is over.
    fn step<T>(
        &mut self,
        step: impl FnOnce(&mut Live, &mut dyn Channel, &mut R) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut live = self.live.take().ok_or(Error::Over)?;
        match step(&mut live, &mut self.channel, &mut self.rng) {
            Ok(value) => {
                self.live = Some(live);
                Ok(value)
            }
            Err(error) => {
                self.channel.fail(&error.public_reason());
                Err(error)
            }
        }
    }

    /// Gives V the connection, which P has closed: all bytes that were sent, from the first to the last
    /// (`raw`: the client's, the server's), and its host. V opens its part of the secrets. P checks
    /// everything that V did in the connection, the server's Finished message and every tag, and reads the
    /// response.
    ///
    /// # Errors
    /// [`Error::Disclosure`] if the bytes are not a connection about which anything can be proved;
    /// [`Error::Parties`] and [`Error::Garbling`] with a cheat if V did not follow the protocol; the
    /// channel's.
    pub fn conclude(mut self, host: &str, raw: [Vec<u8>; 2]) -> Result<Fetched<C, R>, Error> {
        let live = self.live.take().ok_or(Error::Over)?;
        match live.conclude(&mut self.channel, host, raw) {
            Ok(known) => Ok(Fetched { channel: self.channel, rng: self.rng, known }),
            Err(error) => {
                self.channel.fail(&error.public_reason());
                Err(error)
            }
        }
    }
}

fn prepare(
    channel: &mut dyn Channel,
    session: &SessionId,
    mut commitments: Pool,
    settings: Settings,
    sizes: Sizes,
    rng: &mut impl CryptoRng,
) -> Result<Live, Error> {
    sizes.check([MAX_QUERY, MAX_READ, MAX_PROVED])?;
    if !sizes.are_sound() {
        return Err(Error::misuse("rounds that are none or too many, empty, or read out of order"));
    }
    message::send_sizes(channel, &sizes)?;
    let settings = sizes.settings(settings);
    let cost = sizes.cost()?;
    let ahead = cost.announce(&mut commitments, settings.proof, sizes.suite)?;
    let labels = GarblerLabels::start(channel, session, &mut commitments, rng)?;
    // Tables take longest, so the first ones go out while V answers.
    begin_round(channel, &mut commitments)?;
    let mut garbler = Garbler::without_labels(session, settings, labels.offset(), commitments, rng);
    garbler.prepare_beside(ahead);
    let prover = garbler.input(channel, Owner::Prover, program::SHARE_BITS)?;
    let verifier = garbler.input(channel, Owner::Verifier, program::SHARE_BITS)?;
    let shares = [prover.wires().to_vec(), verifier.wires().to_vec()];
    let mut machine = Machine::new(garbler);
    let [p, v] = &shares;
    let secrets = program::rehearse_secrets(&mut machine, channel, &sizes, [p, v])?;
    answer_round(channel, machine.party.commitments())?;
    let (offset, mut labels) = labels.finish(channel, rng)?;
    labels.prepare(channel, sizes.label_correlations()?)?;
    let exchange = ProverProducts::prepare(channel, session, (&offset, &mut labels), rng)?;
    let hash_keys =
        ProverHashKeys::prepare(channel, session, (offset.duplicate(), &mut labels), &sizes, rng)?;
    let tags = ProverTags::prepare(channel, session, (offset, &mut labels), &sizes, rng)?;
    machine.party.set_labels(channel, labels)?;
    program::rehearse(&mut machine, channel, secrets, &sizes)?;
    machine.party.commitments().prepare(channel, cost.correlations(settings.proof)?)?;
    let hash_keys = hash_keys.finish(channel)?;
    let key = key_exchange::Prover::start(channel, rng)?;
    let stage = Stage::Prepared { key: Box::new(key), inputs: [prover, verifier] };
    let (session, blinding, share, handshake) = (*session, None, None, None);
    Ok(Live { machine, exchange, tags, hash_keys, blinding, session, sizes, share, handshake, shares, stage })
}

impl Live {
    fn take(&mut self) -> Stage {
        core::mem::replace(&mut self.stage, Stage::Moving)
    }

    fn agree(
        &mut self,
        channel: &mut dyn Channel,
        server: &PublicPoint,
        rng: &mut impl CryptoRng,
    ) -> Result<(), Error> {
        let (key, [prover, verifier]) = match self.take() {
            Stage::Prepared { key, inputs } => (key, inputs),
            stage => return stage.order("the key exchange"),
        };
        let share = key.finish(channel, &mut self.exchange, server, rng)?;
        let garbler = &mut self.machine.party;
        garbler.take(channel, verifier)?;
        garbler.give(channel, prover, &share_bits(share.expose()))?;
        self.share = Some(share);
        let [prover, verifier] = &self.shares;
        let (suite, group, shares) = (self.sizes.suite, server.group(), [&**prover, &**verifier]);
        let machine = &mut self.machine.perform(channel);
        self.stage = match self.sizes.tls {
            TlsVersion::Tls12 => Stage::Tls12(tls12::Stage::agreed(machine, suite, group, shares)?),
            TlsVersion::Tls13 => Stage::Tls13(tls13::Stage::agreed(machine, suite, group, shares)?),
        };
        // In TLS 1.2 there is a secret still to come, and a message of V's that theirs can go with.
        if self.sizes.tls == TlsVersion::Tls13 { self.give_blindings(channel) } else { Ok(()) }
    }

    /// Both parties give what hides the hash keys. V's part comes with its last public value of the secrets.
    fn give_blindings(&mut self, channel: &mut dyn Channel) -> Result<(), Error> {
        let machine = &mut self.machine.perform(channel);
        self.blinding = Some(hash_key::inputs(machine, &self.sizes, [Some(&self.hash_keys), None])?);
        Ok(())
    }

    /// What the client's records need, from the wires of its key and IV.
    fn client(&mut self, channel: &mut dyn Channel, key: [&[Wire]; 2]) -> Result<Client<Wire>, Error> {
        let client = program::client(&mut self.machine.perform(channel), key, &self.sizes)?;
        if let Some(tags) = &mut self.tags {
            tags.share_r(channel, &mut self.machine, &client.protections)?;
        }
        Ok(client)
    }

    /// What all records need, and the first record.
    fn first_record(
        &mut self,
        channel: &mut dyn Channel,
        (derived, client): (Derived<Wire>, Client<Wire>),
        plaintext: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let server = program::server(&mut self.machine.perform(channel), &derived, &self.sizes)?;
        if let Some(tags) = &mut self.tags {
            tags.powers(channel)?;
        }
        let masked = masked(channel, &client, 0, plaintext)?;
        let inputs = self.blinding.take().ok_or_else(|| Error::misuse("hash keys that nothing hides"))?;
        let machine = &mut self.machine.perform(channel);
        let opened = program::blinded_keys(machine, &inputs, &client, server.as_ref())?;
        let [powers, server_powers] = self.hash_keys.powers(&self.sizes, &opened)?;
        let reader = server.map(|key| Reader::new(&self.session, &self.sizes, key, server_powers));
        let (protected, plaintexts, read) = (self.sizes.protection(), Vec::new(), Zeroizing::default());
        let mut sending = Sending { protected, derived, client, powers, plaintexts, reader, read };
        let parties = (&mut self.machine, self.tags.as_mut());
        let record = sending.complete(channel, parties, plaintext, masked)?;
        self.stage = Stage::Sending(Box::new(sending));
        Ok(record)
    }

    /// The plaintext of the client's record with this number, from its content; `None` if that is not what
    /// was prepared.
    fn plaintext(&self, number: usize, content_type: u8, content: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let expected = program::content_type(self.sizes.tls, number);
        let mut plaintext = Zeroizing::new(Vec::with_capacity(content.len() + 1));
        plaintext.extend_from_slice(content);
        if self.sizes.tls == TlsVersion::Tls13 {
            plaintext.push(content_type);
        }
        let length = self.sizes.records().get(number)?.length;
        (content_type == expected && plaintext.len() == length).then_some(plaintext)
    }

    fn encrypt(
        &mut self,
        channel: &mut dyn Channel,
        content_type: u8,
        content: &[u8],
    ) -> Result<Vec<u8>, Error> {
        const OTHER: &str = "a record of another type or length, or one too many";
        let (number, stage) = match self.take() {
            Stage::Sending(sending) => (sending.plaintexts.len(), Stage::Sending(sending)),
            stage => (0, stage),
        };
        let plaintext = self.plaintext(number, content_type, content);
        match (stage, plaintext) {
            (Stage::Tls12(stage), Some(plaintext)) if stage.finished_is(content) => {
                self.first_record(channel, stage.derived()?, &plaintext)
            }
            (Stage::Tls13(stage), Some(plaintext)) => {
                self.first_record(channel, stage.derived()?, &plaintext)
            }
            (Stage::Sending(mut sending), Some(plaintext)) => {
                if self.sizes.begins_later(number) {
                    message::send_request(channel)?;
                }
                let masked = masked(channel, &sending.client, number, &plaintext)?;
                let parties = (&mut self.machine, self.tags.as_mut());
                let record = sending.complete(channel, parties, &plaintext, masked)?;
                self.stage = Stage::Sending(sending);
                Ok(record)
            }
            (stage, _) => stage.order(OTHER),
        }
    }

    fn decrypt(
        &mut self,
        channel: &mut dyn Channel,
        payload: &[u8],
        rng: &mut impl CryptoRng,
    ) -> Result<Content, Error> {
        let mut sending = match self.take() {
            Stage::Sending(sending) if self.sizes.begins_later(sending.plaintexts.len()) => sending,
            stage => return stage.order("a record of the server's"),
        };
        let Some(reader) = &mut sending.reader else {
            return Stage::Sending(sending).order("a record of the server's, of which none was to be read");
        };
        let content = reader.read(channel, &mut self.machine, self.tags.as_mut(), payload, rng)?;
        if content.content_type == APPLICATION_DATA {
            append(&mut sending.read, &content.bytes);
        }
        self.stage = Stage::Sending(sending);
        Ok(content)
    }
}

/// Sends V a record's plaintext plus P's share of its key stream.
fn masked(
    channel: &mut dyn Channel,
    client: &Client<Wire>,
    number: usize,
    plaintext: &[u8],
) -> Result<Vec<u8>, Error> {
    let mut masked = plaintext.to_vec();
    program::protection(client, number)?.apply(&mut masked)?;
    channel.send(tags::CLIENT_RECORD, &masked)?;
    Ok(masked)
}

impl Sending {
    /// Makes the next record, once V has been told its masked plaintext.
    fn complete(
        &mut self,
        channel: &mut dyn Channel,
        (machine, tags): (&mut Machine<Garbler<Step>>, Option<&mut ProverTags>),
        plaintext: &[u8],
        masked: Vec<u8>,
    ) -> Result<Vec<u8>, Error> {
        let ((aead, version), number) = (self.protected, self.plaintexts.len());
        let shared = program::stream(machine, self.protected, number)?;
        let share = machine.party.confirm(channel, &shared.wires, &shared.masks)?;
        let mut ciphertext = masked;
        program::add(&mut ciphertext, &share)?;
        let sequence = number as u64;
        let content_type = program::content_type(version, number);
        let header = associated_data(version, sequence, content_type, plaintext.len())?;
        let tag = match (&self.powers, tags) {
            (Some(powers), None) => {
                let mask = program::protection(&self.client, number)?.mask()?;
                ghash::tag(channel, powers, &header, &ciphertext, mask)?
            }
            (None, Some(tags)) => tags.tag(channel, machine, &header, &ciphertext)?,
            _ => return Err(program::other_suite()),
        };
        self.plaintexts.push(Zeroizing::new(plaintext.to_vec()));
        let number = sequence.to_be_bytes();
        let nonce = number.get(..aead.explicit_bytes(version)).unwrap_or_default();
        Ok([nonce, &ciphertext, &tag].concat())
    }
}

impl<C: Channel, R: CryptoRng> Engine for Prover<C, R> {
    fn carry(&mut self, request: &[u8], answered: bool) -> Result<Vec<u8>, Error> {
        self.step(|_, channel, _| {
            channel.send(tags::CARRY_REQUEST, request)?;
            match answered {
                true => Ok(channel.recv(tags::CARRY_ANSWER, 1 + MAX_CHUNK)?.to_vec()),
                false => Ok(Vec::new()),
            }
        })
    }

    fn protocol(&self) -> (TlsVersion, Suite) {
        self.protocol
    }

    fn public_key(&mut self, group: Group) -> Result<Vec<u8>, Error> {
        self.step(|live, _, _| match &live.stage {
            Stage::Prepared { key, .. } => Ok(key.client_point(group)),
            stage => stage.order("the public key"),
        })
    }

    fn agree(&mut self, group: Group, server_point: &[u8]) -> Result<(), Error> {
        self.step(|live, channel, rng| {
            let server = PublicPoint::from_bytes(group, server_point)?;
            live.agree(channel, &server, rng)
        })
    }

    fn master_secret(&mut self, seed: &MasterSeed) -> Result<(), Error> {
        self.step(|live, channel, _| live.master(channel, seed))
    }

    fn key_block(&mut self, client_random: &Random, server_random: &Random) -> Result<(), Error> {
        self.step(|live, channel, _| live.keys(channel, [client_random, server_random]))
    }

    fn client_finished(&mut self, handshake_hash: &HandshakeHash) -> Result<[u8; VERIFY_DATA_BYTES], Error> {
        self.step(|live, channel, _| live.finished(channel, handshake_hash))
    }

    fn handshake_secrets(&mut self, hash: &HandshakeHash) -> Result<[TrafficSecret; 2], Error> {
        self.step(|live, channel, _| live.handshake_secrets(channel, hash))
    }

    fn data_keys(&mut self, hash: &HandshakeHash) -> Result<(), Error> {
        self.step(|live, channel, _| live.data_keys(channel, hash))
    }

    fn encrypt(&mut self, content_type: u8, plaintext: &[u8]) -> Result<Vec<u8>, Error> {
        self.step(|live, channel, _| live.encrypt(channel, content_type, plaintext))
    }

    fn decrypt(&mut self, payload: &[u8]) -> Result<Content, Error> {
        self.step(|live, channel, rng| live.decrypt(channel, payload, rng))
    }
}

impl Live {
    /// What P knows after V has opened its part.
    fn conclude(self, channel: &mut dyn Channel, host: &str, raw: [Vec<u8>; 2]) -> Result<Known, Error> {
        let Self { machine, sizes, share, handshake, shares: [_, verifier], stage, .. } = self;
        let Stage::Sending(sending) = stage else {
            return stage.order("the end of the connection");
        };
        let Sending { protected: (_, version), derived, client, plaintexts, read, .. } = *sending;
        let (Some(share), true) = (share, plaintexts.len() == sizes.records().len()) else {
            return Err(Error::Order { asked: "the end of the connection", expected: "a record".into() });
        };
        let mut garbler = machine.into_party()?;
        let [client_bytes, server_bytes] = &raw;
        // P opens the handshake before it gives anything away.
        let transcript = match handshake {
            None => OpenConnection::Tls12(Transcript::parse(client_bytes, server_bytes)?),
            Some(secrets) => {
                let transcript = tls13_transcript::Transcript::parse(client_bytes, server_bytes)?;
                OpenConnection::Tls13(transcript.open(&secrets)?)
            }
        };
        message::send_transcript(channel, host, [client_bytes, server_bytes])?;
        let (secret, opened) = share.check(channel)?;
        let values = garbler.learn(channel)?;
        let used = verifier.iter().map(|wire| values.wire(*wire)).collect::<Option<Vec<F2>>>();
        let used = Zeroizing::new(used.ok_or_else(|| Error::misuse("V's share has no value"))?);
        let equal = bits_to_bytes(&used).zip(bits_to_bytes(&share_bits(&opened)));
        if !equal.is_some_and(|(used, opened)| used.ct_eq(&opened).into()) {
            return Err(Error::cheat(tags::GARBLED_OPENING, "the check of V's input against its share"));
        }
        let request = request(version, &plaintexts);
        let (host, pipelined) = (host.into(), sizes.pipelined());
        let connection = Connection { host, connection: transcript, secret, raw, request, read, pipelined };
        Known::new(garbler, derived.into_root(client.key), &values, connection)
    }
}

/// The requests, from the plaintexts of the client's records.
fn request(version: TlsVersion, plaintexts: &[Zeroizing<Vec<u8>>]) -> Zeroizing<Vec<u8>> {
    let mut request = Zeroizing::new(Vec::with_capacity(plaintexts.iter().map(|part| part.len()).sum()));
    let first = usize::from(version == TlsVersion::Tls12);
    for plaintext in plaintexts.iter().skip(first) {
        let content = match version {
            TlsVersion::Tls12 => plaintext,
            TlsVersion::Tls13 => plaintext.split_last().map_or(&[][..], |(_, content)| content),
        };
        request.extend_from_slice(content);
    }
    request
}
