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

/// What bash offers where the last word is completed: its own function is called as bash calls it.
#[expect(clippy::disallowed_methods, reason = "the script is for a shell")]
fn offered(script: &std::path::Path, words: &[&str]) -> String {
    const ASK: &str = "source \"$1\"; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); \
        _kernel__builder \"$1\" \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD - 1]}\"; echo \"${COMPREPLY[*]}\"";
    let output = std::process::Command::new("bash")
        .args(["--norc", "-c", ASK, "bash"])
        .arg(script)
        .arg("kernel-builder")
        .args(words)
        .output()
        .expect("bash starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8").trim_end().to_owned()
}

#[test]
fn bash_completes_every_word_and_offers_nothing_hidden() {
    let scene = Scene::new();
    let script = scene.path("completions.bash");
    fs_err::write(&script, scene.run(&["completions", "bash"]).stdout).expect("written");
    for (words, expected) in [
        (&["valid"][..], "validate"),
        (&["validate", "--fail"], "--fail-on"),
        (&["skills", "ad"], "add"),
        (&["bench", "comp"], "compare"),
        (&["check-abi", "--js"], "--json"),
        (&["completions", "zs"], "zsh"),
        (&["nix"], ""),
        (&["man"], ""),
    ] {
        assert_eq!(offered(&script, words), expected, "{words:?}");
    }
}
