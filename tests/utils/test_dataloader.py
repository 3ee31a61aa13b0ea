"""Loaders: options, order, workers by fork and spawn, failures, and that nothing is left behind."""

import gc
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import chainrule
from chainrule.utils import data

FORK = pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")


class Squares(data.Dataset):
    def __init__(self, size=10, width=3):
        self.size = size
        self.width = width

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        return {"row": chainrule.full((self.width,), float(index)), "square": index**2, "name": f"n{index}"}


class Calls(data.Dataset):
    """A dataset of eight samples made by a function of the index."""

    def __init__(self, function, size=8):
        self.function = function
        self.size = size

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        return self.function(index)


class Shared(data.IterableDataset):
    """0 … 19, each worker its share."""

    def __iter__(self):
        info = data.get_worker_info()
        return iter(range(20)) if info is None else iter(range(20)[info.id :: info.num_workers])


@pytest.fixture(autouse=True)
def nothing_left_behind():
    warnings.filterwarnings("ignore", message="This DataLoader will create")
    before = set(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else set()
    yield
    gc.collect()
    assert multiprocessing.active_children() == []
    if before:
        assert len(os.listdir("/proc/self/fd")) <= len(before) + 1


def loader(dataset, **options):
    if options.get("num_workers"):
        options.setdefault("multiprocessing_context", "fork")
    return data.DataLoader(dataset, **options)


def test_batches_in_the_program_itself():
    batches = list(loader(Squares(5), batch_size=2))
    assert [batch["square"].tolist() for batch in batches] == [[0, 1], [4, 9], [16]]
    assert batches[0]["row"].tolist() == [[0.0] * 3, [1.0] * 3] and batches[2]["name"] == ["n4"]
    assert len(loader(Squares(5), batch_size=2, drop_last=True)) == 2
    assert [sample["square"] for sample in loader(Squares(3), batch_size=None)] == [0, 1, 4]
    picked = loader(Squares(), batch_sampler=[[1, 2], [5]])
    assert [batch["square"].tolist() for batch in picked] == [[1, 4], [25]]
    assert [batch.tolist() for batch in loader(range(4), sampler=[3, 1])] == [[3], [1]]
    assert list(loader(range(4), batch_size=4, collate_fn=sum)) == [6]


def test_tensors_are_datasets():
    assert [batch.tolist() for batch in loader(chainrule.arange(3), batch_size=2)] == [[0, 1], [2]]


def test_iterable_datasets():
    assert [batch.tolist() for batch in loader(Shared(), batch_size=8)] == [
        list(range(8)),
        list(range(8, 16)),
        list(range(16, 20)),
    ]
    assert len(list(loader(Shared(), batch_size=8, drop_last=True))) == 2
    assert list(loader(Shared(), batch_size=None)) == list(range(20))


def test_a_wrong_length_of_an_iterable_warns():
    class Lying(Shared):
        def __len__(self):
            return 19

    loaded = loader(Lying())
    assert len(loaded) == 19
    with pytest.warns(UserWarning, match="was reported to be 19"):
        list(loaded)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_workers": -1}, "num_workers option should be non-negative"),
        ({"timeout": -1}, "timeout option should be non-negative"),
        ({"prefetch_factor": 2}, "prefetch_factor option could only be specified in multiprocessing"),
        ({"num_workers": 1, "prefetch_factor": -1}, "prefetch_factor option should be non-negative"),
        ({"persistent_workers": True}, "persistent_workers option needs num_workers > 0"),
        ({"sampler": [1], "shuffle": True}, "sampler option is mutually exclusive with shuffle"),
        ({"batch_sampler": [[1]], "batch_size": 2}, "batch_sampler option is mutually exclusive"),
        ({"batch_size": None, "drop_last": True}, "batch_size=None option disables auto-batching"),
        ({"multiprocessing_context": "fork"}, "can only be used with multi-process loading"),
        ({"num_workers": 1, "multiprocessing_context": "x"}, "should specify a valid start method"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        data.DataLoader(Squares(), **options)


def test_bad_options_of_iterable_datasets():
    for options in ({"shuffle": True}, {"sampler": [1]}, {"batch_sampler": [[1]]}):
        (name,) = options
        with pytest.raises(ValueError, match=f"expected unspecified {name} option"):
            data.DataLoader(Shared(), **options)


def test_the_order_cannot_be_changed_afterwards():
    loaded = loader(Squares())
    with pytest.raises(
        ValueError, match="batch_size attribute should not be set after DataLoader is initialized"
    ):
        loaded.batch_size = 3
    loaded.num_workers = 0


def test_pinning_warns_where_there_is_no_accelerator():
    with pytest.warns(UserWarning, match="'pin_memory' argument is set as true but no accelerator is found"):
        list(loader(Squares(1), pin_memory=True))


def test_iterating_draws_one_number_with_and_without_workers():
    def number_after(**options):
        chainrule.manual_seed(3)
        list(loader(range(2), **options))
        return chainrule.randint(10**6, (1,)).item()

    chainrule.manual_seed(3)
    chainrule.empty((), dtype=chainrule.int64).random_()
    want = chainrule.randint(10**6, (1,)).item()
    assert number_after() == want and number_after(num_workers=1) == want


@FORK
@pytest.mark.parametrize(
    "options",
    [
        {"num_workers": 1},
        {"num_workers": 2, "batch_size": 3},
        {"num_workers": 2, "batch_size": 3, "prefetch_factor": 5},
        {"num_workers": 2, "batch_size": 3, "drop_last": True, "shuffle": True},
        {"num_workers": 2, "batch_size": None},
        {"num_workers": 2, "persistent_workers": True, "batch_size": 2},
    ],
)
def test_workers_give_the_same_batches(options):
    alone = {key: options[key] for key in options.keys() & {"batch_size", "drop_last", "shuffle"}}
    chainrule.manual_seed(0)
    want = [str(batch) for batch in loader(Squares(), **alone)]
    chainrule.manual_seed(0)
    loaded = loader(Squares(), **options)
    assert [str(batch) for batch in loaded] == want
    if "shuffle" not in options:
        assert [str(batch) for batch in loaded] == want


@FORK
def test_large_arrays_come_in_shared_memory_and_are_ours_to_change():
    batches = [batch["row"] for batch in loader(Squares(4, 50_000), batch_size=2, num_workers=2)]
    for i, rows in enumerate(batches):
        assert rows.shape == (2, 50_000) and rows[:, -1].tolist() == [2.0 * i, 2.0 * i + 1]
        rows += 1
        assert rows.sum().item() == 50_000 * (4 * i + 3)


@FORK
def test_what_can_be_sent():
    def sample(index):
        return (
            chainrule.ones(50_000, dtype=chainrule.bfloat16),
            chainrule.tensor(1 + 2j),
            chainrule.ones(0, 3),
            chainrule.ones(3, 4).t(),
            chainrule.ones(2, requires_grad=True),
            np.arange(6.0).reshape(2, 3),
            "text",
            None,
        )

    (got,) = loader(Calls(sample, 1), batch_size=None, num_workers=1, collate_fn=lambda s: s)
    assert got[0].dtype == chainrule.bfloat16 and got[0].float().sum().item() == 50_000.0
    assert got[1].item() == 1 + 2j and got[2].shape == (0, 3) and got[3].shape == (4, 3)
    assert got[4].requires_grad and got[4].is_leaf
    assert got[5].tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]] and got[6:] == ("text", None)


