//! The public constants of a program whose challenges are hashes, in the order in which it uses them.
//!
//! A statement's digest names everything public that its claim depends on. But what follows after a public
//! proof is out of the prover's hands only if it also was before the challenge: a P that may choose a
//! constant last chooses one with which its false relations hold. So even a statement that forgets to name a
//! constant has it in the transcript, which absorbs the hash of all constants and the counts of all
//! operations, those of all branches of disjunctions included, before the challenge. (What
//! [`Fold`](volery_circuit::Fold) has folded away in front of the backend shows in the counts, if at all.)

use volery_field::F2;

/// The operation that takes a constant.
#[derive(Clone, Copy)]
pub(super) enum Use {
    Wire = 0,
    Add = 2,
    Scale = 4,
    Poly = 6,
    PolyScale = 8,
}

/// Stands for a disjunction, where a constant's byte would be.
const DISJUNCTION: u8 = 10;

/// The constants so far, if they count for this proof.
pub(super) struct Constants(Option<Box<List>>);

struct List {
    hasher: blake3::Hasher,
    buffer: Vec<u8>,
}

/// The number of bytes absorbed at once.
const BUFFER: usize = 1 << 12;

impl Constants {
    pub(super) fn new(count: bool) -> Self {
        let list = || {
            let hasher = blake3::Hasher::new_derive_key("volery 2026 quicksilver constants v1");
            Box::new(List { hasher, buffer: Vec::with_capacity(BUFFER) })
        };
        Self(count.then(list))
    }

    #[inline(always)]
    pub(super) fn note(&mut self, what: Use, c: F2) {
        if let Some(list) = &mut self.0 {
            list.push(what as u8 | c.to_u8());
        }
    }

    /// Notes a disjunction of `branches` branches with these `counts` of its operations, which have one
    /// length.
    pub(super) fn note_disjunction(&mut self, branches: usize, counts: &[u8]) {
        if let Some(list) = &mut self.0 {
            let entry = [&[DISJUNCTION], &(branches as u64).to_le_bytes()[..], counts].concat();
            entry.into_iter().for_each(|byte| list.push(byte));
        }
    }

    pub(super) fn finish(&mut self) -> [u8; 32] {
        let Some(list) = &mut self.0 else { return [0; 32] };
        list.spill();
        *list.hasher.finalize().as_bytes()
    }
}

impl List {
    fn push(&mut self, byte: u8) {
        self.buffer.push(byte);
        if self.buffer.len() >= BUFFER {
            self.spill();
        }
    }

    fn spill(&mut self) {
        self.hasher.update(&self.buffer);
        self.buffer.clear();
    }
}
