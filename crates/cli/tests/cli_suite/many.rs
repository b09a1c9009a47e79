//! `--any-of` and `--at-least`: only the witness file says which circuits hold.

use crate::support::*;

/// Circuits over a secret byte: number `i` ANDs it with itself rotated by `i`, one of them with one AND more.
pub(crate) fn circuits(dir: &std::path::Path) -> Vec<String> {
    use volery_circuit::{Ops, Recorder, bristol};
    let make = |i: usize| {
        let mut recorder = Recorder::<volery_field::F2>::new();
        let x = recorder.input("x", 8, false).expect("small");
        let mut rotated = x.clone();
        rotated.rotate_left(i);
        let mut z = recorder.mul_many(&x, &rotated).expect("small");
        if i == 2 {
            z[0] = recorder.mul(&z[0], &z[1]).expect("small");
        }
        let circuit = recorder.finish(&[("z", &z)]).expect("sound");
        let mut text = Vec::new();
        bristol::write(&circuit, &mut text).expect("written");
        write(dir, &format!("{i}.txt"), std::str::from_utf8(&text).expect("ASCII"))
    };
    (0..4).map(make).collect()
}

/// x & rotated: 0x07 gives 0x03 rotated by one, 0x07 itself by none; 0x18 gives 0x18 by none.
pub(crate) const PUBLIC: &str = "output 0 = 0x07\n";

#[test]
fn one_of_several_circuits_is_proved_and_its_number_does_not_show() {
    let dir = tempfile::tempdir().expect("a directory");
    let files = circuits(dir.path());
    let public = write(dir.path(), "public", PUBLIC);
    let names: Vec<&str> = files.iter().map(String::as_str).collect();
    let statement = [&["--public", public.as_str(), "--any-of"], names.as_slice()].concat();
    let mut sent = Vec::new();
    for witness in ["branch 0\n0x07\n", "# the second\nbranch 1\n0x0f\n"] {
        let (prover, verifier) = session([&statement, &statement], witness, &["--json"], &["--json"]);
        let (prover, verifier) = (prover.expect(0, "").object(), verifier.expect(0, "").object());
        assert_eq!((&prover["result"], &verifier["result"]), (&"accepted".into(), &"accepted".into()));
        assert!(verifier["soundness_bits"].as_f64().is_some_and(|bits| bits >= 100.0), "{verifier}");
        assert_eq!(prover["statement"], verifier["statement"]);
        sent.push((prover["bytes_sent"].clone(), verifier["bytes_sent"].clone()));
    }
    assert_eq!(sent[0], sent[1]);
    // A verifier with the circuits in another order has another statement.
    let mut other = statement.clone();
    other.swap(3, 4);
    let (_, verifier) = session([&statement, &other], "branch 0\n0x07\n", &[], &[]);
    verifier.expect(3, "");
}

#[test]
fn at_least_so_many_need_as_many_different_witnesses() {
    let dir = tempfile::tempdir().expect("a directory");
    let files = circuits(dir.path());
    let public = write(dir.path(), "public", PUBLIC);
    let names: Vec<&str> = files.iter().map(String::as_str).collect();
    let statement =
        [&["--public", public.as_str(), "--at-least", "2", "--any-of"], names.as_slice()].concat();
    let both = "branch 1\n0x0f\nbranch 0\n0x07\n";
    let (prover, verifier) = session([&statement, &statement], both, &[], &[]);
    prover.expect(0, "");
    verifier.expect(0, "");
    let check =
        |witness: &str| run(&[&["check"], statement.as_slice(), &["--witness", "-"]].concat(), witness);
    check(both).expect(0, "");
    check("branch 0\n0x07\n").refused("exactly 2");
    check("branch 0\n0x07\nbranch 0\n0x07\n").refused("same branch");
    check("branch 0\n0x07\nbranch 4\n0x07\n").refused("branch 4 of 4");
    check("0x07\n").refused("branch N");
    check("branch 0\n0x07\nbranch 1\n0x07\n").expect(1, "");
    // If one circuit were listed twice, one witness would count for two branches.
    let twice: Vec<&str> = [statement.as_slice(), &[names[1]]].concat();
    for command in [&["info"][..], &["verify", "--listen", "127.0.0.1:0"], &["check", "--witness", "-"]] {
        run(&[command, twice.as_slice()].concat(), both).refused("branches 1 and 4");
    }
}

