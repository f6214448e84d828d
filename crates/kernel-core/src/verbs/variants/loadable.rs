//! Whether the loader loads the published variant that it takes: its metadata must be readable, and every kernel that it
//! depends on must be one, be there, have a variant for the machine, and be of a publisher whom the loader trusts.

use std::collections::BTreeSet;

use kernel_hub::hub::HubError;
use kernel_spec::selection::{MachineDescription, decide_for};
use kernel_spec::variant::LoaderName;
use kernel_spec::{Finding, Metadata, code};

use crate::published::{MOST_TOGETHER, Reference, Snapshot};
use crate::{Context, Error, Result};

/// The loader on one machine.
pub(super) struct Loader<'a> {
    pub(super) context: &'a Context,
    pub(super) machine: &'a MachineDescription,
    /// Whether it is told to trust everybody.
    pub(super) trusts_all: bool,
    /// What would make it fail.
    pub(super) findings: Vec<Finding>,
    /// The kernels that were looked at.
    pub(super) known: BTreeSet<String>,
}

impl Loader<'_> {
    /// Loads a variant as far as the loader reads it; answers its metadata where they can be read. `above` are the kernels
    /// that it is loaded for.
    pub(super) fn load(
        &mut self,
        snapshot: &Snapshot,
        variant: &str,
        above: &[String],
    ) -> Result<Option<Metadata>> {
        let name = snapshot.reference.to_string();
        let Some(bytes) = snapshot.metadata(variant)? else {
            self.fails(format!("`{variant}` of `{name}` has no metadata"));
            return Ok(None);
        };
        let metadata = match Metadata::from_json(&bytes) {
            Ok(metadata) => metadata,
            Err(faults) => {
                let message = format!("the metadata of `{variant}` of `{name}` cannot be read");
                let finding = Finding::error(&code::published::UNLOADABLE, message);
                let causes = faults.into_iter().map(|fault| fault.message);
                self.findings.push(causes.fold(finding, Finding::cause));
                return Ok(None);
            }
        };
        let above = [above, std::slice::from_ref(&name)].concat();
        for dependency in &metadata.kernel_depends {
            let Some(reference) = Reference::of_dependency(dependency) else {
                self.fails(format!("`{name}` depends on `{}`, which names no kernel", dependency.repo_id));
                continue;
            };
            self.dependency(&name, reference, &above)?;
        }
        Ok(Some(metadata))
    }

    fn dependency(&mut self, by: &str, reference: Reference, above: &[String]) -> Result<()> {
        let name = reference.to_string();
        if above.contains(&name) {
            self.fails(format!("`{by}` depends on `{name}`, which depends on it"));
            return Ok(());
        }
        if !self.known.insert(name.clone()) {
            return Ok(());
        }
        if self.known.len() > MOST_TOGETHER {
            self.fails(format!("more than {MOST_TOGETHER} kernels hang together"));
            return Ok(());
        }
        let snapshot = match Snapshot::open(self.context, reference) {
            Ok(snapshot) => snapshot,
            Err(error) if is_absent(&error) => {
                let message = format!("`{by}` depends on `{name}`, which cannot be had");
                let finding = Finding::error(&code::published::UNLOADABLE, message);
                self.findings.push(finding.cause(error.to_string()));
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        if !self.trusts_all && !snapshot.is_trusted()? {
            let message = format!("`{by}` depends on `{name}`, whose publisher is not trusted");
            self.findings.push(Finding::error(&code::published::UNTRUSTED, message));
        }
        let names: Vec<LoaderName> =
            snapshot.variants().into_iter().filter_map(|name| name.parse().ok()).collect();
        let decisions = decide_for(self.machine.detected_backend(), names, self.machine);
        match decisions.chosen().map(ToString::to_string) {
            Some(variant) => drop(self.load(&snapshot, &variant, above)?),
            None => self.fails(format!("`{by}` depends on `{name}`, of which no variant can be loaded here")),
        }
        Ok(())
    }

    fn fails(&mut self, message: String) {
        self.findings.push(Finding::error(&code::published::UNLOADABLE, message));
    }
}

/// Whether an error says that a kernel is not there, or may not be seen, and nothing about the network.
pub(crate) fn is_absent(error: &Error) -> bool {
    matches!(
        error,
        Error::Published(_)
            | Error::Hub(
                HubError::NoRepository { .. } | HubError::NoToken { .. } | HubError::Forbidden { .. }
            )
    )
}
