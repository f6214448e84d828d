//! `hash` gives the digests of the real loader, keeps what it does not know and removes signatures that no longer match.

use std::path::PathBuf;
use std::process::Command;

use crate::scene::{Scene, repository};

const VARIANT: &str = "project/build/torch-cpu";
const METADATA: &str = r#"{"name":"demo","id":"_demo_cpu_x","version":1,"license":"MIT","python-depends":[],
  "backend":{"type":"cpu"},"of-others":{"kept":true},"provenance":{"kernel-builder":{"version":"1"}}}"#;

fn scene() -> Scene {
    Scene::new()
        .file(&format!("{VARIANT}/metadata.json"), METADATA)
        .file(&format!("{VARIANT}/metadata.json.sigstore"), "{}")
        .file(&format!("{VARIANT}/__init__.py"), "")
        .file(&format!("{VARIANT}/layers/__init__.py"), "x = 1\n")
        .file(&format!("{VARIANT}/layers/metadata.json"), "{}")
        .file(&format!("{VARIANT}/layers/old.pyc"), "")
        .file(&format!("{VARIANT}/layers/__pycache__/x.py"), "")
        .file(&format!("{VARIANT}/ä b/data.json"), "[]")
}

#[test]
fn a_digest_is_checked_written_and_then_up_to_date() {
    let scene = scene();
    insta::assert_snapshot!("checked", scene.run(&["hash", "project", "--check"]));
    assert!(scene.path(&format!("{VARIANT}/metadata.json.sigstore")).is_file());
    insta::assert_snapshot!("written", scene.run(&["hash", "project"]));
    assert!(!scene.path(&format!("{VARIANT}/metadata.json.sigstore")).exists());
    insta::assert_snapshot!(
        "metadata",
        fs_err::read_to_string(scene.path(&format!("{VARIANT}/metadata.json"))).expect("read")
    );
    for bytecode in ["old.pyc", "__pycache__/x.py"] {
        fs_err::remove_file(scene.path(&format!("{VARIANT}/layers/{bytecode}"))).expect("removed");
    }
    let again = scene.run(&["hash", VARIANT, "--check", "--json"]);
    assert_eq!((again.status, &again.json()[1]["variants"][0]["state"]), (0, &"current".into()));
}

#[test]
fn without_a_variant_the_places_are_named() {
    let scene = Scene::new().file("project/build.toml", "");
    insta::assert_snapshot!(scene.run(&["hash", "project"]));
}

/// Reads the metadata and digests the files with the published loader; prints nothing where both agree.
const ORACLE: &str = r"
import importlib.util, pathlib, sys
package = importlib.util.find_spec('kernels').submodule_search_locations[0]
(library,) = pathlib.Path(package).glob('_rust*.so')
spec = importlib.util.spec_from_file_location('kernels._rust', library)
rust = importlib.util.module_from_spec(spec)
spec.loader.exec_module(rust)
variant = pathlib.Path(sys.argv[1])
metadata = rust.Metadata.from_bytes((variant / 'metadata.json').read_bytes())
metadata.digest.validate(rust.Digest.hash_variant(rust.DigestAlgorithm.SHA256, variant))
assert metadata.id == '_demo_cpu_x' and len(metadata.digest.files) == 4, metadata
";

#[test]
#[expect(clippy::disallowed_methods, reason = "the loader is asked as a user would")]
fn the_real_loader_agrees() {
    let scene = scene();
    assert_eq!(scene.run(&["hash", "project"]).status, 0);
    std::os::unix::fs::symlink("__init__.py", scene.path(VARIANT).join("linked.py")).expect("a link");
    std::os::unix::fs::symlink("layers", scene.path(VARIANT).join("folder")).expect("a link");
    fs_err::remove_file(scene.path(VARIANT).join("ä b/data.json")).expect("removed");
    assert_eq!(scene.run(&["hash", "project"]).status, 0);
    let python = std::env::var_os("KERNEL_BUILDER_PYTHON")
        .map_or_else(|| repository().join(".environment/bin/python"), PathBuf::from);
    let output = Command::new(python).args(["-I", "-c", ORACLE]).arg(scene.path(VARIANT)).output();
    let output = output.expect("the Python environment of the tests: scripts/python-environment makes it");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
