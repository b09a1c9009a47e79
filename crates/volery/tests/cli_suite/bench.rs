//! Measurements come out whole, whatever they measure. No figure is judged here.

use crate::support::*;

#[test]
fn every_name_gives_a_row_with_all_that_scripts_rely_on() {
    for (name, size, unit) in [
        ("boolean", "100000", "and"),
        ("sha256", "2", "block"),
        ("aes128", "1", "block"),
        ("cot", "100000", "cot"),
        ("preimage", "32", "byte"),
    ] {
        let row = run(&["bench", name, "--size", size, "--json"], "").expect(0, "").object();
        assert_eq!((&row["name"], &row["unit"]), (&name.into(), &unit.into()));
        assert_eq!(row["size"].to_string(), size);
        let figures = ["per_second", "seconds_setup", "seconds", "bytes_prover", "bytes_verifier", "threads"];
        for figure in figures {
            assert!(row[figure].as_f64().is_some_and(|value| value > 0.0), "{figure} in {row}");
        }
        assert!(row["round_trips"].is_u64() && row["kernel"].is_string(), "{row}");
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
