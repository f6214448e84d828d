//! `run`: the user's own program in a real Python, with the real loader.

mod bad;
mod compare;
mod in_a_variant;
mod share;
mod switch;
mod verified;

use serde_json::Value;

use crate::scene::{Ran, Scene, python};

/// A kernel without compiled code: a function that another of its functions calls, and a layer.
const KERNEL: &str = r"
import time
import torch
from . import layers

def work(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass

def scale(x, by: float = 2.0):
    work(0.02)
    return x * by

@torch.no_grad()
def twice(x):
    return scale(scale(x))
";
const LAYERS: &str = r"
import time
import torch

class Norm(torch.nn.Module):
    def forward(self, x):
        time.sleep(0.02)
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
";
const METADATA: &str = r#"{"name": "demo", "id": "_demo_cpu_abcdefghijklm", "version": 1, "license": "Apache-2.0",
"python-depends": [], "backend": {"type": "cpu"}}"#;

/// A model of a few transformer layers, half of whose norms may be a kernel's, with a function of the kernel on top. It
/// measures by hand, around each call, what it spends in those.
const MODEL: &str = r#"
import json, os, sys, time
from pathlib import Path
begin = time.perf_counter()
import torch
from kernels import LocalLayerRepository, Mode, get_kernel, kernelize, use_kernel_forward_from_hub, use_kernel_mapping

kernel = get_kernel("acme/demo", version=1)

@use_kernel_forward_from_hub("Norm")
class Norm(torch.nn.Module):
    def forward(self, x):
        time.sleep(0.04)
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)

class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.attention = Norm(), torch.nn.MultiheadAttention(64, 4, batch_first=True)
        self.dense = torch.nn.Sequential(torch.nn.LayerNorm(64), torch.nn.Linear(64, 256), torch.nn.SiLU(), torch.nn.Linear(256, 64))

    def forward(self, x):
        normed = self.norm(x)
        x = x + self.attention(normed, normed, normed, need_weights=False)[0]
        return x + self.dense(x)

model = torch.nn.Sequential(*(Layer() for _ in range(3))).eval()
with use_kernel_mapping({"Norm": {"cpu": LocalLayerRepository(Path("kernel"), layer_name="Norm")}}):
    kernelize(model, mode=Mode.INFERENCE, device="cpu")

hand = {"layer Norm": [0, 0.0], "acme/demo: scale": [0, 0.0]}
def by_hand(name, function, *arguments):
    start = time.perf_counter()
    result = function(*arguments)
    hand[name][0] += 1
    hand[name][1] += time.perf_counter() - start
    return result

for layer in model:
    # Python calls `forward` through this attribute; the hand measures around whatever is there.
    layer.norm.forward = lambda x, inner=layer.norm.forward: by_hand("layer Norm", inner, x)
with torch.no_grad():
    for _ in range(5):
        by_hand("acme/demo: scale", kernel.scale, model(torch.randn(4, 32, 64)))
Path("hand.json").write_text(json.dumps({"operations": hand, "seconds": time.perf_counter() - begin}))
print("done")
"#;

/// A program with a model and the kernel that it uses.
fn scene() -> Scene {
    let scene = Scene::new()
        .variable("HF_HUB_OFFLINE", "1")
        .file("kernel/build/torch-cpu/__init__.py", KERNEL)
        .file("kernel/build/torch-cpu/layers.py", LAYERS)
        .file("kernel/build/torch-cpu/metadata.json", METADATA)
        .file("model.py", MODEL);
    let kernel = scene.path("kernel");
    scene.variable("LOCAL_KERNELS", &format!("acme/demo={}", kernel.display()))
}

/// Runs Python with these arguments under `run` with these flags.
fn run(scene: &Scene, flags: &[&str], arguments: &[&str]) -> Ran {
    let python = python();
    scene.run(&[&["run"], flags, &["--json", "--", &python], arguments].concat())
}

fn report(ran: &Ran) -> Value {
    let last = ran.json().pop().expect("a last line");
    assert_eq!(last["event"], "report", "{ran}");
    last
}

fn codes(ran: &Ran) -> Vec<String> {
    let last = ran.json().pop().expect("a last line");
    let code = |value: &Value| value["code"].as_str().expect("a code").to_owned();
    match last["event"].as_str() {
        Some("error") => vec![code(&last)],
        _ => last["findings"].as_array().into_iter().flatten().map(code).collect(),
    }
}

/// What a program got, as `name: what`.
fn implementations(report: &Value) -> Vec<String> {
    let word = |value: &Value| value.as_str().expect("a word").to_owned();
    let all = report["implementations"].as_array().into_iter().flatten();
    all.map(|one| format!("{}: {}", word(&one["name"]), word(&one["ran"]))).collect()
}
