//! The program, run as a process: command lines, exit codes, outputs, and sessions between real processes.

// Helpers outside test functions may fail a test too.
#![allow(clippy::expect_used)]

mod bench;
mod estimates;
mod fields;
mod inputs;
#[cfg(target_os = "linux")]
mod load;
mod many;
mod public;
mod requests;
mod rings;
mod serve;
mod sessions;
mod single;
#[path = "../../../volery/tests/common/site.rs"]
mod site;
mod stored;
mod support;
mod tls;
mod web;
