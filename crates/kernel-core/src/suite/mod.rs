//! Runs a project's own pytest suite against one built variant. The suite runs in a process of its own and reaches the
//! artifact only through the real `kernels` loader; what it reports comes back through a file, because standard output
//! belongs to the tests.

mod error;
mod events;
mod record;

pub use error::SuiteError;
pub use record::{RESULTS, keep, kept};

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::Backend;
use kernel_spec::identifier::hexadecimal;
use kernel_spec::report::gates::Level;
use kernel_spec::report::test::VariantTests;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::Context;
use crate::process::Command;

/// The plugin; written beside the run, so that nothing has to be installed into the user's environment.
const PLUGIN: &str = include_str!("../../python/kernel_builder_pytest.py");

/// One run of a suite.
#[derive(Debug)]
pub struct Suite<'a> {
    /// The Python interpreter.
    pub interpreter: &'a Utf8Path,
    /// The project's directory, in which pytest runs.
    pub project: &'a Utf8Path,
    /// The sealed variant directory.
    pub artifact: &'a Utf8Path,
    /// Name of the variant.
    pub variant: &'a str,
    /// Backend of the variant.
    pub backend: Backend,
    /// Names under which the project's tests may ask the loader for the kernel.
    pub repo_ids: &'a [String],
    /// Name of the Python package.
    pub package: &'a str,
    /// Further arguments for pytest.
    pub arguments: &'a [String],
}

impl Suite<'_> {
    /// Runs the suite. A suite that ran is an `Ok`, whatever its tests said.
    pub fn run(&self, context: &Context) -> Result<VariantTests, SuiteError> {
        // A directory of our own: `LOCAL_KERNELS` splits at `:` and `=`, which a project's path may contain, and only
        // the variant in question may be there to be chosen.
        let scratch = tempfile::Builder::new().prefix("kernel-builder-test-").tempdir()?;
        let scratch = Utf8PathBuf::from_path_buf(scratch.path().to_path_buf())
            .map(|path| (path, scratch))
            .map_err(|path| SuiteError::Scratch { path: path.display().to_string() })?;
        let (root, _guard) = (&scratch.0, &scratch.1);
        let variant_path = self.lay_out(root)?;
        let events = root.join("events.jsonl");

        let finished = self.command(root, &variant_path, &events).log(context, "pytest")?;
        let text = fs_err::read_to_string(&events).unwrap_or_default();
        let observed = events::read(&text)?;
        if let Some(failure) = observed.load_failure {
            return Err(SuiteError::Load { variant: self.variant.to_owned(), reason: failure });
        }
        let (Some(id), Some(end)) = (observed.id, observed.end) else {
            return Err(SuiteError::child(self.interpreter, finished));
        };
        end.require_complete(&finished)?;
        let metadata = fs_err::read(self.artifact.join("metadata.json"))?;
        Ok(VariantTests {
            variant: self.variant.to_owned(),
            id,
            uses: end.uses,
            metadata_sha256: hexadecimal(&Sha256::digest(&metadata)),
            versions: end.versions,
            backend_choice: observed.backend_choice,
            counts: VariantTests::count(&observed.tests),
            tests: observed.tests,
            level: Level::default(),
            operations: Vec::new(),
        })
    }

    /// `build/<variant>` and the plugin under `root`; answers the variant's path as the loader will see it.
    fn lay_out(&self, root: &Utf8Path) -> Result<Utf8PathBuf, SuiteError> {
        let build = root.join("kernel/build");
        fs_err::create_dir_all(&build)?;
        fs_err::create_dir_all(root.join("home"))?;
        let variant_path = build.join(self.variant);
        fs_err::os::unix::fs::symlink(fs_err::canonicalize(self.artifact)?, &variant_path)?;
        fs_err::write(root.join("kernel_builder_pytest.py"), PLUGIN)?;
        Ok(variant_path)
    }

    fn command(&self, root: &Utf8Path, variant_path: &Utf8Path, events: &Utf8Path) -> Command {
        let kernel = root.join("kernel");
        let configuration = json!({
            "events": events,
            "root": kernel,
            "variant": self.variant,
            "variant_path": variant_path,
            "backend": self.backend,
            "package": self.package,
        });
        let overrides: Vec<String> = self.repo_ids.iter().map(|id| format!("{id}={kernel}")).collect();
        let start = "import sys; sys.path.insert(0, sys.argv.pop(1)); import pytest; \
                     sys.exit(pytest.main(['-p', 'kernel_builder_pytest', *sys.argv[1:]]))";
        let mut command = Command::new(self.interpreter)
            .arguments([
                "-I",
                "-B",
                "-c",
                start,
                root.as_str(),
                "-p",
                "no:cacheprovider",
                "--color=no",
                "-ra",
            ])
            .arguments(self.arguments.iter())
            .directory(self.project)
            .variable("KERNEL_BUILDER_TEST", configuration.to_string())
            .variable("HOME", root.join("home"))
            .variable("HF_HUB_OFFLINE", "1")
            .remedy("give a Python environment with `--python`");
        if !overrides.is_empty() {
            command = command.variable("LOCAL_KERNELS", overrides.join(":"));
        }
        command
    }
}
