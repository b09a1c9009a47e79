//! The statement that one of its branches holds.

use core::marker::PhantomData;

use volery_circuit::{Counter, Digest, Error as StatementError, Evaluator, Statement};
use volery_field::Ring;
use zeroize::Zeroizing;

use super::base::{Base, Token as _, Weighed};
use super::rows::{CHUNK, Rows};
use super::tracer::Trace;
use super::{MAX_BRANCHES, Shape, Tracer, Weigher};
use crate::Error;

/// "One of these statements holds."
///
/// Branches may differ in everything but the ring. Each is run on [`Tracer`] (P, if it is the one that holds) and on [`Weigher`].
#[derive(Clone, Debug)]
pub struct AnyOf<R, S> {
    branches: Vec<S>,
    shape: Shape,
    choice: Option<usize>,
    ring: PhantomData<R>,
}

impl<R: Ring, S> AnyOf<R, S> {
    /// The disjunction of `branches`, as a verifier has it.
    ///
    /// # Errors
    /// [`StatementError::Public`] if there is none or more than [`MAX_BRANCHES`]; as [`Shape::of`].
    pub fn new(branches: Vec<S>) -> Result<Self, StatementError>
    where
        S: Statement<Counter<R>>,
    {
        let mut shape = Shape::default();
        for branch in &branches {
            shape = shape.max(Shape::of(branch)?);
        }
        Self::with_shape(branches, shape)
    }

    /// As [`AnyOf::new`], with a known shape: both parties need the same, at least as large as every branch.
    ///
    /// # Errors
    /// [`StatementError::Public`] if there is no branch or more than [`MAX_BRANCHES`].
    pub fn with_shape(branches: Vec<S>, shape: Shape) -> Result<Self, StatementError> {
        if branches.is_empty() || branches.len() > MAX_BRANCHES {
            let reason =
                format!("a disjunction of {} branches; 1 to {MAX_BRANCHES} are possible", branches.len());
            return Err(StatementError::Public(reason));
        }
        Ok(Self { branches, shape, choice: None, ring: PhantomData })
    }

    /// The disjunction as the prover has it: branch number `choice`, from 0, holds with the witness inside it.
    ///
    /// # Errors
    /// [`StatementError::Witness`] if there is no such branch.
    pub fn with_choice(mut self, choice: usize) -> Result<Self, StatementError> {
        if choice >= self.branches.len() {
            let reason = format!("branch {choice} of {} was chosen; they count from 0", self.branches.len());
            return Err(StatementError::Witness(reason));
        }
        self.choice = Some(choice);
        Ok(self)
    }

    /// What is committed to.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Whether the branch that was chosen holds, in the clear.
    ///
    /// # Errors
    /// [`StatementError::Witness`] if none was chosen; as [`Evaluator::check`].
    pub fn check(&self) -> Result<(), StatementError>
    where
        S: Statement<Evaluator<R>>,
    {
        Evaluator::check(self.chosen()?)
    }

    fn chosen(&self) -> Result<&S, StatementError> {
        let chosen = self.choice.and_then(|choice| self.branches.get(choice));
        chosen.ok_or_else(|| StatementError::Witness("no branch of a disjunction was chosen".into()))
    }

    fn identify_with(&self, digest: &mut Digest, branch: impl Fn(&S, &mut Digest)) {
        digest.bytes("statement", b"any-of v1").bytes("ring", R::NAME.as_bytes());
        digest.number("branches", self.branches.len() as u64);
        self.shape.identify(digest);
        for each in &self.branches {
            let mut own = Digest::new();
            branch(each, &mut own);
            digest.bytes("branch", &own.finish());
        }
    }
}

/// Wires that were committed to.
struct Committed<R: Ring, B: Base<R>> {
    inputs: Zeroizing<Vec<B::Wire>>,
    left: Zeroizing<Vec<B::Half>>,
    right: Zeroizing<Vec<B::Half>>,
    products: Zeroizing<Vec<B::Wire>>,
}

impl<R: Ring, S> AnyOf<R, S> {
    /// Commits to the branch that holds, filled up to the shape. P evaluates it when the first hint runs.
    fn commit<B: Base<R>>(&self, base: &mut B) -> Result<Committed<R, B>, Error>
    where
        S: Statement<Tracer<R>>,
    {
        let Shape { inputs, multiplications } = self.shape;
        let mut trace: Option<Trace<R>> = None;
        let inputs = base.secret(inputs, &mut |_| {
            let values = Tracer::trace(self.chosen()?, self.shape)?;
            Ok(trace.insert(values).inputs.values().to_vec())
        })?;
        let mut committed = Committed {
            inputs: Zeroizing::new(inputs),
            left: Zeroizing::new(Vec::with_capacity(multiplications)),
            right: Zeroizing::new(Vec::with_capacity(multiplications)),
            products: Zeroizing::new(Vec::with_capacity(multiplications)),
        };
        let missing = || StatementError::misuse("a hint ran before the first one");
        for first in (0..multiplications).step_by(CHUNK) {
            let range = first..multiplications.min(first + CHUNK);
            let left = base.secret(range.len(), &mut |_| {
                Ok(trace.as_ref().ok_or_else(missing)?.left.values()[range.clone()].to_vec())
            })?;
            let right = base.secret(range.len(), &mut |_| {
                Ok(trace.as_ref().ok_or_else(missing)?.right.values()[range.clone()].to_vec())
            })?;
            committed.products.extend(base.mul_many(&left, &right)?);
            committed.left.extend(left.iter().map(B::half));
            committed.right.extend(right.iter().map(B::half));
        }
        Ok(committed)
    }
}

impl<R: Ring, B: Base<R>> Committed<R, B> {
    /// What the committed factors weigh: the same for every branch.
    fn factors(&self, rows: &Rows<B::Mac>) -> Result<B::Token, Error> {
        let mut stream = rows.products();
        let mut coefficients = [B::Mac::ZERO; CHUNK];
        let mut sums = [B::Token::default(); 2];
        for (left, right) in self.left.chunks(CHUNK).zip(self.right.chunks(CHUNK)) {
            let coefficients = &mut coefficients[..left.len()];
            stream.coefficients(coefficients);
            sums[0] = sums[0].plus(B::combine(left, coefficients)?);
            sums[1] = sums[1].plus(B::combine(right, coefficients)?);
        }
        Ok(sums[0].plus(sums[1].times(rows.beta())))
    }
}

impl<R, B, S> Statement<B> for AnyOf<R, S>
where
    R: Ring,
    B: Base<R>,
    S: Statement<Tracer<R>> + for<'x> Statement<Weigher<'x, R, B>>,
{
    fn identify(&self, digest: &mut Digest) {
        self.identify_with(digest, |branch, digest| Statement::<Tracer<R>>::identify(branch, digest));
    }

    fn commitments(&self) -> Option<u64> {
        Some((self.shape.inputs as u64).saturating_add((self.shape.multiplications as u64).saturating_mul(3)))
    }

    fn run(&self, base: &mut B) -> Result<(), Error> {
        let committed = self.commit(base)?;
        let rows = Rows::new(base.challenge()?);
        let factors = committed.factors(&rows)?.times(-B::Mac::ONE);
        let mut tokens = Zeroizing::new(Vec::with_capacity(self.branches.len()));
        let mut total = Weighed::default();
        for branch in &self.branches {
            let (token, weighed) =
                Weigher::weigh(branch, base, &committed.inputs, &committed.products, &rows)?;
            tokens.push(token.plus(factors));
            total.add(weighed);
        }
        base.vanish(&tokens, total)
    }
}
