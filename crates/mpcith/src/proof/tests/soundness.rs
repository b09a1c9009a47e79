//! Special soundness: three accepting transcripts give the witness. And provers without one: how far they
//! get.

use rand_chacha::rand_core::Rng;
use volery_circuit::{Circuit, Claim, Evaluator, Gate, Input, Parts, Signature};
use volery_field::{F2, F61, Z32};

use super::*;
use crate::rings::{Engine, Simulation, TapeStream};
use crate::testing::Size;

/// The input share of `player` in a response that opens it: from the response itself or from the tape.
fn input_share<R: PublicRing>(
    program: &Program<R>,
    header: &Header,
    responses: &[(Trit, Vec<u8>); 3],
    repetition: usize,
    player: u8,
) -> Vec<u8> {
    let shape = program.shape();
    let (e, response) = responses.iter().find(|(e, _)| e.opened().contains(&player)).expect("two open it");
    assert_eq!(header.protocol(), Protocol::Zkboo);
    let row = shape.row() - Shape::LABEL;
    let side = usize::from(e.opened()[1] == player);
    response[(2 * repetition + side) * row..][Shape::SEED..Shape::SEED + shape.inputs].to_vec()
}

/// Three accepting conversations with one first message: the input shares of all players, added up.
fn the_witness_is_extracted<R: PublicRing>(unpack: impl Fn(&[u8], usize) -> Vec<R>) {
    let statement = statement::<R>(21, Size { inputs: 19, gates: 80, claims: 4 });
    let program = Program::<R>::new(&statement).expect("compiles");
    let witness = Program::witness(&statement).expect("holds");
    let (header, committed) =
        commit(&program, &witness, settings(Protocol::Zkboo, 10), FILE, &mut rng(1)).expect("commits");
    let responses = Trit::ALL.map(|e| {
        let mut response = Vec::new();
        let challenge = vec![e; header.repetitions()];
        committed.respond(&challenge, &mut response);
        let first = Some(committed.first());
        sigma::check(&program, &header, &challenge, first, &response, None).expect("accepted");
        (e, response)
    });
    for repetition in 0..header.repetitions() {
        let shares = [0, 1, 2].map(|player| {
            unpack(&input_share(&program, &header, &responses, repetition, player), witness.values().len())
        });
        let sum = |i: usize| shares[0][i] + shares[1][i] + shares[2][i];
        let extracted: Vec<R> = (0..witness.values().len()).map(sum).collect();
        // Any witness will do; circuits have several.
        let mut evaluator = Evaluator::new();
        program.circuit().run(&mut evaluator, extracted.clone()).expect("the extracted witness satisfies it");
        assert!(extracted == witness.values());
    }
}

#[test]
fn three_accepting_transcripts_give_the_witness() {
    the_witness_is_extracted::<F2>(|bytes, n| {
        (0..n).map(|i| F2::from_lsb(u64::from(bytes[i / 8] >> (i % 8)))).collect()
    });
    the_witness_is_extracted::<Z32>(|bytes, _| {
        bytes.chunks(4).map(|word| Z32::decode(word).expect("a word")).collect()
    });
    the_witness_is_extracted::<F61>(|bytes, _| {
        bytes.chunks(8).map(|word| F61::decode(word).expect("canonical")).collect()
    });
}

/// "x y = 1", with no other claim.
fn product_is_one() -> CircuitStatement<F2> {
    let parts = Parts {
        signature: Signature {
            inputs: vec![Input { name: "x".into(), width: 2, public: false }],
            outputs: vec![],
        },
        constants: vec![F2::ONE],
        gates: vec![Gate::Mul(0, 1), Gate::AddConstant(2, 0)],
        outputs: vec![],
        asserted: vec![3],
    };
    let circuit = Circuit::new(parts).expect("sound");
    let claim = Claim::new(vec![None], vec![], circuit.signature()).expect("fits");
    CircuitStatement::new(circuit, claim).expect("claims something")
}

/// A prover that knows no witness: it runs on x = y = 0 and, after that, flips the product's share in the
/// view of one player, so that the output shares add up. Only who recomputes that player's view sees it.
struct Cheat {
    program: Program<F2>,
    header: Header,
    rows: Vec<u8>,
    first: Vec<u8>,
}

