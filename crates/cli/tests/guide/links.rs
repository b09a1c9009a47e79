//! Links of a page: files and headings of this repository.

use std::path::Path;

use crate::root;

/// Where the repository's files are on the web. Pages of the guide link to files outside `docs` by this
/// address, because the book does not contain them.
const FILES: &str = "https://github.com/volery/volery/blob/main/";

/// The links of a page that lead nowhere.
pub(crate) fn broken(path: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut found = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        }
        let targets = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|_| !fenced) {
            let right = match target.strip_prefix(FILES) {
                Some(file) => leads("README.md", "", file),
                None => {
                    target.contains("://") || leads(path, &text, target) && stays_in_the_book(path, target)
                }
            };
            if !right {
                found.push(format!("{path}: {target}"));
            }
        }
    }
    found
}

/// The book is made of the pages in `docs`: from there, a relative link must not leave that folder.
fn stays_in_the_book(path: &str, target: &str) -> bool {
    let deep = path.strip_prefix("docs/").map(|inside| inside.matches('/').count());
    deep.is_none_or(|deep| target.matches("../").count() <= deep)
}

fn leads(path: &str, text: &str, target: &str) -> bool {
    let (file, heading) =
        target.split_once('#').map_or((target, None), |(file, heading)| (file, Some(heading)));
    let there = root().join(path).parent().map(|folder| folder.join(file));
    let Some(there) = there.filter(|there| file.is_empty() || Path::exists(there)) else { return false };
    let Some(heading) = heading else { return true };
    let other =
        if file.is_empty() { text.to_owned() } else { std::fs::read_to_string(there).unwrap_or_default() };
    other
        .lines()
        .filter_map(|line| line.strip_prefix('#'))
        .any(|line| slug(line.trim_start_matches('#')) == heading)
}

/// A heading as links name it.
fn slug(heading: &str) -> String {
    let letters = heading.trim().to_lowercase();
    let kept = letters.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}
