//! Sealing is tested by being killed: this program runs itself, and ends it at any moment.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use kernel_spec::Backend;
use kernel_spec::metadata::BackendRecord;

use super::*;

const VARIANT: &str = "torch213-cxx11-cpu-x86_64-linux";

fn metadata(id: &str) -> Metadata {
    Metadata {
        name: "demo".parse().expect("a name"),
        id: id.to_owned(),
        version: 1,
        license: "MIT".to_owned(),
        upstream: None,
        source: None,
        python_depends: Vec::new(),
        kernel_depends: Vec::new(),
        kernels_minver: None,
        backend: BackendRecord { backend: Backend::Cpu, archs: None, others: serde_json::Map::default() },
        digest: None,
        provenance: None,
        build: None,
        publication: None,
        others: serde_json::Map::default(),
    }
}

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory"))
    }

    fn build(&self) -> Utf8PathBuf {
        Utf8Path::from_path(self.0.path()).expect("UTF-8").join("build")
    }

    fn variant(&self) -> Utf8PathBuf {
        self.build().join(VARIANT)
    }

    fn names(&self) -> Vec<String> {
        let entries = tree::walk(&self.build(), &|_| true).expect("walked");
        entries.into_iter().map(|entry| entry.path).collect()
    }
}

fn make(build: &Utf8Path, text: &str) -> Partial {
    let partial = Partial::create(build, VARIANT).expect("made");
    for name in ["__init__.py", "layers/__init__.py", "_demo.abi3.so"] {
        let path = partial.path().join(name);
        fs_err::create_dir_all(path.parent().expect("a parent")).expect("made");
        fs_err::write(path, text).expect("written");
    }
    partial
}

/// What is in place must be complete and of one piece; its id.
fn verify(variant: &Utf8Path) -> String {
    let text = fs_err::read(variant.join(METADATA)).expect("a sealed variant");
    let metadata = Metadata::from_json(&text).expect("whole");
    let files = digest::of_variant(variant).expect("a digest");
    assert_eq!(metadata.digest.expect("a digest").files, files);
    assert_eq!(fs_err::read_to_string(variant.join("__init__.py")).expect("read"), metadata.id);
    metadata.id
}

#[test]
fn a_sealed_variant_is_complete_and_plain() {
    let place = Place::new();
    let partial = make(&place.build(), "one");
    let made = partial.path();
    fs_err::create_dir_all(made.join("layers/__pycache__")).expect("made");
    fs_err::write(made.join("layers/__pycache__/x.cpython-311.pyc"), "").expect("written");
    fs_err::write(made.join(SIGNATURE), "old").expect("written");
    fs_err::set_permissions(made.join("_demo.abi3.so"), PermissionsExt::from_mode(0o700)).expect("set");
    let sealed = partial.complete(metadata("one")).and_then(Complete::seal).expect("sealed");
    assert!(sealed.changed);
    assert_eq!(sealed.directory, place.variant());
    assert_eq!(verify(&place.variant()), "one");
    let names: Vec<String> = place
        .names()
        .iter()
        .filter_map(|name| name.strip_prefix(&format!("{VARIANT}/")))
        .map(str::to_owned)
        .collect();
    assert_eq!(names, ["__init__.py", "_demo.abi3.so", "layers", "layers/__init__.py", "metadata.json"]);
    for (name, mode) in [("", 0o755), ("layers", 0o755), ("_demo.abi3.so", 0o644), (METADATA, 0o644)] {
        let permissions = fs_err::metadata(place.variant().join(name)).expect("there").permissions();
        assert_eq!(permissions.mode() & 0o7777, mode, "{name}");
    }
}

#[test]
fn a_new_result_takes_the_signature_with_it_and_an_equal_one_keeps_it() {
    let place = Place::new();
    make(&place.build(), "one").complete(metadata("one")).and_then(Complete::seal).expect("sealed");
    fs_err::write(place.variant().join(SIGNATURE), "signature").expect("written");
    let again =
        make(&place.build(), "one").complete(metadata("one")).and_then(Complete::seal).expect("sealed");
    assert!(!again.changed);
    assert!(place.variant().join(SIGNATURE).is_file());
    let edited = place.variant().join("layers/__init__.py");
    fs_err::write(edited, "edited").expect("written");
    assert!(
        make(&place.build(), "one")
            .complete(metadata("one"))
            .and_then(Complete::seal)
            .expect("sealed")
            .changed
    );
    assert!(!place.variant().join(SIGNATURE).exists());
    assert!(
        make(&place.build(), "two")
            .complete(metadata("two"))
            .and_then(Complete::seal)
            .expect("sealed")
            .changed
    );
    assert_eq!(verify(&place.variant()), "two");
    assert!(place.names().iter().all(|name| !name.starts_with('.')), "{:?}", place.names());
}

#[test]
fn what_no_build_has_made_is_left_alone() {
    let place = Place::new();
    fs_err::create_dir_all(place.variant()).expect("made");
    fs_err::write(place.variant().join("thesis.txt"), "").expect("written");
    let error =
        make(&place.build(), "one").complete(metadata("one")).and_then(Complete::seal).expect_err("refused");
    assert!(matches!(error, SealError::Foreign { .. }), "{error}");
    assert!(place.variant().join("thesis.txt").is_file());
    fs_err::remove_file(place.variant().join("thesis.txt")).expect("removed");
    make(&place.build(), "one")
        .complete(metadata("one"))
        .and_then(Complete::seal)
        .expect("an empty directory is nobody's");
}

