"""What a tensor tells about itself: its sizes, its place in memory, its kind, its device."""

from chainrule._core import layout as layouts
from chainrule._engine.native import install
from chainrule._engine.tensor import Tensor, get_slots, version_of
from chainrule._engine.views import storage_offset
from chainrule._ops.kinds import normal_dim

slots = get_slots()


def size(self, dim=None):
    """The shape, or one size of it."""
    return self.shape if dim is None else self.shape[normal_dim(dim, len(self.shape))]


def dense_strides(shape):
    """The strides, in elements, of a contiguous tensor of this shape."""
    out, step = [], 1
    for n in reversed(shape):
        out.append(step)
        step *= max(n, 1)
    return tuple(reversed(out))


def stride(self, dim=None):
    """The step between neighbours along every dimension, or along one, in elements."""
    if self.on_meta or self.array.size == 0:
        steps = dense_strides(self.meta.shape)
    else:
        item = self.array.itemsize
        steps = tuple(s // item for s in self.array.strides)
    return steps if dim is None else steps[normal_dim(dim, len(steps))]


def dim(self):
    """The number of dimensions."""
    return len(self.meta.shape)


def numel(self):
    """The number of elements."""
    return self.array.size


def element_size(self):
    """Bytes of one element."""
    return self.meta.dtype.itemsize


def nbytes(self):
    """Bytes of all elements."""
    return self.array.size * self.meta.dtype.itemsize


def data_ptr(self):
    """The address of the first element; 0 for a tensor without elements or without data."""
    return 0 if self.on_meta or self.array.size == 0 else self.array.__array_interface__["data"][0]


def is_contiguous(self, memory_format=layouts.contiguous_format):
    """Whether the elements follow each other in memory in the order of the indices (or of the given format)."""
    if memory_format in (layouts.channels_last, layouts.channels_last_3d):
        ndim = 4 if memory_format is layouts.channels_last else 5
        if len(self.meta.shape) != ndim:
            return False
        order = (0, *range(2, ndim), 1)
        return not self.on_meta and self.array.transpose(order).flags.c_contiguous
    return bool(self.on_meta or self.array.flags.c_contiguous)


def is_set_to(self, tensor):
    """Whether both are the same look at the same memory."""
    same = self.data_ptr() == tensor.data_ptr() and self.shape == tensor.shape and self.stride() == tensor.stride()
    return same and self.meta.dtype is tensor.meta.dtype


def is_floating_point(input):
    """Whether the dtype is float16, bfloat16, float32 or float64."""
    return _dtype_of("is_floating_point", input).is_floating_point


def is_complex(input):
    """Whether the dtype is complex64 or complex128."""
    return _dtype_of("is_complex", input).is_complex


def is_signed(input):
    """Whether the dtype has negative values."""
    return _dtype_of("is_signed", input).is_signed


def _dtype_of(name, input):
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    return input.meta.dtype


def is_nonzero(input):
    """Whether the only element is not zero; RuntimeError unless there is exactly one."""
    if input.array.size != 1:
        text = "no values" if input.array.size == 0 else "more than one value"
        raise RuntimeError(f"Boolean value of Tensor with {text} is ambiguous")
    return bool(input)


def is_conj(input):
    """False: conjugates are computed, never pending."""
    return False


def is_neg(input):
    """False: negatives are computed, never pending."""
    return False


def is_inference(input):
    """Whether the tensor was made in inference mode: none is told apart here."""
    return False


def is_pinned(self, device=None):
    """False: there is no pinned memory on this device."""
    return False


def is_shared(self):
    """Whether the memory was put where other processes see it."""
    return False


def share_memory_(self):
    """The tensor itself: memory is copied to other processes when it is sent."""
    return self


def get_device(input):
    """-1: the CPU has no number."""
    return -1


def base_of(t):
    """The tensor whose memory a differentiable view shows; None for any other."""
    return None if t.autograd is None else t.autograd.base


def dir_of(self):
    """The names a tensor answers to."""
    return sorted(set(object.__dir__(self)) | set(dir(type(self))))


def _flag(value, doc):
    return property(lambda t: value, doc=doc)


# What other builds of the API could hold; a tensor here is none of these.
ABSENT_KINDS = (
    "is_cuda", "is_xpu", "is_mps", "is_ipu", "is_maia", "is_mtia", "is_vulkan", "is_xla", "is_hpu", "is_sparse",
    "is_sparse_csr", "is_mkldnn", "is_quantized", "is_nested",
)  # fmt: skip

for _name in ABSENT_KINDS:
    install(Tensor, _name, _flag(False, f"Whether this is a {_name[3:]} tensor: always False here."))
install(Tensor, "is_cpu", property(lambda t: not t.on_meta, doc="Whether the data lies in the CPU's memory."))
install(Tensor, "is_meta", property(lambda t: bool(t.on_meta), doc="Whether there is a shape only and no data."))
install(Tensor, "layout", _flag(layouts.strided, "torch.strided, the only layout here."))
install(Tensor, "ndim", property(dim, doc="The number of dimensions."))
install(Tensor, "nbytes", property(nbytes, doc="Bytes of all elements."))
install(Tensor, "itemsize", property(element_size, doc="Bytes of one element."))
install(Tensor, "_version", property(version_of, doc="How often the data was changed in place."))
install(Tensor, "_base", property(base_of, doc="What it is a view of."))
install(Tensor, "__array_priority__", 1000)
for _f in (
    size, stride, dim, numel, element_size, data_ptr, is_contiguous, is_set_to, is_floating_point, is_complex,
    is_signed, is_nonzero, is_conj, is_neg, is_inference, is_pinned, is_shared, share_memory_, get_device,
):  # fmt: skip
    install(Tensor, _f.__name__, _f)
install(Tensor, "ndimension", dim)
install(Tensor, "nelement", numel)
install(Tensor, "storage_offset", storage_offset)
install(Tensor, "_is_view", lambda t: t.autograd is not None and t.autograd.base is not None)
install(Tensor, "__dir__", dir_of)
