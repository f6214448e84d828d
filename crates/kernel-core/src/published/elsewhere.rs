//! Variants of a published kernel outside of `build`. `get_kernel` never loads them, but who downloads the whole repository
//! and loads it from there gets them first.

use std::collections::BTreeSet;

use kernel_spec::variant::LoaderName;
use kernel_spec::{Finding, Variant, code};

use super::Snapshot;
use crate::digest::METADATA;
use crate::upload::contents::BUILD;

/// Most places that are named.
const NAMED: usize = 12;

impl Snapshot {
    /// What is wrong where variants lie outside of `build`.
    pub fn elsewhere(&self) -> Option<Finding> {
        let inside = format!("{BUILD}{BUILD}");
        let mut places = BTreeSet::new();
        for path in self.files().keys() {
            let within = path.strip_prefix(&inside).map(|rest| (inside.as_str(), rest));
            let (above, rest) = within.unwrap_or(("", path));
            let Some((name, _)) = rest.split_once('/') else { continue };
            // The loader knows more names, and needs the metadata; `torch-ext` is the usual place of sources.
            let has_metadata = || self.files().contains_key(&format!("{above}{name}/{METADATA}"));
            if name.parse::<Variant>().is_ok() || (name.parse::<LoaderName>().is_ok() && has_metadata()) {
                places.insert(format!("{above}{name}"));
            }
        }
        let message = format!("`{}` has variants outside of `{BUILD}`", self.reference);
        let finding = Finding::error(&code::artifact::PLACES, message)
            .help("do not use a copy of the whole repository: `get_kernel` looks into `build`, `get_local_kernel` does not at first");
        let named = places.iter().take(NAMED).cloned();
        let more = places.len().saturating_sub(NAMED);
        let more = (more > 0).then(|| format!("and {more} more"));
        (!places.is_empty()).then(|| named.chain(more).fold(finding, Finding::cause))
    }
}
