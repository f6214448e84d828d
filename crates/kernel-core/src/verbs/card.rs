//! `card`: writes the card of a project, or says that the one on disk is stale.

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::report::CardReport;

use super::next;
use crate::card::{Card, CardError, preview};
use crate::project::Project;
use crate::{Context, Result, atomic, regular};

/// Name of the card in the folder of the built variants.
pub(super) const FILE: &str = "CARD.md";

/// What `card` is asked for with.
#[derive(Clone, Debug)]
pub struct CardOptions {
    /// The project's directory.
    pub project: Utf8PathBuf,
    /// Where the card goes; `build/CARD.md` of the project where not given, standard output for `-`.
    pub output: Option<Utf8PathBuf>,
    /// Whether to compare instead of to write.
    pub check: bool,
    /// Where the card goes as a page for a browser, beside the card itself.
    pub preview: Option<Utf8PathBuf>,
}

/// Makes the card.
pub fn card(context: &Context, options: &CardOptions) -> Result<CardReport> {
    let project = Project::open(context, &options.project)?;
    let build = project.directory.join("build");
    let to_standard_output = options.output.as_deref() == Some(Utf8Path::new("-"));
    let named = options.output.as_ref().filter(|_| !to_standard_output);
    let path = named.map_or_else(|| build.join(FILE), |path| context.resolve(path));
    let Card { text, findings } = crate::card::card(&project, &build, &path)?;
    let preview = options.preview.as_ref().map(|preview| context.resolve(preview));
    let current = to_standard_output || regular::holds(&path, text.as_bytes());
    let writes = !current && !options.check;
    if let Some(preview) = &preview {
        let page = preview::page(project.manifest.general.name.value.as_str(), &text);
        preview::refuse_foreign(preview)?;
        writable(preview)?;
        if writes {
            writable(&path)?;
        }
        atomic::write(preview, page.as_bytes())?;
    }
    let preview = preview.map(Utf8PathBuf::into_string);
    if to_standard_output {
        let checked = options.check;
        return Ok(CardReport { path: None, text, current, checked, findings, preview, next: Vec::new() });
    }
    if writes {
        writable(&path)?;
        atomic::write(&path, text.as_bytes())?;
    }
    let next = if options.check || !findings.is_empty() {
        Vec::new()
    } else {
        next::command(&["upload", "--dry-run"], &options.project, None)
    };
    Ok(CardReport {
        path: Some(path.to_string()),
        text,
        current,
        checked: options.check,
        findings,
        preview,
        next,
    })
}

/// Refuses a file that somebody made read-only. A new file takes the place of the old one, so the system would not.
fn writable(path: &Utf8Path) -> Result<(), CardError> {
    if fs_err::metadata(path).is_ok_and(|found| found.permissions().readonly()) {
        return Err(CardError::ReadOnly { file: path.to_string() });
    }
    Ok(())
}
