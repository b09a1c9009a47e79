//! Conversion between files and flat circuits.

use std::io::{self, BufWriter, Read, Write};

use volery_field::Ring;

use super::{FileGate, FileRing, Reader};
use crate::{Circuit, Error, Gate, Parts};

/// The indices of zero and one among the constants of an imported circuit. Every other constant has an entry
/// for each gate that uses it.
const ZERO: u32 = 0;
const ONE: u32 = 1;

/// Parses a file into a circuit whose inputs are all secret. A copy becomes the wire that it copies, and a
/// `MAND` becomes single ANDs. `what` names the text in errors.
///
/// # Errors
/// [`Error::Malformed`] with line, column and reason.
pub fn parse<R: FileRing>(text: &[u8], what: &str) -> Result<Circuit<R>, Error> {
    let mut reader = Reader::new(text, what, Some(text.len() as u64))?;
    let mut import = Import::new(&reader);
    while let Some(gate) = reader.next_gate()? {
        import.take(gate);
    }
    import.finish(&reader)
}

/// A circuit during its import.
pub(super) struct Import<R> {
    /// The circuit's wire for each of the file's.
    wires: Vec<u32>,
    constants: Vec<R>,
    gates: Vec<Gate>,
    next: u32,
}

impl<R: FileRing> Import<R> {
    /// Starts with the inputs. The reader has checked that the file is long enough for the number of wires in
    /// its header.
    pub(super) fn new<S: Read>(reader: &Reader<S, R>) -> Self {
        let inputs = reader.input_wires();
        let mut wires = vec![0; reader.header().wires as usize];
        for (wire, number) in wires.iter_mut().zip(0..inputs) {
            *wire = number;
        }
        Self { wires, constants: vec![R::ZERO, R::ONE], gates: Vec::new(), next: inputs }
    }

    /// Adds a gate that the reader has checked, so its wires are in range.
    #[inline]
    pub(super) fn take(&mut self, gate: FileGate<'_, R>) {
        match gate {
            FileGate::Add { x, y, out } => self.push(Gate::Add(self.wire(x), self.wire(y)), out),
            FileGate::Sub { x, y, out } => self.push(Gate::Sub(self.wire(x), self.wire(y)), out),
            FileGate::Mul { x, y, out } => self.push(Gate::Mul(self.wire(x), self.wire(y)), out),
            FileGate::Increment { x, out } => self.push(Gate::AddConstant(self.wire(x), ONE), out),
            FileGate::Copy { x, out } => self.wires[out as usize] = self.wire(x),
            FileGate::Constant { value, out } => {
                let index = self.constant(value);
                self.push(Gate::Constant(index), out);
            }
            FileGate::Many { x, y, out } => {
                for ((&x, &y), &out) in x.iter().zip(y).zip(out) {
                    self.push(Gate::Mul(self.wire(x), self.wire(y)), out);
                }
            }
        }
    }

    fn wire(&self, wire: u32) -> u32 {
        self.wires[wire as usize]
    }

    fn constant(&mut self, value: R) -> u32 {
        if value == R::ZERO {
            return ZERO;
        }
        if value == R::ONE {
            return ONE;
        }
        self.constants.push(value);
        // One for each gate plus two: a gate sets a wire, which a `u32` counts, and takes more than two bytes
        // of the file.
        (self.constants.len() - 1) as u32
    }

    fn push(&mut self, gate: Gate, out: u32) {
        self.gates.push(gate);
        self.wires[out as usize] = self.next;
        // At most the number of the file's wires, which a `u32` counts.
        self.next += 1;
    }

    /// The circuit, once the reader has returned its last gate.
    pub(super) fn finish<S: Read>(mut self, reader: &Reader<S, R>) -> Result<Circuit<R>, Error> {
        let header = reader.header();
        self.gates.shrink_to_fit();
        self.constants.shrink_to_fit();
        Circuit::new(Parts {
            signature: header.signature(),
            constants: self.constants,
            gates: self.gates,
            outputs: self.wires.split_off(header.first_output() as usize),
            asserted: Vec::new(),
        })
    }
}

