"""Random numbers are PyTorch's, bit for bit; the stream's state, order of filling, errors, threads."""

import copy
import importlib.util
import pickle
import platform
import sys
import threading
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from chainrule._core.rng import BLOCK, DEFAULT_SEED, Generator, default_generator
from chainrule._kernels import bfloat16, random, random_integers, samplers, variates

ROOT = Path(__file__).parents[2]


def load(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


reference = load(ROOT / "tests" / "reference" / "make_random.py", "make_random")
CASES = reference.cases()
STORED = dict(np.load(reference.FILE))
GLIBC = platform.libc_ver()[0] == "glibc"
# Draws that go through the C library's logarithm and its like; the stored ones went through glibc's.
THROUGH_LIBM = {"log_normal", "exponential", "cauchy", "gamma", "dirichlet", "trunc_normal", "normal"}


def our_draw(generator, draw):
    op, name, shape, args, layout = draw
    dtype = reference.np_dtype(name)

    def parameters(low, high):
        values = reference.ramp(name, shape, low, high)
        return bfloat16.narrow(values) if name == "bfloat16" else values

    if op == "randperm":
        return random_integers.randperm(generator, shape[0], dtype)
    if op == "multinomial":
        return random_integers.multinomial(generator, parameters(0.5, 4.0), *args)
    if op == "poisson":
        return random_integers.poisson(generator, parameters(*args))
    if op == "binomial":
        return random_integers.binomial(generator, np.floor(parameters(*args)), parameters(0.0, 1.0))
    if op in ("gamma", "dirichlet"):
        return getattr(random, op)(generator, parameters(*args))
    if op == "trunc_normal":
        return random.trunc_normal(generator, shape, dtype, *args)
    if op == "dropout":
        return random.dropout_noise(generator, shape, dtype, *args)
    if op == "random_":
        draw = random_integers.random_
    elif op == "bernoulli_each":
        draw, args = random.bernoulli, (parameters(0.0, 1.0),)
    else:
        draw = getattr(random, op)
    if layout == "contiguous":
        return draw(generator, shape, dtype, *args)
    out = reference.target(shape, name, layout)
    assert draw(generator, shape, dtype, *args, out=out) is out
    return out


@pytest.mark.parametrize("name", CASES)
def test_draws_are_pytorchs(name):
    seed, draws = CASES[name]
    generator = Generator().manual_seed(seed if seed < 2**63 else seed - 2**64)
    expected = STORED[name].tobytes()
    place = 0
    for number, draw in enumerate(draws):
        result = our_draw(generator, draw)
        assert isinstance(result, np.ndarray)
        data = reference.packed(result)
        wanted = expected[place : place + len(data)]
        place += len(data)
        if data != wanted:
            message = f"draw {number}, {draw}"
            assert draw.op in THROUGH_LIBM and not GLIBC and len(data) == result.nbytes, message
            if result.dtype == np.uint16:
                assert np.abs(result.reshape(-1) - np.frombuffer(wanted, np.int16)).max() <= 1, message
            else:
                tolerance = 4 * np.finfo(result.dtype).eps
                np.testing.assert_allclose(result.reshape(-1), np.frombuffer(wanted, result.dtype), tolerance)
    assert place == len(expected)


@pytest.mark.parity
@pytest.mark.filterwarnings("ignore")
def test_draws_are_those_of_the_installed_pytorch(request):
    if "parity" not in request.config.getoption("markexpr"):
        pytest.skip("imports PyTorch: run with -m parity")
    torch = pytest.importorskip("torch")
    for name, (_, draws) in CASES.items():
        for seed in range(100, 120):
            generator = Generator().manual_seed(seed)
            ours = b"".join(reference.packed(our_draw(generator, draw)) for draw in draws)
            assert ours == reference.torch_results(torch, seed, draws), f"{name}, seed {seed}"
            assert (generator.get_state() == torch.get_rng_state().numpy()).all(), f"{name}, seed {seed}"


def test_state_has_pytorchs_bytes():
    generator = Generator().manual_seed(7)
    np.testing.assert_array_equal(generator.get_state(), STORED["state-fresh"])
    random.normal(generator, (700,), np.float64)
    random.normal(generator, (3,), np.float32)
    state = generator.get_state()
    if not GLIBC:
        state[5024:5032] = STORED["state-used"][5024:5032]
    np.testing.assert_array_equal(state, STORED["state-used"])


def test_a_state_of_pytorch_continues_here():
    generator = Generator()
    assert generator.set_state(STORED["state-used"]) is generator
    assert generator.initial_seed() == 7
    following = random.normal(generator, (5,), np.float64)
    np.testing.assert_allclose(following, STORED["state-following"], rtol=0 if GLIBC else 1e-14)


@pytest.mark.parametrize("drawn", [0, 1, 100, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK])
def test_states_copies_and_pickles_continue_alike(drawn):
    generator = Generator().manual_seed(3)
    generator.raw(drawn)
    random.normal(generator, (1,), np.float32)
    generator.next_float = 0.5
    state = generator.get_state()
    copies = [
        Generator().set_state(state),
        generator.clone_state(),
        pickle.loads(pickle.dumps(generator)),
        copy.deepcopy(generator),
    ]
    after = random.normal(generator, (4,), np.float64), generator.raw(2 * BLOCK)
    for other in copies:
        np.testing.assert_array_equal(other.get_state(), state)
        assert other.next_float == 0.5
        np.testing.assert_array_equal(random.normal(other, (4,), np.float64), after[0])
        np.testing.assert_array_equal(other.raw(2 * BLOCK), after[1])


def test_words_do_not_depend_on_how_they_are_read():
    whole = Generator().manual_seed(11).raw(40 * BLOCK)
    generator = Generator().manual_seed(11)
    sizes = [0, 1, 2, BLOCK - 3, 5, BLOCK, 0, 2 * BLOCK, 17 * BLOCK + 1, 1, BLOCK - 1, 3]
    pieces = [generator.raw(size) for size in sizes]
    pieces.append([generator.random()])
    pair = generator.random64()
    pieces.append([pair >> 32, pair & 0xFFFFFFFF])
    taken = generator.rest()
    generator.unread(len(taken) - 1)
    pieces.append(taken[:1])
    pieces.append(generator.rest())
    pieces.append(generator.raw(2))
    words = np.concatenate(pieces)
    np.testing.assert_array_equal(words, whole[: len(words)])


def test_drawn_words_are_not_overwritten_by_later_draws():
    generator = Generator().manual_seed(0)
    generator.raw(1)
    first = generator.raw(10)
    before = first.copy()
    generator.raw(5 * BLOCK)
    np.testing.assert_array_equal(first, before)
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 0


def test_seeds():
    generator = Generator()
    assert generator.initial_seed() == DEFAULT_SEED
    assert generator.manual_seed(-1) is generator
    assert generator.initial_seed() == 2**64 - 1
    random.normal(generator, (1,), np.float64)
    assert generator.next_double is not None
    generator.manual_seed(5)
    assert generator.next_double is None
    low_bits = generator.raw(4)
    np.testing.assert_array_equal(generator.manual_seed(5 + 2**32).raw(4), low_bits)
    assert generator.seed() == generator.initial_seed()
    assert generator.seed() != generator.seed()
    assert default_generator.initial_seed() != DEFAULT_SEED
    assert str(generator.device) == "cpu"


@pytest.mark.parametrize("seed", [1.5, True, "a", None])
def test_a_seed_must_be_an_integer(seed):
    with pytest.raises(RuntimeError, match="manual_seed expected a long"):
        Generator().manual_seed(seed)


@pytest.mark.parametrize("seed", [2**64, -(2**63) - 1])
def test_a_seed_must_fit(seed):
    with pytest.raises(ValueError, match="manual_seed"):
        Generator().manual_seed(seed)


def test_bad_states_change_nothing():
    generator = Generator().manual_seed(1)
    before = generator.get_state()
    broken = before.copy()
    broken[8:12] = 0
    for state, error in (
        (3, TypeError),
        (before.astype(np.int64), TypeError),
        (before[:-1], RuntimeError),
        (np.zeros_like(before), RuntimeError),
        (broken, RuntimeError),
    ):
        with pytest.raises(error, match="set_state"):
            generator.set_state(state)
        np.testing.assert_array_equal(generator.get_state(), before)


@pytest.mark.parametrize("device", ["cuda", "meta"])
def test_streams_are_on_the_cpu(device):
    with pytest.raises(RuntimeError):
        Generator(device)


ERRORS = [
    (random.uniform, (np.float32, 2.0, 1.0), RuntimeError, "from=2 > to=1"),
    (random.uniform, (np.float32, np.nan, 1.0), RuntimeError, "from is out of bounds"),
    (random.uniform, (np.float16, 0.0, 1e5), RuntimeError, "to is out of bounds for float16"),
    (random.uniform, (np.float32, -3e38, 3e38), RuntimeError, "exceed the limit"),
    (random.uniform, (np.int32,), NotImplementedError, "uniform_: expected"),
    (random.normal, (np.float32, 0.0, -1.0), RuntimeError, "normal expects std >= 0.0, but found std -1"),
    (random.normal, (np.float32, 0.0, np.nan), RuntimeError, "normal expects std >= 0.0"),
    (random.normal, (np.int64,), NotImplementedError, "normal_: expected"),
    (random.log_normal, (np.float32, 0.0, 0.0), RuntimeError, "log_normal_ expects std > 0.0"),
    (random.log_normal, (np.int64,), NotImplementedError, "log_normal_: expected"),
    (random.exponential, (np.float32, 0.0), RuntimeError, "exponential_ expects lambda > 0.0"),
    (random.exponential, (np.int32,), RuntimeError, "continuous probability distribution"),
    (random.cauchy, (np.float32, 0.0, 0.0), RuntimeError, "cauchy_ expects sigma > 0.0"),
    (random.cauchy, (np.int32,), RuntimeError, "continuous probability distribution"),
    (random.geometric, (np.float32, 1.0), RuntimeError, "geometric_ expects p to be in"),
    (random.geometric, (np.bool_, 0.5), NotImplementedError, "geometric_: expected"),
    (random.bernoulli, (np.float32, 1.5), RuntimeError, "bernoulli_ expects p to be in"),
    (random.bernoulli, (np.float32, np.array([0.5, np.nan])), RuntimeError, "bernoulli_ expects p to be in"),
    (random.bernoulli, (np.float32, np.array([1, 0])), NotImplementedError, "bernoulli_: expected"),
    (random.bernoulli, (np.complex64, 0.5), NotImplementedError, "bernoulli_: expected"),
    (random.dropout_noise, (np.float32, 1.0), RuntimeError, "dropout"),
    (random_integers.random_, (np.int64, 5, 5), RuntimeError, "from=5 >= to=5"),
    (random_integers.random_, (np.int8, 0, 300), RuntimeError, "to - 1 is out of bounds for int8"),
    (random_integers.random_, (np.uint8, -1, 3), RuntimeError, "from is out of bounds for uint8"),
    (random_integers.random_, (np.bool_, 0, 3), RuntimeError, "to - 1 is out of bounds for bool"),
    (random_integers.random_, (np.float16, 0, 10**6), RuntimeError, "out of bounds for float16"),
    (random_integers.random_, (np.int32, -(2**63)), RuntimeError, "full range"),
    (random_integers.random_, (np.complex64,), NotImplementedError, "random_: expected"),
    (random_integers.randint, (np.int64, 3, 1), RuntimeError, "from=3 >= to=1"),
]


@pytest.mark.parametrize("draw, args, error, message", ERRORS)
def test_errors_leave_the_stream_alone(draw, args, error, message):
    generator = Generator().manual_seed(1)
    before = generator.get_state()
    with pytest.raises(error, match=message):
        draw(generator, (2,), *args)
    np.testing.assert_array_equal(generator.get_state(), before)


ARRAY_ERRORS = [
    (random.normal_around, (np.zeros(2), np.array([1.0, -1.0])), "std >= 0.0"),
    (random.normal_around, (np.zeros(2), np.ones(2, np.complex128)), "non-complex"),
    (random.gamma, (np.array([1.0, -1.0]),), "alpha >= 0"),
    (random_integers.randperm, (-1,), "n >= 0"),
    (random_integers.randperm, (300, np.uint8), "without overflow"),
    (random_integers.poisson, (np.array([-1.0]),), "invalid Poisson rate"),
    (random_integers.binomial, (np.ones(1), np.ones(1, np.float32)), "expected prob in float64"),
    (random_integers.multinomial, (np.ones((2, 2, 2)), 1), "1 or 2 dim"),
    (random_integers.multinomial, (np.ones(2, np.int64), 1), "only supports floating-point"),
    (random_integers.multinomial, (np.ones(2), 0), "n_sample <= 0"),
    (random_integers.multinomial, (np.ones(2), 3), "without replacement"),
    (random_integers.multinomial, (np.array([1.0, -2.0]), 1), "element < 0"),
    (random_integers.multinomial, (np.array([1.0, np.inf]), 1), "inf"),
    (random_integers.multinomial, (np.zeros(2), 1), "sum of probabilities <= 0"),
    (random_integers.multinomial, (np.array([1.0, -2.0]), 3, True), "entry < 0"),
    (random_integers.multinomial, (np.array([1.0, np.inf]), 3, True), "infinity or NaN"),
    (random_integers.multinomial, (np.zeros(2), 3, True), "sum of probabilities <= 0"),
]


@pytest.mark.parametrize("draw, args, message", ARRAY_ERRORS)
def test_errors_of_parameters_leave_the_stream_alone(draw, args, message):
    generator = Generator().manual_seed(1)
    before = generator.get_state()
    with pytest.raises(RuntimeError, match=message):
        draw(generator, *args)
    np.testing.assert_array_equal(generator.get_state(), before)


def test_normal_around_scales_standard_normals():
    mean, std = np.linspace(-1, 1, 20), np.linspace(0, 2, 20)
    standard = random.normal(Generator().manual_seed(4), (20,), np.float64)
    generator = Generator().manual_seed(4)
    state = generator.get_state()
    np.testing.assert_array_equal(random.normal_around(generator, mean, std), standard * std + mean)
    generator.set_state(state)
    np.testing.assert_array_equal(random.normal_around(generator, 0.5, std), standard * std + 0.5)
    generator.set_state(state)
    wide = random.normal_around(generator, mean[:1], std)
    np.testing.assert_array_equal(wide, standard * std + mean[0])


def test_multinomial_without_replacement_takes_each_index_once_and_zeros_last():
    weights = np.array([[0.0, 3.0, 0.0, 1.0], [1.0, 1.0, 1.0, 0.0]])
    drawn = random_integers.multinomial(Generator().manual_seed(0), weights, 4)
    assert (np.sort(drawn, axis=1) == np.arange(4)).all()
    assert set(drawn[0, 2:]) == {0, 2} and drawn[1, 3] == 3


def test_threads_share_a_stream_without_losing_words():
    generator = Generator().manual_seed(9)
    found = []

    def work():
        for size in [1, 16, 200, 700] * 25:
            found.append(random.uniform(generator, (size,), np.float64))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    drawn = np.sort(np.concatenate(found))
    expected = np.sort(random.uniform(Generator().manual_seed(9), drawn.shape, np.float64))
    np.testing.assert_array_equal(drawn, expected)


def test_fused_sums_are_rounded_once():
    plain = load(ROOT / "src" / "chainrule" / "_kernels" / "variates.py", "plain_variates")
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(2, 500))
    c = -a * b * (1 + rng.normal(size=500) * np.exp2(rng.integers(-60, 3, 500)))
    exact = [float(Fraction(x) * Fraction(y) + Fraction(z)) for x, y, z in zip(a, b, c, strict=True)]
    np.testing.assert_array_equal(plain._fma_double(a, b, c), exact)
    # 1 + 2**-24 lies half-way between two float32; the third factor's tail decides
    one, tie = np.full(2, np.float32(1)), np.full(2, np.float32(2.0**-24))
    tail = np.array([1 + 2.0**-23, 1 - 2.0**-24], np.float32)
    np.testing.assert_array_equal(plain._fma_float(tie, tail, one), np.float32([1 + 2.0**-23, 1]))
    tail = np.float32([2.0**-60, -(2.0**-60)])
    above = plain._fma_float(one + np.float32(2.0**-23), tie * 3, tail)
    np.testing.assert_array_equal(above > 3 * tie, [True, True])


