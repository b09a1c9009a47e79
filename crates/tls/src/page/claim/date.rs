//! Dates in hidden strings, compared with public ones.
//!
//! The hidden text has one of these forms, and nothing else is read (ISO 8601 has many more):
//!
//! ```text
//! 2026-01-31                      the day begins at 00:00:00 UTC
//! 2026-01-31T12:30:00             UTC; also with a blank or a `t` in place of `T`
//! 2026-01-31T12:30:00.125         any number of digits
//! 2026-01-31T12:30:00Z            also after a fraction; also `z`
//! 2026-01-31T12:30:00+01:00       also after a fraction: 11:30:00 UTC
//! ```
//!
//! The grammar is a [regular expression](super::pattern) ([`FORMS`]): days that there are in the Gregorian
//! calendar, hours to 23, minutes to 59, seconds to 60.
//!
//! Bounds are whole seconds, so fractions do not matter. Apart from the offset, digits are at public
//! places. An offset moves the time by less than a day. So the hidden day is compared with the bound's and
//! those beside it, and if it is one of these, minutes decide:
//!
//! ```text
//! before  =  day < bound's - 1   or   day is one of three and  minutes - offset + 1440 * (0, 1 or 2)  <  bound's minutes + 1440
//! ```
//!
//! with seconds as lower digits. All of this takes at most 20 ANDs a byte, and 400.

use core::fmt;
use core::str::FromStr;
use std::sync::LazyLock;

use volery_circuit::gadgets::{add, constant, equal, less_than, less_than_signed, not, shift_left, sub};
use volery_circuit::{Error, Prove};
use volery_field::F2;

use super::automaton::Automaton;
use super::byte::{Byte, ByteSet, plus};
use super::pattern;

/// The forms that are read.
const FORMS: &str = concat!(
    r"(\d{4}-((0[13578]|1[02])-(0[1-9]|[12]\d|3[01])|(0[469]|11)-(0[1-9]|[12]\d|30)|02-(0[1-9]|1\d|2[0-8]))",
    // Leap days.
    r"|(\d\d(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)",
    r"([Tt ]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)?)?"
);

/// The automaton of the forms.
static READER: LazyLock<Result<Automaton, Error>> = LazyLock::new(|| pattern::automaton(FORMS));

/// The length of a day with a time.
const TIME: usize = 19;
/// The length of an offset.
const OFFSET: usize = 6;
/// The minutes of a day.
const DAY_MINUTES: u64 = 1440;
/// The width of minutes of several days, with a sign, and that of seconds.
const MINUTES: usize = 14;
const SECONDS: usize = 6;

/// A point in time, to the second, in the years 0 to 9999 (UTC).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant {
    year: u16,
    month: u8,
    day: u8,
    hour: u8,
    minute: u8,
    second: u8,
}

/// Text that is not a point in time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is neither a date like 2026-01-31 nor a time like 2026-01-31T12:30:00Z (UTC)")]
pub struct InstantError(String);

impl FromStr for Instant {
    type Err = InstantError;

    fn from_str(text: &str) -> Result<Self, InstantError> {
        read(text).ok_or_else(|| InstantError(text.chars().take(64).collect()))
    }
}

fn read(text: &str) -> Option<Instant> {
    let (day, time) = match text.split_once('T') {
        Some((day, time)) => (day, time.strip_suffix('Z')?),
        None => (text, "00:00:00"),
    };
    let number = |text: &str, width: usize| {
        let digits = text.len() == width && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u16>().ok().filter(|_| digits)
    };
    let two =
        |text: &str, most: u8| number(text, 2).and_then(|n| u8::try_from(n).ok()).filter(|n| *n <= most);
    let mut days = day.split('-');
    let mut times = time.split(':');
    let instant = Instant {
        year: number(days.next()?, 4)?,
        month: two(days.next()?, 12)?,
        day: two(days.next()?, 31)?,
        hour: two(times.next()?, 23)?,
        minute: two(times.next()?, 59)?,
        second: two(times.next()?, 59)?,
    };
    let exists = instant.month > 0 && (1..=instant.days_of_month()).contains(&instant.day);
    (exists && days.next().is_none() && times.next().is_none()).then_some(instant)
}

