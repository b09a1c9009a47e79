//! A prover and a verifier in plain code, one bit and one column at a time, as the papers and the module docs
//! say: the engine makes the same bytes, and both verifiers accept the same ones.
//!
//! They share with the engine its hash functions and AES streams ([`Native`], [`Transcript`], [`Oracle`],
//! [`Prg`]) and nothing else.

use rand_core::Rng as _;
use volery_field::Gf128;
use volery_testing::rng;
use volery_vole::{Oracle, Prg, SessionId, Transcript};

use super::statements::Chain;
use super::{check, proof_of, settings};
use crate::header::Header;
use crate::primitive::Primitive;
use crate::{Native, Parameters, Shape};

/// A line of a program.
#[derive(Clone, Copy)]
enum Op {
    Secret(usize),
    Constant(bool),
    Add(usize, usize),
    Mul(usize, usize),
}

/// [`Chain`], written down. The last line must be zero.
fn program(chain: &Chain) -> Vec<Op> {
    let mut ops: Vec<_> = (0..chain.secrets).map(Op::Secret).collect();
    ops.push(Op::Constant(chain.parity));
    let mut sum = ops.len() - 1;
    if chain.secrets > 0 {
        ops.push(Op::Add(sum, 0));
        sum = ops.len() - 1;
        let mut last = 0;
        for i in 0..chain.ands {
            ops.push(Op::Mul(last, i % chain.secrets));
            ops.push(Op::Add(ops.len() - 1, (i + 1) % chain.secrets));
            last = ops.len() - 1;
            ops.push(Op::Add(sum, last));
            sum = ops.len() - 1;
        }
    }
    assert_eq!(sum, ops.len() - 1);
    ops
}

/// What both parties know of a proof before its challenges.
struct Public<'a> {
    ops: &'a [Op],
    parameters: Parameters,
    salt: [u8; 32],
    statement: [u8; 32],
}

impl Public<'_> {
    fn shape(&self) -> Shape {
        self.parameters.shape()
    }

    /// The number of secrets and products.
    fn commitments(&self) -> usize {
        self.ops.iter().filter(|op| matches!(op, Op::Secret(_) | Op::Mul(..))).count()
    }

    /// The blocks of 128 rows that commitments and the mask take; 144 rows of two more mask the hash.
    fn blocks(&self) -> usize {
        (self.commitments() + 128).div_ceil(128)
    }

    /// The first and the last block of 128 rows of each block in the file, without the two.
    fn cuts(&self) -> Vec<[usize; 2]> {
        let mut cuts = Vec::new();
        let (mut first, mut length) = (0, 16);
        while first < self.blocks() {
            cuts.push([first, (first + length).min(self.blocks())]);
            (first, length) = (first + length, (2 * length).min(256));
        }
        cuts
    }

    fn native(&self) -> Native {
        Native::new(&self.salt, self.shape().trees())
    }

    fn header(&self) -> Vec<u8> {
        let mut out = b"VOLERY VOLEITH\r\n".to_vec();
        out.extend([2, 0, self.parameters.code(), 0, 2, 0, 0, 0]);
        out.extend((self.commitments() as u64).to_le_bytes());
        out.extend(self.statement);
        out.extend(self.salt);
        out
    }

    /// Counts, degree and constants.
    fn counts(&self) -> Vec<u8> {
        let secrets = self.ops.iter().filter(|op| matches!(op, Op::Secret(_))).count() as u64;
        let constants: Vec<u8> = self
            .ops
            .iter()
            .filter_map(|op| if let Op::Constant(c) = op { Some(u8::from(*c)) } else { None })
            .collect();
        let counts = [secrets, self.commitments() as u64 - secrets, 1, 0, 2];
        let mut out: Vec<u8> = counts.into_iter().flat_map(u64::to_le_bytes).collect();
        out.extend(blake3::derive_key("volery 2026 quicksilver constants v1", &constants));
        out
    }

    fn transcript(&self, root: [u8; 32]) -> Transcript {
        let mut transcript = Transcript::new("voleith", &SessionId::new(self.salt));
        transcript.absorb("parameters", self.parameters.name().as_bytes());
        transcript.absorb("statement", &self.statement);
        transcript.absorb("no message", &[]);
        transcript.absorb("commitments to leaves", &root);
        transcript
    }

    /// The hashes of all columns, which have two blocks of masks.
    fn hashes(&self, challenge: [u8; 32], columns: &[Vec<Gf128>]) -> Vec<[u8; 18]> {
        let columns_key = Oracle::new("voleith: columns and relations", &SessionId::new(challenge))
            .hash::<32>(0, &[b"columns"]);
        let mut challenges = Transcript::new("voleith: hash of the columns", &SessionId::new(columns_key));
        let masks = self.blocks();
        let mut hashes: Vec<_> = columns.iter().map(|column| [column[masks], column[masks + 1]]).collect();
        for [first, end] in self.cuts() {
            let key = challenges.challenge_seed::<32>("block").into_bytes();
            let mut stream = blake3::Hasher::new_keyed(&key).finalize_xof();
            for half in 0..2 {
                for block in first..end {
                    let mut coefficient = [0; 16];
                    stream.fill(&mut coefficient);
                    for (hash, column) in hashes.iter_mut().zip(columns) {
                        hash[half] += column[block] * Gf128::from_bytes(coefficient);
                    }
                }
            }
        }
        // 128 bits of the first half, and 16 of the second.
        hashes.iter().map(|hash| bytes(hash)[..18].try_into().expect("18 bytes")).collect()
    }

    fn coefficients(&self, challenge: [u8; 32]) -> Vec<Gf128> {
        let seed = Oracle::new("voleith: columns and relations", &SessionId::new(challenge))
            .hash::<24>(0, &[b"relations"]);
        let (mut key, mut salt) = ([0; 16], [0; 8]);
        key.copy_from_slice(&seed[..16]);
        salt.copy_from_slice(&seed[16..]);
        let mut out = vec![Gf128::ZERO; self.commitments()];
        Prg::salted(key, u64::from_le_bytes(salt)).blocks_at(0, &mut out);
        out
    }
}

