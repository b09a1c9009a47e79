//! The traits that separate statements from the proof systems that run them.
//!
//! A [`Statement`] is a program over an abstract backend. It is written once and every role runs that same
//! program: the plain [`Evaluator`](crate::Evaluator), the [`Counter`](crate::Counter), the
//! [`Recorder`](crate::Recorder), and the prover and verifier of each proof system. Code above these traits
//! does not know which proof system runs it, and code below them does not know what is proved. Both parties
//! must make exactly the same calls in the same order, whatever the secret values are, so a statement may
//! branch on public data only.
//!
//! * [`Ops`] is value-oblivious arithmetic: enough for garbling and for gadgets.
//! * [`Prove`] adds secret inputs and assertions.
//! * [`Statement`] ties a program to its identity, the digest that both parties compare.

use volery_field::Ring;

use crate::{Addends, Digest, Error, Fold, Folded, Folding};

/// What every backend has, whichever rings it serves.
pub trait Backend {
    /// Why a call failed. Errors of statements ([`crate::Error`]: bad witness, unmet assertion, misuse)
    /// convert into it.
    type Error: From<Error> + std::error::Error;

    /// Enters a named part of the statement. Parts nest. They only locate failed assertions and break down
    /// counts. The default does nothing.
    fn enter(&mut self, _part: &str) {}

    /// Leaves the part entered last.
    fn leave(&mut self) {}
}

/// Arithmetic over the ring `R` that every role can carry out without knowing values.
///
/// Constants, additions, subtractions and scalings are local and need no communication. Multiplications cost
/// bytes.
pub trait Ops<R: Ring>: Backend {
    /// A handle on a value; cheap to clone.
    type Wire: Clone;

    /// A public constant.
    fn constant(&mut self, c: R) -> Self::Wire;

    /// `x + y`.
    fn add(&mut self, x: &Self::Wire, y: &Self::Wire) -> Self::Wire;

    /// `x - y`.
    fn sub(&mut self, x: &Self::Wire, y: &Self::Wire) -> Self::Wire;

    /// `x + c` for a public `c`.
    fn add_constant(&mut self, x: &Self::Wire, c: R) -> Self::Wire;

    /// `c * x` for a public `c`.
    fn scale(&mut self, x: &Self::Wire, c: R) -> Self::Wire;

    /// `x * y`.
    ///
    /// # Errors
    /// The backend's: a lost connection, a peer that misbehaves, an exhausted pool of correlations.
    fn mul(&mut self, x: &Self::Wire, y: &Self::Wire) -> Result<Self::Wire, Self::Error>;

    /// `x[i] * y[i]` for every `i`. Backends with a faster path for many independent products override this.
    ///
    /// # Errors
    /// As [`Ops::mul`]; and [`Error::Misuse`] if the lengths differ.
    fn mul_many(&mut self, x: &[Self::Wire], y: &[Self::Wire]) -> Result<Vec<Self::Wire>, Self::Error> {
        if x.len() != y.len() {
            return Err(Error::misuse(format!("mul_many of {} and {} wires", x.len(), y.len())).into());
        }
        x.iter().zip(y).map(|(x, y)| self.mul(x, y)).collect()
    }

    /// `sums[i] += x[i] * y[i]` for every `i`, in order.
    ///
    /// # Errors
    /// As [`Ops::mul_many`].
    fn add_products(
        &mut self,
        sums: &mut [Self::Wire],
        x: &[Self::Wire],
        y: &[Self::Wire],
    ) -> Result<(), Self::Error> {
        check_products(x.len(), y.len(), sums.len())?;
        for (sum, (x, y)) in sums.iter_mut().zip(x.iter().zip(y)) {
            let product = self.mul(x, y)?;
            *sum = self.add(&product, sum);
        }
        Ok(())
    }

    /// Adds binary numbers over bits. The default is [`Addends::run`]. A backend overrides it if it can make
    /// room for all multiplications at once, or can compute on words; it may then take the multiplications in
    /// the order of [`Addends::run_as_words`]. The backends of both parties must take the same order, so a
    /// backend that wraps another passes the call on, or else both parties wrap.
    ///
    /// # Errors
    /// As [`Ops::mul`].
    #[inline]
    fn multi_add<const M: usize>(&mut self, addends: Addends<'_, Self::Wire, M>) -> Result<(), Self::Error> {
        addends.run(self)
    }

