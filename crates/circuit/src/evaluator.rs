//! The plain evaluator: runs a statement on values, and says whether it holds and, if not, where it fails.
//!
//! `volery check` runs it, and the tests compare every proof system with it. A wire is its value.

use volery_field::Ring;

use crate::backend::check_linear;
use crate::challenge::{OpenArguments, Seen};
use crate::place::Place;
use crate::polynomials::Graded;
use crate::{Backend, Error, Hint, Ops, Peek, Polynomials, Prove, Statement, Witness};

/// Evaluates a statement on plain values; fails at the first assertion that does not hold.
#[derive(Clone)]
pub struct Evaluator<R: Ring> {
    place: Place,
    assertions: u64,
    trace: Option<Witness<R>>,
    /// What the statement puts out, if it is asked for that; wiped like secrets, since a claim may leave some
    /// of it open.
    outputs: Option<Witness<R>>,
    /// What challenges depend on.
    seen: Seen,
    arguments: OpenArguments,
    /// Whether it stops before the first disjunction, and whether it has.
    stops: bool,
    stopped: bool,
}

impl<R: Ring> Default for Evaluator<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R: Ring> core::fmt::Debug for Evaluator<R> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Evaluator").field("assertions", &self.assertions).finish_non_exhaustive()
    }
}

impl<R: Ring> Evaluator<R> {
    /// An evaluator that keeps no values, only its position in the program.
    #[must_use]
    pub fn new() -> Self {
        Self {
            place: Place::default(),
            assertions: 0,
            trace: None,
            outputs: None,
            seen: Seen::new(),
            arguments: OpenArguments::default(),
            stops: false,
            stopped: false,
        }
    }

    /// An evaluator that also keeps every secret value, in the order in which the program asks for it. They
    /// are the witness of the flat circuit that [`Recorder`](crate::Recorder) makes of the same statement.
    #[must_use]
    pub fn tracing() -> Self {
        Self { trace: Some(Witness::default()), ..Self::new() }
    }

    /// Checks that `statement` holds for the witness inside it.
    ///
    /// # Errors
    /// [`Error::Unsatisfied`] with the assertion and its place if it does not; [`Error::Public`] if it
    /// asserts nothing; the statement's own errors.
    pub fn check(statement: &(impl Statement<Self> + ?Sized)) -> Result<(), Error> {
        let mut evaluator = Self::new();
        statement.run(&mut evaluator)?;
        evaluator.check_end()
    }

    /// What `statement` puts out for the witness inside it: the values of all wires that it claims to be
    /// equal to public ones ([`Prove::assert_equal`]), in order. The claimed values play no part, so a
    /// statement with any in their place says what to claim. All other assertions have to hold.
    ///
    /// ```
    /// use volery_circuit::{Evaluator, gadgets::bits_to_bytes, statements::Sha256Preimage};
    /// use volery_field::F2;
    ///
    /// // Any digest does: which one is right is the question.
    /// let statement = Sha256Preimage::new([0; 32], 3)?.with_message(b"abc".to_vec().into())?;
    /// let digest = bits_to_bytes(&Evaluator::<F2>::compute(&statement)?).unwrap();
    /// assert_eq!(digest[..4], [0xba, 0x78, 0x16, 0xbf]);
    /// # Ok::<(), volery_circuit::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsatisfied`] if another assertion does not hold; [`Error::Public`] if there is no output;
    /// the statement's own errors.
    pub fn compute(statement: &(impl Statement<Self> + ?Sized)) -> Result<Vec<R>, Error> {
        Ok(Self::outputs_of(statement)?.values().to_vec())
    }

    /// As [`Evaluator::compute`], where some of the outputs are to stay secret.
    pub(crate) fn outputs_of(statement: &(impl Statement<Self> + ?Sized)) -> Result<Witness<R>, Error> {
        let mut evaluator = Self::computing();
        statement.run(&mut evaluator)?;
        match evaluator.into_outputs() {
            outputs if outputs.values().is_empty() => Err(Error::no_outputs()),
            outputs => Ok(outputs),
        }
    }

