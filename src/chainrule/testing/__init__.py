"""torch.testing: comparing results (_comparison.py) and making inputs to compute them from (_creation.py)."""

from chainrule.testing._comparison import assert_close
from chainrule.testing._creation import make_tensor

__all__ = ["assert_close", "make_tensor"]
