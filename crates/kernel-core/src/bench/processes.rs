//! The replicated processes of a run: one fresh child for each script, in which workloads are measured in random order as
//! long as it lives.

use std::collections::BTreeMap;
use std::time::Instant;

use kernel_bench::measurement::Fault;
use kernel_bench::protocol::{Bye, Load, LoadAnswer, Open, Prove, Slot};

use super::child::{Child, Unanswered};
use super::machine::Confinement;
use super::oracle::{Script, discovered, solo};
use super::progress::Progress;
use super::replicate::{Failed, Replicate};
use super::run::State;
use super::suspicion;
use crate::Result;

/// Processes after which the baseline is compared with what it takes alone.
const ALONE_AFTER: usize = 3;

/// What the observed and loading children said of the variant.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) load: Option<LoadAnswer>,
    pub(super) libraries: Vec<String>,
    pub(super) modules: Vec<String>,
    pub(super) proofs: BTreeMap<String, (Vec<String>, Vec<String>)>,
    pub(super) confinement: Confinement,
}

/// A fault with the check that struck, where it was one.
type Named = (Fault, Option<&'static str>);

impl<'a> State<'a> {
    /// Times every baseline where no kernel was ever loaded.
    fn alone(&mut self, progress: &mut [Progress]) -> Result<()> {
        for (number, script) in self.scripts.iter().enumerate() {
            let mut own: Vec<&mut Progress> =
                progress.iter_mut().filter(|one| one.script == number).collect();
            if own.is_empty() {
                continue;
            }
            let Ok((mut child, _)) =
                discovered(self.bench, &script.path, script.operations.as_ref(), &mut self.random)?
            else {
                continue;
            };
            for one in &mut own {
                match solo(self.bench, &mut child, one.workload, &mut self.random) {
                    // A machine that was busy for a while must not look like a kernel that slows others down.
                    Ok(time) if one.alone.is_finite() => one.alone = one.alone.max(time),
                    Ok(time) => one.alone = time,
                    Err(Unanswered::Process(error)) => return Err(error.into()),
                    Err(unanswered) if unanswered.is_recoverable() => {}
                    Err(_lost) => break,
                }
            }
            child.end()?;
        }
        Ok(())
    }

    /// One process for each script, in which the wanted workloads are measured in random order.
    pub(super) fn replicate(
        &mut self,
        number: usize,
        progress: &mut [Progress<'a>],
        wanted: impl Fn(&str) -> bool,
    ) -> Result<()> {
        let begin = Instant::now();
        let mut order: Vec<usize> = (0..self.scripts.len()).collect();
        self.random.shuffle(&mut order);
        for script in order {
            let mut open: Vec<usize> = (0..progress.len())
                .filter(|index| progress[*index].script == script && progress[*index].is_sound())
                .filter(|index| wanted(&progress[*index].workload.id))
                .collect();
            self.random.shuffle(&mut open);
            while !open.is_empty() {
                open = self.one_child(number, script, open, progress)?;
            }
        }
        if number + 1 == ALONE_AFTER {
            self.compare_alone(progress)?;
        }
        self.longest = self.longest.max(begin.elapsed());
        Ok(())
    }

    /// Measures in one child as long as it lives; answers what is left.
    fn one_child(
        &mut self,
        number: usize,
        script_number: usize,
        mut open: Vec<usize>,
        progress: &mut [Progress<'a>],
    ) -> Result<Vec<usize>> {
        let script = &self.scripts[script_number];
        let mut child = match self.loaded(script)? {
            Ok(child) => child,
            Err((fault, check)) => {
                for index in open {
                    progress[index].fail(fault.clone(), check);
                }
                return Ok(Vec::new());
            }
        };
        let mut to_prove = Vec::new();
        while let Some(index) = open.pop() {
            let one = &mut progress[index];
            let replicate = Replicate {
                bench: self.bench,
                child: &mut child,
                workload: one.workload,
                comparison: script.comparison.as_deref(),
                random: &mut self.random,
                record: &mut one.record,
                thorough: number == 0,
                by_own_clock: one.suspicion.wants_the_clock(),
                shortening: one.shortening,
            };
            match replicate.run() {
                Ok(taken) => {
                    one.believe(number, taken, &script.excused);
                    if number == 0 && one.is_sound() {
                        to_prove.push(index);
                    }
                }
                Err(Failed::Workload(fault, check)) => one.fail(fault, check),
                Err(Failed::Run(error)) => return Err(*error),
                Err(Failed::Child(unanswered)) if unanswered.is_recoverable() => {
                    one.fail(unanswered.fault()?, None);
                }
                Err(Failed::Child(unanswered)) => {
                    one.fail(child.end_after(unanswered)?.fault()?, None);
                    self.save(progress)?;
                    return Ok(open);
                }
            }
            self.save(progress)?;
        }
        for index in to_prove {
            self.prove(&mut child, &progress[index])?;
        }
        self.farewell(child)?;
        Ok(open)
    }

    /// A child with the script imported and the kernel loaded.
    fn loaded(&mut self, script: &Script) -> Result<Result<Child<'a>, Named>> {
        let mut child =
            match discovered(self.bench, &script.path, script.operations.as_ref(), &mut self.random)? {
                Ok((child, _)) => child,
                Err(fault) => return Ok(Err((fault, None))),
            };
        let question =
            Load { root: self.bench.workshop.scratch.kernel(), backend: self.bench.workshop.backend.clone() };
        match child.ask(&question, self.bench.workshop.limit) {
            Ok(loaded) => {
                self.seen.confinement = Confinement {
                    network_left: child.hello.network_left,
                    memory_limited: child.hello.memory_limited,
                };
                let fault = suspicion::changes(&loaded.changed, &script.excused);
                self.seen.load.get_or_insert(loaded);
                Ok(fault.map_or(Ok(child), |fault| Err((fault, Some(suspicion::UNTOUCHED)))))
            }
            Err(unanswered) => {
                let mut fault = child.end_after(unanswered)?.fault()?;
                fault.reason = format!("the kernel could not be loaded: {}", fault.reason);
                Ok(Err((fault, None)))
            }
        }
    }

    /// Observes one call, in a process that times nothing any more.
    fn prove(&mut self, child: &mut Child, one: &Progress) -> Result<()> {
        let seed = one.workload.reference.seeds(1)[0];
        let slots = vec![Slot { seed, padding: Vec::new(), offsets: Vec::new() }];
        let open = Open {
            class: one.workload.class.clone(),
            workload: one.workload.name.clone(),
            device: self.bench.workshop.device.clone(),
            case: one.workload.case.clone(),
            slots,
        };
        let question = Prove { slot: 0, variant_path: self.bench.workshop.scratch.variant.clone() };
        let proof = child
            .ask(&open, self.bench.workshop.limit)
            .and_then(|_| child.ask(&question, self.bench.workshop.limit));
        match proof {
            Ok(proof) => {
                self.seen.proofs.insert(one.workload.id.clone(), (proof.files, proof.operators));
                Ok(())
            }
            Err(Unanswered::Process(error)) => Err(error.into()),
            Err(_unproven) => Ok(()),
        }
    }

    fn farewell(&mut self, mut child: Child) -> Result<()> {
        let question = Bye { variant_path: Some(self.bench.workshop.scratch.variant.clone()) };
        if let Ok(answer) = child.ask(&question, self.bench.workshop.limit) {
            self.seen.libraries = answer.libraries;
            self.seen.modules = answer.modules;
        }
        Ok(child.end()?)
    }

    /// Holds the baselines beside the kernel against those alone, which are timed again before anything is said.
    fn compare_alone(&mut self, progress: &mut [Progress<'a>]) -> Result<()> {
        let slowed = |one: &Progress| suspicion::slowed(one.best().baseline, one.alone);
        if !progress.iter().any(|one| one.is_sound() && slowed(one).is_some()) {
            return Ok(());
        }
        self.alone(progress)?;
        for one in progress.iter_mut() {
            if let Some(fault) = slowed(one) {
                one.fail(fault, Some(suspicion::ALONE));
            }
        }
        Ok(())
    }
}
