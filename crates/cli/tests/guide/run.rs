//! Runs the commands of a page.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use tempfile::TempDir;

use crate::output::{Kept, agrees, learn};
use crate::page::{Command, Note, Page};
use crate::root;

/// Longer than any command takes here, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(180);

/// Runs a page.
pub(crate) fn page(page: &Page) {
    let mut stage = Stage::new();
    for (from, to) in &page.copies {
        let to = stage.file(to);
        to.parent().map_or(Ok(()), std::fs::create_dir_all).expect("a folder");
        std::fs::copy(root().join(from), to).unwrap_or_else(|error| panic!("{from}: {error}"));
    }
    for block in &page.blocks {
        let place = format!("{}:{}", page.path, block.line);
        match (&block.note, &*block.language) {
            (Some(Note::NotRun), _) => {}
            (Some(Note::File(name)), _) => {
                std::fs::write(stage.file(name), stage.translated_file(&block.text)).expect("writable");
            }
            (Some(Note::Needs(program)), _) if !exists(program) => {}
            (None | Some(Note::Needs(_)), "console" | "sh") => {
                for command in block.commands().unwrap_or_else(|why| panic!("{place}: {why}")) {
                    let done = stage.run(&command);
                    done.unwrap_or_else(|why| panic!("{}:{}: {why}", page.path, command.line));
                }
            }
            (None, language) if language == "text" || language.starts_with("rust") => {}
            (_, language) => panic!("{place}: nobody says what to do with a block of {language:?}"),
        }
    }
    stage.close_all().unwrap_or_else(|why| panic!("{}: {why}", page.path));
}

