//! Published values of FAEST, by our commitment, our VOLE from leaves and our decoding of challenges over
//! FAEST's functions.
//!
//! The values are those of the tests of FAEST's implementations (<https://faest.info>): of version 2 for leaf
//! hash, leaf commitment, batched commitment, and whole signatures as far as the masked witness and the
//! opening; of version 1, which has a tree for each repetition, for the VOLE from leaves and the decoding of
//! challenges. Our own proofs use other functions ([`Native`](crate::Native)), put a fixed one into the key,
//! and check columns and relations otherwise, so a signature's check of columns, its quadratic relations of
//! AES, and its last challenge have no counterpart.

use aes::cipher::{BlockCipherEncrypt as _, KeyInit as _};
use sha3::digest::{ExtendableOutput as _, Update as _, XofReader as _};
use volery_field::Gf128;

use crate::columns::Trees;
use crate::commitment::{commit, reconstruct};
use crate::primitive::{Primitive, Streams};
use crate::{Parameters, Shape};

/// The digits of a value, as bytes.
fn hex(digits: &str) -> Vec<u8> {
    digits
        .as_bytes()
        .chunks_exact(2)
        .map(|pair| u8::from_str_radix(core::str::from_utf8(pair).expect("digits"), 16).expect("digits"))
        .collect()
}

fn block(digits: &str) -> [u8; 16] {
    hex(digits).try_into().expect("16 bytes")
}

fn shake_128(parts: &[&[u8]], out: &mut [u8]) {
    let mut hasher = sha3::Shake128::default();
    parts.iter().for_each(|part| hasher.update(part));
    hasher.finalize_xof().read(out);
}

/// By what the published values abbreviate long ones.
fn abbreviated(bytes: &[u8], length: usize) -> Vec<u8> {
    let mut hasher = sha3::Shake256::default();
    hasher.update(bytes);
    let mut out = vec![0; length];
    hasher.finalize_xof().read(&mut out);
    out
}

/// FAEST's generator: AES in counter mode, where the counter is the first word of the starting block, and the
/// tweak is added to the last.
fn prg(key: [u8; 16], iv: [u8; 16], tweak: u32, first: u64, out: &mut [Gf128]) {
    let aes = aes::Aes128::new(&key.into());
    let words: [u32; 4] = core::array::from_fn(|i| u32::from_le_bytes(iv.as_chunks().0[i]));
    for (i, out) in out.iter_mut().enumerate() {
        let mut words = words;
        words[0] = words[0].wrapping_add(first as u32 + i as u32);
        words[3] = words[3].wrapping_add(tweak);
        let mut bytes = [0; 16];
        bytes.as_chunks_mut().0.iter_mut().zip(words).for_each(|(to, word)| *to = word.to_le_bytes());
        let mut encrypted = bytes.into();
        aes.encrypt_block(&mut encrypted);
        *out = Gf128::from_bytes(encrypted.into());
    }
}

/// `u x_0 + x_1` in GF(2^384), with `x_0` a polynomial of degree below 128.
fn leaf_hash(u: &[u8; 48], x: &[u8; 64]) -> [u8; 48] {
    let word = |bytes: &[u8], i: usize| u128::from_le_bytes(bytes.as_chunks().0[i]);
    let x_0 = word(x, 0);
    let mut out: [u128; 3] = core::array::from_fn(|i| word(x, 1 + i));
    let mut power: [u128; 3] = core::array::from_fn(|i| word(u, i));
    for bit in 0..128 {
        let on = (x_0 >> bit & 1).wrapping_neg();
        out.iter_mut().zip(power).for_each(|(out, power)| *out ^= power & on);
        // Times X, modulo X^384 + X^12 + X^3 + X^2 + 1.
        let [a, b, c] = power;
        power = [(a << 1) ^ ((c >> 127) * 0x100d), (b << 1) | (a >> 127), (c << 1) | (b >> 127)];
    }
    let mut bytes = [0; 48];
    bytes.as_chunks_mut().0.iter_mut().zip(out).for_each(|(to, word)| *to = word.to_le_bytes());
    bytes
}

/// FAEST's functions for 128 bits, version 2.
struct Faest {
    iv: [u8; 16],
    shape: Shape,
    /// The key of each tree's leaf hash.
    hashes: Vec<[u8; 48]>,
}

