//! The Nix engine on several machines and with a shared cache: stores of this machine that talk to each other as machines
//! do.

use std::process::{Command, Stdio};

use crate::build::{OWN, VARIANT, build, kernel, library, steps};
use crate::nix::{place, with_nix};
use crate::scene::{Scene, is_root};

const NIX: [&str; 2] = ["--extra-experimental-features", "nix-command"];

fn scene() -> Scene {
    let scene = kernel(with_nix(crate::build::scene()), "");
    let unseen = format!("// {}\n#pragma once\n#define VALUE 5\n", scene.path("").display());
    scene.file("demo/common.h", &unseen)
}

fn text(path: &std::path::Path) -> String {
    path.to_str().expect("UTF-8").to_owned()
}

fn nix(scene: &Scene, arguments: &[&str]) {
    let ran = scene.nix("nix", "", &[&NIX[..], arguments].concat());
    assert_eq!(ran.status, 0, "{arguments:?}: {ran}");
}

/// Another store that has the compiler, and what that is made of.
fn other_store(scene: &Scene, name: &str) -> String {
    let to = text(&scene.path(name));
    let compiler = crate::nix::compiler();
    let compiler = compiler.split("/usr/").next().expect("a path in the store");
    let toolchain = fs_err::read_to_string(place().join("toolchain.nix")).expect("the toolchain");
    let files = toolchain.split('"').nth(1).expect("a path in the store");
    nix(scene, &["copy", "--no-check-sigs", "--to", &to, compiler, files]);
    to
}

#[test]
#[ignore = "long: copies a compiler of 400 MB into two more stores"]
fn machines_build_what_they_have_the_features_for() {
    let scene = scene();
    let conf = fs_err::read_to_string(place().join("conf/nix.conf")).expect("the settings");
    let here = format!("{conf}max-jobs = 0\n");
    let there = format!("{conf}extra-system-features = compiles-kernels\n");
    let daemon = format!(
        "#!/bin/sh\nNIX_CONF_DIR={} exec {} \"$@\"\n",
        text(&scene.path("there")),
        text(&place().join("bin/nix-daemon"))
    );
    let toolchain = text(&place().join("toolchain.nix"));
    let toolchain = format!("import {toolchain} // {{ features = [ \"compiles-kernels\" ]; }}\n");
    let scene = scene.file("here/nix.conf", &here).file("there/nix.conf", &there).file("daemon", &daemon);
    let scene = scene.file("toolchain.nix", &toolchain);
    scene.tool("chmod", &["+x", "daemon"]);
    let machine = |store: &str, speed: u8, features: &str| {
        let (store, program) = (text(&scene.path(store)), text(&scene.path("daemon")));
        format!(
            "ssh-ng://localhost?remote-store={store}&remote-program={program} x86_64-linux - 1 {speed} {features} -"
        )
    };
    let machines = [machine("fast", 9, "-"), machine("able", 1, "compiles-kernels")].join(" ; ");
    let conf = text(&scene.path("here"));
    let scene = scene.variable("NIX_CONF_DIR", &conf);
    let arguments = ["build", "--json", "--nix-toolchain", "toolchain.nix", "--nix-builders", &machines];
    let ran = scene.run(&arguments);
    assert_eq!(ran.status, 0, "{ran}");
    let built = |what: &str| {
        let on =
            |line: &&str| line.contains(&format!("-{what}.drv' on 'ssh-ng://")) && line.contains("building");
        let line = ran.stdout.lines().find(on).unwrap_or_else(|| panic!("{what}: {ran}"));
        ["fast", "able"].into_iter().find(|store| line.contains(&format!("/{store}'"))).expect("a machine")
    };
    assert_eq!((built("objects"), built("library")), ("able", "fast"));
    let report = ran.json().pop().expect("a report");
    assert!(steps(&report["variants"][0]).len() > OWN.len(), "the steps of other machines are told");
    scene.tool("chmod", &["-R", "u+w", "fast", "able"]);
}

