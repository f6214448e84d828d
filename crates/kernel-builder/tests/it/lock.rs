//! `toolchain lock` and what builds do with it: the real binary, compiler and uv, with an index on this machine.

use serde_json::{Value, json};

use crate::build::{VARIANT, project};
use crate::scene::{Ran, Scene, python};
use crate::toolchain::{Index, PADDING, TORCH, sha256, torch};

const WHEEL: &str = "apache_tvm_ffi-0.1.15-py3-none-any.whl";
const LOCK: &str = "kernel-builder.lock";

fn tvm_ffi(header: &str) -> Value {
    json!({WHEEL: {"files": {
        "tvm_ffi/include/stand_in.h": header, "tvm_ffi/_version.py": "__version__ = '0.1.15'\n",
    }}})
}

/// A scene with a network and a cache of its own.
fn online(scene: Scene, index: &Index, cache: &str) -> Scene {
    let cache = scene.path(cache).to_str().expect("UTF-8").to_owned();
    scene
        .variable("KERNEL_BUILDER_OFFLINE", "false")
        .variable("KERNEL_BUILDER_CACHE_DIR", &cache)
        .variable("UV_DEFAULT_INDEX", &index.address)
        .variable("UV_NO_CACHE", "1")
}

/// A project whose environment has uv, and the index it is locked from.
pub(crate) fn locked() -> (Scene, Index) {
    let scene = project();
    let uv = std::path::Path::new(&python()).with_file_name("uv");
    fs_err::os::unix::fs::symlink(uv, scene.path("env/bin/uv")).expect("a link");
    let index = Index::serve(&scene, "index", &tvm_ffi("// 1\n"), true);
    let scene = online(scene, &index, "cache");
    let ran = scene.run(&["toolchain", "lock", "--json"]);
    assert_eq!(ran.status, 0, "{ran}");
    assert_eq!(last(&ran)["lock"]["changed"], true, "{ran}");
    (scene, index)
}

fn last(ran: &Ran) -> Value {
    ran.json().pop().expect("an answer")
}

fn text(scene: &Scene) -> String {
    fs_err::read_to_string(scene.path(LOCK)).expect("a lock")
}

fn build(scene: &Scene, more: &[&str]) -> Ran {
    scene.run(&[&["build", "--json"], more].concat())
}

/// Codes of all but notes.
fn codes(ran: &Ran) -> Vec<String> {
    let findings = last(ran)["findings"].as_array().cloned().unwrap_or_else(|| panic!("{ran}"));
    findings
        .iter()
        .filter(|finding| finding["severity"] != "note")
        .map(|finding| finding["code"].as_str().expect("a code").to_owned())
        .collect()
}

/// What the built variant says of its toolchain.
fn recorded(scene: &Scene) -> Value {
    let path = scene.path(&format!("build/{VARIANT}/metadata.json"));
    let metadata: Value = serde_json::from_slice(&fs_err::read(path).expect("metadata")).expect("JSON");
    metadata["x-kernel-builder"].clone()
}

#[test]
fn a_lock_names_every_part_and_the_compiler_and_is_what_builds_go_by() {
    let (scene, index) = locked();
    let written = text(&scene);
    let lock: toml::Table = written.parse().expect("TOML");
    let system = &lock["system"]["x86_64-linux"];
    let part = &system["part"][0];
    let wheel = fs_err::read(scene.path("index").join(WHEEL)).expect("a wheel");
    assert_eq!(part["file"][0]["sha256"].as_str(), Some(sha256(&wheel).as_str()));
    assert_eq!(part["file"][0]["file"].as_str(), Some(WHEEL));
    for name in ["cc1plus", "as", "ld", "crti.o", "libgcc.a", "libstdc++.a", "c++ headers", "driver"] {
        let digest =
            system["compiler"]["parts"][name].as_str().unwrap_or_else(|| panic!("{name}: {written}"));
        assert_eq!(digest.len(), 64, "{name}");
    }
    let again = scene.run(&["toolchain", "lock", "--json"]);
    assert_eq!((&last(&again)["lock"]["changed"], text(&scene)), (&json!(false), written.clone()));

    // The environment's own TVM-FFI is another one, and is not used.
    let ran = build(&scene, &["--locked"]);
    assert_eq!((ran.status, codes(&ran)), (0, vec![]), "{ran}");
    let with_lock = recorded(&scene);
    assert_eq!(with_lock["toolchain"]["lock"], sha256(written.as_bytes()).as_str());
    assert_eq!(with_lock["rebuildable"], false, "the host's compiler cannot be fetched");
    let stamp = scene.path(&format!(".kernel-builder/{VARIANT}/toolchain.stamp"));
    let stamp = fs_err::read_to_string(stamp).expect("a stamp");
    assert!(stamp.contains(part["tree"].as_str().expect("a tree")), "{stamp}");
    assert_eq!(last(&build(&scene, &["--locked"]))["variants"][0]["work"], "up-to-date");
    let twice = build(&scene, &["--check-reproducible", "--locked"]);
    assert_eq!((twice.status, codes(&twice)), (0, vec![]), "{twice}");

    let host = build(&scene, &["--toolchain", "host"]);
    assert_eq!((host.status, codes(&host)), (0, vec![]), "{host}");
    assert_eq!(recorded(&scene)["toolchain"]["lock"], Value::Null);

    // Another machine with nothing but the lock gets the same content.
    let scene = online(scene, &index, "another cache");
    let ran = build(&scene, &["--locked"]);
    assert_eq!(ran.status, 0, "{ran}");
    assert_eq!(recorded(&scene)["toolchain"], with_lock["toolchain"]);
}

