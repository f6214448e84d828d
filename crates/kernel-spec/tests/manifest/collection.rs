//! Manifests as people write them: those beside this file, and those of published kernels where the machine has them.

/// Paths and texts, sorted. The collection of published kernels lies beside the project or where `KERNEL_BUILDER_SHARED` says.
#[expect(clippy::disallowed_methods, reason = "the place of the collection is the tests' own setting")]
#[allow(clippy::print_stdout, reason = "tests tell how much they looked at")]
pub(crate) fn collected() -> Vec<(String, String)> {
    let written = concat!(env!("CARGO_MANIFEST_DIR"), "/../kernel-spec/tests/manifest/written");
    let mut manifests = of_directory(written);
    assert!(manifests.len() >= 5, "{} manifests in {written}", manifests.len());
    let shared = std::env::var("KERNEL_BUILDER_SHARED")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared").to_owned());
    let published = format!("{shared}/cases/manifests");
    if std::path::Path::new(&published).is_dir() {
        let found = of_directory(&published);
        assert!(found.len() >= 26, "only {} manifests in {published}", found.len());
        manifests.extend(found);
    }
    println!("{} manifests", manifests.len());
    manifests
}

fn of_directory(directory: &str) -> Vec<(String, String)> {
    let mut manifests: Vec<_> = fs_err::read_dir(directory)
        .expect("a readable directory")
        .map(|entry| entry.expect("an entry").path())
        .map(|path| (path.display().to_string(), fs_err::read_to_string(&path).expect("a readable manifest")))
        .collect();
    manifests.sort();
    manifests
}
