"""Samples of the copying forms of views."""

from casebook import case, real

case("narrow_copy", lambda T, x: T.narrow_copy(x, 0, 1, 2), real(4))
case("select_copy", lambda T, x: T.select_copy(x, 0, 1), real(3, 2))
case("diagonal_copy", lambda T, x: T.diagonal_copy(x), real(3, 2))
case("split_copy", lambda T, x: T.split_copy(x, 2), real(3, 2))
case("split_with_sizes_copy", lambda T, x: T.split_with_sizes_copy(x, [1, 2]), real(3, 2))
case("unbind_copy", lambda T, x: T.unbind_copy(x), real(3, 2))
case("as_strided_copy", lambda T, x: T.as_strided_copy(x.contiguous(), (2,), (2,)), real(3, 2))
case("unfold_copy", lambda T, x: T.unfold_copy(x, 0, 2, 1), real(3, 2))
case("expand_copy", lambda T, x: T.expand_copy(x, (2, 3)), real(3))
case("permute_copy", lambda T, x: T.permute_copy(x, (1, 0)), real(3, 2))
case("squeeze_copy", lambda T, x: T.squeeze_copy(x), real(3, 1))
case("t_copy", lambda T, x: T.t_copy(x), real(3, 2))
case("transpose_copy", lambda T, x: T.transpose_copy(x, 0, 1), real(3, 2))
case("unsqueeze_copy", lambda T, x: T.unsqueeze_copy(x, 0), real(3, 2))
case("view_copy", lambda T, x: T.view_copy(x.contiguous(), (6,)), real(3, 2))
