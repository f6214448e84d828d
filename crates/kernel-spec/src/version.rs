//! Versions as manifests write them. Components are kept as written (`"3.0"` stays two parts), because a bound of
//! `"2.12"` means the whole 2.12 series while `"2.12.0"` means one release.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Dot-separated unsigned integers, at least one. Ordered by components: `2.10` is newer than `2.9`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(with = "String")]
pub struct Version(Vec<u64>);

/// Why a text is no version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a version: dot-separated numbers such as `2.12` are expected")]
pub struct VersionError(String);

impl Version {
    /// A version of two components.
    pub fn major_minor(major: u64, minor: u64) -> Self {
        Self(vec![major, minor])
    }

    /// The release part of a Python package's version: `2.15.0+cu132` is 2.15.0, `0.1.15.post2` is 0.1.15 and
    /// `2.16.0a0` is 2.16.0. `None` where the text does not begin with a number.
    pub fn release(text: &str) -> Option<Self> {
        let text = text.trim();
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        text[..end].trim_end_matches('.').parse().ok()
    }

    /// The components as written.
    pub fn components(&self) -> &[u64] {
        &self.0
    }

    /// First component.
    pub fn major(&self) -> u64 {
        self.0[0]
    }

    /// Second component, 0 where none is written.
    pub fn minor(&self) -> u64 {
        self.0.get(1).copied().unwrap_or(0)
    }

    /// The first two components.
    pub fn truncated(&self) -> Self {
        Self::major_minor(self.major(), self.minor())
    }

    /// Whether this version reaches the lower bound `minimum`; missing components count as 0.
    pub fn reaches(&self, minimum: &Version) -> bool {
        self.compare_padded(minimum) != Ordering::Less
    }

    /// Whether this version stays within the inclusive upper bound `maximum`, which covers its whole series:
    /// 2.12.1 stays within 2.12.
    pub fn within(&self, maximum: &Version) -> bool {
        let length = self.0.len().min(maximum.0.len());
        Version(self.0[..length].to_vec()).compare_padded(maximum) != Ordering::Greater
    }

    /// Compares with missing components counted as 0.
    pub fn compare_padded(&self, other: &Version) -> Ordering {
        let length = self.0.len().max(other.0.len());
        let component = |version: &Version, at: usize| version.0.get(at).copied().unwrap_or(0);
        (0..length)
            .map(|at| component(self, at).cmp(&component(other, at)))
            .find(|ordering| ordering.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version {
    /// By value, then by length, so that the order agrees with `Eq`, which sees components as written.
    fn cmp(&self, other: &Self) -> Ordering {
        self.compare_padded(other).then(self.0.len().cmp(&other.0.len()))
    }
}

impl FromStr for Version {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let component = |part: &str| {
            let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| part.parse().ok()).flatten()
        };
        let components: Option<Vec<u64>> = text.trim().split('.').map(component).collect();
        components.map(Version).ok_or_else(|| VersionError(text.to_owned()))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.0.iter().map(u64::to_string).collect();
        formatter.write_str(&parts.join("."))
    }
}

impl Serialize for Version {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn version(text: &str) -> Version {
        text.parse().expect("a version")
    }

    #[test]
    fn bounds_cover_series() {
        assert!(version("2.12.1").within(&version("2.12")));
        assert!(version("12.8.93").within(&version("12.8")));
        assert!(!version("2.13").within(&version("2.12")));
        assert!(version("2.12").within(&version("2.12.0")));
        assert!(version("2.12").reaches(&version("2.12.0")));
        assert!(!version("2.9").reaches(&version("2.10")));
        assert_eq!(version("3.0").to_string(), "3.0");
        assert_ne!(version("3.0"), version("3"));
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", ".", "1.", ".1", "1..2", "1.x", "-1", "1.2 .3", "+1", "99999999999999999999"] {
            assert!(text.parse::<Version>().is_err(), "{text:?} was taken");
        }
    }

    #[test]
    fn the_release_part_of_a_package_version_is_read() {
        for (text, release) in [
            ("2.15.0+cu132", Some("2.15.0")),
            ("0.1.15.post2", Some("0.1.15")),
            ("2.16.0a0+git12", Some("2.16.0")),
            ("7.1.52802-26aae437f6", Some("7.1.52802")),
            ("unknown", None),
            ("", None),
        ] {
            assert_eq!(
                Version::release(text).map(|version| version.to_string()).as_deref(),
                release,
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn display_and_parse_are_inverse(parts in prop::collection::vec(any::<u64>(), 1..6)) {
            let version = Version(parts);
            prop_assert_eq!(version.to_string().parse::<Version>().expect("parses"), version);
        }

        #[test]
        fn a_version_is_within_and_reaches_itself(parts in prop::collection::vec(0u64..40, 1..5)) {
            let version = Version(parts);
            prop_assert!(version.within(&version) && version.reaches(&version));
        }
    }
}
