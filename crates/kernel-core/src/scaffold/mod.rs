//! `init`: a sample project that checks, builds and passes its tests as it is. It asks no network and no account, and
//! leaves git alone.

mod files;
mod identity;
mod sample;
mod write;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::error::Faults;
use kernel_spec::report::InitReport;
use kernel_spec::suggest::{closest, listed};
use kernel_spec::{Backend, Finding, code, license};

use crate::{Context, Result};

pub use sample::Sample;

/// What kind of project to make, and where.
#[derive(Debug)]
pub struct Options {
    /// The directory, relative to the working directory.
    pub path: Option<Utf8PathBuf>,
    /// `OWNER/NAME`, or a name alone.
    pub name: Option<String>,
    /// The kind of project.
    pub sample: Sample,
    /// Names of backends, or `all`; none for the default.
    pub backends: Vec<String>,
    /// Identifier of its licence.
    pub license: String,
    /// Whether files that exist may be replaced.
    pub overwrite: bool,
}

/// Makes the project. Everything that is wrong with the options is reported together, before anything is written.
pub fn init(context: &Context, options: &Options) -> Result<InitReport> {
    let place = identity::decide(context, options.path.as_deref(), options.name.as_deref());
    let backends = backends(options.sample, &options.backends);
    let (mut place, backends) = match (place, backends) {
        (Ok(place), Ok(backends)) => (place, backends),
        (place, backends) => {
            let faults = [place.err(), backends.err()].into_iter().flatten().flatten().collect();
            return Err(Faults::new(&code::init::REFUSED, "this project cannot be made", faults).into());
        }
    };
    if !license::is_known(&options.license) {
        place.notes.push(unknown_license(&options.license));
    }
    let files = files::render(options.sample, &place.identity, &backends, &options.license);
    let obstacles = write::obstacles(&place.directory, &files, options.overwrite)?;
    if !obstacles.is_empty() {
        let summary = format!("`{}` has files that a new project would replace", place.directory);
        return Err(Faults::new(&code::init::EXISTS, summary, obstacles).into());
    }
    write::write(&place.directory, &files)?;
    Ok(InitReport {
        directory: shown(context, &place.directory).into_string(),
        in_repository: is_in_repository(&place.directory),
        repo_id: place.identity.repo_id(),
        name: place.identity.name,
        framework: options.sample.name().to_owned(),
        backends,
        files: files.into_keys().collect(),
        notes: place.notes,
    })
}

/// The backends in the order in which they were named, each once.
fn backends(sample: Sample, names: &[String]) -> Result<Vec<Backend>, Vec<Finding>> {
    let known = sample.backends();
    let mut chosen = Vec::new();
    let mut faults = Vec::new();
    for name in names {
        if name == "all" {
            chosen.extend_from_slice(known);
            continue;
        }
        match name.parse::<Backend>() {
            Ok(backend) if known.contains(&backend) => chosen.push(backend),
            found => {
                let list = listed(known.iter().map(|backend| backend.as_str()));
                let message = match found {
                    Ok(backend) => {
                        format!("the sample for `{}` has no sources for `{backend}`", sample.name())
                    }
                    Err(_) => format!("`{}` is not a backend", name.escape_debug()),
                };
                let help = match closest(name, known.iter().map(|backend| backend.as_str())) {
                    Some(near) => {
                        format!("did you mean `{near}`? There are {list}, and `all` for all of them")
                    }
                    None => format!("choose from {list}, or `all` for all of them"),
                };
                faults.push(Finding::error(&code::init::BACKEND, message).help(help));
            }
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    if chosen.is_empty() {
        chosen.extend_from_slice(sample.default_backends());
    }
    let mut once = Vec::new();
    for backend in chosen {
        if !once.contains(&backend) {
            once.push(backend);
        }
    }
    Ok(once)
}

fn unknown_license(text: &str) -> Finding {
    let message = format!("`{}` is no licence that the Hub or SPDX knows", text.escape_debug());
    let note = Finding::note(&code::manifest::LICENSE, message);
    match license::closest(text) {
        Some(near) => note.help(format!("did you mean `{near}`? It stands in `build.toml`")),
        None => note,
    }
}

/// A directory as the user would name it from where they are.
fn shown(context: &Context, directory: &Utf8Path) -> Utf8PathBuf {
    match directory.strip_prefix(&context.working_directory) {
        Ok(inner) if inner.as_str().is_empty() => Utf8PathBuf::from("."),
        Ok(inner) => inner.to_owned(),
        Err(_) => directory.to_owned(),
    }
}

/// Whether a git repository has this directory in its working tree.
fn is_in_repository(directory: &Utf8Path) -> bool {
    directory.ancestors().any(|above| above.join(".git").exists())
}
