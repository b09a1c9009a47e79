//! Opening the files that statements are read from.

use std::fs::{self, File};
use std::path::Path;

use crate::Error;

/// Opens a regular file, and returns it with its length. `what` names it in errors.
///
/// A statement's file is read more than once, or out of order, which is impossible with a pipe. A pipe is
/// refused before it is opened, because opening one waits for its other end, and that might never come.
pub(crate) fn open(path: &Path, what: &str) -> Result<(File, u64), Error> {
    let failed = |error| Error::io(what, &error);
    let regular = |metadata: &fs::Metadata| match metadata.is_file() {
        true => Ok(()),
        false => {
            let reason = "a statement is read more than once, so it must be a regular file".to_owned();
            Err(Error::Io { what: what.to_owned(), reason })
        }
    };
    regular(&fs::metadata(path).map_err(failed)?)?;
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    regular(&metadata)?;
    Ok((file, metadata.len()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;
    use std::process::Command;
    use std::sync::mpsc;
    use std::time::Duration;

    use crate::r1cs::{Header, R1cs};
    use crate::{BristolFile, Error};

    /// What opening says, if it does within ten seconds: to open a pipe would wait for ever.
    fn within_time<T>(open: impl FnOnce() -> Result<T, Error> + Send + 'static) -> Option<Error>
    where
        T: Send + 'static,
    {
        let (told, result) = mpsc::channel();
        std::thread::spawn(move || told.send(open().err()));
        result.recv_timeout(Duration::from_secs(10)).expect("it waits for the pipe's other end")
    }

    #[test]
    fn statements_in_pipes_sockets_devices_and_folders_are_refused_and_not_waited_for() {
        let dir = tempfile::tempdir().expect("a folder");
        let pipe = dir.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().expect("there is mkfifo").success());
        let socket = dir.path().join("socket");
        let _listener = UnixListener::bind(&socket).expect("bound");
        for path in [pipe, socket, "/dev/zero".into(), dir.path().to_owned()] {
            let [a, b, c] = [path.clone(), path.clone(), path.clone()];
            for error in [
                within_time(move || BristolFile::<volery_field::F2>::open(a)),
                within_time(move || R1cs::<volery_field::F61>::open(b)),
                within_time(move || Header::open(c)),
            ] {
                let told =
                    matches!(&error, Some(Error::Io { reason, .. }) if reason.contains("regular file"));
                assert!(told, "{}: {error:?}", path.display());
            }
        }
    }
}
