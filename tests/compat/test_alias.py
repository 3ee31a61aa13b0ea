"""The alias: same module objects under both names, plain words for what is missing, and a clean way back."""

from pathlib import Path

import pytest

import chainrule
from chainrule.compat import missing

INSTALL = "import chainrule.compat as compat; compat.install()\n"


@pytest.fixture
def other_torch(tmp_path):
    """A folder with a package that stands for PyTorch itself."""
    package = tmp_path / "elsewhere" / "torch"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("name = 'the other one'\n")
    (package / "nn.py").write_text("")
    return package.parent


def test_modules_are_the_very_same_objects(prints):
    prints(
        INSTALL
        + """
import torch, torch.nn.functional as F
import torch.utils.data
from torch.utils.data import DataLoader
from torch import nn
import chainrule, chainrule.nn.functional, chainrule.utils.data
assert torch is chainrule
assert F is chainrule.nn.functional
assert nn is chainrule.nn
assert torch.utils.data is chainrule.utils.data
assert DataLoader is chainrule.utils.data.DataLoader
"""
    )


def test_modules_loaded_through_the_alias_first_are_the_same_too(prints):
    prints(INSTALL + "import torch.hub as h; import chainrule.hub; assert chainrule.hub is h")


def test_each_module_keeps_its_own_spec(prints):
    printed = prints(INSTALL + "import torch, torch.hub; print(torch.__spec__.name, torch.hub.__spec__.name)")
    assert printed.split() == ["chainrule", "chainrule.hub"]


def test_reload_reloads_the_module_itself(prints):
    prints(INSTALL + "import torch.hub, importlib; assert importlib.reload(torch.hub) is torch.hub")


def test_install_loads_nothing_by_itself(prints):
    assert prints(INSTALL + "import sys; print('torch' in sys.modules)").strip() == "False"


def test_install_twice_and_uninstall_once(prints, other_torch):
    printed = prints(
        INSTALL
        + """
import sys, torch, torch.hub
compat.install()
assert compat.installed()
compat.uninstall()
compat.uninstall()
assert not compat.installed()
assert not [name for name in sys.modules if name.split('.')[0] == 'torch']
import torch
print(torch.name)
""",
        before=[other_torch],
    )
    assert printed.strip() == "the other one"


def test_uninstall_leaves_multiprocessing_as_it_was(prints):
    prints(
        """
from multiprocessing import spawn, util
before = spawn.get_preparation_data, util.spawnv_passfds
import chainrule.compat as compat
compat.install()
assert before != (spawn.get_preparation_data, util.spawnv_passfds)
compat.uninstall()
assert before == (spawn.get_preparation_data, util.spawnv_passfds)
"""
    )


def test_the_alias_goes_before_an_installed_pytorch(prints, other_torch):
    assert (
        prints(INSTALL + "import torch; print(torch.__name__)", before=[other_torch]).strip() == "chainrule"
    )


def test_refused_when_pytorch_is_already_imported(prints, other_torch):
    printed = prints(
        """
import torch
import chainrule.compat as compat
try:
    compat.install()
except RuntimeError as error:
    print(error)
assert not compat.installed()
""",
        before=[other_torch],
    )
    assert "already imported" in printed and str(other_torch) in printed


@pytest.mark.parametrize(
    "statement, kind, name",
    [
        ("import torch; torch.nonsense", "AttributeError", "torch.nonsense"),
        ("import torch; torch.nn.functional.nonsense", "AttributeError", "torch.nn.functional.nonsense"),
        ("from torch import nonsense", "ImportError", "torch.nonsense"),
        ("from torch.nn.functional import nonsense", "ImportError", "torch.nn.functional.nonsense"),
        ("import torch.nonsense", "ModuleNotFoundError", "torch.nonsense"),
        ("import torch.nonsense.more", "ModuleNotFoundError", "torch.nonsense"),
        ("from torch.nonsense import more", "ModuleNotFoundError", "torch.nonsense"),
        ("import torch._engine", "ModuleNotFoundError", "torch._engine"),
        ("import torch.compat", "ModuleNotFoundError", "torch.compat"),
    ],
)
def test_a_missing_name_says_so_and_where_the_list_is(prints, statement, kind, name):
    program = (
        f"try:\n    exec({statement!r})\nexcept Exception as e:\n    print(type(e).__name__, e, sep='|')"
    )
    assert prints(INSTALL + program).strip() == f"{kind}|{missing.message(name)}"
    assert missing.message(name) == f"{name} is not in chainrule yet; docs/coverage.md lists what is"


def test_missing_names_without_the_alias():
    with pytest.raises(AttributeError, match="torch.nonsense is not in chainrule yet"):
        chainrule.nonsense  # noqa: B018
    with pytest.raises(ImportError, match="torch.nonsense is not in chainrule yet"):
        from chainrule import nonsense  # noqa: F401
    assert not hasattr(chainrule, "nonsense")


def test_a_probe_for_a_missing_module_gets_none(prints):
    program = "from importlib.util import find_spec as f; print(f('torch.nonsense'), f('torch.hub').name)"
    assert prints(INSTALL + program).split() == ["None", "torch.hub"]


def test_the_list_exists():
    text = (Path(__file__).parents[2] / missing.COVERAGE).read_text(encoding="utf-8")
    assert "Linear," in text.partition("## torch.nn (")[2].partition("## ")[0]
