//! Every kernel of this machine against the portable one.

use rand_chacha::rand_core::Rng;
use volery_circuit::Step;
use volery_field::{F2, Gf128};
use volery_testing::rng;

use super::kernel::{Columns, Kernel, Share, Wire, products};
use crate::testing::{Size, random};

fn shares<const H: usize>(rng: &mut impl Rng) -> Share<H> {
    core::array::from_fn(|_| [rng.next_u64(), rng.next_u64()])
}

/// What a kernel leaves behind.
type Left<const P: usize, const H: usize> = (usize, Vec<Wire<P, H>>, Vec<u8>);

fn agree<const P: usize, const H: usize>(seed: u64, room: usize) {
    let (circuit, _) = random::<F2>(seed, Size { inputs: 9, gates: 150, claims: 4 });
    let schedule = circuit.schedule();
    let steps: &[Step] = schedule.steps();
    let mut rng = rng(seed);
    let one: Wire<P, H> = core::array::from_fn(|_| shares(&mut rng));
    let wires: Vec<Wire<P, H>> =
        (0..schedule.slots()).map(|_| core::array::from_fn(|_| shares(&mut rng))).collect();
    let sources: [[Vec<Gf128>; H]; 3] = core::array::from_fn(|_| {
        core::array::from_fn(|_| (0..200).map(|_| Gf128::random(&mut rng)).collect())
    });
    let columns: Columns<'_, H> = sources.each_ref().map(|source| source.each_ref().map(Vec::as_slice));
    let run = |kernel: Kernel| -> Left<P, H> {
        let (mut wires, mut out) = (wires.clone(), vec![0xa5; room * products(P) * H * 16]);
        let done = kernel.run(steps, circuit.constants(), &one, &mut wires, columns, &mut out);
        (done, wires, out)
    };
    let expected = run(Kernel::Portable);
    assert_eq!(expected.0 == steps.len(), room as u64 >= circuit.multiplications());
    for kernel in Kernel::available() {
        assert!(run(kernel) == expected, "{kernel:?}, {P} players, {H} halves, room for {room}");
    }
}

#[test]
fn every_kernel_agrees_with_the_portable_one_and_stops_where_it_does() {
    for seed in 0..20 {
        for room in [0, 1, 30, 150] {
            agree::<3, 1>(seed, room);
            agree::<3, 2>(seed, room);
            agree::<2, 1>(seed, room);
            agree::<2, 2>(seed, room);
        }
    }
}
