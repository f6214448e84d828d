//! Holds what a child wrote against what the oracle wrote.

use std::collections::BTreeSet;

use camino::Utf8Path;
use kernel_bench::judge::{Cause, Expected, Judged, Mismatch, Number, Tolerance, judge, judge_by};
use kernel_bench::measurement::{Fault, FaultKind};
use kernel_bench::protocol::Tensor;
use kernel_spec::identifier::hexadecimal;
use kernel_spec::report::gates::Gate;
use sha2::{Digest, Sha256};

use super::workload::Answer;

/// The gates that every output of a benchmark must pass.
pub(crate) const GATES: [Gate; 3] = [Gate::Values, Gate::Poison, Gate::Placement];

/// What is known about the outputs of one workload so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    /// Outputs that were judged.
    pub(crate) judged: usize,
    pub(crate) largest_ulp: f64,
    pub(crate) error_ratio: f64,
    /// The gate that struck, if one did.
    pub(crate) failed: Option<Gate>,
    /// The first wrong value, with the number of its output.
    pub(crate) first: Option<(usize, Mismatch)>,
    /// Outputs that were found right, so that equal bytes need no second look.
    right: BTreeSet<String>,
}

impl Record {
    /// Judges the outputs in a file.
    pub(crate) fn judge(
        &mut self,
        outputs: &[Tensor],
        file: &Utf8Path,
        answer: &Answer,
        device: &str,
    ) -> std::io::Result<Option<Fault>> {
        self.judged += 1;
        if let Some(fault) = placed(outputs, answer, device) {
            self.failed = Some(Gate::Placement);
            return Ok(Some(fault));
        }
        let bytes = fs_err::read(file)?;
        let mark = format!("{} {}", answer.own, hexadecimal(&Sha256::digest(&bytes)));
        if self.right.contains(&mark) {
            return Ok(None);
        }
        let own = fs_err::read(&answer.own)?;
        let exact = answer.exact.as_ref().map(fs_err::read).transpose()?;
        let (mut at, mut own_at, mut exact_at) = (0, 0, 0);
        for (index, (output, reference)) in outputs.iter().zip(&answer.tensors).enumerate() {
            let (number, own_number) =
                match (output.dtype.parse::<Number>(), reference.dtype.parse::<Number>()) {
                    (Ok(number), Ok(own)) => (number, own),
                    (Err(unknown), _) | (_, Err(unknown)) => return Ok(Some(incorrect(unknown.to_string()))),
                };
            let expected = Expected {
                number,
                own: take(&own, &mut own_at, bytes_of(reference, own_number)),
                own_number,
                exact: exact
                    .as_deref()
                    .map(|bytes| take(bytes, &mut exact_at, bytes_of(reference, own_number.widest()))),
                tolerance: Tolerance::of(number),
            };
            let output_bytes = take(&bytes, &mut at, bytes_of(output, number));
            let judged = match answer.rules.get(index) {
                Some(rule) => judge_by(rule, output_bytes, &expected),
                None => judge(output_bytes, &expected),
            };
            self.remember(&judged);
            if let Some(reason) = judged.describe() {
                let poison = judged.cause == Some(Cause::NotWritten);
                self.first = judged.first.map(|first| (index, first));
                self.failed = Some(if poison { Gate::Poison } else { Gate::Values });
                let which =
                    if outputs.len() > 1 { format!("output {}: ", output.name) } else { String::new() };
                return Ok(Some(incorrect(format!("{which}{reason}"))));
            }
        }
        self.right.insert(mark);
        Ok(None)
    }

    fn remember(&mut self, judged: &Judged) {
        self.largest_ulp = self.largest_ulp.max(judged.largest_ulp);
        self.error_ratio = self.error_ratio.max(judged.error_ratio);
    }
}

/// What the descriptions of the outputs alone say against them.
fn placed(outputs: &[Tensor], answer: &Answer, device: &str) -> Option<Fault> {
    if outputs.len() != answer.tensors.len() {
        let (got, want) = (outputs.len(), answer.tensors.len());
        return Some(incorrect(format!("there are {got} outputs, but the reference has {want}")));
    }
    for (output, reference) in outputs.iter().zip(&answer.tensors) {
        if output.kind != "torch.Tensor" && output.kind != reference.kind {
            let reason = format!("the output is a `{}`, which may compute when it is looked at", output.kind);
            return Some(Fault { kind: FaultKind::Suspect, reason });
        }
        // What is declared has its very shape; scripts are held to what torch's comparison would broadcast.
        let fits = if answer.rules.is_empty() {
            without_ones(&output.shape) == without_ones(&reference.shape)
        } else {
            output.shape == reference.shape
        };
        if !fits {
            let (got, want) = (&output.shape, &reference.shape);
            return Some(incorrect(format!(
                "the output's shape is {got:?}, but the reference's is {want:?}"
            )));
        }
        if output.dtype != reference.dtype {
            let (got, want) = (&output.dtype, &reference.dtype);
            return Some(incorrect(format!("the output's type is {got}, but the reference's is {want}")));
        }
        if !output.device.starts_with(device) {
            return Some(incorrect(format!(
                "the output is on `{}`, but should be on `{device}`",
                output.device
            )));
        }
    }
    None
}

fn without_ones(shape: &[u64]) -> Vec<u64> {
    shape.iter().copied().filter(|size| *size != 1).collect()
}

fn incorrect(reason: String) -> Fault {
    Fault { kind: FaultKind::Incorrect, reason }
}

fn bytes_of(tensor: &Tensor, number: Number) -> usize {
    usize::try_from(tensor.elements()).unwrap_or_default() * number.size() * number.parts()
}

/// The next part of a file, as far as it goes: a part that is too short is judged to be of the wrong size.
fn take<'a>(bytes: &'a [u8], at: &mut usize, count: usize) -> &'a [u8] {
    let start = (*at).min(bytes.len());
    *at = (start + count).min(bytes.len());
    &bytes[start..*at]
}
