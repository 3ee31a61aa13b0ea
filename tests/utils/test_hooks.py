"""The handle that registering a hook returns."""

import pickle
from collections import OrderedDict

from chainrule.utils.hooks import RemovableHandle


class Table(OrderedDict):
    pass


def test_a_handle_removes_its_hook_and_what_goes_with_it():
    hooks, extra = Table(), Table()
    handle, other = RemovableHandle(hooks, extra_dict=extra), RemovableHandle(hooks)
    assert handle.id != other.id
    hooks[handle.id], extra[handle.id], hooks[other.id] = "a", "b", "c"
    handle.remove()
    handle.remove()
    assert list(hooks.values()) == ["c"] and not extra


def test_as_a_context_manager():
    hooks = Table()
    with RemovableHandle(hooks) as handle:
        hooks[handle.id] = "a"
    assert not hooks


def test_it_does_not_keep_the_table_and_survives_it():
    hooks = Table()
    handle = RemovableHandle(hooks)
    del hooks
    handle.remove()


def test_pickled_together_with_its_table():
    hooks = Table()
    handle = RemovableHandle(hooks)
    hooks[handle.id] = "a"
    hooks2, handle2 = pickle.loads(pickle.dumps((hooks, handle)))
    handle2.remove()
    assert not hooks2 and hooks
