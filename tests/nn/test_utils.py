"""nn.utils: clipping, vectors, weight and spectral norm, parametrizations, fusion."""

import copy
import math
import pickle
import warnings

import pytest

import chainrule as torch
from chainrule import nn
from chainrule.nn.utils import parametrizations, parametrize


def with_grads(*grads):
    parameters = []
    for grad in grads:
        p = nn.Parameter(torch.zeros(len(grad)))
        p.grad = torch.tensor(grad)
        parameters.append(p)
    return parameters


def test_clip_norm():
    ps = with_grads([3.0, 0.0], [4.0])
    assert nn.utils.clip_grad_norm_(ps, 10.0).item() == 5
    assert ps[1].grad.tolist() == [4]
    assert nn.utils.clip_grad_norm_(ps, 1.0).item() == 5
    assert nn.utils.get_total_norm([p.grad for p in ps]).item() == pytest.approx(1, abs=1e-5)
    ps = with_grads([3.0, -6.0], [4.0])
    assert nn.utils.clip_grad_norm_(ps, 3.0, norm_type=math.inf).item() == 6
    assert ps[0].grad.tolist() == pytest.approx([1.5, -3.0], abs=1e-5)
    ps = with_grads([3.0, -6.0], [1.0])
    assert nn.utils.clip_grad_norm_(ps, 5.0, norm_type=1, foreach=True).item() == 10
    assert nn.utils.clip_grad_norm_(ps[0], 1.0).item() == pytest.approx(math.sqrt(1.5**2 + 3**2), abs=1e-5)


def test_clip_norm_of_a_generator():
    layer = nn.Linear(2, 2)
    for p in layer.parameters():
        p.grad = torch.ones_like(p)
    assert nn.utils.clip_grad_norm_((p for p in layer.parameters()), 1.0).item() == pytest.approx(
        math.sqrt(6)
    )
    total = sum((p.grad**2).sum().item() for p in layer.parameters())
    assert total == pytest.approx(1.0, abs=1e-4)


def test_clip_norm_without_gradients():
    assert nn.utils.clip_grad_norm_([nn.Parameter(torch.ones(1))], 1.0).item() == 0
    with pytest.warns(UserWarning, match="`parameters` is an empty generator"):
        nn.utils.clip_grad_norm_((p for p in []), 1.0)


def test_clip_norm_not_finite():
    ps = with_grads([math.inf])
    with pytest.raises(
        RuntimeError, match="The total norm of order 2.0 for gradients from `parameters` is non-finite"
    ):
        nn.utils.clip_grad_norm_(ps, 1.0, error_if_nonfinite=True)
    assert ps[0].grad.tolist() == [math.inf]
    assert math.isnan(nn.utils.clip_grad_norm_(with_grads([math.nan]), 1.0).item())


def test_clip_value():
    ps = with_grads([3.0, -0.5], [-4.0])
    nn.utils.clip_grad_value_((p for p in ps), 1)
    assert ps[0].grad.tolist() == [1.0, -0.5] and ps[1].grad.tolist() == [-1.0]
    nn.utils.clip_grad_value_(ps[0], 0.1)
    assert ps[0].grad.tolist() == pytest.approx([0.1, -0.1])


def test_vectors():
    layer = nn.Linear(2, 3)
    vector = nn.utils.parameters_to_vector(layer.parameters())
    assert torch.equal(vector[:6].view(3, 2), layer.weight) and vector.requires_grad
    weight = layer.weight
    nn.utils.vector_to_parameters(torch.arange(9.0), layer.parameters())
    assert layer.weight is weight and layer.bias.tolist() == [6, 7, 8]
    with pytest.raises(TypeError, match="expected torch.Tensor, but got"):
        nn.utils.vector_to_parameters([1.0], layer.parameters())


