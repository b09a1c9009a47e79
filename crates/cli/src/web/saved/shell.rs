//! Words of one shell command, as bash reads them.
//!
//! Browsers quote every argument, with `'...'`, or with `$'...'` where it has quotation marks or characters
//! outside of ASCII. People quote with `"..."`. That is read here; whatever a shell would *do* (variables,
//! other commands, files, patterns, several commands) is an error, because nobody runs a shell here.

use zeroize::{Zeroize as _, Zeroizing};

/// The most words of a command.
const MAX_WORDS: usize = 1 << 12;

/// Text that is not one simple command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset} of the command: {reason}")]
pub(crate) struct ShellError {
    /// The place, in bytes.
    pub(crate) offset: usize,
    /// What is wrong.
    pub(crate) reason: &'static str,
}

/// A word.
pub(crate) type Word = Zeroizing<Vec<u8>>;

/// The words of a command.
///
/// # Errors
/// [`ShellError`] for anything but words, and for more than 4,096 of them.
pub(crate) fn words(text: &str) -> Result<Vec<Word>, ShellError> {
    let mut reader = Reader { text: text.as_bytes(), at: 0 };
    let mut words = Vec::new();
    // No word is longer than the text, so this is never moved. Words have only the bytes that they need.
    let mut word = Zeroizing::new(Vec::with_capacity(text.len()));
    while reader.space()? {
        if words.len() == MAX_WORDS {
            return Err(reader.error("more than 4,096 words"));
        }
        reader.word(&mut word)?;
        words.push(Zeroizing::new(word.to_vec()));
        word.as_mut_slice().zeroize();
        word.clear();
    }
    Ok(words)
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn error(&self, reason: &'static str) -> ShellError {
        ShellError { offset: self.at, reason }
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    /// A backslash before the end of a line, which continues the command. Skips it.
    fn continued(&mut self) -> bool {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = [&b"\\\n"[..], b"\\\r\n"].into_iter().find(|end| rest.starts_with(end)).map(<[u8]>::len);
        self.at += length.unwrap_or(0);
        length.is_some()
    }

    /// Skips what is between words. Returns whether a word follows.
    fn space(&mut self) -> Result<bool, ShellError> {
        loop {
            match self.peek() {
                None => return Ok(false),
                Some(b'\n' | b'\r') => {
                    let rest = self.text.get(self.at..).unwrap_or_default();
                    if !rest.iter().all(u8::is_ascii_whitespace) {
                        return Err(self.error("a second command begins here: end lines with a backslash"));
                    }
                    return Ok(false);
                }
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\\') if self.continued() => {}
                Some(b'#' | b'~') => return Err(self.error(SHELL)),
                Some(_) => return Ok(true),
            }
        }
    }

    /// Reads the word that begins here.
    fn word(&mut self, word: &mut Word) -> Result<(), ShellError> {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => break,
                b'\'' => self.single(word)?,
                b'"' => self.double(word)?,
                b'$' if self.text.get(self.at + 1) == Some(&b'\'') => self.escaped(word)?,
                b'\\' if self.continued() => {}
                b'\\' => {
                    self.at += 1;
                    word.push(self.next().ok_or_else(|| self.error("a backslash at the end"))?);
                }
                b'^' => {
                    return Err(self.error("this is a command for Windows: choose \"Copy as cURL (bash)\""));
                }
                b'$' | b'`' | b'|' | b';' | b'&' | b'<' | b'>' | b'(' | b')' | b'{' | b'}' => {
                    return Err(self.error(SHELL));
                }
                _ => {
                    self.at += 1;
                    word.push(byte);
                }
            }
        }
        Ok(())
    }

    /// `'...'`: everything is itself.
    fn single(&mut self, word: &mut Word) -> Result<(), ShellError> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.next() {
                Some(b'\'') => return Ok(()),
                Some(byte) => word.push(byte),
                None => return Err(ShellError { offset: start, reason: UNENDED }),
            }
        }
    }

    /// `"..."`: a backslash makes some characters themselves.
    fn double(&mut self, word: &mut Word) -> Result<(), ShellError> {
        let start = self.at;
        self.at += 1;
        loop {
            if self.continued() {
                continue;
            }
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'$' | b'`') => return Err(self.error(SHELL)),
                Some(b'\\') => {
                    self.at += 1;
                    match self.peek() {
                        Some(byte @ (b'"' | b'\\' | b'$' | b'`')) => {
                            self.at += 1;
                            word.push(byte);
                        }
                        _ => word.push(b'\\'),
                    }
                }
                Some(byte) => {
                    self.at += 1;
                    word.push(byte);
                }
                None => return Err(ShellError { offset: start, reason: UNENDED }),
            }
        }
    }

    /// `$'...'`, with escapes as in C.
    fn escaped(&mut self, word: &mut Word) -> Result<(), ShellError> {
        let start = self.at;
        self.at += 2;
        loop {
            match self.next() {
                Some(b'\'') => return Ok(()),
                Some(b'\\') => self.escape(word)?,
                Some(byte) => word.push(byte),
                None => return Err(ShellError { offset: start, reason: UNENDED }),
            }
        }
    }

    /// What follows the backslash.
    fn escape(&mut self, word: &mut Word) -> Result<(), ShellError> {
        let start = self.at.saturating_sub(1);
        let unknown = ShellError { offset: start, reason: "an escape that is not read" };
        let byte = match self.next().ok_or_else(|| unknown.clone())? {
            byte @ (b'\\' | b'\'' | b'"' | b'?') => byte,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'a' => 7,
            b'b' => 8,
            b'e' | b'E' => 27,
            b'f' => 12,
            b'v' => 11,
            b'x' => u8::try_from(self.number(2, 16).ok_or_else(|| unknown.clone())?)
                .map_err(|_| unknown.clone())?,
            b'0'..=b'7' => {
                self.at -= 1;
                u8::try_from(self.number(3, 8).ok_or_else(|| unknown.clone())?)
                    .map_err(|_| unknown.clone())?
            }
            letter @ (b'u' | b'U') => {
                let digits = if letter == b'u' { 4 } else { 8 };
                let character = self.character(digits).ok_or_else(|| unknown.clone())?;
                // A zero would end the argument.
                if character == '\0' {
                    return Err(unknown);
                }
                word.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                return Ok(());
            }
            _ => return Err(unknown),
        };
        if byte == 0 {
            return Err(unknown);
        }
        word.push(byte);
        Ok(())
    }

    /// A character by its number. Browsers write those outside of 16 bits as two halves.
    fn character(&mut self, digits: usize) -> Option<char> {
        let first = self.number(digits, 16)?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first);
        }
        let second = (self.next()? == b'\\' && self.next()? == b'u').then(|| self.number(4, 16)).flatten()?;
        let second = second.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
        char::from_u32(0x10000 + ((first - 0xd800) << 10) + second)
    }

    /// A number of one to `most` digits.
    fn number(&mut self, most: usize, base: u32) -> Option<u32> {
        let mut number = None;
        for _ in 0..most {
            let Some(digit) = self.peek().and_then(|byte| char::from(byte).to_digit(base)) else { break };
            self.at += 1;
            // At most eight digits of base 16, so this is the whole number.
            number = Some(number.unwrap_or(0_u32).wrapping_mul(base).wrapping_add(digit));
        }
        number
    }
}

