//! One trial: inputs and reference from the oracle, outputs from the candidate, and what this process makes of them.

use camino::Utf8PathBuf;
use kernel_bench::measurement::FaultKind;
use kernel_bench::protocol::{
    Bye, Case, Check, Discover, Fill, Load, Open, Question, Random, Reference, Repeat, Slot, Threads,
    Together,
};
use kernel_spec::report::gates::Gate;
use kernel_spec::workloads::{Layout, Operation};
use serde_json::Value;

use super::judging::{Found, judge};
use super::plan::{How, Trial};
use super::{Declared, rules};
use crate::bench::child::{Child, Unanswered};
use crate::bench::workload::{Answer, DataSet};
use crate::bench::workshop::Workshop;
use crate::process::ProcessError;

/// Bytes that a process may grow by whatever it does.
const GROWTH: u64 = 1 << 20;
/// Seconds that a thread waits for the others.
const PATIENCE: u32 = 60;

/// Why a trial ended early.
pub(super) enum Stop {
    /// Something speaks against the kernel.
    Found(Box<Found>),
    /// The run cannot go on.
    Run(Box<crate::Error>),
}

impl From<Found> for Stop {
    fn from(found: Found) -> Self {
        Self::Found(Box::new(found))
    }
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Self {
        Self::Run(Box::new(error.into()))
    }
}

impl From<ProcessError> for Stop {
    fn from(error: ProcessError) -> Self {
        Self::Run(Box::new(error.into()))
    }
}

/// Which of the two children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Oracle,
    Candidate,
}

/// The two children, started when they are needed.
pub(super) struct Bench<'a> {
    workshop: &'a Workshop<'a>,
    declared: &'a Declared,
    operations: Value,
    random: Random,
    oracle: Option<Child<'a>>,
    candidate: Option<Child<'a>>,
}

impl<'a> Bench<'a> {
    pub(super) fn new(workshop: &'a Workshop<'a>, declared: &'a Declared, seed: u64) -> Self {
        let operations = serde_json::to_value(&declared.workloads.operations).unwrap_or_default();
        let random = Random::new(seed);
        Self { workshop, declared, operations, random, oracle: None, candidate: None }
    }

    /// Ends the children.
    pub(super) fn end(self) -> Result<(), ProcessError> {
        for mut child in [self.oracle, self.candidate].into_iter().flatten() {
            // Whether it says farewell or not, it is ended.
            drop(child.ask(&Bye { variant_path: None }, self.workshop.limit));
            child.end()?;
        }
        Ok(())
    }

    /// Tries; what is found is the error.
    pub(super) fn attempt(&mut self, operation: &Operation, trial: &Trial) -> Result<(), Stop> {
        let case = &trial.case;
        match trial.how {
            How::Sets(sets) => self.sets(operation, case, sets),
            How::Refused => self.refused(operation, case),
            How::Again(times) => self.again(operation, case, times),
            How::Threads => self.threads(operation, case),
            How::Together(rounds) => self.together(operation, case, rounds),
            How::Memory(calls) => self.memory(operation, case, calls),
            How::Between => self.between(operation, case),
        }
    }

    fn sets(&mut self, operation: &Operation, case: &Case, sets: usize) -> Result<(), Stop> {
        let mut answers: Vec<Vec<u8>> = Vec::new();
        for number in 0..sets {
            let set = self.data(operation, case, number)?;
            if number == 0 {
                self.open(case, &[&set])?;
            }
            self.check(operation, case, &set)?;
            answers.push(fs_err::read(&set.answer.own)?);
        }
        let is_constant = sets > 1 && answers.windows(2).all(|pair| pair[0] == pair[1]);
        if is_constant && operation.stochastic.is_none() && answers.iter().any(|answer| answer.len() > 64) {
            let message =
                "the reference gives the same for all inputs, so every kernel that ignores them would pass";
            return Err(Found::new(None, message).into());
        }
        Ok(())
    }

