//! Property tests whose runner is compiled once, not once for each test.
//!
//! This crate has hundreds of properties, most of them laws that every field obeys.
//! [`proptest!`](proptest::proptest) compiles a runner for the types of each test, and that would be most of
//! the time to compile the tests. Here the values of a case are passed behind a pointer, so that one runner
//! serves all. The macro is used like the original.

use std::any::Any;
use std::fmt::{self, Debug, Formatter};
use std::rc::Rc;

use proptest::strategy::{BoxedStrategy, Strategy};
use proptest::test_runner::{Config, TestCaseResult, TestRunner};

/// Test functions `fn name(value in strategy, ...) { body }`. The body may use `prop_assert!`, its variants,
/// and `?`.
macro_rules! properties {
    ($($(#[$meta:meta])* fn $name:ident($($argument:pat in $strategy:expr),+ $(,)?) $body:block)*) => {$(
        $(#[$meta])*
        fn $name() {
            crate::properties::hold(($($strategy,)+), &|($($argument,)+)| {
                let () = $body;
                Ok(())
            });
        }
    )*};
}
pub(crate) use properties;

/// The trait of all case values.
trait Values: Any + Debug {}

impl<T: Any + Debug> Values for T {}

/// The values of a case, whatever their types.
#[derive(Clone)]
struct Case(Rc<dyn Values>);

impl Debug for Case {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Panics with the simplest case found for which `property` fails.
pub(crate) fn hold<S>(strategy: S, property: &dyn Fn(S::Value) -> TestCaseResult)
where
    S: Strategy + 'static,
    S::Value: Clone + Debug + 'static,
{
    run(&strategy.prop_map(|values| Case(Rc::new(values))).boxed(), &|case| {
        let values: &dyn Any = &*case.0;
        property(values.downcast_ref::<S::Value>().expect("made by this strategy").clone())
    });
}

fn run(strategy: &BoxedStrategy<Case>, property: &dyn Fn(Case) -> TestCaseResult) {
    let config = Config { failure_persistence: None, ..Config::default() };
    if let Err(failure) = TestRunner::new(config).run(strategy, property) {
        panic!("{failure}");
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::hold;

    #[test]
    #[should_panic(expected = "minimal failing input: (\n    17,\n)")]
    fn what_does_not_hold_panics_with_the_simplest_case() {
        hold((0..1000_u32,), &|(value,)| {
            prop_assert!(value < 17);
            Ok(())
        });
    }
}
