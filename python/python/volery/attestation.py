"""Attestations: what a notary signed about a website. For readers, who check them, and for holders, who show more."""

from __future__ import annotations

import json
import logging
import os
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _volery
from ._errors import BadInput

__all__ = ["Attestation", "Opened", "open", "present", "prove_range", "verify"]

log = logging.getLogger("volery")

#: A file, or its content.
Source = Union[str, "os.PathLike[str]", bytes]


def _read(source: Source) -> bytes:
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source)
    try:
        return Path(source).read_bytes()
    except OSError as error:
        raise BadInput(f"{os.fspath(source)}: {error.strerror}") from None


def _key(key: Union[str, bytes]) -> bytes:
    """A public key, in hexadecimal or as it is."""
    try:
        raw = bytes.fromhex(key) if isinstance(key, str) else bytes(key)
    except ValueError:
        raw = b""
    if len(raw) != 32:
        raise BadInput("a notary's key has 32 bytes, or 64 hexadecimal digits")
    return raw


@dataclass(frozen=True)
class Opened:
    """A part that its holder has opened."""

    #: ``"request"`` or ``"response"``.
    message: str
    part: str
    content: bytes


@dataclass(frozen=True)
class Attestation:
    """What an attestation, or a presentation of one, says. A notebook shows it as a table."""

    #: The key that signed it.
    signer: str
    #: The notaries of the policy that signed, if there was a policy.
    notaries: Tuple[str, ...]
    #: A sentence for each request.
    summary: Tuple[str, ...]
    #: What a reader should look at.
    warnings: Tuple[str, ...]
    #: Everything that was signed, as `volery attestation verify --json` prints it (`docs/attestation.schema.json`).
    statement: Dict[str, Any]
    #: What a presentation opens and proves besides.
    presentation: Optional[Dict[str, Any]]
    #: Parts that the given openings show.
    opened: Tuple[Opened, ...]
    #: Bounds that the given range proofs show: message, part, least, greatest.
    in_range: Tuple[Tuple[str, str, int, int], ...]

    def _repr_html_(self) -> str:
        lines = [*self.summary, *(f"opened: {one.message} {one.part}: {one.content!r}" for one in self.opened)]
        lines += [f"in range: {message} {part}: from {a} to {b}" for message, part, a, b in self.in_range]
        lines += [f"warning: {one}" for one in self.warnings]
        return (
            "<table>"
            + "".join(f"<tr><td style='text-align:left'>{escape(one)}</td></tr>" for one in lines)
            + "</table>"
        )


def verify(
    attestation: Source,
    *,
    key: Union[None, str, bytes] = None,
    policy: Union[None, Source, Mapping[str, Any]] = None,
    context: Optional[bytes] = None,
    openings: Sequence[Source] = (),
    ranges: Sequence[Source] = (),
    max_rounds: int = 1,
    allow_hidden_path: bool = False,
    allow_pipelined: bool = False,
    allow_no_alpn: bool = False,
) -> Attestation:
    """Checks an attestation, or a presentation of one, and says what it says.

    ``key`` is the notary's public key; or ``policy`` says what is demanded, as a file or a dict. ``openings`` and
    ``ranges`` are what its holder made by :func:`open` and :func:`prove_range`. Raises :class:`volery.Rejected` if it
    is not signed with the key, or not as demanded.
    """
    if isinstance(policy, Mapping):
        demanded: Optional[bytes] = json.dumps(policy).encode()
    else:
        demanded = None if policy is None else _read(policy)
    if isinstance(max_rounds, bool) or max_rounds < 1:
        raise BadInput("max_rounds: at least 1")
    demands = dict(
        key=None if key is None else list(_key(key)),
        policy=demanded,
        context=context,
        openings=[_read(one) for one in openings],
        ranges=[_read(one) for one in ranges],
        max_rounds=max_rounds,
        allow_hidden_path=allow_hidden_path,
        allow_pipelined=allow_pipelined,
        allow_no_alpn=allow_no_alpn,
    )
    found: Dict[str, Any] = json.loads(_volery.verify_attestation(_read(attestation), demands))
    for warning in found["warnings"]:
        log.warning("%s", warning)
    return Attestation(
        signer=found["signer"],
        notaries=tuple(found["notaries"]),
        summary=tuple(found["summary"] if found["presentation"] is None else found["presentation"]["summary"]),
        warnings=tuple(found["warnings"]),
        statement=found["attestation"],
        presentation=found["presentation"],
        opened=_opened(found["opened"]),
        in_range=tuple((one["message"], one["part"], one["least"], one["greatest"]) for one in found["in_range"]),
    )


def _opened(found: List[Dict[str, str]]) -> Tuple[Opened, ...]:
    return tuple(Opened(one["message"], one["part"], bytes.fromhex(one["bytes"])) for one in found)


def open(attestation: Source, openings: Source, parts: Sequence[str]) -> Tuple[bytes, Tuple[Opened, ...]]:
    """For its holder: openings of these parts alone, for a reader, and what they show.

    ``openings`` is the secret file that came with the attestation, ``parts`` such as ``"response.json:holder"``.
    """
    chosen, shown = _volery.open_attestation(_read(attestation), bytearray(_read(openings)), list(parts))
    return chosen, _opened(json.loads(shown))


def prove_range(attestation: Source, openings: Source, claim: str) -> bytes:
    """For its holder: a proof that a number that was committed to is in a range, such as
    ``"response.json:balance in 5000.."``. Raises :class:`volery.Unsatisfied` if that is not true."""
    return _volery.prove_range(_read(attestation), bytearray(_read(openings)), claim)


def present(
    attestation: Source,
    leaves: Source,
    *,
    reveal: Sequence[str] = (),
    claims: Sequence[str] = (),
    context: bytes = b"",
) -> bytes:
    """For its holder: a presentation for one reader, of an attestation with commitments to everything
    (``commit_all``). It opens the parts in ``reveal`` and proves the ``claims`` about others."""
    return _volery.present_attestation(
        _read(attestation), bytearray(_read(leaves)), list(reveal), list(claims), context
    )
