//! Gadgets proved: what they commit to cannot be anything else, and what is out of range has no proof.

use volery_circuit::gadgets::field::{
    Fixed, assert_at_most, assert_in_range, assert_in_signed_range, divide, equal, less_than,
    shift_right_signed,
};
use volery_circuit::{Digest, Prove, Statement};
use volery_field::{F61, F61x2};

use crate::field::parties::Run;
use crate::field::reference::Lie;

fn f(n: i64) -> F61 {
    let magnitude = F61::new(n.unsigned_abs());
    if n < 0 { -magnitude } else { magnitude }
}

/// A gadget and its inputs.
#[derive(Clone, Copy, Debug)]
enum Gadget {
    /// `x < y` is this.
    Less(i64, i64, bool),
    /// `x <= y`.
    AtMost(i64, i64),
    /// `x = y` is this.
    Equal(i64, i64, bool),
    /// In `[0, 2^8)`.
    Range(i64),
    /// In `[-2^7, 2^7)`.
    SignedRange(i64),
    /// Quotient and remainder by 2^3 of a byte are these.
    Divide(i64, i64, i64),
    /// Truncation by three bits of a signed byte is this.
    Truncate(i64, i64),
    /// The product of fixed-point numbers with four of twelve bits behind the point is this.
    Fixed(i64, i64, i64),
}

impl<B: Prove<F61>> Statement<B> for Gadget {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", format!("test: {self:?}").as_bytes());
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        use Gadget::{AtMost, Divide, Equal, Fixed, Less, Range, SignedRange, Truncate};
        let (Less(x, y, _)
        | AtMost(x, y)
        | Equal(x, y, _)
        | Fixed(x, y, _)
        | Divide(x, y, _)
        | Truncate(x, y)) = *self
        else {
            let (Range(x) | SignedRange(x)) = *self else { unreachable!() };
            let x = b.secret(1, &mut |_| Ok(vec![f(x)]))?;
            return match self {
                Range(_) => assert_in_range(b, &x, 8),
                _ => assert_in_signed_range(b, &x, 8),
            };
        };
        let x = b.secret(1, &mut |_| Ok(vec![f(x)]))?;
        let y = if matches!(self, Divide(..) | Truncate(..)) {
            vec![]
        } else {
            b.secret(1, &mut |_| Ok(vec![f(y)]))?
        };
        let (results, expected) = match *self {
            Less(_, _, less) => (less_than(b, &x, &y, 8)?, vec![i64::from(less)]),
            AtMost(..) => (assert_at_most(b, &x, &y, 8).map(|()| vec![])?, vec![]),
            Equal(_, _, same) => (equal(b, &x, &y)?, vec![i64::from(same)]),
            Divide(_, quotient, remainder) => {
                let division = divide(b, &x, 8, 3)?;
                ([division.quotients, division.remainders].concat(), vec![quotient, remainder])
            }
            Truncate(_, result) => (shift_right_signed(b, &x, 8, 3)?, vec![result]),
            Fixed(_, _, result) => (self::Fixed::new(12, 4)?.mul(b, &x, &y)?, vec![result]),
            Range(_) | SignedRange(_) => (vec![], vec![]),
        };
        let differences: Vec<B::Wire> =
            results.iter().zip(&expected).map(|(result, n)| b.add_constant(result, f(-n))).collect();
        b.assert_zero(&differences)
    }
}

impl Gadget {
    /// Secret values that are the gadget's inputs.
    fn inputs(self) -> u64 {
        match self {
            Self::Less(..) | Self::AtMost(..) | Self::Equal(..) | Self::Fixed(..) => 2,
            _ => 1,
        }
    }
}

#[test]
fn what_holds_is_accepted_and_no_committed_value_can_be_another() {
    let run = Run::new(1000, false);
    let holds = [
        Gadget::Less(3, 4, true),
        Gadget::Less(4, 4, false),
        Gadget::Less(255, 0, false),
        Gadget::AtMost(4, 4),
        Gadget::AtMost(0, 255),
        Gadget::Equal(4, 5, false),
        Gadget::Range(255),
        Gadget::Range(0),
        Gadget::SignedRange(-128),
        Gadget::SignedRange(127),
        Gadget::Divide(255, 31, 7),
        Gadget::Truncate(-1, -1),
        Gadget::Truncate(-128, -16),
        Gadget::Truncate(127, 15),
        Gadget::Fixed(24, -8, -12),
        Gadget::Fixed(-1, 1, -1),
        Gadget::Fixed(-2048, 16, -2048),
    ];
    for gadget in holds {
        let (p, v) = run.honest::<F61, F61x2>(&gadget);
        assert_eq!(p.unwrap(), v.clone().unwrap(), "{gadget:?}");
        for secret in gadget.inputs()..v.unwrap().secrets {
            let v = run.answer::<F61, F61x2>(&gadget, Lie::Secret(secret));
            assert!(v.is_err_and(|error| error.is_rejection()), "{gadget:?} {secret}");
        }
    }
    assert!(run.honest::<F61, F61x2>(&Gadget::Equal(7, 7, true)).1.is_ok());
}

#[test]
fn what_does_not_hold_is_rejected() {
    let fails = [
        Gadget::Less(3, 4, false),
        Gadget::Less(4, 4, true),
        Gadget::Less(0, -1, true),
        Gadget::Less(0, 513, true),
        Gadget::AtMost(5, 4),
        Gadget::AtMost(256, 0),
        Gadget::Equal(4, 5, true),
        Gadget::Equal(5, 5, false),
        Gadget::Range(256),
        Gadget::Range(-1),
        Gadget::SignedRange(128),
        Gadget::SignedRange(-129),
        Gadget::Divide(255, 31, 6),
        Gadget::Divide(256, 32, 0),
        Gadget::Truncate(-1, 0),
        Gadget::Truncate(128, 16),
        Gadget::Fixed(24, -8, -11),
        Gadget::Fixed(-2048, -16, 2048),
        Gadget::Fixed(2047, 2047, 261_888),
    ];
    for fiat_shamir in [false, true] {
        for gadget in fails {
            let run = Run::new(11, fiat_shamir);
            let v = run.answer::<F61, F61x2>(&gadget, Lie::GoOn);
            assert!(v.is_err_and(|error| error.is_rejection()), "{gadget:?}");
            assert!(run.honest::<F61, F61x2>(&gadget).0.is_err(), "{gadget:?}");
        }
    }
}
