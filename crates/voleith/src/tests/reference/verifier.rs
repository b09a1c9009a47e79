//! The verifier.

use volery_field::Gf128;

use super::{Op, Public, beside, bytes, digest, key, packed, row};
use crate::primitive::Primitive;

/// Whether `proof` is one. `public` has the salt of the proof.
pub(super) fn verify(public: &Public, proof: &[u8]) -> bool {
    let (shape, native) = (public.shape(), public.native());
    let mut rest = proof;
    let mut take = |n: usize| {
        let taken = rest.get(..n).unwrap_or_default();
        rest = rest.get(n..).unwrap_or_default();
        (taken.len() == n).then(|| taken.to_vec())
    };
    let mut parse = || -> Option<bool> {
        if take(public.header().len())? != public.header() {
            return Some(false);
        }
        let challenge: [u8; 32] = take(32)?.try_into().ok()?;
        let counters: Vec<u8> = take(8)?;
        let claimed = u128::from_le_bytes(take(16)?.try_into().ok()?);
        let delta = Gf128::from_bits(claimed << 1 | 1);
        let hidden = shape.pieces(claimed);
        let mut nodes = vec![None; shape.nodes()];
        let beside = beside(shape, &hidden);
        for i in 0..shape.opened() {
            let node = Gf128::from_bytes(take(16)?.try_into().ok()?);
            match beside.get(i) {
                Some(at) => nodes[*at] = Some(node),
                None if node == Gf128::ZERO => {}
                None => return Some(false),
            }
        }
        if beside.len() > shape.opened() {
            return Some(false);
        }
        for parent in 0..shape.all_leaves() - 1 {
            if let Some(node) = nodes[parent] {
                let children = native.children(parent, node);
                nodes[2 * parent + 1] = Some(children[0]);
                nodes[2 * parent + 2] = Some(children[1]);
            }
        }
        let all = public.blocks();
        let (mut w, mut trees) = (vec![vec![Gf128::ZERO; all]], Vec::new());
        for (t, y) in hidden.iter().enumerate() {
            let mut columns = vec![vec![Gf128::ZERO; all]; shape.levels(t)];
            let mut of_tree = Vec::new();
            for x in 0..1_usize << shape.levels(t) {
                let number = shape.node(t, x);
                let Some(leaf) = nodes[number] else {
                    of_tree.push(take(32)?.try_into().ok()?);
                    continue;
                };
                let (seed, commitment) = native.leaf(t, number, leaf);
                of_tree.push(commitment);
                let mut stream = vec![Gf128::ZERO; all];
                native.streams(t, &[seed]).blocks_at(0, 0, &mut stream);
                for (i, r) in stream.into_iter().enumerate() {
                    let added = columns.iter_mut().enumerate().filter(|(b, _)| (x ^ y) >> b & 1 == 1);
                    added.for_each(|(_, w)| w[i] += r);
                }
            }
            trees.push(native.tree(t, &of_tree));
            w.extend(columns);
        }
        let mut transcript = public.transcript(native.root(&trees));
        let (mut d, n) = (Vec::new(), public.commitments());
        for [first, used, end] in public.cuts() {
            let of_tree = (end - first) / 8;
            let corrections = take((shape.trees() - 1) * of_tree)?;
            for (t, of_tree) in (1..).zip(corrections.chunks_exact(of_tree)) {
                for column in (0..shape.levels(t)).map(|b| 1 + shape.first_bit(t) + b) {
                    if delta.to_bits() >> column & 1 == 1 {
                        for (i, byte) in (first / 8..).zip(of_tree) {
                            w[column][i / 16] += Gf128::from_bits(u128::from(*byte) << (8 * (i % 16)));
                        }
                    }
                }
            }
            let bits = used.min(n) - first.min(n);
            let masks = take(bits.div_ceil(8))?;
            transcript.absorb("corrections", &corrections);
            transcript.absorb("masks", &masks);
            let all_bits = masks.iter().flat_map(|byte| (0..8).map(move |i| byte >> i & 1 == 1));
            let all_bits: Vec<_> = all_bits.collect();
            if all_bits[bits..].iter().any(|bit| *bit) {
                return Some(false);
            }
            d.extend_from_slice(&all_bits[..bits]);
        }
        let public_one = |c: bool| if c { delta + Gf128::ONE } else { Gf128::ZERO };
        let (mut wires, mut products, mut committed) = (Vec::<Gf128>::new(), Vec::new(), 0);
        for op in &public.ops {
            let mut commit = || {
                committed += 1;
                row(&w, committed - 1) + public_one(d[committed - 1])
            };
            let wire = match *op {
                Op::Constant(c) => public_one(c),
                Op::Add(a, b) => wires[a] + wires[b],
                Op::Secret(_) | Op::Mul(..) => commit(),
            };
            match *op {
                Op::Secret(_) => products.push([wire, public_one(true), wire]),
                Op::Mul(a, b) => products.push([wires[a], wires[b], wire]),
                _ => {}
            }
            wires.push(wire);
        }
        let degree = public.degree();
        let opening: Vec<_> =
            take(16 * degree)?.as_chunks().0.iter().map(|bytes| Gf128::from_bytes(*bytes)).collect();
        let (zeros, hash_of_u) = (take(32)?, take(18)?);

        let power = |n: usize| (0..n).fold(Gf128::ONE, |power, _| power * delta);
        let mut value = Gf128::ZERO;
        for (chi, [a, b, c]) in public.coefficients(challenge).into_iter().zip(products) {
            value += chi * (a * b + c * delta) * power(degree - 2);
        }
        if let Some(any_of) = &public.any_of {
            let committed: Vec<_> = wires.iter().map(|key| [*key, Gf128::ZERO]).collect();
            let constant = |c| [public_one(c), Gf128::ZERO];
            let keys = any_of.check_values(challenge, &committed, constant);
            let product = keys.iter().fold(Gf128::ONE, |product, [key, _]| product * *key);
            value += public.coefficient(challenge) * product * power(degree - public.branches());
        }
        let random: Vec<_> =
            (0..public.masks()).map(|i| packed((0..128).map(|j| row(&w, n + 128 * i + j)))).collect();
        value += (1..degree - 1).fold(random[0], |mask, i| mask * random[i] + random[degree - 2 + i]);
        let mut hashes = public.hashes(challenge, &w);
        for (_, hash) in hashes.iter_mut().enumerate().filter(|(i, _)| delta.to_bits() >> i & 1 == 1) {
            hash.iter_mut().zip(&hash_of_u).for_each(|(to, byte)| *to ^= byte);
        }
        let columns = [&hash_of_u[..], &digest(&hashes)].concat();

        transcript.absorb("program", &public.counts());
        let seed = transcript.challenge_seed("columns and relations").into_bytes();
        transcript.absorb("challenge", &challenge);
        transcript.absorb("hashes of the columns", &columns);
        transcript.absorb("combination of the relations", &bytes(&opening));
        transcript.absorb("hash of the zeros", &zeros);
        let key_seed = transcript.challenge_seed("key").into_bytes();
        let hash_of = |seed: [u8; 32], counter: &[u8]| *blake3::keyed_hash(&seed, counter).as_bytes();
        let work = |hash: &[u8; 32], zeros: u32| {
            hash[24..].try_into().is_ok_and(|last| u64::from_le_bytes(last).trailing_zeros() >= zeros)
        };
        let (first_hash, second_hash) = (hash_of(seed, &counters[..4]), hash_of(key_seed, &counters[4..]));
        Some(
            value == opening.iter().rev().fold(Gf128::ZERO, |sum, c| sum * delta + *c)
                && zeros == public.zeros(&wires)
                && first_hash == challenge
                && work(&first_hash, public.parameters.column_grinding(public.branches() as u64))
                && key(shape, &second_hash) == claimed
                && work(&second_hash, public.parameters.key_grinding(degree as u64)),
        )
    };
    let accepted = parse() == Some(true);
    accepted && rest.is_empty()
}
