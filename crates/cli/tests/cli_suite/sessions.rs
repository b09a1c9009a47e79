//! Sessions between two processes, and how they end.

use std::net::TcpListener;

use volery::statements::Mul32;
use volery::system::Bits;

use crate::support::*;

#[test]
fn a_built_in_is_proved_with_a_witness_from_standard_input() {
    let (prover, verifier) = session([ABC, ABC], ABC_WITNESS, &["--json"], &["--json"]);
    let (prover, verifier) = (prover.expect(0, "").object(), verifier.expect(0, "").object());
    for object in [&prover, &verifier] {
        assert_eq!(object["result"], "accepted");
        assert!(object["soundness_bits"].as_f64().is_some_and(|bits| bits >= 100.0));
        assert!(object["statement"].as_str().is_some_and(|text| text.starts_with("sha256-preimage")));
    }
    assert_eq!(prover["bytes_sent"], verifier["bytes_received"]);
    assert_eq!(prover["bytes_received"], verifier["bytes_sent"]);
    assert!(prover["round_trips"].as_u64().is_some_and(|n| n <= 5), "{prover}");
}

#[test]
fn either_side_may_listen() {
    let args = join(&[&["prove"], ABC, &["--witness", "-", "--listen", "127.0.0.1:0"]]);
    let prover = Running::listening(&args, ABC_WITNESS);
    let verifier = run(&join(&[&["verify"], ABC, &["--connect", &prover.address]]), "");
    assert!(verifier.expect(0, "").stdout.starts_with("accepted: "));
    assert!(prover.end().expect(0, "").stdout.starts_with("accepted: "));
}

#[test]
fn all_options_of_the_protocol_work_if_both_sides_choose_them() {
    for options in [&["--profile", "wan"][..], &["--fiat-shamir"], &["--threads", "3", "--rho", "110"]] {
        let (prover, verifier) = session([ABC, ABC], ABC_WITNESS, options, options);
        prover.expect(0, "");
        verifier.expect(0, "");
    }
}

/// 7907 * 7919 and 65537 * 65537, modulo 2^32.
const PRODUCTS: &[&str] = &["mul32", "--products", "03bb6fed00020001"];
const FACTORS: &str = "factors = 0x00001ee300001eef0001000100010001\n";

#[test]
fn products_modulo_2_32_are_proved_over_bits_and_a_wrong_product_is_rejected() {
    for options in [&["--json"][..], &["--json", "--fiat-shamir"], &["--json", "--profile", "wan"]] {
        let (prover, verifier) = session([PRODUCTS, PRODUCTS], FACTORS, options, options);
        let (prover, verifier) = (prover.expect(0, "").object(), verifier.expect(0, "").object());
        for object in [&prover, &verifier] {
            assert_eq!((&object["result"], &object["secrets"]), (&"accepted".into(), &1122.into()));
            assert_eq!((&object["multiplications"], &object["field"]), (&0.into(), &"F2".into()));
            assert!(object["polynomials"].as_u64().is_some_and(|n| n > 100), "{object}");
            // A block of products has 125 bits, less some for degree 4 and for attempts with hashes.
            let bits = object["soundness_bits"].as_f64().expect("a number");
            assert!((118.0..125.0).contains(&bits), "{object}");
        }
    }
    // An honest prover with wrong factors does not even connect.
    let args = join(&[&["prove"], PRODUCTS, &["--witness", "-", "--connect", "127.0.0.1:1"]]);
    run(&args, &FACTORS.replace("1ee3", "1ee2")).expect(1, "products, number 0: claimed 0x03bb6fed");

    // This prover knows factors of another product and lies about it.
    let claimed = Mul32::new(vec![62_615_533]);
    let known = Mul32::new(vec![62_615_532]).with_factors(vec![[62_615_532, 1]].into()).expect("a pair");
    let verifier =
        Running::listening(&["verify", "mul32", "--products", "03bb6fed", "--listen", "127.0.0.1:0"], "");
    let mut rng = volery::os_rng().expect("randomness");
    let lie = prover_at(&verifier.address).prove(Bits, &Liar { claimed, known }, &mut rng);
    assert!(lie.expect_err("a lie was accepted").is_rejection());
    verifier.end().expect(1, "");
}

/// A circuit over a secret byte and a public one: AND bit by bit, then one more AND of the lowest two.
fn circuit(dir: &std::path::Path) -> String {
    use volery_circuit::{Ops, Recorder, bristol};
    let mut recorder = Recorder::<volery_field::F2>::new();
    let x = recorder.input("x", 8, false).expect("small");
    let y = recorder.input("y", 8, false).expect("small");
    let mut z = recorder.mul_many(&x, &y).expect("small");
    let low = recorder.mul(&z[0], &z[1]).expect("small");
    z.push(low);
    let circuit = recorder.finish(&[("z", &z)]).expect("sound");
    let mut text = Vec::new();
    bristol::write(&circuit, &mut text).expect("written");
    write(dir, "circuit.txt", std::str::from_utf8(&text).expect("ASCII"))
}

