//! Writes the corpora anew: `cargo run --example seeds`.

use std::fs;

use volery_fuzz::{driver, seeds};

fn main() -> std::io::Result<()> {
    for seed in seeds::all() {
        let folder = driver::corpus(seed.target);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(&seed.name), &seed.bytes)?;
        println!("{}/{}: {} bytes", seed.target, seed.name, seed.bytes.len());
    }
    Ok(())
}
