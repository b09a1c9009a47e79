//! Between files and flat circuits.

use std::io::{self, BufWriter, Read, Write};

use volery_field::F2;

use super::{FileGate, Reader};
use crate::{Circuit, Error, Gate, Parts};

/// Index of one among the constants of an imported circuit; zero is at 0.
const ONE: u32 = 1;

/// Parses a file into a circuit whose inputs are all secret. Copies become the wires that they copy, and a `MAND` its
/// single ANDs. `what` names the text in errors.
///
/// # Errors
/// [`Error::Malformed`] with line, column and reason.
pub fn parse(text: &[u8], what: &str) -> Result<Circuit<F2>, Error> {
    let mut reader = Reader::new(text, what, Some(text.len() as u64))?;
    let mut import = Import::new(&reader);
    while let Some(gate) = reader.next_gate()? {
        import.take(gate);
    }
    import.finish(&reader)
}

/// A circuit in the making.
pub(super) struct Import {
    /// The circuit's wire for each of the file's.
    wires: Vec<u32>,
    gates: Vec<Gate>,
    next: u32,
}

impl Import {
    /// Starts with the inputs. The reader has checked that the file is long enough for the wires that it promises.
    pub(super) fn new<S: Read>(reader: &Reader<S>) -> Self {
        let inputs = reader.input_wires();
        let mut wires = vec![0; reader.header().wires as usize];
        for (wire, number) in wires.iter_mut().zip(0..inputs) {
            *wire = number;
        }
        Self { wires, gates: Vec::new(), next: inputs }
    }

    /// Takes a gate that the reader has checked, so that its wires are in range.
    #[inline]
    pub(super) fn take(&mut self, gate: FileGate<'_>) {
        match gate {
            FileGate::Xor { x, y, out } => self.push(Gate::Add(self.wire(x), self.wire(y)), out),
            FileGate::And { x, y, out } => self.push(Gate::Mul(self.wire(x), self.wire(y)), out),
            FileGate::Inv { x, out } => self.push(Gate::AddConstant(self.wire(x), ONE), out),
            FileGate::Copy { x, out } => self.wires[out as usize] = self.wire(x),
            FileGate::Constant { value, out } => self.push(Gate::Constant(value.into()), out),
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

    fn push(&mut self, gate: Gate, out: u32) {
        self.gates.push(gate);
        self.wires[out as usize] = self.next;
        // No more than the file's wires, which a `u32` counts.
        self.next += 1;
    }

    /// The circuit, after the reader's last gate.
    pub(super) fn finish<S: Read>(mut self, reader: &Reader<S>) -> Result<Circuit<F2>, Error> {
        let header = reader.header();
        self.gates.shrink_to_fit();
        Circuit::new(Parts {
            signature: header.signature(),
            constants: vec![F2::ZERO, F2::ONE],
            gates: self.gates,
            outputs: self.wires.split_off(header.first_output() as usize),
            asserted: Vec::new(),
        })
    }
}

/// Writes `circuit` in Bristol Fashion.
///
/// The format has no public inputs and no assertions: which inputs are public is lost, and asserted wires become one
/// more output, the last, which must be zero.
///
/// # Errors
/// The writer's own; [`io::ErrorKind::InvalidInput`] if gates and copies for the outputs are 2^32 or more.
pub fn write(circuit: &Circuit<F2>, to: impl Write) -> io::Result<()> {
    let mut out = BufWriter::new(to);
    let kept = circuit.outputs().iter().chain(circuit.asserted());
    let gates = circuit.gates().len() as u64 + kept.clone().count() as u64;
    let wires = gates + u64::from(circuit.input_wires());
    if wires > u64::from(u32::MAX) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "the circuit has too many wires for the format",
        ));
    }
    write_header(circuit, gates, wires, &mut out)?;
    let mut own = circuit.input_wires();
    for &gate in circuit.gates() {
        write_gate(gate, own, circuit.constants(), &mut out)?;
        own += 1;
    }
    // Outputs are the last wires of a file, wherever they are in the circuit.
    for wire in kept {
        writeln!(out, "1 1 {wire} {own} EQW")?;
        own += 1;
    }
    out.flush()
}

fn write_header(circuit: &Circuit<F2>, gates: u64, wires: u64, out: &mut impl Write) -> io::Result<()> {
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

fn write_gate(gate: Gate, own: u32, constants: &[F2], out: &mut impl Write) -> io::Result<()> {
    // The circuit's constants exist: it was checked when it was made.
    let constant = |index: u32| constants[index as usize].to_bool();
    match gate {
        Gate::Constant(c) => writeln!(out, "1 1 {} {own} EQ", u8::from(constant(c))),
        Gate::Add(x, y) | Gate::Sub(x, y) => writeln!(out, "2 1 {x} {y} {own} XOR"),
        Gate::Mul(x, y) => writeln!(out, "2 1 {x} {y} {own} AND"),
        Gate::AddConstant(x, c) if constant(c) => writeln!(out, "1 1 {x} {own} INV"),
        Gate::Scale(_, c) if !constant(c) => writeln!(out, "1 1 0 {own} EQ"),
        Gate::AddConstant(x, _) | Gate::Scale(x, _) => writeln!(out, "1 1 {x} {own} EQW"),
    }
}