    /// An evaluator that takes outputs in place of claims.
    pub(crate) fn computing() -> Self {
        Self { outputs: Some(Witness::default()), ..Self::new() }
    }

    /// The outputs, if it was made by [`Evaluator::computing`].
    pub(crate) fn into_outputs(self) -> Witness<R> {
        self.outputs.unwrap_or_default()
    }

    /// As [`Evaluator::check`], but only of the part before the first disjunction, for a prover whose
    /// verifier waits. An evaluator runs only the picked branch, and the time that this takes may show which
    /// one it is.
    ///
    /// # Errors
    /// As [`Evaluator::check`].
    pub fn check_until_choice(statement: &(impl Statement<Self> + ?Sized)) -> Result<(), Error> {
        let mut evaluator = Self { stops: true, ..Self::new() };
        match statement.run(&mut evaluator) {
            Err(_) if evaluator.stopped => Ok(()),
            Ok(()) => evaluator.check_end(),
            result => result,
        }
    }

    /// Checks that nothing was begun and not ended, and that something was claimed.
    fn check_end(&self) -> Result<(), Error> {
        self.arguments.check()?;
        self.seen.finish()?;
        match self.assertions {
            0 => Err(Error::nothing_claimed()),
            _ => Ok(()),
        }
    }

    /// An implementation of a disjunction calls this before it runs the picked branch.
    ///
    /// # Errors
    /// [`Error::Misuse`] if the evaluation ends here: see [`Evaluator::check_until_choice`].
    pub fn begin_choice(&mut self) -> Result<(), Error> {
        self.stopped = self.stops;
        match self.stops {
            true => Err(Error::misuse("an evaluation that ends before the first disjunction")),
            false => Ok(()),
        }
    }

    /// The values that hints and picks look at.
    pub(crate) fn peek() -> &'static dyn Peek<R, R> {
        &Values
    }

    /// Notes what a statement commits to.
    pub(crate) fn note(&mut self, values: &[R]) {
        if let Some(trace) = &mut self.trace {
            trace.extend(values);
        }
        self.seen.absorb(values);
    }

    /// What its challenges depend on.
    pub(crate) fn seen_mut(&mut self) -> &mut Seen {
        &mut self.seen
    }

    /// The arguments that it has to see ended.
    pub(crate) fn open_arguments(&mut self) -> &mut OpenArguments {
        &mut self.arguments
    }

    /// The number of assertions that held so far.
    #[must_use]
    pub(crate) fn assertions(&self) -> u64 {
        self.assertions
    }

    /// The secret values seen so far; empty unless made by [`Evaluator::tracing`].
    #[must_use]
    pub fn into_trace(self) -> Witness<R> {
        self.trace.unwrap_or_default()
    }
}

/// Hints may look at every value, because a wire is its value.
struct Values;

impl<R: Ring> Peek<R, R> for Values {
    fn value(&self, wire: &R) -> R {
        *wire
    }
}

impl<R: Ring> Backend for Evaluator<R> {
    type Error = Error;

    fn enter(&mut self, part: &str) {
        self.place.enter(part);
    }

    fn leave(&mut self) {
        self.place.leave();
    }
}

/// Implements the linear part of [`Ops`] for a backend whose wires are their values. Use
/// `linear_on_values!(R)` inside the implementation.
#[macro_export]
macro_rules! linear_on_values {
    ($ring:ty) => {
        type Wire = $ring;

        #[inline]
        fn constant(&mut self, c: $ring) -> $ring {
            c
        }

        #[inline]
        fn add(&mut self, x: &$ring, y: &$ring) -> $ring {
            *x + *y
        }

        #[inline]
        fn sub(&mut self, x: &$ring, y: &$ring) -> $ring {
            *x - *y
        }

        #[inline]
        fn add_constant(&mut self, x: &$ring, c: $ring) -> $ring {
            *x + c
        }

        #[inline]
        fn scale(&mut self, x: &$ring, c: $ring) -> $ring {
            *x * c
        }
    };
}

