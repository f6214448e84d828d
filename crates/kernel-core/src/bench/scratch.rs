//! The private directory of a run: the runner, the variant as the loader will see it, and the raw bytes of inputs and
//! outputs. It lies in memory where the system has a place for that.

use camino::{Utf8Path, Utf8PathBuf};
use kernel_bench::protocol::{RUNNER, RUNNER_PACKAGE};
use tempfile::TempDir;

/// Memory as a directory, where the system has it.
const IN_MEMORY: &str = "/dev/shm";

/// The directory of a run; dropping it removes everything in it.
pub(crate) struct Scratch {
    pub(crate) root: Utf8PathBuf,
    /// The variant's directory as the loader sees it.
    pub(crate) variant: Utf8PathBuf,
    _guard: TempDir,
}

impl Scratch {
    /// Lays out a run of one variant.
    pub(crate) fn new(artifact: &Utf8Path, variant: &str) -> std::io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix("kernel-builder-bench-");
        let guard = builder.tempdir_in(IN_MEMORY).or_else(|_not_there| builder.tempdir())?;
        let root = Utf8PathBuf::from_path_buf(guard.path().to_path_buf())
            .map_err(|path| std::io::Error::other(format!("`{}` is not valid UTF-8", path.display())))?;
        let build = root.join("kernel/build");
        for directory in [&build, &root.join("home"), &root.join("data"), &root.join(RUNNER_PACKAGE)] {
            fs_err::create_dir_all(directory)?;
        }
        for (name, text) in RUNNER {
            fs_err::write(root.join(RUNNER_PACKAGE).join(name), text)?;
        }
        let place = build.join(variant);
        fs_err::os::unix::fs::symlink(fs_err::canonicalize(artifact)?, &place)?;
        Ok(Self { root, variant: place, _guard: guard })
    }

    /// The directory from which the loader loads.
    pub(crate) fn kernel(&self) -> Utf8PathBuf {
        self.root.join("kernel")
    }

    /// A file for bytes.
    pub(crate) fn data(&self, name: &str) -> Utf8PathBuf {
        self.root.join("data").join(name)
    }
}