@FORK
def test_bulky_objects_and_indices_do_not_block():
    texts = loader(Calls(lambda i: "x" * 50_000, 40), num_workers=2, prefetch_factor=20)
    assert sum(len(text) for (text,) in texts) == 2_000_000
    wide = [list(range(100_000))] * 6

    class Whole(Calls):
        def __getitems__(self, indices):
            return [len(indices)]

    counts = loader(Whole(None), batch_sampler=wide, num_workers=2, prefetch_factor=3)
    assert [count.item() for count in counts] == [100_000] * 6


@FORK
@pytest.mark.parametrize(
    "options", [{}, {"in_order": False}, {"persistent_workers": True}, {"batch_size": 3}]
)
def test_iterable_datasets_with_workers(options):
    loaded = loader(Shared(), num_workers=2, **options)
    for _ in range(2):
        assert sorted(number for batch in loaded for number in batch.tolist()) == list(range(20))


@FORK
def test_out_of_order_a_slow_batch_holds_nobody_up():
    def sample(index):
        if index == 0:
            time.sleep(0.5)
        return index

    numbers = [batch.item() for batch in loader(Calls(sample), num_workers=2, in_order=False)]
    assert sorted(numbers) == list(range(8)) and numbers[0] != 0


@FORK
def test_workers_are_seeded_and_know_themselves():
    def sample(index):
        info = data.get_worker_info()
        return {
            "id": info.id,
            "seed": info.seed,
            "workers": info.num_workers,
            "initial": chainrule.initial_seed(),
            "draws": (random.random(), float(np.random.rand()), chainrule.rand(()).item()),
            "mine": info.dataset.function is sample,
        }

    def epoch():
        chainrule.manual_seed(7)
        return list(loader(Calls(sample, 2), batch_size=None, num_workers=2, collate_fn=lambda s: s))

    chainrule.manual_seed(7)
    base = chainrule.empty((), dtype=chainrule.int64).random_().item()
    first = epoch()
    assert [info["seed"] for info in first] == [base, base + 1] == [info["initial"] for info in first]
    assert [info["id"] for info in first] == [0, 1] and first[0]["workers"] == 2
    assert first[0]["draws"] != first[1]["draws"] and first == epoch()
    assert random.Random(base).random() == first[0]["draws"][0]
    mixed = np.random.RandomState(
        np.random.SeedSequence([0, base & 0xFFFFFFFF, base >> 32, 0]).generate_state(4)
    )
    assert mixed.rand() == first[0]["draws"][1]
    assert data.get_worker_info() is None


