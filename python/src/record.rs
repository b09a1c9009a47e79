//! Makes a [`Program`]: checks each operation that Python asks for, and computes at once what only public
//! values determine.

use volery::circuit::MixedEvaluator;
use volery::circuit::convert::widest;
use volery::circuit::gadgets::field::capacity;
use volery::field::F61;

use crate::program::{Argument, Constant, Instruction, Kind, Op, Program, Room, Shape};
use crate::run::{Banks, step};

/// The most wires of one value, and the most instructions: more would not fit into memory anyway.
const MOST: usize = 1 << 30;

/// A function that is being traced.
#[derive(Default)]
pub(crate) struct Record {
    program: Program,
    /// Whether an instruction is a constant, and which.
    known: Vec<Option<u32>>,
    /// How many parts are open.
    open: usize,
}

/// Why an operation is refused.
type Refused = String;

impl Record {
    pub(crate) fn new(name: String) -> Self {
        Self { program: Program { name, ..Program::default() }, ..Self::default() }
    }

    /// The value with this number.
    pub(crate) fn shape(&self, value: u32) -> Result<Shape, Refused> {
        let found = self.program.instructions.get(value as usize);
        found.map(|one| one.shape).ok_or_else(|| format!("there is no value {value}"))
    }

    /// The value, if it is public.
    pub(crate) fn known(&self, value: u32) -> Option<&Constant> {
        let constant = self.known.get(value as usize).copied().flatten()?;
        self.program.constants.get(constant as usize)
    }

    pub(crate) fn secret(&mut self, name: String, shape: Shape) -> Result<u32, Refused> {
        check_length(shape.length)?;
        if self.program.arguments.iter().any(|argument| argument.name == name) {
            return Err(format!("two arguments have the name `{name}`"));
        }
        let number = self.program.arguments.len() as i64;
        self.program.arguments.push(Argument { name, shape });
        self.push(Op::Secret, [number, 0, 0], Box::default(), shape, None)
    }

    pub(crate) fn constant(&mut self, constant: Constant) -> Result<u32, Refused> {
        let shape = constant.shape();
        check_length(shape.length)?;
        let number = self.program.constants.len() as u32;
        self.program.constants.push(constant);
        self.push(Op::Constant, [number.into(), 0, 0], Box::default(), shape, Some(number))
    }

    pub(crate) fn enter(&mut self, part: String) -> Result<(), Refused> {
        let number = match self.program.parts.iter().position(|known| *known == part) {
            Some(number) => number,
            None => {
                self.program.parts.push(part);
                self.program.parts.len() - 1
            }
        };
        self.open += 1;
        self.push(Op::Enter, [number as i64, 0, 0], Box::default(), NOTHING, None).map(drop)
    }

    pub(crate) fn leave(&mut self) -> Result<(), Refused> {
        self.open = self.open.checked_sub(1).ok_or("no part was entered")?;
        self.push(Op::Leave, [0; 3], Box::default(), NOTHING, None).map(drop)
    }

    /// Applies `op`. If only public values take part, the result is one.
    pub(crate) fn apply(&mut self, op: Op, numbers: [i64; 3], operands: &[u32]) -> Result<u32, Refused> {
        let shapes = operands.iter().map(|&operand| self.shape(operand)).collect::<Result<Vec<_>, _>>()?;
        let known: Option<Vec<&Constant>> = operands.iter().map(|&operand| self.known(operand)).collect();
        if op == Op::Equals && operands.get(1).is_some_and(|&claimed| self.known(claimed).is_none()) {
            return Err("an output can only be claimed to have a public value".into());
        }
        let shape = result(op, numbers, &shapes)?;
        check_length(shape.length)?;
        let instruction = Instruction { op, numbers, operands: operands.into(), shape };
        let is_claim = matches!(op, Op::Zero | Op::Equals | Op::FieldRange);
        match known.filter(|known| !is_claim && !known.is_empty()) {
            Some(known) => {
                let value = computed(&instruction, &known)?;
                self.constant(value)
            }
            None => self.push(op, numbers, instruction.operands, shape, None),
        }
    }

