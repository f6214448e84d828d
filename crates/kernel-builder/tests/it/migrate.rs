//! `migrate`: what is shown, what is written, and what is refused.

use crate::scene::Scene;

const FOUR: &str = "# My kernel.\n[general]\nname = \"demo-op\"\nversion = 1\nlicense = \"MIT\"\nbackends = [\"cpu\"] # for now\n\n[torch]\n";

fn scene(manifest: &str) -> Scene {
    Scene::new().file("build.toml", manifest)
}

fn manifest(scene: &Scene) -> String {
    fs_err::read_to_string(scene.path("build.toml")).expect("a manifest")
}

#[test]
fn a_change_is_shown_checked_and_written() {
    let scene = scene(FOUR);
    insta::assert_snapshot!("migrate-diff", scene.run(&["migrate", "--diff"]));
    let ran = scene.run(&["migrate", "--check", "."]);
    assert_eq!((ran.status, manifest(&scene).as_str()), (6, FOUR), "{ran}");
    insta::assert_snapshot!("migrate", scene.run(&["update-build"]));
    assert_eq!(manifest(&scene), FOUR.replace("# for now\n", "# for now\nedition = 5\n"));
    let ran = scene.run(&["migrate", "--check"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{ran}");
}

#[test]
fn a_file_without_framework_is_not_guessed() {
    let scene = scene(&FOUR.replace("\n[torch]\n", ""));
    insta::assert_snapshot!("migrate-without-framework", scene.run(&["migrate"]));
    let ran = scene.run(&["migrate", "--from", "3"]);
    assert_eq!(ran.status, 0, "{ran}");
    assert!(manifest(&scene).ends_with("edition = 5\n\n[torch-noarch]\n"), "{}", manifest(&scene));
}