#[derive(Clone, PartialEq)]
struct LeafCommitment([u8; 48]);

impl Default for LeafCommitment {
    fn default() -> Self {
        Self([0; 48])
    }
}

impl AsRef<[u8]> for LeafCommitment {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Faest {
    fn new(iv: [u8; 16], shape: Shape) -> Self {
        let mut bytes = vec![0; 48 * shape.trees()];
        shake_128(&[&iv, &[0]], &mut bytes);
        Self { iv, shape, hashes: bytes.as_chunks().0.to_vec() }
    }

    fn commit_leaf(&self, key: [u8; 16], tweak: u32, hash: &[u8; 48]) -> (Gf128, LeafCommitment) {
        let mut blocks = [Gf128::ZERO; 4];
        prg(key, self.iv, tweak, 0, &mut blocks);
        let mut bytes = [0; 64];
        bytes.as_chunks_mut().0.iter_mut().zip(blocks).for_each(|(to, block)| *to = block.to_bytes());
        (blocks[0], LeafCommitment(leaf_hash(hash, &bytes)))
    }
}

struct FaestStreams {
    iv: [u8; 16],
    tweak: u32,
    seeds: Vec<Gf128>,
}

impl Streams for FaestStreams {
    fn blocks_at(&self, x: usize, first: u64, out: &mut [Gf128]) {
        prg(self.seeds[x].to_bytes(), self.iv, self.tweak, first, out);
    }
}

impl Primitive for Faest {
    type Commitment = LeafCommitment;
    type Streams = FaestStreams;

    fn children(&self, number: usize, node: Gf128) -> [Gf128; 2] {
        let mut out = [Gf128::ZERO; 2];
        prg(node.to_bytes(), self.iv, number as u32, 0, &mut out);
        out
    }

    fn leaf(&self, t: usize, _number: usize, leaf: Gf128) -> (Gf128, LeafCommitment) {
        self.commit_leaf(leaf.to_bytes(), (t + self.shape.all_leaves() - 1) as u32, &self.hashes[t])
    }

    fn streams(&self, t: usize, seeds: &[Gf128]) -> FaestStreams {
        FaestStreams { iv: self.iv, tweak: t as u32 + (1 << 31), seeds: seeds.to_vec() }
    }

    fn tree(&self, _t: usize, commitments: &[LeafCommitment]) -> [u8; 32] {
        let bytes: Vec<u8> = commitments.iter().flat_map(|commitment| commitment.0).collect();
        let mut out = [0; 32];
        shake_128(&[&bytes, &[1]], &mut out);
        out
    }

