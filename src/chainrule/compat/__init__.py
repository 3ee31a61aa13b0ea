"""Unmodified PyTorch programs: `import torch` gives chainrule.

`install()` puts a finder in front of Python's own, after which `import torch`, `import torch.nn.functional as
F` and `from torch.utils.data import DataLoader` give the very module objects of `chainrule.*`; `uninstall()`
takes it away. Here live the alias (alias.py), its way into child processes (children.py), the answer for
names that are not there yet (missing.py) and the running of a whole program under the alias (program.py).
What PyTorch says about devices and builds that are not here stands in the modules of those names
(`chainrule.cuda`, `chainrule.backends`, ...).
"""

from chainrule.compat.alias import install, installed, uninstall

__all__ = ["install", "installed", "uninstall"]
