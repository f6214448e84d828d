//! The systems that a kernel promises to load on.

use std::fmt;
use std::str::FromStr;

use kernel_abi::image::Machine;
use kernel_abi::policy::Manylinux;
use kernel_abi::policy::manylinux::Since;
use kernel_spec::arch::Cpu;
use serde::{Deserialize, Serialize};

/// The oldest systems that a Linux kernel must load on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Policy {
    /// glibc 2.28 and later (2018): what the Hub asks for.
    #[default]
    #[serde(rename = "manylinux_2_28")]
    Manylinux228,
    /// glibc 2.34 and later (2021).
    #[serde(rename = "manylinux_2_34")]
    Manylinux234,
    /// Systems like the one that builds.
    #[serde(rename = "host")]
    Host,
}

/// A text that names no policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a policy: {list}", list = Policy::ALL.map(Policy::as_str).join(", "))]
pub struct PolicyError(pub String);

impl Policy {
    /// Every policy, the default first.
    pub const ALL: [Policy; 3] = [Policy::Manylinux228, Policy::Manylinux234, Policy::Host];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Policy::Manylinux228 => "manylinux_2_28",
            Policy::Manylinux234 => "manylinux_2_34",
            Policy::Host => "host",
        }
    }

    /// The glibc that its oldest systems have; none for the host's own.
    pub fn glibc(self) -> Option<(u32, u32)> {
        match self {
            Policy::Manylinux228 => Some((2, 28)),
            Policy::Manylinux234 => Some((2, 34)),
            Policy::Host => None,
        }
    }

    /// The judge's policy of the same name; none for the host's own.
    pub fn manylinux(self) -> Option<Manylinux> {
        self.as_str().parse().ok()
    }

    /// Whether a symbol version such as `GLIBCXX_3.4.21` exists on its oldest systems.
    pub fn allows(self, cpu: Cpu, version: &str) -> bool {
        allows(self.manylinux(), cpu, version)
    }
}

/// Whether a symbol version exists on the oldest systems of the judge's policy; on this one every version may.
pub(super) fn allows(manylinux: Option<Manylinux>, cpu: Cpu, version: &str) -> bool {
    let machine = match cpu {
        Cpu::Aarch64 => Machine::Aarch64,
        Cpu::X86_64 => Machine::X86_64,
    };
    match (manylinux, Manylinux::of_version(machine, version)) {
        (None, _) => true,
        (Some(policy), Since::Policy(Some(since))) => since <= policy,
        (Some(_), Since::Policy(None) | Since::NotJudged) => false,
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for Policy {
    type Err = PolicyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|policy| policy.as_str() == text)
            .ok_or_else(|| PolicyError(text.to_owned()))
    }
}
