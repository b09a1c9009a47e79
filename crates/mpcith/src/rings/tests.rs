//! Both engines against the plain decomposition of the paper: every byte of every row and output share.

use proptest::prelude::*;
use volery_field::{Bn254Scalar, F2, F61, Gf128, Gf256, Z32, Z64};

use super::elements::Drawn;
use super::*;
use crate::decomposition::{Evaluated, Linear, Tape, evaluate};
use crate::testing::{Size, statement};

/// How a tape is read, spelled out: `n` elements from block `first` on, and the block after them.
trait Plain: PublicRing {
    fn read(tape: &TapeStream, first: usize, n: usize) -> (Vec<Self>, usize);
    fn pack(elements: &[Self]) -> Vec<u8>;
}

impl Plain for F2 {
    fn read(tape: &TapeStream, first: usize, n: usize) -> (Vec<Self>, usize) {
        let mut blocks = vec![Gf128::ZERO; n.div_ceil(128)];
        tape.blocks_at(first as u64, &mut blocks);
        let bits = blocks.iter().flat_map(|block| (0..128).map(|i| F2::new(block.to_bits() >> i & 1 == 1)));
        (bits.take(n).collect(), first + blocks.len())
    }

    fn pack(elements: &[Self]) -> Vec<u8> {
        elements
            .chunks(8)
            .map(|bits| bits.iter().rev().fold(0, |byte, bit| byte << 1 | bit.to_u8()))
            .collect()
    }
}

macro_rules! plain {
    ($($ring:ty),+) => {$(
        impl Plain for $ring {
            fn read(tape: &TapeStream, first: usize, n: usize) -> (Vec<Self>, usize) {
                let each = <$ring as Drawn>::BLOCKS_A_CHUNK;
                let chunks = n.div_ceil(64);
                let mut all = Vec::new();
                for chunk in 0..chunks {
                    let (mut blocks, mut drawn) = (vec![Gf128::ZERO; each], [<$ring as Ring>::ZERO; 64]);
                    tape.blocks_at((first + chunk * each) as u64, &mut blocks);
                    <$ring as Drawn>::draw(&blocks, &mut drawn);
                    all.extend(drawn);
                }
                all.truncate(n);
                (all, first + chunks * each)
            }

            fn pack(elements: &[Self]) -> Vec<u8> {
                elements
                    .iter()
                    .flat_map(|element| {
                        let mut encoding = vec![0; <$ring as Ring>::BYTES];
                        element.encode(&mut encoding).expect("has the length");
                        encoding
                    })
                    .collect()
            }
        }
    )+};
}

plain!(Z32, Z64, F61, Gf256, Bn254Scalar);
#[cfg(feature = "every-field")]
plain!(volery_field::RistrettoScalar, volery_field::P256Base);

fn tape_streams(n: usize, seed: u8) -> Vec<TapeStream> {
    (0..n)
        .map(|i| {
            let mut secret = [seed; 32];
            secret[..4].copy_from_slice(&(i as u32).to_le_bytes());
            TapeStream::new(&secret)
        })
        .collect()
}

/// Simulates `repetitions` repetitions and compares each with figure 4; then opens all three challenges in
/// turn and has the verifier's engine compute what it is not given.
fn agrees<R: Plain>(seed: u64, size: Size, repetitions: usize) {
    let statement = statement::<R>(seed, size);
    let program = Program::<R>::new(&statement).expect("compiles");
    let witness = Program::witness(&statement).expect("holds");
    let shape = program.shape();
    let prover_tapes = tape_streams(3 * repetitions, seed as u8);
    let mut rows = vec![0; 3 * repetitions * shape.row()];
    let mut first = vec![0; repetitions * shape.first()];
    let witness = witness.values();
    R::simulate(Simulation {
        program: &program,
        witness,
        tapes: &prover_tapes,
        rows: &mut rows,
        first: &mut first,
    });
    let linear = Linear::new(program.circuit());
    for repetition in 0..repetitions {
        let tapes: [Tape<R>; 3] = core::array::from_fn(|player| {
            let tape = &prover_tapes[3 * repetition + player];
            let (inputs, next) = R::read(tape, 0, program.inputs() as usize);
            let (products, _) = R::read(tape, next, program.multiplications() as usize);
            Tape { inputs, products }
        });
        let Evaluated { views, shares, .. } = evaluate(&linear, witness, tapes.each_ref());
        for player in 0..3 {
            let row = &rows[(3 * repetition + player) * shape.row()..][..shape.row()];
            let at = format!("repetition {repetition}, player {player}");
            assert_eq!(
                row[shape.inputs_at()..shape.view_at()],
                R::pack(&views[player][..witness.len()]),
                "{at}"
            );
            assert_eq!(row[shape.view_at()..], R::pack(&linear.stored(&views[player])), "{at}");
            let share = &first[repetition * shape.first() + player * shape.outputs..][..shape.outputs];
            assert_eq!(share, R::pack(&shares[player]), "{at}");
        }
    }
    for shift in 0..3 {
        recomputes(&program, repetitions, &rows, &first, shift, seed as u8);
    }
}

