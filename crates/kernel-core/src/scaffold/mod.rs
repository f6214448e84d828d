//! `init`: a sample project that checks, builds and passes its tests as it is. It asks no network and no account, and
//! leaves git alone.

mod files;
mod identity;
mod kept;
mod sample;
mod write;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::error::Faults;
use kernel_spec::report::InitReport;
use kernel_spec::suggest::{closest, listed};
use kernel_spec::{Backend, Finding, code, license};

use crate::{Context, Result};

use kept::Kept;
pub use sample::Sample;

/// What kind of project to make, and where.
#[derive(Debug)]
pub struct Options {
    /// The directory, relative to the working directory.
    pub path: Option<Utf8PathBuf>,
    /// `OWNER/NAME`, or a name alone.
    pub name: Option<String>,
    /// The kind of project; that of the project which is written over, or for torch, where not given.
    pub sample: Option<Sample>,
    /// Names of backends, or `all`; none for the default.
    pub backends: Vec<String>,
    /// Identifier of its licence; that of the project which is written over, or Apache 2.0, where not given.
    pub license: Option<String>,
    /// Whether files that exist may be replaced. What is not given is as the project there has it.
    pub overwrite: bool,
}

/// Makes the project. Everything that is wrong with the options is reported together, before anything is written.
pub fn init(context: &Context, options: &Options) -> Result<InitReport> {
    let kept = if options.overwrite { Kept::of(context, &earlier(options)) } else { Kept::default() };
    let sample = options.sample.or(kept.sample).unwrap_or(Sample::Torch);
    let license = options.license.clone().or(kept.license).unwrap_or_else(|| "Apache-2.0".to_owned());
    let name = options.name.as_deref().or(kept.name.as_deref());
    // Without PATH it is the name that was given that makes a directory, never one that was kept.
    let here = Utf8PathBuf::from(".");
    let path = options.path.as_ref().or((options.name.is_none() && kept.name.is_some()).then_some(&here));
    let place = identity::decide(context, path.map(Utf8PathBuf::as_path), name);
    let same_sample = kept.sample == Some(sample);
    let named = if options.backends.is_empty() && same_sample { &kept.backends } else { &options.backends };
    let backends = backends(sample, named);
    let (mut place, backends) = match (place, backends) {
        (Ok(place), Ok(backends)) => (place, backends),
        (place, backends) => {
            let faults = [place.err(), backends.err()].into_iter().flatten().flatten().collect();
            return Err(Faults::new(&code::init::REFUSED, "this project cannot be made", faults).into());
        }
    };
    place.notes.extend(kept.notes);
    if !license::is_known(&license) {
        place.notes.push(unknown_license(&license));
    }
    let files = files::render(sample, &place.identity, &backends, &license);
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
        framework: sample.name().to_owned(),
        backends,
        files: files.into_keys().collect(),
        notes: place.notes,
    })
}

/// Where the project that is written over lies.
fn earlier(options: &Options) -> Utf8PathBuf {
    let named = options.name.as_deref().map(|name| name.rsplit('/').next().unwrap_or(name));
    options.path.clone().or(named.map(Utf8PathBuf::from)).unwrap_or_else(|| ".".into())
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
