//! Proofs in this process and on one thread, at 128 bits: an AES-128 key, a SHA-256 preimage, ANDs by the
//! million, and one of several chains of a hundred thousand ANDs. The statement is run anew for each proof,
//! as in the program.

#![allow(missing_docs, reason = "criterion's macros make a public function")]
#![allow(clippy::expect_used, reason = "an honest proof is accepted")]

use std::io::Cursor;

use criterion::{Criterion, criterion_group, criterion_main};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use volery_circuit::Statement;
use volery_circuit::statements::{Aes128Key, AndChain, Sha256Preimage};
use volery_field::F2;
use volery_voleith::{Demands, Parameters, Settings, prove, verify};
use volery_zk::disjunction::AnyOf;
use volery_zk::quicksilver::bits;

fn all(c: &mut Criterion) {
    // FIPS 197, appendix C.1.
    let plaintext = core::array::from_fn(|i| i as u8 * 0x11);
    let ciphertext = 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a_u128.to_be_bytes();
    let key: Vec<u8> = (0..16).collect();
    measure(c, "aes128", &Aes128Key::new(plaintext, ciphertext).with_key(key.into()).expect("fits"));
    // Of 32 bytes 0x5a, by another implementation.
    let digest = [
        0x60, 0xbf, 0x07, 0xc4, 0x88, 0xaa, 0xd1, 0x8f, 0xda, 0x33, 0x9d, 0xf0, 0x7e, 0x4f, 0xbc, 0x47, 0xb4,
        0xf0, 0x0b, 0xe7, 0x17, 0x11, 0x93, 0x6f, 0x18, 0xd0, 0x4d, 0x35, 0x2a, 0xd0, 0x18, 0x90,
    ];
    let sha256 = Sha256Preimage::new(digest, 32).and_then(|s| s.with_message(vec![0x5a; 32].into()));
    measure(c, "sha256", &sha256.expect("fits"));
    measure(c, "million-ands", &AndChain::new(1_000_000));
    for branches in [2, 50] {
        let any = AnyOf::<F2, _>::new((0..branches).map(|_| AndChain::new(100_000)).collect());
        let any = any.and_then(|any| any.with_choice(1)).expect("one of many");
        measure(c, &format!("one-of-{branches}"), &any);
    }
}

fn measure<S>(c: &mut Criterion, name: &str, statement: &S)
where
    S: for<'a> Statement<bits::Prover<'a>> + for<'a> Statement<bits::Verifier<'a>>,
{
    let mut group = c.benchmark_group(name);
    group.sample_size(10);
    for parameters in [Parameters::Fast, Parameters::Small] {
        let settings = Settings { parameters, ..Settings::default() };
        let proof = || {
            let mut out = Cursor::new(Vec::new());
            let mut rng = ChaCha20Rng::seed_from_u64(1);
            prove(statement, &settings, &mut rng, &mut out).expect("proves");
            out.into_inner()
        };
        let made = proof();
        println!("{name}, {}: {} bytes", parameters.name(), made.len());
        group.bench_function(format!("{}/prove", parameters.name()), |b| b.iter(proof));
        group.bench_function(format!("{}/verify", parameters.name()), |b| {
            b.iter(|| verify(statement, &Demands::default(), &mut &made[..]).expect("holds"));
        });
    }
    group.finish();
}

criterion_group!(benches, all);
criterion_main!(benches);
