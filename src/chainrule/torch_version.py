"""The type of `torch.__version__`: a str that compares as a version number, so that "2.13" is above "2.4"."""

import operator
import re

FORM = re.compile(r"v?(\d+(?:\.\d+)*)[._-]?(?:(a|alpha|b|beta|rc|post|dev)[._-]?(\d*))?[^+]*(\+.*)?$", re.I)
STAGES = {"dev": 0, "a": 1, "alpha": 1, "b": 2, "beta": 2, "rc": 3, None: 4, "post": 5}


def _key(version):
    if isinstance(version, tuple | list):
        version = ".".join(map(str, version))
    found = FORM.match(str(version))
    if found is None:
        return None
    release, stage, number, local = found.groups()
    digits = [int(part) for part in release.split(".")]
    while digits and digits[-1] == 0:
        digits.pop()
    return digits, STAGES[stage and stage.lower()], int(number or 0), local or ""


class TorchVersion(str):
    """A version string; comparisons take strings, tuples such as (2, 1) and other version objects.

    Text that is no version number compares as a plain string.
    """

    __slots__ = ()

    def _compare(self, other, name):
        mine, theirs = _key(self), _key(other)
        if theirs is None:
            return getattr(str, name)(self, other)
        return getattr(operator, name)(mine, theirs)

    def __lt__(self, other):
        return self._compare(other, "__lt__")

    def __le__(self, other):
        return self._compare(other, "__le__")

    def __gt__(self, other):
        return self._compare(other, "__gt__")

    def __ge__(self, other):
        return self._compare(other, "__ge__")

    def __eq__(self, other):
        return self._compare(other, "__eq__")

    def __ne__(self, other):
        return self._compare(other, "__ne__")

    __hash__ = str.__hash__
