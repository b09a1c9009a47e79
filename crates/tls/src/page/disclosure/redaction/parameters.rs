//! Parameters of a query: P finds their values, and V finds them again.

use core::ops::Range;

use super::rest::Named;
use super::structure::HttpMessage;
use super::{MAX_HIDDEN, Part};
use crate::page::disclosure::Refusal;
use crate::page::http::{self, Request};

impl HttpMessage<'_> {
    /// The values of all parameters of this name.
    pub(super) fn parameter(
        &self,
        part: &Part,
        request: &Request,
        name: &str,
    ) -> Result<Vec<Range<usize>>, Refusal> {
        if name.is_empty() {
            return Err(self.refusal(part, "a parameter without a name is not hidden or shown alone"));
        }
        let all = request.parameters(self.text).map_err(|reason| self.refusal(part, reason))?;
        let mut own = all.into_iter().filter(|parameter| parameter.name == name).peekable();
        if own.peek().is_none() {
            return Err(self.refusal(part, "the query has no parameter of this name"));
        }
        let values: Vec<_> = own.filter_map(|parameter| parameter.value).collect();
        if values.is_empty() { Err(self.refusal(part, "it has no value")) } else { Ok(values) }
    }

    /// Checks that there is one parameter of this name, and none that some server may take for it.
    pub(super) fn check_only(&self, part: &Part, name: &str) -> Result<(), Refusal> {
        let all = self.request.map(|request| request.parameters(self.text)).transpose();
        let all = all.map_err(|reason| self.refusal(part, reason))?.unwrap_or_default();
        let mut same = all.iter().filter(|parameter| http::may_be_same(&parameter.name, name));
        match (same.next(), same.next()) {
            (_, None) => Ok(()),
            (Some(one), Some(other)) if one.name == other.name => Err(self.refusal(
                part,
                "there are several parameters of this name, so nothing can be claimed of it, nor committed to",
            )),
            (_, Some(_)) => Err(self.refusal(
                part,
                "some servers take another parameter for this one, so nothing can be claimed of it, nor committed to",
            )),
        }
    }

    /// The query, or if P names a parameter of it, the values of all others. Their names show then.
    pub(super) fn parameters_but(&self, named: &Named<'_>) -> Result<Vec<Part>, Refusal> {
        let Some(request) = self.request.filter(|_| named.has_parameter()) else {
            return Ok(vec![Part::Query]);
        };
        let all = request.parameters(self.text).map_err(|reason| self.refusal(&Part::Query, reason))?;
        let mut parts: Vec<Part> = Vec::new();
        for parameter in all {
            let part = Part::Parameter(parameter.name);
            let some = parameter.value.is_some_and(|value| !value.is_empty());
            if some && !named.has(&part) && !parts.contains(&part) {
                parts.push(part);
            }
        }
        const { assert!(http::MAX_PARAMETERS <= MAX_HIDDEN) };
        Ok(parts)
    }
}