#[test]
fn a_link_in_the_new_variant_is_refused() {
    let place = Place::new();
    let partial = make(&place.build(), "one");
    fs_err::os::unix::fs::symlink("/etc/passwd", partial.path().join("x.py")).expect("linked");
    assert!(matches!(
        partial.complete(metadata("one")).and_then(Complete::seal).expect_err("refused"),
        SealError::Odd { .. }
    ));
    assert!(!place.variant().exists());
}

#[test]
fn renames_do_where_names_cannot_be_exchanged() {
    let place = Place::new();
    for id in ["one", "two"] {
        make(&place.build(), id)
            .complete(metadata(id))
            .and_then(|complete| complete.seal_by(replace::replace_by_renames))
            .expect("sealed");
        assert_eq!(verify(&place.variant()), id);
    }
    // Killed between the two renames: the earlier result is put back.
    fs_err::rename(place.variant(), place.build().join(format!(".{VARIANT}.old"))).expect("moved");
    recover(&place.build()).expect("recovered");
    assert_eq!(verify(&place.variant()), "two");
    // Killed before the earlier result was removed: the new one stays.
    let old = place.build().join(format!(".{VARIANT}.old"));
    fs_err::create_dir(&old).expect("made");
    fs_err::write(old.join(METADATA), "").expect("written");
    recover(&place.build()).expect("recovered");
    assert_eq!(verify(&place.variant()), "two");
    assert!(!old.exists());
}

/// Set for the copy of this program that seals until it is killed: the build directory.
const VICTIM: &str = "KERNEL_BUILDER_TEST_SEAL_IN";
/// Set with it where two renames must do.
const BY_RENAMES: &str = "KERNEL_BUILDER_TEST_SEAL_BY_RENAMES";

#[test]
#[allow(clippy::disallowed_methods, reason = "the victim is this very program, ended by hand")]
fn a_kill_at_any_moment_leaves_a_good_result() {
    if let Ok(build) = std::env::var(VICTIM) {
        let replace =
            if std::env::var(BY_RENAMES).is_ok() { replace::replace_by_renames } else { replace::replace };
        for round in 0.. {
            let id = format!("_{}_{round}", std::process::id());
            make(Utf8Path::new(&build), &id)
                .complete(metadata(&id))
                .and_then(|complete| complete.seal_by(replace))
                .expect("sealed");
        }
    }
    let program = std::env::current_exe().expect("this program");
    for by_renames in [false, true] {
        let place = Place::new();
        make(&place.build(), "first").complete(metadata("first")).and_then(Complete::seal).expect("sealed");
        for round in 0..20_u64 {
            let mut victim = std::process::Command::new(&program);
            victim.args(["--exact", "seal::tests::a_kill_at_any_moment_leaves_a_good_result"]);
            victim.env(VICTIM, place.build()).stdout(std::process::Stdio::null());
            if by_renames {
                victim.env(BY_RENAMES, "1");
            }
            let mut victim = victim.spawn().expect("started");
            // It must have sealed once; then it is killed in the middle of one of its next rounds.
            let sign = format!("\"_{}_", victim.id());
            while !fs_err::read_to_string(place.variant().join(METADATA))
                .is_ok_and(|text| text.contains(&sign))
            {
                assert!(victim.try_wait().expect("asked").is_none(), "the victim ended by itself");
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(Duration::from_micros(round * 1_370));
            victim.kill().expect("killed");
            victim.wait().expect("ended");
            if by_renames {
                recover(&place.build()).expect("recovered");
            }
            assert!(verify(&place.variant()).starts_with(&sign[1..]));
        }
        make(&place.build(), "last").complete(metadata("last")).and_then(Complete::seal).expect("sealed");
        assert_eq!(verify(&place.variant()), "last");
        assert!(place.names().iter().all(|name| !name.starts_with('.')), "{:?}", place.names());
    }
}

#[test]
fn what_signing_added_stays_while_the_build_is_the_same() {
    let place = Place::new();
    make(&place.build(), "id").complete(metadata("id")).expect("complete").seal().expect("sealed");
    let text = fs_err::read(place.variant().join(METADATA)).expect("metadata");
    let sealed = Metadata::from_json(&text).expect("metadata");
    let to = crate::trust::set::Place { repository: "acme/demo".to_owned(), branch: "v1".to_owned() };
    let signed = crate::trust::set::placed(&sealed, &to, VARIANT, "set").to_json();
    fs_err::write(place.variant().join(METADATA), &signed).expect("written");
    for known in [text.as_slice(), signed.as_bytes()] {
        assert!(crate::artifacts::is_of(&place.variant(), &crate::trust::set::sha256(known)), "results stay");
    }
    assert!(!crate::artifacts::is_of(&place.variant(), &crate::trust::set::sha256(b"")));
    fs_err::write(place.variant().join(SIGNATURE), "{}").expect("written");
    let again =
        make(&place.build(), "id").complete(metadata("id")).expect("complete").seal().expect("sealed");
    assert!(!again.changed && place.variant().join(SIGNATURE).exists());
    assert_eq!(fs_err::read_to_string(place.variant().join(METADATA)).expect("metadata"), signed);
    let other =
        make(&place.build(), "new").complete(metadata("new")).expect("complete").seal().expect("sealed");
    assert!(other.changed && !place.variant().join(SIGNATURE).exists());
}
