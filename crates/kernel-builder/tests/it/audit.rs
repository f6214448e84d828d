//! `audit`: what variants could do is told from their files alone; nothing of them runs.

use std::process::Command;

use serde_json::Value;

use crate::scene::{Scene, python};
use crate::upload::{REPOSITORY, hub, manifest, project, sealed, variant};

const LIBRARY: &str = "_demo_cpu_abcdefghijklm.abi3.so";

/// Python that would leave a trace if it ran, and uses much that is worth a look.
const PYTHON: &str = "import os, subprocess as runner\nimport urllib.request\nfrom ctypes import CDLL\nimport torch\nimport triton\n\
    from .part import helper\n\n__all__ = [\"f\"]\nopen(\"ran\", \"w\")\n\n\n@triton.jit\ndef kernel(x):\n    pass\n\n\n\
    def f(x):\n    torch.load(x)\n    exec(x)\n    getattr(os, \"path\")\n    \
    run = runner.run\n    run([\"ls\"])\n    x.eval()\n    return helper(x), os.path.join(\"a\"), CDLL(\"b\")\n";

const SOURCE: &str = "#include <dlfcn.h>\n#include <unistd.h>\n#include <sys/socket.h>\n\
    int f(void) { dlopen(\"x\", 1); execve(\"x\", 0, 0); return socket(1, 2, 3); }\n";

/// A variant with a library and much to tell of; it was never built.
fn suspicious() -> Scene {
    let files =
        [("__init__.py", PYTHON), ("part.py", "def helper(x):\n    return x\n"), ("weights.bin", "\u{1}")];
    let files = files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect();
    let scene = variant(manifest(Scene::new(), 1), "torch-cpu", 1, &files).file("f.c", SOURCE);
    scene.tool("cc", &["-shared", "-fPIC", "-o", &format!("build/torch-cpu/{LIBRARY}"), "f.c"]);
    sealed(scene)
}

#[test]
fn what_could_be_done_is_told_and_nothing_of_it_runs() {
    let scene = suspicious();
    let ran = scene.run(&["audit"]);
    insta::assert_snapshot!("told", ran);
    assert!(!scene.path("ran").exists() && !scene.path("build/torch-cpu/ran").exists());
    assert_eq!(scene.run(&["audit", "--deny", "warnings"]).status, 6);
    // A second variant with the same Python adds nothing.
    let lines = |ran: &crate::scene::Ran| {
        ran.json().pop().expect("a report")["findings"].as_array().expect("findings").len()
    };
    let before = lines(&scene.run(&["audit", "--json"]));
    scene.tool("cp", &["-r", "build/torch-cpu", "build/torch-universal"]);
    fs_err::remove_file(scene.path(&format!("build/torch-universal/{LIBRARY}"))).expect("removed");
    fs_err::remove_file(scene.path("build/torch-universal/weights.bin")).expect("removed");
    let scene = sealed(scene);
    assert_eq!(lines(&scene.run(&["audit", "--json"])), before);
}

#[test]
fn an_audit_that_finds_nothing_claims_no_more_than_that() {
    let files = [("__init__.py", "__all__ = []\n")].map(|(name, text)| (name.to_owned(), text.into()));
    let files = files.into_iter().collect();
    let scene = sealed(variant(manifest(Scene::new(), 1), "torch-cpu", 1, &files));
    let ran = scene.run(&["audit"]);
    let last = ".: nothing found of what is looked for, which proves nothing of the rest\n";
    assert!(ran.status == 0 && ran.stdout == last, "{ran}");
}

