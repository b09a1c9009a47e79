//! The machines for one program: P computes in the clear, V reads the results, and both prove that they are
//! right.
//!
//! | machine | wires | what [`TwoParty::open`] does |
//! |---|---|---|
//! | [`Compute`] | bits | records them: the list that P sends |
//! | [`Read`] | nothing | reads the next of the list: V learns the claimed results |
//! | [`Count`] | nothing | reads the next of the list, as V does, and counts what the proof of all steps takes |
//! | [`Zk`] | the backend's | reads them and claims that the wires have these values |
//!
//! The program branches only on public data, and asks for the same bits in the same order on each machine.

use volery_circuit::gadgets::bytes_to_bits;
use volery_circuit::{Error as CircuitError, Evaluator, Ops, Prove};
use volery_field::F2;
use volery_garble::Function;

use crate::Error;
use crate::wire::step::{Counting, Step, TwoParty};

/// The bits that P opens, in the order of the program and in their wire format: eight to a byte, lowest
/// first.
pub(super) type OpenedBytes = Vec<u8>;

/// P's machine.
#[derive(Default)]
pub(super) struct Compute {
    opened: Vec<F2>,
}

impl Compute {
    /// The opened bits.
    pub(super) fn into_opened(self) -> OpenedBytes {
        let byte = |bits: &[F2]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | bit.to_u8());
        self.opened.chunks(8).map(byte).collect()
    }
}

impl TwoParty for Compute {
    type Wire = F2;
    type Error = Error;

    fn public(&mut self, bits: &[F2]) -> Result<Vec<F2>, Error> {
        Ok(bits.to_vec())
    }

    fn call(&mut self, step: &Step, inputs: &[F2]) -> Result<Vec<F2>, Error> {
        step.run(&mut Evaluator::new(), inputs).map_err(|error| Error::Misuse(error.to_string()))
    }

    fn open(&mut self, wires: &[F2]) -> Result<Vec<F2>, Error> {
        self.opened.extend_from_slice(wires);
        Ok(wires.to_vec())
    }

    fn share(&mut self, _: &[F2]) -> Result<Vec<F2>, Error> {
        Err(no_shares())
    }
}

fn no_shares() -> Error {
    Error::Misuse("there are no shares where one party knows everything".into())
}

/// The list of opened bits, read from front to back.
pub(super) struct List {
    bits: std::vec::IntoIter<F2>,
}

impl List {
    pub(super) fn new(opened: &[u8]) -> Self {
        Self { bits: bytes_to_bits(opened).into_iter() }
    }

    fn take(&mut self, count: usize) -> Result<Vec<F2>, Error> {
        if count > self.bits.len() {
            return Err(Error::Misuse("too few opened bits for this connection".into()));
        }
        Ok(self.bits.by_ref().take(count).collect())
    }

    /// Whether nothing is left except the zeros that pad the last byte.
    pub(super) fn is_at_end(&self) -> bool {
        let rest = self.bits.as_slice();
        rest.len() < 8 && rest.iter().all(|bit| *bit == F2::new(false))
    }
}

/// V's machine.
pub(super) struct Read(pub(super) List);

impl TwoParty for Read {
    type Wire = ();
    type Error = Error;

    fn public(&mut self, bits: &[F2]) -> Result<Vec<()>, Error> {
        Ok(vec![(); bits.len()])
    }

    fn call(&mut self, step: &Step, _: &[()]) -> Result<Vec<()>, Error> {
        Ok(vec![(); step.outputs()])
    }

    fn open(&mut self, wires: &[()]) -> Result<Vec<F2>, Error> {
        self.0.take(wires.len())
    }

    fn share(&mut self, _: &[()]) -> Result<Vec<F2>, Error> {
        Err(no_shares())
    }
}

/// The machine that counts a proof of the program.
pub(super) struct Count {
    pub(super) counting: Counting,
    pub(super) list: List,
}

impl TwoParty for Count {
    type Wire = ();
    type Error = Error;

    fn public(&mut self, bits: &[F2]) -> Result<Vec<()>, Error> {
        self.counting.public(bits)
    }

    fn call(&mut self, step: &Step, inputs: &[()]) -> Result<Vec<()>, Error> {
        self.counting.call(step, inputs)
    }

    fn open(&mut self, wires: &[()]) -> Result<Vec<F2>, Error> {
        self.list.take(wires.len())
    }

    fn share(&mut self, _: &[()]) -> Result<Vec<F2>, Error> {
        Err(no_shares())
    }
}

/// Both parties' machine in the proof.
pub(super) struct Zk<'a, B: ?Sized> {
    backend: &'a mut B,
    list: List,
}

impl<'a, B: Prove<F2> + ?Sized> Zk<'a, B> {
    pub(super) fn new(backend: &'a mut B, opened: &[u8]) -> Self {
        Self { backend, list: List::new(opened) }
    }
}

/// An error of the backend, into which errors of this crate convert.
pub(super) struct BackendError<E>(pub(super) E);

impl<E: From<CircuitError>> From<Error> for BackendError<E> {
    fn from(error: Error) -> Self {
        Self(CircuitError::Misuse(error.to_string()).into())
    }
}

impl<B: Prove<F2> + ?Sized> TwoParty for Zk<'_, B> {
    type Wire = <B as Ops<F2>>::Wire;
    type Error = BackendError<B::Error>;

    fn public(&mut self, bits: &[F2]) -> Result<Vec<Self::Wire>, Self::Error> {
        Ok(bits.iter().map(|bit| self.backend.constant(*bit)).collect())
    }

    fn call(&mut self, step: &Step, inputs: &[Self::Wire]) -> Result<Vec<Self::Wire>, Self::Error> {
        step.run(self.backend, inputs).map_err(BackendError)
    }

    fn open(&mut self, wires: &[Self::Wire]) -> Result<Vec<F2>, Self::Error> {
        let values = self.list.take(wires.len())?;
        let differences: Vec<_> =
            wires.iter().zip(&values).map(|(wire, value)| self.backend.add_constant(wire, *value)).collect();
        self.backend.assert_zero(&differences).map_err(BackendError)?;
        Ok(values)
    }

    fn share(&mut self, _: &[Self::Wire]) -> Result<Vec<F2>, Self::Error> {
        Err(no_shares().into())
    }
}
