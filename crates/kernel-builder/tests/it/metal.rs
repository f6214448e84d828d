//! Metal on Linux: `plan` says everything, `build` is refused with what to do. The flags themselves are held against the
//! formats in `kernel-core/tests/plans.rs`.

use serde_json::{Value, json};

use crate::scene::{Scene, python};

const VARIANT: &str = "torch213-metal-aarch64-darwin";
const MANIFEST: &str = "[general]\nname = \"plus-one\"\nversion = 1\nedition = 5\nlicense = \"Apache-2.0\"\nbackends = [\"metal\"]\n\n\
    [torch]\nsrc = [\"binding.cpp\"]\n\n[kernel.plus]\nbackend = \"metal\"\ndepends = [\"torch\"]\nsrc = [\"plus.mm\", \"plus.metal\"]\n";

fn answer(verb: &str) -> (i32, Value) {
    let cache = format!("{}/cache", env!("CARGO_TARGET_TMPDIR"));
    let scene = Scene::new()
        .variable("KERNEL_BUILDER_CACHE_DIR", &cache)
        .variable("KERNEL_BUILDER_OFFLINE", "true")
        .file("build.toml", MANIFEST)
        .file("binding.cpp", "")
        .file("plus.mm", "")
        .file("plus.metal", "")
        .file("torch-ext/plus_one/__init__.py", "__all__ = []\n");
    let ran = scene.run(&[verb, "--json", "--python", &python(), "--variant", VARIANT]);
    (ran.status, ran.json().pop().expect("an answer"))
}

#[test]
fn metal_is_planned_anywhere_and_built_on_no_other_system() {
    let (status, report) = answer("plan");
    assert_eq!(status, 0, "{report}");
    let plan = &report["plans"][0];
    assert_eq!(plan["library"]["metal"]["output"], "metal/library.metallib", "{plan}");
    assert!(plan["findings"].to_string().contains("cross compiler for aarch64-darwin"), "{plan}");
    let (status, error) = answer("build");
    assert_eq!((status, &error["code"]), (4, &json!("environment/backend-toolchain")), "{error}");
    assert!(error["help"].as_str().is_some_and(|help| help.contains("machine")), "{error}");
}
