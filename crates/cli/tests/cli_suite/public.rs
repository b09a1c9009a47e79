//! Proofs that anyone can verify, through the program.

use std::path::Path;

use crate::support::*;

fn path(dir: &Path, name: &str) -> String {
    dir.join(name).to_str().expect("UTF-8").to_owned()
}

fn prove(out: &str, witness: &str, options: &[&str]) -> Ended {
    run(&join(&[&["prove"], ABC, &["--json", "--witness", "-", "--out", out], options]), witness)
}

fn verify(proof: &str, options: &[&str]) -> Ended {
    run(&join(&[&["verify"], ABC, &["--json", proof], options]), "")
}

#[test]
fn a_proof_is_a_file_that_anyone_can_verify_any_number_of_times() {
    let dir = tempfile::tempdir().expect("a directory");
    for (protocol, other) in [("zkbpp", "zkboo"), ("zkboo", "zkbpp")] {
        let proof = path(dir.path(), protocol);
        let proved = prove(&proof, ABC_WITNESS, &["--protocol", protocol]).expect(0, "").object();
        assert_eq!((&proved["result"], &proved["protocol"]), (&"done".into(), &protocol.into()));
        assert_eq!(proved["repetitions"], 219);
        for options in [&[][..], &["--threads", "2"]] {
            let accepted = verify(&proof, options).expect(0, "").object();
            assert_eq!((&accepted["result"], &accepted["protocol"]), (&"accepted".into(), &protocol.into()));
            assert_eq!(accepted["proof_bytes"], proved["proof_bytes"]);
        }
        // The file exists already.
        prove(&proof, ABC_WITNESS, &["--protocol", other]).refused("exists already");
    }
    let text = run(&join(&[&["verify"], ABC, &[&path(dir.path(), "zkbpp")]]), "").expect(0, "").stdout;
    assert!(text.contains(" ANDs, zkbpp with 219 repetitions"), "{text}");
    // VOLE in the head is the default over bits, and its proofs are a tenth as long as those of ZKB++.
    let proof = path(dir.path(), "default");
    let proved = prove(&proof, ABC_WITNESS, &[]).expect(0, "").object();
    assert_eq!(proved["protocol"], "voleith");
    let length = |name: &str| std::fs::metadata(dir.path().join(name)).expect("is there").len();
    assert!(10 * length("default") < length("zkbpp") && 2 * length("zkbpp") < length("zkboo"));
}

#[test]
fn a_proof_that_is_interrupted_leaves_no_file_of_its_name() {
    let dir = tempfile::tempdir().expect("a directory");
    let (circuit, proof) = (path(dir.path(), "many.txt"), path(dir.path(), "proof"));
    // Enough gates for some seconds.
    let gates = 1 << 20;
    let mut text = format!("{gates} {}\n1 2\n1 1\n\n", gates + 2);
    for gate in 0..gates {
        text += &format!("2 1 {gate} {} {} AND\n", gate + 1, gate + 2);
    }
    std::fs::write(&circuit, text).expect("writable");
    let public = write(dir.path(), "public", "output 0 = 0b1\n");
    let args = ["prove", &circuit, "--public", &public, "--witness", "-", "--out", &proof, "--small"];
    let mut prover = spawn(&args, b"0b11\n");
    // It has begun to write, under a name that shows that the file is not complete.
    let partial = || {
        let entries = std::fs::read_dir(dir.path()).expect("a folder").filter_map(Result::ok);
        entries.filter(|entry| entry.path().extension().is_some_and(|end| end == "partial")).count()
    };
    while partial() == 0 && prover.try_wait().expect("its end").is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    prover.kill().expect("it still runs");
    prover.wait().expect("ended");
    assert_eq!((Path::new(&proof).exists(), partial()), (false, 1));
}

#[test]
fn names_that_cannot_be_files_are_refused_at_once() {
    let dir = tempfile::tempdir().expect("a directory");
    for (out, reason) in [("-", "name a new file"), ("/dev/stdout", "a device"), ("/tmp", "is a folder")] {
        prove(out, ABC_WITNESS, &[]).refused(reason);
    }
    assert!(!Path::new("-").exists());
    verify("-", &[]).refused("read from a file");
    verify(&path(dir.path(), "nowhere"), &[]).refused("No such file");
}

