//! Planted wrong kernels: each is an operation of one project, and each fails at the gate that is there for it.

use std::fmt::Write;

use super::scene::{built, ended, gates, test};

/// A name, the gate at which it must fail, what computes it (`x` has `rows` and `columns`, `out` is given), and what is
/// special in its declaration.
const PLANTED: &[(&str, &str, &str, &str)] = &[
    (
        "last_row_forgotten",
        "C2",
        "n = x.shape[0] if x.shape[0] % 4 == 0 else max(x.shape[0] - 1, 1)\n    out.copy_(torch.zeros_like(x))\n    \
         out[:n].copy_(torch.relu(x[:n]))",
        "",
    ),
    ("narrow", "C1", "out.copy_(torch.relu(x.half()).to(x.dtype))", ""),
    ("leaky", "C1", "out.copy_(torch.where(x > 0, x, 1e-3 * x))", ""),
    (
        "flat",
        "C3",
        "out.copy_(torch.relu(torch.as_strided(x, x.shape, (x.shape[1], 1), x.storage_offset())))",
        "",
    ),
    ("no_nan", "C4", "out.copy_(torch.nan_to_num(torch.relu(x), nan=0.0, posinf=float('inf')))", ""),
    (
        "tail_unwritten",
        "C5",
        "n = x.numel() // 8 * 8\n    \
                              out.view(-1)[:n].copy_(torch.relu(x).reshape(-1)[:n])",
        "",
    ),
    (
        "beyond_the_end",
        "C6",
        "out.copy_(torch.relu(x))\n    \
         end = out.storage_offset() + sum((n - 1) * s for n, s in zip(out.shape, out.stride())) + 1\n    \
         if out.untyped_storage().nbytes() > end * out.element_size():\n        \
         out.as_strided((1,), (1,), end).fill_(1.0)",
        "",
    ),
    ("input_overwritten", "C7", "out.copy_(torch.relu(x))\n    x.clamp_(min=0)", ""),
    ("not_in_place", "C7", "out.fill_(0)\n    out.copy_(torch.relu(x))", "aliasing = [\"out=x\"]"),
    ("counting", "C9", "_calls[0] += 1\n    out.copy_(torch.relu(x) * (1 if _calls[0] % 5 else 1.5))", ""),
    (
        "one_at_a_time",
        "C10",
        "global _shared\n    _shared = torch.relu(x)\n    time.sleep(0.002)\n    out.copy_(_shared)",
        "",
    ),
    ("leaking", "C13", "_kept.append(torch.relu(x))\n    out.copy_(torch.relu(x))", ""),
    (
        "by_address",
        "C14",
        "key = (x.data_ptr(), x.shape, x.dtype)\n    if key not in _cache:\n        _cache[key] = torch.relu(x).clone()\n    \
         out.copy_(_cache[key])",
        "",
    ),
];

fn package() -> String {
    let mut text =
        String::from("import time\nimport torch\n\n_calls, _kept, _cache, _shared = [0], [], {}, None\n");
    for (name, _, body, _) in PLANTED {
        write!(text, "\n\ndef {name}(out, x):\n    {body}\n").expect("a string");
    }
    text
}

fn workloads() -> String {
    let mut text = String::from("schema = 1\n");
    for (name, _, _, more) in PLANTED {
        write!(
            text,
            "\n[operation.{name}]\ncall = \"{name}(out, x)\"\nreference = \"reference.py:relu\"\n\
             dtypes = [\"float32\"]\ndims = {{ T = {{}}, D = {{}} }}\n{more}\n\
             [operation.{name}.tensors]\nx = {{ shape = [\"T\", \"D\"] }}\n\
             out = {{ shape = [\"T\", \"D\"], role = \"output\" }}\n\
             [[operation.{name}.workload]]\nname = \"small\"\nsizes = {{ T = 8, D = 64 }}\n"
        )
        .expect("a string");
    }
    text
}

#[test]
fn each_kind_of_wrong_kernel_fails_the_gate_that_is_there_for_it() {
    let scene = built(&package(), &workloads(), "import torch\n\ndef relu(x):\n    return torch.relu(x)\n");
    let ran = test(&scene, &["--level", "full", "--report", "junit"]);
    assert_eq!(ran.status, 7, "{ran}");
    assert!(ran.stdout.contains("\"code\":\"test/gate\""), "{ran}");
    let mut missed = String::new();
    for (name, gate, _, _) in PLANTED {
        let failed = ended(&ran, name, "failed");
        if !failed.iter().any(|failed| failed == gate) {
            writeln!(missed, "{name}: {gate} is wanted, {failed:?} failed").expect("a string");
        }
    }
    assert!(missed.is_empty(), "{missed}\n{ran}");
    let junit = fs_err::read_to_string(scene.path("plain/.kernel-builder/reports/test.xml")).expect("JUnit");
    assert!(junit.contains("classname=\"no_nan\"") && junit.contains("not executed: no gradient"), "{junit}");
    let (_, _, gate) = gates(&ran)
        .into_iter()
        .find(|(operation, gate, _)| operation == "last_row_forgotten" && gate == "C2")
        .expect("the gate");
    let first = &gate["failure"]["first"];
    let rows = first["shape"][0].as_u64().expect("rows");
    assert_eq!((first["index"][0].as_u64(), &first["got"]), (Some(rows - 1), &"0".into()), "{gate}");
}