def quietly(fn, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fn(*args, **kwargs)


def test_weight_norm():
    layer = nn.Linear(3, 2)
    before = layer.weight.detach().clone()
    m = quietly(nn.utils.weight_norm, layer)
    assert [name for name, _ in m.named_parameters()] == ["bias", "weight_g", "weight_v"]
    assert torch.allclose(m.weight, before)
    with torch.no_grad():
        m.weight_g.mul_(2)
    x = torch.ones(1, 3)
    assert torch.allclose(m(x), nn.functional.linear(x, 2 * before, m.bias))
    m(x).sum().backward()
    assert m.weight_v.grad is not None and m.weight_g.grad is not None
    with pytest.raises(
        RuntimeError, match="Cannot register two weight_norm hooks on the same parameter weight"
    ):
        quietly(nn.utils.weight_norm, m)
    nn.utils.remove_weight_norm(m)
    assert isinstance(m.weight, nn.Parameter) and torch.allclose(m.weight, 2 * before)
    assert sorted(name for name, _ in m.named_parameters()) == ["bias", "weight"]
    with pytest.raises(ValueError, match="weight_norm of 'weight' not found in Linear"):
        nn.utils.remove_weight_norm(m)
    whole = quietly(nn.utils.weight_norm, nn.Linear(3, 2), dim=None)
    assert whole.weight_g.shape == ()
    with pytest.warns(FutureWarning):
        nn.utils.weight_norm(nn.Linear(1, 1))


def test_spectral_norm():
    m = nn.utils.spectral_norm(nn.Linear(4, 3), n_power_iterations=30)
    assert set(m.state_dict()) == {"bias", "weight_orig", "weight_u", "weight_v"}
    m(torch.ones(1, 4)).sum().backward()
    assert torch.linalg.matrix_norm(m.weight.detach(), 2).item() == pytest.approx(1.0, abs=1e-3)
    assert m.weight_orig.grad is not None
    with pytest.raises(RuntimeError, match="Cannot register two spectral_norm hooks"):
        nn.utils.spectral_norm(m)
    with pytest.raises(
        ValueError, match="Expected n_power_iterations to be positive, but got n_power_iterations=0"
    ):
        nn.utils.spectral_norm(nn.Linear(2, 2), n_power_iterations=0)
    nn.utils.remove_spectral_norm(m)
    assert isinstance(m.weight, nn.Parameter) and set(m.state_dict()) == {"bias", "weight"}
    assert nn.utils.spectral_norm(nn.ConvTranspose1d(2, 5, 3)).weight_u.shape == (5,)


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).T

    def right_inverse(self, x):
        return x.triu()


def test_parametrize():
    layer = nn.Linear(3, 3)
    original = layer.weight
    parametrize.register_parametrization(layer, "weight", Symmetric())
    assert torch.equal(layer.weight, layer.weight.T) and parametrize.is_parametrized(layer, "weight")
    assert layer.parametrizations.weight.original is original
    assert list(layer.state_dict()) == ["bias", "parametrizations.weight.original"]
    assert type(layer).__name__ == "ParametrizedLinear" and isinstance(layer, nn.Linear)
    assert parametrize.type_before_parametrizations(layer) is nn.Linear
    layer(torch.ones(1, 3)).sum().backward()
    assert original.grad is not None
    value = torch.ones(3, 3)
    layer.weight = value
    assert torch.equal(layer.weight, value) and torch.equal(original, value.triu())
    with parametrize.cached():
        assert layer.weight is layer.weight
    assert layer.weight is not layer.weight
    with pytest.raises(
        RuntimeError, match="Serialization of parametrized modules is only supported through state"
    ):
        pickle.dumps(layer)
    other = copy.deepcopy(layer)
    parametrize.remove_parametrizations(other, "weight")
    assert (
        type(other) is nn.Linear
        and isinstance(other.weight, nn.Parameter)
        and torch.equal(other.weight, value)
    )
    assert torch.equal(layer.weight, value) and parametrize.is_parametrized(layer)
    parametrize.remove_parametrizations(layer, "weight", leave_parametrized=False)
    assert layer.weight is original and torch.equal(original, value.triu())
    assert sorted(layer.state_dict()) == ["bias", "weight"]


