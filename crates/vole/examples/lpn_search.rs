//! Prints, for every dimension and block size, the largest round of at least 128 bits and what it costs.
//!
//! Columns: refill is the share of a round's outputs that the next one consumes; bytes are those of the trees, an output that can be used.

use volery_vole::security::{estimate, largest};

const BITS: f64 = 128.0;

fn main() {
    println!("   k block  blocks   samples    usable refill bytes/output   bits  cheapest attack");
    for log_k in 13..=19u32 {
        for log_block in 8..=13u32 {
            let Some(round) = largest(1 << log_k, 1 << log_block, BITS) else { continue };
            let usable = round.samples().saturating_sub(round.refill());
            let refill = 100.0 * round.refill() as f64 / round.samples() as f64;
            let bytes = round.tree_bytes() as f64 / usable as f64;
            let (bits, attack) = estimate(&round).minimum();
            println!(
                "2^{log_k} 2^{log_block:<3} {:>7} {:>9} {usable:>9} {refill:>5.1}% {bytes:>12.4} {bits:>6.2}  {attack}",
                round.blocks(),
                round.samples(),
            );
        }
    }
}
