//! Stamping is tested on libraries that the machine's own compiler makes from the real identity unit.

use std::io::{Seek, SeekFrom, Write};

use super::*;

/// The identity unit without Python, with as many notes as asked for.
fn library(directory: &Utf8Path, notes: usize) -> Utf8PathBuf {
    let template = include_str!("../../../../templates/build/identity.c.j2");
    let mut environment = minijinja::Environment::new();
    environment.add_filter("c_string", |text: String| format!("\"{text}\""));
    let values = minijinja::context! { id => "_demo_cpu_x", python_module => false };
    let unit = environment.render_str(template, values).expect("rendered");
    let mut sources = vec![directory.join("empty.c")];
    fs_err::write(&sources[0], "int empty;").expect("written");
    for number in 0..notes {
        let path = directory.join(format!("unit{number}.c"));
        let name = format!("kernel_builder_identity{number}");
        fs_err::write(&path, unit.replace("kernel_builder_identity", &name)).expect("written");
        sources.push(path);
    }
    let library = directory.join("library.so");
    compile(&sources, &library, &[]);
    library
}

#[allow(clippy::disallowed_methods, reason = "a test's own compiler")]
fn compile(sources: &[Utf8PathBuf], library: &Utf8Path, flags: &[&str]) {
    let status = std::process::Command::new("cc")
        .args(["-shared", "-fPIC", "-s", "-o", library.as_str()])
        .args(flags)
        .args(sources)
        .status()
        .expect("a C compiler");
    assert!(status.success());
}

fn state(commit: &str, dirty: bool) -> GitState {
    GitState { commit: commit.to_owned(), dirty }
}

#[test]
fn a_stamp_is_read_back_and_changes_nothing_else() {
    let directory = tempfile::tempdir().expect("a directory");
    let library = library(Utf8Path::from_path(directory.path()).expect("UTF-8"), 1);
    let before = fs_err::read(&library).expect("read");
    assert_eq!(read(&library).expect("read"), Some(Note { kernel: None, tool: String::new() }));
    for state in [state(&"0a".repeat(20), false), state(&"0b".repeat(32), true)] {
        stamp(&library, Some(&state), "1.2.3").expect("stamped");
        let note = read(&library).expect("read").expect("a note");
        assert_eq!(note, Note { kernel: Some(state), tool: "1.2.3".to_owned() });
    }
    let after = fs_err::read(&library).expect("read");
    let changed = before.iter().zip(&after).filter(|(before, after)| before != after).count();
    assert!(before.len() == after.len() && changed > 64 && changed <= LENGTH, "{changed} bytes differ");
    // Without a known commit, no trace of an earlier one stays.
    stamp(&library, None, "").expect("stamped");
    assert_eq!(fs_err::read(&library).expect("read"), before);
}

#[test]
fn section_headers_are_not_needed() {
    let directory = tempfile::tempdir().expect("a directory");
    let library = library(Utf8Path::from_path(directory.path()).expect("UTF-8"), 1);
    let mut file = fs_err::OpenOptions::new().write(true).open(&library).expect("opened");
    // e_shoff, then e_shentsize to e_shstrndx of Elf64_Ehdr.
    for (at, length) in [(0x28, 8), (0x3a, 6)] {
        file.seek(SeekFrom::Start(at)).expect("moved");
        file.write_all(&vec![0; length]).expect("written");
    }
    drop(file);
    stamp(&library, Some(&state(&"0c".repeat(20), false)), "").expect("stamped");
    assert_eq!(read(&library).expect("read").expect("a note").kernel, Some(state(&"0c".repeat(20), false)));
}

#[test]
fn exactly_one_note_is_required() {
    let directory = tempfile::tempdir().expect("a directory");
    let directory = Utf8Path::from_path(directory.path()).expect("UTF-8");
    for notes in [0, 2] {
        let library = library(directory, notes);
        let before = fs_err::read(&library).expect("read");
        let error = stamp(&library, None, "").expect_err("refused");
        assert!(matches!(error, StampError::Count { count, .. } if count == notes), "{error}");
        assert_eq!(fs_err::read(&library).expect("read"), before);
    }
    assert_eq!(read(&library(directory, 0)).expect("read"), None);
}

#[test]
fn other_files_are_refused_with_words() {
    let directory = tempfile::tempdir().expect("a directory");
    let directory = Utf8Path::from_path(directory.path()).expect("UTF-8");
    let whole = fs_err::read(library(directory, 1)).expect("read");
    let file = directory.join("file");
    for bytes in [&b""[..], b"\x7fELF", b"text", &whole[..100]] {
        fs_err::write(&file, bytes).expect("written");
        assert!(matches!(read(&file), Err(StampError::Format { .. })), "{} bytes", bytes.len());
    }
}

proptest::proptest! {
    #[test]
    fn no_notes_make_the_search_fail(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
        for (at, size) in descriptors(&bytes, 4, u32::from_le_bytes) {
            proptest::prop_assert!(at + size <= bytes.len());
        }
    }
}
