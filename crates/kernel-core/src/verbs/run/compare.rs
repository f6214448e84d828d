//! `run --compare`: whole runs of a program, with what its kernels replace and with the kernels, in pairs of random order, until
//! the procedure of `kernel-bench` says which is faster. A pair is what a process is to `bench`: the unit of inference.

use std::time::{Duration, Instant};

use kernel_bench::decision::{Look, Next, Outcome, Sequence, Settings, Verdict};
use kernel_bench::measurement::{Arms, Block, Fault, FaultKind, Marks, Measurement, Order, Process, Work};
use kernel_bench::protocol::Random;
use kernel_spec::report::run::{Compared, ComparedLook, ComparedMemory, Pair, Ran, RunReport};
use kernel_spec::{Event, Finding, code};

use super::hook::{Hook, Wanted};
use super::said::Said;
use super::{RunOptions, Use, check_baselines, findings};
use crate::bench::{BenchError, Moment, drawn};
use crate::process::{End, ProcessError};
use crate::verbs::bench::{FailOn, of_suite, speedup};
use crate::{Context, Result};

/// What a run of the whole program is called among measurements.
const PROGRAM: &str = "program";

/// How whole runs are compared.
#[derive(Clone, Debug)]
pub struct Comparing {
    /// What verdicts come from.
    pub settings: Settings,
    /// How long the runs may take, all together.
    pub budget: Duration,
    /// The seed of the order of runs; drawn anew without it.
    pub seed: Option<u64>,
    /// News that is to be a failure.
    pub fail_on: Vec<FailOn>,
}

/// Compares a program with and without its kernels.
pub fn compare(context: &Context, options: &RunOptions, comparing: &Comparing) -> Result<RunReport> {
    let settings = comparing.settings.clone().checked().map_err(BenchError::Settings)?;
    check_baselines(context, &options.baselines)?;
    let seed = comparing.seed.map_or_else(drawn, Ok)?;
    let begin = Instant::now();
    let arm = |switch| Arm::new(context, options, switch, comparing.budget);
    let arms = Arms { baseline: arm(Use::Baseline)?, candidate: arm(Use::Kernel)? };
    // One run of each first, which is not counted: it fills caches, and shows what is switched.
    let first = [arms.baseline.run(context)?, arms.candidate.run(context)?];
    let mut report = RunReport {
        program: options.command.clone(),
        end: first[1].end.clone(),
        seconds: 0.0,
        verified: Vec::new(),
        implementations: Vec::new(),
        explained: Vec::new(),
        share: None,
        compared: None,
        findings: first_findings(options, &first),
    };
    let got = first.iter().flat_map(|run| &run.said.implementations);
    report.implementations = got.cloned().collect::<std::collections::BTreeSet<_>>().into_iter().collect();
    if report.exit() == kernel_spec::ExitClass::Success {
        let longest = first.iter().map(|run| run.seconds).fold(0.0, f64::max);
        let mut pairs = Pairs {
            context,
            arms: &arms,
            random: Random::new(seed),
            deadline: begin + comparing.budget,
            longest: Duration::from_secs_f64(2.0 * longest),
            measurement: measurement(),
            candidate_first: false,
            failed: None,
        };
        let (look, looks) = pairs.until_decided(settings)?;
        report.findings.extend(pairs.failed.take());
        report.findings.extend(of_suite(&comparing.fail_on, &look.suite));
        report.compared = Some(Box::new(compared(&look, looks, &pairs.measurement, seed)));
    }
    report.seconds = begin.elapsed().as_secs_f64();
    Ok(report)
}

/// The program in one of its two forms.
struct Arm<'a> {
    hook: Hook,
    options: &'a RunOptions,
    timeout: Duration,
}

/// One run.
struct Once {
    seconds: f64,
    end: String,
    /// Why it does not count.
    failed: Option<Finding>,
    said: Said,
}

impl<'a> Arm<'a> {
    fn new(context: &Context, options: &'a RunOptions, switch: Use, budget: Duration) -> Result<Self> {
        let wanted = Wanted {
            switch: Some(switch),
            baselines: &options.baselines,
            absent: &options.absent,
            memory: true,
            ..Wanted::default()
        };
        let hook = Hook::new(context, &wanted)?;
        Ok(Self { hook, options, timeout: options.timeout.unwrap_or(budget) })
    }

