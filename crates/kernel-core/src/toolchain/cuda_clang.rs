//! clang as the compiler of CUDA, where nobody offers nvcc of a version to fetch: found beside the host's compiler, together
//! with what stands in for the parts of a toolkit that it expects and the fetched one has not got.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;

use camino::{Utf8Path, Utf8PathBuf};

use super::compiler::{Compiler, in_path};
use super::fingerprint::hexadecimal;
use super::toolkit::{self, Contents};
use crate::Context;
use crate::plan::OLDEST_CUDA_CLANG;
use crate::process::{Command, Finished};
use sha2::{Digest, Sha256};

/// The newest major version whose name is looked for in `PATH`.
const NEWEST: u32 = 30;

/// What stands in, by path: the program that packs code, whose options are not those of CUDA 12 any more, and a header that
/// clang includes although its toolkit may have none.
static STAND_INS: &[(&str, &str)] = &[
    ("bin/fatbinary", include_str!("../../../../templates/build/backend/cuda/fatbinary")),
    ("include/curand_mtgp32_kernel.h", ""),
];

/// clang, ready to compile CUDA.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CudaClang {
    /// The driver itself: no symbolic link.
    pub cxx: Utf8PathBuf,
    /// What it is always given: whose C++ library it takes.
    pub arguments: Vec<String>,
    /// Its major version.
    pub major: u32,
    /// What it calls itself.
    pub vendor: String,
    /// Where the stand-ins lie.
    pub stand_ins: Utf8PathBuf,
}

impl CudaClang {
    /// The one that `CUDACXX` names, the host's compiler, or the newest in `PATH`; else what was looked at.
    pub(super) fn find(context: &Context, host: &Compiler, cache: &Utf8Path) -> Result<Self, String> {
        let named = context.environment.get("CUDACXX").map(|name| {
            let path = Utf8Path::new(name);
            if name.contains('/') { Some(context.resolve(path)) } else { in_path(context, name) }
        });
        let versions = (OLDEST_CUDA_CLANG..=NEWEST).rev().map(|major| format!("clang++-{major}"));
        let candidates: Vec<Utf8PathBuf> = match named {
            Some(named) => named.into_iter().collect(),
            None => std::iter::once(host.cxx.clone())
                .chain(
                    std::iter::once("clang++".to_owned())
                        .chain(versions)
                        .filter_map(|name| in_path(context, &name)),
                )
                .collect(),
        };
        let mut seen = Vec::new();
        for candidate in candidates {
            let Ok(cxx) = candidate.canonicalize_utf8() else { continue };
            match vendor(context, &cxx).and_then(|vendor| Some((major(&vendor)?, vendor))) {
                Some((major, vendor)) if major >= OLDEST_CUDA_CLANG => {
                    let written = stand_ins(cache);
                    let stand_ins =
                        written.map_err(|error| format!("`{cache}` cannot be written: {error}"))?;
                    return Ok(Self { cxx, arguments: library_of(host), major, vendor, stand_ins });
                }
                Some((_, vendor)) => seen.push(format!("`{candidate}` is {vendor}")),
                None => {}
            }
        }
        if seen.is_empty() {
            return Err("there is no clang in `PATH` or `CUDACXX`".to_owned());
        }
        Err(seen.join(", "))
    }

    /// SHA-256 of what objects depend on, by name.
    pub(super) fn parts(&self, cache: &Utf8Path) -> std::io::Result<BTreeMap<String, String>> {
        let prefix = self.cxx.parent().and_then(Utf8Path::parent).unwrap_or(&self.cxx);
        let headers = prefix.join(format!("lib/clang/{}/include", self.major));
        let files = [("clang++", self.cxx.clone()), ("fatbinary", self.stand_ins.join(STAND_INS[0].0))];
        let trees = [("headers", headers.clone(), "__clang_cuda_runtime_wrapper.h")];
        let trees = if headers.is_dir() { &trees[..] } else { &[] };
        toolkit::describe("cuda-clang", prefix, Contents { files: &files, trees }, cache)
    }
}

fn vendor(context: &Context, cxx: &Utf8Path) -> Option<String> {
    let answer = Command::new(cxx).argument("--version").capture(context).and_then(Finished::require_success);
    answer.ok()?.text().lines().next().map(str::to_owned)
}

/// `Debian clang version 19.1.7 (3~deb12u1)` is 19.
fn major(vendor: &str) -> Option<u32> {
    vendor.split_once("clang version ")?.1.split('.').next()?.parse().ok()
}

/// The C++ library of the host's compiler, so that both halves of a kernel see the same.
fn library_of(host: &Compiler) -> Vec<String> {
    let directory = host.files.get("libgcc.a").and_then(|file| file.parent());
    directory.map(|directory| format!("--gcc-install-dir={directory}")).into_iter().collect()
}

/// Writes the stand-ins beside their place and renames, so that a directory under its name is complete.
fn stand_ins(cache: &Utf8Path) -> std::io::Result<Utf8PathBuf> {
    let mut hasher = Sha256::new();
    for (path, text) in STAND_INS {
        hasher.update(path);
        hasher.update(text);
    }
    let parent = cache.join("cuda-clang-parts");
    let directory = parent.join(&hexadecimal(hasher)[..16]);
    if directory.is_dir() {
        return Ok(directory);
    }
    fs_err::create_dir_all(&parent)?;
    let partial = tempfile::Builder::new().prefix(".partial-").tempdir_in(&parent)?;
    for (path, text) in STAND_INS {
        let path = partial.path().join(path);
        fs_err::create_dir_all(path.parent().unwrap_or(partial.path()))?;
        fs_err::write(&path, text)?;
        fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o755))?;
    }
    match fs_err::rename(partial.path(), &directory) {
        Ok(()) => drop(partial.keep()),
        // Another process was faster; its bytes are the same.
        Err(_) if directory.is_dir() => {}
        Err(error) => return Err(error),
    }
    Ok(directory)
}

#[cfg(test)]
mod tests {
    use super::major;

    #[test]
    fn versions_are_read_from_what_clang_calls_itself() {
        assert_eq!(major("Debian clang version 19.1.7 (3~deb12u1)"), Some(19));
        assert_eq!(major("Ubuntu clang version 18.1.3 (1ubuntu1)"), Some(18));
        assert_eq!(major("clang version 21.0.0git"), Some(21));
        assert_eq!(major("g++ (Debian 12.2.0-14) 12.2.0"), None);
    }
}
