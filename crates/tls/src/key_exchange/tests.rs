//! Against the library's Diffie-Hellman, and with every message changed.

use p256::elliptic_curve::sec1::ToSec1Point;
use p256::{PublicKey, SecretKey};
use proptest::prelude::*;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use volery_channel::tags::{KEY_DENOMINATOR, KEY_FACTORS, KEY_OPENING, KEY_SERVER, KEY_SHARE, KEY_SLOPE};
use volery_channel::{Channel, Stats, tags};
use volery_vole::{Delta, ole};

use super::*;
use crate::testing::{Change, SESSION, scripted, two_parties, untouched, worthless};

/// What is left of a key exchange: the sum of the shares and the client's point; P's check of V's opening.
struct Run {
    prover: Result<Outcome, Error>,
    verifier: Result<(P256Base, ServerPoint), Error>,
}

struct Outcome {
    share: P256Base,
    client: [u8; POINT_BYTES],
    stats: Stats,
    check: Result<(PremasterSecret, P256Base), Error>,
}

fn server(seed: u64) -> SecretKey {
    use p256::elliptic_curve::Generate;
    SecretKey::generate_from_rng(&mut ChaCha20Rng::seed_from_u64(seed))
}

/// The pre-master secret as the server computes it.
fn expected(server: &SecretKey, client: &[u8]) -> [u8; 32] {
    let client = PublicKey::from_sec1_bytes(client).unwrap();
    let secret = p256::ecdh::diffie_hellman(server.to_nonzero_scalar(), client.as_affine());
    (*secret.raw_secret_bytes()).into()
}

fn prover(
    point: ServerPoint,
    channel: &mut dyn Channel,
    products: &mut ole::Sender<P256Base>,
    rng: &mut ChaCha20Rng,
) -> Result<Outcome, Error> {
    let prover = Prover::start(channel, rng)?;
    let (client, before) = (prover.client_point(), channel.stats());
    let share = prover.finish(channel, products, &point, rng)?;
    let stats = channel.stats() - before;
    Ok(Outcome { share: share.expose(), client, stats, check: share.check(channel) })
}

fn verifier(
    channel: &mut dyn Channel,
    products: &mut ole::Receiver<P256Base>,
    rng: &mut ChaCha20Rng,
) -> Result<(P256Base, ServerPoint), Error> {
    let share = Verifier::start(channel, rng)?.finish(channel, products, rng)?;
    share.open(channel)?;
    Ok((share.expose(), *share.server()))
}

/// A run against the server with this key. The parties draw differently: V first throws a number away.
fn run(server: &SecretKey, changes: [Change; 2]) -> Run {
    let point = ServerPoint::from_bytes(server.public_key().to_sec1_point(false).as_bytes()).unwrap();
    let (prover, verifier) = two_parties(
        PRODUCTS,
        7,
        changes,
        |channel, products, rng| prover(point, channel, products, rng),
        |channel, products, rng| {
            let _ = random(rng);
            verifier(channel, products, rng)
        },
    );
    Run { prover, verifier }
}

fn to_bytes(x: P256Base) -> [u8; 32] {
    let mut bytes = [0; 32];
    x.encode(&mut bytes).unwrap();
    bytes.reverse();
    bytes
}

#[test]
fn the_shares_add_up_to_what_the_server_computes() {
    for seed in 0..5 {
        let server = server(seed);
        let run = run(&server, [untouched; 2]);
        let (p, (v, point)) = (run.prover.unwrap(), run.verifier.unwrap());
        let expected = expected(&server, &p.client);
        assert_eq!(to_bytes(p.share + v), expected);
        assert_ne!(to_bytes(p.share), expected);
        assert_eq!(point.to_bytes()[..], *server.public_key().to_sec1_point(false).as_bytes());
        let (secret, share) = p.check.unwrap();
        assert!(*secret == expected && share == v);
    }
}

#[test]
fn it_takes_three_round_trips_and_less_than_700_bytes() {
    let stats = run(&server(1), [untouched; 2]).prover.unwrap().stats;
    assert_eq!(stats.round_trips, 3);
    let bytes = stats.bytes_sent + stats.bytes_received;
    assert!(bytes < 700, "{bytes} bytes");
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
    let server = server(2);
    let run = |change| run(&server, [untouched, change]);
    let at_once = run(flip!(KEY_SHARE, 40)).prover.err();
    assert!(matches!(at_once, Some(Error::Malformed { step: KEY_SHARE, .. })), "{at_once:?}");
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
    for (what, change) in later {
        let check = run(change).prover.unwrap().check;
        assert!(matches!(check, Err(Error::Cheat { step: KEY_OPENING, .. })), "{what}: {:?}", check.err());
    }
}

