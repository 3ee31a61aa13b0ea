"""When a group of parameters may be updated as plain arrays, by one kernel call, and what must follow."""

from __future__ import annotations