def test_parametrize_errors():
    class Wider(nn.Module):
        def forward(self, x):
            return x.repeat(2, 1)

    layer = nn.Linear(2, 2)
    with pytest.raises(
        ValueError, match="may not change the shape of the tensor, unless `unsafe` flag is enabled"
    ):
        parametrize.register_parametrization(layer, "weight", Wider())
    assert type(layer) is nn.Linear and layer.weight.shape == (2, 2)
    parametrize.register_parametrization(layer, "weight", Wider(), unsafe=True)
    assert layer.weight.shape == (4, 2)
    with pytest.raises(RuntimeError, match="parametrization Wider does not implement right_inverse."):
        layer.weight = torch.ones(4, 2)
    with pytest.raises(
        ValueError, match="does not have a parameter, a buffer, or a parametrized element with name"
    ):
        parametrize.register_parametrization(layer, "nothing", Wider())
    with pytest.raises(ValueError, match="does not have a parametrization on bias"):
        parametrize.remove_parametrizations(layer, "bias")


def test_parametrizations_in_sequence():
    class Double(nn.Module):
        def forward(self, x):
            return 2 * x

        def right_inverse(self, x):
            return x / 2

    layer = nn.Linear(2, 2)
    before = layer.weight.detach().clone()
    parametrize.register_parametrization(layer, "weight", Double())
    assert torch.allclose(layer.weight, before)
    parametrize.register_parametrization(layer, "weight", Double())
    assert torch.allclose(layer.weight, 2 * before)
    assert torch.allclose(layer.parametrizations.weight.original, before / 2)
    layer.weight = before
    assert torch.allclose(layer.weight, before)
    assert torch.allclose(layer.parametrizations.weight.original, before / 4)


def test_ready_parametrizations():
    layer = nn.Linear(3, 2)
    before = layer.weight.detach().clone()
    parametrizations.weight_norm(layer)
    assert torch.allclose(layer.weight, before)
    old = quietly(nn.utils.weight_norm, nn.Linear(3, 2))
    layer.load_state_dict(old.state_dict())
    assert torch.allclose(layer.weight, old.weight)
    parametrize.remove_parametrizations(layer, "weight")
    assert torch.allclose(layer.weight, old.weight) and isinstance(layer.weight, nn.Parameter)
    spectral = parametrizations.spectral_norm(nn.Linear(4, 3), n_power_iterations=20)
    spectral(torch.ones(1, 4))
    assert torch.linalg.matrix_norm(spectral.weight.detach(), 2).item() == pytest.approx(1, abs=1e-2)


@pytest.mark.parametrize("transpose", [False, True])
def test_fuse_conv_bn(transpose):
    conv = nn.ConvTranspose2d(2, 3, 3) if transpose else nn.Conv2d(2, 3, 3, bias=False)
    bn = nn.BatchNorm2d(3)
    bn(torch.randn(8, 3, 4, 4) * 2 + 1)
    nn.init.normal_(bn.weight)
    nn.init.normal_(bn.bias)
    conv.eval()
    with pytest.raises(AssertionError, match="Fusion only for eval!"):
        nn.utils.fuse_conv_bn_eval(conv, bn, transpose)
    bn.eval()
    fused = nn.utils.fuse_conv_bn_eval(conv, bn, transpose)
    x = torch.randn(2, 2, 5, 5)
    assert torch.allclose(fused(x), bn(conv(x)), atol=1e-5)
    assert fused.weight is not conv.weight


def test_fuse_linear_bn():
    linear, bn = nn.Linear(3, 2).eval(), nn.BatchNorm1d(2)
    bn(torch.randn(8, 2))
    bn.eval()
    x = torch.randn(4, 3)
    assert torch.allclose(nn.utils.fuse_linear_bn_eval(linear, bn)(x), bn(linear(x)), atol=1e-5)


def test_skip_init_needs_a_device():
    class Plain(nn.Module):
        pass

    with pytest.raises(RuntimeError, match="Module must support a 'device' arg to skip initialization"):
        nn.utils.skip_init(Plain)
    with pytest.raises(RuntimeError, match="Expected a Module"):
        nn.utils.skip_init(int)
