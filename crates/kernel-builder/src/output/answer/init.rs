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
    let mut next = |command: String, why: &str| {
        page.add(format!("  {command:30}")).add_in(DIM, why).end();
    };
    if report.directory != "." {
        next(format!("cd {}", word(&report.directory)), "");
    }
    if report.in_repository {
        next("git add .".to_owned(), "so that builds with Nix see the files");
    }
    next("kernel-builder build".to_owned(), "what this machine can build");
    next("kernel-builder test".to_owned(), "load the build as users do, run `tests/`");
}

/// A path as one word of a shell, and none that looks like an option.
fn word(path: &str) -> String {
    let path = if path.starts_with('-') { format!("./{path}") } else { path.to_owned() };
    shell(&path).unwrap_or(path)
}
