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

/// One broken line, and a fault elsewhere that it must not hide; nothing else may be said.
#[test]
fn a_broken_line_neither_hides_a_fault_nor_makes_one() {
    let sound = five("[general.hub]\nrepo-id = \"a/b\"\n[torch.stable-abi]\ncpu = \"2.9\"\n")
        .replace("[\"demo/demo.cpp\"]", "[\n  \"demo/demo.cpp\",\n]")
        + &COMPONENT.replace("demo/demo.cpp", "../out.cpp").replace("kernel.demo", "kernel.other");
    assert_eq!(codes(&sound), ["manifest/path"], "{}", report(&sound));
    for (good, broken) in [
        ("edition = 5", "edition"),
        ("edition = 5", "edition 5"),
        ("edition = 5", "edition ="),
        ("name = \"demo-op\"", "name"),
        ("name = \"demo-op\"", "name = demo-op"),
        ("name = \"demo-op\"", "name = \"demo-op"),
        ("backends = [\"cpu\"]", "backends"),
        ("backends = [\"cpu\"]", "backends = [\"cpu\""),
        ("backends = [\"cpu\"]", "backends = [cpu]"),
        ("backends = [\"cpu\"]", "backends = [\n\"cpu\",\n}"),
        ("[general]", "[general"),
        ("[general]", "general]"),
        ("[general.hub]", "[general.hub"),
        ("[torch]", "[torch"),
        ("[torch]", "torch]"),
        ("[torch]", "[torch]]"),
        ("[kernel.demo]", "[kernel demo]"),
        ("[kernel.demo]", "[kernel."),
        ("backend = \"cpu\"", "backend"),
        ("depends = [\"torch\"]", "depends = [\"torch\", }"),
        ("  \"demo/demo.cpp\",\n]", "  \"demo/demo.cpp\","),
        ("  \"demo/demo.cpp\",\n]", "  \"demo/demo.cpp,\n]"),
        ("src = [\n", "src = \n"),
        ("repo-id = \"a/b\"", "repo-id"),
        ("version = 1", "version = 1 license"),
        ("version = 1", "version = 01"),
        ("version = 1", "= 1"),
        ("version = 1", "\"version = 1"),
    ] {
        assert!(sound.contains(good));
        let text = sound.replacen(good, broken, 1);
        let mut found = codes(&text);
        found.sort();
        assert_eq!(found, ["manifest/path", "manifest/syntax"], "{text}\n{}", report(&text));
    }
    let swallowed = sound.replacen("version = 1", "version = '''1", 1);
    assert_eq!(codes(&swallowed), ["manifest/syntax"], "{}", report(&swallowed));
}

fn codes(text: &str) -> Vec<String> {
    parse(&SourceText::new("build.toml", text))
        .findings
        .iter()
        .map(|finding| finding.code.to_string())
        .collect()
}
