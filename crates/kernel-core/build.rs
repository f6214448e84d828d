//! Embeds the files of the sample project, so that the program needs none of its own at run time.

use std::fmt::Write;
use std::path::{Path, PathBuf};

fn main() {
    let root = Path::new(&variable("CARGO_MANIFEST_DIR")).join("../../templates/project");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let mut table = String::from("&[\n");
    for file in files {
        let name = file.strip_prefix(&root).expect("a file below the root").to_str().expect("a UTF-8 name");
        let place = file.to_str().expect("a UTF-8 path");
        writeln!(table, "    ({name:?}, include_str!({place:?})),").expect("writing to a string cannot fail");
    }
    table.push_str("]\n");
    fs_err::write(Path::new(&variable("OUT_DIR")).join("project_templates.rs"), table)
        .expect("the table can be written");
}

/// What cargo sets for this run: the sources may lie elsewhere than when this program was compiled.
fn variable(name: &str) -> String {
    std::env::vars().find(|(variable, _)| variable == name).expect("cargo names a directory").1
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs_err::read_dir(directory).expect("the templates can be listed") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|end| end == "j2") {
            files.push(path);
        }
    }
}
