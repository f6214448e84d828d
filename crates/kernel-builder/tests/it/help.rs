//! `--help` of every command: one screen with an example, never needing a project.

use crate::scene::Scene;

/// The commands that `--help` lists below some words.
fn commands(scene: &Scene, words: &[&str]) -> Vec<String> {
    let page = scene.run(&[words, &["--help"]].concat()).stdout;
    let listed = page.split("Commands:\n").nth(1).unwrap_or_default();
    let names = listed.lines().take_while(|line| !line.is_empty()).filter_map(|line| {
        let indented = line.strip_prefix("  ").filter(|line| !line.starts_with(' '))?;
        indented.split_whitespace().next().map(str::to_owned)
    });
    names.filter(|name| name != "help").collect()
}

#[test]
fn every_command_has_one_screen_of_help_with_an_example() {
    let scene = Scene::new();
    insta::assert_snapshot!("help", scene.run(&["--help"]));
    let top = commands(&scene, &[]);
    assert!(top.len() > 1, "the list of commands was not understood");
    for command in &top {
        let below = commands(&scene, &[command]);
        let pages = below.iter().map(|inner| vec![command.as_str(), inner.as_str()]);
        for words in std::iter::once(vec![command.as_str()]).chain(pages) {
            let name = words.join(" ");
            let help = scene.run(&[&words[..], &["--help"]].concat());
            assert!(help.stdout.lines().count() <= 48, "`{name} --help` is longer than a screen");
            assert!(help.stdout.contains("Example"), "`{name} --help` has no example");
            insta::assert_snapshot!(format!("help-{}", words.join("-")), help);
            let short = scene.run(&[&words[..], &["-h"]].concat());
            assert_eq!(short.stdout, help.stdout, "`{name} -h` differs from `--help`");
        }
    }
}

#[test]
fn the_version_names_the_commit() {
    let ran = Scene::new().run(&["-V"]);
    let commit =
        ran.stdout.strip_prefix("kernel-builder [VERSION] (").and_then(|rest| rest.strip_suffix(")\n"));
    let commit = commit.unwrap_or_else(|| panic!("{ran}"));
    let hash = commit.len() == 12 && commit.chars().all(|digit| digit.is_ascii_hexdigit());
    assert!(hash || commit == "unknown", "{commit}");
}

#[test]
fn without_a_command_the_help_is_shown() {
    let ran = Scene::new().run(&[]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("Usage: kernel-builder"), "{ran}");
}
