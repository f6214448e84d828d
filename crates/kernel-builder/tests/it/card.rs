//! `card` on the real binary: the text, its front-matter, staleness, and what is wrong with a template.

use crate::scene::{Scene, python};

const MANIFEST: &str = r#"[general]
name = "demo"
version = 3
edition = 5
license = "MIT"
backends = ["cuda", "cpu"]
upstream = "https://example.org/demo.git"

[general.hub]
repo-id = "acme/demo"

[torch-noarch]
"#;

fn scene() -> Scene {
    Scene::new()
        .file("build.toml", MANIFEST)
        .file(
            "torch-ext/demo/__init__.py",
            "from . import layers\nfrom ._ops import ops\n\n__all__ = ['scale', 'layers', make()]\n\n\
             def scale(x, *, by: float = 2.0):\n    \"\"\"Scales `x`.\"\"\"\n    match x:\n        case _: return x * by\n",
        )
        .file(
            "torch-ext/demo/layers.py",
            "import torch.nn as nn\n\nclass Scale(nn.Module):\n    \"\"\"Scales.\"\"\"\n",
        )
}

#[test]
fn the_embedded_template_says_what_is_known_and_what_is_not() {
    insta::assert_snapshot!(scene().run(&["card", "--output", "-"]));
}

#[test]
fn a_template_of_the_peer_renders_and_keeps_its_front_matter() {
    let template = "---\nlibrary_name: kernels\nlicense: {{ license }}\nowner: me\n---\n# {{ repo_id }} v{{ version }}\n\
                    {% for function in functions %}- {{ function }}\n{% endfor %}{{ no_such_variable }}{{ upstream }}\n";
    insta::assert_snapshot!(scene().file("CARD.md", template).run(&["card", "--output", "-"]));
}

#[test]
fn a_preview_is_a_page_that_runs_nothing() {
    let template = "---\nlicense: mit\n---\n# {{ repo_id }}\n\n<script>alert(1)</script>\n\n[there](javascript:alert(1))\n";
    let scene = scene().file("CARD.md", template);
    let ran = scene.run(&["card", "--preview", "page.html"]);
    assert!(ran.status == 0 && ran.stdout.contains("wrote [SCENE]/here/page.html"), "{ran}");
    let page = fs_err::read_to_string(scene.path("page.html")).expect("the page");
    assert!(page.contains("<h1>acme/demo</h1>") && page.contains("default-src 'none'"), "{page}");
    assert!(!page.contains("<script") && !page.contains("javascript:"), "{page}");
    assert!(scene.path("build/CARD.md").is_file());
}

#[test]
fn a_preview_replaces_only_an_earlier_preview() {
    let scene = scene().file("page.html", "<!doctype html>\n<p>mine\n").file("odd.html", "");
    fs_err::write(scene.path("odd.html"), b"\xff\xfe").expect("written");
    for (name, text) in [
        ("build.toml", MANIFEST.as_bytes()),
        ("page.html", b"<!doctype html>\n<p>mine\n"),
        ("odd.html", b"\xff\xfe"),
    ] {
        let ran = scene.run(&["card", "--preview", name]);
        assert_eq!(ran.status, 6, "{ran}");
        assert!(ran.stderr.contains("error[card/foreign]") && ran.stderr.contains("is no preview"), "{ran}");
        assert_eq!(fs_err::read(scene.path(name)).expect("the file"), text);
        assert!(!scene.path("build/CARD.md").exists(), "nothing is written before the refusal");
    }
    for _ in 0..2 {
        assert_eq!(scene.run(&["card", "--preview", "new.html"]).status, 0);
    }
}