#[test]
fn a_circuit_file_is_proved_over_a_unix_socket() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = circuit(dir.path());
    // 0xb7 & 0x9f = 0x97, whose lowest two bits are set.
    let public = write(dir.path(), "public.txt", "input 1 = 0x9f\noutput 0 = 0b110010111\n");
    let witness = write(dir.path(), "witness.txt", "# secret\ninput 0 = 0xb7\n");
    let address = format!("unix:{}", dir.path().join("socket").display());
    let statement = [file.as_str(), "--public", public.as_str()];
    let verifier = Running::listening(&join(&[&["verify"], &statement, &["--listen", &address]]), "");
    assert_eq!(verifier.address, address);
    let args = join(&[&["prove"], &statement, &["--witness", &witness, "--connect", &address]]);
    run(&args, "").expect(0, "");
    verifier.end().expect(0, "");
    assert!(!dir.path().join("socket").exists());

    let wrong = write(dir.path(), "witness.txt", "input 0 = 0xb5\n");
    let args = join(&[&["prove"], &statement, &["--witness", &wrong, "--connect", &address]]);
    run(&args, "").expect(1, "output 0");
}

#[test]
fn a_prover_with_a_wrong_witness_tells_its_owner_and_nobody_else() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
    let address = listener.local_addr().expect("bound").to_string();
    let args = join(&[&["prove"], ABC, &["--json", "--witness", "-", "--connect", &address]]);
    let ended = run(&args, "0x616264").expect(1, "digest, byte 0: claimed 0xba");
    assert_eq!(ended.object()["result"], "rejected");
    listener.set_nonblocking(true).expect("a socket");
    assert!(listener.accept().is_err(), "it connected before it looked");
}

#[test]
fn a_cheating_prover_is_rejected_with_code_1() {
    let verifier = Running::listening(&join(&[&["verify"], ABC, &["--listen", "127.0.0.1:0", "--json"]]), "");
    assert!(lie_to(&verifier.address).is_rejection());
    let ended = verifier.end().expect(1, "must be zero");
    assert_eq!(ended.object()["result"], "rejected");
}

#[test]
fn parties_that_differ_end_with_code_3_and_the_difference() {
    let mut other = ABC.to_vec();
    let digest = ABC[2].replace('b', "c");
    other[2] = &digest;
    // Of another size, and so with other parameters.
    let products = ["mul32", "--products", "0000000600000006"];
    for (statements, prover, verifier, message) in [
        ([ABC, other.as_slice()], &[][..], &[][..], "different statements"),
        ([ABC, &products], &[], &[], "different statements"),
        ([ABC, ABC], &["--profile", "wan"], &["--profile", "lan"], "`profile`"),
        ([ABC, ABC], &["--fiat-shamir"], &[], "`challenges`"),
    ] {
        let (prover, verifier) = session(statements, ABC_WITNESS, prover, verifier);
        assert_eq!((prover.code, verifier.code), (3, 3), "{prover:?} {verifier:?}");
        // One of the two finds the difference first and tells the other.
        let both = format!("{}{}", prover.stderr, verifier.stderr);
        assert!(both.contains(message), "{both}");
        assert_eq!((prover.stdout.as_str(), verifier.stdout.as_str()), ("", ""));
    }
}

#[test]
fn two_verifiers_do_not_prove_anything() {
    let verifier = Running::listening(&join(&[&["verify"], ABC, &["--listen", "127.0.0.1:0"]]), "");
    run(&join(&[&["verify"], ABC, &["--connect", &verifier.address]]), "").expect(3, "");
    verifier.end().expect(3, "both parties are the verifier");
}

#[test]
fn a_peer_that_is_silent_after_its_hello_ends_the_session_after_the_time_out() {
    let args = ["--listen", "127.0.0.1:0", "--timeout", "0.3"];
    let verifier = Running::listening(&join(&[&["verify"], ABC, &args]), "");
    let peer = prover_at(&verifier.address);
    verifier.end().expect(3, "did not complete within");
    drop(peer);
}

#[test]
fn nobody_listening_is_a_failed_session() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
    let address = listener.local_addr().expect("bound").to_string();
    drop(listener);
    let short = ["--connect", &address, "--connect-timeout", "0.3"];
    let ended = run(&join(&[&["verify"], ABC, &short]), "").expect(3, &address);
    // The message says what to do.
    ended.expect(3, "start the other party with --listen").expect(3, "--connect-timeout");
}

#[test]
fn limits_of_a_session_are_kept() {
    let (prover, verifier) = session([ABC, ABC], ABC_WITNESS, &[], &["--max-bytes", "20k"]);
    verifier.expect(3, "over this party's limit of 20000");
    prover.expect(3, "");
}
