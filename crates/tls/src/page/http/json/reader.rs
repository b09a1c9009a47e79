//! Reads a JSON text once, from front to back.

use std::collections::HashSet;

use zeroize::Zeroizing;

use super::{Error, MAX_DEPTH, Path, Step, Value, ValueType};

/// The most bytes of the paths of a list. Long keys around many values would take as many times the text.
const MAX_PATHS: usize = 1 << 26;

/// A reader that looks for the value at a path.
pub(super) struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    steps: &'a [Step],
    /// The value that it has found.
    pub(super) value: Option<Value>,
    /// The number of steps that lead to a value.
    pub(super) deepest: usize,
    /// The list of all values that contain no others, if it is wanted.
    pub(super) leaves: Option<Leaves>,
}

/// A list of values that contain no others.
pub(super) struct Leaves {
    /// The most entries.
    most: usize,
    /// The reader's current path, if paths are wanted.
    path: Option<Vec<Step>>,
    /// How many bytes more the paths of the list may have.
    left: usize,
    pub(super) found: Vec<(Path, Value)>,
}

impl Leaves {
    pub(super) fn new(most: usize) -> Self {
        Self { most, path: Some(Vec::new()), left: MAX_PATHS, found: Vec::new() }
    }

    /// All paths of the list are empty.
    pub(super) fn without_paths(most: usize) -> Self {
        Self { most, path: None, left: MAX_PATHS, found: Vec::new() }
    }

    fn add(&mut self, value: Value) -> Result<(), Error> {
        if matches!(value.kind, ValueType::Array | ValueType::Object) {
            return Ok(());
        }
        let bytes = |step: &Step| match step {
            Step::Key(key) => size_of::<Step>() + key.len(),
            Step::Index(_) | Step::Every => size_of::<Step>(),
        };
        let left = self.left.checked_sub(self.path.iter().flatten().map(bytes).sum());
        let Some(left) = left.filter(|_| self.found.len() < self.most) else {
            return Err(Error::Many { most: self.most });
        };
        self.left = left;
        self.found.push((Path::new(self.path.clone().unwrap_or_default()), value));
        Ok(())
    }
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a [u8], steps: &'a [Step]) -> Result<Self, Error> {
        if let Err(error) = core::str::from_utf8(text) {
            return Err(Error::Syntax { offset: error.valid_up_to(), reason: "it is not UTF-8" });
        }
        Ok(Self { text, at: 0, steps, value: None, deepest: 0, leaves: None })
    }

    pub(super) fn document(&mut self) -> Result<(), Error> {
        self.space();
        self.value(0, Some(0))?;
        self.space();
        if self.at == self.text.len() { Ok(()) } else { Err(self.syntax("something comes after the value")) }
    }

    fn syntax(&self, reason: &'static str) -> Error {
        Error::Syntax { offset: self.at, reason }
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// Consumes the next byte if it is this one.
    fn eat(&mut self, byte: u8) -> bool {
        let here = self.peek() == Some(byte);
        self.at += usize::from(here);
        here
    }

    /// A value inside `depth` arrays and objects. `taken` is the number of the path's steps that lead to it,
    /// if it is on the path.
    fn value(&mut self, depth: usize, taken: Option<usize>) -> Result<(), Error> {
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{' | b'[') if depth == MAX_DEPTH => return Err(Error::Depth { offset: start }),
            Some(b'{') => self.object(depth, taken)?,
            Some(b'[') => self.array(depth, taken)?,
            Some(b'"') => self.string().map(|_| ValueType::String)?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.word(b"true", ValueType::Bool)?,
            Some(b'f') => self.word(b"false", ValueType::Bool)?,
            Some(b'n') => self.word(b"null", ValueType::Null)?,
            _ => return Err(self.syntax("a value must come here")),
        };
        if let Some(leaves) = &mut self.leaves {
            leaves.add(Value { kind, range: start..self.at })?;
        }
        if let Some(taken) = taken {
            self.deepest = self.deepest.max(taken);
            if taken == self.steps.len() {
                self.value = Some(Value { kind, range: start..self.at });
            }
        }
        Ok(())
    }

    /// One more step, if it is the path's next.
    fn next(&self, taken: Option<usize>, matches: impl Fn(&Step) -> bool) -> Option<usize> {
        taken.filter(|taken| self.steps.get(*taken).is_some_and(matches)).map(|taken| taken + 1)
    }

    /// A value within another one.
    fn inner(
        &mut self,
        depth: usize,
        taken: Option<usize>,
        step: impl FnOnce() -> Step,
    ) -> Result<(), Error> {
        if let Some(Leaves { path: Some(path), .. }) = &mut self.leaves {
            path.push(step());
        }
        self.value(depth + 1, taken)?;
        if let Some(Leaves { path: Some(path), .. }) = &mut self.leaves {
            path.pop();
        }
        Ok(())
    }

    fn object(&mut self, depth: usize, taken: Option<usize>) -> Result<ValueType, Error> {
        self.at += 1;
        self.space();
        if self.eat(b'}') {
            return Ok(ValueType::Object);
        }
        let mut keys = HashSet::new();
        loop {
            let offset = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.syntax("a key must come here"));
            }
            let key = self.string()?;
            let next = self.next(taken, |step| matches!(step, Step::Key(name) if *name == key));
            if !keys.insert(key.clone()) {
                return Err(Error::Duplicate { offset });
            }
            self.space();
            if !self.eat(b':') {
                return Err(self.syntax("a colon must come here"));
            }
            self.space();
            self.inner(depth, next, || Step::Key(key))?;
            self.space();
            if self.eat(b'}') {
                return Ok(ValueType::Object);
            }
            if !self.eat(b',') {
                return Err(self.syntax("a comma or a brace must come here"));
            }
            self.space();
        }
    }

    fn array(&mut self, depth: usize, taken: Option<usize>) -> Result<ValueType, Error> {
        self.at += 1;
        self.space();
        if self.eat(b']') {
            return Ok(ValueType::Array);
        }
        for index in 0_usize.. {
            let next = self.next(taken, |step| *step == Step::Index(index));
            self.inner(depth, next, || Step::Index(index))?;
            self.space();
            if self.eat(b']') {
                break;
            }
            if !self.eat(b',') {
                return Err(self.syntax("a comma or a bracket must come here"));
            }
            self.space();
        }
        Ok(ValueType::Array)
    }

    fn word(&mut self, word: &[u8], kind: ValueType) -> Result<ValueType, Error> {
        if !self.text.get(self.at..).unwrap_or_default().starts_with(word) {
            return Err(self.syntax("a value must come here"));
        }
        self.at += word.len();
        Ok(kind)
    }

    fn digits(&mut self) -> Result<(), Error> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at > start { Ok(()) } else { Err(self.syntax("a digit must come here")) }
    }

    fn number(&mut self) -> Result<ValueType, Error> {
        self.eat(b'-');
        // No digit may follow a leading zero; it is refused as text after the value.
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _sign = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        Ok(ValueType::Number)
    }

    /// A string, with its escapes resolved.
    fn string(&mut self) -> Result<String, Error> {
        self.at += 1;
        let mut resolved = String::new();
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let plain = rest.iter().take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..=31)).count();
            let (plain, rest) = rest.split_at_checked(plain).unwrap_or_default();
            // The whole text is UTF-8, and is cut only at ASCII characters.
            resolved.push_str(core::str::from_utf8(plain).unwrap_or_default());
            self.at += plain.len();
            match rest {
                [b'"', ..] => {
                    self.at += 1;
                    return Ok(resolved);
                }
                [b'\\', ..] => resolved.push(self.escape()?),
                [_, ..] => return Err(self.syntax("a control character in a string")),
                [] => return Err(self.syntax("the text ends within a string")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Error> {
        let start = self.at;
        self.at += 2;
        let resolved = match self.text.get(start + 1) {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(*byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(start),
            _ => return Err(Error::Syntax { offset: start, reason: "an escape that JSON does not have" }),
        };
        Ok(resolved)
    }

    /// A character as `\uXXXX`, or as two of them (RFC 8259, section 7).
    fn unicode(&mut self, start: usize) -> Result<char, Error> {
        let bad = Error::Syntax { offset: start, reason: "an escape that is not a character" };
        let first = self.hex().ok_or_else(|| bad.clone())?;
        let code = if (0xd800..0xdc00).contains(&first) {
            let second = (self.eat(b'\\') && self.eat(b'u')).then(|| self.hex()).flatten();
            let second =
                second.filter(|second| (0xdc00..0xe000).contains(second)).ok_or_else(|| bad.clone())?;
            0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)
        } else {
            first
        };
        char::from_u32(code).ok_or(bad)
    }

    /// Four hexadecimal digits.
    fn hex(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..)?.first_chunk::<4>()?;
        self.at += 4;
        digits.iter().try_fold(0, |sum, digit| Some(sum << 4 | char::from(*digit).to_digit(16)?))
    }
}

