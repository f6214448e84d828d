//! `skills`: what comes with the program is written where agents look, and nothing that somebody changed is replaced.

use crate::scene::Scene;

#[test]
fn skills_are_written_once_and_edits_are_kept() {
    let scene = Scene::new();
    let listed = scene.run(&["skills", "list"]);
    assert_eq!(listed.status, 0, "{listed}");
    for backend in ["cpu", "cuda", "rocm", "xpu", "metal", "triton"] {
        assert!(listed.stdout.contains(&format!("{backend}-kernels ")), "{listed}");
    }
    let add = |more: &[&str]| scene.run(&[&["skills", "add"], more].concat());
    let ran = add(&["--claude", "--codex", "--opencode", "--dest", "own place"]);
    assert_eq!((ran.status, ran.stdout.lines().count()), (0, 28), "{ran}");
    for place in [".claude/skills", ".codex/skills", ".opencode/skills", "own place"] {
        let text = fs_err::read_to_string(scene.path(place).join("kernel-loop/SKILL.md")).expect("a skill");
        assert!(text.starts_with("---\nname: kernel-loop\n") && text.contains("\nversion: "), "{text}");
    }
    let ran = add(&["--claude", "--global", "--skill", "cpu-kernels"]);
    assert!(ran.status == 0 && scene.path("../home/.claude/skills/cpu-kernels/SKILL.md").is_file(), "{ran}");

    let edited = scene.path(".claude/skills/cpu-kernels/SKILL.md");
    fs_err::write(&edited, "mine").expect("written");
    let ran = add(&["--claude", "--json"]);
    assert_eq!(
        (ran.status, ran.json().pop().expect("a line")["code"].clone()),
        (6, "skills/exists".into()),
        "{ran}"
    );
    assert_eq!(fs_err::read_to_string(&edited).expect("the file"), "mine");
    let ran = add(&["--claude", "--force"]);
    assert_eq!((ran.status, ran.stdout.matches("wrote ").count()), (0, 1), "{ran}");
}

#[test]
fn what_cannot_be_is_said() {
    let scene = Scene::new();
    let ran = scene.run(&["skills", "add", "--skill", "vulkan-kernels", "--claude"]);
    assert_eq!(ran.status, 2, "{ran}");
    assert!(ran.stderr.contains("error[skills/unknown]") && ran.stderr.contains("`cuda-kernels`"), "{ran}");
    assert_eq!(scene.run(&["skills", "add"]).status, 2);
    assert!(!scene.path(".claude").exists());
}
