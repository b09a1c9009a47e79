//! Sticky errors: after a failure every later call returns the same error.

/// Keeps the first error of something that must not continue after one.
///
/// A channel, a source of correlations or a backend may be called by code that swallows an error. It must not
/// then continue in step with its peer as if nothing had happened.
///
/// ```
/// # use volery_channel::Latch;
/// let mut failed = Latch::new();
/// assert_eq!(failed.latch(Ok::<_, &str>(1)), Ok(1));
/// assert_eq!(failed.latch(Err::<u8, _>("first")), Err("first"));
/// assert_eq!(failed.latch(Err::<u8, _>("second")), Err("second"));
/// assert_eq!(failed.check(), Err("first"));
/// ```
#[derive(Clone, Debug)]
pub struct Latch<E>(Option<E>);

impl<E: Clone> Latch<E> {
    /// Nothing has failed.
    #[must_use]
    pub const fn new() -> Self {
        Self(None)
    }

    /// Whether nothing has failed.
    ///
    /// # Errors
    /// The first error.
    pub fn check(&self) -> Result<(), E> {
        self.0.clone().map_or(Ok(()), Err)
    }

    /// Passes `result` on, and remembers its error if it is the first.
    ///
    /// # Errors
    /// That of `result`.
    pub fn latch<T>(&mut self, result: Result<T, E>) -> Result<T, E> {
        if let Err(error) = &result {
            self.0.get_or_insert_with(|| error.clone());
        }
        result
    }

    /// Remembers `error` if it is the first.
    pub fn fail(&mut self, error: E) {
        self.0.get_or_insert(error);
    }

    /// The first error.
    #[must_use]
    pub fn first(&self) -> Option<&E> {
        self.0.as_ref()
    }
}

impl<E: Clone> Default for Latch<E> {
    fn default() -> Self {
        Self::new()
    }
}
