//! Properties of objects that JavaScript gives.

use js_sys::{Array, Reflect};
use wasm_bindgen::{JsCast as _, JsValue};

use crate::error::claim as wrong;

/// What came of a call that JavaScript could not get a result from, since an engine may have suspended it.
#[derive(Default)]
pub(crate) struct Outcome(Option<Result<JsValue, JsValue>>);

impl Outcome {
    pub(crate) fn keep(&mut self, outcome: Result<JsValue, JsValue>) {
        self.0 = Some(outcome);
    }

    /// Each outcome can be taken once.
    pub(crate) fn take(&mut self) -> Result<JsValue, JsValue> {
        self.0.take().unwrap_or_else(|| Err(wrong("nothing was asked for")))
    }
}

/// A property; none if it is missing, undefined or null.
pub(crate) fn get(object: &JsValue, name: &str) -> Option<JsValue> {
    let value = Reflect::get(object, &JsValue::from_str(name)).ok()?;
    if value.is_undefined() || value.is_null() { None } else { Some(value) }
}

pub(crate) fn text(object: &JsValue, name: &str) -> Result<Option<String>, JsValue> {
    let text = |value: JsValue| value.as_string().ok_or_else(|| wrong(&format!("`{name}` must be a string")));
    get(object, name).map(text).transpose()
}

pub(crate) fn number(object: &JsValue, name: &str) -> Result<Option<u32>, JsValue> {
    let number = |value: JsValue| {
        let number =
            value.as_f64().filter(|number| number.fract() == 0.0 && (0.0..=4294967295.0).contains(number));
        number.map(|number| number as u32).ok_or_else(|| wrong(&format!("`{name}` must be a whole number")))
    };
    get(object, name).map(number).transpose()
}

/// Whether a property is there and true.
#[cfg(feature = "web")]
pub(crate) fn flag(object: &JsValue, name: &str) -> Result<bool, JsValue> {
    let flag =
        |value: JsValue| value.as_bool().ok_or_else(|| wrong(&format!("`{name}` must be true or false")));
    get(object, name).map_or(Ok(false), flag)
}

#[cfg(feature = "web")]
pub(crate) fn bytes(object: &JsValue, name: &str) -> Result<Option<Vec<u8>>, JsValue> {
    let bytes = |value: JsValue| {
        let bytes: js_sys::Uint8Array =
            value.dyn_into().map_err(|_| wrong(&format!("`{name}` must be bytes or a string")))?;
        Ok(bytes.to_vec())
    };
    get(object, name).map(bytes).transpose()
}

pub(crate) fn list(object: &JsValue, name: &str) -> Result<Vec<JsValue>, JsValue> {
    let list = |value: JsValue| {
        let list = value.dyn_into::<Array>().map_err(|_| wrong(&format!("`{name}` must be a list")))?;
        Ok(list.to_vec())
    };
    get(object, name).map_or_else(|| Ok(Vec::new()), list)
}

/// A list of strings.
#[cfg(feature = "web")]
pub(crate) fn texts(object: &JsValue, name: &str) -> Result<Vec<String>, JsValue> {
    let all = list(object, name)?;
    let text = |value: JsValue| {
        value.as_string().ok_or_else(|| wrong(&format!("`{name}` must be a list of strings")))
    };
    all.into_iter().map(text).collect()
}

/// A list of bytes.
#[cfg(feature = "web")]
pub(crate) fn many_bytes(object: &JsValue, name: &str) -> Result<Vec<Vec<u8>>, JsValue> {
    let all = list(object, name)?;
    let bytes = |value: JsValue| {
        let bytes: js_sys::Uint8Array =
            value.dyn_into().map_err(|_| wrong(&format!("`{name}` must be a list of bytes")))?;
        Ok(bytes.to_vec())
    };
    all.into_iter().map(bytes).collect()
}
