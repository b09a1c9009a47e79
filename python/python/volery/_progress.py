"""Progress bars, by tqdm if it is there."""

from __future__ import annotations

import logging
from typing import Any, Callable, Optional, TypeVar, Union

log = logging.getLogger("volery")

Self = TypeVar("Self", bound="Bar")


class Bar:
    """A progress bar. ``wanted`` is whether there is to be one, or a function that is told in its place."""

    def __init__(self, wanted: Union[bool, Callable[..., Any]], what: str, total: Optional[int] = None) -> None:
        self.bar: Any = None
        self.told = wanted if callable(wanted) else None
        if wanted and self.told is None:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                log.info("progress=True: tqdm is not installed")
                return
            self.bar = tqdm(total=total, desc=what, unit="value", unit_scale=True, leave=False)

    def move(self, done: int) -> None:
        """So many values are done: more or fewer than before."""
        if self.bar is not None:
            self.bar.update(done - self.bar.n)

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        if self.bar is not None:
            self.bar.close()
