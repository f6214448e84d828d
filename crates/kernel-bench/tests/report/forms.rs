//! JSON, JSON Lines, Markdown and JUnit.

use kernel_bench::decision::{Outcome, Sequence};
use kernel_bench::report::{Document, MARKER, Record, junit, markdown, records};

use crate::sample::{document, every_kind};

const HOSTILE: &str = "a|b`c</td><script>alert(1)</script>\n| evil | \u{1b}[31m\u{202e}";

pub(crate) fn hostile() -> Document {
    let mut document = document(&every_kind(), 1);
    document.subject.name = HOSTILE.into();
    document.subject.variant = HOSTILE.into();
    document.machine.name = HOSTILE.into();
    document.machine.environment.insert(HOSTILE.into(), HOSTILE.into());
    document.run.command = HOSTILE.into();
    document.warnings = vec![HOSTILE.into()];
    document.suite.reasons = vec![HOSTILE.into()];
    for workload in &mut document.workloads {
        workload.verdict.workload = HOSTILE.into();
        workload.dtype = Some(HOSTILE.into());
        workload.correctness.as_mut().unwrap().gates[0].name = HOSTILE.into();
        if let Some(fault) = &mut workload.verdict.fault {
            fault.reason = HOSTILE.into();
        }
    }
    document
}

#[test]
fn the_document_survives_json_and_decides_the_same_again() {
    let document = document(&every_kind(), 1);
    let text = serde_json::to_string(&document).unwrap();
    let read: Document = serde_json::from_str(&text).unwrap();
    assert_eq!(read, document);
    println!(
        "summary: a document of {} workloads with all samples has {} KiB",
        read.workloads.len(),
        text.len() / 1024
    );

    let mut sequence = Sequence::new(read.settings.clone());
    let mut measurements = read.measurements();
    let mut last = None;
    for look in &read.looks {
        for (measurement, full) in measurements.iter_mut().zip(read.measurements()) {
            let have = full.processes.len().min(look.processes);
            measurement.processes = full.processes[..have].to_vec();
        }
        last = Some(sequence.look(&measurements));
    }
    let again: Vec<_> = last.unwrap().verdicts;
    let saved: Vec<_> = read.workloads.iter().map(|workload| workload.verdict.clone()).collect();
    assert_eq!(again, saved);
}

#[test]
fn the_document_follows_its_schema() {
    let schema = serde_json::to_value(schemars::schema_for!(Document)).unwrap();
    let required: Vec<&str> =
        schema["required"].as_array().unwrap().iter().filter_map(|name| name.as_str()).collect();
    let document = serde_json::to_value(document(&every_kind(), 1)).unwrap();
    assert!(required.iter().all(|name| document.get(*name).is_some()), "{required:?}");
    let described = schema["properties"].as_object().unwrap();
    assert!(document.as_object().unwrap().keys().all(|key| described.contains_key(key)));
    // Blocks are described as the columns that they are written as.
    assert!(schema["$defs"]["Process"]["properties"]["blocks"].to_string().contains("Columns"));
}

#[test]
fn columns_of_different_lengths_are_refused() {
    let mut value = serde_json::to_value(document(&every_kind(), 1)).unwrap();
    value["workloads"][0]["measurement"]["processes"][0]["blocks"]["first"] = "BC".into();
    let error = serde_json::from_value::<Document>(value.clone()).unwrap_err();
    assert!(error.to_string().contains("the columns of the blocks have different lengths"), "{error}");
    value["workloads"][0]["measurement"]["processes"][0]["blocks"]["first"] = "X".repeat(20).into();
    let error = serde_json::from_value::<Document>(value).unwrap_err();
    assert!(error.to_string().contains("`X` is no arm"), "{error}");
}

#[test]
fn every_kind_of_outcome_is_there() {
    let document = document(&every_kind(), 1);
    let outcomes: Vec<_> =
        document.workloads.iter().map(|one| (one.verdict.workload.as_str(), one.verdict.outcome)).collect();
    for wanted in
        [Outcome::Faster, Outcome::Slower, Outcome::Equivalent, Outcome::Inconclusive, Outcome::Invalid]
    {
        assert!(outcomes.iter().any(|(_, outcome)| *outcome == wanted), "{wanted:?} in {outcomes:?}");
    }
    assert_eq!(document.suite.verdict.word(), "INVALID");
    assert!(document.workloads.iter().all(|one| one.verdict.fault.is_none() || one.verdict.effect.is_none()));
}

#[test]
fn lines_begin_with_the_run_and_end_with_the_end() {
    let document = document(&every_kind(), 1);
    let records = records(&document);
    let lines: Vec<String> = records.iter().map(|record| serde_json::to_string(record).unwrap()).collect();
    assert!(lines.iter().all(|line| !line.contains('\n')));
    assert!(
        matches!(records.first(), Some(Record::Run { .. }))
            && matches!(records.last(), Some(Record::End { .. }))
    );
    let read: Vec<Record> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(read, records);
    let kinds =
        |kind: &str| lines.iter().filter(|line| line.starts_with(&format!("{{\"type\":\"{kind}\""))).count();
    assert_eq!((kinds("verdict"), kinds("suite"), kinds("environment")), (document.workloads.len(), 1, 1));
    assert_eq!(
        kinds("process"),
        document.workloads.iter().map(|one| one.measurement.processes.len()).sum::<usize>()
    );
}

#[test]
fn the_table_says_what_was_decided() {
    let text = markdown(&document(&every_kind(), 1));
    println!("{text}");
    assert!(text.starts_with(MARKER));
    assert!(text.contains("**INVALID**") && text.contains("| faster |") && text.contains("| slower |"));
    assert!(text.contains("| – | – | – | – | incorrect (row 16, column 1020"), "no speed of what is wrong");
    assert!(text.contains("processes would do"), "what is inconclusive says what it would take");
}

#[test]
fn hostile_names_stay_names_in_the_table() {
    let text = markdown(&hostile());
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(rows.len(), 2 + every_kind().len());
    let columns = |row: &str| row.replace("\\|", "").matches('|').count();
    assert!(rows.iter().all(|row| columns(row) == 9), "{rows:#?}");
    assert!(!text.contains("\n| evil") && !text.contains('\u{1b}'));
    let outside: String = text.split('`').step_by(2).collect();
    assert!(!outside.contains("<script>"), "{outside}");
}

#[test]
fn continuous_integration_can_read_it() {
    let text = junit(&document(&every_kind(), 1)).unwrap();
    assert!(text.contains("<testsuite name=\"activation torch210-cxx11-cu128-x86_64-linux\""));
    let count = |what: &str| text.matches(what).count();
    assert_eq!(count("<testcase "), every_kind().len() + 1);
    // The slower one, the incorrect one and the whole; the unsupported one and the inconclusive one.
    assert_eq!((count("<failure "), count("<skipped "), count("<error ")), (3, 2, 0), "{text}");
    let hostile = junit(&hostile()).unwrap();
    assert!(!hostile.contains("<script>") && !hostile.contains('\u{1b}'));
}
