//! GPU architectures as manifests name them, and which of them a toolkit builds. The selection for CUDA is the peer's
//! "loose intersection", so that a manifest builds for the same devices with either tool; every target that is left
//! out carries its reason, because a silently missing architecture is found out only by users.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::gpu::renamed;

/// A CUDA compute capability with its marks: `9.0`, `9.0a`, `10.0f`, `12.0+PTX`. Ordered by number, then by mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Capability {
    /// First component.
    pub major: u32,
    /// Second component.
    pub minor: u32,
    /// What the machine code is limited to.
    pub feature: Option<Feature>,
    /// Whether PTX is embedded, which newer devices compile for themselves.
    pub ptx: bool,
}

/// The letter after a capability.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// `a`: runs on exactly this capability.
    Architecture,
    /// `f`: runs on this capability's family.
    Family,
}

/// An AMD GPU target: `gfx90a`, `gfx1100`. Ordered as text, the order the metadata and the peer use.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct GfxTarget(String);

/// Why a text names no architecture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CapabilityError {
    /// For CUDA.
    #[error("`{0}` is not a CUDA capability such as `9.0`, `9.0a`, `10.0f` or `12.0+PTX`")]
    Cuda(String),
    /// For ROCm.
    #[error("`{0}` is not a gfx target such as `gfx90a` or `gfx1100`")]
    Gfx(String),
}

/// Which architectures are built, and why the others are not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection<T> {
    /// What is built, in order, without repetitions.
    pub kept: Vec<T>,
    /// What was listed but is not built.
    pub dropped: Vec<Dropped<T>>,
}

/// An architecture that is not built.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dropped<T> {
    /// As it was listed.
    pub target: T,
    /// Why: a lower-case fragment.
    pub reason: String,
}

impl Capability {
    /// A capability without marks.
    pub const fn plain(major: u32, minor: u32) -> Self {
        Self { major, minor, feature: None, ptx: false }
    }

    /// The same without marks.
    pub fn base(self) -> Self {
        Self::plain(self.major, self.minor)
    }

    /// The number as compilers write it after `sm_` and `compute_`: `90a`.
    pub fn digits(self) -> String {
        format!("{}{}{}", self.major, self.minor, self.letter())
    }

    fn letter(self) -> &'static str {
        match self.feature {
            None => "",
            Some(Feature::Architecture) => "a",
            Some(Feature::Family) => "f",
        }
    }

    fn without_ptx(self) -> Self {
        Self { ptx: false, ..self }
    }
}

/// Chooses what to build of the listed capabilities with a toolkit that builds `defaults`. Nothing listed means the
/// defaults as they are. A result may keep nothing: the caller decides whether that is a fault.
///
/// A capability with a letter is built where its base is among the defaults, and serves that default alone. Every
/// other default takes the highest listed capability that is not above it and has its major version, or carries PTX.
pub fn select_cuda(listed: &[Capability], defaults: &[Capability]) -> Selection<Capability> {
    if listed.is_empty() {
        let kept: BTreeSet<Capability> = defaults.iter().copied().collect();
        return Selection { kept: kept.into_iter().collect(), dropped: Vec::new() };
    }
    let ptx: BTreeSet<Capability> =
        listed.iter().filter(|listed| listed.ptx).map(|listed| listed.without_ptx()).collect();
    let entries: BTreeSet<Capability> = listed.iter().map(|listed| listed.without_ptx()).collect();
    let mut targets: BTreeSet<Capability> = defaults.iter().map(|target| target.base()).collect();

    let mut kept: BTreeSet<Capability> = entries
        .iter()
        .filter(|entry| entry.feature.is_some() && targets.contains(&entry.base()))
        .copied()
        .collect();
    targets.retain(|target| !kept.iter().any(|entry| entry.base() == *target));

    let plain: Vec<Capability> = entries.iter().filter(|entry| entry.feature.is_none()).copied().collect();
    kept.extend(targets.iter().filter_map(|target| {
        let serves =
            |entry: &&Capability| *entry <= target && (entry.major == target.major || ptx.contains(*entry));
        plain.iter().rev().find(serves).copied()
    }));

    let dropped = entries
        .difference(&kept)
        .map(|&target| Dropped { target: mark(target, &ptx), reason: reason(target, &kept, defaults) })
        .collect();
    Selection { kept: kept.into_iter().map(|entry| mark(entry, &ptx)).collect(), dropped }
}

