"""chainrule: PyTorch's autograd as a Python library that can be read."""

from chainrule._core import mode
