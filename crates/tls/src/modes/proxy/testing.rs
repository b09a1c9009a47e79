//! A web server on a real socket, and two parties in two threads that speak to it and prove with QuickSilver.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime};

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use volery_channel::handshake::{Begin, Parameters};
use volery_channel::{Channel, Limits, Tag};
use volery_circuit::{Backend, Counter, Digest, Sizes, Statement};
use volery_field::F2;
use volery_testing::{between_edited, untouched};
use volery_vole::SessionId;
use volery_zk::quicksilver::{
    Challenges,
    bits::{Program, Prover, ProverWire, Settings, Verifier, VerifierWire},
    verdict,
};
use zeroize::Zeroizing;

use super::relay::{self, Relayed, Rules};
use super::{Error, Fetched, Proven, ProxyStatement, Redaction, Target, TlsVersion, converse, receive};
use crate::memory::Budget;
use crate::page::claim::CustomClaim;
use crate::page::commitment::Openings;
use crate::page::dialogue::ReceivedResponses;
use crate::page::disclosure;
use crate::testing::{keys, tags};
use crate::wire::rustls_client::exchange;
use crate::wire::server::Roots;
use crate::wire::transcript::testing::{Authority, KeyAlgorithm, server};

const SESSION: SessionId = SessionId::new([9; 32]);

/// The name that resolves to this machine.
pub(super) const HOST: &str = "localhost";

/// How the server ends the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// With `close_notify`.
    Notify,
    /// Without a word.
    Silent,
}

/// A server that gives the first request of a connection its first response, and so on, on as many
/// connections as are made while the test runs.
pub(super) struct Site {
    pub(super) address: SocketAddr,
    pub(super) authority: Authority,
}

impl Site {
    pub(super) fn new(name: &str, response: &[u8], end: End) -> Self {
        Self::with(name, &[response], end, |config| config)
    }

    pub(super) fn several(name: &str, responses: &[&[u8]]) -> Self {
        Self::with(name, responses, End::Notify, |config| config)
    }

    pub(super) fn with(
        name: &str,
        responses: &[&[u8]],
        end: End,
        change: impl FnOnce(ServerConfig) -> ServerConfig,
    ) -> Self {
        let authority = Authority::new();
        let config = Arc::new(change(server(&authority.issue(KeyAlgorithm::P256, name))));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let responses: Vec<_> = responses.iter().map(|response| response.to_vec()).collect();
        thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                let _ = socket.set_read_timeout(Some(Duration::from_secs(10)));
                let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
                let mut stream = StreamOwned::new(connection, socket);
                let (mut requests, mut chunk) = (Vec::<u8>::new(), [0; 4096]);
                for response in &responses {
                    // What comes after a request belongs to the next one.
                    let end = loop {
                        if let Some(end) = requests.windows(4).position(|end| end == b"\r\n\r\n") {
                            break end + 4;
                        }
                        match stream.read(&mut chunk) {
                            Ok(count @ 1..) => requests.extend(&chunk[..count]),
                            _ => break requests.len(),
                        }
                    };
                    requests.drain(..end);
                    let _ = stream.write_all(response);
                }
                if end == End::Notify {
                    stream.conn.send_close_notify();
                }
                let _ = stream.flush();
            }
        });
        Self { address, authority }
    }

    pub(super) fn roots(&self) -> Roots {
        self.authority.roots()
    }
}

/// Changes a party's messages.
pub(super) type Change = Box<dyn FnMut(Tag, &mut Vec<u8>) + Send + Sync>;

/// What P has in the end.
pub(super) struct ProverOutcome {
    pub(super) response: Vec<u8>,
    /// What opens its commitments.
    pub(super) openings: Option<Openings>,
}

impl core::fmt::Debug for ProverOutcome {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ProverOutcome").field("response", &self.response).finish_non_exhaustive()
    }
}

