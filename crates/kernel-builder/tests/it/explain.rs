//! `explain` and `completions`.

use crate::scene::Scene;

#[test]
fn one_code_is_explained() {
    insta::assert_snapshot!(Scene::new().run(&["explain", "manifest/not-found"]));
}

#[test]
fn an_unknown_code_names_the_closest() {
    insta::assert_snapshot!(Scene::new().run(&["explain", "build/not-found"]));
}

#[test]
fn without_a_code_all_are_listed() {
    let ran = Scene::new().run(&["explain"]);
    assert_eq!(ran.status, 0);
    assert!(ran.stdout.lines().any(|line| line.starts_with("internal/bug ")), "{ran}");
    let json = Scene::new().run(&["explain", "--json"]).json();
    let codes = json[1]["codes"].as_array().expect("a list");
    assert_eq!(codes.len(), ran.stdout.lines().count());
}

#[test]
fn each_shell_gets_a_script() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = Scene::new().run(&["completions", shell]);
        assert_eq!(ran.status, 0);
        assert!(ran.stdout.contains("explain"), "{shell}: {ran}");
    }
}