    /// Runs it to its end; what it writes is shown only where it fails.
    fn run(&self, context: &Context) -> Result<Once> {
        let command = self.hook.command(&self.options.command).timeout(self.timeout);
        let begin = Instant::now();
        let finished = command.stream(context, &mut |_line| {});
        let seconds = begin.elapsed().as_secs_f64();
        let (end, failed) = match finished {
            Ok(finished) if finished.end == End::Exited(0) => (finished.end.to_string(), None),
            Ok(finished) => {
                let program = command.program();
                let finding = Finding::error(&code::run::FAILED, format!("`{program}` {}", finished.end));
                let said = finished.said.iter().rev().find(|line| !line.trim().is_empty());
                let finding = said.into_iter().fold(finding, |finding, line| finding.cause(line.trim()));
                (finished.end.to_string(), Some(finding))
            }
            Err(late @ ProcessError::TimedOut { .. }) => {
                (late.to_string(), Some(Finding::error(&code::run::TIMEOUT, late.to_string())))
            }
            Err(other) => return Err(other.into()),
        };
        Ok(Once { seconds, end, failed, said: self.hook.said()? })
    }
}

/// What the first two runs show: whether the two forms of the program differ at all.
fn first_findings(options: &RunOptions, first: &[Once; 2]) -> Vec<Finding> {
    let mut found = Vec::new();
    let baseline = RunOptions { switch: Some(Use::Baseline), ..options.clone() };
    let kernel = RunOptions {
        switch: Some(Use::Kernel),
        baselines: Vec::new(),
        absent: Vec::new(),
        ..options.clone()
    };
    for (run, options) in first.iter().zip([&baseline, &kernel]) {
        found.extend(findings::of_record(&run.said));
        found.extend(run.failed.clone());
        found.extend(findings::of_switch(options, &run.said));
        found.extend(findings::of_nothing(options, &run.said, run.failed.is_some()));
    }
    let is_switched = |ran| first[0].said.all(ran).next().is_some();
    let failed = first.iter().any(|run| run.failed.is_some());
    if first[0].said.started && !failed && !is_switched(Ran::Baseline) && !is_switched(Ran::Absent) {
        let message = "nothing in the program was switched, so that there is nothing to compare";
        found.push(Finding::error(&code::run::NOT_SWITCHED, message));
    }
    found.dedup();
    found
}

/// Runs in pairs.
struct Pairs<'a> {
    context: &'a Context,
    arms: &'a Arms<Arm<'a>>,
    random: Random,
    deadline: Instant,
    /// How long a pair took at most.
    longest: Duration,
    measurement: Measurement,
    candidate_first: bool,
    failed: Option<Finding>,
}

