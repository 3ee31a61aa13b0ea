"""Zero stays zero: a cotangent that is exactly zero times a singular derivative is zero.

The branch that `where` did not select sends back zeros, and 0 · inf must not make them nan. The mask acts on
the derivative, never on the cotangent, so that rules stay linear in it and second derivatives survive.
"""

from chainrule._engine.tensor import wrap
from chainrule._engine.thread_state import current
from chainrule._kernels.elementwise import steady_product, steady_quotient
from chainrule._kernels.loops import all_finite
from chainrule._ops.comparison import isfinite, isnan
from chainrule._ops.selection import choose


def scaled(g, d):
    """g · d, where an exact zero in g meets a d that is infinite or nan: zero."""
    s = current()
    if not s.special and not g.on_meta and not g.meta.dtype.is_half and not d.meta.dtype.is_half:
        if not s.grad_enabled:
            return wrap(steady_product(g.array, d.array))
        if all_finite(d.array):
            return g * d
    return g * choose((g == 0) & ~isfinite(d), 0, d)


def divided(g, x):
    """g / x, where an exact zero in g meets an x that is 0 or nan: zero."""
    s = current()
    if not s.special and not g.on_meta and not g.meta.dtype.is_half and not x.meta.dtype.is_half:
        if not s.grad_enabled:
            return wrap(steady_quotient(g.array, x.array))
        if x.array.all():
            return g / x
    return g / choose((g == 0) & ((x == 0) | isnan(x)), 1, x)
