//! What both parties know of a program before its run: the program itself, or bounds of a secret one.

use volery_circuit::{Digest, Error};

use super::log::MOST_LIVE;
use super::regions::file_sizes;
use super::settings::Settings;
use crate::Program;
use crate::program::{STACK_BYTES, STACK_END};

/// What a statement says of its program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Both parties have it.
    Public(Program),
    /// P has it, and V knows bounds ([`secret_program`](super::secret_program)).
    Secret(Bounds),
}

impl From<Program> for Subject {
    fn from(program: Program) -> Self {
        Self::Public(program)
    }
}

impl From<Bounds> for Subject {
    fn from(bounds: Bounds) -> Self {
        Self::Secret(bounds)
    }
}

/// What V knows of a secret program: where it lies, and how long it is at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The address of the first word of the image, a multiple of 4.
    pub text: u32,
    /// Words of the image: text, and what the file has right behind it. The rest is filled up.
    pub words: u32,
    /// The most words of data that the file has outside of the image.
    pub data: u32,
}

/// Where `guest/volery.ld` lays text.
const USUAL_TEXT: u32 = 0x1_0000;

/// The most words of an image, and of data.
const MOST_WORDS: u32 = 1 << 18;

/// The most words that a program's file fills: half of those that a run can use. Each is live from the start.
const MOST_FILE: u64 = MOST_LIVE / 2;

impl Bounds {
    /// For programs whose text is where `guest/volery.ld` lays it: an image of this many words, and as many
    /// words of data.
    #[must_use]
    pub fn usual(words: u32) -> Self {
        Self { text: USUAL_TEXT, words, data: words }
    }

    /// The address behind the image.
    pub(super) fn end(&self) -> u64 {
        u64::from(self.text) + 4 * u64::from(self.words)
    }

    fn check(self) -> Result<(), Error> {
        if self.words == 0 || self.words.max(self.data) > MOST_WORDS {
            return Err(Error::Public(format!(
                "a secret program of at most {} words, and {} words of data; 1 to {MOST_WORDS} words and at most as \
                 many of data are possible",
                self.words, self.data
            )));
        }
        let is_stack = self.end() > u64::from(STACK_END - STACK_BYTES) && self.text < STACK_END;
        if !self.text.is_multiple_of(4) || self.end() > u64::from(u32::MAX) || is_stack {
            return Err(Error::Public(format!(
                "an image of {} words at {:#x}; it has to begin at a multiple of 4, and to end before the last \
                 address and outside of the stack",
                self.words, self.text
            )));
        }
        Ok(())
    }

    fn identify(&self, digest: &mut Digest) {
        digest.bytes("program", b"a secret of RV32IM v1");
        digest.number("text", self.text.into());
        digest.number("words", self.words.into());
        digest.number("data", self.data.into());
    }
}

impl Subject {
    /// The program, if it is public.
    #[must_use]
    pub fn program(&self) -> Option<&Program> {
        match self {
            Self::Public(program) => Some(program),
            Self::Secret(_) => None,
        }
    }

    /// The bounds of a secret program.
    #[must_use]
    pub fn bounds(&self) -> Option<&Bounds> {
        match self {
            Self::Public(_) => None,
            Self::Secret(bounds) => Some(bounds),
        }
    }

    /// The place of the first row of the program, and the number of rows, those of fillers aside.
    pub(super) fn code(&self) -> (u32, usize) {
        match self {
            Self::Public(program) => (program.text(), program.code().len()),
            Self::Secret(bounds) => (bounds.text, bounds.words as usize),
        }
    }

    /// The number of words that are live from the start.
    pub(super) fn file_words(&self) -> u64 {
        match self {
            Self::Public(program) => file_sizes(program).iter().sum(),
            Self::Secret(bounds) => u64::from(bounds.words) + u64::from(bounds.data),
        }
    }

    /// The number of words of the file that both parties know: read-only ones, and others.
    pub(super) fn filed(&self) -> [u64; 2] {
        self.program().map_or([0; 2], file_sizes)
    }

