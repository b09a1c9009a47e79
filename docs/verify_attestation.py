#!/usr/bin/env python3
"""Verifies an attestation, or a presentation of one, as attestation-format.md describes it, and prints what it says as JSON.

    verify_attestation.py FILE PUBLIC_KEY_IN_HEX [CONTEXT_OF_A_PRESENTATION]

It has no code of Volery's. It needs the package `cryptography`, for Ed25519. Of a presentation it checks everything but the proofs of
claims: these it only lists, as `unchecked`. A signature for contracts it reads, and does not check.
"""

import datetime, hashlib, ipaddress, json, re, sys
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

MAGIC = b"volery attestation\n"
PRESENTATION = b"volery presentation\n"
# Keys of small order (RFC 8032), in their canonical encodings.
WEAK = {bytes.fromhex(point) for point in (
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
)}
CLASSES = {1: "json-text", 2: "json-number", 3: "header-value", 4: "path", 5: "opaque", 6: "query", 7: "json-word", 8: "json-values", 9: "parameter"}
P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P


class Refused(Exception):
    pass


def check(holds, reason):
    if not holds:
        raise Refused(reason)


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0
        # The leaves of each hidden string that was read.
        self.sizes = []

    def take(self, count):
        check(self.at + count <= len(self.data), "it ends early")
        self.at += count
        return self.data[self.at - count:self.at]

    def number(self, width, most=None):
        value = int.from_bytes(self.take(width), "big")
        check(most is None or value <= most, f"{value} where at most {most} is allowed")
        return value

    def blob(self, most=2**32):
        return self.take(self.number(4, most))

    def text(self, most=2**32):
        return utf8(self.blob(most))

    def list(self, most, read):
        return [read() for _ in range(self.number(4, most))]

    def choice(self, names):
        code = self.number(1)
        check(code in names, f"the code {code}")
        return names[code]


def utf8(data):
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Refused("a text that is not UTF-8")


def named(name, data, plain=None):
    """Bytes in JSON: as text if they are UTF-8, else in hexadecimal digits."""
    try:
        return {plain or name: data.decode()}
    except UnicodeDecodeError:
        return {f"{name}_hex" if plain is None else "hex": data.hex()}


def is_decimal(text):
    """Whether this is the one form of a decimal number."""
    match = re.fullmatch(r"(-?)([0-9]+)(?:\.([0-9]+))?(?:e(-?[1-9][0-9]*))?", text)
    if not match:
        return False
    whole, fraction = match[2], match[3] or ""
    digits = (whole + fraction).lstrip("0")
    if not digits:
        return text == "0"
    # The number is 0.DIGITS times this power of ten.
    power = int(match[4] or 0) + len(digits) - len(fraction)
    digits = digits.rstrip("0")
    count = len(digits)
    if 0 < power < count:
        form = digits[:power] + "." + digits[power:]
    elif 0 < power <= count + 20:
        form = digits.ljust(power, "0")
    elif -20 <= power <= 0:
        form = "0." + "0" * -power + digits
    else:
        form = digits[0] + ("." if count > 1 else "") + digits[1:] + f"e{power - 1}"
    return text == match[1] + form and count <= 512 and abs(power - 1) < 10**9


def bound(r, closed, opened):
    kind = r.number(1, 2)
    if kind == 0:
        return {}
    text = r.text(540)
    check(is_decimal(text), "a bound that is no number in its one form")
    return {opened if kind == 2 else closed: text}


