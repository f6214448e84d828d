//! Human form of `variants`: one name on each line, as scripts want it, or the loader's decisions.

use kernel_spec::report::{DecisionEntry, Explanation, VariantsReport};
use kernel_spec::selection::MachineDescription;

use crate::output::page::{NOTE, Page};
use crate::output::problem;

pub(super) fn render(report: &VariantsReport, page: &mut Page) {
    if let Some(explanation) = &report.explanation {
        explain(explanation, report.published.is_some(), page);
        for finding in &report.findings {
            problem::add_finding(page, finding);
        }
        return;
    }
    for variant in report.published.iter().flat_map(|published| &published.variants) {
        page.line(&variant.name);
    }
    for offer in &report.variants {
        page.line(offer.variant.to_string());
    }
}

fn explain(explanation: &Explanation, published: bool, page: &mut Page) {
    page.add("machine: ").line(facts(&explanation.machine));
    if let Some(python) = &explanation.python {
        page.line(format!("python: {} ({})", python.interpreter, python.why));
    }
    page.add("the loader chooses for ").line(&explanation.backend).line("");
    let there = if published { "published" } else { "built" };
    let rows: Vec<[String; 3]> =
        explanation.decisions.iter().enumerate().map(|(at, decision)| row(at, decision, there)).collect();
    page.table(&rows);
    for name in &explanation.passed_over {
        page.line(format!("{name}  passed over"));
    }
    if !explanation.decisions.iter().any(|decision| decision.accepted) {
        page.line("").line("no variant can be loaded here");
    }
    if !(explanation.refusals.is_empty() && explanation.remarks.is_empty()) {
        page.line("");
    }
    for refusal in &explanation.refusals {
        page.add_in(NOTE, "note")
            .line(format!(": no `{}` variant for this machine: {}", refusal.backend, refusal.reason));
    }
    for remark in &explanation.remarks {
        page.add_in(NOTE, "note").line(format!(": {remark}"));
    }
}

fn row(at: usize, decision: &DecisionEntry, there: &str) -> [String; 3] {
    let verdict = match &decision.reason {
        None if at == 0 => "accepted, preferred".to_owned(),
        None => "accepted".to_owned(),
        Some(reason) => reason.clone(),
    };
    let there = if decision.built { there } else { "" };
    [decision.variant.clone(), there.to_owned(), verdict]
}

fn facts(machine: &MachineDescription) -> String {
    let mut facts = vec![format!("{}-{}", machine.cpu, machine.os)];
    let mut add = |name: &str, version: Option<String>| {
        facts.extend(version.map(|version| format!("{name} {version}")));
    };
    add("macOS", machine.macos.as_ref().map(ToString::to_string));
    let threads = if machine.free_threaded { " free-threaded" } else { "" };
    add("Python", machine.python.as_ref().map(|version| format!("{version}{threads}")));
    add("torch", machine.torch.as_ref().map(|torch| torch.version.to_string()));
    add("tvm-ffi", machine.tvm_ffi.as_ref().map(ToString::to_string));
    facts.join(", ")
}
