//! Errors as JavaScript sees them: an `Error` whose name says what it means. `errors.js` has a class for
//! each.

use js_sys::Error as JsError;
#[cfg(feature = "claims")]
use volery_statement::{Error, Kind};
use wasm_bindgen::JsValue;

/// An error with this name.
pub(crate) fn named(name: &str, message: &str) -> JsValue {
    let error = JsError::new(message);
    error.set_name(name);
    error.into()
}

/// What is asked for makes no sense.
pub(crate) fn claim(message: &str) -> JsValue {
    named("ClaimError", message)
}

/// The name of an option as a property in JavaScript.
#[cfg(feature = "claims")]
fn property(name: &str) -> String {
    let mut parts = name.split('-');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut letters = part.chars();
        out.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        out.push_str(letters.as_str());
    }
    out
}

/// The error for JavaScript.
#[cfg(feature = "claims")]
pub(crate) fn of(error: &Error) -> JsValue {
    let name = match error.kind() {
        Kind::Input | Kind::Io => "ClaimError",
        Kind::Unsatisfied => "WitnessError",
        Kind::Rejected => "RejectedError",
        Kind::Mismatch => "MismatchError",
        _ => "SessionError",
    };
    named(name, &error.message(&|option, _| format!("`{}`", property(option))))
}
