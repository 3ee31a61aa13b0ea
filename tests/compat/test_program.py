"""`chainrule run` beside `python`: the same output, the same tracebacks, the same exit status."""

import sys
import zipfile

import pytest

SHOW = """
import sys
print(__name__, __spec__, sys.argv, sys.path[0])
print(sorted(set(globals()) - {"__cached__", "__annotations__"}))
"""
PROGRAMS = {
    "shows what it sees": SHOW,
    "exit status": "raise SystemExit(7)",
    "exit with a message": "import sys; sys.exit('gone')",
    "exit without status": "import sys; sys.exit()",
    "error": "def f(x):\n    return 1 / x\n\n\nf(0)\n",
    "error with a cause": "try:\n    {}[1]\nexcept KeyError as e:\n    raise ValueError('no') from e\n",
    "syntax error": "x = (1,\ny = ]\n",
    "interrupt": "raise KeyboardInterrupt",
    "atexit after an error": "import atexit\natexit.register(print, 'last')\nraise ValueError('no')\n",
    "own excepthook": "import sys\nsys.excepthook = lambda k, v, t: print(v, t.tb_lineno)\n1 / 0\n",
    "thread outlives it": "import threading\nx = 3\nthreading.Timer(0.2, lambda: print(x)).start()\n",
    "other encoding": "# -*- coding: latin-1 -*-\nprint(len('é'))\n",
    "pickles its own class": "import pickle\nclass A: pass\nprint(pickle.loads(pickle.dumps(A)) is A)\n",
}


def same(python, arguments, **options):
    ours = python("-m", "chainrule", "run", *arguments, **options)
    theirs = python(*arguments, **options)
    assert (ours.returncode, ours.stdout, ours.stderr) == (theirs.returncode, theirs.stdout, theirs.stderr)
    return ours


@pytest.mark.parametrize("name", PROGRAMS)
def test_script(python, tmp_path, name):
    (tmp_path / "program.py").write_text(PROGRAMS[name], encoding="latin-1")
    same(python, ["program.py", "-m", "--help", "a b"])


def test_script_in_another_folder(python, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "neighbour.py").write_text("name = 'beside'")
    (tmp_path / "sub" / "program.py").write_text("import neighbour; print(neighbour.name, __file__)")
    assert "beside" in same(python, ["sub/program.py"]).stdout


def test_code(python, tmp_path):
    done = same(python, ["-c", SHOW, "-m", "x"])
    assert "['-c', '-m', 'x']" in done.stdout


def test_error_in_code(python, tmp_path):
    done = same(python, ["-c", "1 / 0"])
    assert done.returncode == 1 and "ZeroDivisionError" in done.stderr


def test_standard_input(python, tmp_path):
    assert "['-', 'x']" in same(python, ["-", "x"], stdin=SHOW).stdout


def test_module_and_package(python, tmp_path):
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("")
    (tmp_path / "package" / "__main__.py").write_text(
        "from . import part\nimport sys; print(part.x, sys.argv)"
    )
    (tmp_path / "package" / "part.py").write_text(
        "import sys\nx = 5\nprint(__name__, __package__, sys.path[0])\n"
    )
    assert "part.py" not in same(python, ["-m", "package", "--flag"]).stdout
    same(python, ["-m", "package.part", "x"])


def test_directory_and_archive(python, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "__main__.py").write_text(SHOW.replace("__spec__", "__spec__.name"))
    same(python, ["folder", "x"])
    with zipfile.ZipFile(tmp_path / "archive.pyz", "w") as archive:
        archive.write(tmp_path / "folder" / "__main__.py", "__main__.py")
    same(python, ["archive.pyz", "x"])


@pytest.mark.parametrize("arguments", [["absent.py"], ["empty"], ["-m", "absent"], ["-m", "absent.module"]])
def test_absent_programs(python, tmp_path, arguments):
    (tmp_path / "empty").mkdir()
    ours, theirs = python("-m", "chainrule", "run", *arguments), python(*arguments)
    assert ours.returncode == theirs.returncode != 0
    assert ours.stderr.startswith("chainrule run: ") and "Traceback" not in ours.stderr
    if arguments != ["-m", "absent.module"]:
        assert ours.stderr.removeprefix("chainrule run: ") == theirs.stderr.removeprefix(
            f"{sys.executable}: "
        )


def test_the_program_gets_the_alias(python, tmp_path):
    (tmp_path / "program.py").write_text(
        "import torch, chainrule\nprint(torch is chainrule, torch.__version__)\n"
    )
    done = python("-m", "chainrule", "run", "program.py")
    assert done.stdout.startswith("True 2.13.0+chainrule"), done.stderr
