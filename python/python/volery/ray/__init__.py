"""Split statements on Ray: one task a shard, on each party's own cluster.

The prover::

    import volery.ray
    statement = volery.split.Preimage.of(message, shards=8)
    volery.ray.prove(statement, connect="verifier.example:7000")

and the verifier, elsewhere::

    statement = volery.split.Preimage(digest, length, shards=8)
    volery.ray.verify(statement, listen="0.0.0.0:7000")

A :class:`volery.split.Run`, a program's run, is proved in the same way.

Without further words each starts a Ray of its own on its machine, and ends it afterwards. A party that has called
``ray.init`` uses its own cluster.

Through Ray goes nothing but each worker's invitation: the coordinator's address, its public key, and a token that
is good for one connection. Secrets (the lots, the shard's part of the witness, the tags of boundary wires) go
between worker and coordinator over TLS, since Ray's objects are spilled to disk and never wiped. Tasks have
``max_retries=0``: Ray never runs one again. A worker that dies is replaced by the coordinator, which starts another
task with another invitation.

Needs ``pip install 'volery[ray]'``, and Python 3.10 or later. The guide is ``docs/guide/scale.md``.
"""

from __future__ import annotations

import contextlib
import logging
import math
import os
import shutil
import tempfile
import time
from typing import Any, Dict, Iterator, List, Optional, Sequence

from .._errors import BadInput, Error, SessionFailed
from .._session import Session, connected
from ..split import Progress, Sharded, SplitReport, _run, worker

__all__ = ["local", "prove", "verify"]

log = logging.getLogger("volery")

#: Bytes of a local Ray's object store: hardly anything is put there, and Ray takes no less.
_STORE = 80 * 1024 * 1024


def _ray() -> Any:
    try:
        import ray
    except ImportError:
        raise BadInput("Ray is not installed: pip install 'volery[ray]'") from None
    return ray


@contextlib.contextmanager
def local(num_cpus: int) -> Iterator[None]:
    """A Ray of this process's own on this machine, with room for this many workers of one CPU, while the block runs.

    :func:`prove` and :func:`verify` start one by themselves; this is for several proofs in the same one. It has a
    temporary folder of its own, no dashboard, and sends no statistics of its use.
    """
    ray = _ray()
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # Not deeper: Ray's sockets are in there, and their paths are short.
    folder = tempfile.mkdtemp(prefix="volery-ray-")
    try:
        ray.init(
            address="local",
            num_cpus=num_cpus,
            include_dashboard=False,
            object_store_memory=_STORE,
            log_to_driver=False,
            logging_level=logging.ERROR,
            _temp_dir=folder,
        )
        yield
    finally:
        ray.shutdown()
        shutil.rmtree(folder, ignore_errors=True)


def _work(
    invitation: str, role: str, listen: str, reached_at: Optional[str], timeout: float, core: Optional[int] = None
) -> Optional[str]:
    """A task: one worker. Returns what went wrong, which the coordinator has heard of already."""
    if core is not None:
        # The process runs other tasks later, which say where they are to be.
        os.sched_setaffinity(0, {core})
    if reached_at == "node":
        reached_at = _ray().util.get_node_ip_address()
    try:
        worker(invitation, role, listen=listen, reached_at=reached_at, timeout=timeout)
    except Error as error:
        return str(error)
    return None


class _Tasks:
    """A coordinator's tasks on Ray."""

    def __init__(
        self, role: str, arguments: Dict[str, Any], options: Dict[str, Any], cores: Optional[Sequence[int]]
    ) -> None:
        self._ray, self._cores = _ray(), cores
        self._role, self._arguments, self._options = role, arguments, options
        self._task = self._ray.remote(max_retries=0)(_work)
        #: Those that have not ended: shard and invitation of each.
        self._running: Dict[Any, Any] = {}
        self._looked = 0.0
        lost = self._ray.exceptions
        #: What Ray says of a task whose process is gone, and not why it could not run.
        self._gone = (
            lost.WorkerCrashedError,
            lost.OutOfMemoryError,
            lost.NodeDiedError,
            lost.LocalRayletDiedError,
            lost.TaskCancelledError,
        )

    def launch(self, shard: int, invitation: str) -> None:
        """Starts a worker."""
        task = self._task.options(name=f"volery {self._role} {shard}", **self._options)
        core = self._cores[shard % len(self._cores)] if self._cores else None
        self._running[task.remote(invitation, self._role, core=core, **self._arguments)] = (shard, invitation)

    def look(self) -> List[str]:
        """Looks after tasks that have ended, once a second. Returns the invitations of those that are dead."""
        if time.monotonic() - self._looked < 1:
            return []
        self._looked = time.monotonic()
        return self._settle(0)

    def _settle(self, patience: float) -> List[str]:
        """Forgets tasks that end within this time. Returns the invitations of those that were killed."""
        tasks = list(self._running)
        dead: List[str] = []
        if not tasks:
            return dead
        ended, _ = self._ray.wait(tasks, num_returns=len(tasks), timeout=patience)
        for task in ended:
            shard, invitation = self._running.pop(task)
            try:
                wrong = self._ray.get(task)
            except self._gone as error:
                wrong = f"it is gone: {type(error).__name__}"
                # If it was gone before it came, nobody will come with its invitation, and the coordinator need not
                # wait. Otherwise the coordinator has noticed by itself.
                dead.append(invitation)
            except self._ray.exceptions.RayError as error:
                reason = (str(error).strip().splitlines() or [repr(error)])[-1]
                raise SessionFailed(f"the worker of shard {shard} cannot run on Ray: {reason}") from error
            if wrong:
                log.info("%s: the worker of shard %d: %s", self._role, shard, wrong)
        return dead

    def end(self, well: bool) -> None:
        """Ends those that still run."""
        with contextlib.suppress(SessionFailed):
            # A worker that has brought its result needs a moment, and its process does for the next proof.
            self._settle(10 if well else 0)
        for task in self._running:
            with contextlib.suppress(Exception):
                self._ray.cancel(task, force=True)
        self._running.clear()