    fn refused(&mut self, operation: &Operation, case: &Case) -> Result<(), Stop> {
        match self.sets(operation, case, 1) {
            Err(Stop::Found(found)) if found.raised => Ok(()),
            Err(Stop::Found(found)) if found.crashed => Err(Stop::Found(found)),
            Err(Stop::Run(error)) => Err(Stop::Run(error)),
            Ok(()) | Err(Stop::Found(_)) => {
                let message = "it is declared to refuse this layout, and it raised no exception";
                Err(Found::new(None, message).into())
            }
        }
    }

    fn again(&mut self, operation: &Operation, case: &Case, times: usize) -> Result<(), Stop> {
        let set = self.data(operation, case, 0)?;
        self.open(case, &[&set])?;
        let first = self.check(operation, case, &set)?;
        for time in 2..=times {
            let bytes = self.check(operation, case, &set)?;
            if bytes != first && (operation.deterministic || operation.stochastic.is_some()) {
                let message = format!("call {time} gives other bytes than the first, for the same inputs");
                return Err(Found::new(None, message).into());
            }
        }
        let Some(argument) = &operation.stochastic else { return Ok(()) };
        let mut other = case.clone();
        let seed = other.arguments.get(argument).and_then(Value::as_i64).unwrap_or_default();
        other.arguments.insert(argument.clone(), Value::from(seed + 1));
        self.open(&other, &[&set])?;
        if self.check(operation, &other, &set)? == first {
            return Err(Found::new(None, format!("another `{argument}` gives the same outputs")).into());
        }
        Ok(())
    }

    fn threads(&mut self, operation: &Operation, case: &Case) -> Result<(), Stop> {
        let set = self.data(operation, case, 0)?;
        self.open(case, &[&set])?;
        let before = self.ask(Who::Candidate, &Threads { count: 1 })?.before;
        let mut judged = self.check(operation, case, &set);
        if judged.is_ok() {
            self.ask(Who::Candidate, &Threads { count: before.max(2) + 1 })?;
            judged = self.check(operation, case, &set);
        }
        if self.candidate.is_some() {
            self.ask(Who::Candidate, &Threads { count: before })?;
        }
        judged.map(drop)
    }

    fn together(&mut self, operation: &Operation, case: &Case, rounds: u32) -> Result<(), Stop> {
        let sets = [self.data(operation, case, 0)?, self.data(operation, case, 1)?];
        let case = self.open(case, &[&sets[0], &sets[1]])?;
        for (slot, set) in sets.iter().enumerate() {
            self.ask(Who::Candidate, &Fill { slot, file: set.inputs.clone() })?;
        }
        let files: Vec<Utf8PathBuf> =
            (0..sets.len()).map(|slot| self.workshop.scratch.data(&format!("together-{slot}"))).collect();
        let device = self.workshop.device.clone();
        // What changes its own inputs can be called on them once only.
        let changes = case.tensors.iter().any(|tensor| rules::may_change(&case, &tensor.name));
        let rounds = if changes { 1 } else { rounds };
        let question = Together { device, rounds, patience: PATIENCE, files: files.clone() };
        let answer = self.ask(Who::Candidate, &question)?;
        for ((set, file), outputs) in sets.iter().zip(&files).zip(&answer.outputs) {
            let place = (file.as_path(), &set.answer, self.workshop.device.as_str());
            if let Some(found) = judge(&case, &rules::names(operation, &case), outputs, place)? {
                let message = format!("called from two threads at once: {}", found.message);
                return Err(Found { message, gate: None, ..found }.into());
            }
        }
        Ok(())
    }

