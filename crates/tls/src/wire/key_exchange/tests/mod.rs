//! Against libraries' Diffie-Hellman on both curves, and with every message changed.

mod x25519;

use curve25519_dalek::MontgomeryPoint;
use p256::elliptic_curve::Generate;
use p256::elliptic_curve::sec1::ToSec1Point;
use p256::{PublicKey, SecretKey};
use proptest::prelude::*;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use volery_channel::tags::{KEY_DENOMINATOR, KEY_FACTORS, KEY_OPENING, KEY_SERVER, KEY_SHARE, KEY_SLOPE};
use volery_channel::{Channel, Stats, tags};
use volery_field::{Curve25519Base, P256Base, Ring};
use volery_testing::{scripted, untouched};
use volery_vole::Delta;
use volery_vole::correlations::Pool;

use super::*;
use crate::testing::{Change, SESSION, prepared_parties, worthless};

/// What is left of a key exchange: the sum of the shares and the client's point; P's check of V's opening.
struct Run {
    prover: Result<Outcome, Error>,
    verifier: Result<(Share, PublicPoint), Error>,
}

struct Outcome {
    share: Share,
    client: Vec<u8>,
    stats: Stats,
    check: Result<(PremasterSecret, Share), Error>,
}

/// A server's key.
#[derive(Debug)]
enum Server {
    P256(SecretKey),
    X25519([u8; 32]),
}

impl Server {
    fn new(group: Group, seed: u64) -> Self {
        let rng = &mut ChaCha20Rng::seed_from_u64(seed);
        match group {
            Group::P256 => Self::P256(SecretKey::generate_from_rng(rng)),
            Group::X25519 => {
                let mut secret = [0; 32];
                rng.fill_bytes(&mut secret);
                Self::X25519(secret)
            }
        }
    }

    fn group(&self) -> Group {
        match self {
            Self::P256(_) => Group::P256,
            Self::X25519(_) => Group::X25519,
        }
    }

    /// Its point, as it is sent.
    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::P256(key) => key.public_key().to_sec1_point(false).as_bytes().to_vec(),
            Self::X25519(key) => MontgomeryPoint::mul_base_clamped(*key).0.to_vec(),
        }
    }

    fn point(&self) -> PublicPoint {
        PublicPoint::from_bytes(self.group(), &self.bytes()).unwrap()
    }

    /// The pre-master secret as it computes it.
    fn secret(&self, client: &[u8]) -> [u8; 32] {
        match self {
            Self::P256(key) => {
                let client = PublicKey::from_sec1_bytes(client).unwrap();
                let secret = p256::ecdh::diffie_hellman(key.to_nonzero_scalar(), client.as_affine());
                (*secret.raw_secret_bytes()).into()
            }
            Self::X25519(key) => MontgomeryPoint(client.try_into().unwrap()).mul_clamped(*key).0,
        }
    }
}

/// The sum of two shares, as TLS has it.
fn sum(group: Group, p: &Share, v: &Share) -> [u8; 32] {
    fn add<F: Element>(p: &Share, v: &Share) -> [u8; 32] {
        *encoded(F::decode(&**p).unwrap() + F::decode(&**v).unwrap()).unwrap()
    }
    match group {
        Group::P256 => {
            let mut bytes = add::<P256Base>(p, v);
            bytes.reverse();
            bytes
        }
        Group::X25519 => add::<Curve25519Base>(p, v),
    }
}

fn p_products(
    channel: &mut dyn Channel,
    delta: Delta,
    pool: &mut Pool,
    rng: &mut ChaCha20Rng,
) -> ProverProducts {
    pool.prepare(channel, correlations().unwrap()).unwrap();
    ProverProducts::prepare(channel, &SESSION, (&delta, pool), rng).unwrap()
}

fn v_products(channel: &mut dyn Channel, pool: &mut Pool, rng: &mut ChaCha20Rng) -> VerifierProducts {
    pool.prepare(channel, correlations().unwrap()).unwrap();
    let before = channel.stats();
    let requested = VerifierProducts::request(channel, &SESSION, pool, rng).unwrap();
    let products = requested.receive(channel).unwrap();
    assert_eq!((channel.stats() - before).round_trips, 1);
    products
}

