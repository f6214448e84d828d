//! The layers of settings: file, environment, flags; every fault named with its layer.

use crate::scene::Scene;

fn with_file(text: &str) -> Scene {
    let scene = Scene::new();
    let place = scene.path("config").display().to_string();
    scene.variable("XDG_CONFIG_HOME", &place).file("config/kernel-builder/config.toml", text)
}

fn coloured(scene: &Scene, arguments: &[&str]) -> bool {
    scene.run(&[arguments, &["explain", "no/code"]].concat()).stderr.contains('\u{1b}')
}

#[test]
fn a_later_layer_wins() {
    let scene = with_file("color = \"always\"\n");
    assert!(coloured(&scene, &[]));
    let scene = scene.variable("KERNEL_BUILDER_COLOR", "never");
    assert!(!coloured(&scene, &[]));
    assert!(coloured(&scene, &["--color", "always"]));
}

#[test]
fn the_options_of_commands_are_settings_too() {
    let manifest = "[general]\nname = \"demo-op\"\nversion = 1\nlicense = \"Apache-2.0\"\nbackends = [\"cpu\"]\n\n\
                    [torch-noarch]\n";
    let scene = with_file("python = \"/file/python\"\n").file("build.toml", manifest);
    let asked = |scene: &Scene, arguments: &[&str]| {
        let ran = scene.run(&[&["variants", "--explain"], arguments].concat());
        ["/file", "/variable", "/flag"].into_iter().filter(|at| ran.stderr.contains(at)).collect::<String>()
    };
    assert_eq!(asked(&scene, &[]), "/file");
    let scene = scene.variable("KERNEL_BUILDER_PYTHON", "/variable/python");
    assert_eq!(asked(&scene, &[]), "/variable");
    assert_eq!(asked(&scene, &["--python", "/flag/python"]), "/flag");

    for (variable, wrong) in [("KERNEL_BUILDER_JOBS", "many"), ("KERNEL_BUILDER_SANDBOX", "perhaps")] {
        let ran = Scene::new().variable(variable, wrong).run(&["explain"]);
        assert_eq!(ran.status, 2, "{ran}");
        assert!(ran.stderr.contains(&format!("`{variable}` is `{wrong}`")), "{ran}");
    }
}

#[test]
fn faults_of_all_layers_are_reported_together() {
    let scene = with_file("quiet = true\ncolour = \"always\"\n")
        .variable("KERNEL_BUILDER_COLOR", "blue")
        .variable("KERNEL_BUILDER_QUIET", "maybe")
        .variable("KERNEL_BUILDER_UNRELATED", "x");
    insta::assert_snapshot!("settings", scene.run(&["explain"]));
    insta::assert_snapshot!("settings-in-JSON", scene.run(&["explain", "--json"]));
}

#[test]
fn a_named_file_must_exist() {
    let ran = Scene::new().variable("KERNEL_BUILDER_CONFIG", "missing.toml").run(&["explain"]);
    assert_eq!(ran.status, 15);
    assert!(ran.stderr.contains("`missing.toml` cannot be read"), "{ran}");
}

#[test]
fn the_date_must_be_a_number() {
    let ran = Scene::new().variable("SOURCE_DATE_EPOCH", "today").run(&["explain"]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.starts_with("error[usage/settings]: `SOURCE_DATE_EPOCH` is `today`"), "{ran}");
}