impl<R: Ring> Ops<R> for Evaluator<R> {
    linear_on_values!(R);

    #[inline]
    fn mul(&mut self, x: &R, y: &R) -> Result<R, Error> {
        Ok(*x * *y)
    }
}

impl<R: Ring> Prove<R> for Evaluator<R> {
    fn secret(&mut self, n: usize, hint: Hint<'_, R, R>) -> Result<Vec<R>, Error> {
        let values = hint(&Values)?;
        if values.len() != n {
            return Err(Error::misuse(format!("a hint gave {} values for {n} secret wires", values.len())));
        }
        self.note(&values);
        Ok(values)
    }

    fn takes_outputs(&mut self, x: &[R]) -> bool {
        let Some(outputs) = &mut self.outputs else { return false };
        outputs.extend(x);
        true
    }

    fn assert_zero(&mut self, x: &[R]) -> Result<(), Error> {
        for wire in x {
            if !wire.is_zero() {
                let place = self.place.or("the statement").to_owned();
                return Err(Error::Unsatisfied { assertion: self.assertions, place });
            }
            self.assertions += 1;
        }
        Ok(())
    }

    fn assert_dot(&mut self, x: &[R], y: &[R], z: &R) -> Result<(), Error> {
        if x.len() != y.len() {
            return Err(Error::misuse(format!("assert_dot of {} and {} wires", x.len(), y.len())));
        }
        let sum = x.iter().zip(y).fold(R::ZERO, |sum, (x, y)| sum + *x * *y);
        self.assert_zero(&[sum - *z])
    }

    fn assert_linear(&mut self, matrix: &[R], x: &[R], t: &[R]) -> Result<(), Error> {
        check_linear(matrix.len(), x.len(), t.len())?;
        for (row, t) in t.iter().enumerate() {
            self.assert_dot(&matrix[row * x.len()..][..x.len()], x, t)?;
        }
        Ok(())
    }
}

/// An expression is its value.
impl<R: Ring> Polynomials<R> for Evaluator<R> {
    type Poly = Graded<R>;

    fn poly(&mut self, x: &R) -> Graded<R> {
        Graded::variable(*x)
    }

    fn poly_constant(&mut self, c: R) -> Graded<R> {
        Graded::constant(c)
    }

    fn poly_add(&mut self, p: &Graded<R>, q: &Graded<R>) -> Graded<R> {
        p.sum(q, *p.value() + *q.value())
    }

    fn poly_scale(&mut self, p: &Graded<R>, c: R) -> Graded<R> {
        p.multiple(*p.value() * c)
    }

    fn poly_mul(&mut self, p: &Graded<R>, q: &Graded<R>) -> Result<Graded<R>, Error> {
        p.product(q, *p.value() * *q.value())
    }

    fn assert_poly_zero(&mut self, p: &[Graded<R>]) -> Result<(), Error> {
        p.iter().try_for_each(|p| self.assert_zero(&[*p.value()]))
    }
}

#[cfg(test)]
mod tests {
    use volery_field::F2;

    use super::*;

    #[test]
    fn a_false_assertion_is_named_by_number_and_place() {
        let mut evaluator = Evaluator::<F2>::new();
        evaluator.enter("outer");
        evaluator.assert_zero(&[F2::ZERO, F2::ZERO]).expect("true");
        evaluator.enter("inner");
        let error = evaluator.assert_zero(&[F2::ZERO, F2::ONE, F2::ZERO]).expect_err("false");
        assert_eq!(error, Error::Unsatisfied { assertion: 3, place: "outer/inner".into() });
    }

    #[test]
    fn a_false_product_is_refused_and_counts_as_one_assertion() {
        let (o, l) = (F2::ZERO, F2::ONE);
        let mut evaluator = Evaluator::<F2>::new();
        evaluator.assert_dot(&[l, l, o], &[l, o, l], &l).expect("1*1 + 1*0 + 0*1 = 1");
        let error = evaluator.assert_dot(&[l, l], &[l, l], &l).expect_err("1 + 1 is 0");
        assert_eq!(error, Error::Unsatisfied { assertion: 1, place: "the statement".into() });
    }

