//! Human form of `skills`.

use kernel_spec::report::SkillsReport;
use kernel_spec::report::skills::SkillState;

use crate::output::page::Page;

pub(super) fn render(report: &SkillsReport, page: &mut Page) {
    let rows: Vec<[String; 2]> =
        report.skills.iter().map(|skill| [skill.name.clone(), skill.description.clone()]).collect();
    page.table(&rows);
    for installed in &report.installed {
        match installed.state {
            SkillState::Written => page.line(format!("wrote {}", installed.path)),
            SkillState::Current => page.line(format!("{} is current", installed.path)),
        };
    }
}