/// Where the value that begins at this byte of a text ends.
pub(super) fn value_end(text: &[u8], start: usize) -> Option<usize> {
    let mut reader = Reader::new(text, &[]).ok()?;
    reader.at = start;
    reader.value(0, None).ok()?;
    Some(reader.at)
}

/// The JSON string at the start of a text, and the text after it.
pub(super) fn leading_string(text: &str) -> Option<(String, &str)> {
    if !text.starts_with('"') {
        return None;
    }
    let mut reader =
        Reader { text: text.as_bytes(), at: 0, steps: &[], value: None, deepest: 0, leaves: None };
    let string = reader.string().ok()?;
    Some((string, text.get(reader.at..)?))
}

/// The characters of the inside of a JSON string, with escapes resolved, and the positions where they begin;
/// `None` if it is not one.
pub(super) fn characters(text: &[u8]) -> Option<Zeroizing<Vec<(usize, char)>>> {
    let mut reader = Reader { text, at: 0, steps: &[], value: None, deepest: 0, leaves: None };
    let text = core::str::from_utf8(text).ok()?;
    let mut characters = Zeroizing::new(Vec::with_capacity(text.len()));
    while let Some(c) = text.get(reader.at..)?.chars().next() {
        let start = reader.at;
        let c = match c {
            '\\' => reader.escape().ok()?,
            '"' | '\0'..='\x1f' => return None,
            c => {
                reader.at += c.len_utf8();
                c
            }
        };
        characters.push((start, c));
    }
    Some(characters)
}
