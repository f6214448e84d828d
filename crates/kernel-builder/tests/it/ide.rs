//! `ide`: every command of the database compiles its source as it stands, and settings of the user stay.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::build::project;

#[test]
#[expect(clippy::disallowed_methods, reason = "an editor runs the commands")]
fn every_command_of_the_database_compiles() {
    let scene = project();
    let ran = scene.run(&["ide"]);
    assert_eq!(ran.status, 0, "{ran}");
    let text =
        fs_err::read_to_string(scene.path(".kernel-builder/compile_commands.json")).expect("the database");
    let entries: Vec<Value> = serde_json::from_str(&text).expect("JSON");
    assert_eq!(entries.len(), 5, "{text}");
    for entry in &entries {
        let words: Vec<&str> =
            entry["arguments"].as_array().expect("words").iter().filter_map(Value::as_str).collect();
        let (output, before) = words.split_last().expect("words");
        assert_eq!(entry["output"], *output);
        let status = Command::new(before[0])
            .args(&before[1..before.len() - 1])
            .arg("-fsyntax-only")
            .current_dir(entry["directory"].as_str().expect("a directory"))
            .stdin(Stdio::null())
            .status();
        assert!(status.expect("the compiler starts").success(), "{words:?}");
    }
    assert!(!scene.path("build").exists(), "nothing is built");

    // The types of the operators, which do not ship; the tests, as an editor runs them.
    let stub = "tvm-ffi-ext/demo_op/_ops.pyi";
    let text = fs_err::read_to_string(scene.path(stub)).expect("the stub");
    assert!(text.contains("def __getattr__(self, name: str) -> Any: ..."), "{text}");
    crate::build::build(&scene, "", &[]);
    assert!(!scene.path(&format!("build/{}/_ops.pyi", crate::build::VARIANT)).exists());
    let settings = fs_err::read(scene.path(".vscode/settings.json")).expect("the settings");
    let settings: Value = serde_json::from_slice(&settings).expect("JSON");
    assert_eq!(settings["python.envFile"], "${workspaceFolder}/.kernel-builder/tests.env");
    assert_eq!(fs_err::read_to_string(scene.path(".kernel-builder/tests.env")).expect("the variables"), "");
    fs_err::write(scene.path(stub), "mine: int\n").expect("written");
    let ran = scene.run(&["ide"]);
    assert!(ran.status == 0 && ran.stdout.contains("_ops.pyi: somebody wrote or edited it"), "{ran}");
    assert_eq!(fs_err::read_to_string(scene.path(stub)).expect("the stub"), "mine: int\n");
    fs_err::remove_file(scene.path(stub)).expect("removed");

    fs_err::write(scene.path(".clangd"), "mine\n").expect("written");
    let ran = scene.run(&["ide"]);
    assert!(ran.status == 0 && ran.stdout.contains(".clangd: somebody wrote or edited it"), "{ran}");
    assert_eq!(fs_err::read_to_string(scene.path(".clangd")).expect("the file"), "mine\n");
}

#[test]
fn what_was_edited_stays_and_what_was_not_is_cleaned() {
    let scene = project();
    let ran = scene.run(&["ide"]);
    assert_eq!(ran.stdout.lines().filter(|line| line.starts_with("written ")).count(), 5, "{ran}");
    let ran = scene.run(&["ide"]);
    assert_eq!(ran.stdout.lines().filter(|line| line.starts_with("current ")).count(), 5, "{ran}");

    let (stub, variables) = ("tvm-ffi-ext/demo_op/_ops.pyi", ".kernel-builder/tests.env");
    let path = |name: &str| scene.path(name);
    let add = |name: &str| {
        let text = fs_err::read_to_string(path(name)).expect("the file") + "# mine\n";
        fs_err::write(path(name), &text).expect("written");
        text
    };
    let edited = [stub, variables].map(|name| (name, add(name)));
    let ran = scene.run(&["ide"]);
    for (name, text) in &edited {
        assert!(ran.stdout.contains(&format!("/{name}: somebody wrote or edited it")), "{ran}");
        assert_eq!(&fs_err::read_to_string(path(name)).expect("the file"), text);
    }
    let ran = scene.run(&["clean"]);
    for name in [stub, variables] {
        assert!(path(name).exists() && ran.stdout.contains(&format!("kept {name}: ")), "{ran}");
    }
    for name in [".clangd", ".vscode/settings.json"] {
        assert!(!path(name).exists() && ran.stdout.contains(&format!("removed {name}\n")), "{ran}");
    }
    assert!(!path(".vscode").exists());

    for name in [stub, variables] {
        fs_err::remove_file(path(name)).expect("removed");
    }
    assert_eq!(scene.run(&["ide"]).status, 0);
    let ran = scene.run(&["clean"]);
    assert!(ran.status == 0 && !ran.stdout.contains("kept"), "{ran}");
    assert!(!path(stub).exists() && !path(".kernel-builder").exists(), "{ran}");
}
