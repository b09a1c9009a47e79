//! What is special to X25519: RFC 7748's vectors, the points that are refused, and the conversion's formulas
//! in the clear.

use curve25519_dalek::constants::{ED25519_BASEPOINT_POINT, EIGHT_TORSION};
use curve25519_dalek::edwards::EdwardsPoint;
use curve25519_dalek::{MontgomeryPoint, Scalar};
use volery_field::{Field, Value};

use super::*;
use crate::testing::hex;
use crate::wire::key_exchange::curve::{AdditionFormula, Curve, P256, X25519};

fn bytes(digits: &str) -> [u8; 32] {
    hex(digits).try_into().unwrap()
}

fn clamped(mut secret: [u8; 32]) -> Scalar {
    secret[0] &= 248;
    secret[31] = secret[31] & 127 | 64;
    Scalar::from_bytes_mod_order(secret)
}

/// Alice's public key.
const ALICE: &str = "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a";

/// RFC 7748, section 6.1: Alice's key in two shares, Bob as the server.
#[test]
fn two_parties_are_alice_of_rfc_7748() {
    let alice = clamped(bytes("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"));
    let server = Server::X25519(bytes("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"));
    let point = server.point();
    assert_eq!(point.to_bytes(), hex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"));
    let t_v = Scalar::from(0x1234_5678_9abc_def0_u64) * alice;
    let (p, v) = prepared_parties(
        7,
        [untouched; 2],
        (p_products, v_products),
        |channel, products, rng| {
            let share = Zeroizing::new(alice - t_v);
            agreed(Prover::with_shares(channel, P256::random(rng), share)?, point, channel, products, rng)
        },
        |channel, products, rng| {
            let _ = random::<P256Base>(rng);
            let start = Verifier::with_shares(channel, P256::random(rng), Zeroizing::new(t_v))?;
            let share = start.finish(channel, products, rng)?;
            share.open(channel)?;
            Ok::<_, Error>(share.expose().clone())
        },
    );
    let (p, v) = (p.unwrap(), v.unwrap());
    let secret = bytes("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742");
    assert_eq!(p.client, hex(ALICE));
    assert_eq!(sum(Group::X25519, &p.share, &v), secret);
    assert_eq!(*p.check.unwrap().0, secret);
}

fn read(bytes: &[u8]) -> Result<EdwardsPoint, &'static str> {
    X25519::read(bytes)
}

#[test]
fn points_of_small_order_and_those_with_a_part_of_it_are_refused() {
    let honest = ED25519_BASEPOINT_POINT * Scalar::from(7_u64);
    assert_eq!(
        read(&honest.to_montgomery().0).map(|point| point.to_montgomery()),
        Ok(honest.to_montgomery())
    );
    for small in &EIGHT_TORSION[1..] {
        for point in [*small, honest + small] {
            let error = read(&point.to_montgomery().0).unwrap_err();
            assert!(error.contains("small order"), "{error}");
            assert!(X25519::read_share(&point.compress().0).is_err());
        }
    }
    // Zero, the secret that RFC 7748 has both ends refuse; the neutral element, which has no u.
    assert!(read(&[0; 32]).unwrap_err().contains("small order"));
    assert!(X25519::read_share(&EIGHT_TORSION[0].compress().0).is_err());
}

/// Of the small numbers each is on the twist, or of another group than the base point's, or of that one.
#[test]
fn points_of_the_twist_are_refused() {
    let (mut twist, mut parts, mut good) = (0, 0, 0);
    for u in 2..200 {
        let mut bytes = [0; 32];
        bytes[0] = u;
        let x = Curve25519Base::from_u64(u.into());
        let square = x * (x * (x + Curve25519Base::from_u64(486_662)) + Curve25519Base::ONE);
        // Euler's criterion: the power (p - 1) / 2 = 2^254 - 10.
        let mut power = Curve25519Base::ONE;
        for bit in (0..254).rev() {
            power = power * power;
            // 2^254 - 10 in binary: ones but for bits 0 and 3.
            if bit != 0 && bit != 3 {
                power *= square;
            }
        }
        match read(&bytes) {
            Ok(_) => {
                good += 1;
                assert!(power == Curve25519Base::ONE);
            }
            Err(error) if error.contains("twist") => {
                twist += 1;
                assert!(power == -Curve25519Base::ONE, "{u}");
            }
            Err(error) => {
                parts += 1;
                assert!(error.contains("small order") && power == Curve25519Base::ONE, "{u}");
            }
        }
    }
    assert!(twist > 50 && parts > 50 && good > 5, "{twist} {parts} {good}");
}

