//! The prover.

use volery_field::Gf128;

use super::{Op, Public, beside, bytes, digest, grind, key, masks, packed, row, times};
use crate::primitive::Primitive;

pub(super) fn prove(public: &Public, witness: &[bool], root: [u8; 16]) -> Vec<u8> {
    let (shape, native) = (public.shape(), public.native());
    let mut nodes = vec![Gf128::from_bytes(root)];
    for parent in 0..shape.all_leaves() - 1 {
        nodes.extend(native.children(parent, nodes[parent]));
    }
    let all = public.blocks();
    let (mut u, mut v) = (Vec::new(), vec![vec![Gf128::ZERO; all]]);
    let (mut commitments, mut trees) = (Vec::new(), Vec::new());
    for t in 0..shape.trees() {
        let mut sum = vec![Gf128::ZERO; all];
        let mut columns = vec![vec![Gf128::ZERO; all]; shape.levels(t)];
        let mut of_tree = Vec::new();
        for x in 0..1_usize << shape.levels(t) {
            let (seed, commitment) = native.leaf(t, shape.node(t, x), nodes[shape.node(t, x)]);
            of_tree.push(commitment);
            let mut stream = vec![Gf128::ZERO; all];
            native.streams(t, &[seed]).blocks_at(0, 0, &mut stream);
            for (i, r) in stream.into_iter().enumerate() {
                sum[i] += r;
                columns.iter_mut().enumerate().filter(|(b, _)| x >> b & 1 == 1).for_each(|(_, v)| v[i] += r);
            }
        }
        trees.push(native.tree(t, &of_tree));
        commitments.push(of_tree);
        u.push(sum);
        v.extend(columns);
    }
    v[0] = u[0].clone();

    // Values, tags and masks.
    let (mut wires, mut d, mut products) = (Vec::<Gf128>::new(), Vec::new(), Vec::new());
    for op in &public.ops {
        let value = |wire: Gf128| wire.to_bits() & 1;
        let mut commit = |value: u128| {
            let random = row(&v, d.len());
            d.push(random.to_bits() & 1 != value);
            Gf128::from_bits(random.to_bits() & !1 | value)
        };
        let wire = match *op {
            Op::Constant(c) => Gf128::from_bits(c.into()),
            Op::Add(a, b) => wires[a] + wires[b],
            Op::Secret(i) => commit(witness[i].into()),
            Op::Mul(a, b) => commit(value(wires[a]) & value(wires[b])),
        };
        match *op {
            Op::Secret(_) => products.push([wire, Gf128::ONE, wire]),
            Op::Mul(a, b) => products.push([wires[a], wires[b], wire]),
            _ => {}
        }
        wires.push(wire);
    }

    let mut body = Vec::new();
    let mut transcript = public.transcript(native.root(&trees));
    for [first, used, end] in public.cuts() {
        let mut corrections = Vec::new();
        for of_tree in &u[1..] {
            let [of_tree, of_first] = [of_tree, &u[0]].map(|u| bytes(u)[first / 8..end / 8].to_vec());
            corrections.extend(of_tree.iter().zip(of_first).map(|(a, b)| a ^ b));
        }
        let n = d.len();
        let masks = masks(&d[first.min(n)..used.min(n)]);
        transcript.absorb("corrections", &corrections);
        transcript.absorb("masks", &masks);
        body.extend(corrections.into_iter().chain(masks));
    }
    transcript.absorb("program", &public.counts());
    let seed = transcript.challenge_seed("columns and relations").into_bytes();
    let (columns_counter, challenge) =
        grind(seed, public.parameters.column_grinding(public.branches() as u64), |_| true);

    let hashes = public.hashes(challenge, &v);
    let mut columns = hashes[0].to_vec();
    columns.extend(digest(&hashes));
    let degree = public.degree();
    let mut opening = vec![Gf128::ZERO; degree];
    for (chi, [a, b, c]) in public.coefficients(challenge).into_iter().zip(products) {
        opening[degree - 2] += chi * a * b;
        let (x_a, x_b) = (Gf128::from(a.lsb()), Gf128::from(b.lsb()));
        opening[degree - 1] += chi * (x_a * b + x_b * a + c);
    }
    if let Some(any_of) = &public.any_of {
        let share = |wire: Gf128| [wire, Gf128::from(wire.lsb())];
        let committed: Vec<_> = wires.iter().copied().map(share).collect();
        let check_values = any_of.check_values(challenge, &committed, |c| share(Gf128::from_bits(c.into())));
        let product = check_values.into_iter().fold(vec![Gf128::ONE], |g, value| times(&g, value));
        let (top, coefficients) = product.split_last().expect("one");
        assert!(*top == Gf128::ZERO, "no branch holds");
        // One branch has a product of degree 1, which is multiplied by X.
        let chi = public.coefficient(challenge);
        opening.iter_mut().rev().zip(coefficients.iter().rev()).for_each(|(to, c)| *to += chi * *c);
    }
    // g_1 = r_0, and g_(i+1) = g_i r_i + r_(d+i) for the mask of degree d, each r from 128 rows.
    let random: Vec<_> = (0..public.masks())
        .map(|i| {
            let rows: Vec<_> = (0..128).map(|j| row(&v, d.len() + 128 * i + j)).collect();
            [packed(rows.iter().copied()), packed(rows.iter().map(|m| Gf128::from(m.lsb())))]
        })
        .collect();
    let mut mask = random[0].to_vec();
    for i in 1..degree - 1 {
        mask = times(&mask, random[i]);
        mask.iter_mut().zip(random[degree - 2 + i]).for_each(|(to, r)| *to += r);
    }
    opening.iter_mut().zip(mask).for_each(|(to, mask)| *to += mask);
    let zeros = public.zeros(&wires);
    transcript.absorb("challenge", &challenge);
    transcript.absorb("hashes of the columns", &columns);
    transcript.absorb("combination of the relations", &bytes(&opening));
    transcript.absorb("hash of the zeros", &zeros);
    let seed = transcript.challenge_seed("key").into_bytes();
    let (key_counter, hash) = grind(seed, public.parameters.key_grinding(degree as u64), |hash| {
        beside(shape, &shape.pieces(key(shape, hash))).len() <= shape.opened()
    });

    let key = key(shape, &hash);
    let hidden = shape.pieces(key);
    let mut opened: Vec<_> = beside(shape, &hidden).into_iter().map(|node| nodes[node]).collect();
    opened.resize(shape.opened(), Gf128::ZERO);
    let mut out = public.header();
    out.extend(challenge);
    out.extend(columns_counter.to_le_bytes());
    out.extend(key_counter.to_le_bytes());
    out.extend(key.to_le_bytes());
    out.extend(bytes(&opened));
    hidden.iter().enumerate().for_each(|(t, j)| out.extend(commitments[t][*j]));
    out.extend(body);
    out.extend(bytes(&opening));
    out.extend(zeros);
    out.extend(hashes[0]);
    out
}
