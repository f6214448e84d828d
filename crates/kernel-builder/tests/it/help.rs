//! `--help` of every command: one screen with an example, never needing a project. Its text is held against the
//! reference in `docs`.

use crate::scene::{Ran, Scene};

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

/// The help of the program, of every command, and of the commands below those.
pub(crate) fn pages(scene: &Scene) -> Vec<(String, Ran)> {
    let mut names = vec![Vec::new()];
    for command in commands(scene, &[]) {
        let below = commands(scene, &[&command]);
        names.push(vec![command.clone()]);
        names.extend(below.into_iter().map(|inner| vec![command.clone(), inner]));
    }
    let page = |words: Vec<String>| {
        let arguments: Vec<&str> = words.iter().map(String::as_str).chain(["--help"]).collect();
        (
            ["kernel-builder"]
                .into_iter()
                .chain(words.iter().map(String::as_str))
                .collect::<Vec<_>>()
                .join(" "),
            scene.run(&arguments),
        )
    };
    names.into_iter().map(page).collect()
}

#[test]
fn every_command_has_one_screen_of_help_with_an_example() {
    let scene = Scene::new();
    let pages = pages(&scene);
    assert!(pages.len() > 2, "the list of commands was not understood");
    for (name, help) in &pages {
        let words: Vec<&str> = name.split(' ').skip(1).collect();
        assert!(help.stdout.lines().count() <= 48, "`{name} --help` is longer than a screen");
        assert!(words.is_empty() || help.stdout.contains("Example"), "`{name} --help` has no example");
        assert_eq!((help.status, help.stderr.as_str()), (0, ""), "`{name} --help`");
        let short = scene.run(&[&words[..], &["-h"]].concat());
        assert_eq!(short.stdout, help.stdout, "`{name} -h` differs from `--help`");
    }
}

/// Descriptions begin with a capital letter or a literal.
#[test]
fn descriptions_have_one_form() {
    for (name, help) in &pages(&Scene::new()) {
        let about = help.stdout.lines().next().expect("a description");
        let described = help.stdout.lines().filter_map(|line| {
            let rest =
                line.strip_prefix("  ").filter(|rest| !rest.trim_start().starts_with("kernel-builder "))?;
            let (_, text) = rest.trim_start().split_once("  ")?;
            Some(text.trim())
        });
        for text in std::iter::once(about).chain(described) {
            let begins =
                text.starts_with(|first: char| first.is_ascii_uppercase() || matches!(first, '`' | '['));
            assert!(begins, "`{name} --help`: {text}");
        }
    }
}

/// Help is for people: it is text whatever else is on the line.
#[test]
fn help_and_version_are_text_also_with_json() {
    let scene = Scene::new();
    for words in [&["--json", "--help"][..], &["bench", "--json", "--help"], &["--json", "-V"]] {
        let without: Vec<&str> = words.iter().copied().filter(|word| *word != "--json").collect();
        let (with, plain) = (scene.run(words), scene.run(&without));
        assert_eq!((with.status, with.stdout), (0, plain.stdout));
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