    fn root(&self, trees: &[[u8; 32]]) -> [u8; 32] {
        let mut out = [0; 32];
        shake_128(&[trees.as_flattened(), &[1]], &mut out);
        out
    }
}

#[test]
fn the_leaf_hash_is_that_of_faest() {
    let u = hex(
        "e1523a8980c16283cbc85e71703a04d1d2331c8bd91b1e0156590944472d2dd3462c150b96cb0ec4071a054674cd352e",
    );
    let x = hex("d4da35338bea59ad660608c12f86e8eb594775a731df928c819b2d2ae2d8959c\
         2a52ca6f92b7b18e4c5801da83d06d441a8489ecb9b9e0b0d2e11579771074f1");
    let expected = hex(
        "a2f742c12fc80267f3584edd1c10b9b89448ec93c00c64c8e8eaffb78b6bd0655445119c200b65f014b2c0a4d188aa35",
    );
    assert_eq!(
        leaf_hash(u.as_chunks().0.first().expect("48"), x.as_chunks().0.first().expect("64"))[..],
        expected
    );
}

#[test]
fn the_leaf_commitment_is_that_of_faest() {
    let hash = hex(
        "4775a731df928c819b2d2ae2d8959c2a52ca6f92b7b18e4c5801da83d06d441a8489ecb9b9e0b0d2e11579771074f1ab",
    );
    let faest = Faest::new(block("da35338bea59ad660608c12f86e8eb59"), Parameters::Fast.shape());
    let key = block("2c150b96cb0ec4071a054674cd352ed4");
    let (seed, commitment) = faest.commit_leaf(key, 859_957_055, hash.as_chunks().0.first().expect("48"));
    assert_eq!(seed.to_bytes()[..], hex("dcfc20d9ff9ad10c973bab1ba2b39658"));
    let expected = hex(
        "7f9a70cb7a07d81b5ca5bb4b3a437141e1625feed977cae8e172b1b6074d25b76b50c734caf944c2a3f5f4f61483d53d",
    );
    assert_eq!(commitment.0[..], expected);
}

/// What is published of one batched commitment.
struct Batched {
    parameters: Parameters,
    root: &'static str,
    nodes: &'static str,
    commitments: &'static str,
    seeds: &'static str,
    hidden: &'static [usize],
    opening: &'static str,
    seeds_of_v: &'static str,
}

const BATCHED: [Batched; 2] = [
    Batched {
        parameters: Parameters::Small,
        root: "dd7c84a6a4fc9dd9f0f51c1e49d51b1e716cfc6e1429e5772e48fd3c061814b8",
        nodes: "d3e56044e652d75de4baa8033638a0e7334c1a49f3b2b95e3dcf7d495196c18c1817b189fa439d08ec037557d5cf91d606c427970b84258c316335bb4a8ce203",
        commitments: "ebcfd8d7dde6fe5d47cd5e02fe13cc5be0dd3c3345e39019f275afb127ccfa87f8b6597c63ac058498427fe6650e77ae3e92649e388681a1fbe23a1f16cb2efb",
        seeds: "23b07a2d6b844640a88704c5910d7041ffa290e22832fb3749ebd9dca3f0d3571ad08e0e51ffa0b13a4adffc565f4d0032430a98c5dd1caeaedeaca560d054f7",
        hidden: &[242, 8, 693, 717, 76, 547, 570, 363, 364, 1689, 563],
        opening: "b08e51645d1fec3923436b9c5e552353771e7f2c2dd9baedd4cc7e64c6b46516bc62a94a6a7441962b5cae860c91db46a25b342badcc6c7f81b7996f003044e7",
        seeds_of_v: "0a1cddc5be0718631ae2971a08f85429d3e552999c027c37b0e8bfa03a5c566216b07d9235ab97915855df8b84ba10ac53e2acaa054121aeed614732b7ae4be9",
    },
    Batched {
        parameters: Parameters::Fast,
        root: "75bbf1095c42320f5eacaddae9e019ab699ecb52975fd60e3b19b374412931d1",
        nodes: "aa299851e5ba7a66371f17ccd6aa45ce6b625b672c9b31c6a1da746d056ca188a760334c9f0090cc731ed3f0dbfe4f1bc53bdc87c81d62df2264ccdc42d1dd3d",
        commitments: "dd53c20419aebf93e6b0a12db58966b87cc3dc184b0e96d97cbaca0cebf62639519b656b3b907d9a89ab738b21347b7af8b3500407db6da73d55df4744921a42",
        seeds: "c3514ac3764d559d9b69690cda37d9af3cff6790854a61721ee9bd7306e509e0f01531308be1c6ed5e9b8f61645b467cb17acc8ccf716d128497f24d91ec4037",
        hidden: &[129, 70, 87, 194, 180, 57, 83, 67, 120, 33, 77, 114, 121, 67, 56, 76],
        opening: "b31fe03d9b36215a62f8c2b77a49932f54ad55039457e5dece0e74c2c1d4a4ab622284dc93d968d3a6d9eebf3b0f3a0aaac8e46c626946380ee70a5b580648a3",
        seeds_of_v: "3b42b64ac7239f479099dc87483f76bac8f7eea8b5c88bd2f25ddeaf60a20fed41afd04c20f0b8aa24f62752e636853afd7c3c62296e82c7b01f37c277df7381",
    },
];

fn bytes<'a>(blocks: impl IntoIterator<Item = &'a Gf128>) -> Vec<u8> {
    blocks.into_iter().flat_map(|block| block.to_bytes()).collect()
}

