//! The format's own parser, in the `kernels` package, as oracle: whatever it takes we take, and where we are stricter
//! on purpose, a code from the list below says why.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use kernel_spec::manifest::parse;
use kernel_spec::{Code, Severity, SourceText, code};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use crate::mutation::{mutated, seeds};

/// Where we refuse what the package's parser takes: it would fail later, or nowhere but on the user's machine.
static STRICTER: &[&Code] = &[
    &code::manifest::CAPABILITY,
    &code::manifest::COMPONENT_NAME,
    &code::manifest::DEPENDENCY,
    &code::manifest::PATH,
    &code::manifest::RANGE,
    &code::manifest::REPO_ID,
    &code::manifest::VERSION,
];

const CASES: usize = 3000;

#[test]
fn what_the_package_takes_we_take() {
    let mut runner = TestRunner::deterministic();
    let strategy = mutated(seeds(), 4);
    let texts: Vec<String> =
        (0..CASES).map(|_| strategy.new_tree(&mut runner).expect("a text").current()).collect();
    let answers = ask(&texts.iter().map(|text| text.as_str().into()).collect::<Vec<_>>());
    let mut tally: BTreeMap<&str, usize> = BTreeMap::new();
    for (text, answer) in texts.iter().zip(&answers) {
        let parsed = parse(&SourceText::new("build.toml", text.as_str()));
        let verdict = match (answer.is_empty(), parsed.manifest.is_some()) {
            (true, true) => "taken by both",
            (false, false) => "refused by both",
            (false, true) => "taken by us alone",
            (true, false) => "refused by us alone, by name",
        };
        *tally.entry(verdict).or_default() += 1;
        let errors = parsed.findings.iter().filter(|finding| finding.severity == Severity::Error);
        let unnamed: Vec<_> = errors.filter(|finding| !STRICTER.contains(&finding.code)).collect();
        assert!(!answer.is_empty() || unnamed.is_empty(), "the package takes this:\n{text}\n{unnamed:#?}");
    }
    eprintln!("{tally:?}");
    assert!(tally["taken by both"] > CASES / 10 && tally["refused by both"] > CASES / 10, "{tally:?}");
}

/// The package's answers to manifests, which are texts, and metadata, which are objects: empty where it takes one, else why
/// not.
pub(crate) fn ask(given: &[serde_json::Value]) -> Vec<String> {
    let mut child = Command::new(python())
        .args(["-I", "-c", include_str!("oracle.py")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("Python starts");
    let mut questions = child.stdin.take().expect("a pipe");
    let answers = BufReader::new(child.stdout.take().expect("a pipe"));
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for given in given {
                writeln!(questions, "{given}").expect("Python reads");
            }
        });
        let answers: Vec<String> = answers
            .lines()
            .map(|line| serde_json::from_str(&line.expect("a line")).expect("a string"))
            .collect();
        assert_eq!(
            answers.len(),
            given.len(),
            "Python ended early; is the `kernels` package installed in its environment?"
        );
        assert!(child.wait().expect("an end").success());
        answers
    })
}

/// The interpreter of the tests' environment.
fn python() -> String {
    let default = format!("{}/../../.environment/bin/python", env!("CARGO_MANIFEST_DIR"));
    let python = std::env::var("KERNEL_BUILDER_PYTHON").unwrap_or(default);
    assert!(
        std::path::Path::new(&python).exists(),
        "`{python}` is not there; scripts/python-environment makes it"
    );
    python
}