fn mark(entry: Capability, ptx: &BTreeSet<Capability>) -> Capability {
    Capability { ptx: ptx.contains(&entry), ..entry }
}

fn reason(entry: Capability, kept: &BTreeSet<Capability>, defaults: &[Capability]) -> String {
    let base = entry.base();
    if let Some(new) = renamed(base).filter(|new| defaults.iter().any(|target| target.base() == *new)) {
        return format!("this toolkit calls {base} by its new name {new}");
    }
    if entry.feature.is_some() {
        return format!("the toolkit does not build {base}");
    }
    if let Some(featured) = kept.iter().find(|kept| kept.base() == base) {
        return format!("{featured} is built for {base} instead");
    }
    let served = defaults.iter().map(|target| target.base()).filter(|t| *t >= base && t.major == base.major);
    match served.max() {
        Some(_) => format!("a listed capability nearer to each {}.x target is built instead", base.major),
        None => format!("the toolkit builds no {}.x target from {base} on", base.major),
    }
}

/// Chooses what to build of the listed targets with a toolkit that builds `supported`: the plain intersection. Nothing
/// listed means all that is supported.
pub fn select_rocm(listed: &[GfxTarget], supported: &[GfxTarget]) -> Selection<GfxTarget> {
    let supported: BTreeSet<&GfxTarget> = supported.iter().collect();
    if listed.is_empty() {
        return Selection { kept: supported.into_iter().cloned().collect(), dropped: Vec::new() };
    }
    let listed: BTreeSet<&GfxTarget> = listed.iter().collect();
    let reason = "it is not among the supported gfx targets";
    Selection {
        kept: listed.intersection(&supported).map(|&target| target.clone()).collect(),
        dropped: listed
            .difference(&supported)
            .map(|&target| Dropped { target: target.clone(), reason: reason.to_owned() })
            .collect(),
    }
}

impl FromStr for Capability {
    type Err = CapabilityError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (rest, ptx) = text.strip_suffix("+PTX").map_or((text, false), |rest| (rest, true));
        let (rest, feature) = match (rest.strip_suffix('a'), rest.strip_suffix('f')) {
            (Some(rest), _) => (rest, Some(Feature::Architecture)),
            (_, Some(rest)) => (rest, Some(Feature::Family)),
            _ => (rest, None),
        };
        let number = |digits: &str| {
            let canonical = digits == "0" || !digits.starts_with('0');
            let plain = canonical && digits.bytes().all(|byte| byte.is_ascii_digit());
            plain.then(|| digits.parse::<u32>().ok()).flatten()
        };
        rest.split_once('.')
            .and_then(|(major, minor)| number(major).zip(number(minor)))
            .map(|(major, minor)| Self { major, minor, feature, ptx })
            .ok_or_else(|| CapabilityError::Cuda(text.to_owned()))
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (letter, ptx) = (self.letter(), if self.ptx { "+PTX" } else { "" });
        write!(formatter, "{}.{}{letter}{ptx}", self.major, self.minor)
    }
}

impl GfxTarget {
    /// Its name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for GfxTarget {
    type Err = CapabilityError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let hexadecimal = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        match text.strip_prefix("gfx") {
            Some(digits) if (3..=5).contains(&digits.len()) && digits.bytes().all(hexadecimal) => {
                Ok(Self(text.to_owned()))
            }
            _ => Err(CapabilityError::Gfx(text.to_owned())),
        }
    }
}

impl fmt::Display for GfxTarget {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Serialize for Capability {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Capability {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for GfxTarget {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
#[path = "capability_tests.rs"]
mod tests;
