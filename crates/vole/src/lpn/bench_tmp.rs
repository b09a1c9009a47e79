#[test]
fn bench_tmp() {
    use crate::aes::*; use volery_field::Gf128; use super::*;
    use std::time::Instant;
    let aes = Aes::new([1;16]);
    let mut v = vec![Gf128::ONE; 1024];
    for lvl in Level::ALL { if let Some(aes)=Aes::with_level(lvl,[1;16]) {
        let t=Instant::now(); let mut s=Gf128::ZERO;
        for i in 0..2000 { let mut m=2; v[0]=Gf128::from_bits(i); v[1]=Gf128::ONE; while m<1024 { s+=aes.expand(&mut v[..2*m], Fix::NONE); m*=2; } }
        println!("{lvl:?} expand ns/leaf {} {}", t.elapsed().as_nanos() as f64/2000.0/1024.0, s.to_bits());
        let t=Instant::now();
        for i in 0..2000 { let mut m=2; v[0]=Gf128::from_bits(i); v[1]=Gf128::ONE; while m<1024 { s+=aes.expand(&mut v[..2*m], Fix{index:7,value:Gf128::ONE}); m*=2; } }
        println!("{lvl:?} expand+fix ns/leaf {} {}", t.elapsed().as_nanos() as f64/2000.0/1024.0, s.to_bits());
        let t=Instant::now(); 
        for i in 0..2000 { aes.ctr(i, &mut v); }
        println!("{lvl:?} ctr ns/block {} {}", t.elapsed().as_nanos() as f64/2000.0/1024.0, v[0].to_bits());
    }}
    for log_k in [10,13,14,15,16,17,18,19] {
        let code=LpnCode::new([2;16],log_k);
        let mut table=vec![Gf128::ONE;1<<log_k];
        crate::Prg::new([1; 16]).blocks(&mut table);
        for rep in 0..2 {
        let t=Instant::now();
        let n=1000;
        for i in 0..n { code.add_rows(i*1024,&table,&mut v); }
        if rep==1 {println!("log_k {log_k}: {} ns/row", t.elapsed().as_nanos() as f64/n as f64/1024.0);}
        }
    }
}
