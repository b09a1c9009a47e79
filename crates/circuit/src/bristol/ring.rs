//! The rings of circuit files, and the names of their gates.

use volery_field::{F2, Ring, Z32, Z64};
use zeroize::{Zeroize, Zeroizing};

use crate::Error;
use crate::text::Entry;

/// What a gate does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateKind {
    /// The sum of two wires.
    Add,
    /// The difference of two wires.
    Sub,
    /// The product of two wires.
    Mul,
    /// Several products.
    MulMany,
    /// A wire plus one.
    Increment,
    /// A copy of a wire.
    Copy,
    /// A constant.
    Constant,
}

impl GateKind {
    /// Its operands and results, in words.
    pub(super) fn needs(self) -> &'static str {
        match self {
            Self::Add | Self::Sub | Self::Mul => "2 input wires and 1 output wire",
            Self::Increment | Self::Copy => "1 input wire and 1 output wire",
            Self::Constant => "1 constant and 1 output wire",
            Self::MulMany => "2n input and n output wires",
        }
    }
}

/// A ring that circuit files can be over: F2, `Z_{2^32}`, `Z_{2^64}`. It is sealed, since file formats depend
/// on it.
pub trait FileRing: Ring + Zeroize + Words {}

/// How a ring appears in files; for this crate only.
pub trait Words: Sized {
    /// The version of the statement about a file.
    const STATEMENT: &'static [u8];
    /// The names of the gates that add, subtract and multiply.
    const NAMES: [&'static str; 3];
    /// All names, for errors.
    const KINDS: &'static str;
    /// A description of the constants that are allowed, for errors.
    const CONSTANTS: &'static str;
    /// The name of the gate that adds one, if there is one.
    const INCREMENT: Option<&'static str>;

    /// The kind of gate with this name.
    fn kind(name: &[u8]) -> Option<GateKind>;

    /// The constant that a number in a file stands for.
    fn from_number(number: u64) -> Option<Self>;

    /// The number that stands for a constant.
    fn to_number(self) -> u64;

    /// The values of `width` wires in a line of a claim.
    fn values(entry: &Entry<'_>, width: u32) -> Result<Zeroizing<Vec<Self>>, Error>
    where
        Self: Zeroize;

    /// What one wire's value is called in messages.
    const UNIT: &'static str;

    /// The text of `values` in a claim. Only for public values.
    fn text(values: &[Self]) -> String;

    /// The number of bytes of text that the values of this many wires may need in a claim.
    fn text_bytes(wires: u64) -> u64;
}

impl FileRing for F2 {}

impl Words for F2 {
    const STATEMENT: &'static [u8] = b"circuit file v1";
    const NAMES: [&'static str; 3] = ["XOR", "XOR", "AND"];
    const KINDS: &'static str = "XOR, AND, INV (or NOT), EQ, EQW and MAND";
    const CONSTANTS: &'static str = "0 or 1";
    const INCREMENT: Option<&'static str> = Some("INV");

    #[inline(always)]
    fn kind(name: &[u8]) -> Option<GateKind> {
        Some(match name {
            b"XOR" => GateKind::Add,
            b"AND" => GateKind::Mul,
            b"INV" | b"NOT" => GateKind::Increment,
            b"EQW" => GateKind::Copy,
            b"EQ" => GateKind::Constant,
            b"MAND" => GateKind::MulMany,
            _ => return None,
        })
    }

    fn from_number(number: u64) -> Option<Self> {
        (number < 2).then(|| Self::from_lsb(number))
    }

    fn to_number(self) -> u64 {
        self.to_u8().into()
    }

    fn values(entry: &Entry<'_>, width: u32) -> Result<Zeroizing<Vec<Self>>, Error> {
        Ok(Zeroizing::new(entry.bits(width)?.iter().map(|&bit| Self::new(bit)).collect()))
    }

    const UNIT: &'static str = "bit";

    /// Hex digits, or bits if there is no whole number of digits.
    fn text(values: &[Self]) -> String {
        let (prefix, size) = if values.len().is_multiple_of(4) { ("0x", 4) } else { ("0b", 1) };
        let digit =
            |bits: &[Self]| bits.iter().rev().fold(0, |digit, bit| digit << 1 | u32::from(bit.to_u8()));
        let digits = values.chunks(size).rev().filter_map(|bits| char::from_digit(digit(bits), 16));
        prefix.chars().chain(digits).collect()
    }

    fn text_bytes(wires: u64) -> u64 {
        wires.saturating_mul(2)
    }
}

/// Implements [`Words`] for machine words.
macro_rules! words {
    ($ring:ty, $word:ty, $statement:literal, $constants:literal) => {
        impl FileRing for $ring {}

        impl Words for $ring {
            const STATEMENT: &'static [u8] = $statement;
            const NAMES: [&'static str; 3] = ["ADD", "SUB", "MUL"];
            const KINDS: &'static str = "ADD, SUB, MUL, EQ and EQW";
            const CONSTANTS: &'static str = $constants;
            const INCREMENT: Option<&'static str> = None;

            #[inline(always)]
            fn kind(name: &[u8]) -> Option<GateKind> {
                Some(match name {
                    b"ADD" => GateKind::Add,
                    b"SUB" => GateKind::Sub,
                    b"MUL" => GateKind::Mul,
                    b"EQW" => GateKind::Copy,
                    b"EQ" => GateKind::Constant,
                    _ => return None,
                })
            }

            fn from_number(number: u64) -> Option<Self> {
                <$word>::try_from(number).ok().map(Self::new)
            }

            fn to_number(self) -> u64 {
                self.to_word().into()
            }

            fn values(entry: &Entry<'_>, width: u32) -> Result<Zeroizing<Vec<Self>>, Error> {
                entry.numbers(width as usize)
            }

            const UNIT: &'static str = "number";

            fn text(values: &[Self]) -> String {
                let numbers: Vec<String> = values.iter().map(|value| value.to_word().to_string()).collect();
                numbers.join(" ")
            }

            fn text_bytes(wires: u64) -> u64 {
                // A sign, the digits of 2^64 and a blank.
                wires.saturating_mul(22)
            }
        }
    };
}

words!(Z32, u32, b"circuit file over Z32 v1", "from 0 to 4294967295");
words!(Z64, u64, b"circuit file over Z64 v1", "from 0 to 18446744073709551615");
