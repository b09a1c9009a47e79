//! Prints rows of measurements, and holds them against saved ones: `bench --compare FILE`.
//!
//! FILE is what `bench --json` printed, any number of objects. A row belongs to a saved one if all that says
//! what was measured and how is the same: name, size, unit, threads, fields and so on. Figures are what may
//! differ. The kernel and the cores may differ, too, and are then named: whoever compares two machines wants
//! to know.

use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::args::BenchArgs;
use crate::failure::Failure;
use crate::outcome::{self, Good};
use crate::output;
use crate::source;

/// The most bytes of a file of saved rows.
const MOST: u64 = 16 << 20;

/// Where rows are printed.
pub(super) struct Rows {
    json: bool,
    saved: Option<Saved>,
}

impl Rows {
    /// As the command line says. Reads the file first, so that nothing is measured if that fails.
    pub(super) fn new(args: &BenchArgs) -> Result<Self, Failure> {
        Ok(Self { json: args.json, saved: args.compare.as_deref().map(Saved::read).transpose()? })
    }

    /// Prints the names of the columns for people.
    pub(super) fn heading(&self, heading: &str) -> Result<(), Failure> {
        if self.json { Ok(()) } else { output::result(heading) }
    }

    /// Prints a row, for people as `text`, with what is to be said of a saved one.
    pub(super) fn print(&self, row: &impl Serialize, text: &str) -> Result<(), Failure> {
        let compared = match &self.saved {
            None => None,
            Some(saved) => Some(saved.compared(row)?),
        };
        if self.json {
            return outcome::json(Good::Done, &Object { row, compared });
        }
        output::result(text)?;
        match (compared, &self.saved) {
            (Some(Some(compared)), _) => output::result(&compared.text()),
            (Some(None), Some(saved)) => output::result(&format!("  {} has no such measurement", saved.name)),
            _ => Ok(()),
        }
    }
}

/// A row in JSON.
#[derive(Serialize)]
struct Object<'a, R> {
    #[serde(flatten)]
    row: &'a R,
    /// Missing unless rows are compared; null if there is none to compare with.
    #[serde(skip_serializing_if = "Option::is_none")]
    compared: Option<Option<Compared>>,
}

/// Saved rows.
struct Saved {
    name: String,
    rows: Vec<Map<String, Value>>,
}

impl Saved {
    fn read(path: &Path) -> Result<Self, Failure> {
        let source = source::of(path);
        let (name, content) = (source.name(), source.content(MOST)?);
        let mut rows = Vec::new();
        for (number, object) in serde_json::Deserializer::from_slice(&content).into_iter().enumerate() {
            let bad = |what: &str| Failure::input(format!("{name}, object {}: {what}", number + 1));
            match object.map_err(|error| bad(&error.to_string()))? {
                Value::Object(row) if row.get("seconds").is_some_and(Value::is_number) => rows.push(row),
                _ => return Err(bad("not a row that `volery bench --json` prints")),
            }
        }
        if rows.is_empty() {
            return Err(Failure::input(format!("{name}: no rows; `volery bench --json` prints them")));
        }
        Ok(Self { name, rows })
    }

    /// `row` beside the saved one that belongs to it; beside the middle one in time if there are several.
    fn compared(&self, row: &impl Serialize) -> Result<Option<Compared>, Failure> {
        let Value::Object(now) = serde_json::to_value(row).map_err(Failure::session)? else {
            return Ok(None);
        };
        let mut same: Vec<_> = self.rows.iter().filter(|before| is_same(before, &now)).collect();
        same.sort_by(|a, b| number(a, "seconds").total_cmp(&number(b, "seconds")));
        Ok(same.get(same.len() / 2).map(|before| Compared::new(before, &now)))
    }
}

/// A figure of a row, or zero.
fn number(row: &Map<String, Value>, key: &str) -> f64 {
    row.get(key).and_then(Value::as_f64).unwrap_or(0.0)
}

/// Whether a key is one of a figure.
fn is_figure(key: &str) -> bool {
    let starts = ["seconds", "bytes", "rss", "round_trips"];
    key.ends_with("per_second") || starts.iter().any(|start| key.starts_with(start))
}

/// What may differ besides figures, and is then named.
const NAMED: [&str; 2] = ["kernel", "pinned"];

/// Whether two rows are of the same measurement. A saved row also has what every object says of its command.
fn is_same(before: &Map<String, Value>, now: &Map<String, Value>) -> bool {
    let says =
        |key: &String, value: &Value| !value.is_object() && !is_figure(key) && !NAMED.contains(&key.as_str());
    now.iter().filter(|(key, value)| says(key, value)).all(|(key, value)| before.get(key) == Some(value))
}

/// A row beside a saved one.
#[derive(Debug, Serialize)]
struct Compared {
    /// The figures of the saved row.
    before: Map<String, Value>,
    /// Each of this row's over it.
    ratio: Map<String, Value>,
}

impl Compared {
    fn new(before: &Map<String, Value>, now: &Map<String, Value>) -> Self {
        let mut compared = Self { before: Map::new(), ratio: Map::new() };
        for (key, old) in before {
            let differs = NAMED.contains(&key.as_str()) && now.get(key).is_some_and(|new| new != old);
            if differs || is_figure(key) && old.is_number() {
                compared.before.insert(key.clone(), old.clone());
            }
            let ratio = number(now, key) / number(before, key);
            if is_figure(key) && now.get(key).is_some_and(Value::is_number) && ratio.is_finite() {
                compared.ratio.insert(key.clone(), ratio.into());
            }
        }
        compared
    }

    /// The line for people.
    fn text(&self) -> String {
        let ratio = |(key, ratio): (&String, &Value)| {
            format!("{} {:.2}", key.replace('_', " "), ratio.as_f64().unwrap_or(0.0))
        };
        let ratios: Vec<_> = self.ratio.iter().map(ratio).collect();
        let named = NAMED.iter().filter_map(|key| Some(format!("; {key} was {}", self.before.get(*key)?)));
        format!("  now / before: {}{}", ratios.join(", "), named.collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn saved(rows: &[Value]) -> Saved {
        let rows = rows.iter().map(|row| row.as_object().cloned().expect("an object")).collect();
        Saved { name: "a file".into(), rows }
    }

    #[test]
    fn a_row_is_held_against_the_middle_one_of_the_same_measurement() {
        let row = |size: u64, seconds: f64, kernel: &str| {
            json!({"name": "cot", "size": size, "seconds": seconds, "bytes_prover": 100, "kernel": kernel,
                   "seconds_commit": null, "result": "done"})
        };
        let saved = saved(&[row(5, 8.0, "a"), row(6, 1.0, "a"), row(5, 2.0, "a"), row(5, 4.0, "a")]);
        let mut now = row(5, 1.0, "b");
        now.as_object_mut().expect("an object").remove("result");
        let compared = saved.compared(&now).expect("JSON").expect("a row");
        assert_eq!(compared.ratio["seconds"], 0.25);
        assert_eq!(compared.before["kernel"], "a");
        assert_eq!(compared.text(), "  now / before: bytes prover 1.00, seconds 0.25; kernel was \"a\"");
        now["size"] = 7.into();
        assert!(saved.compared(&now).expect("JSON").is_none());
    }
}
