//! Forged proofs in a session whose challenges are hashes, against the real verifier and over real
//! correlations.
//!
//! Neither a prover that leaves V's bytes out of account, as it could before they were part of challenges,
//! nor one that takes the chain for what it was before the batch is accepted. Where the chain stands still
//! ([`cheats::stop_chains`]) the latter is right about it, and accepted: so nothing but the chain stops it.

use volery_channel::transport::Memory;
use volery_channel::{Channel as _, Framed, Limits, memory_pair};
use volery_field::{Authenticated, Bn254Scalar, Field as _, Gf128, Ring as _, pack_elements};
use volery_vole::cheats::{self, Deltas};
use volery_vole::correlations::Chain;

use super::field::{ProverField, existing};
use super::system::correlations::{CorrelationSetup as _, OfField};
use super::system::{Bits, Over};
use volery_zk::quicksilver::{self, Challenges, verdict};

use super::*;
use crate::forgery::{CORRELATIONS, False, OF_ZERO, Zero, choose, foreseen, messages, rng, wanted};

const OPTIONS: Options =
    Options { profile: volery_vole::correlations::Profile::Lan, fiat_shamir: true, threads: 1 };

type Wire = Framed<Memory>;

/// What a forger takes for the chain when it computes a seed, and whether it is right.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Belief {
    /// That there is none.
    None,
    /// What it was before the batch.
    Before,
    /// The same, and it stands still.
    Truth,
}

/// What V says to `forge`, which runs over P's end.
fn judged(
    belief: Belief,
    forge: impl FnOnce(Prover<Wire>, Deltas) + Send,
    verify: impl FnOnce(&mut Verifier<Wire>) -> Result<Report, Error>,
) -> Result<Report, Error> {
    let (left, right) = memory_pair(&Limits::default());
    let deltas = Deltas::default();
    let seen = deltas.clone();
    let start = move || {
        if belief == Belief::Truth {
            cheats::stop_chains();
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(move || {
            start();
            forge(Prover::start(left, OPTIONS, &mut rng(1)).expect("set-up"), seen);
            cheats::honest();
        });
        start();
        deltas.watch();
        let mut verifier = Verifier::start(right, OPTIONS, &mut rng(2)).expect("set-up");
        let result = verify(&mut verifier);
        cheats::honest();
        result
    })
}

/// V accepts from a forger that knows the chain beforehand, and from no other.
fn nothing_but_the_chain_stops(forgery: impl Fn(Belief) -> Result<Report, Error>) {
    for belief in [Belief::None, Belief::Before] {
        let result = forgery(belief);
        assert!(matches!(&result, Err(error) if error.is_rejection()), "{belief:?}: {result:?}");
    }
    let forged = forgery(Belief::Truth);
    assert!(forged.is_ok(), "no forgery: {forged:?}");
}

/// What V says to a forged proof, the second of the session if it comes `after` an honest one of [`Zero`]
/// that left its correlations.
fn bits(after: bool, belief: Belief) -> Result<Report, Error> {
    let forge = move |mut p: Prover<Wire>, deltas: Deltas| {
        let first = if after { OF_ZERO } else { 0 };
        let chains = p.common.chains(&mut p.pool, &mut p.field, &mut p.channel).expect("linked");
        let digest = digest::<quicksilver::bits::Prover<'_>>(&False);
        let interval = p.common.options.settings().interval;
        let mut plan = transcript("session", &p.common.id, &digest, interval, first as u64, &chains);
        plan.absorb_number("proof", 1 + u64::from(after));
        let seed = foreseen(plan, chains.first().filter(|_| belief != Belief::None).map(Chain::as_bytes));
        choose(deltas, first, wanted(seed));
        if after {
            p.prove(Bits, &Zero, &mut rng(3)).expect("true");
            assert!(p.pool.at_hand().len() >= CORRELATIONS, "left of the same batch");
        }
        let begin = p.common.begin(&Bits, digest, None).expect("not over");
        begin.send(&mut p.channel).and_then(|()| begin.receive(&mut p.channel)).expect("the same");
        p.pool.expect(None);
        let mut tags = vec![Gf128::ZERO; CORRELATIONS];
        p.pool.fill(&mut p.channel, &mut tags).expect("made");
        for (tag, payload) in messages(&tags, seed) {
            p.channel.send(tag, &payload).expect("sent");
        }
        p.channel.flush().expect("sent");
        let _ = verdict::receive(&mut p.channel);
    };
    judged(belief, forge, |v| {
        if after {
            v.verify(Bits, &Zero, &mut rng(4))?;
        }
        v.verify(Bits, &False, &mut rng(5))
    })
}

#[test]
fn forgery_of_bits_in_a_session() {
    nothing_but_the_chain_stops(|belief| bits(false, belief));
}

#[test]
fn forgery_of_bits_on_what_an_earlier_proof_of_the_session_left() {
    nothing_but_the_chain_stops(|belief| bits(true, belief));
}

