"""Special functions that SciPy computes; it is imported at the first use."""

from chainrule._kernels.loops import plain


def borrowed(name):
    """The kernel that is scipy.special's function of this name. ImportError says what to install."""

    def kernel(*arrays):
        try:
            from scipy import special
        except ImportError:
            raise ImportError(
                f"{name} is computed by SciPy, which is not installed: pip install scipy"
            ) from None
        return plain(getattr(special, name)(*arrays)).astype(arrays[0].dtype)

    kernel.__name__ = kernel.__qualname__ = name
    return kernel
