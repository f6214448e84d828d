//! Kernel names: the rule, and the nearest name that keeps it.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A name that matches `^[a-z][-a-z0-9]*[a-z0-9]$`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct KernelName(String);

/// Why a text is no kernel name, with a valid one near it where there is any.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is not a kernel name: {RULE}")]
pub struct KernelNameError {
    /// The refused text.
    pub name: String,
    /// A valid name near it.
    pub proposal: Option<KernelName>,
}

/// The rule in words.
pub const RULE: &str = "at least two lower-case letters, digits or dashes, beginning with a letter and ending with a letter or digit";

impl KernelName {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name of its Python package: dashes become underscores.
    pub fn python_name(&self) -> String {
        self.0.replace('-', "_")
    }

    /// The valid name nearest to a text: lower case, other characters become dashes, the edges trimmed. `None` where
    /// the text has no letter to begin with.
    pub fn propose(text: &str) -> Option<Self> {
        let lowered = text.to_lowercase();
        let start = lowered.find(|c: char| c.is_ascii_lowercase())?;
        let body: String = lowered[start..]
            .chars()
            .map(|c| if c.is_ascii_lowercase() || c.is_ascii_digit() { c } else { '-' })
            .collect();
        match body.trim_matches('-') {
            single if single.len() == 1 => Some(Self(format!("{single}-kernel"))),
            name => Some(Self(name.to_owned())),
        }
    }
}

impl FromStr for KernelName {
    type Err = KernelNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bytes = text.as_bytes();
        let inner = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-';
        let valid = bytes.len() >= 2
            && bytes[0].is_ascii_lowercase()
            && bytes.iter().all(inner)
            && bytes.last() != Some(&b'-');
        if valid {
            Ok(Self(text.to_owned()))
        } else {
            Err(KernelNameError { name: text.to_owned(), proposal: Self::propose(text) })
        }
    }
}

impl fmt::Display for KernelName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for KernelName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn refused_names_come_with_a_proposal() {
        for (text, proposal) in [
            ("My-Kernel", Some("my-kernel")),
            ("my.kernel", Some("my-kernel")),
            ("my_kernel", Some("my-kernel")),
            ("1relu", Some("relu")),
            ("relu-", Some("relu")),
            ("a", Some("a-kernel")),
            ("sp ace", Some("sp-ace")),
            ("ä", None),
            ("", None),
        ] {
            let error = text.parse::<KernelName>().expect_err(text);
            assert_eq!(error.proposal.as_ref().map(KernelName::as_str), proposal, "{text:?}");
        }
        for text in ["re--lu", "ab", &"a".repeat(120)] {
            assert_eq!(text.parse::<KernelName>().expect("valid").as_str(), text);
        }
    }

    proptest! {
        #[test]
        fn a_proposal_is_always_valid(text in ".*") {
            if let Some(name) = KernelName::propose(&text) {
                prop_assert!(name.as_str().parse::<KernelName>().is_ok(), "{:?} -> {}", text, name);
            }
        }
    }
}
