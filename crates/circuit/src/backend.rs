//! The traits between what is proved and what proves it.
//!
//! A [`Statement`] is a program over an abstract backend. It is written once and every role runs that same
//! program: the plain [`Evaluator`](crate::Evaluator), the [`Counter`](crate::Counter), the
//! [`Recorder`](crate::Recorder), and the prover and verifier of each proof system. Nothing above these
//! traits knows which proof system runs it; nothing below knows what is proved. Both parties must make
//! exactly the same calls in the same order, whatever the secret values: a statement may branch on public
//! data only.
//!
//! * [`Ops`] is value-oblivious arithmetic: enough for garbling and for gadgets.
//! * [`Prove`] adds secret inputs and assertions.
//! * [`Statement`] ties a program to its identity, the digest that both parties compare.

use volery_field::Ring;

use crate::{Columns, Digest, Error, Fold, Folded, Folding};

/// What every backend has, whatever the rings that it serves.
pub trait Backend {
    /// Why a call failed. Errors of statements ([`crate::Error`]: bad witness, unmet assertion, misuse)
    /// convert into it.
    type Error: From<Error> + std::error::Error;

    /// Enters a named part of the statement. Parts nest; they only serve to say where an assertion failed and
    /// to break counts down. The default does nothing.
    fn enter(&mut self, _part: &str) {}

    /// Leaves the part entered last.
    fn leave(&mut self) {}
}

/// Arithmetic over the ring `R` that every role can carry out without knowing values.
///
/// Constants, additions, subtractions and scalings are local and free of communication; multiplications cost.
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
    /// The backend's: a lost connection, a peer that misbehaves, an exhausted supply of correlations.
    fn mul(&mut self, x: &Self::Wire, y: &Self::Wire) -> Result<Self::Wire, Self::Error>;

    /// `x[i] * y[i]` for every `i`; backends with a faster path for many independent products override this.
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

    /// Adds binary numbers, over bits: [`Columns::run`], which is the default. Backends override it that can
    /// make room for all of its multiplications at once, or compute on words, and may take these in another
    /// order: that of [`Columns::run_as_words`]. Backends of two parties must take the same, so one that
    /// wraps another hands this on, or does it at both parties.
    ///
    /// # Errors
    /// As [`Ops::mul`].
    #[inline]
    fn ripple<const M: usize>(&mut self, columns: Columns<'_, Self::Wire, M>) -> Result<(), Self::Error> {
        columns.run(self)
    }

    /// AES's S-box without its constant, `SubBytes(x) + 0x63`, of a byte over bits, least significant first,
    /// where this backend has a cheaper way than the circuit's 32 multiplications; the default has none. For
    /// [`Aes128`](crate::gadgets::Aes128), which runs that circuit where it gets `None`, and is counted as
    /// doing so: who calls this has to, too. The values are [`substituted`](crate::gadgets::substituted)'s.
    /// As with [`Ops::ripple`], backends of two parties must take the same way.
    ///
    /// # Errors
    /// As [`Ops::mul`].
    #[inline]
    fn substitute(&mut self, _x: &[Self::Wire; 8]) -> Result<Option<[Self::Wire; 8]>, Self::Error> {
        Ok(None)
    }

    /// Runs `program` with public constants folded away: in front of this backend, unless it folds already.
    ///
    /// # Errors
    /// The program's.
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

    /// The value of `x` where it is publicly known to this backend, so that gadgets can save work. Every role
    /// must give the same answer. Only [`Fold`](crate::Fold) tracks constants; the default knows none.
    fn known(&self, _x: &Self::Wire) -> Option<R> {
        None
    }
}

/// Read access to the values behind wires, for hints; exists only where values exist.
pub trait Peek<R: Ring, W> {
    /// The value of `wire`.
    fn value(&self, wire: &W) -> R;
}

/// Computes secret values from values of earlier wires (see [`Prove::secret`]).
pub type Hint<'a, R, W> = &'a mut dyn FnMut(&dyn Peek<R, W>) -> Result<Vec<R>, Error>;

/// A backend in which secret values can be brought in and claims about them made.
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
    /// [`Error::Unsatisfied`] where values exist and one is not zero; the backend's own. A verifier learns of
    /// a false claim at the latest when the proof ends.
    fn assert_zero(&mut self, x: &[Self::Wire]) -> Result<(), Self::Error>;

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

    /// Claims `M x = t` for a public matrix `M` in row-major order (as many columns as `x` has wires) and a
    /// public `t`.
    ///
    /// Local, like every linear claim; backends that can work on whole rows override it.
    ///
    /// # Errors
    /// [`Error::Misuse`] if `matrix` has other than `x.len() * t.len()` entries; as [`Prove::assert_zero`].
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

    /// Claims `x[i] * y[i] = z[i]` for every `i`; backends with a faster path for many claims override this.
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

/// That the operands of [`Prove::assert_products`] or [`Ops::add_products`] are equally long.
///
/// # Errors
/// [`Error::Misuse`] if not.
pub fn check_products(x: usize, y: usize, z: usize) -> Result<(), Error> {
    if x == y && y == z {
        return Ok(());
    }
    Err(Error::misuse(format!("products of {x}, {y} and {z} wires")))
}

/// That the matrix of [`Prove::assert_linear`] has as many entries as `rows` rows of `columns`.
///
/// # Errors
/// [`Error::Misuse`] if not.
pub fn check_linear(entries: usize, columns: usize, rows: usize) -> Result<(), Error> {
    if columns.checked_mul(rows) == Some(entries) {
        return Ok(());
    }
    Err(Error::misuse(format!("assert_linear of {entries} entries, {columns} wires and {rows} results")))
}

/// Something that can be proved: a program over the backend `B`, and its identity.
///
/// The prover's copy also holds the witness, which `identify` must not touch.
pub trait Statement<B: Backend + ?Sized>: Sync {
    /// Absorbs all that says what is claimed: a name with a version, the public inputs, or a circuit file's
    /// hash. Two statements with the same digest must make the same calls on every backend.
    fn identify(&self, digest: &mut Digest);

    /// About how many secret values and multiplications the program has in all, if that is known without
    /// running it; S-boxes of AES as QuickSilver commits to them, eight values each.
    ///
    /// Both parties must get the same from the same public side. It only helps a backend to prepare neither
    /// too much nor too little; nothing is wrong if it is off.
    fn commitments(&self) -> Option<u64> {
        None
    }

    /// Runs the program.
    ///
    /// # Errors
    /// What the backend returns, and [`Error`]s of the statement's own (converted).
    fn run(&self, backend: &mut B) -> Result<(), B::Error>;
}