fn recomputes<R: Plain>(
    program: &Program<R>,
    repetitions: usize,
    rows: &[u8],
    first: &[u8],
    shift: usize,
    seed: u8,
) {
    let shape = program.shape();
    let challenge: Vec<Trit> = (0..repetitions).map(|r| Trit::ALL[(r + shift) % 3]).collect();
    let mut all: Vec<Option<TapeStream>> =
        tape_streams(3 * repetitions, seed).into_iter().map(Some).collect();
    let (mut tapes, mut expected, mut given) = (Vec::new(), Vec::new(), Vec::new());
    for (r, e) in challenge.iter().enumerate() {
        for (side, player) in e.opened().into_iter().enumerate() {
            let player = 3 * r + usize::from(player);
            tapes.push(all[player].take().expect("once"));
            let row = &rows[player * shape.row()..][..shape.row()];
            expected.extend_from_slice(row);
            given.extend(row.iter().enumerate().map(|(at, byte)| {
                let third = player % 3 == 2 && (shape.inputs_at()..shape.view_at()).contains(&at);
                let known = third || side == 1 && at >= shape.view_at();
                if known { *byte } else { 0 }
            }));
        }
    }
    let mut outputs = vec![0; 2 * repetitions * shape.outputs];
    R::recompute(Recomputation {
        program,
        challenge: &challenge,
        tapes: &tapes,
        rows: &mut given,
        outputs: &mut outputs,
    });
    assert!(given == expected, "rows differ");
    for (r, e) in challenge.iter().enumerate() {
        let first = &first[r * shape.first()..][..3 * shape.outputs];
        let share = |player: u8| &first[usize::from(player) * shape.outputs..][..shape.outputs];
        let own = &outputs[2 * r * shape.outputs..][..2 * shape.outputs];
        assert_eq!(own, [share(e.opened()[0]), share(e.opened()[1])].concat());
        let mut third = vec![0xa5; shape.outputs];
        R::complement(share(e.opened()[0]), share(e.opened()[1]), &mut third);
        assert_eq!(third, share(e.closed()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn bits_of_any_number_of_repetitions_are_the_papers(
        seed: u64, repetitions in 1..257_usize, inputs in 1..300_u32, gates in 0..300_u32, claims in 1..150_u32
    ) {
        agrees::<F2>(seed, Size { inputs, gates, claims }, repetitions);
    }

    #[test]
    fn elements_of_any_number_of_repetitions_are_the_papers(
        seed: u64, repetitions in 1..33_usize, inputs in 1..140_u32, gates in 0..300_u32, claims in 1..9_u32
    ) {
        let size = Size { inputs, gates, claims };
        agrees::<Z32>(seed, size, repetitions);
        agrees::<Z64>(seed, size, repetitions);
        agrees::<F61>(seed, size, repetitions);
        agrees::<Gf256>(seed, size, repetitions);
        agrees::<Bn254Scalar>(seed, size, repetitions);
        #[cfg(feature = "every-field")]
        {
            agrees::<volery_field::P256Base>(seed, size, repetitions);
            agrees::<volery_field::RistrettoScalar>(seed, size, repetitions);
        }
    }
}

#[test]
fn bits_agree_at_the_borders_of_blocks_and_registers() {
    for repetitions in [1, 128, 129, 256] {
        for products in [0, 1, 127, 1024, 1025] {
            let size = Size { inputs: 3, gates: 2 * products, claims: 2 };
            agrees::<F2>(u64::from(products), size, repetitions);
        }
    }
    for inputs in [1, 8, 127, 128, 129, 1024, 1025, 2500] {
        agrees::<F2>(7, Size { inputs, gates: 50, claims: 1200 }, 3);
    }
}
