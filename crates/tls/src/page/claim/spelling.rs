//! Whether the inside of a hidden JSON string means a public text, whichever way it is written.
//!
//! JSON has several spellings of a character: as it is, as `\\u00e9` with digits in either case, some also as
//! a short escape. Which one stands in the hidden string must neither show nor matter: `"\\u0041da"` is not
//! something other than `"Ada"`. A character has one spelling from any given place on, as their first bytes
//! differ, and those of an escape its second. So
//!
//! ```text
//! ways[i + 1][p + length of s]  +=  ways[i][p] * [bytes from p on are s]          for each spelling s of character i
//! ```
//!
//! where `ways[i][p]` is whether the first `i` characters end before byte `p`. At most one product is 1. The
//! string's length is public, so places from which the rest cannot fit have no wires: a string as long as the
//! text, of plain characters, takes 8 ANDs a byte.

use volery_circuit::gadgets::{all_ones, bytes_to_bits};
use volery_circuit::{Error, Prove};
use volery_field::F2;

use super::byte::plus;
use super::cannot_hold;

/// The most ANDs of a comparison.
const MAX_PRICE: usize = 1 << 20;

/// A spelling: each byte with those of its bits that do not matter.
type Spelling = Vec<(u8, u8)>;

/// The bit in which a letter differs from its capital.
const CASE: u8 = 0x20;

/// The spellings of a character, the shortest first.
fn spellings(c: char) -> Vec<Spelling> {
    let exact = |bytes: &[u8]| bytes.iter().map(|byte| (*byte, 0)).collect::<Spelling>();
    let mut all = Vec::new();
    if c >= ' ' && c != '"' && c != '\\' {
        all.push(exact(c.encode_utf8(&mut [0; 4]).as_bytes()));
    }
    let short = match c {
        '"' | '\\' | '/' => Some(c as u8),
        '\u{8}' => Some(b'b'),
        '\u{c}' => Some(b'f'),
        '\n' => Some(b'n'),
        '\r' => Some(b'r'),
        '\t' => Some(b't'),
        _ => None,
    };
    all.extend(short.map(|short| exact(&[b'\\', short])));
    let mut long = Spelling::new();
    for unit in c.encode_utf16(&mut [0; 2]) {
        long.extend(exact(b"\\u"));
        let digits = format!("{unit:04x}");
        long.extend(digits.bytes().map(|digit| (digit, if digit.is_ascii_alphabetic() { CASE } else { 0 })));
    }
    all.push(long);
    all
}

/// The shortest and the longest spelling of a text.
struct Lengths {
    least: usize,
    most: usize,
}

/// The lengths of the spellings of each character and all after it, and of none at the end.
fn lengths(characters: &[Vec<Spelling>]) -> Vec<Lengths> {
    let mut all = vec![Lengths { least: 0, most: 0 }];
    for spellings in characters.iter().rev() {
        let [least, most] = all.last().map_or([0, 0], |last| [last.least, last.most]);
        // Text is short.
        all.push(Lengths {
            least: least + spellings.first().map_or(0, Vec::len),
            most: most + spellings.last().map_or(0, Vec::len),
        });
    }
    all.reverse();
    all
}

/// Whether the inside of a JSON string with these bits means `text`.
///
/// # Errors
/// [`Error::Contradicted`] if no spelling of the text has this length; [`Error::Public`] if this would take
/// too many gates; the backend's.
pub(super) fn means<B: Prove<F2> + ?Sized>(
    b: &mut B,
    bits: &[B::Wire],
    text: &[u8],
) -> Result<B::Wire, B::Error> {
    let length = bits.len() / 8;
    // What is not UTF-8 is not the meaning of any JSON.
    let Ok(text) = core::str::from_utf8(text) else { return Err(cannot_hold(length).into()) };
    let characters: Vec<_> = text.chars().map(spellings).collect();
    let rest = lengths(&characters);
    if !rest.first().is_some_and(|all| (all.least..=all.most).contains(&length)) {
        return Err(cannot_hold(length).into());
    }
    check_price(&characters, &rest, length)?;
    let mut ways: Vec<Option<B::Wire>> = vec![None; length + 1];
    ways.first_mut().into_iter().for_each(|way| *way = Some(b.constant(F2::ONE)));
    for (spellings, rest) in characters.iter().zip(rest.iter().skip(1)) {
        let mut next = vec![None; length + 1];
        for (place, way) in ways.iter().enumerate() {
            let Some(way) = way else { continue };
            for spelling in spellings {
                let end = place + spelling.len();
                let fits = end <= length && (rest.least..=rest.most).contains(&(length - end));
                let (Some(slot), true) = (next.get_mut(end), fits) else { continue };
                let bits = bits.get(8 * place..8 * end).unwrap_or_default();
                let met = is(b, way, bits, spelling)?;
                *slot = Some(plus(b, slot.take(), met));
            }
        }
        ways = next;
    }
    ways.pop().flatten().ok_or_else(|| cannot_hold(length).into())
}

/// Whether these bytes are of this spelling, and a way leads to them.
fn is<B: Prove<F2> + ?Sized>(
    b: &mut B,
    way: &B::Wire,
    bits: &[B::Wire],
    spelling: &Spelling,
) -> Result<B::Wire, B::Error> {
    let mut same = vec![way.clone()];
    for (bits, (byte, ignored)) in bits.chunks_exact(8).zip(spelling) {
        let matters = bytes_to_bits(&[!ignored]);
        for ((wire, wanted), matters) in bits.iter().zip(bytes_to_bits(&[!byte])).zip(matters) {
            if matters == F2::ONE {
                same.push(b.add_constant(wire, wanted));
            }
        }
    }
    all_ones(b, &same)
}

/// Checks that a comparison is not too large, without making it.
fn check_price(characters: &[Vec<Spelling>], rest: &[Lengths], length: usize) -> Result<(), Error> {
    let mut price = 0_usize;
    let (mut least, mut most) = (0, 0);
    for (spellings, rest) in characters.iter().zip(rest) {
        // Where the character may begin: after the shortest or longest spelling of those before, and so that
        // the rest fits.
        let first = usize::max(least, length.saturating_sub(rest.most));
        let last = usize::min(most, length.saturating_sub(rest.least));
        let places = (last + 1).saturating_sub(first);
        price =
            price.saturating_add(places * spellings.iter().map(|spelling| 8 * spelling.len()).sum::<usize>());
        least += spellings.first().map_or(0, Vec::len);
        most += spellings.last().map_or(0, Vec::len);
    }
    if price <= MAX_PRICE {
        return Ok(());
    }
    let count = characters.len();
    Err(Error::Public(format!(
        "a text of {count} characters that may be spelled in {length} bytes in many ways: too many to compare"
    )))
}
