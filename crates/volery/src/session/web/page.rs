//! The end of a connection to a website: what was proved becomes an attestation.
//!
//! ```text
//! P: ProvedPage                                  V: VerifiedPage
//!
//! nothing committed to: the session is there still, and goes on when the attestation has arrived
//! something committed to: V has opened its delta, so there is no session any more, only the channel
//!
//! attestation                <-----------        attest
//! Attested                                       Signed
//! ```

use rand_core::CryptoRng;
use volery_channel::platform::SystemTime;
use volery_channel::tags::WEB_ATTESTATION;
use volery_channel::{Channel, Stats};
use volery_tls::attestation::{self, Attestation, SigningKey, Statement};
use volery_tls::commitment::{CommittedBits, Openings};
use volery_tls::leaf::LeafOpenings;
use volery_tls::proxy::{Accepted, Proven};

use super::super::{Prover, Verifier};
use crate::Error;

/// What remains of a session after a connection.
enum Continuation<S, C> {
    /// All of it.
    Session(S),
    /// The channel: everything under delta is destroyed.
    Channel(C),
}

/// P of a connection of which V has accepted everything: V is to sign that next.
pub struct ProvedPage<C: Channel> {
    continuation: Continuation<Prover<C>, C>,
    openings: Option<Openings>,
    leaves: Option<LeafOpenings>,
    /// What V is to sign, commitments apart.
    expected: Statement,
}

/// What P has disclosed and proved.
pub(super) struct Disclosed {
    /// What V is to sign, commitments apart.
    pub(super) expected: Statement,
    /// What opens its leaves, if P commits to everything.
    pub(super) leaves: Option<LeafOpenings>,
    /// The bits to commit to, if there are any.
    pub(super) committed_bits: Option<CommittedBits>,
}

/// What P has in the end.
pub struct Attested<C: Channel> {
    /// What V signed. P has checked that it says what P disclosed, and has P's commitments.
    pub attestation: Attestation,
    /// What opens the commitments; secret. None if P committed to nothing.
    pub openings: Option<Openings>,
    /// What opens the leaves; secret. None if P did not commit to everything, or hid nothing.
    pub leaves: Option<LeafOpenings>,
    /// The session, if it goes on: it does not if P committed to anything.
    pub session: Option<Prover<C>>,
    /// The channel's counters.
    pub stats: Stats,
}

/// V of a connection of which it has accepted everything.
pub struct VerifiedPage<C: Channel> {
    continuation: Continuation<Verifier<C>, C>,
    proven: Proven,
}

/// What V has in the end.
pub struct Signed<C: Channel> {
    /// What it signed.
    pub attestation: Attestation,
    /// The session, if it goes on: it does not if P committed to anything.
    pub session: Option<Verifier<C>>,
    /// The channel's counters.
    pub stats: Stats,
}

/// Seconds since 1970 by this machine's clock; 0 if it is set to a time before.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// Ends what is done on a channel: the peer is told of an error.
fn conclude<T>(channel: &mut dyn Channel, result: Result<T, Error>) -> Result<T, Error> {
    if let Err(error) = &result {
        channel.fail(error.public_reason());
    }
    result
}

