"""Pictures of what `volery bench --json` prints."""

import json

import pytest

from volery.plot import main, plot

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


def row(**values):
    return {"name": "boolean", "size": 1000, "unit": "ANDs", "per_second": 5.0, "threads": 1, **values}


def test_files_stand_side_by_side(tmp_path):
    old, new, out = tmp_path / "old.json", tmp_path / "new.json", tmp_path / "out.svg"
    old.write_text("\n".join(json.dumps(row(size=size)) for size in (1000, 10)))
    new.write_text(json.dumps([row(per_second=7.0), row(name="cot"), row(threads=2)]))
    assert main([str(old), str(new), "--out", str(out)]) == 0
    assert out.read_text().startswith("<?xml")


def test_rows_that_were_measured_in_different_ways_are_different_lines():
    rows = [
        row(size=size, per_second=speed, **how)
        for speed, how in [(1.0, {"profile": "lan"}), (2.0, {"profile": "wan"}), (3.0, {"threads": 2, "profile": "lan"})]
        for size in (10, 1000)
    ]
    figure = plot({"a": rows, "b": [row(name="cot", profile="wan")]})
    boolean, cot = figure.axes
    assert [(line.get_label(), list(line.get_ydata())) for line in boolean.get_lines()] == [
        ("a, threads 1, profile lan", [1.0, 1.0]),
        ("a, threads 1, profile wan", [2.0, 2.0]),
        ("a, threads 2, profile lan", [3.0, 3.0]),
    ]
    # What is the same everywhere is not said.
    assert [line.get_label() for line in cot.get_lines()] == ["b"]


def test_what_the_program_prints_is_plotted(program, run, tmp_path):
    bench = run("bench", "boolean", "--size", "100000", "--json").ended()
    assert bench.code == 0, bench.err
    (tmp_path / "bench.json").write_text(bench.out)
    assert main([str(tmp_path / "bench.json"), "--out", str(tmp_path / "out.png")]) == 0
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("text", ["", "{", "5", "{}", '{"name": "x"}'])
def test_other_files_are_refused(tmp_path, capsys, text):
    path = tmp_path / "file"
    path.write_text(text)
    with pytest.raises(SystemExit) as ended:
        main([str(path)])
    assert ended.value.code == 2 and str(path) in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([str(tmp_path / "missing")])
