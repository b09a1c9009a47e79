//! The recorder: a backend that records a statement as a flat circuit.

use std::collections::HashMap;

use volery_field::Ring;

use super::{Circuit, Gate, Input, Output, Parts, Signature};
use crate::place::Place;
use crate::{Backend, Error, Hint, Ops, Prove, Statement};

/// Set in a [`Recorded`] that is a gate's output. The other bits are its number among the gates or the
/// inputs.
const GATE: u32 = 1 << 31;

/// A wire of the [`Recorder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded(u32);

/// Records a statement over `R` as a [`Circuit`].
///
/// Every secret becomes an input of the circuit, in the order in which the program asks for it, and is named
/// after the part that asks. Hints are not recorded: to get a witness of the circuit, run the statement on
/// [`Evaluator::tracing`](crate::Evaluator::tracing). Public values that the program uses become constants.
#[derive(Clone, Debug)]
pub struct Recorder<R: Ring> {
    inputs: Vec<Input>,
    input_wires: u32,
    gates: Vec<Gate>,
    /// The number of gates.
    count: usize,
    /// Of which multiplications.
    multiplications: u64,
    /// The most gates allowed.
    most: usize,
    /// Whether gates are only counted, not kept.
    counting: bool,
    constants: Constants<R>,
    asserted: Vec<Recorded>,
    place: Place,
    /// Whether the limit was exceeded; the next operation that can fail reports it.
    overflow: bool,
}

impl<R: Ring> Default for Recorder<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R: Ring> Recorder<R> {
    /// An empty recorder.
    #[must_use]
    pub fn new() -> Self {
        Self {
            inputs: Vec::new(),
            input_wires: 0,
            gates: Vec::new(),
            count: 0,
            multiplications: 0,
            most: GATE as usize,
            counting: false,
            constants: Constants::new(),
            asserted: Vec::new(),
            place: Place::default(),
            overflow: false,
        }
    }

    /// An empty recorder that only keeps the [number](Self::count) of a statement's gates, and stops after
    /// `most` of them. It tells a caller how large a circuit will be before there is one.
    #[must_use]
    pub fn counting(most: usize) -> Self {
        Self { most: most.min(GATE as usize), counting: true, ..Self::new() }
    }

    /// The number of gates so far, or `None` if there were more than allowed.
    #[must_use]
    pub fn count(&self) -> Option<usize> {
        (!self.overflow).then_some(self.count)
    }

    /// The number of multiplications so far.
    #[must_use]
    pub fn multiplications(&self) -> u64 {
        self.multiplications
    }

    /// The number of wires of all inputs so far.
    #[must_use]
    pub fn input_wires(&self) -> u32 {
        self.input_wires
    }

    fn check_count(&self) -> Result<(), Error> {
        if self.overflow {
            return Err(Error::circuit(format!("it has more than {} gates", self.most)));
        }
        Ok(())
    }

    /// Records `statement`.
    ///
    /// # Errors
    /// The statement's own, and as [`Recorder::finish`].
    pub fn record(statement: &(impl Statement<Self> + ?Sized)) -> Result<Circuit<R>, Error> {
        let mut recorder = Self::new();
        statement.run(&mut recorder)?;
        recorder.finish(&[])
    }

    /// An input of `width` wires.
    ///
    /// # Errors
    /// [`Error::Circuit`] if there are more input wires than can be numbered.
    pub fn input(&mut self, name: &str, width: u32, public: bool) -> Result<Vec<Recorded>, Error> {
        let end = self.input_wires.checked_add(width).filter(|&end| end <= GATE);
        let end = end.ok_or_else(|| Error::circuit("it has more than 2^31 input wires"))?;
        let wires = (self.input_wires..end).map(Recorded).collect();
        self.input_wires = end;
        match self.inputs.last_mut() {
            // If the same part asks again, as loops do, this extends its input.
            Some(last) if last.name == name && last.public == public => last.width += width,
            _ => self.inputs.push(Input { name: name.to_owned(), width, public }),
        }
        Ok(wires)
    }

