"""Which elements the tiles of a launch cover: boxes of descriptors that share a base, on a grid of their own edges.

Descriptors with one base pointer and equal strides live in one space: an offset of the base is a shift of their
coordinates. A space is cut along every edge of every box in it, so that a set of elements is a bit mask over few cells,
whatever the sizes of the tiles.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence

from spyre_lint.analysis.shadow_values import Descriptor, Record, Recorder

Box = tuple[tuple[int, int], ...]
SpaceKey = tuple[int, ...]


class Space:
    """One tensor's coordinates. `sites` are the descriptors' `make_descriptor` operations, by number."""

    def __init__(self, key: SpaceKey, rank: int) -> None:
        self.key = key
        self.rank = rank
        self.sites: set[int] = set()
        self._edges: list[set[int]] = [set() for _ in range(rank)]
        self._cuts: list[list[int]] = []
        self._masks: dict[Box, int] = {}

    def add(self, box: Box) -> None:
        """Make the edges of a box edges of the space."""
        for edges, (low, high) in zip(self._edges, box, strict=True):
            edges.add(low)
            edges.add(high)

    def close(self) -> None:
        """Fix the edges; masks can be asked for from now on."""
        self._cuts = [sorted(edges) for edges in self._edges]

    @property
    def counts(self) -> list[int]:
        """Cells per dimension."""
        return [len(cuts) - 1 for cuts in self._cuts]

    def mask(self, box: Box) -> int:
        """The cells of a box."""
        found = self._masks.get(box)
        if found is None:
            found = 1
            width = 1
            for cuts, (low, high) in zip(reversed(self._cuts), reversed(box), strict=True):
                start, end = bisect_left(cuts, low), bisect_left(cuts, high)
                found = sum(found << (width * index) for index in range(start, end))
                width *= len(cuts) - 1
            self._masks[box] = found
        return found

    def slab(self, axis: int, index: int) -> int:
        """All cells with one index along one dimension."""
        box = tuple((cuts[0], cuts[-1]) for cuts in self._cuts)
        cuts = self._cuts[axis]
        return self.mask((*box[:axis], (cuts[index], cuts[index + 1]), *box[axis + 1 :]))

    def first_box(self, mask: int) -> Box:
        """The elements of the first cell of a mask, stretched as far as the mask goes, last dimension first."""
        index = (mask & -mask).bit_length() - 1
        place: list[int] = []
        for count in reversed(self.counts):
            place.insert(0, index % count)
            index //= count
        box = [(cuts[i], cuts[i + 1]) for cuts, i in zip(self._cuts, place, strict=True)]
        for axis in reversed(range(self.rank)):
            cuts = self._cuts[axis]
            for end in cuts[place[axis] + 2 :]:
                wider = [*box[:axis], (box[axis][0], end), *box[axis + 1 :]]
                if self.mask(tuple(wider)) & ~mask:
                    break
                box = wider
        return tuple(box)

    def extent(self, mask: int) -> tuple[int, Box]:
        """How many elements a mask holds, and the box around them."""
        total = 0
        low = [cuts[-1] for cuts in self._cuts]
        high = [cuts[0] for cuts in self._cuts]
        while mask:
            index = (mask & -mask).bit_length() - 1
            mask &= mask - 1
            volume = 1
            for axis in reversed(range(self.rank)):
                cuts = self._cuts[axis]
                index, place = divmod(index, len(cuts) - 1)
                volume *= cuts[place + 1] - cuts[place]
                low[axis], high[axis] = min(low[axis], cuts[place]), max(high[axis], cuts[place + 1])
            total += volume
        return total, tuple(zip(low, high, strict=True))

    def lost_axes(self, missing: int, window: int) -> list[int]:
        """The dimensions along which whole slabs of the window are missing, while others are there."""
        found = []
        for axis, count in enumerate(self.counts):
            slabs = [self.slab(axis, index) & window for index in range(count)]
            gone = [slab for slab in slabs if slab and not slab & ~missing]
            if gone and len(gone) < sum(1 for slab in slabs if slab):
                found.append(axis)
        return found


class Geometry:
    """The spaces of the descriptors of some sites, and the masks of records in them.

    `records` are those of all launches that are compared. Records of raw pointers have a space per parameter in which
    a record spans its length from its address on.
    """

    def __init__(
        self, recorder: Recorder, sites: frozenset[int], records: Iterable[Record], live: Iterable[int]
    ) -> None:
        self._recorder = recorder
        self._sites = sites
        self.spaces: dict[SpaceKey, Space] = {}
        self._of_descriptor: dict[int, tuple[Space, tuple[int, ...]] | None] = {}
        self._boxes: dict[Record, tuple[Space, Box] | None] = {}
        for number in live:
            placed = self.place(number)
            if placed is not None:
                placed[0].add(self.window(number))
        for record in records:
            self._locate(record)
        for space in self.spaces.values():
            space.close()

    def _space(self, key: SpaceKey, rank: int) -> Space:
        if key not in self.spaces:
            self.spaces[key] = Space(key, rank)
        return self.spaces[key]

    def place(self, number: int) -> tuple[Space, tuple[int, ...]] | None:
        """The space of a descriptor and the shift of its coordinates; None if it is not one to be judged."""
        if number not in self._of_descriptor:
            made = self._recorder.descriptors[number]
            found: tuple[Space, tuple[int, ...]] | None = None
            if made.site in self._sites and made.unknown is None:
                shift = shift_of(made)
                key = (made.base, *made.strides) if shift is not None else (made.base, *made.strides, made.offset, -1)
                space = self._space(key, len(made.shape))
                space.sites.add(made.site)
                found = (space, shift if shift is not None else (0,) * len(made.shape))
            self._of_descriptor[number] = found
        return self._of_descriptor[number]

    def window(self, number: int) -> Box:
        """All elements of a descriptor's shape."""
        made = self._recorder.descriptors[number]
        placed = self.place(number)
        assert placed is not None
        return tuple((s, s + max(size, 0)) for s, size in zip(placed[1], made.shape, strict=True))

    def _locate(self, record: Record) -> None:
        if record in self._boxes:
            return
        if record[0] < 0:
            space = self._space((record[0],), 1)
            self._boxes[record] = (space, ((record[1], record[1] + record[2]),))
            space.add(((record[1], record[1] + record[2]),))
            space.add(((record[1], record[1] + 1),))
            return
        placed = self.place(record[0])
        made = self._recorder.descriptors[record[0]]
        box = None if placed is None or len(record) - 1 != len(made.shape) else box_of(made, record[1:], placed[1])
        self._boxes[record] = None if placed is None or box is None else (placed[0], box)
        if placed is not None and box is not None:
            placed[0].add(box)

    def is_outside(self, record: Record) -> bool:
        """Whether a tile of one of the sites lies outside of its tensor."""
        return self._boxes.get(record) is None and record[0] >= 0 and self.place(record[0]) is not None

    def mask(self, record: Record) -> tuple[Space, int] | None:
        """The cells of a record; None if it lies outside of the shape."""
        found = self._boxes.get(record)
        return None if found is None else (found[0], found[0].mask(found[1]))

    def first_lanes(self, records: Iterable[Record]) -> dict[SpaceKey, int]:
        """The cells of the first elements of stores through raw pointers: of the others a mask may take some away."""
        total: dict[SpaceKey, int] = {}
        for record in records:
            if record[0] < 0:
                space = self.spaces[(record[0],)]
                total[space.key] = total.get(space.key, 0) | space.mask(((record[1], record[1] + 1),))
        return total

    def masks(self, records: Iterable[Record]) -> dict[SpaceKey, int]:
        """The cells that some records cover, by space."""
        total: dict[SpaceKey, int] = {}
        for record in records:
            found = self.mask(record)
            if found is not None:
                key = found[0].key
                total[key] = total.get(key, 0) | found[1]
        return total

    def windows(self, live: Iterable[int], touched: Mapping[SpaceKey, int]) -> dict[SpaceKey, int]:
        """The cells that descriptors span, by space. One with a moved base counts only if something of it is touched: a
        kernel may make descriptors that it has no work for.
        """
        total: dict[SpaceKey, int] = {}
        for number in live:
            placed = self.place(number)
            if placed is None:
                continue
            key, mask = placed[0].key, placed[0].mask(self.window(number))
            if not self._recorder.descriptors[number].offset or mask & touched.get(key, 0):
                total[key] = total.get(key, 0) | mask
        return total

    def overlaps(self, records: Iterable[Record]) -> bool:
        """Whether two different records share an element."""
        seen: dict[SpaceKey, int] = {}
        for record in records:
            found = self.mask(record)
            if found is not None:
                key = found[0].key
                if seen.get(key, 0) & found[1]:
                    return True
                seen[key] = seen.get(key, 0) | found[1]
        return False


def shift_of(made: Descriptor) -> tuple[int, ...] | None:
    """A base offset as a shift of coordinates; None where it is none (a view that wraps around its rows)."""
    if not made.offset:
        return (0,) * len(made.shape)
    left = made.offset
    shift: list[int] = []
    for stride in made.strides:
        if stride <= 0:
            return None
        steps, left = divmod(left, stride)
        shift.append(steps)
    if left:
        return None
    for axis in range(1, len(shift)):
        wraps = (shift[axis] + made.shape[axis]) * made.strides[axis] > made.strides[axis - 1]
        if shift[axis] and wraps:
            return None
    return tuple(shift)


def box_of(made: Descriptor, offsets: Sequence[int], shift: Sequence[int]) -> Box | None:
    """The elements of a tile that lie inside the shape; None if there are none."""
    box: list[tuple[int, int]] = []
    for offset, block, size, moved in zip(offsets, made.block, made.shape, shift, strict=True):
        low, high = max(offset, 0), min(offset + block, size)
        if low >= high:
            return None
        box.append((low + moved, high + moved))
    return tuple(box)
