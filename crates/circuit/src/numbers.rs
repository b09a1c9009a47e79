//! Files of numbers: the public numbers and the witnesses of statements over a ring of integers.
//!
//! ```text
//! 12 -1 0        # decimal, parted by blanks or line ends; -N stands for the ring's -N
//! 007
//! ```
//!
//! A number is an integer below the modulus, which is a prime or a power of two; the ring's encoding must be
//! that integer, little-endian. Leading zeros are allowed, so that numbers of one width show nothing by their
//! lengths. A file is read in pieces through a buffer that is wiped. Reading branches on the positions of
//! digits, signs and blanks, but not on the digits themselves.

use std::io::{self, ErrorKind, Read, Write};

use volery_field::Ring;
use zeroize::{Zeroize, Zeroizing};

use crate::Error;
use crate::text::counted;

/// The most digits of a number: those of a 256-bit prime, and leading zeros.
const MOST_DIGITS: u32 = 100;
/// The bytes allowed for a number, including blanks.
const NUMBER_BYTES: u64 = 128;
/// The bytes allowed in addition, for comments.
const SLACK: u64 = 1 << 20;
/// The number of bytes read at once.
const PIECE: usize = 1 << 16;
/// The number of limbs of a number that is being read.
const LIMBS: usize = 5;
/// The number of digits that are collected in one word.
const WORD_DIGITS: u32 = 18;
/// One more than the largest such word.
const WORD: u64 = 10_u64.pow(WORD_DIGITS);

/// Reads exactly `count` numbers. `what` names the source in errors, which show places and no contents. The
/// ring must be one that the [module](self) describes.
///
/// # Errors
/// [`Error::Malformed`] with line and column if something is not a number, a number is not below the modulus,
/// or there are too many; [`Error::Witness`] if there are too few; [`Error::Io`].
pub fn read_numbers<R: Ring + Zeroize>(
    mut source: impl Read,
    what: &str,
    count: usize,
) -> Result<Zeroizing<Vec<R>>, Error> {
    let failed = |reason: String| Error::Io { what: what.to_owned(), reason };
    let mut reader = Reader::new(what, count, Place::START)?;
    let mut buffer = Zeroizing::new(vec![0; PIECE]);
    let most = (count as u64).saturating_mul(NUMBER_BYTES).saturating_add(SLACK);
    let mut total = 0_u64;
    loop {
        let length = match source.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(failed(error.to_string())),
        };
        total += length as u64;
        if total > most {
            return Err(failed(format!(
                "longer than the {most} bytes that {} can need",
                counted(count as u64, "number")
            )));
        }
        buffer.iter().take(length).try_for_each(|byte| reader.byte(*byte))?;
    }
    reader.finish()
}

/// Reads exactly `count` numbers from a part of a text that begins at this 1-based place of `what`.
///
/// # Errors
/// As [`read_numbers`].
pub(crate) fn parse_numbers<R: Ring + Zeroize>(
    part: &[u8],
    what: &str,
    [line, column]: [u64; 2],
    count: usize,
) -> Result<Zeroizing<Vec<R>>, Error> {
    let mut reader = Reader::new(what, count, Place { line, column })?;
    part.iter().try_for_each(|byte| reader.byte(*byte))?;
    reader.finish()
}

/// Writes numbers in the form that [`read_numbers`] reads, one to a line. Only for public numbers: the time
/// depends on them.
///
/// # Errors
/// Any error of the writer.
pub fn write_numbers<R: Ring>(numbers: &[R], mut out: impl Write) -> io::Result<()> {
    numbers.iter().try_for_each(|number| writeln!(out, "{}", decimal(*number)))
}

