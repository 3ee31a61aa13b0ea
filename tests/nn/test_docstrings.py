"""The examples in the docstrings of nn run and print what they say."""

import doctest
import importlib
import pkgutil
import warnings

import pytest

import chainrule
from chainrule import nn


def documented():
    finder = doctest.DocTestFinder(exclude_empty=True)
    names = [nn.__name__]
    names += [module.name for module in pkgutil.walk_packages(nn.__path__, nn.__name__ + ".")]
    for name in names:
        if name == "chainrule.nn.functional":
            continue
        module = importlib.import_module(name)
        scope = {"torch": chainrule, "nn": nn, "calculate_gain": nn.init.calculate_gain}
        for example in finder.find(module, name, globs=scope):
            if example.examples:
                yield pytest.param(example, id=example.name.removeprefix("chainrule."))


@pytest.mark.parametrize("example", list(documented()))
def test_example(example):
    chainrule.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        result = doctest.DocTestRunner(verbose=False).run(example)
    assert result.failed == 0
    assert result.attempted > 0


def test_every_layer_has_an_example():
    without = {name for name in nn.modules.__all__ if ">>>" not in (getattr(nn, name).__doc__ or "")}
    assert without == {"CTCLoss", "NLLLoss2d"}
