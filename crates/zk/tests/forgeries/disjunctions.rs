//! False statements in a disjunction by Robin, and in a proof by Mac'n'Cheese.

use volery_channel::tags;
use volery_circuit::{Digest, Prove, Statement};
use volery_field::{F61, Field as _, Ring as _, pack_elements, packed_bytes};
use volery_testing::deal;
use volery_vole::Prg;
use volery_zk::Error;
use volery_zk::disjunction::AnyOf;
use volery_zk::macncheese::{self, Multiplier, VerifierField};
use volery_zk::quicksilver::field::{Alone, Settings, Verifier};
use volery_zk::quicksilver::{Challenges, Tally};

use super::{
    Batches, Belief, OPENING, assertions, counts, judged, keys_of, nothing_but_the_chain_stops, transcript,
};

/// "I know x = c with x x = c c + 1."
#[derive(Clone)]
struct False(u64);

impl<B: Prove<F61>> Statement<B> for False {
    fn identify(&self, digest: &mut Digest) {
        digest.number("a square is greater", self.0);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let x = b.secret(1, &mut |_| Ok(vec![F61::new(self.0)]))?;
        let square = b.mul(&x[0], &x[0])?;
        let claims = [
            b.add_constant(&x[0], -F61::new(self.0)),
            b.add_constant(&square, -F61::new(self.0 * self.0 + 1)),
        ];
        b.assert_zero(&claims)
    }
}

/// The seed of rows' coefficients, out of a challenge.
pub(super) fn derived(seed: [u8; 16], purpose: u8) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new_derive_key("volery 2026 disjunction rows v4");
    hasher.update(&seed).update(&[purpose]);
    let mut derived = [0; 16];
    hasher.finalize_xof().fill(&mut derived);
    derived
}

/// The first coefficients of rows, as many as asked for, under one challenge.
fn rows(seed: [u8; 16], purpose: u8, n: usize) -> Vec<F61> {
    let mut out = vec![F61::ZERO; n];
    Prg::new(derived(seed, purpose)).coefficients(&mut out);
    out
}

/// Factors of one multiplication that are not what the first branch says they are, but whose errors cancel
/// under the challenge.
fn forged_disjunction(belief: Belief) -> Result<Tally, Error> {
    let (batches, chunk) = (Batches { name: "elements", len: 100 }, 1 << 10);
    let elements = vec![0; packed_bytes::<F61>(4)];
    // The disjunction is claimed after the first block.
    let opening = |claimed| [vec![0; OPENING], counts([3, 1, claimed, 0])].concat();
    let mut plan = transcript("robin");
    plan.absorb(tags::ELEMENTS.name(), &elements);
    batches.seed(&mut plan, 5, belief);
    plan.absorb(tags::ELEMENTS_OPENING.name(), &opening(0));
    let seed = batches.seed(&mut plan, 5, belief);
    let across = |purpose: u8| rows(seed, purpose | 0x80, 1)[0];
    let s = rows(seed, 0, chunk)[0] * across(0);
    let t: Vec<F61> = rows(seed, 1, chunk)[..2].iter().map(|t| *t * across(1)).collect();
    let beta = rows(seed, 2, 1)[0];

    // s (x - l) + beta s (x - r) + t_0 (x - c) + t_1 (l r - c c - 1) = 0, to be solved for r.
    let (c, x, l) = (F61::ONE, F61::new(5), F61::new(7));
    let rest = s * (x - l) + beta * s * x + t[0] * (x - c) - t[1] * (c * c + F61::ONE);
    let r = -rest * (t[1] * l - beta * s).inverse().expect("not zero");
    let values = [x, l, r, l * r];
    let messages = [
        (tags::ELEMENTS, elements),
        (tags::ELEMENTS_OPENING, opening(0)),
        (tags::TOKENS, [vec![0; OPENING], counts([2, 2, 4])].concat()),
        (tags::ELEMENTS_OPENING, opening(1)),
        (tags::ELEMENTS_ASSERTIONS, assertions(0)),
    ];
    let any = AnyOf::<F61, _>::new(vec![False(1), False(2)]).expect("two branches");
    let (mut pool, delta) = (batches.pool(keys_of(&values)), deal::field_delta::<F61, F61>());
    judged(&messages, |channel| {
        let (settings, challenges) =
            (Settings { interval: 1 << 17 }, Challenges::FiatShamir(transcript("robin")));
        Verifier::<F61, F61>::new(settings, challenges, &delta, &mut pool, Alone(channel)).verify(&any)
    })
}

