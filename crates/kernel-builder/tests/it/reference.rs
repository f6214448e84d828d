//! The generated part of the documentation is what the program says today. `INSTA_UPDATE=always` writes it anew.

use std::fmt::Write;

use kernel_spec::{Code, Event, ExitClass};
use serde_json::Value;

use crate::help::pages;
use crate::scene::{Scene, repository};

/// Holds a file of the documentation against what it must say.
fn is_current(path: &str, text: &str) {
    let file = repository().join("docs").join(path);
    if std::env::vars().any(|(name, value)| name == "INSTA_UPDATE" && value == "always") {
        fs_err::create_dir_all(file.parent().expect("a directory")).expect("the directory");
        fs_err::write(&file, text).expect("the file is written");
    }
    let committed = fs_err::read_to_string(&file).unwrap_or_default();
    assert!(committed == text, "docs/{path} is not current: run this test with INSTA_UPDATE=always");
}

#[test]
fn the_command_line() {
    let mut text = String::from("# Command line\n\nGenerated from `--help`.\n");
    for (name, page) in pages(&Scene::new()) {
        write!(text, "\n## `{name}`\n\n```text\n{}\n```\n", page.stdout.trim_end()).expect("a string");
    }
    is_current("reference/command-line.md", &text);
}

#[test]
fn the_exit_codes() {
    let schema = schemars::schema_for!(ExitClass).to_value();
    let named = schema["oneOf"].as_array().expect("one schema for each class");
    assert_eq!(named.len(), ExitClass::ALL.len());
    let mut text = String::from(
        "# Exit codes\n\nScripts may rely on them. Generated from the code.\n\n| status | name | meaning |\n|---|---|---|\n",
    );
    for (class, row) in ExitClass::ALL.iter().zip(named) {
        let field = |name: &str| row[name].as_str().unwrap_or_else(|| panic!("{row} has no {name}"));
        writeln!(text, "| {} | {} | {} |", class.status(), field("const"), field("description"))
            .expect("a string");
    }
    text.push_str(
        "\nA file or directory that is named, on the line or by a variable, and is missing or cannot be read is always 15, whatever \
         reads it; a project without a `build.toml` is 3, and an interpreter or a tool that is missing is 4.\n",
    );
    is_current("reference/exit-codes.md", &text);
}

#[test]
fn the_error_codes() {
    let mut text = String::from(
        "# Codes of errors and findings\n\nThe same as `kernel-builder explain`. Generated from the code.\n",
    );
    for code in Code::all() {
        let Code { id, exit, meaning, example, remedy } = code;
        write!(
            text,
            "\n## `{id}`\n\n{meaning}.\n\n- Example: {example}\n- What to do: {remedy}\n- Exit status: {}\n",
            exit.status()
        )
        .expect("a string");
    }
    is_current("reference/error-codes.md", &text);
}

#[test]
fn the_events() {
    let schema = schemars::schema_for!(Event).to_value();
    let mut text = String::from(
        "# Events\n\nWith `--json` standard output is JSON Lines, one event a line. The first is `start`, the last is \
         `report` or `error`. `kernel-builder schema events` prints their schema. Generated from the code.\n",
    );
    for event in schema["oneOf"].as_array().expect("one schema for each event") {
        let name = event["properties"]["event"]["const"].as_str().expect("a name");
        write!(text, "\n## `{name}`\n\n{}\n", event["description"].as_str().expect("a description"))
            .expect("a string");
        if let Some(target) = event["$ref"].as_str() {
            let of = target.rsplit('/').next().unwrap_or_default();
            text.push_str(&fields(&schema["$defs"][of]));
        }
        text.push_str(&fields(event));
    }
    is_current("reference/events.md", &text);
}

fn fields(object: &Value) -> String {
    let properties = object["properties"].as_object().into_iter().flatten();
    let rows: Vec<String> = properties
        .filter(|(name, _)| *name != "event")
        .map(|(name, schema)| format!("- `{name}`: {}", schema["description"].as_str().unwrap_or_default()))
        .collect();
    if rows.is_empty() { String::new() } else { format!("\n{}\n", rows.join("\n")) }
}

#[test]
fn the_schemas() {
    for of in ["build.toml", "workloads.toml", "events", "report", "bench-result"] {
        let ran = Scene::new().run(&["schema", of]);
        assert_eq!(ran.status, 0, "{ran}");
        serde_json::from_str::<Value>(&ran.stdout).expect("JSON");
        is_current(&format!("schema/{of}.json"), &ran.stdout);
    }
}