impl<C: Channel> ProvedPage<C> {
    /// Commits to these bits, if there are any, which ends the session.
    pub(super) fn new(
        prover: Prover<C>,
        disclosed: Disclosed,
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, Error> {
        let Disclosed { expected, leaves, committed_bits } = disclosed;
        let Some(committed_bits) = committed_bits else {
            let continuation = Continuation::Session(prover);
            return Ok(Self { continuation, openings: None, leaves, expected });
        };
        let Prover { mut channel, common, pool, extension, field } = prover;
        // They are under the delta that V is about to open.
        drop((extension, field));
        let openings = committed_bits.commit(&mut channel, &common.id, pool, rng).map_err(Error::from);
        let openings = conclude(&mut channel, openings)?;
        let continuation = Continuation::Channel(channel);
        Ok(Self { continuation, openings: Some(openings), leaves, expected })
    }

    /// Waits for V's signed statement, which must be by the owner of this key, say what P disclosed and
    /// nothing else, and have P's commitments. If it is signed for contracts, too, that signature must be
    /// right; whose it is, [`Attestation::contract_signer`] says.
    ///
    /// # Errors
    /// [`Error::Attestation`] if it is not one, not by that key, or says something else; [`Error::Openings`]
    /// if it has other commitments; the channel's, V's refusal of the commitments among them.
    pub fn attestation(self, key: &[u8; 32]) -> Result<Attested<C>, Error> {
        let Self { mut continuation, openings, leaves, expected } = self;
        let (attestation, stats) = match &mut continuation {
            Continuation::Session(prover) => {
                let result = receive(&mut prover.channel, key, openings.as_ref(), &expected);
                (prover.conclude(result)?, prover.channel.stats())
            }
            Continuation::Channel(channel) => {
                let result = receive(channel, key, openings.as_ref(), &expected);
                (conclude(channel, result)?, channel.stats())
            }
        };
        let session = match continuation {
            Continuation::Session(prover) => Some(prover),
            Continuation::Channel(_) => None,
        };
        Ok(Attested { attestation, openings, leaves, session, stats })
    }
}

fn receive(
    channel: &mut dyn Channel,
    key: &[u8; 32],
    openings: Option<&Openings>,
    expected: &Statement,
) -> Result<Attestation, Error> {
    let attestation = Attestation::from_bytes(channel.recv(WEB_ATTESTATION, attestation::MAX_BYTES)?)?;
    let statement = attestation.verify(key)?;
    match openings {
        Some(openings) => openings.check_all(statement)?,
        None => Openings::check_none(statement)?,
    }
    statement.check_against(expected)?;
    Ok(attestation)
}

impl<C: Channel> VerifiedPage<C> {
    /// Receives the commitments that P owes, if any, which ends the session.
    pub(super) fn new(
        verifier: Verifier<C>,
        accepted: Accepted,
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, Error> {
        let accepted = match accepted.without_commitments() {
            Ok(proven) => return Ok(Self { continuation: Continuation::Session(verifier), proven }),
            Err(accepted) => accepted,
        };
        let Verifier { mut channel, common, pool, delta, extension, field } = verifier;
        // They are under the delta that this party is about to open.
        drop((extension, field));
        let proven = accepted.receive(&mut channel, &common.id, (delta, pool), rng).map_err(Error::from);
        let proven = conclude(&mut channel, proven)?;
        Ok(Self { continuation: Continuation::Channel(channel), proven })
    }

    /// What V believes of the connection.
    #[must_use]
    pub fn proven(&self) -> &Proven {
        &self.proven
    }

    /// Signs what was proved, and sends it to P.
    ///
    /// # Errors
    /// [`Error::Attestation`] for what cannot be signed; the channel's.
    pub fn attest(self, key: &SigningKey) -> Result<Signed<C>, Error> {
        self.attest_by(&mut |statement| Attestation::sign(statement, key))
    }

    /// As [`VerifiedPage::attest`], with a second signature for
    /// [contracts](volery_tls::attestation::contract), unless the statement is one that contracts cannot be
    /// told.
    ///
    /// # Errors
    /// As there.
    #[cfg(feature = "contracts")]
    pub fn attest_for_contracts(
        self,
        key: &SigningKey,
        contract_key: &attestation::contract::ContractKey,
    ) -> Result<Signed<C>, Error> {
        self.attest_by(&mut |statement| match Attestation::sign_for_contracts(
            statement.clone(),
            key,
            contract_key,
        ) {
            Err(attestation::Error::NoForm(_)) => Attestation::sign(statement, key),
            signed => signed,
        })
    }

    fn attest_by(self, sign: &mut Sign<'_>) -> Result<Signed<C>, Error> {
        let Self { mut continuation, proven } = self;
        let (attestation, stats) = match &mut continuation {
            Continuation::Session(verifier) => {
                let result = send(&mut verifier.channel, &proven, sign);
                (verifier.conclude(result)?, verifier.channel.stats())
            }
            Continuation::Channel(channel) => {
                let result = send(channel, &proven, sign);
                (conclude(channel, result)?, channel.stats())
            }
        };
        let session = match continuation {
            Continuation::Session(verifier) => Some(verifier),
            Continuation::Channel(_) => None,
        };
        Ok(Signed { attestation, session, stats })
    }
}

/// Signs a statement.
type Sign<'a> = dyn FnMut(Statement) -> Result<Attestation, attestation::Error> + 'a;

fn send(channel: &mut dyn Channel, proven: &Proven, sign: &mut Sign<'_>) -> Result<Attestation, Error> {
    let reason = "what is shown lies outside of the payload";
    let statement = proven.statement().ok_or(volery_tls::proxy::Error::Misuse(reason))?;
    let attestation = sign(statement)?;
    channel.send(WEB_ATTESTATION, &attestation.to_bytes())?;
    channel.flush()?;
    Ok(attestation)
}

#[cfg(test)]
mod tests {
    use volery_channel::{Limits, memory_pair};
    use volery_tls::Side;
    use volery_tls::attestation::{AttestedPayload, Committed, Context, Mode};
    use volery_tls::claim::{Assertion, Class};
    use volery_tls::commitment::{Form, Opening, OpeningsError, Place, Scalar};
    use volery_tls::disclosure::{self, Hidden};

    use super::*;

