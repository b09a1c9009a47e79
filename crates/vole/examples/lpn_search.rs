use volery_vole::security::{Field, Instance, estimate, largest_over};
fn main() {
    let a: Vec<u64> = std::env::args().skip(1).filter_map(|x| x.parse().ok()).collect();
    let field = if a[0] == 1 { Field::Binary } else { Field::Large { bits: a[0] as u32 } };
    if a.len() == 4 {
        let i = Instance::over(field, a[1], a[2], a[3]).unwrap();
        println!("{i:?} {:?} {:?}", estimate(&i), estimate(&i).minimum());
    } else {
        for log_k in 8..19 {
            for log_b in 2..14 {
                let k = 1 << log_k;
                if let Some(i) = largest_over(field, k, 1 << log_b, 128.0) {
                    let e = estimate(&i).minimum();
                    let need = k + i.blocks() + 8;
                    if i.samples() < need {
                        continue;
                    }
                    println!(
                        "{log_k} {log_b} trees {} outputs {} need {} gain {:.2} refill {:.1}% {:.2} {}",
                        i.blocks(),
                        i.samples(),
                        need,
                        i.samples() as f64 / need as f64,
                        100.0 * need as f64 / i.samples() as f64,
                        e.0,
                        e.1
                    );
                }
            }
        }
    }
}
