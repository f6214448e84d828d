//! What is measured: one workload with everything that is known about it before the kernel comes into play.

use camino::Utf8PathBuf;
use kernel_bench::measurement::{SizeClass, Work};
use kernel_bench::protocol::Tensor;

/// Bytes from which on a workload counts as large: more than the private caches of a processor hold.
pub(crate) const LARGE: u64 = 2 << 20;
/// What a vector of most machines divides.
pub(crate) const VECTOR: u64 = 8;

/// A workload of a script.
#[derive(Clone, Debug)]
pub(super) struct Workload {
    /// `Class.workload`.
    pub(super) id: String,
    /// The class.
    pub(super) class: String,
    /// Its workload, without `benchmark_`.
    pub(super) name: String,
    /// What its outputs are held against.
    pub(super) reference: Reference,
    /// The type of its first output.
    pub(super) dtype: Option<String>,
    /// Which kind of size it stands for, judged by its tensors.
    pub(super) size: Option<SizeClass>,
    /// What a call must do at least.
    pub(super) work: Work,
    /// Best nanoseconds of a call of the reference where no kernel was ever loaded, as far as it runs there.
    pub(super) alone: f64,
}

/// What outputs are held against.
#[derive(Clone, Debug)]
pub(super) enum Reference {
    /// Sets of inputs with references that were computed where no kernel was ever loaded.
    Separate {
        /// The sets.
        sets: Vec<DataSet>,
        /// Whether a set belongs to the slot that was set up with its seed, because more than tensors differs.
        fixed: bool,
    },
    /// The script's reference can only run beside the kernel.
    Beside {
        /// Why.
        reason: String,
        /// The seeds of the slots.
        seeds: Vec<u64>,
    },
}

/// Inputs with what the reference makes of them.
#[derive(Clone, Debug)]
pub(super) struct DataSet {
    pub(super) seed: u64,
    pub(super) inputs: Utf8PathBuf,
    pub(super) tensors: Vec<Tensor>,
    pub(super) answer: Answer,
}

/// What a reference says.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    /// In its own precision.
    pub(super) own: Utf8PathBuf,
    /// The tensors in it.
    pub(super) tensors: Vec<Tensor>,
    /// In float64.
    pub(super) exact: Option<Utf8PathBuf>,
}

impl Reference {
    /// The type of the first output.
    pub(super) fn dtype(&self) -> Option<String> {
        match self {
            Self::Separate { sets, .. } => Some(sets.first()?.answer.tensors.first()?.dtype.clone()),
            Self::Beside { .. } => None,
        }
    }

    /// The seed of each slot.
    pub(super) fn seeds(&self, slots: usize) -> Vec<u64> {
        match self {
            Self::Separate { sets, .. } => (0..slots).map(|slot| sets[slot % sets.len()].seed).collect(),
            Self::Beside { seeds, .. } => seeds.iter().copied().cycle().take(slots).collect(),
        }
    }
}

/// Which kind of size these tensors stand for.
pub(super) fn size_class(inputs: &[Tensor], outputs: &[Tensor]) -> Option<SizeClass> {
    let all = || inputs.iter().chain(outputs).filter(|tensor| !tensor.shape.is_empty());
    let largest = all().map(Tensor::elements).max()?;
    let odd = all()
        .filter(|tensor| tensor.elements() * 4 >= largest)
        .any(|tensor| tensor.shape.last().is_some_and(|size| size % VECTOR != 0));
    let bytes: u64 = all().map(|tensor| tensor.elements() * width(&tensor.dtype)).sum();
    Some(match (odd, bytes >= LARGE) {
        (true, _) => SizeClass::Awkward,
        (false, true) => SizeClass::Large,
        (false, false) => SizeClass::Small,
    })
}

/// Bytes of all elements.
#[expect(clippy::cast_precision_loss, reason = "a speed has no sixteen digits")]
pub(super) fn bytes(tensors: &[Tensor]) -> f64 {
    tensors.iter().map(|tensor| tensor.elements() as f64 * width(&tensor.dtype) as f64).sum()
}

fn width(dtype: &str) -> u64 {
    let number: Result<kernel_bench::judge::Number, _> = dtype.parse();
    number.map_or(4, |number| u64::try_from(number.size() * number.parts()).unwrap_or(4))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tensor(shape: &[u64]) -> Tensor {
        Tensor {
            name: "x".to_owned(),
            dtype: "float32".to_owned(),
            shape: shape.to_vec(),
            stride: Vec::new(),
            device: "cpu".to_owned(),
            kind: "torch.Tensor".to_owned(),
        }
    }

    #[test]
    fn the_sizes_of_the_sample_project_are_told_apart() {
        let size = |input: &[u64], output: &[u64]| size_class(&[tensor(input)], &[tensor(output)]);
        assert_eq!(size(&[1, 28672], &[1, 14336]), Some(SizeClass::Small));
        assert_eq!(size(&[512, 8192], &[512, 4096]), Some(SizeClass::Large));
        assert_eq!(size(&[129, 4094], &[129, 2047]), Some(SizeClass::Awkward));
        assert_eq!(size_class(&[], &[]), None);
    }
}