#[test]
fn a_read_only_card_or_preview_stays() {
    use std::os::unix::fs::PermissionsExt;
    let scene = scene();
    assert_eq!(scene.run(&["card", "--preview", "page.html"]).status, 0);
    let template = scene.file("CARD.md", "# changed\n");
    for name in ["build/CARD.md", "page.html"] {
        let path = template.path(name);
        let text = fs_err::read(&path).expect("the file");
        let mode =
            |mode| fs_err::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("a mode");
        mode(0o444);
        let ran = template.run(&["card", "--preview", "page.html"]);
        assert_eq!(ran.status, 6, "{ran}");
        assert!(
            ran.stderr.contains("error[card/read-only]")
                && ran.stderr.contains(&format!("{name}` is read-only")),
            "{ran}"
        );
        assert_eq!(fs_err::read(&path).expect("the file"), text);
        mode(0o644);
    }
}

#[test]
fn a_stale_card_fails_the_check_and_a_current_one_does_not() {
    let scene = scene();
    let check = |scene: &Scene| scene.run(&["card", "--check"]).status;
    assert_eq!(check(&scene), 6);
    assert!(!scene.path("build").exists(), "a check writes nothing");
    assert_eq!(scene.run(&["card"]).status, 0);
    assert_eq!(check(&scene), 0);
    fs_err::write(scene.path("build.toml"), MANIFEST.replace("version = 3", "version = 4")).expect("written");
    assert_eq!(check(&scene), 6);
}

#[test]
fn faults_of_what_a_card_is_made_from_are_named() {
    let code = |scene: Scene| {
        let ran = scene.run(&["card", "--json"]);
        let last = ran.json().pop().expect("a last line");
        assert!(!scene.path("build/CARD.md").exists(), "nothing half-written");
        (ran.status, last["code"].as_str().expect("a code").to_owned())
    };
    assert_eq!(code(scene().file("CARD.md", "{% if functions %}")), (3, "card/template".to_owned()));
    assert_eq!(code(scene().file("CARD.md", "---\na: 1\n")), (3, "card/front-matter".to_owned()));
    assert_eq!(
        code(scene().file("CARD.md", "{% for a in range(100000000) %}{% endfor %}")),
        (3, "card/template".to_owned())
    );
    assert_eq!(code(scene().file("torch-ext/demo/bad.py", "def f(:\n")), (6, "python/unreadable".to_owned()));
}

#[test]
fn a_front_matter_that_no_client_reads_is_refused() {
    let mut refused = String::new();
    for line in ["license: [bad", "tags:\n\tkernel: 1", "x: a: y", "x: \"{{ repo_id }}"] {
        let scene = scene().file("CARD.md", &format!("---\nowner: me\n{line}\n---\n# Demo\n"));
        let ran = scene.run(&["card"]);
        assert!(ran.status == 3 && !scene.path("build/CARD.md").exists(), "{line}: {ran}");
        refused.extend(["===== ", line, "\n", &ran.stderr]);
    }
    insta::assert_snapshot!(refused);
}

#[test]
fn a_package_without_all_is_a_note_of_check() {
    let scene = scene().file("torch-ext/demo/__init__.py", "def scale(x): return x\n");
    let ran = scene.run(&["check"]);
    assert!(ran.stdout.contains("python/no-all") || ran.stderr.contains("python/no-all"), "{ran}");
}

#[test]
fn the_users_own_text_is_kept_and_a_second_run_changes_nothing() {
    let scene = scene();
    assert_eq!(scene.run(&["card"]).status, 0);
    let card = || fs_err::read_to_string(scene.path("build/CARD.md")).expect("the card");
    let first = card();
    let end = "<!-- kernel-builder: end of your own text -->";
    fs_err::write(
        scene.path("build/CARD.md"),
        first.replace(end, &format!("## Notes\n\nMine, *really*.\n{end}")),
    )
    .expect("written");
    fs_err::write(scene.path("build.toml"), MANIFEST.replace("version = 3", "version = 4")).expect("written");
    assert_eq!(scene.run(&["card"]).status, 0);
    let second = card();
    assert!(second.contains("## Notes\n\nMine, *really*.\n") && second.contains("version=4"), "{second}");
    let ran = scene.run(&["card", "--json"]);
    assert_eq!((card(), ran.json().pop().expect("a report")["current"].clone()), (second, true.into()));
}

