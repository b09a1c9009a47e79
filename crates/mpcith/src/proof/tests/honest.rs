//! What an honest prover makes is accepted, is as long as announced, and opens two players of three.

use proptest::prelude::*;
use rand_chacha::rand_core::Rng;
use volery_circuit::statements::{Sha1Preimage, Sha256Preimage};
use volery_circuit::{Circuit, Claim, Parts};
use volery_field::{Bn254Scalar, F2, F61, Gf256, Z32, Z64};

use super::*;
use crate::testing::Size;

fn accepted<R: PublicRing>(seed: u64, size: Size, sigma: u16) {
    let statement = statement::<R>(seed, size);
    let program = Program::<R>::new(&statement).expect("compiles");
    for protocol in PROTOCOLS {
        let settings = settings(protocol, sigma);
        let proof = prove(&statement, settings, &mut rng(seed)).expect("it holds");
        let verified = verify::<R, _>(&statement, &proof, settings.parameters.into());
        assert_eq!(verified, Ok(Verified { protocol, parameters: settings.parameters }), "{}", R::NAME);
        let [least, most] = proof_bytes::<R>(program.counts(), protocol, settings.parameters);
        assert!((least..=most).contains(&(proof.len() as u64)));
    }
}

/// With many inputs, the lengths of proofs by ZKB++ differ most.
#[test]
fn lengths_are_near_the_expected_one() {
    let statement = statement::<Z64>(1, Size { inputs: 100, gates: 3, claims: 1 });
    let counts = Program::<Z64>::new(&statement).expect("compiles").counts();
    for protocol in PROTOCOLS {
        let settings = settings(protocol, 128);
        let expected = expected_bytes::<Z64>(counts, protocol, settings.parameters);
        let [least, most] = proof_bytes::<Z64>(counts, protocol, settings.parameters);
        let spread = (most - least) / settings.parameters.repetitions() as u64;
        assert_eq!(spread > 0, protocol == Protocol::Zkbpp);
        for seed in 0..4 {
            let length = prove(&statement, settings, &mut rng(seed)).expect("it holds").len() as u64;
            // More than eight standard deviations.
            assert!(length.abs_diff(expected) <= 60 * spread, "{length}, not {expected}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    #[test]
    fn honest_proofs_over_every_kind_of_ring_are_accepted(
        seed: u64, inputs in 1..40_u32, gates in 0..120_u32, claims in 1..9_u32, sigma in 1..60_u16
    ) {
        let size = Size { inputs, gates, claims };
        accepted::<F2>(seed, size, 2 * sigma);
        accepted::<Z32>(seed, size, sigma);
        accepted::<Z64>(seed, size, sigma);
        accepted::<F61>(seed, size, sigma);
        accepted::<Gf256>(seed, size, sigma);
        accepted::<Bn254Scalar>(seed, size, sigma);
        #[cfg(feature = "every-field")]
        {
            use volery_field::{F32, Goldilocks, PallasBase, Secp256k1Base};
            accepted::<F32>(seed, size, sigma);
            accepted::<PallasBase>(seed, size, sigma);
            accepted::<Goldilocks>(seed, size, sigma);
            accepted::<Secp256k1Base>(seed, size, sigma);
        }
    }
}

#[test]
fn threads_change_no_byte() {
    for threads in 1..4 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        for protocol in PROTOCOLS {
            let (statement, proof) = proved::<F2>(protocol, 80);
            let settings = Settings { threads: Some(&pool), ..settings(protocol, 80) };
            assert!(prove(&statement, settings, &mut rng(5)).expect("it holds") == proof);
            let demands = Demands { threads: Some(&pool), ..settings.parameters.into() };
            verify::<F2, _>(&statement, &proof, demands).expect("accepted");
        }
    }
}

#[test]
fn preimages_are_proved_in_the_bytes_that_the_paper_needs_and_half_of_them() {
    let message = || Zeroizing::new(vec![0x5a; 32]);
    // Python's hashlib on 32 bytes 0x5a.
    let bytes = |hex: &str| -> Vec<u8> {
        (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).expect("hex")).collect()
    };
    let sha256 = bytes("60bf07c488aad18fda339df07e4fbc47b4f00be71711936f18d04d352ad01890");
    let sha256 = Sha256Preimage::new(sha256.try_into().expect("32 bytes"), 32);
    let sha256 = sha256.and_then(|s| s.with_message(message())).expect("fits");
    let sha1 = bytes("8e0d9deeb89a022d6375db08c3e00ca0863983f9");
    let sha1 = Sha1Preimage::new(sha1.try_into().expect("20 bytes"), 32);
    let sha1 = sha1.and_then(|s| s.with_message(message())).expect("fits");
    // ZKBoo's table 1: 835.91 KB and 444.18 KB.
    let length = |protocol| {
        let settings = settings(protocol, 80);
        let proof = prove(&sha256, settings, &mut rng(1)).expect("it holds");
        verify::<F2, _>(&sha256, &proof, settings.parameters.into()).expect("accepted");
        let other = prove(&sha1, settings, &mut rng(1)).expect("it holds");
        verify::<F2, _>(&sha1, &other, settings.parameters.into()).expect("accepted");
        [proof.len(), other.len()]
    };
    let (zkboo, zkbpp) = (length(Protocol::Zkboo), length(Protocol::Zkbpp));
    for ((zkboo, zkbpp), paper) in zkboo.into_iter().zip(zkbpp).zip([836_000, 445_000]) {
        assert!(zkboo <= paper && zkbpp * 100 <= paper * 47 && zkbpp * 100 <= zkboo * 49);
    }
}

#[test]
fn a_proof_holds_nothing_of_the_closed_players() {
    for protocol in PROTOCOLS {
        let statement = statement::<F2>(3, Size { inputs: 130, gates: 300, claims: 3 });
        let program = Program::<F2>::new(&statement).expect("compiles");
        let witness = Program::witness(&statement).expect("holds");
        let settings = settings(protocol, 40);
        let mut proof = prove_program(&program, &witness, settings, &mut rng(2)).expect("proves");
        // The generator's first draw, as `commit` makes it.
        let mut secret = [0; 32];
        rng(2).fill_bytes(&mut secret);
        let (header, seeds) = draw(&secret, &program, &witness, settings, FILE);
        let digest = match protocol {
            Protocol::Zkboo => header.digest(None, &proof[Header::BYTES..][..program.shape().first() * 69]),
            Protocol::Zkbpp => *proof[Header::BYTES..].first_chunk().expect("long enough"),
        };
        let challenge = challenge::expand(&digest, header.repetitions());
        proof.drain(..Header::BYTES);
        for (r, e) in challenge.into_iter().enumerate() {
            for player in 0..3 {
                let seed = &seeds[3 * r + player];
                let found = proof.windows(seed.len()).any(|window| window == seed);
                assert_eq!(found, player != usize::from(e.closed()), "repetition {r}, player {player}");
            }
        }
    }
}

#[test]
fn a_statement_that_does_not_hold_or_claims_nothing_is_not_proved() {
    let (circuit, mut witness) = crate::testing::random::<Z32>(1, SMALL);
    let claim = || Claim::new(vec![None], vec![], circuit.signature()).expect("fits");
    witness.iter_mut().for_each(|x| *x += Z32::ONE);
    let statement = CircuitStatement::new(circuit.clone(), claim()).expect("claims something");
    let wrong_values = witness.clone();
    let wrong = statement.with_witness(Witness::new(witness)).expect("fits");
    let program = Program::<Z32>::new(&wrong).expect("compiles");
    let result =
        prove_program(&program, &Witness::new(wrong_values), settings(Protocol::Zkbpp, 40), &mut rng(1));
    assert!(matches!(result, Err(Error::Statement(volery_circuit::Error::Witness(_)))));
    let result = prove(&wrong, settings(Protocol::Zkbpp, 40), &mut rng(1));
    assert!(matches!(result, Err(Error::Statement(volery_circuit::Error::Unsatisfied { .. }))));
    let parts = Parts { asserted: vec![], outputs: vec![0], ..circuit.into_parts() };
    let signature = volery_circuit::Signature {
        outputs: vec![volery_circuit::Output { name: "y".into(), width: 1 }],
        ..parts.signature.clone()
    };
    let circuit = Circuit::new(Parts { signature, ..parts }).expect("sound");
    struct Idle(Circuit<Z32>);
    impl<B: volery_circuit::Prove<Z32>> Statement<B> for Idle {
        fn identify(&self, digest: &mut volery_circuit::Digest) {
            self.0.identify(digest);
        }
        fn run(&self, backend: &mut B) -> Result<(), B::Error> {
            let inputs = backend.secret(self.0.input_wires() as usize, &mut |_| unreachable!("no values"))?;
            self.0.run(backend, inputs).map(drop)
        }
    }
    let error = Program::<Z32>::new(&Idle(circuit)).err();
    assert_eq!(error, Some(volery_circuit::Error::nothing_claimed().into()));
}

#[test]
fn a_proof_is_about_its_message_and_about_none_if_it_has_none() {
    for protocol in PROTOCOLS {
        let statement = statement::<F2>(11, SMALL);
        let [five, six] = ["pay 5", "pay 6"].map(|text| Some(Message::new(text.as_bytes())));
        let settings = |message| Settings { message, ..settings(protocol, 40) };
        let [bound, unbound] =
            [five, None].map(|message| prove(&statement, settings(message), &mut rng(5)).expect("it holds"));
        let check = |proof: &[u8], message| {
            let demands = Demands { message, ..settings(None).parameters.into() };
            verify::<F2, _>(&statement, proof, demands).map(|verified| verified.protocol)
        };
        assert_eq!((check(&bound, five), check(&unbound, None)), (Ok(protocol), Ok(protocol)));
        assert!(Header::decode(&bound).expect("decodes").is_bound());
        assert_eq!(check(&bound, None), Err(Error::Message { bound: true }));
        assert_eq!(check(&unbound, five), Err(Error::Message { bound: false }));
        // The same first message has another challenge, whose answer may have another length.
        let refused = |result: Result<_, Error>| {
            result.is_err_and(|error| error.is_rejection() || matches!(error, Error::Malformed { .. }))
        };
        assert!(refused(check(&bound, six)));
        // The mark says that there is a message, or that there is none, whichever suits the verifier.
        for (proof, message) in [(&bound, None), (&unbound, five)] {
            let mut marked = proof.clone();
            marked[19] ^= 1;
            assert!(refused(check(&marked, message)));
            marked[19] = 2;
            assert!(matches!(check(&marked, message), Err(Error::Malformed { offset: 19, .. })));
        }
    }
}

/// Two answers to one first message would open all three players.
#[test]
fn the_same_randomness_makes_other_seeds_for_another_message() {
    let statement = statement::<F2>(11, SMALL);
    let program = Program::<F2>::new(&statement).expect("compiles");
    let witness = Program::witness(&statement).expect("holds");
    let messages = [None, Some(Message::new(b"pay 5")), Some(Message::new(b"pay 6"))];
    let drawn = messages.map(|message| {
        let settings = Settings { message, ..settings(Protocol::Zkbpp, 4) };
        draw(&[1; 32], &program, &witness, settings, FILE)
    });
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        assert!(drawn[i].0.salt != drawn[j].0.salt && drawn[i].1[0] != drawn[j].1[0]);
    }
}

#[test]
fn the_wrong_number_of_values_is_refused() {
    let program = Program::<F2>::new(&statement::<F2>(11, SMALL)).expect("compiles");
    let result = prove_program(&program, &Witness::new(vec![]), Settings::default(), &mut rng(1));
    assert!(matches!(result, Err(Error::Parameters(_))));
}