    /// Refuses a program that holds the last word of the address space. Behind that, places and return
    /// addresses go on at 0, but rows say 2^32. Refuses one whose file fills too many words, and bounds that
    /// no image can have.
    ///
    /// # Errors
    /// [`Error::Public`] then.
    pub fn check(&self) -> Result<(), Error> {
        match self {
            Self::Public(_) => {
                let (text, words) = self.code();
                let end = u64::from(text) + 4 * words as u64;
                if end > u64::from(u32::MAX) {
                    return Err(Error::Public(
                        "the program's text ends with the address space; link it at least one word lower"
                            .into(),
                    ));
                }
                let filled = self.file_words();
                if filled > MOST_FILE {
                    return Err(Error::Public(format!(
                        "the program's file fills {filled} words of memory; at most {MOST_FILE} can be proved, as a \
                         proof holds all of them: let the program read large tables from its public input"
                    )));
                }
                Ok(())
            }
            Self::Secret(bounds) => bounds.check(),
        }
    }

    /// The digest of the program, or of the bounds of a secret one.
    pub(super) fn program_digest(&self) -> [u8; 32] {
        let mut digest = Digest::new();
        self.identify(&mut digest);
        digest.finish()
    }

    pub(super) fn identify(&self, digest: &mut Digest) {
        match self {
            Self::Public(program) => program.identify(digest),
            Self::Secret(bounds) => bounds.identify(digest),
        }
    }

    /// The digest of what is known of a run before it: the program or its bounds, the public input, and how
    /// runs are cut. The parties compare it before P says anything of its run.
    #[must_use]
    pub fn digest(&self, public: &[u8], settings: Settings) -> [u8; 32] {
        let mut digest = Digest::new();
        digest.bytes("statement", b"a program and its public input v2");
        self.identify(&mut digest);
        digest.bytes("public input", public);
        digest.number("steps", settings.steps.into());
        digest.number("unit", settings.unit.into());
        digest.number("log", settings.log);
        digest.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Kind, Segment};

    #[test]
    fn bounds_that_no_image_can_have_are_refused() {
        let usual = Bounds::usual(4096);
        let stack = STACK_END - STACK_BYTES;
        for right in [
            usual,
            Bounds { words: 1, data: 0, ..usual },
            Bounds { words: MOST_WORDS, data: MOST_WORDS, ..usual },
            Bounds { text: 0xffff_bffc, ..usual },
            Bounds { text: stack - 4 * 4096, ..usual },
            Bounds { text: STACK_END, ..usual },
        ] {
            assert_eq!(right.check(), Ok(()), "{right:?}");
        }
        for wrong in [
            Bounds { words: 0, ..usual },
            Bounds { words: MOST_WORDS + 1, ..usual },
            Bounds { data: MOST_WORDS + 1, ..usual },
            Bounds { text: 2, ..usual },
            Bounds { text: 0xffff_c000, ..usual },
            Bounds { text: stack - 4 * 4095, ..usual },
            Bounds { text: STACK_END - 4, ..usual },
        ] {
            assert!(matches!(wrong.check(), Err(Error::Public(_))), "{wrong:?}");
        }
    }

    /// Zeros that the file does not have take nothing.
    #[test]
    fn a_file_fills_half_of_the_words_that_can_be_used_and_not_one_more() {
        let segment = |address, size, bytes, kind| Segment { address, size, bytes, kind };
        let check = |data: usize| {
            let text = segment(0x1_0000, 8, vec![0x13; 8], Kind::Text);
            let zeros = segment(0x9000_0000, 1 << 30, Vec::new(), Kind::Writable);
            let data = segment(0x10_0000, 1 << 30, vec![1; data], Kind::ReadOnly);
            let program = Program::new(0x1_0000, vec![text, data, zeros]).expect("a program");
            Subject::from(program).check()
        };
        let most = 4 * MOST_FILE as usize - 8;
        assert_eq!(check(most), Ok(()));
        let refused = check(most + 1);
        let said = "fills 8388609 words of memory; at most 8388608 can be proved";
        assert!(matches!(&refused, Err(Error::Public(why)) if why.contains(said)), "{refused:?}");
    }

    #[test]
    fn a_digest_depends_on_each_bound() {
        let of = |bounds| Subject::Secret(bounds).digest(b"", Settings::default());
        let usual = Bounds::usual(8);
        for other in
            [Bounds { text: 0x2_0000, ..usual }, Bounds { words: 9, ..usual }, Bounds { data: 9, ..usual }]
        {
            assert!(of(usual) != of(other), "{other:?}");
        }
    }
}