    fn opening(content: &[u8]) -> Opening {
        Opening::of_bytes(content, Scalar::ONE).expect("short")
    }

    fn openings() -> Openings {
        let place = Place { side: Side::Server, start: 4, length: 2, form: Form::Bytes };
        Openings::new(&[place], vec![opening(b"42")]).expect("one of each")
    }

    fn statement(commitments: &[&[u8]]) -> Statement {
        let mut response = AttestedPayload { length: 20, ..AttestedPayload::default() };
        for (content, start) in commitments.iter().zip((4..).step_by(4)) {
            response.hidden.push(Hidden {
                round: 0,
                part: disclosure::Part::Json("a".into()),
                class: Class::Opaque,
                ranges: core::iter::once(start..start + 2).collect(),
                claims: Vec::new(),
                commit: Some(Form::Bytes),
                leaves: Vec::new(),
            });
            response.commitments.push(Committed {
                part: "json a".into(),
                form: Form::Bytes,
                ranges: core::iter::once(start as u64..start as u64 + 2).collect(),
                points: vec![opening(content).commitment().to_bytes()],
            });
        }
        Statement {
            mode: Mode::Proxy,
            tls: disclosure::TlsVersion::Tls12,
            suite: disclosure::Suite::Aes128GcmSha256,
            server_name: "example.com".into(),
            alpn: true,
            port: 443,
            certificate: [5; 32],
            time: 1_780_000_000,
            rounds: 1,
            pipelined: false,
            context: Context::new(b"nonce").expect("short"),
            holder: None,
            query: AttestedPayload::revealing(b"GET / HTTP/1.1", core::slice::from_ref(&(0..14)))
                .expect("inside"),
            response,
        }
    }

    /// What P makes of this, when it has committed to 42 or to nothing.
    fn told(signed: Statement, openings: Option<&Openings>) -> Result<Attestation, Error> {
        let mut expected = if openings.is_some() { statement(&[b"42"]) } else { statement(&[]) };
        expected.response.commitments.clear();
        let key = SigningKey::from_bytes(&[7; 32]);
        let (mut v, mut p) = memory_pair(&Limits::default());
        let attestation = Attestation::sign(signed, &key)?;
        v.send(WEB_ATTESTATION, &attestation.to_bytes())?;
        v.flush()?;
        receive(&mut p, &key.verifying_key().to_bytes(), openings, &expected)
    }

    fn received(commitments: &[&[u8]], openings: Option<&Openings>) -> Result<Attestation, Error> {
        told(statement(commitments), openings)
    }

    /// A notary that signs something else than what it was shown, field by field.
    #[test]
    fn an_attestation_that_says_anything_else_than_p_disclosed_is_refused() {
        type Change = fn(&mut Statement);
        let changes: [(&str, Change); 14] = [
            ("mode", |s| s.mode = Mode::TwoParty),
            ("server name", |s| s.server_name = "example.org".into()),
            ("port", |s| s.port = 8443),
            ("certificate", |s| s.certificate[31] ^= 1),
            ("time", |s| s.time += 3601),
            ("time", |s| s.time -= 3601),
            ("number of rounds", |s| s.rounds = 2),
            ("context", |s| s.context = Context::default()),
            ("query", |s| s.query.length += 1),
            ("query", |s| s.query.revealed[0].bytes[4] = b'*'),
            ("query", |s| s.query.revealed.clear()),
            ("response", |s| s.response.length -= 1),
            ("response", |s| s.response.hidden[0].class = Class::JsonText),
            ("response", |s| s.response.hidden[0].claims.push(Assertion::Digits)),
        ];
        let own = openings();
        for (what, change) in changes {
            let mut signed = statement(&[b"42"]);
            change(&mut signed);
            let differs = attestation::Error::Differs(what);
            assert_eq!(told(signed, Some(&own)), Err(differs.into()), "{what}");
        }
        let mut later = statement(&[b"42"]);
        later.time += 3600;
        assert!(told(later, Some(&own)).is_ok(), "clocks differ a little");
    }

    #[test]
    fn an_attestation_is_taken_only_with_the_commitments_that_p_can_open() {
        let own = openings();
        assert!(received(&[b"42"], Some(&own)).is_ok() && received(&[], None).is_ok());
        let missing = OpeningsError::NotCommitted { side: Side::Server, start: 4 };
        assert_eq!(received(&[b"43"], Some(&own)), Err(missing.clone().into()));
        assert_eq!(received(&[], Some(&own)), Err(missing.into()));
        let more = OpeningsError::Others { attested: 2, opened: 1 };
        assert_eq!(received(&[b"42", b"43"], Some(&own)), Err(more.into()));
        assert_eq!(received(&[b"42"], None), Err(OpeningsError::Others { attested: 1, opened: 0 }.into()));
    }
}