impl Cheat {
    fn new(protocol: Protocol, sigma: u16, seed: u64) -> Self {
        let program = Program::<F2>::new(&product_is_one()).expect("compiles");
        let mut rng = rng(seed);
        let mut salt = [0; 32];
        rng.fill_bytes(&mut salt);
        let header = Header::new(&program, &settings(protocol, sigma), salt);
        let (keys, shape, repetitions) = (header.keys(), program.shape(), header.repetitions());
        let mut rows = vec![0; 3 * repetitions * shape.row()];
        let mut first = vec![0; repetitions * shape.first()];
        let tapes: Vec<TapeStream> = (0..3 * repetitions)
            .map(|i| {
                let mut seed = [0; Shape::SEED];
                rng.fill_bytes(&mut seed);
                let row = &mut rows[i * shape.row()..][..shape.row()];
                sigma::label(row, i / 3, (i % 3) as u8, &seed);
                sigma::tape(&keys, i / 3, (i % 3) as u8, &seed)
            })
            .collect();
        let witness = &[F2::ZERO; 2];
        let (to, share) = (&mut rows, &mut first);
        F2::simulate(Simulation { program: &program, witness, tapes: &tapes, rows: to, first: share });
        for r in 0..repetitions {
            let player = (rng.next_u32() % 3) as usize;
            rows[(3 * r + player) * shape.row() + shape.view_at()] ^= 1;
            first[r * shape.first() + player * shape.outputs] ^= 1;
            for player in 0..3 {
                let row = &rows[(3 * r + player) * shape.row()..][..shape.row()];
                let commitment = blake3::keyed_hash(&keys.commitment, row);
                first[r * shape.first() + 3 * shape.outputs + 32 * player..][..32]
                    .copy_from_slice(commitment.as_bytes());
            }
        }
        Self { program, header, rows, first }
    }

    /// The answer to `challenge`, and whether the verifier takes it.
    fn passes(&self, challenge: &[Trit]) -> Result<Vec<u8>, Error> {
        let (shape, protocol) = (self.program.shape(), self.header.protocol());
        let committed = Committed { shape, protocol, rows: self.rows.clone(), first: self.first.clone() };
        let mut response = Vec::new();
        committed.respond(challenge, &mut response);
        let first = Some(&self.first[..]).filter(|_| protocol == Protocol::Zkboo);
        let implied = sigma::check(&self.program, &self.header, challenge, first, &response, None)?;
        if implied == self.first { Ok(response) } else { Err(Error::Challenge) }
    }
}

#[test]
fn a_prover_without_a_witness_passes_exactly_two_challenges_of_three() {
    for protocol in PROTOCOLS {
        for seed in 0..20 {
            // One bit of soundness: two repetitions, nine challenges.
            let cheat = Cheat::new(protocol, 1, seed);
            let challenges = Trit::ALL.into_iter().flat_map(|a| Trit::ALL.map(|b| [a, b]));
            assert_eq!(challenges.filter(|challenge| cheat.passes(challenge).is_ok()).count(), 4);
        }
    }
}

#[test]
fn it_passes_random_challenges_as_often_as_the_bound_says() {
    for protocol in PROTOCOLS {
        let cheat = Cheat::new(protocol, 3, 1);
        let (repetitions, tries) = (cheat.header.repetitions(), 3000_u32);
        let mut rng = rng(2);
        let passed = (0..tries).filter(|_| {
            let mut digest = [0; 32];
            rng.fill_bytes(&mut digest);
            cheat.passes(&challenge::expand(&digest, repetitions)).is_ok()
        });
        let (passed, p) = (passed.count() as f64, (2.0_f64 / 3.0).powi(repetitions as i32));
        let mean = f64::from(tries) * p;
        assert!((passed - mean).abs() < 6.0 * (mean * (1.0 - p)).sqrt(), "{passed}, not about {mean}");
    }
}

/// The file of a first move, made as an honest prover makes it.
fn file(header: &Header, committed: &Committed) -> Vec<u8> {
    let digest = header.digest(None, committed.first());
    let mut proof = header.encode();
    match header.protocol() {
        Protocol::Zkboo => proof.extend_from_slice(committed.first()),
        Protocol::Zkbpp => proof.extend_from_slice(&digest),
    }
    committed.respond(&challenge::expand(&digest, header.repetitions()), &mut proof);
    proof
}

