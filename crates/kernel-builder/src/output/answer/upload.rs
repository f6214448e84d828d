//! Human form of `upload`.

use kernel_spec::report::UploadReport;
use kernel_spec::report::upload::{CardState, LimitKind, UploadState, VariantState};

use crate::output::page::{DIM, Page, TITLE};
use crate::output::problem;

pub(super) fn render(report: &UploadReport, page: &mut Page) {
    for finding in &report.findings {
        problem::add_finding(page, finding);
        page.end();
    }
    let new = |is: bool| if is { " (new)" } else { "" };
    page.add_in(TITLE, format!("{}{}", report.repository, new(report.new_repository)));
    page.add(format!(", branch {}{}", report.branch, new(report.new_branch)));
    page.add_in(DIM, format!(": {}", report.branch_reason)).end();
    let rows: Vec<[String; 4]> = report
        .variants
        .iter()
        .map(|variant| {
            let state = match variant.state {
                VariantState::New => "new",
                VariantState::Changed => "changed",
                VariantState::Unchanged => "unchanged",
            };
            let size = format!("{} files, {}", variant.files, size(variant.bytes));
            let signed = if variant.signed { "signed" } else { "not signed" };
            [format!("  {}", variant.name), state.to_owned(), size, signed.to_owned()]
        })
        .collect();
    page.table(&rows);
    for variant in report.variants.iter().filter(|variant| !variant.results.is_empty()) {
        page.line(format!("results of {} go along: {}", variant.name, variant.results.join(", ")));
    }
    if !report.kept.is_empty() {
        page.line(format!("stay as they are: {}", report.kept.join(", ")));
    }
    let files = &report.files;
    page.line(format!(
        "files: {} added, {} changed, {} unchanged, {} removed",
        files.added, files.changed, files.unchanged, files.removed
    ));
    for path in &report.removed {
        page.line(format!("  removed: {path}"));
    }
    match report.card {
        CardState::Absent => page.line("no card: `kernel-builder card` makes one"),
        CardState::Unchanged => page.line("the card on `main` is up to date"),
        CardState::Written if report.state == UploadState::Planned => {
            page.line("the card on `main` would be written")
        }
        CardState::Written => page.line("the card on `main` was written"),
        CardState::Proposed if report.state == UploadState::Planned => {
            page.line("the card on `main` would be proposed")
        }
        CardState::Proposed => page.line("the card on `main` is proposed"),
    };
    if report.state == UploadState::Planned {
        limits(report, page);
    }
    ending(report, page);
}

fn limits(report: &UploadReport, page: &mut Page) {
    let told = report.limits.iter().map(|limit| match limit.limit {
        LimitKind::FilesPerCommit => format!("{} of {} files in a commit", limit.planned, limit.most),
        LimitKind::BytesPerFile => format!("{} of {} in a file", size(limit.planned), size(limit.most)),
        LimitKind::EntriesPerFolder => format!("{} of {} entries in a folder", limit.planned, limit.most),
    });
    page.line(format!("limits: at most {}", told.collect::<Vec<_>>().join(", ")));
}

fn ending(report: &UploadReport, page: &mut Page) {
    let commits =
        if report.commits == 1 { "1 commit".to_owned() } else { format!("{} commits", report.commits) };
    match report.state {
        UploadState::Planned => {
            page.line(format!("would send at most {} in {commits}; nothing was done", size(report.bytes)));
        }
        UploadState::NoChanges => {
            page.line(format!("everything is there already: {}", report.url));
        }
        UploadState::Uploaded => {
            page.line(format!("sent {} in {commits}: {}", size(report.bytes), report.url));
        }
        UploadState::PullRequestCreated => {
            for pull in &report.pull_requests {
                page.line(format!("proposed for {}: {}", pull.branch, pull.url));
            }
        }
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{}.{} kB", bytes / 1_000, bytes / 100 % 10),
        1_000_000..1_000_000_000 => format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10),
        _ => format!("{}.{} GB", bytes / 1_000_000_000, bytes / 100_000_000 % 10),
    }
}