#[test]
fn only_the_one_encoding_of_a_coordinate_is_read() {
    let base = [&[9][..], &[0; 31]].concat();
    assert!(read(&base).is_ok());
    // The base point's 9 plus the prime; 9 with the highest bit; the prime, and one more.
    let mut above = vec![0xff; 32];
    above[31] = 0x7f;
    let plus = |n: u8| {
        let mut bytes = above.clone();
        bytes[0] = 0xed + n;
        bytes
    };
    let mut highest = base.clone();
    highest[31] = 0x80;
    for bytes in [plus(9), highest, plus(0), plus(1), vec![0xff; 32]] {
        assert_eq!(read(&bytes), Err("its u-coordinate is not below X25519's prime"));
    }
    for bytes in [&base[..31], &[&base[..], &[0]].concat(), &[], &[4; 65]] {
        assert!(read(bytes).is_err());
    }
}

#[test]
fn a_server_point_that_no_honest_server_sends_is_refused_by_both_parties() {
    fn zero(tag: Tag, payload: &mut Vec<u8>) {
        if tag == KEY_SERVER {
            payload[2..34].fill(0);
        }
    }
    fn twisted(tag: Tag, payload: &mut Vec<u8>) {
        if tag == KEY_SERVER {
            payload[2..34].fill(0);
            payload[2] = 2;
        }
    }
    let server = Server::new(Group::X25519, 12);
    let mut two = [0; 32];
    two[0] = 2;
    for (change, bytes) in [(zero as Change, [0; 32]), (twisted, two)] {
        let error = run(&server, [change, untouched]).verifier.err();
        assert!(matches!(error, Some(Error::Malformed { step: KEY_SERVER, .. })), "{error:?}");
        let error = PublicPoint::from_bytes(Group::X25519, &bytes).unwrap_err();
        assert!(matches!(error, Error::Server { .. }), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn coordinates_lie_on_the_curve_and_lines_meet_it_where_the_sum_is(server: [u8; 32], one: [u8; 32], two: [u8; 32]) {
        let server = MontgomeryPoint::mul_base_clamped(server);
        let point = read(&server.0).unwrap();
        let [one, two] = [one, two].map(Scalar::from_bytes_mod_order);
        let AdditionFormula { factor, shift } = X25519::addition(&point).unwrap();
        let [[u_1, y_1], [u_2, y_2]] = [one, two].map(|scalar| *X25519::coordinates(&scalar, &point).unwrap());
        for (u, y) in [(u_1, y_1), (u_2, y_2)] {
            prop_assert!(factor * y * y == u * u * u + shift * u * u + u);
        }
        let lambda = (y_2 - y_1) * (u_2 - u_1).inverse().unwrap();
        let expected = (point * (one + two)).to_montgomery().0;
        prop_assert_eq!(*encoded(factor * lambda * lambda - shift - u_1 - u_2).unwrap(), expected);
        prop_assert_eq!(*X25519::secret(&one, &two, &point).unwrap(), expected);
        // The server's point itself has the y that all others are measured by.
        let unit = X25519::coordinates(&Scalar::ONE, &point).unwrap();
        prop_assert!(unit[1] == Curve25519Base::ONE);
        // Nothing depends on which of the two points with this u is taken.
        let other = X25519::coordinates(&one, &-point).unwrap();
        prop_assert!(*other == [u_1, y_1]);
    }
}