fn bytes(blocks: &[Gf128]) -> Vec<u8> {
    blocks.iter().flat_map(|block| block.to_bytes()).collect()
}

fn digest(hashes: &[[u8; 18]]) -> [u8; 32] {
    blake3::derive_key("volery 2026 voleith hashes of the columns v1", hashes.as_flattened())
}

/// The bytes of each tree's corrections of these blocks of 128 rows; of the last two, 144 rows are corrected.
fn correction_bytes(public: &Public<'_>, [first, end]: [usize; 2]) -> usize {
    if first == public.blocks() { 18 } else { 16 * (end - first) }
}

/// Bit `row` of a column.
fn bit(column: &[Gf128], row: usize) -> bool {
    column[row / 128].to_bits() >> (row % 128) & 1 == 1
}

/// Row `row` of all columns.
fn row(columns: &[Vec<Gf128>], row: usize) -> Gf128 {
    let bits =
        columns.iter().enumerate().fold(0, |bits, (i, column)| bits | u128::from(bit(column, row)) << i);
    Gf128::from_bits(bits)
}

/// `sum a_i X^i`.
fn packed(a: impl Iterator<Item = Gf128>) -> Gf128 {
    a.fold((Gf128::ZERO, Gf128::ONE), |(sum, power), a| (sum + a * power, power * Gf128::X)).0
}

fn masks(bits: &[bool]) -> Vec<u8> {
    bits.chunks(8).map(|bits| bits.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit))).collect()
}

/// The first counter whose hash has enough zeros and passes `fits`.
fn grind(seed: [u8; 32], zeros: u32, mut fits: impl FnMut(&[u8; 32]) -> bool) -> (u32, [u8; 32]) {
    (0..)
        .map(|counter: u32| (counter, *blake3::keyed_hash(&seed, &counter.to_le_bytes()).as_bytes()))
        .find(|(_, hash)| {
            let last = u64::from_le_bytes(hash[24..].try_into().expect("8 bytes"));
            last.trailing_zeros() >= zeros && fits(hash)
        })
        .expect("there is one")
}

fn key(shape: Shape, hash: &[u8; 32]) -> u128 {
    u128::from_le_bytes(hash[..16].try_into().expect("16 bytes")) & ((1 << shape.key_bits()) - 1)
}

