//! A machine as far as the loader's choice depends on it: described by this program, or by a user in a file.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::{Backend, Version};

/// What the loader looks at. Every absent fact means that the machine does not have the thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MachineDescription {
    /// Processor: `x86_64`, `aarch64`; `arm64` and `AMD64` are read as these.
    #[serde(deserialize_with = "processor")]
    pub cpu: String,
    /// Operating system: `linux`, `darwin` or `windows`.
    pub os: String,
    /// Version of Python.
    #[serde(default, deserialize_with = "release", skip_serializing_if = "Option::is_none")]
    pub python: Option<Version>,
    /// Whether it is a free-threaded build of Python.
    #[serde(default)]
    pub free_threaded: bool,
    /// Version of macOS.
    #[serde(default, deserialize_with = "release", skip_serializing_if = "Option::is_none")]
    pub macos: Option<Version>,
    /// The installed torch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub torch: Option<TorchDescription>,
    /// Version of the installed TVM-FFI.
    #[serde(default, deserialize_with = "release", skip_serializing_if = "Option::is_none")]
    pub tvm_ffi: Option<Version>,
    /// Version of the CUDA runtime library; it decides only where torch is not installed.
    #[serde(default, deserialize_with = "release", skip_serializing_if = "Option::is_none")]
    pub cuda_runtime: Option<Version>,
}

/// An installed torch. What counts is what it was compiled for, not which devices the machine has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TorchDescription {
    /// Its version; `2.15.0+cu132` is read as 2.15.0.
    #[serde(deserialize_with = "required_release")]
    pub version: Version,
    /// Whether it uses the C++11 string ABI; every torch since 2.7 does.
    #[serde(default = "yes")]
    pub cxx11_abi: bool,
    /// `torch.version.cuda`.
    #[serde(default, deserialize_with = "release", skip_serializing_if = "Option::is_none")]
    pub cuda: Option<Version>,
    /// `torch.version.hip`.
    #[serde(default, deserialize_with = "release", skip_serializing_if = "Option::is_none")]
    pub rocm: Option<Version>,
    /// Major and minor version of `torch.version.xpu`.
    #[serde(default, deserialize_with = "release", skip_serializing_if = "Option::is_none")]
    pub xpu: Option<Version>,
    /// Version of CANN, where torch_npu is installed.
    #[serde(default, deserialize_with = "release", skip_serializing_if = "Option::is_none")]
    pub cann: Option<Version>,
    /// Whether `torch.backends.mps.is_available()`.
    #[serde(default)]
    pub metal: bool,
    /// Whether torch_neuronx is installed.
    #[serde(default)]
    pub neuron: bool,
    /// Whether torch_tpu is installed.
    #[serde(default)]
    pub tpu: bool,
}

fn yes() -> bool {
    true
}

fn processor<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    String::deserialize(deserializer).map(|name| MachineDescription::processor(&name).to_owned())
}

fn required_release<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Version, D::Error> {
    let text = String::deserialize(deserializer)?;
    Version::release(&text).ok_or_else(|| serde::de::Error::custom(format!("`{text}` is not a version")))
}

fn release<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Version>, D::Error> {
    required_release(deserializer).map(Some)
}

/// The backend the loader chooses variants for, with its version where it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemBackend {
    backend: Backend,
    version: Option<Version>,
}

/// A backend that was requested but that this machine does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("backend `{requested}` cannot be chosen on this machine, only {}", both(*.detected))]
pub struct UnsupportedBackend {
    /// The request.
    pub requested: Backend,
    /// What the machine has besides the CPU.
    pub detected: Backend,
}

fn both(detected: Backend) -> String {
    if detected == Backend::Cpu { "`cpu`".to_owned() } else { format!("`cpu` and `{detected}`") }
}

impl SystemBackend {
    /// The CPU, which the loader allows on every machine.
    pub fn cpu() -> Self {
        Self::plain(Backend::Cpu)
    }

    fn plain(backend: Backend) -> Self {
        Self { backend, version: None }
    }

    fn versioned(backend: Backend, version: &Version) -> Self {
        Self { backend, version: Some(version.clone()) }
    }

    /// The backend.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// Its version, for CUDA, ROCm, XPU and CANN.
    pub fn version(&self) -> Option<&Version> {
        self.version.as_ref()
    }

    /// The version of CUDA, where that is the backend.
    pub(super) fn cuda(&self) -> Option<&Version> {
        self.version().filter(|_| self.backend == Backend::Cuda)
    }

    /// Its name in variants: `cpu`, `cu130`, `rocm72`.
    pub fn name_in_variants(&self) -> String {
        let prefix = if self.backend == Backend::Cuda { "cu" } else { self.backend.as_str() };
        match &self.version {
            Some(version) => format!("{prefix}{}{}", version.major(), version.minor()),
            None => prefix.to_owned(),
        }
    }
}

impl MachineDescription {
    /// A machine of this processor and operating system, without anything installed.
    pub fn bare(cpu: &str, os: &str) -> Self {
        Self {
            cpu: Self::processor(cpu).to_owned(),
            os: os.to_owned(),
            python: None,
            free_threaded: false,
            macos: None,
            torch: None,
            tvm_ffi: None,
            cuda_runtime: None,
        }
    }

    /// The loader's name of a processor that macOS or Windows calls otherwise.
    pub fn processor(name: &str) -> &str {
        match name {
            "arm64" => "aarch64",
            "AMD64" => "x86_64",
            other => other,
        }
    }

    /// The backend the loader detects: by what torch was compiled for, without torch by the CUDA runtime library.
    pub fn detected_backend(&self) -> SystemBackend {
        let Some(torch) = &self.torch else {
            return self
                .cuda_runtime
                .as_ref()
                .map_or_else(SystemBackend::cpu, |v| SystemBackend::versioned(Backend::Cuda, v));
        };
        let plain = |present: bool, backend| present.then(|| SystemBackend::plain(backend));
        let versioned = |version: &Option<Version>, backend| {
            version.as_ref().map(|version| SystemBackend::versioned(backend, version))
        };
        plain(torch.tpu, Backend::Tpu)
            .or_else(|| plain(torch.neuron, Backend::Neuron))
            .or_else(|| versioned(&torch.cuda, Backend::Cuda))
            .or_else(|| versioned(&torch.rocm, Backend::Rocm))
            .or_else(|| plain(torch.metal, Backend::Metal))
            .or_else(|| versioned(&torch.xpu, Backend::Xpu))
            .or_else(|| versioned(&torch.cann, Backend::Cann))
            .unwrap_or_else(SystemBackend::cpu)
    }

    /// The backend to choose for: the detected one, or the requested one where the loader would allow it.
    pub fn select_backend(&self, requested: Option<Backend>) -> Result<SystemBackend, UnsupportedBackend> {
        let detected = self.detected_backend();
        match requested {
            None => Ok(detected),
            Some(requested) if requested == detected.backend => Ok(detected),
            Some(Backend::Cpu) => Ok(SystemBackend::cpu()),
            Some(requested) => Err(UnsupportedBackend { requested, detected: detected.backend }),
        }
    }
}
