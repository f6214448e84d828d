//! Human form of `toolchain`.

use kernel_spec::report::ToolchainReport;

use crate::output::page::Page;

pub(super) fn render(report: &ToolchainReport, page: &mut Page) {
    let rows: Vec<[String; 3]> = report
        .parts
        .iter()
        .map(|part| [part.name.clone(), format!("{} MB", part.size / 1_000_000), part.directory.clone()])
        .collect();
    page.table(&rows);
    for part in &report.removed {
        page.line(format!("removed {}", part.name));
    }
    if let Some(lock) = &report.lock {
        let what = if lock.changed { "wrote" } else { "unchanged" };
        page.line(format!("{what} {} with {}", lock.path, lock.compiler));
        for part in &lock.trusted {
            page.line(format!(
                "{part} was read in parts; the whole of its wheels was not held against their hashes"
            ));
        }
        return;
    }
    if report.parts.is_empty() && report.removed.is_empty() {
        page.line("nothing is fetched; a build fetches what it lacks, and `kernel-builder toolchain fetch cuda-13.2` does it beforehand");
    }
}
