//! Base OT and SoftSpokenOT: time of each party alone.
fn main() {}
