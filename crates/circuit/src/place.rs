//! The current place of a program: the named parts that it has entered and not left.

/// The path of parts around the current operation, outermost first. A backend that holds values needs it for
/// [`Error::Unsatisfied`](crate::Error::Unsatisfied).
#[derive(Clone, Debug, Default)]
pub struct Place {
    path: String,
    /// The length of `path` before each open part.
    open: Vec<usize>,
}

impl Place {
    /// Enters a part.
    pub fn enter(&mut self, part: &str) {
        self.open.push(self.path.len());
        if !self.path.is_empty() {
            self.path.push('/');
        }
        self.path.push_str(part);
    }

    /// Leaves the part entered last.
    ///
    /// Leaving more often than entering does nothing: it only affects messages, so it is not worth an error.
    pub fn leave(&mut self) {
        if let Some(length) = self.open.pop() {
            self.path.truncate(length);
        }
    }

    /// The path, or `otherwise` outside all parts.
    #[must_use]
    pub fn or<'a>(&'a self, otherwise: &'a str) -> &'a str {
        if self.path.is_empty() { otherwise } else { &self.path }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_nest_and_leaving_too_often_is_harmless() {
        let mut place = Place::default();
        assert_eq!(place.or("top"), "top");
        place.enter("outer");
        place.enter("inner");
        assert_eq!(place.or("top"), "outer/inner");
        place.leave();
        assert_eq!(place.or("top"), "outer");
        place.leave();
        place.leave();
        assert_eq!(place.or("top"), "top");
    }
}
