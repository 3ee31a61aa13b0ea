"""torch.save and torch.load."""

import io
import os
import pickle
import pickletools
import zipfile
from collections import OrderedDict

import numpy as np
import pytest

import chainrule as T
from chainrule import serialization


def again(obj, **options):
    f = io.BytesIO()
    T.save(obj, f)
    f.seek(0)
    return T.load(f, **options)


@pytest.mark.parametrize("dtype", [T.bool, T.uint8, T.int64, T.float16, T.bfloat16, T.float32, T.complex128])
def test_values_dtypes_and_flags_come_back(dtype):
    t = T.tensor([[0, 1], [1, 0]], dtype=dtype)
    u = again(t)
    assert u.dtype is dtype and u.shape == (2, 2) and u.tolist() == t.tolist()


def test_sharing_and_strides_come_back():
    x = T.arange(6.0)
    a, b, c = again([x, x.reshape(2, 3).t(), x[4:]])
    a[4] = 9
    assert b.stride() == (1, 3) and b.tolist() == [[0, 3], [1, 9], [2, 5]] and c.tolist() == [9, 5]


def test_containers_and_plain_objects_come_back():
    obj = {
        "none": None, "n": 2**70, "c": 1j, "bytes": b"a\xff", "set": {1, 2}, "size": T.Size([2, 3]), "dtype": T.float64,
        "device": T.device("cpu"), "od": OrderedDict(a=1), "nested": [(1, "x"), {2.5: True}],
    }  # fmt: skip
    found = again(obj)
    assert found == obj and type(found["size"]) is T.Size and found["dtype"] is T.float64


def test_parameters_requires_grad_and_attributes_come_back():
    p = T.nn.Parameter(T.ones(2))
    q = T.nn.Parameter(T.zeros(2), requires_grad=False)
    q.tag = "kept"
    w = T.ones(1, requires_grad=True)
    p2, q2, w2, e2, m2 = again([p, q, w, T.empty(0, 3), T.empty(2, device="meta")])
    assert type(p2) is T.nn.Parameter and p2.requires_grad and not q2.requires_grad and q2.tag == "kept"
    assert type(w2) is T.Tensor and w2.requires_grad and e2.shape == (0, 3) and m2.is_meta


def test_a_modules_state_round_trips():
    model = T.nn.Sequential(T.nn.Linear(2, 3), T.nn.BatchNorm1d(3))
    state = again(model.state_dict())
    other = T.nn.Sequential(T.nn.Linear(2, 3), T.nn.BatchNorm1d(3))
    other.load_state_dict(state)
    for a, b in zip(model.state_dict().values(), other.state_dict().values(), strict=True):
        assert T.equal(a, b)


def test_whole_modules_need_trust():
    model = T.nn.Linear(2, 2)
    with pytest.raises(pickle.UnpicklingError, match="torch.nn.modules.linear.Linear"):
        again(model)
    assert T.equal(again(model, weights_only=False).weight, model.weight)


class Settings:
    def __init__(self, rate):
        self.rate = rate


def test_named_classes_may_be_loaded():
    with pytest.raises(pickle.UnpicklingError, match="add_safe_globals"):
        again(Settings(3))
    with serialization.safe_globals([Settings]):
        assert again(Settings(3)).rate == 3
    assert Settings not in serialization.get_safe_globals()
    serialization.add_safe_globals([Settings])
    try:
        assert again(Settings(4)).rate == 4
    finally:
        serialization.clear_safe_globals()


class Harmful:
    def __reduce__(self):
        return os.system, ("exit 1",)


def archive_of(body):
    f = io.BytesIO()
    with zipfile.ZipFile(f, "w") as z:
        z.writestr("archive/data.pkl", body)
        z.writestr("archive/version", b"3\n")
    f.seek(0)
    return f


def test_files_do_not_run_code():
    with pytest.raises(pickle.UnpicklingError, match="system"):
        T.load(archive_of(pickle.dumps(Harmful(), 2)))
    # Setting the state of a class that a file may name would change the class for the whole program.
    body = b"\x80\x02ctorch\nTensor\nN}X\x03\x00\x00\x00addK\x01s\x86b."
    pickletools.dis(body, out=io.StringIO())
    with pytest.raises(pickle.UnpicklingError, match="sets the state"):
        T.load(archive_of(body))
    assert T.ones(1).add(1).item() == 2
    with pytest.raises(pickle.UnpicklingError, match="extension registry"):
        T.load(archive_of(b"\x80\x02\x82\x01."))


def test_map_location():
    t = T.arange(3.0)
    assert again(t, map_location="meta").is_meta and again(t, map_location={"cpu": "meta"}).is_meta
    assert again(t, map_location=T.device("cpu")).tolist() == [0, 1, 2]
    seen = []
    again(t, map_location=lambda storage, location: seen.append((storage.nbytes(), location)) or storage)
    assert seen == [(12, "cpu")]


def test_paths_are_written_in_one_step(tmp_path):
    path = tmp_path / "model.pt"
    T.save({"a": T.ones(2)}, path)
    before = path.read_bytes()

    class Unpicklable:
        def __reduce__(self):
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        T.save([T.zeros(1000), Unpicklable()], str(path))
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]
    assert T.load(path)["a"].tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="Parent directory"):
        T.save(1, tmp_path / "no" / "such" / "place.pt")


def test_the_archive_is_laid_out_as_pytorch_reads_it(tmp_path):
    T.save(T.ones(2), tmp_path / "t.pt")
    with zipfile.ZipFile(tmp_path / "t.pt") as z:
        assert z.namelist() == ["t/data.pkl", "t/byteorder", "t/data/0", "t/version"]
        assert np.frombuffer(z.read("t/data/0"), np.float32).tolist() == [1, 1] and z.read("t/version") == b"3\n"
        text = io.StringIO()
        pickletools.dis(z.read("t/data.pkl"), out=text)
    assert "torch._utils _rebuild_tensor_v2" in text.getvalue() and "torch FloatStorage" in text.getvalue()


def test_a_file_of_pytorchs_is_read():
    found = T.load(os.path.join(os.path.dirname(__file__), "reference", "saved_by_torch.pt"))
    assert found["linear"]["weight"].tolist() == [[0.0, 1.0], [2.0, 3.0]] and found["half"].dtype is T.bfloat16
    found["whole"][1] = 9
    assert found["part"].tolist() == [9, 2] and type(found["parameter"]) is T.nn.Parameter


def test_what_is_no_archive_is_refused():
    for content in (b"", b"not a zip", pickle.dumps(1)):
        with pytest.raises(pickle.UnpicklingError, match="zip archive"):
            T.load(io.BytesIO(content))
    with pytest.raises(AttributeError, match="read"):
        T.load(3)
    with pytest.raises(AttributeError, match="write"):
        T.save(1, 3)
    with pytest.raises(RuntimeError, match="out of bounds"):
        short = io.BytesIO()
        T.save(T.ones(4), short)
        with zipfile.ZipFile(short) as z:
            entries = {name: z.read(name) for name in z.namelist()}
        cut = io.BytesIO()
        with zipfile.ZipFile(cut, "w") as z:
            for name, content in entries.items():
                z.writestr(name, content[:8] if name.endswith("data/0") else content)
        cut.seek(0)
        T.load(cut)
