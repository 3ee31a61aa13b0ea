"""Datasets, samplers and splits; their random orders are PyTorch's stored ones."""

import json
from pathlib import Path

import pytest

import chainrule
from chainrule.utils import data

STORED = json.loads((Path(__file__).parents[1] / "reference" / "optim.json").read_text())


@pytest.mark.parametrize("case", STORED["orders"], ids=lambda case: case["expression"])
def test_orders_are_pytorchs_and_so_is_the_generator_afterwards(case):
    chainrule.manual_seed(5)
    visited = list(eval(case["expression"], vars(data)))
    assert [visited, chainrule.randint(1000, (1,)).item()] == case["order"]


def test_tensor_dataset():
    pairs = data.TensorDataset(chainrule.arange(3), chainrule.eye(3))
    assert len(pairs) == 3
    number, row = pairs[1]
    assert number.item() == 1 and row.tolist() == [0.0, 1.0, 0.0]
    with pytest.raises(AssertionError, match="Size mismatch between tensors"):
        data.TensorDataset(chainrule.ones(2), chainrule.ones(3))


def test_stack_dataset():
    assert data.StackDataset(range(3), "abc")[1] == (1, "b")
    named = data.StackDataset(number=range(3), letter="abc")
    assert named[2] == {"number": 2, "letter": "c"} and len(named) == 3
    assert named.__getitems__([0, 2]) == [{"number": 0, "letter": "a"}, {"number": 2, "letter": "c"}]
    with pytest.raises(ValueError, match="Size mismatch between datasets"):
        data.StackDataset(range(3), "ab")
    with pytest.raises(ValueError, match="both types are given"):
        data.StackDataset(range(3), letter="abc")
    with pytest.raises(ValueError, match="At least one dataset"):
        data.StackDataset()


def test_concat_dataset():
    both = data.ConcatDataset([range(3), range(10, 12)])
    assert [both[i] for i in range(len(both))] == [0, 1, 2, 10, 11]
    assert both[-1] == 11 and both.cumulative_sizes == [3, 5]
    with pytest.raises(ValueError, match="absolute value of index"):
        both[-6]
    with pytest.raises(AssertionError, match="should not be an empty iterable"):
        data.ConcatDataset([])
    added = data.TensorDataset(chainrule.arange(2)) + data.TensorDataset(chainrule.arange(3))
    assert len(added) == 5


class Counting(data.IterableDataset):
    def __init__(self, start, stop):
        self.numbers = range(start, stop)

    def __iter__(self):
        return iter(self.numbers)

    def __len__(self):
        return len(self.numbers)


def test_chain_dataset():
    chained = Counting(0, 2) + Counting(5, 7)
    assert list(chained) == [0, 1, 5, 6] and len(chained) == 4
    with pytest.raises(AssertionError, match="only supports IterableDataset"):
        list(data.ChainDataset([range(3)]))
    with pytest.raises(AssertionError, match="does not support IterableDataset"):
        data.ConcatDataset([Counting(0, 1)])


def test_subset():
    part = data.Subset("abcdef", [5, 0, 2])
    assert [part[i] for i in range(len(part))] == ["f", "a", "c"]
    assert part.__getitems__([2, 0]) == ["c", "f"]

    class Upper(data.Subset):
        def __getitem__(self, idx):
            return super().__getitem__(idx).upper()

    with pytest.raises(NotImplementedError, match="overrides __getitem__ but not __getitems__"):
        Upper("abc", [0])


def test_random_split():
    sizes = [len(part) for part in data.random_split(range(10), [0.25, 0.25, 0.5])]
    assert sizes == [3, 2, 5]
    parts = data.random_split(range(10), [4, 6], generator=chainrule.Generator().manual_seed(1))
    assert sorted(parts[0].indices + parts[1].indices) == list(range(10))
    again = data.random_split(range(10), [4, 6], generator=chainrule.Generator().manual_seed(1))
    assert again[0].indices == parts[0].indices
    with pytest.raises(ValueError, match="Sum of input lengths"):
        data.random_split(range(3), [1, 1])
    with pytest.raises(ValueError, match="Fraction at index 0 is not between 0 and 1"):
        data.random_split(range(3), [1.5, -0.5])
    with pytest.warns(UserWarning, match="Length of split at index 1 is 0"):
        data.random_split(range(1), [0.5, 0.5])


def test_batch_sampler():
    assert list(data.BatchSampler(range(5), 2, False)) == [[0, 1], [2, 3], [4]]
    assert list(data.BatchSampler(range(5), 2, True)) == [[0, 1], [2, 3]]
    assert len(data.BatchSampler(range(5), 2, False)) == 3 and len(data.BatchSampler(range(5), 2, True)) == 2


@pytest.mark.parametrize(
    ("expression", "kind", "message"),
    [
        (
            "RandomSampler([])",
            ValueError,
            "num_samples should be a positive integer value, but got num_samples=0",
        ),
        ("RandomSampler([1], replacement=3)", TypeError, "replacement should be a boolean value"),
        ("RandomSampler([1], num_samples=True)", ValueError, "num_samples should be a positive integer"),
        ("WeightedRandomSampler([1.0], 0)", ValueError, "num_samples should be a positive integer"),
        ("WeightedRandomSampler([[1.0]], 1)", ValueError, "weights should be a 1d sequence"),
        ("BatchSampler([1], 0, False)", ValueError, "batch_size should be a positive integer"),
        ("BatchSampler([1], 1, 3)", ValueError, "drop_last should be a boolean value"),
        ("DistributedSampler(range(3), 2, 2)", ValueError, "Invalid rank 2"),
    ],
)
def test_bad_options(expression, kind, message):
    with pytest.raises(kind, match=message):
        eval(expression, vars(data))


def test_distributed_shares_cover_everything_and_follow_the_epoch():
    shares = [data.DistributedSampler(range(7), 3, rank) for rank in range(3)]
    assert {i for share in shares for i in share} == set(range(7))
    assert {len(share) for share in shares} == {3}
    first = list(shares[0])
    shares[0].set_epoch(1)
    assert list(shares[0]) != first