impl Pairs<'_> {
    /// Runs pairs until a look decides, the time is over, or a run fails.
    fn until_decided(&mut self, settings: Settings) -> Result<(Look, Vec<ComparedLook>)> {
        let mut sequence = Sequence::new(settings);
        let mut looks = Vec::new();
        while let Some(wanted) = sequence.next_look() {
            while self.measurement.processes.len() < wanted && !self.is_over() {
                self.pair(wanted)?;
            }
            if self.is_over() {
                break;
            }
            let look = sequence.look(std::slice::from_ref(&self.measurement));
            looks.push(ComparedLook { pairs: look.processes, level: look.level, spent: look.spent });
            // A pair is one block, of which no shorter one could be taken.
            if !matches!(look.next, Next::Continue { .. }) {
                return Ok((look, looks));
            }
        }
        let look = sequence.conclude(std::slice::from_ref(&self.measurement));
        looks.push(ComparedLook { pairs: look.processes, level: look.level, spent: look.spent });
        Ok((look, looks))
    }

    /// Whether another pair would end too late, or none is worth running.
    fn is_over(&self) -> bool {
        self.measurement.fault.is_some() || Instant::now() + self.longest >= self.deadline
    }

    /// Runs one pair. Of each two, one is in either order, and a coin says which comes first.
    fn pair(&mut self, wanted: usize) -> Result<()> {
        let done = self.measurement.processes.len();
        self.candidate_first =
            if done.is_multiple_of(2) { self.random.coin() } else { !self.candidate_first };
        let Arms { baseline, candidate } = self.arms;
        let (begin, conditions) = (Instant::now(), Moment::now());
        let (first, second) =
            if self.candidate_first { (candidate, baseline) } else { (baseline, candidate) };
        let (first, second) = (first.run(self.context)?, second.run(self.context)?);
        self.longest = self.longest.max(begin.elapsed());
        let (baseline, candidate) = if self.candidate_first { (second, first) } else { (first, second) };
        if let Some(failed) = baseline.failed.or(candidate.failed) {
            let reason = failed.message.clone();
            self.measurement.fault = Some(Fault { kind: FaultKind::Crashed, reason });
            self.failed = Some(failed);
            return Ok(());
        }
        let peaks = baseline.said.memory.zip(candidate.said.memory);
        self.measurement.processes.push(Process {
            blocks: vec![Block {
                baseline_ns: baseline.seconds * 1e9,
                candidate_ns: candidate.seconds * 1e9,
                order: if self.candidate_first { Order::CandidateFirst } else { Order::BaselineFirst },
                marks: Marks::default(),
            }],
            peak_memory: peaks.map(|(baseline, candidate)| Arms { baseline, candidate }),
            conditions: conditions.since(),
        });
        self.progressed(wanted, baseline.seconds, candidate.seconds);
        Ok(())
    }

    fn progressed(&self, wanted: usize, baseline: f64, kernel: f64) {
        let as_number = |count: usize| u64::try_from(count).unwrap_or_default();
        let done = self.measurement.processes.len();
        self.context.sink.event(&Event::Progress {
            done: as_number(done),
            total: as_number(wanted),
            message: format!(
                "pair {done} of {wanted} until the next look: {baseline:.2} s without, {kernel:.2} s with the kernels"
            ),
        });
    }
}

/// What would have decided.
fn undecided(verdict: &Verdict) -> Option<String> {
    let detectable = verdict.detectable.filter(|_| verdict.outcome == Outcome::Inconclusive)?;
    let more =
        detectable.processes_needed.map_or_else(String::new, |count| format!("; {count} pairs would do"));
    Some(format!("a difference of {:.1} % could have been seen{more}", 100.0 * detectable.effect))
}

fn measurement() -> Measurement {
    Measurement {
        workload: PROGRAM.to_owned(),
        weight: 1.0,
        size: None,
        work: Work::default(),
        fault: None,
        processes: Vec::new(),
    }
}

fn compared(look: &Look, looks: Vec<ComparedLook>, measurement: &Measurement, seed: u64) -> Compared {
    let verdict = look.verdicts.first();
    let memory = verdict.and_then(|verdict| verdict.memory);
    let times = verdict.and_then(|verdict| verdict.times);
    let pairs = measurement.processes.iter().flat_map(|process| {
        process.blocks.iter().map(|block| Pair {
            baseline_seconds: block.baseline_ns / 1e9,
            kernel_seconds: block.candidate_ns / 1e9,
            kernel_first: block.order == Order::CandidateFirst,
            baseline_bytes: process.peak_memory.map(|peak| peak.baseline),
            kernel_bytes: process.peak_memory.map(|peak| peak.candidate),
        })
    });
    let mut reasons = look.suite.reasons.clone();
    reasons.extend(verdict.and_then(undecided));
    Compared {
        verdict: look.suite.verdict.word().to_owned(),
        outcome: verdict.map_or("invalid", |verdict| verdict.outcome.word()).to_owned(),
        reasons,
        speedup: verdict.and_then(|verdict| verdict.effect.as_ref()).map(speedup),
        baseline_seconds: times.map(|times| times.baseline.median / 1e9),
        kernel_seconds: times.map(|times| times.candidate.median / 1e9),
        memory: memory.map(|memory| ComparedMemory {
            outcome: memory.outcome.word().to_owned(),
            baseline_bytes: memory.peak.baseline,
            kernel_bytes: memory.peak.candidate,
        }),
        looks,
        pairs: pairs.collect(),
        seed: seed.to_string(),
    }
}