/// An element as a decimal number.
fn decimal<R: Ring>(number: R) -> String {
    let mut bytes = [0; 8 * LIMBS];
    // Encoding fails only for a wrong length, and the buffer has the right one.
    let encoded = bytes.get_mut(..R::BYTES).map(|bytes| number.encode(bytes));
    debug_assert!(matches!(encoded, Some(Ok(()))));
    let mut limbs: [u64; LIMBS] =
        core::array::from_fn(|i| bytes.as_chunks().0.get(i).map_or(0, |bytes| u64::from_le_bytes(*bytes)));
    let mut words = Vec::new();
    while limbs.iter().any(|limb| *limb != 0) || words.is_empty() {
        let mut rest = 0_u128;
        for limb in limbs.iter_mut().rev() {
            let part = rest << 64 | u128::from(*limb);
            // The remainder is below the divisor, so the quotient fits in a limb.
            *limb = (part / u128::from(WORD)) as u64;
            rest = part % u128::from(WORD);
        }
        words.push(rest as u64);
    }
    let width = WORD_DIGITS as usize;
    let (first, others) = words.split_last().unwrap_or((&0, &[]));
    let others: Vec<String> = others.iter().rev().map(|word| format!("{word:0width$}")).collect();
    format!("{first}{}", others.concat())
}

/// A 1-based place in a text.
#[derive(Clone, Copy)]
struct Place {
    line: u64,
    column: u64,
}

impl Place {
    const START: Self = Self { line: 1, column: 1 };
}

/// What the last byte belonged to.
enum State {
    Blank,
    Comment,
    Number(Place, Number),
}

struct Reader<'a, R: Zeroize> {
    what: &'a str,
    values: Zeroizing<Vec<R>>,
    count: usize,
    place: Place,
    state: State,
}

impl<'a, R: Ring + Zeroize> Reader<'a, R> {
    fn new(what: &'a str, count: usize, place: Place) -> Result<Self, Error> {
        let mut values = Vec::new();
        // Room for all numbers at once: growing would leave copies of secrets behind.
        values.try_reserve_exact(count).map_err(|_| Error::Io {
            what: what.to_owned(),
            reason: format!("there is no memory for {count} numbers"),
        })?;
        Ok(Self { what, values: Zeroizing::new(values), count, place, state: State::Blank })
    }

    fn byte(&mut self, byte: u8) -> Result<(), Error> {
        match (&mut self.state, byte) {
            (State::Comment, b'\n') => self.state = State::Blank,
            (State::Comment, _) | (State::Blank, b' ' | b'\t' | b'\r' | b'\n') => {}
            (State::Number(..), b' ' | b'\t' | b'\r' | b'\n') => self.end(State::Blank)?,
            (State::Number(..), b'#') => self.end(State::Comment)?,
            (State::Blank, b'#') => self.state = State::Comment,
            (State::Number(_, number), b'0'..=b'9') => {
                if number.digits == MOST_DIGITS {
                    return Err(self.error(self.place, format!("a number has at most {MOST_DIGITS} digits")));
                }
                number.push(byte - b'0');
            }
            (State::Blank, b'-' | b'0'..=b'9') => {
                if self.values.len() == self.count {
                    let reason = format!("one number too many: there are {} to read", self.count);
                    return Err(self.error(self.place, reason));
                }
                let mut number = Number { negative: byte == b'-', ..Number::default() };
                if byte != b'-' {
                    number.push(byte - b'0');
                }
                self.state = State::Number(self.place, number);
            }
            _ => return Err(self.error(self.place, "expected a decimal number".into())),
        }
        if byte == b'\n' {
            self.place = Place { line: self.place.line + 1, column: 1 };
        } else {
            self.place.column += 1;
        }
        Ok(())
    }

