//! One replicated process: a fresh child with a memory layout of its own, in which the kernel is checked and then timed in
//! pairs with what it replaces. Some of the timed outputs are judged as well, so that being right only while somebody
//! looks does not help.

use kernel_bench::measurement::{Arms, Block, Fault, FaultKind, Process};
use kernel_bench::protocol::{Calibrate, Check, CheckAnswer, Compare, Fill, Open, Random, Slot};

use super::child::{Child, Unanswered};
use super::conditions::Moment;
use super::oracle::alike;
use super::outputs::Record;
use super::workload::{Answer, Reference, Workload};
use super::{Bench, suspicion};
use crate::process::ProcessError;

/// Sets of buffers that a process works on.
pub(super) const SLOTS: usize = 2;
/// What came of one workload in one process.
pub(super) struct Taken {
    pub(super) process: Process,
    /// Nanoseconds of the first call ever.
    pub(super) first_call: f64,
    /// Best nanoseconds of a call of each arm.
    pub(super) best: Arms<f64>,
    /// Nanoseconds of a call of the candidate by this process's own clock, where it was asked for.
    pub(super) outside: Option<f64>,
    /// Inputs that the kernel changed.
    pub(super) mutated: Vec<String>,
    /// What changed in the process.
    pub(super) changed: Vec<String>,
    /// Whether only the script's own comparison agrees.
    pub(super) by_script: bool,
}

/// Why nothing came of it.
pub(super) enum Failed {
    /// Of this workload, with the check that struck where it was one.
    Workload(Fault, Option<&'static str>),
    /// Of this child.
    Child(Unanswered),
    /// Of the run.
    Run(Box<crate::Error>),
}

impl Failed {
    fn of(kind: FaultKind, reason: &str) -> Self {
        Self::Workload(Fault { kind, reason: reason.to_owned() }, None)
    }

    pub(super) fn suspect(check: &'static str, reason: &str) -> Self {
        Self::Workload(Fault { kind: FaultKind::Suspect, reason: reason.to_owned() }, Some(check))
    }
}

impl From<Unanswered> for Failed {
    fn from(unanswered: Unanswered) -> Self {
        Self::Child(unanswered)
    }
}

impl From<std::io::Error> for Failed {
    fn from(error: std::io::Error) -> Self {
        Self::Run(Box::new(error.into()))
    }
}

impl From<ProcessError> for Failed {
    fn from(error: ProcessError) -> Self {
        Self::Run(Box::new(error.into()))
    }
}

/// One workload in one child.
pub(super) struct Replicate<'a, 'b> {
    pub(super) bench: &'a Bench<'a>,
    pub(super) child: &'b mut Child<'a>,
    pub(super) workload: &'a Workload,
    /// Where the script's own comparison is, if it has one.
    pub(super) comparison: Option<&'a str>,
    pub(super) random: &'b mut Random,
    pub(super) record: &'b mut Record,
    /// Whether every set of inputs is checked, and not one only.
    pub(super) thorough: bool,
    /// Whether this process's own clock is held against the child's.
    pub(super) by_own_clock: bool,
    /// How much shorter than usual its samples are to be.
    pub(super) shortening: u32,
}

impl Replicate<'_, '_> {
    /// Checks and measures.
    pub(super) fn run(mut self) -> Result<Taken, Failed> {
        let moment = Moment::now();
        self.open()?;
        let mut by_script = false;
        let answers = match &self.workload.reference {
            Reference::Separate { .. } => Vec::new(),
            Reference::Beside { .. } => self.beside()?,
        };
        let checked = match self.check(&answers) {
            Err(Failed::Workload(fault, _)) if fault.kind == FaultKind::Incorrect => {
                by_script = true;
                self.by_script(fault)?
            }
            other => other?,
        };
        let mut calibrate = Calibrate::of(vec!["baseline", "candidate"], &self.bench.workshop.device);
        calibrate.target /= u64::from(self.shortening);
        let settled = self.child.ask(&calibrate, self.bench.workshop.limit)?;
        let (Some(baseline), Some(candidate)) = (settled.baseline, settled.candidate) else {
            return Err(Failed::of(FaultKind::Error, "an arm could not be calibrated"));
        };
        let judge_timed = checked.mutated.is_empty() && !by_script;
        let (blocks, changed) = self.blocks(&answers, baseline, candidate, judge_timed)?;
        if !judge_timed && !by_script {
            self.check(&answers)?;
        }
        let outside = if self.by_own_clock { Some(self.outside(candidate.call)?) } else { None };
        let best = |of: fn(&Block) -> f64| blocks.iter().map(of).fold(f64::INFINITY, f64::min);
        let best =
            Arms { baseline: best(|block| block.baseline_ns), candidate: best(|block| block.candidate_ns) };
        let mut conditions = moment.since();
        #[allow(clippy::cast_precision_loss, reason = "a tick is short")]
        let tick = self.child.hello.tick as f64;
        conditions.tick_ns = Some(tick);
        conditions.calls_per_sample = Some(Arms { baseline: baseline.calls, candidate: candidate.calls });
        #[allow(clippy::cast_precision_loss, reason = "a call is short")]
        let first_call = checked.elapsed as f64;
        let process = Process { blocks, peak_memory: None, conditions };
        Ok(Taken { process, first_call, best, outside, mutated: checked.mutated, changed, by_script })
    }