#[test]
fn proofs_from_vole_in_the_head_are_short_files_about_bits_and_may_be_about_a_message() {
    let dir = tempfile::tempdir().expect("a directory");
    let (letter, other) = (path(dir.path(), "letter"), path(dir.path(), "other"));
    std::fs::write(&letter, "pay 5").expect("writable");
    std::fs::write(&other, "pay 6").expect("writable");
    let head = ["--protocol", "voleith"];
    let info = run(&join(&[&["info"], ABC, &["--json"]]), "").expect(0, "").object();
    let foretold = |name: &str, sigma: u16| {
        let costs = info["public_proofs"].as_array().expect("a list");
        let cost = costs.iter().find(|cost| cost["protocol"] == name && cost["soundness_bits"] == sigma);
        cost.expect("is listed")["bytes"].clone()
    };
    for (name, options, protocol, sigma) in [
        ("fast", &[][..], "voleith", 128),
        ("small", &["--small"], "voleith --small", 128),
        ("few", &["--sigma", "80", "--threads", "2"], "voleith", 80),
    ] {
        let proof = path(dir.path(), name);
        let proved = prove(&proof, ABC_WITNESS, &join(&[&head, options])).expect(0, "").object();
        assert_eq!((&proved["result"], &proved["protocol"]), (&"done".into(), &"voleith".into()));
        assert_eq!(proved["proof_bytes"], foretold(protocol, sigma));
        let accepted = verify(&proof, &["--sigma", "80"]).expect(0, "").object();
        assert_eq!(accepted["proof_bytes"], proved["proof_bytes"]);
        let unbound = verify(&proof, &["--sigma", "80", "--bind", &letter]);
        unbound.expect(3, "this proof is about no message: leave --bind out");
    }
    verify(&path(dir.path(), "few"), &[])
        .expect(3, "this proof has 80 bits of soundness; --sigma asks for 128");
    prove(&path(dir.path(), "fast"), ABC_WITNESS, &head).refused("exists already");
    let wrong = path(dir.path(), "wrong");
    prove(&wrong, "0x616264", &head).expect(1, "digest, byte 0: claimed 0xba");
    assert!(!Path::new(&wrong).exists());

    let bound = path(dir.path(), "bound");
    prove(&bound, ABC_WITNESS, &join(&[&head, &["--bind", &letter]])).expect(0, "");
    verify(&bound, &["--bind", &letter]).expect(0, "");
    verify(&bound, &["--bind", &other]).expect(1, "or is about another message");
    verify(&bound, &[]).expect(3, "this proof is about a message: give it with --bind FILE");

    let small = prove(&path(dir.path(), "none"), ABC_WITNESS, &["--protocol", "zkbpp", "--small"]);
    small.refused("for --protocol voleith");
}

#[test]
fn proofs_from_mpc_in_the_head_may_be_about_a_message_too() {
    let dir = tempfile::tempdir().expect("a directory");
    let (letter, other) = (path(dir.path(), "letter"), path(dir.path(), "other"));
    std::fs::write(&letter, "pay 5").expect("writable");
    std::fs::write(&other, "pay 6").expect("writable");
    for protocol in ["zkbpp", "zkboo"] {
        let few = ["--protocol", protocol, "--sigma", "20"];
        let (with, without) = (path(dir.path(), protocol), path(dir.path(), &format!("{protocol}-unbound")));
        prove(&with, ABC_WITNESS, &join(&[&few, &["--bind", &letter]])).expect(0, "");
        prove(&without, ABC_WITNESS, &few).expect(0, "");
        let verify = |proof: &str, bind: &[&str]| verify(proof, &join(&[&["--sigma", "20"], bind]));
        verify(&with, &["--bind", &letter]).expect(0, "");
        verify(&without, &[]).expect(0, "");
        // The answer to another challenge may have another length.
        let swapped = verify(&with, &["--bind", &other]);
        assert!(swapped.code == 1 || swapped.code == 2, "{}: {}", swapped.code, swapped.stderr);
        assert!(swapped.stderr.contains("is about another message"), "{}", swapped.stderr);
        verify(&with, &[]).expect(3, "this proof is about a message: give it with --bind FILE");
        verify(&without, &["--bind", &letter]).expect(3, "this proof is about no message: leave --bind out");
    }
    let missing = path(dir.path(), "missing");
    prove(&path(dir.path(), "none"), ABC_WITNESS, &["--bind", &missing]).refused("missing");
    let connected = run(
        &join(&[&["prove"], ABC, &["--witness", "-", "--connect", "127.0.0.1:1", "--bind", &letter]]),
        ABC_WITNESS,
    );
    connected.refused("--bind is for proofs that anyone can verify");
    let stored = ["--preprocessed", "v.vole", "--bind", &letter];
    verify(&path(dir.path(), "zkbpp"), &stored).refused("cannot be used with");
}