type F = Bn254Scalar;

/// "I know x = 0, y and y' with x y = 1." There is a product besides.
struct FalseOver;

impl<B: volery_circuit::Prove<F>> volery_circuit::Statement<B> for FalseOver {
    fn identify(&self, digest: &mut volery_circuit::Digest) {
        digest.bytes("statement", b"zero is one");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let secrets = b.secret(3, &mut |_| Ok(vec![F::ZERO; 3]))?;
        let z = b.mul(&secrets[0], &secrets[1])?;
        b.mul(&secrets[0], &secrets[2])?;
        let wrong = b.add_constant(&z, -F::ONE);
        b.assert_zero(&[secrets[0].clone(), wrong])
    }
}

fn packed(elements: &[F]) -> Vec<u8> {
    let mut out = Vec::new();
    pack_elements(elements, &mut out);
    out
}

/// The coefficients of a block's two relations.
fn coefficients(seed: [u8; 16]) -> [F; 2] {
    let mut hasher = blake3::Hasher::new_derive_key("volery 2026 quicksilver relations v1");
    hasher.update(&seed).update(&2_u64.to_le_bytes());
    let mut seed = [0; 16];
    hasher.finalize_xof().fill(&mut seed);
    let mut chi = [F::ZERO; 2];
    volery_vole::Prg::new(seed).coefficients(&mut chi);
    chi
}

fn over_a_field(belief: Belief) -> Result<Report, Error> {
    let forge = move |mut p: Prover<Wire>, deltas: Deltas| {
        let digest = digest::<quicksilver::field::Prover<'_, F, F>>(&FalseOver);
        let begin = p.common.begin(&Over::<F, F>::new(), digest, None).expect("not over");
        begin.send(&mut p.channel).expect("sent");
        let fresh = OfField::<F, F>::start_prover(&mut p.side(), &mut rng(3)).expect("starts");
        begin.receive(&mut p.channel).expect("the same");
        OfField::<F, F>::finish_prover(&mut p.side(), fresh, &mut rng(4)).expect("set-up");
        let chains: Vec<Chain> = p.common.chains(&mut p.pool, &mut p.field, &mut p.channel).expect("linked");
        let Challenges::FiatShamir(mut plan) =
            Over::<F, F>::challenges(&p.common, &digest, 0, &chains, &mut rng(5))
        else {
            panic!("hashes")
        };
        plan.absorb(tags::ELEMENTS.name(), &packed(&[F::ZERO; 5]));
        if let Some(chain) = chains.get(1).filter(|_| belief != Belief::None) {
            plan.absorb("chain", chain.as_bytes());
        }
        let chi = coefficients(plan.challenge_seed("block").into_bytes());
        let z = -chi[0] * chi[1].inverse().expect("not zero");
        let mut wanted = Some(vec![F::ZERO, F::ZERO, F::ZERO, F::ONE, z]);
        cheats::choose_elements::<F>(move |_| wanted.take().map(|wanted| (deltas.piece(1, 4), wanted)));
        let field = existing::<ProverField<F, F>>(&mut p.field).expect("this field").expect("is there");
        field.pool.expect(None);
        let mut held = vec![Authenticated::<F, F>::default(); 6];
        field.pool.fill(&mut p.channel, &mut held).expect("made");
        let [x, y, y_2, z, z_2, mask] = held.try_into().unwrap_or_else(|_| panic!("six"));
        let relations = [(x, y, z), (x, y_2, z_2)].map(|(x, y, z)| [x.m * y.m, x.x * y.m + y.x * x.m - z.m]);
        let sum = |i: usize| relations.iter().zip(chi).fold(F::ZERO, |sum, (a, chi)| sum + a[i] * chi);
        let encoded = |elements: &[F]| -> Vec<u8> { elements.iter().flat_map(|e| packed(&[*e])).collect() };
        let counts: Vec<u8> = [3_u64, 2, 2, 0].iter().flat_map(|n| n.to_le_bytes()).collect();
        let zeros = blake3::derive_key("volery 2026 quicksilver assertions v1", &encoded(&[x.m, z.m]));
        for (tag, payload) in [
            (tags::ELEMENTS, packed(&[F::ZERO; 5])),
            (tags::ELEMENTS_OPENING, [encoded(&[sum(0) + mask.m, sum(1) + mask.x]), counts].concat()),
            (tags::ELEMENTS_ASSERTIONS, zeros.to_vec()),
        ] {
            p.channel.send(tag, &payload).expect("sent");
        }
        p.channel.flush().expect("sent");
        let _ = verdict::receive(&mut p.channel);
    };
    judged(belief, forge, |v| v.verify(Over::<F, F>::new(), &FalseOver, &mut rng(6)))
}

#[test]
fn forgery_over_a_field_in_a_session() {
    nothing_but_the_chain_stops(over_a_field);
}