/// The nodes beside the paths to hidden leaves, from the last to the first.
fn beside(shape: Shape, hidden: &[usize]) -> Vec<usize> {
    let leaves: Vec<_> = hidden.iter().enumerate().map(|(t, j)| shape.node(t, *j)).collect();
    let above = |node: usize| {
        leaves.iter().any(|leaf| {
            let mut at = *leaf;
            while at > node {
                at = (at - 1) / 2;
            }
            at == node
        })
    };
    (1..shape.nodes()).rev().filter(|node| !above(*node) && above((node - 1) / 2)).collect()
}

fn prove(public: &Public<'_>, witness: &[bool], root: [u8; 16]) -> Vec<u8> {
    let (shape, native) = (public.shape(), public.native());
    let mut nodes = vec![Gf128::from_bytes(root)];
    for parent in 0..shape.all_leaves() - 1 {
        nodes.extend(native.children(parent, nodes[parent]));
    }
    let all = public.blocks() + 2;
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
    for op in public.ops {
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
    for [first, end] in public.cuts().into_iter().chain([[public.blocks(), all]]) {
        let mut corrections = Vec::new();
        for t in 1..shape.trees() {
            let all: Vec<_> = (first..end).flat_map(|i| (u[t][i] + u[0][i]).to_bytes()).collect();
            corrections.extend(&all[..correction_bytes(public, [first, end])]);
        }
        let n = d.len();
        let masks = masks(&d[(128 * first).min(n)..(128 * end).min(n)]);
        transcript.absorb("corrections", &corrections);
        transcript.absorb("masks", &masks);
        body.extend(corrections.into_iter().chain(masks));
    }
    transcript.absorb("program", &public.counts());
    let seed = transcript.challenge_seed("columns and relations").into_bytes();
    let (columns_counter, challenge) = grind(seed, public.parameters.column_grinding(0), |_| true);

    let hashes = public.hashes(challenge, &v);
    let mut columns = hashes[0].to_vec();
    columns.extend(digest(&hashes));
    let mut opening = [Gf128::ZERO; 2];
    for (chi, [a, b, c]) in public.coefficients(challenge).into_iter().zip(products) {
        opening[0] += chi * a * b;
        let (x_a, x_b) = (Gf128::from(a.lsb()), Gf128::from(b.lsb()));
        opening[1] += chi * (x_a * b + x_b * a + c);
    }
    let mask: Vec<_> = (0..128).map(|i| row(&v, d.len() + i)).collect();
    opening[0] += packed(mask.iter().copied());
    opening[1] += packed(mask.iter().map(|m| Gf128::from(m.lsb())));
    let zeros =
        blake3::derive_key("volery 2026 quicksilver assertions v1", &wires.last().expect("one").to_bytes());
    transcript.absorb("challenge", &challenge);
    transcript.absorb("hashes of the columns", &columns);
    transcript.absorb("combination of the relations", &bytes(&opening));
    transcript.absorb("hash of the zeros", &zeros);
    let seed = transcript.challenge_seed("key").into_bytes();
    let (key_counter, hash) = grind(seed, public.parameters.key_grinding(2), |hash| {
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

/// Whether `proof` is one. `public` has the salt of the proof.
fn verify(public: &Public<'_>, proof: &[u8]) -> bool {
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
        let all = public.blocks() + 2;
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
        for [first, end] in public.cuts().into_iter().chain([[public.blocks(), all]]) {
            let of_tree = correction_bytes(public, [first, end]);
            let corrections = take((shape.trees() - 1) * of_tree)?;
            for (t, of_tree) in (1..).zip(corrections.chunks_exact(of_tree)) {
                for b in 0..shape.levels(t) {
                    let column = 1 + shape.first_bit(t) + b;
                    if delta.to_bits() >> column & 1 == 1 {
                        for (i, c) in (first..end).zip(of_tree.chunks(16)) {
                            let mut block = [0; 16];
                            block[..c.len()].copy_from_slice(c);
                            w[column][i] += Gf128::from_bytes(block);
                        }
                    }
                }
            }
            let bits = (128 * end).min(n) - (128 * first).min(n);
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
        for op in public.ops {
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
        let opening = [take(16)?, take(16)?].map(|half| half.try_into().map(Gf128::from_bytes));
        let [Ok(first), Ok(second)] = opening else { return None };
        let (zeros, hash_of_u) = (take(32)?, take(18)?);

        let mut value = packed((0..128).map(|i| row(&w, n + i)));
        for (chi, [a, b, c]) in public.coefficients(challenge).into_iter().zip(products) {
            value += chi * (a * b + c * delta);
        }
        let key_of_zero = wires.last()?.to_bytes();
        let mut hashes = public.hashes(challenge, &w);
        for (_, hash) in hashes.iter_mut().enumerate().filter(|(i, _)| delta.to_bits() >> i & 1 == 1) {
            hash.iter_mut().zip(&hash_of_u).for_each(|(to, byte)| *to ^= byte);
        }
        let columns = [&hash_of_u[..], &digest(&hashes)].concat();

        transcript.absorb("program", &public.counts());
        let seed = transcript.challenge_seed("columns and relations").into_bytes();
        transcript.absorb("challenge", &challenge);
        transcript.absorb("hashes of the columns", &columns);
        transcript.absorb("combination of the relations", &bytes(&[first, second]));
        transcript.absorb("hash of the zeros", &zeros);
        let key_seed = transcript.challenge_seed("key").into_bytes();
        let hash_of = |seed: [u8; 32], counter: &[u8]| *blake3::keyed_hash(&seed, counter).as_bytes();
        let work = |hash: &[u8; 32], zeros: u32| {
            hash[24..].try_into().is_ok_and(|last| u64::from_le_bytes(last).trailing_zeros() >= zeros)
        };
        let (first_hash, second_hash) = (hash_of(seed, &counters[..4]), hash_of(key_seed, &counters[4..]));
        Some(
            value == first + second * delta
                && zeros == blake3::derive_key("volery 2026 quicksilver assertions v1", &key_of_zero)
                && first_hash == challenge
                && work(&first_hash, public.parameters.column_grinding(0))
                && key(shape, &second_hash) == claimed
                && work(&second_hash, public.parameters.key_grinding(2)),
        )
    };
    let accepted = parse() == Some(true);
    accepted && rest.is_empty()
}

/// Salt and root, from the first 32 bytes of the engine's generator and all values that are committed to.
fn randomness(public: &Public<'_>, witness: &[bool]) -> ([u8; 32], [u8; 16]) {
    let Public { ops, parameters, statement, .. } = public;
    let (mut wires, mut committed) = (Vec::<bool>::new(), Vec::new());
    for op in *ops {
        let value = match *op {
            Op::Constant(c) => c,
            Op::Add(a, b) => wires[a] ^ wires[b],
            Op::Secret(i) => witness[i],
            Op::Mul(a, b) => wires[a] && wires[b],
        };
        if matches!(op, Op::Secret(_) | Op::Mul(..)) {
            committed.push(value);
        }
        wires.push(value);
    }
    let mut key = [0; 32];
    rng(31).fill_bytes(&mut key);
    let mut hasher = blake3::Hasher::new_keyed(&key);
    hasher.update(b"voleith: salt and root").update(&[parameters.code()]).update(statement);
    let values = [masks(&committed), public.counts()].concat();
    hasher.update(&blake3::derive_key("volery 2026 voleith values v1", &values));
    let mut out = [0; 48];
    hasher.finalize_xof().fill(&mut out);
    (out[..32].try_into().expect("32 bytes"), out[32..].try_into().expect("16 bytes"))
}

#[test]
fn the_engine_and_the_plain_code_make_and_accept_the_same_bytes() {
    for (parameters, secrets, ands) in
        [(Parameters::Fast, 7, 2300), (Parameters::Fast80, 20, 109), (Parameters::Fast80, 0, 0)]
    {
        let chain = Chain::of(secrets, ands);
        let (_, proof) = proof_of(&chain, &settings(parameters), 31);
        let ops = program(&chain);
        let statement = *Header::read(&mut &proof[..]).expect("reads").statement();
        let witness = chain.witness.as_deref().expect("there is one");
        let mut public = Public { ops: &ops, parameters, salt: [0; 32], statement };
        let (salt, root) = randomness(&public, witness);
        public.salt = salt;
        let plain = prove(&public, witness, root);
        assert!(plain == proof, "{parameters:?}, {secrets}, {ands}");
        assert!(check(&chain.claim(), &plain).is_ok() && verify(&public, &proof));
        for place in (0..proof.len()).step_by(proof.len() / 6) {
            let mut changed = proof.clone();
            changed[place] ^= 16;
            assert!(!verify(&public, &changed) && check(&chain.claim(), &changed).is_err(), "{place}");
        }
    }
}
