"""The line search of L-BFGS: a step length that meets the strong Wolfe conditions.

Nocedal and Wright 2006, "Numerical Optimization", algorithms 3.5 (bracket) and 3.6 (zoom), with the cubic
interpolation of their equation 3.59 and the safeguards of Schmidt's minFunc, as PyTorch has them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Point(NamedTuple):
    """What is known at one step length: the loss, its gradient, and the slope along the search direction."""

    length: Any
    value: float
    grad: Any
    slope: Any


def strong_wolfe(
    probe: Callable[[Any], Point],
    start: Point,
    length: Any,
    reach: Any,
    *,
    max_probes: int = 25,
    c1: float = 1e-4,
    c2: float = 0.9,
    tolerance: float = 1e-9,
) -> tuple[Point, int]:
    """The point found from `length` on, and how many calls of `probe` it took.

    Accepted is a point with value ≤ start.value + c1 · length · start.slope and |slope| ≤ c2 ·
    |start.slope|; when `max_probes` run out, the best end of the bracket. `reach` is the largest entry of
    the direction, by which the width of the bracket is measured against `tolerance`.
    """

    def too_high(point: Point) -> bool:
        return bool(point.value > start.value + c1 * point.length * start.slope)

    def flat_enough(point: Point) -> bool:
        return bool(abs(point.slope) <= -c2 * start.slope)

    before, point = start, probe(length)
    probes, rounds = 1, 0
    low, high = start, point
    while rounds < max_probes:
        if too_high(point) or (rounds > 1 and point.value >= before.value):
            low, high = before, point
            break
        if flat_enough(point):
            return point, probes
        if point.slope >= 0:
            low, high = before, point
            break
        shortest = point.length + 0.01 * (point.length - before.length)
        length = cubic_minimum(before, point, (shortest, point.length * 10))
        before, point = point, probe(length)
        probes += 1
        rounds += 1
        low, high = start, point

    # `low` is the end of the bracket with the lower value, `high` the other, wherever they lie.
    if not low.value <= high.value:
        low, high = high, low
    stalled = False
    while rounds < max_probes and abs(high.length - low.length) * reach >= tolerance:
        left, right = min(low.length, high.length), max(low.length, high.length)
        length = cubic_minimum(low, high)
        margin = 0.1 * (right - left)
        if min(right - length, length - left) < margin:
            # Close to an end: accepted once, else pushed inwards so that the bracket keeps shrinking.
            if stalled or length >= right or length <= left:
                length = right - margin if abs(length - right) < abs(length - left) else left + margin
                stalled = False
            else:
                stalled = True
        else:
            stalled = False

        point = probe(length)
        probes += 1
        rounds += 1
        if too_high(point) or point.value >= low.value:
            high = point
            if not low.value <= high.value:
                low, high = high, low
            continue
        if flat_enough(point):
            return point, probes
        if point.slope * (high.length - low.length) >= 0:
            high = low
        low = point
    return low, probes


def cubic_minimum(a: Point, b: Point, bounds: tuple[Any, Any] | None = None) -> Any:
    """Where the cubic through two points and slopes is least, within `bounds` (by default between them)."""
    if a.length > b.length:
        a, b = b, a
    lowest, highest = bounds or (a.length, b.length)
    mean_slope = a.slope + b.slope - 3 * (a.value - b.value) / (a.length - b.length)
    discriminant = mean_slope**2 - a.slope * b.slope
    if discriminant < 0:
        return (lowest + highest) / 2.0
    root = discriminant**0.5
    best = b.length - (b.length - a.length) * ((b.slope + root - mean_slope) / (b.slope - a.slope + 2 * root))
    return min(max(best, lowest), highest)
