//! Commands of one process: demo, check, info, help.

use crate::support::*;

#[test]
#[ignore = "takes a quarter of a minute without optimisation"]
fn long_the_demo_accepts_an_honest_proof_and_rejects_all_cheats() {
    let ended = run(&["demo"], "").expect(0, "");
    assert_eq!(ended.stdout.matches("ACCEPTED").count(), 3, "{}", ended.stdout);
    assert_eq!(ended.stdout.matches("REJECTED").count(), 3, "{}", ended.stdout);
    let story = run(&["demo", "--json", "--length", "7"], "").expect(0, "").object();
    assert_eq!((&story["honest"]["field"], &story["honest"]["secrets"]), (&"F2".into(), &56.into()));
    assert!(story["large"]["multiplications_per_second"].as_f64().is_some_and(|rate| rate > 0.0));
    let reasons: Vec<&str> = (0..2).filter_map(|i| story["cheats"][i]["reason"].as_str()).collect();
    assert_eq!(reasons, ["a wire that must be zero is not", "a product is wrong"]);
    let numbers = &story["numbers"];
    assert_eq!((&numbers["honest"]["field"], &numbers["honest"]["secrets"]), (&"F61".into(), &6400.into()));
    assert_eq!(numbers["cheats"][0]["reason"], "a product or another polynomial is wrong");
}

#[test]
fn check_tells_whether_a_witness_holds_and_where_it_fails() {
    let args = join(&[&["check"], ABC, &["--witness", "-"]]);
    assert_eq!(run(&args, ABC_WITNESS).expect(0, "").stdout, "holds\n");
    let wrong = run(&args, "0x616264").expect(1, "digest, byte 0: claimed 0xba");
    assert_eq!(wrong.stdout, "fails\n");
    let wrong = run(&join(&[&args, &["--json"]]), "0x616264").expect(1, "").object();
    assert_eq!((&wrong["result"], &wrong["place"]), (&"rejected".into(), &"digest, byte 0".into()));
}

#[test]
fn info_counts_a_built_in_and_predicts_what_a_proof_costs() {
    let args = ["info", "aes128-key", "--plaintext", &"00".repeat(16), "--ciphertext", &"11".repeat(16)];
    let info = run(&[&args[..], &["--json"]].concat(), "").expect(0, "").object();
    assert_eq!(info["ands"], 6400);
    assert_eq!(info["secret_bits"], 128);
    assert_eq!(info["inputs"][0]["name"], "key");
    for protocol in info["protocols"].as_array().expect("an array") {
        assert!(protocol["soundness_bits"].as_f64().is_some_and(|bits| bits > 100.0));
        // These are the key's bits, eight for each of 200 S-boxes but the last 16, and 128 to mask the check.
        assert_eq!(protocol["correlations"], 128 + 8 * 184 + 128);
        assert!(protocol["bytes_prover"].as_u64().is_some_and(|n| n > 1000));
    }
    let text = run(&args, "").expect(0, "").stdout;
    assert!(text.contains("6,400") && text.contains("--profile wan"), "{text}");
}

#[test]
fn info_counts_polynomials_over_bits_and_what_they_cost() {
    let of = |products: usize| {
        let args = ["info", "mul32", "--products", &"00000001".repeat(products), "--json"];
        run(&args, "").expect(0, "").object()
    };
    let info = of(1000);
    assert_eq!((&info["ands"], &info["secret_bits"]), (&0.into(), &561_000.into()));
    assert_eq!(info["polynomial_degree"], 4);
    let lan = &info["protocols"][0];
    // A block holds 3 * 2^17 coefficients or 2^17 bits, and costs 5 * 128 correlations.
    let coefficients = 4 * info["polynomials"].as_u64().expect("a number");
    let blocks = 561_000_u64.div_ceil(1 << 17) + coefficients / (3 << 17);
    let most = 561_000 + 640 * blocks;
    assert!(lan["correlations"].as_u64().is_some_and(|used| (561_000..=most).contains(&used)), "{lan}");
    // The polynomials of one block have degree 4 and so four roots. This adds half of the seeds that the
    // errors of a full block can be made for: 12 * 2^17 bits at 64 for each seed.
    let made = (1.0 + 12.0 * f64::from(1 << 17) / 64.0) / 2.0;
    let expected = 127.0 - (4.5 + 1.0 + made).log2();
    assert!(lan["soundness_bits"].as_f64().is_some_and(|bits| (bits - expected).abs() < 0.01), "{lan}");
    let text = run(&["info", "mul32", "--products", "00000001"], "").expect(0, "").stdout;
    assert!(text.contains("of degree 4 or less"), "{text}");
}

#[test]
fn info_of_a_circuit_needs_no_claim() {
    let dir = tempfile::tempdir().expect("a directory");
    let circuit = write(dir.path(), "c.txt", "2 5\n1 3\n1 1\n\n2 1 0 1 3 AND\n2 1 2 3 4 AND\n");
    let info = run(&["info", circuit.as_str(), "--json"], "").expect(0, "").object();
    assert_eq!((&info["ands"], &info["depth"]), (&2.into(), &2.into()));
    assert_eq!((&info["inputs"][0]["bits"], &info["inputs"][0]["public"]), (&3.into(), &false.into()));
}

#[test]
fn help_and_version_are_results_and_cover_every_command() {
    let help = run(&["help"], "").expect(0, "").stdout;
    for command in ["demo", "check", "compute", "verify", "prove", "preprocess", "info", "bench"] {
        assert!(help.contains(command), "{help}");
        let long = run(&[command, "--help"], "").expect(0, "").stdout;
        assert!(long.contains("Usage"), "{long}");
    }
    assert!(!help.contains("bench-party"), "{help}");
    let prove = run(&["prove", "--help"], "").stdout;
    assert!(volery::builtin::ENTRIES.iter().all(|entry| prove.contains(entry.name)), "{prove}");
    assert!(run(&["--version"], "").expect(0, "").stdout.starts_with("volery "));
}
