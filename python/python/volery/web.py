"""What a website said, proved to a notary, who signs it. The notary is the program: ``volery notary serve``."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import Mapping, Optional, Sequence, Tuple, Union
from urllib.parse import urlsplit

from . import _volery
from ._arrays import wipe
from ._errors import BadInput
from .attestation import _key

__all__ = ["Proved", "prove"]

#: Header fields that :func:`prove` sets itself.
_OWN = {"host", "connection", "accept-encoding", "content-length", "transfer-encoding", "x-padding"}


@dataclass(frozen=True)
class Proved:
    """What a proof leaves. Keep ``openings`` and ``leaves`` secret: they open what is hidden."""

    #: What the notary signed, for :func:`volery.attestation.verify`.
    attestation: bytes
    #: For :func:`volery.attestation.open` and :func:`volery.attestation.prove_range`, if there are commitments.
    openings: Optional[bytes] = field(repr=False)
    #: For :func:`volery.attestation.present`, with ``commit_all``.
    leaves: Optional[bytes] = field(repr=False)
    #: All that the server sent.
    response: bytes = field(repr=False)


def _page(url: str) -> Tuple[str, int, str]:
    """Host, port and target of an address. The target may be secret, so no message has it."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise BadInput("the address: expected https://host/path") from None
    if parts.scheme != "https" or not host:
        raise BadInput("the address: expected https://host/path")
    if parts.username is not None or parts.password is not None:
        raise BadInput("the address has a name or a password in it: give header fields")
    if not re.fullmatch(r"[A-Za-z0-9.:_-]+", host):
        raise BadInput("the host has characters that no host has; write other scripts as xn--...")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if not re.fullmatch(r"[!-~]+", target):
        raise BadInput("the address: write blanks, and characters outside ASCII, as %XX")
    return host, 443 if port is None else port, target


def _request(url: str, method: str, headers: Mapping[str, str], body: Optional[bytes]) -> Tuple[str, int, bytearray]:
    host, port, target = _page(url)
    if not re.fullmatch("[A-Z]+", method):
        raise BadInput("method: expected one like GET")
    shown = f"[{host}]" if ":" in host else host
    text = bytearray(f"{method} {target} HTTP/1.1\r\nHost: {shown}".encode())
    if port != 443:
        text += f":{port}".encode()
    text += b"\r\nConnection: close\r\nAccept-Encoding: identity\r\n"
    for name, value in headers.items():
        if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", name):
            raise BadInput(f"header field {name!r}: a name has letters, digits and - only")
        if name.lower() in _OWN:
            raise BadInput(f"header field {name}: it is set by itself")
        if name.lower() == "if-range":
            raise BadInput(f"header field {name}: it cannot be hidden, and its value may identify you; leave it out")
        if not re.fullmatch(r"[ -~]*", value):
            raise BadInput(f"header field {name}: its value has characters outside visible ASCII")
        text += f"{name}: {value}\r\n".encode()
    if body is not None:
        text += f"Content-Length: {len(body)}\r\n".encode()
    text += b"\r\n"
    return host, port, text + (body or b"")


def prove(
    url: str,
    *,
    notary: str,
    notary_key: Union[str, bytes],
    method: str = "GET",
    headers: Optional[Mapping[str, str]] = None,
    body: Optional[bytes] = None,
    mode: str = "two-party",
    hide: Sequence[str] = (),
    claims: Sequence[str] = (),
    commit: Sequence[str] = (),
    reveal: Optional[Sequence[str]] = None,
    show_rest: bool = False,
    commit_all: bool = False,
    context: bytes = b"",
    roots: Sequence[Union[str, "os.PathLike[str]"]] = (),
    notary_ca: Optional[str] = None,
    notary_pin: Optional[str] = None,
    token: bytes = b"",
    tls: Optional[str] = None,
    expect: int = 2048,
    timeout: Optional[float] = None,
    notary_timeout: float = 10,
    trust_close: bool = False,
    no_alpn: bool = False,
) -> Proved:
    """Fetches a page together with a notary and proves what is said of it.

    ``mode`` is ``"two-party"``, in which neither party has the connection's keys while it lives, or ``"proxy"``, which is
    cheap. Parts are named as the program names them: ``request.header:Cookie``, ``response.json:balance``. ``hide`` are
    parts that stay hidden, ``claims`` are claims about hidden parts (``"response.json:balance in 5000.."``),
    ``commit`` are hidden parts to open later. With a list ``reveal`` all else of the response is hidden, so an empty
    list shows nothing of it; with ``None`` all else is shown. ``roots`` are PEM files of further authorities.
    ``volery web plan`` shows what an attestation would say.

    Raises :class:`volery.Unsatisfied` if a claim is not true, :class:`volery.BadInput` if a part does not fit the page,
    and :class:`volery.SessionFailed` if the website or the notary fails. What is wrong with the request's own parts is
    found before anything is sent; what is wrong with those of the response only after it has come, when the website
    has done what it was asked for.
    """
    host, port, request = _request(url, method, headers or {}, body)
    secret = bytearray(token)
    try:
        made = _volery.prove_web(
            dict(
                host=host,
                port=port,
                request=request,
                mode=mode,
                notary=notary,
                notary_key=list(_key(notary_key)),
                notary_ca=notary_ca,
                notary_pin=notary_pin,
                token=secret,
                hide=list(hide),
                claims=list(claims),
                commit=list(commit),
                reveal=None if reveal is None else list(reveal),
                show_rest=show_rest,
                commit_all=commit_all,
                context=context,
                roots=[os.fspath(one) for one in roots],
                tls=tls,
                expect=expect,
                timeout=timeout,
                notary_timeout=notary_timeout,
                trust_close=trust_close,
                no_alpn=no_alpn,
            )
        )
    finally:
        wipe(request)
        wipe(secret)
    return Proved(*made)
