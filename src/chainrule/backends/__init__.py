"""torch.backends: which libraries compute. Here NumPy does; the others answer that they are absent.

Switches that programs set (`cudnn.deterministic = True`) are kept and read back; nothing here depends on
them.
"""

from chainrule.backends import cpu, cuda, cudnn, mkl, mkldnn, mps, openmp, opt_einsum
from chainrule.compat.missing import names_of

__all__ = ["cpu", "cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp", "opt_einsum"]
__getattr__ = names_of(__name__)
