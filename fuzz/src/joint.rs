//! Two parties as the TLS client, below the steps of [`client`](crate::client): the key exchange, tags,
//! records that are read while the connection lives. Correlations come from nowhere; the messages that turn
//! them into products are the peer's, too.

use volery_channel::Channel;
use volery_field::Gf128;
use volery_tls::ghash::{self, Block, Powers};
use volery_tls::key_exchange::{self, Group, ProverProducts, PublicPoint, VerifierProducts};
use volery_tls::{Error, fuzz, record};
use volery_vole::{Delta, SessionId};

use crate::dealing;
use crate::replay::{against, rng};

const SESSION: SessionId = SessionId::new([9; 32]);

/// The server's point on P-256: the generator (SEC 2, section 2.4.2), so that its secret is 1 and the
/// pre-master secret is the x-coordinate of the client's point.
const GENERATOR: [u8; 65] = [
    0x04, 0x6b, 0x17, 0xd1, 0xf2, 0xe1, 0x2c, 0x42, 0x47, 0xf8, 0xbc, 0xe6, 0xe5, 0x63, 0xa4, 0x40, 0xf2,
    0x77, 0x03, 0x7d, 0x81, 0x2d, 0xeb, 0x33, 0xa0, 0xf4, 0xa1, 0x39, 0x45, 0xd8, 0x98, 0xc2, 0x96, 0x4f,
    0xe3, 0x42, 0xe2, 0xfe, 0x1a, 0x7f, 0x9b, 0x8e, 0xe7, 0xeb, 0x4a, 0x7c, 0x0f, 0x9e, 0x16, 0x2b, 0xce,
    0x33, 0x57, 0x6b, 0x31, 0x5e, 0xce, 0xcb, 0xb6, 0x40, 0x68, 0x37, 0xbf, 0x51, 0xf5,
];

/// The server's point in a group: the generator.
fn server(group: Group) -> Result<PublicPoint, Error> {
    match group {
        Group::P256 => PublicPoint::from_bytes(group, &GENERATOR),
        Group::X25519 => {
            let mut nine = [0; 32];
            nine[0] = 9;
            PublicPoint::from_bytes(group, &nine)
        }
    }
}

/// The record that is made, each party's share of its mask, and its shares of all odd powers of what hides
/// the hash key.
const CIPHERTEXT: &[u8] = b"a record of a few blocks, the last one in part";
const MASKS: [Block; 2] = [[3; 16], [4; 16]];
const POWERS: [u128; 2] = [5, 6];

/// The sender's offset of OLE's correlations.
fn offset() -> Delta {
    Delta::from_element(Gf128::from_bits(0x3c6e_f372_fe94_f82b_a54f_f53a_5f1d_36f1))
}

/// All that V sends in a key exchange, at P, whatever the server's group. P takes no pre-master secret but
/// the one that the server has.
pub fn key_prover(bytes: &[u8]) {
    for group in [Group::P256, Group::X25519] {
        let _ = against(bytes, |channel| key_as_prover(channel, group));
    }
}

/// All that P sends in a key exchange, at V.
pub fn key_verifier(bytes: &[u8]) {
    let _ = against(bytes, |channel| key_as_verifier(channel));
}

/// An honest P, whose server has chosen this group.
///
/// # Errors
/// What its peer does wrong.
pub fn key_as_prover(channel: &mut dyn Channel, group: Group) -> Result<(), Error> {
    let pool = &mut dealing::bits(Some(offset()));
    let mut products = ProverProducts::prepare(channel, &SESSION, (&offset(), pool), &mut rng(6))?;
    let prover = key_exchange::Prover::start(channel, &mut rng(3))?;
    let client = prover.client_point(group);
    let share = prover.finish(channel, &mut products, &server(group)?, &mut rng(4))?;
    let (secret, _) = share.check(channel)?;
    let own = if group == Group::P256 { &client[1..33] } else { &client[..] };
    assert_eq!(&secret[..], own, "V has made P take another pre-master secret");
    Ok(())
}