#[test]
fn claims_can_be_given_for_each_circuit_and_info_counts_one() {
    let dir = tempfile::tempdir().expect("a directory");
    let files = circuits(dir.path());
    let public = write(dir.path(), "public", PUBLIC);
    let each: Vec<String> = files.iter().map(|file| format!("{file}={public}")).collect();
    let each: Vec<&str> = each.iter().map(String::as_str).collect();
    let info = run(&[&["info", "--json", "--any-of"], each.as_slice()].concat(), "").expect(0, "").object();
    // Both factors of nine ANDs, and eight bits.
    assert_eq!((&info["ands"], &info["secret_bits"]), (&9.into(), &26.into()), "{info}");
    let names = info["protocols"].as_array().expect("a list").iter().map(|cost| &cost["protocol"]);
    assert_eq!(Vec::from_iter(names), ["robin", "macncheese", "robin", "macncheese"]);
    run(&["check", "--any-of", &files[0], "--witness", "-"], "branch 0\n0x07\n")
        .refused("a circuit needs a claim");
    run(&["info", "x", "--any-of", &files[0]], "").refused("not both");
}

#[test]
fn a_choice_is_repeated_with_a_claim_for_each_time() {
    let dir = tempfile::tempdir().expect("a directory");
    let files = circuits(dir.path());
    let names: Vec<&str> = files[..2].iter().map(String::as_str).collect();
    let claims =
        "repetition 0\noutput 0 = 0x07\nrepetition 1\noutput 0 = 0x18\nrepetition 2\noutput 0 = 0x07\n";
    let public = write(dir.path(), "public", claims);
    let statement = [&["--public", public.as_str(), "--repeat", "3", "--any-of"], names.as_slice()].concat();
    let mut sent = Vec::new();
    for witness in [
        "branch 0\n0x07\nbranch 0\n0x18\nbranch 0\n0x07\n",
        "branch 1\n0x0f\nbranch 0\n0x18\n# the third\nbranch 1\n0x0f\n",
    ] {
        let (prover, verifier) = session([&statement, &statement], witness, &["--json"], &["--json"]);
        let (prover, verifier) = (prover.expect(0, "").object(), verifier.expect(0, "").object());
        assert_eq!(verifier["result"], "accepted", "{verifier}");
        assert!(verifier["soundness_bits"].as_f64().is_some_and(|bits| bits >= 100.0), "{verifier}");
        sent.push((prover["bytes_sent"].clone(), verifier["bytes_sent"].clone()));
    }
    assert_eq!(sent[0], sent[1]);
    let check =
        |witness: &str| run(&[&["check"], statement.as_slice(), &["--witness", "-"]].concat(), witness);
    check("branch 0\n0x07\nbranch 0\n0x18\nbranch 0\n0x07\n").expect(0, "");
    check("branch 0\n0x07\nbranch 0\n0x07\nbranch 0\n0x07\n").expect(1, "");
    check("branch 0\n0x07\nbranch 0\n0x18\n").refused("witnesses for 2 of 3 repetitions");
    check("branch 0\n0x07\nbranch 2\n0x18\nbranch 0\n0x07\n").refused("branch 2 of 2");
    check("branch 0\n0x07\nbranch 0\n0x1\nbranch 0\n0x07\n").refused("after line 3, line 1");
}