/// Whether a program is on the path.
fn exists(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// The surroundings of a page's commands.
struct Stage {
    /// The folder in which commands run.
    folder: TempDir,
    /// A folder for the program and for the output of processes.
    behind: TempDir,
    path: String,
    /// The ports that the page names, and the actual ones.
    ports: BTreeMap<String, String>,
    kept: Kept,
    /// The listening process of each party.
    running: BTreeMap<String, Process>,
    count: usize,
}

/// A process in a process group of its own, which is killed together.
struct Process {
    child: Child,
    printed: PathBuf,
    command: Command,
    /// Whether it runs until a signal ends it.
    serves: bool,
}

impl Stage {
    fn new() -> Self {
        let behind = tempfile::tempdir().expect("a folder");
        let program = std::env::var_os("VOLERY").unwrap_or_else(|| env!("CARGO_BIN_EXE_volery").into());
        std::os::unix::fs::symlink(program, behind.path().join("volery")).expect("a link to the program");
        let others = std::env::var("PATH").unwrap_or_default();
        Self {
            folder: tempfile::tempdir().expect("a folder"),
            path: format!("{}:{others}", behind.path().display()),
            behind,
            ports: BTreeMap::new(),
            kept: Kept::new(),
            running: BTreeMap::new(),
            count: 0,
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        assert!(!name.contains(".."), "{name} is not in the folder");
        self.folder.path().join(name)
    }

    /// Runs a command to its end, or until it listens.
    fn run(&mut self, command: &Command) -> Result<(), String> {
        self.close(&command.party)?;
        let (text, port) = self.translated(&command.text);
        let printed = self.behind.path().join(format!("{}.log", self.count));
        self.count += 1;
        let mut process = Process::start(&text, self, printed, command)?;
        match port {
            None => process.end(&self.translated_lines(&command.shown), &mut self.kept),
            Some(port) => {
                self.ports.insert(port, process.listens()?);
                learn(&command.shown, &process.printed().lines().collect::<Vec<_>>(), &mut self.kept);
                self.running.insert(command.party.clone(), process);
                Ok(())
            }
        }
    }

    /// Waits until a party's process ends.
    fn close(&mut self, party: &str) -> Result<(), String> {
        let Some(mut process) = self.running.remove(party) else { return Ok(()) };
        let shown = self.translated_lines(&process.command.shown);
        let line = process.command.line;
        process.end(&shown, &mut self.kept).map_err(|why| format!("the command of line {line}: {why}"))
    }

    fn close_all(&mut self) -> Result<(), String> {
        let parties: Vec<_> = self.running.keys().cloned().collect();
        parties.iter().try_for_each(|party| self.close(party))
    }

    /// Translates a command for this machine, and returns the port that it asks for if it listens.
    fn translated(&self, text: &str) -> (String, Option<String>) {
        let mut port = None;
        let mut words: Vec<String> = text.split(' ').map(|word| self.translated_word(word)).collect();
        if let Some(at) = words.iter().position(|word| word == "--listen") {
            port = text
                .split(' ')
                .nth(at + 1)
                .and_then(|address| address.rsplit_once(':'))
                .map(|(_, port)| port.to_owned());
            words[at + 1] = "127.0.0.1:0".into();
        } else if words.starts_with(&["volery".into(), "demo".into(), "web".into()]) {
            port = Some("8443".into());
            words.splice(3..3, ["--listen".to_owned(), "127.0.0.1:0".to_owned()]);
        }
        (words.join(" "), port)
    }

    fn translated_lines(&self, lines: &[String]) -> Vec<String> {
        let line = |line: &String| line.split(' ').map(|word| self.translated_word(word)).collect::<Vec<_>>();
        lines.iter().map(|shown| line(shown).join(" ")).collect()
    }

    /// A file with the values that differ from run to run, and the ports that were found.
    fn translated_file(&self, text: &str) -> String {
        let all = self
            .kept
            .iter()
            .map(|(name, value)| (*name, value))
            .chain(self.ports.iter().map(|(asked, found)| (asked.as_str(), found)));
        all.fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
    }

    fn translated_word(&self, word: &str) -> String {
        let mut word = word.to_owned();
        for (name, value) in &self.kept {
            word = word.replace(name, value);
        }
        for (asked, found) in &self.ports {
            if word == *asked {
                word.clone_from(found);
            } else if let Some(at) = word.find(&format!(":{asked}")) {
                let rest = word[at + 1 + asked.len()..].to_owned();
                // The host of a URL stays, since the certificate is for it.
                let host = &word[..at];
                let here = host == "0.0.0.0" || host.ends_with(".example") && !host.contains('/');
                let host = if here { "127.0.0.1" } else { host };
                word = format!("{host}:{found}{rest}");
            }
        }
        word
    }
}

impl Process {
    fn start(text: &str, stage: &Stage, printed: PathBuf, command: &Command) -> Result<Self, String> {
        let output = File::create(&printed).map_err(|error| error.to_string())?;
        let errors = output.try_clone().map_err(|error| error.to_string())?;
        let mut shell = std::process::Command::new("sh");
        shell
            .args(["-c", text])
            .current_dir(stage.folder.path())
            .env("PATH", &stage.path)
            .env_remove("VOLERY");
        shell.stdin(Stdio::null()).stdout(output).stderr(errors).process_group(0);
        let serves = ["notary serve", "demo web", "--serve"].iter().any(|words| text.contains(words))
            && !text.contains("--max-sessions");
        let command = Command {
            line: command.line,
            party: command.party.clone(),
            text: text.into(),
            shown: command.shown.clone(),
        };
        let child = shell.spawn().map_err(|error| format!("sh: {error}"))?;
        Ok(Self { child, printed, command, serves })
    }

    fn printed(&self) -> String {
        std::fs::read_to_string(&self.printed).unwrap_or_default()
    }

    fn failed(&self, why: &str) -> String {
        format!("{why}\n$ {}\n{}", self.command.text, self.printed())
    }

    /// Waits until it listens, and returns the port.
    fn listens(&mut self) -> Result<String, String> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let printed = self.printed();
            let address = printed.lines().find_map(|line| line.strip_prefix("listening at "));
            if let Some((_, port)) = address.and_then(|address| address.rsplit_once(':')) {
                return Ok(port.to_owned());
            }
            if self.child.try_wait().map_err(|error| error.to_string())?.is_some() {
                return Err(self.failed("it ended and did not listen"));
            }
            self.wait(deadline)?;
        }
    }

    /// Waits for its end, and checks that the exit code is 0 and that it printed these lines.
    fn end(&mut self, shown: &[String], kept: &mut Kept) -> Result<(), String> {
        if self.serves {
            self.signal(Signal::TERM);
        }
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            match self.child.try_wait().map_err(|error| error.to_string())? {
                Some(status) => break status,
                None => self.wait(deadline)?,
            }
        };
        if !status.success() && !self.serves {
            return Err(self.failed(&format!("it ended with {status}")));
        }
        let printed = self.printed();
        let lines: Vec<_> = printed.lines().collect();
        if !shown.is_empty() && !agrees(shown, &lines, kept) {
            return Err(self.failed(&format!("it was to print\n{}\nand printed", shown.join("\n"))));
        }
        Ok(())
    }

    fn wait(&self, deadline: Instant) -> Result<(), String> {
        if Instant::now() > deadline {
            return Err(self.failed("it does not end"));
        }
        std::thread::sleep(Duration::from_millis(10));
        Ok(())
    }

    fn signal(&self, signal: Signal) {
        let _ = kill_process_group(Pid::from_child(&self.child), signal);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // After a wait the group is gone, and its number may belong to another one.
        if matches!(self.child.try_wait(), Ok(None)) {
            self.signal(Signal::KILL);
            let _ = self.child.wait();
        }
    }
}
