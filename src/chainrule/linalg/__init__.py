"""torch.linalg: linear algebra."""

from chainrule._ops.decomposition import LinAlgError
from chainrule._tensor.methods import public

__all__ = ["LinAlgError", *sorted(public("linalg"))]
globals().update(public("linalg"))