/// As a date if the day begins then.
impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { year, month, day, hour, minute, second } = self;
        write!(f, "{year:04}-{month:02}-{day:02}")?;
        if (*hour, *minute, *second) == (0, 0, 0) {
            return Ok(());
        }
        write!(f, "T{hour:02}:{minute:02}:{second:02}Z")
    }
}

impl Instant {
    fn days_of_month(&self) -> u8 {
        let every = |years| self.year.is_multiple_of(years);
        let leap = every(4) && (!every(100) || every(400));
        match self.month {
            2 => 28 + u8::from(leap),
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        }
    }

    /// The day before; none before the first of all.
    fn yesterday(&self) -> Option<Self> {
        if self.day > 1 {
            return Some(Self { day: self.day - 1, ..*self });
        }
        let before = if self.month > 1 {
            Self { month: self.month - 1, ..*self }
        } else {
            Self { year: self.year.checked_sub(1)?, month: 12, ..*self }
        };
        Some(Self { day: before.days_of_month(), ..before })
    }

    /// The day after; none after the last of all.
    fn tomorrow(&self) -> Option<Self> {
        if self.day < self.days_of_month() {
            return Some(Self { day: self.day + 1, ..*self });
        }
        let first = Self { day: 1, ..*self };
        match self.month {
            12 => Some(Self { year: self.year + 1, month: 1, ..first }).filter(|day| day.year <= 9999),
            month => Some(Self { month: month + 1, ..first }),
        }
    }

    /// The decimal digits of its day, four bits each, the last digit lowest.
    fn digits(&self) -> u64 {
        let number = u64::from(self.year) * 10_000 + u64::from(self.month) * 100 + u64::from(self.day);
        (0..8).map(|place| (number / 10_u64.pow(place) % 10) << (4 * place)).sum()
    }
}

/// Whether these bytes are in one of the forms that are read.
pub(super) fn is_read(bytes: &[u8]) -> bool {
    use volery_circuit::Evaluator;
    use volery_circuit::gadgets::bytes_to_bits;
    let bits = bytes_to_bits(bytes);
    let read = READER.as_ref().map(|reader| reader.assert(&mut Evaluator::new(), &mut Byte::all(&bits)));
    matches!(read, Ok(Ok(())))
}

/// Claims that the bytes are a date or a time before a point in time, or else from it on.
///
/// # Errors
/// [`Error::Contradicted`] if no form has this length; the backend's.
pub(super) fn compare<B: Prove<F2> + ?Sized>(
    b: &mut B,
    bits: &[B::Wire],
    bound: &Instant,
    before: bool,
) -> Result<(), B::Error> {
    let reader = READER.as_ref().map_err(Clone::clone)?;
    reader.assert(b, &mut Byte::all(bits))?;
    let earlier = is_before(b, bits, bound)?;
    let wrong = if before { not(b, &earlier) } else { earlier };
    b.assert_zero(&[wrong])
}

