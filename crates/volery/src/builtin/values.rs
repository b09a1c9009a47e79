//! Public values from text, and a witness's bits as bytes.

use volery_circuit::Error;
use volery_field::F2;
use zeroize::Zeroizing;

use super::Entry;

/// The public values of one statement, each of them there once.
pub(super) struct Values<'a> {
    entry: &'static Entry,
    given: Vec<(&'a str, &'a str)>,
}

impl<'a> Values<'a> {
    /// Exactly the values that the statement has, in its order.
    pub(super) fn new(entry: &'static Entry, given: &[(&'a str, &'a str)]) -> Result<Self, Error> {
        let refuse = |name: &str, problem: &str| {
            let needed = entry.public.join(", ");
            Err(Error::Public(format!("{}: {problem} `{name}`; it takes {needed}", entry.name)))
        };
        for (index, (name, _)) in given.iter().enumerate() {
            if !entry.public.contains(name) {
                return refuse(name, "there is no public value");
            }
            if given.iter().take(index).any(|(other, _)| other == name) {
                return refuse(name, "there are two values");
            }
        }
        let mut ordered = Vec::new();
        for name in entry.public {
            match given.iter().find(|(other, _)| other == name) {
                Some(pair) => ordered.push(*pair),
                None => return refuse(name, "there is no value for"),
            }
        }
        Ok(Self { entry, given: ordered })
    }

    pub(super) fn get(&self, name: &str) -> &'a str {
        self.given.iter().find(|(other, _)| *other == name).map_or("", |(_, text)| text)
    }

    fn malformed(&self, name: &str, expected: &str) -> Error {
        Error::Public(format!("{}: {name} is {expected}", self.entry.name))
    }

    /// `N` bytes from `2 N` hex digits.
    pub(super) fn bytes<const N: usize>(&self, name: &str) -> Result<[u8; N], Error> {
        let text = self.get(name);
        let digits = text.strip_prefix("0x").or(text.strip_prefix("0X")).unwrap_or(text).as_bytes();
        let malformed = || self.malformed(name, &format!("exactly {} hex digits ({N} bytes)", 2 * N));
        if digits.len() != 2 * N {
            return Err(malformed());
        }
        let mut bytes = [0; N];
        for (byte, pair) in bytes.iter_mut().zip(digits.as_chunks::<2>().0) {
            let digit = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
            let [high, low] = pair.map(digit);
            *byte = high.zip(low).map(|(high, low)| high << 4 | low).ok_or_else(malformed)?;
        }
        Ok(bytes)
    }

    /// A decimal number of at most `most`.
    pub(super) fn number(&self, name: &str, most: u64) -> Result<u64, Error> {
        let text = self.get(name);
        let digits = text.bytes().all(|c| c.is_ascii_digit());
        let number = text.parse().ok().filter(|number| digits && *number <= most);
        number.ok_or_else(|| self.malformed(name, &format!("a decimal number of at most {most}")))
    }

    /// Name and values on one line.
    pub(super) fn text(&self) -> String {
        let values: Vec<String> = self.given.iter().map(|(name, text)| format!(" --{name} {text}")).collect();
        format!("{}{}", self.entry.name, values.concat())
    }
}

/// The bytes of a big-endian integer whose bits are given, least significant first.
pub(super) fn bytes_of(bits: &[F2]) -> Result<Zeroizing<Vec<u8>>, Error> {
    let (octets, rest) = bits.as_chunks::<8>();
    if !rest.is_empty() {
        return Err(Error::Witness(format!("{} bits are no whole number of bytes", bits.len())));
    }
    // Of full capacity at once: a growing vector would leave copies of the secret behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(octets.len()));
    for octet in octets.iter().rev() {
        bytes.push(octet.iter().rev().fold(0, |byte, bit| byte << 1 | bit.to_u8()));
    }
    Ok(bytes)
}
