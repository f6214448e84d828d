"""Lets the real loader decide: reads machines and variant names as JSON, fakes the machine around
`kernels.variants.resolve_variants`, and writes what it decided, in its order.
"""

import json
import logging
import sys
from types import ModuleType, SimpleNamespace

import kernels.backends as backends
import kernels.variants as variants

logging.disable(logging.CRITICAL)


def parse(name):
    try:
        return variants.parse_variant(name)
    except ValueError:
        return None


def fake_torch(facts):
    torch = ModuleType("torch")
    torch.__version__ = facts["version"]
    torch.compiled_with_cxx11_abi = lambda: facts["cxx11-abi"]
    torch.backends = SimpleNamespace(mps=SimpleNamespace(is_available=lambda: facts["metal"]))
    if facts["tpu"]:
        torch.backends.tpu = object()
    if facts["neuron"]:
        torch.neuron = object()
    torch.version = SimpleNamespace(cuda=facts.get("cuda"), hip=facts.get("rocm"), xpu=None)
    if "xpu" in facts:
        major, minor = facts["xpu"].split(".")
        torch.version.xpu = f"{major}0{minor}02"
    cann = facts.get("cann")
    torch._C = SimpleNamespace(_get_privateuse1_backend_name=lambda: "npu" if cann else None)
    npu = ModuleType("torch_npu.utils.collect_env")
    npu.get_cann_version = lambda: cann
    sys.modules["torch_npu.utils.collect_env"] = npu
    return torch


def decide(case):
    machine = case["machine"]
    variants.platform = SimpleNamespace(
        machine=lambda: machine["cpu"],
        system=lambda: machine["os"].capitalize(),
        mac_ver=lambda: (machine.get("macos", ""), None, None),
    )
    python = tuple(int(part) for part in machine["python"].split("."))
    variants.sys = SimpleNamespace(version_info=python)
    variants.sysconfig = SimpleNamespace(get_config_var=lambda name: int(machine["free-threaded"]))
    variants.has_torch = backends.has_torch = "torch" in machine
    sys.modules["torch"] = fake_torch(machine["torch"]) if "torch" in machine else None
    variants.has_tvm_ffi = "tvm-ffi" in machine
    sys.modules["tvm_ffi"] = SimpleNamespace(__version__=machine.get("tvm-ffi"))
    runtime = machine.get("cuda-runtime")
    cuda = backends.CUDA(version=backends.Version(runtime)) if runtime else None
    backends._get_cuda = lambda: cuda

    parsed = [variant for variant in map(parse, case["names"]) if variant is not None]
    try:
        _, trace = variants.resolve_variants(parsed, case.get("backend"))
    except ValueError:
        return {"refused": True, "trace": []}
    return {
        "refused": False,
        "trace": [[decision.variant.variant_str, getattr(decision, "reason", None)] for decision in trace],
    }


request = json.load(sys.stdin)
readings = [parse(name) for name in request["names"]]
print(
    json.dumps(
        {
            "readings": [reading and reading.variant_str for reading in readings],
            "decisions": [decide(case) for case in request["cases"]],
        }
    )
)
