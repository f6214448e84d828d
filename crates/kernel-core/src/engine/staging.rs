//! The staged copy of the inputs: exactly the closed set and nothing else. It is kept between builds, and a file in it
//! is written only when its content has changed, whatever the times of the original say; so Ninja sees a change of
//! content and nothing but that.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::plan::Input;

use crate::atomic;

/// Where what is staged is written down, beside the staged tree.
const RECORD: &str = "staged.json";

/// Brings the staged tree into the state of the inputs.
pub fn update<'a>(
    project: &Utf8Path,
    staged: &Utf8Path,
    inputs: impl Iterator<Item = &'a Input>,
) -> std::io::Result<()> {
    let record = staged.parent().unwrap_or(staged).join(RECORD);
    let wanted: BTreeMap<&str, &str> =
        inputs.map(|input| (input.path.as_str(), input.sha256.as_str())).collect();
    let known: BTreeMap<String, String> =
        fs_err::read(&record).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
    // What is written down must never claim more than is there, so it goes first and comes back last.
    if known.iter().map(|(path, hash)| (path.as_str(), hash.as_str())).eq(wanted.clone()) && staged.is_dir() {
        return Ok(());
    }
    let _ = fs_err::remove_file(&record);
    // The sandbox mounts the build directories here, and cannot make a place for them in a read-only tree.
    fs_err::create_dir_all(staged.join(crate::render::ninja::WORK))?;
    for path in known.keys().filter(|path| !wanted.contains_key(path.as_str())) {
        let _ = fs_err::remove_file(staged.join(path));
    }
    for (path, hash) in &wanted {
        let target = staged.join(path);
        if known.get(*path).is_some_and(|known| known == hash) && target.is_file() {
            continue;
        }
        copy(&project.join(path), &target)?;
    }
    atomic::write(&record, &serde_json::to_vec(&wanted)?)
}

/// Half a copy does no harm: as long as there is no record, everything is copied again.
fn copy(source: &Utf8Path, target: &Utf8Path) -> std::io::Result<()> {
    fs_err::create_dir_all(target.parent().unwrap_or(target))?;
    match fs_err::remove_file(target) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs_err::copy(source, target)?;
    // Whatever rights the original has, the next update must be able to replace the copy.
    fs_err::set_permissions(target, PermissionsExt::from_mode(0o644))
}

/// Where the staged tree of a project is.
pub fn directory(project: &Utf8Path) -> Utf8PathBuf {
    project.join(crate::render::ninja::WORK).join("staged")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changed_content_is_written() {
        let directory = tempfile::tempdir().expect("a directory");
        let root = Utf8Path::from_path(directory.path()).expect("UTF-8");
        let (project, staged) = (root.join("project"), root.join("work/staged"));
        fs_err::create_dir_all(&project).expect("made");
        let input = |path: &str, sha256: &str| Input { path: path.into(), sha256: sha256.into() };
        fs_err::write(project.join("a"), "1").expect("written");
        fs_err::write(project.join("b"), "1").expect("written");
        update(&project, &staged, [input("a", "1"), input("b", "1")].iter()).expect("staged");
        let time =
            |name: &str| fs_err::metadata(staged.join(name)).expect("there").modified().expect("a time");
        let before = time("a");
        fs_err::write(project.join("c"), "3").expect("written");
        update(&project, &staged, [input("a", "1"), input("c", "3")].iter()).expect("staged");
        assert_eq!(time("a"), before);
        assert!(!staged.join("b").exists());
        assert_eq!(fs_err::read_to_string(staged.join("c")).expect("there"), "3");
    }
}
