"""Statements written in Python: what they compute, what they refuse, and proofs of them."""

import hashlib
import random

import numpy as np
import pytest
from conftest import accepted, prove_and_verify

import volery
from volery import BadInput, Bits, Field, Public, Secret, Unsatisfied

MASK = (1 << 32) - 1


def on_bits(function, width=32, inputs=2):
    """What a function of numbers returns, as a function of Python's integers."""
    if inputs == 2:

        @volery.statement
        def traced(x: Secret[Bits(width)], y: Secret[Bits(width)]):
            return function(x, y)

        return lambda x, y: traced.compute({"x": x, "y": y})

    @volery.statement
    def traced(x: Secret[Bits(width)]):
        return function(x)

    return traced.compute


OPERATORS = {
    "^": (lambda x, y: x ^ y, lambda x, y: x ^ y),
    "&": (lambda x, y: x & y, lambda x, y: x & y),
    "|": (lambda x, y: x | y, lambda x, y: x | y),
    "+": (lambda x, y: x + y, lambda x, y: (x + y) & MASK),
    "-": (lambda x, y: x - y, lambda x, y: (x - y) & MASK),
    "*": (lambda x, y: x * y, lambda x, y: (x * y) & MASK),
    "==": (lambda x, y: x == y, lambda x, y: int(x == y)),
    "!=": (lambda x, y: x != y, lambda x, y: int(x != y)),
    "<": (lambda x, y: x < y, lambda x, y: int(x < y)),
    "<=": (lambda x, y: x <= y, lambda x, y: int(x <= y)),
    ">": (lambda x, y: x > y, lambda x, y: int(x > y)),
    ">=": (lambda x, y: x >= y, lambda x, y: int(x >= y)),
    "wide_mul": (lambda x, y: x.wide_mul(y), lambda x, y: x * y),
    "signed": (
        lambda x, y: volery.compare(x, y, signed=True).less,
        lambda x, y: int((x ^ 1 << 31) < (y ^ 1 << 31)),
    ),
    "choose": (lambda x, y: volery.choose(x < y, x, y), lambda x, y: min(x, y)),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_compute_what_pythons_do(name):
    traced, plain = OPERATORS[name]
    own = on_bits(traced)
    numbers = [0, 1, MASK, 1 << 31, (1 << 31) - 1, *random.Random(name).choices(range(1 << 32), k=4)]
    for x in numbers:
        for y in numbers:
            assert own(x, y) == plain(x, y), (x, y)


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operand_may_be_public_on_either_side(name):
    traced, plain = OPERATORS[name]
    for known in (0, 1, 77, MASK):
        right = on_bits(lambda x: traced(x, Bits(32)(known)), inputs=1)
        left = on_bits(lambda x: traced(Bits(32)(known), x), inputs=1)
        for x in (0, 5, 77, MASK):
            assert right(x) == plain(x, known)
            assert left(x) == plain(known, x)


@pytest.mark.parametrize("name", OPERATORS)
def test_public_values_are_computed_while_tracing(name):
    traced, plain = OPERATORS[name]
    seen = []

    @volery.statement
    def look(secret: Secret[Bits(1)]):
        for x, y in ((3, 5), (5, 3), (MASK, 1), (4, 4)):
            result = traced(Bits(32)(x), Bits(32)(y))
            assert result.is_public
            seen.append((int(result), plain(x, y)))
        volery.require(secret)

    look()
    assert seen and all(x == y for x, y in seen)


UNARY = {
    "~": (lambda x: ~x, lambda x: x ^ MASK),
    "neg": (lambda x: -x, lambda x: -x & MASK),
    "<<": (lambda x: x << 5, lambda x: (x << 5) & MASK),
    ">>": (lambda x: x >> 5, lambda x: x >> 5),
    "far": (lambda x: (x << 40) | (x >> 40), lambda x: 0),
    "rotate": (lambda x: x.rotate_left(7), lambda x: (x << 7 | x >> 25) & MASK),
    "rotate_right": (lambda x: x.rotate_right(7), lambda x: (x >> 7 | x << 25) & MASK),
    "index": (lambda x: x[3], lambda x: x >> 3 & 1),
    "last": (lambda x: x[-1], lambda x: x >> 31),
    "slice": (lambda x: x[8:16], lambda x: x >> 8 & 255),
    "step": (lambda x: x[::2], lambda x: sum((x >> 2 * i & 1) << i for i in range(16))),
    "backwards": (lambda x: x[::-1], lambda x: sum((x >> i & 1) << 31 - i for i in range(32))),
    "bytes": (lambda x: x.reverse_bytes(), lambda x: int.from_bytes(x.to_bytes(4, "big"), "little")),
    "all": (lambda x: x.all(), lambda x: int(x == MASK)),
    "any": (lambda x: x.any(), lambda x: int(x != 0)),
    "extend": (lambda x: x.extend(40), lambda x: x),
    "signed": (lambda x: x.extend(40, signed=True), lambda x: x + (255 << 32 if x >> 31 else 0)),
    "concat": (lambda x: volery.concat(x[16:], x[:16]), lambda x: x >> 16 | (x & 65535) << 16),
    "iterate": (lambda x: volery.concat(*reversed(list(x))), lambda x: int(f"{x:032b}"[::-1], 2)),
}


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_number(name):
    traced, plain = UNARY[name]
    own = on_bits(traced, inputs=1)
    for x in (0, 1, MASK, 1 << 31, 0x12345678, 0xDEADBEEF):
        assert own(x) == plain(x), hex(x)


@pytest.mark.parametrize("length", [0, 1, 55, 56, 64, 200])
def test_sha256_is_that_of_the_standard_library(length):
    message = bytes(range(length))

    @volery.statement
    def digest(m: Secret[Bits(8 * length)], one: Secret[Bits(1)]):
        volery.require(one)
        return volery.sha256(m)

    assert bytes(digest.compute({"m": message, "one": 1})) == hashlib.sha256(message).digest()


def test_aes128_is_that_of_the_standard():
    # FIPS 197, appendix C.1.
    key, block = bytes(range(16)), bytes.fromhex("00112233445566778899aabbccddeeff")

    @volery.statement
    def encrypted(k: Secret[Bits(128)], b: Public[Bits(128)]):
        return volery.aes128(k, b)

    assert bytes(encrypted.compute(key, block)).hex() == "69c4e0d86a7b0430d8cdb78070b4c55a"
    report = accepted(encrypted(block, returns=bytes.fromhex("69c4e0d86a7b0430d8cdb78070b4c55a")), key)
    assert report.soundness_bits >= 100


P = (1 << 61) - 1


@volery.statement
def vectors(x: Secret[Field("F61", 3)], y: Secret[Field("F61", 3)]):
    return x + y, x - y, x * y, x @ y, -x, x.sum(), x == y, 2 * x + 1, x[1:], x[::-1], x[0] * y


def test_vectors_compute_what_numpy_does():
    x, y = np.array([1, -2, 3]), np.array([4, -2, 1 << 40])
    expected = [x + y, x - y, x * y, x @ y, -x, x.sum(), x == y, 2 * x + 1, x[1:], x[::-1], x[0] * y]
    computed = vectors.compute({"x": x, "y": y})
    for own, plain in zip(computed, expected):
        assert np.array_equal(volery.signed(own), plain)
    claim = vectors(returns=computed)
    assert accepted(claim, {"x": x, "y": y}).field == "F61"
    wrong = list(computed)
    wrong[3] = (computed[3] + 1) % P
    with pytest.raises(Unsatisfied, match="output 3"):
        vectors(returns=wrong).check({"x": x, "y": y})


@pytest.mark.parametrize("known", ["neither", "left", "right"])
def test_matrix_products(known):
    generator = np.random.default_rng(5)
    a, b = generator.integers(-100, 100, (3, 4)), generator.integers(-100, 100, (4, 2))

    @volery.statement
    def product(x: Secret[Field("F61", (3, 4))], y: Secret[Field("F61", (4, 2))]):
        if known == "left":
            return volery.matmul(a, y) + 0 * x[0, 0]
        if known == "right":
            return x @ Field("F61", (4, 2))(b) + 0 * y[0, 0]
        return x @ y

    witness = {"x": a, "y": b}
    computed = product.compute(witness)
    assert np.array_equal(volery.signed(computed), a @ b)
    accepted(product(returns=computed), witness)
    transposed = volery.statement(_transposed)
    assert np.array_equal(volery.signed(transposed.compute({"x": a})), a.T)


def _transposed(x: Secret[Field("F61", (3, 4))]):
    volery.require(x[0, 0] == x[0, 0])
    return x.T


def test_ranges_shifts_and_comparisons_of_elements():
    @volery.statement
    def ordered(x: Secret[Field("F61", 4)], y: Secret[Field("F61", 4)]):
        x.require_range(20, signed=True)
        y.require_range(20, signed=True)
        less, equal = volery.compare(x, y, bits=20, signed=True)
        return less, equal, x.shift_right(3, 20)

    x, y = np.array([-5, 7, 9, 524287]), np.array([-4, -7, 9, -524288])
    less, equal, shifted = ordered.compute({"x": x, "y": y})
    assert less.tolist() == [1, 0, 0, 0] and equal.tolist() == [0, 0, 1, 0]
    assert np.array_equal(volery.signed(shifted), x >> 3)
    with pytest.raises(Unsatisfied):
        ordered.compute({"x": np.array([1 << 19, 0, 0, 0]), "y": y})


def test_bits_and_elements_in_one_statement():
    @volery.statement
    def hashed_sum(salaries: Secret[Bits(5 * 16)], limit: Public[int]):
        numbers = salaries.to_field(16)
        total = numbers.sum()
        volery.require(total.to_bits(20) < limit)
        return volery.sha256(salaries), total, numbers.to_bits(16), (numbers - 100).to_bits(17, signed=True)

    numbers = np.array([1, 70, 300, 65535, 0], dtype="<u2")
    packed = numbers.tobytes()
    digest, total, back, signed = hashed_sum.compute(packed, 100_000)
    assert bytes(digest) == hashlib.sha256(packed).digest()
    assert total == numbers.sum() and bytes(back) == packed
    assert [(int(signed) >> 17 * i) & 0x1FFFF for i in range(5)] == [(int(n) - 100) & 0x1FFFF for n in numbers]
    claim = hashed_sum(100_000, returns=(digest, total, back, signed))
    report = accepted(claim, packed)
    assert report.field == "F61" and report.soundness_bits >= 40
    assert accepted(claim, packed, rho=100).soundness_bits >= 100
    with pytest.raises(Unsatisfied):
        hashed_sum(60_000, returns=(digest, total, back, signed)).check(packed)


def test_numbers_with_a_sign_become_elements():
    @volery.statement
    def lifted(x: Secret[Bits(24)]):
        return x.to_field(8, signed=True), x[:8].to_field(signed=True)

    vector, one = lifted.compute(bytes([255, 127, 128]))
    assert volery.signed(vector).tolist() == [-1, 127, -128] and volery.signed(one) == -1


def test_public_values_between_bits_and_elements():
    seen = []

    @volery.statement
    def look(secret: Secret[Bits(8)]):
        seen.append(int(Bits(8)(200).to_field()))
        seen.append(int(Field("F61")(77).to_bits(8)))
        seen.append(Field("F61", 2)([3, 4]).value().tolist())
        volery.require(secret.to_field() == 5)

    claim = look()
    assert seen == [200, 77, [3, 4]]
    claim.check(5)
    with pytest.raises(Unsatisfied):
        claim.check(6)


@volery.statement
def majority(votes: Secret[Bits(3)], public: Public[bool]):
    """Most of three."""
    a, b, c = votes
    with volery.part("counting"):
        result = (a & b) | (b & c) | (a & c)
        if public:
            volery.require(result)
        else:
            volery.require(~result)


def test_a_public_condition_makes_two_statements():
    majority(True).check(0b110)
    majority(False).check(0b100)
    with pytest.raises(Unsatisfied) as caught:
        majority(True).check(0b100)
    assert "counting" in caught.value.place and caught.value.assertion == 0
    prover, verifier = prove_and_verify(majority(True), 0b101, majority(False))
    for party in (prover, verifier):
        with pytest.raises(volery.SessionFailed):
            party.ended()
    assert isinstance(verifier.error, volery.Mismatch) or isinstance(prover.error, volery.Mismatch)


def test_a_function_is_traced_once_for_each_choice_of_public_arguments():
    runs = []

    @volery.statement
    def counted(x: Secret[Bits(8)], n: Public[int]):
        runs.append(n)
        volery.require(x > n)

    for n in (1, 2, 1, 1, 2):
        counted(n).check(200)
    assert runs == [1, 2]


CONDITIONS = {
    "if": lambda x: 1 if x == 3 else 2,
    "and": lambda x: x == 3 and x == 4,
    "or": lambda x: x == 3 or x == 4,
    "not": lambda x: not x,
    "while": lambda x: [x for _ in iter(lambda: bool(x), False)],
    "in": lambda x: x in [1, 2],
    "int": int,
    "index": lambda x: [1, 2, 3][x],
    "bytes": bytes,
    "range": lambda x: range(x),
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_python_cannot_look_at_a_secret(name):
    @volery.statement
    def branches(x: Secret[Bits(8)]):
        CONDITIONS[name](x)

    with pytest.raises(BadInput, match="the value is secret, so Python cannot look at it"):
        branches()


REFUSED = {
    "widths": (lambda x, e: x + x[:4], "operands of 8 and 4 bits"),
    "large": (lambda x, e: x + 256, "256 does not fit into 8 bits"),
    "negative": (lambda x, e: x + -129, "does not fit"),
    "kinds": (lambda x, e: x + e, "do not mix"),
    "kinds the other way": (lambda x, e: e + x, "do not mix"),
    "float": (lambda x, e: x + 1.5, "8 bits are an int, bytes"),
    "float element": (lambda x, e: e * 0.5, "multiply floats by a power of two"),
    "order": (lambda x, e: e < 3, "have no order"),
    "truth of elements": (lambda x, e: bool(e == 3), "the value is secret"),
    "sha256": (lambda x, e: volery.sha256(x[:7]), "whole bytes"),
    "aes128": (lambda x, e: volery.aes128(x, x), "128 bits"),
    "choose": (lambda x, e: volery.choose(x, x, x), "a choice is one bit"),
    "shapes": (lambda x, e: e + [1, 2], "do not go together"),
    "matmul": (lambda x, e: e @ [1, 2], "do not go together"),
    "wide": (lambda x, e: e.to_bits(62), "1 to 61"),
    "compare": (lambda x, e: volery.compare(e, e), "bits="),
    "compare too wide": (lambda x, e: volery.compare(e, e, bits=60), "1 to 59"),
    "to_field": (lambda x, e: x.to_field(3), "no elements of 3 bits"),
    "shift": (lambda x, e: e.shift_right(9, 9), "no bit is left"),
    "false": (lambda x, e: volery.require(Bits(8)(3) == 4), "public values alone is false"),
    "plain false": (lambda x, e: volery.require(False), "public values alone is false"),
    "concat": (lambda x, e: volery.concat(x, e), "bits of one statement"),
    "extend": (lambda x, e: x.extend(4), "fewer than"),
    "returned": (lambda x, e: 5, "no value of the statement"),
    "reshape": (lambda x, e: e.reshape(2, 2), "have no shape"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_makes_no_sense_is_refused_while_tracing(name):
    work, message = REFUSED[name]

    @volery.statement
    def senseless(x: Secret[Bits(8)], e: Secret[Field("F61", 3)]):
        return work(x, e)

    with pytest.raises(BadInput, match=message):
        senseless()


def test_an_index_beyond_the_end_ends_a_loop():
    @volery.statement
    def beyond(x: Secret[Bits(8)], e: Secret[Field("F61", 3)]):
        for index in (8, -9):
            with pytest.raises(IndexError):
                x[index]
        with pytest.raises(IndexError):
            e[3]
        with pytest.raises(IndexError):
            e[0, 0]
        volery.require(x == 1)

    beyond()


def test_values_are_of_no_use_outside_of_their_function():
    kept = []

    @volery.statement
    def leaks(x: Secret[Bits(8)]):
        kept.append(x)
        volery.require(x == 1)

    leaks()
    with pytest.raises(BadInput, match="traced to its end"):
        kept[0] + 1
    with pytest.raises(BadInput, match="only while its function is traced"):
        Bits(8)(5)

    @volery.statement
    def other(y: Secret[Bits(8)]):
        volery.require(y == kept[0])

    with pytest.raises(BadInput, match="traced to its end|two different statements"):
        other()


def test_signatures_are_checked_when_they_are_made():
    with pytest.raises(BadInput, match="whether it is Secret"):
        volery.statement(lambda x: None)
    with pytest.raises(BadInput, match="at least one argument that is Secret"):

        @volery.statement
        def public_only(x: Public[int]):
            pass

    with pytest.raises(BadInput, match="cannot have a default"):

        @volery.statement
        def default(x: Secret[Bits(1)] = 0):
            pass

    with pytest.raises(BadInput, match=r"arguments like \*x"):

        @volery.statement
        def many(*x: Secret[Bits(1)]):
            pass

    with pytest.raises(BadInput, match="Secret.* takes"):
        Secret[int]
    with pytest.raises(BadInput, match="over F61"):
        Field("F7")


def test_public_arguments_are_bound_as_pythons_are():
    @volery.statement
    def bound(x: Secret[Bits(8)], low: Public[int], high: Public[int] = 9):
        volery.require((x >= low) & (x <= high))

    bound(3).check(9)
    bound(high=100, low=3).check(100)
    for arguments in ((), (1, 2, 3)):
        with pytest.raises(BadInput, match="bound"):
            bound(*arguments)


def test_witnesses_have_the_form_that_the_arguments_say():
    @volery.statement
    def two(x: Secret[Bits(8)], e: Secret[Field("F61", 2)]):
        volery.require(x == 1)
        volery.require(e == [1, 2])

    good = {"x": 1, "e": [1, 2]}
    two().check(good)
    two().check({"x": np.uint8(1), "e": np.array([1, 2], dtype=np.uint8)})
    two().check({"x": np.array([1, 0, 0, 0, 0, 0, 0, 0]), "e": (1, 2)})
    for change, message in [
        ({"x": 256}, "secret x: the value does not fit"),
        ({"x": b"ab"}, "2 bytes for 8 bits"),
        ({"x": "1"}, "not str"),
        ({"x": [1, 2]}, "2 bits for 8"),
        ({"x": [2] * 8}, "a bit is 0 or 1"),
        ({"x": np.array([2] * 8)}, "a bit is 0 or 1"),
        ({"x": np.zeros(8)}, "not of float64"),
        ({"e": [1]}, "1 entries"),
        ({"e": 5}, "expected numbers of shape"),
        ({"e": [1.0, 2]}, "multiply floats"),
        ({"e": np.array([1.0, 2.0])}, "multiply floats"),
        ({"e": np.array([[1, 2]])}, "an array of shape"),
        ({"e": [P, 0]}, "not within"),
        ({"e": np.array([P, 0], dtype=np.uint64)}, "not below"),
        ({"e": ["1", 2]}, "an element is an integer"),
        ({"y": 1}, "no secret argument `y`"),
    ]:
        with pytest.raises(BadInput, match=message):
            two().check({**good, **change})
    with pytest.raises(BadInput, match="`e` is missing"):
        two().check({"x": 1})
    with pytest.raises(BadInput, match="is a dict"):
        two().check(5)


def test_a_refused_secret_is_not_in_the_message():
    @volery.statement
    def one(x: Secret[Bits(8)]):
        volery.require(x == 1)

    with pytest.raises(BadInput) as caught:
        one().check(987654321)
    assert "987654321" not in str(caught.value)


def test_what_is_returned_has_to_be_claimed():
    @volery.statement
    def square(x: Secret[Bits(8)]):
        return x * x

    with pytest.raises(BadInput, match="say what it returns"):
        square()
    with pytest.raises(BadInput, match="does not fit"):
        square(returns=256)
    square(returns=16).check(4)
    with pytest.raises(Unsatisfied) as caught:
        square(returns=17).check(4)
    assert caught.value.place == "output 0"

    @volery.statement
    def silent(x: Secret[Bits(8)]):
        volery.require(x == 1)

    with pytest.raises(BadInput, match="returns 0 values, not 1"):
        silent(returns=5)
    with pytest.raises(BadInput, match="returns nothing"):
        silent.compute(1)


def test_a_statement_that_claims_nothing_is_refused():
    @volery.statement
    def idle(x: Secret[Bits(8)]):
        x + 1

    with pytest.raises(BadInput, match="nothing is claimed"):
        idle().check(1)
    prover, verifier = prove_and_verify(idle(), 1)
    with pytest.raises(BadInput, match="nothing is claimed"):
        prover.ended()
    with pytest.raises((volery.SessionFailed, BadInput)):
        verifier.ended()


def test_annotations_may_be_text():
    namespace = {}
    source = (
        "from __future__ import annotations\n"
        "import volery\nfrom volery import Bits, Secret\n"
        "@volery.statement\ndef late(x: Secret[Bits(8)]):\n    volery.require(x == 7)\n"
    )
    exec(source, namespace)  # noqa: S102 - a module with that import
    namespace["late"]().check(7)


def test_threads_are_of_no_consequence():
    @volery.statement
    def many(x: Secret[Bits(8 * 4096)]):
        return volery.sha256(x)

    message = bytes(4096)
    claim = many(returns=many.compute(message))
    assert accepted(claim, message, threads=2).multiplications > 1_000_000


def test_public_arguments_that_may_change_are_looked_at_each_time():
    class Limit:
        value = 5

    limit, runs = Limit(), []

    @volery.statement
    def within(x: Secret[Bits(8)], limit: Public[Limit], scale: Public[float] = 1.0):
        runs.append(limit.value)
        volery.require(x <= limit.value)

    within(limit).check(5)
    limit.value = 4
    with pytest.raises(Unsatisfied):
        within(limit).check(5)
    assert runs == [5, 4]


@pytest.mark.parametrize("name", [*OPERATORS, *UNARY])
def test_no_bits_at_all_are_no_reason_to_panic(name):
    operator = OPERATORS.get(name) or UNARY[name]

    @volery.statement
    def empty(x: Secret[Bits(0)], one: Secret[Bits(1)]):
        for value in (x, Bits(0)(0)):
            try:
                operator[0](value, value) if name in OPERATORS else operator[0](value)
            except (BadInput, IndexError):
                # Such as a rotation of nothing.
                pass
        volery.require(one)

    empty().check({"x": 0, "one": 1})


def test_no_elements_at_all_are_no_reason_to_panic():
    @volery.statement
    def empty(x: Secret[Field("F61", 0)], one: Secret[Bits(1)]):
        for value in (x, Field("F61", 0)([])):
            value + value, value * value, value == value, value.sum(), -value
            with pytest.raises(BadInput):
                value @ value
            value.to_bits(8), value.shift_right(1, 5), value.require_range(5)
            volery.compare(value, value, bits=5)
            volery.matmul(value.reshape(0, 3), value.reshape(3, 0))
        volery.require(one)

    empty().check({"x": [], "one": 1})
