"""The alias in child processes: there before the child imports the parent's __main__."""

import multiprocessing

import pytest

PROGRAM = """
import multiprocessing
{install}
import torch

def work(number):
    return torch.__name__, (torch.ones(3) * number).sum().item()

if __name__ == "__main__":
    context = multiprocessing.get_context({method!r})
    {preload}
    with context.Pool(1) as pool:
        print(pool.map(work, [2]))
"""
INSTALL = "import chainrule.compat; chainrule.compat.install()"
METHODS = multiprocessing.get_all_start_methods()


def write(path, method, install="", preload=""):
    path.write_text(PROGRAM.format(method=method, install=install, preload=preload))
    return path


@pytest.mark.parametrize("method", METHODS)
def test_children_of_chainrule_run(python, tmp_path, method):
    done = python("-m", "chainrule", "run", write(tmp_path / "program.py", method))
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[('chainrule', 6.0)]"


@pytest.mark.parametrize("method", METHODS)
def test_children_after_install_in_the_program(python, tmp_path, method):
    done = python(write(tmp_path / "program.py", method, INSTALL))
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[('chainrule', 6.0)]"


@pytest.mark.parametrize("method", METHODS)
def test_children_of_a_module(python, tmp_path, method):
    (tmp_path / "package").mkdir()
    write(tmp_path / "package" / "program.py", method)
    done = python("-m", "chainrule", "run", "-m", "package.program")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[('chainrule', 6.0)]"


@pytest.mark.skipif("forkserver" not in METHODS, reason="no fork server on this system")
def test_what_the_fork_server_preloads_sees_the_alias(python, tmp_path):
    (tmp_path / "preloaded.py").write_text(
        "import torch, os\nprint('preloaded', torch.__name__, flush=True)\n"
    )
    program = write(
        tmp_path / "program.py", "forkserver", preload="context.set_forkserver_preload(['preloaded'])"
    )
    done = python("-m", "chainrule", "run", program, before=[tmp_path])
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["preloaded chainrule", "[('chainrule', 6.0)]"]
