"""Every CHAINRULE_* environment variable, in one table. `chainrule info` prints it."""

import os

VARIABLES = {
    "CHAINRULE_PURE": "1: use the plain Python sources even where compiled modules are installed",
    "CHAINRULE_REQUIRE_COMPILED": "1: at build time, a failed compilation is an error",
}


def read(name):
    """The value of a variable of the table, or None; asking for an unknown one is an error."""
    if name not in VARIABLES:
        raise KeyError(f"{name} is not in the table of chainrule's variables")
    return os.environ.get(name)