#[test]
fn claims_of_repetitions_are_counted_and_in_order() {
    let dir = tempfile::tempdir().expect("a directory");
    let files = circuits(dir.path());
    let refused = |public: &str, repeat: &str, reason: &str| {
        let public = write(dir.path(), "public", public);
        run(&["info", "--public", &public, "--repeat", repeat, "--any-of", &files[0]], "").refused(reason);
    };
    let one = "repetition 0\noutput 0 = 0x07\n";
    refused(one, "2", "claims for 1 of 2 repetitions");
    refused(&one.repeat(2), "2", "repetition 0 where 1 is expected");
    refused(&format!("output 0 = any\n{one}"), "1", "must stand before");
    refused("repetition 0\noutput 0 = any\n", "1", "nothing is claimed at repetition 0");
    refused("output 0 = 0x07\n", "2000000", "1048576 are possible");
    run(&["info", "--repeat", "2", "--any-of", &files[0]], "").refused("--repeat needs --public");
    let own = format!("{}=x", files[0]);
    run(&["info", "--repeat", "2", "--any-of", &own], "").refused("in the file of --public");
}

#[test]
fn one_of_several_constraint_systems_is_proved() {
    let dir = tempfile::tempdir().expect("a directory");
    let data = constraint_file;
    let systems = [
        format!("{}={}", data("factors.f61.r1cs"), data("factors.f61.public.json")),
        format!("{}={}", data("threshold.f61.r1cs"), data("threshold.f61.public.json")),
    ];
    let statement = [&["--any-of"], systems.each_ref().map(String::as_str).as_slice()].concat();
    let mut sent = Vec::new();
    for witness in ["factors", "threshold"] {
        let number = usize::from(witness == "threshold");
        let witness = format!("branch {number}\n{}\n", data(&format!("{witness}.f61.wtns")));
        let (prover, verifier) = session([&statement, &statement], &witness, &["--json"], &["--json"]);
        let (prover, verifier) = (prover.expect(0, "").object(), verifier.expect(0, "").object());
        assert_eq!((&verifier["result"], &verifier["field"]), (&"accepted".into(), &"F61".into()));
        sent.push((prover["bytes_sent"].clone(), verifier["bytes_sent"].clone()));
    }
    assert_eq!(sent[0], sent[1]);
    let check =
        |witness: &str| run(&[&["check"], statement.as_slice(), &["--witness", "-"]].concat(), witness);
    check("branch 2\nx.wtns\n").refused("branch 2 of 2");
    check("branch 0\n").refused("one file name");
    check("0x01\n").refused("branch N");
    // `info` prices no way that `prove` would refuse to go.
    let stacked = ["--disjunction", "macncheese"];
    for command in [&["info"][..], &["prove", "--witness", "-", "--connect", "127.0.0.1:1"]] {
        run(&[command, &stacked, statement.as_slice()].concat(), "branch 0\nx\n")
            .refused("--disjunction macncheese is for Bristol files");
    }
    let out = dir.path().join("proof").display().to_string();
    let witness = format!("branch 0\n{}\n", data("factors.f61.wtns"));
    run(&[&["prove"], statement.as_slice(), &["--witness", "-", "--out", &out]].concat(), &witness)
        .refused("about bits only");
}

