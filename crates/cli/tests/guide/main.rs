//! Runs the commands of the README and of the guide, in the order of each page, and compares what they print.
//!
//! Each page runs in a folder of its own, with the program first in the path.
//!
//! * A `console` block has commands after prompts (`$`, or the name of a party: `verifier$`). Below a command
//!   it has what the command prints. A line that ends with `\` or `|` goes on in the next one. Where nothing
//!   is shown nothing is compared. `...` stands for any words, and alone in a line for any lines. Times
//!   differ from run to run, so any time will do.
//! * An `sh` block has one command in a line, without prompts.
//! * A command that listens goes on while the commands of other parties run. It ends before the next command
//!   of its own party, or with the page. It listens at a free port of this machine; where the page names the
//!   port that it asked for, the port that it got takes its place. Hosts that end in `.example` are this
//!   machine.
//! * The words of [`output::KEPT`] stand for values that differ from run to run. Later commands may use them.
//! * Every command ends with exit code 0. To show another one, a page says `|| echo "exit code $?"`.
//!
//! A comment in HTML, which readers do not see, may stand above a block:
//!
//! * `<!-- file: NAME -->`: the block is a file of this name, with the same values and ports,
//! * `<!-- needs: PROGRAM -->`: the block runs if the machine has this program,
//! * `<!-- not run: WHY -->`: the block does not run.
//!
//! Anywhere in the page, `<!-- copy: PATH NAME -->` puts a file of the repository into the page's folder.
//!
//! Blocks of Rust are doctests, by `include_str!` in the crate `volery`. Blocks of `text` are not commands. A
//! block of any other language needs a comment. The page on Python is run by the package's own tests
//! (`python/run`).

// Helpers outside of test functions may fail a test, too.
#![allow(clippy::expect_used)]

mod links;
mod output;
mod page;
mod run;

use std::path::{Path, PathBuf};

use page::Page;

/// The folder of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The page that `python/tests` runs.
const PYTHON: &str = "docs/guide/python.md";

/// A test for each page, and the list of them.
macro_rules! pages {
    ($($name:ident: $path:literal,)*) => {
        const PAGES: &[&str] = &[$($path),*];

        $(#[test]
        fn $name() {
            run::page(&Page::read($path));
        })*
    };
}

pages! {
    readme_runs: "README.md",
    introduction_runs: "docs/guide/introduction.md",
    statements_run: "docs/guide/statements.md",
    browser_runs: "docs/guide/browser.md",
    circom_runs: "docs/guide/circom.md",
    fields_run: "docs/guide/fields.md",
    one_of_many_runs: "docs/guide/one-of-many.md",
    sessions_run: "docs/guide/sessions.md",
    without_a_connection_runs: "docs/guide/without-a-connection.md",
    public_proofs_run: "docs/guide/public-proofs.md",
    json_runs: "docs/guide/json.md",
    websites_run: "docs/guide/websites.md",
    contracts_run: "docs/guide/contracts.md",
    notary_runs: "docs/guide/notary.md",
    programs_run: "docs/guide/programs.md",
    scale_runs: "docs/guide/scale.md",
    rust_runs: "docs/guide/rust.md",
    security_runs: "docs/guide/security.md",
}

#[test]
fn the_page_on_programs_shows_the_examples_as_they_are() {
    let page = Page::read("docs/guide/programs.md");
    for path in ["guest/examples/sum/sum.c", "guest/examples/sum/sum.rs"] {
        let source = std::fs::read_to_string(root().join(path)).expect(path);
        assert!(page.blocks.iter().any(|block| block.text == source), "{path}");
    }
}

/// The pages of the guide that are files.
fn guide() -> Vec<String> {
    let folder = root().join("docs/guide");
    let entries = std::fs::read_dir(folder).expect("the guide").map(|entry| entry.expect("readable"));
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut pages: Vec<_> =
        names.filter(|name| name.ends_with(".md")).map(|name| format!("docs/guide/{name}")).collect();
    pages.sort();
    pages
}

#[test]
fn every_page_of_the_guide_is_run_and_in_its_summary() {
    let pages = PAGES.iter().chain([&PYTHON]).copied();
    let mut tested: Vec<_> = pages.filter(|path| path.starts_with("docs/")).collect();
    tested.sort_unstable();
    assert_eq!(guide(), tested);
    let summary = std::fs::read_to_string(root().join("docs/SUMMARY.md")).expect("a summary");
    for path in tested {
        let name = path.trim_start_matches("docs/");
        assert_eq!(summary.matches(&format!("({name})")).count(), 1, "{name} in SUMMARY.md");
    }
}

#[test]
fn every_page_with_rust_is_a_doctest() {
    let library = std::fs::read_to_string(root().join("crates/volery/src/lib.rs")).expect("the library");
    for path in PAGES {
        let rust = Page::read(path).blocks.iter().any(|block| block.language.starts_with("rust"));
        let tested = library.contains(&format!("include_str!(\"../../../{path}\")"));
        assert!(!rust || tested, "{path} has Rust in it, and crates/volery/src/lib.rs does not include it");
    }
}

#[test]
fn links_lead_somewhere() {
    let others = [
        PYTHON,
        "SECURITY.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "docs/performance.md",
        "docs/wire.md",
        "docs/local-code.md",
    ];
    let summary = ["docs/SUMMARY.md"];
    let broken: Vec<_> =
        PAGES.iter().chain(&others).chain(&summary).flat_map(|path| links::broken(path)).collect();
    assert!(broken.is_empty(), "{broken:#?}");
}
