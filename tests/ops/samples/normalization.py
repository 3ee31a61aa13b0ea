"""Samples of normalization."""

from casebook import case, const, positive, real


def _nn(name, *args, **options):
    return lambda T, *tensors: getattr(T.nn.functional, name)(tensors[0], *args, *tensors[1:], **options)


case("layer_norm plain", _nn("layer_norm", (4,)), real(3, 4))
case("layer_norm affine", _nn("layer_norm", (3, 4)), real(2, 3, 4), real(3, 4), real(3, 4))
case("layer_norm weight", _nn("layer_norm", (4,), eps=0.1), real(2, 4), real(4))
case("layer_norm torch", lambda T, x, w, b: T.layer_norm(x, (4,), w, b), real(3, 4), real(4), real(4))
case("rms_norm plain", _nn("rms_norm", (4,)), real(3, 4))
case("rms_norm weight", _nn("rms_norm", (2, 4), eps=0.1), real(3, 2, 4), real(2, 4))
case("rms_norm torch", lambda T, x: T.rms_norm(x, (4,)), real(3, 4))
case("group_norm plain", _nn("group_norm", 2), real(2, 4, 3))
case("group_norm affine", _nn("group_norm", 2), real(2, 4, 3, 2), real(4), real(4))
case("group_norm torch", lambda T, x, w: T.group_norm(x, 3, w), real(2, 3, 4), real(3))
case("batch_norm training", _nn("batch_norm", None, None, training=True), real(4, 3))
case("batch_norm affine", lambda T, x, w, b: T.nn.functional.batch_norm(x, None, None, w, b, True),
     real(3, 2, 4), real(2), real(2))  # fmt: skip
case("batch_norm evaluation", lambda T, x, m, v, w, b: T.nn.functional.batch_norm(x, m, v, w, b),
     real(3, 2, 4), const(real(2)), const(positive(2)), real(2), real(2))  # fmt: skip
case("batch_norm running", lambda T, x, m, v: (T.nn.functional.batch_norm(x, m, v, None, None, True, 0.3), m, v)[1:],
     const(real(3, 2, 4)), const(real(2)), const(positive(2)), smooth=False)  # fmt: skip
case("batch_norm torch", lambda T, x, w, b: T.batch_norm(x, w, b, None, None, True, 0.1, 1e-5, False),
     real(4, 3), real(3), real(3))  # fmt: skip
case("instance_norm plain", _nn("instance_norm"), real(2, 3, 4))
case("instance_norm affine", lambda T, x, w, b: T.nn.functional.instance_norm(x, None, None, w, b),
     real(2, 3, 2, 2), real(3), real(3))  # fmt: skip
case("instance_norm running", lambda T, x, m, v: (T.nn.functional.instance_norm(x, m, v, momentum=0.3), m, v)[1:],
     const(real(2, 3, 4)), const(real(3)), const(positive(3)), smooth=False)  # fmt: skip
case("instance_norm torch", lambda T, x: T.instance_norm(x, None, None, None, None, True, 0.1, 1e-5, False),
     real(2, 3, 4))  # fmt: skip
case("local_response_norm odd", _nn("local_response_norm", 3, alpha=0.5), real(2, 5, 3))
case("local_response_norm even", _nn("local_response_norm", 2, alpha=0.5, beta=0.6, k=2.0), real(2, 4, 3, 2))
