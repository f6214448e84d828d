//! Right kernels of many kinds: none of their gates fails, at the highest level that a test has time for.

use super::scene::{built, ended, test};

const PACKAGE: &str = r"import torch


def relu(x):
    return torch.relu(x)


def silu_and_mul(out, x):
    half = x.shape[-1] // 2
    torch.mul(torch.nn.functional.silu(x[..., :half].float()), x[..., half:].float()).to(x.dtype)
    out.copy_((torch.nn.functional.silu(x[..., :half].float()) * x[..., half:].float()).to(x.dtype))


def rms_norm(x, weight, eps=1e-6):
    wide = x.float()
    return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps) * weight.float()).to(x.dtype)


def matmul(a, b):
    return a @ b


def add_(x, y):
    if not x.is_contiguous():
        raise RuntimeError('x must be contiguous')
    x += y


def pack(codes):
    return codes[..., ::2] | (codes[..., 1::2] << 4)


def quantize(x):
    scale = x.abs().amax(-1, keepdim=True).clamp(min=1e-10) / 127
    return torch.round(x / scale).to(torch.int8), scale


def gather(table, cache):
    return cache[table]


def append(cache, row, at):
    cache[at] = row
";

const REFERENCE: &str = r"import torch


def relu(x):
    return torch.relu(x)


def silu_and_mul(x):
    half = x.shape[-1] // 2
    return torch.nn.functional.silu(x[..., :half]) * x[..., half:]


def rms_norm(x, weight, eps):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight


def matmul(a, b):
    return a @ b


def add_(x, y):
    return x + y


def pack(codes):
    return codes[..., ::2] + 16 * codes[..., 1::2]


def quantize(x):
    scale = x.abs().amax(-1, keepdim=True).clamp(min=1e-10) / 127
    return torch.round(x / scale).to(torch.int8), scale


def pages(rng, dims, dtype, device):
    cache = torch.randn(dims['P'], dims['D'], generator=rng).to(dtype)
    return {'cache': cache, 'table': torch.randperm(dims['P'], generator=rng)[: dims['T']]}


def gather(table, cache):
    return cache[table]


def append(cache, row, at):
    cache[at] = row
    return cache
";

const WORKLOADS: &str = r#"schema = 1

[operation.relu]
reference = "reference.py:relu"
dtypes = ["float32", "float16", "bfloat16"]
dims = { N = { min = 0 } }
deterministic = true
grad = ["x"]
[operation.relu.tensors]
x = { shape = ["N"] }
out = { shape = ["N"], role = "output" }
[[operation.relu.workload]]
name = "small"
sizes = { N = 1000 }

[operation.silu_and_mul]
call = "silu_and_mul(out, x)"
reference = "reference.py:silu_and_mul"
dtypes = ["float32", "bfloat16"]
dims = { T = {}, D = {} }
[operation.silu_and_mul.tensors]
x = { shape = ["T", "2*D"] }
out = { shape = ["T", "D"], role = "output" }
[[operation.silu_and_mul.workload]]
name = "decode"
sizes = { T = 1, D = 1024 }

[operation.rms_norm]
call = "rms_norm(x, weight, eps=eps)"
reference = "reference.py:rms_norm"
dtypes = ["float32", "float16", "bfloat16"]
dims = { T = {}, D = {} }
terms = "D"
grad = ["x", "weight"]
[operation.rms_norm.tensors]
x = { shape = ["T", "D"] }
weight = { shape = ["D"], role = "constant" }
out = { shape = ["T", "D"], role = "output" }
[operation.rms_norm.arguments]
eps = 1e-6
[[operation.rms_norm.workload]]
name = "prefill"
sizes = { T = 64, D = 512 }

[operation.matmul]
reference = "reference.py:matmul"
dtypes = ["float32", "float64"]
dims = { M = {}, N = {}, K = {} }
terms = "K"
grad = ["a", "b"]
[operation.matmul.tensors]
a = { shape = ["M", "K"] }
b = { shape = ["K", "N"] }
out = { shape = ["M", "N"], role = "output" }
[[operation.matmul.workload]]
name = "square"
sizes = { M = 64, N = 64, K = 64 }

[operation.add_]
call = "add_(x, y)"
reference = "reference.py:add_"
dtypes = ["float32"]
dims = { N = {} }
[operation.add_.tensors]
x = { shape = ["N"], role = "inout" }
y = { shape = ["N"] }
[[operation.add_.workload]]
name = "small"
sizes = { N = 100 }

[operation.pack]
reference = "reference.py:pack"
dtypes = ["float32"]
dims = { K = { multiple-of = 2, min = 2 } }
[operation.pack.tensors]
codes = { shape = [3, "K"], dtype = "uint8", low = 0, high = 16 }
packed = { shape = [3, "K/2"], dtype = "uint8", role = "output" }
[[operation.pack.workload]]
name = "small"
sizes = { K = 64 }

[operation.quantize]
reference = "reference.py:quantize"
dtypes = ["float32"]
special-values = "finite-only"
dims = { T = {}, D = {} }
[operation.quantize.tensors]
x = { shape = ["T", "D"] }
codes = { shape = ["T", "D"], dtype = "int8", role = "output", compare = "codes" }
scale = { shape = ["T", 1], role = "output" }
[[operation.quantize.workload]]
name = "small"
sizes = { T = 4, D = 128 }

[operation.gather]
reference = "reference.py:gather"
inputs = "reference.py:pages"
dtypes = ["float32", "float16"]
dims = { P = { in = [64, 2048] }, T = { max = 64 }, D = {} }
[operation.gather.tensors]
table = { dtype = "int64" }
cache = {}
out = { shape = ["T", "D"], role = "output", compare = "exact" }
[[operation.gather.workload]]
name = "small"
sizes = { P = 64, T = 8, D = 16 }

[operation.append]
call = "append(cache, row, at=at)"
reference = "reference.py:append"
dtypes = ["float32"]
dims = { P = { min = 4 }, D = {} }
[operation.append.tensors]
cache = { shape = ["P", "D"], role = "inout", compare = "exact" }
row = { shape = ["D"] }
[operation.append.arguments]
at = 2
[[operation.append.workload]]
name = "small"
sizes = { P = 8, D = 16 }
"#;

#[test]
fn no_right_kernel_of_any_kind_fails_a_gate() {
    let scene = built(PACKAGE, WORKLOADS, REFERENCE);
    let ran = test(&scene, &["--level", "full"]);
    assert_eq!(ran.status, 0, "{ran}");
    let passed = |operation: &str| ended(&ran, operation, "passed");
    let all_but = |without: &[&str]| -> Vec<String> {
        (1..=14).map(|number| format!("C{number}")).filter(|name| !without.contains(&name.as_str())).collect()
    };
    assert_eq!(passed("relu"), all_but(&["C6", "C12"]), "{ran}");
    assert_eq!(passed("silu_and_mul"), all_but(&["C11", "C12"]), "{ran}");
    assert_eq!(passed("rms_norm"), all_but(&["C6", "C12"]), "{ran}");
    assert_eq!(passed("add_"), all_but(&["C11", "C12"]), "{ran}");
    assert_eq!(passed("gather"), all_but(&["C3", "C4", "C6", "C11", "C12"]), "{ran}");
    assert_eq!(passed("pack"), all_but(&["C4", "C6", "C11", "C12"]), "{ran}");
    let told = scene.run(&["test", "plain", "--python", &crate::scene::python()]);
    assert!(told.stdout.contains("relu: 12 gates passed, 0 failed, 2 not executed"), "{told}");
    assert!(told.stdout.contains("not executed"), "{told}");
}