    fn push(
        &mut self,
        op: Op,
        numbers: [i64; 3],
        operands: Box<[u32]>,
        shape: Shape,
        known: Option<u32>,
    ) -> Result<u32, Refused> {
        let number = self.program.instructions.len();
        if number >= MOST {
            return Err(format!("a statement has at most {MOST} operations"));
        }
        self.program.instructions.push(Instruction { op, numbers, operands, shape });
        self.known.push(known);
        Ok(number as u32)
    }

    /// The traced function, which returns these values.
    pub(crate) fn finish(mut self, outputs: Vec<u32>) -> Result<std::sync::Arc<Program>, Refused> {
        outputs.iter().try_for_each(|&output| self.shape(output).map(drop))?;
        while self.open > 0 {
            self.leave()?;
        }
        self.program.outputs = outputs;
        Ok(self.program.finished())
    }
}

/// The shape of what has no result.
const NOTHING: Shape = Shape { kind: Kind::Bits, length: 0 };

fn check_length(length: usize) -> Result<(), Refused> {
    if length <= MOST { Ok(()) } else { Err(format!("a value has at most {MOST} wires")) }
}

/// What an operation on public values gives.
fn computed(instruction: &Instruction, operands: &[&Constant]) -> Result<Constant, Refused> {
    let own = operands.len() as u32;
    let mut banks = Banks::new(operands.len() + 1);
    operands.iter().zip(0..).for_each(|(constant, number)| banks.put_constant(number, constant));
    let local = Instruction { operands: (0..own).collect(), ..instruction.clone() };
    let mut evaluator = MixedEvaluator::<F61>::new();
    step(&mut evaluator, &mut banks, &local, own).map_err(|error| error.to_string())?;
    banks.take_constant(own, instruction.shape.kind).ok_or_else(|| "no result".into())
}

