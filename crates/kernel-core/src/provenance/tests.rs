//! Provenance is tested on repositories that the real git makes.

use super::*;

struct Scene(tempfile::TempDir);

impl Scene {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory"))
    }

    fn root(&self) -> Utf8PathBuf {
        Utf8Path::from_path(self.0.path()).expect("UTF-8").canonicalize_utf8().expect("there")
    }

    /// A repository with two kernels and one commit.
    fn repository(arguments: &[&str]) -> Self {
        let scene = Self::new();
        scene.git("repo", &[&["init", "-q", "-b", "main"], arguments].concat());
        for kernel in ["one", "two"] {
            scene.write(&format!("repo/{kernel}/build.toml"), "");
            scene.write(&format!("repo/{kernel}/k.cpp"), "");
            scene.write(&format!("repo/{kernel}/torch-ext/one/__init__.py"), "");
        }
        scene.write("repo/README.md", "");
        scene.write("repo/.gitignore", "generated.h\nbuild/\n");
        scene.commit("repo");
        scene
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs_err::create_dir_all(path.parent().expect("a parent")).expect("made");
        fs_err::write(path, text).expect("written");
    }

    #[allow(clippy::disallowed_methods, reason = "a test's own git")]
    fn git(&self, directory: &str, arguments: &[&str]) -> String {
        let directory = self.root().join(directory);
        fs_err::create_dir_all(&directory).expect("made");
        let output = std::process::Command::new("git")
            .args(["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always"])
            .args(["-c", "safe.directory=*"])
            .args(arguments)
            .current_dir(directory)
            .output()
            .expect("git");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    fn commit(&self, directory: &str) {
        self.git(directory, &["add", "-A"]);
        self.git(directory, &["commit", "-q", "-m", "x"]);
    }

    fn of(&self, project: &str, files: &[&str]) -> Provenance {
        Repository::open(&self.root().join(project)).provenance(files.iter().copied(), Some("torch-ext/one"))
    }

    fn dirty(&self, project: &str, files: &[&str]) -> bool {
        match self.of(project, files) {
            Provenance::Known(state) => state.dirty,
            Provenance::Unknown(reason) => panic!("unknown: {reason}"),
        }
    }
}

const INPUTS: &[&str] = &["k.cpp", "torch-ext/one/__init__.py"];

/// The cases of a monorepo: generated files, an edited source, an untracked source, a document, a sibling.
#[test]
fn only_the_kernels_own_files_make_it_dirty() {
    let scene = Scene::repository(&[]);
    let commit = scene.git("repo", &["rev-parse", "HEAD"]);
    let clean = Provenance::Known(GitState { commit, dirty: false });
    scene.write("repo/one/build/x/metadata.json", "");
    scene.write("repo/one/CMakeLists.txt", "");
    scene.write("repo/README.md", "edited");
    scene.write("repo/two/k.cpp", "edited");
    assert_eq!(scene.of("repo/one", INPUTS), clean);
    assert!(scene.dirty("repo/two", INPUTS));

    scene.write("repo/one/new.h", "");
    assert!(scene.dirty("repo/one", &["k.cpp", "new.h"]));
    scene.write("repo/one/generated.h", "");
    assert!(scene.dirty("repo/one", &["k.cpp", "generated.h"]));
    let repository = Repository::open(&scene.root().join("repo/one"));
    let untracked = repository.untracked(["k.cpp", "new.h", "generated.h"]);
    assert_eq!(untracked.expect("known"), ["generated.h".to_owned(), "new.h".to_owned()].into());

    scene.write("repo/one/k.cpp", "edited");
    assert!(scene.dirty("repo/one", INPUTS));
    scene.git("repo", &["add", "one/k.cpp"]);
    assert!(scene.dirty("repo/one", INPUTS), "a staged edit is no commit");
    scene.commit("repo");
    assert!(!scene.dirty("repo/one", INPUTS));
    scene.write("repo/one/build.toml", "# edited");
    assert!(scene.dirty("repo/one", INPUTS));
    scene.commit("repo");
    fs_err::remove_file(scene.root().join("repo/one/torch-ext/one/__init__.py")).expect("removed");
    assert!(scene.dirty("repo/one", &["k.cpp"]), "a file that no longer ships is a difference");
}

#[test]
fn a_link_is_as_dirty_as_what_it_means() {
    let scene = Scene::repository(&[]);
    fs_err::os::unix::fs::symlink("../two/k.cpp", scene.root().join("repo/one/linked.cpp")).expect("linked");
    scene.commit("repo");
    assert!(!scene.dirty("repo/one", &["linked.cpp"]));
    scene.write("repo/two/k.cpp", "edited");
    assert!(scene.dirty("repo/one", &["linked.cpp"]));
}

#[test]
fn worktrees_shallow_clones_and_submodules_have_their_commit() {
    let scene = Scene::repository(&[]);
    let commit = scene.git("repo", &["rev-parse", "HEAD"]);
    let clean = Provenance::Known(GitState { commit, dirty: false });
    scene.git("repo", &["worktree", "add", "-q", "../tree"]);
    assert_eq!(scene.of("tree/one", INPUTS), clean);
    let url = format!("file://{}", scene.root().join("repo"));
    scene.git(".", &["clone", "-q", "--depth", "1", &url, "shallow"]);
    assert_eq!(scene.of("shallow/one", INPUTS), clean);

    scene.git("outer", &["init", "-q", "-b", "main"]);
    scene.git("outer", &["submodule", "-q", "add", &url, "sub"]);
    scene.write("outer/build.toml", "");
    scene.commit("outer");
    assert_eq!(scene.of("outer/sub/one", INPUTS), clean);
    let outer = scene.git("outer", &["rev-parse", "HEAD"]);
    let files = ["sub/one/k.cpp"];
    assert_eq!(scene.of("outer", &files), Provenance::Known(GitState { commit: outer, dirty: false }));
    scene.write("outer/sub/two/k.cpp", "edited");
    assert!(!scene.dirty("outer", &files));
    scene.write("outer/sub/one/k.cpp", "edited");
    assert!(scene.dirty("outer", &files));
    scene.commit("outer/sub");
    assert!(scene.dirty("outer", &files), "the submodule moved and the outer repository does not say so");
}

#[test]
fn a_checkout_of_another_user_is_read() {
    let scene = Scene::repository(&[]);
    if !rustix::process::getuid().is_root() {
        eprintln!("skipped: only root can give a checkout to another user");
        return;
    }
    let nobody = (Some(rustix::fs::Uid::from_raw(65534)), Some(rustix::fs::Gid::from_raw(65534)));
    for path in ["repo", "repo/.git", "repo/one"] {
        rustix::fs::chown(scene.root().join(path).as_std_path(), nobody.0, nobody.1).expect("given away");
    }
    assert!(!scene.dirty("repo/one", INPUTS));
}

#[test]
fn what_cannot_be_known_comes_with_the_reason() {
    let reason = |scene: &Scene, project: &str| match scene.of(project, INPUTS) {
        Provenance::Unknown(reason) => reason,
        Provenance::Known(state) => panic!("known: {state:?}"),
    };
    let scene = Scene::new();
    scene.write("plain/build.toml", "");
    assert_eq!(reason(&scene, "plain"), "the project is in no git repository");
    scene.git("empty", &["init", "-q"]);
    assert_eq!(reason(&scene, "empty"), "the git repository has no commit yet");
    let scene = Scene::repository(&["--object-format=sha256"]);
    let reason = reason(&scene, "repo/one");
    assert!(reason.starts_with("the git repository cannot be read: "), "{reason}");
}