/// Writes `circuit` in Bristol Fashion.
///
/// The format has no public inputs and no assertions. So this does not keep which inputs are public, and
/// asserted wires become one more output, the last, which must be zero. A gate with a constant becomes two
/// gates if the ring has no kind of gate for it.
///
/// # Errors
/// The writer's own; [`io::ErrorKind::InvalidInput`] if there are 2^32 or more gates, including the copies
/// for outputs.
pub fn write<R: FileRing>(circuit: &Circuit<R>, to: impl Write) -> io::Result<()> {
    let mut out = BufWriter::new(to);
    let kept = circuit.outputs().iter().chain(circuit.asserted());
    // The circuit's constants exist, as was checked when it was made.
    let constant = |index: u32| circuit.constants()[index as usize];
    let gates = circuit.gates().iter().map(|gate| Written::of(*gate, constant).wires()).sum::<u64>();
    let gates = gates + kept.clone().count() as u64;
    let wires = gates + u64::from(circuit.input_wires());
    if wires > u64::from(u32::MAX) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "the circuit has too many wires for the format",
        ));
    }
    write_header(circuit, gates, wires, &mut out)?;
    let mut own = circuit.input_wires();
    // The file's wire for each of the circuit's.
    let mut places: Vec<u32> = (0..own).collect();
    for &gate in circuit.gates() {
        let gate = Written::of(gate, constant);
        own += gate.wires() as u32;
        gate.write(&places, own - 1, &mut out)?;
        places.push(own - 1);
    }
    // Outputs are the last wires of a file, wherever they are in the circuit.
    for wire in kept {
        writeln!(out, "1 1 {} {own} EQW", places[*wire as usize])?;
        own += 1;
    }
    out.flush()
}

fn write_header<R: Ring>(
    circuit: &Circuit<R>,
    gates: u64,
    wires: u64,
    out: &mut impl Write,
) -> io::Result<()> {
    let signature = circuit.signature();
    writeln!(out, "{gates} {wires}")?;
    let inputs = signature.inputs.iter().map(|input| input.width);
    let asserted = circuit.asserted().len() as u32;
    let outputs =
        signature.outputs.iter().map(|output| output.width).chain((asserted > 0).then_some(asserted));
    write_widths(inputs.collect(), out)?;
    write_widths(outputs.collect(), out)?;
    writeln!(out)
}

fn write_widths(widths: Vec<u32>, out: &mut impl Write) -> io::Result<()> {
    write!(out, "{}", widths.len())?;
    for width in widths {
        write!(out, " {width}")?;
    }
    writeln!(out)
}

/// A gate in the form in which it is written. Its operands are the circuit's wires.
enum Written<R> {
    Constant(R),
    Copy(u32),
    /// A wire plus one.
    Increment(u32, &'static str),
    /// An operation on two wires.
    Two([u32; 2], &'static str),
    /// An operation on a wire and a constant, which is written before the gate.
    WithConstant(u32, R, &'static str),
}

impl<R: FileRing> Written<R> {
    fn of(gate: Gate, constant: impl Fn(u32) -> R) -> Self {
        let [add, sub, mul] = R::NAMES;
        match gate {
            Gate::Constant(c) => Self::Constant(constant(c)),
            Gate::Add(x, y) => Self::Two([x, y], add),
            Gate::Sub(x, y) => Self::Two([x, y], sub),
            Gate::Mul(x, y) => Self::Two([x, y], mul),
            Gate::AddConstant(x, c) => match (constant(c), R::INCREMENT) {
                (c, _) if c == R::ZERO => Self::Copy(x),
                (c, Some(increment)) if c == R::ONE => Self::Increment(x, increment),
                (c, _) => Self::WithConstant(x, c, add),
            },
            Gate::Scale(x, c) => match constant(c) {
                c if c == R::ZERO => Self::Constant(c),
                c if c == R::ONE => Self::Copy(x),
                c => Self::WithConstant(x, c, mul),
            },
        }
    }

    /// The number of wires that it sets.
    fn wires(&self) -> u64 {
        match self {
            Self::WithConstant(..) => 2,
            Self::Constant(_) | Self::Copy(_) | Self::Increment(..) | Self::Two(..) => 1,
        }
    }

    /// Writes the gate. `own` is the file's wire for its result.
    fn write(self, places: &[u32], own: u32, out: &mut impl Write) -> io::Result<()> {
        let place = |wire: u32| places[wire as usize];
        match self {
            Self::Constant(c) => writeln!(out, "1 1 {} {own} EQ", c.to_number()),
            Self::Copy(x) => writeln!(out, "1 1 {} {own} EQW", place(x)),
            Self::Increment(x, name) => writeln!(out, "1 1 {} {own} {name}", place(x)),
            Self::Two([x, y], name) => writeln!(out, "2 1 {} {} {own} {name}", place(x), place(y)),
            Self::WithConstant(x, c, name) => {
                let before = own - 1;
                writeln!(out, "1 1 {} {before} EQ", c.to_number())?;
                writeln!(out, "2 1 {} {before} {own} {name}", place(x))
            }
        }
    }
}
