//! Writes results to standard output, and formats numbers, times and sizes.

use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;

pub(crate) use volery_statement::words::{count, counted};

use super::failure::Failure;
use super::terminal;

/// Writes one line of results to standard output, and flushes it.
pub(crate) fn result(line: &str) -> Result<(), Failure> {
    write(line).map_err(|error| Failure::session(format!("standard output: {error}")))
}

/// Writes bytes to standard output as they are, and flushes it.
pub(crate) fn raw(bytes: &[u8]) -> Result<(), Failure> {
    let written = terminal::aside(|| {
        let mut out = io::stdout().lock();
        out.write_all(bytes).and_then(|()| out.flush())
    });
    written.map_err(|error| Failure::session(format!("standard output: {error}")))
}

/// Writes a page to standard output. A reader that closes the pipe, such as `head`, has seen enough.
pub(crate) fn page(text: &str) -> Result<(), Failure> {
    match write(text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::session(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

fn write(text: &str) -> io::Result<()> {
    terminal::aside(|| {
        let mut out = io::stdout().lock();
        out.write_all(format!("{text}\n").as_bytes()).and_then(|()| out.flush())
    })
}

/// Writes one object to standard output, on a line of its own.
pub(crate) fn json(object: &impl Serialize) -> Result<(), Failure> {
    result(&json_line(object)?)
}

/// An object in JSON. What a terminal might take for a command, or for a change of direction, is escaped;
/// whoever reads JSON reads the same.
fn json_line(object: &impl Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string(object).map_err(Failure::session)?;
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        // Other characters of ASCII that do not print are escaped already.
        if c == '\x7f' || !c.is_ascii() && c.escape_debug().len() > 1 {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| line.push_str(&format!("\\u{unit:04x}")));
        } else {
            line.push(c);
        }
    }
    Ok(line)
}

/// The counts of a proof about bits, in words.
pub(crate) fn bit_counts(secrets: u64, ands: u64, polynomials: u64) -> String {
    match polynomials {
        0 => counted(ands, "AND"),
        _ => format!(
            "{}, {} and {}",
            counted(secrets, "secret bit"),
            counted(ands, "AND"),
            counted(polynomials, "polynomial")
        ),
    }
}

/// A number of bytes, in the unit that fits.
pub(crate) fn bytes(number: u64) -> String {
    if number == 1 {
        return counted(number, "byte");
    }
    scaled(number as f64, &[("bytes", 1.0), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12)])
}

/// A rate, in the unit that fits.
pub(crate) fn rate(per_second: f64) -> String {
    scaled(per_second, &[("", 1.0), ("thousand", 1e3), ("million", 1e6), ("billion", 1e9)])
}

/// A time, in the unit that fits.
pub(crate) fn time(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    match seconds {
        s if s < 1.0 => format!("{:.1} ms", 1e3 * s),
        s if s < 120.0 => format!("{s:.2} s"),
        s => format!("{:.1} min", s / 60.0),
    }
}

/// `number` in the largest of the `units` that it reaches, with three digits or more.
fn scaled(number: f64, units: &[(&str, f64)]) -> String {
    let fits = |(_, size): &&(&str, f64)| number >= *size;
    let (name, size) = units.iter().rev().find(fits).or(units.first()).copied().unwrap_or(("", 1.0));
    let value = number / size;
    let decimals = match value {
        v if size == 1.0 || v >= 100.0 => 0,
        v if v >= 10.0 => 1,
        _ => 2,
    };
    format!("{value:.decimals$} {name}").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page that somebody else wrote is printed on terminals.
    #[test]
    fn json_has_nothing_for_a_terminal_and_is_read_as_what_it_was() {
        let all: String =
            (0..0x3100).chain(0xfe00..0xfff0).chain(0xe0000..0xe0080).filter_map(char::from_u32).collect();
        let line = json_line(&all).expect("a text");
        let told = |c: char| {
            c.is_control() || ['\u{202e}', '\u{2066}', '\u{2028}', '\u{feff}', '\u{e0041}'].contains(&c)
        };
        assert!(!line.contains(told));
        assert!(line.contains("\\u009b") && line.contains("\\udb40\\udc41") && line.contains("\u{e9}"));
        assert_eq!(serde_json::from_str::<String>(&line).expect("JSON"), all);
    }

    #[test]
    fn counts_of_bits_have_polynomials_if_there_are_any() {
        assert_eq!(bit_counts(0, 1, 0), "1 AND");
        assert_eq!(bit_counts(1, 0, 1), "1 secret bit, 0 ANDs and 1 polynomial");
    }

    #[test]
    fn units_follow_the_size() {
        assert_eq!(bytes(999), "999 bytes");
        assert_eq!((bytes(0), bytes(1), bytes(2)), ("0 bytes".into(), "1 byte".into(), "2 bytes".into()));
        assert_eq!(bytes(1000), "1.00 kB");
        assert_eq!(bytes(123_456_789), "123 MB");
        assert_eq!(rate(0.0), "0");
        assert_eq!(rate(51_200_000.0), "51.2 million");
        assert_eq!(time(Duration::from_micros(1500)), "1.5 ms");
        assert_eq!(time(Duration::from_secs(180)), "3.0 min");
    }
}
