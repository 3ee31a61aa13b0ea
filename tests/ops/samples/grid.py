"""Samples of sampling at grids; positions keep clear of the places where interpolation has kinks."""

from casebook import case, real

for _mode in ("bilinear", "nearest", "bicubic"):
    for _padding in ("zeros", "border", "reflection"):
        for _corners in (False, True):

            def _sample(T, x, grid, mode=_mode, padding=_padding, corners=_corners):
                return T.nn.functional.grid_sample(x, grid, mode, padding, corners)

            case(f"grid_sample {_mode} {_padding} {_corners}", _sample, real(2, 2, 4, 5),
                 real(2, 3, 2, 2, low=-1.3, high=1.3))  # fmt: skip

case("grid_sample volumes", lambda T, x, g: T.nn.functional.grid_sample(x, g, align_corners=False),
     real(1, 2, 3, 4, 3), real(1, 2, 3, 2, 3, low=-1.2, high=1.2))  # fmt: skip
case("affine_grid planes", lambda T, t: T.nn.functional.affine_grid(t, (2, 1, 3, 4), align_corners=False),
     real(2, 2, 3))  # fmt: skip
case("affine_grid volumes", lambda T, t: T.nn.functional.affine_grid(t, (1, 1, 2, 3, 4), align_corners=True),
     real(1, 3, 4))  # fmt: skip
