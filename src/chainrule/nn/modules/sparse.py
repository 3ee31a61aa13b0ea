"""Layers that look rows up in a table: Embedding, and EmbeddingBag, which also reduces them."""

from typing import Any

import chainrule
from chainrule import Tensor
from chainrule.nn import functional as F
from chainrule.nn import init
from chainrule.nn.modules.module import Module
from chainrule.nn.parameter import Parameter

__all__ = ["Embedding", "EmbeddingBag"]


def _row(padding_idx: int | None, num_embeddings: int, name: str) -> int | None:
    """``padding_idx`` counted from the start, checked."""
    if padding_idx is None:
        return None
    if not -num_embeddings <= padding_idx < num_embeddings:
        raise AssertionError(f"{name} must be within num_embeddings")
    return padding_idx % num_embeddings


def _table(
    num_embeddings: int, embedding_dim: int, given: Tensor | None, freeze: bool, device: Any, dtype: Any
) -> Parameter:
    if given is None:
        weight = chainrule.empty((num_embeddings, embedding_dim), device=device, dtype=dtype)
        return Parameter(weight, requires_grad=not freeze)
    if list(given.shape) != [num_embeddings, embedding_dim]:
        raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
    return Parameter(given, requires_grad=not freeze)


class _Lookup(Module):
    """The table of an embedding layer and its drawing."""

    weight: Tensor
    padding_idx: int | None

    def reset_parameters(self) -> None:
        """Draw the table again: normal, the row ``padding_idx`` zero."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with chainrule.no_grad():
                self.weight[self.padding_idx].fill_(0)


class Embedding(_Lookup):
    """A table of ``num_embeddings`` rows of length ``embedding_dim``, looked up by index.

    Shape: (*) of integers to (*, embedding_dim). The weight starts as a standard normal.

    Arguments: ``padding_idx`` a row that starts at zero and gets no gradient; ``max_norm`` rows looked up are
    first scaled down, in place, to at most this ``norm_type``-norm; ``scale_grad_by_freq`` divides a row's
    gradient by how often it was looked up.

    >>> nn.Embedding(10, 3, padding_idx=0)(torch.tensor([[1, 2, 0]])).shape
    torch.Size([1, 3, 3])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = _row(padding_idx, num_embeddings, "Padding_idx")
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.weight = _table(num_embeddings, embedding_dim, _weight, _freeze, device, dtype)
        if _weight is None:
            self.reset_parameters()
        self.sparse = sparse

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(
            input,
            self.weight,
            self.padding_idx,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.sparse,
        )

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.padding_idx is not None:
            text += f", padding_idx={self.padding_idx}"
        if self.max_norm is not None:
            text += f", max_norm={self.max_norm}"
        if self.norm_type != 2:
            text += f", norm_type={self.norm_type}"
        if self.scale_grad_by_freq is not False:
            text += f", scale_grad_by_freq={self.scale_grad_by_freq}"
        if self.sparse is not False:
            text += ", sparse=True"
        return text

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> "Embedding":
        """A layer over the given 2-D table, which it shares and, with ``freeze``, does not train.

        >>> nn.Embedding.from_pretrained(torch.tensor([[1.0, 2.3], [4.0, 5.1]]))(torch.tensor([1]))
        tensor([[4.0000, 5.1000]])
        """
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        return cls(
            num_embeddings=rows,
            embedding_dim=columns,
            padding_idx=padding_idx,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            sparse=sparse,
            _weight=embeddings,
            _freeze=freeze,
        )


class EmbeddingBag(_Lookup):
    """The sum, mean or maximum of the rows of each bag of indices, without the rows in between.

    Shapes: ``input`` (B, N), B bags of equal length; or (N) with ``offsets`` (B), where each bag starts.
    Output (B, embedding_dim). ``per_sample_weights``, shaped as ``input``, scale the rows (sum only).

    Arguments: as Embedding; ``mode`` sum, mean or max; ``include_last_offset``: offsets end with the total
    length; rows equal to ``padding_idx`` are left out.

    >>> bags = nn.EmbeddingBag(10, 3, mode="sum")
    >>> bags(torch.tensor([1, 2, 4, 5]), torch.tensor([0, 3])).shape
    torch.Size([2, 3])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.padding_idx = _row(padding_idx, num_embeddings, "padding_idx")
        self.weight = _table(num_embeddings, embedding_dim, _weight, False, device, dtype)
        if _weight is None:
            self.reset_parameters()
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset

    def forward(
        self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None
    ) -> Tensor:
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.max_norm is not None:
            text += f", max_norm={self.max_norm}"
        if self.norm_type != 2:
            text += f", norm_type={self.norm_type}"
        if self.scale_grad_by_freq is not False:
            text += f", scale_grad_by_freq={self.scale_grad_by_freq}"
        text += f", mode={self.mode!r}"
        if self.padding_idx is not None:
            text += f", padding_idx={self.padding_idx}"
        return text

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> "EmbeddingBag":
        """A layer over the given 2-D table, which it shares and, with ``freeze``, does not train."""
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        bag = cls(
            num_embeddings=rows,
            embedding_dim=columns,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            mode=mode,
            sparse=sparse,
            _weight=embeddings,
            include_last_offset=include_last_offset,
            padding_idx=padding_idx,
        )
        bag.weight.requires_grad = not freeze
        return bag