#[test]
fn forgery_of_a_disjunction_by_robin() {
    nothing_but_the_chain_stops(forged_disjunction);
}

/// "I know x = 0 and y with x y = 1."
struct Zero;

impl<B: Prove<F61>> Statement<B> for Zero {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"zero is one");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let secrets = b.secret(2, &mut |_| Ok(vec![F61::ZERO; 2]))?;
        let z = b.mul(&secrets[0], &secrets[1])?;
        let wrong = b.add_constant(&z, -F61::ONE);
        b.assert_zero(&[secrets[0].clone(), wrong])
    }
}

fn packed(elements: &[F61]) -> Vec<u8> {
    let mut out = Vec::new();
    pack_elements(elements, &mut out);
    out
}

/// What a forger of a proof by Mac'n'Cheese chooses once it knows the challenge.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Late {
    /// The correlation that masks the product, with the challenge computed under this belief.
    Mask(Belief),
    /// The masked values, and a factor with them.
    Values,
    /// What fixes the product of masks.
    Round,
}

/// A false product that is hidden from the challenge which was foreseen. Who chooses a message late leaves it
/// out of the transcript; the correlations were made long before, so it knows the chain.
fn forged_stack(late: Late) -> Result<macncheese::Tally, Error> {
    let batches = Batches { name: "elements", len: 1000 };
    let settings = macncheese::Settings { interval: 64, multiplier: Multiplier::Simple };
    let tally = counts([2, 1, 2, 0]);
    let (mut pieces, mut fixed) = ([F61::ZERO; 3], [F61::ZERO; 3]);
    let mut parameters = b"mac'n'cheese v2 ".to_vec();
    parameters.extend_from_slice(F61::NAME.as_bytes());
    parameters.push(b'/');
    parameters.extend_from_slice(F61::NAME.as_bytes());
    parameters.extend_from_slice(&[0, 0]);
    parameters.extend_from_slice(&counts([64, 0]));
    let mut plan = transcript("cheese");
    plan.absorb(tags::BEGIN.name(), &parameters);
    if late != Late::Values {
        plan.absorb(tags::MASKS.name(), &packed(&pieces));
    }
    if late != Late::Round {
        plan.absorb(tags::CHECK_OPENING.name(), &packed(&fixed));
    }
    plan.absorb(tags::ASSERTIONS.name(), &tally);
    // The first piece has 256 correlations, whatever is used of them.
    let belief = if let Late::Mask(belief) = late { belief } else { Belief::Truth };
    let mut e = [F61::ZERO];
    Prg::new(batches.seed(&mut plan, 256, belief)).elements(&mut e);
    let e = e[0];

    // e z - c - y (e x - a) = 0 for the wrong product with x = 0 and z = 1, c = a y for the others, which are
    // by one.
    let (x, mut y, z) = (F61::ZERO, F61::new(5), F61::ONE);
    let mut a = [31, 32, 33].map(F61::new);
    match late {
        Late::Mask(_) => a[2] = -e * y.inverse().expect("not zero"),
        Late::Values => y = -e * a[2].inverse().expect("not zero"),
        Late::Round => fixed[2] = e + y * a[2],
    }
    let mut values = [&[x, y, z][..], &[a[0], a[1], F61::ZERO], &a].concat();
    if late == Late::Values {
        (pieces[1], values[1]) = (y, F61::ZERO);
    }
    let shown = [e * x - a[0], e * y - a[1], e * x - a[2]];
    let messages = [
        (tags::MASKS, packed(&pieces)),
        (tags::CHECK_OPENING, packed(&fixed)),
        (tags::CHECK_OPENING, packed(&shown)),
        (tags::ASSERTIONS, [packed(&[F61::ZERO]), tally].concat()),
    ];
    let mut pool = batches.pool(keys_of(&values));
    judged(&messages, |channel| {
        let (share, challenges) = (
            VerifierField::<F61, F61>::new(&deal::field_delta::<F61, F61>()),
            Challenges::FiatShamir(transcript("cheese")),
        );
        macncheese::verify(share, settings, challenges, &mut pool, channel, &Zero)
    })
}

#[test]
fn forgery_of_a_proof_by_mac_n_cheese() {
    nothing_but_the_chain_stops(|belief| forged_stack(Late::Mask(belief)));
}

#[test]
fn forgery_of_a_proof_by_mac_n_cheese_whose_messages_are_chosen_after_the_challenge() {
    for late in [Late::Values, Late::Round] {
        let result = forged_stack(late);
        assert!(matches!(result, Err(Error::Rejected { .. })), "{late:?}: {result:?}");
    }
}