#[test]
fn what_is_not_as_locked_is_named() {
    let (scene, _index) = locked();
    let written = text(&scene);
    let digest = written.lines().find_map(|line| line.strip_prefix("cc1plus = ")).expect("cc1plus");
    let scene = scene.file(LOCK, &written.replace(digest, &format!("\"{}\"", "0".repeat(64))));
    let refused = build(&scene, &["--locked"]);
    assert_eq!((refused.status, &last(&refused)["code"]), (4, &json!("toolchain/unlocked")), "{refused}");
    assert!(refused.stdout.contains("the compiler's `cc1plus` is"), "{refused}");
    assert!(refused.stdout.contains("kernel-builder toolchain lock"), "{refused}");
    assert!(!scene.path("build").exists());
    let told = build(&scene, &[]);
    assert_eq!((told.status, codes(&told)), (0, vec!["toolchain/unlocked".to_owned()]), "{told}");
    assert_eq!(recorded(&scene)["toolchain"]["lock"], Value::Null);

    let scene =
        scene.file(LOCK, &written.replace("[[system.x86_64-linux.part]]", "[[system.riscv64-linux.part]]"));
    let refused = build(&scene, &["--locked"]);
    assert_eq!(last(&refused)["code"], "toolchain/lock", "a system without a compiler: {refused}");
    let scene = scene.file(LOCK, &written[..written.find("[[system").expect("a part")]);
    let refused = build(&scene, &["--locked"]);
    assert!(refused.stdout.contains("`tvm-ffi-0.1` is not in the lock"), "{refused}");
    let scene = scene.file(LOCK, "version = 1\n");
    let refused = build(&scene, &["--locked"]);
    assert!(refused.stdout.contains("the lock says nothing of x86_64-linux"), "{refused}");
}

/// An index that serves something else under a locked name is refused, and nothing of it is kept.
#[test]
fn a_wheel_that_changed_is_refused() {
    let (scene, _index) = locked();
    let other = Index::serve(&scene, "other", &tvm_ffi("// 2\n"), true);
    let scene = online(scene, &other, "empty cache");
    let ran = build(&scene, &[]);
    assert_eq!((ran.status, &last(&ran)["code"]), (4, &json!("toolchain/unlocked")), "{ran}");
    assert!(ran.stdout.contains("the index lists `apache_tvm_ffi"), "{ran}");
    assert_eq!(last(&scene.run(&["toolchain", "list", "--json"]))["parts"], json!([]));
}

#[test]
fn a_part_that_somebody_edited_is_noticed_before_a_release_is_compiled() {
    let (scene, _index) = locked();
    let listed = last(&scene.run(&["toolchain", "list", "--json"]));
    let directory = listed["parts"][0]["directory"].as_str().expect("a directory").to_owned();
    let header =
        std::path::Path::new(&directory.replace("[SCENE]", scene.path("..").to_str().expect("UTF-8")))
            .join("tvm_ffi/include/stand_in.h");
    let mut writable = fs_err::metadata(&header).expect("a header").permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut writable, 0o644);
    fs_err::set_permissions(&header, writable).expect("writable");
    fs_err::write(&header, "// 3\n").expect("written");
    let ran = build(&scene, &["--locked"]);
    assert_eq!((ran.status, &last(&ran)["code"]), (4, &json!("toolchain/changed")), "{ran}");
    assert!(!scene.path("build").exists());
}