/// What differs from an honest run.
pub(super) struct Run<'a> {
    pub(super) site: &'a Site,
    pub(super) host: &'a str,
    pub(super) request: Vec<u8>,
    /// Those after the first.
    pub(super) more: Vec<Vec<u8>>,
    pub(super) hide: Vec<Redaction>,
    /// The version of TLS that P speaks.
    pub(super) version: Option<TlsVersion>,
    /// Whom V believes.
    pub(super) roots: Roots,
    /// The claims of others that V knows.
    pub(super) vocabulary: Vec<CustomClaim>,
    /// Seconds that V's clock is ahead.
    pub(super) ahead: u64,
    /// V's memory for claims.
    pub(super) budget: Budget,
    /// Where P does not wait for whole responses: how many bytes it hears after each request, and none after
    /// the last.
    pub(super) hears: Option<Vec<usize>>,
    /// What happens to P's messages and to V's.
    pub(super) changes: [Change; 2],
    /// What P makes of a connection before it tells V.
    pub(super) cheat: fn(Fetched) -> Fetched,
    /// What V makes of its record.
    pub(super) record: fn(Relayed) -> Relayed,
}

impl<'a> Run<'a> {
    pub(super) fn new(site: &'a Site, request: &str) -> Self {
        Self {
            site,
            host: HOST,
            request: request.into(),
            more: Vec::new(),
            hide: Vec::new(),
            version: Some(TlsVersion::Tls12),
            roots: site.roots(),
            vocabulary: Vec::new(),
            ahead: 0,
            budget: Budget::default(),
            hears: None,
            changes: [Box::new(untouched), Box::new(untouched)],
            cheat: |fetched| fetched,
            record: |relayed| relayed,
        }
    }

    pub(super) fn hiding(site: &'a Site, request: &str, hide: Vec<Redaction>) -> Self {
        Self { hide, ..Self::new(site, request) }
    }

    /// What each party ends with; P with the response.
    pub(super) fn go(self) -> (Result<Vec<u8>, Failed>, Result<Proven, Failed>) {
        let (told, proven) = self.commit();
        (told.map(|told| told.response), proven)
    }

    /// What each party ends with.
    pub(super) fn commit(mut self) -> (Result<ProverOutcome, Failed>, Result<Proven, Failed>) {
        let [p, v] = core::mem::replace(&mut self.changes, [Box::new(untouched), Box::new(untouched)]);
        between_edited(&Limits::default(), (p, v), |p| self.prover(p), |v| self.verifier(v))
    }

