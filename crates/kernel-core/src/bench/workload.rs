//! What is measured: one workload with everything that is known about it before the kernel comes into play.

use camino::Utf8PathBuf;
use kernel_bench::judge::Rule;
use kernel_bench::measurement::{SizeClass, Work};
use kernel_bench::protocol::{Case, Tensor};

/// Bytes from which on a workload counts as large: more than the private caches of a processor hold.
pub(crate) const LARGE: u64 = 2 << 20;
/// What a vector of most machines divides.
pub(crate) const VECTOR: u64 = 8;

/// A workload of a script.
#[derive(Clone, Debug)]
pub(crate) struct Workload {
    /// `Class.workload`.
    pub(crate) id: String,
    /// The class.
    pub(crate) class: String,
    /// Its workload, without `benchmark_`.
    pub(crate) name: String,
    /// The call, where it is a declared operation's.
    pub(crate) case: Option<Case>,
    /// How much it counts beside the others.
    pub(crate) weight: f64,
    /// What its outputs are held against.
    pub(crate) reference: Reference,
    /// The type of its first output.
    pub(crate) dtype: Option<String>,
    /// Which kind of size it stands for, judged by its tensors.
    pub(crate) size: Option<SizeClass>,
    /// What a call must do at least.
    pub(crate) work: Work,
    /// Best nanoseconds of a call of the reference where no kernel was ever loaded, as far as it runs there.
    pub(crate) alone: f64,
}

/// What outputs are held against.
#[derive(Clone, Debug)]
pub(crate) enum Reference {
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
pub(crate) struct DataSet {
    pub(crate) seed: u64,
    pub(crate) inputs: Utf8PathBuf,
    pub(crate) tensors: Vec<Tensor>,
    pub(crate) answer: Answer,
}

/// What a reference says.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// In its own precision.
    pub(crate) own: Utf8PathBuf,
    /// The tensors in it.
    pub(crate) tensors: Vec<Tensor>,
    /// In float64.
    pub(crate) exact: Option<Utf8PathBuf>,
    /// How each output of a declared operation is compared; nothing for scripts.
    pub(crate) rules: Vec<Rule>,
}

impl Reference {
    /// The type of the first output.
    pub(crate) fn dtype(&self) -> Option<String> {
        match self {
            Self::Separate { sets, .. } => Some(sets.first()?.answer.tensors.first()?.dtype.clone()),
            Self::Beside { .. } => None,
        }
    }

    /// The seed of each slot.
    pub(crate) fn seeds(&self, slots: usize) -> Vec<u64> {
        match self {
            Self::Separate { sets, .. } => (0..slots).map(|slot| sets[slot % sets.len()].seed).collect(),
            Self::Beside { seeds, .. } => seeds.iter().copied().cycle().take(slots).collect(),
        }
    }
}

/// Which kind of size these tensors stand for.
pub(crate) fn size_class(inputs: &[Tensor], outputs: &[Tensor]) -> Option<SizeClass> {
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
pub(crate) fn bytes(tensors: &[Tensor]) -> f64 {
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