const SHELL: &str = "a shell would do something here; put the argument in single quotes";
const UNENDED: &str = "the quotation that begins here does not end";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<Vec<String>, ShellError> {
        let words = words(text)?;
        Ok(words.iter().map(|word| String::from_utf8_lossy(word).into_owned()).collect())
    }

    #[test]
    fn words_are_read_as_bash_reads_them() {
        for (text, expected) in [
            ("curl  'a b'  c", &["curl", "a b", "c"][..]),
            ("curl 'a' \\\n  -H 'b: c' \\\r\n d\n", &["curl", "a", "-H", "b: c", "d"]),
            (r#"a"b\"c\\\$\x"'d'\ e"#, &[r#"ab"c\$\xd e"#]),
            (r"$'it\'s\n\x41\101\u00e4\ud83d\ude00\U0001F600'", &["it's\nAA\u{e4}\u{1f600}\u{1f600}"]),
            ("'' \"\" $''", &["", "", ""]),
            ("http://a/?b=[1]*", &["http://a/?b=[1]*"]),
            ("'a'\"'\"'b'", &["a'b"]),
            ("", &[]),
            (" \n\n", &[]),
        ] {
            assert_eq!(
                read(text).as_deref(),
                Ok(&expected.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()[..]),
                "{text}"
            );
        }
    }

    #[test]
    fn what_a_shell_would_do_is_refused_with_its_place() {
        for (text, offset) in [
            ("a $HOME", 2),
            ("a \"$(b)\"", 3),
            ("a `b`", 2),
            ("a | b", 2),
            ("a;b", 1),
            ("a http://b/?c&d", 13),
            ("a > b", 2),
            ("a {b,c}", 2),
            ("a # b", 2),
            ("a ~/b", 2),
            ("a\nb", 1),
            ("a 'b", 2),
            ("a \"b", 2),
            ("a $'b", 2),
            ("a \\", 3),
            ("a $'\\q'", 4),
            ("a $'\\x'", 4),
            ("a $'\\x00'", 4),
            ("a $'\\777'", 4),
            ("a $'\\ud800'", 4),
            ("a $'\\ud800\\u0041'", 4),
            ("curl ^\"a^\"", 5),
        ] {
            assert_eq!(read(text).map_err(|error| error.offset), Err(offset), "{text}");
        }
        // All words together take no more memory than the command.
        let many = words(&"'a' ".repeat(MAX_WORDS)).expect("words");
        assert_eq!(many.iter().map(|word| word.capacity()).sum::<usize>(), MAX_WORDS);
        assert!(read(&"a ".repeat(MAX_WORDS)).is_ok() && read(&"a ".repeat(MAX_WORDS + 1)).is_err());
    }

    /// An argument in each form in which a browser or a person quotes it.
    fn quoted(word: &str, how: u8) -> String {
        match how % 3 {
            0 => format!("'{}'", word.replace('\'', "'\\''")),
            1 => format!(
                "\"{}\"",
                word.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "\\$").replace('`', "\\`")
            ),
            _ => {
                let units = word.encode_utf16().map(|unit| format!("\\u{unit:04x}"));
                format!("$'{}'", units.collect::<String>())
            }
        }
    }

    proptest! {
        #[test]
        fn whatever_is_quoted_comes_back(words in prop::collection::vec(("[^\0]{0,20}", any::<u8>()), 0..6)) {
            let text: Vec<String> = words.iter().map(|(word, how)| quoted(word, *how)).collect();
            let expected: Vec<String> = words.into_iter().map(|(word, _)| word).collect();
            prop_assert_eq!(read(&text.join(" ")), Ok(expected));
        }

        #[test]
        fn any_text_is_words_or_an_error(text in ".*") {
            if let Err(error) = read(&text) {
                prop_assert!(error.offset <= text.len());
            }
        }
    }
}
