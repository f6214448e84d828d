//! Human form of `migrate`: the change, where it was asked for, and what became of it.

use kernel_spec::report::MigrateReport;

use crate::output::page::Page;

pub(super) fn render(report: &MigrateReport, page: &mut Page) {
    if let Some(diff) = &report.diff {
        page.block(diff);
    }
    let MigrateReport { manifest, from, .. } = report;
    page.line(match (report.changed, report.written) {
        (false, _) => format!("`{manifest}` is of edition 5 already"),
        (true, true) => format!("`{manifest}` went from edition {from} to edition 5"),
        (true, false) => format!("`{manifest}` is of edition {from}; `migrate` would bring it to edition 5"),
    });
}