#[test]
fn the_batched_commitment_its_opening_and_its_reconstruction_are_those_of_faest() {
    for batched in BATCHED {
        let shape = batched.parameters.shape();
        let faest = Faest::new(block("642bb1f97c5f979a72b1ee39be4e7822"), shape);
        let committed = commit(&faest, shape, Gf128::from_bytes(core::array::from_fn(|i| i as u8)));
        assert_eq!(committed.root[..], hex(batched.root));
        let (nodes, commitments) = committed.parts();
        assert_eq!(abbreviated(&bytes(nodes), 64), hex(batched.nodes));
        let commitments: Vec<u8> = commitments.iter().flat_map(|commitment| commitment.0).collect();
        assert_eq!(abbreviated(&commitments, 64), hex(batched.commitments));
        assert_eq!(abbreviated(&bytes(committed.seeds.iter()), 64), hex(batched.seeds));

        let opening = committed.open(shape, batched.hidden).expect("opens");
        let mut opened: Vec<u8> = opening.hidden.iter().flat_map(|commitment| commitment.0).collect();
        opened.extend(bytes(&opening.nodes));
        assert_eq!(abbreviated(&opened, 64), hex(batched.opening));

        let got = reconstruct(&faest, shape, batched.hidden, &opening).expect("opens");
        assert_eq!(got.root, committed.root);
        let hidden: Vec<_> = batched.hidden.iter().enumerate().map(|(t, j)| shape.offset(t) + j).collect();
        let seeds = got.seeds.iter().enumerate().filter(|(i, _)| !hidden.contains(i)).map(|(_, seed)| seed);
        assert_eq!(abbreviated(&bytes(seeds), 64), hex(batched.seeds_of_v));
    }
}

/// The generator of the competition's known answers (NIST SP 800-90A's CTR_DRBG with AES-256, without a
/// derivation function).
struct KnownAnswers {
    key: [u8; 32],
    counter: u128,
}

impl KnownAnswers {
    fn new(seed: &[u8; 48]) -> Self {
        let mut made = Self { key: [0; 32], counter: 0 };
        made.update(seed);
        made
    }

    fn blocks<const N: usize>(&mut self) -> [u8; N] {
        let aes = aes::Aes256::new(&self.key.into());
        let mut out = [0; N];
        for block in out.as_chunks_mut::<16>().0 {
            self.counter = self.counter.wrapping_add(1);
            let mut encrypted = self.counter.to_be_bytes().into();
            aes.encrypt_block(&mut encrypted);
            *block = encrypted.into();
        }
        out
    }

    fn update(&mut self, data: &[u8; 48]) {
        let mut next = self.blocks::<48>();
        next.iter_mut().zip(data).for_each(|(next, data)| *next ^= data);
        self.key.copy_from_slice(&next[..32]);
        self.counter = u128::from_be_bytes(next.as_chunks().0[2]);
    }

    fn block(&mut self) -> [u8; 16] {
        let block = self.blocks::<16>();
        self.update(&[0; 48]);
        block
    }
}

/// The first known answer of `faest_128f` and `faest_128s`: parameters, the signature's last challenge, the
/// first block of its masked witness, its corrections, and its opening.
const SIGNATURES: [(Parameters, &str, &str, &str, &str); 2] = [
    (
        Parameters::Fast,
        "c5273fc15507fb6945db4df94b4d5800",
        "db9217d902f7a58be1613f8c87027211",
        "b38ae9c03b132c19e82f2f2c7c62cdf9da4fa4ec45aa9739ce3d7499f22e03e1\
         78a6b7b1fc1c4a9ee821aa5200c1e4b1c4507c88d50235777354907e0ab125b2",
        "cf4d6c7d3d98885abaccf3657ef0e324f159fc230b1f3a49d57059e12a3f4ff2\
         4133456adedae25de7c98b2669f04d5dd3fcc841f083adfc985ff03ed42343ff",
    ),
    (
        Parameters::Small,
        "7564631d0b0d61489e7ee7b835658501",
        "c0497a42b4bb1b338123696e8b3b87df",
        "5a2fe09fe0798824ad1a0048ca4975df04cf0c0d6123afdb18531e20565b5118\
         4eb65115b6c43f5152400cbd19f4e8c55bf18cafc58f430128d95b672d38af1f",
        "fac097c5099b7982e1b66b99b2ba4619331391d2ca2750e65040699dc4a1c1ff\
         adaa68bd9413e525d21468a71a0dc515e815adf3cae688db3785581cf7e75ba2",
    ),
];

