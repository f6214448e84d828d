//! What the parser says about wrong manifests: one snapshot per kind of fault, with place, message and help.

use std::fmt::Write;

use kernel_spec::SourceText;
use kernel_spec::manifest::parse;

const GENERAL: &str =
    "[general]\nname = \"demo-op\"\nversion = 1\nlicense = \"Apache-2.0\"\nbackends = [\"cpu\"]\n";
const TORCH: &str = "[torch]\nsrc = [\"torch-ext/binding.cpp\"]\n";
const COMPONENT: &str =
    "[kernel.demo]\nbackend = \"cpu\"\ndepends = [\"torch\"]\nsrc = [\"demo/demo.cpp\"]\n";

/// The findings as text: line and columns, severity and code, message, causes, related places, help.
pub(crate) fn report(text: &str) -> String {
    let mut report = String::new();
    for finding in parse(&SourceText::new("build.toml", text)).findings {
        let span = finding.span.expect("every finding of the parser has a place");
        let severity = format!("{:?}", finding.severity).to_lowercase();
        let place = format!("{}:{}-{}", span.line, span.column, span.end_column);
        writeln!(report, "{place} {severity}[{}] {}", finding.code, finding.message).expect("written");
        for cause in finding.causes {
            writeln!(report, "  because {cause}").expect("written");
        }
        for label in finding.related {
            writeln!(report, "  at {}:{} {}", label.span.line, label.span.column, label.text)
                .expect("written");
        }
        writeln!(report, "  help: {}", finding.help).expect("written");
    }
    report
}

fn five(more: &str) -> String {
    format!("{GENERAL}edition = 5\n{more}{TORCH}{COMPONENT}")
}

#[test]
fn a_table_given_twice_does_not_hide_another_fault() {
    let twice = five("[general.hub]\nrepo-id = \"a/b\"\n[general.hub]\nrepo-id = \"c/d\"\n");
    insta::assert_snapshot!("table_twice", report(&twice.replace("\"Apache-2.0\"", "2")));
}
