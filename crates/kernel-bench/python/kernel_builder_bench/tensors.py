"""Tensors as raw bytes: in the order of their elements, little-endian, without anything around them."""

import ctypes
import hashlib

import torch

_DEPTH = 4


def walk(value, name="", depth=_DEPTH, seen=None):
    """Every tensor that can be reached from an object's attributes, with the way to it, in a fixed order."""
    seen = set() if seen is None else seen
    if isinstance(value, torch.Tensor):
        if id(value) not in seen:
            seen.add(id(value))
            yield name, value
        return
    if depth == 0 or id(value) in seen:
        return
    for key, member in _members(value):
        yield from walk(member, f"{name}.{key}" if name else str(key), depth - 1, seen | {id(value)})


def _members(value):
    if isinstance(value, torch.nn.Module):
        return sorted({**dict(value.named_parameters()), **dict(value.named_buffers())}.items())
    if isinstance(value, dict):
        return sorted(((key, member) for key, member in value.items()), key=lambda pair: str(pair[0]))
    if isinstance(value, (list, tuple)):
        return list(enumerate(value))
    if type(value).__module__ == "benchmark_module" and hasattr(value, "__dict__"):
        return sorted(vars(value).items())
    return ()


def describe(name, tensor):
    return {
        "name": name,
        "dtype": str(tensor.dtype).removeprefix("torch."),
        "shape": list(tensor.shape),
        "stride": list(tensor.stride()),
        "device": str(tensor.device),
        "type": f"{type(tensor).__module__}.{type(tensor).__qualname__}",
    }


def to_bytes(tensor):
    """A copy of a tensor's elements."""
    plain = tensor.detach().resolve_conj().resolve_neg().cpu().contiguous().reshape(-1)
    count = plain.numel() * plain.element_size()
    return ctypes.string_at(plain.data_ptr(), count) if count else b""


def save(tensor, file):
    file.write(to_bytes(tensor))


def fill(tensor, file):
    """Reads a tensor's elements into the place where it is: the address stays the same."""
    plain = torch.empty(tensor.shape, dtype=tensor.dtype)
    count = plain.numel() * plain.element_size()
    if count:
        buffer = (ctypes.c_char * count).from_address(plain.data_ptr())
        if file.readinto(buffer) != count:
            raise ValueError("the file of inputs is too short")
    fill_repeated(tensor, plain)


def fill_repeated(tensor, content):
    """Copies elements into place; those that a stride of zero repeats are one."""
    with torch.no_grad():
        tensor.detach()[_first_of_repeated(tensor)].copy_(content[_first_of_repeated(tensor)])


def _first_of_repeated(tensor):
    """An index that leaves one of the elements that a stride of zero repeats."""
    return tuple(
        slice(0, 1) if stride == 0 and size > 1 else slice(None)
        for size, stride in zip(tensor.shape, tensor.stride(), strict=True)
    )


def digest(tensor):
    return hashlib.blake2b(to_bytes(tensor), digest_size=16).hexdigest()


def poison(tensor):
    """Fills a tensor with what no kernel writes by chance: NaN, or bytes of 0xA5."""
    with torch.no_grad():
        if tensor.is_floating_point() or tensor.is_complex():
            tensor.detach().fill_(float("nan"))
        elif tensor.dtype == torch.bool:
            pass
        else:
            bits = int.from_bytes(b"\xa5" * tensor.element_size(), "little", signed=tensor.dtype.is_signed)
            tensor.detach().fill_(bits)


def shift(tensor, offset):
    """Moves a tensor that owns its whole memory by `offset` bytes; layouts are drawn anew in each process."""
    size = tensor.numel() * tensor.element_size()
    whole = tensor._base is None and tensor.is_contiguous() and tensor.untyped_storage().nbytes() == size
    if not whole or size == 0 or tensor.device.type != "cpu" or offset % tensor.element_size():
        return
    wide = torch.empty(size + offset, dtype=torch.uint8)
    moved = wide[offset:].view(tensor.dtype).view(tensor.shape)
    with torch.no_grad():
        moved.copy_(tensor)
        tensor.set_(moved)
