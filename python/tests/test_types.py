"""The package's types hold, and what it shows is what it has."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import volery

PACKAGE = Path(volery.__file__).parent


def test_types_hold(tmp_path):
    pytest.importorskip("mypy")
    # Where it is installed, mypy sees its own library beside it, and refuses that.
    copy = shutil.copytree(PACKAGE, tmp_path / "volery")
    command = [sys.executable, "-m", "mypy", "--ignore-missing-imports", "--cache-dir", "/dev/null", str(copy)]
    checked = subprocess.run(command, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_stub_names_all_that_is_compiled():
    from volery import _volery

    stub = (PACKAGE / "_volery.pyi").read_text()
    for name in dir(_volery):
        if not name.startswith("_") or name == "__version__":
            assert name in stub, name
        if isinstance(getattr(_volery, name), type):
            for method in vars(getattr(_volery, name)):
                assert method.startswith("_") or f"def {method}(" in stub, f"{name}.{method}"
    assert (PACKAGE / "py.typed").exists()


def test_every_public_name_is_there_and_documented():
    for name in volery.__all__:
        assert hasattr(volery, name), name
        assert name == "__version__" or getattr(volery, name).__doc__, name
