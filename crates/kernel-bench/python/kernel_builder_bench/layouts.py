"""Where tensors lie in memory: in rows of wider ones, exchanged, off alignment, repeated, and between guards."""

import torch

from .tensors import fill_repeated

_GUARD = 256
# Read as any floating-point number it is NaN, so that reading beyond the end is seen, too.
_MARK = 0xFF


class Place:
    """A copy of a tensor that lies in memory as wanted; what is around it is marked."""

    def __init__(self, content, layout, device, guarded):
        self.guarded = guarded
        if not guarded and layout == "contiguous":
            self.tensor = content.detach().to(device).clone(memory_format=torch.contiguous_format)
            return
        strides, offset = geometry(content.shape, layout)
        size = content.element_size()
        span = 1 + sum((length - 1) * stride for length, stride in zip(content.shape, strides, strict=True))
        span = 0 if content.numel() == 0 else span
        guard = _GUARD if guarded else 0
        mark = 0 if content.dtype == torch.bool else _MARK
        self._buffer = torch.full((2 * guard + (offset + span) * size,), mark, dtype=torch.uint8, device=device)
        self.tensor = self._view(self._buffer, content.dtype, content.shape, strides, guard // size + offset)
        fill_repeated(self.tensor, content.to(device))

    def _view(self, buffer, dtype, shape, strides, offset):
        self._as = lambda other: other.view(dtype).as_strided(shape, strides, offset)
        return self._as(buffer)

    def snapshot(self):
        return self._buffer.clone()

    def is_overrun(self, before):
        """Whether anything else than the tensor's own elements differs."""
        fill_repeated(self._as(before), self.tensor.detach())
        return not torch.equal(before, self._buffer)


def geometry(shape, layout):
    """Strides and the first element."""
    shape = list(shape)
    if layout == "transposed" and len(shape) >= 2:
        strides = _contiguous([*shape[:-2], shape[-1], shape[-2]])
        return [*strides[:-2], strides[-1], strides[-2]], 0
    if layout == "transposed" and shape:
        return [2], 0
    if layout == "rows" and len(shape) >= 2:
        return _contiguous([*shape[:-1], shape[-1] + 3]), 0
    if layout in ("rows", "offset"):
        return _contiguous(shape), 2 if layout == "rows" else 1
    if layout == "expanded":
        repeated = next((index for index, length in enumerate(shape) if length > 1), None)
        strides = _contiguous([1 if index == repeated else length for index, length in enumerate(shape)])
        return [0 if index == repeated else stride for index, stride in enumerate(strides)], 0
    return _contiguous(shape), 0


def _contiguous(shape):
    strides, stride = [], 1
    for length in reversed(shape):
        strides.append(stride)
        stride *= max(length, 1)
    return strides[::-1]
