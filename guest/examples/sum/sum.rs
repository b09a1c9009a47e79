//! "I know bytes whose sum is the number in the public input": commits to how many they are.
#![no_std]
#![no_main]

use volery_guest::{commit, debug, public, secret};

volery_guest::entry!(main);

fn main() -> u32 {
    let Ok(claimed) = public().try_into().map(u32::from_le_bytes) else { return 2 };
    let bytes = secret();
    if bytes.iter().map(|byte| u32::from(*byte)).sum::<u32>() != claimed {
        debug!("another sum");
        return 1;
    }
    commit(&(bytes.len() as u32).to_le_bytes());
    0
}
