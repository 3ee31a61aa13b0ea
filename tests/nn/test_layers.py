"""Layers: outputs against their formulas in NumPy, and the errors of their constructors."""

import math
import warnings

import numpy as np
import pytest

import chainrule as torch
from chainrule import nn


def raises(kind, text, act):
    with pytest.raises(kind) as caught:
        act()
    assert text in str(caught.value)


def test_linear_and_bilinear():
    m = nn.Linear(3, 2)
    x = torch.randn(4, 3)
    want = x.numpy() @ m.weight.detach().numpy().T + m.bias.detach().numpy()
    np.testing.assert_allclose(m(x).detach().numpy(), want, rtol=1e-5, atol=1e-6)
    b = nn.Bilinear(3, 2, 5, bias=False)
    y = torch.randn(4, 2)
    want = np.einsum("ni,kij,nj->nk", x.numpy(), b.weight.detach().numpy(), y.numpy())
    np.testing.assert_allclose(b(x, y).detach().numpy(), want, rtol=1e-4, atol=1e-5)
    raises(ValueError, "in1_features must be > 0, but got (in1_features=0)", lambda: nn.Bilinear(0, 1, 1))
    assert nn.Linear(2, 2, dtype=torch.float64).bias.dtype == torch.float64


def test_flatten():
    x = torch.zeros(2, 3, 4, 5)
    assert nn.Flatten()(x).shape == (2, 60) and nn.Flatten(0, 2)(x).shape == (24, 5)
    assert nn.Unflatten(1, (3, -1))(torch.zeros(2, 6)).shape == (2, 3, 2)
    raises(TypeError, "invalid argument type for dim parameter", lambda: nn.Unflatten("x", (1,)))
    raises(
        TypeError, "unflattened_size must be a tuple of ints, but found type int", lambda: nn.Unflatten(1, 3)
    )
    raises(
        TypeError,
        "unflattened_size must be tuple of ints, but found element of type str at pos 1",
        lambda: nn.Unflatten(1, (1, "2")),
    )


def test_conv_errors():
    raises(ValueError, "groups must be a positive integer", lambda: nn.Conv2d(2, 2, 1, groups=0))
    raises(ValueError, "in_channels must be divisible by groups", lambda: nn.Conv2d(3, 2, 1, groups=2))
    raises(ValueError, "out_channels must be divisible by groups", lambda: nn.Conv2d(2, 3, 1, groups=2))
    raises(
        ValueError,
        "Invalid padding string 'full', should be one of",
        lambda: nn.Conv1d(1, 1, 1, padding="full"),
    )
    raises(
        ValueError,
        "padding='same' is not supported for strided convolutions",
        lambda: nn.Conv1d(1, 1, 3, stride=2, padding="same"),
    )
    raises(ValueError, "padding_mode must be one of", lambda: nn.Conv1d(1, 1, 1, padding_mode="ones"))
    raises(
        ValueError,
        'Only "zeros" padding mode is supported for ConvTranspose2d',
        lambda: nn.ConvTranspose2d(1, 1, 1, padding_mode="circular"),
    )


@pytest.mark.parametrize(
    "mode, border", [("reflect", "reflect"), ("replicate", "edge"), ("circular", "wrap")]
)
def test_conv_padding_modes(mode, border):
    m = nn.Conv2d(1, 1, 3, padding=(1, 2), padding_mode=mode, bias=False)
    x = torch.randn(1, 1, 5, 6)
    padded = torch.from_numpy(np.pad(x.numpy(), ((0, 0), (0, 0), (1, 1), (2, 2)), border))
    want = nn.functional.conv2d(padded, m.weight)
    np.testing.assert_allclose(m(x).detach().numpy(), want.detach().numpy(), rtol=1e-5, atol=1e-6)


def test_conv_same_with_an_even_kernel():
    m = nn.Conv1d(1, 1, 4, padding="same", dilation=3)
    assert m._reversed_padding_repeated_twice == [4, 5]
    assert m(torch.zeros(1, 1, 11)).shape == (1, 1, 11)
    circular = nn.Conv1d(1, 1, 4, padding="same", padding_mode="circular", bias=False)
    x = torch.randn(1, 1, 7)
    padded = torch.from_numpy(np.pad(x.numpy(), ((0, 0), (0, 0), (1, 2)), "wrap"))
    want = nn.functional.conv1d(padded, circular.weight)
    np.testing.assert_allclose(circular(x).detach().numpy(), want.detach().numpy(), rtol=1e-5, atol=1e-6)


