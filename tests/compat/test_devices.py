"""What PyTorch's device and build modules answer where there is only a CPU."""

import os

import pytest

import chainrule as torch
import chainrule.hub
from chainrule.torch_version import TorchVersion


def test_programs_choose_the_cpu():
    assert torch.cuda.is_available() is False and torch.cuda.device_count() == 0
    assert torch.backends.mps.is_available() is False and torch.backends.mps.is_built() is False
    assert torch.accelerator.is_available() is False and torch.accelerator.current_accelerator() is None
    assert torch.xpu.is_available() is False and torch.mps.device_count() == 0
    assert torch.cpu.is_available() is True and torch.cpu.current_device() == "cpu"
    assert torch.distributed.is_available() is False and torch.distributed.is_initialized() is False


def test_seeding_and_cache_calls_do_nothing():
    for call in (torch.cuda.manual_seed, torch.cuda.manual_seed_all, torch.mps.manual_seed):
        assert call(0) is None
    assert torch.cuda.empty_cache() is None
    assert torch.cuda.max_memory_allocated() == 0
    assert torch.cuda.get_rng_state_all() == []
    assert torch.cuda.is_initialized() is False


@pytest.mark.parametrize("name", ["init", "current_device", "synchronize", "get_device_name", "mem_get_info"])
def test_cuda_requests_are_refused(name):
    with pytest.raises(AssertionError, match=f"Torch not compiled with CUDA enabled: torch.cuda.{name} "):
        getattr(torch.cuda, name)()


def test_cuda_set_device():
    assert torch.cuda.set_device(-1) is None
    with pytest.raises(AssertionError, match="set_device"):
        torch.cuda.set_device(0)


@pytest.mark.parametrize("name", ["current_device_index", "synchronize", "empty_cache"])
def test_accelerator_requests_are_refused(name):
    with pytest.raises(RuntimeError, match="Cannot access accelerator device when none is available"):
        getattr(torch.accelerator, name)()


def test_cudnn_switches_are_kept(monkeypatch):
    cudnn = torch.backends.cudnn
    monkeypatch.setattr(cudnn, "benchmark", cudnn.benchmark)
    cudnn.benchmark = True
    assert cudnn.benchmark is True and cudnn.deterministic is False and cudnn.version() is None
    with cudnn.flags(deterministic=True):
        assert (cudnn.enabled, cudnn.benchmark, cudnn.deterministic) == (False, False, True)
    assert (cudnn.enabled, cudnn.benchmark, cudnn.deterministic) == (True, True, False)


def test_cudnn_flags_are_put_back_after_an_error():
    with pytest.raises(ValueError):
        with torch.backends.cudnn.flags(deterministic=True):
            raise ValueError
    assert torch.backends.cudnn.deterministic is False


def test_attention_switches_are_kept():
    cuda = torch.backends.cuda
    try:
        cuda.enable_flash_sdp(False)
        assert cuda.flash_sdp_enabled() is False and cuda.math_sdp_enabled() is True
    finally:
        cuda.enable_flash_sdp(True)
    assert cuda.is_built() is False and cuda.matmul.allow_tf32 is False


def test_backends_that_do_not_compute_here():
    backends = torch.backends
    assert not any(
        m.is_available() for m in (backends.mkl, backends.mkldnn, backends.openmp, backends.opt_einsum)
    )
    assert backends.cpu.get_cpu_capability() in ("AVX512", "AVX2", "SVE256", "VSX", "Z VECTOR", "DEFAULT")


def test_nothing_is_scripted_traced_or_compiled():
    assert torch.jit.is_scripting() is False and torch.jit.is_tracing() is False
    assert torch.compiler.is_compiling() is False


def test_marks_for_the_compilers_change_nothing():
    def f(x):
        return x

    assert (
        torch.jit.ignore(f)
        is torch.jit.ignore(drop=True)(f)
        is torch.jit.unused(f)
        is torch.jit.export(f)
        is f
    )
    assert torch.compiler.disable(f) is torch.compiler.disable(reason="slow")(f) is f
    assert torch.jit.annotate(int, 3) == 3


@pytest.mark.parametrize("name", ["jit.script", "jit.trace", "jit.load", "compiler.compile"])
def test_compiling_is_not_here_yet(name):
    module, verb = name.split(".")
    with pytest.raises(NotImplementedError, match="is not in chainrule yet"):
        getattr(getattr(torch, module), verb)(lambda x: x)


def test_the_network_is_refused(monkeypatch, tmp_path):
    hub = chainrule.hub
    with pytest.raises(RuntimeError, match="no network connections.*https://example.org/weights.pth"):
        hub.load_state_dict_from_url("https://example.org/weights.pth")
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    assert hub.get_dir() == os.path.join(str(tmp_path), "hub")
    monkeypatch.setattr(hub, "_directory", None)
    hub.set_dir("elsewhere")
    assert hub.get_dir() == "elsewhere"
    assert hub.HASH_REGEX.search("resnet18-f37072fd.pth")[1] == "f37072fd"


def test_version_has_pytorchs_form():
    assert torch.__version__ is torch.version.__version__
    assert torch.__version__ == f"2.13.0+chainrule{torch.version.chainrule}"
    assert torch.version.cuda is None and torch.version.debug is False
    assert torch.__version__.split("+")[0] == "2.13.0"


@pytest.mark.parametrize(
    "low, high",
    [
        ("2.4", "2.13"),
        ("2.13", "2.13.1"),
        ("2.13.0", "2.13.0+cpu"),
        ("2.0.0.dev20230101", "2.0.0a0+git"),
        ("2.0.0a0", "2.0.0rc1"),
        ("2.0.0rc1", "2.0.0"),
        ("2.0", "2.0.post1"),
    ],
)
def test_versions_compare_as_numbers(low, high):
    low_version, high_version = TorchVersion(low), TorchVersion(high)
    assert low_version < high and low_version <= high_version and low_version != high
    assert high_version > low and high_version >= low_version and not high_version == low


def test_versions_compare_with_tuples_and_plain_text():
    version = TorchVersion("2.13.0+cpu")
    assert version >= (2, 1) and version < (2, 14) and not version < (2, 13)
    assert version == "2.13.0+cpu" and version != "not a version"
    assert TorchVersion("2.13") == TorchVersion("2.13.0")
    assert version in {"2.13.0+cpu": 1} and isinstance(version, str)
