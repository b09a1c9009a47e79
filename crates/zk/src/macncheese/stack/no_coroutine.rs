//! The part of `corosensei` that `branch` takes, where a program has one stack: in WebAssembly. No value of
//! these types can be made, since the first step, making a stack, is an error.

use core::convert::Infallible;
use core::marker::PhantomData;

/// A stack for a coroutine.
pub(super) struct DefaultStack(Infallible);

impl DefaultStack {
    /// There is none.
    pub(super) fn new(_bytes: usize) -> Result<Self, &'static str> {
        Err("WebAssembly has none; QuickSilver proves disjunctions without")
    }
}

/// How a turn of a coroutine ended.
#[allow(dead_code, reason = "no turn ever ends")]
pub(super) enum CoroutineResult<Y, R> {
    /// It waits.
    Yield(Y),
    /// It is over.
    Return(R),
}

/// A coroutine that has not begun.
pub(super) struct ScopedCoroutine<'b, I, Y, R> {
    none: Infallible,
    marker: PhantomData<(&'b (), I, Y, R)>,
}

impl<'b, I, Y, R> ScopedCoroutine<'b, I, Y, R> {
    pub(super) fn with_stack(stack: DefaultStack, _body: impl FnOnce(&Yielder<I, Y>, I) -> R + 'b) -> Self {
        match stack.0 {}
    }

    pub(super) fn scope<T>(
        self,
        _then: impl FnOnce(ScopedCoroutineRef<'_, I, Y, R, DefaultStack>) -> T,
    ) -> T {
        match self.none {}
    }
}

/// A coroutine that can have its turn.
pub(super) struct ScopedCoroutineRef<'r, I, Y, R, S> {
    none: Infallible,
    marker: PhantomData<(&'r (), I, Y, R, S)>,
}

impl<I, Y, R, S> ScopedCoroutineRef<'_, I, Y, R, S> {
    pub(super) fn resume(&mut self, _input: I) -> CoroutineResult<Y, R> {
        match self.none {}
    }

    pub(super) fn started(&self) -> bool {
        match self.none {}
    }

    pub(super) fn done(&self) -> bool {
        match self.none {}
    }
}

/// What a coroutine waits by.
pub(super) struct Yielder<I, Y> {
    none: Infallible,
    marker: PhantomData<(I, Y)>,
}

impl<I, Y> Yielder<I, Y> {
    pub(super) fn suspend(&self, _output: Y) -> I {
        match self.none {}
    }
}