/// P from its key on.
fn agreed(
    prover: Prover,
    point: PublicPoint,
    channel: &mut dyn Channel,
    products: &mut ProverProducts,
    rng: &mut ChaCha20Rng,
) -> Result<Outcome, Error> {
    let (client, before) = (prover.client_point(point.group()), channel.stats());
    let share = prover.finish(channel, products, &point, rng)?;
    let stats = channel.stats() - before;
    Ok(Outcome { share: share.expose().clone(), client, stats, check: share.check(channel) })
}

fn prover(
    point: PublicPoint,
    channel: &mut dyn Channel,
    products: &mut ProverProducts,
    rng: &mut ChaCha20Rng,
) -> Result<Outcome, Error> {
    agreed(Prover::start(channel, rng)?, point, channel, products, rng)
}

fn verifier(
    channel: &mut dyn Channel,
    products: &mut VerifierProducts,
    rng: &mut ChaCha20Rng,
) -> Result<(Share, PublicPoint), Error> {
    let share = Verifier::start(channel, rng)?.finish(channel, products, rng)?;
    share.open(channel)?;
    Ok((share.expose().clone(), *share.server()))
}

/// A run against the server with this key. The parties draw differently: V first throws a number away.
fn run(server: &Server, changes: [Change; 2]) -> Run {
    let point = server.point();
    let (prover, verifier) = prepared_parties(
        7,
        changes,
        (p_products, v_products),
        |channel, products, rng| prover(point, channel, products, rng),
        |channel, products, rng| {
            let _ = random::<P256Base>(rng);
            verifier(channel, products, rng)
        },
    );
    Run { prover, verifier }
}

#[test]
fn the_shares_add_up_to_what_the_server_computes() {
    for (group, seed) in Group::ALL.into_iter().flat_map(|group| (0..3).map(move |seed| (group, seed))) {
        let server = Server::new(group, seed);
        let run = run(&server, [untouched; 2]);
        let (p, (v, point)) = (run.prover.unwrap(), run.verifier.unwrap());
        let expected = server.secret(&p.client);
        assert_eq!(sum(group, &p.share, &v), expected);
        assert_ne!(sum(group, &p.share, &Share::default()), expected);
        assert_eq!((point.group(), point.to_bytes()), (group, server.bytes()));
        let (secret, share) = p.check.unwrap();
        assert!(*secret == expected && share == v);
    }
}

#[test]
fn it_takes_three_round_trips_and_less_than_700_bytes() {
    for group in Group::ALL {
        let stats = run(&Server::new(group, 1), [untouched; 2]).prover.unwrap().stats;
        assert_eq!(stats.round_trips, 3);
        let bytes = stats.bytes_sent + stats.bytes_received;
        assert!(bytes < 700, "{bytes} bytes");
    }
}

/// Flips a bit of the byte at `AT` in the message of one step.
macro_rules! flip {
    ($tag:ident, $at:expr) => {{
        fn flip(tag: Tag, payload: &mut Vec<u8>) {
            if tag == $tag {
                payload[$at] ^= 4;
            }
        }
        flip as Change
    }};
}