    /// The circuit, with these outputs.
    ///
    /// # Errors
    /// [`Error::Circuit`] if it has more wires than can be numbered, or a wire belongs to another recorder;
    /// [`Error::Misuse`] if gates were only counted.
    pub fn finish(mut self, outputs: &[(&str, &[Recorded])]) -> Result<Circuit<R>, Error> {
        let inputs = self.input_wires;
        self.check_count()?;
        let total = (self.gates.len() as u64) + u64::from(inputs);
        if self.counting {
            return Err(Error::misuse("this recorder only counts gates, so it has no circuit"));
        }
        if total > u64::from(u32::MAX) {
            return Err(Error::circuit("it has more wires than can be numbered"));
        }
        // These vectors live as long as the circuit, so their spare room is returned.
        self.gates.shrink_to_fit();
        let number = |wire: u32| if wire & GATE == 0 { wire } else { inputs + (wire & !GATE) };
        for gate in &mut self.gates {
            *gate = super::run::map_operands(*gate, number);
        }
        let mut signature = Signature { inputs: self.inputs, outputs: Vec::with_capacity(outputs.len()) };
        let mut output_wires = Vec::new();
        for (name, wires) in outputs {
            let width = u32::try_from(wires.len()).map_err(|_| Error::circuit("an output has 2^32 wires"))?;
            signature.outputs.push(Output { name: (*name).to_owned(), width });
            output_wires.extend(wires.iter().map(|wire| number(wire.0)));
        }
        Circuit::new(Parts {
            signature,
            constants: self.constants.list,
            gates: self.gates,
            outputs: output_wires,
            asserted: self.asserted.iter().map(|wire| number(wire.0)).collect(),
        })
    }

    #[inline]
    fn push(&mut self, gate: Gate) -> Recorded {
        let index = self.count;
        if index >= self.most {
            self.overflow = true;
            return Recorded(0);
        }
        self.count += 1;
        if !self.counting {
            self.gates.push(gate);
        }
        Recorded(GATE | index as u32)
    }
}

/// Constants, with each value stored once.
#[derive(Clone, Debug)]
struct Constants<R> {
    list: Vec<R>,
    by_encoding: HashMap<Vec<u8>, u32>,
}

/// The first constants are found by linear search: most statements use few.
const LOOKED_AT: usize = 8;

impl<R: Ring> Constants<R> {
    fn new() -> Self {
        Self { list: Vec::new(), by_encoding: HashMap::new() }
    }

    fn index(&mut self, c: R) -> u32 {
        if let Some(index) = self.list.iter().take(LOOKED_AT).position(|&known| known == c) {
            return index as u32;
        }
        let mut encoding = vec![0; R::BYTES];
        // Encoding fails only for a wrong length, and the buffer has the right one.
        let encoded = c.encode(&mut encoding);
        debug_assert!(encoded.is_ok());
        let list = &mut self.list;
        *self.by_encoding.entry(encoding).or_insert_with(|| {
            list.push(c);
            // There is at most one constant for each gate, and one more; `push` keeps the gates below 2^31.
            (list.len() - 1) as u32
        })
    }
}

impl<R: Ring> Backend for Recorder<R> {
    type Error = Error;

    fn enter(&mut self, part: &str) {
        self.place.enter(part);
    }

    fn leave(&mut self) {
        self.place.leave();
    }
}

impl<R: Ring> Ops<R> for Recorder<R> {
    type Wire = Recorded;

    fn constant(&mut self, c: R) -> Recorded {
        let index = self.constants.index(c);
        self.push(Gate::Constant(index))
    }

    fn add(&mut self, x: &Recorded, y: &Recorded) -> Recorded {
        self.push(Gate::Add(x.0, y.0))
    }

    fn sub(&mut self, x: &Recorded, y: &Recorded) -> Recorded {
        self.push(Gate::Sub(x.0, y.0))
    }

    fn add_constant(&mut self, x: &Recorded, c: R) -> Recorded {
        let index = self.constants.index(c);
        self.push(Gate::AddConstant(x.0, index))
    }

    fn scale(&mut self, x: &Recorded, c: R) -> Recorded {
        let index = self.constants.index(c);
        self.push(Gate::Scale(x.0, index))
    }

    fn mul(&mut self, x: &Recorded, y: &Recorded) -> Result<Recorded, Error> {
        let product = self.push(Gate::Mul(x.0, y.0));
        self.check_count()?;
        self.multiplications += 1;
        Ok(product)
    }
}

impl<R: Ring> Prove<R> for Recorder<R> {
    fn secret(&mut self, n: usize, _hint: Hint<'_, R, Recorded>) -> Result<Vec<Recorded>, Error> {
        let width = u32::try_from(n).map_err(|_| Error::circuit("it has more than 2^31 input wires"))?;
        let name = self.place.or("secret").to_owned();
        self.input(&name, width, false)
    }