#[test]
#[ignore = "long: copies a compiler of 400 MB into another store"]
fn a_signed_cache_fills_an_empty_store_and_an_unsigned_or_broken_one_does_not() {
    let scene = scene();
    build(&scene, "", &[]);
    let first = library(&scene, "");
    for name in ["trusted", "stranger"] {
        let made = scene.nix(
            "nix-store",
            "",
            &["--generate-binary-cache-key", name, name, &format!("{name}.public")],
        );
        assert_eq!(made.status, 0, "{made}");
    }
    let result = fs_err::read_link(scene.path(".kernel-builder/nix/result")).expect("a result");
    let result = place().join("store").join(result.strip_prefix("/").expect("absolute"));
    let made = text(&fs_err::read_link(result.join(VARIANT)).expect("a library"));
    let cache = scene.path("cache-of-all");
    let to = format!("file://{}?compression=none&secret-key={}", text(&cache), text(&scene.path("trusted")));
    nix(&scene, &["copy", "--to", &to, &made]);

    let store = other_store(&scene, "empty");
    let settings = |key: &str| {
        let key = fs_err::read_to_string(scene.path(&format!("{key}.public"))).expect("a key");
        format!("substituters = file://{}\ntrusted-public-keys = {key}\n", text(&cache))
    };
    let (trusting, wary) = (settings("trusted"), settings("stranger"));
    let again = |scene: Scene, settings: &str| -> (Scene, crate::scene::Ran) {
        let _ = fs_err::remove_dir_all(scene.path("build"));
        let scene = scene.variable("NIX_CONFIG", settings);
        let ran = scene.run(&["build", "--json", "--nix-store", &store]);
        (scene, ran)
    };
    let program = text(&place().join("bin/nix"));
    let forget = |scene: &Scene| {
        let link = scene.path(".kernel-builder/nix/result");
        let result = text(&fs_err::read_link(&link).expect("a result"));
        let arguments = ["store", "delete", "--ignore-liveness", "--store", &store, &result, &made];
        scene.tool(&program, &[&NIX[..], &arguments].concat());
        fs_err::remove_file(link).expect("removed");
    };
    let steps_of =
        |ran: &crate::scene::Ran| ran.json().pop().expect("a report")["variants"][0]["steps"].clone();

    let (scene, ran) = again(scene, &trusting);
    assert_eq!((ran.status, steps_of(&ran)), (0, serde_json::json!([])), "{ran}");
    assert!(library(&scene, "") == first);
    forget(&scene);
    // A signature of somebody else is none, so Nix builds by itself.
    let (scene, ran) = again(scene, &wary);
    assert_eq!(ran.status, 0, "{ran}");
    assert!(!steps_of(&ran).as_array().expect("steps").is_empty(), "{ran}");
    forget(&scene);
    // A file that is not what was signed is refused.
    let archives = fs_err::read_dir(cache.join("nar")).expect("archives");
    for archive in archives {
        let archive = archive.expect("an entry").path();
        let mut bytes = fs_err::read(&archive).expect("bytes");
        let at = bytes.len() / 2;
        bytes[at] ^= 1;
        fs_err::write(&archive, bytes).expect("written");
    }
    let (scene, ran) = again(scene, &trusting);
    assert_ne!(ran.status, 0, "{ran}");
    assert!(ran.stdout.contains("hash mismatch"), "{ran}");
    assert!(!scene.path("build").join(VARIANT).exists());
    scene.tool("chmod", &["-R", "u+w", "empty"]);
}

#[test]
#[ignore = "long: copies a compiler of 400 MB into another store"]
#[expect(clippy::disallowed_methods, reason = "the tests start a daemon as an administrator does")]
fn a_user_without_rights_builds_through_a_daemon_and_is_told_where_none_is() {
    if !is_root() {
        println!("skipped: only root can start a daemon for another user");
        return;
    }
    let scene = kernel(with_nix(Scene::new()), "");
    // The tests' own Python may lie where only root can read.
    scene.tool("/usr/bin/python3", &["-m", "venv", "--without-pip", "env"]);
    let folder =
        fs_err::read_dir(scene.path("env/lib")).expect("lib").next().expect("a folder").expect("an entry");
    let package = format!("env/lib/{}/site-packages/tvm_ffi", folder.file_name().to_str().expect("UTF-8"));
    let scene = scene
        .file(&format!("{package}/__init__.py"), "")
        .file(&format!("{package}/_version.py"), "__version__ = '0.1.15'\n")
        .file(&format!("{package}/include/stand_in.h"), "");
    let store = other_store(&scene, "store");
    let socket = text(&scene.path("socket"));
    let mut daemon = Command::new(place().join("bin/nix-daemon"))
        .args(["--store", &format!("local?root={store}")])
        .env("NIX_DAEMON_SOCKET_PATH", &socket)
        .env("NIX_CONF_DIR", place().join("conf"))
        .stderr(Stdio::null())
        .spawn()
        .expect("a daemon");
    while !scene.path("socket").exists() {
        assert!(daemon.try_wait().expect("its state").is_none(), "the daemon ended");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let root = scene.path("..").canonicalize().expect("the scene");
    for folder in ["env", "demo", "a", "b", "tvm-ffi-ext", "../home", "nix-cache"] {
        let _ = fs_err::create_dir_all(scene.path(folder));
        scene.tool("chown", &["-R", "65534:65534", folder]);
    }
    scene.tool("chmod", &["755", root.to_str().expect("UTF-8")]);
    scene.tool("chown", &["65534:65534", "."]);
    let owned = ["65534:65534", "build.toml", "binding.cpp", "README.md"];
    scene.tool("chown", &owned);
    let environment = text(&scene.path("env"));
    let scene = scene
        .variable("VIRTUAL_ENV", &environment)
        .variable("KERNEL_BUILDER_NIX_STORE", &format!("unix://{socket}?root={store}"));
    let built = scene.run_as_nobody(&["build", "--json"]);
    daemon.kill().expect("it is ended");
    daemon.wait().expect("it ends");
    assert_eq!(built.status, 0, "{built}");
    let text = fs_err::read(scene.path(&format!("build/{VARIANT}/metadata.json"))).expect("metadata");
    let metadata: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
    assert_eq!(metadata["x-kernel-builder"]["sandbox"], "nix");

    fs_err::write(scene.path("demo/common.h"), "#pragma once\n#define VALUE 6\n").expect("written");
    let without = scene.run_as_nobody(&["build", "--json"]);
    assert_eq!(without.status, 4, "{without}");
    let error = without.json().pop().expect("an answer");
    assert_eq!(error["code"], "nix/daemon", "{without}");
    scene.tool("chmod", &["-R", "u+w", "store"]);
}