/// V's messages: each is refused at once, or P finds out when V opens its part.
#[test]
fn whatever_the_verifier_changes_the_prover_finds_out() {
    let servers = Group::ALL.map(|group| Server::new(group, 2));
    // A point of each curve.
    for change in [flip!(KEY_SHARE, 40), flip!(KEY_SHARE, 75)] {
        let at_once = run(&servers[0], [untouched, change]).prover.err();
        assert!(matches!(at_once, Some(Error::Malformed { step: KEY_SHARE, .. })), "{at_once:?}");
    }
    let later = [
        ("x_2", flip!(KEY_FACTORS, 0)),
        ("rho_2", flip!(KEY_FACTORS, 32)),
        ("y_2", flip!(KEY_FACTORS, 64)),
        ("its share of d", flip!(KEY_DENOMINATOR, 0)),
        ("eta_2", flip!(KEY_DENOMINATOR, 32)),
        ("lambda_2", flip!(KEY_SLOPE, 0)),
        ("the opened share", flip!(KEY_OPENING, 32)),
        ("the opened key", flip!(KEY_OPENING, 31)),
    ];
    for server in &servers {
        for (what, change) in later {
            let check = run(server, [untouched, change]).prover.unwrap().check;
            assert!(
                matches!(check, Err(Error::Cheat { step: KEY_OPENING, .. })),
                "{what}: {:?}",
                check.err()
            );
        }
    }
}

/// P's messages: V refuses a bad point, and a group that is none, at once. Of the rest V sees nothing; the
/// shares add up to a number that is not the pre-master secret, so that no record of the server opens, and
/// the proof that V waits for cannot be made.
#[test]
fn whatever_the_prover_changes_gives_shares_of_another_secret() {
    let later = [
        ("its share of d", flip!(KEY_DENOMINATOR, 0)),
        ("eta_1", flip!(KEY_SLOPE, 0)),
        ("-y_1", flip!(KEY_SLOPE, 32)),
        ("lambda_1", flip!(KEY_SLOPE, 64)),
    ];
    let corrections = [
        [("rho_1", flip!(KEY_SERVER, 2 + 65)), ("-x_1", flip!(KEY_SERVER, 2 + 97))],
        [("rho_1", flip!(KEY_SERVER, 2 + 32)), ("-x_1", flip!(KEY_SERVER, 2 + 64))],
    ];
    for (group, corrections) in Group::ALL.into_iter().zip(corrections) {
        let server = Server::new(group, 3);
        for change in [flip!(KEY_SERVER, 1), flip!(KEY_SERVER, 20)] {
            let at_once = run(&server, [change, untouched]).verifier.err();
            assert!(
                matches!(at_once, Some(Error::Malformed { step: KEY_SERVER, .. })),
                "{group:?} {at_once:?}"
            );
        }
        for (what, change) in later.into_iter().chain(corrections) {
            let run = run(&server, [change, untouched]);
            let (p, (v, _)) = (run.prover.unwrap(), run.verifier.unwrap());
            assert_ne!(sum(group, &p.share, &v), server.secret(&p.client), "{what}");
        }
    }
}

/// The other group's number over the same point: V takes part in neither.
#[test]
fn a_point_under_the_other_group_s_name_is_refused() {
    fn other(tag: Tag, payload: &mut Vec<u8>) {
        if tag == KEY_SERVER {
            payload[1] ^= 23 ^ 29;
        }
    }
    for group in Group::ALL {
        let error = run(&Server::new(group, 3), [other, untouched]).verifier.err();
        assert!(matches!(error, Some(Error::Malformed { step: KEY_SERVER, .. })), "{group:?} {error:?}");
    }
}

#[test]
fn messages_of_wrong_length_and_elements_above_the_prime_are_refused() {
    fn cut<const TAG: u8>(tag: Tag, payload: &mut Vec<u8>) {
        if tag.byte() == TAG {
            payload.pop();
        }
    }
    fn fill<const TAG: u8>(tag: Tag, payload: &mut Vec<u8>) {
        if tag.byte() == TAG {
            let start = payload.len() - 32;
            payload[start..].fill(0xff);
        }
    }
    let malformed = |error: Option<Error>, what: &str| {
        assert!(matches!(error, Some(Error::Malformed { .. })), "{what}: {error:?}");
    };
    let by_verifier: [(&str, Change); 8] = [
        ("share cut", cut::<0x70>),
        ("share", fill::<0x70>),
        ("factors cut", cut::<0x72>),
        ("factors", fill::<0x72>),
        ("denominator cut", cut::<0x73>),
        ("denominator", fill::<0x73>),
        ("slope cut", cut::<0x74>),
        ("slope", fill::<0x74>),
    ];
    let by_prover: [(&str, Change); 6] = [
        ("server cut", cut::<0x71>),
        ("server", fill::<0x71>),
        ("denominator cut", cut::<0x73>),
        ("denominator", fill::<0x73>),
        ("slope cut", cut::<0x74>),
        ("slope", fill::<0x74>),
    ];
    for group in Group::ALL {
        let server = Server::new(group, 4);
        for (what, change) in by_verifier {
            malformed(run(&server, [untouched, change]).prover.err(), what);
        }
        for (what, change) in by_prover {
            malformed(run(&server, [change, untouched]).verifier.err(), what);
        }
        let check = run(&server, [untouched, fill::<0x75>]).prover.unwrap().check;
        malformed(check.err(), "opening");
    }
}

