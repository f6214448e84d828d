//! Human form of `variants`: one name on each line, as scripts want it, or the loader's decisions.

use kernel_spec::report::{DecisionEntry, Explanation, VariantsReport};
use kernel_spec::selection::MachineDescription;

use crate::output::page::{NOTE, Page};

pub(super) fn render(report: &VariantsReport, page: &mut Page) {
    match &report.explanation {
        Some(explanation) => explain(explanation, page),
        None => {
            for offer in &report.variants {
                page.line(offer.variant.to_string());
            }
        }
    }
}

fn explain(explanation: &Explanation, page: &mut Page) {
    page.add("machine: ").line(facts(&explanation.machine));
    if let Some(python) = &explanation.python {
        page.line(format!("python: {} ({})", python.interpreter, python.why));
    }
    page.add("the loader chooses for ").line(&explanation.backend).line("");
    let rows: Vec<[String; 3]> = explanation.decisions.iter().enumerate().map(row).collect();
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

fn row((at, decision): (usize, &DecisionEntry)) -> [String; 3] {
    let verdict = match &decision.reason {
        None if at == 0 => "accepted, preferred".to_owned(),
        None => "accepted".to_owned(),
        Some(reason) => reason.clone(),
    };
    let built = if decision.built { "built" } else { "" };
    [decision.variant.clone(), built.to_owned(), verdict]
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
