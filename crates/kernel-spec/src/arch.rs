//! Processors and operating systems a variant can be made for.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A processor architecture, under the loader's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Cpu {
    /// 64-bit Arm.
    #[serde(rename = "aarch64")]
    Aarch64,
    /// 64-bit x86.
    #[serde(rename = "x86_64")]
    X86_64,
}

/// An operating system, under the loader's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Os {
    Darwin,
    Linux,
    Windows,
}

/// A processor architecture with an operating system: `x86_64-linux`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct System {
    /// The processor.
    pub cpu: Cpu,
    /// The operating system.
    pub os: Os,
}

impl Cpu {
    /// Every processor.
    pub const ALL: &[Cpu] = &[Cpu::Aarch64, Cpu::X86_64];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Cpu::Aarch64 => "aarch64",
            Cpu::X86_64 => "x86_64",
        }
    }
}

impl Os {
    /// Every operating system.
    pub const ALL: &[Os] = &[Os::Darwin, Os::Linux, Os::Windows];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Os::Darwin => "darwin",
            Os::Linux => "linux",
            Os::Windows => "windows",
        }
    }
}

/// A text that names no system.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a system such as `x86_64-linux`")]
pub struct SystemError(pub String);

impl FromStr for System {
    type Err = SystemError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || SystemError(text.to_owned());
        let (cpu, os) = text.split_once('-').ok_or_else(error)?;
        let cpu = Cpu::ALL.iter().find(|known| known.as_str() == cpu);
        let os = Os::ALL.iter().find(|known| known.as_str() == os);
        cpu.zip(os).map(|(&cpu, &os)| System { cpu, os }).ok_or_else(error)
    }
}

impl fmt::Display for System {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}-{}", self.cpu.as_str(), self.os.as_str())
    }
}

impl Serialize for System {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for System {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
