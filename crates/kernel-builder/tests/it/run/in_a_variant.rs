//! What may be in a variant. `pin` decides it in Rust, from a listing, and `run --verified` in Python, from a directory: one
//! list is held against both, so that what is pinned runs, and what would not run is not pinned.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use How::{Beside, Changed, Gone, Vouched};
use Why::{ByteCode, IsChanged, Missing, Unvouched};

use super::codes;
use crate::scene::{Scene, python};
use crate::upload::{REPOSITORY, hub, project};

/// How a file is in a variant.
#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    /// It is there, and in the digest.
    Vouched,
    /// It is there, and not in the digest.
    Beside,
    /// It is there with another content than that of the digest.
    Changed,
    /// It is in the digest alone.
    Gone,
}

/// Why a variant is not taken.
#[derive(Clone, Copy, Debug)]
enum Why {
    Unvouched,
    IsChanged,
    Missing,
    ByteCode,
}

impl Why {
    fn words(self, path: &str) -> String {
        match self {
            Unvouched => format!("nothing vouches for `{path}`"),
            IsChanged => format!("`{path}` was changed"),
            Missing => format!("`{path}` is missing"),
            ByteCode => format!("`{path}` is byte code that nothing vouches for"),
        }
    }
}

/// A file in a variant that is well otherwise, and why that variant is not taken, where it is not.
const CASES: &[(&str, How, Option<Why>)] = &[
    ("more.py", Vouched, None),
    ("more.py", Beside, Some(Unvouched)),
    ("more.py", Changed, Some(IsChanged)),
    ("more.py", Gone, Some(Missing)),
    ("sub/__init__.py", Vouched, None),
    ("data/a table.bin", Vouched, None),
    ("data/a table.bin", Changed, Some(IsChanged)),
    (".hidden", Beside, Some(Unvouched)),
    // The metadata and their signature speak for themselves, at the top alone.
    ("metadata.json.sigstore", Beside, None),
    ("metadata.json.sigstore", Gone, Some(Missing)),
    ("metadata.json", Gone, Some(Missing)),
    ("sub/metadata.json", Vouched, None),
    ("sub/metadata.json", Beside, Some(Unvouched)),
    ("sub/metadata.json.sigstore", Beside, Some(Unvouched)),
    // Byte code is what the loader's digest leaves out.
    ("more.pyc", Vouched, Some(ByteCode)),
    ("more.pyc", Beside, Some(ByteCode)),
    ("sub/more.pyc", Vouched, Some(ByteCode)),
    ("__pycache__", Vouched, Some(ByteCode)),
    ("__pycache__", Beside, Some(ByteCode)),
    ("sub/__pycache__", Vouched, Some(ByteCode)),
    ("__pycache__/more.py", Vouched, Some(ByteCode)),
    ("__pycache__/__init__.cpython-311.pyc", Vouched, Some(ByteCode)),
    // These only look like it.
    (".pyc", Vouched, None),
    (".pyc", Beside, Some(Unvouched)),
    ("more.PYC", Vouched, None),
    ("more.pyo", Vouched, None),
    ("more.pyo", Beside, Some(Unvouched)),
    ("more.pyc/__init__.py", Vouched, None),
    ("more.pyc/__init__.py", Beside, Some(Unvouched)),
    ("my__pycache__/more.py", Vouched, None),
];

/// What Python leaves in a directory when it imports from there. Published, nobody can tell it from an attack; beside a
/// kernel of the loader's cache it is not read.
const LEFT_BY_PYTHON: &str = "__pycache__/__init__.cpython-312.pyc";

/// Hands every variant that the loader has in its cache to the loader's import, and says what came of it.
const IMPORT: &str = r#"
import json, pathlib
from huggingface_hub import snapshot_download
from kernels import importer

root = pathlib.Path(snapshot_download("acme/demo", revision="v1", repo_type="kernel")) / "build"
for variant in sorted(root.iterdir()):
    try:
        importer._import_from_path(variant, {})
        said = None
    except ImportError as error:
        said = str(error)
    print(json.dumps([variant.name, said]))
"#;

fn sha256(content: &[u8]) -> String {
    STANDARD.encode(Sha256::digest(content))
}

/// Metadata with a digest.
fn metadata(digest: &Value) -> Vec<u8> {
    let mut metadata = json!({
        "name": "demo", "id": "_demo_cpu_abcdefghijklm", "version": 1, "license": "Apache-2.0",
        "python-depends": [], "backend": { "type": "cpu" },
    });
    if !digest.is_null() {
        metadata["digest"] = digest.clone();
    }
    metadata.to_string().into_bytes()
}