fn files_of_false_claims_are_rejected<R: PublicRing>() {
    for protocol in PROTOCOLS {
        let settings = settings(protocol, 40);
        let FalseClaim { program, header, committed } = FalseClaim::<R>::new(settings);
        let result = verify_program(&program, &file(&header, &committed), settings.parameters.into());
        assert!(result.as_ref().is_err_and(Error::is_rejection), "{} {protocol}: {result:?}", R::NAME);
    }
}

/// Every view is right and every commitment opens: only the sum of the output shares tells.
#[test]
fn an_honest_run_on_a_wrong_witness_is_rejected() {
    files_of_false_claims_are_rejected::<F2>();
    files_of_false_claims_are_rejected::<Z32>();
    files_of_false_claims_are_rejected::<F61>();
}

/// The same run, with output shares that add up for whoever believes two of them: each player says what the
/// other two shares lack of zero. So the closed player's is always the one that the opened views imply; that
/// the opened players' are not what their views give, tells.
fn output_shares_that_no_view_gives_are_rejected<R: PublicRing>() {
    for protocol in PROTOCOLS {
        let settings = settings(protocol, 40);
        let FalseClaim { program, header, mut committed } = FalseClaim::<R>::new(settings);
        let shape = program.shape();
        for first in committed.first.chunks_exact_mut(shape.first()) {
            let real = first[..3 * shape.outputs].to_vec();
            let share = |player: usize| &real[player % 3 * shape.outputs..][..shape.outputs];
            for (player, said) in first[..3 * shape.outputs].chunks_exact_mut(shape.outputs).enumerate() {
                R::complement(share(player + 1), share(player + 2), said);
            }
        }
        let result = verify_program(&program, &file(&header, &committed), settings.parameters.into());
        match (protocol, result) {
            (Protocol::Zkboo, Err(Error::Repetition { reason, .. })) => {
                assert!(reason.contains("is not what its view gives"), "{reason}");
            }
            // Where the first message is recomputed, its digest tells.
            (Protocol::Zkbpp, Err(error)) => assert!(error.is_rejection(), "{error}"),
            (_, other) => panic!("{} {protocol}: {other:?}", R::NAME),
        }
    }
}

#[test]
fn an_opened_player_s_output_share_is_what_its_view_gives() {
    output_shares_that_no_view_gives_are_rejected::<F2>();
    output_shares_that_no_view_gives_are_rejected::<Z32>();
    output_shares_that_no_view_gives_are_rejected::<F61>();
}

#[test]
fn its_files_are_rejected_at_the_soundness_that_is_demanded() {
    for protocol in PROTOCOLS {
        for seed in 0..10 {
            let cheat = Cheat::new(protocol, 40, seed);
            let committed = Committed {
                shape: cheat.program.shape(),
                protocol,
                rows: cheat.rows.clone(),
                first: cheat.first.clone(),
            };
            let proof = file(&cheat.header, &committed);
            let result = verify_program(&cheat.program, &proof, cheat.header.parameters().into());
            assert!(result.as_ref().is_err_and(Error::is_rejection), "{result:?}");
        }
    }
}

/// If the challenge did not cover the output shares, the closed player's share could be chosen after it. It
/// covers them: a changed share in a file changes the challenge, so other players are opened.
#[test]
fn output_shares_of_closed_players_cannot_be_changed_afterwards() {
    let (statement, proof) = proved::<F2>(Protocol::Zkboo, 40);
    let program = Program::<F2>::new(&statement).expect("compiles");
    let shape = program.shape();
    let first = &proof[Header::BYTES..][..shape.first() * 69];
    let header = Header::decode(&proof).expect("sound");
    let challenge = challenge::expand(&header.digest(None, first), 69);
    let closed = usize::from(challenge[0].closed());
    let mut changed = proof.clone();
    changed[Header::BYTES + closed * shape.outputs] ^= 1;
    let changed_first = &changed[Header::BYTES..][..shape.first() * 69];
    assert_ne!(challenge, challenge::expand(&header.digest(None, changed_first), 69));
    let result = verify_program(&program, &changed, header.parameters().into());
    assert!(result.is_err_and(|error| error.is_rejection()));
}