def _on_ray(
    role: str,
    statement: Sharded,
    session: Optional[Session],
    addresses: Dict[str, Optional[str]],
    num_cpus: float,
    task_options: Optional[Dict[str, Any]],
    cores: Optional[Sequence[int]],
    arguments: Dict[str, Any],
    settings: Dict[str, Any],
    progress: Progress,
    options: Dict[str, Any],
) -> SplitReport:
    ray = _ray()
    if not isinstance(statement, Sharded):
        raise BadInput(f"expected a split statement, not {statement!r}")
    if not num_cpus >= 0:
        raise BadInput(f"num_cpus: CPUs of a worker, not {num_cpus!r}")
    if cores and not hasattr(os, "sched_setaffinity"):
        raise BadInput("cores: this system does not pin processes")
    with contextlib.ExitStack() as stack:
        if session is None:
            options.setdefault("timeout", 120)
            session = stack.enter_context(connected(addresses["listen"], addresses["connect"], **options))
        elif options or any(addresses.values()):
            raise BadInput("a session has its address and its options already")
        # The verifier of a run does not know yet how many there will be.
        workers = statement._inner.most_workers
        if not ray.is_initialized():
            stack.enter_context(local(max(1, math.ceil(workers * num_cpus))))
        room = ray.cluster_resources().get("CPU", 0) / num_cpus if num_cpus else math.inf
        if room < workers:
            log.warning(
                "Ray has CPUs for %d workers, and there may be %d: the others wait until there is room, "
                "and are lost if that takes longer than arrive or worker_timeout",
                room,
                workers,
            )
        tasks = _Tasks(role, arguments, {"num_cpus": num_cpus, **(task_options or {}), "max_retries": 0}, cores)
        well = False
        try:
            report = _run(role, session, statement, settings, tasks.launch, progress, tasks.look)
            well = True
            return report
        finally:
            tasks.end(well)


def prove(
    statement: Sharded,
    *,
    connect: Optional[str] = None,
    listen: Optional[str] = None,
    session: Optional[Session] = None,
    num_cpus: float = 1,
    task_options: Optional[Dict[str, Any]] = None,
    cores: Optional[Sequence[int]] = None,
    retries: int = 8,
    lot_server: str = "127.0.0.1:0",
    reached_at: Optional[str] = None,
    arrive: float = 300,
    silence: float = 30,
    worker_timeout: float = 120,
    check: bool = True,
    meet: Optional[Sequence[str]] = None,
    progress: Progress = False,
    **options: Any,
) -> SplitReport:
    """Proves a split statement, with a Ray task a shard. Each runs in one thread and takes ``num_cpus`` CPUs of Ray.

    Give one of ``connect`` or ``listen`` (an address, with the ``options`` of :func:`volery.connect` or
    :func:`volery.listen`) or a ``session``. ``task_options`` go to Ray's ``options`` of the task (``resources``,
    ``scheduling_strategy``, ``runtime_env``). With ``cores``, numbers of a machine's cores, each worker is pinned to one
    of them, in turn. ``worker_timeout`` is the longest wait of a worker for the other
    party's. On a cluster of several machines, ``lot_server`` is an address that all of them reach, say ``"0.0.0.0:7100"``
    with ``reached_at="head:7100"``. The rest is as for :func:`volery.split.prove`, with its exceptions.

    A task that cannot run at all, because the package is not there, say, raises :class:`volery.SessionFailed`.
    """
    arguments = dict(listen="127.0.0.1:0", reached_at=None, timeout=worker_timeout)
    settings = dict(retries=retries, lot_server=lot_server, reached_at=reached_at, arrive=arrive)
    settings.update(silence=silence, check=check)
    settings["meet"] = meet
    addresses = {"connect": connect, "listen": listen}
    return _on_ray(
        "prover", statement, session, addresses, num_cpus, task_options, cores, arguments, settings, progress, options
    )


def verify(
    statement: Sharded,
    *,
    listen: Optional[str] = None,
    connect: Optional[str] = None,
    session: Optional[Session] = None,
    num_cpus: float = 1,
    task_options: Optional[Dict[str, Any]] = None,
    cores: Optional[Sequence[int]] = None,
    worker_listen: str = "127.0.0.1:0",
    worker_reached_at: Optional[str] = None,
    retries: int = 8,
    lot_server: str = "127.0.0.1:0",
    reached_at: Optional[str] = None,
    arrive: float = 300,
    silence: float = 30,
    worker_timeout: float = 120,
    progress: Progress = False,
    **options: Any,
) -> SplitReport:
    """Verifies a split statement, with a Ray task a shard. See :func:`prove`.

    The prover's workers come to the verifier's: these listen at ``worker_listen`` (``"0.0.0.0:0"``, say) and say
    that they are reached at the host ``worker_reached_at``, or, if that is ``"node"``, at the address that Ray knows
    their machine by. Only a return without an exception means that the statement is proved.
    """
    arguments = dict(listen=worker_listen, reached_at=worker_reached_at, timeout=worker_timeout)
    settings = dict(retries=retries, lot_server=lot_server, reached_at=reached_at, arrive=arrive)
    settings.update(silence=silence, check=False)
    addresses = {"connect": connect, "listen": listen}
    return _on_ray(
        "verifier", statement, session, addresses, num_cpus, task_options, cores, arguments, settings, progress, options
    )