/// The files of a variant by their paths, and the digest that its metadata has.
type Variant = (Vec<(String, &'static [u8])>, Value);

/// What both say: by the variant's name, nothing or why it is not taken.
fn verdicts(variants: &BTreeMap<String, Variant>) -> [BTreeMap<String, Option<String>>; 2] {
    let hub = hub();
    assert_eq!(project(&hub, "writer", "one").run(&["upload"]).status, 0);
    let mut pins = BTreeMap::new();
    for (name, (files, digest)) in variants {
        let metadata = metadata(digest);
        pins.insert(
            name,
            Sha256::digest(&metadata).iter().map(|byte| format!("{byte:02x}")).collect::<String>(),
        );
        let metadata = ("metadata.json".to_owned(), metadata.as_slice());
        for (path, content) in files.iter().cloned().chain([metadata]) {
            hub.put(REPOSITORY, "v1", &format!("build/{name}/{path}"), content).expect("put");
        }
    }
    let scene = Scene::new()
        .variable("HF_ENDPOINT", &hub.url())
        .variable("HF_HUB_DISABLE_XET", "1")
        .variable("HF_HUB_DISABLE_PROGRESS_BARS", "1")
        .file("import.py", IMPORT);
    let ran = scene.run(&["pin", "acme/demo@v1", "--json"]);
    assert_eq!(codes(&ran), ["pin/unfit"], "{ran}");
    let last = ran.json().pop().expect("a line");
    let mut by_pin: BTreeMap<String, Option<String>> =
        variants.keys().map(|name| (name.clone(), None)).collect();
    for finding in last["findings"].as_array().expect("findings") {
        assert_eq!(finding["code"], "pin/unfit", "{finding}");
        let word = |value: &Value| value.as_str().expect("a text").to_owned();
        by_pin.insert(word(&finding["subject"]["variant"]), Some(word(&finding["message"])));
    }
    let pins = json!({ "schema": "kernel-pins/1", "kernels": [
        { "repository": "acme/demo", "revision": "v1", "commit": "0".repeat(40), "variants": pins },
    ] });
    let scene = scene.file("kernel-pins.json", &pins.to_string());
    let ran = scene.run(&["run", "--verified", "--", &python(), "import.py"]);
    assert_eq!(ran.status, 6, "{ran}");
    let said =
        ran.stdout.lines().filter_map(|line| serde_json::from_str::<(String, Option<String>)>(line).ok());
    [by_pin, said.filter(|(name, _)| variants.contains_key(name)).collect()]
}

#[test]
fn pin_and_run_take_the_same_variants() {
    let well: &[u8] = b"VALUE = 1\n";
    let init = ("__init__.py".to_owned(), well);
    let mut variants = BTreeMap::new();
    let mut expected = BTreeMap::new();
    let left = (LEFT_BY_PYTHON, Beside, None);
    for (number, (path, how, why)) in CASES.iter().copied().chain([left]).enumerate() {
        let mut files = vec![init.clone()];
        let mut digest = json!({ "__init__.py": sha256(well) });
        if how != Gone {
            files.push((path.to_owned(), b"content".as_slice()));
        }
        match how {
            Vouched => digest[path] = sha256(b"content").into(),
            Changed | Gone => digest[path] = sha256(b"other").into(),
            Beside => {}
        }
        let name = format!("torch-case{number:02}");
        variants.insert(name.clone(), (files, json!({ "algorithm": "sha256", "files": digest })));
        expected.insert(name, (format!("{path}, {how:?}"), why.map(|why| why.words(path))));
    }
    let sha512 = STANDARD.encode(sha2::Sha512::digest(well));
    let sha512 = json!({ "algorithm": "sha512", "files": { "__init__.py": sha512 } });
    for (name, digest, why) in
        [("torch-long", sha512, "is not by SHA-256"), ("torch-none", Value::Null, "has no digest")]
    {
        variants.insert(name.to_owned(), (vec![init.clone()], digest));
        expected.insert(name.to_owned(), (name.to_owned(), Some(why.to_owned())));
    }
    let [by_pin, by_run] = verdicts(&variants);
    assert_eq!(by_pin.len(), expected.len());
    for (name, (case, why)) in expected {
        for (by, verdict) in [("pin", &by_pin[&name]), ("run", &by_run[&name])] {
            // The one thing in which they differ.
            let why = if case.starts_with(LEFT_BY_PYTHON) && by == "pin" {
                Some(ByteCode.words(LEFT_BY_PYTHON))
            } else {
                why.clone()
            };
            let is_as_expected = match (&why, verdict) {
                (None, None) => true,
                (Some(why), Some(said)) => said.contains(why),
                _ => false,
            };
            assert!(is_as_expected, "{by} of {case}: {verdict:?} instead of {why:?}");
        }
    }
}
