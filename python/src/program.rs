//! What a Python function leaves when it is traced: a list of instructions on words of bits and on vectors of
//! elements, checked once when it is made.
//!
//! An instruction's result is the value with the instruction's own number. It reads results of earlier ones
//! only, so the list is in topological order. Values of one width stay together, so an addition of numbers of
//! 32 bits, or SHA-256 of a message, is one instruction. Both parties trace the same function and compare the
//! hash of the list.

use std::sync::Arc;

use volery::circuit::Digest;
use volery::field::{F2, F61, Ring};

/// What a value consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bits,
    Field,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bits => "bits",
            Self::Field => F61::NAME,
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        [Self::Bits, Self::Field].into_iter().find(|kind| kind.name() == name)
    }
}

/// Kind and number of wires of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) kind: Kind,
    pub(crate) length: usize,
}

/// What an instruction does. `n` stands for its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Op {
    /// Nothing: its result was never used.
    Nothing = 0,
    /// The secret argument `n[0]`.
    Secret = 1,
    /// The constant `n[0]`.
    Constant = 2,
    /// Every `n[2]`-th wire from `n[0]` on, `n[1]` of them; backwards if `n[2]` is negative.
    Pick = 3,
    /// All operands, one after the other.
    Join = 4,
    /// Names the part of the function that follows.
    Enter = 5,
    Leave = 6,
    /// Claims that every wire is zero.
    Zero = 7,
    /// Claims that the operand is equal to the constant that is the second one.
    Equals = 8,

    Xor = 16,
    And = 17,
    Or = 18,
    Not = 19,
    Add = 20,
    Sub = 21,
    Negate = 22,
    /// The product modulo `2^width`.
    Mul = 23,
    /// The whole product.
    WideMul = 24,
    Less = 25,
    LessSigned = 26,
    /// One bit: whether all bits are equal.
    Equal = 27,
    /// The second operand if the first, a bit, is one; else the third.
    Choose = 28,
    /// One bit: whether all bits are ones.
    All = 29,
    /// One bit: whether any bit is one.
    Any = 30,
    Sha256 = 31,
    /// AES-128 of the second operand under the key that is the first.
    Aes128 = 32,

    FieldAdd = 48,
    FieldSub = 49,
    FieldNegate = 50,
    FieldMul = 51,
    /// For each pair, 1 if they are equal, else 0.
    FieldEqual = 52,
    /// For each pair of integers of `n[0]` bits, 1 if the first is less, else 0.
    FieldLess = 53,
    /// Claims that each is an integer of `n[0]` bits, with a sign if `n[1]` is 1.
    FieldRange = 54,
    /// Each signed integer of `n[0]` bits, divided by `2^n[1]` and rounded down.
    FieldShift = 55,
    /// The sum of all elements.
    FieldSum = 56,
    /// The product of matrices, `n[0]` times `n[1]` and `n[1]` times `n[2]`.
    MatMul = 57,

    /// Each `n[0]` bits as an element.
    Elements = 64,
    /// The `n[0]` bits of each element, and the claim that it has no more.
    BitsOf = 65,
}

impl Op {
    /// Operations that Python names.
    const NAMED: [(&'static str, Self); 33] = [
        ("join", Self::Join),
        ("zero", Self::Zero),
        ("equals", Self::Equals),
        ("pick", Self::Pick),
        ("xor", Self::Xor),
        ("and", Self::And),
        ("or", Self::Or),
        ("not", Self::Not),
        ("add", Self::Add),
        ("sub", Self::Sub),
        ("negate", Self::Negate),
        ("mul", Self::Mul),
        ("wide_mul", Self::WideMul),
        ("less", Self::Less),
        ("less_signed", Self::LessSigned),
        ("equal", Self::Equal),
        ("choose", Self::Choose),
        ("all", Self::All),
        ("any", Self::Any),
        ("sha256", Self::Sha256),
        ("aes128", Self::Aes128),
        ("field_add", Self::FieldAdd),
        ("field_sub", Self::FieldSub),
        ("field_negate", Self::FieldNegate),
        ("field_mul", Self::FieldMul),
        ("field_equal", Self::FieldEqual),
        ("field_less", Self::FieldLess),
        ("field_range", Self::FieldRange),
        ("field_shift", Self::FieldShift),
        ("field_sum", Self::FieldSum),
        ("matmul", Self::MatMul),
        ("elements", Self::Elements),
        ("bits_of", Self::BitsOf),
    ];

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::NAMED.iter().find(|(own, _)| *own == name).map(|(_, op)| *op)
    }

    /// Whether it has an effect besides its result.
    pub(crate) fn claims(self) -> bool {
        matches!(
            self,
            Self::Zero | Self::Equals | Self::FieldRange | Self::FieldShift | Self::BitsOf | Self::Elements
        )
    }

    /// What it works on: bits, elements, or both.
    pub(crate) fn room(self) -> Room {
        match self as u8 {
            0..=15 => Room::Any,
            16..=47 => Room::Bits,
            48..=63 => Room::Field,
            _ => Room::Link,
        }
    }
}

