//! Human form of `schema`: the schema itself, indented.

use kernel_spec::report::SchemaReport;

use crate::output::page::Page;

pub(super) fn render(report: &SchemaReport, page: &mut Page) {
    page.block(&format!("{:#}", report.schema));
}
