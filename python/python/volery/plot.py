"""Plots what ``volery bench --json`` prints: ``python -m volery.plot FILE...``.

A file has one JSON object a line, or is what a run has printed. There is one picture for each name of a
benchmark: speed by size, with a line for each file, so that builds or machines stand side by side. Rows of one file
that were measured in different ways (threads, profile, field) have lines of their own.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any, Dict, Iterable, List, Sequence, Set, Tuple

from ._errors import BadInput
from ._report import _axes

Row = Dict[str, Any]


def read(path: Path) -> List[Row]:
    """The rows of a file: JSON objects, one after the other or in a list."""
    try:
        text = path.read_text()
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from None
    rows: List[Row] = []
    decoder, place = json.JSONDecoder(), 0
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        try:
            value, place = decoder.raw_decode(text, place)
        except json.JSONDecodeError as error:
            raise BadInput(f"{path}, line {error.lineno}: not JSON: {error.msg}") from None
        rows.extend(value if isinstance(value, list) else [value])
    for row in rows:
        missing = (
            [key for key in ("name", "size", "unit", "per_second") if key not in row] if isinstance(row, dict) else row
        )
        if missing:
            raise BadInput(f"{path}: a row of `volery bench --json` has name, size, unit and per_second: {row!r}")
    if not rows:
        raise BadInput(f"{path}: there is nothing in it")
    return rows


#: How a row was measured. Rows that differ in any of these are not of one line.
_PARAMETERS = ("threads", "profile", "field", "mac_field", "fiat_shamir", "pinned", "kernel", "soundness_bits")


def _differ(rows: Iterable[Row]) -> Dict[str, List[str]]:
    """By name of a benchmark, the parameters in which its rows differ."""
    seen: Dict[str, Dict[str, Set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in rows:
        for key in _PARAMETERS:
            seen[row["name"]][key].add(str(row.get(key)))
    return {name: [key for key, values in keys.items() if len(values) > 1] for name, keys in seen.items()}


def plot(files: Dict[str, List[Row]]) -> Any:
    """A figure of these rows, by name of the file."""
    lines: Dict[str, Dict[str, List[Tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
    units: Dict[str, str] = {}
    differ = _differ(row for rows in files.values() for row in rows)
    for source, rows in files.items():
        for row in rows:
            label = ", ".join([source, *(f"{key.replace('_', ' ')} {row.get(key)}" for key in differ[row["name"]])])
            lines[row["name"]][label].append((row["size"], row["per_second"]))
            units[row["name"]] = row["unit"]
    figure, axes = _axes(len(lines))
    for one, (name, sources) in zip([axes] if len(lines) == 1 else axes, lines.items()):
        for source, points in sources.items():
            points.sort()
            one.plot(*zip(*points), marker="o", label=source)
        one.set(title=name, xlabel=units[name], ylabel=f"{units[name]} a second", xscale="log", ylim=(0, None))
        one.legend()
    return figure


def main(arguments: "Sequence[str] | None" = None) -> int:
    """Runs the command."""
    parser = argparse.ArgumentParser(
        prog="python -m volery.plot", description="Plots what `volery bench --json` prints."
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="what `volery bench --json` has printed")
    parser.add_argument(
        "--out", type=Path, metavar="PICTURE", help="a picture to write (.png, .svg, .pdf) instead of a window"
    )
    options = parser.parse_args(arguments)
    try:
        files = {str(path): read(path) for path in options.files}
        figure = plot(files)
    except BadInput as error:
        parser.error(str(error))
    if options.out:
        figure.savefig(options.out)
    else:
        from matplotlib import pyplot

        pyplot.show()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