/// An honest V.
///
/// # Errors
/// What its peer does wrong.
pub fn key_as_verifier(channel: &mut dyn Channel) -> Result<(), Error> {
    let pool = &mut dealing::bits(None);
    let mut products = VerifierProducts::request(channel, &SESSION, pool, &mut rng(7))?.receive(channel)?;
    let verifier = key_exchange::Verifier::start(channel, &mut rng(2))?;
    let share = verifier.finish(channel, &mut products, &mut rng(5))?;
    share.open(channel)?;
    Ok(channel.flush()?)
}

/// V's share of a tag, at P.
pub fn tag_prover(bytes: &[u8]) {
    let _ = against(bytes, |channel| tag_as_prover(channel));
}

/// The header, and a party's shares of the powers that the record takes.
fn plan(party: usize) -> Result<([u8; 13], Powers), Error> {
    let header = record::header(1, 23, CIPHERTEXT.len())?;
    let highest = ghash::hashed_blocks(header.len(), CIPHERTEXT.len());
    let odd = vec![Gf128::from_bits(POWERS[party]); highest.div_ceil(2)];
    let powers = Powers::new(&odd, Gf128::from_bits(1 - party as u128), Gf128::X, highest);
    Ok((header, powers.ok_or_else(|| Error::Misuse("too few powers".into()))?))
}

/// An honest P; the tag.
///
/// # Errors
/// What its peer does wrong.
pub fn tag_as_prover(channel: &mut dyn Channel) -> Result<Block, Error> {
    let (header, powers) = plan(0)?;
    ghash::tag(channel, &powers, &header, CIPHERTEXT, &MASKS[0])
}

/// An honest V.
///
/// # Errors
/// The channel's.
pub fn tag_as_verifier(channel: &mut dyn Channel) -> Result<(), Error> {
    let (header, powers) = plan(1)?;
    ghash::send_tag_share(channel, &powers, &header, CIPHERTEXT, &MASKS[1])?;
    Ok(channel.flush()?)
}

/// All that V says of the products of a hash key, at P.
pub fn blinding_prover(bytes: &[u8]) {
    let _ = against(bytes, |channel| blinding_as_prover(channel));
}

/// All that P says of them, at V.
pub fn blinding_verifier(bytes: &[u8]) {
    let _ = against(bytes, |channel| blinding_as_verifier(channel));
}

/// An honest P.
///
/// # Errors
/// What its peer does wrong.
pub fn blinding_as_prover(channel: &mut dyn Channel) -> Result<(), Error> {
    fuzz::blinding_prover(channel, (offset(), &mut dealing::bits(Some(offset()))), &mut rng(6))
}

/// An honest V.
///
/// # Errors
/// What its peer does wrong.
pub fn blinding_as_verifier(channel: &mut dyn Channel) -> Result<(), Error> {
    fuzz::blinding_verifier(channel, &mut dealing::bits(None), &mut rng(7))
}

/// All that V says of the powers of a one-time key of Poly1305, at P.
pub fn powers_prover(bytes: &[u8]) {
    let _ = against(bytes, |channel| powers_as_prover(channel));
}

/// All that P says of them, at V.
pub fn powers_verifier(bytes: &[u8]) {
    let _ = against(bytes, |channel| powers_as_verifier(channel));
}

/// An honest P.
///
/// # Errors
/// What its peer does wrong.
pub fn powers_as_prover(channel: &mut dyn Channel) -> Result<(), Error> {
    fuzz::powers_prover(channel, (offset(), &mut dealing::bits(Some(offset()))), &mut rng(6))
}

/// An honest V.
///
/// # Errors
/// What its peer does wrong.
pub fn powers_as_verifier(channel: &mut dyn Channel) -> Result<(), Error> {
    fuzz::powers_verifier(channel, &mut dealing::bits(None), &mut rng(7))
}

/// All that V says of records that P reads, at P. P believes no tag but the one that V has promised.
pub fn record_prover(bytes: &[u8]) {
    let _ = against(bytes, |channel| fuzz::record_prover(channel));
}

/// All that P says of records that it reads, at V. V opens its share of no tag but the right one.
pub fn record_verifier(bytes: &[u8]) {
    let _ = against(bytes, |channel| fuzz::record_verifier(channel, &mut rng(8)));
}