    /// Ends the number that is being read.
    fn end(&mut self, next: State) -> Result<(), Error> {
        if let State::Number(start, number) = std::mem::replace(&mut self.state, next) {
            if number.digits == 0 {
                return Err(self.error(start, "a sign without a number".into()));
            }
            let value = number.element::<R>();
            let value = value
                .ok_or_else(|| self.error(start, format!("the number is not below {}'s modulus", R::NAME)))?;
            // The vector has room for it, so no copy of a secret is left behind.
            self.values.push(value);
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Zeroizing<Vec<R>>, Error> {
        self.end(State::Blank)?;
        let (got, count) = (self.values.len(), self.count);
        if got < count {
            let (what, got) = (self.what, counted(got as u64, "number"));
            return Err(Error::Witness(format!("{what} has {got} of the {count} that are needed")));
        }
        Ok(self.values)
    }

    fn error(&self, place: Place, reason: String) -> Error {
        Error::Malformed { what: self.what.to_owned(), line: place.line, column: place.column, reason }
    }
}

/// A number whose digits are being read; wiped on drop.
#[derive(Default)]
struct Number {
    negative: bool,
    digits: u32,
    /// The digits before those in `word`, lowest limb first.
    limbs: [u64; LIMBS],
    /// Whether these digits exceed the limbs.
    over: u64,
    word: u64,
    word_digits: u32,
}

impl Number {
    fn push(&mut self, digit: u8) {
        if self.word_digits == WORD_DIGITS {
            self.fold();
        }
        self.word = 10 * self.word + u64::from(digit);
        self.word_digits += 1;
        self.digits += 1;
    }

    /// Moves the word into the limbs.
    fn fold(&mut self) {
        let scale = u128::from(10_u64.pow(self.word_digits));
        let mut carry = u128::from(self.word);
        for limb in &mut self.limbs {
            // (2^64 - 1) (10^18 + 1) < 2^128.
            let sum = u128::from(*limb) * scale + carry;
            *limb = sum as u64;
            carry = sum >> 64;
        }
        self.over |= carry as u64;
        (self.word, self.word_digits) = (0, 0);
    }

    /// The element; `None` if the number is not below the modulus.
    fn element<R: Ring>(mut self) -> Option<R> {
        self.fold();
        let mut bytes = Zeroizing::new([0; 8 * LIMBS]);
        bytes.as_chunks_mut().0.iter_mut().zip(self.limbs).for_each(|(to, limb)| *to = limb.to_le_bytes());
        let (low, high) = bytes.split_at_checked(R::BYTES)?;
        let beyond = high.iter().fold(self.over, |any, byte| any | u64::from(*byte));
        let value = R::decode(low).ok().filter(|_| beyond == 0)?;
        // The position of the sign affects the time anyway.
        Some(if self.negative { -value } else { value })
    }
}

impl Drop for Number {
    fn drop(&mut self) {
        let Self { negative, digits: _, limbs, over, word, word_digits: _ } = self;
        negative.zeroize();
        limbs.zeroize();
        over.zeroize();
        word.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use volery_field::{Bn254Scalar, F61, Z32, Z64};

    use super::*;

    fn read<R: Ring + Zeroize>(text: &str, count: usize) -> Result<Vec<R>, Error> {
        read_numbers(text.as_bytes(), "n", count).map(|values| values.to_vec())
    }

    fn written<R: Ring>(numbers: &[R]) -> String {
        let mut text = Vec::new();
        write_numbers(numbers, &mut text).expect("memory");
        String::from_utf8(text).expect("digits")
    }

    #[test]
    fn numbers_are_written_without_zeros_in_front() {
        let numbers = [F61::ZERO, F61::ONE, -F61::ONE, F61::new(WORD), F61::new(WORD + 10)];
        let expected = "0\n1\n2305843009213693950\n1000000000000000000\n1000000000000000010\n";
        assert_eq!(written(&numbers), expected);
    }

    #[test]
    fn numbers_are_parted_by_blanks_lines_and_comments() {
        let expected = [F61::new(12), -F61::ONE, F61::ZERO, F61::new(7), -F61::new(30)];
        assert!(read::<F61>("# five\n12\t-1 0#none\r\n007\n\n  -30", 5) == Ok(expected.to_vec()));
        assert!(read::<F61>("", 0) == Ok(vec![]));
    }

    #[test]
    fn the_largest_number_is_the_prime_less_one() {
        let prime = (1_u64 << 61) - 1;
        assert!(read::<F61>(&(prime - 1).to_string(), 1) == Ok(vec![-F61::ONE]));
        let largest = "21888242871839275222246405745257275088548364400416034343698204186575808495616";
        assert!(read::<Bn254Scalar>(largest, 1) == Ok(vec![-Bn254Scalar::ONE]));
        let prime256 = "21888242871839275222246405745257275088548364400416034343698204186575808495617";
        let too_large =
            [prime.to_string(), u64::MAX.to_string(), format!("1{}", "0".repeat(99)), "9".repeat(100)];
        for text in &too_large {
            assert!(matches!(read::<F61>(text, 1), Err(Error::Malformed { .. })), "{text}");
        }
        for text in [prime256, &"9".repeat(78), &"9".repeat(100)] {
            assert!(matches!(read::<Bn254Scalar>(text, 1), Err(Error::Malformed { .. })), "{text}");
        }
    }

    #[test]
    fn numbers_of_machine_words_reach_up_to_their_power_of_two() {
        assert!(read::<Z32>("4294967295 -1", 2) == Ok(vec![Z32::new(u32::MAX); 2]));
        assert!(read::<Z64>("18446744073709551615 -1", 2) == Ok(vec![Z64::new(u64::MAX); 2]));
        assert_eq!(written(&[Z64::new(u64::MAX), Z64::new(0)]), "18446744073709551615\n0\n");
        let beyond = [read::<Z32>("4294967296", 1).err(), read::<Z64>("18446744073709551616", 1).err()];
        for error in beyond {
            assert!(matches!(error, Some(Error::Malformed { .. })), "{error:?}");
        }
    }

    #[test]
    fn every_malformed_file_is_refused_with_its_place_and_not_shown() {
        for (text, line, column, reason) in [
            ("1 2 3 4242", 1, 7, "one number too many"),
            ("1\n2,3", 2, 2, "decimal"),
            ("1 2\n -", 2, 2, "sign"),
            ("1 - 2", 1, 3, "sign"),
            ("1 --2", 1, 4, "decimal"),
            ("1 4-2", 1, 4, "decimal"),
            ("0x10 2 3", 1, 2, "decimal"),
            ("1 2 3.5", 1, 6, "decimal"),
            ("1 2\n2305843009213693951", 2, 1, "below F61's modulus"),
            ("1 2 \u{e9}", 1, 5, "decimal"),
        ] {
            match read::<F61>(text, 3).expect_err(text) {
                Error::Malformed { line: l, column: c, reason: r, .. } => {
                    assert_eq!((l, c), (line, column), "{text:?}: {r}");
                    assert!(r.contains(reason) && !r.contains("42"), "{text:?}: {r}");
                }
                other => panic!("{text:?}: {other}"),
            }
        }
        let long = format!("{}{}", "0".repeat(100), 1);
        assert!(matches!(read::<F61>(&long, 1), Err(Error::Malformed { column: 101, .. })));
        assert!(
            matches!(read::<F61>("1 2", 3), Err(Error::Witness(reason)) if reason.contains("2 numbers of the 3"))
        );
    }

    #[test]
    fn an_endless_file_is_refused() {
        let error = read_numbers::<F61>(io::repeat(b'\n'), "n", 3).expect_err("endless");
        assert!(matches!(error, Error::Io { .. }), "{error}");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(numbers in prop::collection::vec(0..(1_u64 << 61) - 1, 0..50), zeros in 0..80_usize) {
            let text: Vec<String> = numbers.iter().map(|n| format!("{}{n}", "0".repeat(zeros))).collect();
            let expected: Vec<F61> = numbers.iter().map(|n| F61::new(*n)).collect();
            prop_assert!(read::<F61>(&text.join("\n"), numbers.len()) == Ok(expected));
        }

        #[test]
        fn limbs_agree_with_another_parser_and_are_written_as_they_were_read(digits in "[1-9][0-9]{0,75}") {
            let number = Bn254Scalar::from_decimal(&digits).expect("below");
            prop_assert!(read::<Bn254Scalar>(&digits, 1) == Ok(vec![number]));
            prop_assert_eq!(written(&[number]), format!("{digits}\n"));
        }
    }
}
