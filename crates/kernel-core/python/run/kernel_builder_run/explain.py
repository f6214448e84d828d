"""Which implementation ran, for which kind of call: one JSON line on standard error for the first of each kind.

Kinds and never values: the class of size, the type, the layout, and whether the last `bench` of the variant judged and passed such a
call. Sizes are classed like those of `bench`.
"""

import json
import os
import sys

from . import CONFIGURATION, emit

_told = set()
_tested = {}


def tell(operation, arguments, named, result):
    """Tells of a call, unless one of its kind was told of."""
    torch = sys.modules.get("torch")
    if torch is None:
        return
    inputs, outputs = list(_tensors(torch, (arguments, named))), list(_tensors(torch, result))
    tensors = inputs + outputs
    dtype = str((outputs or inputs)[0].dtype).removeprefix("torch.") if tensors else None
    shape, layout = _size(tensors), _layout(torch, tensors)
    kind = (operation.name, operation.implementation, shape, dtype, layout)
    if kind in _told:
        return
    _told.add(kind)
    fields = {
        "operation": operation.name,
        "implementation": operation.implementation,
        "variant": os.path.basename(operation.directory) if operation.directory else None,
        "shape": shape,
        "dtype": dtype,
        "layout": layout,
        "tested": _is_tested(operation.directory, dtype, shape, layout),
    }
    emit("explain", **fields)
    print(json.dumps({"event": "explain", **fields}), file=sys.stderr, flush=True)


def _tensors(torch, value, depth=3):
    if isinstance(value, torch.Tensor):
        yield value
    elif depth and isinstance(value, (list, tuple)):
        for one in value:
            yield from _tensors(torch, one, depth - 1)
    elif depth and isinstance(value, dict):
        yield from _tensors(torch, list(value.values()), depth - 1)


def _size(tensors):
    """The class of size, by the same rule as `bench` has."""
    shaped = [tensor for tensor in tensors if tensor.dim()]
    if not shaped:
        return None
    largest = max(tensor.numel() for tensor in shaped)
    ends = [tensor.shape[-1] for tensor in shaped if tensor.numel() * 4 >= largest]
    if any(end % CONFIGURATION["vector"] for end in ends):
        return "awkward"
    size = sum(tensor.numel() * tensor.element_size() for tensor in shaped)
    return "large" if size >= CONFIGURATION["large"] else "small"


def _layout(torch, tensors):
    if not tensors:
        return None
    if any(tensor.layout is not torch.strided for tensor in tensors):
        return "sparse"
    if all(tensor.is_contiguous() for tensor in tensors):
        return "contiguous"
    last = torch.channels_last
    if all(tensor.dim() == 4 and tensor.is_contiguous(memory_format=last) for tensor in tensors):
        return "channels-last"
    return "strided"


def _is_tested(directory, dtype, shape, layout):
    """`inside` what `bench` judged and passed, `outside` of it, or `unknown` where it left no result beside the variant."""
    if directory not in _tested:
        _tested[directory] = _passed(directory)
    passed = _tested[directory]
    if passed is None:
        return "unknown"
    return "inside" if (dtype, shape) in passed and layout == "contiguous" else "outside"


def _passed(directory):
    if directory is None:
        return None
    project = os.path.dirname(os.path.dirname(directory))
    path = os.path.join(project, CONFIGURATION["documents"], os.path.basename(directory) + ".json")
    try:
        with open(path, encoding="utf-8") as file:
            workloads = json.load(file)["workloads"]
        return {
            (workload["dtype"], workload["measurement"]["size"])
            for workload in workloads
            if not workload["verdict"].get("fault")
            and workload["correctness"]["gates"]
            and all(gate["outcome"] == "passed" for gate in workload["correctness"]["gates"])
        }
    except (OSError, ValueError, KeyError, TypeError):
        return None
