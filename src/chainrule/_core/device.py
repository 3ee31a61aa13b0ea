"""torch.device: 'cpu' computes, 'meta' carries shapes only, other names exist so that programs can ask for them."""

TYPES = (
    "cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla", "lazy",
    "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone",
)  # fmt: skip


class device:
    """A device type and an optional index: device('cpu'), device('cuda:1'), device('cuda', 1)."""

    __slots__ = ("type", "index")

    def __new__(cls, type=None, index=None):
        if isinstance(type, device):
            return type
        if isinstance(type, int) and not isinstance(type, bool):
            type, index = "cuda", type
        if not isinstance(type, str):
            raise TypeError(f"device(): argument 'type' must be str, not {type.__class__.__name__}")
        name, colon, number = type.partition(":")
        if name not in TYPES:
            raise RuntimeError(
                f"Expected one of {', '.join(TYPES)} device type at start of device string: {name}"
            )
        if colon:
            if index is not None:
                raise RuntimeError(
                    f"type (string) must not include an index because index was passed explicitly: {type}"
                )
            if not number.isdigit() or (len(number) > 1 and number[0] == "0"):
                raise RuntimeError(f"Invalid device string: '{type}'")
            index = int(number)
        self = object.__new__(cls)
        object.__setattr__(self, "type", name)
        object.__setattr__(self, "index", index)
        return self

    def __setattr__(self, name, value):
        raise AttributeError(f"attribute '{name}' of 'torch.device' objects is not writable")

    def __repr__(self):
        return f"device(type='{self.type}'" + (")" if self.index is None else f", index={self.index})")

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other):
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self):
        return hash((self.type, self.index))

    def __reduce__(self):
        return (device, (str(self),))

    def __enter__(self):
        default.outer.append(default.device)
        default.device = resolve(self)
        return self

    def __exit__(self, *error):
        default.device = default.outer.pop()

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


cpu = device("cpu")
meta = device("meta")


class Default:
    """The device of factories that are given none; `with device(…):` and `set_default_device` set it."""

    def __init__(self):
        self.device = cpu
        self.outer = []


default = Default()


def resolve(spec):
    """The device for a `device=` argument; AssertionError for CUDA, RuntimeError for others but cpu and meta."""
    if spec is None:
        return default.device
    found = spec if isinstance(spec, device) else device(spec)
    if found.type == "cpu":
        return cpu
    if found.type == "meta":
        return meta
    if found.type == "cuda":
        raise AssertionError("Torch not compiled with CUDA enabled")
    raise RuntimeError(f"chainrule computes on the CPU only; device '{found}' is not available")