    fn memory(&mut self, operation: &Operation, case: &Case, calls: u32) -> Result<(), Stop> {
        let set = self.data(operation, case, 0)?;
        self.open(case, &[&set])?;
        self.check(operation, case, &set)?;
        let question = Repeat { slot: 0, device: self.workshop.device.clone(), calls };
        let held = self.ask(Who::Candidate, &question)?;
        let grown = held.after.saturating_sub(held.before);
        let written = fs_err::metadata(&set.answer.own)?.len();
        if grown > GROWTH && grown > u64::from(calls) * written / 2 {
            let message = format!("{calls} calls leave {} KiB behind", grown >> 10);
            return Err(Found::new(None, message).into());
        }
        Ok(())
    }

    fn between(&mut self, operation: &Operation, case: &Case) -> Result<(), Stop> {
        let (first, second) = (self.data(operation, case, 0)?, self.data(operation, case, 1)?);
        self.open(case, &[&first])?;
        self.check(operation, case, &first)?;
        self.check(operation, case, &second)
            .map_err(|stop| stop.at("with new inputs at the same addresses"))?;
        self.open(case, &[&first])?;
        self.check(operation, case, &first)
            .map_err(|stop| stop.at("with old inputs at new addresses"))
            .map(drop)
    }

    /// Inputs from a seed that only the oracle knows, and what the reference makes of them.
    fn data(&mut self, operation: &Operation, case: &Case, number: usize) -> Result<DataSet, Stop> {
        let seed = self.random.number() >> 1;
        let plain = Case {
            layout: Layout::Contiguous,
            output_layout: Layout::Contiguous,
            alias: None,
            guarded: false,
            poisoned_memory: false,
            ..case.clone()
        };
        let slots = vec![Slot { seed, padding: Vec::new(), offsets: Vec::new() }];
        let opened = self.ask(Who::Oracle, &self.question(plain, slots))?;
        let file = |kind: &str| self.workshop.scratch.data(&format!("gates-{number}.{kind}"));
        let question = Reference { slot: 0, inputs: file("inputs"), own: file("own"), exact: file("exact") };
        let answer = self.ask(Who::Oracle, &question)?;
        Ok(DataSet {
            seed,
            inputs: question.inputs,
            tensors: opened.inputs.into_iter().next().unwrap_or_default(),
            answer: Answer {
                own: question.own,
                tensors: answer.own,
                exact: answer.exact.map(|_tensors| question.exact),
                rules: rules::of(operation, case),
            },
        })
    }

    fn question(&self, case: Case, slots: Vec<Slot>) -> Open {
        let device = self.workshop.device.clone();
        Open { class: String::new(), workload: String::new(), device, case: Some(case), slots }
    }

    /// Makes room for the inputs of these sets in the candidate; answers the case as it is there.
    fn open(&mut self, case: &Case, sets: &[&DataSet]) -> Result<Case, Stop> {
        let mut case = Case { given: true, ..case.clone() };
        for tensor in &mut case.tensors {
            if let Some(made) =
                sets.first().and_then(|set| set.tensors.iter().find(|made| made.name == tensor.name))
            {
                tensor.shape.clone_from(&made.shape);
                tensor.dtype.clone_from(&made.dtype);
            }
        }
        let slots = sets.iter().map(|_| Slot { seed: 0, padding: Vec::new(), offsets: Vec::new() }).collect();
        self.ask(Who::Candidate, &self.question(case.clone(), slots))?;
        Ok(case)
    }

    /// Runs the kernel on a set and judges what it made; answers the bytes of that.
    fn check(&mut self, operation: &Operation, case: &Case, set: &DataSet) -> Result<Vec<u8>, Stop> {
        self.ask(Who::Candidate, &Fill { slot: 0, file: set.inputs.clone() })?;
        let file = self.workshop.scratch.data("gates-check");
        let question = Check { slot: 0, device: self.workshop.device.clone(), file: file.clone() };
        let checked = self.ask(Who::Candidate, &question).map_err(|stop| stop.about(case))?;
        if !checked.overrun.is_empty() {
            let message = format!("it writes to memory around {}", quoted(&checked.overrun));
            return Err(Found::new(Some(Gate::Guards), message).into());
        }
        let changed: Vec<String> =
            checked.mutated.into_iter().filter(|name| !rules::may_change(case, name)).collect();
        if !changed.is_empty() {
            let message = format!("it changes what is in {}", quoted(&changed));
            return Err(Found::new(Some(Gate::Mutation), message).into());
        }
        let place = (file.as_path(), &set.answer, self.workshop.device.as_str());
        match judge(case, &rules::names(operation, case), &checked.outputs, place)? {
            Some(found) => Err(found.into()),
            None => Ok(fs_err::read(&file)?),
        }
    }