#[test]
fn signatures_of_faest_have_our_corrections_masks_and_openings() {
    // The bytes of each correction: 1280 bits of the witness, three masks of 128 and 16 more bits.
    const LENGTH: usize = 210;
    let seed = hex(
        "061550234d158c5ec95595fe04ef7a25767f2e24cc2bc479d09d86dc9abcfde7056a8c266f9ef97ed08541dbd2e1ffa1",
    );
    let message = hex("d81c4d8d734fcbfbeade3d3f8a039faa2a2c9957e835ad55b22e75bf57bb556ac8");
    let public = hex("91282214654cb55e7c2cacd53919604d3a7954008ce7b35dd5e46f2eb6f3f208");
    let mut generator = KnownAnswers::new(&seed.try_into().expect("48 bytes"));
    let (key, input, rho) = (generator.block(), generator.block(), generator.block());
    assert_eq!((key, &input[..]), (block("7c9935a0b07694aa0c6d10e4db6b1add"), &public[..16]));

    let (mut about, mut drawn, mut iv) = ([0; 32], [0; 32], [0; 16]);
    shake_128(&[&public, &message, &[8]], &mut about);
    shake_128(&[&key, &about, &rho, &[3]], &mut drawn);
    let [root, iv_before] = drawn.as_chunks().0 else { panic!("two blocks") };
    assert_eq!(iv_before, &block("9dce2b43d79b9a207e4b9be90c6a53c1"));
    shake_128(&[iv_before, &[4]], &mut iv);
    for (parameters, challenge, masked, corrections, opening) in SIGNATURES {
        let shape = parameters.shape();
        let faest = Faest::new(iv, shape);
        let committed = commit(&faest, shape, Gf128::from_bytes(*root));
        let blocks = LENGTH.div_ceil(16);
        let (mut columns, mut sums) = (Vec::new(), Vec::new());
        Trees::new(faest, shape, committed.seeds.clone(), None, true).expand(
            0,
            blocks,
            &mut columns,
            &mut sums,
            None,
        );
        let (u, others) = sums.split_at(blocks);
        assert_eq!(block(masked), (u[0] + Gf128::from_bytes(key)).to_bytes());
        let correction = |sum: &[Gf128]| {
            let sum: Vec<_> = sum.iter().zip(u).map(|(a, b)| *a + *b).collect();
            bytes(&sum)[..LENGTH].to_vec()
        };
        let got: Vec<u8> = others.chunks_exact(blocks).flat_map(correction).collect();
        assert_eq!(abbreviated(&got, 64), hex(corrections));

        let hidden = shape.pieces(u128::from_le_bytes(block(challenge)));
        let opened = committed.open(shape, &hidden).expect("opens");
        let mut got: Vec<u8> = opened.hidden.iter().flat_map(|commitment| commitment.0).collect();
        got.extend(bytes(&opened.nodes));
        assert_eq!(abbreviated(&got, 64), hex(opening));
    }
}

#[test]
fn pieces_of_a_challenge_are_those_of_faest() {
    // Challenge, tree, its piece, for seven trees of 12 levels and four of 11.
    let shape = Shape::of(7, 4, 12);
    let ones = "ffffffffffffffffffffffffffffffff";
    let mixed = "1a0be1ac6f725fa04ae075a490adb579";
    for (challenge, t, piece) in [
        (ones, 0, 4095),
        (ones, 1, 4095),
        (ones, 9, 2047),
        (mixed, 1, 3600),
        (mixed, 2, 4012),
        (mixed, 4, 95),
    ] {
        assert_eq!(shape.pieces(u128::from_le_bytes(block(challenge)))[t], piece);
    }
    let shape = Shape::of(16, 0, 8);
    assert_eq!(shape.pieces(u128::from_le_bytes(block("84d56254e290439c078470013d595939")))[12], 61);
}

/// FAEST version 1: a tree for each repetition, without tweaks.
struct Version1(Shape);