TWINS = [
    ("uniform_float", (-0.3, 1.7)),
    ("uniform_double", (0.0, 1.0)),
    ("uniform_double", (-0.3, 1.7)),
    ("normal_float", (0.0, 1.0)),
    ("normal_float", (0.3, 1.7)),
    ("normal_double", (0.3, 1.7)),
    ("normal_pairs", ()),
    ("exponential", (1.7,)),
    ("geometric", (0.03,)),
    ("cauchy", (0.3, 1.7)),
    ("shuffle", (32001,)),
]


@pytest.mark.parametrize("name, args", TWINS)
def test_native_variates_are_those_of_the_twin(name, args):
    if variates.__file__.endswith(".py"):
        pytest.skip("not compiled")
    plain = load(ROOT / "src" / "chainrule" / "_kernels" / "variates.py", "plain_variates")
    words = Generator().manual_seed(6).raw(32000)
    words = np.concatenate((words[:-32], np.repeat(np.uint32([0, 2**32 - 1]), 16)))  # both ends too
    native, twin = getattr(variates, name)(words, *args), getattr(plain, name)(words, *args)
    assert native.dtype == twin.dtype
    np.testing.assert_array_equal(native, twin)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_native_samplers_are_those_of_the_twin(dtype):
    if samplers.__file__.endswith(".py"):
        pytest.skip("not compiled")
    plain = load(ROOT / "src" / "chainrule" / "_kernels" / "samplers.py", "plain_samplers")
    native, twin = Generator().manual_seed(6), Generator().manual_seed(6)
    size = np.linspace(0, 60, 500).astype(dtype)
    chance = np.resize(np.array([0, 0.01, 0.3, 0.5, 0.7, 1, np.nan]), 500).astype(dtype)
    for name, args in (("poisson", (size,)), ("gamma", (size / 10,)), ("binomial", (np.floor(size), chance))):
        ours, theirs = getattr(samplers, name)(native, *args), getattr(plain, name)(twin, *args)
        assert ours.dtype == theirs.dtype == dtype
        np.testing.assert_array_equal(ours, theirs)
        np.testing.assert_array_equal(native.get_state(), twin.get_state())