#[test]
fn one_of_several_circuits_is_proved_to_anyone_by_a_file() {
    let dir = tempfile::tempdir().expect("a directory");
    let files = circuits(dir.path());
    let public = write(dir.path(), "public", PUBLIC);
    let names: Vec<&str> = files.iter().map(String::as_str).collect();
    let one = [&["--public", public.as_str(), "--any-of"], names.as_slice()].concat();
    let two = [&["--public", public.as_str(), "--at-least", "2", "--any-of"], names.as_slice()].concat();
    let thrice = [&["--public", public.as_str(), "--repeat", "3", "--any-of"], names.as_slice()].concat();
    let file = |name: &str| dir.path().join(name).display().to_string();
    let prove = |statement: &[&str], witness: &str, options: &[&str], out: &str| {
        let known = ["prove", "--json", "--witness", "-", "--out", out];
        run(&join(&[&known, options, statement]), witness)
    };
    // The name of the file comes before the list of circuits.
    let verify = |statement: &[&str], proof: &str| run(&join(&[&["verify", "--json", proof], statement]), "");
    for (name, statement, witnesses) in [
        ("one", &one, ["branch 0\n0x07\n", "branch 1\n0x0f\n"]),
        ("two", &two, ["branch 1\n0x0f\nbranch 0\n0x07\n", "branch 0\n0x07\nbranch 1\n0x0f\n"]),
        (
            "thrice",
            &thrice,
            ["branch 0\n0x07\n".repeat(3).leak(), "branch 1\n0x0f\nbranch 0\n0x07\nbranch 1\n0x0f\n"],
        ),
    ] {
        let info = run(&join(&[&["info", "--json"], statement]), "").expect(0, "").object();
        let costs = info["public_proofs"].as_array().expect("a list");
        let cost = costs.iter().find(|cost| cost["protocol"] == "voleith" && cost["soundness_bits"] == 80);
        let mut lengths = Vec::new();
        for (i, witness) in witnesses.iter().enumerate() {
            let out = file(&format!("{name}-{i}"));
            let proved = prove(statement, witness, &["--sigma", "80"], &out).expect(0, "").object();
            assert_eq!((&proved["result"], &proved["protocol"]), (&"done".into(), &"voleith".into()));
            let accepted = run(&join(&[&["verify", "--sigma", "80", "--json", &out], statement]), "");
            assert_eq!(accepted.expect(0, "").object()["proof_bytes"], proved["proof_bytes"]);
            verify(statement, &out).expect(3, "this proof has 80 bits of soundness; --sigma asks for 128");
            lengths.push(proved["proof_bytes"].clone());
        }
        assert_eq!((&lengths[0], &lengths[0]), (&lengths[1], &cost.expect("is listed")["bytes"]));
    }
    let mut other = one.clone();
    other.swap(3, 4);
    run(&join(&[&["verify", "--sigma", "80", &file("one-0")], &other]), "").expect(3, "of another statement");
    prove(&one, "branch 0\n0x08\n", &[], &file("wrong")).expect(1, "");
    prove(&one, "branch 0\n0x07\n", &["--protocol", "zkbpp"], &file("none"))
        .refused("prove a single statement");
    prove(&one, "branch 0\n0x07\n", &["--disjunction", "macncheese"], &file("none"))
        .refused("do not work with --disjunction macncheese");
    assert!(!dir.path().join("wrong").exists() && !dir.path().join("none").exists());
}

/// Circuits in another order, fewer or more repetitions, their claims in another order, another claim: not
/// even if the file has the digest of that statement in its header.
#[test]
fn a_file_about_some_circuits_passes_for_no_other_ones() {
    let dir = tempfile::tempdir().expect("a directory");
    let files = circuits(dir.path());
    let claims = |outputs: &[&str]| {
        let sections = outputs.iter().enumerate();
        sections.map(|(i, output)| format!("repetition {i}\noutput 0 = {output}\n")).collect::<String>()
    };
    let (one, other) = ("branch 0\n0x07\n", "branch 0\n0x18\n");
    let statements = [
        (PUBLIC.to_owned(), &[][..], [0, 1], one.to_owned()),
        (PUBLIC.to_owned(), &[], [1, 0], "branch 1\n0x07\n".to_owned()),
        ("output 0 = 0x18\n".to_owned(), &[], [0, 1], other.to_owned()),
        (PUBLIC.to_owned(), &["--at-least", "2"], [0, 1], format!("{one}branch 1\n0x0f\n")),
        (claims(&["0x07", "0x18"]), &["--repeat", "2"], [0, 1], format!("{one}{other}")),
        (claims(&["0x18", "0x07"]), &["--repeat", "2"], [0, 1], format!("{other}{one}")),
        (claims(&["0x07", "0x18", "0x07"]), &["--repeat", "3"], [0, 1], format!("{one}{other}{one}")),
    ];
    let verify = |proof: &[u8], statement: &[String]| {
        let path = dir.path().join("candidate");
        std::fs::write(&path, proof).expect("written");
        let statement: Vec<&str> = statement.iter().map(String::as_str).collect();
        run(&join(&[&["verify", "--sigma", "80", path.to_str().expect("UTF-8")], &statement]), "")
    };
    let proved = statements.into_iter().enumerate().map(|(i, (public, options, order, witness))| {
        let public = write(dir.path(), &format!("public {i}"), &public);
        let out = dir.path().join(format!("proof {i}")).display().to_string();
        let options: Vec<&str> = join(&[&["--public", &public], options, &["--any-of"]]);
        let circuits = order.map(|i: usize| files[i].as_str());
        let statement = join(&[&options, &circuits]);
        let known = ["prove", "--sigma", "80", "--witness", "-", "--out", out.as_str()];
        run(&join(&[&known, &statement]), &witness).expect(0, "");
        let statement: Vec<String> = statement.into_iter().map(str::to_owned).collect();
        (statement, std::fs::read(&out).expect("readable"))
    });
    let proved: Vec<_> = proved.collect();
    for (i, j) in [(0, 1), (0, 2), (0, 3), (4, 5), (4, 6), (1, 0), (3, 0), (6, 4)] {
        let [(statement, own), (_, proof)] = [&proved[i], &proved[j]];
        verify(own, statement).expect(0, "");
        verify(proof, statement).expect(3, "of another statement");
        let mut renamed = proof.clone();
        renamed[32..64].copy_from_slice(&own[32..64]);
        let ended = verify(&renamed, statement);
        assert!(ended.code != 0 && !ended.stdout.contains("accepted"), "{ended:?}");
    }
}