impl Version1 {
    /// The seeds of all leaves, from the roots that come from the bytes 0 to 15.
    fn seeds(&self) -> Vec<Gf128> {
        let mut roots = vec![Gf128::ZERO; self.0.trees()];
        prg_1(core::array::from_fn(|i| i as u8), 0, &mut roots);
        let mut seeds = Vec::new();
        for (t, root) in roots.into_iter().enumerate() {
            let mut nodes = vec![root];
            for _ in 0..self.0.levels(t) {
                let mut children = vec![Gf128::ZERO; 2 * nodes.len()];
                for (node, children) in nodes.iter().zip(children.chunks_exact_mut(2)) {
                    prg_1(node.to_bytes(), 0, children);
                }
                nodes = children;
            }
            seeds.extend(nodes.into_iter().map(|leaf| {
                let mut seed = [0; 16];
                shake_128(&[&leaf.to_bytes(), &[0; 16], &[0]], &mut seed);
                Gf128::from_bytes(seed)
            }));
        }
        seeds
    }
}

/// The generator of version 1 from the block of zeros: its counter is big-endian.
fn prg_1(key: [u8; 16], first: u64, out: &mut [Gf128]) {
    let aes = aes::Aes128::new(&key.into());
    for (i, out) in out.iter_mut().enumerate() {
        let mut encrypted = u128::from(first + i as u64).to_be_bytes().into();
        aes.encrypt_block(&mut encrypted);
        *out = Gf128::from_bytes(encrypted.into());
    }
}

struct Streams1(Vec<Gf128>);

impl Streams for Streams1 {
    fn blocks_at(&self, x: usize, first: u64, out: &mut [Gf128]) {
        prg_1(self.0[x].to_bytes(), first, out);
    }
}

impl Primitive for Version1 {
    type Commitment = [u8; 32];
    type Streams = Streams1;

    fn children(&self, _number: usize, _node: Gf128) -> [Gf128; 2] {
        unreachable!("only the leaves are used")
    }

    fn leaf(&self, _t: usize, _number: usize, _leaf: Gf128) -> (Gf128, [u8; 32]) {
        unreachable!("only the leaves are used")
    }

    fn streams(&self, _t: usize, seeds: &[Gf128]) -> Streams1 {
        Streams1(seeds.to_vec())
    }

    fn tree(&self, _t: usize, _commitments: &[[u8; 32]]) -> [u8; 32] {
        unreachable!("only the leaves are used")
    }

    fn root(&self, _trees: &[[u8; 32]]) -> [u8; 32] {
        unreachable!("only the leaves are used")
    }
}

/// Of columns of 234 bytes, by SHAKE256: `u`, and the verifier's columns for a challenge.
#[test]
fn the_vole_from_leaves_is_that_of_faest() {
    const LENGTH: usize = 234;
    let cases = [
        (
            Shape::of(7, 4, 12),
            "6e3a4e87903cf1fe3a5d915b1b7471bd0bba794db32cf322266ee553e2e935d4",
            "0ac3692bad718a193b150aa47848c2d7",
            "ba2527574e127701e614074fa33d60b241a680b99a908253dbb15eef3966e48c",
        ),
        (
            Shape::of(16, 0, 8),
            "e82df4ed1c852d5ae2471e1de772069d918c573ea519ea2a98363fe33603e5d5",
            "43e2e54f4ba9bd142a8a9b2c37b3ce82",
            "702279210d39b613b42553350b55c4bc3bcabb326852016dfc4231b7c4495f8a",
        ),
    ];
    let blocks = LENGTH.div_ceil(16);
    let cut = |column: &[Gf128]| bytes(column)[..LENGTH].to_vec();
    for (shape, u, challenge, q) in cases {
        let seeds = Version1(shape).seeds();
        let hidden = shape.pieces(u128::from_le_bytes(block(challenge)));
        let mut of_v = seeds.clone();
        for (t, j) in hidden.iter().enumerate() {
            of_v[shape.offset(t) + j] = Gf128::ZERO;
        }
        let (mut columns, mut sums) = (Vec::new(), Vec::new());
        Trees::new(Version1(shape), shape, seeds.into(), None, true).expand(
            0,
            blocks,
            &mut columns,
            &mut sums,
            None,
        );
        assert_eq!(abbreviated(&cut(&sums[..blocks]), 32), hex(u));
        Trees::new(Version1(shape), shape, of_v.into(), Some(hidden), false).expand(
            0,
            blocks,
            &mut columns,
            &mut sums,
            None,
        );
        let columns = columns.chunks_exact(blocks).skip(1).take(shape.key_bits());
        assert_eq!(abbreviated(&columns.flat_map(cut).collect::<Vec<_>>(), 32), hex(q));
    }
}