fn is_before<B: Prove<F2> + ?Sized>(
    b: &mut B,
    bits: &[B::Wire],
    bound: &Instant,
) -> Result<B::Wire, B::Error> {
    let zero = b.constant(F2::ZERO);
    let day: Vec<_> =
        [9, 8, 6, 5, 3, 2, 1, 0].into_iter().flat_map(|place| digit(bits, place).to_vec()).collect();
    let mut near = Vec::new();
    // By how many days the text's is later than that before the bound's.
    for (days, other) in (0..).zip([bound.yesterday(), Some(*bound), bound.tomorrow()]) {
        let Some(other) = other else { continue };
        let other = constant(b, other.digits(), 32);
        near.push((days, equal(b, &day, &other)?));
    }
    let early = match bound.yesterday() {
        Some(first) => {
            let first = constant(b, first.digits(), 32);
            less_than(b, &day, &first)?
        }
        None => zero.clone(),
    };
    let mut minutes = vec![zero.clone(); MINUTES];
    let mut seconds = constant(b, 0, SECONDS);
    if bits.len() >= 8 * TIME {
        minutes = minutes_at(b, bits, [11, 12, 14, 15])?;
        seconds = two_digits(b, bits, [17, 18], SECONDS)?;
        let offset = offset(b, bits)?;
        minutes = add(b, &minutes, &offset)?;
    }
    let (mut moved, mut any) = (vec![zero.clone(); MINUTES], zero);
    for (days, same) in &near {
        for (i, bit) in moved.iter_mut().enumerate() {
            if (DAY_MINUTES * days) >> i & 1 == 1 {
                *bit = b.add(bit, same);
            }
        }
        any = b.add(&any, same);
    }
    let minutes = add(b, &minutes, &moved)?;
    let time = [seconds, minutes].concat();
    let of_bound = DAY_MINUTES + 60 * u64::from(bound.hour) + u64::from(bound.minute);
    let of_bound = constant(b, of_bound << SECONDS | u64::from(bound.second), time.len());
    let less = less_than_signed(b, &time, &of_bound)?;
    let less = b.mul(&any, &less)?;
    Ok(plus(b, Some(early), less))
}

/// The bits of a decimal digit at this place.
fn digit<W>(bits: &[W], place: usize) -> &[W] {
    bits.get(8 * place..8 * place + 4).unwrap_or_default()
}

/// The number that two digits are.
fn two_digits<B: Prove<F2> + ?Sized>(
    b: &mut B,
    bits: &[B::Wire],
    places: [usize; 2],
    width: usize,
) -> Result<Vec<B::Wire>, B::Error> {
    let mut wide = |place| {
        let mut wide = digit(bits, place).to_vec();
        wide.resize_with(width, || b.constant(F2::ZERO));
        wide
    };
    let [tens, ones] = places.map(&mut wide);
    let [eight, two] = [3, 1].map(|distance| shift_left(b, &tens, distance));
    let tens = add(b, &eight, &two)?;
    add(b, &tens, &ones)
}

/// The minutes that two digits of hours and two of minutes are.
fn minutes_at<B: Prove<F2> + ?Sized>(
    b: &mut B,
    bits: &[B::Wire],
    [h1, h2, m1, m2]: [usize; 4],
) -> Result<Vec<B::Wire>, B::Error> {
    let hours = two_digits(b, bits, [h1, h2], MINUTES)?;
    let minutes = two_digits(b, bits, [m1, m2], MINUTES)?;
    let [more, four] = [6, 2].map(|distance| shift_left(b, &hours, distance));
    let hours = sub(b, &more, &four)?;
    add(b, &hours, &minutes)
}

/// What an offset adds to the minutes so that they are UTC's: `-o` for `+o`; 0 if there is none.
fn offset<B: Prove<F2> + ?Sized>(b: &mut B, bits: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
    let start = (bits.len() / 8).saturating_sub(OFFSET);
    let sign = Byte::all(bits).into_iter().nth(start);
    let (Some(mut sign), true) = (sign, start >= TIME) else { return Ok(constant(b, 0, MINUTES)) };
    let [plus, minus] = [sign.is_in(b, &ByteSet::one(b'+'))?, sign.is_in(b, &ByteSet::one(b'-'))?];
    let there = b.add(&plus, &minus);
    let minutes = minutes_at(b, bits, [1, 2, 4, 5].map(|more| start + more))?;
    let minutes = b.mul_many(&minutes, &vec![there; MINUTES])?;
    // Two's complement if it is taken away.
    let flipped: Vec<_> = minutes.iter().map(|bit| b.add(bit, &plus)).collect();
    let mut one = vec![plus];
    one.resize_with(MINUTES, || b.constant(F2::ZERO));
    add(b, &flipped, &one)
}
