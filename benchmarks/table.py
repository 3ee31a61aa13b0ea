"""The rows of the table: what was measured, what it must reach, and whether it does."""

from dataclasses import dataclass

HEADING = (
    "| work | PyTorch | chainrule | times faster | must reach | |\n"
    "|---|---|---|---|---|---|"
)  # fmt: skip


@dataclass
class Row:
    """One measured quantity. `ours` and `theirs` in `unit`; None for what could not be measured.

    `faster`: how many times faster than PyTorch it must be; `most`: what `ours` must not exceed.
    """

    work: str
    unit: str
    ours: float | None
    theirs: float | None
    faster: float | None = None
    most: float | None = None

    @property
    def ratio(self):
        return self.theirs / self.ours if self.ours and self.theirs else None

    @property
    def met(self):
        """True or False; None where PyTorch's absence leaves it open."""
        if self.ours is None:
            return False
        if self.most is not None and self.ours > self.most:
            return False
        if self.faster is None:
            return True
        return None if self.ratio is None else self.ratio >= self.faster

    def __str__(self):
        ratio = f"{self.ratio:.1f}" if self.ratio and self.faster else ""
        verdict = {True: "met", False: "missed", None: "not compared"}[self.met]
        cells = [
            self.work,
            self._shown(self.theirs, ""),
            self._shown(self.ours, "failed"),
            ratio,
            self._target(),
            verdict,
        ]
        return f"| {' | '.join(cells)} |"

    def _shown(self, value, otherwise):
        return otherwise if value is None else f"{value:,.{0 if value >= 100 else 2}f} {self.unit}"

    def _target(self):
        parts = [f"≥ {self.faster:g} × faster"] if self.faster else []
        if self.most is not None:
            parts.append(f"≤ {self.most:g} {self.unit}")
        return ", ".join(parts) or "no crash"


def text(rows):
    return "\n".join([HEADING, *map(str, rows)])