    /// Computes AES's S-box without its constant, `SubBytes(x) + 0x63`, of a byte over bits (least
    /// significant first), if this backend has a cheaper way than the circuit's 32 multiplications. The
    /// default returns `None`. [`Aes`](crate::gadgets::Aes) calls this, and runs the circuit when it
    /// gets `None`; counters assume that, so other callers must do the same. The values are those of
    /// [`substituted`](crate::gadgets::substituted). As with [`Ops::multi_add`], the backends of both parties
    /// must choose the same way.
    ///
    /// # Errors
    /// As [`Ops::mul`].
    #[inline]
    fn substitute(&mut self, _x: &[Self::Wire; 8]) -> Result<Option<[Self::Wire; 8]>, Self::Error> {
        Ok(None)
    }

    /// Runs `program` with public constants folded away, by [`Fold`](crate::Fold) in front of this backend
    /// unless it folds already.
    ///
    /// # Errors
    /// Those of `program`.
    fn folding(
        &mut self,
        program: &impl Folding<R>,
        inputs: &[Self::Wire],
    ) -> Result<Vec<Self::Wire>, Self::Error> {
        let mut fold = Fold::new(self);
        let inputs: Vec<_> = inputs.iter().cloned().map(Folded::Wire).collect();
        let outputs = program.run(&mut fold, &inputs)?;
        Ok(outputs.iter().map(|output| fold.lower(output)).collect())
    }

    /// The value of `x` if this backend knows it as public, so that gadgets can save work. Every role must
    /// give the same answer. Only [`Fold`](crate::Fold) tracks constants; the default knows none.
    fn known(&self, _x: &Self::Wire) -> Option<R> {
        None
    }
}

/// Read access to the values behind wires, for hints; exists only where values exist.
pub trait Peek<R: Ring, W> {
    /// The value of `wire`.
    fn value(&self, wire: &W) -> R;

    /// Adds the values of many wires to `out`: one call where each is little work.
    fn values(&self, wires: &[W], out: &mut Vec<R>) {
        out.extend(wires.iter().map(|wire| self.value(wire)));
    }
}

/// Computes secret values from values of earlier wires (see [`Prove::secret`]).
pub type Hint<'a, R, W> = &'a mut dyn FnMut(&dyn Peek<R, W>) -> Result<Vec<R>, Error>;

