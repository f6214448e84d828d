//! The backends, one row each: everything that differs between them by name only.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a kernel runs on. Ordered by name, the order in which manifests and reports list backends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Backend {
    Cann,
    Cpu,
    Cuda,
    Metal,
    Neuron,
    Rocm,
    Tpu,
    Xpu,
}

/// One row of the backend table.
#[derive(Debug)]
pub struct BackendRow {
    /// The backend.
    pub backend: Backend,
    /// Its name in manifests, metadata and identifiers.
    pub name: &'static str,
    /// Its name as people write it.
    pub title: &'static str,
    /// Whether `[kernel.*]` components can be written for it; the others exist as Python-only (noarch) kernels.
    pub compiles: bool,
    /// Its part in the name of a noarch variant; differs from `name` where the loader's does.
    pub noarch_name: &'static str,
    /// Torch's dispatch key for it.
    pub dispatch_key: &'static str,
}

/// Every backend.
pub static BACKENDS: &[BackendRow] = &[
    row(Backend::Cann, "cann", "CANN", false, "npu", "PrivateUse1"),
    row(Backend::Cpu, "cpu", "CPU", true, "cpu", "CPU"),
    row(Backend::Cuda, "cuda", "CUDA", true, "cuda", "CUDA"),
    row(Backend::Metal, "metal", "Metal", true, "metal", "MPS"),
    row(Backend::Neuron, "neuron", "Neuron", false, "neuron", "PrivateUse1"),
    row(Backend::Rocm, "rocm", "ROCm", true, "rocm", "CUDA"),
    row(Backend::Tpu, "tpu", "TPU", false, "tpu", "PrivateUse1"),
    row(Backend::Xpu, "xpu", "XPU", true, "xpu", "XPU"),
];

const fn row(
    backend: Backend,
    name: &'static str,
    title: &'static str,
    compiles: bool,
    noarch_name: &'static str,
    dispatch_key: &'static str,
) -> BackendRow {
    BackendRow { backend, name, title, compiles, noarch_name, dispatch_key }
}

impl Backend {
    /// This backend's row.
    pub fn row(self) -> &'static BackendRow {
        &BACKENDS[self as usize]
    }

    /// The name used in manifests, metadata and identifiers.
    pub fn as_str(self) -> &'static str {
        self.row().name
    }

    /// Every backend, in order.
    pub fn all() -> impl Iterator<Item = Backend> {
        BACKENDS.iter().map(|row| row.backend)
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A text that names no backend.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a backend")]
pub struct BackendError(pub String);

impl FromStr for Backend {
    type Err = BackendError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Backend::all().find(|backend| backend.as_str() == text).ok_or_else(|| BackendError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_indexed_by_the_backend() {
        for (at, row) in BACKENDS.iter().enumerate() {
            assert_eq!(row.backend as usize, at);
            assert_eq!(row.name.parse::<Backend>().expect("a name"), row.backend);
        }
    }
}
