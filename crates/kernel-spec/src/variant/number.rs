//! The two ways in which a variant's name writes a version without a dot. Each type holds only versions that its way
//! can write and the loader reads back as the same, so a name can never mean something else than its value.

use std::fmt;

use crate::Version;

/// A version whose digits without the dot would be read as another one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} {version} has no variant name: without the dot, `{digits}` would be read as another version")]
pub struct AmbiguousVersion {
    what: &'static str,
    version: Version,
    digits: String,
}

macro_rules! dotless {
    ($(#[doc = $doc:literal])* $name:ident, $what:literal, $fits:expr) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name {
            major: u64,
            minor: u64,
        }

        impl $name {
            /// The version of two components, where a name can write it.
            pub fn new(major: u64, minor: u64) -> Result<Self, AmbiguousVersion> {
                let fits: fn(u64, u64) -> bool = $fits;
                if fits(major, minor) {
                    return Ok(Self { major, minor });
                }
                let version = Version::major_minor(major, minor);
                Err(AmbiguousVersion { what: $what, version, digits: format!("{major}{minor}") })
            }

            /// The first two components of a version; a name never says more.
            pub fn of(version: &Version) -> Result<Self, AmbiguousVersion> {
                Self::new(version.major(), version.minor())
            }

            /// First component.
            pub fn major(self) -> u64 {
                self.major
            }

            /// Second component.
            pub fn minor(self) -> u64 {
                self.minor
            }

            /// As a version of two components.
            pub fn version(self) -> Version {
                Version::major_minor(self.major, self.minor)
            }

            /// The digits without the dot, as in a variant's name.
            pub(crate) fn digits(self) -> String {
                format!("{}{}", self.major, self.minor)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "{}.{}", self.major, self.minor)
            }
        }
    };
}

dotless! {
    /// Version of a framework: the first digit is the major version, the rest the minor one (`torch212` is 2.12).
    FrameworkVersion, "framework version", |major, _| major <= 9
}

dotless! {
    /// Version of a toolkit: the last digit is the minor version, the rest the major one (`cu126` is 12.6). A minor
    /// version of two digits cannot be written: the loader reads `cu1210` as 121.0, not as 12.10.
    ToolkitVersion, "toolkit version", |_, minor| minor <= 9
}

impl FrameworkVersion {
    /// Reads the digits as the loader does; leading zeros of the minor version are dropped.
    pub(crate) fn from_digits(digits: &str) -> Option<Self> {
        let (major, minor) = split(digits, 1)?;
        Some(Self { major, minor })
    }
}

impl ToolkitVersion {
    /// Reads the digits as the loader does; leading zeros of the major version are dropped.
    pub(crate) fn from_digits(digits: &str) -> Option<Self> {
        let (major, minor) = split(digits, digits.len().checked_sub(1)?)?;
        Some(Self { major, minor })
    }
}

fn split(digits: &str, at: usize) -> Option<(u64, u64)> {
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (major, minor) = digits.split_at_checked(at)?;
    major.parse().ok().zip(minor.parse().ok())
}
