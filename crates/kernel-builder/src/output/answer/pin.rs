//! Human form of `pin`.

use kernel_spec::report::pin::{PinReport, PinState};

use crate::output::page::Page;

pub(super) fn render(report: &PinReport, page: &mut Page) {
    let rows: Vec<[String; 3]> = report
        .kernels
        .iter()
        .map(|kernel| {
            let trusted = if kernel.trusted { "" } else { "publisher not trusted" };
            let commit = kernel.commit.get(..12).unwrap_or(&kernel.commit);
            let variants = match kernel.variants.len() {
                1 => "1 variant".to_owned(),
                several => format!("{several} variants"),
            };
            [
                format!("{}@{}", kernel.repository, kernel.revision),
                format!("{commit}, {variants}"),
                trusted.to_owned(),
            ]
        })
        .collect();
    page.table(&rows);
    let files = format!("{} and {}", report.pins, report.lock);
    page.line(match report.state {
        PinState::Written => format!("written to {files}"),
        PinState::Current => format!("{files} say so already"),
        PinState::Stale => format!("{files} say something else"),
    });
}