#[test]
fn the_protocol_of_a_disjunction_can_be_forced_and_both_parties_need_the_same() {
    let dir = tempfile::tempdir().expect("a directory");
    let files = circuits(dir.path());
    let public = write(dir.path(), "public", PUBLIC);
    let names: Vec<&str> = files.iter().map(String::as_str).collect();
    let by = |protocol: &'static str, rest: &[&'static str]| {
        join(&[&["--disjunction", protocol, "--public", &public], rest, &["--any-of"], &names])
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let stacked = by("macncheese", &[]);
    let stacked: Vec<&str> = stacked.iter().map(String::as_str).collect();
    let mut sent = Vec::new();
    for witness in ["branch 0\n0x07\n", "branch 1\n0x0f\n"] {
        let (prover, verifier) = session([&stacked, &stacked], witness, &["--json"], &["--json"]);
        let (prover, verifier) = (prover.expect(0, "").object(), verifier.expect(0, "").object());
        assert_eq!(verifier["result"], "accepted", "{verifier}");
        assert!(verifier["soundness_bits"].as_f64().is_some_and(|bits| bits >= 100.0), "{verifier}");
        sent.push((prover["bytes_sent"].clone(), verifier["bytes_sent"].clone()));
    }
    assert_eq!(sent[0], sent[1]);
    let info = run(&join(&[&["info", "--json"], &stacked]), "").expect(0, "").object();
    for cost in info["protocols"].as_array().expect("a list") {
        let memory = ["memory_prover", "memory_verifier"].map(|name| cost[name].as_u64());
        assert!(memory.iter().all(|bytes| bytes.is_some_and(|bytes| bytes > 100_000)), "{cost}");
        let [here, there] = ["seconds", "seconds_on_network"].map(|name| cost[name].as_f64());
        // At least the network's round trips more.
        assert!(here.is_some_and(|here| here > 0.0) && there > here.map(|here| here + 0.001), "{cost}");
    }
    run(&join(&[&["info"], &stacked]), "").expect(0, "").says("of memory for the prover");
    let two = by("macncheese", &["--at-least", "2"]);
    let two: Vec<&str> = two.iter().map(String::as_str).collect();
    let (prover, verifier) = session([&two, &two], "branch 1\n0x0f\nbranch 0\n0x07\n", &[], &[]);
    prover.expect(0, "");
    verifier.expect(0, "");
    let robin = by("robin", &[]);
    let robin: Vec<&str> = robin.iter().map(String::as_str).collect();
    let (prover, verifier) = session([&stacked, &robin], "branch 0\n0x07\n", &[], &[]);
    assert_eq!((prover.code, verifier.code), (3, 3), "{prover:?} {verifier:?}");
    let both = format!("{}{}", prover.stderr, verifier.stderr);
    assert!(both.contains("the same --disjunction"), "{both}");
}
