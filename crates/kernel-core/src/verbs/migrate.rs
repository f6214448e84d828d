//! `migrate`: the manifest in the current edition, written in one step or not at all.

use std::io::Write;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::manifest::{Edition, migrate};
use kernel_spec::report::MigrateReport;
use similar::TextDiff;

use crate::project::{self, MANIFEST};
use crate::{Context, Result};

/// What is wanted of a migration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Read the file as edition 3.
    pub from_three: bool,
    /// Write nothing; a change is a failure.
    pub check: bool,
    /// Write nothing; show the change.
    pub diff: bool,
}

/// Migrates the manifest of the project in `directory`.
pub fn run(context: &Context, directory: &Utf8Path, options: Options) -> Result<MigrateReport> {
    let source = project::read(context, directory)?;
    let migration =
        migrate(&source, options.from_three).map_err(|findings| project::invalid(&source, findings))?;
    let changed = migration.text != source.text();
    let written = changed && !options.check && !options.diff;
    if written {
        replace(&context.resolve(directory).join(MANIFEST), &migration.text)?;
    }
    let from = match migration.from {
        Edition::Three => 3,
        Edition::Four => 4,
        Edition::Five => 5,
    };
    let diff = options.diff.then(|| {
        let names = (format!("a/{MANIFEST}"), format!("b/{MANIFEST}"));
        TextDiff::from_lines(source.text(), &migration.text)
            .unified_diff()
            .header(&names.0, &names.1)
            .to_string()
    });
    Ok(MigrateReport {
        manifest: source.path().to_owned(),
        from,
        changed,
        written,
        diff,
        checked: options.check,
    })
}

/// Replaces a file's content at once; a link stays a link, and the file's permissions stay.
fn replace(path: &Utf8Path, text: &str) -> Result<()> {
    let path: Utf8PathBuf = path.canonicalize_utf8()?;
    let directory = path.parent().unwrap_or(Utf8Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".build.toml.").tempfile_in(directory)?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(fs_err::metadata(&path)?.permissions())?;
    file.as_file().sync_all()?;
    file.persist(&path).map_err(|error| error.error)?;
    Ok(())
}
