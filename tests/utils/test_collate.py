"""Collating samples into batches, and converting single ones."""

from collections import OrderedDict, UserDict, UserList, namedtuple

import numpy as np
import pytest

import chainrule
from chainrule.utils.data import default_collate, default_convert
from chainrule.utils.data._utils.collate import collate, default_collate_fn_map

Point = namedtuple("Point", "x y")


def test_leaves():
    stacked = default_collate([chainrule.ones(2), chainrule.zeros(2)])
    assert stacked.tolist() == [[1.0, 1.0], [0.0, 0.0]]
    assert default_collate([np.ones(2), np.zeros(2)]).dtype == chainrule.float64
    assert default_collate([np.float32(1), np.float32(2)]).dtype == chainrule.float32
    assert default_collate([1.5, 2.5]).dtype == chainrule.float64
    assert default_collate([1, 2]).dtype == chainrule.int64
    assert default_collate([True, False]).dtype == chainrule.bool
    assert default_collate(["a", "b"]) == ["a", "b"] and default_collate([b"a"]) == [b"a"]


def test_containers_keep_their_class():
    assert default_collate([{"a": 1}, {"a": 2}])["a"].tolist() == [1, 2]
    ordered = default_collate([OrderedDict(a=1), OrderedDict(a=2)])
    assert type(ordered) is OrderedDict and ordered["a"].tolist() == [1, 2]
    assert type(default_collate([UserDict(a=1)])) is UserDict
    point = default_collate([Point(1, "p"), Point(2, "q")])
    assert type(point) is Point and point.x.tolist() == [1, 2] and point.y == ("p", "q")
    pair = default_collate([(1, 2.0), (3, 4.0)])
    assert type(pair) is list and pair[1].tolist() == [2.0, 4.0]
    assert type(default_collate([UserList([1]), UserList([2])])) is UserList
    nested = default_collate([{"a": [1, (2.0, "x")]}, {"a": [3, (4.0, "y")]}])
    assert nested["a"][0].tolist() == [1, 3] and nested["a"][1][1] == ("x", "y")


def test_the_samples_are_left_alone():
    sample = {"a": 1}
    default_collate([sample, {"a": 2}])
    assert sample == {"a": 1}


def test_a_map_of_ones_own():
    class Word(str):
        pass

    def join(batch, *, collate_fn_map):
        return "+".join(batch)

    default_collate([1])
    own = {Word: join, **default_collate_fn_map}
    assert collate([[Word("a"), 1], [Word("b"), 2]], collate_fn_map=own)[0] == "a+b"


@pytest.mark.parametrize(
    ("batch", "kind", "message"),
    [
        (
            [object()],
            TypeError,
            "must contain tensors, numpy arrays, numbers, dicts or lists; found <class 'object'>",
        ),
        ([np.array(["a"])], TypeError, "default_collate: batch must contain"),
        ([[1, 2], [1]], RuntimeError, "each element in list of batch should be of equal size"),
        ([chainrule.ones(2), chainrule.ones(3)], RuntimeError, "stack expects each tensor to be equal size"),
    ],
)
def test_what_cannot_be_collated(batch, kind, message):
    with pytest.raises(kind, match=message):
        default_collate(batch)


def test_convert():
    array = np.ones(2)
    converted = default_convert(
        {"a": array, "b": [1, "x", np.float32(2)], "c": Point(np.int64(1), 2), "d": (1,)}
    )
    array[0] = 5
    assert converted["a"].tolist() == [5.0, 1.0]
    assert converted["b"][:2] == [1, "x"] and converted["b"][2].dtype == chainrule.float32
    assert converted["c"].x.item() == 1 and converted["c"].y == 2 and converted["d"] == [1]
    words = np.array(["a"])
    assert default_convert(words) is words
