"""A grid maze router with negotiated congestion, for boards of a few hundred connections on two signal layers."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

STEP = 0.1  # grid, mm
VIA, DRILL = 0.6, 0.3
_VIA_COST, _BEND = 25.0, 0.6
_MOVES = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]
_VIAS = 0.0  # the "width" that stands for vias in the maps
Cell = tuple[int, int, int]  # layer (0 front, 1 back), row, column
Cells = NDArray[np.int64]


@dataclass(frozen=True)
class Land:
    """A pad, hole or fixed piece of copper: a rectangle or ellipse on some layers."""

    net: str
    x: float
    y: float
    w: float
    h: float
    layers: tuple[int, ...]
    drill: float = 0.0
    round: bool = False
    target: bool = True  # to be connected


@dataclass
class Router:
    """Routes nets around each other, raising the price of contested places from round to round."""

    size: tuple[float, float]
    lands: list[Land]
    planes: Collection[str] = ()  # nets with a plane: each pad needs only a via
    wide: dict[str, float] = field(default_factory=dict)  # net -> track width; narrow pads get the first of `widths`
    widths: tuple[float, ...] = (0.2, 0.4)
    clearance: float = 0.2
    edge: float = 0.5
    # net -> width and cells of each path
    routes: dict[str, list[tuple[float, list[Cell]]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.nx, self.ny = (round(s / STEP) + 1 for s in self.size)
        self.plane = self.nx * self.ny
        self.radius = {w: w / 2 for w in self.widths} | {_VIAS: VIA / 2}
        # pads and edges too near for a track or via here
        self.hard = {k: np.zeros(2 * self.plane, np.int16) for k in self.radius}
        self.soft = {k: np.zeros(2 * self.plane, np.int16) for k in self.radius}  # routed nets too near
        self.past = {k: np.zeros(2 * self.plane, np.float32) for k in self.radius}  # price of past conflicts
        self.marks: dict[str, dict[float, Cells]] = {}
        self.own: dict[tuple[str, float], list[Cells]] = {}
        ys, xs = np.mgrid[0 : self.ny, 0 : self.nx] * STEP
        self.novia = np.zeros(self.plane, bool)
        for k, r in self.radius.items():
            inside = np.minimum.reduce([xs, ys, self.size[0] - xs, self.size[1] - ys])
            self.hard[k] += np.tile((inside < self.edge + r).ravel(), 2)
        for land in self.lands:
            gap = np.hypot(
                np.maximum(abs(xs - land.x) - land.w / 2, 0), np.maximum(abs(ys - land.y) - land.h / 2, 0)
            ).ravel()
            self.novia |= gap < VIA / 2 + 0.05
            if land.drill:
                self.novia |= np.hypot(xs - land.x, ys - land.y).ravel() < (land.drill + DRILL) / 2 + 0.3
            for k, r in self.radius.items():
                near = np.flatnonzero(gap < self.clearance + r - 1e-6)
                cells = np.concatenate([near + layer * self.plane for layer in land.layers])
                self.hard[k][cells] += 1
                self.own.setdefault((land.net, k), []).append(cells)

    def _index(self, cell: Cell) -> int:
        return cell[0] * self.plane + cell[1] * self.nx + cell[2]

    def _ends(self, land: Land, width: float) -> list[Cell]:
        """The grid points of a pad where a track may end: those well inside it, or else the nearest one."""
        hw, hh = max(1e-9, land.w / 2 - width / 2), max(1e-9, land.h / 2 - width / 2)
        cols = range(math.ceil((land.x - hw) / STEP - 1e-6), math.floor((land.x + hw) / STEP + 1e-6) + 1)
        rows = range(math.ceil((land.y - hh) / STEP - 1e-6), math.floor((land.y + hh) / STEP + 1e-6) + 1)
        spots = [
            (r, c)
            for r in rows
            for c in cols
            if not land.round or math.hypot((c * STEP - land.x) / hw, (r * STEP - land.y) / hh) <= 1
        ]
        return [
            (layer, r, c) for layer in land.layers for r, c in spots or [(round(land.y / STEP), round(land.x / STEP))]
        ]

    def _stamp(self, cells: Collection[Cell], radius: float) -> Cells:
        """All grid points within `radius` of the cells."""
        n, spots = math.ceil(radius / STEP), np.array(sorted(cells))
        dy, dx = np.mgrid[-n : n + 1, -n : n + 1]
        keep = np.hypot(dx, dy) * STEP < radius - 1e-6
        rows, cols = spots[:, 1:2] + dy[keep], spots[:, 2:3] + dx[keep]
        inside = (rows >= 0) & (rows < self.ny) & (cols >= 0) & (cols < self.nx)
        return np.unique((spots[:, 0:1] * self.plane + rows * self.nx + cols)[inside])

    def _mark(self, net: str) -> None:
        marks: dict[float, Cells] = {}
        for k, r in self.radius.items():
            stamps = [np.zeros(0, np.int64)]
            for width, path in self.routes[net]:
                stamps.append(self._stamp(set(path), width / 2 + self.clearance + r))
                vias = {(layer, *a[1:]) for a, b in itertools.pairwise(path) if a[0] != b[0] for layer in (0, 1)}
                stamps += [self._stamp(vias, VIA / 2 + self.clearance + r)] if vias else []
            marks[k] = np.unique(np.concatenate(stamps))
            self.soft[k][marks[k]] += 1
        self.marks[net] = marks

    def _costs(self, net: str, kind: float, pressure: float) -> list[float]:
        hard = self.hard[kind].copy()
        for cells in self.own.get((net, kind), []):
            hard[cells] -= 1
        cost = 1.0 + pressure * self.soft[kind] + self.past[kind]
        cost[hard > 0] = math.inf
        if kind == _VIAS:  # a via needs both layers
            cost = cost[: self.plane] + cost[self.plane :]
            cost[self.novia] = math.inf
        return cost.tolist()  # type: ignore[no-any-return]

    def _search(self, starts: list[Cell], goals: set[Cell], track: list[float], via: list[float]) -> list[Cell] | None:
        """The cheapest path to a goal. Without goals: to the nearest place for a via, ending on the other layer."""
        nx, plane = self.nx, self.plane
        ends = {self._index(c) for c in goals}
        r0, r1 = min((c[1] for c in goals), default=0), max((c[1] for c in goals), default=0)
        c0, c1 = min((c[2] for c in goals), default=0), max((c[2] for c in goals), default=0)

        def guess(row: int, col: int) -> float:
            dy, dx = max(r0 - row, row - r1, 0), max(c0 - col, col - c1, 0)
            return max(dx, dy) + 0.414 * min(dx, dy) if goals else 0.0

        best = {self._index(c): 0.0 for c in starts}
        heap = [(guess(c[1], c[2]), self._index(c), -1, -1) for c in starts]  # estimate, cell, direction, cell before
        heapq.heapify(heap)
        back: dict[int, int] = {}
        while heap:
            _, n, turn, before = heapq.heappop(heap)
            if n in back:
                continue
            back[n] = before
            layer, flat = divmod(n, plane)
            row, col = divmod(flat, nx)
            if n in ends or (not goals and via[flat] < 2.5):
                path = [] if goals else [(1 - layer, row, col)]
                while n >= 0:
                    path.append((n // plane, *divmod(n % plane, nx)))
                    n = back[n]
                return path[::-1]
            steps = [
                (n + dr * nx + dc, d, track[n + dr * nx + dc] * (1.4142 if dc and dr else 1.0), row + dr, col + dc)
                for d, (dc, dr) in enumerate(_MOVES)
            ]  # the board's edge is always blocked, so no step leaves the grid
            if goals and via[flat] < math.inf:
                steps.append((n + plane if layer == 0 else n - plane, -1, _VIA_COST * via[flat] / 2, row, col))
            for m, d, price, r, c in steps:
                if m in back or price == math.inf:
                    continue
                bend = min((d - turn) % 8, (turn - d) % 8) if d >= 0 and turn >= 0 else 0
                cost = best[n] + price + _BEND * bend * bend
                if cost < best.get(m, math.inf):
                    best[m] = cost
                    heapq.heappush(heap, (cost + guess(r, c), m, d, n))
        return None

    def _route(self, net: str, pressure: float) -> bool:
        """Route one net anew: always the unconnected pad that is nearest to the connected ones."""
        for k, cells in self.marks.pop(net, {}).items():
            self.soft[k][cells] -= 1
        lands = [p for p in self.lands if p.net == net and p.target]
        wide = self.wide.get(net, self.widths[0])
        costs = {k: self._costs(net, k, pressure) for k in {wide, self.widths[0], _VIAS}}
        joined = [p for p in lands if p.drill] if net in self.planes else lands[:1]
        waiting, complete = [p for p in lands if p not in joined], True
        tree: list[Cell] = []
        self.routes[net] = []
        while waiting:
            land = min(waiting, key=lambda p: min((math.dist((p.x, p.y), (q.x, q.y)) for q in joined), default=0))
            width = wide if min(land.w, land.h) >= wide else self.widths[0]
            goals = set() if net in self.planes else {c for q in joined for c in self._ends(q, width)} | set(tree)
            path = self._search(self._ends(land, width), goals, costs[width], costs[_VIAS])
            waiting.remove(land)
            joined.append(land)
            complete &= path is not None
            if path:
                self.routes[net].append((width, path))
                tree += path
        self._mark(net)
        return complete

    def _conflicts(self, net: str) -> int:
        """How much of a routed net is too near to others; raises the price of those places."""
        count = 0
        for width, path in self.routes[net]:
            track = np.array([self._index(c) for c in path])
            pairs = [(layer, *a[1:]) for a, b in itertools.pairwise(path) if a[0] != b[0] for layer in (0, 1)]
            vias = np.array([self._index(c) for c in pairs], np.int64)
            for k, cells in ((width, track), (_VIAS, vias)):
                hot = cells[self.soft[k][cells] > 1]
                self.past[k][hot] += 1.0
                count += len(hot)
        return count

    def run(self, rounds: int = 30) -> list[str]:
        """Route everything; gives the nets that are incomplete or still in conflict."""
        pads: dict[str, list[Land]] = {}
        for land in self.lands:
            if land.net and land.target:
                pads.setdefault(land.net, []).append(land)
        span = {
            n: max(p.x for p in ps) - min(p.x for p in ps) + max(p.y for p in ps) - min(p.y for p in ps)
            for n, ps in pads.items()
        }
        nets = sorted(
            (n for n in pads if n in self.planes or len(pads[n]) > 1), key=lambda n: (n not in self.planes, span[n], n)
        )
        todo = nets
        for turn in range(rounds):
            failed = {net for net in todo if not self._route(net, min(1.0 + 0.7 * turn, 12.0))}
            todo = [n for n in nets if self._conflicts(n) or n in failed][:: -1 if turn % 2 else 1]
            if not todo:
                break
        return sorted(todo)
