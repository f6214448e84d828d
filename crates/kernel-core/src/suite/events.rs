//! Reads what the pytest plugin wrote, one JSON object a line.

use std::collections::BTreeMap;

use kernel_spec::report::test::{BackendChoice, TestCase, TestOutcome};
use serde::Deserialize;

use super::error::{Said, SuiteError};
use crate::process::Finished;

/// What a run was seen to do.
#[derive(Debug, Default)]
pub(super) struct Observed {
    pub(super) id: Option<String>,
    pub(super) load_failure: Option<String>,
    pub(super) backend_choice: Option<BackendChoice>,
    pub(super) tests: Vec<TestCase>,
    pub(super) end: Option<EndOfRun>,
}

/// The last event of a run that reached its end.
#[derive(Debug)]
pub(super) struct EndOfRun {
    status: i64,
    pub(super) uses: u64,
    pub(super) versions: BTreeMap<String, String>,
}

/// pytest's exit statuses that mean that tests were run, or that there were none: 0 all passed, 1 some failed,
/// 2 interrupted (by errors of collection, too), 5 nothing collected.
const RAN: &[i64] = &[0, 1, 2, 5];

impl EndOfRun {
    pub(super) fn require_complete(&self, finished: &Finished) -> Result<(), SuiteError> {
        if RAN.contains(&self.status) {
            Ok(())
        } else {
            Err(SuiteError::Refused { status: self.status, said: Said::of(finished) })
        }
    }
}

#[derive(Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Line {
    Backend { detected: String, chosen: String },
    LoadFailed { error: String },
    Loaded { id: String },
    CollectFailed { id: String, message: String },
    Test(TestCase),
    Finished { status: i64, uses: u64, versions: BTreeMap<String, String> },
}

/// Reads the events. A last line without its end, left by a crash, is left out.
pub(super) fn read(text: &str) -> Result<Observed, SuiteError> {
    let complete = text.rfind('\n').map_or("", |end| &text[..end]);
    let mut observed = Observed::default();
    for line in complete.lines() {
        match serde_json::from_str(line)? {
            Line::Backend { detected, chosen } => {
                observed.backend_choice = Some(BackendChoice { detected, chosen });
            }
            Line::LoadFailed { error } => observed.load_failure = Some(error),
            Line::Loaded { id } => observed.id = Some(id),
            Line::CollectFailed { id, message } => {
                observed.tests.push(TestCase { id, outcome: TestOutcome::Error, seconds: 0.0, message });
            }
            Line::Test(test) => observed.tests.push(test),
            Line::Finished { status, uses, versions } => {
                observed.end = Some(EndOfRun { status, uses, versions });
            }
        }
    }
    Ok(observed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_cut_off_in_the_middle_of_a_line_keeps_what_came_before() {
        let text = concat!(
            "{\"event\":\"loaded\",\"id\":\"_a_cpu_b\"}\n",
            "{\"event\":\"test\",\"id\":\"t::a\",\"outcome\":\"passed\",\"seconds\":0.5,\"phase\":\"call\"}\n",
            "{\"event\":\"test\",\"id\":\"t::b\",\"outc"
        );
        let observed = read(text).expect("whole lines are read");
        assert_eq!(observed.tests.len(), 1);
        assert!(observed.end.is_none());
    }

    #[test]
    fn a_garbled_line_is_an_error() {
        assert!(matches!(read("no JSON\n"), Err(SuiteError::Report(_))));
    }
}
