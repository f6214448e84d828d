//! What is known of one workload while a run goes on.

use kernel_bench::measurement::{Arms, Fault, FaultKind, Measurement};

use super::outputs::Record;
use super::replicate::Taken;
use super::suspicion::{self, Suspicion};
use super::workload::Workload;

/// One workload of the run.
pub(super) struct Progress<'a> {
    /// Which script it is of.
    pub(super) script: usize,
    pub(super) workload: &'a Workload,
    pub(super) measurement: Measurement,
    pub(super) record: Record,
    pub(super) suspicion: Suspicion,
    /// Nanoseconds of its first call in a fresh process.
    pub(super) first_call: Option<f64>,
    /// What the kernel changed besides its output.
    pub(super) mutated: Vec<String>,
    /// Whether only the script's own comparison agrees.
    pub(super) by_script: bool,
    /// Best time of the baseline where no kernel was loaded, nanoseconds; of several the slowest.
    pub(super) alone: f64,
    /// How much shorter than usual its samples are to be.
    pub(super) shortening: u32,
}

impl<'a> Progress<'a> {
    pub(super) fn new(script: usize, workload: &'a Workload) -> Self {
        Self {
            script,
            workload,
            measurement: Measurement {
                workload: workload.id.clone(),
                weight: workload.weight,
                size: workload.size,
                work: workload.work,
                fault: None,
                processes: Vec::new(),
            },
            record: Record::default(),
            suspicion: Suspicion::default(),
            first_call: None,
            mutated: Vec::new(),
            by_script: false,
            alone: workload.alone,
            shortening: 1,
        }
    }

    /// Whether it is still worth measuring.
    pub(super) fn is_sound(&self) -> bool {
        self.measurement.fault.is_none()
    }

    /// Takes what one process measured, in place of that of the same number if there is one.
    fn take(&mut self, number: usize, taken: Taken) {
        self.first_call.get_or_insert(taken.first_call);
        self.mutated = taken.mutated;
        self.by_script |= taken.by_script;
        let processes = &mut self.measurement.processes;
        if number < processes.len() {
            processes[number] = taken.process;
        } else {
            processes.push(taken.process);
        }
    }

    /// Takes what one process measured, unless it shows that it cannot be believed.
    pub(super) fn believe(&mut self, number: usize, taken: Taken, excused: &[String]) {
        let reported = taken.best.candidate;
        let clocks = taken.outside.and_then(|outside| self.suspicion.clocks(reported, outside));
        let changes = suspicion::changes(&taken.changed, excused);
        self.take(number, taken);
        if let Some(fault) = clocks {
            self.fail(fault, Some(suspicion::CLOCKS));
        } else if let Some(fault) = changes {
            self.fail(fault, Some(suspicion::UNTOUCHED));
        }
    }

    /// The first fault names a workload; what was measured before it stays in the document. A suspect fault that no check
    /// claims comes from the channel.
    pub(super) fn fail(&mut self, fault: Fault, check: Option<&'static str>) {
        if fault.kind == FaultKind::Suspect {
            self.suspicion.strike(check.unwrap_or(suspicion::CHANNEL));
        }
        self.measurement.fault.get_or_insert(fault);
    }

    /// Best time of each arm over all processes, nanoseconds.
    pub(super) fn best(&self) -> Arms<f64> {
        let blocks = || self.measurement.processes.iter().flat_map(|process| &process.blocks);
        let least = |times: Vec<f64>| times.into_iter().fold(f64::INFINITY, f64::min);
        Arms {
            baseline: least(blocks().map(|block| block.baseline_ns).collect()),
            candidate: least(blocks().map(|block| block.candidate_ns).collect()),
        }
    }
}
