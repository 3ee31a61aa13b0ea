"""The colours that DOT and SVG drawings share, by the kind of a vertex."""

from typing import NamedTuple


class Look(NamedTuple):
    """Colours of a box."""

    fill: str
    border: str


LOOKS = {
    "output": Look("#d5f0dd", "#2f8552"),
    "op": Look("#f1f3f7", "#8792a5"),
    "leaf": Look("#d8e8fd", "#3678c9"),
    "rest": Look("#ffffff", "#8792a5"),
}
INK = "#1d2530"
FAINT_INK = "#586273"
LINE = "#6b7686"