#[test]
fn what_is_no_proof_of_the_statement_is_refused_each_with_its_exit_code() {
    let dir = tempfile::tempdir().expect("a directory");
    let proof = path(dir.path(), "proof");
    // With a wrong witness nothing is written.
    prove(&proof, "0x616264", &[]).expect(1, "digest, byte 0: claimed 0xba");
    assert!(!Path::new(&proof).exists());
    prove(&proof, ABC_WITNESS, &["--sigma", "80"]).expect(0, "");
    verify(&proof, &[]).expect(3, "this proof has 80 bits of soundness; --sigma asks for 128");
    verify(&proof, &["--sigma", "80"]).expect(0, "");

    let bytes = std::fs::read(&proof).expect("readable");
    let damaged = path(dir.path(), "damaged");
    let write = |bytes: &[u8]| std::fs::write(&damaged, bytes).expect("writable");
    let mut flipped = bytes.clone();
    *flipped.last_mut().expect("long") ^= 1;
    write(&flipped);
    let rejected = verify(&damaged, &["--sigma", "80"]).expect(1, "rejected");
    assert_eq!(rejected.object()["result"], "rejected");
    write(&bytes[..bytes.len() - 1]);
    verify(&damaged, &["--sigma", "80"]).refused("cut off");
    write(&[&bytes[..], b"x"].concat());
    verify(&damaged, &["--sigma", "80"]).refused("appended");
    write(b"no proof");
    verify(&damaged, &[]).refused("the file's mark");
    verify("/nonexistent", &[]).refused("/nonexistent");

    let other = ["sha256-preimage", "--digest", ABC[2], "--length", "4"];
    run(&join(&[&["verify"], &other, &[&proof]]), "").expect(3, "of another statement");
}

#[test]
fn soundness_that_a_forger_can_reach_is_warned_of_at_either_party() {
    let dir = tempfile::tempdir().expect("a directory");
    for (sigma, warned) in [("40", true), ("79", true), ("80", false)] {
        let proof = path(dir.path(), sigma);
        let proved = prove(&proof, ABC_WITNESS, &["--protocol", "zkbpp", "--sigma", sigma]).expect(0, "");
        let verified = verify(&proof, &["--sigma", sigma]).expect(0, "");
        for ended in [proved, verified] {
            let warning = format!("warning: {sigma} bits of soundness");
            assert_eq!(ended.stderr.contains(&warning), warned, "{}", ended.stderr);
        }
    }
}

