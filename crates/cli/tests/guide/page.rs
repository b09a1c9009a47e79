//! Parses a page into blocks with their notes.

use crate::root;

/// The comment above a block.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Note {
    /// The block is a file with this name.
    File(String),
    /// The block runs if the machine has this program.
    Needs(String),
    /// The block does not run.
    NotRun,
}

/// A block of code.
#[derive(Debug)]
pub(crate) struct Block {
    /// The line number of its first line.
    pub(crate) line: usize,
    pub(crate) language: String,
    pub(crate) note: Option<Note>,
    pub(crate) text: String,
}

/// A page to run.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) path: String,
    /// Files of the repository, and their names in the page's folder.
    pub(crate) copies: Vec<(String, String)>,
    pub(crate) blocks: Vec<Block>,
}

impl Page {
    /// Reads a page of the repository.
    pub(crate) fn read(path: &str) -> Self {
        let text =
            std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        Self::parse(path, &text)
    }

    fn parse(path: &str, text: &str) -> Self {
        let mut page = Self { path: path.into(), copies: Vec::new(), blocks: Vec::new() };
        let mut note = None;
        let mut lines = text.lines().enumerate();
        while let Some((at, line)) = lines.next() {
            if let Some(comment) = line.strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->")) {
                match comment.trim().split_once(": ") {
                    Some(("file", name)) => note = Some(Note::File(name.into())),
                    Some(("needs", program)) => note = Some(Note::Needs(program.into())),
                    Some(("not run", why)) if !why.is_empty() => note = Some(Note::NotRun),
                    Some(("copy", names)) => {
                        let (from, to) = names.split_once(' ').expect("a path and a name");
                        page.copies.push((from.into(), to.into()));
                    }
                    _ => panic!("{path}:{}: a comment that says nothing: {line}", at + 1),
                }
            } else if let Some(language) = line.strip_prefix("```") {
                let inside = lines.by_ref().take_while(|(_, line)| *line != "```");
                let text = inside.map(|(_, line)| format!("{line}\n")).collect();
                page.blocks.push(Block { line: at + 2, language: language.into(), note: note.take(), text });
            } else if !line.is_empty() {
                assert!(note.is_none(), "{path}:{}: no block below a comment", at + 1);
            }
        }
        page
    }
}

/// A command and its expected output.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Command {
    /// Its line number.
    pub(crate) line: usize,
    /// The party that runs it; empty if the prompt is `$` alone.
    pub(crate) party: String,
    pub(crate) text: String,
    /// The lines that the page shows; empty if it shows none.
    pub(crate) shown: Vec<String>,
}

impl Block {
    /// Its commands, or the reason why it has none.
    pub(crate) fn commands(&self) -> Result<Vec<Command>, String> {
        let prompts = self.language == "console";
        let mut commands: Vec<Command> = Vec::new();
        let mut goes_on = false;
        for (at, line) in self.text.lines().enumerate() {
            let begins = if prompts { prompt(line) } else { Some(("", line)) };
            match (begins, commands.last_mut()) {
                (_, Some(command)) if goes_on => {
                    command.text.push('\n');
                    command.text.push_str(line);
                }
                (Some((_, text)), _) if text.trim_start().starts_with('#') || text.is_empty() => continue,
                (Some((party, text)), _) => {
                    let (party, text) = (party.to_owned(), text.trim_start().to_owned());
                    commands.push(Command { line: self.line + at, party, text, shown: Vec::new() });
                }
                (None, Some(command)) => {
                    command.shown.push(line.to_owned());
                    continue;
                }
                (None, None) => return Err("a console block begins with a prompt".into()),
            }
            goes_on = line.ends_with('\\') || line.ends_with('|');
        }
        Ok(commands)
    }
}

/// Splits a line into a party's name and its command.
fn prompt(line: &str) -> Option<(&str, &str)> {
    let (party, text) = line.split_once('$')?;
    let typed = text.starts_with(' ') && party.bytes().all(|byte| byte.is_ascii_lowercase());
    typed.then_some((party, text))
}

#[test]
fn a_page_has_blocks_with_notes() {
    let text = "<!-- copy: a/b c -->\ntext\n\n<!-- file: d.txt -->\n```text\ne\n```\n```console\n$ f \\\n  g\nh\n```\n";
    let page = Page::parse("p", text);
    assert_eq!(page.copies, [("a/b".into(), "c".into())]);
    assert_eq!(page.blocks.len(), 2);
    assert_eq!((&page.blocks[0].note, &*page.blocks[0].text), (&Some(Note::File("d.txt".into())), "e\n"));
    let command =
        Command { line: 9, party: String::new(), text: "f \\\n  g".into(), shown: vec!["h".into()] };
    assert_eq!((&page.blocks[1].note, page.blocks[1].commands()), (&None, Ok(vec![command])));
}
