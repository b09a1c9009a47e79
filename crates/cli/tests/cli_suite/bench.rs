//! Each measurement prints all of its figures. No figure is judged here.

use crate::support::*;

#[test]
fn every_name_gives_a_row_with_all_that_scripts_rely_on() {
    for (name, size, unit, field) in [
        ("boolean", "100000", "and", "F2"),
        ("sha256", "2", "block", "F2"),
        ("aes128", "1", "block", "F2"),
        ("cot", "100000", "cot", "F2"),
        ("preimage", "32", "byte", "F2"),
        ("vole", "5000", "vole", "F61"),
        ("arithmetic", "5000", "mul", "F61"),
        ("mul32", "20", "mul", "F2"),
        ("r1cs", "500", "constr", "BN254 scalars"),
        ("inner-product", "1000", "pair", "F61"),
        ("matmul", "30", "row", "F61"),
        ("sis", "60", "entry", "F32"),
        ("convert", "100", "elem", "F61"),
        ("robin", "3000", "mul", "F61"),
        ("batchman", "5", "mul", "F61"),
        ("cpu", "60", "step", "F61"),
        ("ram", "500", "access", "F61"),
        ("rom", "500", "lookup", "F61"),
        ("riscv", "500", "step", "F61"),
    ] {
        let row = run(&["bench", name, "--size", size, "--json"], "").expect(0, "").object();
        assert_eq!((&row["name"], &row["unit"]), (&name.into(), &unit.into()));
        assert_eq!((row["size"].to_string().as_str(), &row["field"]), (size, &field.into()));
        let figures =
            ["per_second", "seconds_setup", "seconds", "bytes_prover", "bytes_verifier", "threads", "gates"];
        for figure in figures {
            assert!(row[figure].as_f64().is_some_and(|value| value > 0.0), "{figure} in {row}");
        }
        assert!(row["round_trips"].is_u64() && row["kernel"].is_string(), "{row}");
        if let Some(commit) = row["seconds_commit"].as_f64() {
            let (proof, seconds) = (row["seconds_proof"].as_f64(), row["seconds"].as_f64());
            assert!(commit > 0.0 && proof.map(|proof| commit + proof) <= seconds.map(|s| s + 1e-6), "{row}");
        }
        let phases = ["r1cs", "inner-product", "matmul", "sis"].contains(&name);
        assert_eq!(row["seconds_commit"].is_f64(), phases, "{row}");
        #[cfg(target_os = "linux")]
        assert!(row["rss_prover_mb"].is_f64() && row["rss_verifier_mb"].is_f64(), "{row}");
    }
}

#[test]
fn options_reach_both_processes_and_text_has_a_heading() {
    let args = ["bench", "boolean", "--size", "1000", "--profile", "wan", "--threads", "2", "--fiat-shamir"];
    let row = run(&[&args[..], &["--json"]].concat(), "").expect(0, "").object();
    assert_eq!((&row["profile"], &row["threads"]), (&"wan".into(), &2.into()));
    assert_eq!(row["fiat_shamir"], true);
    let text = run(&args, "").expect(0, "").stdout;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert!(lines[0].starts_with("name") && lines[1].starts_with("boolean"), "{text}");
}

#[test]
fn a_row_is_held_against_saved_ones() {
    let args = ["bench", "boolean", "--size", "1000", "--json"];
    let saved = run(&args, "").expect(0, "").stdout;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("saved.json");
    let file = file.to_str().expect("UTF-8");
    std::fs::write(file, saved.repeat(2)).expect("a file");
    let row = run(&[&args[..], &["--compare", file]].concat(), "").expect(0, "").object();
    assert_eq!(row["compared"]["ratio"]["bytes_prover"], 1.0, "{row}");
    assert!(row["compared"]["before"]["seconds"].is_f64(), "{row}");
    let other = ["bench", "boolean", "--size", "999", "--compare", file];
    assert!(run(&other, "").expect(0, "").stdout.contains("no such measurement"));
    let row = run(&[&other[..], &["--json"]].concat(), "").expect(0, "").object();
    assert!(row["compared"].is_null() && row.get("compared").is_some(), "{row}");
    for (content, reason) in [("", "no rows"), ("{}", "object 1: not a row"), ("{", "object 1: EOF")] {
        std::fs::write(file, content).expect("a file");
        run(&other, "").refused(reason);
    }
}

/// Both processes of a measurement take it over. A wrong name ends every command.
#[test]
fn the_cpu_that_the_environment_names_limits_the_kernels() {
    let args = ["bench", "cot", "--size", "1000", "--json"];
    let bench = |cpu: &str| run_with(&args, &[("VOLERY_CPU", cpu)]);
    assert_eq!(bench("portable").expect(0, "").object()["kernel"], "portable+portable");
    // Nothing is no limit.
    assert_eq!(bench("").expect(0, "").object()["kernel"], kernels());
    bench("z80").refused("VOLERY_CPU is \"z80\"; it may be portable");
}

