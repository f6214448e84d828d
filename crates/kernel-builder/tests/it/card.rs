//! `card` on the real binary: the text, its front-matter, staleness, and what is wrong with a template.

use crate::scene::Scene;

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
fn a_package_without_all_is_a_note_of_check() {
    let scene = scene().file("torch-ext/demo/__init__.py", "def scale(x): return x\n");
    let ran = scene.run(&["check"]);
    assert!(ran.stdout.contains("python/no-all") || ran.stderr.contains("python/no-all"), "{ran}");
}
