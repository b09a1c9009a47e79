//! What the challenges of a proof without V's choice depend on.

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng as _;
use volery_vole::supply::Profile;

use super::*;

/// What tells two proofs apart.
#[derive(Clone, Copy, Debug)]
struct Proof {
    session: u8,
    digest: u8,
    profile: Profile,
    number: u64,
    first_correlation: u64,
}

const PROOF: Proof = Proof { session: 1, digest: 1, profile: Profile::Lan, number: 1, first_correlation: 7 };

fn first_challenge(proof: Proof) -> [u8; 16] {
    let options = Options { profile: proof.profile, fiat_shamir: true, ..Options::default() };
    let id = SessionId::new([proof.session; 32]);
    let (proofs, vocabulary) = (proof.number, no_claims());
    let common = Common { id, options, threads: None, proofs, over: false, vocabulary };
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    match common.challenges(&[proof.digest; 32], proof.first_correlation, &mut rng) {
        Challenges::FiatShamir(mut transcript) => transcript.challenge_seed("test").into_bytes(),
        Challenges::Interactive(_) | Challenges::Seeded(_) => panic!("Fiat-Shamir was asked for"),
    }
}

#[test]
fn a_fiat_shamir_challenge_depends_on_session_statement_settings_place_and_number() {
    let others = [
        Proof { session: 2, ..PROOF },
        Proof { digest: 2, ..PROOF },
        Proof { profile: Profile::Wan, ..PROOF },
        Proof { number: 2, ..PROOF },
        Proof { first_correlation: 8, ..PROOF },
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
        let mut transcript = transcript(mode, &SessionId::new([1; 32]), &[1; 32], settings.interval, 7);
        transcript.challenge_seed("test").into_bytes()
    };
    assert_ne!(challenge("session"), challenge("stored"));
}
