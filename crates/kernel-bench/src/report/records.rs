//! The document as lines: what streams while a run goes on, and what a saved run is turned into for tools that read
//! line by line.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document::{
    AlphaSpent, BaselineDescription, Check, Document, Machine, RunDescription, SCHEMA, Subject,
};
use crate::decision::{Roofline, Settings, Suite, Verdict};
use crate::measurement::{Measurement, Process};

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "type")]
#[allow(clippy::large_enum_variant, reason = "a line is written and gone")]
pub enum Record {
    /// Always the first.
    Run {
        /// Always `bench-result/1`.
        schema: String,
        /// The run itself; its duration is only known in the document.
        run: RunDescription,
        /// What is measured.
        subject: Subject,
        /// Against what.
        baseline: BaselineDescription,
        /// By what it will be decided.
        settings: Settings,
    },
    /// What it runs on.
    Environment {
        /// The machine.
        machine: Machine,
    },
    /// A gate or a check against cheating.
    Check {
        /// The workload.
        workload: String,
        /// What came of it.
        check: Check,
    },
    /// One process of one workload.
    Process {
        /// The workload.
        workload: String,
        /// Which process, from 0.
        index: usize,
        /// What was timed.
        process: Process,
    },
    /// A look was taken.
    Look {
        /// What it spent.
        look: AlphaSpent,
    },
    /// What is decided about a workload so far.
    Verdict {
        /// The verdict.
        verdict: Box<Verdict>,
        /// How near the arms come to the roof.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        roofline: Option<Roofline>,
    },
    /// What readers must know.
    Warning {
        /// For people.
        message: String,
    },
    /// What is decided as a whole so far.
    Suite {
        /// The verdict.
        suite: Suite,
    },
    /// Always the last.
    End {
        /// Seconds since the beginning.
        seconds: f64,
    },
}

/// A document as lines.
pub fn records(document: &Document) -> Vec<Record> {
    let mut records = vec![
        Record::Run {
            schema: SCHEMA.to_owned(),
            run: document.run.clone(),
            subject: document.subject.clone(),
            baseline: document.baseline.clone(),
            settings: document.settings.clone(),
        },
        Record::Environment { machine: document.machine.clone() },
    ];
    for result in &document.workloads {
        let workload = &result.measurement.workload;
        let gates = result.correctness.iter().flat_map(|correctness| &correctness.gates);
        let check = |check: &Check| Record::Check { workload: workload.clone(), check: check.clone() };
        records.extend(gates.chain(&result.checks).map(check));
        records.extend(processes(&result.measurement));
    }
    records.extend(document.looks.iter().map(|look| Record::Look { look: *look }));
    records.extend(document.workloads.iter().map(|result| Record::Verdict {
        verdict: Box::new(result.verdict.clone()),
        roofline: result.roofline,
    }));
    records.extend(document.warnings.iter().map(|message| Record::Warning { message: message.clone() }));
    records.push(Record::Suite { suite: document.suite.clone() });
    records.push(Record::End { seconds: document.run.seconds });
    records
}

fn processes(measurement: &Measurement) -> impl Iterator<Item = Record> + '_ {
    measurement.processes.iter().enumerate().map(|(index, process)| Record::Process {
        workload: measurement.workload.clone(),
        index,
        process: process.clone(),
    })
}