#[test]
fn statements_over_fields_are_proved_in_public_too() {
    let dir = tempfile::tempdir().expect("a directory");
    let (public, witness) = (path(dir.path(), "public"), path(dir.path(), "witness"));
    std::fs::write(&witness, "1 2 3\n4 5 6\n").expect("writable");
    std::fs::write(&public, "32\n").expect("writable");
    for field in ["f61", "bn254"] {
        let proof = path(dir.path(), field);
        let statement = ["inner-product", "--length", "3", "--public", &public, "--field", field];
        let made = run(&join(&[&["prove"], &statement, &["--witness", &witness, "--out", &proof]]), "");
        assert!(made.expect(0, "").stdout.starts_with("proved: 3 multiplications, zkbpp"));
        run(&join(&[&["verify"], &statement, &[&proof]]), "").expect(0, "");
        let info = run(&join(&[&["info"], &statement, &["--json"]]), "").expect(0, "").object();
        let expected = info["public_proofs"][1]["bytes"].as_u64().expect("a number");
        let length = std::fs::metadata(&proof).expect("is there").len();
        // Six secrets go with two thirds of 219 repetitions, 7 more or less.
        assert!(length.abs_diff(expected) <= 60 * 6 * 32, "{length}, not {expected}");
        std::fs::write(&public, "33\n").expect("writable");
        run(&join(&[&["verify"], &statement, &[&proof]]), "").expect(3, "of another statement");
        std::fs::write(&public, "32\n").expect("writable");
    }
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    let prove = |options: &[&str]| run(&join(&[&["prove"], ABC, &["--witness", "-"], options]), ABC_WITNESS);
    prove(&["--protocol", "zkbpp", "--connect", "127.0.0.1:1"]).refused("give --out");
    prove(&["--out", "x", "--connect", "127.0.0.1:1"]).refused("cannot be used with");
    prove(&["--out", "x", "--sigma", "0"]).refused("--sigma");
    prove(&["--out", "x", "--sigma", "129"]).refused("--sigma");
    prove(&["--out", "x", "--protocol", "quicksilver"]).refused("--preprocessed");
}

#[test]
fn soundness_prints_the_papers_numbers() {
    let text = run(&["soundness"], "").expect(0, "").stdout;
    for line in
        ["sigma = 40   69 repetitions", "sigma = 80   137 repetitions", "sigma = 128  219 repetitions"]
    {
        assert!(text.contains(line), "{text}");
    }
    assert!(text.contains("against a forger of 2^0 hashes (degree 2, 0 branches"), "{text}");
    let args = ["soundness", "--players", "3", "--privacy", "2", "--sigma", "80", "--json"];
    let bound = run(&args, "").expect(0, "").object();
    assert_eq!(bound["version_1_repetitions"], 137);
    run(&["soundness", "--players", "3", "--privacy", "3"], "").refused("1 <= t < n");
}

#[test]
fn soundness_prints_the_bits_of_every_lpn_set() {
    let all = run(&["soundness", "--json"], "").expect(0, "").object();
    let fast = &all["vole_in_the_head"][0];
    assert_eq!(fast["parameters"], "fast");
    assert!(fast["soundness_bits"].as_f64().is_some_and(|bits| (128.0..130.0).contains(&bits)), "{fast}");
    let bits = all["lpn_bits"].as_object().expect("an object");
    assert!(
        bits.len() >= 16 && bits.contains_key("lpn_cot_small") && bits.contains_key("lpn_field_wide_floor")
    );
    for (name, bits) in bits {
        assert!(name.starts_with("lpn_") && bits.as_f64().expect("a number") >= 128.0, "{name}: {bits}");
    }
    let many = ["soundness", "--branches", "50", "--degree", "3", "--queries", "64"];
    let text = run(&many, "").expect(0, "").stdout;
    assert!(text.contains("lpn_cot_large") && text.contains("the check value of a false branch"), "{text}");
    assert!(text.contains("2^64 hashes (degree 50, 50 branches, 1000000 commitments)"), "{text}");
}

#[test]
fn public_proofs_are_measured_in_this_process() {
    for name in ["zkboo", "zkbpp"] {
        let row = run(&["bench", name, "--size", "3", "--sigma", "40", "--json"], "").expect(0, "").object();
        assert_eq!((&row["name"], &row["repetitions"]), (&name.into(), &69.into()));
        assert!(row["bytes_prover"].as_u64().expect("a number") > 100_000);
    }
    let info = run(&join(&[&["info"], ABC, &["--json"]]), "").expect(0, "").object();
    let proofs = info["public_proofs"].as_array().expect("a list");
    let takes_time = |proof: &&serde_json::Value| {
        ["seconds_prove", "seconds_verify"].iter().all(|time| proof[*time].as_f64() > Some(0.0))
    };
    assert_eq!((proofs.len(), proofs.iter().filter(takes_time).count()), (8, 4));
}