    struct Nothing;

    impl<B: Prove<F2>> Statement<B> for Nothing {
        fn identify(&self, _: &mut crate::Digest) {}

        fn run(&self, backend: &mut B) -> Result<(), B::Error> {
            let x = backend.secret(1, &mut |_| Ok(vec![F2::ONE]))?;
            backend.mul(&x[0], &x[0])?;
            backend.assert_zero(&[])
        }
    }

    #[test]
    fn a_statement_that_asserts_nothing_does_not_count_as_one_that_holds() {
        assert_eq!(Evaluator::<F2>::check(&Nothing), Err(Error::nothing_claimed()));
    }

    /// Claims that `x * y` is 0, and that `x` and a constant, folded, are zero as well.
    struct PutsOut {
        unequal: bool,
    }

    impl<B: Prove<F2>> Statement<B> for PutsOut {
        fn identify(&self, _: &mut crate::Digest) {}

        fn run(&self, backend: &mut B) -> Result<(), B::Error> {
            let x = backend.secret(2, &mut |_| Ok(vec![F2::ONE; 2]))?;
            let product = backend.mul(&x[0], &x[1])?;
            backend.assert_equal(&[product], &[F2::ZERO])?;
            let difference = backend.add(&x[0], &x[1]);
            let other = backend.add_constant(&difference, F2::from_lsb(self.unequal.into()));
            backend.assert_zero(&[other])?;
            let mut fold = crate::Fold::new(backend);
            let one = fold.constant(F2::ONE);
            let zero = fold.constant(F2::ZERO);
            fold.assert_equal(&[zero, crate::Folded::Wire(x[0].clone()), one], &[F2::ZERO; 3])
        }
    }

    #[test]
    fn what_a_statement_puts_out_is_computed_whatever_it_claims() {
        let (o, l) = (F2::ZERO, F2::ONE);
        let statement = PutsOut { unequal: false };
        assert_eq!(Evaluator::compute(&statement), Ok(vec![l, o, l, l]));
        assert!(matches!(Evaluator::check(&statement), Err(Error::Unsatisfied { assertion: 0, .. })));
        let computed = crate::MixedEvaluator::<volery_field::F61>::compute(&statement);
        assert_eq!(computed.map(|(bits, elements)| (bits, elements.len())), Ok((vec![l, o, l, l], 0)));
        // Other assertions have to hold.
        let wrong = Evaluator::compute(&PutsOut { unequal: true });
        assert!(matches!(wrong, Err(Error::Unsatisfied { assertion: 0, .. })));
        assert_eq!(Evaluator::<F2>::compute(&Nothing), Err(Error::no_outputs()));
    }

    #[test]
    fn a_claim_of_equality_needs_as_many_values_as_wires() {
        for mut evaluator in [Evaluator::<F2>::new(), Evaluator::computing()] {
            assert!(matches!(evaluator.assert_equal(&[F2::ONE], &[]), Err(Error::Misuse(_))));
        }
    }

    #[test]
    fn a_hint_with_the_wrong_number_of_values_is_misuse() {
        let result = Evaluator::<F2>::new().secret(2, &mut |_| Ok(vec![F2::ONE]));
        assert!(matches!(result, Err(Error::Misuse(_))));
    }

    #[test]
    fn unequal_lengths_are_misuse() {
        let result = Evaluator::<F2>::new().mul_many(&[F2::ONE], &[]);
        assert!(matches!(result, Err(Error::Misuse(_))));
    }

    #[test]
    fn the_trace_holds_all_secrets_in_order_and_hints_see_values() {
        let mut evaluator = Evaluator::<F2>::tracing();
        let first = evaluator.secret(2, &mut |_| Ok(vec![F2::ONE, F2::ZERO])).expect("two");
        evaluator.secret(1, &mut |peek| Ok(vec![peek.value(&first[0])])).expect("one");
        assert_eq!(evaluator.into_trace().values(), [F2::ONE, F2::ZERO, F2::ONE]);
    }
}
