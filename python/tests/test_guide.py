"""The guide's page: each example and each command on it is run, and what they print is compared.

As in the guide's other pages: a `file` comment makes the block below a file; a command that listens goes on in the background
until the page ends; its port is a free one. Blocks of Python share their names, and a block of text below them is what they print.
"""

import contextlib
import io
import os
import re
import socket
import subprocess
import sys

import pytest
from conftest import ROOT, Running

PAGE = ROOT / "docs" / "guide" / "python.md"
BLOCK = re.compile(r"(?:<!-- file: (?P<file>\S+) -->\n)?```(?P<language>\w+)\n(?P<text>.*?)```\n", re.DOTALL)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return str(taken.getsockname()[1])


def test_the_page_runs(program, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/volery").symlink_to(program)
    page = PAGE.read_text()
    for port in set(re.findall(r"127\.0\.0\.1:(\d{4})", page)):
        page = page.replace(port, free_port())
    names, printed, running, serving = {}, None, [], []
    kinds = set()
    for match in BLOCK.finditer(page):
        text, language = match["text"], match["language"]
        kinds.add(language)
        if match["file"]:
            (tmp_path / match["file"]).write_text(text)
        elif language == "console":
            for line in text.splitlines():
                command = line.partition("$ ")[2]
                if "--listen" in command:
                    one = Running([program, *command.split()[1:]], tmp_path)
                    # A website and a notary serve until they are told to stop.
                    (serving if "web" in command or "notary" in command else running).append(one)
                    one.address()
                else:
                    shell(command, tmp_path)
        elif language == "python":
            out = io.StringIO()
            code = compile(text, str(PAGE), "exec")
            with contextlib.redirect_stdout(out):
                exec(code, names)  # noqa: S102 - it is the page's own source
            printed = out.getvalue()
        elif language == "text":
            assert printed == text, f"below {text!r}"
            printed = None
        else:
            pytest.fail(f"a block of {language}")
    for one in serving:
        one.process.kill()
        one.process.communicate()
    for one in running:
        ended = one.ended()
        assert ended.code == 0, ended.err
    assert kinds == {"python", "console", "text"}


def shell(command, folder):
    environment = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}", "MPLBACKEND": "Agg"}
    # A link to the interpreter of an environment does not find the environment.
    command = re.sub(r"^python ", sys.executable + " ", command)
    done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_the_readme_shows_what_the_package_has():
    readme = (ROOT / "python" / "README.md").read_text()
    block = next(match["text"] for match in BLOCK.finditer(readme) if match["language"] == "python")
    # Its peer is on another machine.
    head = block.partition("with volery.connect")[0]
    names = {}
    exec(compile(head, "README.md", "exec"), names)  # noqa: S102 - it is the page's own source
    names["adult"](2026).check({"born": 1990})