/// A backend that accepts secret values and claims about them.
pub trait Prove<R: Ring>: Ops<R> {
    /// `n` fresh secret wires. `hint` computes their values; it runs only where values exist (evaluator,
    /// prover's own branch), never in a verifier, a counter or a branch that runs on garbage.
    ///
    /// # Errors
    /// What `hint` returns, [`Error::Misuse`] if it returns other than `n` values, and the backend's own.
    fn secret(&mut self, n: usize, hint: Hint<'_, R, Self::Wire>) -> Result<Vec<Self::Wire>, Self::Error>;

    /// Claims that every wire is zero.
    ///
    /// # Errors
    /// [`Error::Unsatisfied`] if this role has values and one is not zero, and the backend's own. A verifier
    /// learns of a false claim when the proof ends, at the latest.
    fn assert_zero(&mut self, x: &[Self::Wire]) -> Result<(), Self::Error>;

    /// Claims that every wire has the public value at its place: `x[i] = public[i]`. These values are what
    /// the statement puts out. [`Evaluator::compute`](crate::Evaluator::compute) says what they have to
    /// be.
    ///
    /// # Errors
    /// [`Error::Misuse`] if the lengths differ; as [`Prove::assert_zero`].
    fn assert_equal(&mut self, x: &[Self::Wire], public: &[R]) -> Result<(), Self::Error> {
        if x.len() != public.len() {
            let reason = format!("assert_equal of {} wires and {} values", x.len(), public.len());
            return Err(Error::misuse(reason).into());
        }
        if self.takes_outputs(x) {
            return Ok(());
        }
        let differences: Vec<_> = x.iter().zip(public).map(|(x, c)| self.add_constant(x, -*c)).collect();
        self.assert_zero(&differences)
    }

    /// Whether this backend takes the wires of [`Prove::assert_equal`] as outputs in place of a claim. Only
    /// the evaluator does, while it computes. A backend in front of another one asks that one.
    #[doc(hidden)]
    fn takes_outputs(&mut self, _x: &[Self::Wire]) -> bool {
        false
    }

    /// Claims that bytes over bits are input and output of AES's S-box without its constant,
    /// `SubBytes(x) + 0x63 = s`, if this backend has a cheaper way than the circuit and a claim for each bit.
    /// Returns whether it has; the default does not. [`Aes`](crate::gadgets::Aes) calls this, and runs the
    /// circuit if it gets `false`; counters assume that, so other callers must do the same. As with
    /// [`Ops::multi_add`], the backends of both parties must choose the same way.
    ///
    /// # Errors
    /// As [`Prove::assert_zero`].
    #[inline]
    fn assert_substituted(
        &mut self,
        _x: &[Self::Wire; 8],
        _s: &[Self::Wire; 8],
    ) -> Result<bool, Self::Error> {
        Ok(false)
    }

    /// Claims that `sum x[i] * y[i] = z`. The default multiplies and asserts; it is sound in every ring.
    ///
    /// # Errors
    /// As [`Ops::mul_many`] and [`Prove::assert_zero`].
    fn assert_dot(&mut self, x: &[Self::Wire], y: &[Self::Wire], z: &Self::Wire) -> Result<(), Self::Error> {
        let products = self.mul_many(x, y)?;
        let mut difference = self.scale(z, -R::ONE);
        for product in &products {
            difference = self.add(&difference, product);
        }
        self.assert_zero(&[difference])
    }

    /// Claims `M x = t` for a public matrix `M` in row-major order (with one column for each wire of `x`) and
    /// a public `t`.
    ///
    /// This is local, like every linear claim. Backends that can work on whole rows override it.
    ///
    /// # Errors
    /// [`Error::Misuse`] unless `matrix` has `x.len() * t.len()` entries; as [`Prove::assert_zero`].
    fn assert_linear(&mut self, matrix: &[R], x: &[Self::Wire], t: &[R]) -> Result<(), Self::Error> {
        check_linear(matrix.len(), x.len(), t.len())?;
        for (row, t) in t.iter().enumerate() {
            let row = &matrix[row * x.len()..][..x.len()];
            let mut sum = self.constant(-*t);
            for (x, c) in x.iter().zip(row) {
                let term = self.scale(x, *c);
                sum = self.add(&sum, &term);
            }
            self.assert_zero(&[sum])?;
        }
        Ok(())
    }

    /// Claims `x[i] * y[i] = z[i]` for every `i`. Backends with a faster path for many claims override this.
    ///
    /// # Errors
    /// As [`Prove::assert_dot`]; [`Error::Misuse`] if the lengths differ.
    fn assert_products(
        &mut self,
        x: &[Self::Wire],
        y: &[Self::Wire],
        z: &[Self::Wire],
    ) -> Result<(), Self::Error> {
        check_products(x.len(), y.len(), z.len())?;
        for ((x, y), z) in x.iter().zip(y).zip(z) {
            self.assert_dot(core::slice::from_ref(x), core::slice::from_ref(y), z)?;
        }
        Ok(())
    }
}

/// Checks that the operands of [`Prove::assert_products`] or [`Ops::add_products`] are equally long.
///
/// # Errors
/// [`Error::Misuse`] if they are not.
pub(crate) fn check_products(x: usize, y: usize, z: usize) -> Result<(), Error> {
    if x == y && y == z {
        return Ok(());
    }
    Err(Error::misuse(format!("products of {x}, {y} and {z} wires")))
}

/// Checks that the matrix of [`Prove::assert_linear`] has the entries of `rows` rows and `columns` columns.
///
/// # Errors
/// [`Error::Misuse`] if it does not.
pub fn check_linear(entries: usize, columns: usize, rows: usize) -> Result<(), Error> {
    if columns.checked_mul(rows) == Some(entries) {
        return Ok(());
    }
    Err(Error::misuse(format!("assert_linear of {entries} entries, {columns} wires and {rows} results")))
}

/// Something that can be proved: a program over the backend `B` and its identity.
///
/// The prover's copy also holds the witness, which `identify` must not touch.
pub trait Statement<B: Backend + ?Sized>: Sync {
    /// Absorbs everything that determines the claim: a name with a version, the public inputs, or a circuit
    /// file's hash. Two statements with the same digest must make the same calls on every backend.
    fn identify(&self, digest: &mut Digest);

    /// A rough number of secret values and multiplications in the whole program, if it is known without
    /// running it. An S-box of AES counts as eight values, which is what QuickSilver commits to.
    ///
    /// Both parties must get the same number from the same public side. It only helps a backend to prepare
    /// neither too much nor too little, so an inexact number does no harm.
    fn commitments(&self) -> Option<u64> {
        None
    }

    /// Runs the program.
    ///
    /// # Errors
    /// What the backend returns, and [`Error`]s of the statement's own (converted).
    fn run(&self, backend: &mut B) -> Result<(), B::Error>;
}
