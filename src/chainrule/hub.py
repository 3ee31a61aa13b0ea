"""torch.hub: chainrule opens no network connection, so downloads are refused; the paths are PyTorch's."""

import os
import re

from chainrule.compat.missing import names_of

__all__ = ["download_url_to_file", "get_dir", "help", "list", "load", "load_state_dict_from_url", "set_dir"]
__getattr__ = names_of(__name__)

HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
_directory = None


def _refuse(name, what):
    raise RuntimeError(
        f"torch.hub.{name}: chainrule makes no network connections; "
        f"get {what} by other means and load it from its file"
    )


def _get_torch_home():
    cache = os.getenv("XDG_CACHE_HOME", "~/.cache")
    return os.path.expanduser(os.getenv("TORCH_HOME", os.path.join(cache, "torch")))


def get_dir():
    """The folder for downloaded files: what `set_dir` said, else $TORCH_HOME/hub, else ~/.cache/torch/hub."""
    return os.path.join(_get_torch_home(), "hub") if _directory is None else _directory


def set_dir(d):
    """Sets the folder that `get_dir` gives."""
    global _directory
    _directory = os.path.expanduser(d)


def download_url_to_file(url, dst, hash_prefix=None, progress=True):
    """RuntimeError: no network."""
    _refuse("download_url_to_file", url)


def load_state_dict_from_url(url, *args, **kwargs):
    """RuntimeError: no network."""
    _refuse("load_state_dict_from_url", url)


def load(repo_or_dir, model, *args, **kwargs):
    """RuntimeError: no network."""
    _refuse("load", repo_or_dir)


def list(github, *args, **kwargs):
    """RuntimeError: no network."""
    _refuse("list", github)


def help(github, model, *args, **kwargs):
    """RuntimeError: no network."""
    _refuse("help", github)
