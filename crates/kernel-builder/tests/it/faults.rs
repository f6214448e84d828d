//! One project for each kind of fault in a manifest: what people read and what programs read.

use std::fmt::Write;

use crate::scene::Scene;

const MANIFEST: &str = r#"[general]
name = "demo-op"
version = 1
license = "Apache-2.0"
backends = ["cpu", "cuda", "rocm"]
edition = 5

[torch]
src = ["torch-ext/binding.cpp"]

[kernel.demo]
backend = "cuda"
depends = ["torch"]
src = ["demo/demo.cu"]
"#;

/// A name, what is written instead of what, and the codes that come of it.
type Case = (&'static str, &'static str, &'static str, &'static [&'static str]);

const CASES: &[Case] = &[
    (
        "table-twice",
        "edition = 5\n",
        "edition = 5\n[general.hub]\nrepo-id = \"a/b\"\n[general.hub]\nrepo-id = \"c/d\"\n",
        &["manifest/duplicate"],
    ),
    (
        "toolkit-version",
        "src = [\"demo/demo.cu\"]",
        "src = [\"demo/demo.cu\"]\ncuda-capabilities = [\"8.0\", \"11.8\"]",
        &["manifest/capability"],
    ),
    (
        "suffixes",
        "src = [\"demo/demo.cu\"]",
        "src = [\"demo/demo.cu\"]\ncuda-capabilities = [\"8.0\", \"9.0a\", \"12.0+PTX\"]",
        &[],
    ),
    (
        "no-capability",
        "src = [\"demo/demo.cu\"]",
        "src = [\"demo/demo.cu\"]\ncuda-capabilities = []",
        &["manifest/capability"],
    ),
    (
        "unknown-capability",
        "src = [\"demo/demo.cu\"]",
        "src = [\"demo/demo.cu\"]\ncuda-capabilities = [\"99.0\"]",
        &["manifest/capability"],
    ),
    ("name", "\"demo-op\"", "\"My_Kernel\"", &["manifest/name"]),
    ("source-twice", "[\"demo/demo.cu\"]", "[\"demo/demo.cu\", \"demo/./demo.cu\"]", &["manifest/repeated"]),
    ("undeclared", "\"cuda\", ", "", &["manifest/undeclared-backend"]),
    (
        "no-backends",
        "[\"cpu\", \"cuda\", \"rocm\"]",
        "[]",
        &["manifest/no-backends", "manifest/undeclared-backend"],
    ),
    ("license", "Apache-2.0", "Apache", &["manifest/license"]),
    ("value", "version = 1", "version = -1", &["manifest/value"]),
    ("type", "version = 1", "version = \"1\"", &["manifest/type"]),
    ("version", "[torch]\n", "[torch]\nminver = \"v2.9\"\n", &["manifest/version"]),
    ("range", "[torch]\n", "[torch]\nminver = \"2.10\"\nmaxver = \"2.9\"\n", &["manifest/range"]),
    ("extension", "[torch]\n", "[torch]\npyext = [\".py\"]\n", &["manifest/extension"]),
    ("git-url", "edition = 5", "edition = 5\nsource = \"file:///home/me/kernel\"", &["manifest/git-url"]),
    (
        "kernel-reference",
        "edition = 5",
        "edition = 5\nkernel-depends = [{ repo-id = \"a/b\" }]",
        &["manifest/kernel-reference"],
    ),
    ("repo-id", "edition = 5", "edition = 5\nhub.repo-id = \"relu\"", &["manifest/repo-id"]),
    ("dependency", "[\"torch\"]", "[\"boost\"]", &["manifest/dependency"]),
    ("path", "demo/demo.cu", "../demo.cu", &["manifest/path"]),
    ("component", "kernel.demo", "kernel.\"a/b\"", &["manifest/component-name"]),
    ("edition", "edition = 5", "edition = 6", &["manifest/edition"]),
    ("framework", "[torch]", "[tvm-ffi]\nsrc = []\n[torch]", &["manifest/framework"]),
    ("no-license", "license = \"Apache-2.0\"\n", "", &["manifest/missing-key"]),
    ("misspelt", "license", "licence", &["manifest/unknown-key"]),
    ("syntax", "name = \"demo-op\"", "name", &["manifest/syntax"]),
];

#[test]
fn every_fault_of_a_manifest_has_its_code_place_and_help() {
    let mut scene = Scene::new();
    for (name, old, new, _) in CASES {
        assert!(MANIFEST.contains(old), "{name}");
        scene = scene.file(&format!("{name}/build.toml"), &MANIFEST.replacen(old, new, 1));
    }
    let mut all = String::new();
    for (name, _, _, codes) in CASES {
        let human = scene.run(&["check", "--manifest-only", name]);
        let ran = scene.run(&["check", "--manifest-only", name, "--json"]);
        assert_eq!(human.status, ran.status, "{human}\n{ran}");
        let json = ran.json();
        let findings: Vec<_> = json.last().expect("a report")["findings"].as_array().expect("a list").clone();
        let found: Vec<&str> = findings.iter().filter_map(|finding| finding["code"].as_str()).collect();
        assert_eq!(&found, codes, "{name}: {ran}");
        for finding in &findings {
            assert!(finding["help"].as_str().is_some_and(|help| !help.is_empty()), "{name}: {finding}");
            assert!(finding["span"]["line"].as_u64().is_some(), "{name}: {finding}");
        }
        writeln!(all, "# {name}: exit status {}\n{}", human.status, human.stdout).expect("written");
    }
    insta::assert_snapshot!("faults", all);
}

#[test]
fn a_file_that_is_no_text_is_refused() {
    let scene =
        Scene::new().file("large/build.toml", &"#".repeat((16 << 20) + 1)).file("latin/build.toml", "");
    fs_err::write(scene.path("latin/build.toml"), b"[general]\nname = \"caf\xe9\"\n").expect("written");
    for (folder, code) in [("latin", "manifest/encoding"), ("large", "manifest/too-large")] {
        let ran = scene.run(&["check", folder, "--json"]);
        assert_eq!(ran.status, 3, "{ran}");
        assert!(ran.stdout.contains(code), "{ran}");
    }
    insta::assert_snapshot!("encoding", scene.run(&["check", "latin"]));
}
