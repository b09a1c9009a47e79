//! One request, with placeholders for values of earlier responses. Further requests come from files:
//!
//! ```text
//! POST /api/transfers                                       method and target
//! Authorization: Bearer {{response.json:token|64}}          fields; up to 64 bytes from the first response
//! Cookie: session={{response.cookie:session|32}}
//!                                                           an empty line
//! {"to": "{{response2.json:accounts[0].id|20}}"}            the body, if any
//! ```

use zeroize::Zeroizing;

use super::placeholder::{Placeholder, fill};
use volery::web::http::request::{Page, RequestParts};

/// One request.
#[derive(Debug)]
pub(super) struct Template {
    pub(super) method: String,
    pub(super) target: Zeroizing<String>,
    pub(super) fields: Vec<Zeroizing<String>>,
    pub(super) body: Option<Zeroizing<Vec<u8>>>,
}

impl Template {
    /// Parses a request file, and adds `fields` to it.
    pub(super) fn parse(text: &[u8], fields: &[Zeroizing<String>]) -> Result<Self, String> {
        let (head, body) = text.windows(2).position(|end| end == b"\n\n").map_or((text, None), |end| {
            let (head, rest) = text.split_at(end);
            (head, rest.strip_prefix(b"\n\n"))
        });
        let head =
            core::str::from_utf8(head).map_err(|_| "method, target and fields are ASCII text".to_owned())?;
        let mut lines = head.lines();
        let first = lines.next().unwrap_or_default().split_once(' ');
        let (method, target) =
            first.ok_or("the first line must be a method and a target, like `GET /page`")?;
        if !target.starts_with('/') {
            return Err("the target must begin with a slash: all requests go to one server".into());
        }
        let own = lines.filter(|line| !line.is_empty()).map(|line| Zeroizing::new(line.to_owned()));
        // Editors add a line end at the end of a file.
        let body = body.map(|body| body.strip_suffix(b"\n").unwrap_or(body)).filter(|body| !body.is_empty());
        Ok(Self {
            method: method.into(),
            target: Zeroizing::new(target.into()),
            fields: fields.iter().cloned().chain(own).collect(),
            body: body.map(|body| Zeroizing::new(body.to_vec())),
        })
    }

    /// All texts that may have placeholders.
    fn texts(&self) -> impl Iterator<Item = &[u8]> {
        let fields = self.fields.iter().map(|field| field.as_bytes());
        core::iter::once(self.target.as_bytes()).chain(fields).chain(self.body.as_deref().map(Vec::as_slice))
    }

    pub(super) fn placeholders(&self) -> Result<Vec<Placeholder>, String> {
        let mut placeholders = Vec::new();
        for text in self.texts() {
            fill(text, &mut |place| {
                placeholders.push(place);
                Ok(Zeroizing::default())
            })?;
        }
        Ok(placeholders)
    }

    /// The names of the header fields.
    pub(super) fn field_names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|field| field.split(':').next().unwrap_or_default())
    }

    /// Whether the path has a placeholder.
    pub(super) fn puts_into_path(&self) -> Result<bool, String> {
        // This byte is in no target.
        let filled = fill(self.target.as_bytes(), &mut |_| Ok(Zeroizing::new(vec![0])))?;
        Ok(filled.split(|byte| *byte == b'?').next().is_some_and(|path| path.contains(&0)))
    }

    /// Whether the name of a parameter of the query has a placeholder.
    pub(super) fn puts_into_parameter_name(&self) -> Result<bool, String> {
        let filled = fill(self.target.as_bytes(), &mut |_| Ok(Zeroizing::new(vec![0])))?;
        Ok(parameter_names(&filled).any(|name| name.contains(&0)))
    }

    /// The names of the header fields with placeholders in their values.
    ///
    /// # Errors
    /// The name of a field has a placeholder. Names always show.
    pub(super) fn filled_fields(&self) -> Result<Vec<&str>, String> {
        let mut filled = Vec::new();
        for (name, field) in self.field_names().zip(&self.fields) {
            if has_place(name.as_bytes())? {
                return Err("a value cannot be part of a header field's name, which always shows".into());
            }
            if has_place(field.as_bytes())? {
                filled.push(name);
            }
        }
        Ok(filled)
    }

    /// Whether a placeholder stands in the name of a JSON member of the body, or in what looks like one.
    pub(super) fn puts_into_name(&self) -> Result<bool, String> {
        let Some(body) = &self.body else { return Ok(false) };
        let filled = fill(body, &mut |_| Ok(Zeroizing::new(vec![0])))?;
        let marked = filled.iter().enumerate().filter(|(_, byte)| **byte == 0);
        Ok(marked.into_iter().any(|(place, _)| ends_a_name(filled.get(place..).unwrap_or_default())))
    }

    /// The request with meaningless values of the greatest lengths.
    pub(super) fn longest(&self, page: &Page, last: bool) -> Result<Zeroizing<Vec<u8>>, String> {
        self.with(page, last, &mut |place| Ok(Zeroizing::new(vec![b'x'; place.most])))
    }

    /// The request with these values.
    pub(super) fn with(
        &self,
        page: &Page,
        last: bool,
        value: &mut dyn FnMut(Placeholder) -> Result<Zeroizing<Vec<u8>>, String>,
    ) -> Result<Zeroizing<Vec<u8>>, String> {
        let mut text = |text: &[u8]| -> Result<Zeroizing<String>, String> {
            let filled = fill(text, value)?;
            // All values are ASCII.
            Ok(Zeroizing::new(String::from_utf8_lossy(&filled).into_owned()))
        };
        let target = text(self.target.as_bytes())?;
        let fields = self.fields.iter().map(|field| text(field.as_bytes())).collect::<Result<Vec<_>, _>>()?;
        let body = self.body.as_ref().map(|body| fill(body, value)).transpose()?;
        let body = body.as_deref().map(Vec::as_slice);
        let words = RequestParts { method: &self.method, target: &target, fields: &fields, body, last };
        page.request(&words).map_err(|failure| failure.to_string())
    }
}

/// The names of the parameters of a target's query, as they are sent.
pub(super) fn parameter_names(target: &[u8]) -> impl Iterator<Item = &[u8]> {
    let query =
        target.iter().position(|byte| *byte == b'?').and_then(|at| target.get(at.saturating_add(1)..));
    let parameters = query.into_iter().flat_map(|query| query.split(|byte| matches!(byte, b'&' | b';')));
    parameters.map(|parameter| parameter.split(|byte| *byte == b'=').next().unwrap_or_default())
}

/// Whether this text has a placeholder.
fn has_place(text: &[u8]) -> Result<bool, String> {
    let mut any = false;
    fill(text, &mut |_| {
        any = true;
        Ok(Zeroizing::default())
    })?;
    Ok(any)
}

/// Whether a colon follows the string that this text begins in.
fn ends_a_name(text: &[u8]) -> bool {
    let mut rest = text.iter();
    loop {
        match rest.next() {
            Some(b'\\') => drop(rest.next()),
            Some(b'"') => return rest.find(|byte| !byte.is_ascii_whitespace()) == Some(&b':'),
            Some(_) => {}
            None => return false,
        }
    }
}
