"""One function in several processes, and what comes back of failures."""

import multiprocessing
import os
import pickle
import signal
import time

import pytest

from chainrule import multiprocessing as mp

pytestmark = pytest.mark.skipif("fork" not in mp.get_all_start_methods(), reason="no fork here")


def start(fn, args=(), nprocs=2, **options):
    return mp.start_processes(fn, args, nprocs, start_method="fork", **options)


def test_the_module_is_pythons_with_more():
    assert mp.get_context("fork").Process is multiprocessing.get_context("fork").Process
    assert mp.cpu_count() == multiprocessing.cpu_count()
    mp.set_sharing_strategy("file_system")
    assert mp.get_sharing_strategy() == "file_system"
    mp.set_sharing_strategy("file_descriptor")
    with pytest.raises(AssertionError, match="invalid sharing strategy 'carrier pigeon'"):
        mp.set_sharing_strategy("carrier pigeon")


def test_every_process_runs_the_function_with_its_number():
    queue = multiprocessing.get_context("fork").SimpleQueue()
    assert start(lambda i, word: queue.put((i, word)), ("x",)) is None
    assert sorted(queue.get() for _ in range(2)) == [(0, "x"), (1, "x")]
    context = start(lambda i: time.sleep(0.2 * i), join=False)
    assert len(context.pids()) == 2 and not context.join(0.0)
    while not context.join():
        pass


def test_an_exception_is_raised_here_and_the_others_are_ended():
    def work(index):
        if index == 1:
            raise ValueError("no good")
        time.sleep(100)

    with pytest.raises(
        mp.ProcessRaisedException, match="(?s)Process 1 terminated.*ValueError: no good"
    ) as caught:
        start(work)
    assert caught.value.error_index == 1
    assert multiprocessing.active_children() == []
    assert pickle.loads(pickle.dumps(caught.value)).error_index == 1


def test_exit_codes_and_signals():
    with pytest.raises(mp.ProcessExitedException, match="process 0 terminated with exit code 3") as caught:
        start(lambda i: os._exit(3), nprocs=1)
    assert caught.value.exit_code == 3
    with pytest.raises(mp.ProcessExitedException, match="terminated with signal SIGKILL"):
        start(lambda i: os.kill(os.getpid(), signal.SIGKILL), nprocs=1)
