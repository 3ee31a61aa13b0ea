"""The command line: help that lists what works, info that a bug report needs, the demo."""

import re

import pytest

from chainrule import cli, version
from chainrule._core import config, mode


def test_help_lists_the_commands(capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main(["--help"])
    assert stop.value.code == 0
    printed = capsys.readouterr().out
    assert all(re.search(rf"^ +{command} ", printed, re.MULTILINE) for command in ("run", "demo", "info"))


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["run"], ["info", "--nonsense"]])
def test_wrong_arguments_exit_with_2(capsys, arguments):
    with pytest.raises(SystemExit) as stop:
        cli.main(arguments)
    assert stop.value.code == 2
    assert "usage: chainrule" in capsys.readouterr().err


def test_info_says_version_mode_and_every_setting(capsys, monkeypatch):
    for name in config.VARIABLES:
        monkeypatch.setenv(name, f"value of {name}")
    assert cli.main(["info"]) == 0
    lines = capsys.readouterr().out.splitlines()
    shown = dict(re.split(r"\s{2,}|\s(?=not set|')", line, maxsplit=1) for line in lines)
    assert shown["chainrule"].startswith(version.chainrule)
    assert shown["mode"] == mode.reason()
    for name in config.VARIABLES:
        assert shown[name].startswith(repr(f"value of {name}"))
    assert {"Python", "NumPy", "CPU", "system", "scipy"} <= set(shown)


def test_version(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--version"])
    assert capsys.readouterr().out.strip() == f"chainrule {version.chainrule}"


def test_python_m_chainrule(python):
    done = python("-m", "chainrule", "info")
    assert done.returncode == 0 and done.stdout.startswith("chainrule")


def test_demo_without_its_extra_names_it(capsys, monkeypatch):
    monkeypatch.setattr(cli, "DEMO_NEEDS", ("nonsense_package",))
    assert cli.main(["demo"]) == 1
    error = capsys.readouterr().err
    assert "nonsense_package" in error and "chainrule[demo]" in error


def test_demo_reads_held_out_digits_and_draws(python, tmp_path):
    for name in cli.DEMO_NEEDS:
        pytest.importorskip(name)
    done = python("-m", "chainrule", "demo", "--out", "pictures")
    assert done.returncode == 0, done.stderr
    assert float(re.search(r": ([\d.]+) %", done.stdout)[1]) >= 97
    assert "training" in done.stderr
    for name in ("graph.svg", "loss.png", "predictions.png"):
        path = tmp_path / "pictures" / name
        assert str(path) in done.stdout and path.stat().st_size > 1000
    assert "<svg" in (tmp_path / "pictures" / "graph.svg").read_text(encoding="utf-8")
