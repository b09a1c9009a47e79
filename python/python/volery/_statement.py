"""Statements: what is proved. Those written in Python are traced once and then are programs like all others."""

from __future__ import annotations

import inspect
import json
from typing import Any, Callable, Dict, List, Mapping, Sequence, Tuple, Union

from . import _volery
from ._arrays import Word, decode_field, wipe
from ._errors import BadInput
from ._report import Cost, Info, PublicCost
from ._types import Annotation, Bits, Field, Spec
from ._values import BitsValue, FieldValue, _current

__all__ = ["Statement", "TracedFunction", "TracedStatement", "statement"]


class Statement:
    """What is proved, with its public side. Both parties make the same one."""

    def __init__(self) -> None:
        raise TypeError("statements come from load(), builtin(), any_of() and from functions with @statement")

    def _load(self, witness: Any) -> "_volery.Statement":
        """The statement with a witness, for the prover."""
        raise NotImplementedError

    def _public(self) -> "_volery.Statement":
        """The statement without one, for the verifier."""
        raise NotImplementedError

    @property
    def text(self) -> str:
        """Its description."""
        return self._public().text

    def check(self, witness: Any) -> None:
        """Checks on this machine whether a witness satisfies it.

        Raises :class:`volery.Unsatisfied` with the place if it does not.
        """
        self._load(witness).check()

    def info(self, costs: bool = True) -> Info:
        """What it is, and what proofs of it will take; without ``costs`` only what it is, which takes less time."""
        found: Dict[str, Any] = json.loads(_volery.info(self._public(), costs))
        return Info(
            statement=self.text,
            field=found["ring"],
            secrets=found["secrets"],
            multiplications=found["multiplications"],
            description=found["description"],
            costs=tuple(Cost(**one) for one in found["protocols"]),
            public_costs=tuple(PublicCost(**one) for one in found["public_proofs"]),
        )

    def __repr__(self) -> str:
        return f"<statement: {self.text}>"


def _resolve(function: Callable[..., Any], annotation: Any) -> Any:
    """An annotation that `from __future__ import annotations` has made a text."""
    if not isinstance(annotation, str):
        return annotation
    names = dict(inspect.getclosurevars(function).nonlocals)
    # Of an annotation, names of the enclosing function are not among those of the closure.
    return eval(annotation, function.__globals__, names)  # noqa: S307 - it is the function's own source


def _is_constant(value: Any) -> bool:
    """Whether a value cannot change, and equals no other one of its type that behaves otherwise."""
    return value is None or type(value) in (bool, int, str, bytes)


class TracedFunction:
    """A function that is a statement: see :func:`volery.statement`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__
        self.__wrapped__ = function
        self._arguments: Dict[str, Annotation] = {}
        self._traces: Dict[Any, "_Trace"] = {}
        public: List[inspect.Parameter] = []
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
                raise BadInput(f"{self.__name__}: a statement has no arguments like *{parameter.name}")
            annotation = _resolve(function, parameter.annotation)
            if not isinstance(annotation, Annotation):
                raise BadInput(
                    f"{self.__name__}: say of the argument `{parameter.name}` whether it is Secret[...] or Public[...]"
                )
            if parameter.name == "returns":
                raise BadInput(f"{self.__name__}: `returns` is what the function is claimed to return, not an argument")
            if annotation.secret and parameter.default is not parameter.empty:
                raise BadInput(f"{self.__name__}: the secret argument `{parameter.name}` cannot have a default")
            self._arguments[parameter.name] = annotation
            if not annotation.secret:
                public.append(parameter.replace(annotation=parameter.empty))
        if not any(annotation.secret for annotation in self._arguments.values()):
            raise BadInput(f"{self.__name__}: a statement has at least one argument that is Secret[...]")
        self._public = inspect.Signature(sorted(public, key=lambda one: one.default is not one.empty))

    @property
    def secrets(self) -> Dict[str, Spec]:
        """The secret arguments and their types."""
        return {name: one.spec for name, one in self._arguments.items() if one.secret}

    def __call__(self, *public: Any, returns: Any = None, **named: Any) -> "TracedStatement":
        """The statement with these public arguments, and with what the function returns, if it does."""
        return TracedStatement._make(self, self._trace(public, named), returns)

    def compute(self, witness: Any, *public: Any, **named: Any) -> Any:
        """What the function returns for a witness: what to claim in ``returns``."""
        trace = self._trace(public, named)
        if not trace.outputs:
            raise BadInput(f"{self.__name__} returns nothing")
        secrets = trace.encode(witness)
        try:
            values = trace.function.compute(secrets)
        finally:
            for secret in secrets:
                wipe(secret)
        decoded = [output.decode(value) for output, value in zip(trace.outputs, values)]
        return decoded[0] if trace.single else tuple(decoded)

    def _trace(self, public: Tuple[Any, ...], named: Mapping[str, Any]) -> "_Trace":
        """The function's trace for these public arguments."""
        try:
            bound = self._public.bind(*public, **named)
        except TypeError as error:
            raise BadInput(f"{self.__name__}: {error}") from None
        bound.apply_defaults()
        if not all(map(_is_constant, bound.arguments.values())):
            # What may change is traced each time.
            return _Trace(self, bound.arguments)
        key: Any = tuple((name, type(value), value) for name, value in bound.arguments.items())
        known = self._traces.get(key)
        if known is None:
            if len(self._traces) >= 16:
                self._traces.clear()
            known = self._traces[key] = _Trace(self, bound.arguments)
        return known

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}: {one!r}" for name, one in self._arguments.items())
        return f"<statement {self.__name__}({arguments})>"