#[test]
fn a_key_share_of_another_point_is_refused() {
    // V opens the number 1 (2^248 in the other order): canonical, and not its key share.
    fn one(tag: Tag, payload: &mut Vec<u8>) {
        if tag == KEY_OPENING {
            payload[..32].fill(0);
            payload[31] = 1;
        }
    }
    fn zero(tag: Tag, payload: &mut Vec<u8>) {
        if tag == KEY_OPENING {
            payload[..32].fill(0);
        }
    }
    for group in Group::ALL {
        let server = Server::new(group, 5);
        let check = run(&server, [untouched, one]).prover.unwrap().check;
        assert!(matches!(check, Err(Error::Cheat { step: KEY_OPENING, .. })));
        let check = run(&server, [untouched, zero]).prover.unwrap().check;
        assert!(matches!(check, Err(Error::Malformed { step: KEY_OPENING, .. })));
    }
}

#[test]
fn equal_key_shares_end_the_session_on_both_sides() {
    for group in Group::ALL {
        let point = Server::new(group, 6).point();
        // The same seed: both draw the same keys.
        let (p, v) = prepared_parties(
            9,
            [untouched; 2],
            (p_products, v_products),
            |channel, products, rng| prover(point, channel, products, rng).map(drop),
            |channel, products, rng| verifier(channel, products, rng).map(drop),
        );
        assert!(matches!(v, Err(Error::Cheat { step: KEY_DENOMINATOR, .. })), "{v:?}");
        // V says nothing more, so P sees that it has gone.
        assert!(matches!(p, Err(Error::Channel(_))), "{p:?}");
    }
    assert!(share_of_inverse(P256Base::ONE, P256Base::ZERO, KEY_DENOMINATOR).is_err());
}

#[test]
fn only_uncompressed_points_of_p256_are_read() {
    let Server::P256(key) = Server::new(Group::P256, 7) else { panic!("another group") };
    let point = key.public_key();
    let good = point.to_sec1_point(false).as_bytes().to_vec();
    assert_eq!(PublicPoint::from_bytes(Group::P256, &good).unwrap().to_bytes(), good);
    let mut off_the_curve = good.clone();
    off_the_curve[64] ^= 1;
    let mut above_the_prime = good.clone();
    above_the_prime[1..33].fill(0xff);
    let mut other_form = good.clone();
    other_form[0] = 6;
    let compressed = point.to_sec1_point(true).as_bytes().to_vec();
    let bad =
        [off_the_curve, above_the_prime, other_form, compressed, vec![0], vec![], vec![4; 64], vec![0; 65]];
    for bytes in bad {
        let error = PublicPoint::from_bytes(Group::P256, &bytes).unwrap_err();
        assert!(matches!(error, Error::Server { .. }), "{bytes:?}: {error}");
    }
}

#[test]
fn groups_have_the_numbers_of_tls() {
    assert_eq!(Group::ALL.map(Group::number), [0x0017, 0x001d]);
    for number in 0..0x200 {
        assert_eq!(Group::from_number(number).is_some(), matches!(number, 23 | 29));
    }
}

