//! The run of one variant from the first child to the last look.

use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use kernel_bench::decision::{Next, Sequence};
use kernel_bench::measurement::{Fault, Measurement, Work};
use kernel_bench::protocol::Random;
use kernel_bench::report::{AlphaSpent, Document};
use kernel_spec::Event;
use kernel_spec::event::Stage;
use kernel_spec::workloads::FILE;

use super::oracle::{Script, consult};
use super::processes::Seen;
use super::progress::Progress;
use super::record::spent;
use super::{Bench, BenchError, error};
use crate::{Result, gates};

/// What samples that are too long are divided by.
const SHORTENING: u32 = 3;
/// What came of a run.
#[derive(Debug)]
pub struct Outcome {
    /// The document as it was written.
    pub document: Document,
    /// Scripts without a class to measure.
    pub skipped: Vec<Utf8PathBuf>,
    /// Workloads without a reference.
    pub unverified: Vec<String>,
}

impl Bench<'_> {
    /// Measures until everything is decided or the budget is spent.
    pub fn run(&self, scripts: &[Utf8PathBuf]) -> Result<Outcome> {
        let begin = Instant::now();
        let mut random = Random::new(self.workshop.seed);
        let mut consulted = Vec::new();
        let (mut skipped, mut unverified, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for (number, path) in scripts.iter().enumerate() {
            self.stage(format!("references of {}", path.file_name().unwrap_or_default()));
            let declared = if path.file_name() == FILE.rsplit('/').next() {
                gates::declared_at(path.clone())?
            } else {
                None
            };
            match consult(self, number, path, declared.as_ref(), &mut random)? {
                // Operations without workloads are there to be tested.
                Ok(script) if script.is_empty() && script.others.is_empty() => {
                    skipped.extend(declared.is_none().then(|| path.clone()));
                }
                Ok(script) if script.is_empty() => others.extend(script.others),
                Ok(script) => {
                    unverified.extend(script.unverified.iter().cloned());
                    consulted.push(script);
                }
                Err(fault) => consulted.push(Script::broken(path, fault)),
            }
        }
        let mut progress: Vec<Progress> = Vec::new();
        for (number, script) in consulted.iter().enumerate() {
            progress.extend(script.workloads.iter().map(|workload| Progress::new(number, workload)));
        }
        if progress.is_empty() && consulted.iter().all(|script| script.failed.is_empty()) {
            let (patterns, known) = (self.options.workloads.clone(), error::known(&others));
            return Err(BenchError::NoWorkloads { patterns, known }.into());
        }
        let state = State {
            bench: self,
            scripts: &consulted,
            begin,
            random,
            seen: Seen::default(),
            looks: Vec::new(),
            sequence: Sequence::new(self.options.settings.clone()),
            longest: Duration::ZERO,
        };
        let document = state.measure(progress)?;
        Ok(Outcome { document, skipped, unverified })
    }

    fn stage(&self, message: String) {
        let variant = Some(self.workshop.variant.to_owned());
        self.workshop.context.sink.event(&Event::Stage { stage: Stage::Bench, variant, message });
    }
}

pub(super) struct State<'a> {
    pub(super) bench: &'a Bench<'a>,
    pub(super) scripts: &'a [Script],
    pub(super) begin: Instant,
    pub(super) random: Random,
    pub(super) seen: Seen,
    pub(super) looks: Vec<AlphaSpent>,
    sequence: Sequence,
    /// The longest time that a replicated process took.
    pub(super) longest: Duration,
}

impl<'a> State<'a> {
    fn measure(mut self, mut progress: Vec<Progress<'a>>) -> Result<Document> {
        let mut measured = 0;
        let mut wanted = self.sequence.next_look().unwrap_or_default();
        let last = loop {
            while measured < wanted && !self.is_over() && progress.iter().any(Progress::is_sound) {
                self.replicate(measured, &mut progress, |_| true)?;
                measured += 1;
                self.progressed(measured, wanted);
            }
            if self.is_over() || !progress.iter().any(Progress::is_sound) {
                break self.sequence.conclude(&self.measurements(&progress));
            }
            let look = self.sequence.look(&self.measurements(&progress));
            match &look.next {
                Next::Stop { .. } => break look,
                Next::Continue { processes } => {
                    wanted = *processes;
                    self.looks.push(spent(&look));
                }
                Next::Shorten { workloads } => self.again(measured, &mut progress, workloads)?,
            }
        };
        self.looks.push(spent(&last));
        self.write(&progress, last, true)
    }

    /// Measures workloads again with shorter samples.
    fn again(&mut self, measured: usize, progress: &mut [Progress<'a>], workloads: &[String]) -> Result<()> {
        for one in progress.iter_mut().filter(|one| workloads.contains(&one.workload.id)) {
            one.shortening *= SHORTENING;
        }
        self.bench.stage(format!("shorter samples of {}", workloads.join(", ")));
        for number in 0..measured {
            if !self.is_over() {
                self.replicate(number, progress, |id| workloads.iter().any(|name| name == id))?;
            }
        }
        Ok(())
    }

    /// Whether another process would end after the budget.
    fn is_over(&self) -> bool {
        self.begin.elapsed() + self.longest >= self.bench.options.budget
    }

    fn progressed(&self, done: usize, total: usize) {
        let as_number = |count: usize| u64::try_from(count).unwrap_or_default();
        self.bench.workshop.context.sink.event(&Event::Progress {
            done: as_number(done),
            total: as_number(total),
            message: format!("process {done} of {total} until the next look"),
        });
    }

    pub(super) fn measurements(&self, progress: &[Progress]) -> Vec<Measurement> {
        let mut all: Vec<Measurement> = progress.iter().map(|one| one.measurement.clone()).collect();
        for script in self.scripts {
            all.extend(script.failed.iter().map(|(id, fault)| faulty(id, fault.clone())));
        }
        all
    }

    /// Writes what is known now, with verdicts that nothing is spent on.
    pub(super) fn save(&self, progress: &[Progress]) -> Result<()> {
        let provisional = self.sequence.clone().conclude(&self.measurements(progress));
        self.write(progress, provisional, false).map(drop)
    }
}

fn faulty(id: &str, fault: Fault) -> Measurement {
    Measurement {
        workload: id.to_owned(),
        weight: 1.0,
        size: None,
        work: Work::default(),
        fault: Some(fault),
        processes: Vec::new(),
    }
}