#[test]
fn a_published_kernel_is_audited_with_what_lies_beside_it() {
    let hub = hub();
    assert_eq!(project(&hub, "writer", "one").run(&["upload"]).status, 0);
    hub.put(REPOSITORY, "v1", "setup.sh", b"rm -rf /\n").expect("added");
    let scene = Scene::new().variable("HF_ENDPOINT", &hub.url());
    let ran = scene.run(&["audit", "acme/demo@v1", "--json"]);
    let report = ran.json().pop().expect("a report");
    let about = |finding: &Value| {
        (finding["code"].as_str().expect("a code").to_owned(), finding["causes"][0].clone())
    };
    let told: Vec<_> = report["findings"].as_array().expect("findings").iter().map(about).collect();
    let files = |path: &str| ("audit/files".to_owned(), path.into());
    assert_eq!(told, [files("setup.sh"), files("data/table.bin")], "{ran}");
    hub.put(REPOSITORY, "v1", "build/torch-cpu/__init__.py", b"import socket\n").expect("changed");
    let ran = scene.run(&["audit", "acme/demo@v1", "--json"]);
    let text = ran.stdout;
    assert!(ran.status == 6 && text.contains("artifact/digest") && text.contains("audit/network"), "{text}");
}

#[test]
fn a_bill_of_materials_names_files_and_dependencies() {
    let scene = suspicious().variable("SOURCE_DATE_EPOCH", "0");
    let ran = scene.run(&["audit", "--sbom", "bill.json"]);
    assert_eq!(ran.status, 0, "{ran}");
    let text = fs_err::read_to_string(scene.path("bill.json")).expect("a bill");
    let bill: Value = serde_json::from_str(&text).expect("JSON");
    let names = |list: &str, key: &str| -> Vec<String> {
        let entries = bill[list].as_array().expect("a list").iter();
        entries.map(|entry| entry[key].as_str().expect("a name").to_owned()).collect()
    };
    let files = names("files", "fileName");
    assert!(files.contains(&format!("./build/torch-cpu/{LIBRARY}")) && files.len() == 5, "{files:?}");
    let packages = names("packages", "name");
    assert!(
        packages.contains(&"demo/torch-cpu".to_owned()) && packages.contains(&"libc.so.6".to_owned()),
        "{packages:?}"
    );
    // The same again.
    assert_eq!(scene.run(&["audit", "--sbom", "again.json"]).status, 0);
    assert_eq!(fs_err::read_to_string(scene.path("again.json")).expect("a bill"), text);
    let scene = scene.file("build/torch-cpu/metadata.json", "{}");
    let ran = scene.run(&["audit", "--sbom", "bill.json", "--json"]);
    assert_eq!((ran.status, &ran.json().pop().expect("a line")["code"]), (6, &"audit/bill".into()), "{ran}");
}

#[test]
#[ignore = "long: fetches spdx-tools from the package index"]
#[expect(clippy::disallowed_methods, reason = "the validator is asked as a user would")]
fn the_published_validator_accepts_a_bill_of_materials() {
    let scene = suspicious();
    assert_eq!(scene.run(&["audit", "--sbom", "bill.spdx.json"]).status, 0);
    let tools = scene.path("tools");
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output().expect("it starts");
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let place = tools.to_str().expect("UTF-8");
    let made = run(&python(), &["-m", "venv", place]);
    assert!(made.0, "{made:?}");
    let installed =
        run(&format!("{place}/bin/python"), &["-m", "pip", "install", "--quiet", "spdx-tools==0.8.5"]);
    assert!(installed.0, "{installed:?}");
    let judge = |path: &str| {
        run(&format!("{place}/bin/pyspdxtools"), &["--infile", scene.path(path).to_str().expect("UTF-8")])
    };
    let judged = judge("bill.spdx.json");
    assert!(judged.0, "{judged:?}");
    // It does judge: a package that is said to be unread must not list its files.
    let text = fs_err::read_to_string(scene.path("bill.spdx.json")).expect("a bill");
    let wrong = text.replace("\"filesAnalyzed\": true", "\"filesAnalyzed\": false");
    fs_err::write(scene.path("wrong.spdx.json"), wrong).expect("written");
    assert!(!judge("wrong.spdx.json").0);
}
