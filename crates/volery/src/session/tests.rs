//! What the challenges of a proof without V's choice depend on.

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng as _;
use volery_channel::memory_pair;
use volery_field::Gf128;
use volery_vole::Error as VoleError;
use volery_vole::correlations::{Profile, Source};
use volery_zk::quicksilver::Challenges;

use super::system::Bits;
use super::*;

/// What tells two proofs apart.
#[derive(Clone, Copy, Debug)]
struct Proof {
    session: u8,
    digest: u8,
    profile: Profile,
    number: u64,
    first_correlation: u64,
    /// Chains of one or two pools.
    chains: &'static [u8],
}

const PROOF: Proof =
    Proof { session: 1, digest: 1, profile: Profile::Lan, number: 1, first_correlation: 7, chains: &[1, 2] };

fn first_challenge(proof: Proof) -> [u8; 16] {
    let options = Options { profile: proof.profile, fiat_shamir: true, ..Options::default() };
    let id = SessionId::new([proof.session; 32]);
    let common = Common { id, proofs: proof.number, ..common(options) };
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let chains: Vec<Chain> = proof.chains.iter().map(|byte| Chain::from_bytes([*byte; 32])).collect();
    match Bits::challenges(&common, &[proof.digest; 32], proof.first_correlation, &chains, &mut rng) {
        Challenges::FiatShamir(mut transcript) => transcript.challenge_seed("test").into_bytes(),
        _ => panic!("Fiat-Shamir was asked for"),
    }
}

fn common(options: Options) -> Common {
    let id = SessionId::new([1; 32]);
    Common::of(id, options, None)
}

/// A pool that only has a chain.
struct Linked(u8);

impl Linked {
    fn value(&self) -> Chain {
        Chain::from_bytes([self.0; 32])
    }
}

impl Source for Linked {
    fn refill(&mut self, _: &mut dyn Channel, _: &mut Vec<Gf128>) -> Result<(), VoleError> {
        unreachable!("nothing is taken")
    }

    fn may_wait(&self) -> bool {
        false
    }

    fn chain(&mut self, _: &mut dyn Channel, _: u64) -> Result<Chain, VoleError> {
        Ok(self.value())
    }
}

impl FieldPool for Linked {
    fn fields(&self) -> [&'static str; 2] {
        ["value", "mac"]
    }

    fn chain(&mut self, _: &mut dyn Channel) -> Result<Chain, Error> {
        Ok(self.value())
    }

    fn index(&self) -> u64 {
        0
    }

    fn is_exposed(&self) -> bool {
        false
    }

    fn burn(&mut self) {}

    fn as_any(&mut self) -> &mut dyn core::any::Any {
        self
    }
}

#[test]
fn proofs_begin_with_the_chain_of_each_pool_of_the_session() {
    let (mut channel, _peer) = memory_pair(&volery_channel::Limits::default());
    for (fiat_shamir, field, expected) in [(true, false, &[1][..]), (true, true, &[1, 2]), (false, true, &[])]
    {
        let mut pool = Pool::new(Box::new(Linked(1)));
        let mut field = field.then(|| Box::new(Linked(2)) as Box<dyn FieldPool>);
        let common = common(Options { fiat_shamir, ..Options::default() });
        let chains = common.chains(&mut pool, &mut field, &mut channel).expect("linked");
        let expected = Vec::from_iter(expected.iter().map(|pool| Linked(*pool).value()));
        assert_eq!(chains, expected);
    }
}

#[test]
fn a_fiat_shamir_challenge_depends_on_session_statement_settings_place_number_and_chains() {
    let others = [
        Proof { session: 2, ..PROOF },
        Proof { digest: 2, ..PROOF },
        Proof { profile: Profile::Wan, ..PROOF },
        Proof { number: 2, ..PROOF },
        Proof { first_correlation: 8, ..PROOF },
        Proof { chains: &[3, 2], ..PROOF },
        Proof { chains: &[1, 3], ..PROOF },
        Proof { chains: &[1], ..PROOF },
    ];
    assert_eq!(first_challenge(PROOF), first_challenge(PROOF));
    for other in others {
        assert_ne!(first_challenge(PROOF), first_challenge(other), "{other:?}");
    }
}

#[test]
fn proofs_of_a_session_and_proofs_out_of_files_have_unrelated_challenges() {
    let settings = Options::default().settings();
    let challenge = |mode: &str| -> [u8; 16] {
        let mut transcript = transcript(
            mode,
            &SessionId::new([1; 32]),
            &[1; 32],
            settings.interval,
            7,
            &[Chain::from_bytes([0xd7; 32])],
        );
        transcript.challenge_seed("test").into_bytes()
    };
    assert_ne!(challenge("session"), challenge("stored"));
}
