//! The examination of one variant: operation by operation, gate by gate, with one oracle and one candidate as long as they
//! live.

use std::collections::BTreeMap;
use std::time::Duration;

use kernel_bench::protocol::Random;
use kernel_spec::Event;
use kernel_spec::event::Stage;
use kernel_spec::report::gates::{Gate, GateFailure, GateOutcome, GateResult, Level, OperationTests};
use kernel_spec::workloads::Operation;

use super::Declared;
use super::plan::Plan;
use super::trial::{Bench, Stop};
use crate::bench::Target;
use crate::bench::workshop::Workshop;
use crate::{Context, Result};

/// How an examination is to be done.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How far each gate goes.
    pub level: Level,
    /// The seed of all inputs; drawn anew without it.
    pub seed: Option<u64>,
    /// How long a child may think about a question.
    pub limit: Duration,
}

/// Examines every declared operation. A kernel that is wrong is an answer, not an error.
pub fn examine(
    context: &Context,
    target: Target<'_>,
    declared: &Declared,
    options: Options,
) -> Result<Vec<OperationTests>> {
    let workshop = Workshop::new(context, target, options.limit, None, options.seed)?;
    let mut random = Random::new(workshop.seed);
    let mut bench = Bench::new(&workshop, declared, random.number());
    let mut examined = Vec::new();
    for operation in &declared.workloads.operations {
        let message = format!("gates of `{}`", operation.name);
        let variant = Some(target.variant.to_owned());
        context.sink.event(&Event::Stage { stage: Stage::Test, variant, message });
        let plan = Plan::new(operation, options.level, &workshop.device, &mut random);
        examined.push(one(&mut bench, operation, &plan)?);
    }
    bench.end()?;
    Ok(examined)
}

/// What is known of each gate of an operation.
#[derive(Default)]
struct Board {
    cases: BTreeMap<Gate, usize>,
    failures: BTreeMap<Gate, GateFailure>,
    reasons: BTreeMap<Gate, String>,
}

fn one(bench: &mut Bench<'_>, operation: &Operation, plan: &Plan<'_>) -> Result<OperationTests> {
    let mut board = Board::default();
    for gate in Gate::ALL {
        let trials = match plan.at(gate) {
            Ok(trials) => trials,
            Err(reason) => {
                board.reasons.insert(gate, reason);
                continue;
            }
        };
        for trial in trials {
            match bench.attempt(operation, &trial) {
                Ok(()) => *board.cases.entry(gate).or_default() += 1,
                Err(Stop::Run(error)) => return Err(*error),
                Err(Stop::Found(found)) => {
                    let of = found.gate.unwrap_or(gate);
                    *board.cases.entry(of).or_default() += 1;
                    if of != gate {
                        let reason = format!("its calls do not pass {}", of.name());
                        board.reasons.insert(gate, reason);
                    }
                    board.failures.entry(of).or_insert_with(|| found.in_case(&trial.case));
                    break;
                }
            }
        }
    }
    Ok(OperationTests {
        operation: operation.name.clone(),
        gates: Gate::ALL.into_iter().map(|gate| board.result(gate)).collect(),
    })
}

impl Board {
    fn result(&mut self, gate: Gate) -> GateResult {
        let cases = self.cases.get(&gate).copied().unwrap_or_default();
        let failure = self.failures.remove(&gate);
        let reason = self.reasons.remove(&gate);
        let outcome = match (&failure, &reason) {
            (Some(_), _) => GateOutcome::Failed,
            (None, None) if cases > 0 => GateOutcome::Passed,
            _ => GateOutcome::NotExecuted,
        };
        let reason = match outcome {
            GateOutcome::NotExecuted => reason.unwrap_or_else(|| "no shape can be drawn for it".to_owned()),
            _ => String::new(),
        };
        GateResult { gate, outcome, cases, reason, failure }
    }
}
