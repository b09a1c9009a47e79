//! Public values from text, and a witness's bits as bytes.

use volery_channel::hex;
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

    /// The hex digits of a value, as [`Builtin::compute`](super::Builtin::compute) writes them.
    pub(super) fn digits(&self, name: &str) -> String {
        hex::encode(&self.hex(name).unwrap_or_default())
    }

    /// Any number of bytes, from two hex digits each.
    fn hex(&self, name: &str) -> Option<Vec<u8>> {
        let text = self.get(name);
        let digits = text.strip_prefix("0x").or(text.strip_prefix("0X")).unwrap_or(text).as_bytes();
        hex::decode(digits)
    }

    /// `N` bytes from `2 N` hex digits.
    pub(super) fn bytes<const N: usize>(&self, name: &str) -> Result<[u8; N], Error> {
        let bytes = self.hex(name).and_then(|bytes| bytes.try_into().ok());
        bytes.ok_or_else(|| self.malformed(name, &format!("exactly {} hex digits ({N} bytes)", 2 * N)))
    }

    /// One to `most` 32-bit numbers, from eight hex digits each.
    pub(super) fn words(&self, name: &str, most: usize) -> Result<Vec<u32>, Error> {
        let malformed = || self.malformed(name, &format!("8 hex digits a number, 1 to {most} numbers"));
        let bytes = self.hex(name).ok_or_else(malformed)?;
        let words = big_endian(&bytes).filter(|words| (1..=most).contains(&words.len()));
        words.ok_or_else(malformed)
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

/// 32-bit numbers from four bytes each, the most significant first; none if bytes are left over.
pub(super) fn big_endian(bytes: &[u8]) -> Option<Vec<u32>> {
    let (words, rest) = bytes.as_chunks();
    rest.is_empty().then(|| words.iter().map(|word| u32::from_be_bytes(*word)).collect())
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