    fn open(&mut self) -> Result<(), Failed> {
        let random = &mut *self.random;
        let mut small = |limit: usize| u32::try_from(random.below(limit)).unwrap_or_default();
        let mut slots = Vec::new();
        for seed in self.workload.reference.seeds(SLOTS) {
            let padding = (0..4).map(|_| 64 + small(16 << 10)).collect();
            // Allocators align to 64 bytes, and so does this.
            let offsets = (0..16).map(|_| small(256) * 64).collect();
            slots.push(Slot { seed, padding, offsets });
        }
        let opened = self.child.ask(
            &Open {
                class: self.workload.class.clone(),
                workload: self.workload.name.clone(),
                device: self.bench.workshop.device.clone(),
                case: self.workload.case.clone(),
                slots,
            },
            self.bench.workshop.limit,
        )?;
        if let Reference::Separate { sets, .. } = &self.workload.reference {
            let same =
                opened.inputs.iter().enumerate().all(|(slot, tensors)| alike(tensors, &sets[slot].tensors));
            if !same {
                let reason = "its setup leaves other tensors where the kernel is loaded than where it is not";
                return Err(Failed::of(FaultKind::Error, reason));
            }
        }
        Ok(())
    }

    /// Sets of inputs that may be put into a slot.
    pub(super) fn sets_for(&self, slot: usize) -> Vec<usize> {
        match &self.workload.reference {
            Reference::Separate { sets, fixed: false } => (0..sets.len()).collect(),
            Reference::Separate { .. } => vec![slot],
            Reference::Beside { .. } => Vec::new(),
        }
    }

    pub(super) fn set(&self, index: usize) -> Option<&super::workload::DataSet> {
        match &self.workload.reference {
            Reference::Separate { sets, .. } => sets.get(index),
            Reference::Beside { .. } => None,
        }
    }

    /// Runs the kernel into poisoned outputs on sets of inputs, and judges what it made.
    fn check(&mut self, answers: &[Answer]) -> Result<CheckAnswer, Failed> {
        let mut first = None;
        for slot in 0..SLOTS {
            let mut sets = self.sets_for(slot);
            self.random.shuffle(&mut sets);
            if !self.thorough {
                sets.truncate(1);
            }
            let rounds: Vec<Option<usize>> =
                if sets.is_empty() { vec![None] } else { sets.into_iter().map(Some).collect() };
            for set in rounds {
                let checked = self.check_once(slot, set, answers)?;
                first.get_or_insert(checked);
            }
        }
        first.ok_or_else(|| Failed::of(FaultKind::Error, "there is no slot to check"))
    }

    fn check_once(
        &mut self,
        slot: usize,
        set: Option<usize>,
        answers: &[Answer],
    ) -> Result<CheckAnswer, Failed> {
        let answer = set.and_then(|set| self.set(set)).map(|set| (set.inputs.clone(), set.answer.clone()));
        if let Some((inputs, _)) = &answer {
            self.child.ask(&Fill { slot, file: inputs.clone() }, self.bench.workshop.limit)?;
        }
        let file = self.bench.workshop.scratch.data("check");
        let question = Check { slot, device: self.bench.workshop.device.clone(), file: file.clone() };
        let checked = self.child.ask(&question, self.bench.workshop.limit)?;
        if checked.threads > 0 {
            let reason = "it left a thread running, which may still compute after the clock was stopped";
            return Err(Failed::suspect(suspicion::THREADS, reason));
        }
        let answer = answer.map(|(_, answer)| answer).or_else(|| answers.get(slot).cloned());
        // What changes its own inputs starts from others the second time.
        let comparable = set.is_some() || checked.mutated.is_empty();
        if let Some(answer) = answer.filter(|_| comparable) {
            self.judge(&checked.outputs, &file, &answer)?;
        }
        Ok(checked)
    }

    pub(super) fn judge(
        &mut self,
        outputs: &[kernel_bench::protocol::Tensor],
        file: &camino::Utf8Path,
        answer: &Answer,
    ) -> Result<(), Failed> {
        match self.record.judge(outputs, file, answer, &self.bench.workshop.device)? {
            Some(fault) => Err(Failed::Workload(fault, Some(suspicion::TYPES))),
            None => Ok(()),
        }
    }

    /// The references of scripts that need the kernel for them, one for each slot.
    fn beside(&mut self) -> Result<Vec<Answer>, Failed> {
        let mut answers = Vec::new();
        for slot in 0..SLOTS {
            let own = self.bench.workshop.scratch.data(&format!("beside-{slot}"));
            let file = self.bench.workshop.scratch.data("compare");
            let compared = self
                .child
                .ask(&Compare { slot, file: file.clone(), own: own.clone() }, self.bench.workshop.limit)?;
            let answer = Answer { own, tensors: compared.own, exact: None, rules: Vec::new() };
            if self.comparison.is_none() {
                self.judge(&compared.outputs, &file, &answer)?;
            } else if !compared.agrees {
                return Err(Failed::of(FaultKind::Incorrect, "the script's own comparison refuses it"));
            }
            answers.push(answer);
        }
        Ok(answers)
    }

    /// What our judge refuses may still be timed if the script brings a comparison of its own; it then never counts as
    /// verified. Everything else only learns what torch's comparison would have said.
    fn by_script(&mut self, mut fault: Fault) -> Result<CheckAnswer, Failed> {
        let file = |name: &str| self.bench.workshop.scratch.data(name);
        let question = Compare { slot: 0, file: file("compare"), own: file("beside-0") };
        let agrees =
            self.child.ask(&question, self.bench.workshop.limit).is_ok_and(|compared| compared.agrees);
        if self.comparison.is_none() || !agrees {
            if agrees {
                fault.reason += "; `torch.allclose` with the script's tolerance of 0.01 would accept it";
            }
            return Err(Failed::Workload(fault, None));
        }
        let question = Check { slot: 0, device: self.bench.workshop.device.clone(), file: file("check") };
        Ok(self.child.ask(&question, self.bench.workshop.limit)?)
    }
}
