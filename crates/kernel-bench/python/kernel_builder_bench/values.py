"""Draws the elements of inputs: ordinary ones, and those at which kernels go wrong."""

import torch

# Every so many elements one is special.
_SPARSE = 7


def draw(spec, kind, generator):
    """A tensor of a shape and a type. Weights stay ordinary whatever the inputs are."""
    dtype, shape = getattr(torch, spec["dtype"]), spec["shape"]
    if dtype.is_complex:
        parts = [torch.randn(shape, generator=generator, dtype=torch.float64) for _ in range(2)]
        drawn = torch.complex(*parts)
    elif not dtype.is_floating_point:
        drawn = _whole(spec, dtype, shape, generator)
    else:
        drawn = torch.randn(shape, generator=generator, dtype=torch.float64)
        if spec["role"] != "constant":
            drawn = _special(drawn, kind, dtype, generator)
    if kind == "repeated" and spec["role"] != "constant":
        drawn = _repeated(drawn)
    return drawn.to(dtype)


def _repeated(drawn):
    """One row again and again, as a stride of 0 makes it."""
    along = next((index for index, length in enumerate(drawn.shape) if length > 1), None)
    return drawn if along is None else drawn.narrow(along, 0, 1).expand(drawn.shape).clone()


def _whole(spec, dtype, shape, generator):
    if dtype == torch.bool:
        return torch.randint(0, 2, shape, generator=generator).bool()
    low, high = spec["range"] or ((0, 256) if dtype == torch.uint8 else (-100, 101))
    return torch.randint(low, high, shape, generator=generator).to(dtype)


def _special(normal, kind, dtype, generator):
    facts = torch.finfo(dtype)
    if kind == "small":
        return normal * 1e-3
    if kind == "large":
        return normal * 1e3 if facts.max > 1e4 else normal * 16
    if kind == "spread":
        return normal * 10.0 ** torch.randint(-3, 3, normal.shape, generator=generator)
    if kind == "largest":
        return normal.sign() * facts.max * (0.5 + 0.5 * torch.rand(normal.shape, generator=generator, dtype=torch.float64))
    if kind == "denormal":
        return normal.sign() * facts.tiny * torch.rand(normal.shape, generator=generator, dtype=torch.float64)
    if kind == "zeros":
        return normal * 0
    if kind == "equal":
        return torch.full_like(normal, 0.8125)
    if kind == "sorted":
        return normal.reshape(-1).sort().values.reshape(normal.shape)
    if kind in ("nan", "infinity"):
        return _sprinkle(normal, kind, generator)
    return normal


def _sprinkle(normal, kind, generator):
    flat = normal.reshape(-1).clone()
    if flat.numel():
        first = int(torch.randint(0, min(_SPARSE, flat.numel()), (1,), generator=generator))
        special = torch.tensor(float("nan"), dtype=flat.dtype) if kind == "nan" else flat[first::_SPARSE].sign() * float("inf")
        flat[first::_SPARSE] = special
    return flat.reshape(normal.shape)
