"""What the `cython` module is when nothing is compiled: its class decorators change nothing.

Cython 3.3 ignores `freelist` and `no_gc` on a class in a .pxd, so the modules that need them name them in the .py.
"""


def freelist(size):
    """Objects kept for reuse by the compiled class."""
    return lambda cls: cls


def no_gc(cls):
    """The compiled class stays out of the cyclic collector: it is part of an object that is in it."""
    return cls


def cclass(cls):
    """The class is compiled to an extension type."""
    return cls
