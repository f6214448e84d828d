//! What was found in a trial, in the words of the report.

use camino::Utf8Path;
use kernel_bench::judge::{Mismatch, Number};
use kernel_bench::protocol::{Case, Tensor, Values};
use kernel_spec::report::gates::{Gate, GateFailure, WrongElement};
use kernel_spec::workloads::Layout;

use crate::bench::outputs::Record;
use crate::bench::workload::Answer;

/// Something that speaks against the kernel.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// The gate it belongs to, where that is not the one that was tried.
    pub(super) gate: Option<Gate>,
    pub(super) message: String,
    /// Whether the kernel raised an exception.
    pub(super) raised: bool,
    /// Whether its process was lost.
    pub(super) crashed: bool,
    pub(super) first: Option<WrongElement>,
}

impl Found {
    pub(super) fn new(gate: Option<Gate>, message: impl Into<String>) -> Self {
        Self { gate, message: message.into(), raised: false, crashed: false, first: None }
    }

    /// As the report has it.
    pub(super) fn in_case(self, case: &Case) -> GateFailure {
        GateFailure {
            case: describe(case),
            dtype: case.dtype.clone(),
            message: self.message,
            crashed: self.crashed,
            first: self.first,
        }
    }
}

/// A case for people: its sizes, and what else is not ordinary.
fn describe(case: &Case) -> String {
    let mut words: Vec<String> = case.sizes.iter().map(|(name, size)| format!("{name}={size}")).collect();
    if case.values != Values::Normal {
        words.push(format!("{:?} values", case.values).to_lowercase());
    }
    for (layout, what) in [(case.layout, "inputs"), (case.output_layout, "outputs")] {
        if layout != Layout::Contiguous {
            words.push(format!("{} {what}", layout.as_str()));
        }
    }
    if let Some((output, input)) = &case.alias {
        words.push(format!("{output}={input}"));
    }
    if case.gradient {
        words.push("gradient".to_owned());
    }
    if words.is_empty() { "its only shape".to_owned() } else { words.join(", ") }
}

/// Judges the outputs in a file; nothing where they are right.
pub(super) fn judge(
    case: &Case,
    names: &[String],
    outputs: &[Tensor],
    (file, answer, device): (&Utf8Path, &Answer, &str),
) -> std::io::Result<Option<Found>> {
    let mut record = Record::default();
    let Some(fault) = record.judge(outputs, file, answer, device)? else { return Ok(None) };
    let is_ordinary = !matches!(case.values, Values::Nan | Values::Infinity | Values::Largest);
    let gate = match record.failed {
        Some(Gate::Poison) if is_ordinary => Some(Gate::Poison),
        Some(Gate::Placement) => Some(Gate::Placement),
        _ => None,
    };
    let first = record
        .first
        .and_then(|(number, mismatch)| Some(element(names.get(number)?, outputs.get(number)?, mismatch)));
    let place = |first: &WrongElement| {
        format!("{} (`{}` of shape {:?} at {:?})", fault.reason, first.output, first.shape, first.index)
    };
    let message = first.as_ref().map_or_else(|| fault.reason.clone(), place);
    Ok(Some(Found { gate, message, raised: false, crashed: false, first }))
}

fn element(name: &str, output: &Tensor, mismatch: Mismatch) -> WrongElement {
    let parts = output.dtype.parse::<Number>().map_or(1, Number::parts);
    let mut at = u64::try_from(mismatch.index / parts).unwrap_or_default();
    let mut index = Vec::new();
    for size in output.shape.iter().rev() {
        index.push(at % (*size).max(1));
        at /= (*size).max(1);
    }
    index.reverse();
    WrongElement {
        output: name.to_owned(),
        shape: output.shape.clone(),
        index,
        got: mismatch.got.to_string(),
        want: mismatch.want.to_string(),
    }
}