#[test]
fn what_is_not_ours_or_torn_is_left_as_it_is() {
    for (text, code) in [
        ("# Written by hand\n", "card/foreign"),
        ("<!-- kernel-builder: end of your own text -->\n", "card/marks"),
    ] {
        let scene = scene().file("NOTES.md", text);
        let ran = scene.run(&["card", "--output", "NOTES.md", "--json"]);
        assert_eq!(
            (ran.status, ran.json().pop().expect("a line")["code"].clone()),
            (6, code.into()),
            "{ran}"
        );
        assert_eq!(fs_err::read_to_string(scene.path("NOTES.md")).expect("the file"), text);
    }
}

#[test]
fn damaged_and_unknown_variants_are_said_to_be_so() {
    let scene = scene().variable("KERNEL_BUILDER_PYTHON", &python());
    let ran = scene.run(&["build", "--variant", "torch-cpu"]);
    assert_eq!(ran.status, 0, "{ran}");
    let card = || scene.run(&["card", "--output", "-"]);
    let whole = card();
    assert_eq!(whole.status, 0, "{whole}");
    assert!(whole.stdout.contains("dirty: null") && whole.stdout.contains("commit unknown"), "{whole}");
    assert!(whole.stdout.contains("no commit is known of: `torch-cpu`"), "{whole}");
    assert!(whole.stdout.contains("not signed: `torch-cpu`"), "{whole}");
    assert!(whole.stdout.contains("No variant for CUDA is built."), "{whole}");

    fs_err::write(scene.path("build/torch-cpu/layers.py"), "edited = True\n").expect("written");
    fs_err::create_dir_all(scene.path("build/torch-cuda")).expect("made");
    let damaged = card();
    assert_eq!(damaged.status, 6, "{damaged}");
    assert!(damaged.stdout.contains("do not use: `torch-cpu`, `torch-cuda`"), "{damaged}");
    let ran = scene.run(&["card"]);
    assert_eq!(ran.status, 6, "{ran}");
    assert!(
        ran.stdout.contains("error[artifact/digest]") && ran.stdout.contains("`layers.py` was changed"),
        "{ran}"
    );
}

/// Packages that a simpler reader of Python gets wrong; what only running them would tell is said to be unknown.
const AWKWARD: &[(&str, &[(&str, &str)])] = &[
    ("a tuple", &[("__init__.py", "__all__ = ('f', 'g')\ndef f(x): 'F.'\ndef g(): ...\n")]),
    (
        "an annotation",
        &[(
            "__init__.py",
            "__all__: list[str] = ['f']\ndef f(x: 'Tensor') -> 'Tensor':\n    \"\"\"\n    Does f.\n\n    More.\"\"\"\n",
        )],
    ),
    (
        "additions",
        &[(
            "__init__.py",
            "__all__ = ['f']\n__all__ += ['g']\n__all__.append('h')\n__all__.extend(['i'])\nf = g = h = i = 1\n",
        )],
    ),
    (
        "a sum with a module's list",
        &[
            (
                "__init__.py",
                "from . import more\nfrom .more import *\nfrom .more import g\n__all__ = ['f'] + more.__all__\ndef f(): ...\n",
            ),
            ("more.py", "__all__ = ['g']\ndef g(a, /, b, *c, d=1, **e): ...\n"),
        ],
    ),
    (
        "nested quotes in an f-string",
        &[("__init__.py", "__all__ = ['f']\ndef f(x):\n    return f\"{f'{x!r:>{10}}' + \"a\"}\"\n")],
    ),
    (
        "match",
        &[(
            "__init__.py",
            "__all__ = ['f']\ndef f(x):\n    match x:\n        case {'a': [1, *_]}: return 1\n        case _: return 2\n",
        )],
    ),
    (
        "type parameters",
        &[("__init__.py", "type A[T] = list[T]\n__all__ = ['f']\ndef f[T: int](x: T) -> T: return x\n")],
    ),
    ("no list", &[("__init__.py", "def f(): ...\n")]),
    (
        "keywords only",
        &[(
            "__init__.py",
            "__all__ = ['f']\ndef f(*, scale: float = 1.0, mode=\"a|`b`\"): \"Has <b>tags</b> | bars.\"\n",
        )],
    ),
    (
        "layers in a folder",
        &[
            ("__init__.py", "from . import layers\n__all__ = ['layers']\n"),
            (
                "layers/__init__.py",
                "import torch.nn as nn\nclass L(nn.Module):\n    'A layer.'\nclass _P(nn.Module): ...\n",
            ),
        ],
    ),
    ("computed", &[("__init__.py", "__all__ = [n for n in dir() if n[0] != '_'] + names()\n")]),
    (
        "under a condition",
        &[(
            "__init__.py",
            "import sys\nif sys.version_info > (3, 10):\n    __all__ = ['f']\nelse:\n    __all__ = ['g']\ndef f(): ...\ndef g(): ...\n",
        )],
    ),
    (
        "another name",
        &[
            ("__init__.py", "from ._impl import _f as f\n__all__ = ['f', 'f']\n"),
            ("_impl.py", "async def _f(x, y=lambda a: a): 'Renamed.'\n"),
        ],
    ),
    ("an empty package", &[("__init__.py", "")]),
];

