//! The program, run as a process: command lines, exit codes, outputs, and sessions between real processes.

// Helpers outside of test functions may fail a test, too.
#![allow(clippy::expect_used)]

mod arrivals;
mod bench;
mod claims;
mod clocks;
mod compute;
mod contracts;
mod estimates;
mod execute;
#[path = "../proxy/faults.rs"]
mod faults;
mod fields;
mod fixture;
mod guest;
mod inputs;
mod json;
mod legs;
#[cfg(target_os = "linux")]
mod load;
mod many;
mod notary;
mod operations;
mod pipes;
mod plan;
mod policy;
mod present;
mod public;
mod relay;
mod requests;
mod rings;
mod serve;
mod sessions;
mod single;
#[path = "../../../volery/tests/common/site.rs"]
mod site;
mod split;
mod stored;
mod support;
mod terminal;
mod tls;
mod web;
mod websites;
mod websocket;