    /// Asks a child, which is started first if there is none. A lost child is replaced at the next question.
    fn ask<Q: Question>(&mut self, who: Who, question: &Q) -> Result<Q::Answer, Stop> {
        let place = match who {
            Who::Oracle => &mut self.oracle,
            Who::Candidate => &mut self.candidate,
        };
        let mut child = match place.take() {
            Some(child) => child,
            None => self.start(who)?,
        };
        let answer = child.ask(question, self.workshop.limit);
        match answer {
            Err(unanswered) if !unanswered.is_recoverable() => Err(lost(child, unanswered, who)),
            answer => {
                match who {
                    Who::Oracle => self.oracle = Some(child),
                    Who::Candidate => self.candidate = Some(child),
                }
                answer.map_err(|unanswered| failed(unanswered, who))
            }
        }
    }

    fn start(&mut self, who: Who) -> Result<Child<'a>, Stop> {
        let mut child =
            Child::start(self.workshop, &mut self.random).map_err(|unanswered| failed(unanswered, who))?;
        let (script, operations) = (self.declared.path.clone(), Some(self.operations.clone()));
        let mut ready = child.ask(&Discover { script, operations }, self.workshop.limit).map(drop);
        if who == Who::Candidate && ready.is_ok() {
            let (root, backend) = (self.workshop.scratch.kernel(), self.workshop.backend.clone());
            ready = child.ask(&Load { root, backend }, self.workshop.limit).map(drop);
        }
        match ready {
            Ok(()) => Ok(child),
            Err(unanswered) => Err(lost(child, unanswered, who)),
        }
    }
}

/// What a child that is of no more use has to say.
fn lost(child: Child<'_>, unanswered: Unanswered, who: Who) -> Stop {
    match child.end_after(unanswered) {
        Ok(unanswered) => failed(unanswered, who),
        Err(error) => error.into(),
    }
}

fn failed(unanswered: Unanswered, who: Who) -> Stop {
    let raised = unanswered.is_recoverable();
    let fault = match unanswered.fault() {
        Ok(fault) => fault,
        Err(error) => return error.into(),
    };
    let message = match (who, fault.kind) {
        (Who::Oracle, _) => format!("its reference or its inputs: {}", fault.reason),
        (Who::Candidate, FaultKind::Suspect) => {
            format!("it wrote to the channel of the measurement: {}", fault.reason)
        }
        (Who::Candidate, _) => fault.reason,
    };
    let crashed = who == Who::Candidate && fault.kind == FaultKind::Crashed;
    // Only the kernel's own exceptions count as a refusal of what it got.
    let raised = raised && who == Who::Candidate;
    Found { raised, crashed, ..Found::new(None, message) }.into()
}

impl Stop {
    /// Adds when it was.
    fn at(self, when: &str) -> Self {
        match self {
            Self::Found(found) => {
                Found { message: format!("{when}: {}", found.message), gate: None, ..*found }.into()
            }
            run @ Self::Run(_) => run,
        }
    }

    /// Adds what can be declared about an exception.
    fn about(self, case: &Case) -> Self {
        match self {
            Self::Found(found)
                if found.raised
                    && (case.layout, case.output_layout) != (Layout::Contiguous, Layout::Contiguous) =>
            {
                let message =
                    format!("{}; what refuses a layout names it in `unsupported-layouts`", found.message);
                Found { message, ..*found }.into()
            }
            other => other,
        }
    }
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
