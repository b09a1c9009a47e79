//! The bytes that a hidden string may consist of.

use core::fmt;

use volery_circuit::{Error, Recorded, Recorder};
use volery_field::F2;

use super::{Claim, Word, circuits, number};

/// A set of strings that cannot change the structure around them (see the [module](super)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// The inside of a JSON string.
    JsonText,
    /// A JSON number.
    Number,
    /// A JSON `true`, `false` or `null`. Its length says which, or that it is one of two.
    Word,
    /// Several JSON values and the text between them, which is known
    /// ([`Values`](crate::disclosure::Values)).
    Values,
    /// A part of the value of a header field.
    HeaderValue,
    /// The path of a request's target, after its slash.
    Path,
    /// The query of a request's target, after its question mark.
    Query,
    /// The value of a parameter of a request's query.
    Parameter,
    /// Anything.
    Opaque,
}

impl Class {
    /// The filler that V sees in place of the hidden bytes when it reads structure.
    #[must_use]
    pub(crate) const fn filler(self) -> u8 {
        match self {
            Self::Number | Self::Word | Self::Values => b'1',
            Self::JsonText
            | Self::HeaderValue
            | Self::Path
            | Self::Query
            | Self::Parameter
            | Self::Opaque => b'x',
        }
    }

    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::JsonText => 1,
            Self::Number => 2,
            Self::HeaderValue => 3,
            Self::Path => 4,
            Self::Opaque => 5,
            Self::Query => 6,
            Self::Word => 7,
            Self::Values => 8,
            Self::Parameter => 9,
        }
    }

    pub(crate) fn from_code(code: u8) -> Option<Self> {
        let all = [
            Self::JsonText,
            Self::Number,
            Self::HeaderValue,
            Self::Path,
            Self::Opaque,
            Self::Query,
            Self::Word,
            Self::Values,
            Self::Parameter,
        ];
        all.into_iter().find(|class| class.code() == code)
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::JsonText => "is text of a JSON string",
            Self::Number => "is a JSON number",
            Self::Word => "is true, false or null",
            Self::Values => "are JSON values and the text between them",
            Self::HeaderValue => "is text of a header",
            Self::Path => "is text of a path",
            Self::Query => "is text of a query",
            Self::Parameter => "is the value of a parameter",
            Self::Opaque => "is hidden",
        })
    }
}

/// Claims that the bytes are of the class.
impl Claim for Class {
    fn assert(&self, recorder: &mut Recorder<F2>, _: Class, bytes: &[Recorded]) -> Result<(), Error> {
        match self {
            Self::JsonText => circuits::json_text(recorder, bytes),
            Self::Number => number::number(recorder, bytes),
            // Nobody asks this: it takes the text to say what is claimed.
            Self::Values => Err(Error::Public("JSON values without the text between them".into())),
            Self::Word => circuits::one_of(recorder, bytes, Word::ALL.map(Word::text)),
            Self::HeaderValue => circuits::header_value(recorder, bytes),
            Self::Path => circuits::target(recorder, bytes, b"?#"),
            Self::Query => circuits::target(recorder, bytes, b"#"),
            Self::Parameter => circuits::parameter(recorder, bytes),
            Self::Opaque => Ok(()),
        }
    }
}
