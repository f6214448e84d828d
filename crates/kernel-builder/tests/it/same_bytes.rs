//! Place, user, date, sandbox and git history do not change what is built, with debug information too.

use std::collections::BTreeMap;

use crate::build::{MANIFEST, VARIANT, build, kernel, library, scene};
use crate::provenance::same_but_stamped;
use crate::scene::Scene;

fn debug() -> String {
    MANIFEST.replace("\"-DW=one\"", "\"-DW=one\", \"-g\"")
}

fn place(scene: Scene, folder: &str) -> Scene {
    kernel(scene, folder).file(&format!("{folder}build.toml"), &debug())
}

/// Every file of the variant but the metadata, which name engine and sandbox; libraries without the stamped commit.
fn artifact(scene: &Scene, folder: &str) -> BTreeMap<String, Vec<u8>> {
    let directory = scene.path(&format!("{folder}build/{VARIANT}"));
    let entries = fs_err::read_dir(directory).expect("a variant").map(|entry| entry.expect("an entry"));
    let files = entries.map(|entry| {
        (entry.file_name().into_string().expect("UTF-8"), fs_err::read(entry.path()).expect("a file"))
    });
    let files = files.filter(|(name, _)| name != "metadata.json");
    let stamped = |name: &str| std::path::Path::new(name).extension().is_some_and(|end| end == "so");
    files
        .map(|(name, bytes)| if stamped(&name) { (name, same_but_stamped(bytes)) } else { (name, bytes) })
        .collect()
}

#[test]
fn place_sandbox_and_time_do_not_change_the_bytes() {
    let one = place(scene(), "");
    let other = place(scene(), "with space/deeper/");
    let other = other.variable("SOURCE_DATE_EPOCH", "1").variable("LC_ALL", "C").variable("USER", "other");
    let first = build(&one, "", &["--sandbox", "require", "--check-reproducible"]);
    let second = build(&other, "with space/deeper", &["--sandbox", "off"]);
    assert_eq!((&first["sandbox"], &second["sandbox"]), (&"bubblewrap".into(), &"off".into()));
    assert_eq!(first["id"], second["id"]);
    assert_eq!(library(&one, ""), library(&other, "with space/deeper/"));
    assert_eq!(artifact(&one, ""), artifact(&other, "with space/deeper/"));
    let object = format!(".kernel-builder/{VARIANT}/objects/kernel.p/demo/common.cpp.o");
    let read = |scene: &Scene, path: String| fs_err::read(scene.path(&path)).expect("an object");
    assert_eq!(read(&one, object.clone()), read(&other, format!("with space/deeper/{object}")));
    let ninja = format!(".kernel-builder/{VARIANT}/build.ninja");
    assert_eq!(read(&one, ninja.clone()), read(&other, format!("with space/deeper/{ninja}")));
}

#[test]
fn user_and_date_do_not_change_the_bytes() {
    if !rustix::process::geteuid().is_root() {
        println!("skipped: only root can run a program as another user");
        return;
    }
    let mine = place(scene(), "");
    let first = build(&mine, "", &[]);
    let theirs = place(scene(), "");
    let cache = theirs.path("their-cache").to_str().expect("UTF-8").to_owned();
    let theirs = theirs.variable("KERNEL_BUILDER_CACHE_DIR", &cache);
    // Root's own interpreter may lie in root's home, where nobody else can start it; the system's is everybody's.
    theirs.tool("/usr/bin/python3", &["-m", "venv", "--without-pip", "their-env"]);
    let folder = |environment: &str| {
        let mut folders = fs_err::read_dir(theirs.path(environment).join("lib")).expect("lib");
        folders.next().expect("a folder").expect("an entry").path().join("site-packages/tvm_ffi")
    };
    let (from, to) = (folder("env"), folder("their-env"));
    theirs.tool("cp", &["-R", from.to_str().expect("UTF-8"), to.to_str().expect("UTF-8")]);
    let environment = theirs.path("their-env").to_str().expect("UTF-8").to_owned();
    let theirs = theirs.variable("VIRTUAL_ENV", &environment);
    // Old sources and an old day: what is written down of time must come from nowhere else.
    for file in ["build.toml", "binding.cpp", "demo/common.cpp", "a/k.cpp"] {
        theirs.tool("touch", &["-d", "2001-02-03 04:05:06", file]);
    }
    theirs.tool("chown", &["-R", "65534:65534", "..", "."]);
    let ran = theirs.run_as_nobody(&["build", "--json"]);
    assert_eq!(ran.status, 0, "{ran}");
    let second = ran.json().pop().expect("a report")["variants"][0].clone();
    assert_eq!(first["id"], second["id"]);
    assert_eq!(artifact(&mine, ""), artifact(&theirs, ""));
}

#[test]
fn a_build_can_check_itself_by_building_again() {
    let scene = place(scene(), "with space/");
    scene.tool("git", &["init", "--quiet"]);
    let ran = scene.run(&["build", "with space", "--check-reproducible"]);
    assert_eq!(ran.status, 0, "{ran}");
    assert_eq!(ran.stderr.matches("compile and link").count(), 2, "{ran}");
    // Nothing is to be done the first time, and everything the second.
    assert_eq!(scene.run(&["build", "with space", "--check-reproducible"]).status, 0);
    let scene = scene.file(
        "with space/a/k.cpp",
        "extern \"C\" __attribute__((visibility(\"default\"))) const char *__tvm_ffi_in_a() { return __TIMESTAMP__; }\n",
    );
    scene.tool("touch", &["-d", "2001-02-03 04:05:06", "with space/a/k.cpp"]);
    let ran = scene.run(&["build", "with space", "--check-reproducible", "--sandbox", "off"]);
    assert_eq!(ran.status, 6, "{ran}");
    for words in [
        "error[build/not-reproducible]: the same sources gave other bytes",
        "_cpu_",
        "came out differently in `.rodata`",
        "`__TIMESTAMP__`",
    ] {
        assert!(ran.stderr.contains(words), "{words}: {ran}");
    }
}