/// The shape of an operation's result, if it takes such operands.
fn result(op: Op, numbers: [i64; 3], operands: &[Shape]) -> Result<Shape, Refused> {
    let kinds = match op.room() {
        Room::Bits => Some(Kind::Bits),
        Room::Field => Some(Kind::Field),
        Room::Link if op == Op::Elements => Some(Kind::Bits),
        Room::Link => Some(Kind::Field),
        Room::Any => operands.first().map(|operand| operand.kind),
    };
    if let Some(other) = operands.iter().find(|operand| Some(operand.kind) != kinds) {
        let expected = kinds.map_or("another kind", Kind::name);
        return Err(format!("expected {expected}, got {}", other.kind.name()));
    }
    let bits = |length| Shape { kind: Kind::Bits, length };
    let elements = |length| Shape { kind: Kind::Field, length };
    let count =
        |number: i64, what: &str| usize::try_from(number).map_err(|_| format!("{what} cannot be {number}"));
    let width = |most: usize| {
        let width = count(numbers[0], "a width")?;
        match (1..=most).contains(&width) {
            true => Ok(width),
            false => {
                Err(format!("{width} bits of an element of {}; 1 to {most} are possible", Kind::Field.name()))
            }
        }
    };
    match (op, operands) {
        (Op::Pick, [x]) => pick(*x, numbers),
        (Op::Join, [first, ..]) => {
            let length = operands.iter().try_fold(0_usize, |sum, operand| sum.checked_add(operand.length));
            Ok(Shape { kind: first.kind, length: length.ok_or("too many wires")? })
        }
        (Op::Zero, [_]) => Ok(NOTHING),
        (Op::Equals, [x, y]) => equal_lengths(*x, *y).map(|_| NOTHING),
        (Op::Not | Op::Negate, [x]) => Ok(*x),
        (Op::Xor | Op::And | Op::Or | Op::Add | Op::Sub | Op::Mul, [x, y]) => equal_lengths(*x, *y),
        (Op::WideMul, [x, y]) => Ok(bits(x.length.saturating_add(y.length))),
        (Op::Less | Op::LessSigned | Op::Equal, [x, y]) => equal_lengths(*x, *y).map(|_| bits(1)),
        (Op::Choose, [choice, x, y]) if choice.length == 1 => equal_lengths(*x, *y),
        (Op::Choose, [choice, ..]) => Err(format!("a choice is one bit, not {}", choice.length)),
        (Op::All | Op::Any, [_]) => Ok(bits(1)),
        (Op::Sha256, [x]) if x.length.is_multiple_of(8) => Ok(bits(256)),
        (Op::Sha256, [x]) => Err(format!("SHA-256 is of whole bytes, and {} bits are none", x.length)),
        (Op::Aes128, [key, block]) if (key.length, block.length) == (128, 128) => Ok(bits(128)),
        (Op::Aes128, [key, block]) => Err(format!(
            "AES-128 takes a key and a block of 128 bits, not {} and {}",
            key.length, block.length
        )),
        (Op::FieldNegate, [x]) => Ok(*x),
        (Op::FieldAdd | Op::FieldSub | Op::FieldMul | Op::FieldEqual, [x, y]) => equal_lengths(*x, *y),
        (Op::FieldLess, [x, y]) => width(capacity::<F61>() - 1).and_then(|_| equal_lengths(*x, *y)),
        (Op::FieldRange, [_]) => width(capacity::<F61>()).map(|_| NOTHING),
        (Op::FieldShift, [x]) => {
            let width = width(capacity::<F61>())?;
            let shift = count(numbers[1], "a distance")?;
            if shift < width {
                Ok(*x)
            } else {
                Err(format!("{width} bits, shifted by {shift}: no bit is left"))
            }
        }
        (Op::FieldSum, [_]) => Ok(elements(1)),
        (Op::MatMul, [x, y]) => {
            let [rows, inner, columns] = numbers.map(|number| usize::try_from(number).unwrap_or(0));
            let fits = |rows: usize, columns, length| rows.checked_mul(columns) == Some(length);
            let length = rows.checked_mul(columns).ok_or("too many entries")?;
            if inner > 0 && fits(rows, inner, x.length) && fits(inner, columns, y.length) {
                Ok(elements(length))
            } else {
                Err(format!(
                    "the factors of {rows} x {inner} and {inner} x {columns} entries have {} and {}",
                    x.length, y.length
                ))
            }
        }
        (Op::Elements, [x]) => {
            let width = width(widest::<F61>())?;
            match x.length.is_multiple_of(width) {
                true => Ok(elements(x.length / width)),
                false => Err(format!("{} bits are no elements of {width} bits each", x.length)),
            }
        }
        (Op::BitsOf, [x]) => Ok(bits(x.length.checked_mul(width(widest::<F61>())?).ok_or("too many bits")?)),
        _ => Err(format!("{op:?} does not take {} operands", operands.len())),
    }
}

fn equal_lengths(x: Shape, y: Shape) -> Result<Shape, Refused> {
    let what = if x.kind == Kind::Bits { "bits" } else { "elements" };
    match x.length == y.length {
        true => Ok(x),
        false => Err(format!("operands of {} and {} {what}", x.length, y.length)),
    }
}

/// The shape of a part of `x`.
fn pick(x: Shape, [start, count, stride]: [i64; 3]) -> Result<Shape, Refused> {
    let length = usize::try_from(count).map_err(|_| "a negative number of wires")?;
    if length > 0 {
        let last = (count - 1).checked_mul(stride).and_then(|way| way.checked_add(start));
        let within = |place: i64| usize::try_from(place).is_ok_and(|place| place < x.length);
        if !(within(start) && last.is_some_and(within)) {
            return Err(format!("wires beyond the {} that there are", x.length));
        }
    }
    Ok(Shape { length, ..x })
}
