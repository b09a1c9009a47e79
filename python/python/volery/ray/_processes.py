"""The processes of Ray's workers on this machine, for the benchmark and the tests, which kill some. Linux only."""

from __future__ import annotations

import os
from typing import Dict, List


def working(parent: int, role: str) -> List[int]:
    """Those below the process `parent` that run a task of this party now. Ray names them after their task."""
    parents: Dict[int, int] = {}
    found: List[int] = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat") as file:
                parents[int(entry)] = int(file.read().rsplit(")", 1)[1].split()[1])
            if runs(int(entry), role):
                found.append(int(entry))
        except (OSError, IndexError, ValueError):
            # It has ended meanwhile.
            continue

    def is_below(pid: int) -> bool:
        while pid in parents and pid != parent:
            pid = parents[pid]
        return pid == parent

    return [pid for pid in found if is_below(pid)]


def runs(pid: int, role: str) -> bool:
    """Whether this process runs a task of this party."""
    try:
        with open(f"/proc/{pid}/cmdline") as file:
            return file.read().startswith(f"ray::volery {role}")
    except OSError:
        return False
