//! The paired samples of one workload in one process: planned by the parent, taken by the child, and some of them judged.

use std::time::Duration;

use camino::Utf8PathBuf;
use kernel_bench::measurement::{Block, FaultKind, Marks, Order};
use kernel_bench::protocol::{Blocks, Calls, PlannedBlock, Run, Settled};

use super::replicate::{Failed, Replicate, SLOTS};
use super::suspicion;
use super::workload::Answer;

/// Blocks of a process, at most and at least.
const BLOCKS: (usize, usize) = (60, 12);
/// Nanoseconds that the blocks of one workload in one process should take.
const SPAN: f64 = 6e8;
/// One in so many blocks is judged, and the last.
const JUDGED: usize = 10;

/// A file of outputs with what they must be.
type ToJudge = (Utf8PathBuf, Answer);

impl Replicate<'_, '_> {
    pub(super) fn blocks(
        &mut self,
        answers: &[Answer],
        baseline: Settled,
        candidate: Settled,
        judge_timed: bool,
    ) -> Result<(Vec<Block>, Vec<String>), Failed> {
        let calls = Calls { baseline: baseline.calls, candidate: candidate.calls };
        let pair = baseline.call * f64::from(calls.baseline) + candidate.call * f64::from(calls.candidate);
        let (planned, judged) = self.plan(pair, answers, judge_timed);
        #[allow(clippy::cast_precision_loss, reason = "few blocks")]
        let expected = Duration::from_secs_f64((pair * planned.len() as f64 / 1e9).clamp(0.0, 1e6));
        let question = Blocks { device: self.bench.workshop.device.clone(), calls, blocks: planned.clone() };
        let answer = self.child.ask(&question, self.bench.workshop.limit + expected * 20)?;
        if answer.times.len() != planned.len() || answer.outputs.len() != judged.len() {
            let reason = "it measured another number of samples than it was told to";
            return Err(Failed::suspect(suspicion::CHANNEL, reason));
        }
        for (outputs, (file, expected)) in answer.outputs.iter().zip(&judged) {
            self.judge(outputs, file, expected).map_err(while_timed)?;
        }
        let blocks = planned.iter().zip(answer.times).zip(answer.preempted).map(
            |((planned, (baseline_ns, candidate_ns)), preempted)| Block {
                baseline_ns,
                candidate_ns,
                order: if planned.candidate_first { Order::CandidateFirst } else { Order::BaselineFirst },
                marks: Marks { preempted, ..Marks::default() },
            },
        );
        Ok((blocks.collect(), answer.changed))
    }

    /// Blocks that take so many nanoseconds each, and what the outputs of those that are judged must be.
    fn plan(
        &mut self,
        pair: f64,
        answers: &[Answer],
        judge_timed: bool,
    ) -> (Vec<PlannedBlock>, Vec<ToJudge>) {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped right after")]
        let count = ((SPAN / pair.max(1.0)) as usize).clamp(BLOCKS.1, BLOCKS.0) & !1;
        let (mut planned, mut judged) = (Vec::new(), Vec::new());
        let mut candidate_first = false;
        for index in 0..count {
            // In pairs of both orders, of which a coin says which comes first.
            candidate_first = if index % 2 == 0 { self.random.coin() } else { !candidate_first };
            let slot = self.random.below(SLOTS);
            let mut block = PlannedBlock { slot, candidate_first, fill: None, file: None };
            if judge_timed && (index % JUDGED == JUDGED - 1 || index == count - 1) {
                let sets = self.sets_for(slot);
                let set = (!sets.is_empty()).then(|| sets[self.random.below(sets.len())]);
                let data = set.and_then(|set| self.set(set));
                let answer =
                    data.map_or_else(|| answers.get(slot).cloned(), |data| Some(data.answer.clone()));
                block.fill = data.map(|data| data.inputs.clone());
                if let Some(answer) = answer {
                    let file = self.bench.workshop.scratch.data(&format!("timed-{}", judged.len()));
                    block.file = Some(file.clone());
                    judged.push((file, answer));
                }
            }
            planned.push(block);
        }
        (planned, judged)
    }

    /// Nanoseconds of a call by this process's clock: what 2n calls take longer than n, at best.
    pub(super) fn outside(&mut self, call: f64) -> Result<f64, Failed> {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        let calls = (4e5 / call.max(1.0)).ceil().clamp(1.0, 1e6) as u32;
        let repeats = if call > 2e6 { 9 } else { 25 };
        let mut best = [f64::INFINITY; 2];
        for _ in 0..repeats {
            for (best, calls) in best.iter_mut().zip([calls, 2 * calls]) {
                let (_, taken) = self.child.timed(&Run { slot: 0, calls }, self.bench.workshop.limit)?;
                *best = best.min(taken.as_secs_f64() * 1e9);
            }
        }
        Ok((best[1] - best[0]) / f64::from(calls))
    }
}

/// Right when it was checked, wrong when it was timed.
fn while_timed(failed: Failed) -> Failed {
    match failed {
        Failed::Workload(fault, _) if fault.kind == FaultKind::Incorrect => {
            let reason = format!("outputs were right when checked, but not when timed: {}", fault.reason);
            Failed::suspect(suspicion::TIMED_OUTPUTS, &reason)
        }
        other => other,
    }
}
