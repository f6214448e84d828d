//! How people read a report: one file per command.

mod bench;
mod bench_several;
mod build;
mod card;
mod check;
mod clean;
mod collect;
mod completions;
mod doctor;
mod explain;
mod hash;
mod ide;
mod init;
mod inspect;
mod manual;
mod migrate;
mod pin;
mod plan;
mod run;
mod schema;
mod shell;
mod sign;
mod skills;
mod status;
mod test;
mod toolchain;
mod upload;
mod validate;
mod variants;
mod verify;

use kernel_core::render::escape::shell;
use kernel_spec::event::Stage;
use kernel_spec::report::Report;

use super::page::{NOTE, Page};

/// The page of a report.
pub(super) fn render(report: &Report) -> Page {
    let mut page = Page::new();
    match report {
        Report::Bench(report) => bench::render(report, &mut page),
        Report::BenchCompare(report) => bench_several::compared(report, &mut page),
        Report::BenchMerge(report) => bench_several::merged(report, &mut page),
        Report::Build(report) => build::render(report, &mut page),
        Report::Card(report) => card::render(report, &mut page),
        Report::Clean(report) => clean::render(report, &mut page),
        Report::Collect(report) => collect::render(report, &mut page),
        Report::Completions(report) => completions::render(report, &mut page),
        Report::Doctor(report) => doctor::render(report, &mut page),
        Report::Explain(report) => explain::render(report, &mut page),
        Report::Ide(report) => ide::render(report, &mut page),
        Report::Init(report) => init::render(report, &mut page),
        Report::Hash(report) => hash::render(report, &mut page),
        Report::Inspect(report) => inspect::render(report, &mut page),
        Report::Manual(report) => manual::render(report, &mut page),
        Report::Pin(report) => pin::render(report, &mut page),
        Report::Plan(report) => plan::render(report, &mut page),
        Report::Run(report) => run::render(report, &mut page),
        Report::Schema(report) => schema::render(report, &mut page),
        Report::Shell(report) => shell::render(report, &mut page),
        Report::Sign(report) => sign::render(report, &mut page),
        Report::Skills(report) => skills::render(report, &mut page),
        Report::Status(report) => status::render(report, &mut page),
        Report::Audit(report) => check::render(report, check::NOT_FOUND, &mut page),
        Report::Check(report) | Report::CheckAbi(report) => check::render(report, check::SOUND, &mut page),
        Report::Migrate(report) => migrate::render(report, &mut page),
        Report::Test(report) => test::render(report, &mut page),
        Report::Toolchain(report) => toolchain::render(report, &mut page),
        Report::Upload(report) => upload::render(report, &mut page),
        Report::Validate(report) => validate::render(report, &mut page),
        Report::Variants(report) => variants::render(report, &mut page),
        Report::Verify(report) => verify::render(report, &mut page),
    }
    page
}

/// The command to run next, as one types it; nothing where there is none.
fn next(page: &mut Page, words: &[String]) {
    let typed: Result<Vec<String>, _> = words.iter().map(|word| shell(word)).collect();
    if let Some(line) = typed.ok().filter(|words| !words.is_empty()) {
        page.add_in(NOTE, "next").line(format!(": {}", line.join(" ")));
    }
}

/// The word that stands before a stage's message.
pub(super) fn stage_word(stage: Stage) -> &'static str {
    match stage {
        Stage::Plan => "plan",
        Stage::Render => "render",
        Stage::Fetch => "fetch",
        Stage::Compile => "compile",
        Stage::Import => "import",
        Stage::Stamp => "stamp",
        Stage::Check => "check",
        Stage::Seal => "seal",
        Stage::Test => "test",
        Stage::Bench => "bench",
        Stage::Card => "card",
        Stage::Sign => "sign",
        Stage::Verify => "verify",
        Stage::Upload => "upload",
        Stage::Wait => "wait",
    }
}
