//! Statements that are another statement in a wrapper.
//!
//! A wrapper must forward every method of [`Statement`](crate::Statement). [`commitments`] has a default and
//! is easily forgotten. A backend would then prepare for the wrong length, and no test would fail.
//! [`forward_statement!`](crate::forward_statement) writes the whole implementation.
//!
//! [`commitments`]: crate::Statement::commitments

use std::sync::Arc;

use crate::{Backend, Statement};

/// Implements [`Statement`](crate::Statement) for a type that contains the statement which it stands for.
///
/// Generic parameters stand in brackets; each arm takes `self` apart, like an arm of a `match`, and gives a
/// reference to the statement inside. The arms may give statements of different types.
///
/// ```
/// use volery_circuit::statements::{AndChain, Sha256Chain};
/// use volery_circuit::{Prove, forward_statement};
/// use volery_field::F2;
///
/// enum Chain {
///     And(AndChain),
///     Hash { blocks: Box<Sha256Chain> },
/// }
///
/// forward_statement! {
///     impl [B: Prove<F2>] Statement<B> for Chain {
///         Self::And(chain) => chain,
///         Self::Hash { blocks } => &**blocks,
///     }
/// }
/// ```
#[macro_export]
macro_rules! forward_statement {
    (
        impl [$($generics:tt)*] Statement<$backend:ty> for $wrapper:ty {
            $($pattern:pat => $statement:expr),+ $(,)?
        }
    ) => {
        impl<$($generics)*> $crate::Statement<$backend> for $wrapper {
            fn identify(&self, digest: &mut $crate::Digest) {
                match self {
                    $($pattern => $crate::Statement::<$backend>::identify($statement, digest),)+
                }
            }

            fn commitments(&self) -> ::core::option::Option<u64> {
                match self {
                    $($pattern => $crate::Statement::<$backend>::commitments($statement),)+
                }
            }

            fn run(
                &self,
                backend: &mut $backend,
            ) -> ::core::result::Result<(), <$backend as $crate::Backend>::Error> {
                match self {
                    $($pattern => $crate::Statement::<$backend>::run($statement, backend),)+
                }
            }
        }
    };
}

forward_statement! {
    impl [B: Backend + ?Sized, S: Statement<B> + ?Sized] Statement<B> for &S {
        statement => *statement,
    }
}

forward_statement! {
    impl [B: Backend + ?Sized, S: Statement<B> + Send + ?Sized] Statement<B> for Arc<S> {
        statement => &**statement,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statements::AndChain;
    use crate::{Counter, Digest, Error, Evaluator, Prove};
    use volery_field::F2;

    /// A statement unlike any default.
    struct Own;

    impl<B: Prove<F2>> Statement<B> for Own {
        fn identify(&self, digest: &mut Digest) {
            digest.bytes("statement", b"own");
        }

        fn commitments(&self) -> Option<u64> {
            Some(17)
        }

        fn run(&self, backend: &mut B) -> Result<(), B::Error> {
            let one = backend.secret(1, &mut |_| Ok(vec![F2::ONE]))?;
            backend.assert_zero(&one)
        }
    }

    enum Either {
        Own(Own),
        Chain { chain: Box<AndChain> },
    }

    forward_statement! {
        impl [B: Prove<F2>] Statement<B> for Either {
            Self::Own(own) => own,
            Self::Chain { chain } => &**chain,
        }
    }

    fn digest(statement: &impl Statement<Evaluator<F2>>) -> [u8; 32] {
        let mut digest = Digest::new();
        statement.identify(&mut digest);
        digest.finish()
    }

    /// That `wrapper` is to every backend what `inner` is.
    fn same<S, W>(wrapper: &W, inner: &S)
    where
        S: Statement<Evaluator<F2>> + Statement<Counter<F2>>,
        W: Statement<Evaluator<F2>> + Statement<Counter<F2>>,
    {
        assert_eq!(digest(wrapper), digest(inner));
        assert_eq!(
            Statement::<Evaluator<F2>>::commitments(wrapper),
            Statement::<Evaluator<F2>>::commitments(inner)
        );
        assert_eq!(Evaluator::<F2>::check(wrapper), Evaluator::<F2>::check(inner));
        let counts = Counter::<F2>::count(inner).expect("counted").total();
        assert_eq!(Counter::<F2>::count(wrapper).expect("counted").total(), counts);
    }

    #[test]
    fn a_wrapper_is_to_every_backend_what_is_in_it() {
        let chain = AndChain::new(40);
        assert!(matches!(Evaluator::<F2>::check(&Own), Err(Error::Unsatisfied { .. })));
        assert_ne!(digest(&Own), digest(&chain));
        same(&Either::Own(Own), &Own);
        same(&Either::Chain { chain: Box::new(AndChain::new(40)) }, &chain);
        same(&&Own, &Own);
        same(&Arc::new(Own), &Own);
    }
}
