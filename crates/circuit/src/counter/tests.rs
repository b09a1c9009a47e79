//! The counter counts each kind of operation once.

use volery_field::F2;

use super::*;

fn chain(counter: &mut Counter<F2>, length: usize) -> Result<(), Error> {
    let secrets = counter.secret(2, &mut |_| unreachable!("a counter has no values"))?;
    let mut wire = secrets[0];
    for _ in 0..length {
        wire = counter.mul(&wire, &secrets[1])?;
        wire = counter.add(&wire, &secrets[0]);
        wire = counter.add_constant(&wire, F2::ONE);
    }
    counter.assert_zero(&[wire])
}

#[test]
fn every_kind_of_operation_is_counted_once_and_hints_do_not_run() {
    let mut counter = Counter::<F2>::new();
    chain(&mut counter, 5).expect("counts");
    let c = counter.constant(F2::ONE);
    let scaled = counter.scale(&c, F2::ONE);
    let difference = counter.sub(&scaled, &c);
    counter.mul_many(&[c, c, c], &[scaled, difference, c]).expect("counts");
    counter.assert_dot(&[c, c], &[c, c], &c).expect("counts");
    let expected = Counts {
        inputs: 2,
        constants: 1,
        additions: 6,
        affine: 6,
        multiplications: 8,
        dot_terms: 2,
        assertions: 2,
        linear: 1,
        inner_products: 1,
        ..Counts::default()
    };
    assert_eq!(counter.total(), expected);
    assert_eq!(counter.depth(), 5);
}

#[test]
fn parts_are_summed_by_name_and_include_those_inside() {
    let mut counter = Counter::<F2>::new();
    for _ in 0..3 {
        counter.enter("round");
        chain(&mut counter, 2).expect("counts");
        counter.enter("s-box");
        chain(&mut counter, 1).expect("counts");
        counter.leave();
        counter.leave();
    }
    chain(&mut counter, 1).expect("counts");
    let parts: Vec<_> = counter
        .parts()
        .into_iter()
        .map(|p| (p.path, p.level, p.entered, p.counts.multiplications, p.counts.inputs))
        .collect();
    assert_eq!(parts, [("round".to_owned(), 0, 3, 9, 12), ("round/s-box".to_owned(), 1, 3, 3, 6)]);
    assert_eq!(counter.total().multiplications, 10);
}

#[test]
fn leaving_too_often_is_harmless() {
    let mut counter = Counter::<F2>::new();
    counter.leave();
    chain(&mut counter, 1).expect("counts");
    assert_eq!(counter.total().multiplications, 1);
}