#[test]
fn a_lock_that_is_none_is_refused() {
    let (scene, _index) = locked();
    let written = text(&scene);
    let scene = scene.file(LOCK, &written);
    fs_err::remove_file(scene.path(LOCK)).expect("removed");
    let ran = build(&scene, &["--locked"]);
    assert_eq!((ran.status, &last(&ran)["code"]), (3, &json!("toolchain/no-lock")), "{ran}");
    let tree = written.lines().find_map(|line| line.strip_prefix("tree = ")).expect("a tree").to_owned();
    for (from, to) in [
        ("version = 1\n", "<<<<<<< ours\nversion = 1\n"),
        ("version = 1\n", "version = 2\n"),
        ("version = 1\n", "version = 1\nmore = 1\n"),
        ("\"0.1.15\"", "\"0.1.15\\n-r /etc/passwd\""),
        ("\"0.1.15\"", "\"0 @ file:///tmp/x.whl\""),
        ("name = \"apache-tvm-ffi\"", "name = \"other\""),
        ("name = \"tvm-ffi\"", "name = \"../tvm-ffi\""),
        (tree.as_str(), "\"../../../../../../etc\""),
        (WHEEL, "../../x.whl"),
    ] {
        assert!(written.contains(from), "{from}: {written}");
        let scene =
            Scene::new().file("build.toml", &fs_err::read_to_string(scene.path("build.toml")).expect("read"));
        let environment = scene.environment("env");
        let package = format!("env/lib/{environment}/site-packages/tvm_ffi");
        let root = scene.path("env").to_str().expect("UTF-8").to_owned();
        let scene = scene
            .file(&format!("{package}/__init__.py"), "")
            .file(&format!("{package}/_version.py"), "__version__ = '0.1.15'\n")
            .variable("VIRTUAL_ENV", &root)
            .file(LOCK, &written.replacen(from, to, 1));
        let ran = build(&scene, &[]);
        assert_eq!((ran.status, &last(&ran)["code"]), (3, &json!("toolchain/lock")), "{to}: {ran}");
    }
    let noarch = "[general]\nname = \"demo-op\"\nversion = 1\nedition = 5\nlicense = \"Apache-2.0\"\n\
                  backends = [\"cpu\"]\n\n[torch-noarch]\n";
    let scene = scene.file("build.toml", noarch);
    let ran = scene.run(&["toolchain", "lock", "--json", "--variant", "torch-cpu"]);
    assert_eq!((ran.status, &last(&ran)["code"]), (3, &json!("toolchain/nothing-to-lock")), "{ran}");
}

/// A wheel of which only parts were read is not locked before the whole was held against its hash, unless that is allowed.
#[test]
fn the_whole_of_a_large_wheel_is_seen_before_it_is_locked() {
    let manifest = "[general]\nname = \"demo-op\"\nversion = 1\nedition = 5\nlicense = \"Apache-2.0\"\nbackends = [\"cpu\"]\n\n\
                    [torch]\nsrc = [\"binding.cpp\"]\n\n[kernel.p]\nbackend = \"cpu\"\ndepends = []\nsrc = [\"p.cpp\"]\n";
    let lock = |more: &[&str]| {
        let scene = Scene::new().file("build.toml", manifest).file("binding.cpp", "").file("p.cpp", "");
        let index = Index::serve(&scene, "index", &torch(None), true);
        let scene = online(scene, &index, "cache");
        let python = python();
        let variant = concat!("torch213-cxx11-cpu-", "x86_64-linux");
        let arguments = ["toolchain", "lock", "--json", "--python", &python, "--variant", variant];
        let ran = scene.run(&[&arguments, more].concat());
        assert_eq!(ran.status, 0, "{ran}");
        let lock: toml::Table = text(&scene).parse().expect("TOML");
        let part = lock["system"]["x86_64-linux"]["part"][0].clone();
        assert!(lock["system"]["x86_64-linux"]["python"]["version"].is_str());
        (last(&ran)["lock"]["trusted"].clone(), part, index.sent(TORCH))
    };
    let (trusted, part, sent) = lock(&[]);
    assert!(sent >= PADDING && trusted == json!([]), "{sent} bytes were sent, {trusted}");
    assert_eq!(part.get("trusted-ranges"), None);
    let (trusted, of_parts, sent) = lock(&["--trust-ranges"]);
    assert!(sent < PADDING / 4 && trusted == json!(["torch-2.13"]), "{sent} bytes were sent, {trusted}");
    assert_eq!(of_parts["trusted-ranges"].as_bool(), Some(true));
    assert_eq!(part["tree"], of_parts["tree"]);
}
