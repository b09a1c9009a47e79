//! The trunks against hostile and unlucky peers.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use volery_channel::{Limits, memory_pair};
use volery_circuit::statements::AndChain;
use volery_field::Gf128;
use volery_testing::deal;
use volery_vole::{Delta, Prg};

use super::super::link::Link as _;
use super::super::{ProverBits, VerifierBits, verify};
use super::*;

fn challenges<'c>() -> Challenges<'c> {
    Challenges::Seeded(Prg::new([1; 16]))
}

/// Correlations that are all zero.
fn zeros() -> Pool {
    deal::pool(1000, || Gf128::ZERO)
}

fn trunk<'a, H: Share<Wire = Gf128>>(
    share: H,
    pool: &'a mut Pool,
    channel: &'a mut dyn Channel,
) -> Trunk<'a, H> {
    Trunk::new(share, Settings::LAN, challenges(), pool, channel, Arc::new(Counters::default()))
}

#[test]
fn pieces_of_a_byte_cost_the_verifier_no_more_than_their_commitments() {
    const PIECES: usize = 4096;
    let (mut p, mut v) = memory_pair(&Limits::default());
    let (mut pool, share) = (zeros(), VerifierBits::new(&Delta::from_element(Gf128::ONE)));
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for _ in 0..PIECES {
                p.send(tags::MASKS, &[0x5a]).expect("sent");
            }
            p.flush().expect("sent");
        });
        let mut trunk = VerifierTrunk::new(trunk(share, &mut pool, &mut v));
        let kept = (0..PIECES).map(|_| {
            let piece = trunk.piece(false, Length::of(1)).expect("eight bits");
            trunk.settle(piece.clone(), 8).expect("all of them used");
            piece.wires.capacity()
        });
        assert_eq!(kept.sum::<usize>(), 8 * PIECES);
        let reserve = &trunk.trunk.reserve;
        assert!(reserve.held.capacity() <= 4 * PIECE, "{}", reserve.held.capacity());
        assert!(reserve.next < 2 * PIECE, "{}", reserve.next);
    });
}

#[test]
fn a_piece_shorter_than_every_use_of_it_is_malformed() {
    let (mut p, mut v) = memory_pair(&Limits::default());
    let (mut pool, share) = (zeros(), VerifierBits::new(&Delta::from_element(Gf128::ONE)));
    p.send(tags::MASKS, &[0x5a]).and_then(|()| p.flush()).expect("sent");
    let result = VerifierTrunk::new(trunk(share, &mut pool, &mut v)).piece(false, Length::of(16));
    assert!(matches!(result, Err(Error::Malformed { step: tags::MASKS, .. })));
}

#[test]
fn a_piece_that_ends_where_the_program_goes_on_is_malformed() {
    let (mut p, mut v) = memory_pair(&Limits::default());
    let (mut pool, share) = (zeros(), VerifierBits::new(&Delta::from_element(Gf128::ONE)));
    // One piece is enough to be found out: V asks for no second.
    p.send(tags::MASKS, &[0x5a]).and_then(|()| p.flush()).expect("sent");
    let result = verify(share, Settings::LAN, challenges(), &mut pool, &mut v, &AndChain::new(1000));
    let refused = matches!(&result, Err(Error::Malformed { step: tags::MASKS, reason }) if reason.starts_with("8 values where 256"));
    assert!(refused, "{result:?}");
}

#[test]
fn a_prover_whose_last_query_is_not_zero_says_so_and_sends_nothing() {
    let (mut p, mut v) = memory_pair(&Limits::default());
    let mut pool = zeros();
    let trunk = trunk(ProverBits, &mut pool, &mut p);
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let result = ProverTrunk::new(trunk, &mut rng).finish(ElementShare { x: Gf128::ONE, m: Gf128::ONE });
    assert!(matches!(result, Err(Error::Statement(StatementError::Unsatisfied { .. }))), "{result:?}");
    drop(p);
    assert!(v.recv(tags::ASSERTIONS, 1 << 10).is_err());
}