@FORK
def test_worker_init_fn_runs_first():
    def start(worker_id):
        data.get_worker_info().dataset.function = lambda index: 100 * worker_id + index

    numbers = [batch.item() for batch in loader(Calls(None, 4), num_workers=2, worker_init_fn=start)]
    assert numbers == [0, 101, 2, 103]


def fail_at_three(index):
    if index == 3:
        raise KeyError("no such sample")
    return index


@FORK
def test_an_error_in_a_worker_comes_with_its_traceback_and_the_rest_follows():
    loaded = iter(loader(Calls(fail_at_three), num_workers=2))
    assert [next(loaded).item() for _ in range(3)] == [0, 1, 2]
    with pytest.raises(KeyError) as caught:
        next(loaded)
    text = str(caught.value)
    assert text.startswith(
        "Caught KeyError in DataLoader worker process 1.\nOriginal Traceback (most recent call"
    )
    assert "in fail_at_three" in text and text.rstrip().endswith("KeyError: 'no such sample'")
    del caught
    assert [batch.item() for batch in loaded] == [4, 5, 6, 7]


@FORK
def test_errors_whose_class_wants_more_become_runtime_errors():
    class Picky(Exception):
        def __init__(self, code, reason):
            super().__init__(f"{code}: {reason}")

    def sample(index):
        raise Picky(3, "because")

    with pytest.raises(RuntimeError, match="in DataLoader worker process 0.\nOriginal"):
        next(iter(loader(Calls(sample), num_workers=1)))


@FORK
def test_an_error_at_the_start_of_a_worker():
    with pytest.raises(ZeroDivisionError, match="Caught ZeroDivisionError in DataLoader worker process 0"):
        next(iter(loader(Squares(), num_workers=1, worker_init_fn=lambda worker: 1 / 0)))