def test_conv_transpose_output_size():
    m = nn.ConvTranspose2d(2, 3, 3, stride=2, padding=1)
    x = torch.randn(1, 2, 5, 6)
    assert m(x).shape == (1, 3, 9, 11)
    assert m(x, output_size=(10, 11)).shape == (1, 3, 10, 11)
    assert m(x, output_size=(1, 3, 9, 12)).shape == (1, 3, 9, 12)
    assert m(x[0], output_size=(10, 12)).shape == (3, 10, 12)
    raises(
        ValueError,
        "requested an output size of (11, 11), but valid sizes range from [9, 11] to [10, 12]",
        lambda: m(x, output_size=(11, 11)),
    )
    raises(ValueError, "output_size must have 2 or 4 elements (got 3)", lambda: m(x, output_size=(1, 2, 3)))


def test_batchnorm_statistics():
    m = nn.BatchNorm1d(2, momentum=0.5)
    x = torch.randn(6, 2)
    y = m(x)
    a = x.numpy()
    want = (a - a.mean(0)) / np.sqrt(a.var(0) + 1e-5)
    np.testing.assert_allclose(y.detach().numpy(), want, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(m.running_mean.numpy(), 0.5 * a.mean(0), rtol=1e-5)
    np.testing.assert_allclose(m.running_var.numpy(), 0.5 + 0.5 * a.var(0, ddof=1), rtol=1e-5)
    assert m.num_batches_tracked.item() == 1
    m.eval()
    mean, var = m.running_mean.numpy(), m.running_var.numpy()
    np.testing.assert_allclose(m(x).detach().numpy(), (a - mean) / np.sqrt(var + 1e-5), rtol=1e-4, atol=1e-5)
    assert m.num_batches_tracked.item() == 1
    m.reset_running_stats()
    assert m.running_var.tolist() == [1, 1] and m.num_batches_tracked.item() == 0


def test_batchnorm_plain_average():
    m = nn.BatchNorm1d(1, momentum=None)
    for value in (1.0, 2.0, 6.0):
        m(torch.full((3, 1), value))
    assert m.running_mean.item() == pytest.approx(3.0)


def test_batchnorm_without_statistics():
    m = nn.BatchNorm2d(2, track_running_stats=False).eval()
    x = torch.randn(3, 2, 4, 4) * 5
    assert abs(m(x).mean().item()) < 1e-5 and m.running_mean is None
    raises(ValueError, "expected 4D input (got 3D input)", lambda: m(torch.zeros(2, 2, 2)))
    raises(ValueError, "expected 2D or 3D input (got 4D input)", lambda: nn.BatchNorm1d(2)(x))
    raises(ValueError, "expected 5D input (got 4D input)", lambda: nn.BatchNorm3d(2)(x))


def test_instancenorm():
    m = nn.InstanceNorm1d(2)
    x = torch.randn(3, 2, 5)
    a = x.numpy()
    want = (a - a.mean(2, keepdims=True)) / np.sqrt(a.var(2, keepdims=True) + 1e-5)
    np.testing.assert_allclose(m(x).numpy(), want, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(m(x[0]).numpy(), want[0], rtol=1e-4, atol=1e-5)
    raises(ValueError, "expected 2D or 3D input (got 4D input)", lambda: m(torch.zeros(1, 2, 3, 4)))
    with pytest.warns(UserWarning, match="input's size at dim=1 does not match num_features"):
        m(torch.zeros(1, 3, 4))
    affine = nn.InstanceNorm2d(2, affine=True)
    raises(
        ValueError,
        "expected input's size at dim=0 to match num_features (2), but got: 3.",
        lambda: affine(torch.zeros(3, 4, 4)),
    )
    tracking = nn.InstanceNorm1d(2, track_running_stats=True)
    tracking(x)
    np.testing.assert_allclose(tracking.running_mean.numpy(), 0.1 * a.mean((0, 2)), rtol=1e-4, atol=1e-6)


def test_other_norms():
    x = torch.randn(2, 4, 3)
    a = x.numpy()

    def standard(values, axes):
        return (values - values.mean(axes, keepdims=True)) / np.sqrt(values.var(axes, keepdims=True) + 1e-5)

    np.testing.assert_allclose(
        nn.LayerNorm((4, 3))(x).detach().numpy(), standard(a, (1, 2)), rtol=1e-4, atol=1e-5
    )
    grouped = standard(a.reshape(2, 2, 2, 3), (2, 3)).reshape(2, 4, 3)
    np.testing.assert_allclose(nn.GroupNorm(2, 4)(x).detach().numpy(), grouped, rtol=1e-4, atol=1e-5)
    rms = a / np.sqrt((a**2).mean(-1, keepdims=True) + 1e-3)
    np.testing.assert_allclose(nn.RMSNorm(3, eps=1e-3)(x).detach().numpy(), rms, rtol=1e-4, atol=1e-5)
    raises(ValueError, "num_channels (5) must be divisible by num_groups (2)", lambda: nn.GroupNorm(2, 5))
    assert nn.LayerNorm(3).normalized_shape == (3,)


def test_pooling():
    x = torch.arange(16.0).reshape(1, 1, 4, 4)
    assert nn.MaxPool2d(2)(x).flatten().tolist() == [5, 7, 13, 15]
    values, places = nn.MaxPool2d(2, return_indices=True)(x)
    assert places.flatten().tolist() == [5, 7, 13, 15] and torch.equal(values, nn.MaxPool2d(2)(x))
    assert nn.AvgPool2d(2)(x).flatten().tolist() == [2.5, 4.5, 10.5, 12.5]
    assert nn.AvgPool2d(2, divisor_override=1)(x).flatten().tolist() == [10, 18, 42, 50]
    assert nn.AvgPool1d(3, stride=1, padding=1, count_include_pad=False)(x[0, :, 0]).flatten().tolist() == [
        0.5,
        1,
        2,
        2.5,
    ]
    assert nn.AdaptiveAvgPool2d((1, None))(x).flatten().tolist() == [6, 7, 8, 9]
    assert nn.AdaptiveMaxPool1d(3)(x[0, :, 0]).flatten().tolist() == [1, 2, 3]
    np.testing.assert_allclose(
        nn.LPPool1d(2, 2)(x[0, :, 0]).flatten().tolist(), [1, math.sqrt(13)], rtol=1e-6
    )


def test_dropout():
    raises(ValueError, "dropout probability has to be between 0 and 1, but got 1.5", lambda: nn.Dropout(1.5))
    x = torch.ones(1000)
    m = nn.Dropout(0.25)
    y = m(x)
    assert set(y.tolist()) == {0.0, (torch.ones(1) / 0.75).item()} and 150 < (y == 0).sum().item() < 350
    assert torch.equal(m.eval()(x), x)
    channels = nn.Dropout2d(0.5)(torch.ones(8, 16, 3, 3))
    assert set(channels.sum((2, 3)).flatten().tolist()) == {0.0, 18.0}
    kept = torch.ones(50)
    nn.Dropout(0.5, inplace=True)(kept)
    assert set(kept.tolist()) == {0.0, 2.0}


def test_embedding():
    raises(
        AssertionError, "Padding_idx must be within num_embeddings", lambda: nn.Embedding(3, 2, padding_idx=3)
    )
    raises(
        AssertionError,
        "Shape of weight does not match num_embeddings and embedding_dim",
        lambda: nn.Embedding(3, 2, _weight=torch.ones(2, 2)),
    )
    raises(
        AssertionError,
        "Embeddings parameter is expected to be 2-dimensional",
        lambda: nn.Embedding.from_pretrained(torch.ones(2)),
    )
    given = torch.randn(3, 2)
    m = nn.Embedding.from_pretrained(given)
    assert not m.weight.requires_grad and torch.equal(m(torch.tensor([2, 0])), given[[2, 0]])
    assert nn.Embedding.from_pretrained(given, freeze=False).weight.requires_grad
    short = nn.Embedding(3, 2, max_norm=1.0, _weight=torch.full((3, 2), 4.0))
    assert short(torch.tensor([1])).norm().item() == pytest.approx(1.0, abs=1e-5)
    assert short.weight[0].tolist() == [4, 4]
    with torch.no_grad():
        assert short.weight[1].norm().item() == pytest.approx(1.0, abs=1e-5)


def test_embedding_padding():
    m = nn.Embedding(10, 3, padding_idx=0)
    assert m.weight[0].tolist() == [0, 0, 0]
    m(torch.zeros(1, 800, dtype=torch.int64)).sum().backward()
    assert m.weight.grad.abs().sum().item() == 0
    given = nn.Embedding.from_pretrained(torch.ones(3, 2), padding_idx=0)
    assert given(torch.tensor([0])).tolist() == [[1, 1]]
    last = nn.Embedding(10, 3, padding_idx=-1)
    assert last.padding_idx == 9 and last.weight[9].tolist() == [0, 0, 0]
    repeated = nn.Embedding(3, 2)
    repeated(torch.tensor([1, 1, 2])).sum().backward()
    assert repeated.weight.grad.tolist() == [[0, 0], [2, 2], [1, 1]]


def test_embedding_bag():
    table = torch.arange(8.0).reshape(4, 2)
    for mode, want in (("sum", [[2, 4], [6, 7]]), ("mean", [[1, 2], [6, 7]]), ("max", [[2, 3], [6, 7]])):
        m = nn.EmbeddingBag.from_pretrained(table, mode=mode)
        assert m(torch.tensor([0, 1, 3]), torch.tensor([0, 2])).tolist() == want
    assert not m.weight.requires_grad


def test_activations():
    x = torch.tensor([-2.0, -0.5, 0.0, 0.3, 4.0])
    a = x.numpy().astype(np.float64)
    sigmoid = 1 / (1 + np.exp(-a))
    softplus = np.log1p(np.exp(a))
    cases = [
        (nn.ReLU(), np.maximum(a, 0)),
        (nn.ReLU6(), np.clip(a, 0, 6)),
        (nn.LeakyReLU(0.1), np.where(a > 0, a, 0.1 * a)),
        (nn.PReLU(), np.where(a > 0, a, 0.25 * a)),
        (nn.RReLU(0.2, 0.4).eval(), np.where(a > 0, a, 0.3 * a)),
        (nn.ELU(2.0), np.where(a > 0, a, 2 * np.expm1(a))),
        (nn.CELU(2.0), np.maximum(a, 0) + np.minimum(0, 2 * np.expm1(a / 2))),
        (nn.SELU(), 1.0507009873554805 * np.where(a > 0, a, 1.6732632423543772 * np.expm1(a))),
        (nn.GELU(), a * 0.5 * (1 + np.vectorize(math.erf)(a / math.sqrt(2)))),
        (nn.GELU("tanh"), 0.5 * a * (1 + np.tanh(math.sqrt(2 / math.pi) * (a + 0.044715 * a**3)))),
        (nn.SiLU(), a * sigmoid),
        (nn.Mish(), a * np.tanh(softplus)),
        (nn.Sigmoid(), sigmoid),
        (nn.LogSigmoid(), np.log(sigmoid)),
        (nn.Tanh(), np.tanh(a)),
        (nn.Tanhshrink(), a - np.tanh(a)),
        (nn.Hardtanh(-1, 2), np.clip(a, -1, 2)),
        (nn.Hardsigmoid(), np.clip(a + 3, 0, 6) / 6),
        (nn.Hardswish(), a * np.clip(a + 3, 0, 6) / 6),
        (nn.Hardshrink(), np.where(np.abs(a) > 0.5, a, 0)),
        (nn.Softshrink(0.4), np.sign(a) * np.maximum(np.abs(a) - 0.4, 0)),
        (nn.Softplus(2.0), np.log1p(np.exp(2 * a)) / 2),
        (nn.Softsign(), a / (1 + np.abs(a))),
        (nn.Softmax(0), np.exp(a) / np.exp(a).sum()),
        (nn.LogSoftmax(0), a - np.log(np.exp(a).sum())),
        (nn.Softmin(0), np.exp(-a) / np.exp(-a).sum()),
        (nn.Threshold(0.1, 20.0), np.where(a > 0.1, a, 20)),
        (nn.GLU(), None),
    ]
    for m, want in cases:
        if want is None:
            np.testing.assert_allclose(m(x[:4]).numpy(), a[:2] * sigmoid[2:4], rtol=1e-5, atol=1e-6)
        else:
            np.testing.assert_allclose(m(x).detach().numpy(), want, rtol=1e-5, atol=1e-6, err_msg=repr(m))
    assert nn.Softmax2d()(torch.zeros(1, 4, 1, 1)).flatten().tolist() == [0.25] * 4
    raises(
        ValueError,
        "Softmax2d: expected input to be 3D or 4D, got 2D instead",
        lambda: nn.Softmax2d()(x[None]),
    )
    raises(AssertionError, "max_val (1) must be greater than min_val (2)", lambda: nn.Hardtanh(2, 1))


def test_activations_in_place():
    for m in (
        nn.ReLU(True),
        nn.LeakyReLU(0.1, True),
        nn.ELU(1.0, True),
        nn.Hardtanh(inplace=True),
        nn.SiLU(True),
    ):
        x = torch.tensor([-3.0, 3.0])
        want = m(x.clone())
        assert m(x) is x and torch.equal(x, want)


def test_padding():
    x = torch.arange(6.0).reshape(1, 2, 3)
    a = x.numpy()
    for m, mode in (
        (nn.ReflectionPad1d((2, 1)), "reflect"),
        (nn.ReplicationPad1d((2, 1)), "edge"),
        (nn.CircularPad1d((2, 1)), "wrap"),
        (nn.ZeroPad1d((2, 1)), "constant"),
    ):
        np.testing.assert_array_equal(m(x).numpy(), np.pad(a, ((0, 0), (0, 0), (2, 1)), mode))
    y = torch.arange(24.0).reshape(1, 2, 3, 4)
    want = np.pad(y.numpy(), ((0, 0), (0, 0), (3, 4), (1, 2)), constant_values=7)
    np.testing.assert_array_equal(nn.ConstantPad2d((1, 2, 3, 4), 7)(y).numpy(), want)
    raises(ValueError, "expected 3D or 4D input (got 2D input)", lambda: nn.CircularPad2d(1)(x[0]))


def test_shuffles_and_folds():
    x = torch.arange(8.0).reshape(1, 4, 1, 2)
    y = nn.PixelShuffle(2)(x)
    assert y.flatten().tolist() == [0, 2, 1, 3, 4, 6, 5, 7]
    assert torch.equal(nn.PixelUnshuffle(2)(y), x)
    image = torch.randn(1, 2, 4, 5)
    columns = nn.Unfold((2, 3), stride=(2, 1))(image)
    assert columns.shape == (1, 12, 6)
    again = nn.Fold((4, 5), (2, 3), stride=(2, 1))(columns)
    count = nn.Fold((4, 5), (2, 3), stride=(2, 1))(torch.ones(1, 12, 6))
    np.testing.assert_allclose((again / count).numpy(), image.numpy(), rtol=1e-5, atol=1e-6)


def test_upsampling_and_distance():
    x = torch.tensor([[[[1.0, 3.0]]]])
    assert nn.Upsample(size=(1, 3), mode="bilinear", align_corners=True)(x).flatten().tolist() == [1, 2, 3]
    assert nn.Upsample(scale_factor=(1, 2))(x).flatten().tolist() == [1, 1, 3, 3]
    assert nn.PairwiseDistance(p=1, eps=0.0)(x[0, 0], -x[0, 0]).item() == 8
    assert nn.CosineSimilarity()(x[0, 0], -x[0, 0]).item() == pytest.approx(-1)


def test_losses():
    x = torch.tensor([[0.2, -1.0, 2.0], [0.5, 0.1, 0.3]])
    y = torch.tensor([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])
    a, b = x.numpy().astype(np.float64), y.numpy().astype(np.float64)
    d = a - b
    sign = 2 * b - 1
    p = 1 / (1 + np.exp(-a))
    bce = -(b * np.log(p) + (1 - b) * np.log(1 - p))
    classes = torch.tensor([2, 0])
    log_p = a - np.log(np.exp(a).sum(1, keepdims=True))
    rows = np.arange(2)
    w = np.array([1.0, 2.0, 3.0])
    weight = torch.tensor([1.0, 2.0, 3.0])
    picked = -log_p[rows, [2, 0]]
    smooth = 0.9 * picked - 0.1 * log_p.mean(1)
    cases = [
        (nn.L1Loss(), y, np.abs(d).mean()),
        (nn.MSELoss(), y, (d**2).mean()),
        (nn.MSELoss(reduction="sum"), y, (d**2).sum()),
        (nn.SmoothL1Loss(beta=0.5), y, np.where(np.abs(d) < 0.5, d**2, np.abs(d) - 0.25).mean()),
        (nn.HuberLoss(delta=0.5), y, np.where(np.abs(d) < 0.5, d**2 / 2, 0.5 * (np.abs(d) - 0.25)).mean()),
        (nn.BCEWithLogitsLoss(), y, bce.mean()),
        (nn.SoftMarginLoss(), torch.from_numpy(sign.astype("f4")), np.log1p(np.exp(-sign * a)).mean()),
        (nn.MultiLabelSoftMarginLoss(), y, bce.mean()),
        (nn.PoissonNLLLoss(), y, (np.exp(a) - b * a).mean()),
        (nn.CrossEntropyLoss(), classes, picked.mean()),
        (nn.CrossEntropyLoss(reduction="none"), classes, picked),
        (nn.CrossEntropyLoss(weight=weight), classes, (picked * w[[2, 0]]).sum() / 4),
        (nn.CrossEntropyLoss(label_smoothing=0.1), classes, smooth.mean()),
        (nn.CrossEntropyLoss(ignore_index=0), classes, picked[0]),
        (nn.NLLLoss(), classes, -a[rows, [2, 0]].mean()),
        (
            nn.MultiMarginLoss(),
            classes,
            ((np.maximum(0, 1 - a[0, 2] + a[0, :2]).sum()) + np.maximum(0, 1 - a[1, 0] + a[1, 1:]).sum()) / 6,
        ),
    ]
    for m, target, want in cases:
        np.testing.assert_allclose(m(x, target).numpy(), want, rtol=1e-5, atol=1e-6, err_msg=repr(m))
    probabilities = torch.sigmoid(x)
    assert nn.BCELoss()(probabilities, y).item() == pytest.approx(bce.mean(), rel=1e-5)
    assert nn.GaussianNLLLoss()(x, y, torch.ones(2, 3) * 2).item() == pytest.approx(
        0.5 * (math.log(2) + (d**2 / 2).mean()), rel=1e-5
    )
    target = torch.softmax(y, 1)
    t = target.numpy()
    want = (t * (np.log(t) - log_p)).sum() / 2
    assert nn.KLDivLoss(reduction="batchmean")(torch.log_softmax(x, 1), target).item() == pytest.approx(
        want, rel=1e-5
    )
    log_target = nn.KLDivLoss(reduction="batchmean", log_target=True)(torch.log_softmax(x, 1), target.log())
    assert log_target.item() == pytest.approx(want, rel=1e-5)


def test_losses_of_pairs():
    x, y = torch.tensor([[1.0, 0.0], [0.0, 1.0]]), torch.tensor([[1.0, 1.0], [0.0, -1.0]])
    same = torch.tensor([1, -1])
    cos = math.sqrt(0.5)
    assert nn.CosineEmbeddingLoss(reduction="none")(x, y, same).tolist() == [pytest.approx(1 - cos), 0.0]
    ranks = nn.MarginRankingLoss(margin=0.5, reduction="none")
    assert ranks(torch.tensor([1.0, 2.0]), torch.tensor([0.0, 3.0]), torch.tensor([1.0, 1.0])).tolist() == [
        0,
        1.5,
    ]
    hinge = nn.HingeEmbeddingLoss(margin=2.0, reduction="none")
    assert hinge(torch.tensor([3.0, 0.5]), same).tolist() == [3, 1.5]
    triplet = nn.TripletMarginLoss(margin=1.0, p=1, eps=0.0)
    assert triplet(x[:1], y[:1], x[1:]).item() == 0
    assert triplet(x[:1], x[1:], y[:1]).item() == 2
    own = nn.TripletMarginWithDistanceLoss(distance_function=lambda u, v: (u - v).abs().sum(-1))
    assert own(x[:1], x[1:], y[:1]).item() == 2
    raises(
        ValueError,
        "expected margin to be greater than 0, got 0 instead",
        lambda: nn.TripletMarginLoss(margin=0),
    )
    raises(ValueError, "only p == 1 and p == 2 supported", lambda: nn.MultiMarginLoss(p=3))
    raises(
        ValueError,
        "expected weight to be None or 1D tensor, got 2D instead",
        lambda: nn.MultiMarginLoss(weight=torch.ones(1, 1)),
    )


def test_older_reduction_arguments():
    for arguments, want in (
        ({"reduce": False}, "none"),
        ({"size_average": False}, "sum"),
        ({"reduce": True}, "mean"),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert nn.MSELoss(**arguments).reduction == want
    with pytest.warns(UserWarning, match="reduction='sum' instead"):
        nn.L1Loss(size_average=False)
    assert "weight" in dict(nn.CrossEntropyLoss(weight=torch.ones(2)).named_buffers())


def test_a_network_learns():
    torch.manual_seed(0)
    x = torch.randn(64, 2)
    y = (x[:, :1] * x[:, 1:] > 0).float()
    net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
    loss_of = nn.BCEWithLogitsLoss()
    for _ in range(300):
        loss = loss_of(net(x), y)
        net.zero_grad()
        loss.backward()
        with torch.no_grad():
            for p in net.parameters():
                p -= 0.5 * p.grad
    assert loss.item() < 0.2