#[test]
fn too_few_products_are_a_misuse_that_says_so() {
    let point = Server::new(Group::P256, 8).point();
    let (p, v) = prepared_parties(
        10,
        [untouched; 2],
        (p_products, v_products),
        |channel, products, rng| {
            products.p256.begin(&[P256Base::ONE]).unwrap();
            prover(point, channel, products, rng).map(drop)
        },
        |channel, products, rng| {
            products.p256.begin(&[P256Base::ONE]).unwrap();
            let _ = random::<P256Base>(rng);
            verifier(channel, products, rng).map(drop)
        },
    );
    assert!(matches!(p, Err(Error::Products(volery_vole::Error::Misuse(_)))), "{p:?}");
    assert!(v.is_err());
}

/// A message that an honest peer could have sent, or anything.
fn message(honest: Vec<u8>) -> impl Strategy<Value = Vec<u8>> {
    let length = honest.len();
    prop_oneof![
        6 => Just(honest),
        1 => prop::collection::vec(any::<u8>(), length),
        1 => prop::collection::vec(any::<u8>(), 0..2 * length),
    ]
}

fn any_server() -> impl Strategy<Value = Server> {
    prop::sample::select(&Group::ALL[..]).prop_map(|group| Server::new(group, 11))
}

/// An honest V's points.
fn points() -> Vec<u8> {
    let (p256, x25519) =
        (Server::new(Group::P256, 14), curve25519_dalek::constants::ED25519_BASEPOINT_COMPRESSED);
    [p256.bytes(), x25519.0.to_vec()].concat()
}

/// An honest P's first message.
fn hello(group: Group) -> Vec<u8> {
    [&group.number().to_be_bytes()[..], &Server::new(group, 11).bytes(), &[1; 64]].concat()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A V that does not take part: P gets an error, or a share and then an error.
    #[test]
    fn no_messages_of_a_verifier_make_the_prover_panic_or_accept(
        server in any_server(), share in message(points()), factors in message(vec![1; 96]), denominator in message(vec![2; 64]),
        slope in message(vec![3; 32]), opening in message(vec![4; 64]),
    ) {
        let (mut channel, _peer) = scripted(&[
            (tags::OLE_CHOICES, vec![0; 5 * 32]),
            (tags::OLE_CHOICES, vec![0; 5 * 32]),
            (KEY_SHARE, share),
            (KEY_FACTORS, factors),
            (KEY_DENOMINATOR, denominator),
            (KEY_SLOPE, slope),
            (KEY_OPENING, opening),
        ]);
        let rng = &mut ChaCha20Rng::seed_from_u64(12);
        let mut products =
            ProverProducts::prepare(&mut channel, &SESSION, (&Delta::random(rng), &mut worthless()), rng).unwrap();
        let outcome = prover(server.point(), &mut channel, &mut products, rng);
        prop_assert!(outcome.is_err() || outcome.is_ok_and(|outcome| outcome.check.is_err()));
    }

    /// A P that does not take part.
    #[test]
    fn no_messages_of_a_prover_make_the_verifier_panic(
        server in prop_oneof![message(hello(Group::P256)), message(hello(Group::X25519))],
        denominator in message(vec![2; 32]), slope in message(vec![3; 96]),
    ) {
        let honest = Group::ALL.iter().any(|group| server == hello(*group));
        let all_honest = honest && denominator == [2; 32] && slope == [3; 96];
        let (mut channel, _peer) = scripted(&[
            (tags::OLE_PRODUCTS, vec![0; 5 * 8192]),
            (tags::OLE_PRODUCTS, vec![0; 5 * 8160]),
            (KEY_SERVER, server),
            (KEY_DENOMINATOR, denominator),
            (KEY_SLOPE, slope),
        ]);
        let rng = &mut ChaCha20Rng::seed_from_u64(13);
        let requested = VerifierProducts::request(&mut channel, &SESSION, &mut worthless(), rng).unwrap();
        let mut products = requested.receive(&mut channel).unwrap();
        let outcome = verifier(&mut channel, &mut products, rng);
        prop_assert!(outcome.is_ok() || !all_honest);
    }
}