/// The best kernels of this machine, as rows name them.
fn kernels() -> String {
    let aes = volery_vole::AesLevel::ALL.into_iter().rfind(|level| level.available());
    let gf128 = volery_field::gf128::Kernel::available().last();
    format!("{}+{}", gf128.expect("a kernel").name(), aes.expect("a level").name())
}

#[test]
fn soundness_picks_the_mac_field_and_products_may_be_secret() {
    let mac_field = |args: &[&str]| {
        let row = run(&[&["bench"], args, &["--json"]].concat(), "").expect(0, "").object();
        row["mac_field"].as_str().expect("a name").to_owned()
    };
    assert_eq!(mac_field(&["arithmetic", "--size", "100"]), "F61");
    for name in ["arithmetic", "vole"] {
        assert_eq!(mac_field(&[name, "--size", "100", "--rho", "100"]), "F61[i]");
        assert_eq!(mac_field(&[name, "--size", "100", "--fiat-shamir"]), "F61[i]");
    }
    let secrets = |args: &[&str]| {
        let row =
            run(&[&["bench", "matmul", "--size", "40", "--json"], args].concat(), "").expect(0, "").object();
        row["bytes_proof"].as_u64().expect("a number")
    };
    // The secret product adds 40 * 40 elements of 61 bits.
    assert_eq!(secrets(&["--secret-product"]) - secrets(&[]), 40 * 40 * 61 / 8);
    run(&["bench", "sis", "--secret-product"], "").refused("matmul");
}

#[test]
fn disjunctions_take_branches_and_bits_and_refuse_what_they_have_not() {
    let row = |args: &[&str]| run(&[&["bench"], args, &["--json"]].concat(), "").expect(0, "").object();
    let bits = row(&["robin", "--bits", "--size", "1", "--branches", "3"]);
    assert_eq!((&bits["unit"], &bits["field"]), (&"block".into(), &"F2".into()));
    assert_eq!(row(&["batchman", "--size", "4", "--branches", "3", "--repetitions", "7"])["gates"], 28);
    assert_eq!(row(&["robin", "--size", "100", "--branches", "3"])["gates"], 300);
    for (args, reason) in [
        (&["cpu", "--bits"][..], "--bits is for robin"),
        (&["robin", "--repetitions", "3"], "--repetitions is for batchman"),
        (&["sis", "--branches", "3"], "--branches is for"),
        (&["robin", "--branches", "0"], "0 is not in"),
    ] {
        run(&[&["bench"], args].concat(), "").refused(reason);
    }
    // The MACs are in the extension.
    let wide = ["batchman", "--size", "4", "--branches", "3", "--repetitions", "7", "--rho", "100"];
    assert_eq!(row(&wide)["gates"], 28);
    assert_eq!(row(&["cpu", "--size", "10", "--fiat-shamir"])["gates"], 1250);
}

#[test]
fn a_program_s_run_has_its_stages_and_its_elements() {
    let row = run(&["bench", "riscv", "--size", "2000", "--json"], "").expect(0, "").object();
    let number = |value: &serde_json::Value| value.as_f64().expect("a number");
    let stages = row["seconds_by_stage"].as_object().expect("an object");
    assert_eq!(stages.len(), 6);
    let spent: f64 = stages.values().map(number).sum();
    assert!(spent > 0.0 && spent <= number(&row["seconds"]), "{row}");
    let elements = row["elements"].as_object().expect("an object");
    let kinds = elements["kinds"].as_object().expect("an object");
    let of_kinds: f64 = kinds.values().map(|kind| number(&kind["elements"])).sum();
    let others: f64 = ["words", "segments", "log"].iter().map(|name| number(&elements[*name])).sum();
    assert!((of_kinds + others - number(&elements["total"])).abs() < 1e-3, "{row}");
    // A round of the loop has three such steps, and each is a row of 14 columns at least.
    let [rows, taken] = ["rows", "elements"].map(|name| number(&kinds["add_immediate"][name]));
    assert!(rows >= 300.0 && taken > 14.0 * rows, "{row}");
    // What is sent are the elements, 61 bits each, and openings.
    let bytes = 61.0 / 8.0 * number(&elements["total"]);
    assert!((bytes..1.3 * bytes + 20_000.0).contains(&number(&row["bytes_proof"])), "{row}");
    let text = run(&["bench", "riscv", "--size", "2000"], "").expect(0, "").stdout;
    for part in ["the prover's time: emulator ", ", relations ", " a step, ", "add_immediate", "segments"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}
