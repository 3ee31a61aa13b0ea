"""The papers say what is so: examples run, generated pages and stubs are current, links lead somewhere."""

import doctest
import importlib.util
import re
from pathlib import Path

import pytest

from chainrule._ops import report
from chainrule._tensor import stubs

ROOT = Path(__file__).parent.parent.parent
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page, examples", [("README.md", 8), ("docs/tour.md", 25), ("docs/numerics.md", 4)])
def test_examples_run(page, examples):
    result = doctest.testfile(str(ROOT / page), module_relative=False, optionflags=FLAGS, encoding="utf-8")
    assert result.attempted >= examples and result.failed == 0


@pytest.mark.parametrize("module_name, place", stubs.FACES.items())
def test_stubs_are_current(module_name, place):
    assert (stubs.ROOT / place).read_text() == stubs.stub(module_name), (
        "run python -m chainrule._tensor.stubs"
    )


def test_coverage_is_current():
    made = load(ROOT / "docs" / "make_coverage.py").page()
    assert (ROOT / "docs" / "coverage.md").read_text() == made, "run python docs/make_coverage.py"


def test_links_lead_somewhere():
    broken = []
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
            if not (page.parent / target).exists():
                broken.append(f"{page.name}: {target}")
    assert broken == []


def test_ops_without_a_derivative_are_the_known_ones():
    lines = (Path(__file__).parent / "no_derivative.txt").read_text().splitlines()
    known = [line for line in lines if line and not line.startswith("#")]
    assert sorted(set(report.without_rules()) ^ set(known)) == []
