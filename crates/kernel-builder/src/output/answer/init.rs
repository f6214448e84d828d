//! Human form of `init`: what was made, what is worth knowing, and the commands that come next.

use kernel_core::render::escape::shell;
use kernel_spec::report::InitReport;

use crate::output::page::{DIM, Page};
use crate::output::problem;

pub(super) fn render(report: &InitReport, page: &mut Page) {
    let backends: Vec<&str> = report.backends.iter().map(|backend| backend.as_str()).collect();
    let (files, backends) = (report.files.len(), backends.join(", "));
    page.line(format!(
        "made `{}` in `{}`: {files} files, {} for {backends}",
        report.name, report.directory, report.framework
    ));
    for note in &report.notes {
        problem::add_finding(page, note);
    }
    page.line("").line("next:");
    if report.directory != "." {
        page.line(format!("  cd {}", word(&report.directory)));
    }
    let mut next = |command: &str, why: &str| {
        page.add(format!("  {command:22}")).add_in(DIM, why).end();
    };
    let track = if report.in_repository { "git add ." } else { "git init && git add ." };
    next(track, "with the commit after it, a build says what it is of");
    next("kernel-builder build", "what this machine can build");
    next("kernel-builder test", "load the build as users do, run `tests/`");
}

/// A path as one word of a shell, and none that looks like an option.
fn word(path: &str) -> String {
    let path = if path.starts_with('-') { format!("./{path}") } else { path.to_owned() };
    shell(&path).unwrap_or(path)
}
