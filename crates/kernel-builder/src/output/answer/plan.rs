//! Human form of `plan`: every decision, in the order in which it would be carried out.

use kernel_spec::Plan;
use kernel_spec::plan::{CompatibilityStep, Flag, Library};
use kernel_spec::report::PlanReport;

use crate::output::page::{Page, TITLE};
use crate::output::problem;

pub(super) fn render(report: &PlanReport, page: &mut Page) {
    if let Some(matrix) = &report.matrix {
        // For a script that takes the line as it is.
        page.line(serde_json::to_string(matrix).expect("a matrix consists of strings and numbers"));
    }
    for plan in &report.plans {
        one(plan, page);
    }
}

fn one(plan: &Plan, page: &mut Page) {
    page.add_in(TITLE, &plan.variant).end();
    let mut facts = vec![
        ["  id".to_owned(), plan.kernel.id.clone()],
        ["  profile".to_owned(), plan.profile.to_string()],
        ["  policy".to_owned(), plan.policy.clone()],
    ];
    if !plan.archs.is_empty() {
        facts.push(["  architectures".to_owned(), plan.archs.join(" ")]);
    }
    page.table(&facts);
    page.line("  inputs");
    for input in &plan.inputs {
        page.line(format!("    {} {}", input.sha256, input.path));
    }
    if let Some(library) = &plan.library {
        steps(library, page);
    }
    page.line("  files");
    for file in &plan.package {
        page.line(format!("    {} <- {}", file.destination, file.source));
    }
    for finding in &plan.findings {
        problem::add_finding(page, finding);
    }
}

fn steps(library: &Library, page: &mut Page) {
    for step in &library.compile {
        page.line(format!("  compile {} ({}, {})", step.source, step.component, step.language.title()));
        page.line(format!("    to {}", step.object));
        page.line(format!("    with {}", words(&step.flags)));
    }
    page.line(format!("  compile {} (identity unit, C)", library.identity.source));
    page.line(format!("    to {}", library.identity.object));
    page.line(format!("    with {}", words(&library.identity.flags)));
    for step in &library.link.compatibility {
        match step {
            CompatibilityStep::Compile { source, object, flags } => {
                page.line(format!("  compile {source} (compatibility, C)"));
                page.line(format!("    to {object}"));
                page.line(format!("    with {}", flags.join(" ")));
            }
            CompatibilityStep::Archive { objects, archive } => {
                page.line(format!("  archive {archive}"));
                page.line(format!("    from {}", objects.join(" ")));
            }
        }
    }
    page.line(format!("  link {}", library.file_name));
    page.line(format!("    with {}", library.link.arguments.join(" ")));
}

fn words(flags: &[Flag]) -> String {
    flags.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}
