//! `status`: how each variant of a project stands. It compares what is recorded with what the sources and the built files
//! are now, and runs nothing.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::identifier::Identifier;
use kernel_spec::matrix::variants_of;
use kernel_spec::report::{StatusReport, VariantState, VariantStatus};
use kernel_spec::{Backend, Metadata};

use super::next;
use crate::check::built::BuiltVariant;
use crate::check::layout;
use crate::digest::SIGNATURE;
use crate::seal::BUILD_DIRECTORY;
use crate::suite::kept;
use crate::{Context, Project, Result, artifacts, bench, inputs, matrix};

/// What to look at.
#[derive(Clone, Debug)]
pub struct StatusOptions {
    /// The project's directory.
    pub directory: Utf8PathBuf,
}

/// Says how each variant stands.
pub fn status(context: &Context, options: &StatusOptions) -> Result<StatusReport> {
    let project = Project::open(context, &options.directory)?;
    let matrix = matrix::load(context)?;
    let mut variants: BTreeMap<String, VariantStatus> = variants_of(&project.manifest, &matrix)
        .into_iter()
        .filter(|offer| offer.bundled)
        .map(|offer| (offer.variant.to_string(), missing(offer.variant.to_string())))
        .collect();
    let mut ids = Ids { project: &project, known: BTreeMap::new() };
    for directory in artifacts::find(&project.directory.join(BUILD_DIRECTORY)) {
        let name = directory.file_name().unwrap_or_default().to_owned();
        let bundled = variants.contains_key(&name);
        let built = VariantStatus { bundled, ..built(&mut ids, &name, &directory)? };
        variants.insert(name, built);
    }
    let name = project.manifest.general.name.value.to_string();
    let variants: Vec<VariantStatus> = variants.into_values().collect();
    let next = next::command(stage(&variants), &options.directory, None);
    Ok(StatusReport { name, variants, next })
}

/// What is to be done first. Variants that are missing may be for other machines, so one that is there counts.
fn stage(variants: &[VariantStatus]) -> &'static [&'static str] {
    let mut there = variants.iter().filter(|variant| variant.state != VariantState::Missing).peekable();
    if there.peek().is_none() {
        return &["build"];
    }
    let (mut build, mut test) = (false, false);
    for variant in there {
        let is_release = variant.profile.as_deref().is_none_or(|profile| profile == "release");
        build |= variant.state != VariantState::Built || !is_release;
        test |= variant.tested != Some(true);
    }
    match (build, test) {
        (true, _) => &["build"],
        (_, true) => &["test"],
        _ => &["upload", "--dry-run"],
    }
}

fn missing(variant: String) -> VariantStatus {
    VariantStatus {
        variant,
        state: VariantState::Missing,
        bundled: true,
        profile: None,
        commit: None,
        dirty: false,
        tested: None,
        signed: false,
        findings: Vec::new(),
    }
}

fn built(ids: &mut Ids, name: &str, directory: &Utf8Path) -> Result<VariantStatus> {
    let mut status =
        VariantStatus { signed: directory.join(SIGNATURE).is_file(), ..missing(name.to_owned()) };
    let variant = BuiltVariant { name: name.to_owned(), directory: directory.to_owned() };
    match artifacts::metadata(directory) {
        Err(findings) => {
            status.state = VariantState::Broken;
            status.findings = findings;
        }
        // Copied or renamed by hand: the loader would take it for what its name says.
        Ok(Metadata { build: Some(build), .. }) if build.variant != name => {
            status.state = VariantState::Broken;
            status.findings = layout::check_alone(&variant);
        }
        Ok(metadata) => {
            let sealed = artifacts::difference(directory, &metadata).is_none();
            let Metadata { id, backend, provenance, build, .. } = metadata;
            if !sealed {
                status.findings = layout::check_alone(&variant);
            }
            status.state = match sealed {
                false => VariantState::Changed,
                true if id == ids.of(backend.backend)? => VariantState::Built,
                true => VariantState::Stale,
            };
            status.profile = build.map(|build| build.profile);
            if let Some(state) = provenance.and_then(|provenance| provenance.kernel) {
                (status.commit, status.dirty) = (Some(state.commit), state.dirty);
            }
            match kept(&ids.project.directory, name, directory) {
                Ok(tests) => status.tested = tests.map(|tests| tests.counts.all_passed()),
                Err(unreadable) => status.findings.push(*unreadable),
            }
            status
                .findings
                .extend(bench::kept(&ids.project.directory, name).err().map(|unreadable| *unreadable));
        }
    }
    Ok(status)
}

/// The ids that the sources have now, each computed once.
struct Ids<'a> {
    project: &'a Project,
    known: BTreeMap<Backend, String>,
}

impl Ids<'_> {
    fn of(&mut self, backend: Backend) -> Result<String> {
        if let Some(known) = self.known.get(&backend) {
            return Ok(known.clone());
        }
        let Project { directory, manifest, .. } = self.project;
        let inputs = inputs::collect(directory, manifest, backend)?.require_sound()?;
        let id = Identifier::of(manifest, backend, &inputs.digests()).to_string();
        self.known.insert(backend, id.clone());
        Ok(id)
    }
}
