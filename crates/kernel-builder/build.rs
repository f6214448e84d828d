//! Finds the commit that the program is built from, for `-V`. Packagers that build from a plain tree may name it in
//! `KERNEL_BUILDER_COMMIT`.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=KERNEL_BUILDER_COMMIT");
    let named = std::env::vars().find(|(name, _)| name == "KERNEL_BUILDER_COMMIT").map(|(_, value)| value);
    let commit = named.or_else(head).unwrap_or_else(|| "unknown".to_owned());
    println!("cargo::rustc-env=KERNEL_BUILDER_COMMIT={commit}");
}

/// The commit of the repository that tracks this very file; a repository that merely contains a copy does not count.
fn head() -> Option<String> {
    git(&["ls-files", "--error-unmatch", "build.rs"])?;
    for name in ["HEAD", "packed-refs", &git(&["symbolic-ref", "-q", "HEAD"]).unwrap_or_default()] {
        let path = git(&["rev-parse", "--git-path", name])?;
        if !name.is_empty() && std::path::Path::new(&path).exists() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

#[expect(clippy::disallowed_methods, reason = "the build of the program itself has no Context")]
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    output.status.success().then_some(text)
}