#[test]
fn awkward_packages_are_described() {
    let mut described = String::new();
    for (what, files) in AWKWARD {
        let mut scene = Scene::new().file("build.toml", MANIFEST);
        for (path, text) in *files {
            scene = scene.file(&format!("torch-ext/demo/{path}"), text);
        }
        let ran = scene.run(&["card", "--output", "-"]);
        assert_eq!(ran.status, 0, "{what}: {ran}");
        let from = ran.stdout.find("  functions:").expect("functions");
        let to = ran.stdout.find("  variants:").expect("variants");
        let functions = ran.stdout.find("## Functions").expect("functions");
        let end = ran.stdout.find("## Compatibility").expect("compatibility");
        let parts = [&ran.stdout[from..to], &ran.stdout[functions..end]].concat();
        described.extend(["===== ", what, "\n", &parts]);
    }
    insta::assert_snapshot!(described);
}

/// What the Hub's own Python library makes of a card: its data class takes it, and gives the same back.
#[test]
#[expect(clippy::disallowed_methods, reason = "the tests start Python as a shell does")]
fn the_hubs_own_classes_accept_the_card() {
    const READ: &str = "import json, sys\nfrom huggingface_hub import ModelCard, ModelCardData\n\
        card = ModelCard.load(sys.argv[1])\ndata = card.data.to_dict()\nassert isinstance(card.data, ModelCardData)\n\
        again = ModelCard(str(card)).data.to_dict()\nassert again == data\nprint(json.dumps(data))\n";
    for (licence, expected) in [
        ("MIT", serde_json::json!(["mit", null])),
        ("LicenseRef-Mine", serde_json::json!(["other", "licenseref-mine"])),
    ] {
        let scene = scene()
            .file("build.toml", &MANIFEST.replace("\"MIT\"", &format!("\"{licence}\"")))
            .variable("KERNEL_BUILDER_PYTHON", &python());
        let ran = scene.run(&["build", "--variant", "torch-cpu"]);
        assert_eq!(ran.status, 0, "{ran}");
        let ran = scene.run(&["card"]);
        assert_eq!(ran.status, 0, "{ran}");
        let card = scene.path("build/CARD.md");
        let output =
            std::process::Command::new(python()).args(["-I", "-c", READ]).arg(card).output().expect("Python");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let data: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(serde_json::json!([data["license"], data["license_name"]]), expected, "{data}");
        assert_eq!(
            (&data["library_name"], &data["tags"]),
            (&"kernels".into(), &serde_json::json!(["kernel", "cuda", "cpu"]))
        );
        let own = &data["kernel-builder"];
        assert_eq!(own["functions"][0]["signature"], "(x, *, by: float = 2.0)");
        assert_eq!(
            (&own["variants"][0]["name"], &own["variants"][0]["state"]),
            (&"torch-cpu".into(), &"as built".into())
        );
    }
}