/// What an operation works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// Values of its operands' kind.
    Any,
    Bits,
    Field,
    /// Goes from one kind to the other.
    Link,
}

/// One instruction. Operands are numbers of earlier ones.
#[derive(Clone, Debug)]
pub(crate) struct Instruction {
    pub(crate) op: Op,
    pub(crate) numbers: [i64; 3],
    pub(crate) operands: Box<[u32]>,
    pub(crate) shape: Shape,
}

/// A public value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Constant {
    Bits(Vec<F2>),
    Field(Vec<F61>),
}

impl Constant {
    pub(crate) fn shape(&self) -> Shape {
        match self {
            Self::Bits(bits) => Shape { kind: Kind::Bits, length: bits.len() },
            Self::Field(elements) => Shape { kind: Kind::Field, length: elements.len() },
        }
    }

    /// Bits packed, least significant first; elements as eight bytes each, little-endian.
    pub(crate) fn encode(&self) -> Vec<u8> {
        match self {
            Self::Bits(bits) => {
                let byte = |bits: &[F2]| {
                    bits.iter().rev().fold(0_u8, |byte, bit| byte << 1 | u8::from(bit.to_bool()))
                };
                bits.chunks(8).map(byte).collect()
            }
            Self::Field(elements) => {
                elements.iter().flat_map(|element| element.to_u64().to_le_bytes()).collect()
            }
        }
    }

    pub(crate) fn identify(&self, digest: &mut Digest) {
        let Shape { kind, length } = self.shape();
        digest.bytes("kind", kind.name().as_bytes()).number("length", length as u64);
        digest.bytes("values", &self.encode());
    }
}

/// A secret argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Argument {
    pub(crate) name: String,
    pub(crate) shape: Shape,
}

/// A traced function. Invariant: every instruction has operands of the kinds and lengths that it takes, which
/// [`super::record`] has checked.
#[derive(Debug, Default)]
pub(crate) struct Program {
    /// The function's name, for people.
    pub(crate) name: String,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) constants: Vec<Constant>,
    /// Names of parts.
    pub(crate) parts: Vec<String>,
    pub(crate) instructions: Vec<Instruction>,
    /// The values that the function returns.
    pub(crate) outputs: Vec<u32>,
    /// For each instruction, the last one that reads its result.
    pub(crate) last: Vec<u32>,
}

/// Where a result is read to the end.
pub(crate) const KEPT: u32 = u32::MAX;

impl Program {
    /// Takes out instructions without an effect and finds out how long results are needed.
    pub(crate) fn finished(mut self) -> Arc<Self> {
        let count = self.instructions.len();
        let (mut needed, mut last) = (vec![false; count], vec![0; count]);
        for &output in &self.outputs {
            (needed[output as usize], last[output as usize]) = (true, KEPT);
        }
        for own in (0..count).rev() {
            let instruction = &mut self.instructions[own];
            let stays = matches!(instruction.op, Op::Secret | Op::Enter | Op::Leave);
            if !(needed[own] || stays || instruction.op.claims()) {
                instruction.op = Op::Nothing;
                instruction.operands = Box::default();
            }
            for &operand in &*instruction.operands {
                needed[operand as usize] = true;
                last[operand as usize] = last[operand as usize].max(own as u32);
            }
        }
        self.last = last;
        Arc::new(self)
    }

    /// The kinds of values in it.
    pub(crate) fn kinds(&self) -> (bool, bool) {
        let used = |kind| {
            self.instructions.iter().any(|instruction| {
                let valued = !matches!(
                    instruction.op,
                    Op::Nothing | Op::Enter | Op::Leave | Op::Zero | Op::Equals | Op::FieldRange
                );
                valued && instruction.shape.kind == kind
            })
        };
        (used(Kind::Bits), used(Kind::Field))
    }

    pub(crate) fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"traced program v1");
        digest.number("arguments", self.arguments.len() as u64);
        for Argument { name, shape } in &self.arguments {
            digest.bytes("argument", name.as_bytes()).bytes("kind", shape.kind.name().as_bytes());
            digest.number("length", shape.length as u64);
        }
        digest.number("constants", self.constants.len() as u64);
        self.constants.iter().for_each(|constant| constant.identify(digest));
        // Names of parts only locate errors.
        let listed = self.instructions.iter().enumerate();
        let listed = listed.filter(|(_, one)| !matches!(one.op, Op::Nothing | Op::Enter | Op::Leave));
        let mut bytes = Vec::new();
        for (own, Instruction { op, numbers, operands, shape: _ }) in listed {
            bytes.extend((own as u64).to_le_bytes());
            bytes.push(*op as u8);
            numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
            bytes.extend((operands.len() as u64).to_le_bytes());
            operands.iter().for_each(|operand| bytes.extend(operand.to_le_bytes()));
        }
        digest.bytes("instructions", &bytes);
        let outputs: Vec<u8> = self.outputs.iter().flat_map(|output| output.to_le_bytes()).collect();
        digest.bytes("outputs", &outputs);
    }
}