    fn prover(&self, channel: &mut dyn Channel) -> Result<ProverOutcome, Failed> {
        let rng = &mut ChaCha20Rng::seed_from_u64(1);
        let mut pool = tags(channel, SESSION, rng)?;
        let roots = self.site.roots();
        let port = self.site.address.port();
        let (version, suite) = (self.version, None);
        let (host, roots, wait) = (self.host, &roots, Duration::from_secs(10));
        let target = Target { host, port, roots, max_received: 1 << 24, wait, version, suite };
        let mut ask = |round: usize, heard: &ReceivedResponses| {
            assert_eq!(heard.responses().len(), round, "each is asked when the one before is answered");
            let next = round.checked_sub(1).map_or(Some(&self.request), |later| self.more.get(later));
            next.map(|request| Zeroizing::new(request.clone())).ok_or_else(|| "nothing is left to ask".into())
        };
        let fetched = match &self.hears {
            None => {
                let fetched = converse(channel, &target, 1 + self.more.len(), &mut ask);
                assert!(exchange::take().is_none(), "no secret stays behind, even if the connection fails");
                fetched?
            }
            Some(hears) => {
                let requests = [core::slice::from_ref(&self.request), &*self.more].concat();
                let fetched = Fetched::unheard(channel, &target, &requests, hears);
                fetched.inspect_err(|_| channel.fail("the prover met an error"))?
            }
        };
        let fetched = (self.cheat)(fetched);
        let session = fetched.disclose(channel, &self.hide)?;
        begin::<Prover<'_>>(channel, &session)?;
        assert_estimate(&session);
        assert_draft(&fetched, &self.hide, &session);
        pool.expect(Statement::<Prover<'_>>::commitments(&session));
        let challenges = Challenges::Interactive(rng);
        let mut prover = Prover::new(Settings::LAN, challenges, &mut pool, channel, None);
        let proved = session.claim(&mut prover).and_then(|wires| prover.finish().map(|_| wires));
        let wires = proved.inspect_err(|_| channel.fail("the prover cannot run the statement"))?;
        verdict::receive(channel)?;
        let tags = wires.into_iter().map(ProverWire::tag).collect();
        let committed_bits = session.committed_bits(Zeroizing::new(tags))?;
        let openings = committed_bits
            .map(|committed_bits| committed_bits.commit(channel, &SESSION, pool, rng))
            .transpose()?;
        Ok(ProverOutcome { response: fetched.response().to_vec(), openings })
    }

    fn verifier(&self, channel: &mut dyn Channel) -> Result<Proven, Failed> {
        let rng = &mut ChaCha20Rng::seed_from_u64(2);
        let (delta, mut pool) = keys(channel, SESSION, rng)?;
        let rules =
            Rules { private: true, ports: Vec::new(), budget: self.budget.clone(), ..Rules::default() };
        let relayed = (self.record)(relay::serve(channel, &rules).map_err(Error::from)?);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
        let (session, pending) = receive(channel, &relayed, &self.roots, now + self.ahead, &self.vocabulary)?;
        begin::<Verifier<'_>>(channel, &session)?;
        pool.expect(Statement::<Verifier<'_>>::commitments(&session));
        let challenges = Challenges::Interactive(rng);
        let mut verifier = Verifier::new(Settings::LAN, challenges, &delta, &mut pool, channel, None);
        let verified = session.claim(&mut verifier).and_then(|wires| verifier.finish().map(|_| wires));
        verdict::send(channel, verified.is_ok())?;
        let keys = verified?.into_iter().map(VerifierWire::key).collect();
        let accepted = pending.accept(session.committed_bits(Zeroizing::new(keys))?);
        let proven = accepted.receive(channel, &SESSION, (delta, pool), rng);
        Ok(proven.inspect_err(|_| channel.fail("the commitments are refused"))?)
    }
}

/// The number of commitments that a session announces is enough, and not far above the one that it takes.
fn assert_estimate(session: &ProxyStatement) {
    let mut counter = Counter::<F2, Sizes>::default();
    session.claim(&mut counter).unwrap();
    let counted = Program::from(&counter.total()).commitments;
    let announced = Statement::<Counter<F2, Sizes>>::commitments(session).unwrap();
    assert!((counted..=counted / 20 * 21).contains(&announced), "{announced} for {counted} commitments");
}

/// A draft says what will be signed, and about what the proof will take.
fn assert_draft(fetched: &Fetched, hide: &[Redaction], session: &ProxyStatement) {
    let Some(draft) = fetched.draft() else { return };
    assert_eq!(
        draft.expected(hide, 7),
        fetched.expected(hide, 7).map_err(|error| match error {
            Error::Disclosure(error) => error,
            other => panic!("{other}"),
        })
    );
    let announced = Statement::<Counter<F2, Sizes>>::commitments(session).unwrap();
    let drafted = draft.cost(hide).unwrap().from_secret;
    assert!((announced * 9 / 10..=announced * 11 / 10).contains(&drafted), "{drafted} for {announced}");
}

/// Both parties compare what is to be proved.
fn begin<B: Backend>(channel: &mut dyn Channel, session: &ProxyStatement) -> Result<(), Failed>
where
    ProxyStatement: Statement<B>,
{
    let mut digest = Digest::new();
    Statement::<B>::identify(session, &mut digest);
    let begin = Begin::new(digest.finish(), Parameters::new());
    begin.send(channel)?;
    Ok(begin.receive(channel)?)
}

/// Why a party ended a run.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(super) enum Failed {
    #[error(transparent)]
    Proxy(Error),
    #[error(transparent)]
    Disclosure(#[from] disclosure::Error),
    #[error(transparent)]
    Commitments(#[from] crate::Error),
    #[error(transparent)]
    Proof(#[from] volery_zk::Error),
    #[error(transparent)]
    Channel(#[from] volery_channel::Error),
    #[error(transparent)]
    Correlations(#[from] volery_vole::Error),
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        match error {
            Error::Disclosure(error) => Self::Disclosure(error),
            other => Self::Proxy(other),
        }
    }
}
