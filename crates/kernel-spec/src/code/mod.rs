//! The table of every code a finding or an error can carry. One row is the whole truth about a code: what it means,
//! an example, what to do, and how the process ends; `explain`, the exit status and the reference derive from it.

use crate::ExitClass;

/// Declares the codes of one area and the list of them, so that no code can be forgotten in the table.
macro_rules! codes {
    ($(#[doc = $doc:literal])* $list:ident; $($name:ident = $id:literal, $exit:ident,
        means: $meaning:literal, example: $example:literal, remedy: $remedy:literal;)*) => {
        $(
            #[doc = $meaning]
            pub static $name: $crate::Code = $crate::Code {
                id: $id, exit: $crate::ExitClass::$exit, meaning: $meaning, example: $example, remedy: $remedy,
            };
        )*
        $(#[doc = $doc])*
        pub static $list: &[&$crate::Code] = &[$(&$name),*];
    };
}

pub mod abi;
pub mod artifact;
pub mod audit;
pub mod bench;
pub mod build;
pub mod card;
pub mod collect;
pub mod environment;
pub mod hub;
pub mod init;
pub mod inputs;
pub mod internal;
pub mod link;
pub mod manifest;
pub mod nix;
pub mod pin;
pub mod published;
pub mod python;
pub mod run;
pub mod skills;
pub mod test;
pub mod toolchain;
pub mod trust;
pub mod upload;
pub mod variant;
pub mod workloads;

/// A stable name for one thing that can go wrong.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// `area/name`, the form users and scripts see.
    pub id: &'static str,
    /// How the process ends when this code is what stopped it.
    pub exit: ExitClass,
    /// What it means.
    pub meaning: &'static str,
    /// A small input or situation that produces it.
    pub example: &'static str,
    /// What to do about it.
    pub remedy: &'static str,
}

/// The areas, in the order in which `explain` lists them.
#[rustfmt::skip]
static AREAS: &[&[&Code]] = &[
    init::ALL,
    manifest::ALL,
    inputs::ALL,
    variant::ALL,
    environment::ALL,
    build::ALL,
    nix::ALL,
    link::ALL,
    artifact::ALL,
    abi::ALL,
    python::ALL,
    card::ALL,
    skills::ALL,
    test::ALL,
    toolchain::ALL,
    collect::ALL,
    upload::ALL,
    published::ALL,
    audit::ALL,
    pin::ALL,
    trust::ALL,
    run::ALL,
    hub::ALL,
    bench::ALL,
    workloads::ALL,
    internal::ALL,
];

impl Code {
    /// Every code of the program.
    pub fn all() -> impl Iterator<Item = &'static Code> {
        AREAS.iter().flat_map(|area| area.iter().copied())
    }

    /// The code with this id.
    pub fn find(id: &str) -> Option<&'static Code> {
        Self::all().find(|code| code.id == id)
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.id)
    }
}

impl serde::Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_code_is_unique_and_complete() {
        let mut seen = BTreeSet::new();
        for code in Code::all() {
            assert!(seen.insert(code.id), "{} occurs twice", code.id);
            let (area, name) = code.id.split_once('/').expect("an area and a name");
            let plain = |text: &str| {
                !text.is_empty()
                    && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
            };
            assert!(plain(area) && plain(name), "{} is not area/name in lower case", code.id);
            for text in [code.meaning, code.example, code.remedy] {
                assert!(!text.trim().is_empty(), "{} lacks an explanation", code.id);
            }
            assert!(code.exit != ExitClass::Success, "{} would end in success", code.id);
        }
    }
}
