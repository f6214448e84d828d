"""Notes what the measurement and the references rest on, so that a change of it is seen: functions that a kernel could replace
to look fast, and switches of the process that would slow down what it is compared with.
"""

import builtins
import gc
import hashlib
import random
import signal
import sys
import threading
import time

_FUNCTIONS = {
    "time": ("perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "process_time", "time", "time_ns", "sleep"),
    "builtins": ("len", "range", "min", "max", "sum", "sorted", "open", "id", "type", "isinstance", "getattr", "__import__"),
    "torch": (
        "allclose isclose equal testing randn rand randint randperm empty zeros ones tensor matmul mm bmm "
        "addmm einsum exp log tanh sigmoid softmax relu sqrt rsqrt mean sum var std topk argmax sort cat chunk split where clamp "
        "abs maximum minimum cumsum compile no_grad inference_mode set_num_threads"
    ).split(),
    "torch.nn.functional": (
        "silu gelu relu leaky_relu sigmoid tanh softmax log_softmax layer_norm rms_norm group_norm linear embedding dropout glu mish "
        "softplus elu hardswish cross_entropy scaled_dot_product_attention conv1d conv2d conv3d pad interpolate normalize one_hot"
    ).split(),
    "torch.Tensor": (
        "copy_ clone contiguous chunk float double half to view reshape matmul mul add sub div sum mean exp sigmoid tanh softmax "
        "masked_fill transpose permute numpy item data_ptr detach cpu __add__ __mul__ __matmul__ __sub__ __truediv__ pow sqrt rsqrt"
    ).split(),
    "torch.cuda": ("synchronize", "Event", "current_stream", "is_available"),
    "torch.testing": ("assert_close",),
}


def note():
    """What there is now, by name."""
    noted = {f"{owner}.{name}": mark for owner, name, mark in _functions()}
    noted.update(_switches())
    return noted


def changes(before, after):
    """The names that differ, with what they were and are where that can be said shortly."""
    changed = []
    for name in sorted(set(before) | set(after)):
        if before.get(name) != after.get(name):
            was, now = before.get(name), after.get(name)
            short = all(not isinstance(value, tuple) for value in (was, now))
            changed.append(f"{name}: {was} -> {now}" if short else name)
    return changed


def _functions():
    for owner_name, names in _FUNCTIONS.items():
        owner = _resolve(owner_name)
        for name in names:
            function = getattr(owner, name, None) if owner is not None else None
            if function is not None:
                yield owner_name, name, _mark(function, owner)


def _mark(function, owner):
    if isinstance(owner, type):
        # Reading a method from a type may make a new object each time; what the type holds stays the same.
        holders = (vars(base) for base in owner.__mro__)
        function = next((held[name] for held in holders for name in (function.__name__,) if name in held), function)
    code = getattr(function, "__code__", None)
    digest = hashlib.sha256(code.co_code).hexdigest()[:16] if code is not None else ""
    return (id(function), digest)


def _resolve(name):
    if name == "builtins":
        return builtins
    if name == "time":
        return time
    owner = sys.modules.get("torch")
    for part in name.split(".")[1:]:
        owner = getattr(owner, part, None)
    return owner


def _switches():
    switches = {
        "sys.settrace": repr(sys.gettrace()),
        "sys.setprofile": repr(sys.getprofile()),
        "gc.isenabled": gc.isenabled(),
        "random.random": id(random.random),
        "threading.active_count": threading.active_count(),
    }
    for number in (signal.SIGALRM, signal.SIGUSR1, signal.SIGPROF, signal.SIGTERM):
        switches[f"signal {number.name}"] = repr(signal.getsignal(number))
    torch = sys.modules.get("torch")
    if torch is not None:
        switches.update(_torch_switches(torch))
    return switches


def _torch_switches(torch):
    return {
        "torch.get_num_threads": torch.get_num_threads(),
        "torch.get_num_interop_threads": torch.get_num_interop_threads(),
        "torch.get_default_dtype": str(torch.get_default_dtype()),
        "torch.is_grad_enabled": torch.is_grad_enabled(),
        "torch.are_deterministic_algorithms_enabled": torch.are_deterministic_algorithms_enabled(),
        "torch.get_float32_matmul_precision": torch.get_float32_matmul_precision(),
        "torch.backends.cudnn.benchmark": torch.backends.cudnn.benchmark,
        "torch.backends.mkldnn.enabled": getattr(torch.backends.mkldnn, "enabled", None),
        "torch.is_autocast_enabled": torch.is_autocast_enabled("cpu"),
        "flush denormal": torch.tensor([1e-310], dtype=torch.float64).mul(1).item() == 0.0,
    }