    fn assert_zero(&mut self, x: &[Recorded]) -> Result<(), Error> {
        if !self.counting {
            self.asserted.extend_from_slice(x);
        }
        Ok(())
    }
}

crate::polynomials_by_multiplying!([R: Ring] R, Recorder<R>);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use volery_field::{F2, Gf128};

    use super::*;
    use crate::Evaluator;
    use crate::testing::{RandomCircuit, Size};

    proptest! {
        #[test]
        fn recording_a_circuits_run_gives_the_circuit(seed: u64) {
            let RandomCircuit { circuit, .. } = RandomCircuit::new(seed, Size::small());
            let mut recorder = Recorder::new();
            let inputs = recorder.input("input 0", circuit.input_wires(), false).expect("small");
            let outputs = circuit.run(&mut recorder, inputs).expect("records");
            prop_assert_eq!(recorder.finish(&[("output 0", &outputs)]).expect("sound"), circuit);
        }
    }

    /// A program that brings in secrets between gates, with hints that depend on earlier values.
    fn program<B: Prove<F2>>(b: &mut B) -> Result<(), B::Error> {
        let x = b.secret(2, &mut |_| Ok(vec![F2::ONE, F2::ONE]))?;
        let product = b.mul(&x[0], &x[1])?;
        b.enter("copy");
        let copy = b.secret(1, &mut |peek| Ok(vec![peek.value(&product)]))?;
        let more = b.secret(1, &mut |_| Ok(vec![F2::ZERO]))?;
        b.leave();
        let difference = b.sub(&copy[0], &product);
        let one = b.constant(F2::ONE);
        let sum = b.add(&one, &more[0]);
        let negated = b.add_constant(&sum, F2::ONE);
        let scaled = b.scale(&negated, F2::ONE);
        b.assert_zero(&[difference, scaled])
    }

    #[test]
    fn the_recording_does_on_the_trace_what_the_program_does() {
        let mut recorder = Recorder::new();
        program(&mut recorder).expect("records");
        let circuit = recorder.finish(&[]).expect("sound");
        let names: Vec<_> = circuit.signature().inputs.iter().map(|i| (i.name.as_str(), i.width)).collect();
        assert_eq!(names, [("secret", 2), ("copy", 2)]);
        assert_eq!((circuit.gates().len(), circuit.constants()), (6, &[F2::ONE][..]));
        let mut evaluator = Evaluator::tracing();
        program(&mut evaluator).expect("holds");
        let trace = evaluator.into_trace();
        circuit.run(&mut Evaluator::new(), trace.values().to_vec()).expect("holds");
        for flipped in 0..4 {
            let mut values = trace.values().to_vec();
            values[flipped] += F2::ONE;
            assert!(circuit.run(&mut Evaluator::new(), values).is_err());
        }
    }

    #[test]
    fn gates_are_counted_without_being_kept() {
        let mut recorder = Recorder::<F2>::counting(6);
        program(&mut recorder).expect("counts");
        assert_eq!((recorder.count(), recorder.gates.capacity(), recorder.asserted.len()), (Some(6), 0, 0));
        assert_eq!((recorder.multiplications(), recorder.input_wires()), (1, 4));
        assert!(matches!(recorder.finish(&[]), Err(Error::Misuse(_))));
        let mut recorder = Recorder::<F2>::counting(5);
        program(&mut recorder).expect("its last gate cannot fail");
        assert_eq!(recorder.count(), None);
        let mut recorder = Recorder::<F2>::counting(0);
        assert!(matches!(program(&mut recorder), Err(Error::Circuit(_))), "it goes no further");
    }

    #[test]
    fn many_constants_are_stored_once_each() {
        let mut recorder = Recorder::<Gf128>::new();
        for round in 0..3_u8 {
            for value in 0..40_u8 {
                let mut bytes = [0; 16];
                bytes[3] = value;
                let wire = recorder.constant(Gf128::decode(&bytes).expect("every block is an element"));
                assert_eq!(wire.0 & !GATE, u32::from(round) * 40 + u32::from(value));
            }
        }
        assert_eq!(recorder.finish(&[]).expect("sound").constants().len(), 40);
    }

    #[test]
    fn a_foreign_wire_is_refused() {
        let mut recorder = Recorder::<F2>::new();
        recorder.assert_zero(&[Recorded(3)]).expect("not looked at yet");
        assert!(matches!(recorder.finish(&[]), Err(Error::Circuit(_))));
    }
}
