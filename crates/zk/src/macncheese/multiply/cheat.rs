//! A prover that reveals another `eps` than `e X - A`: the one with which a wrong product passes the check of the product.
//!
//! P commits to `z = 0` for `1 * 1`, so `Z` lacks `v`, what the bit's value adds to the product, and the check `e Z - C - eps Y = 0` misses
//! `e v`. With `eps + e v / Y` in place of `eps` it holds. That this is not what the commitments to `X` and `A` say is for the query of the
//! revelation to find.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use volery_channel::{Channel, Error as ChannelError, Limits, Stats, Tag, memory_pair, tags};
use volery_circuit::{Digest, Prove, Statement};
use volery_field::F2;
use volery_vole::{Prg, SessionId};

use super::super::{Multiplier, ProverBits, Settings, Tally, VerifierBits, prove, verify};
use super::rmfe::{FIELD, Tables, mul};
use crate::Error;
use crate::deal;
use crate::quicksilver::Challenges;

const SESSION: SessionId = SessionId::new([1; 32]);

/// "Two bits are one, and their product is `product`."
struct Product {
    product: F2,
}

impl<B: Prove<F2>> Statement<B> for Product {
    fn identify(&self, _: &mut Digest) {}

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let x = b.secret(2, &mut |_| Ok(vec![F2::ONE; 2]))?;
        let z = b.mul(&x[0], &x[1])?;
        let claims = [(&x[0], F2::ONE), (&x[1], F2::ONE), (&z, self.product)];
        let claims = claims.map(|(wire, value)| b.add_constant(wire, value));
        b.assert_zero(&claims)
    }
}

/// P's channel: what an honest P sends, changed as the cheat has it.
struct Cheat<C> {
    inner: C,
    lies: bool,
    masks: usize,
    openings: usize,
    seed: [u8; 16],
}

/// `1 / x` in GF(2^45).
fn inverse(x: u64) -> u64 {
    let (mut square, mut out) = (x, 1);
    for _ in 1..FIELD {
        square = mul(square, square);
        out = mul(out, square);
    }
    out
}

impl<C> Cheat<C> {
    fn change(&mut self, tag: Tag, payload: &mut [u8]) {
        if tag == tags::MASKS {
            // The third bit committed to is the product.
            if self.masks == 0 {
                payload[0] ^= 4;
            }
            self.masks += 1;
        }
        if tag == tags::CHECK_OPENING {
            if self.openings == 1 {
                let e = Prg::new(self.seed).block().to_bits() as u64 & ((1 << FIELD) - 1);
                let tables = Tables::get();
                // The third of three slots; the secrets before it are claimed to be themselves times one.
                let change = mul(mul(e, tables.values[2]), inverse(tables.phi(0b111)));
                payload.iter_mut().zip(change.to_le_bytes()).for_each(|(byte, change)| *byte ^= change);
            }
            self.openings += 1;
        }
    }
}

impl<C: Channel> Channel for Cheat<C> {
    fn send(&mut self, tag: Tag, payload: &[u8]) -> Result<(), ChannelError> {
        let mut payload = payload.to_vec();
        if self.lies {
            self.change(tag, &mut payload);
        }
        self.inner.send(tag, &payload)
    }

    fn recv(&mut self, tag: Tag, max: usize) -> Result<&[u8], ChannelError> {
        self.inner.recv(tag, max)
    }

    fn recv_exact(&mut self, tag: Tag, out: &mut [u8]) -> Result<(), ChannelError> {
        self.inner.recv_exact(tag, out)?;
        if tag == tags::CHALLENGE {
            self.seed.copy_from_slice(out);
        }
        Ok(())
    }

    fn recv_into(&mut self, tag: Tag, max: usize, out: &mut Vec<u8>) -> Result<(), ChannelError> {
        self.inner.recv_into(tag, max, out)
    }

    fn flush(&mut self) -> Result<(), ChannelError> {
        self.inner.flush()
    }

    fn fail(&mut self, reason: &str) {
        self.inner.fail(reason);
    }

    fn stats(&self) -> Stats {
        self.inner.stats()
    }

    fn binding(&self) -> Option<[u8; 32]> {
        self.inner.binding()
    }
}

/// V's verdict on `1 * 1 = product`; the cheat's openings.
fn session(lies: bool, product: F2) -> (Result<Tally, Error>, usize) {
    let settings = Settings { interval: 1 << 12, multiplier: Multiplier::EmbeddedRho40 };
    let (p, mut v) = memory_pair(&Limits::default());
    std::thread::scope(|scope| {
        let prover = scope.spawn(move || {
            let (mut stock, mut rng) = (deal::bit_stock(1, None, false), ChaCha20Rng::seed_from_u64(1));
            let mut channel = Cheat { inner: p, lies, masks: 0, openings: 0, seed: [0; 16] };
            let (challenges, truth) = (Challenges::seeded(&SESSION, &mut rng), Product { product: F2::ONE });
            let mut rng = ChaCha20Rng::seed_from_u64(2);
            prove(ProverBits, settings, challenges, &mut rng, &mut stock, &mut channel, &truth)
                .expect("true");
            channel.openings
        });
        let mut stock = deal::bit_stock(1, Some(deal::bit_delta()), false);
        let (half, mut rng) = (VerifierBits::new(&deal::bit_delta()), ChaCha20Rng::seed_from_u64(3));
        let challenges = Challenges::seeded(&SESSION, &mut rng);
        let result = verify(half, settings, challenges, &mut stock, &mut v, &Product { product });
        (result, prover.join().expect("no panic"))
    })
}

#[test]
fn an_embedding_s_revelation_that_is_another_is_rejected() {
    assert!(session(false, F2::ONE).0.is_ok());
    let (result, openings) = session(true, F2::ZERO);
    assert_eq!(openings, 2);
    assert!(matches!(&result, Err(error) if error.is_rejection()), "{result:?}");
}
