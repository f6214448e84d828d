//! What a project that is written over was made with: its manifest says it, so that `--overwrite` asks nothing again.

use camino::Utf8Path;
use kernel_spec::manifest::{Binding, Manifest, StableAbi, parse};
use kernel_spec::{Finding, code};

use super::sample::Sample;
use crate::{Context, project};

/// The choices of an earlier `init`.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// `OWNER/NAME`, or the name alone.
    pub(super) name: Option<String>,
    pub(super) sample: Option<Sample>,
    /// Those that the sample has sources for.
    pub(super) backends: Vec<String>,
    pub(super) license: Option<String>,
    /// That there is a manifest of which nothing could be taken.
    pub(super) notes: Vec<Finding>,
}

impl Kept {
    /// From the manifest in the directory; nothing where there is none.
    pub(super) fn of(context: &Context, directory: &Utf8Path) -> Self {
        let Ok(source) = project::read(context, directory) else { return Self::default() };
        let Some(manifest) = parse(&source).draft else {
            let message = format!("`{}` cannot be read, so nothing of it was kept", source.path());
            return Self { notes: vec![Finding::note(&code::init::NOT_KEPT, message)], ..Self::default() };
        };
        let sample = sample(&manifest);
        let general = &manifest.general;
        let name = general.name.value.to_string();
        let owner = general.hub.repo_id.as_ref().and_then(|id| id.value.split_once('/'));
        let backends = general.backends.iter().map(|backend| backend.value);
        Self {
            name: Some(owner.map_or_else(|| name.clone(), |(owner, _)| format!("{owner}/{name}"))),
            backends: backends
                .filter(|backend| sample.backends().contains(backend))
                .map(|backend| backend.to_string())
                .collect(),
            sample: Some(sample),
            license: Some(general.license.value.clone()),
            notes: Vec::new(),
        }
    }
}

fn sample(manifest: &Manifest) -> Sample {
    match &manifest.binding {
        Binding::Torch(torch) if torch.stable_abi == StableAbi::None => Sample::Torch,
        Binding::Torch(_) => Sample::TorchStable,
        Binding::TvmFfi(_) => Sample::TvmFfi,
        Binding::TorchNoarch(_) => Sample::TorchNoarch,
    }
}
