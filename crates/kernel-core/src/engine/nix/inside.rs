//! Nix from within, for the flake of a kernel: this program runs in Nix's sandbox as one step of a derivation, so no Nix
//! is started. It lays a plan out for the derivations that run the build files, and takes what they made.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use super::request::{self, Reached};
use crate::engine::{Built, EngineError, Job, Made};
use crate::toolchain::compiler::{Compiler, Description};
use crate::toolchain::fingerprint::Witnesses;
use crate::tree::{self, Kind};

/// Where parts are that outlive this step.
const STORE: &str = "/nix/store/";

/// One step inside Nix's sandbox.
#[derive(Clone, Debug)]
pub struct Inside {
    facts: Utf8PathBuf,
}

impl Inside {
    pub(in crate::engine) fn new(facts: Utf8PathBuf) -> Self {
        Self { facts }
    }

    /// The compiler that the toolchain describes.
    pub fn compiler(&self) -> Result<Compiler, EngineError> {
        let path = self.facts.to_string();
        let text = fs_err::read(&self.facts).map_err(|source| EngineError::Elsewhere { path, source })?;
        let described = serde_json::from_slice::<Description>(&text)
            .map_err(|source| EngineError::Toolchain { toolchain: self.facts.clone(), source })?;
        Ok(described.identify(Witnesses::default())?.0)
    }
}

/// Writes what the derivations of a job read, as `nix/step.sh` takes it: `source`, and for each half its generated files
/// and the list of what it makes; `links` names the parts by their place in `tc/`.
pub(crate) fn lay_out(project: &Utf8Path, output: &Utf8Path, job: &Job) -> Result<(), EngineError> {
    let write = || -> std::io::Result<()> {
        fs_err::create_dir_all(output)?;
        let Some(library) = &job.plan.library else { return Ok(()) };
        request::lay_out(project, output, job, library)?;
        for (half, made) in ["objects", "library"].into_iter().zip(request::made(library)) {
            fs_err::write(output.join(format!("{half}.made")), made.join("\n") + "\n")?;
        }
        let mut links = String::new();
        for (place, Reached { path, .. }) in request::reached(job, library)? {
            let path =
                if path.starts_with(STORE) { path } else { keep(&path, &output.join("parts").join(&place))? };
            links.extend([place.as_str(), " ", path.as_str(), "\n"]);
        }
        fs_err::write(output.join("links"), links)
    };
    write().map_err(|source| EngineError::Write { directory: output.to_owned(), source })
}

/// What the derivations made of a job.
pub(crate) fn built(job: &Job, library: Option<&Utf8Path>) -> Result<Built, EngineError> {
    let variant = &job.plan.variant;
    let mut libraries = BTreeMap::new();
    if let Some(planned) = &job.plan.library {
        let made = library.ok_or_else(|| EngineError::Unsupported {
            variant: variant.clone(),
            reason: "no library was given".to_owned(),
        })?;
        let made = Made { library: made.join(&planned.link.output), map: made.join(&planned.link.map) };
        libraries.insert(variant.clone(), made);
    }
    Ok(Built { libraries, ran: Vec::new(), engine: "nix", sandbox: "nix" })
}

/// Copies a part that this program itself made.
fn keep(from: &Utf8Path, to: &Utf8Path) -> std::io::Result<Utf8PathBuf> {
    fs_err::create_dir_all(to)?;
    for entry in tree::walk(from, &|_| true).map_err(std::io::Error::other)? {
        let target = to.join(&entry.path);
        match entry.kind {
            Kind::Directory => fs_err::create_dir_all(&target)?,
            Kind::File => drop(fs_err::copy(from.join(&entry.path), &target)?),
            kind => return Err(std::io::Error::other(format!("`{}` in a part is {kind:?}", entry.path))),
        }
    }
    Ok(to.to_owned())
}
