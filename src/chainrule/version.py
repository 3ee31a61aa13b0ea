"""torch.version: whose API this is, which chainrule answers it, and that no accelerator was built in."""

from chainrule.torch_version import TorchVersion

API = "2.13.0"
chainrule = "0.1.0.dev0"

__version__ = TorchVersion(f"{API}+chainrule{chainrule}")
debug = False
cuda = None
hip = None
rocm = None
xpu = None
git_version = "Unknown"
