"""What the numbers of a shadow launch are: integers, unknown values, descriptors and what programs do with them.

Arithmetic follows the kernel's run time: `//` and `%` truncate as in C. A value read from memory is `Unknown` and stays
so through arithmetic; a branch or a loop on one is walked both ways, and what is stored there is only "perhaps".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from spyre_lint.findings import Location


class LaunchCapped(Exception):
    """The launch takes more loop iterations than are run."""


class LaunchFailed(Exception):
    """A program does what has no meaning (divides by zero, steps by zero); the message says what."""


class Unknown:
    """A value that the launch cannot know; `reason` says where it comes from, `loc` where that stands.

    Every arithmetic operation on one gives it back, so that a result tells of the first unknown that went into it.
    """

    __slots__ = ("loc", "reason", "stack")

    def __init__(self, reason: str, loc: Location, stack: tuple[Location, ...] = ()) -> None:
        self.reason = reason
        self.loc = loc
        self.stack = stack

    def _absorb(self, other: Any) -> Unknown:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _absorb
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _absorb
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = _absorb
    __lt__ = __le__ = __gt__ = __ge__ = _absorb

    def _same(self) -> Unknown:
        return self

    __neg__ = __invert__ = __abs__ = _same

    def __bool__(self) -> bool:
        raise TypeError("an unknown value has no truth value")


def first_unknown(*values: Any) -> Unknown | None:
    """The first unknown among some values."""
    for value in values:
        if isinstance(value, Unknown):
            return value
    return None


def truncdiv(a: Any, b: Any) -> Any:
    """`a // b` rounded towards zero; LaunchFailed for b of zero."""
    unknown = first_unknown(a, b)
    if unknown is not None:
        return unknown
    if b == 0:
        raise LaunchFailed("divides by zero")
    return a // b if (a >= 0) == (b > 0) or a % b == 0 else a // b + 1


def truncrem(a: Any, b: Any) -> Any:
    """`a % b` with the sign of a; LaunchFailed for b of zero."""
    unknown = first_unknown(a, b)
    return unknown if unknown is not None else a - b * truncdiv(a, b)


def cdiv(a: Any, b: Any) -> Any:
    """`(a + b - 1) // b` as Triton computes it."""
    return truncdiv(a + b - 1, b)


def fdiv(a: Any, b: Any) -> Any:
    """Floating-point division; LaunchFailed for b of zero."""
    unknown = first_unknown(a, b)
    if unknown is not None:
        return unknown
    if b == 0:
        raise LaunchFailed("divides by zero")
    return a / b


def minimum(a: Any, b: Any) -> Any:
    """The smaller one."""
    unknown = first_unknown(a, b)
    return unknown if unknown is not None else min(a, b)


def maximum(a: Any, b: Any) -> Any:
    """The larger one."""
    unknown = first_unknown(a, b)
    return unknown if unknown is not None else max(a, b)


def equal(a: Any, b: Any) -> Any:
    """`a == b`."""
    unknown = first_unknown(a, b)
    return unknown if unknown is not None else a == b


def unequal(a: Any, b: Any) -> Any:
    """`a != b`."""
    unknown = first_unknown(a, b)
    return unknown if unknown is not None else a != b


def negated(a: Any) -> Any:
    """`not a`."""
    return a if isinstance(a, Unknown) else not a


def select(condition: Any, a: Any, b: Any) -> Any:
    """`where` of one lane."""
    if isinstance(condition, Unknown):
        return a if a is b or (type(a) is type(b) is int and a == b) else condition
    return a if condition else b


def whole(a: Any) -> Any:
    """A float as the integer a cast makes of it."""
    return a if isinstance(a, Unknown) else int(a)


def moved(pointer: Any, offset: Any) -> Any:
    """A pointer some elements further; a pointer is its parameter's number and the distance from it."""
    if isinstance(pointer, Unknown):
        return pointer
    return offset if isinstance(offset, Unknown) else (pointer[0], pointer[1] + offset)


def advanced(pointer: Any, offsets: tuple[Any, ...]) -> Any:
    """A block pointer (descriptor number, then offsets) moved on."""
    if isinstance(pointer, Unknown):
        return pointer
    return (pointer[0], *(a + b for a, b in zip(pointer[1:], offsets, strict=False)))


def joined(a: Any, b: Any, unknown: Unknown) -> Any:
    """The value after a branch of which either side may have been taken."""
    return a if a is b or (type(a) is type(b) is int and a == b) else unknown


