"""Generators, seeds and saved states."""

import copy
import pickle

import pytest

import chainrule as T


def test_seeds_and_states_of_the_default_stream():
    assert T.manual_seed(5) is T.default_generator and T.initial_seed() == 5
    state = T.get_rng_state()
    first = T.rand(3)
    T.set_rng_state(state)
    assert T.equal(T.rand(3), first) and state.dtype is T.uint8 and state.shape == (5056,)
    assert T.seed() == T.initial_seed() and T.random.initial_seed() == T.initial_seed()


def test_fork_puts_the_stream_back_even_after_an_error():
    T.manual_seed(1)
    wanted = T.rand(2)
    T.manual_seed(1)
    with pytest.raises(KeyError), T.random.fork_rng():
        T.rand(100)
        raise KeyError
    assert T.equal(T.rand(2), wanted)
    with T.random.fork_rng(enabled=False):
        moved = T.rand(2)
    assert not T.equal(moved, wanted)


def test_generators_have_streams_of_their_own():
    g = T.Generator().manual_seed(3)
    assert g.device == T.device("cpu") and g.initial_seed() == 3
    T.manual_seed(3)
    assert T.equal(T.randn(4, generator=g), T.randn(4))
    kept = g.get_state()
    a = T.rand(2, generator=g)
    assert T.equal(T.rand(2, generator=T.Generator().set_state(kept)), a)
    clone = g.clone_state()
    again, copied = pickle.loads(pickle.dumps(g)), copy.deepcopy(g)
    b = T.rand(2, generator=g)
    for other in (clone, again, copied):
        assert type(other) is T.Generator and T.equal(T.rand(2, generator=other), b)


def test_what_is_no_generator_or_state_is_refused():
    with pytest.raises(TypeError, match="must be torch.Generator"):
        T.rand(2, generator=3)
    with pytest.raises(TypeError, match="expected a torch.ByteTensor"):
        T.Generator().set_state(3)
    with pytest.raises(RuntimeError, match="RNG state size"):
        T.Generator().set_state(T.zeros(3, dtype=T.uint8))
    with pytest.raises(RuntimeError, match="cpu"):
        T.Generator("meta")


@pytest.mark.parametrize(
    "name", ["uniform_", "normal_", "random_", "exponential_", "cauchy_", "log_normal_", "bernoulli_"]
)
def test_draws_into_a_graph_pass_zeros_on(name):
    w = T.ones(3, requires_grad=True)
    y = w * 2
    assert getattr(y, name)() is y and y.grad_fn is not None
    y.sum().backward()
    assert w.grad.tolist() == [0, 0, 0]
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        getattr(w, name)()


def test_samples_pass_zeros_on_except_the_gamma_variate():
    w = T.tensor([0.3, 0.4], requires_grad=True)
    normals = (lambda p: T.normal(p, 1.0), lambda p: T.normal(0.0, p), lambda p: T.normal(p, p))
    for draw in (T.bernoulli, T.poisson, *normals):
        (g,) = T.autograd.grad(draw(w).sum(), w)
        assert g.tolist() == [0, 0]
    (g,) = T.autograd.grad(T._standard_gamma(w).sum(), w)
    assert (g > 0).all()
    assert not T.multinomial(w, 1).requires_grad and not T.rand_like(w).requires_grad


def test_draws_on_meta_have_shapes_only():
    state = T.get_rng_state()
    assert T.rand(3, device="meta").shape == (3,) and T.zeros(2, device="meta").normal_().is_meta
    assert T.equal(T.get_rng_state(), state)