def moment(r):
    text = r.text(20)
    match = re.fullmatch(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?:T([0-9]{2}):([0-9]{2}):([0-9]{2})Z)?", text)
    check(match, "a bound that is no time")
    year, month, day, *time = (int(number or 0) for number in match.groups())
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = [31, 28 + leap, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    check(1 <= month <= 12 and 1 <= day <= days[month - 1], "a day that does not exist")
    check(all(number <= most for number, most in zip(time, (23, 59, 59))), "a time that does not exist")
    check("T00:00:00Z" not in text, "a time in another form")
    return text


def claim(r):
    code = r.number(1)
    if code in (1, 3, 9):
        return {"kind": {1: "equals", 3: "contains", 9: "not-equals"}[code], **named("text", r.blob(512))}
    if code == 2:
        return {"kind": "at", "offset": r.number(4), **named("text", r.blob(512))}
    if code == 4:
        return {"kind": "matches", "pattern": r.text(512)}
    if code in (5, 12):
        return {"kind": "length" if code == 5 else "characters", "least": r.number(4), "greatest": r.number(4)}
    if code == 6:
        return {"kind": "number", **bound(r, "at_least", "above"), **bound(r, "at_most", "below")}
    if code == 7:
        return {"kind": "digits"}
    if code == 8:
        name = r.text(64)
        check(name and all(33 <= ord(c) <= 126 for c in name), "the name of a claim")
        return {"kind": "own", "name": name, **named("parameters", r.blob(512))}
    if code == 10:
        texts = r.list(32, lambda: r.blob(512))
        check(sum(map(len, texts)) <= 512, "texts that are too long")
        return {"kind": "one-of", "texts": [named("text", text) for text in texts]}
    if code == 11:
        return {"kind": "is", "word": r.choice({1: "true", 2: "false", 3: "null"})}
    if code in (13, 14):
        return {"kind": "date", {13: "before", 14: "since"}[code]: moment(r)}
    raise Refused(f"the claim {code}")


def part(r):
    """The part in words, and the texts between its values if it is a run."""
    code, name = r.number(1), r.text(1024)
    check(code in (1, 2, 3, 4, 5, 6, 7, 8), f"the part {code}")
    check(code in (1, 6) or (name == "") == (code in (3, 4, 5)), "a part with a wrong name")
    if code == 6:
        between = r.list(15, lambda: r.text(4096))
        check(sum(len(text.encode()) for text in between) <= 4096, "too much text between values")
        return f"json {name}: <...>" + "".join(text + "<...>" for text in between), between
    return words(code, name), None


def words(code, name):
    if code == 1:
        return f"json {name}" if name else "json, all of it"
    if code == 7 and not re.fullmatch(r"[A-Za-z0-9._~\[\]$@-]+", name):
        return "query " + json.dumps(name, ensure_ascii=False)
    return {2: f"header {name}", 3: "path", 4: "body", 5: "query", 7: f"query {name}", 8: f"trailer {name}"}[code]


def span(r):
    start = r.number(4)
    return {"start": start, "end": start + r.number(4)}


def hidden(r):
    string = {"round": r.number(4, 1024), "class": r.choice(CLASSES)}
    string["part"], between = part(r)
    string["commit"] = r.choice({0: None, 1: "bytes", 2: "number"})
    string["ranges"], string["claims"] = r.list(64, lambda: span(r)), r.list(16, lambda: claim(r))
    string["leaves"] = r.list(256, lambda: r.take(32).hex())
    sizes = leaves(size(string), between)
    check(len(string["leaves"]) in (0, len(sizes)), "another number of leaves")
    r.sizes.append(sizes)
    return string


def size(string):
    return sum(one["end"] - one["start"] for one in string["ranges"])


def leaves(length, between):
    """For each leaf of a string: whether it is a value, and its bytes, with the padding of a value."""
    if between is not None:
        room = length - sum(len(text.encode()) for text in between) - len(between) + 1
        if 2 <= room <= 257:
            return [(True, room)] * (len(between) + 1)
    return [(False, min(1024, length - at)) for at in range(0, length, 1024)]


def all_leaves(said, sizes):
    """The leaves of a statement by their indexes: message, part, whether it is a value, bytes, digest."""
    found, sizes = {}, iter(sizes)
    for side, name in enumerate(("query", "response")):
        number = 0
        for string in said[name]["hidden"]:
            for (value, length), digest in zip(next(sizes), string["leaves"]):
                message = ("request", "response")[side] + (f"{string['round'] + 1}" if string["round"] else "")
                found[number + (side << 31)] = (message, string["part"], value, length, digest)
                number += 1
    return found


def present(data, key, wanted):
    r = Reader(data)
    check(len(data) <= 2**27, "it is too long")
    check(r.take(len(PRESENTATION)) == PRESENTATION and r.number(2) == 1, "it has another version")
    said_for = context(r.blob(64))
    said, sizes = read(r.blob(2**26), key)
    opened = r.list(2**14, lambda: (r.number(4), r.take(16), r.blob(2**16)))
    claimed = []
    for _ in range(r.number(4, 64)):
        start, index, length = r.at, r.number(4), r.number(4, 2**16)
        kind, says = r.choice(CLASSES), claim(r)
        head = data[start:r.at]
        check(says["kind"] != "own", "a claim that only some programs know")
        r.blob(2**27)
        claimed.append((index, length, kind, says, head))
    end, signature = r.at, r.take(64)
    check(r.at == len(data), "bytes after its end")
    check(said_for == wanted, "it was made for another context")
    check(all(a[0] < b[0] for a, b in zip(opened, opened[1:])), "openings that are not in order")
    check(all(a[4] < b[4] for a, b in zip(claimed, claimed[1:])), "claims that are not in order")
    check(not {one[0] for one in opened} & {one[0] for one in claimed}, "a claim about something that is opened")
    check(said["holder"] and bytes.fromhex(said["holder"]) not in WEAK, "no holder")
    signed_by(bytes.fromhex(said["holder"]), signature, data[:end])
    known, shown, unchecked = all_leaves(said, sizes), [], []
    for index, salt, content in opened:
        check(index in known, "an opening of nothing")
        message, name, value, length, digest = known[index]
        check(0 < len(content) < length if value else len(content) == length, "an opening of another length")
        padded = content + b"\x80" + bytes(length - len(content) - 1) if value else content
        check(hashlib.sha256(salt + index.to_bytes(4, "big") + padded).hexdigest() == digest, "an opening of something else")
        shown.append({"message": message, "part": name, "leaf": index & 2**31 - 1, **named("text", content, "text")})
    for index, length, kind, says, _ in claimed:
        check(index in known, "a claim about nothing")
        message, name, value, most, _ = known[index]
        check(0 < length < most if value else length == most, "a claim about another length")
        unchecked.append({"message": message, "part": name, "leaf": index & 2**31 - 1, "length": length, "class": kind, "claim": says})
    return {"attestation": said, "context": said_for, "opened": shown, "unchecked": unchecked}


def is_ristretto(data):
    """Whether these bytes are the encoding of a point (RFC 9496, section 4.3.1)."""
    s = int.from_bytes(data, "little")
    if s >= P or s & 1:
        return False
    u1, u2 = (1 - s * s) % P, (1 + s * s) % P
    v = (-D * u1 * u1 - u2 * u2) % P
    square, i = v * u2 * u2 % P, pow(2, (P - 1) // 4, P)
    root = pow(square, (P + 3) // 8, P)
    root = root if root * root % P == square else root * i % P
    if root == 0 or root * root % P != square or u2 == 0:
        return False
    x, y = 2 * s * pow(root, -1, P) * u2 % P, u1 * pow(u2, -1, P) % P
    x = P - x if x & 1 else x
    return not (x * y % P) & 1 and y != 0


def payload(r, rounds):
    shown = lambda: (r.number(8), r.blob())
    length = r.number(8, 2**48)
    revealed = [{"start": start, "end": start + len(data), **named("text", data, "text")} for start, data in r.list(65536, shown)]
    strings = r.list(256, lambda: hidden(r))
    entries = r.list(65536, lambda: {
        "part": r.text(), "form": r.choice({0: "bytes", 1: "number"}),
        "ranges": r.list(65536, lambda: {"start": r.number(8), "end": r.number(8)}),
        "points": r.list(65536, lambda: r.take(32).hex()),
    })
    places = [(one["start"], one["end"]) for one in revealed]
    check(all(a < b for a, b in places), "a shown range that is empty")
    check(all(a[1] < b[0] for a, b in zip(places, places[1:])), "shown ranges that touch or are not in order")
    for string in strings:
        own = [(one["start"], one["end"]) for one in string["ranges"]]
        check(own and all(a[1] <= b[0] for a, b in zip(own, own[1:])), "a hidden string that is not in order")
        check(string["round"] < rounds, "a hidden string in a message that there is not")
        places += own
    check([s["round"] for s in strings] == sorted(s["round"] for s in strings), "messages that are not in order")
    firsts = [s["ranges"][0]["start"] for s in strings]
    check(all(a < b for a, b in zip(firsts, firsts[1:])), "hidden strings that are not in order")
    places.sort()
    check(all(a < b <= length for a, b in places), "a range that is empty or outside")
    check(all(a[1] <= b[0] for a, b in zip(places, places[1:])), "ranges that overlap")
    committed = [s for s in strings if s["commit"]]
    check(len(committed) == len(entries), "commitments to other strings")
    for string, entry in zip(committed, entries):
        name = string["part"] if string["round"] == 0 else f"{string['round'] + 1} {string['part']}"
        check((name, string["commit"], string["ranges"]) == (entry["part"], entry["form"], entry["ranges"]), "a commitment to another string")
        own = entry["ranges"]
        check(all(a["end"] < b["start"] for a, b in zip(own, own[1:])), "committed ranges that touch")
        size = sum(one["end"] - one["start"] for one in own)
        check(entry["form"] == "bytes" or size <= 19, "a number of more than 19 digits")
        check(len(entry["points"]) == (1 if entry["form"] == "number" else -(-size // 31)), "another number of commitments")
        check(all(is_ristretto(bytes.fromhex(point)) for point in entry["points"]), "a commitment that is no point")
    check(sum(len(entry["points"]) for entry in entries) <= 65536, "too many commitments")
    return {"length": length, "revealed": revealed, "hidden": strings, "commitments": entries}


def host(name):
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        label = r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?"
        check(re.fullmatch(rf"{label}(\.{label})*", name) and len(name) <= 253, "a name that is not in lower case, or none")
        # A name like an address is neither.
        check(re.search("[^0-9]", name.split(".")[-1]), "a name that ends with a number")
        return name
    mapped = getattr(address, "ipv4_mapped", None)
    check(name == (f"::ffff:{mapped}" if mapped else str(address)) and "%" not in name, "an address in another form")
    return name


def context(data):
    visible = all(33 <= byte <= 126 for byte in data) and not data.startswith(b"hex:")
    return None if not data else data.decode() if visible else "hex:" + data.hex()


def signed_by(key, signature, data):
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, data)
    except (InvalidSignature, ValueError):
        raise Refused("the signature is wrong")


def read(data, key):
    """What an attestation says, and the leaves of its hidden strings."""
    check(len(data) <= 2**26, "it is too long")
    r = Reader(data)
    check(r.take(len(MAGIC)) == MAGIC, "it is no attestation")
    check(r.number(2) == 4, "it has another version")
    said = {
        "mode": r.choice({0: "proxy", 1: "two-party"}), "tls": r.choice({2: "1.2", 3: "1.3"}),
        "suite": r.choice({1: "AES_128_GCM_SHA256", 2: "AES_256_GCM_SHA384", 3: "CHACHA20_POLY1305_SHA256"}),
        "server_name": host(r.text()), "port": r.number(2), "alpn": r.choice({0: False, 1: True}), "certificate": r.take(32).hex(),
        "time": r.number(8, 253402300799), "rounds": r.number(4, 1024), "pipelined": r.choice({0: False, 1: True}),
        "context": context(r.blob(64)), "holder": r.blob(32).hex() or None,
    }
    said["query"], said["response"] = payload(r, said["rounds"]), payload(r, said["rounds"])
    signer, address = r.take(32), r.blob(20)
    end, signature = r.at, r.take(64)
    check(not address or len(address) == 20 and any(address), "an address of another length, or zero")
    r.take(65 if address else 0)
    check(r.at == len(data), "bytes after its end")
    check(said["port"] > 0 and said["rounds"] > 0, "port or rounds of 0")
    check(not said["pipelined"] or said["rounds"] > 1 and said["mode"] == "two-party", "requests at once")
    check(said["holder"] is None or len(said["holder"]) == 64, "a holder's key of another length")
    some = any(string["leaves"] for name in ("query", "response") for string in said[name]["hidden"])
    check(some == (said["holder"] is not None), "leaves without a holder, or a holder without leaves")
    check(signer == key, "another key signed")
    signed_by(key, signature, data[:end])
    time = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=said["time"])
    return {**said, "time": time.isoformat() + "Z"}, r.sizes


if __name__ == "__main__":
    try:
        with open(sys.argv[1], "rb") as file:
            data, key = file.read(), bytes.fromhex(sys.argv[2])
        if data.startswith(PRESENTATION):
            print(json.dumps(present(data, key, sys.argv[3] if len(sys.argv) > 3 else None)))
        else:
            print(json.dumps(read(data, key)[0]))
    except Refused as refused:
        sys.exit(f"refused: {refused}")