@FORK
def test_a_batch_that_cannot_be_sent():
    with pytest.raises(RuntimeError, match="cannot send the batch to the program"):
        next(iter(loader(Calls(lambda i: lambda: i), num_workers=1, collate_fn=lambda batch: batch)))

    def recorded(index):
        return chainrule.ones(2, requires_grad=True) * 2

    with pytest.raises(RuntimeError, match="send tensor.detach()"):
        next(iter(loader(Calls(recorded), batch_size=None, num_workers=1)))


@FORK
@pytest.mark.parametrize(
    ("death", "message"),
    [
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "is killed by signal: Killed"),
        (lambda: os._exit(3), "exited unexpectedly with exit code 3"),
    ],
)
def test_a_dead_worker_is_noticed(death, message):
    def sample(index):
        if index == 4:
            death()
        return index

    loaded = iter(loader(Calls(sample), num_workers=2))
    with pytest.raises(RuntimeError, match=rf"DataLoader worker \(pid\(s\) \d+\) {message}"):
        list(loaded)
    assert list(loaded) == []


@FORK
def test_a_late_batch_is_an_error():
    with pytest.raises(RuntimeError, match="DataLoader timed out after 0.2 seconds"):
        next(iter(loader(Calls(lambda i: time.sleep(1)), num_workers=1, timeout=0.2)))


@FORK
def test_giving_up_early_ends_the_workers():
    loaded = iter(loader(Squares(100), num_workers=2))
    next(loaded)
    assert len(multiprocessing.active_children()) == 2
    del loaded
    assert multiprocessing.active_children() == []


@FORK
def test_persistent_workers_stay_and_start_each_epoch_anew():
    loaded = loader(Squares(6), num_workers=2, persistent_workers=True)
    interrupted = iter(loaded)
    next(interrupted)
    workers = {process.pid for process in multiprocessing.active_children()}
    for _ in range(2):
        assert [batch["square"].item() for batch in loaded] == [0, 1, 4, 9, 16, 25]
    assert {process.pid for process in multiprocessing.active_children()} == workers
    del loaded, interrupted
    assert multiprocessing.active_children() == []


@FORK
def test_two_loaders_at_once():
    pairs = zip(loader(range(6), num_workers=1), loader(range(6), num_workers=2), strict=True)
    assert [(a.item(), b.item()) for a, b in pairs] == [(i, i) for i in range(6)]


PROGRAM = """
import sys, time
import chainrule
from chainrule.utils import data

class Numbers(data.Dataset):
    def __len__(self):
        return {size}

    def __getitem__(self, index):
        time.sleep({pause})
        return chainrule.full((30_000,), float(index))

if __name__ == "__main__":
    loader = data.DataLoader(Numbers(), num_workers=2, multiprocessing_context="{context}")
    for batch in loader:
        print(int(batch[0, 0].item()), flush=True)
"""


def program(tmp_path, **values):
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(PROGRAM.format(**values)))
    sources = str(Path(chainrule.__file__).parents[1])
    return subprocess.Popen(
        [sys.executable, str(path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([sources, os.environ.get("PYTHONPATH", "")])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.parametrize("context", multiprocessing.get_all_start_methods())
def test_every_way_to_start_workers(tmp_path, context):
    out, err = program(tmp_path, size=4, pause=0, context=context).communicate(timeout=120)
    assert (out.split(), err) == (["0", "1", "2", "3"], "")


@FORK
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_a_program_that_is_stopped_leaves_no_worker(tmp_path, name):
    running = program(tmp_path, size=10_000, pause=0.01, context="fork")
    assert running.stdout.readline() == "0\n"
    if name == "SIGINT":
        os.killpg(running.pid, signal.SIGINT)
    else:
        running.send_signal(getattr(signal, name))
    _, err = running.communicate(timeout=60)
    assert err.rstrip().endswith("KeyboardInterrupt") if name == "SIGINT" else err == ""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            os.killpg(running.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail("a worker outlived the program")
