//! Git: the commit in binary and metadata, and that no kind of checkout changes what is built.

use std::path::Path;

use camino::Utf8Path;
use kernel_core::stamp;
use serde_json::Value;

use crate::build::{VARIANT, build, kernel, library, scene, steps};
use crate::scene::Scene;

/// The settings of whoever runs the tests stay out of it.
const IDENTITY: [&str; 6] =
    ["-c", "user.name=Somebody", "-c", "user.email=somebody@invalid", "-c", "commit.gpgSign=false"];

fn git(scene: &Scene, folder: &str, arguments: &[&str]) -> String {
    #[expect(clippy::disallowed_methods, reason = "the tests start git as a shell does")]
    let output = std::process::Command::new("git")
        .args(IDENTITY)
        .args(arguments)
        .current_dir(scene.path(folder))
        .output()
        .expect("git is needed");
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn commit(scene: &Scene, folder: &str) -> String {
    git(scene, folder, &["add", "--all"]);
    git(scene, folder, &["commit", "--quiet", "--message", "A state"]);
    git(scene, folder, &["rev-parse", "HEAD"])
}

/// A kernel in a repository of its own, below the scene's directory.
fn committed(scene: Scene, folder: &str, options: &[&str]) -> (Scene, String) {
    let scene = kernel(scene, &format!("{folder}/"))
        .file(&format!("{folder}/.gitignore"), "build/\n.kernel-builder/\n");
    git(&scene, folder, &[&["init", "--quiet"], options].concat());
    let id = commit(&scene, folder);
    (scene, id)
}

fn metadata(scene: &Scene, folder: &str) -> Value {
    let path = scene.path(&format!("{folder}/build/{VARIANT}/metadata.json"));
    serde_json::from_slice(&fs_err::read(path).expect("metadata")).expect("JSON")
}

fn note(scene: &Scene, folder: &str) -> stamp::Note {
    let directory = scene.path(&format!("{folder}/build/{VARIANT}"));
    let is_library = |path: &Path| path.extension().is_some_and(|end| end == "so");
    let mut paths =
        fs_err::read_dir(directory).expect("a variant").map(|entry| entry.expect("an entry").path());
    let path = paths.find(|path| is_library(path)).expect("a library");
    stamp::read(Utf8Path::from_path(&path).expect("UTF-8")).expect("readable").expect("a note")
}

/// What the library and the metadata say; they must agree.
fn state(scene: &Scene, folder: &str) -> (String, bool) {
    let state = note(scene, folder).kernel.expect("a commit");
    let recorded = &metadata(scene, folder)["provenance"]["kernel"];
    assert_eq!(
        (recorded["commit"].as_str(), recorded["dirty"].as_bool()),
        (Some(&*state.commit), Some(state.dirty))
    );
    (state.commit, state.dirty)
}

#[test]
fn a_commit_of_documents_restamps_and_compiles_nothing() {
    let (scene, first) = committed(scene(), "repo", &[]);
    let built = build(&scene, "repo", &[]);
    assert_eq!(state(&scene, "repo"), (first.clone(), false));
    let scene = scene.file("repo/README.md", "# other words\n");
    assert_eq!(build(&scene, "repo", &[])["work"], "up-to-date", "documents are no part of the kernel");
    let second = commit(&scene, "repo");
    let restamped = build(&scene, "repo", &[]);
    assert_eq!((restamped["work"].as_str(), steps(&restamped).len()), (Some("restamped"), 0));
    assert_eq!(restamped["id"], built["id"]);
    assert_ne!(first, second);
    assert_eq!(state(&scene, "repo"), (second.clone(), false));
    assert_eq!(build(&scene, "repo", &[])["work"], "up-to-date");
    // A source that differs from the commit makes the kernel dirty; going back makes it clean.
    let text = fs_err::read_to_string(scene.path("repo/a/k.cpp")).expect("readable");
    let scene = scene.file("repo/a/k.cpp", &text.replace("return 1", "return 3"));
    build(&scene, "repo", &[]);
    assert_eq!(state(&scene, "repo"), (second.clone(), true));
    let scene = scene.file("repo/a/k.cpp", &text);
    let back = build(&scene, "repo", &[]);
    assert_eq!((back["id"] == built["id"], state(&scene, "repo")), (true, (second, false)));
}

#[test]
fn every_kind_of_checkout_has_one_id_and_one_binary() {
    let (scene, sha1) = committed(scene(), "repo", &[]);
    let scene = scene.file("repo/README.md", "# second\n");
    let newest = commit(&scene, "repo");
    assert_ne!(sha1, newest);
    git(&scene, "repo", &["worktree", "add", "--quiet", "--detach", "../worktree"]);
    let address = format!("file://{}", scene.path("repo").display());
    git(&scene, "", &["clone", "--quiet", "--depth", "1", &address, "shallow"]);
    let (scene, sha256) = committed(scene, "sha256", &["--object-format=sha256"]);
    let scene = kernel(scene, "plain/");
    let first = build(&scene, "repo", &[]);
    let expected = same_but_stamped(library(&scene, "repo/"));
    for (folder, commit) in
        [("worktree", Some(&newest)), ("shallow", Some(&newest)), ("sha256", Some(&sha256)), ("plain", None)]
    {
        let built = build(&scene, folder, &[]);
        assert_eq!(built["id"], first["id"], "{folder}");
        assert_eq!(same_but_stamped(library(&scene, &format!("{folder}/"))), expected, "{folder}");
        let unknown = metadata(&scene, folder)["x-kernel-builder"]["provenance-unknown"].clone();
        match (commit, note(&scene, folder).kernel) {
            (Some(commit), Some(state)) => {
                assert_eq!((&state.commit, state.dirty), (commit, false), "{folder}");
            }
            // Not every libgit2 reads repositories of SHA-256; then the reason is told.
            (Some(_), None) => {
                assert!(folder == "sha256" && unknown.as_str().is_some(), "{folder}: {unknown}");
            }
            (None, state) => {
                assert_eq!(state, None);
                assert!(unknown.as_str().expect("a reason").contains("no git repository"), "{unknown}");
            }
        }
    }
}

#[test]
fn a_checkout_that_belongs_to_another_user_has_the_same_id() {
    if !rustix::process::geteuid().is_root() {
        println!("skipped: only root can give files to another user");
        return;
    }
    let (scene, commit) = committed(scene(), "repo", &[]);
    let own = build(&scene, "repo", &[]);
    scene.tool("chown", &["-R", "65534:65534", "repo"]);
    let foreign = build(&scene, "repo", &[]);
    assert_eq!(foreign["id"], own["id"]);
    assert_eq!(state(&scene, "repo"), (commit, false));
}

/// The bytes without the provenance note's content. The note is the one part of a library that says which commit it was
/// made from, so with and without git history the libraries are equal in everything else.
pub(crate) fn same_but_stamped(mut bytes: Vec<u8>) -> Vec<u8> {
    const MAGIC: &[u8] = b"KBNOTE01";
    let found: Vec<usize> =
        bytes.windows(MAGIC.len()).enumerate().filter(|(_, part)| *part == MAGIC).map(|(at, _)| at).collect();
    assert_eq!(found.len(), 1, "one note");
    bytes[found[0] + MAGIC.len()..found[0] + 96].fill(0);
    bytes
}
