//! Files and standard input, as sources of witnesses and public values.

use std::fs::File;
use std::io;
use std::os::fd::AsFd as _;
use std::path::Path;

use volery_statement::Source;

/// The source of this path; `-` is standard input.
pub(crate) fn of(path: &Path) -> Source {
    if is_standard(path) {
        return Source::Stream { name: "standard input", open: standard };
    }
    Source::File(path.to_owned())
}

/// Whether this path means standard input.
pub(crate) fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

fn standard() -> io::Result<File> {
    // The standard library's buffer is avoided, since nobody wipes it.
    io::stdin().as_fd().try_clone_to_owned().map(File::from)
}