@dataclass(frozen=True, slots=True)
class Descriptor:
    """A descriptor as made in one launch. `site` numbers its `make_descriptor`; sizes are elements.

    `unknown` is set where the base, an extent or a stride is not known.
    """

    site: int
    base: int
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    block: tuple[int, ...]
    unknown: Unknown | None = None


Record = tuple[int, ...]
"""One access: number of the descriptor, then the tile's offsets. For raw pointers: -1 - parameter, address, length."""


@dataclass(slots=True)
class Recorder:
    """What the programs of one assignment of sizes make and touch.

    `blocks` are the block shapes of the `make_descriptor` operations by site. `fuel` is how many loop iterations may
    still be run. `perhaps` collects accesses that an unknown value decides on or places: the record, with None for an
    offset that is not known, and the first unknown.
    """

    blocks: list[tuple[int, ...]]
    fuel: int
    descriptors: list[Descriptor] = field(default_factory=list)
    perhaps: dict[tuple[int | None, ...], Unknown] = field(default_factory=dict)
    unplaced: list[Unknown] = field(default_factory=list)
    """Stores through something that is not known at all."""
    doubt: list[Unknown] = field(default_factory=list)
    live: set[int] = field(default_factory=set)
    """Numbers of the descriptors that the launch at hand has made."""
    _numbers: dict[tuple[Any, ...], int] = field(default_factory=dict)

    def make(self, site: int, pointer: Any, shape: tuple[Any, ...], strides: tuple[Any, ...]) -> int:
        """The number of a descriptor; equal ones have one number."""
        key = (site, pointer, shape, strides)
        number = self._numbers.get(key)
        if number is None:
            unknown = first_unknown(pointer, *shape, *strides)
            base, offset = (-1, 0) if isinstance(pointer, Unknown) else pointer
            if unknown is None and len(shape) != len(self.blocks[site]):
                unknown = Unknown("a descriptor whose ranks differ", _NOWHERE)
            made = Descriptor(site, base, offset, shape, strides, self.blocks[site], unknown)
            number = self._numbers[key] = len(self.descriptors)
            self.descriptors.append(made)
        self.live.add(number)
        return number

    def range(self, start: Any, stop: Any, step: Any) -> range:
        """The iterations of a loop with known bounds."""
        if step <= 0:
            raise LaunchFailed(f"steps by {step} in a loop")
        steps = range(int(start), int(stop), int(step))
        self.fuel -= len(steps) + 1
        if self.fuel < 0:
            raise LaunchCapped
        return steps

    def burn(self) -> None:
        """Account for one iteration of a loop without bounds."""
        self.fuel -= 1
        if self.fuel < 0:
            raise LaunchCapped

    def loop(self, start: Any, stop: Any, step: Any) -> Iterator[Any]:
        """The iterations of a loop whose bounds may be unknown: then one, of which nothing is known."""
        unknown = first_unknown(start, stop, step)
        if unknown is None:
            yield from self.range(start, stop, step)
            return
        self.burn()
        self.doubt.append(unknown)
        yield unknown
        self.doubt.pop()

    def sides(self, condition: Any) -> Iterator[bool]:
        """The sides of a branch to walk: one, or both where the condition is not known."""
        if not isinstance(condition, Unknown):
            yield bool(condition)
            return
        self.doubt.append(condition)
        yield True
        yield False
        self.doubt.pop()

    def access(self, add: Any, place: Any, offsets: tuple[Any, ...]) -> None:
        """Record an access of which something may be unknown."""
        if isinstance(place, Unknown):
            self.unplaced.append(place)
            return
        unknown = self.doubt[0] if self.doubt else first_unknown(*offsets)
        if unknown is None:
            add((place, *offsets))
        else:
            known = tuple(None if isinstance(offset, Unknown) else offset for offset in offsets)
            self.perhaps.setdefault((place, *known), unknown)

    def touch(self, add: Any, pointer: Any, mask: Any, lanes: int) -> None:
        """Record a store through a raw pointer, by its first lane and how many lanes follow."""
        if isinstance(pointer, Unknown):
            self.unplaced.append(pointer)
        elif isinstance(mask, Unknown) or self.doubt:
            unknown = mask if isinstance(mask, Unknown) else self.doubt[0]
            self.perhaps.setdefault((-1 - pointer[0], pointer[1]), unknown)
        elif mask:
            add((-1 - pointer[0], pointer[1], lanes))


_NOWHERE = Location("", 1)
