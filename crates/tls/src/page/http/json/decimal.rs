//! Decimal numbers, exactly.

use core::cmp::Ordering;
use core::fmt;
use core::str::FromStr;

/// The most characters of a number.
const MAX_CHARACTERS: usize = 1 << 10;

/// The most digits of a number, without leading and trailing zeros.
const MAX_DIGITS: usize = 1 << 9;
/// The greatest exponent of a number, both in scientific notation and as it is written.
const MAX_EXPONENT: u64 = 999_999_999;

/// An exact number as JSON writes it: `-12.50e3`. Numbers with the same value are equal however they are
/// written. It has at most 512 digits and an exponent of at most nine digits.
///
/// ```text
/// value = ± 0.d1 d2 ... dn * 10^exponent      d1 and dn are not 0; zero has no digits, exponent 0 and no sign
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Decimal {
    negative: bool,
    exponent: i64,
    digits: String,
}

/// Text that is not a decimal number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a decimal number such as -12.5 or 3e8, without leading zeros, of at most {MAX_CHARACTERS} characters"
)]
pub struct DecimalError(String);

impl FromStr for Decimal {
    type Err = DecimalError;

    fn from_str(text: &str) -> Result<Self, DecimalError> {
        read(text).ok_or_else(|| DecimalError(text.chars().take(64).collect()))
    }
}

fn read(text: &str) -> Option<Decimal> {
    if text.len() > MAX_CHARACTERS {
        return None;
    }
    let (negative, rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, power(exponent)?),
        None => (rest, 0),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
        Some(_) => return None,
        None => (mantissa, ""),
    };
    let canonical = whole == "0" || !whole.starts_with('0');
    if whole.is_empty() || !canonical || !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let all = [whole, fraction].concat();
    let digits = all.trim_start_matches('0');
    if digits.is_empty() {
        return Some(Decimal { negative: false, exponent: 0, digits: String::new() });
    }
    // At most 2^10 characters and 10^9: no overflow.
    let zeros = all.len() as i64 - digits.len() as i64;
    let exponent = exponent + whole.len() as i64 - zeros;
    let digits = digits.trim_end_matches('0');
    // Checked so that the number can be written again.
    let fits = digits.len() <= MAX_DIGITS && (exponent - 1).unsigned_abs() <= MAX_EXPONENT;
    fits.then(|| Decimal { negative, exponent, digits: digits.into() })
}

/// An exponent of at most nine digits.
fn power(text: &str) -> Option<i64> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, text.get(1..)?),
        b'+' => (false, text.get(1..)?),
        _ => (false, text),
    };
    if digits.is_empty() || digits.len() > 9 || !is_digits(digits) {
        return None;
    }
    let value: i64 = digits.parse().ok()?;
    Some(if negative { -value } else { value })
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

impl Decimal {
    /// -1, 0 or 1.
    pub(crate) fn sign(&self) -> i8 {
        match (self.digits.is_empty(), self.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }

    /// The exponent of `0.d1 d2 ... * 10^exponent`; 0 for zero.
    pub(crate) fn exponent(&self) -> i64 {
        self.exponent
    }

    /// The digits `d1 d2 ...` as text, of which the first and the last are not 0; none for zero.
    pub(crate) fn digits(&self) -> &[u8] {
        self.digits.as_bytes()
    }
}

/// The conversions are exact.
macro_rules! from_integers {
    ($($integer:ty)*) => {$(
        impl From<$integer> for Decimal {
            fn from(number: $integer) -> Self {
                let magnitude = i128::from(number).unsigned_abs().to_string();
                let digits = magnitude.trim_end_matches('0');
                let exponent = if digits.is_empty() { 0 } else { magnitude.len() as i64 };
                Self { negative: i128::from(number) < 0, exponent, digits: digits.into() }
            }
        }
    )*};
}

from_integers!(i32 i64 u64);

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        // First digits are not 0, so a greater exponent means a greater number. If exponents are equal,
        // digits compare like fractions.
        let magnitude = (self.exponent, &self.digits).cmp(&(other.exponent, &other.digits));
        self.sign().cmp(&other.sign()).then(if self.negative { magnitude.reverse() } else { magnitude })
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Each number is written in one way: as plain digits if at most 20 zeros have to be added, otherwise with an
/// exponent.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { exponent, digits, .. } = self;
        if digits.is_empty() {
            return f.write_str("0");
        }
        if self.negative {
            f.write_str("-")?;
        }
        let count = digits.len() as i64;
        match usize::try_from(*exponent) {
            Ok(whole) if *exponent >= 1 && *exponent < count => {
                let (whole, fraction) = digits.split_at_checked(whole).unwrap_or((digits, ""));
                write!(f, "{whole}.{fraction}")
            }
            Ok(whole) if *exponent >= count && *exponent - count <= 20 => write!(f, "{digits:0<whole$}"),
            _ if (-20..=0).contains(exponent) => {
                let zeros = usize::try_from(-exponent).unwrap_or_default();
                write!(f, "0.{}{digits}", "0".repeat(zeros))
            }
            _ => {
                let (first, rest) = digits.split_at_checked(1).unwrap_or((digits, ""));
                let point = if rest.is_empty() { "" } else { "." };
                write!(f, "{first}{point}{rest}e{}", exponent - 1)
            }
        }
    }
}