/// P's messages: V refuses a bad point at once. Of the rest V sees nothing; the shares add up to a number that is not the
/// pre-master secret, so that no record of the server opens, and the proof that V waits for cannot be made.
#[test]
fn whatever_the_prover_changes_gives_shares_of_another_secret() {
    let server = server(3);
    let at_once = run(&server, [flip!(KEY_SERVER, 40), untouched]).verifier.err();
    assert!(matches!(at_once, Some(Error::Malformed { step: KEY_SERVER, .. })), "{at_once:?}");
    let later = [
        ("rho_1", flip!(KEY_SERVER, 65)),
        ("-x_1", flip!(KEY_SERVER, 97)),
        ("its share of d", flip!(KEY_DENOMINATOR, 0)),
        ("eta_1", flip!(KEY_SLOPE, 0)),
        ("-y_1", flip!(KEY_SLOPE, 32)),
        ("lambda_1", flip!(KEY_SLOPE, 64)),
    ];
    for (what, change) in later {
        let run = run(&server, [change, untouched]);
        let (p, (v, _)) = (run.prover.unwrap(), run.verifier.unwrap());
        assert_ne!(to_bytes(p.share + v), expected(&server, &p.client), "{what}");
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
    let server = server(4);
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
    for (what, change) in by_verifier {
        malformed(run(&server, [untouched, change]).prover.err(), what);
    }
    let by_prover: [(&str, Change); 6] = [
        ("server cut", cut::<0x71>),
        ("server", fill::<0x71>),
        ("denominator cut", cut::<0x73>),
        ("denominator", fill::<0x73>),
        ("slope cut", cut::<0x74>),
        ("slope", fill::<0x74>),
    ];
    for (what, change) in by_prover {
        malformed(run(&server, [change, untouched]).verifier.err(), what);
    }
    let check = run(&server, [untouched, fill::<0x75>]).prover.unwrap().check;
    malformed(check.err(), "opening");
}

#[test]
fn a_key_share_of_another_point_is_refused() {
    // V opens the number 1: canonical, and not its key share.
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
    let server = server(5);
    let check = run(&server, [untouched, one]).prover.unwrap().check;
    assert!(matches!(check, Err(Error::Cheat { step: KEY_OPENING, .. })));
    let check = run(&server, [untouched, zero]).prover.unwrap().check;
    assert!(matches!(check, Err(Error::Malformed { step: KEY_OPENING, .. })));
}

#[test]
fn equal_key_shares_end_the_session_on_both_sides() {
    let point = ServerPoint::from_bytes(server(6).public_key().to_sec1_point(false).as_bytes()).unwrap();
    // The same seed: both draw the same key.
    let (p, v) = two_parties(
        PRODUCTS,
        9,
        [untouched; 2],
        |channel, products, rng| prover(point, channel, products, rng).map(drop),
        |channel, products, rng| verifier(channel, products, rng).map(drop),
    );
    assert!(matches!(v, Err(Error::Cheat { step: KEY_DENOMINATOR, .. })), "{v:?}");
    // V says nothing more, so P sees that it has gone.
    assert!(matches!(p, Err(Error::Channel(_))), "{p:?}");
    assert!(share_of_inverse(P256Base::ONE, P256Base::ZERO, KEY_DENOMINATOR).is_err());
}

#[test]
fn only_uncompressed_points_of_the_curve_are_read() {
    let point = server(7).public_key();
    let good = point.to_sec1_point(false).as_bytes().to_vec();
    assert_eq!(ServerPoint::from_bytes(&good).unwrap().to_bytes()[..], good);
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
        let error = ServerPoint::from_bytes(&bytes).unwrap_err();
        assert!(matches!(error, Error::Server { .. }), "{bytes:?}: {error}");
    }
}

#[test]
fn too_few_products_are_a_misuse_that_says_so() {
    let point = ServerPoint::from_bytes(server(8).public_key().to_sec1_point(false).as_bytes()).unwrap();
    let (p, v) = two_parties(
        4,
        10,
        [untouched; 2],
        |channel, products, rng| prover(point, channel, products, rng).map(drop),
        |channel, products, rng| {
            let _ = random(rng);
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

fn any_point() -> Vec<u8> {
    server(11).public_key().to_sec1_point(false).as_bytes().to_vec()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A V that does not take part: P gets an error, or a share and then an error.
    #[test]
    fn no_messages_of_a_verifier_make_the_prover_panic_or_accept(
        share in message(any_point()), factors in message(vec![1; 96]), denominator in message(vec![2; 64]),
        slope in message(vec![3; 32]), opening in message(vec![4; 64]),
    ) {
        let point = ServerPoint::from_bytes(&any_point()).unwrap();
        let (mut channel, _peer) = scripted(&[
            (tags::OLE_CHOICES, vec![0; PRODUCTS * 32]),
            (KEY_SHARE, share),
            (KEY_FACTORS, factors),
            (KEY_DENOMINATOR, denominator),
            (KEY_SLOPE, slope),
            (KEY_OPENING, opening),
        ]);
        let rng = &mut ChaCha20Rng::seed_from_u64(12);
        let mut products = ole::Sender::new(&SESSION, Delta::random(rng));
        products.prepare(&mut channel, &mut worthless(), PRODUCTS, rng).unwrap();
        let outcome = prover(point, &mut channel, &mut products, rng);
        prop_assert!(outcome.is_err() || outcome.is_ok_and(|outcome| outcome.check.is_err()));
    }

    /// A P that does not take part.
    #[test]
    fn no_messages_of_a_prover_make_the_verifier_panic(
        server in message([any_point(), vec![1; 64]].concat()), denominator in message(vec![2; 32]), slope in message(vec![3; 96]),
    ) {
        let all_honest = server == [any_point(), vec![1; 64]].concat() && denominator == [2; 32] && slope == [3; 96];
        let (mut channel, _peer) = scripted(&[
            (tags::OLE_PRODUCTS, vec![0; PRODUCTS * 8192]),
            (KEY_SERVER, server),
            (KEY_DENOMINATOR, denominator),
            (KEY_SLOPE, slope),
        ]);
        let rng = &mut ChaCha20Rng::seed_from_u64(13);
        let mut products = ole::Receiver::new(&SESSION);
        products.prepare(&mut channel, &mut worthless(), PRODUCTS, rng).unwrap();
        let outcome = verifier(&mut channel, &mut products, rng);
        prop_assert!(outcome.is_ok() || !all_honest);
    }
}
