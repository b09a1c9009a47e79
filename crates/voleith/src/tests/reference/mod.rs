//! A prover and a verifier in plain code, one bit and one column at a time, as the papers and the module docs
//! say: the engine makes the same bytes, and both verifiers accept the same ones.
//!
//! They share with the engine its hash functions and AES streams ([`Native`], [`Transcript`], [`Oracle`],
//! [`Prg`](volery_vole::Prg)) and nothing else. Statements are a program, or several of which one holds.

mod prover;
pub(super) mod robin;
mod verifier;

use rand_core::Rng as _;
use volery_circuit::Statement;
use volery_field::{F2, Gf128};
use volery_testing::rng;
use volery_vole::{Oracle, SessionId, Transcript};
use volery_zk::disjunction;
use volery_zk::quicksilver::bits;

use self::prover::prove;
use self::robin::{AnyOf, Seed};
use self::verifier::verify;
use super::statements::Chain;
use super::{check, proof_of, settings};
use crate::header::Header;
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
struct Public {
    /// What commits. Without a disjunction, the last line must be zero.
    ops: Vec<Op>,
    any_of: Option<AnyOf>,
    parameters: Parameters,
    salt: [u8; 32],
    statement: [u8; 32],
}

impl Public {
    fn shape(&self) -> Shape {
        self.parameters.shape()
    }

    fn branches(&self) -> usize {
        self.any_of.as_ref().map_or(0, |any_of| any_of.branches.len())
    }

    /// The greatest degree of a relation.
    fn degree(&self) -> usize {
        self.branches().max(2)
    }

    /// The elements of 128 rows that mask the combination of the relations.
    fn masks(&self) -> usize {
        2 * self.degree() - 3
    }

    /// The number of secrets and products.
    fn commitments(&self) -> usize {
        self.ops.iter().filter(|op| matches!(op, Op::Secret(_) | Op::Mul(..))).count()
    }

    /// The first of the 144 rows that mask the columns' hashes.
    fn hashed(&self) -> usize {
        (self.commitments() + 128 * self.masks()).next_multiple_of(8)
    }

    /// The blocks of 128 rows.
    fn blocks(&self) -> usize {
        (self.hashed() + 144).div_ceil(128)
    }

    /// The blocks in the file: their first row, the end of what is not for the hashes, and the end.
    fn cuts(&self) -> Vec<[usize; 3]> {
        let cut = |first: usize| match self.hashed() - first {
            left if left > 32_768 => [first, first + 32_768, first + 32_768],
            left => [first, first + left, first + left + 144],
        };
        (0..self.commitments() + 128 * self.masks()).step_by(32_768).map(cut).collect()
    }

    fn native(&self) -> Native {
        Native::new(&self.salt, self.shape().trees())
    }

    fn header(&self) -> Vec<u8> {
        let mut out = b"VOLERY VOLEITH\r\n".to_vec();
        out.extend([2, 0, self.parameters.code(), 0]);
        out.extend((self.degree() as u32).to_le_bytes());
        out.extend((self.commitments() as u64).to_le_bytes());
        out.extend(self.statement);
        out.extend(self.salt);
        out
    }