class _Output:
    """A value that a function returns."""

    def __init__(self, value: Union[BitsValue, FieldValue]) -> None:
        self.number = value._number
        self.spec: Spec = Bits(value.width) if isinstance(value, BitsValue) else Field("F61", value.shape)

    def decode(self, packed: bytes) -> Any:
        if isinstance(self.spec, Bits):
            return Word(int.from_bytes(packed, "little"), self.spec.width)
        return decode_field(packed, self.spec.shape)


class _Trace:
    """What a function does, for some public arguments."""

    def __init__(self, owner: TracedFunction, public: Mapping[str, Any]) -> None:
        tracer = _volery.Tracer(owner.__name__)
        self.secrets = owner.secrets
        token = _current.set(tracer)
        try:
            arguments: Dict[str, Any] = {}
            for name, annotation in owner._arguments.items():
                spec = annotation.spec
                if not annotation.secret:
                    value = public[name]
                    arguments[name] = spec(value) if isinstance(spec, (Bits, Field)) else value
                    continue
                number = tracer.secret(name, spec.kind, spec.length)
                if isinstance(spec, Bits):
                    arguments[name] = BitsValue(tracer, number)
                else:
                    arguments[name] = FieldValue(tracer, number, spec.shape)
            tracer.enter(owner.__name__)
            result = owner._function(**arguments)
            returned: Sequence[Any] = result if isinstance(result, tuple) else () if result is None else (result,)
            for value in returned:
                if not isinstance(value, (BitsValue, FieldValue)) or value._tracer is not tracer:
                    raise BadInput(f"{owner.__name__}: it returns {value!r}, which is no value of the statement")
            self.single = not isinstance(result, tuple)
            self.outputs = [_Output(value) for value in returned]
            self.function = tracer.finish([output.number for output in self.outputs])
        finally:
            _current.reset(token)

    def encode(self, witness: Any) -> List[bytearray]:
        """The values of all secret arguments, packed."""
        if not isinstance(witness, Mapping):
            if len(self.secrets) != 1:
                names = ", ".join(self.secrets)
                raise BadInput(f"the witness is a dict with the secret arguments: {names}")
            witness = {next(iter(self.secrets)): witness}
        unknown = [name for name in witness if name not in self.secrets]
        missing = [name for name in self.secrets if name not in witness]
        if unknown or missing:
            what = f"no secret argument `{unknown[0]}`" if unknown else f"the secret argument `{missing[0]}` is missing"
            raise BadInput(f"the witness: {what}")
        return [spec.encode(witness[name], f"secret {name}") for name, spec in self.secrets.items()]


class TracedStatement(Statement):
    """A statement whose program is a traced function."""

    _owner: TracedFunction
    _trace: _Trace
    _claimed: List[Tuple[str, bytes, int]]

    @classmethod
    def _make(cls, owner: TracedFunction, trace: _Trace, returns: Any) -> "TracedStatement":
        self = object.__new__(cls)
        self._owner, self._trace = owner, trace
        expected = trace.outputs
        if returns is None:
            if expected:
                name = owner.__name__
                raise BadInput(
                    f"{name}: say what it returns: {name}(..., returns=VALUE); {name}.compute(WITNESS, ...) computes it"
                )
            values: Sequence[Any] = ()
        elif trace.single:
            values = (returns,)
        else:
            values = tuple(returns)
        if len(values) != len(expected):
            raise BadInput(f"{owner.__name__} returns {len(expected)} values, not {len(values)}")
        self._claimed = [
            (output.spec.kind, bytes(output.spec.encode(value, "returns")), output.spec.length)
            for output, value in zip(expected, values)
        ]
        return self

    def _load(self, witness: Any) -> "_volery.Statement":
        secrets = self._trace.encode(witness)
        try:
            return self._trace.function.statement(self._claimed, secrets)
        finally:
            for secret in secrets:
                wipe(secret)

    def _public(self) -> "_volery.Statement":
        return self._trace.function.statement(self._claimed, None)


def statement(function: Callable[..., Any]) -> TracedFunction:
    """Makes a statement of a function.

    Each argument is ``Secret[...]`` or ``Public[...]``. The function runs once for each choice of public
    arguments, on values that stand for the secret ones, and what it does with them is recorded. It claims
    with :func:`volery.require`. What it returns is public: the statement says what that is.

    >>> from volery import Bits, Public, Secret, require, statement
    >>> @statement
    ... def factors(p: Secret[Bits(32)], q: Secret[Bits(32)], n: Public[Bits(64)]):
    ...     "I know two factors of n, neither of which is 1."
    ...     require(p.wide_mul(q) == n)
    ...     require((p != 1) & (q != 1))
    >>> factors(62615533).check({"p": 7907, "q": 7919})
    >>> factors(62615533).check({"p": 62615533, "q": 1})
    Traceback (most recent call last):
        ...
    volery.Unsatisfied: the statement does not hold: assertion 64 failed in factors
    """
    return TracedFunction(function)