    /// Counts, degree and constants.
    fn counts(&self) -> Vec<u8> {
        let secrets = self.ops.iter().filter(|op| matches!(op, Op::Secret(_))).count() as u64;
        let branches = self.any_of.iter().flat_map(|any_of| any_of.branches.iter().flatten());
        let mut constants: Vec<u8> = (self.ops.iter().chain(branches))
            .filter_map(|op| if let Op::Constant(c) = op { Some(u8::from(*c)) } else { None })
            .collect();
        constants.extend(self.any_of.iter().flat_map(AnyOf::entry));
        let counts = [secrets, self.commitments() as u64 - secrets, 1, 0, self.degree() as u64];
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

    /// The hashes of all columns.
    fn hashes(&self, challenge: [u8; 32], columns: &[Vec<Gf128>]) -> Vec<[u8; 18]> {
        let columns_key = Oracle::new("voleith: columns and relations", &SessionId::new(challenge))
            .hash::<32>(0, &[b"columns"]);
        let mut challenges = Transcript::new("voleith: hash of the columns", &SessionId::new(columns_key));
        let mut sums = vec![[Gf128::ZERO; 2]; columns.len()];
        for [first, end, _] in self.cuts() {
            let key = challenges.challenge_seed::<32>("block").into_bytes();
            let mut stream = blake3::Hasher::new_keyed(&key).finalize_xof();
            for half in 0..2 {
                for row in (first..end).step_by(128) {
                    let mut coefficient = [0; 16];
                    stream.fill(&mut coefficient);
                    // Without the rows that mask.
                    let used = u128::MAX >> (128 - 128.min(end - row));
                    for (sum, column) in sums.iter_mut().zip(columns) {
                        let word = Gf128::from_bits(column[row / 128].to_bits() & used);
                        sum[half] += word * Gf128::from_bytes(coefficient);
                    }
                }
            }
        }
        // 128 bits of the first half, 16 of the second, and the masks.
        let hash = |(sum, column): (&[Gf128; 2], &Vec<Gf128>)| {
            let (sum, column) = (bytes(sum), bytes(column));
            core::array::from_fn(|i| sum[i] ^ column[self.hashed() / 8 + i])
        };
        sums.iter().zip(columns).map(hash).collect()
    }

    /// The coefficients of the products: a block of the stream for 128 of them, times `1, x, x^2, ..`.
    fn coefficients(&self, challenge: [u8; 32]) -> Vec<Gf128> {
        let mut blocks = Seed::of(challenge).blocks(self.commitments().div_ceil(128)).into_iter();
        let mut coefficient = Gf128::ZERO;
        let next = |i: usize| {
            let times_x = coefficient * Gf128::X;
            coefficient = if i.is_multiple_of(128) { blocks.next().expect("enough") } else { times_x };
            coefficient
        };
        (0..self.commitments()).map(next).collect()
    }

    /// The coefficient of the disjunction.
    fn coefficient(&self, challenge: [u8; 32]) -> Gf128 {
        Seed::of(challenge).of_degree(self.degree()).blocks(1)[0]
    }

    /// The hash of the tags of zeros: of the last wire, or of none.
    fn zeros(&self, wires: &[Gf128]) -> [u8; 32] {
        let claimed = if self.any_of.is_some() { None } else { wires.last() };
        let tags: Vec<u8> = claimed.iter().flat_map(|wire| wire.to_bytes()).collect();
        blake3::derive_key("volery 2026 quicksilver assertions v1", &tags)
    }
}

fn bytes(blocks: &[Gf128]) -> Vec<u8> {
    blocks.iter().flat_map(|block| block.to_bytes()).collect()
}

fn digest(hashes: &[[u8; 18]]) -> [u8; 32] {
    blake3::derive_key("volery 2026 voleith hashes of the columns v1", hashes.as_flattened())
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

/// A polynomial times `m + u X`, lowest coefficient first.
fn times(g: &[Gf128], [m, u]: [Gf128; 2]) -> Vec<Gf128> {
    let mut out = vec![Gf128::ZERO; g.len() + 1];
    for (i, g) in g.iter().enumerate() {
        out[i] += *g * m;
        out[i + 1] += *g * u;
    }
    out
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

/// Salt and root, from the first 32 bytes of the engine's generator and all values that are committed to.
fn randomness(public: &Public, witness: &[bool]) -> ([u8; 32], [u8; 16]) {
    let Public { ops, parameters, statement, .. } = public;
    let (mut wires, mut committed) = (Vec::<bool>::new(), Vec::new());
    for op in ops {
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

/// `proof` is the plain prover's, too; both verifiers accept it, and refuse it with any of some changes.
fn same_bytes<S>(statement: &S, proof: &[u8], mut public: Public, witness: &[bool])
where
    S: for<'a> Statement<bits::Verifier<'a>>,
{
    public.statement = *Header::read(&mut &proof[..]).expect("reads").statement();
    let (salt, root) = randomness(&public, witness);
    public.salt = salt;
    let plain = prove(&public, witness, root);
    assert!(plain == proof, "{:?}, {} branches", public.parameters, public.branches());
    assert!(check(statement, &plain).is_ok() && verify(&public, proof));
    for place in (0..proof.len()).step_by(proof.len() / 6) {
        let mut changed = proof.to_vec();
        changed[place] ^= 16;
        assert!(!verify(&public, &changed) && check(statement, &changed).is_err(), "{place}");
    }
}

fn public(ops: Vec<Op>, any_of: Option<AnyOf>, parameters: Parameters) -> Public {
    Public { ops, any_of, parameters, salt: [0; 32], statement: [0; 32] }
}

#[test]
fn the_engine_and_the_plain_code_make_and_accept_the_same_bytes() {
    for (parameters, secrets, ands) in [
        (Parameters::Fast, 7, 2300),
        (Parameters::Fast80, 20, 109),
        (Parameters::Fast80, 0, 0),
        (Parameters::Small80, 20, 109),
        // Two blocks.
        (Parameters::Fast80, 9, 33_000),
    ] {
        let chain = Chain::of(secrets, ands);
        let (_, proof) = proof_of(&chain, &settings(parameters), 31);
        let witness = chain.witness.as_deref().expect("there is one");
        same_bytes(&chain.claim(), &proof, public(program(&chain), None, parameters), witness);
    }
}

/// One, two and more branches of different lengths, with more multiplications than share a factor.
#[test]
fn the_engine_and_the_plain_code_make_and_accept_the_same_disjunctions() {
    for (parameters, choice, chains) in [
        (Parameters::Fast, 1, &[(9, 30), (7, 1100), (20, 5)][..]),
        (Parameters::Fast80, 0, &[(20, 109), (0, 0)]),
        (Parameters::Fast80, 0, &[(5, 3)]),
        (Parameters::Fast80, 4, &[(4, 7), (3, 200), (0, 0), (6, 1), (2, 130)]),
    ] {
        let chains = || chains.iter().map(|(secrets, ands)| Chain::of(*secrets, *ands));
        let known = disjunction::AnyOf::<F2, _>::new(chains().collect());
        let known = known.and_then(|any| any.with_choice(choice)).expect("one holds");
        let claim = disjunction::AnyOf::<F2, _>::new(chains().map(|chain| chain.claim()).collect());
        let (_, proof) = proof_of(&known, &settings(parameters), 31);
        let any_of = AnyOf::new(chains().map(|chain| program(&chain)).collect());
        let witness = chains().nth(choice).and_then(|chain| chain.witness).expect("there is one");
        let witness = any_of.witness(choice, &witness);
        let public = public(any_of.commitments(), Some(any_of), parameters);
        same_bytes(&claim.expect("one shape"), &proof, public, &witness);
    }
}
